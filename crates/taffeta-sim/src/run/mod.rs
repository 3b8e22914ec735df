//! Whole steps: from inputs to reports.

pub(crate) mod equilibrium;
pub(crate) mod group_step;
pub(crate) mod groups;
pub(crate) mod look_ahead;
pub(crate) mod sleep;
pub(crate) mod step;
