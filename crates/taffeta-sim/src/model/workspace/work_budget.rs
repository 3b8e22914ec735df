//! Work budget of a step.
//!
//! If bodies leave cloth no room, or move it faster than anything can follow, no number of rounds, halvings and iterations
//! helps. Each of them takes as long as a useful one. So a step has a work budget in nominal time, which is the same on every
//! machine. When it is spent, retries end and a few long substeps cover the remainder of the step.
//!
//! A caller may give a step a budget of wall time. When a part of that is over, nothing is done again for a better result.

use std::time::Instant;

/// Work that a step may spend per vertex \[ns\], with at least `LEAST_VERTICES` counted. It is a hundred times the
/// work of a step in which everything goes well; its substeps have two stages.
const LIMIT_PER_VERTEX: u64 = 20_000_000;
const LEAST_VERTICES: u64 = 1000;

/// Substeps that may spend that, where a scene says how many there are: as many iterations as a reference takes in each.
const SUBSTEPS: u64 = 32;

/// Factor by which a search for an equilibrium, which stands for a whole motion, may spend more.
const SEARCH: u64 = 3;

/// Substeps in which the rest of a step is made that has spent what it may.
pub(crate) const HURRIED_SUBSTEPS: u32 = 2;

/// Nominal times \[ns\], measured in release builds on one thread. The first ones are those of a vertex or a contact in an
/// iteration. They are for Newton's method, conjugate gradients, Newton's method with a factorization, and a local solver or
/// projective dynamics. The last is that of a pair of primitives in a search or in CCD.
const NEWTON: u64 = 500;
const CONJUGATE: u64 = 70;
const FACTORIZED: u64 = 15_000;
const LOCAL: u64 = 300;
const PAIR: u64 = 200;

/// Iterations of conjugate gradients that a substep may make in any case: fewer would leave it as it was predicted.
const LEAST_CONJUGATE: u64 = 100;

/// Vertices whose iteration takes as long as the work that does not depend on their number.
const OVERHEAD: u64 = 200;

/// Part of a budget of wall time after which nothing is done again.
const PLENTIFUL_UNTIL: f64 = 0.2;

/// A budget of wall time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    /// When it began.
    pub begun: Instant,
    /// Its length \[s\].
    pub length: f64,
}

impl Deadline {
    /// The part of the time that is over.
    pub(crate) fn part(&self) -> f64 {
        self.begun.elapsed().as_secs_f64() / self.length
    }
}

/// Work that a step has spent so far, and its limit; both are zero outside a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WorkBudget {
    spent: u64,
    limit: u64,
    deadline: Option<Deadline>,
}

impl WorkBudget {
    /// Effort at the beginning of a step of this many vertices.
    pub(crate) fn new(vertices: usize) -> Self {
        Self { spent: 0, limit: LIMIT_PER_VERTEX * (vertices as u64).max(LEAST_VERTICES), deadline: None }
    }

    /// Effort within a budget of wall time, if there is one.
    pub(crate) fn within(self, deadline: Option<Deadline>) -> Self {
        Self { deadline, ..self }
    }

    /// Raises the limit where the scene gives the number of substeps: they are then all made in full.
    pub(crate) fn with_substeps(self, substeps: u32) -> Self {
        let times = u64::from(substeps).div_ceil(SUBSTEPS).max(1);
        Self { limit: self.limit.saturating_mul(times), ..self }
    }

    /// Effort at the beginning of a search for an equilibrium.
    pub(crate) fn of_search(vertices: usize) -> Self {
        let step = Self::new(vertices);
        Self { limit: SEARCH * step.limit, ..step }
    }

    /// Returns whether the work is spent, so that nothing more is to be tried.
    pub(crate) fn is_spent(&self) -> bool {
        self.spent >= self.limit
    }

    /// Returns whether most of the work and of the time is left, so that what has been done may be done again for a better result.
    pub(crate) fn is_plentiful(&self) -> bool {
        let is_late = self.deadline.is_some_and(|deadline| deadline.part() > PLENTIFUL_UNTIL);
        self.spent.saturating_mul(4) < self.limit && !is_late
    }

    /// Adds iterations of Newton's method and of conjugate gradients in it, of so many vertices and contacts.
    pub(crate) fn add_newton(&mut self, size: usize, newton: u32, conjugate: u32) {
        let each = NEWTON * u64::from(newton) + CONJUGATE * u64::from(conjugate);
        self.spent += (size as u64 + OVERHEAD) * each;
    }

    /// Adds iterations of Newton's method, each with a factorization.
    pub(crate) fn add_direct(&mut self, size: usize, iterations: u32) {
        self.spent += (size as u64 + OVERHEAD) * FACTORIZED * u64::from(iterations);
    }

    /// Largest number of iterations of conjugate gradients for a solve with so many vertices and contacts.
    pub(crate) fn conjugate_left(&self, size: usize) -> u32 {
        let left = self.limit.saturating_sub(self.spent) / (CONJUGATE * (size as u64 + OVERHEAD));
        u32::try_from(left.max(LEAST_CONJUGATE)).unwrap_or(u32::MAX)
    }

    /// Adds sweeps or iterations of another solver.
    pub(crate) fn add_local(&mut self, size: usize, iterations: u32) {
        self.spent += (size as u64 + OVERHEAD) * LOCAL * u64::from(iterations);
    }

    /// Adds looks at pairs of primitives.
    pub(crate) fn add_pairs(&mut self, pairs: u64) {
        self.spent += PAIR * pairs;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_of_a_small_cloth_may_spend_what_a_thousand_vertices_may() {
        let mut work_budget = WorkBudget::new(10);
        work_budget.add_pairs(LIMIT_PER_VERTEX * LEAST_VERTICES / PAIR - 1);
        assert!(!work_budget.is_spent());
        work_budget.add_pairs(1);
        assert!(work_budget.is_spent());
    }

    #[test]
    fn what_goes_well_is_far_from_the_limit() {
        // 30 substeps of 10 iterations, 15 of conjugate gradients each, in a world in which every vertex has a contact.
        let mut work_budget = WorkBudget::new(5000);
        (0..30).for_each(|_| work_budget.add_newton(10_000, 10, 150));
        assert!(work_budget.spent < work_budget.limit / 2 && work_budget.spent > work_budget.limit / 1000);
    }
}
