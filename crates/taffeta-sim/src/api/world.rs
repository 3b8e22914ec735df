//! The public door of a world: what can be done with it. Each method is one line; the work is done in the rooms below.

use crate::adapt::schedule;
use crate::api::checkpoint::{Checkpoint, CheckpointError};
use crate::api::snapshot::WorldSnapshot;
use crate::api::{budget, checkpoint, control, members, settings, snapshot, teleport};
use crate::build::world;
use crate::contact::forced;
use crate::contact::forced::QuarantinedPair;
use crate::derive::world::World;
use crate::derive::{bodies, crossings, rebuild, solver_facts};
use crate::features::grabs::SubstepStart;
use crate::measure::cloth_view::ClothView;
use crate::measure::{energy, points};
use crate::model::description::capabilities::Capabilities;
use crate::model::description::ids::{BodyId, ClothId, ObstacleId, PinId};
use crate::model::description::inputs::StepInputs;
use crate::model::description::{Air, ClothDescription, PinDescription, WorldDescription};
use crate::model::report::error::{BuildError, StepError};
use crate::model::report::{Metrics, RemeshCounts, RemeshJumps, StepReport};
use crate::model::state::sheet::KeyedSheet;
use crate::run::equilibrium;
use glam::DVec3;
use std::io::{self, Write};
use taffeta_contact::crossings::Crossing;
use taffeta_contact::{MeshObstacle, Obstacle};
use taffeta_core::{Pose, VertexIndex};
use taffeta_remesh::{RemeshSettings, View};
use taffeta_solve::Material;

impl World {
    /// A cloth to be read: arrays in its own numbers, and buffers to be filled.
    ///
    /// # Panics
    /// If there is no such cloth.
    pub fn cloth(&self, cloth: ClothId) -> ClothView<'_> {
        let place = self.setup.ids.find_cloth(cloth);
        ClothView::new(self, place.expect("the cloth was removed, or its handle is of another world"))
    }

    /// Builds a world at time 0.
    ///
    /// # Errors
    /// If a mesh, a material, a pin, an obstacle or a setting is impossible; the error names the cloth or the setting.
    pub fn build(description: &WorldDescription) -> Result<World, BuildError> {
        world::build_world(description)
    }

    /// Advances the world by `dt` seconds, then adapts the meshes that are due.
    ///
    /// # Errors
    /// If the time step is not positive, gravity or wind is not finite, or a grab makes no sense. If the solver fails, a
    /// position is not finite, or a [`StopToken`](crate::StopToken) asks for an end. The world is then as it was before the step.
    pub fn step(&mut self, inputs: &StepInputs, dt: f64) -> Result<StepReport, StepError> {
        let pool = self.pool.clone();
        pool.install(|| budget::step_in_budget(self, inputs, dt, &mut |_| ()))
    }

    /// Like [`step`](Self::step), but calls `lead` before every substep so that grab targets can move. A hand is then
    /// felt sooner than by the next step. `lead` runs on one of the world's threads. Without grabs, a
    /// substep may be done again in shorter ones; `lead` is then called for these too. If it moves nothing, the step is
    /// the one that [`step`](Self::step) makes.
    ///
    /// # Errors
    /// As those of [`step`](Self::step), also for a target that makes no sense.
    pub fn step_with(
        &mut self,
        inputs: &StepInputs,
        dt: f64,
        lead: &mut (dyn FnMut(SubstepStart<'_>) + Send),
    ) -> Result<StepReport, StepError> {
        // As a whole on the world's own threads: to hand each stage over to them takes longer than a stage of a small cloth.
        let pool = self.pool.clone();
        pool.install(|| budget::step_in_budget(self, inputs, dt, lead))
    }

    /// Moves the cloths from where they are to an equilibrium of gravity, pressure, elasticity, pins and obstacles. They
    /// are at rest then. Counts as one step, in which no time passes; pins and obstacles stand where they are.
    ///
    /// # Errors
    /// If a cloth floats, with nothing to hold it, no equilibrium is found, or a [`StopToken`](crate::StopToken) asks for an end; the
    /// world is then as it was before.
    pub fn equilibrate(&mut self) -> Result<StepReport, StepError> {
        let pool = self.pool.clone();
        pool.install(|| equilibrium::equilibrate(self))
    }

    /// Makes a pass over every cloth that is remeshed, also if none is due. `elapsed` stands for the time since the last pass
    /// \[s\]: wanted sizes grow back with it. Returns the edits, and what they did to the state.
    pub fn remesh_now(&mut self, elapsed: f64) -> (RemeshCounts, RemeshJumps) {
        let pool = self.pool.clone();
        pool.install(|| schedule::remesh_now(self, elapsed))
    }

    /// Makes the keyed form of the sheet, lets `change` edit it and makes the dense form anew.
    pub fn edit(&mut self, change: impl FnOnce(&mut KeyedSheet)) {
        rebuild::edit(self, change)
    }

    /// A note of the present state, to return to. It shares what does not change with the world, and is made much faster than a
    /// [checkpoint](Self::checkpoint), but cannot be written to a file.
    pub fn snapshot(&self) -> WorldSnapshot {
        snapshot::take(self)
    }

    /// Returns to a snapshot of this world. The following steps have the same bits as those that followed the snapshot, unless
    /// settings have changed since. Settings stay as they are, and masses are those of the present materials.
    ///
    /// # Errors
    /// If bodies or pins were added or removed since; the world is then unchanged.
    pub fn return_to(&mut self, snapshot: &WorldSnapshot) -> Result<(), BuildError> {
        let pool = self.pool.clone();
        pool.install(|| snapshot::return_to(self, snapshot))
    }

    /// The state to resume from.
    pub fn checkpoint(&self) -> Checkpoint {
        checkpoint::checkpoint(self)
    }

    /// Writes the [bytes](Checkpoint::to_bytes) of a [checkpoint](Self::checkpoint), of which only parts are in memory.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write_checkpoint(&self, out: impl Write) -> io::Result<()> {
        checkpoint::write_checkpoint(self, out)
    }

    /// The [hash](Checkpoint::hash) of a [checkpoint](Self::checkpoint), of which only parts are in memory.
    pub fn checkpoint_hash(&self) -> String {
        checkpoint::checkpoint_hash(self)
    }

    /// Takes over the state of a checkpoint of the same scene.
    ///
    /// # Errors
    /// If the checkpoint is of other cloths or its content makes no sense; the world is then unchanged.
    pub fn restore(&mut self, checkpoint: Checkpoint) -> Result<(), CheckpointError> {
        let pool = self.pool.clone();
        pool.install(|| checkpoint::restore(self, checkpoint))
    }

    /// Changes gravity \[m/s²\] for all steps to come.
    ///
    /// # Errors
    /// If it is not finite.
    pub fn set_gravity(&mut self, gravity: DVec3) -> Result<(), BuildError> {
        let pool = self.pool.clone();
        pool.install(|| settings::set_gravity(&mut self.setup, gravity))
    }

    /// Changes the error that a substep may have, relative to the size of a body, for all steps to come. Local solvers do not
    /// look at it.
    ///
    /// # Errors
    /// If it is outside of [`ACCURACY_RANGE`](crate::ACCURACY_RANGE).
    pub fn set_accuracy(&mut self, accuracy: f64) -> Result<(), BuildError> {
        let pool = self.pool.clone();
        pool.install(|| settings::set_accuracy(&mut self.setup, accuracy))
    }

    /// Changes the surrounding air for all steps to come; `None`: vacuum.
    ///
    /// # Errors
    /// If density or drag are negative, or something is not finite.
    pub fn set_air(&mut self, air: Option<Air>) -> Result<(), BuildError> {
        let pool = self.pool.clone();
        pool.install(|| settings::set_air(&mut self.setup, air))
    }

    /// Changes the camera outside of whose picture cloths may be coarser, for all passes to come; `None`: there is none.
    /// It stands still; for one that moves call this before every step, or describe its motion.
    /// Only cloths with [`RemeshSettings::coarsen_unseen`] look at it. Checkpoints do not hold it.
    pub fn set_view(&mut self, view: Option<View>) {
        let pool = self.pool.clone();
        pool.install(|| settings::set_view(&mut self.setup, &mut self.state, view))
    }

    /// Changes the material of a cloth. Positions and velocities stay. The thickness counts for contact as long as the
    /// scene has not given one of its own.
    ///
    /// # Errors
    /// If there is no such cloth, it is the surface of a solid, or the material is impossible or one that the
    /// solver does not know.
    pub fn set_material(&mut self, cloth: ClothId, material: Material) -> Result<(), BuildError> {
        let pool = self.pool.clone();
        pool.install(|| settings::set_material(self, cloth, material))
    }

    /// Changes how a cloth is remeshed from the next pass on.
    ///
    /// # Errors
    /// If there is no such cloth, it has not been remeshed so far, or the settings make no sense.
    pub fn set_remesh(&mut self, cloth: ClothId, settings: RemeshSettings) -> Result<(), BuildError> {
        let pool = self.pool.clone();
        pool.install(|| settings::set_remesh(&mut self.setup, &mut self.state, cloth, settings))
    }

    /// Adds a cloth as it is described at its time 0, which is now. The times of its seams, of its inflation and of the
    /// keyframes and releases of its pins count from now. Pins come after those that are there.
    ///
    /// # Errors
    /// As those of [`build`](Self::build) for this cloth, and if a body of the world has its name, or a pin that holds has the
    /// name of one of its pins.
    pub fn add_cloth(&mut self, cloth: &ClothDescription) -> Result<ClothId, BuildError> {
        let pool = self.pool.clone();
        pool.install(|| members::add_cloth(self, cloth))
    }

    /// Removes a cloth with its seams. Pins that hold nothing else let go. Handles of the others stay.
    ///
    /// # Errors
    /// If there is no such cloth, or it is the surface of a solid.
    pub fn remove_cloth(&mut self, cloth: ClothId) -> Result<(), BuildError> {
        let pool = self.pool.clone();
        pool.install(|| members::remove_cloth(self, cloth))
    }

    /// Adds an obstacle in closed form. Cloth that it crosses is pulled apart from it slowly. The times of its keyframes count
    /// from now.
    ///
    /// # Errors
    /// If its shape, place, motion or friction makes no sense, or an obstacle of the world has its name.
    pub fn add_obstacle(&mut self, obstacle: Obstacle) -> Result<ObstacleId, BuildError> {
        let pool = self.pool.clone();
        pool.install(|| members::add_obstacle(self, obstacle))
    }

    /// Adds an obstacle made of triangles. Cloth that it crosses is pulled apart from it slowly. The times of its keyframes and
    /// of its shapes count from now.
    ///
    /// # Errors
    /// If its mesh, place, motion or friction makes no sense, the solver does not know contact with meshes, or an obstacle of
    /// the world has its name.
    pub fn add_mesh_obstacle(&mut self, mesh: MeshObstacle) -> Result<ObstacleId, BuildError> {
        let pool = self.pool.clone();
        pool.install(|| members::add_mesh_obstacle(self, mesh))
    }

    /// Removes an obstacle. Handles of the others stay.
    ///
    /// # Errors
    /// If there is no such obstacle, or a pin follows it.
    pub fn remove_obstacle(&mut self, obstacle: ObstacleId) -> Result<(), BuildError> {
        let pool = self.pool.clone();
        pool.install(|| members::remove_obstacle(self, obstacle))
    }

    /// Moves an obstacle to another pose within the next step: the rigid transformation from its frame, already scaled, to
    /// world space, see [`Obstacle::pose_at`](taffeta_contact::Obstacle::pose_at). The body moves there on a straight line, at
    /// constant angular velocity by the shorter way round, and stays there until the next call: whole turns take several steps. From the first call on its keyframes are without effect.
    ///
    /// # Errors
    /// If there is no such obstacle, or the pose is not finite or no rigid transformation.
    pub fn set_obstacle_pose(&mut self, obstacle: ObstacleId, pose: Pose) -> Result<(), BuildError> {
        let Self { setup, workspace, state, .. } = self;
        control::set_obstacle_pose(setup, &mut workspace.placed, state.time, obstacle, pose)
    }

    /// Sets bodies elsewhere at once, by a rigid transformation from where they are: cloths, solids and ropes with the pins
    /// that hold them, and obstacles. Nothing is swept on the way, and no time passes. Shapes stay, and velocities are turned along or, if they
    /// are not kept, zero. What touched something that stays behind touches it no more. The transformation follows
    /// keyframes, and poses and targets that were set before; what is set later is a place in the world, as ever.
    ///
    /// ```
    /// # use glam::DVec3;
    /// # use taffeta_core::{Pose, TriangleMesh};
    /// # use taffeta_sim::{ClothDescription, Material, World, WorldDescription};
    /// # let positions = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    /// # let mesh = TriangleMesh { positions, faces: vec![[0, 1, 2]], material: None };
    /// # let cloth = ClothDescription::new("cape", mesh, Material::isotropic(0.2, 500.0, 0.3, 1e-4));
    /// # let mut world = World::build(&WorldDescription { cloths: vec![cloth], ..WorldDescription::bare() })?;
    /// let cape = world.find_cloth("cape").expect("its name");
    /// let far = Pose { translation: DVec3::X * 100.0, ..Pose::IDENTITY };
    /// world.teleport(&[cape], far, true)?;
    /// assert_eq!(world.mesh(0).positions[1].x, 101.0);
    /// # Ok::<(), taffeta_sim::BuildError>(())
    /// ```
    ///
    /// # Errors
    /// If a body is not in the world, or the transformation is no rigid one or leads too far. If a pin also holds a cloth that
    /// stays, or holds some axes only and would be turned. If a rope in a plane would be turned, or the jump would cause an
    /// intersection. The world is then unchanged. A cloth that ends inside of a closed mesh without crossing it is not noticed.
    pub fn teleport<B: Into<BodyId> + Copy>(
        &mut self,
        bodies: &[B],
        transform: Pose,
        keep_velocities: bool,
    ) -> Result<(), BuildError> {
        let pool = self.pool.clone();
        let bodies: Vec<BodyId> = bodies.iter().map(|body| (*body).into()).collect();
        pool.install(|| teleport::teleport(self, &bodies, transform, keep_velocities))
    }

    /// Sets an obstacle to another pose at once, where [`set_obstacle_pose`](Self::set_obstacle_pose) sweeps it there.
    ///
    /// # Errors
    /// As those of [`teleport`](Self::teleport) for this obstacle.
    pub fn teleport_obstacle(&mut self, obstacle: ObstacleId, pose: Pose) -> Result<(), BuildError> {
        let pool = self.pool.clone();
        pool.install(|| teleport::teleport_obstacle(self, obstacle, pose))
    }

    /// Moves the vertices of an obstacle made of triangles to these positions in world space \[m\] within the next step, each on
    /// a straight line: for a skinned body. Its faces stay.
    ///
    /// # Errors
    /// If there is no such obstacle, it is no mesh, there are not as many positions as vertices, or one is not finite.
    pub fn set_obstacle_mesh(&mut self, obstacle: ObstacleId, positions: &[DVec3]) -> Result<(), BuildError> {
        let Self { setup, workspace, state, .. } = self;
        control::set_obstacle_mesh(setup, &mut workspace.placed, state.time, obstacle, positions)
    }

    /// Moves a pin within the next step. The pose takes its vertices from their places at time 0, or at the time when the pin
    /// was [added](Self::add_pin), to those at the end of the step. They stay there until the next call. From the first call on
    /// its keyframes are without effect.
    ///
    /// # Errors
    /// If there is no such pin, it has let go or follows an obstacle, or the pose is not finite or no rigid transformation.
    pub fn set_pin_pose(&mut self, pin: PinId, pose: Pose) -> Result<(), BuildError> {
        control::set_pin_pose(&mut self.setup, &mut self.state, pin, pose)
    }

    /// Moves the vertices of a pin to places of their own \[m\] within the next step, each on a straight line, in the order of
    /// [`pin_vertices`](crate::api::queries::pin_vertices). A vertex that remeshing adds between two of them goes midway between theirs.
    ///
    /// # Errors
    /// If there is no such pin, it has let go or follows an obstacle, there are not as many targets as vertices, or one is not
    /// finite.
    pub fn set_pin_targets(&mut self, pin: PinId, targets: &[DVec3]) -> Result<(), BuildError> {
        control::set_pin_targets(&self.setup, &mut self.state, pin, targets)
    }

    /// Holds vertices at their present positions by a new pin, along the axes that it holds. Its motion starts from there, and
    /// the times of its keyframes and of its release count from now. If it clamps, it keeps the direction that the sheet has
    /// now.
    ///
    /// Remeshing may add a vertex between two of them. It belongs to the pin if it lies on the boundary, in a face that the pin
    /// holds at all corners, or in the region of the pin. That region may be empty. Remeshing removes no vertex that a pin
    /// holds: a pin without any axis only keeps its vertices in the mesh.
    ///
    /// # Errors
    /// If there is no such vertex, the list is empty, or a pin that is not released holds a vertex or has the name. If the
    /// motion or another part of the description makes no sense, or the solver does not support it.
    pub fn add_pin(
        &mut self,
        vertices: &[VertexIndex],
        description: &PinDescription,
    ) -> Result<PinId, BuildError> {
        let pool = self.pool.clone();
        pool.install(|| control::add_pin(self, vertices, description))
    }

    /// Lets a pin go, as if its time had come: its vertices are free from the next step on, and another pin can hold them at
    /// once.
    ///
    /// # Errors
    /// If there is no such pin, or it has let go.
    pub fn release_pin(&mut self, pin: PinId) -> Result<(), BuildError> {
        control::release_pin(&mut self.state, pin)
    }

    /// Energies, momenta and residual of the present state.
    pub fn measure(&self) -> Metrics {
        energy::measure(self)
    }

    /// A hash of positions, velocities and what is plastic in dense order: a fingerprint of the motion. The whole state, with
    /// all that later steps depend on, has [`Checkpoint::hash`](crate::Checkpoint::hash).
    pub fn state_hash(&self) -> String {
        energy::state_hash(self)
    }

    /// Edges that go through faces, exactly; `None` if neither cloths nor meshes meet in this world. Obstacles do not
    /// cross each other. Vertices are those of [`contact_positions`](crate::api::queries::contact_positions).
    pub fn crossings(&self) -> Option<Vec<Crossing>> {
        crossings::crossings(self)
    }

    /// Pairs that are known to cross, and so are pulled apart rather than kept apart. The faces that reach into
    /// obstacles in closed form follow.
    pub fn quarantine(&self) -> Vec<QuarantinedPair> {
        forced::quarantine(self)
    }

    /// The solver in use: `global`, `direct`, `block`, `xpbd`, `pbd` or `projective`.
    pub fn solver_name(&self) -> &'static str {
        solver_facts::solver_name(self)
    }

    /// Parts of a world that its solver can compute.
    pub fn capabilities(&self) -> &'static Capabilities {
        self.derived.choice.capabilities()
    }

    /// Positions \[m\] and velocities \[m/s\] of the vertices of a loose body, in the order of its description. Ropes are the
    /// last of the loose bodies.
    ///
    /// # Panics
    /// If there is no loose body of that number.
    pub fn loose_state(&self, body: usize) -> (&[DVec3], &[DVec3]) {
        bodies::loose_state(self, body)
    }

    /// Positions \[m\] and velocities \[m/s\] of the vertices of a solid, in the order of its description.
    ///
    /// # Panics
    /// If there is no solid of that number.
    pub fn solid_state(&self, solid: usize) -> (Vec<DVec3>, Vec<DVec3>) {
        points::solid_state(self, solid)
    }
}
