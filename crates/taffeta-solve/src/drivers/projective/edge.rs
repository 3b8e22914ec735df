//! The length of an edge.

use super::constraint::{Constraint, LaneKernel};
use glam::DVec3;
use taffeta_core::VertexIndex;
use taffeta_core::lanes::{F64x4, LANES, Vec3x4};

/// Keeps the length of an edge within limits (Bouaziz et al. 2014, section 5.1): `A x = x₁ − x₀`, and `p` is that vector
/// with a length between `σ_min L` and `σ_max L`. With both limits 1 the energy is that of a spring, `w/2 (l − L)²`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeStrain {
    /// The ends.
    pub vertices: [VertexIndex; 2],
    /// Length at rest `L` \[m\].
    pub length: f64,
    /// The limits of `l/L`.
    pub limits: [f64; 2],
    /// Stiffness of the spring `w` \[N/m\].
    pub weight: f64,
}

impl Constraint<1, 2> for EdgeStrain {
    fn vertices(&self) -> [VertexIndex; 2] {
        self.vertices
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn map(&self) -> [[f64; 2]; 1] {
        [[-1.0, 1.0]]
    }

    /// An edge without length is put along the first axis.
    fn project(&self, z: &[DVec3; 1]) -> [DVec3; 1] {
        let length = z[0].length();
        let [low, high] = self.limits.map(|limit| limit * self.length);
        let direction = if length > 0.0 { z[0] / length } else { DVec3::X };
        [direction * length.clamp(low, high)]
    }
}

/// Four edges.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeKernel {
    low: F64x4,
    high: F64x4,
    weight: F64x4,
}

impl EdgeKernel {
    pub(super) fn pack(edges: [&EdgeStrain; LANES]) -> Self {
        Self {
            low: F64x4(edges.map(|e| e.limits[0] * e.length)),
            high: F64x4(edges.map(|e| e.limits[1] * e.length)),
            weight: F64x4(edges.map(|e| e.weight)),
        }
    }
}

impl LaneKernel<1> for EdgeKernel {
    #[inline(always)]
    fn residual(&self, [z]: [Vec3x4; 1]) -> [Vec3x4; 1] {
        let zero = F64x4::splat(0.0);
        let length = z.dot(z).sqrt();
        let target = length.max(self.low).min(self.high);
        let scale = self.weight * ((length - target) / length);
        let scale = length.select_greater(zero, scale, zero);
        // An edge without length: minus the weighted target along the first axis.
        let jump = length.select_greater(zero, zero, self.weight * target);
        let pull = z * scale;
        [Vec3x4 { x: pull.x - jump, ..pull }]
    }
}
