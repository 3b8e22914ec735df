//! One contact, in the form in which every solver takes it.

use crate::index::VertexIndex;
use glam::DVec3;

/// A contact between a point of the cloth and a body: the inequality `n · (Σ sᵢ xᵢ − p) − h ≥ 0`.
///
/// Points on vertices, edges and faces all have three vertices; unused ones repeat the first with weight 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactRow {
    /// The vertices that carry the point.
    pub vertices: [VertexIndex; 3],
    /// Their barycentric weights `sᵢ`, which add up to one.
    pub weights: [f64; 3],
    /// The unit normal `n`, out of the body. Frozen within a substep.
    pub normal: DVec3,
    /// `n · p + h` \[m\]: the distance along the normal that the point must keep.
    pub offset: f64,
    /// Displacement of the body's surface at the contact over the substep \[m\].
    pub body_displacement: DVec3,
    /// Coefficient of static friction.
    pub static_friction: f64,
    /// Coefficient of kinetic friction.
    pub kinetic_friction: f64,
}

impl ContactRow {
    /// The signed gap `n · Σ sᵢ xᵢ − offset` \[m\].
    #[inline]
    pub fn gap(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }

    /// The vertex that is the contact point, if it is one.
    pub fn vertex(&self) -> Option<VertexIndex> {
        (self.weights[1] == 0.0 && self.weights[2] == 0.0).then_some(self.vertices[0])
    }

    /// The contact point `Σ sᵢ xᵢ` of a field given at the vertices.
    #[inline]
    pub fn interpolate(&self, field: impl Fn(VertexIndex) -> DVec3) -> DVec3 {
        let [a, b, c] = self.vertices;
        field(a) * self.weights[0] + field(b) * self.weights[1] + field(c) * self.weights[2]
    }
}
