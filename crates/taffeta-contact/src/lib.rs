//! Obstacles, closest points and the contact response.

#![forbid(unsafe_code)]

pub mod obstacle;

pub use obstacle::{Obstacle, Shape};
