//! Quadratic bending of an inner edge: `C = K x / √(A₁+A₂)`, `α = I/D`, for sheets that are flat at rest.
//!
//! `K x` is the integrated Laplacian of the positions, which for a sheet that does not stretch is the mean curvature
//! normal. It is linear in the positions: cheap and always positive semidefinite, but it takes stretch for bending.
//! Bergou et al. 2006.

use super::{Block, Jacobian};
use glam::{DVec2, DVec3};
use nalgebra::{Matrix3, Vector3};
use taffeta_core::VertexIndex;

/// The quadratic bending block of an inner edge.
#[derive(Clone, Debug)]
pub struct QuadraticBend {
    /// `p, q, a, b`: the ends of the edge, then the opposite corners.
    pub vertices: [VertexIndex; 4],
    /// `K / √(A₁+A₂)` \[1/m\].
    pub weights: [f64; 4],
    /// Plate stiffness `D` \[N·m\].
    pub stiffness: f64,
    /// Damping time constant \[s\].
    pub damping: f64,
}

impl QuadraticBend {
    /// The block of an edge with the material coordinates `p, q, tip` \[m\] of its two faces.
    pub fn new(vertices: [VertexIndex; 4], faces: [[DVec2; 3]; 2], stiffness: f64, damping: f64) -> Self {
        // Cotangents of the angles at p and at q in each face.
        let cotangent = |at: DVec2, to: DVec2, other: DVec2| {
            let (u, v) = (to - at, other - at);
            u.dot(v) / u.perp_dot(v).abs()
        };
        let [at_p, at_q] = [0, 1].map(|k| {
            faces.map(|[p, q, tip]| if k == 0 { cotangent(p, q, tip) } else { cotangent(q, p, tip) })
        });
        let area: f64 = faces.iter().map(|[p, q, tip]| 0.5 * (*q - *p).perp_dot(*tip - *p).abs()).sum();
        let sums = [at_q[0] + at_q[1], at_p[0] + at_p[1], -at_p[0] - at_q[0], -at_p[1] - at_q[1]];
        Self { vertices, weights: sums.map(|w| w / area.sqrt()), stiffness, damping }
    }
}

/// No geometric stiffness: the constraint is linear.
impl Block<3, 4> for QuadraticBend {
    fn vertices(&self) -> [VertexIndex; 4] {
        self.vertices
    }

    fn constraint(&self, x: &[DVec3; 4]) -> Vector3<f64> {
        // Differences first: far from the origin the sum of the products would cancel.
        let sum: DVec3 = (1..4).map(|v| (x[v] - x[0]) * self.weights[v]).sum();
        Vector3::new(sum.x, sum.y, sum.z)
    }

    fn jacobian(&self, _x: &[DVec3; 4]) -> Jacobian<3, 4> {
        DVec3::AXES.map(|axis| self.weights.map(|w| axis * w))
    }

    fn stiffness(&self) -> Matrix3<f64> {
        Matrix3::from_diagonal_element(self.stiffness)
    }

    fn damping(&self) -> f64 {
        self.damping
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::hinge::Hinge;
    use crate::block::testing::{assert_gradients_sum_to_zero, assert_jacobian};

    fn example() -> QuadraticBend {
        let [p, q, a, b] = [(0.0, 0.0), (0.1, 0.2), (-0.1, 0.1), (0.2, 0.05)].map(|(x, y)| DVec2::new(x, y));
        QuadraticBend::new([0, 1, 2, 3].map(VertexIndex), [[p, q, a], [p, q, b]], 2e-5, 0.0)
    }

    fn placed(lift: f64) -> [DVec3; 4] {
        [(0.0, 0.0), (0.1, 0.2), (-0.1, 0.1), (0.2, 0.05)]
            .map(|(x, y)| DVec3::new(x, y, if x < 0.0 { lift } else { 0.0 }))
    }

    #[test]
    fn jacobian_agrees_with_finite_differences() {
        assert_jacobian(&example(), placed(0.05));
        assert_gradients_sum_to_zero(&example(), placed(0.05));
    }

    #[test]
    fn flat_sheets_have_no_energy_and_small_folds_that_of_a_hinge() {
        let block = example();
        assert!(block.constraint(&placed(0.0)).norm() < 1e-15);
        let x = placed(1e-4);
        let area =
            0.5 * ((x[1] - x[0]).cross(x[2] - x[0]).length() + (x[3] - x[0]).cross(x[1] - x[0]).length());
        let scale = x[0].distance(x[1]) / area.sqrt();
        let hinge = 0.5 * block.stiffness * (scale * Hinge::wrapped_angle(&x)).powi(2);
        assert!((block.energy(&x) / hinge - 1.0).abs() < 1e-4, "{} against {hinge}", block.energy(&x));
    }
}
