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
use super::rows::{count_offsets, four};
use super::tiles::share_out;
use crate::plate::{PlateEdge, PlateFace};
use taffeta_core::lanes::{F64x4, vectorized};

/// Edges, faces or vertices that one task takes.
const PER_TASK: usize = 1024;
/// Steps of the rounded gradients in the largest one: four of them can be added in single precision.
const STEPS: f64 = 4_194_304.0;

/// The factors.
#[derive(Clone, Debug)]
pub struct Folds {
    edges: Vec<FoldEdge>,
    faces: Vec<FoldFace>,
    /// `∂η/∂x` \[rad/m\] at the four vertices of each edge, and one edge more: vectors are read four numbers at a time.
    gradients: Vec<[f32; 12]>,
    /// The edges around each vertex, compressed, as numbers `4 edge + corner`, and their gradients there.
    offsets: Vec<u32>,
    around: Vec<u32>,
    pulls: Vec<Pull>,
}

#[derive(Clone, Debug)]
struct FoldEdge {
    /// Offsets of the coordinates of its vertices.
    vertices: [u32; 4],
    /// Where the moments of its faces stand.
    slots: [u32; 2],
    /// `∂η/∂θ`.
    share: f64,
    /// 1 if the edge has a scalar.
    scalar: f64,
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

/// Scratch of a product; the last entry of `eta` and of `moments` stays zero.
#[derive(Clone, Debug, Default)]
pub struct FoldWork {
    eta: Vec<[f64; 2]>,
    moments: Vec<[f64; 3]>,
    tau: Vec<f64>,
}

impl Folds {
    /// Packs the connections of a plate.
    pub fn build(vertex_count: usize, bending: &Bending) -> Self {
        let plate = bending.plate();
        let nothing = 3 * plate.faces.len() as u32;
        let fold_edge = |edge: &PlateEdge| FoldEdge {
            vertices: edge.vertices.map(|vi| 3 * vi.0),
            slots: edge.sides.map(|side| side.map_or(nothing, |(face, k)| 3 * face + u32::from(k))),
            share: edge.share,
            scalar: f64::from(u8::from(edge.has_scalar)),
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
            edges: plate.edges.iter().map(fold_edge).collect(),
            faces: plate.faces.iter().map(fold_face).collect(),
            gradients: vec![[0.0; 12]; plate.edges.len() + 1],
            pulls: vec![Pull::default(); around.len()],
            offsets,
            around,
        }
    }

    /// Scratch for products.
    pub fn new_work(&self) -> FoldWork {
        FoldWork {
            eta: vec![[0.0; 2]; self.edges.len() + 1],
            moments: vec![[0.0; 3]; self.faces.len() + 1],
            tau: vec![0.0; self.edges.len()],
        }
    }

    /// Takes over the gradients of all edges and the stiffness of all faces.
    pub fn update(&mut self, bending: &Bending, gradients: &[EdgeGradients], rate: f64) {
        let edges = &self.edges;
        let count = edges.len();
        share_out(&mut self.gradients[..count], PER_TASK, |first, out| {
            for (k, out) in out.iter_mut().enumerate() {
                *out = round(&gradients[first + k], edges[first + k].share);
            }
        });
        let (around, rounded) = (&self.around, self.gradients.as_flattened());
        share_out(&mut self.pulls, PER_TASK, |first, out| {
            for (pull, number) in out.iter_mut().zip(&around[first..]) {
                let at = 3 * *number as usize;
                *pull = Pull { edge: number / 4, gradient: [rounded[at], rounded[at + 1], rounded[at + 2]] };
            }
        });
        for (out, face) in self.faces.iter_mut().zip(&bending.plate().faces) {
            let damping = 1.0 + face.damping * rate;
            let entries = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
            out.stiffness = entries.map(|entry| face.stiffness[entry] * damping);
        }
    }

    /// Adds the product with displacements `p` \[m\], with at least one number more, to `out`, and writes that of the
    /// scalars.
    pub fn add_product(
        &self,
        (p, scalars): (&[f64], &[f64]),
        (out, scalars_out): (&mut [f64], &mut [f64]),
        work: &mut FoldWork,
    ) {
        let FoldWork { eta, moments, tau } = work;
        share_out(&mut eta[..self.edges.len()], PER_TASK, |first, out| {
            vectorized(
                #[inline(always)]
                || self.measure((first, out), (p, scalars)),
            );
        });
        let eta = eta.as_flattened();
        share_out(&mut moments[..self.faces.len()], PER_TASK, |first, out| {
            for (face, out) in self.faces[first..].iter().zip(out) {
                *out = face.moments(face.slots.map(|slot| eta[slot as usize]));
            }
        });
        let moments = moments.as_flattened();
        share_out(tau, PER_TASK, |first, out| {
            for (edge, out) in self.edges[first..].iter().zip(out) {
                *out = moments[edge.slots[0] as usize] + moments[edge.slots[1] as usize];
            }
        });
        for (edge, out) in self.edges.iter().zip(scalars_out) {
            *out = edge.scalar * (moments[edge.slots[0] as usize] - moments[edge.slots[1] as usize]);
        }
        share_out(out.as_chunks_mut::<3>().0, PER_TASK, |first, out| {
            vectorized(
                #[inline(always)]
                || self.pull((first, out), tau),
            );
        });
    }

    /// `η'` of the edges from `first` on in both of their faces.
    #[inline(always)]
    fn measure(&self, (first, out): (usize, &mut [[f64; 2]]), (p, scalars): (&[f64], &[f64])) {
        let gradients = self.gradients.as_flattened();
        for (k, out) in out.iter_mut().enumerate() {
            let (edge, at) = (&self.edges[first + k], 12 * (first + k));
            let g: &[f32; 13] = gradients[at..at + 13].try_into().expect("thirteen numbers");
            let part = |v: usize| {
                wide([g[3 * v], g[3 * v + 1], g[3 * v + 2], g[3 * v + 3]])
                    * four(p, edge.vertices[v] as usize)
            };
            let sum = ((part(0) + part(1)) + (part(2) + part(3))).0;
            let (turned, scalar) = (sum[0] + sum[1] + sum[2], scalars.get(first + k).copied().unwrap_or(0.0));
            *out = [turned + scalar, turned - scalar];
        }
    }

    /// Adds the forces of the moments `tau` of the edges to the vertices from `first` on.
    #[inline(always)]
    fn pull(&self, (first, out): (usize, &mut [[f64; 3]]), tau: &[f64]) {
        for (k, out) in out.iter_mut().enumerate() {
            let range = self.offsets[first + k] as usize..self.offsets[first + k + 1] as usize;
            let mut sum = F64x4::default();
            for Pull { edge, gradient: [x, y, z] } in &self.pulls[range] {
                sum = sum + wide([*x, *y, *z, 0.0]) * F64x4::splat(tau[*edge as usize]);
            }
            (0..3).for_each(|axis| out[axis] += sum.0[axis]);
        }
    }
}

impl FoldFace {
    /// `K η`.
    fn moments(&self, [a, b, c]: [f64; 3]) -> [f64; 3] {
        let [k00, k01, k02, k11, k12, k22] = self.stiffness;
        [k00 * a + k01 * b + k02 * c, k01 * a + k11 * b + k12 * c, k02 * a + k12 * b + k22 * c]
    }
}

/// The gradients of `η`, rounded to multiples of one step: the first is minus the sum of the others.
fn round(edge: &EdgeGradients, share: f64) -> [f32; 12] {
    let size = edge.gradients.iter().map(|g| g.abs().max_element()).fold(0.0, f64::max) * share;
    let step = power_of_two_above(size) / STEPS;
    let mut out = [0.0; 12];
    for axis in 0..3 {
        let mut sum = 0.0;
        for v in 1..4 {
            let steps =
                if step > 0.0 { (edge.gradients[v][axis] * share / step).round_ties_even() } else { 0.0 };
            out[3 * v + axis] = (steps * step) as f32;
            sum += steps;
        }
        out[axis] = (-sum * step) as f32;
    }
    out
}

/// A power of two that is at least `size` and at most twice as large.
fn power_of_two_above(size: f64) -> f64 {
    if size > 0.0 && size.is_finite() {
        f64::from_bits((size.to_bits() >> 52 << 52) + (1 << 52))
    } else {
        0.0
    }
}

#[inline(always)]
fn wide(values: [f32; 4]) -> F64x4 {
    F64x4(values.map(f64::from))
}
