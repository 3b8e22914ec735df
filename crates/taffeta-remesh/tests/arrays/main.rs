//! The remesher by itself.

mod errors;
mod fields;
mod motion;
mod sheets;
mod transfer;
