//! What can be asked of a world: each question is a function that only looks at it.
//!
//! ```
//! use taffeta_sim::{World, ask};
//!
//! fn broken(world: &World) -> usize {
//!     ask::broken_edge_count(world)
//! }
//! ```

pub use crate::accuracy::{accuracy, knows_its_error};
pub use crate::breaking::broken_edge_count;
pub use crate::collide::{enclosed_cloths, sunken_cloths};
pub use crate::enclosed::enclosed_volumes;
pub use crate::fields::{face_angles, face_strains, vertex_sizes};
pub use crate::integrate::time_integration_name;
pub use crate::jumps::face_jumps;
pub use crate::layout::{find_layout_point, find_layout_position};
pub use crate::loose::loose_vertices;
pub use crate::mesh_obstacles::{contact_positions, counts_crossings};
pub use crate::pins::pin_forces;
pub use crate::plastic::plastic_curvatures;
pub use crate::pressure::is_pressure_explicit;
pub use crate::projective::projective_times;
pub use crate::resample::{material_point, material_point_on};
pub use crate::rope::{rope_bodies, rope_point};
pub use crate::safeguard::sunken_faces;
pub use crate::seams::sewing::seams;
pub use crate::solid::solid_point;
pub use crate::solver_facts::{factorizations, row_forces, solver_reason};
