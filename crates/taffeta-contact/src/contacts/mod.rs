//! Contacts: found in every substep, and resolved by the sweeping solvers.

pub mod detect;
pub(crate) mod encounter;
pub(crate) mod exempt;
pub(crate) mod motion_bounds;
pub(crate) mod neighborhoods;
pub(crate) mod points;
pub mod proximity;
pub mod response;
pub(crate) mod step;
