//! Interface for callers of a world: its methods, its questions, and the changes between steps.

pub(crate) mod budget;
pub(crate) mod checkpoint;
pub(crate) mod control;
pub(crate) mod jumps;
pub(crate) mod members;
pub mod queries;
pub(crate) mod settings;
pub(crate) mod snapshot;
pub(crate) mod teleport;
pub(crate) mod world;
