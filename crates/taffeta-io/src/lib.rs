//! Meshes and frames as files of other programs, and meshes that are made here.
//!
//! ```text
//! OBJ, STL, PLY ──► read_mesh ──► ObjMesh          MSH ──► read_msh ──► tetrahedra
//! glTF ──► read_gltf ──► AnimatedMesh: a skin sampled over an animation
//! SVG ──► read_outline ──► TriangleMesh            grid, sphere_mesh, solid_box: without a file
//! sewing pattern (JSON) ──► read_garment ──► Garment: panels and their stitches
//! FrameData ──► write_ply, write_vtp, write_npz ──► one file per body and frame
//! frames one by one ──► SpanningWriter ──► one file that spans the frames
//!           read_ply, read_npz ──► FrameData
//! any PLY file ──► read_ply_polygons ──► positions and polygons
//! any NPY or NPZ file ──► read_npy_numbers, read_npz_numbers ──► arrays of numbers ──► write_npz_numbers
//! ```
//!
//! The mesh may change from frame to frame. [`FrameData`] holds a body in a frame. The modules of the formats say which parts
//! of it each holds: [`ply`], [`vtp`], [`npz`], [`usda`], [`glb`]; [`obj`] holds positions, material coordinates and faces.
//!
//! All files are functions of the frames alone: no time stamps, no paths, no names of machines. PLY, VTP and NPZ files
//! have the numbers of the simulation, 64 bits wide; USD and glTF define 32 bits.
//!
//! This crate knows plain arrays, and no simulation.

#![forbid(unsafe_code)]

mod arrays;
mod curvature;
mod file;
pub mod format;
pub mod frame;
pub mod gltf;
pub mod mesh_file;
pub mod msh;
pub mod obj;
pub mod polygons;
mod procedural;
mod sewing;
pub mod spanning;

pub use arrays::npy::{NumberArray, NumberKind};
pub use arrays::numbers;
pub use arrays::numbers::{ArchivedArray, read_npy_numbers, read_npz_numbers, write_npz_numbers};
pub use curvature::mean_curvatures;
pub use file::{UNFINISHED, read_file, write_beside};
pub use format::glb::GlbWriter;
pub use format::npz::{read_npz, write_npz};
pub use format::ply::{read_ply, write_ply};
pub use format::usda::UsdaWriter;
pub use format::vtp::{PvdEntry, write_pvd, write_vtp};
pub use format::{Format, glb, npz, ply, usda, vtp};
pub use frame::{FaceGroups, FrameData, ReadError};
pub use gltf::{AnimatedMesh, is_gltf, parse_gltf, read_gltf};
pub use mesh_file::{MeshFormat, parse_mesh, read_mesh};
pub use msh::{MshMesh, parse_msh, read_msh};
pub use obj::{
    FileSequence, MaterialPoints, ObjError, ObjMesh, parse_obj, read_obj, read_obj_sequence, read_polyline,
    write_grouped_obj, write_indexed_obj, write_obj, write_polyline,
};
pub use polygons::{Polygons, read_ply_polygons};
pub use procedural::grid;
pub use procedural::grid::{GridPattern, grid, sphere_mesh};
pub use procedural::solid_box::solid_box;
pub use sewing::garment::{Garment, GarmentError, parse_garment, read_garment};
pub use sewing::outline::{OutlineDefect, OutlineError, parse_outline, read_named_outline, read_outline};
pub use sewing::{garment, outline, panels, seam_table};
pub use spanning::{Files, RigidBody, Span, SpanningWriter};
