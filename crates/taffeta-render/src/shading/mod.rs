//! From bodies to colors: which face a sample sees, its light, threads and lines.

pub(crate) mod ambient;
pub(crate) mod raster;
pub(crate) mod shade;
pub(crate) mod shadow;
pub(crate) mod surface;
pub(crate) mod weave;
pub(crate) mod wire;
