//! Intersections of surfaces: found exactly, and pulled apart.

pub mod crossings;
pub mod quarantine;
