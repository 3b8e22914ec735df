//! Drivers: solvers that run over the blocks.

pub mod block;
pub mod newton;
pub mod projective;
pub mod rows;
