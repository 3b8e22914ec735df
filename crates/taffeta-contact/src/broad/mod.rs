//! Broad phase: which primitives of which bodies are near each other.

pub mod boxes;
pub mod bvh;
pub mod candidates;
pub mod elements;
pub mod near;
pub mod pair;
