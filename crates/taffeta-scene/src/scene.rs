//! A scene: plain, validated data.
//!
//! ```text
//! file + overrides ──► Document ──► Scene ──► build ──► WorldDescription
//!  (TOML or JSON)      (places)   (resolved)  (meshes, checks that need them)
//! ```
//!
//! Everything in a [`Scene`] is resolved: defaults are filled in, materials are values, paths are absolute.
//! [`Scene::to_json`] writes that down, and the same reader reads it back to an equal scene. Checks that need the mesh
//! itself (what a pin selects, where a probe lies) are part of [`Scene::build`].

mod assemble;
mod camera;
mod check;
pub(crate) mod obstacle;
mod orient;
mod pin;
mod plausible;
mod read;
mod read_cloth;
mod read_material;
mod read_membrane;
mod read_motion;
mod read_obstacle;
mod read_projective;
mod read_rope;
mod read_seam;
mod read_solid;
mod read_tearing;
mod rope;
mod solid;
pub(crate) mod write;

#[cfg(test)]
pub(crate) use read::read_with;
pub(crate) use read::{MAX_REPEATS, MAX_THREADS, SOLVERS};
pub(crate) use read_cloth::{BENDING_MODELS, DEFAULT_MATERIAL, MAX_LEVEL};
pub(crate) use read_membrane::MEMBRANE_MODELS;
pub(crate) use read_rope::{DEFAULT_RADIUS, ROPE_MODELS};
pub(crate) use read_seam::DEFAULT_TIME;

pub(crate) use camera::{DEFAULT_VIEW_DEG, WIDEST_VIEW_DEG};

pub use assemble::{BuiltScene, PlacedProbe};
pub use camera::SceneCamera;
pub use obstacle::{ObstacleShape, SceneObstacle};
pub use plausible::{doubt_mesh_layout, doubt_mesh_size};
pub use rope::{RopeShape, SceneRope};
pub use solid::{SceneSolid, SolidProbe, SolidShape};

use crate::document::Document;
use crate::error::SceneError;
use crate::memory::{MemoryModel, available_memory};
use crate::overrides::Override;
use glam::{DVec2, DVec3};
use std::path::{Path, PathBuf};
use taffeta_core::Placement;
use taffeta_io::{Format, grid::GridPattern, read_file};
use taffeta_remesh::RemeshSettings;
use taffeta_sim::{
    ACCURACIES, Air, BendingModel, Compression, EnclosedDescription, MembraneModel, MembraneScaling, Mode,
    PinDescription, ProjectionStiffness, SeamDescription, SimulationSettings, SolverChoice, WorldDescription,
};
use taffeta_solve::Material;

/// A validated scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Duration, frames, solver.
    pub simulation: Simulation,
    /// The cloths; at least one, or one rope or solid.
    pub cloths: Vec<SceneCloth>,
    /// The ropes.
    pub ropes: Vec<SceneRope>,
    /// The solids.
    pub solids: Vec<SceneSolid>,
    /// The obstacles.
    pub obstacles: Vec<SceneObstacle>,
    /// Contact.
    pub contact: ContactSettings,
    /// The surrounding air. A density or drag of 0 is a vacuum.
    pub air: Air,
    /// Points whose motion is recorded.
    pub probes: Vec<Probe>,
    /// Points of ropes whose motion is recorded.
    pub rope_probes: Vec<RopeProbe>,
    /// Points of solids whose motion is recorded.
    pub solid_probes: Vec<SolidProbe>,
    /// Where pictures are taken from; `None`: from where all is seen.
    pub camera: Option<SceneCamera>,
    /// What is written.
    pub output: OutputSettings,
    /// What is odd about the scene, though not wrong; one line each.
    pub warnings: Vec<String>,
    /// The file, for the places of problems that show only in [`Scene::build`].
    document: Document,
}

/// Duration, frames, and how to simulate.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    /// Simulated time \[s\]; 0 in a static scene, where no time passes.
    pub duration: f64,
    /// Output frames per second \[1/s\].
    pub frame_rate: f64,
    /// Seed of everything random.
    pub seed: u64,
    /// Mode, solver, time integration, substeps, gravity, threads.
    pub settings: SimulationSettings,
}

/// One cloth.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneCloth {
    /// Name, unique in the scene: letters, digits, `-` and `_`.
    pub name: String,
    /// Where its mesh comes from.
    pub shape: ClothShape,
    /// The material as resolved.
    pub material: Material,
    /// Where the mesh is put.
    pub place: Placement,
    /// Initial velocity \[m/s\].
    pub velocity: DVec3,
    /// Initial angular velocity about the center of mass \[rad/s\].
    pub angular_velocity: DVec3,
    /// Pressure along the face normals, following them \[Pa\].
    pub pressure: f64,
    /// The volume that it keeps if it is closed.
    pub volume: Option<EnclosedDescription>,
    /// Curvature at rest `κ_uu, κ_vv, κ_uv` \[1/m\].
    pub rest_curvature: [f64; 3],
    /// The pins. Vertex numbers are those of the mesh file.
    pub pins: Vec<PinDescription>,
    /// What is sewn together. Vertex numbers are those of the mesh file.
    pub seams: Vec<SeamDescription>,
    /// How to remesh; `None`: fixed topology.
    pub remesh: Option<RemeshSettings>,
    /// Constraint of a triangle, or springs along the edges.
    pub membrane: MembraneModel,
    /// What that constraint is scaled with.
    pub scaling: MembraneScaling,
    /// How much compression a triangle bears.
    pub compression: Compression,
    /// How it resists bending.
    pub bending: BendingModel,
    /// The force along an edge above which its spring lets go \[N\]; `None`: at no force.
    pub break_force: Option<f64>,
    /// How stiff it is under the solver `pbd`.
    pub projection: ProjectionStiffness,
}

/// Where the mesh of a cloth comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum ClothShape {
    /// A rectangle, see [`grid`](taffeta_io::grid()).
    Grid {
        /// Lengths along u and v \[m\].
        size: DVec2,
        /// Cells along u and v.
        cells: [u32; 2],
        /// How the cells are triangulated.
        pattern: GridPattern,
    },
    /// An ellipsoid around the origin, closed, without material coordinates, see [`sphere_mesh`](taffeta_io::sphere_mesh).
    Ball {
        /// Half axes \[m\].
        radius: DVec3,
        /// `20 · 4^level` faces.
        level: u32,
    },
    /// An OBJ file.
    Mesh {
        /// Absolute path.
        path: PathBuf,
        /// Factor of its `vt` coordinates: meters per unit.
        uv_scale: f64,
    },
    /// Closed paths of an SVG file, see [`read_outline`](taffeta_io::read_outline).
    Outline {
        /// Absolute path.
        path: PathBuf,
        /// Length of the edges \[m\].
        edge_length: f64,
        /// Meters per unit of the drawing; `None`: as the drawing says.
        scale: Option<f64>,
    },
}

/// Contact of all cloths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// Whether cloths touch each other and themselves; `None`: the scene does not say. Not in this version either way.
    pub self_contact: Option<bool>,
    /// Thickness \[m\]; `None`: from the material.
    pub thickness: Option<f64>,
}

/// A material point whose motion is recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// Name, unique in the scene.
    pub name: String,
    /// Index of the cloth in the scene.
    pub cloth: usize,
    /// Number of the panel of the cloth; `None`: the only one there.
    pub panel: Option<u32>,
    /// The material point \[m\].
    pub material: DVec2,
}

/// A point of a rope whose motion is recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct RopeProbe {
    /// Name, unique among all probes of the scene.
    pub name: String,
    /// Index of the rope in the scene.
    pub rope: usize,
    /// Where along the rope, as a fraction of its length at rest from the first end.
    pub at: f64,
}

/// What is written.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputSettings {
    /// Formats of the frames; empty: none are written.
    pub formats: Vec<Format>,
    /// Frames from one written frame to the next, at least 1.
    pub every: u32,
    /// Wall time from one checkpoint of a run to the next \[s\], at least 0: what a loss of power may cost.
    pub checkpoint_every: f64,
}

/// Wall time from one checkpoint to the next, unless the scene says otherwise \[s\].
pub(crate) const DEFAULT_CHECKPOINT_EVERY: f64 = 30.0;

/// How many times as long edges are in a draft.
const DRAFT_EDGES: f64 = 2.0;

impl Scene {
    /// Reads a scene file: JSON if its name ends in `.json`, TOML otherwise.
    ///
    /// # Errors
    /// If the file cannot be read, and everything that is wrong with the scene, each with its place.
    pub fn from_file(path: &Path, overrides: &[Override]) -> Result<Self, SceneError> {
        let file_error = |reason: String| SceneError::File { path: path.to_owned(), reason };
        let bytes = read_file(path).map_err(|error| file_error(format!("cannot read the scene: {error}")))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let byte = error.utf8_error().valid_up_to();
            file_error(format!("the scene is not UTF-8 text (byte {byte})"))
        })?;
        Self::from_str(&text, path, overrides)
    }

    /// Reads a scene from a text. The path names it in messages, decides between JSON and TOML by its ending, and
    /// relative paths in the scene are relative to its folder.
    ///
    /// # Errors
    /// Everything that is wrong with the scene, each with its place.
    pub fn from_str(text: &str, path: &Path, overrides: &[Override]) -> Result<Self, SceneError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        read::read_scene(Document::parse(text, path, overrides)?)
    }

    /// Makes everything rougher for a first look: the accuracy is "draft", unless it is rougher already, and the edges of
    /// cloths that are remeshed are twice as long.
    pub fn make_draft(&mut self) {
        let settings = &mut self.simulation.settings;
        let draft = ACCURACIES.iter().find(|(name, _)| *name == "draft").map_or(0.0, |(_, value)| *value);
        settings.accuracy = settings.accuracy.max(draft);
        for cloth in &mut self.cloths {
            cloth.remesh = cloth.remesh.map(|remesh| remesh.coarsened(DRAFT_EDGES));
        }
    }

    /// The last frame: frames are numbered from 0, the initial state, and no frame is later than the duration. In a
    /// static scene it is 1, the equilibrium.
    pub fn last_frame(&self) -> u64 {
        self.simulation.last_frame()
    }

    /// The scene as resolved, in canonical JSON: every value explicit, keys in alphabetical order, paths absolute.
    /// Reading it back gives an equal scene, from any folder.
    pub fn to_json(&self) -> serde_json::Value {
        write::scene_json(self)
    }

    /// The identity of the scene: the BLAKE3 hash, in hexadecimal, of the canonical JSON in which the contents of mesh
    /// files stand for their paths. The number of threads and a camera that no cloth is coarsened for do not change the
    /// result, and are left out.
    ///
    /// # Errors
    /// If a mesh file cannot be read.
    pub fn hash(&self) -> Result<String, SceneError> {
        write::scene_hash(self)
    }

    /// Makes the meshes, places them, and checks what can only be checked with them.
    ///
    /// # Errors
    /// Everything that is wrong, each with its place in the scene: files that cannot be read, triangles without area,
    /// pins that hold nothing, probes off the sheet.
    pub fn build(&self) -> Result<WorldDescription, SceneError> {
        self.assemble().map(|built| built.world)
    }

    /// Like [`Scene::build`], with everything that comes to light on the way.
    ///
    /// # Errors
    /// As [`Scene::build`].
    pub fn assemble(&self) -> Result<BuiltScene, SceneError> {
        self.assemble_within(available_memory())
    }

    /// Like [`Scene::assemble`] with a given amount of memory \[bytes\] instead of that of the machine; `None`: any.
    ///
    /// # Errors
    /// As [`Scene::build`], and if the world needs more memory by estimate; then before the mesh in question is made.
    pub fn assemble_within(&self, memory: Option<u64>) -> Result<BuiltScene, SceneError> {
        assemble::assemble(self, memory)
    }

    /// How the scene is simulated, as far as its memory depends on it.
    pub fn memory_model(&self) -> MemoryModel {
        let settings = &self.simulation.settings;
        let knows_cloths = settings.solver != SolverChoice::Projective;
        let has_meshes = self.obstacles.iter().any(|obstacle| obstacle.closed_form().is_none());
        MemoryModel {
            solver: settings.solver,
            mode: settings.mode,
            has_proximity: self.contact.self_contact.unwrap_or(knows_cloths) || has_meshes,
            is_remeshed: self.cloths.iter().any(|cloth| cloth.remesh.is_some()),
        }
    }
}

impl Simulation {
    /// Whether the equilibrium is asked for and not the motion.
    pub fn is_static(&self) -> bool {
        self.settings.mode == Mode::Static
    }

    /// Time from frame to frame \[s\].
    pub fn frame_time(&self) -> f64 {
        1.0 / self.frame_rate
    }

    /// The last frame that is not later than the duration; 1 in a static scene.
    pub fn last_frame(&self) -> u64 {
        if self.is_static() {
            return 1;
        }
        // The slack makes 0.1 s at 30 frames per second three frames, whatever the round-off.
        (self.duration * self.frame_rate * (1.0 + 1e-9)).floor() as u64
    }
}
