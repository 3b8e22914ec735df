//! Common parts of the tests of all crates.

#![forbid(unsafe_code)]

pub mod garments;
pub mod mannequin;
pub mod walk;

/// The variable that makes tests take what the second tier takes.
pub const SECOND_TIER: &str = "TAFFETA_SECOND_TIER";

/// Returns the value for the tier of tests. The first tier finds a mistake within minutes; the second takes hours
/// (`cargo run -p xtask -- nightly`). Both make the same claim: the first with fewer cases, coarser meshes, fewer
/// frames.
pub fn tier<T>(first: T, second: T) -> T {
    if std::env::var_os(SECOND_TIER).is_some() { second } else { first }
}
