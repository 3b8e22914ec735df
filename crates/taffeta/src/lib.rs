#![doc = include_str!("../../../README.md")]
//!
//! # Features of the crate
//!
//! | feature | adds |
//! |---|---|
//! | `sim` (default) | [`sim`], [`solve`] and the [`prelude`]: worlds, built from plain arrays and stepped; without it the mesh, the remesher and contact are left |
//! | `io` | readers and writers of meshes and frames |
//! | `scene` | scene files, presets of materials, output folders |
//! | `render` | pictures on the CPU |
//! | `study` | variants of a scene compared, physical checks |
//! | `faer` | sparse factorization by that package: five to ten times as fast under `direct` and `projective` where meshes are large. The program has it |

#![forbid(unsafe_code)]

pub use glam;
pub use taffeta_contact as contact;
pub use taffeta_core as core;
#[cfg(feature = "io")]
pub use taffeta_io as io;
pub use taffeta_mesh as mesh;
pub use taffeta_remesh as remesh;
#[cfg(feature = "render")]
pub use taffeta_render as render;
#[cfg(feature = "scene")]
pub use taffeta_scene as scene;
#[cfg(feature = "sim")]
pub use taffeta_sim as sim;
#[cfg(feature = "sim")]
pub use taffeta_solve as solve;
#[cfg(feature = "study")]
pub use taffeta_study as study;

#[cfg(feature = "sim")]
pub mod prelude;
