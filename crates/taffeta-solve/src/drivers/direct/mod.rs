//! The direct driver: Newton's method with line search on `W`, sparse Cholesky of the whole system.
//!
//! `H = M/h² + Σ_e (1+τ/h) Jᵀ α⁻¹ J + Σ_k [stress_k]₊ ∇²C_k`, symmetric positive definite by construction; an Armijo
//! backtracking on `W` after every solve. It converges to the minimizer of `W` on any mesh, at the cost of a
//! factorization, and is the oracle for every block and every other driver.

mod elements;
mod pattern;

use crate::blocks::Blocks;
use elements::Elements;
use faer::linalg::cholesky::llt::factor::LltError as NumericError;
use faer::linalg::solvers::Solve;
use faer::sparse::SparseColMatRef;
use faer::sparse::linalg::LltError;
use faer::sparse::linalg::solvers::{Llt, SymbolicLlt};
use faer::{ColRef, Side};
use glam::{DMat3, DVec3};
use pattern::BlockPattern;
use taffeta_core::{ContactRow, SurfaceTopology, TopologyEpoch, VertexIndex};

use crate::block::{Curvature, EdgeLengths, GreenStrain, Hinge};

/// Newton iterations after which a step is given up as not converged.
const MAX_ITERATIONS: u32 = 100;
/// A step has converged when no vertex moves farther than this, relative to the extent of the cloth.
const STEP_TOLERANCE: f64 = 1e-10;
/// A step that promises less than this part of `W` is below its round-off: no line search can confirm it, and the
/// minimum is reached.
const ENERGY_ROUND_OFF: f64 = 1e-10;
/// Armijo's constant: the part of the predicted decrease that a step must bring.
const SUFFICIENT_DECREASE: f64 = 1e-4;
/// Halvings of a step before it is given up: 2⁻⁴⁰ is below the round-off of `W`.
const MAX_HALVINGS: u32 = 40;

/// Newton's method over the blocks of one topology.
#[derive(Clone, Debug)]
pub struct DirectDriver {
    epoch: TopologyEpoch,
    strain: Elements<3, 3, GreenStrain>,
    lengths: Elements<3, 3, EdgeLengths>,
    hinges: Elements<1, 4, Hinge>,
    pattern: BlockPattern,
    symbolic: SymbolicLlt<usize>,
}

/// One implicit step: minimize `W` over the free vertices.
#[derive(Clone, Copy, Debug)]
pub struct NewtonProblem<'a> {
    /// Length of the step \[s\].
    pub h: f64,
    /// Predicted positions `x̄` \[m\].
    pub predicted: &'a [DVec3],
    /// Masses \[kg\].
    pub masses: &'a [f64],
    /// Inverse masses \[1/kg\]; a vertex with 0 keeps the position it comes with.
    pub inverse_masses: &'a [f64],
    /// Contacts: `½ k min(0, gap)²` each.
    pub contacts: &'a [ContactRow],
    /// Stiffness `k` of a contact \[N/m\].
    pub contact_stiffness: f64,
}

/// What a Newton solve did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NewtonReport {
    /// Iterations, each with one factorization.
    pub iterations: u32,
    /// Whether the last step was below the tolerance.
    pub converged: bool,
    /// Norm of the gradient of `W` over the free vertices at the end \[N\].
    pub residual: f64,
}

/// Why a Newton solve stopped without a result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DirectError {
    /// The matrix could not be factorized.
    #[error("the system matrix is not positive definite at column {column} of {columns}")]
    NotPositiveDefinite {
        /// The column where the factorization broke down.
        column: usize,
        /// Number of columns.
        columns: usize,
    },
    /// The factors do not fit in memory.
    #[error("the factors of a system of {columns} unknowns do not fit in memory")]
    OutOfMemory {
        /// Number of columns.
        columns: usize,
    },
    /// A position or force is not finite.
    #[error("the energy of the step is not finite")]
    NotFinite,
}

impl DirectDriver {
    /// Copies the blocks and analyzes the sparsity pattern.
    pub fn build(topology: &SurfaceTopology, blocks: &Blocks) -> Self {
        let mut pairs = Vec::new();
        elements::collect_pairs(&blocks.strain, &mut pairs);
        elements::collect_pairs(&blocks.lengths, &mut pairs);
        elements::collect_pairs(&blocks.hinges, &mut pairs);
        // A contact couples the corners of one face.
        for face in topology.faces.iter() {
            elements::add_pairs(face, &mut pairs);
        }
        let pattern = BlockPattern::build(topology.vertex_count, pairs);
        let symbolic =
            SymbolicLlt::try_new(pattern.symbolic(), Side::Lower).expect("the pattern fits in memory");
        Self {
            epoch: topology.epoch,
            strain: Elements::new(&blocks.strain, &pattern),
            lengths: Elements::new(&blocks.lengths, &pattern),
            hinges: Elements::new(&blocks.hinges, &pattern),
            pattern,
            symbolic,
        }
    }

    /// The topology that the driver was built for.
    pub fn epoch(&self) -> TopologyEpoch {
        self.epoch
    }

    /// Notes the positions `x` \[m\] at the start of a step, for damping and for unwrapped angles.
    pub fn begin_step(&mut self, x: &[DVec3]) {
        self.strain.begin_step(x);
        self.lengths.begin_step(x);
        self.hinges.begin_step(x);
    }

    /// The unwrapped hinge angles \[rad\] at the start of the step, in the order of [`Blocks::hinges`].
    pub fn hinge_angles(&self) -> Vec<f64> {
        self.hinges.blocks.iter().map(|hinge| hinge.reference).collect()
    }

    /// Minimizes `W` from the positions `x` \[m\], which it replaces.
    ///
    /// # Errors
    /// If the system cannot be factorized or the energy is not finite; `x` is then the best iterate so far.
    pub fn solve(&self, x: &mut [DVec3], problem: &NewtonProblem<'_>) -> Result<NewtonReport, DirectError> {
        let extent = extent(x);
        let mut report = NewtonReport::default();
        let mut energy = self.objective(x, problem);
        let mut curvature = Curvature::Clamped;
        while report.iterations < MAX_ITERATIONS && !report.converged {
            if !energy.is_finite() {
                return Err(DirectError::NotFinite);
            }
            let gradient = self.gradient(x, problem);
            let step = self.newton_step(x, &gradient, (problem, curvature))?;
            let slope: f64 = gradient.iter().zip(&step).map(|(g, s)| g.dot(*s)).sum();
            let (fraction, lower) = self.line_search(x, &step, (energy, slope), problem);
            for (x, s) in x.iter_mut().zip(&step) {
                *x += *s * fraction;
            }
            energy = lower;
            let stuck = fraction == 0.0;
            let at_round_off = slope.abs() <= ENERGY_ROUND_OFF * energy.abs();
            if stuck && !at_round_off && curvature == Curvature::Clamped {
                report.iterations += 1;
                break;
            }
            // Far from the minimum the exact Hessian is indefinite or misleading; near it, it ends the iteration fast.
            curvature = if fraction == 1.0 { Curvature::Exact } else { Curvature::Clamped };
            let length = step.iter().map(|s| s.length()).fold(0.0, f64::max);
            report.converged = length <= STEP_TOLERANCE * extent || (stuck && at_round_off);
            report.iterations += 1;
        }
        report.residual = self.gradient(x, problem).iter().map(|g| g.length_squared()).sum::<f64>().sqrt();
        Ok(report)
    }

    /// The objective `W(x)` \[J\].
    pub fn objective(&self, x: &[DVec3], problem: &NewtonProblem<'_>) -> f64 {
        let inverse_h2 = 1.0 / (problem.h * problem.h);
        let mut inertia = 0.0;
        for (i, m) in problem.masses.iter().enumerate() {
            if problem.inverse_masses[i] > 0.0 {
                inertia += m * x[i].distance_squared(problem.predicted[i]);
            }
        }
        let contact: f64 = problem.contacts.iter().map(|row| contact_depth(row, x).powi(2)).sum();
        let elastic = self.strain.energy(x, problem.h) + self.lengths.energy(x, problem.h);
        0.5 * (inverse_h2 * inertia + problem.contact_stiffness * contact)
            + elastic
            + self.hinges.energy(x, problem.h)
    }

    /// The gradient of `W` \[N\]; zero at held vertices.
    pub fn gradient(&self, x: &[DVec3], problem: &NewtonProblem<'_>) -> Vec<DVec3> {
        let inverse_h2 = 1.0 / (problem.h * problem.h);
        let inertia = |i: usize| (x[i] - problem.predicted[i]) * (problem.masses[i] * inverse_h2);
        let mut gradient: Vec<_> = (0..x.len()).map(inertia).collect();
        self.strain.add_gradient(x, problem.h, &mut gradient);
        self.lengths.add_gradient(x, problem.h, &mut gradient);
        self.hinges.add_gradient(x, problem.h, &mut gradient);
        for row in problem.contacts {
            let force = row.normal * (-problem.contact_stiffness * contact_depth(row, x));
            for (vi, s) in row.vertices.iter().zip(row.weights) {
                gradient[vi.0 as usize] += force * s;
            }
        }
        for (g, w) in gradient.iter_mut().zip(problem.inverse_masses) {
            if *w == 0.0 {
                *g = DVec3::ZERO;
            }
        }
        gradient
    }

    /// Solves `H s = −g`, with the clamped Hessian if the exact one is not positive definite.
    fn newton_step(
        &self,
        x: &[DVec3],
        gradient: &[DVec3],
        (problem, curvature): (&NewtonProblem<'_>, Curvature),
    ) -> Result<Vec<DVec3>, DirectError> {
        let factor = match self.factorize(x, (problem, curvature)) {
            Err(_) if curvature == Curvature::Exact => self.factorize(x, (problem, Curvature::Clamped)),
            result => result,
        }?;
        let rhs: Vec<f64> = gradient.iter().flat_map(|g| (-*g).to_array()).collect();
        let solution = factor.solve(ColRef::from_slice(&rhs));
        Ok((0..x.len())
            .map(|i| DVec3::new(solution[3 * i], solution[3 * i + 1], solution[3 * i + 2]))
            .collect())
    }

    /// Assembles and factorizes `H`.
    fn factorize(
        &self,
        x: &[DVec3],
        (problem, curvature): (&NewtonProblem<'_>, Curvature),
    ) -> Result<Llt<usize, f64>, DirectError> {
        let mut matrix = self.pattern.matrix(problem.inverse_masses);
        let inverse_h2 = 1.0 / (problem.h * problem.h);
        for (i, m) in problem.masses.iter().enumerate() {
            matrix.add_diagonal(VertexIndex(i as u32), DMat3::from_diagonal(DVec3::splat(m * inverse_h2)));
        }
        self.strain.add_hessian(x, (problem.h, curvature), &mut matrix);
        self.lengths.add_hessian(x, (problem.h, curvature), &mut matrix);
        self.hinges.add_hessian(x, (problem.h, curvature), &mut matrix);
        for row in problem.contacts.iter().filter(|row| contact_depth(row, x) > 0.0) {
            matrix.add_contact(row, problem.contact_stiffness);
        }
        let values = matrix.finish();
        let matrix = SparseColMatRef::new(self.pattern.symbolic(), &values);
        let columns = 3 * x.len();
        Llt::try_new_with_symbolic(self.symbolic.clone(), matrix, Side::Lower).map_err(|error| match error {
            LltError::Numeric(NumericError::NonPositivePivot { index }) => {
                DirectError::NotPositiveDefinite { column: index, columns }
            }
            LltError::Generic(_) => DirectError::OutOfMemory { columns },
        })
    }

    /// Armijo backtracking: the accepted fraction of the step and `W` there; 0 if no fraction lowers `W` enough.
    fn line_search(
        &self,
        x: &[DVec3],
        step: &[DVec3],
        (energy, slope): (f64, f64),
        problem: &NewtonProblem<'_>,
    ) -> (f64, f64) {
        let mut fraction = 1.0;
        for _ in 0..MAX_HALVINGS {
            let trial: Vec<_> = x.iter().zip(step).map(|(x, s)| *x + *s * fraction).collect();
            let value = self.objective(&trial, problem);
            if value <= energy + SUFFICIENT_DECREASE * fraction * slope {
                return (fraction, value);
            }
            fraction *= 0.5;
        }
        (0.0, energy)
    }
}

/// How deep a contact is violated \[m\]; 0 if it is open.
fn contact_depth(row: &ContactRow, x: &[DVec3]) -> f64 {
    (-row.gap(row.interpolate(|vi| x[vi.0 as usize]))).max(0.0)
}

/// The largest side of the box around the positions \[m\].
fn extent(x: &[DVec3]) -> f64 {
    let low = x.iter().copied().reduce(DVec3::min).unwrap_or_default();
    let high = x.iter().copied().reduce(DVec3::max).unwrap_or_default();
    (high - low).max_element()
}

#[cfg(test)]
mod tests;
