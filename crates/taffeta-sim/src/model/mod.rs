//! Data of a world: descriptions, setup, state, reports. Nothing here computes a step.
//!
//! Folders import from those above them only:
//!
//! | folder | content |
//! |---|---|
//! | `description/` | what a caller describes, and the rules for what goes together |
//! | `report/` | what a caller is told: reports, errors, loads, times |
//! | `setup/` | bodies, pins and laws of a world: what steps leave as it is |
//! | `state/` | what steps change, and passes: motion, sheet, memory of contacts |
//! | `workspace/` | what a step works with and no checkpoint holds |

pub(crate) mod description;
pub(crate) mod report;
pub(crate) mod setup;
pub(crate) mod state;
pub(crate) mod workspace;
