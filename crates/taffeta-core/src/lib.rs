//! Common vocabulary of all crates of the Taffeta cloth simulator.
//!
//! | topic | modules |
//! |---|---|
//! | dense indices and connectivity | [`index`] with [`IndexVec`], [`topology`] with [`SurfaceTopology`] and [`TopologyEpoch`], [`components`], [`triangle_mesh`] |
//! | sweeps and threads | [`color`], [`lanes`] of four elements, [`tasks`] |
//! | places and motion | [`motion`] by keyframes, [`region`]s that pins select, [`panel_point`]s, [`locate`] |
//! | contact | [`contact_row`], [`friction`] |
//! | arithmetic with the same bits everywhere | [`math`], [`random`], [`morton`], [`geometry`] |
//!
//! It knows no solver, no half-edges and no file formats.
//!
//! Units are SI throughout. *Material* space is the flat 2-D sheet at rest; *world* space is 3-D.

pub mod color;
pub mod components;
pub mod contact_row;
pub mod friction;
pub mod geometry;
pub mod index;
pub mod lanes;
pub mod locate;
pub mod math;
pub mod morton;
pub mod motion;
pub mod panel_point;
pub mod random;
pub mod region;
pub mod tasks;
pub mod topology;
pub mod triangle_mesh;
mod wide;

pub use contact_row::ContactRow;
pub use friction::Friction;
pub use index::{EdgeIndex, FaceIndex, IndexVec, VertexIndex};
pub use motion::{Anchor, Drive, Keyframe, Motion, Placement, Pose, Skin, angles_xyz, drive_points};
pub use panel_point::{PanelError, PanelPoint};
pub use region::Region;
pub use topology::{SurfaceTopology, TopologyEpoch};
pub use triangle_mesh::TriangleMesh;
