//! Newton's method on `W` over positions and bending scalars together.
//!
//! `H = M/s² + Σ_e (1+τ/h) Jᵀ α⁻¹ J + Σ_k [stress_k]₊ ∇²C_k`, symmetric positive definite by construction; Armijo
//! backtracking on `W` after every solve. The linear systems are solved by conjugate gradients without a matrix
//! (`conjugate`), preconditioned by diagonal blocks and a coarse grid (`precondition`, `coarse`), at a cost that
//! grows linearly with the mesh.

mod bending;
mod coarse;
mod conjugate;
mod elements;
mod loads;
mod membrane;
mod pattern;
mod precondition;
mod system;
mod tiles;
mod vectors;

pub use coarse::Layout;
pub use loads::Contacts;
pub use system::NewtonProblem;

use crate::block::Curvature;
use crate::blocks::Blocks;
use crate::plate::PlateState;
use coarse::CoarseSpace;
use conjugate::{ConjugateLimits, ConjugateWork};
use glam::DVec3;
use precondition::Preconditioner;
use system::{Evaluation, System};
use taffeta_core::{FaceIndex, SurfaceTopology, TopologyEpoch};
use vectors::dot;

/// Armijo's constant: the part of the predicted decrease that a step must bring.
const SUFFICIENT_DECREASE: f64 = 1e-4;
/// Halvings of a step before it is given up.
const MAX_HALVINGS: u32 = 30;

/// Newton's method over the elements of one topology.
#[derive(Clone, Debug)]
pub struct NewtonDriver {
    topology: SurfaceTopology,
    system: System,
    preconditioner: Preconditioner,
    work: ConjugateWork,
    point: Vec<f64>,
}

/// When a Newton solve stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonLimits {
    /// Iterations at most.
    pub iterations: u32,
    /// The step has converged when the decrease of `W` that it promises is below that of moving all the cloth by this
    /// length \[m\] against inertia.
    pub tolerance: f64,
    /// The factor by which conjugate gradients reduce the residual.
    pub linear_tolerance: f64,
}

/// What a Newton solve did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NewtonReport {
    /// Newton iterations.
    pub iterations: u32,
    /// Iterations of the conjugate gradients, all together.
    pub linear_iterations: u32,
    /// Whether the last step was below the tolerance.
    pub converged: bool,
}

/// Why a Newton solve stopped without a result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NewtonError {
    /// A position or force is not finite.
    #[error("the energy of the step is not finite")]
    NotFinite,
}

impl NewtonDriver {
    /// Packs the blocks of a topology; `before` is the driver of the topology before a remeshing pass, if any.
    pub fn build(
        topology: &SurfaceTopology,
        blocks: &Blocks,
        layout: Layout<'_>,
        face_pressure: impl Fn(FaceIndex) -> f64,
        before: Option<&NewtonDriver>,
    ) -> Self {
        let system = System::build(topology, blocks, face_pressure);
        let coarse = CoarseSpace::build(topology, layout, before.map(|driver| driver.preconditioner.coarse()));
        Self {
            topology: topology.clone(),
            work: ConjugateWork::new(&system),
            point: vec![0.0; system.unknown_count()],
            preconditioner: Preconditioner::new(coarse),
            system,
        }
    }

    /// The topology that the driver was built for.
    pub fn epoch(&self) -> TopologyEpoch {
        self.topology.epoch
    }

    /// Notes the state at the start of a step, for damping and for unwrapped angles.
    pub fn begin_step(&mut self, x: &[DVec3], plate: &PlateState) {
        self.load(x, plate);
        self.system.begin_step(&self.point, &plate.clamps);
    }

    /// The unwrapped angles \[rad\] at the start of the step, in the order of the plate's edges.
    pub fn reference_angles(&self) -> Vec<f64> {
        self.system.bending.reference_angles()
    }

    /// Minimizes `W` from the positions `x` \[m\] and the scalars of the plate, which it replaces.
    ///
    /// # Errors
    /// If the energy is not finite; `x` is then unchanged.
    pub fn solve(
        &mut self,
        (x, plate): (&mut [DVec3], &mut PlateState),
        problem: &NewtonProblem<'_>,
        limits: NewtonLimits,
    ) -> Result<NewtonReport, NewtonError> {
        self.load(x, plate);
        let mut z = std::mem::take(&mut self.point);
        let result = self.minimize(&mut z, problem, limits);
        for (x, z) in x.iter_mut().zip(z.chunks_exact(3)) {
            *x = DVec3::from_slice(z);
        }
        let first = self.system.coordinate_count();
        plate.scalars.iter_mut().zip(&z[first..]).for_each(|(out, scalar)| *out = *scalar);
        self.point = z;
        result
    }

    fn minimize(
        &mut self,
        z: &mut [f64],
        problem: &NewtonProblem<'_>,
        limits: NewtonLimits,
    ) -> Result<NewtonReport, NewtonError> {
        let mut report = NewtonReport::default();
        let (mut here, mut there) = (Evaluation::default(), Evaluation::default());
        let mut step = vec![0.0; z.len()];
        self.system.evaluate(z, problem, Curvature::Clamped, &mut here);
        let enough = limits.tolerance * limits.tolerance * problem.inertia.iter().sum::<f64>();
        while report.iterations < limits.iterations {
            if !here.energy.is_finite() {
                return Err(NewtonError::NotFinite);
            }
            if report.iterations == 0 {
                self.preconditioner.update(&self.topology, &self.system, problem);
            }
            let conjugate = ConjugateLimits { tolerance: limits.linear_tolerance, iterations: 500 };
            report.linear_iterations += conjugate::solve(
                (&self.system, &mut self.preconditioner),
                (z, &here.gradient),
                problem,
                conjugate,
                (&mut step, &mut self.work),
            );
            report.iterations += 1;
            let slope = dot(&here.gradient, &step);
            report.converged = -slope <= enough;
            if report.converged {
                // Too small to be measured in W: taken as it is.
                z.iter_mut().zip(&step).for_each(|(z, s)| *z += s);
                break;
            }
            if !self.line_search(z, (&mut step, slope), problem, (&mut here, &mut there)) {
                break;
            }
        }
        Ok(report)
    }

    /// Armijo backtracking along `step`, which becomes the step taken; false if no fraction lowers `W` enough.
    fn line_search(
        &mut self,
        z: &mut [f64],
        (step, slope): (&mut [f64], f64),
        problem: &NewtonProblem<'_>,
        (here, there): (&mut Evaluation, &mut Evaluation),
    ) -> bool {
        let work_of_rim = dot(&here.rim, &step[..here.rim.len()]);
        let mut fraction = 1.0;
        let mut trial = z.to_vec();
        for _ in 0..MAX_HALVINGS {
            trial.iter_mut().zip(z.iter().zip(step.iter())).for_each(|(t, (z, s))| *t = z + fraction * s);
            self.system.evaluate(&trial, problem, Curvature::Clamped, there);
            let change = there.energy - here.energy - fraction * work_of_rim;
            if change <= SUFFICIENT_DECREASE * fraction * slope {
                z.copy_from_slice(&trial);
                std::mem::swap(here, there);
                return true;
            }
            fraction *= 0.5;
        }
        false
    }

    /// Copies positions and scalars into the flat vector.
    fn load(&mut self, x: &[DVec3], plate: &PlateState) {
        for (out, x) in self.point.chunks_exact_mut(3).zip(x) {
            out.copy_from_slice(&x.to_array());
        }
        let first = self.system.coordinate_count();
        self.point[first..].iter_mut().zip(&plate.scalars).for_each(|(out, scalar)| *out = *scalar);
    }
}

#[cfg(test)]
mod tests;
