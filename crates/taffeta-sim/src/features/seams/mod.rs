//! Seams: threads that grow shorter until two sides become one.

#[cfg(test)]
mod layers_tests;
pub(crate) mod meeting;
#[cfg(test)]
mod parts_tests;
#[cfg(test)]
mod tests;
pub(crate) mod threads;
pub(crate) mod weld;
