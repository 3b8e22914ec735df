//! The world and its step.

use crate::air::Exposed;
use crate::build::{BuildError, world_cloths};
use crate::caches::{Caches, Solver};
use crate::description::{Air, SimulationSettings, WorldDescription};
use crate::frozen::{FreezeRules, Frozen, Thawed};
use crate::report::{StepReport, SubstepPlan};
use crate::stage::{Stage, StageTimes};
use glam::{DVec2, DVec3};
use rayon::ThreadPool;
use taffeta_contact::{Contact, ContactSurface, Obstacle};
use taffeta_core::lanes::{Row, fill_rows};
use taffeta_core::{Motion, Region, TriangleMesh};
use taffeta_remesh::RemeshSettings;
use taffeta_solve::ClothModel;
use taffeta_solve::drivers::direct::DirectError;

/// Threads that a world starts at most: more than any machine has use for, fewer than any refuses.
pub const MAX_THREADS: usize = 256;

/// A cloth of a world.
#[derive(Clone, Debug, PartialEq)]
pub struct Cloth {
    /// Its name.
    pub name: String,
    /// Material and choice of blocks.
    pub model: ClothModel,
    /// How it is remeshed; `None`: fixed topology.
    pub remesh: Option<RemeshSettings>,
    /// Whether it came with material coordinates.
    pub has_material: bool,
    /// How it meets obstacles.
    pub surface: ContactSurface,
}

/// A pin with what it needs to move.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pin {
    pub region: Region,
    pub motion: Motion,
    /// Centroid of the pinned vertices at time 0 \[m\].
    pub center: DVec3,
}

/// What may change from step to step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepInputs {
    /// Gravity \[m/s²\] instead of the world's.
    pub gravity: Option<DVec3>,
    /// Wind velocity \[m/s\] instead of the world's. No effect without air.
    pub wind: Option<DVec3>,
}

/// Why a step failed. The world is then as it was before the step.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// A position is not a number.
    #[error(
        "at {time} s a vertex of cloth '{cloth}' that was at {last_position}{} is not at a finite position any more; \
         try more substeps, or look for huge stiffness, speed or pressure",
        at_material(material)
    )]
    NotFinite {
        /// Name of the cloth.
        cloth: String,
        /// The vertex's material point \[m\], if the cloth has material coordinates.
        material: Option<DVec2>,
        /// Its position at the start of the step \[m\].
        last_position: DVec3,
        /// Time of the failed substep \[s\].
        time: f64,
    },
    /// The time step is not a positive number, or so long that no number of substeps makes sense.
    #[error("the time step is {dt} s; it must be positive and at most about an hour")]
    BadTimeStep {
        /// The time step \[s\].
        dt: f64,
    },
    /// Gravity or wind is not finite.
    #[error("{name} is {value}; it must be finite")]
    BadInput {
        /// `gravity` or `wind`.
        name: &'static str,
        /// Its value \[m/s²\] or \[m/s\].
        value: DVec3,
    },
    /// The direct solver failed.
    #[error("at {time} s the direct solver failed: {source}")]
    Direct {
        /// Time of the failed substep \[s\].
        time: f64,
        /// What went wrong.
        source: DirectError,
    },
}

fn at_material(material: &Option<DVec2>) -> String {
    material.map_or(String::new(), |u| format!(" (material point {u})"))
}

/// A simulated world: cloths, obstacles, air.
#[derive(Debug)]
pub struct World {
    pub(crate) cloths: Vec<Cloth>,
    pub(crate) pins: Vec<Pin>,
    pub(crate) obstacles: Vec<Obstacle>,
    pub(crate) settings: SimulationSettings,
    pub(crate) air: Option<Air>,
    pub(crate) time: f64,
    pub(crate) frame: u64,
    /// Time of the last remeshing pass of each cloth \[s\].
    pub(crate) last_passes: Vec<f64>,
    pub(crate) sheet: Frozen,
    pub(crate) caches: Caches,
    pub(crate) work: Workspace,
    pool: ThreadPool,
}

/// Scratch of a substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    /// Gravity of this step \[m/s²\].
    pub gravity: DVec3,
    /// Air of this step.
    pub air: Option<Air>,
    /// Positions at the start of the substep \[m\].
    pub start: Vec<DVec3>,
    /// Predicted positions \[m\].
    pub predicted: Vec<DVec3>,
    /// Current positions \[m\] and inverse masses.
    pub rows: Vec<Row>,
    /// Contacts.
    pub contacts: Vec<Contact>,
    /// Length of the last substep \[s\].
    pub h: f64,
}

impl World {
    /// Puts the parts of a new world together.
    pub(crate) fn assemble(
        description: &WorldDescription,
        pins: Vec<Pin>,
        thawed: Thawed,
    ) -> Result<Self, BuildError> {
        let settings = description.simulation.clone();
        let threads = settings.threads.min(MAX_THREADS);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|e| BuildError::Threads { threads, reason: e.to_string() })?;
        let cloths = world_cloths(description);
        let sheet = freeze(thawed, &cloths);
        let caches = Caches::build(&sheet, &cloths, settings.solver);
        let mut world = Self {
            cloths,
            pins,
            obstacles: description.obstacles.clone(),
            settings,
            air: description.air,
            time: 0.0,
            frame: 0,
            last_passes: vec![0.0; description.cloths.len()],
            sheet,
            caches,
            work: Workspace {
                gravity: description.simulation.gravity,
                air: description.air,
                ..Workspace::default()
            },
            pool,
        };
        world.refill();
        Ok(world)
    }

    /// Advances the world by `dt` seconds, then adapts the meshes that are due.
    ///
    /// # Errors
    /// If the time step is not positive, gravity or wind is not finite, the solver fails or a position is not finite.
    /// The world is then as it was before the step.
    pub fn step(&mut self, inputs: &StepInputs, dt: f64) -> Result<StepReport, StepError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(StepError::BadTimeStep { dt });
        }
        let inputs = [("gravity", inputs.gravity), ("wind", inputs.wind)];
        for (name, value) in inputs.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            if !value.is_finite() {
                return Err(StepError::BadInput { name, value });
            }
        }
        let mut times = StageTimes::default();
        let last_work = self.work.clone();
        let last_good = (self.sheet.state.positions.clone(), self.sheet.state.velocities.clone(), self.time);
        self.work.gravity = inputs[0].1.unwrap_or(self.settings.gravity);
        self.work.air = self.air.map(|air| Air { wind: inputs[1].1.unwrap_or(air.wind), ..air });
        let outcome = self.plan(dt).and_then(|plan| self.run_substeps(plan, dt, &mut times));
        let plan = match outcome {
            Ok(plan) => plan,
            Err(error) => {
                (self.sheet.state.positions, self.sheet.state.velocities, self.time) = last_good;
                // Solver and detector have memories of their own, which the failed step has touched.
                self.rebuild();
                self.work = last_work;
                return Err(error);
            }
        };
        self.frame += 1;
        self.caches.keep_hinge_angles(&mut self.sheet);
        let measured = times.run(Stage::Measure, || self.measure());
        let contacts = self.work.contacts.iter().filter(|c| c.normal_lambda > 0.0).count();
        let remesh = times.run(Stage::Remesh, || self.remesh_if_due());
        let state_hash = times.run(Stage::Measure, || self.state_hash());
        Ok(StepReport {
            time: self.time,
            plan,
            vertices: self.sheet.topology.vertex_count,
            faces: self.sheet.topology.face_count(),
            contacts,
            remesh,
            metrics: measured,
            state_hash,
            times,
        })
    }

    fn run_substeps(
        &mut self,
        mut plan: SubstepPlan,
        dt: f64,
        times: &mut StageTimes,
    ) -> Result<SubstepPlan, StepError> {
        debug_assert_eq!(self.caches.epoch, self.sheet.topology.epoch, "caches of another topology");
        let h = dt / f64::from(plan.substeps);
        let start = self.time;
        for substep in 0..plan.substeps {
            // Multiplied, not added up: the last substep ends exactly at the frame.
            self.time = start + h * f64::from(substep);
            times.run(Stage::Predict, || self.predict(h));
            times.run(Stage::Detect, || self.detect(h));
            times.run(Stage::Solve, || self.solve(h, &mut plan))?;
            times.run(Stage::Finish, || self.finish(h))?;
        }
        self.time = start + dt;
        Ok(plan)
    }

    /// Runs `work` on the world's own threads.
    pub(crate) fn in_pool<T: Send>(
        &mut self,
        work: impl FnOnce(&mut Caches, &mut Workspace) -> T + Send,
    ) -> T {
        let (caches, work_space) = (&mut self.caches, &mut self.work);
        self.pool.install(|| work(caches, work_space))
    }

    /// Brings the scratch rows in line with the state.
    pub(crate) fn refill(&mut self) {
        let state = &self.sheet.state;
        fill_rows(&mut self.work.rows, &state.positions, &state.inverse_masses);
        self.work.contacts.clear();
        self.work.predicted.clear();
    }

    /// What the air acts on.
    pub(crate) fn exposed<'a>(&'a self, densities: &'a [f64]) -> Exposed<'a> {
        Exposed {
            faces: &self.sheet.topology.faces,
            rest: &self.sheet.rest,
            densities,
            positions: &self.sheet.state.positions,
            inverse_masses: &self.sheet.state.inverse_masses,
        }
    }

    /// Areal densities of the cloths \[kg/m²\].
    pub(crate) fn densities(&self) -> Vec<f64> {
        self.cloths.iter().map(|c| c.model.material.density).collect()
    }

    /// The cloths.
    pub fn cloths(&self) -> &[Cloth] {
        &self.cloths
    }

    /// The obstacles.
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    /// The time \[s\].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Number of steps made.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// The solver in use: `block` or `direct`.
    pub fn solver_name(&self) -> &'static str {
        match self.caches.solver {
            Solver::Block(_) => "block",
            Solver::Direct(_) => "direct",
        }
    }

    /// Number of vertices of all cloths.
    pub fn vertex_count(&self) -> usize {
        self.sheet.topology.vertex_count
    }

    /// Number of faces of all cloths.
    pub fn face_count(&self) -> usize {
        self.sheet.topology.face_count()
    }

    /// A copy of one cloth as it is now, with the material coordinates of its corners if it has any.
    ///
    /// # Panics
    /// If there is no cloth of that number.
    pub fn mesh(&self, cloth: usize) -> TriangleMesh {
        let (sheet, number) = (&self.sheet, cloth as u32);
        let range = sheet.vertex_range(number);
        let first = range.start as u32;
        let faces =
            sheet.faces_of(number).map(|fi| sheet.topology.faces[fi].map(|vi| vi.0 - first)).collect();
        let corners = || sheet.faces_of(number).map(|fi| sheet.rest.corners[fi]).collect();
        TriangleMesh {
            positions: sheet.state.positions.raw[range].to_vec(),
            faces,
            material: self.cloths[cloth].has_material.then(corners),
        }
    }

    /// Velocities of the vertices of one cloth \[m/s\], in the order of [`World::mesh`].
    ///
    /// # Panics
    /// If there is no cloth of that number.
    pub fn velocities(&self, cloth: usize) -> &[DVec3] {
        assert!(cloth < self.cloths.len(), "there is no cloth {cloth}");
        &self.sheet.state.velocities.raw[self.sheet.vertex_range(cloth as u32)]
    }

    /// The sheet in dense order, for those who compute on it.
    pub fn sheet(&self) -> &Frozen {
        &self.sheet
    }
}

/// Freezes by the rules of the cloths.
pub(crate) fn freeze(thawed: Thawed, cloths: &[Cloth]) -> Frozen {
    let models: Vec<_> = cloths.iter().map(|c| c.model.clone()).collect();
    let has_material: Vec<_> = cloths.iter().map(|c| c.has_material).collect();
    thawed.freeze(FreezeRules { models: &models, has_material: &has_material })
}
