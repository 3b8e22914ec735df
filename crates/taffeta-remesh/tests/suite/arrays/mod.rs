//! The remesher by itself.

mod errors;
mod fields;
mod motion;
mod seams;
mod sheets;
mod space;
mod transfer;
