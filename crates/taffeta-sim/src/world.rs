//! The world: what it is made of and what can be asked of it.

use crate::air::Exposed;
use crate::build::{BuildError, world_cloths};
use crate::caches::{CacheSource, Caches, KeptCaches, Solver};
use crate::description::{
    Air, EnclosedDescription, Mode, SimulationSettings, SolverChoice, WorldDescription,
};
use crate::effort::Effort;
use crate::grab::GrabbedPatch;
use crate::loose::LooseBody;
use crate::mesh_obstacles::MeshObstacles;
use crate::motion::Motion;
use crate::pins::{Guided, Pin};
use crate::safeguard::SafeguardReport;
use crate::seams::{SeamLaw, seam_laws};
use crate::sheet::{FreezeRules, Sheet, Thawed};
use crate::solid::Solid;
use crate::state::{LastSubstep, State};
use crate::watch::Watch;
use glam::DVec3;
use rayon::ThreadPool;
use std::sync::Arc;
use taffeta_contact::{ContactSurface, Obstacle};
use taffeta_core::lanes::{Row, fill_rows};
use taffeta_core::{Motion as Path, TriangleMesh};
use taffeta_remesh::{RemeshSettings, View};
use taffeta_solve::{ClothModel, ProjectionStiffness, RowForce};

/// Threads that a world starts at most: more than any machine has use for, fewer than any refuses.
pub const MAX_THREADS: usize = 256;

/// A cloth of a world.
#[derive(Clone, Debug, PartialEq)]
pub struct Cloth {
    /// Its name.
    pub name: String,
    /// Material and choice of blocks.
    pub model: ClothModel,
    /// How stiff it is under position-based dynamics.
    pub projection: ProjectionStiffness,
    /// How it is remeshed; `None`: fixed topology.
    pub remesh: Option<RemeshSettings>,
    /// Whether it came with material coordinates.
    pub has_material: bool,
    /// Whether these lay it out as a whole: one per vertex. Otherwise its layout is how it starts.
    pub has_one_chart: bool,
    /// How it meets obstacles.
    pub surface: ContactSurface,
    /// Pressure along the face normals, following them \[Pa\].
    pub pressure: f64,
    /// The volume that it keeps inside; `None`: none.
    pub volume: Option<EnclosedDescription>,
    /// The force along an edge above which its spring lets go \[N\]; `None`: at no force.
    pub break_force: Option<f64>,
}

/// A simulated world: cloths, loose bodies, solids, obstacles, air.
#[derive(Debug)]
pub struct World {
    pub(crate) cloths: Vec<Cloth>,
    pub(crate) bodies: Vec<LooseBody>,
    pub(crate) solids: Vec<Solid>,
    pub(crate) pins: Vec<Pin>,
    pub(crate) seams: Vec<SeamLaw>,
    pub(crate) obstacles: Vec<Obstacle>,
    pub(crate) meshes: MeshObstacles,
    /// Whether cloths meet themselves and each other.
    pub(crate) self_contact: bool,
    pub(crate) settings: SimulationSettings,
    /// For what `auto` has chosen a solver that sweeps.
    sweeps_for: Option<&'static str>,
    pub(crate) air: Option<Air>,
    /// What cloths may be coarser outside of.
    pub(crate) view: Option<View>,
    pub(crate) view_motion: Path,
    pub(crate) state: State,
    pub(crate) caches: Caches,
    pub(crate) inputs: Inputs,
    /// What the safeguard had to do in this step.
    pub(crate) safeguard: SafeguardReport,
    pub(crate) work: Scratch,
    pub(crate) watch: Watch,
    pub(crate) effort: Effort,
    pool: Arc<ThreadPool>,
}

/// What a step is made with, and how.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inputs {
    /// Air of this step.
    pub air: Option<Air>,
    /// What grabs of this step pull at.
    pub grabbed: Vec<GrabbedPatch>,
    /// Whether folds yield at the end of the substep, see [`crate::plastic`].
    pub lets_yield: bool,
    /// Whether pins and obstacles stand still, as in the search for an equilibrium.
    pub stands_still: bool,
}

/// Scratch of a substep: nothing in it outlives the substep, so that nothing of it is ever noted or put back.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Positions \[m\] and velocities \[m/s\] at the start of the substep.
    pub start: Vec<DVec3>,
    pub start_velocities: Vec<DVec3>,
    /// `X` \[m\] of every vertex, see [`crate::integrate`].
    pub bases: Vec<DVec3>,
    /// The estimated error of the substep before, see [`crate::accuracy`].
    pub error: f64,
    /// The vertices whose motion the safeguard has shortened.
    pub shortened: Vec<usize>,
    /// How many contacts are of cloths with each other or with meshes.
    pub meetings: usize,
    /// Which vertices stick to something at the end.
    pub stopped: Vec<bool>,
    /// Impulses from outside \[N·s\], over a time \[s\]; empty if there are none.
    pub impulses: Vec<DVec3>,
    pub impulse_time: f64,
    /// Current positions \[m\] and inverse masses.
    pub rows: Vec<Row>,
    /// The vertices that are held along some axes only.
    pub guided: Vec<Guided>,
}

impl World {
    /// Puts the parts of a new world together.
    pub(crate) fn assemble(
        description: &WorldDescription,
        (pins, bodies, solids): (Vec<Pin>, Vec<LooseBody>, Vec<Solid>),
        thawed: Thawed,
    ) -> Result<Self, BuildError> {
        let mut settings = description.simulation.clone();
        let sweeps_for = description.find_need_to_sweep().filter(|_| settings.solver == SolverChoice::Auto);
        if sweeps_for.is_some() {
            settings.solver = SolverChoice::Block;
        }
        let threads = settings.threads.min(MAX_THREADS);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|e| BuildError::Threads { threads, reason: e.to_string() })?;
        let cloths = world_cloths(description);
        let (sheet, motion) = freeze(thawed, (&cloths, &solids), &pins);
        let self_contact = description.self_contact;
        let seams = seam_laws(description);
        let choice = resolve_solver(&settings, sheet.topology.vertex_count);
        let source = CacheSource {
            sheet: &sheet,
            motion: &motion,
            cloths: &cloths,
            bodies: &bodies,
            solids: &solids,
            pins: &pins,
            seams: &seams,
            time: 0.0,
            choice,
            self_contact,
            has_closed_forms: !description.obstacles.is_empty(),
            meshes: &description.mesh_obstacles,
        };
        let caches = Caches::build(source, KeptCaches::default());
        let mut world = Self {
            cloths,
            bodies,
            solids,
            sweeps_for,
            state: State::new(description, pins.len(), (sheet, motion)),
            pins,
            seams,
            obstacles: description.obstacles.clone(),
            meshes: MeshObstacles::new(description.mesh_obstacles.clone()),
            self_contact,
            settings,
            air: description.air,
            view: description.view,
            view_motion: description.view_motion.clone(),
            caches,
            inputs: Inputs { air: description.air, ..Inputs::default() },
            safeguard: SafeguardReport::default(),
            work: Scratch::default(),
            watch: Watch::default(),
            effort: Effort::new(0),
            pool: Arc::new(pool),
        };
        world.refill();
        world.note_crossings();
        Ok(world)
    }

    /// Runs `work` on the world's own threads.
    pub(crate) fn in_pool<T: Send>(
        &mut self,
        work: impl FnOnce(&mut Caches, &mut Scratch, &mut LastSubstep) -> T + Send,
    ) -> T {
        let (caches, scratch, last) = (&mut self.caches, &mut self.work, &mut self.state.last);
        self.pool.install(|| work(caches, scratch, last))
    }

    /// A handle on the world for other threads, which can follow its steps and end them early.
    pub fn watch(&self) -> Watch {
        self.watch.clone()
    }

    /// Lets a handle that is there already be one on this world, in place of that which it had: for worlds that follow one
    /// another.
    pub fn set_watch(&mut self, watch: Watch) {
        self.watch = watch;
    }

    /// The world's own threads.
    pub(crate) fn threads(&self) -> Arc<ThreadPool> {
        self.pool.clone()
    }

    /// Runs `work` on the world's own threads.
    pub(crate) fn in_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.pool.install(work)
    }

    /// Brings the scratch rows in line with the state.
    pub(crate) fn refill(&mut self) {
        let motion = &self.state.motion;
        fill_rows(&mut self.work.rows, &motion.positions, &motion.inverse_masses);
        self.state.last.forget();
    }

    /// What the air acts on.
    pub(crate) fn exposed<'a>(&'a self, densities: &'a [f64]) -> Exposed<'a> {
        Exposed {
            faces: &self.state.sheet.topology.faces,
            rest: &self.state.motion.rest,
            densities,
            segments: self.exposed_segments(),
            positions: &self.state.motion.positions,
        }
    }

    /// Areal densities of the cloths \[kg/m²\].
    pub(crate) fn densities(&self) -> Vec<f64> {
        self.cloths.iter().map(|c| c.model.material.density).collect()
    }

    /// The cloths; the last of them are the surfaces of the solids.
    pub fn cloths(&self) -> &[Cloth] {
        &self.cloths
    }

    /// The obstacles in closed form.
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    /// The time \[s\].
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Number of steps made.
    pub fn frame(&self) -> u64 {
        self.state.frame
    }

    /// The solver in use: `global`, `direct`, `block`, `xpbd`, `pbd` or `projective`.
    pub fn solver_name(&self) -> &'static str {
        match self.caches.choice {
            SolverChoice::Auto => SolverChoice::Global.name(),
            choice => choice.name(),
        }
    }

    /// Why that solver is in use.
    pub fn solver_reason(&self) -> String {
        if let Some(what) = self.sweeps_for {
            return format!(
                "auto: {what} belong to solvers that sweep over the blocks, and block is the fastest of them"
            );
        }
        let reason = match self.settings.solver {
            SolverChoice::Auto if self.caches.choice == SolverChoice::Direct => {
                "auto: an equilibrium of a mesh of this size is found fastest with a factorization"
            }
            SolverChoice::Auto => {
                "auto: Newton with conjugate gradients on several grids, whose result does not depend on the mesh and \
                 whose cost grows linearly with it"
            }
            _ => "the scene asks for it",
        };
        reason.to_owned()
    }

    /// Number of vertices of all cloths and other bodies.
    pub fn vertex_count(&self) -> usize {
        self.state.sheet.topology.vertex_count
    }

    /// Number of faces of all cloths.
    pub fn face_count(&self) -> usize {
        self.state.sheet.topology.face_count()
    }

    /// A copy of one cloth as it is now, with the material coordinates of its corners if it has any.
    ///
    /// # Panics
    /// If there is no cloth of that number.
    pub fn mesh(&self, cloth: usize) -> TriangleMesh {
        let (State { sheet, motion, .. }, number) = (&self.state, cloth as u32);
        let range = sheet.vertex_range(number);
        let first = range.start as u32;
        let faces =
            motion.faces_of(number).map(|fi| sheet.topology.faces[fi].map(|vi| vi.0 - first)).collect();
        let corners = || motion.faces_of(number).map(|fi| motion.rest.corners[fi]).collect();
        TriangleMesh {
            positions: motion.positions.raw[range].to_vec(),
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
        &self.state.motion.velocities.raw[self.state.sheet.vertex_range(cloth as u32)]
    }

    /// The forces of the scalar rows in the last substep, under the solvers `xpbd` and `pbd`; none under others, after
    /// remeshing and before the first step. Vertices are numbered in dense order, see [`World::sheet`].
    pub fn row_forces(&self) -> Vec<RowForce> {
        match &self.caches.solver {
            Solver::Rows(driver) if self.state.last.h > 0.0 => {
                driver.forces(&self.work.rows, self.state.last.h)
            }
            _ => Vec::new(),
        }
    }

    /// How many times projective dynamics has factorized its system: once, and again whenever the topology, what is held
    /// or the length of the substep has changed. 0 under other solvers.
    pub fn factorizations(&self) -> usize {
        self.caches.factorizations()
    }

    /// The sheet in dense order, for those who compute on it.
    pub fn sheet(&self) -> &Sheet {
        &self.state.sheet
    }

    /// A copy of the sheet by keys.
    pub fn thawed(&self) -> Thawed {
        self.state.sheet.thaw(&self.state.motion)
    }

    /// The dense arrays of its present state.
    pub fn motion(&self) -> &Motion {
        &self.state.motion
    }
}

/// Vertices up to which an equilibrium is searched with a factorization: without inertia, conjugate gradients need many
/// iterations for a stiff cloth that bends.
const MAX_FACTORIZED: usize = 20_000;

/// The solver for a scene: its choice, or what suits it best.
pub(crate) fn resolve_solver(settings: &SimulationSettings, vertices: usize) -> SolverChoice {
    match (settings.solver, settings.mode) {
        (SolverChoice::Auto, Mode::Static) if vertices <= MAX_FACTORIZED => SolverChoice::Direct,
        (SolverChoice::Auto, _) => SolverChoice::Global,
        (choice, _) => choice,
    }
}

/// Freezes by the rules of the cloths and the pins.
pub(crate) fn freeze(
    thawed: Thawed,
    (cloths, solids): (&[Cloth], &[Solid]),
    pins: &[Pin],
) -> (Sheet, Motion) {
    let models: Vec<_> = cloths.iter().map(|c| c.model.clone()).collect();
    let has_one_chart: Vec<_> = cloths.iter().map(|c| c.has_one_chart).collect();
    let axes: Vec<_> = pins.iter().map(|pin| pin.description.axes).collect();
    thawed.freeze(FreezeRules { models: &models, has_one_chart: &has_one_chart, axes: &axes, solids })
}
