//! Scene files, procedural meshes, readers and writers.
//!
//! ```text
//! scene.toml ──► Scene ──► WorldDescription          (scene, materials, grid, obj, outline)
//! frames, probes, metrics ──► folder ──► back        (output, taffeta-formats)
//! ```
//!
//! Wrong input is reported with file, line and column, what was found and what is allowed. This crate does not
//! simulate: it makes the input of [`taffeta_sim`] and stores its output.

#![forbid(unsafe_code)]

mod delaunay;
mod document;
pub mod error;
pub mod grid;
mod json;
mod keys;
pub mod materials;
pub mod memory;
pub mod mesh_file;
pub mod msh;
mod names;
pub mod obj;
pub mod outline;
pub mod output;
mod overrides;
mod place;
mod read;
pub mod scene;
pub mod schema;
mod solid_box;
mod toml_tree;
mod value;
mod words;

pub use error::{Location, Problem, SceneError};
pub use grid::{GridPattern, grid, sphere_mesh};
pub use memory::{MemoryModel, available_memory};
pub use mesh_file::{MeshFormat, parse_mesh, read_mesh};
pub use msh::{MshMesh, parse_msh, read_msh};
pub use obj::{
    FileSequence, MaterialPoints, ObjError, ObjMesh, parse_obj, read_obj, read_obj_sequence, read_polyline,
    write_indexed_obj, write_obj, write_polyline,
};
pub use outline::{OutlineDefect, OutlineError, parse_outline, read_outline};
pub use output::{
    GLB_FILE, MetricsRow, MetricsWriter, OBSTACLES_USDA, OutputError, OutputFolder, PVD_FILE, ProbeRow,
    ProbeWriter, ResultFolder, cloth_frame, rope_frame,
};
pub use overrides::Override;
pub use scene::{
    BuiltScene, ClothShape, ContactSettings, ObstacleShape, OutputSettings, PlacedProbe, Probe, RopeProbe,
    RopeShape, Scene, SceneCamera, SceneCloth, SceneObstacle, SceneRope, SceneSolid, Simulation, SolidProbe,
    SolidShape,
};
pub use schema::{scene_keys, scene_schema};
pub use solid_box::solid_box;
pub use taffeta_formats::read_file;
