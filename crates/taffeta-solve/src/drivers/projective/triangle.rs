//! Strain of a triangle.

use super::constraint::{Constraint, LaneKernel};
use super::singular::{change_singular_values_2, clamp_singular_values_x4};
use glam::{DVec2, DVec3};
use taffeta_core::VertexIndex;
use taffeta_core::lanes::{F64x4, LANES, Vec3x4};

/// Keeps the singular values of the deformation gradient of a triangle within limits (Bouaziz et al. 2014, section 5.1).
/// `A x` is the 3×2 gradient `F`, and `w = k A` with the area at rest. With both limits 1 the triangle is as rigid as it is
/// stiff. For small strains, the energy `k A/2 |F − T|²` is that of an isotropic sheet of stiffness `k` without contraction
/// across.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleStrain {
    /// The corners.
    pub vertices: [VertexIndex; 3],
    /// Gradients of the hat functions of the corners in material space \[1/m\].
    pub gradients: [DVec2; 3],
    /// The limits of the singular values.
    pub limits: [f64; 2],
    /// `w = k A` \[J\].
    pub weight: f64,
}

impl Constraint<2, 3> for TriangleStrain {
    fn vertices(&self) -> [VertexIndex; 3] {
        self.vertices
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn map(&self) -> [[f64; 3]; 2] {
        [self.gradients.map(|g| g.x), self.gradients.map(|g| g.y)]
    }

    fn project(&self, z: &[DVec3; 2]) -> [DVec3; 2] {
        let [low, high] = self.limits;
        change_singular_values_2(*z, |sigma| sigma.map(|s| s.clamp(low, high)))
    }
}

/// Four triangles.
#[derive(Clone, Copy, Debug)]
pub(super) struct TriangleKernel {
    limits: [F64x4; 2],
    weight: F64x4,
}

impl TriangleKernel {
    pub(super) fn pack(triangles: [&TriangleStrain; LANES]) -> Self {
        let limit = |k: usize| F64x4(triangles.map(|t| t.limits[k]));
        Self { limits: [limit(0), limit(1)], weight: F64x4(triangles.map(|t| t.weight)) }
    }

    /// The projection of one lane, for matrices without a second direction.
    #[cold]
    fn project_lane(&self, z: [Vec3x4; 2], lane: usize) -> [DVec3; 2] {
        let column = |v: Vec3x4| DVec3::new(v.x.0[lane], v.y.0[lane], v.z.0[lane]);
        let [low, high] = self.limits.map(|limit| limit.0[lane]);
        change_singular_values_2(z.map(column), |sigma| sigma.map(|s| s.max(low).min(high)))
    }
}

impl LaneKernel<2> for TriangleKernel {
    #[inline(always)]
    fn residual(&self, z: [Vec3x4; 2]) -> [Vec3x4; 2] {
        let (mut p, proper) = clamp_singular_values_x4(z, self.limits);
        if proper.0 != [1.0; LANES] {
            for lane in (0..LANES).filter(|lane| proper.0[*lane] < 1.0) {
                for (column, value) in p.iter_mut().zip(self.project_lane(z, lane)) {
                    (column.x.0[lane], column.y.0[lane], column.z.0[lane]) = value.into();
                }
            }
        }
        [(z[0] - p[0]) * self.weight, (z[1] - p[1]) * self.weight]
    }
}
