//! The input surface, as it stays while a mesh on it is edited: its charts, its seams, and places on it.

pub(crate) mod chart;
pub(crate) mod exact;
pub(crate) mod nearest;
pub(crate) mod origin;
pub(crate) mod panels;
pub(crate) mod samples;
pub(crate) mod seams;
pub(crate) mod surface;
