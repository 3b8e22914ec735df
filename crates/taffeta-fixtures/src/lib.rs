//! What the tests of all crates share.

#![forbid(unsafe_code)]

/// The variable that makes tests take what the second tier takes.
pub const SECOND_TIER: &str = "TAFFETA_SECOND_TIER";

/// What a test takes in the first tier, which finds a mistake within minutes, or in the second one, which takes hours
/// (`cargo run -p xtask -- nightly`): fewer cases, coarser meshes, fewer frames, but the same claim.
pub fn tier<T>(first: T, second: T) -> T {
    if std::env::var_os(SECOND_TIER).is_some() { second } else { first }
}
