//! Materials, blocks and the solvers that drive them.

#![forbid(unsafe_code)]

pub mod material;

pub use material::{Material, MaterialError};
