//! Continuous collision detection: motions are shortened until nothing can cross.

pub(crate) mod advance;
pub mod pair_limits;
pub(crate) mod path;
pub mod shape_limits;
