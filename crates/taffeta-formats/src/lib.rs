//! Frames in the formats of other programs.
//!
//! ```text
//! FrameData ──► write_ply, write_vtp, write_npz ──► one file per body and frame
//! frames one by one ──► UsdaWriter, GlbWriter ──► one file that spans the frames
//!           read_ply, read_npz ──► FrameData
//! any PLY file ──► read_ply_polygons ──► positions and polygons
//! any NPY or NPZ file ──► read_npy_numbers, read_npz_numbers ──► arrays of numbers ──► write_npz_numbers
//! ```
//!
//! The mesh may be another one in every frame. What a body is in a frame stands in [`FrameData`]; which format holds
//! what of it is said where the format is written: [`ply`], [`vtp`], [`npz`], [`usda`], [`glb`]. OBJ files, which hold
//! positions, material coordinates and faces, are written and read by the scene crate.
//!
//! All files are functions of the frames alone: no time stamps, no paths, no names of machines. PLY, VTP and NPZ files
//! have the numbers of the simulation, 64 bits wide; USD and glTF define 32 bits.

#![forbid(unsafe_code)]

mod archive;
mod claims;
mod curvature;
mod file;
pub mod format;
pub mod frame;
pub mod glb;
pub mod npz;
pub mod numbers;
pub mod ply;
pub mod polygons;
pub mod usda;
pub mod vtp;

pub use curvature::mean_curvatures;
pub use file::read_file;
pub use format::Format;
pub use frame::{FrameData, ReadError};
pub use glb::GlbWriter;
pub use npz::{read_npz, write_npz};
pub use numbers::{
    ArchivedArray, NumberArray, NumberKind, read_npy_numbers, read_npz_numbers, write_npz_numbers,
};
pub use ply::{read_ply, write_ply};
pub use polygons::{Polygons, read_ply_polygons};
pub use usda::UsdaWriter;
pub use vtp::{PvdEntry, write_pvd, write_vtp};
