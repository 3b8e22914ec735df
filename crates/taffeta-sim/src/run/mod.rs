//! Whole steps: from inputs to reports.

pub(crate) mod equilibrium;
pub(crate) mod group_step;
pub(crate) mod groups;
pub(crate) mod outlook;
pub(crate) mod rest;
pub(crate) mod step;
