//! Lengths of the three edges of a triangle: `C = (l₁₂ − L₁₂, l₂₃ − L₂₃, l₃₁ − L₃₁)`.

use super::{Block, Curvature, Jacobian};
use crate::matrices::outer;
use glam::{DMat3, DVec2, DVec3};
use nalgebra::{Matrix3, Vector3};
use taffeta_core::VertexIndex;

/// The membrane block of a triangle in its edge lengths.
///
/// To first order `C = T ε` with the rows `L (t_x², t_y², t_x t_y)` of the edges' material directions `t`. So the
/// compliance `T α Tᵀ / A` gives the elasticity of the sheet: for small strains it has the energy of
/// [`super::GreenStrain`], on any triangle.
#[derive(Clone, Debug)]
pub struct EdgeLengths {
    /// The corners.
    pub vertices: [VertexIndex; 3],
    /// Rest lengths `L₁₂, L₂₃, L₃₁` \[m\].
    pub lengths: [f64; 3],
    /// Compliance \[m/N\].
    pub compliance: Matrix3<f64>,
    /// Its inverse \[N/m\].
    pub stiffness: Matrix3<f64>,
    /// Damping time constant \[s\].
    pub damping: f64,
}

impl EdgeLengths {
    /// The block of a triangle with material corners `u` \[m\] and the membrane compliance `alpha` \[m/N\].
    pub fn new(vertices: [VertexIndex; 3], u: [DVec2; 3], alpha: &Matrix3<f64>, damping: f64) -> Self {
        let edges = [u[1] - u[0], u[2] - u[1], u[0] - u[2]];
        let lengths = edges.map(DVec2::length);
        let rows = std::array::from_fn::<_, 3, _>(|k| {
            let (e, l) = (edges[k], lengths[k]);
            nalgebra::RowVector3::new(e.x * e.x / l, e.y * e.y / l, e.x * e.y / l)
        });
        let t = Matrix3::from_rows(&rows);
        let area = 0.5 * edges[0].perp_dot(u[2] - u[0]);
        let compliance = t * alpha * t.transpose() / area;
        let stiffness = compliance.try_inverse().expect("three edges of a triangle are independent");
        Self { vertices, lengths, compliance, stiffness, damping }
    }

    /// Unit directions and lengths \[m\] of the three edges.
    fn edges(x: &[DVec3; 3]) -> [(DVec3, f64); 3] {
        [x[1] - x[0], x[2] - x[1], x[0] - x[2]].map(|e| {
            let length = e.length().max(f64::MIN_POSITIVE);
            (e / length, length)
        })
    }
}

impl Block<3, 3> for EdgeLengths {
    fn vertices(&self) -> [VertexIndex; 3] {
        self.vertices
    }

    fn constraint(&self, x: &[DVec3; 3]) -> Vector3<f64> {
        let edges = Self::edges(x);
        Vector3::from_fn(|k, _| edges[k].1 - self.lengths[k])
    }

    fn jacobian(&self, x: &[DVec3; 3]) -> Jacobian<3, 3> {
        let [(a, _), (b, _), (c, _)] = Self::edges(x);
        [[-a, a, DVec3::ZERO], [DVec3::ZERO, -b, b], [c, DVec3::ZERO, -c]]
    }

    fn compliance(&self) -> Matrix3<f64> {
        self.compliance
    }

    fn stiffness(&self) -> Matrix3<f64> {
        self.stiffness
    }

    fn damping(&self) -> f64 {
        self.damping
    }

    /// `f (I − t tᵀ)/l` of the edges, of those under tension only if clamped.
    fn geometric_stiffness(
        &self,
        x: &[DVec3; 3],
        stress: &Vector3<f64>,
        curvature: Curvature,
    ) -> Option<[[DMat3; 3]; 3]> {
        let mut out = [[DMat3::ZERO; 3]; 3];
        for (k, (t, length)) in Self::edges(x).into_iter().enumerate() {
            let force = if curvature == Curvature::Clamped { stress[k].max(0.0) } else { stress[k] };
            let stiffness = (DMat3::IDENTITY - outer(t, t)) * (force / length);
            let (a, b) = (k, (k + 1) % 3);
            out[a][a] += stiffness;
            out[b][b] += stiffness;
            out[a][b] -= stiffness;
            out[b][a] -= stiffness;
        }
        Some(out)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::block::green_strain::tests as strain;
    use crate::block::testing::{assert_gradients_sum_to_zero, assert_jacobian};

    const CORNERS: [DVec2; 3] = [DVec2::new(0.1, 0.0), DVec2::new(0.5, 0.1), DVec2::new(0.2, 0.4)];

    pub(crate) fn example() -> (EdgeLengths, [DVec3; 3]) {
        let (green, x) = strain::example();
        (EdgeLengths::new(green.vertices, CORNERS, &green.elasticity.compliance, 0.0), x)
    }

    #[test]
    fn jacobian_agrees_with_finite_differences() {
        let (block, x) = example();
        assert_jacobian(&block, x);
        assert_gradients_sum_to_zero(&block, x);
    }

    #[test]
    fn energy_of_a_small_strain_is_that_of_the_strain_block() {
        let (green, _) = strain::example();
        let (edges, _) = example();
        for (xx, xy, yy) in [(1e-6, 0.0, 0.0), (0.0, 1e-6, 0.0), (-3e-7, 4e-7, 8e-7)] {
            let x = CORNERS.map(|u| DVec3::new(u.x + xx * u.x + xy * u.y, u.y + xy * u.x + yy * u.y, 0.0));
            assert!((edges.energy(&x) / green.energy(&x) - 1.0).abs() < 1e-5);
        }
    }
}
