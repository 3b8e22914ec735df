//! Bending of a joint of a rope that is straight at rest: `C = κb/√L̄`, `α = 1/EI`.
//!
//! ```text
//!   0 ── a ──► 1 ── b ──► 2        κb = 2 a×b / (|a||b| + a·b),   |κb| = 2 tan(θ/2),   L̄ = (L_a + L_b)/2
//! ```
//!
//! The curvature binormal of discrete elastic rods (Bergou et al. 2008, eq. 1) as a vector: smooth where the rope is
//! straight, at which the turning angle `θ` has no gradient, blind to twist, and ever stiffer towards a full fold. The
//! energy `½ EI |κb|²/L̄` is `½ EI θ²/L̄` up to a part θ²/6. A turning angle is not a strain: it is divided by the root of
//! the length, and not multiplied.

use crate::block::{Block, Jacobian};
use crate::matrices::{cross_matrix, outer};
use glam::{DMat3, DVec3};
use nalgebra::{Matrix3, Vector3};
use taffeta_core::VertexIndex;

/// `1 + cos θ` is kept above this: at a full fold the binormal has no limit.
const LEAST_OPENING: f64 = 1e-6;

/// The bending block of a joint that is straight at rest.
#[derive(Clone, Debug)]
pub struct RopeBend {
    /// The vertices along the rope.
    pub vertices: [VertexIndex; 3],
    /// `L̄` \[m\]: the length of rope that the joint stands for.
    pub length: f64,
    /// Bending stiffness `EI` \[N·m²\].
    pub stiffness: f64,
    /// Damping time constant \[s\].
    pub damping: f64,
}

/// The curvature binormal of two segments with its derivatives by them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binormal {
    /// `κb`.
    pub value: DVec3,
    /// `∂κb/∂a` and `∂κb/∂b` \[1/m\].
    pub by_segments: [DMat3; 2],
}

/// The derivative of the unit vector along `a` by `a`, with that unit vector \[1/m\]; zero where there is no direction.
pub(crate) fn direction(a: DVec3) -> (DVec3, DMat3) {
    let length = a.length();
    if length == 0.0 {
        return (DVec3::ZERO, DMat3::ZERO);
    }
    let t = a / length;
    (t, (DMat3::IDENTITY - outer(t, t)) * (1.0 / length))
}

impl Binormal {
    /// Of two segments \[m\].
    pub(crate) fn new(a: DVec3, b: DVec3) -> Self {
        let ((s, by_a), (t, by_b)) = (direction(a), direction(b));
        let opening = (1.0 + s.dot(t)).max(LEAST_OPENING);
        let value = s.cross(t) * (2.0 / opening);
        // d κb = 2 (ds×t + s×dt)/χ − κb (ds·t + s·dt)/χ with χ = 1 + s·t.
        let by_s = (cross_matrix(t) * -2.0 - outer(value, t)) * (1.0 / opening);
        let by_t = (cross_matrix(s) * 2.0 - outer(value, s)) * (1.0 / opening);
        Self { value, by_segments: [by_s * by_a, by_t * by_b] }
    }
}

/// The rows of `∂C/∂x` for the derivatives of a vector by the segments between consecutive vertices.
pub(crate) fn chain_rows<const V: usize>(by_segments: &[DMat3], scale: f64) -> Jacobian<3, V> {
    let mut rows = [[DVec3::ZERO; V]; 3];
    for (segment, matrix) in by_segments.iter().enumerate() {
        for (r, row) in rows.iter_mut().enumerate() {
            let gradient = matrix.row(r) * scale;
            row[segment] -= gradient;
            row[segment + 1] += gradient;
        }
    }
    rows
}

/// No geometric stiffness: Gauss-Newton converges fast without the second derivative, which is indefinite.
impl Block<3, 3> for RopeBend {
    fn vertices(&self) -> [VertexIndex; 3] {
        self.vertices
    }

    fn constraint(&self, x: &[DVec3; 3]) -> Vector3<f64> {
        let binormal = Binormal::new(x[1] - x[0], x[2] - x[1]).value / self.length.sqrt();
        Vector3::new(binormal.x, binormal.y, binormal.z)
    }

    fn jacobian(&self, x: &[DVec3; 3]) -> Jacobian<3, 3> {
        let binormal = Binormal::new(x[1] - x[0], x[2] - x[1]);
        chain_rows(&binormal.by_segments, 1.0 / self.length.sqrt())
    }

    fn stiffness(&self) -> Matrix3<f64> {
        Matrix3::from_diagonal_element(self.stiffness)
    }

    fn damping(&self) -> f64 {
        self.damping
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::block::testing::{assert_gradients_sum_to_zero, assert_jacobian};

    fn example() -> RopeBend {
        RopeBend { vertices: [0, 1, 2].map(VertexIndex), length: 0.15, stiffness: 2e-3, damping: 0.0 }
    }

    /// A joint of unequal segments that turns by `angle` in an inclined plane.
    pub(crate) fn turned(angle: f64) -> [DVec3; 3] {
        let (s, c) = (angle.sin(), angle.cos());
        let u = DVec3::new(1.0, 2.0, -1.0).normalize();
        let v = u.any_orthonormal_vector();
        let x = DVec3::new(0.3, -0.2, 0.1);
        [x - u * 0.1, x, x + (u * c + v * s) * 0.2]
    }

    #[test]
    fn the_binormal_is_twice_the_tangent_of_half_the_angle() {
        for angle in [-2.5, -1.0, -1e-3, 0.0, 0.2, 1.7, 3.0_f64] {
            let c = example().constraint(&turned(angle)).norm() * 0.15_f64.sqrt();
            assert!((c - 2.0 * (0.5 * angle).tan().abs()).abs() < 1e-12 * (1.0 + c), "{angle}: {c}");
        }
    }

    #[test]
    fn jacobian_agrees_with_finite_differences_straight_and_folded() {
        for angle in [-2.0, -0.5, 0.0, 1e-4, 1.0, 2.8] {
            assert_jacobian(&example(), turned(angle));
            assert_gradients_sum_to_zero(&example(), turned(angle));
        }
    }

    /// A circle of many segments has the energy `½ EI κ² · length`, whatever their number.
    #[test]
    fn a_circle_has_the_energy_of_its_curvature() {
        let energy = |n: u32| {
            let step = std::f64::consts::TAU / f64::from(n);
            let length = 2.0 * 0.5 * (0.5 * step).sin();
            let at = |i: u32| {
                let angle = step * f64::from(i);
                DVec3::new(0.5 * angle.cos(), 0.5 * angle.sin(), 0.0)
            };
            let block = RopeBend { length, ..example() };
            f64::from(n) * block.energy(&[at(0), at(1), at(2)])
        };
        let exact = 0.5 * 2e-3 * 4.0 * std::f64::consts::TAU * 0.5;
        let errors = [40, 80].map(|n| (energy(n) / exact - 1.0).abs());
        assert!(errors[0] < 6e-3 && errors[1] < 0.26 * errors[0], "{errors:?}");
    }
}
