//! Questions to a world: each is a function that only reads it.
//!
//! ```
//! use taffeta_sim::{World, queries};
//!
//! fn broken(world: &World) -> usize {
//!     queries::broken_edge_count(world)
//! }
//! ```

pub use crate::contact::forced::sunken_faces;
pub use crate::derive::bodies::{loose_vertices, rope_bodies};
pub use crate::derive::crossings::{contact_positions, counts_crossings};
pub use crate::derive::pressure::is_pressure_explicit;
pub use crate::derive::solver_facts::{
    accuracy, factorizations, knows_its_error, position_error, projective_times, row_forces, solver_reason,
    time_integration_name,
};
pub use crate::features::pins::{pin_forces, pin_vertices};
pub use crate::features::plastic::plastic_curvatures;
pub use crate::features::seams::threads::seams;
pub use crate::features::springs::broken_edge_count;
pub use crate::features::volumes::enclosed_volumes;
pub use crate::measure::body_points::find_point;
pub use crate::measure::fields::{face_angles, face_strains, mesh_error, vertex_sizes};
pub use crate::measure::jumps::face_jumps;
pub use crate::measure::left_behind::cloths_left_behind;
pub use crate::measure::points::{material_point, rope_point, solid_point};
pub use crate::measure::rigid::rigid_motion;
pub use crate::measure::starts::{enclosed_cloths, sunken_cloths};
