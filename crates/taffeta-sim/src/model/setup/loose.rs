//! Loose vertices and the bodies that they make up: points of ropes, insides of solids.

use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use taffeta_contact::ContactSurface;
use taffeta_remesh::Hold;
use taffeta_solve::RopeModel;

/// A vertex that belongs to no face.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LooseVertex {
    /// The number of its loose body.
    pub body: u32,
    /// Mass \[kg\].
    pub mass: f64,
    /// World position \[m\].
    pub position: DVec3,
    /// World velocity \[m/s\].
    pub velocity: DVec3,
    /// World position at time 0 \[m\].
    pub start: DVec3,
    /// Position in the rest shape \[m\].
    pub layout: DVec3,
    /// Hold of a pin on the vertex; `None`: it is free.
    pub hold: Option<Hold>,
    /// Turning angle of a rope in a plane when it was last measured \[rad\]; new angles are unwrapped against it.
    pub angle: f64,
}

/// A body of loose vertices in a world.
#[derive(Clone, Debug, PartialEq)]
pub struct LooseBody {
    /// Its name.
    pub name: String,
    /// Contact of its vertices with obstacles.
    pub surface: ContactSurface,
    /// Model that couples the vertices if the body is a rope.
    pub rope: Option<RopeModel>,
    /// Radius of a rope \[m\]; 0 for other bodies.
    pub radius: f64,
}

impl LooseBody {
    /// Range of the visible vertices: all but the guides of a rope.
    pub(crate) fn visible(&self, count: usize) -> Range<usize> {
        self.rope.as_ref().map_or(0..count, RopeModel::visible)
    }
}
