//! Sizing field, passes and transfer of the adaptive mesh.

#![forbid(unsafe_code)]

pub mod settings;

pub use settings::RemeshSettings;
