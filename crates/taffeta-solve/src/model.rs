//! Which blocks a cloth gets.

use crate::material::Material;
use serde::{Deserialize, Serialize};

/// The constraint vector of a triangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum MembraneModel {
    /// Green strain.
    #[default]
    Strain,
    /// Lengths of the three edges, with the same linear elasticity.
    Edges,
}

/// How a cloth resists bending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum BendingModel {
    /// Curvature of each face, with one massless scalar per edge: the same on every triangulation.
    #[default]
    Curvature,
    /// Curvature of each face from the halved angles of its edges.
    Averaged,
    /// Angle between the two faces of an edge.
    Hinge,
    /// Laplacian of the positions, for flat rest shapes that bend without stretching.
    Quadratic,
    /// No bending resistance.
    None,
}

/// Material and choice of blocks of one cloth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClothModel {
    /// The material.
    pub material: Material,
    /// Constraint of a triangle.
    pub membrane: MembraneModel,
    /// Constraint of an inner edge.
    pub bending: BendingModel,
    /// Curvature at rest `κ_uu, κ_vv, κ_uv` \[1/m\], positive for a bowl that opens along the face normals.
    pub rest_curvature: [f64; 3],
}
