//! Parts that not every world has: release of pins, seams, tears, permanent folds, volumes, grabs.

pub(crate) mod grabs;
pub(crate) mod pins;
pub(crate) mod plastic;
pub(crate) mod seams;
pub(crate) mod springs;
pub(crate) mod tearing;
pub(crate) mod volumes;
