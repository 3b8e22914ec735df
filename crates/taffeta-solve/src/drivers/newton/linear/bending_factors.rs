//! The Gauss-Newton Hessian of bending with curvature, `Gᵀ Sᵀ K S G`, as a product of its factors.
//!
//! ```text
//! edges:     θ' = Σ_v g_v·p_v,              η' = θ' ± φ' in the two faces (share of θ' included in g)
//! faces:     μ = K η'
//! edges:     τ = μ₁ + μ₂,                   for φ: μ₁ − μ₂
//! vertices:  Σ_e g_e τ_e
//! ```
//!
//! Multiplied out, `K` couples twelve vertices more to each, and every scalar to eight: the factors are less to read,
//! and positive semidefinite whatever they are rounded to. The gradients are kept in single precision, those of an
//! edge rounded to a common step: their sum is zero exactly, and both passes see the same numbers.

use super::block_rows::count_offsets;
use crate::drivers::newton::objective::bending::{Bending, EdgeGradients};
use crate::drivers::newton::objective::bending_rest::{FACE_VALUES, MomentTile};
use crate::drivers::newton::objective::tiles::{Lane, TILE, ZERO};
use crate::matrices::outer;
use glam::DMat3;
use taffeta_core::lanes::vectorized;
use taffeta_core::tasks::share_out;

/// Edges, faces or vertices that one task takes.
const PER_TASK: usize = 1024;
/// Tiles that one task takes.
const TILES_PER_TASK: usize = PER_TASK / TILE;
/// Steps of the rounded gradients in the largest one: four of them can be added in single precision.
const STEPS: f64 = 4_194_304.0;

/// The factors that change from point to point. The others are those of [`Bending`].
#[derive(Clone, Debug)]
pub(crate) struct BendingFactors {
    /// All edges at the point of the last update.
    edges: Vec<EdgeGradients>,
    /// `∂η/∂x` \[rad/m\] at the four vertices of each edge.
    gradients: Vec<[[f32; 3]; 4]>,
    /// The edges around each vertex, compressed, as numbers `4 edge + corner`.
    offsets: Vec<u32>,
    around: Vec<u32>,
    /// `1/h`, by which damping times are multiplied.
    rate: f64,
}

/// Scratch of a product.
#[derive(Clone, Debug, Default)]
pub(crate) struct FactorWork {
    /// `η'` of each edge in its two faces, and zeros for where there is no edge.
    eta: Vec<[f64; 2]>,
    /// `μ` of the faces, and zeros for where there is no face.
    faces: Vec<MomentTile>,
    /// The sum of the `μ` of each edge.
    edges: Vec<Lane>,
}

impl BendingFactors {
    /// Packs the connections of a plate.
    pub(crate) fn build(vertex_count: usize, bending: &Bending) -> Self {
        let vertices = || bending.vertices().as_flattened();
        let offsets = count_offsets(vertex_count, vertices().iter().copied());
        let mut cursor = offsets.clone();
        let mut around = vec![0; vertices().len()];
        for (number, v) in (0..).zip(vertices()) {
            let place = &mut cursor[*v as usize];
            around[*place as usize] = number;
            *place += 1;
        }
        let edges = vec![EdgeGradients::default(); bending.edge_count()];
        Self { gradients: vec![[[0.0; 3]; 4]; edges.len()], edges, offsets, around, rate: 0.0 }
    }

    /// Scratch for products.
    pub(crate) fn new_work(bending: &Bending) -> FactorWork {
        FactorWork {
            eta: vec![[0.0; 2]; bending.edge_tile_count() * TILE + 1],
            faces: vec![[ZERO; FACE_VALUES]; bending.face_tile_count() + 1],
            edges: vec![ZERO; bending.edge_tile_count()],
        }
    }

    /// Computes the gradients of all edges at the point of the last evaluation.
    pub(crate) fn update(&mut self, bending: &Bending, rate: f64) {
        self.rate = rate;
        share_out(&mut self.edges, PER_TASK, |first, out| {
            out.iter_mut().zip(first..).for_each(|(out, number)| *out = bending.edge(number, rate));
        });
        let edges = &self.edges;
        share_out(&mut self.gradients, PER_TASK, |first, out| {
            for (number, out) in (first..).zip(out) {
                *out = round(&edges[number], bending.share(number));
            }
        });
    }

    /// All edges with the gradients of their angles at the point of the last update.
    pub(crate) fn edges(&self) -> &[EdgeGradients] {
        &self.edges
    }

    /// Contribution of bending to the diagonal block of a vertex, as if the stiffness of faces had no other entries
    /// than the diagonal ones.
    pub(crate) fn diagonal_block(&self, vertex: usize) -> DMat3 {
        let range = self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize;
        let block = |number: &u32| {
            let edge = &self.edges[*number as usize / 4];
            let g = edge.gradients[*number as usize % 4];
            outer(g, g * edge.stiffness)
        };
        self.around[range].iter().map(block).sum()
    }

    /// Adds the product with displacements `p` \[m\] to `out`, and writes that of the scalars.
    pub(crate) fn add_product(
        &self,
        bending: &Bending,
        p: &[f64],
        scalars: &[f64],
        out: &mut [f64],
        scalars_out: &mut [f64],
        work: &mut FactorWork,
    ) {
        let FactorWork { eta, faces, edges } = work;
        let p = p.as_chunks::<3>().0;
        share_out(&mut eta[..bending.edge_count()], PER_TASK, |first, out| {
            vectorized(
                #[inline(always)]
                || self.measure(&bending.vertices()[first..], first, out, p, scalars),
            );
        });
        bending.multiply(eta.as_flattened(), self.rate, &mut faces[..bending.face_tile_count()]);
        let faces = faces.as_flattened().as_flattened();
        share_out(edges, TILES_PER_TASK, |first, out| bending.add_moments(faces, first, out));
        let scalars_out = scalars_out.as_chunks_mut::<TILE>().0;
        share_out(scalars_out, TILES_PER_TASK, |first, out| bending.subtract_moments(faces, first, out));
        let edges = edges.as_flattened();
        share_out(out.as_chunks_mut::<3>().0, PER_TASK, |first, out| {
            vectorized(
                #[inline(always)]
                || self.pull(first, out, edges),
            );
        });
    }

    /// `η'` of the edges from `first` on, which have these vertices, in both of their faces.
    #[inline(always)]
    fn measure(
        &self,
        vertices: &[[u32; 4]],
        first: usize,
        out: &mut [[f64; 2]],
        p: &[[f64; 3]],
        scalars: &[f64],
    ) {
        let edges = vertices.iter().zip(&self.gradients[first..]);
        for (k, (out, (vertices, gradients))) in out.iter_mut().zip(edges).enumerate() {
            let mut sum = [0.0; 3];
            for v in 0..4 {
                let (g, p) = (&gradients[v], &p[vertices[v] as usize]);
                (0..3).for_each(|axis| sum[axis] += f64::from(g[axis]) * p[axis]);
            }
            let scalar = if scalars.is_empty() { 0.0 } else { scalars[first + k] };
            let turned = sum[0] + sum[1] + sum[2];
            *out = [turned + scalar, turned - scalar];
        }
    }

    /// Adds the forces of the moments of the edges to the vertices from `first` on.
    #[inline(always)]
    fn pull(&self, first: usize, out: &mut [[f64; 3]], moments: &[f64]) {
        let gradients = self.gradients.as_flattened();
        let mut start = self.offsets[first] as usize;
        for (out, end) in out.iter_mut().zip(&self.offsets[first + 1..]) {
            let mut sum = *out;
            for number in &self.around[start..*end as usize] {
                let moment = moments[*number as usize / 4];
                let gradient = &gradients[*number as usize];
                (0..3).for_each(|axis| sum[axis] += f64::from(gradient[axis]) * moment);
            }
            *out = sum;
            start = *end as usize;
        }
    }
}

/// The gradients of `η`, rounded to multiples of one step: the first is minus the sum of the others.
#[allow(clippy::needless_range_loop, reason = "an axis is read from several arrays at once")]
fn round(edge: &EdgeGradients, share: f64) -> [[f32; 3]; 4] {
    let size = edge.gradients.iter().map(|g| g.abs().max_element()).fold(0.0, f64::max) * share;
    // Adding and taking away a large number rounds to its last place, which is the step.
    let magic = 1.5 / f64::EPSILON * power_of_two_above(size) / STEPS;
    let mut out = [[0.0; 3]; 4];
    for axis in 0..3 {
        let mut sum = 0.0;
        for v in 1..4 {
            let rounded = (edge.gradients[v][axis] * share + magic) - magic;
            out[v][axis] = rounded as f32;
            sum += rounded;
        }
        out[0][axis] = -sum as f32;
    }
    out
}

/// A power of two that is greater than `size` and at most twice as large.
fn power_of_two_above(size: f64) -> f64 {
    f64::from_bits(((size.to_bits() >> 52) + 1) << 52)
}
