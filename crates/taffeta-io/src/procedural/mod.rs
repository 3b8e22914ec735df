//! Meshes that are made without a file.

pub(crate) mod delaunay;
pub mod grid;
pub(crate) mod lattice;
pub(crate) mod solid_box;
