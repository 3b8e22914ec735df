//! Inputs of a step, and the workspace of its substeps.

pub(crate) mod budget;
pub(crate) mod placed;
pub(crate) mod work_budget;

use crate::model::description::Air;
use crate::model::description::grabs::GrabbedPatch;
use crate::model::setup::pins::PartlyHeld;
use crate::model::state::rigid::RigidScratch;
use crate::model::workspace::placed::PlacedMeshes;
use crate::model::workspace::work_budget::{Deadline, WorkBudget};
use glam::DVec3;
use taffeta_contact::boxes::Aabb;
use taffeta_contact::response::ContactName;
use taffeta_core::lanes::Row;

/// Inputs of a step, and options of its substeps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inputs {
    /// Air of this step.
    pub air: Option<Air>,
    /// Velocity damping \[1/s\].
    pub damping: f64,
    /// The budget of wall time of this step.
    pub deadline: Option<Deadline>,
    /// Patches that the grabs of this step pull at.
    pub grabbed: Vec<GrabbedPatch>,
    /// True if folds yield at the end of the substep, see [`crate::features::plastic`].
    pub lets_yield: bool,
    /// True in a substep that is integrated by implicit Euler, since an impact made it too rough with two stages.
    pub is_rough: bool,
    /// True if pins and obstacles stand still, as in the search for an equilibrium.
    pub stands_still: bool,
    /// Obstacles that move by themselves and are stopped where they are in the substep, by their numbers.
    pub stopped: Vec<usize>,
}

/// Motion of a vertex at the end of the first of two stages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FirstStage {
    /// Place \[m\].
    pub position: DVec3,
    /// Velocity \[m/s\], with and without what contacts have done.
    pub velocity: DVec3,
    pub free: DVec3,
    /// Mean over the stage of the force of the air \[N\] and of the velocity \[m/s\], as the stage counts them.
    pub outer: DVec3,
    pub drift: DVec3,
}

/// Workspace of a substep: nothing in it outlives the substep, so that nothing of it is ever noted or put back.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    /// Positions \[m\] and velocities \[m/s\] at the start of the substep.
    pub start: Vec<DVec3>,
    pub start_velocities: Vec<DVec3>,
    /// `X` \[m\] of every vertex, see [`crate::step::stages::integrate`].
    pub bases: Vec<DVec3>,
    /// Accelerations at the start of the substep \[m/s²\]; empty if it begins with implicit Euler.
    pub accelerations: Vec<DVec3>,
    /// Force of the air at the start of the substep \[N\]; empty without air.
    pub start_outer: Vec<DVec3>,
    /// Motion of the vertices at the end of the first of two stages; empty before.
    pub first_stage: Vec<FirstStage>,
    /// Names of the contacts that bore a load in the first of two stages, sorted; empty before.
    pub first_borne: Vec<ContactName>,
    /// Momentum that the safeguard has given the cloths \[N·s\].
    pub secured: DVec3,
    /// The estimated error of the substep before, see [`crate::step::plan::accuracy`].
    pub error: f64,
    /// Rows and starts before the sweeps of a local solver, if something can meet.
    pub unswept: Option<(Vec<Row>, Vec<DVec3>)>,
    /// Loads that solutions of the substep have found for contacts that are too soft for them \[N\], in their order; 0 for the others.
    pub impacts: Vec<f64>,
    /// The vertices that the safeguard has put elsewhere than the solution of the substep, and by how much \[m\].
    pub displaced: Vec<(usize, DVec3)>,
    /// Obstacles in closed form that have forced cloth into themselves, by their numbers.
    pub forcing: Vec<usize>,
    /// Number of contacts of cloths with each other or with meshes.
    pub meetings: usize,
    /// Current positions \[m\] and inverse masses.
    pub rows: Vec<Row>,
    /// The vertices that are held along some axes only.
    pub guided: Vec<PartlyHeld>,
    /// The work that the step may do.
    pub work_budget: WorkBudget,
    /// Around each cloth over the substeps of the step so far; empty if nobody asks.
    pub reach: Vec<Aabb>,
    /// The obstacles that move by themselves.
    pub rigid: RigidScratch,
    /// Mesh obstacles at the ends of the substep.
    pub placed: PlacedMeshes,
}
