//! The published bending of a planar rope: `C = acos(d) − φ₀`, `d = p̂₁·p̂₂`, the angle at a vertex between its neighbors.
//!
//! Three-point rope bending of position-based dynamics. The angle between two directions is the same for a left and a right
//! turn. So a rope that is to rest at a turn also rests at the mirrored one, and joints flip into zig-zags. The remedy for
//! planar ropes is to tell the two apart by the sign of `x₁y₂ − y₁x₂`. Where it is positive, `C = 2π − acos(d) − φ₀` and
//! the gradient changes sign. The block is kept to show both; [`super::RopeAngle`] does the same in one expression without
//! the singularity at straight.

use crate::block::{Block, Jacobian};
use glam::DVec3;
use nalgebra::{SMatrix, SVector};
use std::f64::consts::{PI, TAU};
use taffeta_core::VertexIndex;
use taffeta_core::math::atan2;

/// `√(1 − d²)` is kept above this: the gradient of `acos` is singular at straight and at a full fold.
const LEAST_SINE: f64 = 1e-6;

/// The angle of a joint as published.
#[derive(Clone, Debug)]
pub struct AcosAngle {
    /// The vertices along the rope: `p₁, p₀, p₂`.
    pub vertices: [VertexIndex; 3],
    /// `L̄` \[m\]: the length of rope that the joint stands for.
    pub length: f64,
    /// Turning angle at rest \[rad\] about the normal of the plane; the angle between the neighbors is `φ₀ = π − θ₀`.
    pub rest_angle: f64,
    /// Unit normal of the plane.
    pub plane: DVec3,
    /// True if left and right turns are told apart.
    pub has_remedy: bool,
    /// Bending stiffness `EI` \[N·m²\].
    pub stiffness: f64,
    /// Damping time constant \[s\].
    pub damping: f64,
}

impl AcosAngle {
    /// `acos(d)` with the directions to the neighbors and the side to which they lie: 1 or, under the remedy, −1.
    fn measure(&self, x: &[DVec3; 3]) -> (f64, [DVec3; 2], f64) {
        let to = [x[0] - x[1], x[2] - x[1]];
        let [p, q] = to.map(|edge| edge.normalize_or_zero());
        // acos(d) for |d| ≤ 1, from functions whose bits are the same everywhere.
        let d = p.dot(q).clamp(-1.0, 1.0);
        let angle = atan2((1.0 - d * d).sqrt(), d);
        let is_mirrored = self.has_remedy && self.plane.dot(p.cross(q)) > 0.0;
        (angle, to, if is_mirrored { -1.0 } else { 1.0 })
    }
}

/// No geometric stiffness, as for [`super::RopeAngle`].
impl Block<1, 3> for AcosAngle {
    fn vertices(&self) -> [VertexIndex; 3] {
        self.vertices
    }

    fn constraint(&self, x: &[DVec3; 3]) -> SVector<f64, 1> {
        let (angle, _, side) = self.measure(x);
        let angle = if side < 0.0 { TAU - angle } else { angle };
        // Without the remedy a turn has no sign, and neither has that at rest.
        let rest = if self.has_remedy { self.rest_angle } else { self.rest_angle.abs() };
        SVector::<f64, 1>::new((angle - (PI - rest)) / self.length.sqrt())
    }

    fn jacobian(&self, x: &[DVec3; 3]) -> Jacobian<1, 3> {
        let (_, to, side) = self.measure(x);
        let [p, q] = to.map(|edge| edge.normalize_or_zero());
        let d = p.dot(q);
        // ∇_p acos(d) = −(q − d p)/(|p| sin).
        let scale = -side / ((1.0 - d * d).max(0.0).sqrt().max(LEAST_SINE) * self.length.sqrt());
        let floor = LEAST_SINE * self.length;
        let first = (q - p * d) * (scale / to[0].length().max(floor));
        let last = (p - q * d) * (scale / to[1].length().max(floor));
        [[first, -first - last, last]]
    }

    fn stiffness(&self) -> SMatrix<f64, 1, 1> {
        SMatrix::<f64, 1, 1>::new(self.stiffness)
    }

    fn damping(&self) -> f64 {
        self.damping
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::RopeAngle;
    use crate::block::rope::bend::tests::turned;
    use crate::block::testing::{assert_gradients_sum_to_zero, assert_jacobian};

    fn example(has_remedy: bool) -> AcosAngle {
        let [x, y, z] = turned(1.0);
        let plane = (y - x).cross(z - y).normalize();
        let vertices = [0, 1, 2].map(VertexIndex);
        AcosAngle {
            vertices,
            length: 0.15,
            rest_angle: 0.4,
            plane,
            has_remedy,
            stiffness: 2e-3,
            damping: 0.0,
        }
    }

    #[test]
    fn jacobian_agrees_with_finite_differences_away_from_straight() {
        for has_remedy in [true, false] {
            for angle in [-2.5, -1.0, -0.1, 0.1, 0.4, 2.0] {
                assert_jacobian(&example(has_remedy), turned(angle));
                assert_gradients_sum_to_zero(&example(has_remedy), turned(angle));
            }
        }
    }

    /// With the remedy it is the signed turning angle; without, a mirrored turn looks like the turn at rest.
    #[test]
    fn only_the_remedy_tells_a_turn_from_its_mirror_image() {
        let (with, without) = (example(true), example(false));
        for angle in [-1.2, -0.4, 0.2, 0.9] {
            let signed = RopeAngle {
                vertices: with.vertices,
                length: with.length,
                rest_angle: with.rest_angle,
                plane: Some(with.plane),
                stiffness: with.stiffness,
                damping: 0.0,
                reference: 0.0,
            };
            let x = turned(angle);
            assert!((with.constraint(&x)[0].abs() - signed.constraint(&x)[0].abs()).abs() < 1e-12, "{angle}");
            assert!((with.energy(&x) - signed.energy(&x)).abs() < 1e-15);
        }
        assert!(without.energy(&turned(-0.4)) < 1e-20 && without.energy(&turned(0.4)) < 1e-20);
        assert!(with.energy(&turned(-0.4)) > 1e-3 * with.stiffness);
    }
}
