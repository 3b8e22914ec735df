//! Parts that several checks share: scenes, rows of results, meshes, random trials.

pub(crate) mod context;
pub(crate) mod meshes;
pub(crate) mod row;
pub(crate) mod swing;
pub(crate) mod trials;
