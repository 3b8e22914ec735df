//! Strain and volume of a tetrahedron.

use super::constraint::Constraint;
use super::singular::{SignedSingularValues, clamp_product};
use crate::block::Tetrahedron;
use glam::{DMat3, DVec3};
use taffeta_core::VertexIndex;

/// The measure of a tetrahedron that a constraint keeps within limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TetrahedronMeasure {
    /// The singular values of the deformation gradient `F` (Bouaziz et al. 2014, section 5.1). A tetrahedron that is inside
    /// out has a negative singular value, and is turned back.
    Strain,
    /// The volume relative to that at rest, the determinant of `F` (section 5.2). It does not resist changes of shape.
    Volume,
}

/// Keeps a measure of a tetrahedron within limits, `w = k V`.
#[derive(Clone, Debug)]
pub struct TetrahedronLimits {
    /// The tetrahedron.
    pub rest: Tetrahedron,
    /// Measure that is limited.
    pub measure: TetrahedronMeasure,
    /// The limits, greater than 0.
    pub limits: [f64; 2],
    /// `w = k V` \[J\].
    pub weight: f64,
}

impl Constraint<3, 4> for TetrahedronLimits {
    fn vertices(&self) -> [VertexIndex; 4] {
        self.rest.vertices
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    /// `F` as a linear function of the corners, a row for each of its columns.
    fn map(&self) -> [[f64; 4]; 3] {
        std::array::from_fn(|r| self.rest.gradients.map(|g| g[r]))
    }

    fn project(&self, z: &[DVec3; 3]) -> [DVec3; 3] {
        let values = SignedSingularValues::of(DMat3::from_cols(z[0], z[1], z[2]));
        let [low, high] = self.limits;
        let f = values.with(match self.measure {
            TetrahedronMeasure::Strain => values.sigma.map(|s| s.clamp(low, high)),
            TetrahedronMeasure::Volume => clamp_product(values.sigma, self.limits),
        });
        [f.x_axis, f.y_axis, f.z_axis]
    }
}
