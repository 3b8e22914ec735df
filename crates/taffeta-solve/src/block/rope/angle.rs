//! Turning angle of a joint of a rope against one at rest: `C = (θ − θ₀)/√L̄`, `α = 1/EI`.
//!
//! There are two forms:
//!
//! * *In space*, for a joint that is curved at rest, `θ = atan2(|a×b|, a·b)` goes from 0 to π. It knows the amount by which
//!   the rope turns but not the direction, which is left to the torsion of its neighbors ([`super::RopeTorsion`]). It has
//!   no gradient where the rope is straight, the ridge between all directions.
//! * *In a plane* with the unit normal `n`, `θ = atan2(n·(a×b), a·b)` has a sign. It goes on through full folds, continued
//!   from its last value like the angle of a hinge, and its gradient is finite everywhere. Motion out of the plane meets no
//!   resistance.

use crate::block::{Block, Jacobian};
use glam::DVec3;
use nalgebra::{SMatrix, SVector};
use std::f64::consts::TAU;
use taffeta_core::VertexIndex;
use taffeta_core::math::atan2;

/// Segments shorter than this part of the joint's length count as having it: gradients grow as 1/length.
const LENGTH_FLOOR: f64 = 1e-3;

/// The turning angle of a joint.
#[derive(Clone, Debug)]
pub struct RopeAngle {
    /// The vertices along the rope.
    pub vertices: [VertexIndex; 3],
    /// `L̄` \[m\]: the length of rope that the joint stands for.
    pub length: f64,
    /// Turning angle at rest `θ₀` \[rad\]; not negative in space.
    pub rest_angle: f64,
    /// Unit normal of the plane in which the angle has a sign; `None`: in space.
    pub plane: Option<DVec3>,
    /// Bending stiffness `EI` \[N·m²\].
    pub stiffness: f64,
    /// Damping time constant \[s\].
    pub damping: f64,
    /// Angle at the start of the step \[rad\]: that in a plane is unwrapped against it.
    pub reference: f64,
}

/// The turning angle of two segments \[rad\]: from −π to π in a plane with the normal `plane`, from 0 to π in space.
pub fn turning_angle(a: DVec3, b: DVec3, plane: Option<DVec3>) -> f64 {
    let cross = a.cross(b);
    atan2(plane.map_or(cross.length(), |n| n.dot(cross)), a.dot(b))
}

impl RopeAngle {
    /// The turning angle \[rad\], continued from `reference` in a plane.
    pub fn angle(&self, x: &[DVec3; 3]) -> f64 {
        let angle = turning_angle(x[1] - x[0], x[2] - x[1], self.plane);
        if self.plane.is_none() {
            return angle;
        }
        angle + TAU * ((self.reference - angle) / TAU).round_ties_even()
    }
}

/// No geometric stiffness: as for hinges, Gauss-Newton converges without the second derivative, which is indefinite.
impl Block<1, 3> for RopeAngle {
    const REMEMBERS: bool = true;

    fn vertices(&self) -> [VertexIndex; 3] {
        self.vertices
    }

    fn constraint(&self, x: &[DVec3; 3]) -> SVector<f64, 1> {
        SVector::<f64, 1>::new((self.angle(x) - self.rest_angle) / self.length.sqrt())
    }

    /// With `S = n·(a×b)` and `D = a·b`: `∇_a θ = (D b×n − S b)/(S² + D²)`, `∇_b θ = (D n×a − S a)/(S² + D²)`; in space `n`
    /// is the direction of `a×b`, zero where the rope is straight.
    fn jacobian(&self, x: &[DVec3; 3]) -> Jacobian<1, 3> {
        let (a, b) = (x[1] - x[0], x[2] - x[1]);
        let normal = self.plane.unwrap_or_else(|| a.cross(b).normalize_or_zero());
        if normal == DVec3::ZERO {
            return [[DVec3::ZERO; 3]];
        }
        let (s, d) = (normal.dot(a.cross(b)), a.dot(b));
        let floor = (LENGTH_FLOOR * self.length) * (LENGTH_FLOOR * self.length);
        let scale = 1.0 / ((s * s + d * d).max(floor * floor) * self.length.sqrt());
        let by_a = (b.cross(normal) * d - b * s) * scale;
        let by_b = (normal.cross(a) * d - a * s) * scale;
        [[-by_a, by_a - by_b, by_b]]
    }

    fn stiffness(&self) -> SMatrix<f64, 1, 1> {
        SMatrix::<f64, 1, 1>::new(self.stiffness)
    }

    fn damping(&self) -> f64 {
        self.damping
    }

    fn begin_step(&mut self, x: &[DVec3; 3]) {
        self.reference = self.angle(x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::rope::bend::tests::turned;
    use crate::block::testing::{assert_gradients_sum_to_zero, assert_jacobian};

    fn example(plane: Option<DVec3>) -> RopeAngle {
        let vertices = [0, 1, 2].map(VertexIndex);
        RopeAngle {
            vertices,
            length: 0.15,
            rest_angle: 0.4,
            plane,
            stiffness: 2e-3,
            damping: 0.0,
            reference: 0.0,
        }
    }

    fn plane_of_turn() -> DVec3 {
        let [x, y, z] = turned(1.0);
        (y - x).cross(z - y).normalize()
    }

    #[test]
    fn the_angle_is_the_turn_and_goes_on_through_a_full_fold() {
        let mut planar = example(Some(plane_of_turn()));
        for k in -60..=60 {
            let angle = 0.1 * f64::from(k);
            planar.reference = angle + 0.3;
            assert!((planar.angle(&turned(angle)) - angle).abs() < 1e-13, "{angle}");
        }
        assert!((example(None).angle(&turned(-0.7)) - 0.7).abs() < 1e-13);
    }

    #[test]
    fn jacobian_agrees_with_finite_differences() {
        for angle in [-3.1, -1.0, 0.0, 1e-3, 0.4, 2.0, 3.1, std::f64::consts::PI] {
            let block = RopeAngle { reference: angle, ..example(Some(plane_of_turn())) };
            assert_jacobian(&block, turned(angle));
            assert_gradients_sum_to_zero(&block, turned(angle));
        }
        for angle in [0.05, 0.4, 2.0, 3.0] {
            assert_jacobian(&example(None), turned(angle));
        }
        // Out of the plane as well.
        let mut x = turned(0.8);
        x[2] += DVec3::new(0.02, 0.05, 0.03);
        assert_jacobian(&example(Some(plane_of_turn())), x);
        let straight = [0.0, 0.1, 0.3].map(|s| DVec3::X * s);
        assert_eq!(example(None).jacobian(&straight), [[DVec3::ZERO; 3]]);
    }
}
