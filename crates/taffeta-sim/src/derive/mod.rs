//! Everything derived from setup and state: elements, solver, searches, and the places of pins and obstacles.

pub(crate) mod air;
pub(crate) mod bodies;
pub(crate) mod clock;
pub(crate) mod crossings;
pub(crate) mod derived;
pub(crate) mod facts;
pub(crate) mod open_seams;
pub(crate) mod parts;
pub(crate) mod pressure;
pub(crate) mod proximity;
pub(crate) mod rebuild;
pub(crate) mod ropes;
pub(crate) mod sewing;
pub(crate) mod snapshot;
pub(crate) mod solids;
pub(crate) mod solver;
pub(crate) mod solver_facts;
pub(crate) mod source;
pub(crate) mod stages;
pub(crate) mod stitches;
pub(crate) mod volumes;
pub(crate) mod world;
