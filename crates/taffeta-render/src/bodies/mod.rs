//! Bodies of a picture, and meshes of those that have none.

pub mod body;
pub(crate) mod hem;
pub mod obstacle_mesh;
pub mod tube;
