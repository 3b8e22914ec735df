//! Bending of position-based dynamics as published: `C = acos(n₁·n₂) − φ`. Müller et al. 2007, appendix A.
//!
//! ```text
//!        p2             n₁ = (p2−p1)×(p3−p1), n₂ = (p2−p1)×(p4−p1), normalized
//!       / | \
//!      p3 |  p4         d = n₁·n₂ is −1 when flat: φ = π
//!       \ | /
//!        p1
//! ```
//!
//! For comparison only. The angle has no sign: a fold to one side is the same as one to the other, and a hinge with a rest
//! angle settles on the side on which it happens to be. And it is singular exactly when flat, the rest state of most
//! cloth: there the gradient has no direction, and near it `acos` has lost half of the digits. No solver uses it;
//! [`Hinge`](super::Hinge), with `atan2`, has neither fault.

use super::{Block, Curvature, Jacobian};
use glam::{DMat3, DVec3};
use nalgebra::{SMatrix, SVector};
use taffeta_core::VertexIndex;
use taffeta_core::math::atan2;

/// The dihedral angle of an inner edge.
#[derive(Clone, Debug)]
pub struct Dihedral {
    /// `p1, p2, p3, p4`: the ends of the edge, then the opposite corners; the face of `p3` runs along `p1 → p2`.
    pub vertices: [VertexIndex; 4],
    /// Rest angle `φ` \[rad\], from 0, folded onto itself, to π, flat.
    pub rest_angle: f64,
    /// Compliance \[rad²/J\]; 0 for an angle that does not change.
    pub compliance: f64,
}

/// The normals, not normalized, and the cosine `d`.
fn measure(x: &[DVec3; 4]) -> ([DVec3; 2], f64) {
    let [p2, p3, p4] = [1, 2, 3].map(|k| x[k] - x[0]);
    let normals = [p2.cross(p3), p2.cross(p4)];
    (normals, normals[0].normalize_or_zero().dot(normals[1].normalize_or_zero()).clamp(-1.0, 1.0))
}

impl Block<1, 4> for Dihedral {
    fn vertices(&self) -> [VertexIndex; 4] {
        self.vertices
    }

    fn constraint(&self, x: &[DVec3; 4]) -> SVector<f64, 1> {
        let (_, d) = measure(x);
        // The arc cosine, in functions that have the same bits on all machines.
        SVector::<f64, 1>::new(atan2((1.0 - d * d).sqrt(), d) - self.rest_angle)
    }

    /// `q_i / √(1 − d²)` with the published `q_i`; zero where that is singular.
    fn jacobian(&self, x: &[DVec3; 4]) -> Jacobian<1, 4> {
        let ([m1, m2], d) = measure(x);
        let sine = (1.0 - d * d).sqrt();
        if sine == 0.0 || m1 == DVec3::ZERO || m2 == DVec3::ZERO {
            return [[DVec3::ZERO; 4]];
        }
        let [p2, p3, p4] = [1, 2, 3].map(|k| x[k] - x[0]);
        let ([l1, l2], [n1, n2]) = ([m1.length(), m2.length()], [m1.normalize(), m2.normalize()]);
        let q3 = (p2.cross(n2) + n1.cross(p2) * d) / l1;
        let q4 = (p2.cross(n1) + n2.cross(p2) * d) / l2;
        let q2 = -(p3.cross(n2) + n1.cross(p3) * d) / l1 - (p4.cross(n1) + n2.cross(p4) * d) / l2;
        [[-q2 - q3 - q4, q2, q3, q4].map(|q| q / sine)]
    }

    fn compliance(&self) -> SMatrix<f64, 1, 1> {
        SMatrix::<f64, 1, 1>::new(self.compliance)
    }

    /// Infinite for an angle that does not change.
    fn stiffness(&self) -> SMatrix<f64, 1, 1> {
        SMatrix::<f64, 1, 1>::new(1.0 / self.compliance)
    }

    fn damping(&self) -> f64 {
        0.0
    }

    /// None: no Newton method uses it.
    fn geometric_stiffness(
        &self,
        _x: &[DVec3; 4],
        _stress: &SVector<f64, 1>,
        _curvature: Curvature,
    ) -> Option<[[DMat3; 4]; 4]> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::hinge::tests::{example, folded};
    use crate::block::testing::{assert_gradients_sum_to_zero, assert_jacobian};
    use crate::block::{Hinge, UpdateStep, block_update};
    use std::f64::consts::PI;

    fn dihedral(rest_angle: f64) -> Dihedral {
        Dihedral { vertices: [0, 1, 2, 3].map(VertexIndex), rest_angle, compliance: 0.0 }
    }

    /// Ten rigid projections of four equal masses; the fold that they end with, with its sign \[rad\].
    fn projected(block: &impl Block<1, 4>, mut x: [DVec3; 4]) -> f64 {
        let zero = SVector::<f64, 1>::zeros();
        for _ in 0..10 {
            let step = UpdateStep { h: 1.0, lambda: zero, start: zero };
            let (_, moved) = block_update(block, &x, &[1.0; 4], &step);
            x.iter_mut().zip(moved).for_each(|(x, moved)| *x += moved);
        }
        Hinge::wrapped_angle(&x)
    }

    #[test]
    fn jacobian_agrees_with_finite_differences_away_from_flat() {
        let block = dihedral(2.0);
        for angle in [-2.5, -0.7, 0.4, 1.5, 2.9] {
            assert_jacobian(&block, folded(angle));
            assert_gradients_sum_to_zero(&block, folded(angle));
            let measured = block.constraint(&folded(angle))[0] + 2.0;
            assert!((measured - (PI - angle.abs())).abs() < 1e-14, "{angle}: {measured}");
        }
    }

    #[test]
    fn the_sign_of_the_fold_is_lost_and_the_hinge_keeps_it() {
        let side = Hinge::wrapped_angle(&folded(0.3)).signum();
        let (unsigned, signed) = (dihedral(PI - 0.3), Hinge { rest_angle: 0.3 * side, ..rigid_hinge() });
        assert!((unsigned.constraint(&folded(0.3)) - unsigned.constraint(&folded(-0.3))).norm() < 1e-14);
        // Pushed a little to the wrong side, one stays there and the other goes back.
        assert!((projected(&unsigned, folded(-0.1)) + 0.3 * side).abs() < 1e-6);
        assert!((projected(&signed, folded(-0.1)) - 0.3 * side).abs() < 1e-6);
    }

    #[test]
    fn it_is_singular_where_it_is_flat_and_the_hinge_is_not() {
        let (flat, nearly) = (folded(0.0), folded(1e-9));
        let block = dihedral(PI - 0.3);
        assert_eq!(block.jacobian(&flat), [[DVec3::ZERO; 4]], "it asks for a fold, but has no direction");
        // A fold of 1e-9 is not seen at all, the angle of the hinge has all digits.
        assert_eq!(block.constraint(&nearly), block.constraint(&flat));
        assert!((Hinge::wrapped_angle(&nearly).abs() - 1e-9).abs() < 1e-20);
        assert_jacobian(&rigid_hinge(), flat);
    }

    /// A hinge so stiff that a projection is rigid.
    fn rigid_hinge() -> Hinge {
        Hinge { stiffness: 1e30, rest_angle: 0.0, ..example() }
    }
}
