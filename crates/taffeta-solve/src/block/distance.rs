//! Length of an edge: `C = l − L`, the distance constraint of position-based dynamics. Müller et al. 2007, eq. 9.
//!
//! A cloth of springs along its edges is a sheet of the stiffness `Eh` \[N/m\] in the mean if each spring has
//! `k = Eh Σ_T A_T / l²` (Van Gelder 1998). The areas are those of the faces on both sides. No choice of springs makes it
//! exact: springs along edges have a Poisson's ratio of their own, 1/3 on equilateral triangles.

use super::{Block, Jacobian};
use glam::DVec3;
use nalgebra::{SMatrix, Vector1};
use taffeta_core::{EdgeIndex, VertexIndex};

/// The distance between two vertices.
#[derive(Clone, Debug)]
pub struct Distance {
    /// The edge in dense order.
    pub edge: EdgeIndex,
    /// The ends of the edge.
    pub vertices: [VertexIndex; 2],
    /// Rest length `L` \[m\].
    pub length: f64,
    /// Compliance \[m/N\]; 0 for an edge that does not stretch.
    pub compliance: f64,
    /// Damping time constant \[s\].
    pub damping: f64,
}

/// The spring constant of an edge \[N/m\] in a sheet of stiffness `stiffness` \[N/m\], for the total area of its faces \[m²\]
/// and its length \[m\]. Van Gelder 1998, eq. 15 without Poisson's ratio.
pub fn spring_constant(stiffness: f64, area: f64, length: f64) -> f64 {
    stiffness * area / (length * length)
}

/// No geometric stiffness: Newton's method takes the lengths of a face together.
impl Block<1, 2> for Distance {
    fn vertices(&self) -> [VertexIndex; 2] {
        self.vertices
    }

    fn constraint(&self, x: &[DVec3; 2]) -> Vector1<f64> {
        Vector1::new(x[0].distance(x[1]) - self.length)
    }

    /// Zero where the ends coincide: there is no direction.
    fn jacobian(&self, x: &[DVec3; 2]) -> Jacobian<1, 2> {
        let direction = (x[1] - x[0]).normalize_or_zero();
        [[-direction, direction]]
    }

    fn compliance(&self) -> SMatrix<f64, 1, 1> {
        SMatrix::<f64, 1, 1>::new(self.compliance)
    }

    /// Infinite for an edge that does not stretch.
    fn stiffness(&self) -> SMatrix<f64, 1, 1> {
        SMatrix::<f64, 1, 1>::new(1.0 / self.compliance)
    }

    fn damping(&self) -> f64 {
        self.damping
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::{assert_gradients_sum_to_zero, assert_jacobian};

    #[test]
    fn jacobian_agrees_with_finite_differences() {
        let block = Distance {
            edge: EdgeIndex(0),
            vertices: [0, 1].map(VertexIndex),
            length: 0.3,
            compliance: 1e-3,
            damping: 0.0,
        };
        let x = [DVec3::new(0.1, 0.2, -0.1), DVec3::new(0.4, -0.1, 0.2)];
        assert_jacobian(&block, x);
        assert_gradients_sum_to_zero(&block, x);
        assert!((block.constraint(&x)[0] - (0.27_f64.sqrt() - 0.3)).abs() < 1e-15);
    }
}
