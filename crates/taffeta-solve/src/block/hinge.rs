//! Hinge angle of an inner edge: `C = |e|/√(A₁+A₂) · (θ − θ₀)`, `α = 1/D`.
//!
//! ```text
//!         q              e = q − p;  N₀ = (a−p)×(a−q),  N₁ = (b−q)×(b−p)
//!       / | \
//!      a  e  b           θ = 0 when flat; finite up to ±π
//!       \ | /
//!         p
//! ```
//!
//! Angle and gradients: Bridson et al. 2003. Weight |e|²/A: Grinspun et al. 2003. It is calibrated so that a cylinder on an
//! equilateral mesh has the energy of a plate of stiffness D. The textbook weight 3|e|²/A is three times too stiff.

use super::{Block, Jacobian};
use glam::DVec3;
use nalgebra::{SMatrix, SVector};
use std::f64::consts::TAU;
use taffeta_core::geometry::hinge_angle;
use taffeta_core::{EdgeIndex, VertexIndex};

/// The bending block of an inner edge.
#[derive(Clone, Debug)]
pub struct Hinge {
    /// `p, q, a, b`: the ends of the edge, then the opposite corners; the face of `a` runs along `p → q`.
    pub vertices: [VertexIndex; 4],
    /// `|e|/√(A₁+A₂)` at rest.
    pub scale: f64,
    /// Rest angle `θ₀` \[rad\].
    pub rest_angle: f64,
    /// Plate stiffness `D` \[N·m\].
    pub stiffness: f64,
    /// Damping time constant \[s\].
    pub damping: f64,
    /// Doubled rest areas of the two faces \[m²\], below a thousandth of which the gradients are kept finite.
    pub doubled_areas: [f64; 2],
    /// The edge in dense order.
    pub edge: EdgeIndex,
    /// Angle at the start of the step \[rad\]: the angle is unwrapped against it, so that it never jumps.
    pub reference: f64,
}

/// A world triangle below this part of its rest area is treated as having it: gradients grow as 1/area.
pub(crate) const AREA_FLOOR: f64 = 1e-3;

impl Hinge {
    /// The angle between the two faces \[rad\] in `[−π, π]`.
    pub fn wrapped_angle(x: &[DVec3; 4]) -> f64 {
        hinge_angle(*x)
    }

    /// The angle between the two faces \[rad\], continued from `reference` without jumps.
    pub fn angle(&self, x: &[DVec3; 4]) -> f64 {
        let angle = Self::wrapped_angle(x);
        angle + TAU * ((self.reference - angle) / TAU).round_ties_even()
    }
}

/// No geometric stiffness: the second derivative of the angle is indefinite and large on folds; Gauss-Newton converges without it.
impl Block<1, 4> for Hinge {
    const REMEMBERS: bool = true;

    fn vertices(&self) -> [VertexIndex; 4] {
        self.vertices
    }

    fn constraint(&self, x: &[DVec3; 4]) -> SVector<f64, 1> {
        SVector::<f64, 1>::new(self.scale * (self.angle(x) - self.rest_angle))
    }

    fn jacobian(&self, x: &[DVec3; 4]) -> Jacobian<1, 4> {
        let [p, q, a, b] = *x;
        let (n0, n1) = ((a - p).cross(a - q), (b - q).cross(b - p));
        let floor = self.doubled_areas.map(|area| (AREA_FLOOR * area) * (AREA_FLOOR * area));
        let g0 = n0 * (self.scale / n0.length_squared().max(floor[0]));
        let g1 = n1 * (self.scale / n1.length_squared().max(floor[1]));
        let length = (q - p).length();
        let e = (q - p).normalize_or_zero();
        [[
            g0 * (a - q).dot(e) + g1 * (b - q).dot(e),
            g0 * -(a - p).dot(e) - g1 * (b - p).dot(e),
            g0 * length,
            g1 * length,
        ]]
    }

    fn stiffness(&self) -> SMatrix<f64, 1, 1> {
        SMatrix::<f64, 1, 1>::new(self.stiffness)
    }

    fn damping(&self) -> f64 {
        self.damping
    }

    fn begin_step(&mut self, x: &[DVec3; 4]) {
        self.reference = self.angle(x);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::block::testing::{assert_gradients_sum_to_zero, assert_jacobian};

    pub(crate) fn example() -> Hinge {
        Hinge {
            vertices: [0, 1, 2, 3].map(VertexIndex),
            scale: 1.3,
            rest_angle: 0.2,
            stiffness: 2e-5,
            damping: 0.0,
            doubled_areas: [0.02, 0.03],
            edge: EdgeIndex(0),
            reference: 0.0,
        }
    }

    /// A hinge folded by `angle` about the y axis, with unequal wings.
    pub(crate) fn folded(angle: f64) -> [DVec3; 4] {
        let (s, c) = angle.sin_cos();
        let b = DVec3::new(0.15 * c, 0.12, -0.15 * s);
        [DVec3::ZERO, DVec3::new(0.0, 0.2, 0.0), DVec3::new(-0.1, 0.05, 0.0), b]
    }

    #[test]
    fn angle_is_the_fold() {
        let sign = Hinge::wrapped_angle(&folded(0.5)).signum();
        for k in -31..=31 {
            let angle = f64::from(k) * 0.1;
            let measured = Hinge::wrapped_angle(&folded(angle));
            assert!((measured - sign * angle).abs() < 1e-14, "{angle}: {measured}");
        }
    }

    #[test]
    fn jacobian_agrees_with_finite_differences_at_every_fold() {
        let mut block = example();
        for angle in [-3.1, -1.5, -0.01, 0.0, 0.3, 2.0, 3.0, std::f64::consts::PI] {
            let x = folded(angle);
            block.reference = Hinge::wrapped_angle(&x);
            assert_jacobian(&block, x);
            assert_gradients_sum_to_zero(&block, x);
        }
    }

    #[test]
    fn angle_continues_through_a_full_fold() {
        let mut block = example();
        let sign = Hinge::wrapped_angle(&folded(0.5)).signum();
        for k in 0..50 {
            let angle = f64::from(k) * 0.08;
            let x = folded(angle);
            block.begin_step(&x);
            assert!((block.reference - sign * angle).abs() < 1e-13, "{angle}: {}", block.reference);
        }
    }
}
