//! Places on a sheet, regions that pins select, and motion by keyframes.

pub mod locate;
pub mod motion;
pub mod panel_point;
pub mod region;
