//! Sizing field, passes and transfer of the adaptive mesh.
//!
//! ```text
//!   shape or
//!   given ──► sizing field ──► splits, longest first ──► collapses, shortest first ──► edit log
//!             (one metric       └─► flips to Delaunay     └─► flips to Delaunay
//!              per vertex)
//! ```
//!
//! One keyed mesh holds all cloths of a world as components. [`SheetAttributes`] carry positions, velocities and material
//! coordinates. [`remesh`] makes one pass: it computes a sizing field in *material* space and edits the mesh until every
//! edge has about the length that the field asks for. Angles, inversions and contacts are tested in *world* space.
//! [`arrays`] remeshes plain arrays to a given sizing field of lengths or tensors.
//!
//! Invariants of a pass:
//!
//! * The mesh stays valid, and every element has its attributes.
//! * No vertex moves. The outline, the material area and the held vertices stay.
//! * Linear momentum and the angular momentum about the center of mass stay, as far as the vertices are free.
//! * No piece gains kinetic energy (`pieces`), unless it moves rigidly or an energy budget covers the gain.
//! * Equal input gives equal edits. On a shape at rest the passes come to rest.
//!
//! Three kinds of rest shape are edited: one chart, panels that are sewn together along seams (`rest`), and a shape in
//! space without material coordinates (`space`). Metrics are tensors in one chart only: a vertex on a seam, and one of a
//! shape in space, has one wanted size for all its charts.
//!
//! Each folder imports from itself and from folders before it:
//!
//! | folder | content |
//! |---|---|
//! | `attributes` | data of vertices, edges and faces, and the rest shape around them |
//! | `metric` | wanted sizes, gradation, shape as a metric sees it |
//! | `conserve` | momentum over an edit, energy of pieces over a pass |
//! | `input` | the input surface, which stays while a mesh on it is edited |
//! | `sizing` | settings of a pass and the metrics that it asks for |
//! | `transfer` | edits that carry the attributes along |
//! | `edit` | rules, checks and order of the edits of a pass |
//! | `arrays` | the remesher by itself |
//!
//! Contact is not here: the simulation passes an intersection test of edits.
//!
//! Main source: R. Narain, A. Samii, J. F. O'Brien, Adaptive anisotropic remeshing for cloth simulation, ACM
//! Transactions on Graphics 31 (2012).

#![forbid(unsafe_code)]

pub mod arrays;
mod attributes;
mod conserve;
mod edit;
mod input;
mod metric;
mod sizing;
mod transfer;

pub use arrays::{
    ArrayError, FieldOptions, FieldRemesher, FieldReport, MaterialCoords, OutputArrays, Remeshed,
    SheetArrays, SizingField, remesh_arrays,
};
pub use attributes::hold::Hold;
pub use attributes::rest::is_seam;
pub use attributes::{
    BadAttributes, EdgeAttributes, FaceAttributes, SheetAttributes, VertexAttributes, is_single_valued,
    lumped_mass, validate_attributes,
};
pub use conserve::momentum::{
    MomentumDrift, MovedVertex, restore_momenta_of_piece, restore_momenta_of_sheets, slow_within,
};
pub use edit::delaunay::restore_delaunay;
#[cfg(feature = "random")]
pub use edit::random::{EditKind, RandomEdits, random_edits};
pub use edit::remesh::{find_lacks, remesh};
pub use edit::report::{EditRecord, Proposal, ProposedEdit, Refusals, RemeshReport};
pub use edit::rules::{
    BUDGET_MIN, BUDGET_PER_VERTEX, COLLAPSE_SIZE, QUALITY_MIN, REST_TOLERANCE, SPLIT_SIZE,
};
pub use input::origin::Origin;
pub use metric::enclose::dominate;
pub use metric::frame::smallest_angle_in;
pub use metric::gradation::GRADATION;
pub use metric::{Metric, edge_size, isotropic_size, mean_size, metric_of_size};
pub use sizing::RELAXATION_TIME;
pub use sizing::pass::Pass;
pub use sizing::settings;
pub use sizing::settings::{BadSetting, RemeshSettings};
pub use sizing::surroundings::{Plane, Surroundings};
pub use sizing::view::View;
pub use transfer::open::open_with_transfer;
pub use transfer::weld::weld_with_transfer;
pub use transfer::{collapse_with_transfer, flip_with_transfer, split_at_with_transfer, split_with_transfer};
