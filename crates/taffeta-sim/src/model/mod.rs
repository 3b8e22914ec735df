//! What a world is made of and what it holds: descriptions, setup, state, reports. Nothing here computes a step.

pub(crate) mod capabilities;
pub(crate) mod description;
pub(crate) mod drives;
pub(crate) mod effort;
pub(crate) mod error;
pub(crate) mod friction;
pub(crate) mod grabs;
pub(crate) mod ids;
pub(crate) mod inertia;
pub(crate) mod inputs;
pub(crate) mod loose;
pub(crate) mod motion;
pub(crate) mod pins;
pub(crate) mod placed;
pub(crate) mod report;
pub(crate) mod scratch;
pub(crate) mod seam_error;
pub(crate) mod seams;
pub(crate) mod setup;
pub(crate) mod sewing;
pub(crate) mod sheet;
pub(crate) mod solid;
pub(crate) mod solid_locator;
pub(crate) mod stage;
pub(crate) mod state;
pub(crate) mod watch;
