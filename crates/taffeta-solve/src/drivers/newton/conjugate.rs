//! Preconditioned conjugate gradients on the Hessian.
//!
//! They stop by the error in the norm of the Hessian, in which Newton's method measures its steps. They do not stop by a
//! residual, whose size is that of the stiffest contact. Each iteration lowers `½ sᵀHs + gᵀs` by half of `αρ`, so the last
//! few of these tell the error that was left before them.
//!
//! Sources: Hestenes and Stiefel 1952; Strakoš and Tichý, On error estimation in the conjugate gradient method, 2002.

use super::linear::bending_factors::FactorWork;
use super::linear::hessian::Hessian;
use super::linear::vectors::{add_scaled, dot, scale_and_add};
use super::objective::{NewtonProblem, System};
use super::precondition::Preconditioner;

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConjugateLimits {
    /// The error of the step is this part of the step.
    pub tolerance: f64,
    /// Or the square of the error is no more than this \[J\].
    pub enough: f64,
    /// Iterations at most.
    pub iterations: u32,
}

/// Iterations that tell how far the solution was from its end before them.
const DELAY: usize = 4;

/// The solver for one Hessian, with scratch vectors.
#[derive(Clone, Debug)]
pub(super) struct ConjugateSolver {
    pub hessian: Hessian,
    pub preconditioner: Preconditioner,
    residual: Vec<f64>,
    preconditioned: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
    inner: FactorWork,
}

impl ConjugateSolver {
    /// A solver for a system.
    pub(super) fn new(system: &System, hessian: Hessian, preconditioner: Preconditioner) -> Self {
        let zero = vec![0.0; system.unknown_count()];
        Self {
            residual: zero.clone(),
            preconditioned: zero.clone(),
            direction: zero.clone(),
            product: zero,
            inner: hessian.new_work(system),
            hessian,
            preconditioner,
        }
    }

    /// Solves `H s = −g` at the point `z` of the last evaluation, approximately, into `step`; returns the iterations.
    ///
    /// Where a direction of negative curvature turns up, the step found so far is taken; it is a direction of descent.
    pub(super) fn solve(
        &mut self,
        system: &System,
        z: &[f64],
        gradient: &[f64],
        problem: &NewtonProblem<'_>,
        limits: ConjugateLimits,
        step: &mut [f64],
    ) -> u32 {
        step.fill(0.0);
        let Self { hessian, preconditioner, residual, preconditioned, direction, product, inner } = self;
        residual.iter_mut().zip(gradient).for_each(|(r, g)| *r = -g);
        preconditioner.apply(residual, problem.held, preconditioned);
        direction.copy_from_slice(preconditioned);
        let mut rho = dot(residual, preconditioned);
        if rho <= 0.0 {
            // Nothing to do, or a preconditioner that round-off has spoiled: downhill, as far as the line search likes.
            step.copy_from_slice(residual);
            return 0;
        }
        let (mut square, mut last) = (0.0, [f64::INFINITY; DELAY]);
        for iteration in 0..limits.iterations {
            let left: f64 = last.iter().sum();
            if left <= (limits.tolerance * limits.tolerance * square).max(limits.enough) {
                return iteration;
            }
            hessian.product(system, z, direction, problem, product, inner);
            let bend = dot(direction, product);
            if bend <= 0.0 {
                if iteration == 0 {
                    step.copy_from_slice(direction);
                }
                return iteration + 1;
            }
            let alpha = rho / bend;
            square += alpha * rho;
            last[iteration as usize % DELAY] = alpha * rho;
            add_scaled(step, alpha, direction);
            add_scaled(residual, -alpha, product);
            preconditioner.apply(residual, problem.held, preconditioned);
            let next = dot(residual, preconditioned);
            scale_and_add(direction, next / rho, preconditioned);
            rho = next;
        }
        limits.iterations
    }
}
