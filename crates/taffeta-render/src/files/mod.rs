//! Pictures as files: PNG, APNG, GIF, and MP4.

pub mod animation;
pub mod apng;
#[cfg(feature = "mp4")]
pub mod film;
pub mod write;
