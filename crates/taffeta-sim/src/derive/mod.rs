//! Everything derived from setup and state: elements, solver, searches, and the places of pins and obstacles.

pub(crate) mod air;
pub(crate) mod bodies;
pub(crate) mod clock;
pub(crate) mod crossings;
pub(crate) mod elements;
pub(crate) mod parts;
pub(crate) mod pressure;
pub(crate) mod rebuild;
pub(crate) mod sewing;
pub(crate) mod snapshot;
pub(crate) mod solver;
pub(crate) mod solver_facts;
pub(crate) mod stages;
pub(crate) mod world;

pub(crate) use world::{derived, facts};
