//! The world: state, steps, remeshing schedule and reports.

#![forbid(unsafe_code)]

pub mod description;

/// The simulated world.
pub struct World;

pub use description::{
    Air, BendingModel, ClothDescription, MembraneModel, PinDescription, SimulationSettings, SolverChoice,
    WorldDescription,
};
