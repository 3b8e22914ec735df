//! The bound of the energy: where nothing outside does work on the cloth, no substep raises its energy.
//!
//! Implicit Euler never does. Backward differences (BDF2) do where a cloth snaps: their velocity lags behind a force that
//! grows within a substep. Such a substep is done again, by implicit Euler.

use crate::report::SubstepPlan;
use crate::stage::{Stage, StageTimes};
use crate::step::StepError;
use crate::world::World;
use glam::DVec3;
use taffeta_core::Motion;

/// Part of the kinetic energy by which a substep may raise the energy, below which it is not worth another solve.
const GROWTH: f64 = 1e-6;

impl World {
    /// Runs a substep; runs it again by implicit Euler if it has raised the energy though nothing did work.
    pub(crate) fn run_bounded_substep(
        &mut self,
        h: f64,
        plan: &mut SubstepPlan,
        times: &mut StageTimes,
    ) -> Result<(), StepError> {
        if !(self.is_second_order() && self.last_substep > 0.0 && self.is_left_alone(h)) {
            return self.run_substep(h, plan, times);
        }
        let (energy, last_good) = times.run(Stage::Measure, || {
            self.caches.keep_bending(&mut self.sheet);
            (self.mechanical_energy(), self.note_state())
        });
        let before = *plan;
        self.run_substep(h, plan, times)?;
        let growth = times.run(Stage::Measure, || self.mechanical_energy()) - energy;
        if growth > self.energy_slack(h) {
            self.go_back(last_good);
            self.forget_history();
            *plan = before;
            self.run_substep(h, plan, times)?;
        }
        Ok(())
    }

    /// Whether neither pins nor obstacles move in the substep, and no pressure or wind drives the cloth.
    fn is_left_alone(&self, h: f64) -> bool {
        let stands = |motion: &Motion| {
            motion.pose_at(self.time, DVec3::ZERO) == motion.pose_at(self.end_of_substep(h), DVec3::ZERO)
        };
        self.pins.iter().all(|pin| stands(&pin.description.motion))
            && self.obstacles.iter().all(|obstacle| stands(&obstacle.motion))
            && self.work.air.is_none_or(|air| air.wind == DVec3::ZERO)
            && !self.has_pressure()
    }

    /// The growth of the energy that round-off and the tolerance of the solver explain \[J\].
    fn energy_slack(&self, h: f64) -> f64 {
        let moved = self.newton_limits().tolerance / h;
        let mass: f64 = self.sheet.state.masses.iter().sum();
        GROWTH * self.kinetic_energy() + mass * moved * moved
    }
}
