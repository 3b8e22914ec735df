//! Checks of meshes: resolution, quality, and the effect of remeshing.

pub(crate) mod adaptive;
pub(crate) mod passes;
pub(crate) mod quality;
pub(crate) mod resolution;
