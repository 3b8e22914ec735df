//! Parts of a world that not every world has: pins that let go, seams, tears, folds that stay, volumes, grabs.

pub(crate) mod grabs;
pub(crate) mod pins;
pub(crate) mod plastic;
pub(crate) mod seams;
pub(crate) mod springs;
pub(crate) mod tearing;
pub(crate) mod volumes;
