//! Edits of a pass: their rules, tests and order, and the report.

pub(crate) mod check;
pub(crate) mod delaunay;
pub(crate) mod editor;
pub(crate) mod folding;
#[cfg(feature = "random")]
pub(crate) mod random;
pub(crate) mod refusal;
pub(crate) mod remesh;
pub(crate) mod report;
pub(crate) mod rules;
