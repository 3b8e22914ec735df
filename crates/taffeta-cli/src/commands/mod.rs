//! The commands of the program, a file each.

pub mod export;
pub mod extras;
pub mod inspect;
pub mod materials;
pub mod remesh;
pub mod render;
pub mod run;
pub mod schema;
pub mod starter;
pub mod study;
pub mod validate;
pub mod view;
