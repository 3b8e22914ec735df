//! The world: what it is made of, and what it is at a glance.

pub(crate) mod derived;
pub(crate) mod facts;

use crate::derive::world::derived::Derived;
use crate::derive::world::facts::{Changing, Facts, Split};
use crate::model::description::PinDescription;
use crate::model::description::ids::{ClothId, ObstacleId, PinId};
use crate::model::report::SafeguardReport;
use crate::model::report::stop_token::StopToken;
use crate::model::setup::loose::LooseBody;
use crate::model::setup::solid::Solid;
use crate::model::setup::{Cloth, Setup};
use crate::model::state::State;
use crate::model::state::dense::DenseState;
use crate::model::state::selection::Selection;
use crate::model::state::sheet::{KeyedSheet, Sheet};
use crate::model::workspace::budget::Budget;
use crate::model::workspace::{Inputs, Workspace};
use glam::DVec3;
use rayon::ThreadPool;
use std::sync::Arc;
use taffeta_contact::{MeshObstacle, MotionBounds, Obstacle};
use taffeta_core::{TopologyEpoch, TriangleMesh};

/// A simulated world: cloths, loose bodies, solids, obstacles, air.
///
/// ```text
/// setup    what it is made of; steps only read it
/// state    all that a run changes; a clone is a snapshot
/// derived  blocks, solver and searches for the present mesh; made from setup and state
/// workspace  of the present substep
/// ```
#[derive(Debug)]
pub struct World {
    pub(crate) setup: Setup,
    pub(crate) state: State,
    pub(crate) derived: Derived,
    /// The epoch of the last dense form. It counts the topologies of all branches from all snapshots, so no state holds it.
    pub(crate) epoch: TopologyEpoch,
    pub(crate) inputs: Inputs,
    /// Report of the safeguard for this step.
    pub(crate) safeguard: SafeguardReport,
    pub(crate) workspace: Workspace,
    pub(crate) stop_token: StopToken,
    pub(crate) budget: Budget,
    pub(crate) pool: Arc<ThreadPool>,
    /// The groups of bodies that the last step was made in; empty: in one, that of this world.
    pub(crate) parts: Vec<Part>,
    /// Bounds for groups that are to be built.
    pub(crate) bounds_of_parts: Vec<ExpectedBounds>,
}

/// A group of bodies that is stepped by itself, as a world of these bodies alone. The world takes its state from the whole
/// one before a step and gives it back afterwards.
#[derive(Debug)]
pub(crate) struct Part {
    pub selection: Selection,
    pub versions: Versions,
    /// True for each pin that held something of it when its last step began.
    pub pins: Vec<bool>,
    /// True if it rested in the last step.
    pub rests: bool,
    pub world: World,
}

impl Part {
    /// Returns whether it was made for the topologies that its bodies have in a sheet.
    pub(crate) fn is_of(&self, sheet: &Sheet) -> bool {
        self.versions.is_of(sheet)
    }
}

/// Bodies with the numbers of the topologies of those that are cloths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Versions {
    pub bodies: Vec<usize>,
    cloths: Vec<u64>,
}

impl Versions {
    /// Those of some bodies in a sheet.
    pub(crate) fn of(bodies: &[usize], sheet: &Sheet) -> Self {
        let cloths = bodies.iter().filter(|body| **body < sheet.cloth_count());
        Self { cloths: cloths.map(|cloth| sheet.version(*cloth)).collect(), bodies: bodies.to_vec() }
    }

    /// Returns whether the bodies have them in a sheet.
    pub(crate) fn is_of(&self, sheet: &Sheet) -> bool {
        *self == Self::of(&self.bodies, sheet)
    }
}

/// Motion for which the pairs of a group are to be collected when it is built.
#[derive(Clone, Debug)]
pub(crate) struct ExpectedBounds {
    pub versions: Versions,
    pub bounds: MotionBounds,
}

impl World {
    /// Facts for those who only read them.
    pub(crate) fn facts(&self) -> Facts<'_> {
        let Self { setup, inputs, state, derived, .. } = self;
        Facts { setup, inputs, state, choice: derived.choice }
    }

    /// Facts, and beside them what those may change who leave the state as it is.
    pub(crate) fn split(&mut self) -> Split<'_> {
        let Self { setup, inputs, state, derived, workspace, safeguard, .. } = self;
        let facts = Facts { setup, inputs, state, choice: derived.choice };
        Split { facts, derived, workspace, safeguard }
    }

    /// The parts that a stage changes.
    pub(crate) fn changing(&mut self) -> Changing<'_> {
        self.changing_and_derived().0
    }

    /// The parts that a stage changes, and what is derived.
    pub(crate) fn changing_and_derived(&mut self) -> (Changing<'_>, &mut Derived) {
        let Self { setup, inputs, state, derived, workspace, .. } = self;
        (Changing { setup, inputs, state, choice: derived.choice, workspace }, derived)
    }

    /// The cloths; the last of them are the surfaces of the solids.
    pub fn cloths(&self) -> &[Cloth] {
        &self.setup.cloths
    }

    /// The obstacles in closed form.
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.setup.obstacles
    }

    /// The obstacles that are made of triangles.
    pub fn mesh_obstacles(&self) -> &[MeshObstacle] {
        &self.setup.meshes
    }

    /// Handles of the cloths, in the order of [`cloths`](Self::cloths).
    pub fn cloth_ids(&self) -> &[ClothId] {
        &self.setup.ids.cloths
    }

    /// Handles of the obstacles: of those in closed form, then of those that are made of triangles.
    pub fn obstacle_ids(&self) -> impl Iterator<Item = ObstacleId> + '_ {
        self.setup.ids.all_obstacles()
    }

    /// Handles of the pins, in their order; those that have let go keep their places.
    pub fn pin_ids(&self) -> impl Iterator<Item = PinId> + use<> {
        (0..self.setup.pins.len() as u32).map(PinId)
    }

    /// The cloth of a name.
    pub fn find_cloth(&self, name: &str) -> Option<ClothId> {
        let place = self.setup.cloths.iter().position(|cloth| cloth.name == name)?;
        Some(self.setup.ids.cloths[place])
    }

    /// The obstacle of a name.
    pub fn find_obstacle(&self, name: &str) -> Option<ObstacleId> {
        let closed = self.setup.obstacles.iter().map(|obstacle| &obstacle.name);
        let meshes = self.setup.meshes.iter().map(|mesh| &mesh.name);
        let mut named = closed.chain(meshes).zip(self.obstacle_ids());
        named.find(|(own, _)| *own == name).map(|(_, id)| id)
    }

    /// The pin of a name that holds, or else the last that has let go: pins that have let go leave their names to later ones.
    pub fn find_pin(&self, name: &str) -> Option<PinId> {
        let named = self.pin_ids().filter(|pin| self.pin(*pin).name == name);
        named.max_by_key(|pin| (!self.has_released(*pin), *pin))
    }

    /// The description of a pin: that from which it was made.
    ///
    /// # Panics
    /// If there is no such pin.
    pub fn pin(&self, pin: PinId) -> &PinDescription {
        &self.setup.pins[pin.number()].description
    }

    /// The bodies of loose vertices.
    pub fn loose_bodies(&self) -> &[LooseBody] {
        &self.setup.bodies
    }

    /// The solids.
    pub fn solids(&self) -> &[Solid] {
        &self.setup.solids
    }

    /// The time \[s\].
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Number of steps made.
    pub fn frame(&self) -> u64 {
        self.state.frame
    }

    /// Number of vertices of all cloths and other bodies.
    pub fn vertex_count(&self) -> usize {
        self.state.sheet.topology.vertex_count
    }

    /// Number of faces of all cloths.
    pub fn face_count(&self) -> usize {
        self.state.sheet.topology.face_count()
    }

    /// A copy of one cloth as it is now, with the material coordinates of its corners if it has any. Vertices and faces are
    /// in the order of the description's mesh; what edits have added comes after them.
    ///
    /// # Panics
    /// If there is no cloth of that number.
    pub fn mesh(&self, cloth: usize) -> TriangleMesh {
        let State { sheet, motion, .. } = &self.state;
        let numbering = sheet.numbering(cloth);
        let corners = || numbering.sort_corners(&motion.rest.corners.raw[sheet.face_range(cloth)]);
        TriangleMesh {
            positions: numbering.sort_vertices(&motion.positions.raw[sheet.vertex_range(cloth as u32)]),
            faces: sheet.own_faces(cloth).to_vec(),
            material: self.setup.cloths[cloth].has_material.then(corners),
        }
    }

    /// Velocities of the vertices of one cloth \[m/s\], in the order of [`World::mesh`].
    ///
    /// # Panics
    /// If there is no cloth of that number.
    pub fn velocities(&self, cloth: usize) -> Vec<DVec3> {
        let State { sheet, motion, .. } = &self.state;
        sheet.numbering(cloth).sort_vertices(&motion.velocities.raw[sheet.vertex_range(cloth as u32)])
    }

    /// The sheet in dense order, for those who compute on it: neighbors are close in memory.
    /// [`ClothView::vertex`](crate::ClothView::vertex) finds a vertex of a cloth there.
    pub fn sheet(&self) -> &Sheet {
        &self.state.sheet
    }

    /// The dense arrays of its present state.
    pub fn motion(&self) -> &DenseState {
        &self.state.motion
    }

    /// A copy of the sheet by keys.
    pub fn keyed(&self) -> KeyedSheet {
        self.state.sheet.to_keyed(&self.state.motion)
    }

    /// Returns whether a pin has let go.
    ///
    /// # Panics
    /// If there is no such pin.
    pub fn has_released(&self, pin: PinId) -> bool {
        self.state.released[pin.number()]
    }

    /// A handle on the world for other threads, which can follow its steps and end them early.
    pub fn stop_token(&self) -> StopToken {
        self.stop_token.clone()
    }

    /// The threads that the world works on. What is done on one of them does not wait for another one to take it over.
    pub fn thread_pool(&self) -> Arc<ThreadPool> {
        Arc::clone(&self.pool)
    }

    /// Lets the world work on other threads from now on, for many worlds that share some. Results do not depend on it.
    pub fn set_thread_pool(&mut self, pool: Arc<ThreadPool>) {
        self.pool = pool;
    }

    /// Lets a handle that is there already be one on this world, in place of that which it had: for worlds that follow one
    /// another.
    pub fn set_stop_token(&mut self, stop_token: StopToken) {
        self.stop_token = stop_token;
    }
}
