//! Checks of motion: steady states, free flight, and quantities that are kept.

pub(crate) mod conserved;
pub(crate) mod flight;
pub(crate) mod steady;
pub(crate) mod time;
