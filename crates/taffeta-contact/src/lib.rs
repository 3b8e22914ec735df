//! Contact: obstacles, broad phase, contacts, friction, CCD and exact intersection tests.
//!
//! ```text
//! broad phase    tree ──► near ──► candidates     BVHs of movers and obstacles; pairs within a margin
//! contacts       detect       bodies against shapes in closed form, from the start of a substep
//!                proximity    cloths, solids and ropes against each other and against meshes
//! response       response     separation and Coulomb friction at position level, for the sweeping solvers
//! CCD            certificate  pairs of primitives: step limits that keep them apart, at any speed
//!                guard        faces against shapes in closed form
//!                advance      conservative advancement along two paths
//! intersections  crossings ──► quarantine         counted exactly; intersecting pairs are pulled apart
//! ```
//!
//! A substep passes through these steps:
//!
//! 1. [`Detector`] and [`Proximity`] collect candidates. These stay complete while all vertices stay within their bounds
//!    ([`MotionBounds`]).
//! 2. Both turn near pairs into [`Contact`]s. Normals and weights are those at the start of the substep.
//! 3. The solver resolves the contacts. Sweeping solvers use [`response`]; Newton's method has contacts in its objective.
//! 4. [`certificate`] and [`guard`] shorten every motion that would end in an intersection.
//! 5. [`quarantine`] holds the pairs that intersect anyway, because pins or obstacles forced them or they started so.
//!
//! [`Obstacle`]s are rigid: a convex [`Shape`] in closed form, or a [`MeshObstacle`] of triangles, which may also be a
//! sequence of shapes. Spheres, capsules and boxes are met by vertices, edges and faces; a plane by vertices only.
//!
//! This crate knows dense arrays and shapes. It knows no elasticity and no mesh keys.

#![forbid(unsafe_code)]

mod advance;
pub mod boxes;
pub mod candidates;
pub mod certificate;
pub mod crossings;
pub mod detect;
pub mod elements;
mod encounter;
mod fans;
pub mod guard;
mod joints;
pub mod mesh_obstacle;
mod motion_bounds;
pub mod near;
pub mod obstacle;
pub mod pair;
mod parting;
mod path;
pub mod proximity;
pub mod quarantine;
pub mod response;
pub mod shape;
mod sides;
mod step;
pub mod tree;

pub use detect::{ContactSurface, Detector, MEETS_NOTHING, SubstepView};
pub use mesh_obstacle::MeshObstacle;
pub use motion_bounds::MotionBounds;
pub use obstacle::{Freedom, Limit, Obstacle, RigidBody};
pub use parting::Parting;
pub use proximity::Proximity;
pub use response::{Contact, ContactName};
pub use shape::Shape;
