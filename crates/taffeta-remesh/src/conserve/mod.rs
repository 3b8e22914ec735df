//! Momentum over an edit, and the kinetic energy of pieces over a pass.

pub(crate) mod inertia;
pub(crate) mod momentum;
pub(crate) mod owed;
pub(crate) mod pieces;
pub(crate) mod redistribution;
