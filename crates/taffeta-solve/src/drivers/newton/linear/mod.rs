//! The Hessian of `W`: as a product of its factors, and as a sparse matrix that is factorized.

pub(super) mod assembled;
pub(super) mod bending_factors;
pub(super) mod block_rows;
pub(super) mod carried;
pub(super) mod hessian;
pub(super) mod vectors;
