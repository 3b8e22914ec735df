//! Cloth that tears.

pub(crate) mod advance;
pub(crate) mod rules;
pub(crate) mod stress;
pub(crate) mod tear;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod together_tests;
