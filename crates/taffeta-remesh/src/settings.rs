//! What the user asks of the remesher.

use serde::{Deserialize, Serialize};

/// Limits and thresholds of remeshing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RemeshSettings {
    /// Smallest edge length \[m\], in material space.
    pub size_min: f64,
    /// Largest edge length \[m\], in material space.
    pub size_max: f64,
    /// Angle between the normals at the ends of an edge that is fine enough \[rad\].
    pub refine_angle: f64,
    /// Change of the strain's norm along an edge that is fine enough.
    pub refine_strain: f64,
    /// Frames between two passes, at least 1.
    pub interval: u32,
    /// No split is made beyond this number of vertices of the cloth.
    pub max_vertices: usize,
}

impl Default for RemeshSettings {
    fn default() -> Self {
        Self {
            size_min: 0.005,
            size_max: 0.10,
            refine_angle: 0.25,
            refine_strain: 0.05,
            interval: 1,
            max_vertices: 200_000,
        }
    }
}
