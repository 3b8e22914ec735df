//! Obstacles, closest points and the contact response.
//!
//! A substep of contact is *candidate → collision → response*: [`Detector`] keeps the vertices, edges and faces near
//! each obstacle and turns those that touch it into [`Contact`]s with normals and weights frozen for the substep;
//! [`response`] keeps them apart and applies Coulomb friction at position level, after elasticity in every sweep of the
//! block solver.
//!
//! A sphere is met by vertices, edges and faces, so that a coarse face does not sink over a small ball; for a plane the
//! vertices are enough. This crate knows dense arrays and shapes: no elasticity, no mesh keys.

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
pub use obstacle::Obstacle;
pub use proximity::Proximity;
pub use response::{Contact, ContactName};
pub use shape::Shape;
