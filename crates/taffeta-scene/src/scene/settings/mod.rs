//! Keys that hold for the whole scene, and those that bodies have in common: materials, motion, remeshing.

pub(crate) mod camera;
pub(crate) mod material;
pub(crate) mod membrane;
pub(crate) mod motion;
pub(crate) mod projective;
pub(crate) mod remesh;
pub(crate) mod simulation;
pub(crate) mod surroundings;
