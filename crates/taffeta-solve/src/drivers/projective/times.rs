//! Times of the parts of projective dynamics.

use std::time::Duration;

/// Sums of times since a driver was built. No computation reads them, so results do not depend on them. The driver reads
/// the clock a few times per iteration, too seldom for a measurement of a frame to show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProjectiveTimes {
    /// Constraints, order of elimination and pattern of the factor.
    pub analysis: Duration,
    /// Factorizations, whenever the step changes.
    pub factorization: Duration,
    /// Local steps: projections, and the gradient of the objective from them.
    pub local: Duration,
    /// Global steps: the solves, those for enclosed volumes included.
    pub global: Duration,
}

impl ProjectiveTimes {
    /// Times that have passed since `earlier`, of the same driver.
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            analysis: self.analysis.saturating_sub(earlier.analysis),
            factorization: self.factorization.saturating_sub(earlier.factorization),
            local: self.local.saturating_sub(earlier.local),
            global: self.global.saturating_sub(earlier.global),
        }
    }
}
