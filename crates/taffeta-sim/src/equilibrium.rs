//! The equilibrium: where the cloth comes to rest.
//!
//! Pseudo-time: implicit Euler steps from rest, `min ½ (x−xᵏ)ᵀ M (x−xᵏ)/s² + U(x) − gᵀ M x`, whose inertia keeps Newton's
//! method from jumping, with a step `s` that grows while Newton converges easily. What is left of the inertia at the end
//! of a step is the force that is still unbalanced; when `s` is long, the steps are those of Newton's method itself.

use crate::effort::Effort;
use crate::pins::along_held;
use crate::report::{StepReport, SubstepPlan, TearCounts};
use crate::stage::{Stage, StageTimes};
use crate::step::StepError;
use crate::world::World;
use glam::DVec3;
use taffeta_core::index::DenseIndex;

/// Unbalanced force that counts as none, relative to the load: weight and pressure.
const TOLERANCE: f64 = 1e-6;
/// Gravity that the load is measured with at least \[m/s²\]: without any, round-off would count.
const LEAST_GRAVITY: f64 = 1.0;
/// First pseudo-time step \[s\], and the shortest before the search is given up.
const FIRST_STEP: f64 = 1.0 / 60.0;
const SHORTEST_STEP: f64 = 1e-6;
/// Longest pseudo-time step \[s\]: with obstacles one in which a falling cloth does not pass them.
const LONGEST_STEP: f64 = 100.0;
const LONGEST_STEP_NEAR_OBSTACLES: f64 = 1.0 / 30.0;
/// Factor by which the step grows and shrinks.
const GROWTH: f64 = 3.0;
/// Newton iterations up to which a step counts as easy.
const EASY: u32 = 12;
/// Pseudo-time steps after which the search is given up.
const MAX_STEPS: u32 = 1000;

impl World {
    /// Moves the cloths from where they are to an equilibrium of gravity, pressure, elasticity, pins and obstacles. They
    /// are at rest then. Counts as one step, in which no time passes; pins and obstacles stand where they are.
    ///
    /// # Errors
    /// If a cloth floats, with nothing to hold it, no equilibrium is found, or a [`Watch`](crate::Watch) asks for an end; the
    /// world is then as it was before.
    pub fn equilibrate(&mut self) -> Result<StepReport, StepError> {
        let threads = self.threads();
        threads.install(|| self.find_equilibrium())
    }

    fn find_equilibrium(&mut self) -> Result<StepReport, StepError> {
        let mut times = StageTimes::default();
        let last_good = self.note();
        self.release_pins();
        self.state.gravity = self.settings.gravity;
        self.inputs.air = None;
        self.inputs.grabbed.clear();
        self.inputs.stands_still = true;
        // Folds that stay depend on the way to them, and the search for an equilibrium goes any.
        self.inputs.lets_yield = false;
        let outcome = self.check_support().and_then(|()| self.relax(&mut times));
        self.inputs.stands_still = false;
        let (plan, residual) = match outcome {
            Ok(found) => found,
            Err(error) => {
                self.go_back(last_good);
                return Err(error);
            }
        };
        self.state.motion.velocities.iter_mut().for_each(|v| *v = DVec3::ZERO);
        self.forget_history();
        self.state.frame += 1;
        self.caches.keep_bending(&self.state.sheet, &mut self.state.motion);
        let mut metrics = times.run(Stage::Measure, || self.measure());
        metrics.residual = residual;
        let state_hash = times.run(Stage::Measure, || self.state_hash());
        Ok(StepReport {
            time: self.state.time,
            plan,
            vertices: self.state.sheet.topology.vertex_count,
            faces: self.state.sheet.topology.face_count(),
            contacts: self.state.last.active_contacts(),
            broken_edges: 0,
            tears: TearCounts::default(),
            safeguard: self.safeguard.clone(),
            remesh: Default::default(),
            jumps: Default::default(),
            metrics,
            state_hash,
            times,
        })
    }

    /// Pseudo-time steps until nothing is left unbalanced; the residual \[N\].
    fn relax(&mut self, times: &mut StageTimes) -> Result<(SubstepPlan, f64), StepError> {
        let mut plan = SubstepPlan::default();
        let longest = if self.has_obstacles() { LONGEST_STEP_NEAR_OBSTACLES } else { LONGEST_STEP };
        let mut step = FIRST_STEP.min(longest);
        let tolerance = TOLERANCE * self.load();
        let mut residual = f64::INFINITY;
        self.effort = Effort::of_search(self.state.sheet.topology.vertex_count);
        while plan.substeps < MAX_STEPS && !self.effort.is_spent() {
            self.watch.pass(self.state.time)?;
            let before = self.note_substep();
            self.state.motion.velocities.iter_mut().for_each(|v| *v = DVec3::ZERO);
            self.forget_history();
            self.caches.begin_frame();
            times.run(Stage::Predict, || self.predict(step));
            times.run(Stage::Detect, || self.detect(step));
            let mut this = SubstepPlan::default();
            let solved = times.run(Stage::Solve, || self.solve(step, &mut this));
            if solved.is_ok() {
                times.run(Stage::Secure, || self.secure(step));
            }
            let finished = solved.and_then(|()| times.run(Stage::Finish, || self.finish(step)));
            plan.substeps += 1;
            plan.iterations = plan.iterations.max(this.iterations);
            plan.linear_iterations += this.linear_iterations;
            if finished.is_err() || this.not_converged > 0 {
                self.go_back(before);
                step /= GROWTH * GROWTH;
                if step < SHORTEST_STEP {
                    let reason = "Newton's method does not converge, however small the step".to_owned();
                    return Err(StepError::NoEquilibrium { residual, tolerance, reason });
                }
                continue;
            }
            residual = self.left_over(step);
            if residual <= tolerance {
                return Ok((plan, residual));
            }
            if this.iterations <= EASY {
                step = (step * GROWTH).min(longest);
            }
        }
        let most = if plan.substeps < MAX_STEPS { ", all the work that the search may do" } else { "" };
        let reason = format!(
            "the cloth still moves after {} steps{most}; simulate the motion instead, and take its end",
            plan.substeps
        );
        Err(StepError::NoEquilibrium { residual, tolerance, reason })
    }

    /// Norm of the force that a pseudo-time step has left unbalanced \[N\]: its inertia.
    fn left_over(&self, step: f64) -> f64 {
        let state = &self.state.motion;
        let mut sum = 0.0;
        for (vi, x) in state.positions.iter_indexed() {
            let moved = (*x - self.work.start[vi.to_usize()]) * (state.masses[vi] / (step * step));
            sum += along_held(state.held[vi], DVec3::ZERO, moved).length_squared();
        }
        sum.sqrt()
    }

    /// The size of the load \[N\]: weight and pressure.
    fn load(&self) -> f64 {
        let state = &self.state.motion;
        let weight = state.masses.iter().sum::<f64>() * self.settings.gravity.length().max(LEAST_GRAVITY);
        let rest = &self.state.motion.rest;
        let pressed = rest.areas.iter().zip(rest.cloths.iter());
        let pressure: f64 =
            pressed.map(|(area, cloth)| area * self.cloths[*cloth as usize].pressure.abs()).sum();
        weight.max(pressure)
    }

    /// Refuses a cloth that nothing can hold against its load: no pin along an axis of gravity, or none at all under
    /// pressure, and no obstacle to fall upon.
    fn check_support(&self) -> Result<(), StepError> {
        if self.has_obstacles() {
            return Ok(());
        }
        for number in 0..self.body_count() {
            let pressure = self.cloths.get(number).map_or(0.0, |cloth| cloth.pressure);
            let range = self.state.sheet.vertex_range(number as u32);
            let held = |axis: usize| range.clone().any(|i| self.state.motion.held.raw[i][axis]);
            let gravity = self.settings.gravity.to_array();
            let falls = (0..3).any(|axis| gravity[axis] != 0.0 && !held(axis));
            if falls || pressure != 0.0 && !(0..3).any(held) {
                let reason = format!(
                    "{} floats: no pin holds it against its load, and there is no obstacle",
                    self.body_name(number)
                );
                let residual = self.load();
                return Err(StepError::NoEquilibrium { residual, tolerance: TOLERANCE * residual, reason });
            }
        }
        Ok(())
    }
}
