//! Curvature of faces, four at a time.
//!
//! All gradients of a face's three rows lie along four vectors, the normals of the face and of the faces across its edges:
//! `A = n/|n|²`, `B_k = m_k/|m_k|²`. Along edge `k` of length `l`, let `p = e_{k+1}·e_k/l` and `r = f·e_k/l`, where `f`
//! points from corner `k` to the vertex across. Then the gradients are
//!
//! ```text
//!   corner k: A p + B_k (r − l)      corner k+1: −A (l + p) − B_k r      corner k+2: A l      across: B_k l
//! ```
//!
//! So `J M⁻¹ Jᵀ` needs ten scalar products of vectors and no gradient is ever written out. The scalar
//! [`crate::block::FaceCurvature`] is the oracle.

use super::kernels::{Dual3, Sym3x4, dual_step, pack_sym3};
use crate::block::FaceCurvature;
use crate::block::hinge::AREA_FLOOR;
use crate::drivers::lanes::{SweepStep, pack};
use crate::matrices::UPPER;
use taffeta_core::lanes::{F64x4, LANES, Vec3x4};

/// Four edges of the plate.
#[derive(Clone, Copy, Debug, Default)]
pub struct EdgeLanes {
    /// The unwrapped angles `θ` last seen \[rad\].
    pub angle: F64x4,
    /// The scalars `φ` \[rad\].
    pub scalar: F64x4,
}

impl EdgeLanes {
    /// Continues the angles to positions `x` of the vertices `a, b, c, d`.
    #[inline(always)]
    pub fn update_angle(&mut self, x: &[Vec3x4; 4]) {
        let [a, b, c, d] = *x;
        let edge = b - a;
        let across = d - a;
        let (n, m) = ((c - a).cross(c - b), across.cross(edge));
        let length = edge.dot(edge).sqrt();
        self.angle = angle_between(n, m, length * n.dot(across), self.angle);
    }
}

/// The angle between two faces with normals `n` and `m`, unwrapped against `reference`. `(m×n)·e/|e|`, its sine times
/// `|n||m|`, equals `|e| n·f` for `f` from an end of the edge to the vertex across.
#[inline(always)]
fn angle_between(n: Vec3x4, m: Vec3x4, sine: F64x4, reference: F64x4) -> F64x4 {
    use std::f64::consts::TAU;
    let wrapped = F64x4::atan2(sine, n.dot(m));
    wrapped + F64x4::splat(TAU) * ((reference - wrapped) * F64x4::splat(1.0 / TAU)).round()
}

/// Places of four edges among the batches of the plate: batch × 4 + lane.
pub type Slots = [u32; LANES];

/// Angles and scalars of four edges.
#[inline(always)]
pub fn read_edges(slots: &Slots, states: &[EdgeLanes]) -> EdgeLanes {
    let mut out = EdgeLanes::default();
    for (lane, slot) in slots.iter().enumerate() {
        let (state, place) = (&states[(slot / 4) as usize], (slot % 4) as usize);
        out.angle.0[lane] = state.angle.0[place];
        out.scalar.0[lane] = state.scalar.0[place];
    }
    out
}

/// Four faces with `V − 3` rows each, on their corners and the vertices across the edges of these rows.
#[derive(Clone, Debug)]
pub struct CurvatureLanes<const V: usize> {
    slots: [Slots; 3],
    signs: [F64x4; 3],
    rest: [F64x4; 3],
    /// Squared area floors of the face and of those across its edges \[m⁴\].
    floors: [F64x4; 4],
    alpha: Sym3x4,
    dual: Dual3,
}

/// The shape of four faces.
struct Shape {
    /// Constraints.
    c: [F64x4; 3],
    /// Lengths of the edges \[m\].
    lengths: [F64x4; 3],
    /// `p` and `r` \[m\].
    feet: [[F64x4; 2]; 3],
    /// `A` and `B_k`, halved since `η` has half of the angle \[1/m\].
    normals: [Vec3x4; 4],
}

impl<const V: usize> CurvatureLanes<V> {
    const ROWS: usize = V - 3;

    /// Packs four faces; `slots` tells where the edges of the plate are.
    pub fn pack(faces: [&FaceCurvature; LANES], slots: &[u32]) -> Self {
        let floor = |area: f64| (AREA_FLOOR * area) * (AREA_FLOOR * area);
        let across = |k: usize| pack(|lane| floor(faces[lane].doubled_area_across(k)));
        // Rows beyond the last have the slot of the first, and are not read.
        let row = |k: usize| if k < Self::ROWS { k } else { 0 };
        Self {
            slots: [0, 1, 2].map(|k| faces.map(|face| slots[face.numbers[row(k)] as usize])),
            signs: [0, 1, 2].map(|k| pack(|lane| faces[lane].signs[k])),
            rest: [0, 1, 2].map(|k| pack(|lane| faces[lane].rest[k])),
            floors: [pack(|lane| floor(faces[lane].doubled_area)), across(0), across(1), across(2)],
            alpha: pack_sym3(|lane| faces[lane].compliance),
            dual: Dual3::new(pack(|lane| faces[lane].damping)),
        }
    }

    /// Takes over `η₀` of the rows of four faces \[rad\].
    pub fn set_rest(&mut self, rest: [nalgebra::Vector3<f64>; LANES]) {
        self.rest = [0, 1, 2].map(|k| pack(|lane| rest[lane][k]));
    }

    /// Notes the constraint at the start of a substep.
    #[inline(always)]
    pub fn record_start(&mut self, x: &[Vec3x4; V], states: &[EdgeLanes]) {
        self.dual.start = self.evaluate(x, states).c;
    }

    #[inline(always)]
    fn evaluate(&self, x: &[Vec3x4; V], states: &[EdgeLanes]) -> Shape {
        let (zero, half) = (F64x4::splat(0.0), F64x4::splat(0.5));
        let edges = [x[1] - x[0], x[2] - x[1], x[0] - x[2]];
        let n = edges[2].cross(edges[0]);
        let mut shape = Shape {
            c: [zero; 3],
            lengths: [zero; 3],
            feet: [[zero; 2]; 3],
            normals: [n * (half / n.dot(n).max(self.floors[0])); 4],
        };
        for k in 0..Self::ROWS {
            let e = edges[k];
            let length = e.dot(e).sqrt().max(F64x4::splat(f64::MIN_POSITIVE));
            let inverse = F64x4::splat(1.0) / length;
            let across = x[3 + k] - x[k];
            let m = across.cross(e);
            let state = read_edges(&self.slots[k], states);
            let angle = angle_between(n, m, length * n.dot(across), state.angle);
            shape.c[k] = half * angle + self.signs[k] * state.scalar - self.rest[k];
            shape.lengths[k] = length;
            shape.feet[k] = [edges[(k + 1) % 3].dot(e) * inverse, across.dot(e) * inverse];
            shape.normals[1 + k] = m * (half / m.dot(m).max(self.floors[1 + k]));
        }
        shape
    }

    /// One update; returns the new positions.
    #[inline(always)]
    pub fn update<const DAMPED: bool>(
        &mut self,
        x: &[Vec3x4; V],
        w: &[F64x4; V],
        step: &SweepStep,
        states: &[EdgeLanes],
    ) -> [Vec3x4; V] {
        let shape = self.evaluate(x, states);
        let weights = shape.weights();
        let a = shape.matrix(&weights, w);
        let alpha = self.alpha;
        let delta = dual_step::<DAMPED>(&mut self.dual, shape.c, a, &alpha, step);
        let Shape { normals, lengths, .. } = shape;
        let mut along = [F64x4::default(); 3];
        for k in 0..Self::ROWS {
            for i in 0..3 {
                along[(k + i) % 3] = along[(k + i) % 3] + weights[k].own[i] * delta[k];
            }
        }
        let mut moved = *x;
        for v in 0..3 {
            moved[v] = moved[v] + normals[0] * (w[v] * along[v]);
        }
        for k in 0..Self::ROWS {
            for i in 0..2 {
                let v = (k + i) % 3;
                moved[v] = moved[v] + normals[1 + k] * (w[v] * weights[k].other[i] * delta[k]);
            }
            moved[3 + k] = moved[3 + k] + normals[1 + k] * (w[3 + k] * lengths[k] * delta[k]);
        }
        moved
    }
}

/// Shares of the normals in the gradients of a row, at the corners from its own on.
#[derive(Clone, Copy)]
struct RowWeights {
    /// Of `A` \[m\].
    own: [F64x4; 3],
    /// Of `B_k` \[m\]; none at the corner opposite to the edge.
    other: [F64x4; 2],
}

impl Shape {
    #[inline(always)]
    fn weights(&self) -> [RowWeights; 3] {
        let zero = F64x4::splat(0.0);
        let mut weights = [RowWeights { own: [zero; 3], other: [zero; 2] }; 3];
        for (row, ([p, r], l)) in weights.iter_mut().zip(self.feet.into_iter().zip(self.lengths)) {
            *row = RowWeights { own: [p, zero - l - p, l], other: [r - l, zero - r] };
        }
        weights
    }

    /// `J M⁻¹ Jᵀ`; zero in rows that are not used.
    #[inline(always)]
    fn matrix<const V: usize>(&self, weights: &[RowWeights; 3], w: &[F64x4; V]) -> Sym3x4 {
        let [n, ..] = self.normals;
        let nn = n.dot(n);
        // Σ_v w_v own_rv other_sv
        let mixed = |r: usize, s: usize| {
            let at = |i: usize| w[(s + i) % 3] * weights[r].own[(s + i + 3 - r) % 3] * weights[s].other[i];
            at(0) + at(1)
        };
        let rows = V - 3;
        let mut out = [F64x4::default(); 6];
        for (entry, (r, s)) in UPPER.into_iter().enumerate() {
            if r >= rows || s >= rows {
                continue;
            }
            let (b_r, b_s) = (self.normals[1 + r], self.normals[1 + s]);
            let own = |v: usize| w[v] * weights[r].own[(v + 3 - r) % 3] * weights[s].own[(v + 3 - s) % 3];
            let mut sum = nn * (own(0) + own(1) + own(2)) + n.dot(b_s) * mixed(r, s);
            if r == s {
                let (other, l) = (weights[r].other, self.lengths[r]);
                let ends = w[r] * other[0] * other[0] + w[(r + 1) % 3] * other[1] * other[1];
                sum = sum + n.dot(b_s) * mixed(r, s) + b_r.dot(b_r) * (ends + w[3 + r] * l * l);
            } else {
                // The two edges share one corner: the end of one is the start of the other.
                let shared = if s == (r + 1) % 3 {
                    w[s] * weights[r].other[1] * weights[s].other[0]
                } else {
                    w[r] * weights[r].other[0] * weights[s].other[1]
                };
                sum = sum + n.dot(b_r) * mixed(s, r) + b_r.dot(b_s) * shared;
            }
            out[entry] = sum;
        }
        out
    }
}
