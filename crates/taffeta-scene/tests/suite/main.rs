//! Scene files: what is read, what is built, and what is refused with which words.

mod garment;
mod mirrored;
mod outline;
mod output;
mod scene_build;
mod scene_errors;
mod schema;
