//! Strain and volume of a tetrahedron.

use super::constraint::Constraint;
use super::singular::{SignedSingularValues, clamp_product};
use crate::block::Tetrahedron;
use glam::{DMat3, DVec3};
use taffeta_core::VertexIndex;

/// A tetrahedron with the gradients of its hat functions at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestTetrahedron {
    /// The corners.
    pub vertices: [VertexIndex; 4],
    /// Gradients of the hat functions of the corners at rest \[1/m\]; they add up to zero.
    pub gradients: [DVec3; 4],
    /// Volume at rest \[m³\].
    pub volume: f64,
}

impl RestTetrahedron {
    /// The tetrahedron with the corners `x` at rest \[m\]; `None` if it has no volume. The order of the corners is free.
    pub fn new(vertices: [VertexIndex; 4], x: [DVec3; 4]) -> Option<Self> {
        let frame = DMat3::from_cols(x[1] - x[0], x[2] - x[0], x[3] - x[0]);
        let volume = frame.determinant().abs() / 6.0;
        if !volume.is_finite() || volume <= f64::MIN_POSITIVE {
            return None;
        }
        let rows = frame.inverse().transpose();
        let [b1, b2, b3] = [rows.x_axis, rows.y_axis, rows.z_axis];
        Some(Self { vertices, gradients: [-(b1 + b2 + b3), b1, b2, b3], volume })
    }

    /// `F` as a linear function of the corners, a row for each of its columns.
    pub(super) fn map(&self) -> [[f64; 4]; 3] {
        std::array::from_fn(|r| self.gradients.map(|g| g[r]))
    }

    /// The deformation gradient for corners `x` \[m\].
    pub fn deformation(&self, x: [DVec3; 4]) -> DMat3 {
        let column = |r: usize| x.iter().zip(&self.gradients).map(|(x, g)| *x * g[r]).sum::<DVec3>();
        DMat3::from_cols(column(0), column(1), column(2))
    }
}

impl From<&Tetrahedron> for RestTetrahedron {
    fn from(shape: &Tetrahedron) -> Self {
        Self { vertices: shape.vertices, gradients: shape.gradients, volume: shape.volume }
    }
}

/// The columns of a matrix.
pub(super) fn columns(f: DMat3) -> [DVec3; 3] {
    [f.x_axis, f.y_axis, f.z_axis]
}

/// Keeps the singular values of the deformation gradient `F` of a tetrahedron within limits (Bouaziz et al. 2014, section
/// 5.1), `w = k V`. A tetrahedron that is inside out has a negative singular value, and is turned back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TetrahedronStrain {
    /// The tetrahedron.
    pub rest: RestTetrahedron,
    /// The limits of the singular values, greater than 0.
    pub limits: [f64; 2],
    /// `w = k V` \[J\].
    pub weight: f64,
}

impl Constraint<3, 4> for TetrahedronStrain {
    fn vertices(&self) -> [VertexIndex; 4] {
        self.rest.vertices
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn map(&self) -> [[f64; 4]; 3] {
        self.rest.map()
    }

    fn project(&self, z: &[DVec3; 3]) -> [DVec3; 3] {
        let values = SignedSingularValues::of(DMat3::from_cols(z[0], z[1], z[2]));
        let [low, high] = self.limits;
        columns(values.with(values.sigma.map(|s| s.clamp(low, high))))
    }
}

/// Keeps the volume of a tetrahedron, relative to that at rest, within limits (Bouaziz et al. 2014, section 5.2): the
/// determinant of `F`. It does not resist changes of shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TetrahedronVolume {
    /// The tetrahedron.
    pub rest: RestTetrahedron,
    /// The limits of the volume over that at rest, greater than 0.
    pub limits: [f64; 2],
    /// `w = k V` \[J\].
    pub weight: f64,
}

impl Constraint<3, 4> for TetrahedronVolume {
    fn vertices(&self) -> [VertexIndex; 4] {
        self.rest.vertices
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn map(&self) -> [[f64; 4]; 3] {
        self.rest.map()
    }

    fn project(&self, z: &[DVec3; 3]) -> [DVec3; 3] {
        let values = SignedSingularValues::of(DMat3::from_cols(z[0], z[1], z[2]));
        columns(values.with(clamp_product(values.sigma, self.limits)))
    }
}
