//! From a scene to the description of a world: meshes, and the checks that need them.

pub(crate) mod assemble;
pub(crate) mod assemble_cloth;
pub(crate) mod check;
pub(crate) mod mirror;
pub(crate) mod pin;
pub(crate) mod place_probe;
pub(crate) mod placed;
pub(crate) mod plausible;
pub(crate) mod weld;
