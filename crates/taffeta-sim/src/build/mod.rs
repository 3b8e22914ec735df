//! From a description to a world.

pub(crate) mod body_parts;
pub(crate) mod checks;
pub(crate) mod claim;
pub(crate) mod loose;
pub(crate) mod pinched;
pub(crate) mod ropes;
pub(crate) mod seams;
pub(crate) mod sides;
pub(crate) mod solids;
pub(crate) mod world;
