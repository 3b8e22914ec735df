//! Torsion of a rope that is curled at rest: whether the curvatures of two neighboring joints point as they do at rest.
//!
//! ```text
//!   0 ── a ──► 1 ── b ──► 2 ── c ──► 3      u = κb at 1,  v = κb at 2,  both across b
//!
//!   C = (ū v − v̄ R u) / (√L r²)             R turns about b by the angle φ₀ between u and v at rest
//! ```
//!
//! with the sizes `ū`, `v̄` at rest and `r` the larger of them. Near the shape at rest `|C|` is `(φ − φ₀)/√L`, so that
//! the energy is that of a torsion: `½ T (φ − φ₀)²/L` with the stiffness `T`. The curvature binormals (Bergou et al. 2008)
//! vanish where the rope is pulled straight and `C` with them: unlike the angle `φ` itself it has no singularity there. The
//! turning angles alone ([`super::RopeAngle`]) keep the curvature of a helix, and this keeps its pitch.

use super::bend::{Binormal, chain_rows, direction};
use crate::block::{Block, Jacobian};
use crate::matrices::cross_matrix;
use glam::{DMat3, DVec3};
use nalgebra::{Matrix3, Vector3};
use taffeta_core::{VertexIndex, math};

/// Turning below which a joint at rest counts as straight \[rad\]: round-off has no direction.
pub const LEAST_TURN: f64 = 1e-6;
/// Size of the curvature at rest below which torsion fades \[rad\]. A displacement turns a slight bend by an angle that
/// grows without bound as the bend goes to zero. The stiffness grows with it.
const SLIGHT_TURN: f64 = 1e-2;

/// The torsion block of an inner segment between two joints that are curved at rest.
#[derive(Clone, Debug)]
pub struct RopeTorsion {
    /// The vertices along the rope.
    pub vertices: [VertexIndex; 4],
    /// Sizes of the curvature binormals at rest, over `√L r²`.
    weights: [f64; 2],
    /// Cosine and sine of `φ₀`.
    turn: [f64; 2],
    /// Stiffness of torsion \[N·m²\].
    pub stiffness: f64,
    /// Damping time constant \[s\].
    pub damping: f64,
}

impl RopeTorsion {
    /// The block that rests at the given points \[m\]; `None` if a joint is straight there.
    pub fn new(vertices: [VertexIndex; 4], rest: [DVec3; 4], stiffness: f64, damping: f64) -> Option<Self> {
        let [a, b, c] = [rest[1] - rest[0], rest[2] - rest[1], rest[3] - rest[2]];
        let (u, v) = (Binormal::new(a, b).value, Binormal::new(b, c).value);
        let sizes = [v.length(), u.length()];
        if sizes.iter().any(|size| *size < LEAST_TURN) {
            return None;
        }
        let angle = math::atan2(b.normalize_or_zero().dot(u.cross(v)), u.dot(v));
        let reference = sizes[0].max(sizes[1]).max(SLIGHT_TURN);
        let scale = 1.0 / (b.length().sqrt() * reference * reference);
        // What is v at rest is weighed by u, and the other way.
        let weights = [sizes[0] * scale, sizes[1] * scale];
        let (sine, cosine) = math::sin_cos(angle);
        Some(Self { vertices, weights, turn: [cosine, sine], stiffness, damping })
    }
}

fn segments(x: &[DVec3; 4]) -> [DVec3; 3] {
    [x[1] - x[0], x[2] - x[1], x[3] - x[2]]
}

/// No geometric stiffness, as for [`super::RopeBend`].
impl Block<3, 4> for RopeTorsion {
    fn vertices(&self) -> [VertexIndex; 4] {
        self.vertices
    }

    fn constraint(&self, x: &[DVec3; 4]) -> Vector3<f64> {
        let [a, b, c] = segments(x);
        let (u, v) = (Binormal::new(a, b).value, Binormal::new(b, c).value);
        let turned = u * self.turn[0] + b.normalize_or_zero().cross(u) * self.turn[1];
        let c = v * self.weights[1] - turned * self.weights[0];
        Vector3::new(c.x, c.y, c.z)
    }

    fn jacobian(&self, x: &[DVec3; 4]) -> Jacobian<3, 4> {
        let [a, b, c] = segments(x);
        let (u, v) = (Binormal::new(a, b), Binormal::new(b, c));
        let (t, by_b) = direction(b);
        // R u = cos u + sin t×u, and d(t×u) = −u×dt + t×du.
        let turn = DMat3::IDENTITY * self.turn[0] + cross_matrix(t) * self.turn[1];
        let [own, other] = self.weights;
        let by_first = turn * u.by_segments[0] * -own;
        let swung = cross_matrix(u.value) * by_b * -self.turn[1];
        let by_middle = v.by_segments[0] * other - (turn * u.by_segments[1] + swung) * own;
        let by_last = v.by_segments[1] * other;
        chain_rows(&[by_first, by_middle, by_last], 1.0)
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
    use crate::block::testing::{assert_gradients_sum_to_zero, assert_jacobian};

    const REST: [DVec3; 4] = [
        DVec3::new(0.0, 0.0, 0.0),
        DVec3::new(0.1, 0.01, 0.0),
        DVec3::new(0.19, 0.05, 0.02),
        DVec3::new(0.24, 0.13, 0.06),
    ];

    fn example() -> RopeTorsion {
        RopeTorsion::new([0, 1, 2, 3].map(VertexIndex), REST, 2e-3, 0.0).expect("it is curled")
    }

    #[test]
    fn it_rests_at_rest_wherever_that_is() {
        let turn = glam::DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 1.1);
        let moved = REST.map(|x| turn * x + DVec3::new(0.3, -2.0, 1.0));
        assert!(example().constraint(&REST).norm() < 1e-14);
        assert!(example().constraint(&moved).norm() < 1e-12);
    }

    #[test]
    fn jacobian_agrees_with_finite_differences_curled_straight_and_mirrored() {
        let straight = [0.0, 0.1, 0.2, 0.3].map(|s| DVec3::new(s, 0.2 * s, -0.1 * s));
        let mirrored = REST.map(|x| DVec3::new(x.x, x.y, -x.z));
        for x in [REST, straight, mirrored] {
            assert_jacobian(&example(), x);
            assert_gradients_sum_to_zero(&example(), x);
        }
    }

    /// The last segment turned about the middle one by δ: the energy is `½ T δ²/L` if both joints turn alike.
    #[test]
    fn a_small_twist_has_the_energy_of_a_torsion() {
        let b = DVec3::X * 0.1;
        let start = [DVec3::new(-0.08, 0.03, 0.0), DVec3::ZERO, b, b + DVec3::new(0.08, 0.03, 0.0)];
        let block = RopeTorsion::new([0, 1, 2, 3].map(VertexIndex), start, 2e-3, 0.0).unwrap();
        let delta = 1e-3_f64;
        let mut x = start;
        x[3] = b + DVec3::new(0.08, 0.03 * delta.cos(), 0.03 * delta.sin());
        let exact = 0.5 * 2e-3 * delta * delta / 0.1;
        assert!((block.energy(&x) / exact - 1.0).abs() < 1e-5, "{} of {exact}", block.energy(&x));
    }

    #[test]
    fn straight_joints_have_no_torsion() {
        let straight = [0.0, 0.1, 0.2, 0.3].map(|s| DVec3::new(s, 0.0, 0.0));
        assert!(RopeTorsion::new([0, 1, 2, 3].map(VertexIndex), straight, 2e-3, 0.0).is_none());
    }
}
