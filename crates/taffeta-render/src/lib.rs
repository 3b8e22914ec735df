//! Pictures of a result on the CPU.
//!
//! ```text
//! bodies ──► Surface ──► sky light at the vertices ─┐
//!               │  └───► shadow map of the key light ├──► shading, once per face and pixel ──► average ──► sRGB
//!               └──────► which face each sample sees ┘
//! ```
//!
//! [`render()`] draws cloths and obstacles into an image, without a GPU and on one thread. Equal input gives equal bytes.
//! Cloths have colors of their own, or show a value per vertex on a [`Scale`], with a legend. Several pictures become a GIF
//! file ([`animation`]), an APNG file ([`apng`]) or a [`sheet`].
//!
//! `euc` rasterizes. It writes only the number of the face that a sample sees, into a visibility buffer (Burns and Hunt, The
//! Visibility Buffer, 2013). Everything else is computed from that number: smooth normals, the two sides of the cloth,
//! shadows, and the edges of the mesh at their distance in pixels. So shading costs one evaluation per face and pixel, however
//! many samples smooth the outlines.
//!
//! Cloth is woven, by its material coordinates, and has a thickness where it ends. There are no other textures, no transparency and no clipping. A face that reaches behind the camera is left out.

#![forbid(unsafe_code)]

mod bodies;
pub mod camera;
mod color;
pub mod error;
mod files;
pub mod image;
mod labels;
pub mod picture;
pub mod render;
pub mod scale;
mod shading;
pub mod sheet;

pub use bodies::body::{Body, BodyKind, compute_framing_bounds, union_bounds};
pub use bodies::obstacle_mesh::{ground_body, mesh_obstacle_body, obstacle_body, obstacle_mesh};
pub use bodies::{body, obstacle_mesh, tube};
pub use camera::{Camera, Viewpoint};
pub use error::RenderError;
pub use files::animation::{GifPalette, GifWriter, compute_delays};
pub use files::apng::ApngWriter;
#[cfg(feature = "mp4")]
pub use files::film;
pub use files::write::write_png;
pub use files::{animation, apng, write};
pub use image::Image;
pub use picture::{Coloring, LegendPlace, Picture};
pub use render::render;
pub use scale::{Palette, Scale, Spacing};
pub use shading::weave::thread_pitch;
pub use sheet::SheetLayout;
