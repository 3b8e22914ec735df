//! Continuous collision detection: motions are shortened until nothing can cross.

pub(crate) mod advance;
pub mod certificate;
pub mod guard;
pub(crate) mod path;
