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

mod arithmetic;
mod contact;
mod dense;
mod places;
mod sweeps;

pub use arithmetic::{geometry, math, morton, random};
pub use contact::{contact_row, friction};
pub use dense::{components, index, topology, triangle_mesh};
pub use places::{locate, motion, panel_point, region};
pub use sweeps::{color, lanes, tasks};

pub use contact_row::ContactRow;
pub use friction::Friction;
pub use index::{EdgeIndex, FaceIndex, IndexVec, VertexIndex};
pub use motion::{Anchor, Drive, Keyframe, KeyframedMotion, Placement, Pose, Skin, angles_xyz, drive_points};
pub use panel_point::{PanelError, PanelPoint};
pub use region::Region;
pub use topology::{SurfaceTopology, TopologyEpoch};
pub use triangle_mesh::TriangleMesh;
