//! Cloths, ropes and solids: shapes, pins, seams and probes, and their tables.

pub(crate) mod body;
pub(crate) mod cloth_shape;
pub(crate) mod cloth_table;
pub(crate) mod pin_table;
pub(crate) mod probe;
pub(crate) mod rope;
pub(crate) mod rope_table;
pub(crate) mod seam;
pub(crate) mod solid;
pub(crate) mod solid_table;
