//! Newton's method on `W` over positions and bending scalars together.
//!
//! `H = M/s² + Σ_e (1+τ/h) Jᵀ α⁻¹ J + Σ_k [stress_k]₊ ∇²C_k`, symmetric positive definite by construction; Armijo
//! backtracking on `W` after every solve (`minimize`). The linear systems are solved by conjugate gradients (`conjugate`), at a
//! cost that grows linearly with the mesh. Below are three folders, each of which imports only from those before it: `objective`,
//! `linear` for the Hessian, and `precondition`.

mod conjugate;
mod groups;
mod linear;
mod minimize;
mod objective;
mod precondition;
mod site;

pub use objective::NewtonProblem;
pub use objective::carrier::{BodyDrive, Carrier};
pub use objective::drag::{Drag, Drags};
pub use objective::loads::{ContactState, Contacts, FrictionSpring};
pub use precondition::grid::Charts;
pub use precondition::levels::KeptGrids;
pub use site::Site;
pub use taffeta_factor::FactorError;

use crate::block::{Curvature, Stitch};
use crate::kinds::Blocks;
use crate::plate::{Plate, PlateState};
use conjugate::ConjugateSolver;
use glam::DVec3;
use groups::{Pieces, Scales};
use linear::assembled::Assembly;
use linear::hessian::Hessian;
use objective::{Evaluation, System};
use precondition::Preconditioner;
use precondition::chains::Chains;
use precondition::clusters::Clusters;
use precondition::levels::Levels;
use taffeta_core::{ContactRow, SurfaceTopology, TopologyEpoch};

/// Method for the linear systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinearSolver {
    /// Conjugate gradients: linear cost, solved as far as needed.
    Conjugate,
    /// A sparse factorization: exact, and the oracle of the other.
    Factorized,
}

/// Newton's method over the elements of one topology.
#[derive(Clone, Debug)]
pub struct NewtonDriver {
    epoch: TopologyEpoch,
    system: System,
    linear: Linear,
    pieces: Pieces,
    scales: Scales,
    point: Vec<f64>,
    /// Positions at the start of the step.
    start: Vec<f64>,
    /// Scratch of [`minimize`](Self::minimize): the step, a point on it, and `W` at both of its ends.
    step: Vec<f64>,
    trial: Vec<f64>,
    evaluations: [Evaluation; 2],
    /// The damping rate \[1/s\] of the step that the grids of the preconditioner were computed for, if others of this
    /// frame may use them.
    rate_of_grids: Option<f64>,
}

/// A linear solver with what it keeps from solve to solve.
#[derive(Clone, Debug)]
enum Linear {
    Conjugate(Box<ConjugateSolver>),
    Factorized(Box<Assembly>),
}

/// When a Newton solve stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonLimits {
    /// Iterations at most.
    pub iterations: u32,
    /// The step has converged when the decrease of `W` that it promises is, in each piece, below that of moving the piece by this
    /// length \[m\] against inertia.
    pub tolerance: f64,
    /// The part of a step that its error may be, if it is solved by conjugate gradients.
    pub linear_tolerance: f64,
    /// Iterations of conjugate gradients at most, all together: with them the solve ends.
    pub linear_iterations: u32,
}

/// Report of a Newton solve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NewtonReport {
    /// Newton iterations.
    pub iterations: u32,
    /// Iterations of the conjugate gradients, all together.
    pub linear_iterations: u32,
    /// Length of the last step \[m\]: that by which moving a piece against inertia is worth as much of `W`; the largest.
    pub error: f64,
    /// True if the last step was below the tolerance.
    pub converged: bool,
}

/// Why a Newton solve stopped without a result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NewtonError {
    /// A position or force is not finite.
    #[error("the energy of the step is not finite")]
    NotFinite,
    /// The matrix cannot be factorized.
    #[error("{0}")]
    Factor(#[from] FactorError),
}

impl NewtonDriver {
    /// Packs the blocks of a topology; `before` are the [grids](Self::grids) of the one before a remeshing pass, if any.
    pub fn build(
        topology: &SurfaceTopology,
        blocks: &Blocks,
        site: Site<'_>,
        solver: LinearSolver,
        before: Option<&KeptGrids>,
    ) -> Self {
        let system = System::build(topology, blocks, |fi| {
            site.face_pressures.get(fi.0 as usize).copied().unwrap_or(0.0)
        })
        .with_bodies(site.bodies);
        let linear = match solver {
            LinearSolver::Conjugate => {
                let hessian = Hessian::build(topology, &system);
                let charts = site.charts.unwrap_or(Charts { points: site.points, charts: &[] });
                let sewn: Vec<_> = blocks.stitches.iter().map(|s| s.vertices.map(|vi| vi.0)).collect();
                // Only charts and threads couple one grid with another.
                let has_links = site.charts.is_some() || !sewn.is_empty();
                let couplings = if has_links { hessian.couplings(&system) } else { Vec::new() };
                let levels = Levels::build(topology, charts, &couplings, &sewn, before);
                let clusters = Clusters::find(topology.vertex_count, &sewn);
                let chains = Chains::new(&blocks.ropes.chains);
                let preconditioner = Preconditioner::new(levels, clusters, chains);
                Linear::Conjugate(Box::new(ConjugateSolver::new(&system, hessian, preconditioner)))
            }
            LinearSolver::Factorized => {
                let (topology, plate) = (topology.clone(), blocks.plate.clone());
                let points = site.points.to_vec();
                Linear::Factorized(Box::new(Assembly::build(topology, plate, points, &system, Vec::new())))
            }
        };
        let vertices = |piece: precondition::grid::Piece| piece.vertices.iter().map(|vi| vi.0).collect();
        let chains = || blocks.ropes.chains.iter();
        let in_chain = |i: &usize| chains().any(|chain| chain.contains(i));
        let loose = topology.surface_vertex_count()..topology.vertex_count;
        let points = loose.filter(|i| !in_chain(i)).map(|i| vec![i as u32]);
        let ropes = chains().map(|chain| chain.clone().map(|i| i as u32).collect());
        let loose = points.chain(ropes).chain(system.bodies().map(Vec::from));
        let pieces =
            precondition::grid::find_pieces(topology, &[]).into_iter().map(vertices).chain(loose).collect();
        let stitches = blocks.stitches.iter().map(|stitch| stitch.vertices.as_slice());
        let tetrahedra = blocks.solids.normal.iter().map(|block| block.shape.vertices.as_slice());
        let pieces = Pieces::joined(pieces, system.vertex_count(), stitches.chain(tetrahedra));
        Self {
            epoch: topology.epoch,
            point: vec![0.0; system.unknown_count()],
            start: Vec::new(),
            step: Vec::new(),
            trial: Vec::new(),
            evaluations: Default::default(),
            rate_of_grids: None,
            pieces,
            scales: Scales::default(),
            linear,
            system,
        }
    }

    /// Grids that a driver of the same cloths with another topology takes over.
    pub fn grids(&self) -> Option<KeptGrids> {
        match &self.linear {
            Linear::Conjugate(solver) => Some(solver.preconditioner.levels().kept()),
            Linear::Factorized(_) => None,
        }
    }

    /// The topology that the driver was built for.
    pub fn epoch(&self) -> TopologyEpoch {
        self.epoch
    }

    /// Begins a frame. Its steps share the grids of the preconditioner as long as they are equally long and no contact
    /// acts; a contact would not stay at its place. To compute the grids takes as long as ten iterations of conjugate
    /// gradients, and the cloth bends little from step to step. No frame knows of the one before.
    pub fn begin_frame(&mut self) {
        self.rate_of_grids = None;
    }

    /// Notes the state at the start of a step, for damping and for unwrapped angles.
    pub fn begin_step(&mut self, x: &[DVec3], plate: &PlateState) {
        self.load(x, plate);
        self.system.begin_step(&self.point, &plate.clamps);
        self.start.clear();
        self.start.extend_from_slice(&self.point[..self.system.coordinate_count()]);
    }

    /// Begins the next stage of a step, whose last one has ended at `x`. Damping counts from where strains come to if they go on as they
    /// have changed until there, by a part of that.
    pub fn continue_step(&mut self, x: &[DVec3], plate: &PlateState, part: f64) {
        self.load(x, plate);
        self.system.continue_step(&self.point, &plate.clamps, part);
    }

    /// Forces on the vertices at `x` \[N\]: those of the elements without their damping, of pressure, and of the drag; 0 where a vertex does
    /// not move. `clamps` are the normals beyond the clamped edges. Begins a step there.
    pub fn forces(
        &mut self,
        x: &[DVec3],
        plate: &PlateState,
        drag: Drags<'_>,
        clamps: &[DVec3],
    ) -> Vec<DVec3> {
        self.begin_step(x, plate);
        let problem = NewtonProblem {
            inertia: &vec![0.0; x.len()],
            predicted: x,
            held: &vec![[false; 3]; x.len()],
            damping_rate: 0.0,
            drag,
            contacts: Contacts::default(),
            clamps,
        };
        let [out, _] = &mut self.evaluations;
        self.system.evaluate(&self.point, &problem, Curvature::Clamped, out);
        let forces = out.gradient[..3 * x.len()].chunks_exact(3);
        forces.map(|gradient| -DVec3::from_slice(gradient)).collect()
    }

    /// The stitches; the gaps that they want can be changed between steps.
    pub fn stitches_mut(&mut self) -> &mut [Stitch] {
        self.system.elements.stitches.blocks_mut()
    }

    /// Takes over `η₀` of the faces of a plate, which is the one that the driver was built from but for that.
    pub fn set_rest(&mut self, plate: &Plate) {
        self.system.bending.set_rest(plate);
    }

    /// The unwrapped angles \[rad\] at the start of the step, in the order of the plate's edges.
    pub fn reference_angles(&self) -> Vec<f64> {
        self.system.bending.reference_angles()
    }

    /// The contacts at the end of the last solve, in their order.
    pub fn contact_states(&self) -> &[ContactState] {
        &self.system.touches
    }

    /// Minimizes `W` from the positions `x` \[m\] and the scalars of the plate, which it replaces.
    ///
    /// # Errors
    /// If the energy is not finite or a factorization fails; positions and scalars are then of no use.
    pub fn solve(
        &mut self,
        x: &mut [DVec3],
        plate: &mut PlateState,
        problem: &NewtonProblem<'_>,
        limits: NewtonLimits,
    ) -> Result<NewtonReport, NewtonError> {
        self.load(x, plate);
        self.join(problem.contacts.rows);
        let mut z = std::mem::take(&mut self.point);
        let result = self.minimize(&mut z, problem, limits);
        self.solve_translations(&mut z, problem);
        self.system.touch(&z, problem);
        for (x, z) in x.iter_mut().zip(z.chunks_exact(3)) {
            *x = DVec3::from_slice(z);
        }
        let first = self.system.coordinate_count();
        plate.scalars.iter_mut().zip(&z[first..]).for_each(|(out, scalar)| *out = *scalar);
        self.point = z;
        result
    }

    /// Sees to it that a matrix that is factorized has room for the contacts between cloths.
    fn join(&mut self, rows: &[ContactRow]) {
        let Linear::Factorized(assembly) = &mut self.linear else { return };
        let mutual = rows.iter().filter(|row| row.is_mutual());
        let mut joints: Vec<[u32; 4]> = mutual.map(|row| row.vertices.map(|vi| vi.0)).collect();
        joints.sort_unstable();
        joints.dedup();
        assembly.join(&self.system, joints);
    }

    /// Copies positions and scalars into the flat vector. Bodies that are not given are where they were predicted.
    fn load(&mut self, x: &[DVec3], plate: &PlateState) {
        self.point[..self.system.coordinate_count()].fill(0.0);
        for (out, x) in self.point.chunks_exact_mut(3).zip(x) {
            out.copy_from_slice(&x.to_array());
        }
        let first = self.system.coordinate_count();
        self.point[first..].iter_mut().zip(&plate.scalars).for_each(|(out, scalar)| *out = *scalar);
    }
}

#[cfg(test)]
mod tests;
