//! Substeps that are done again.
//!
//! The bound of the energy: where nothing outside does work on the cloth, no substep raises its energy.
//!
//! Implicit Euler never does. Backward differences (BDF2) do where a cloth snaps: their velocity lags behind a force that
//! grows within a substep. Such a substep is done again, by implicit Euler. Not where nothing holds the cloth: there
//! Euler would take its angular momentum, and there is nothing to snap at.
//!
//! The bound of force: where pins or obstacles that move force cloth through something in one substep, the response may
//! still get it out of the way in shorter ones.

use crate::report::SubstepPlan;
use crate::stage::{Stage, StageTimes};
use crate::step::{Snapshot, StepError};
use crate::world::World;
use glam::DVec3;
use taffeta_core::Motion;

/// Part of the kinetic energy by which a substep may raise the energy: a snap takes some twenty substeps.
const GROWTH: f64 = 2e-5;

/// How often a substep is halved to give way to what moves.
const HALVINGS: u32 = 4;

/// All that a substep changes that may be done again.
struct Attempt {
    world: Snapshot,
    plan: SubstepPlan,
}

impl World {
    fn begin_attempt(&mut self, plan: &SubstepPlan) -> Attempt {
        Attempt { world: self.note_substep(), plan: *plan }
    }

    /// Goes back to before a substep, which is to be done again by implicit Euler.
    fn take_back(&mut self, attempt: Attempt, plan: &mut SubstepPlan) {
        self.go_back(attempt.world);
        self.forget_history();
        *plan = attempt.plan;
    }

    /// Runs a substep; in halves if pins or obstacles force something together in it, as long as halves are worth a try.
    pub(crate) fn run_yielding_substep(
        &mut self,
        (h, halvings): (f64, u32),
        (plan, energy): (&mut SubstepPlan, &mut Option<f64>),
        times: &mut StageTimes,
    ) -> Result<(), StepError> {
        let forced = self.safeguard.forced;
        if !self.counts_crossings() || self.stand_still(self.end_of_substep(h)) {
            return self.run_bounded_substep(h, (plan, energy), times);
        }
        if halvings == HALVINGS || self.effort.is_spent() {
            self.run_bounded_substep(h, (plan, energy), times)?;
            self.safeguard.given_up += u64::from(self.safeguard.forced > forced);
            return Ok(());
        }
        let (start, attempt) = times.run(Stage::Measure, || (self.state.time, self.begin_attempt(plan)));
        self.run_bounded_substep(h, (plan, energy), times)?;
        if self.safeguard.forced == forced {
            return Ok(());
        }
        self.take_back(attempt, plan);
        for half in 0..2 {
            self.state.time = start + 0.5 * h * f64::from(half);
            self.run_yielding_substep((0.5 * h, halvings + 1), (plan, energy), times)?;
        }
        Ok(())
    }

    /// Whether neither pins nor obstacles move until a time \[s\].
    pub(crate) fn stand_still(&self, end: f64) -> bool {
        let stands = |motion: &Motion| motion.stands_between(self.state.time, end);
        self.pins.iter().all(|pin| stands(&pin.description.motion))
            && self.obstacles.iter().all(|obstacle| stands(&obstacle.motion))
            && self.meshes.list.iter().all(|m| m.stands_between(self.state.time, end))
    }

    /// Runs a substep; runs it again by implicit Euler if it has raised the energy though nothing did work. `energy` is
    /// what the last substep of the step has ended with \[J\], if that has been measured.
    pub(crate) fn run_bounded_substep(
        &mut self,
        h: f64,
        (plan, energy): (&mut SubstepPlan, &mut Option<f64>),
        times: &mut StageTimes,
    ) -> Result<(), StepError> {
        let last_energy = energy.take();
        let is_bound = self.is_second_order() && self.state.last_substep > 0.0;
        if !(is_bound && self.is_supported() && self.is_left_alone(h)) {
            return self.run_substep(h, plan, times);
        }
        let (before, attempt) = times.run(Stage::Measure, || {
            (last_energy.unwrap_or_else(|| self.mechanical_energy()), self.begin_attempt(plan))
        });
        self.run_substep(h, plan, times)?;
        let after = times.run(Stage::Measure, || self.mechanical_energy());
        if after <= before + self.energy_slack(h) {
            *energy = Some(after);
            return Ok(());
        }
        self.take_back(attempt, plan);
        self.run_substep(h, plan, times)
    }

    /// Whether anything has held the cloth in the last substep.
    fn is_supported(&self) -> bool {
        let is_held = |held: &[bool; 3]| held.contains(&true);
        self.state.motion.held.iter().any(is_held) || self.state.was_touched
    }

    /// Whether neither pins nor obstacles move in the substep, nothing is sewn, and no pressure, wind or grab drives the
    /// cloth.
    fn is_left_alone(&self, h: f64) -> bool {
        self.inputs.grabbed.is_empty()
            && self.stand_still(self.end_of_substep(h))
            && !self.is_sewing()
            && self.inputs.air.is_none_or(|air| air.wind == DVec3::ZERO)
            && !self.has_pressure()
    }

    /// The growth of the energy that round-off and the tolerance of the solver explain \[J\].
    fn energy_slack(&self, h: f64) -> f64 {
        let moved = self.newton_limits(h).tolerance / h;
        let mass: f64 = self.state.motion.masses.iter().sum();
        GROWTH * self.kinetic_energy() + mass * moved * moved
    }
}
