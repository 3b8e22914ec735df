//! Rigid bodies that move by themselves: two vertices each, after those of the topology.
//!
//! The first vertex is the displacement of the center of mass from the pose that a stage begins its iteration with; the second,
//! times a matrix, the rotation vector. The matrix is the root of the mass times the inverse of the inertia tensor, so that either
//! vertex has the mass of the body. Within a stage a body turns little: its points move by `t + θ × r`. So a contact with a body
//! couples vertices like any other, and inertia is what it is for all.

use super::elements::{add, at};
use glam::{DMat3, DVec3};

/// Motion of a contact point with a body: by `sign (t + turn φ)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carrier {
    /// The vertex `t` of the body; `φ` is the next one.
    pub vertex: u32,
    /// Displacement of the point by `φ`: `φ ↦ (B φ) × r` with the root `B` and the arm `r` \[m\] from the center of mass.
    pub turn: DMat3,
    /// 1 for a point of the body, −1 for a point that is measured against it.
    pub sign: f64,
}

/// A spring that pulls a body to its place on a path with a force of no more than a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyDrive {
    /// The first vertex of the body.
    pub vertex: u32,
    /// The place where it is to be \[m\].
    pub target: DVec3,
    /// Stiffness \[N/m\].
    pub stiffness: f64,
    /// The limit \[N\].
    pub limit: f64,
}

impl Carrier {
    /// Displacement of the contact point \[m\].
    pub(crate) fn displacement(&self, x: &[f64]) -> DVec3 {
        (at(x, self.vertex) + self.turn * at(x, self.vertex + 1)) * self.sign
    }

    /// Adds a force at the contact point to those of the body.
    pub(crate) fn add_force(&self, out: &mut [f64], force: DVec3) {
        let force = force * self.sign;
        add(out, self.vertex, force);
        add(out, self.vertex + 1, self.turn.transpose() * force);
    }

    /// The part that a contact with this derivative of its force adds to the diagonal blocks of the two vertices.
    pub(crate) fn diagonal_blocks(&self, hessian: DMat3) -> [(usize, DMat3); 2] {
        let first = self.vertex as usize;
        [(first, hessian), (first + 1, self.turn.transpose() * hessian * self.turn)]
    }
}
