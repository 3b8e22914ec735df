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

use super::bending::{Bending, EdgeGradients};
use super::rows::count_offsets;
use crate::plate::{PlateEdge, PlateFace};
use taffeta_core::lanes::vectorized;
use taffeta_core::tasks::share_out;

/// Edges, faces or vertices that one task takes.
const PER_TASK: usize = 1024;
/// Steps of the rounded gradients in the largest one: four of them can be added in single precision.
const STEPS: f64 = 4_194_304.0;

/// The factors.
#[derive(Clone, Debug)]
pub(super) struct Folds {
    /// The four vertices of each edge, and `∂η/∂x` \[rad/m\] at them.
    vertices: Vec<[u32; 4]>,
    gradients: Vec<[[f32; 3]; 4]>,
    /// Where the moments of each edge's faces stand.
    slots: Vec<[u32; 2]>,
    has_scalar: Vec<bool>,
    faces: Vec<FoldFace>,
    /// The edges around each vertex, compressed, as numbers `4 edge + corner`, and their gradients there.
    offsets: Vec<u32>,
    around: Vec<u32>,
    pulls: Vec<Pull>,
}

#[derive(Clone, Debug)]
struct FoldFace {
    /// Where `η` of its edges stands.
    slots: [u32; 3],
    /// `K` \[N·m\], damping included: entries 00, 01, 02, 11, 12, 22.
    stiffness: [f64; 6],
}

/// The gradient of an edge at a vertex.
#[derive(Clone, Copy, Debug, Default)]
struct Pull {
    edge: u32,
    gradient: [f32; 3],
}

/// Scratch of a product.
#[derive(Clone, Debug, Default)]
pub(super) struct FoldWork {
    /// `η'` of each edge in its two faces, and a zero for where there is no edge.
    eta: Vec<[f64; 2]>,
    /// `μ` of each face, and a zero for where there is no face.
    faces: Vec<[f64; 3]>,
    /// Sum and difference of the `μ` of each edge.
    edges: Vec<[f64; 2]>,
}

impl Folds {
    /// Packs the connections of a plate.
    pub(super) fn build(vertex_count: usize, bending: &Bending) -> Self {
        let plate = bending.plate();
        let nothing = 3 * plate.faces.len() as u32;
        let slots = |edge: &PlateEdge| {
            edge.sides.map(|side| side.map_or(nothing, |(face, k)| 3 * face + u32::from(k)))
        };
        let nowhere = 2 * plate.edges.len() as u32;
        let fold_face = |face: &PlateFace| FoldFace {
            slots: [0, 1, 2]
                .map(|k| face.edges[k].map_or(nowhere, |e| 2 * e + u32::from(face.signs[k] < 0.0))),
            stiffness: [0.0; 6],
        };
        let vertices = || plate.edges.iter().flat_map(|edge| edge.vertices);
        let offsets = count_offsets(vertex_count, vertices().map(|vi| vi.0));
        let mut cursor = offsets.clone();
        let mut around = vec![0; 4 * plate.edges.len()];
        for (number, vi) in vertices().enumerate() {
            let place = &mut cursor[vi.0 as usize];
            around[*place as usize] = number as u32;
            *place += 1;
        }
        Self {
            vertices: plate.edges.iter().map(|edge| edge.vertices.map(|vi| vi.0)).collect(),
            gradients: vec![[[0.0; 3]; 4]; plate.edges.len()],
            slots: plate.edges.iter().map(slots).collect(),
            has_scalar: plate.edges.iter().map(|edge| edge.has_scalar).collect(),
            faces: plate.faces.iter().map(fold_face).collect(),
            pulls: vec![Pull::default(); around.len()],
            offsets,
            around,
        }
    }

    /// Scratch for products.
    pub(super) fn new_work(&self) -> FoldWork {
        FoldWork {
            eta: vec![[0.0; 2]; self.slots.len() + 1],
            faces: vec![[0.0; 3]; self.faces.len() + 1],
            edges: vec![[0.0; 2]; self.slots.len()],
        }
    }

    /// Takes over the gradients of all edges and the stiffness of all faces.
    pub(super) fn update(&mut self, bending: &Bending, gradients: &[EdgeGradients], rate: f64) {
        let edges = &bending.plate().edges;
        share_out(&mut self.gradients, PER_TASK, |first, out| {
            for (k, out) in out.iter_mut().enumerate() {
                *out = round(&gradients[first + k], edges[first + k].share);
            }
        });
        let (around, rounded) = (&self.around, self.gradients.as_flattened());
        share_out(&mut self.pulls, PER_TASK, |first, out| {
            for (pull, number) in out.iter_mut().zip(&around[first..]) {
                *pull = Pull { edge: number / 4, gradient: rounded[*number as usize] };
            }
        });
        for (out, face) in self.faces.iter_mut().zip(&bending.plate().faces) {
            let damping = 1.0 + face.damping * rate;
            let entries = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
            out.stiffness = entries.map(|entry| face.stiffness[entry] * damping);
        }
    }

    /// Adds the product with displacements `p` \[m\] to `out`, and writes that of the scalars.
    pub(super) fn add_product(
        &self,
        (p, scalars): (&[f64], &[f64]),
        (out, scalars_out): (&mut [f64], &mut [f64]),
        work: &mut FoldWork,
    ) {
        let FoldWork { eta, faces, edges } = work;
        let p = p.as_chunks::<3>().0;
        share_out(&mut eta[..self.slots.len()], PER_TASK, |first, out| {
            vectorized(
                #[inline(always)]
                || self.measure((first, out), (p, scalars)),
            );
        });
        let eta = eta.as_flattened();
        share_out(&mut faces[..self.faces.len()], PER_TASK, |first, out| {
            for (face, out) in self.faces[first..].iter().zip(out) {
                *out = face.moments(eta);
            }
        });
        let faces = faces.as_flattened();
        share_out(edges, PER_TASK, |first, out| {
            for ([one, other], out) in self.slots[first..].iter().zip(out) {
                let (one, other) = (faces[*one as usize], faces[*other as usize]);
                *out = [one + other, one - other];
            }
        });
        for ((has_scalar, edge), out) in self.has_scalar.iter().zip(&*edges).zip(scalars_out) {
            *out = if *has_scalar { edge[1] } else { 0.0 };
        }
        share_out(out.as_chunks_mut::<3>().0, PER_TASK, |first, out| {
            vectorized(
                #[inline(always)]
                || self.pull((first, out), edges),
            );
        });
    }

    /// `η'` of the edges from `first` on in both of their faces.
    #[inline(always)]
    fn measure(&self, (first, out): (usize, &mut [[f64; 2]]), (p, scalars): (&[[f64; 3]], &[f64])) {
        let edges = self.vertices[first..].iter().zip(&self.gradients[first..]);
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
    fn pull(&self, (first, out): (usize, &mut [[f64; 3]]), moments: &[[f64; 2]]) {
        let mut start = self.offsets[first] as usize;
        for (out, end) in out.iter_mut().zip(&self.offsets[first + 1..]) {
            let mut sum = *out;
            for pull in &self.pulls[start..*end as usize] {
                let moment = moments[pull.edge as usize][0];
                (0..3).for_each(|axis| sum[axis] += f64::from(pull.gradient[axis]) * moment);
            }
            *out = sum;
            start = *end as usize;
        }
    }
}

impl FoldFace {
    /// `K η`.
    #[inline(always)]
    fn moments(&self, eta: &[f64]) -> [f64; 3] {
        let [a, b, c] = self.slots;
        let (a, b, c) = (eta[a as usize], eta[b as usize], eta[c as usize]);
        let [k00, k01, k02, k11, k12, k22] = self.stiffness;
        [k00 * a + k01 * b + k02 * c, k01 * a + k11 * b + k12 * c, k02 * a + k12 * b + k22 * c]
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
