//! Contact: obstacles, broad phase, contacts, friction, CCD and exact intersection tests.
//!
//! ```text
//! broad          tree ──► near ──► candidates     BVHs of movers and obstacles; pairs within a margin
//! intersections  crossings ──► quarantine         counted exactly; intersecting pairs are pulled apart
//! shapes         shape, obstacle                  obstacles in closed form
//! ccd            pair_limits  pairs of primitives: step limits that keep them apart, at any speed
//!                guard        faces against shapes in closed form
//!                advance      conservative advancement along two paths
//! meshes         mesh_obstacle, parting           obstacles of triangles, and room between their parts
//! contacts       detect       bodies against shapes in closed form, from the start of a substep
//!                proximity    cloths, solids and ropes against each other and against meshes
//!                response     separation and Coulomb friction at position level, for the sweeping solvers
//! ```
//!
//! These are the folders of the crate: each imports from itself and from those above it.
//!
//! A substep passes through these steps:
//!
//! 1. [`Detector`] and [`Proximity`] collect candidates. These stay complete while all vertices stay within their bounds
//!    ([`MotionBounds`]).
//! 2. Both turn near pairs into [`Contact`]s. Normals and weights are those at the start of the substep.
//! 3. The solver resolves the contacts. Sweeping solvers use [`response`]; Newton's method has contacts in its objective.
//! 4. [`pair_limits`] and [`shape_limits`] shorten every motion that would end in an intersection.
//! 5. [`quarantine`] holds the pairs that intersect anyway, because pins or obstacles forced them or they started so.
//!
//! [`Obstacle`]s are rigid: a convex [`Shape`] in closed form, or a [`MeshObstacle`] of triangles, which may also be a
//! sequence of shapes. Spheres, capsules and boxes are met by vertices, edges and faces; a plane by vertices only.
//!
//! This crate knows dense arrays and shapes. It knows no elasticity and no mesh keys.

#![forbid(unsafe_code)]

mod broad;
mod ccd;
mod contacts;
mod intersections;
mod meshes;
mod shapes;

pub use broad::{boxes, bvh, candidates, elements, near, pair};
pub use ccd::{pair_limits, shape_limits};
pub use contacts::{detect, proximity, response};
pub use intersections::{crossings, quarantine};
pub use meshes::mesh_obstacle;
pub use shapes::{obstacle, shape};

pub use contacts::detect::{ContactSurface, Detector, MEETS_NOTHING, SubstepView};
pub use contacts::motion_bounds::MotionBounds;
pub use contacts::proximity::Proximity;
pub use contacts::response::{Contact, ContactName};
pub use meshes::mesh_obstacle::MeshObstacle;
pub use meshes::parting::Parting;
pub use shapes::obstacle::{Freedom, Limit, Obstacle, RigidBody};
pub use shapes::shape::Shape;
