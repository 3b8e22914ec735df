#![doc = include_str!("../../../README.md")]
#![forbid(unsafe_code)]

pub use taffeta_contact as contact;
pub use taffeta_core as core;
pub use taffeta_formats as formats;
pub use taffeta_mesh as mesh;
pub use taffeta_remesh as remesh;
pub use taffeta_render as render;
pub use taffeta_scene as scene;
pub use taffeta_sim as sim;
pub use taffeta_solve as solve;
pub use taffeta_study as study;
