//! Report of a step.

pub(crate) mod error;
pub(crate) mod loads;
pub(crate) mod seam_error;
pub(crate) mod stage;
pub(crate) mod stop_token;

use crate::model::description::ids::ClothId;
use crate::model::report::loads::ObstacleLoad;
use crate::model::report::stage::StageTimes;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// The outcome of one [`World::step`](crate::World::step).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Time after the step \[s\].
    pub time: f64,
    /// Number and cost of its substeps.
    pub plan: SubstepPlan,
    /// Vertices after the step.
    pub vertices: usize,
    /// Faces after the step.
    pub faces: usize,
    /// Contacts that carried a force in the last substep.
    pub contacts: usize,
    /// Report of the safeguard (CCD) that keeps cloths apart.
    pub safeguard: SafeguardReport,
    /// Load on each obstacle in this step, in the order of [`World::obstacle_ids`](crate::World::obstacle_ids).
    pub obstacle_loads: Vec<ObstacleLoad>,
    /// Edges whose spring has let go in this step.
    pub broken_edges: usize,
    /// Tears of the cloths in this step.
    pub tears: TearCounts,
    /// Edits of the remeshing pass; zero if none was due.
    pub remesh: RemeshCounts,
    /// The cloths whose topology has changed in this step, by remeshing, tearing or sewing.
    pub remeshed: Vec<ClothId>,
    /// Jumps of the state that the remeshing pass has caused.
    pub jumps: RemeshJumps,
    /// Energies, momenta and residual after the step, before the pass.
    pub metrics: Metrics,
    /// Roughness of the step, for its [budget](crate::StepInputs::budget); `None`: it is as exact as the world asks for.
    pub rough: Option<Rough>,
    /// Hash of the positions and velocities after the step.
    pub state_hash: String,
    /// Wall time per stage.
    pub times: StageTimes,
}

/// Settings that a step in a budget had instead of those of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rough {
    /// Error that a substep was allowed, relative to the size of a body.
    pub accuracy: f64,
    /// Factor by which the edges of cloths that are remeshed are longer.
    pub edges: f64,
}

/// Number and cost of the substeps of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SubstepPlan {
    /// Groups of bodies that could touch each other in the step, each with substeps of its own; 0 where the world rests.
    pub groups: u32,
    /// Number of substeps, pieces of those that were cut included; 0 where the world rests. The most of any group.
    pub substeps: u32,
    /// Sweeps or iterations per substep of the solvers `block`, `xpbd`, `pbd` and `projective`; the most Newton iterations of a substep of the global and direct solvers.
    pub iterations: u32,
    /// Iterations of the global solver's conjugate gradients, all together.
    pub linear_iterations: u32,
    /// The largest estimated error of a substep of the global and direct solvers, relative to the size of a body (root mean
    /// square).
    pub error: f64,
    /// Largest distance, against inertia, of the global and direct solvers from the solution of a stage \[m\].
    pub solution_error: f64,
    /// Substeps of the global and direct solvers that did not converge.
    pub not_converged: u32,
    /// If the automatic number of substeps was cut at its cap: the expected excess of the extension, relative to the
    /// size of the cloth.
    pub capped_excess: Option<f64>,
    /// Largest motion of the fastest obstacle in a substep, relative to the size of the cloth. `None` unless the number of
    /// substeps that moving obstacles ask for was cut at its cap.
    pub capped_stride: Option<f64>,
    /// When the step had done all the work that a step may do: what was left of it was made in a few long substeps \[s\].
    pub hurried_since: Option<f64>,
}

impl SubstepPlan {
    /// That of two groups of bodies together.
    pub(crate) fn plus(self, other: Self) -> Self {
        let larger = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).reduce(f64::max);
        let earlier = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).reduce(f64::min);
        Self {
            groups: self.groups + other.groups,
            substeps: self.substeps.max(other.substeps),
            iterations: self.iterations.max(other.iterations),
            linear_iterations: self.linear_iterations + other.linear_iterations,
            error: self.error.max(other.error),
            solution_error: self.solution_error.max(other.solution_error),
            not_converged: self.not_converged + other.not_converged,
            capped_excess: larger(self.capped_excess, other.capped_excess),
            capped_stride: larger(self.capped_stride, other.capped_stride),
            hurried_since: earlier(self.hurried_since, other.hurried_since),
        }
    }
}

/// Edits of a remeshing pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemeshCounts {
    /// Splits.
    pub splits: u64,
    /// Collapses.
    pub collapses: u64,
    /// Flips.
    pub flips: u64,
    /// Collapses and flips that were not made because something would have crossed.
    pub refused: u64,
}

impl RemeshCounts {
    /// Both together.
    pub fn plus(self, more: Self) -> Self {
        Self {
            splits: self.splits + more.splits,
            collapses: self.collapses + more.collapses,
            flips: self.flips + more.flips,
            refused: self.refused + more.refused,
        }
    }
}

/// Tears of cloths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TearCounts {
    /// Number of times that a vertex has come apart because the cloth there was overloaded.
    pub count: u64,
    /// Length of the edges that have opened, at rest \[m\].
    pub length: f64,
}

impl TearCounts {
    /// Both together.
    pub fn plus(self, more: Self) -> Self {
        Self { count: self.count + more.count, length: self.length + more.length }
    }
}

/// Changes of the state by a remeshing pass, ideally none. Zero if nothing was edited.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RemeshJumps {
    /// Distance by which collapses and flips moved material points, root mean square over a cloth and relative to its size; the
    /// largest of all cloths. They move the surface between the vertices; splits move nothing. The relaxation after the pass is
    /// not counted: the elastic forces would do the same in the next substep.
    pub popping: f64,
    /// Change of the kinetic energy \[J\].
    pub kinetic_energy: f64,
    /// Change of the elastic energy, of membrane and bending \[J\].
    pub elastic_energy: f64,
}

/// Energies, momenta and residual of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// Kinetic energy \[J\].
    pub kinetic_energy: f64,
    /// Elastic energy of the membrane \[J\].
    pub stretch_energy: f64,
    /// Elastic energy of bending \[J\].
    pub bend_energy: f64,
    /// Potential energy in gravity, zero at the origin \[J\].
    pub gravity_energy: f64,
    /// Linear momentum \[kg·m/s\].
    pub momentum: DVec3,
    /// Angular momentum about the center of mass \[kg·m²/s\].
    pub angular_momentum: DVec3,
    /// Largest principal Green strain in absolute value, over all faces, and strain over all segments of ropes. After the
    /// remeshing pass of a step, on the mesh that it leaves; energies, momenta and residual are those before.
    pub max_strain: f64,
    /// Norm of the unbalanced forces on the free vertices at the end of the last substep \[N\]: inertia, elasticity and
    /// contact. Zero when the implicit step is solved exactly and nothing is damped: damping forces are not part of it.
    pub residual: f64,
}

impl Metrics {
    /// Kinetic, elastic and potential energy together \[J\].
    pub fn energy(&self) -> f64 {
        self.kinetic_energy + self.stretch_energy + self.bend_energy + self.gravity_energy
    }
}

/// Interventions of the safeguard (CCD).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SafeguardReport {
    /// Vertices whose motion was shortened, over all substeps of the step.
    pub shortened: u64,
    /// Impulse that shortened motions lost \[N·s\]: mass times lost velocity.
    pub lost_impulse: f64,
    /// Pairs of primitives that pins or obstacles have forced together, and faces that they have forced into obstacles in
    /// closed form, over all substeps.
    pub forced: u64,
    /// Forced pairs that no longer crossed at the end of their substep: one has gone through the other.
    pub passed: u64,
    /// Substeps in which an intersection remained after all retries: at the shortest length that halving gives, or after the
    /// step had used up its halvings.
    pub given_up: u64,
    /// Pairs of bodies that were forced through each other, in the order in which it came up.
    pub meetings: Vec<ForcedMeeting>,
}

impl SafeguardReport {
    /// Adds the interventions in another group of bodies.
    pub(crate) fn add(&mut self, other: &Self) {
        self.shortened += other.shortened;
        self.lost_impulse += other.lost_impulse;
        self.forced += other.forced;
        self.passed += other.passed;
        self.given_up += other.given_up;
        self.meetings.extend(other.meetings.iter().cloned());
    }
}

/// Two bodies that were forced through each other in a step.
#[derive(Clone, Debug, PartialEq)]
pub struct ForcedMeeting {
    /// The bodies, for example "cloth 'sheet'" and "sphere obstacle 0". Obstacles in closed form and those made of
    /// triangles are numbered by themselves.
    pub bodies: [String; 2],
    /// Number of pairs of primitives, or faces.
    pub count: u64,
    /// Position of the first intersection \[m\].
    pub position: DVec3,
    /// When it first was: the end of the substep \[s\].
    pub time: f64,
}
