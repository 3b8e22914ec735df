//! Dense indices, the connectivity of a surface and its connected pieces.

pub mod components;
pub mod index;
pub mod topology;
pub mod triangle_mesh;
