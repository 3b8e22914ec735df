//! Vocabulary of the Taffeta cloth simulator.
//!
//! This crate holds what every other crate speaks: dense index types and [`IndexVec`], the immutable
//! [`SurfaceTopology`] with its [`TopologyEpoch`], the four-wide [`lanes`] on which the solvers run, keyframed
//! [`motion`], [`region`]s of a sheet, contact rows, and small geometry. It knows no solver, no half-edges and no
//! file formats.
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
pub use motion::{Anchor, Drive, Keyframe, Motion, Placement, Pose, Skin, drive_points};
pub use panel_point::{PanelError, PanelPoint};
pub use region::Region;
pub use topology::{SurfaceTopology, TopologyEpoch};
pub use triangle_mesh::TriangleMesh;
