//! When cloth tears, and how near to each other.

/// Distance between two places that tear in one substep, and from a tip inside which no other tear begins, relative to the
/// length over which the stress is averaged. Within it all vertices see the load of the same tip.
pub(crate) const EXCLUSION: f64 = 2.0;

/// Time in which a tear goes on by the length over which the stress is averaged \[s\], if substeps are not longer. It is the
/// same for solvers with few and with many substeps. It is long enough for remeshing, which comes after the step, to keep up.
pub(crate) const ROUND: f64 = 1.0 / 240.0;

/// Returns whether a cloth may tear before a substep that begins at part `now` of its step of length `dt` \[s\].
/// `before` is the part at which the last substep began, if there was one.
pub(crate) fn is_time_to_tear(before: Option<f64>, now: f64, dt: f64) -> bool {
    let rounds = (dt / ROUND - 1e-9).ceil().max(1.0);
    let round_of = |part: f64| (part * rounds + 1e-9).floor();
    before.is_none_or(|before| round_of(now) > round_of(before))
}
