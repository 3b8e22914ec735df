//! Substeps: their plan, their stages, and what is done again.

pub(crate) mod outside;
pub(crate) mod plan;
pub(crate) mod retry;
pub(crate) mod stages;
pub(crate) mod substep;
pub(crate) mod substeps;
