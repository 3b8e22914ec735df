//! Remeshing passes: schedule, edits, energy budget.

pub(crate) mod calm;
pub(crate) mod energy;
pub(crate) mod intersection_test;
pub(crate) mod pass;
pub(crate) mod relaxation;
pub(crate) mod schedule;
pub(crate) mod surroundings;
