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
//! Contact is not here: the simulation passes an intersection test of edits.
//!
//! Main source: R. Narain, A. Samii, J. F. O'Brien, Adaptive anisotropic remeshing for cloth simulation, ACM
//! Transactions on Graphics 31 (2012).

#![forbid(unsafe_code)]

pub mod arrays;
mod attributes;
mod background;
mod budget;
mod built;
mod chart;
mod check;
mod editor;
mod enclose;
mod exact;
mod folding;
mod folds;
mod frame;
mod gradation;
mod hold;
mod inertia;
mod metric;
mod momentum;
mod nearest;
mod origin;
mod owed;
mod panels;
mod pass;
mod pieces;
mod popping;
#[cfg(feature = "random")]
mod random;
mod refusal;
mod remesh;
mod report;
mod rest;
mod rules;
mod runs;
mod seams;
pub mod settings;
mod sizing;
mod space;
mod spread;
mod surroundings;
mod transfer;
mod view;
mod weld;
mod witness;
mod working;

pub use arrays::{
    ArrayError, FieldOptions, FieldRemesher, FieldReport, MaterialCoords, OutputArrays, Remeshed,
    SheetArrays, SizingField, remesh_arrays,
};
pub use attributes::{
    BadAttributes, EdgeAttributes, FaceAttributes, SheetAttributes, VertexAttributes, is_single_valued,
    lumped_mass, validate_attributes,
};
pub use enclose::dominate;
pub use frame::smallest_angle_in;
pub use gradation::GRADATION;
pub use hold::Hold;
pub use metric::{Metric, edge_size, isotropic_size, mean_size, metric_of_size};
pub use momentum::{Drift, MovedVertex, settle_drifts, settle_moved, slow_within};
pub use origin::Origin;
pub use pass::Pass;
#[cfg(feature = "random")]
pub use random::{EditKind, RandomEdits, random_edits};
pub use remesh::{find_lacks, remesh};
pub use report::{EditRecord, Proposal, ProposedEdit, Refusals, RemeshReport};
pub use rest::is_seam;
pub use rules::{BUDGET_MIN, BUDGET_PER_VERTEX, COLLAPSE_SIZE, QUALITY_MIN, REST_TOLERANCE, SPLIT_SIZE};
pub use settings::{BadSetting, RemeshSettings};
pub use sizing::RELAXATION_TIME;
pub use surroundings::{Plane, Surroundings};
pub use transfer::delaunay::restore_delaunay;
pub use transfer::open::open_with_transfer;
pub use transfer::{collapse_with_transfer, flip_with_transfer, split_at_with_transfer, split_with_transfer};
pub use view::View;
pub use weld::weld_with_transfer;
