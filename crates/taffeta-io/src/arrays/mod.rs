//! Arrays of numbers: NPY files, and archives of them.

pub(crate) mod archive;
pub(crate) mod npy;
pub mod numbers;
