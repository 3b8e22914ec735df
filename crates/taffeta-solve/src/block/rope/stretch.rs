//! Stretch of a segment of a rope: `C = √L (l/L − 1)`, `α = 1/EA`.
//!
//! The energy is `½ EA (l/L − 1)² L`. With the volume `V = A L` and Young's modulus this is `√V (l/L − 1)`; the cross
//! section cancels against the modulus, as the thickness of a sheet does.

use crate::block::{Block, Curvature, Jacobian};
use crate::matrices::outer;
use glam::{DMat3, DVec3};
use nalgebra::{SMatrix, Vector1};
use taffeta_core::VertexIndex;

/// The stretch block of a segment.
#[derive(Clone, Debug)]
pub struct RopeStretch {
    /// The ends of the segment.
    pub vertices: [VertexIndex; 2],
    /// Rest length `L` \[m\].
    pub length: f64,
    /// Axial stiffness `EA` \[N\].
    pub stiffness: f64,
    /// Damping time constant \[s\].
    pub damping: f64,
}

impl RopeStretch {
    /// The strain `l/L − 1`.
    pub fn strain(&self, x: &[DVec3; 2]) -> f64 {
        x[0].distance(x[1]) / self.length - 1.0
    }
}

impl Block<1, 2> for RopeStretch {
    fn vertices(&self) -> [VertexIndex; 2] {
        self.vertices
    }

    fn constraint(&self, x: &[DVec3; 2]) -> Vector1<f64> {
        Vector1::new(self.length.sqrt() * self.strain(x))
    }

    /// Zero where the ends coincide: there is no direction.
    fn jacobian(&self, x: &[DVec3; 2]) -> Jacobian<1, 2> {
        let direction = (x[1] - x[0]).normalize_or_zero() / self.length.sqrt();
        [[-direction, direction]]
    }

    fn stiffness(&self) -> SMatrix<f64, 1, 1> {
        SMatrix::<f64, 1, 1>::new(self.stiffness)
    }

    fn damping(&self) -> f64 {
        self.damping
    }

    /// `s (I − d dᵀ)/(√L l)`: the tension turns with the segment. Compression would buckle it and is clamped.
    fn geometric_stiffness(
        &self,
        x: &[DVec3; 2],
        stress: &Vector1<f64>,
        curvature: Curvature,
    ) -> Option<[[DMat3; 2]; 2]> {
        let (along, l) = ((x[1] - x[0]).normalize_or_zero(), x[0].distance(x[1]));
        let stress = match curvature {
            Curvature::Exact => stress[0],
            Curvature::Clamped => stress[0].max(0.0),
        };
        if l == 0.0 || stress == 0.0 {
            return None;
        }
        let across = DMat3::IDENTITY - outer(along, along);
        let own = across * (stress / (self.length.sqrt() * l));
        Some([[own, -own], [-own, own]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::{assert_gradients_sum_to_zero, assert_hessian, assert_jacobian};

    fn example() -> RopeStretch {
        RopeStretch { vertices: [0, 1].map(VertexIndex), length: 0.3, stiffness: 40.0, damping: 0.0 }
    }

    const X: [DVec3; 2] = [DVec3::new(0.1, 0.2, -0.1), DVec3::new(0.4, -0.1, 0.2)];

    #[test]
    fn derivatives_agree_with_finite_differences() {
        assert_jacobian(&example(), X);
        assert_gradients_sum_to_zero(&example(), X);
        assert_hessian(&example(), X);
        assert_hessian(&example(), [X[0], X[0] + 0.2 * (X[1] - X[0])]);
    }

    #[test]
    fn halving_a_segment_leaves_the_energy() {
        let whole = example().energy(&X);
        let half = RopeStretch { length: 0.15, ..example() };
        let middle = 0.5 * (X[0] + X[1]);
        let halves = half.energy(&[X[0], middle]) + half.energy(&[middle, X[1]]);
        assert!((halves / whole - 1.0).abs() < 1e-13);
        let strain = 0.27_f64.sqrt() / 0.3 - 1.0;
        assert!((whole / (0.5 * 40.0 * strain * strain * 0.3) - 1.0).abs() < 1e-13);
    }
}
