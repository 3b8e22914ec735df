//! Sparse Cholesky factorization over a pattern that is analyzed once.
//!
//! With the feature `faer` that package factorizes, five to ten times as fast where matrices are large; its last bits depend on the
//! instructions of the processor. Without it the [`plain`] factorization does, column by column. Its bits are the same everywhere,
//! and none of the forty packages behind faer is compiled. It is the oracle of the other.
//!
//! A crate of its own because the generic code behind faer takes as long to compile as all solvers together, and never changes
//! with them.

#![forbid(unsafe_code)]

#[cfg(feature = "faer")]
mod blocked;
pub mod plain;

#[cfg(feature = "faer")]
pub use blocked::{CholeskyFactor, CholeskyPattern};
#[cfg(not(feature = "faer"))]
pub use plain::{CholeskyFactor, CholeskyPattern};

/// Why a factorization failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FactorError {
    /// The matrix is not positive definite.
    #[error("the matrix of the system is not positive definite")]
    NotPositiveDefinite,
    /// The factors do not fit in memory.
    #[error("the factors of the system do not fit in memory")]
    OutOfMemory,
}

#[cfg(test)]
mod tests;
