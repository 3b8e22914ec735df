//! A scene: plain, validated data.
//!
//! ```text
//! file + overrides ──► Document ──► SceneTable ──► Scene ──► WorldDescription
//!                       values       read          resolve    build
//!                     with places    keys, types,  keys that  meshes, checks
//!                                    ranges        depend     that need them
//! ```
//!
//! A table of a scene is a struct named `…Table`. It gives the reader, the canonical JSON, the schema and the reference of
//! keys. `resolve` turns it into the plain types of this module, and a conversion turns those into the table again.
//!
//! Everything in a [`Scene`] is resolved: defaults are filled in, materials are values, paths are absolute.
//! [`Scene::to_json`] writes that down, and the same reader reads it back to an equal scene. Checks that need the mesh
//! itself (what a pin selects, where a probe lies) are part of [`Scene::build`].

mod bodies;
mod build;
mod file;
pub(crate) mod obstacles;
pub(crate) mod settings;

pub use bodies::body::{SceneBody, SceneCloth, SceneRope, SceneSolid};
pub use bodies::cloth_shape::ClothShape;
pub use bodies::probe::{Probe, RopeProbe, SolidProbe};
pub use bodies::rope::RopeShape;
pub use bodies::solid::SolidShape;
pub use build::assemble::{BuiltObstacle, BuiltScene, PlacedProbe};
pub use build::plausible::{doubt_mesh_layout, doubt_mesh_size};
pub(crate) use file::SceneTable;
pub use obstacles::obstacle::{ObstacleShape, SceneObstacle};
pub use settings::camera::SceneCamera;
pub use settings::simulation::Simulation;
pub use settings::surroundings::{ContactSettings, OutputSettings};

use crate::document::Document;
use crate::memory::MemoryModel;
use glam::DVec3;
use taffeta_remesh::View;
use taffeta_sim::{ACCURACIES, Air};

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
    /// Camera of pictures; `None`: one that shows everything.
    pub camera: Option<SceneCamera>,
    /// Settings of the output.
    pub output: OutputSettings,
    /// Warnings of values that are odd, though not wrong; one line each.
    pub warnings: Vec<String>,
    /// The file, for the places of problems that show only in [`Scene::build`].
    document: Document,
}

/// Factor by which edges are longer in a draft.
const DRAFT_EDGES: f64 = 2.0;

impl Scene {
    /// Makes everything rougher for a first look. A tolerance becomes four times as large; without one the accuracy becomes
    /// "draft", unless it is rougher already. Edges of remeshed cloths become twice as long.
    pub fn make_draft(&mut self) {
        let settings = &mut self.simulation.settings;
        let draft = ACCURACIES.iter().find(|(name, _)| *name == "draft").map_or(0.0, |(_, value)| *value);
        match &mut settings.tolerance {
            Some(tolerance) => *tolerance *= DRAFT_EDGES * DRAFT_EDGES,
            None => settings.accuracy = settings.accuracy.max(draft),
        }
        for cloth in &mut self.cloths {
            cloth.description.remesh = cloth.remesh.map(|remesh| remesh.coarsened(DRAFT_EDGES));
        }
    }

    /// The last frame: frames are numbered from 0, the initial state, and no frame is later than the duration. In a
    /// static scene it is 1, the equilibrium.
    pub fn last_frame(&self) -> u64 {
        self.simulation.last_frame()
    }

    /// Settings of the scene on which its memory depends.
    pub fn memory_model(&self) -> MemoryModel {
        let settings = &self.simulation.settings;
        let knows_cloths = settings.solver.capabilities().meetings;
        let has_meshes = self.obstacles.iter().any(|obstacle| obstacle.closed_form().is_none());
        MemoryModel {
            solver: settings.solver,
            has_proximity: self.contact.self_contact.unwrap_or(knows_cloths) || has_meshes,
            is_remeshed: self.cloths.iter().any(|cloth| cloth.remesh.is_some()),
        }
    }

    /// The direction that is upward in pictures and files: the axis that points most along `up` of the camera, or else against
    /// gravity. Gravity that is a little aslant, as for a tilted table, must not tilt the picture.
    pub fn upward(&self) -> DVec3 {
        let of_camera = self.camera.as_ref().and_then(|camera| camera.up);
        let gravity = of_camera.map_or(self.simulation.settings.gravity, |up| -up);
        // y first: it stays up where gravity is as much along another axis, or nowhere.
        let mut up = DVec3::Y * if gravity.y > 0.0 { -1.0 } else { 1.0 };
        for axis in [DVec3::Z, DVec3::X] {
            let along = gravity.dot(axis);
            if along.abs() > gravity.dot(up).abs() {
                up = if along > 0.0 { -axis } else { axis };
            }
        }
        up
    }

    /// View of the camera in a wide picture, 16 to 9. `None`: there is no camera, or none that says what it looks at.
    fn view(&self) -> Option<View> {
        self.camera.as_ref()?.view(self.upward())
    }
}
