//! Contacts: found in every substep, and resolved by the sweeping solvers.

pub mod detect;
pub(crate) mod encounter;
pub(crate) mod fans;
pub(crate) mod joints;
pub(crate) mod motion_bounds;
pub mod proximity;
pub mod response;
pub(crate) mod sides;
pub(crate) mod step;
