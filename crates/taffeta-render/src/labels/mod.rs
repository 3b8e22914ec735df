//! Letters, and the legend of a scale.

pub(crate) mod legend;
pub(crate) mod text;
