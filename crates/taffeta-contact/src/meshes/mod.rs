//! Obstacles made of triangles, and the room between their parts.

pub mod mesh_obstacle;
pub(crate) mod parting;
