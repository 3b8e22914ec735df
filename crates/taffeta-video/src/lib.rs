//! Pictures as MP4 files: H.264 by OpenH264, which is compiled from its source, in a container by `shiguredo_mp4`. Needs a C++
//! compiler and no system packages, so `taffeta` has it only if it is built with its feature `mp4`.
//!
//! ```text
//! picture by picture ──► YUV 4:2:0 ──► H.264 of one quality ──► file, with the time of each picture
//! ```
//!
//! The same pictures give the same bytes on one machine: one thread encodes, and no clock is asked.

#![forbid(unsafe_code)]

mod error;
mod film;

pub use error::VideoError;
pub use film::{Film, FilmSettings, LONGEST_SIDE, SHORTER_SIDE};
