//! Obstacles in closed form.

pub mod obstacle;
pub mod shape;
