//! Grabs as they are described, and what they do to vertices in a substep.

use crate::model::description::body_point::BodyPoint;
use glam::DVec3;
use taffeta_core::VertexIndex;
use taffeta_core::index::DenseIndex;

/// A pull on a material point of a cloth or rope toward a place, for one step. The force is `k (target − point)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grab {
    /// Number of the body: first the cloths, of which the surfaces of solids are the last, then the
    /// [loose bodies](crate::World::loose_bodies), of which ropes can be grabbed.
    pub body: usize,
    /// The material point.
    pub point: BodyPoint,
    /// Radius of the patch around it that shares the force \[m\]: in the chart of its panel, or at time 0 if there are no
    /// material coordinates; along a rope. The patch ends at seams. 0, or less than there are vertices for: the point.
    pub radius: f64,
    /// Point that it is pulled to \[m\].
    pub target: DVec3,
    /// Stiffness of the spring \[N/m\].
    pub stiffness: f64,
}

/// A grab on the present mesh.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GrabbedPatch {
    /// The vertices that carry the grabbed point, with their weights.
    pub point: Vec<(VertexIndex, f64)>,
    /// The vertices that share the force, with their parts of it.
    pub vertices: Vec<(VertexIndex, f64)>,
    pub target: DVec3,
    pub stiffness: f64,
}

/// Effect of all grabs on a vertex in a substep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pull {
    /// The vertex.
    pub vertex: usize,
    /// Stiffness of all its springs together \[N/m\].
    pub stiffness: f64,
    /// Its position without them \[m\].
    pub free: DVec3,
}

impl GrabbedPatch {
    /// Position of the grabbed point \[m\], from the positions of all vertices \[m\].
    pub(crate) fn place(&self, positions: &[DVec3]) -> DVec3 {
        self.point.iter().map(|(vi, weight)| positions[vi.to_usize()] * *weight).sum()
    }

    /// The springs of the patch: vertex, stiffness \[N/m\], and where it is pulled to \[m\], by the positions \[m\] at the
    /// start of the substep.
    pub(crate) fn springs(&self, start: &[DVec3]) -> impl Iterator<Item = (usize, f64, DVec3)> {
        let shift = self.target - self.place(start);
        let spring = move |(vi, weight): &(VertexIndex, f64)| {
            (vi.to_usize(), self.stiffness * weight, start[vi.to_usize()] + shift)
        };
        self.vertices.iter().map(spring)
    }
}
