//! Scene files, presets of materials and output folders.
//!
//! ```text
//! scene.toml ──► Scene ──► WorldDescription          (scene, materials, taffeta-io)
//! frames, probes, metrics ──► folder ──► back        (output, taffeta-io)
//! ```
//!
//! Wrong input is reported with file, line and column, what was found and what is allowed. This crate does not
//! simulate: it makes the input of [`taffeta_sim`] and stores its output.

#![forbid(unsafe_code)]

mod document;
pub mod error;
mod json;
mod keys;
pub mod materials;
pub mod memory;
mod names;
pub mod output;
mod overrides;
mod place;
mod read;
pub mod scene;
pub mod schema;
mod toml_tree;
mod value;
mod words;

pub use document::SceneSource;
pub use error::{Location, Problem, SceneError};
pub use memory::{MemoryModel, available_memory};
pub use output::{
    GLB_FILE, MetricsRow, MetricsWriter, OBSTACLES_USDA, OutputError, OutputFolder, PVD_FILE, ProbeRow,
    ProbeWriter, ResultFolder, cloth_frame, rope_frame,
};
pub use overrides::Override;
pub use scene::{
    BuiltObstacle, BuiltScene, ClothShape, ContactSettings, ObstacleShape, OutputSettings, PlacedProbe,
    Probe, RopeProbe, RopeShape, Scene, SceneCamera, SceneCloth, SceneObstacle, SceneRope, SceneSolid,
    Simulation, SolidProbe, SolidShape,
};
pub use schema::{scene_keys, scene_schema};
pub use words::nearest_word;
