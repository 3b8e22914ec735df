//! Scene files, presets of materials and output folders.
//!
//! ```text
//! scene.toml ──► SceneSource ──► Scene ──► WorldDescription    (scene, materials, taffeta-io)
//! frames, probes, metrics, summary ──► OutputFolder            (output, taffeta-io)
//! folder of a run ──► ResultFolder ──► frames, tables, scene   (output)
//! types of tables and rows ──► JSON schemas, keys.md, outputs.md   (schema)
//! ```
//!
//! Wrong input is reported with file, line and column, the value that was found and the values that are allowed. A scene
//! whose [`memory`] is not available is refused before its mesh is made. This crate does not simulate: it makes the
//! input of [`taffeta_sim`] and stores its output.

#![forbid(unsafe_code)]

mod document;
pub mod error;
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
mod words;

pub use document::SceneSource;
pub use error::{Location, Problem, SceneError};
pub use memory::{MemoryModel, available_memory};
pub use output::{
    BodyRow, BodyWriter, MetricsRow, MetricsWriter, OutputError, OutputFolder, ProbeRow, ProbeWriter,
    ResultFolder, SUMMARY_FILE, cloth_frame, cloth_surface, rope_frame,
};
pub use overrides::Override;
pub use scene::{
    BuiltObstacle, BuiltScene, ClothShape, ContactSettings, ObstacleShape, OutputSettings, PlacedProbe,
    Probe, RopeProbe, RopeShape, Scene, SceneBody, SceneCamera, SceneCloth, SceneObstacle, SceneRope,
    SceneSolid, Simulation, SolidProbe, SolidShape,
};
pub use schema::{OutputFile, outputs_page, outputs_schema, run_tables, scene_keys, scene_schema};
pub use words::nearest_word;
