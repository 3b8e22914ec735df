//! Obstacles: their data and their tables.

pub(crate) mod obstacle;
pub(crate) mod obstacle_table;
