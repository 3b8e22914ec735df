//! Arithmetic with the same bits everywhere.

pub mod geometry;
pub mod math;
pub mod morton;
pub mod random;
