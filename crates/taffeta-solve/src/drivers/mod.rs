//! Drivers: solvers that run over the blocks.

pub mod block;
mod enclosed;
mod lanes;
pub mod newton;
mod ordering;
pub mod projective;
pub mod rows;
