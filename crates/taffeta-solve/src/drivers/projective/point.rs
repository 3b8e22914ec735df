//! Constraints of single vertices: a place, and a half space.

use super::constraint::Constraint;
use glam::DVec3;
use taffeta_core::VertexIndex;

/// Pulls a vertex to a place (Bouaziz et al. 2014, section 5.4). Pins that hold exactly are not constraints, but leave the
/// system: see [`super::ProjectiveProblem`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Position {
    /// The vertex.
    pub vertex: VertexIndex,
    /// The place \[m\].
    pub target: DVec3,
    /// Stiffness `w` \[N/m\].
    pub weight: f64,
}

impl Constraint<1, 1> for Position {
    fn vertices(&self) -> [VertexIndex; 1] {
        [self.vertex]
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn map(&self) -> [[f64; 1]; 1] {
        [[1.0]]
    }

    fn project(&mut self, _: &[DVec3; 1]) -> [DVec3; 1] {
        [self.target]
    }
}

/// Keeps a vertex on one side of a plane, `n · x ≥ d` (Bouaziz et al. 2014, section 5.4: a collision). Within the half space
/// the projection is the vertex itself: no force, but the iterations move it more slowly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    /// The vertex.
    pub vertex: VertexIndex,
    /// The unit normal `n`, into the half space.
    pub normal: DVec3,
    /// `d` \[m\].
    pub offset: f64,
    /// Stiffness `w` \[N/m\].
    pub weight: f64,
}

impl Constraint<1, 1> for HalfSpace {
    fn vertices(&self) -> [VertexIndex; 1] {
        [self.vertex]
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn map(&self) -> [[f64; 1]; 1] {
        [[1.0]]
    }

    fn project(&mut self, z: &[DVec3; 1]) -> [DVec3; 1] {
        [z[0] + self.normal * (self.offset - self.normal.dot(z[0])).max(0.0)]
    }
}
