//! Grabs as they are described, and what they do to vertices in a substep.

use glam::DVec3;
use taffeta_core::{IndexVec, VertexIndex};

/// A pull on a material point of a cloth or rope toward a place, for one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grab {
    /// Number of the body: first the cloths, of which the surfaces of solids are the last, then the
    /// [loose bodies](crate::World::loose_bodies), of which ropes can be grabbed.
    pub body: usize,
    /// The material point by its place in the layout of the body \[m\], see [`Sheet::layout`](crate::Sheet::layout): its
    /// material coordinates and 0, or where it was at time 0 if no single chart lays out the cloth, and of ropes. A point off
    /// the layout is taken to the nearest one on it. It names the same point of the cloth after remeshing.
    pub point: DVec3,
    /// Radius of the patch around it that is held, in the layout \[m\], of a rope along it; 0, or less than there are vertices
    /// for: the point.
    pub radius: f64,
    /// Where it is pulled to \[m\].
    pub target: DVec3,
    /// Stiffness of the spring \[N/m\].
    pub stiffness: f64,
}

/// A grab on the present mesh.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GrabbedPatch {
    /// Vertices with their weights.
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
    /// Where it would go without them \[m\].
    pub free: DVec3,
}

impl GrabbedPatch {
    /// Where the middle of what is held is \[m\].
    pub(crate) fn middle(&self, positions: &IndexVec<VertexIndex, DVec3>) -> DVec3 {
        self.vertices.iter().map(|(vi, weight)| positions[*vi] * *weight).sum()
    }
}
