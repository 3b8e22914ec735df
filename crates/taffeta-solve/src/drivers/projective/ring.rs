//! Bending: the mean curvature at a vertex.

use super::constraint::{ConstraintSet, narrow, widen};
use glam::{DVec2, DVec3};
use taffeta_core::lanes::F64x4;
use taffeta_core::tasks::share_out;
use taffeta_core::{VertexIndex, index::DenseIndex};

/// Rings that one task takes.
const RINGS_PER_TASK: usize = 1024;

/// Keeps the size of the mean curvature vector of a vertex (Bouaziz et al. 2014, section 5.5). `A x = Σ cᵢ xᵢ` is a sum
/// over the one-ring with the cotangent weights of the rest shape. On a cylinder of curvature `κ` it is `κ n` times the
/// area `a` of the vertex. `p` has its direction and the length at rest. With `w = D/a` the energy is `½ D κ² a`.
#[derive(Clone, Debug, PartialEq)]
pub struct RingBend {
    /// The vertex and its neighbors.
    pub vertices: Vec<VertexIndex>,
    /// `cᵢ`; they add up to zero.
    pub coefficients: Vec<f64>,
    /// Length of `A x` at rest \[m\].
    pub length: f64,
    /// `w = D/a` \[N/m\].
    pub weight: f64,
}

impl RingBend {
    /// `w (z − p)` for `z = A x`. A curvature that has vanished where there was one at rest is put along the first axis.
    fn residual(&self, z: DVec3) -> DVec3 {
        ring_residual(z, self.length, self.weight)
    }

    /// `A x` for positions \[m\] of the vertices.
    pub fn apply(&self, x: impl Fn(VertexIndex) -> DVec3) -> DVec3 {
        self.vertices.iter().zip(&self.coefficients).fold(DVec3::ZERO, |z, (vi, c)| z + x(*vi) * *c)
    }

    /// The energy \[J\] for positions \[m\].
    pub fn energy(&self, x: impl Fn(VertexIndex) -> DVec3) -> f64 {
        0.5 * self.residual(self.apply(x)).length_squared() / self.weight
    }
}

#[inline(always)]
fn ring_residual(z: DVec3, length: f64, weight: f64) -> DVec3 {
    if length == 0.0 {
        return z * weight;
    }
    let now = z.length();
    let p = if now > 0.0 { z * (length / now) } else { DVec3::X * length };
    (z - p) * weight
}

/// The rings of all vertices, packed.
#[derive(Debug, Default)]
pub(super) struct RingSet {
    offsets: Vec<u32>,
    vertices: Vec<u32>,
    coefficients: Vec<f64>,
    laws: Vec<[f64; 2]>,
}

impl RingSet {
    pub(super) fn build(rings: &[RingBend], places: &[u32]) -> Self {
        let mut set = Self { offsets: vec![0], ..Self::default() };
        for ring in rings {
            set.vertices.extend(ring.vertices.iter().map(|vi| places[vi.to_usize()]));
            set.coefficients.extend(&ring.coefficients);
            set.offsets.push(set.vertices.len() as u32);
            set.laws.push([ring.length, ring.weight]);
        }
        set
    }

    fn residual(&self, ring: usize, x: &[F64x4]) -> DVec3 {
        let span = self.offsets[ring] as usize..self.offsets[ring + 1] as usize;
        let mut z = F64x4::default();
        for (v, c) in self.vertices[span.clone()].iter().zip(&self.coefficients[span]) {
            z = z + x[*v as usize] * F64x4::splat(*c);
        }
        let [length, weight] = self.laws[ring];
        ring_residual(narrow(z), length, weight)
    }
}

impl ConstraintSet for RingSet {
    fn row_count(&self) -> usize {
        self.laws.len()
    }

    fn pull(&self, x: &[F64x4], out: &mut [F64x4]) {
        share_out(out, RINGS_PER_TASK, |first, out| {
            for (slot, ring) in out.iter_mut().zip(first..) {
                *slot = widen(self.residual(ring, x));
            }
        });
    }

    fn evaluate(&self, x: &[F64x4], out: &mut [F64x4]) -> f64 {
        let mut energy = 0.0;
        for (ring, slot) in out.iter_mut().enumerate() {
            let residual = self.residual(ring, x);
            *slot = widen(residual);
            energy += 0.5 * residual.length_squared() / self.laws[ring][1];
        }
        energy
    }
}

/// Halved cotangents of the angles at the second and the third corner of a triangle with the given corners \[m\]. They are
/// the weights of the edges from the first corner to the third and to the second.
pub(super) fn half_cotangents([a, b, c]: [DVec2; 3]) -> [f64; 2] {
    let cotangent = |at: DVec2, u: DVec2, v: DVec2| (u - at).dot(v - at) / (u - at).perp_dot(v - at).abs();
    [0.5 * cotangent(b, c, a), 0.5 * cotangent(c, a, b)]
}

/// The part of the area of a triangle that belongs to its first corner \[m²\]: the Voronoi region, cut off in obtuse
/// triangles (Meyer et al. 2003, section 3.3).
pub(super) fn corner_area(corners: [DVec2; 3]) -> f64 {
    let [a, b, c] = corners;
    let area = 0.5 * (b - a).perp_dot(c - a).abs();
    let is_obtuse = |at: DVec2, u: DVec2, v: DVec2| (u - at).dot(v - at) < 0.0;
    if is_obtuse(a, b, c) {
        return 0.5 * area;
    }
    if is_obtuse(b, c, a) || is_obtuse(c, a, b) {
        return 0.25 * area;
    }
    let [at_b, at_c] = half_cotangents(corners);
    0.25 * (at_b * (c - a).length_squared() + at_c * (b - a).length_squared())
}
