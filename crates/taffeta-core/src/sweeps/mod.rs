//! Sweeps over elements by color and in lanes of four, and work shared out to threads.

pub mod color;
pub mod lanes;
pub mod tasks;
mod wide;
