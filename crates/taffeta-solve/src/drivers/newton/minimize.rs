//! Newton's iteration: a start, steps by the linear solver, a line search with backtracking along each, and translations at the end.

use super::conjugate::{ConjugateLimits, ConjugateSolver};
use super::groups::{Groups, Scales};
use super::linear::vectors::dot;
use super::objective::Evaluation;
use super::{ContactState, Linear, NewtonDriver, NewtonError, NewtonLimits, NewtonProblem, NewtonReport};
use crate::block::Curvature;

/// Armijo's constant: the part of the predicted decrease that a step must bring.
const SUFFICIENT_DECREASE: f64 = 1e-4;
/// A step that promises less than this part of `W` is below its round-off: no line search can confirm it.
const ENERGY_ROUND_OFF: f64 = 1e-10;
/// Part of the decrease of `W` of a converged step that conjugate gradients may leave.
const LINEAR_PART: f64 = 0.1;
/// Iterations of one linear solve at most: past them the step found so far is taken.
const MAX_CONJUGATE: u32 = 500;
/// Newton iterations after which the friction is read anew, and ends of the iteration at which contacts begin to slide; beyond,
/// friction and normal forces could alternate for ever.
const FRICTION_UPDATES: u32 = 8;
/// Halvings of a step before it is given up.
const MAX_HALVINGS: u32 = 30;

impl NewtonDriver {
    /// Iterates from `z` to the minimum.
    pub(super) fn minimize(
        &mut self,
        z: &mut [f64],
        problem: &NewtonProblem<'_>,
        limits: NewtonLimits,
    ) -> Result<NewtonReport, NewtonError> {
        self.scales = Scales::of(&self.pieces, problem);
        let [mut here, mut there] = std::mem::take(&mut self.evaluations);
        self.step.resize(z.len(), 0.0);
        let result = self.iterate(z, problem, limits, [&mut here, &mut there]);
        self.evaluations = [here, there];
        result
    }

    fn iterate(
        &mut self,
        z: &mut [f64],
        problem: &NewtonProblem<'_>,
        limits: NewtonLimits,
        [here, there]: [&mut Evaluation; 2],
    ) -> Result<NewtonReport, NewtonError> {
        let mut report = NewtonReport::default();
        let (mut curvature, mut settled) = (Curvature::Clamped, 0);
        self.choose_start(z, problem, here);
        let enough = limits.tolerance * limits.tolerance;
        while report.iterations < limits.iterations && report.linear_iterations < limits.linear_iterations {
            if !here.energy.is_finite() {
                return Err(NewtonError::NotFinite);
            }
            self.find_step(z, here, problem, limits, &mut report, curvature)?;
            report.iterations += 1;
            let reads_friction = report.iterations <= FRICTION_UPDATES;
            let slope = dot(&here.gradient, &self.step);
            let square = self.pieces.largest_square(&self.scales.pieces, &here.gradient, &self.step);
            report.converged = slope <= 0.0 && square <= enough;
            report.error = square.sqrt();
            if report.converged {
                // Too small to be measured in W: taken as it is.
                z.iter_mut().zip(&self.step).for_each(|(z, s)| *z += s);
                settled += 1;
                if settled > FRICTION_UPDATES
                    || self.system.grip(z, problem, &self.scales.mobilities, Some(enough)) <= enough
                {
                    break;
                }
                report.converged = false;
                self.system.evaluate(z, problem, curvature, here);
                continue;
            }
            // Far from the minimum the exact Hessian is indefinite or misleading; near it, it ends the iteration fast.
            let is_exact = matches!(self.linear, Linear::Factorized(_));
            let next = if is_exact { Curvature::Exact } else { Curvature::Clamped };
            match self.line_search(z, slope, problem, next, here, there) {
                Some(1.0) => curvature = next,
                Some(_) => {
                    curvature = Curvature::Clamped;
                    if is_exact {
                        self.system.evaluate(z, problem, curvature, here);
                    }
                }
                None if curvature == Curvature::Exact => {
                    curvature = Curvature::Clamped;
                    self.system.evaluate(z, problem, curvature, here);
                }
                None => {
                    // No step lowers W: its round-off hides what is left, or the direction is no good.
                    report.converged = -slope <= ENERGY_ROUND_OFF * here.energy.abs();
                    break;
                }
            }
            if reads_friction && self.system.grip(z, problem, &self.scales.mobilities, None) > 0.0 {
                self.system.evaluate(z, problem, curvature, here);
            }
        }
        // Friction that goes on to change at converged iterates is no failure of the iteration.
        report.converged |= settled > 0;
        Ok(report)
    }

    /// Chooses where to start: at the end of the motion that `z` comes with, at half of it, or where the cloth was, wherever `W` is
    /// least. The whole motion could tear the cloth if a part of it has just been stopped. Leaves the system evaluated there.
    fn choose_start(&mut self, z: &mut [f64], problem: &NewtonProblem<'_>, here: &mut Evaluation) {
        let mut trial = std::mem::take(&mut self.trial);
        let at = |start: &[f64], fraction: f64, z: &[f64], trial: &mut Vec<f64>| {
            trial.clear();
            trial.extend_from_slice(z);
            for (k, start) in start.iter().enumerate().filter(|(k, _)| !problem.held[k / 3][k % 3]) {
                trial[k] = start + fraction * (trial[k] - start);
            }
        };
        at(&self.start, 0.5, z, &mut trial);
        let energy_of_half = self.evaluate_start(&trial, problem, here);
        if energy_of_half < self.evaluate_start(z, problem, here) {
            at(&self.start, 0.0, z, &mut trial);
            let is_nothing_better = self.evaluate_start(&trial, problem, here) < energy_of_half;
            if !is_nothing_better {
                at(&self.start, 0.5, z, &mut trial);
                self.evaluate_start(&trial, problem, here);
            }
            z.copy_from_slice(&trial);
        }
        self.trial = trial;
    }

    /// `W` at a start, with contacts as they are found there.
    fn evaluate_start(&mut self, z: &[f64], problem: &NewtonProblem<'_>, here: &mut Evaluation) -> f64 {
        self.system.touches.clear();
        self.system.grip(z, problem, &self.scales.mobilities, None);
        self.system.evaluate(z, problem, Curvature::Clamped, here);
        here.energy
    }

    /// Moves every group of pieces that touch each other to the place to which inertia and drag take it. It does so along
    /// the axes on which nothing holds the group. It leaves alone the groups on which anything but drag acts from outside.
    /// The place is the minimum of `W` over translations, of which neither elasticity nor the contacts of the group know
    /// anything. An approximate solution then keeps linear momentum as an exact one does.
    pub(super) fn solve_translations(&self, z: &mut [f64], problem: &NewtonProblem<'_>) {
        if !self.system.pressure.is_empty() {
            return;
        }
        let groups = Groups::find(&self.pieces, problem);
        for axis in 0..3 {
            let (mut moments, mut inertias) =
                (vec![0.0; self.pieces.lists.len()], vec![0.0; self.pieces.lists.len()]);
            let mut is_free: Vec<bool> = groups.is_touched.iter().map(|touched| !touched).collect();
            for (piece, group) in self.pieces.lists.iter().zip(&groups.of_piece) {
                for v in piece.iter().map(|v| *v as usize) {
                    moments[*group] += problem.inertia[v] * (z[3 * v + axis] - problem.predicted[v][axis]);
                    inertias[*group] += problem.inertia[v];
                    is_free[*group] &= !problem.held[v][axis];
                }
            }
            problem.drag.for_each_translation(z, |vertex, gradient, hessian| {
                let group = groups.of_piece[self.pieces.of_vertex[vertex as usize] as usize];
                moments[group] += gradient[axis];
                inertias[group] += hessian.col(axis)[axis];
            });
            for (piece, group) in self.pieces.lists.iter().zip(&groups.of_piece).filter(|(_, g)| is_free[**g])
            {
                let shift = moments[*group] / inertias[*group];
                piece.iter().for_each(|v| z[3 * *v as usize + axis] -= shift);
            }
        }
    }

    /// Solves `H s = −g` at the point of the last evaluation.
    fn find_step(
        &mut self,
        z: &[f64],
        here: &mut Evaluation,
        problem: &NewtonProblem<'_>,
        limits: NewtonLimits,
        report: &mut NewtonReport,
        curvature: Curvature,
    ) -> Result<(), NewtonError> {
        match &mut self.linear {
            Linear::Conjugate(solver) => {
                let ConjugateSolver { hessian, preconditioner, .. } = &mut **solver;
                hessian.update(&self.system, problem);
                if report.iterations == 0 {
                    let rate = Some(problem.damping_rate);
                    let is_touched = self.system.touches.iter().any(ContactState::is_closed);
                    if is_touched || self.rate_of_grids != rate {
                        preconditioner.update_grids(hessian, problem);
                        self.rate_of_grids = rate.filter(|_| !is_touched);
                    }
                }
                preconditioner.update(hessian, &self.system, problem);
                preconditioner.update_chains(hessian, &self.system, problem);
                let left = limits.linear_iterations - report.linear_iterations;
                let limits = ConjugateLimits {
                    tolerance: limits.linear_tolerance,
                    enough: LINEAR_PART * limits.tolerance * limits.tolerance * self.scales.lightest(),
                    iterations: MAX_CONJUGATE.min(left),
                };
                let (system, gradient) = (&self.system, &here.gradient);
                let taken = solver.solve(system, z, gradient, problem, limits, &mut self.step);
                report.linear_iterations += taken;
            }
            Linear::Factorized(assembly) => {
                let mut factor = assembly.factorize(&self.system, z, problem, true);
                if factor.is_err() && curvature == Curvature::Exact {
                    self.system.evaluate(z, problem, Curvature::Clamped, here);
                    factor = assembly.factorize(&self.system, z, problem, true);
                }
                if factor.is_err() && !self.system.pressure.is_empty() {
                    factor = assembly.factorize(&self.system, z, problem, false);
                }
                assembly.solve(&factor?, &here.gradient, problem.held, &mut self.step);
            }
        }
        Ok(())
    }

    /// Armijo backtracking along the step: the fraction taken, `None` if none lowers `W` enough. The system is then
    /// evaluated at the new point, or somewhere along the step if there is none.
    fn line_search(
        &mut self,
        z: &mut [f64],
        slope: f64,
        problem: &NewtonProblem<'_>,
        curvature: Curvature,
        here: &mut Evaluation,
        there: &mut Evaluation,
    ) -> Option<f64> {
        let work_of_rim = dot(&here.rim, &self.step[..here.rim.len()]);
        let mut fraction = 1.0;
        let mut trial = std::mem::take(&mut self.trial);
        trial.resize(z.len(), 0.0);
        let mut taken = None;
        for _ in 0..MAX_HALVINGS {
            trial.iter_mut().zip(z.iter().zip(&self.step)).for_each(|(t, (z, s))| *t = z + fraction * s);
            self.system.evaluate(&trial, problem, curvature, there);
            let change = there.energy - here.energy - fraction * work_of_rim;
            if change <= SUFFICIENT_DECREASE * fraction * slope {
                z.copy_from_slice(&trial);
                std::mem::swap(here, there);
                taken = Some(fraction);
                break;
            }
            fraction *= 0.5;
        }
        self.trial = trial;
        taken
    }
}
