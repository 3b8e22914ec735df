//! One contact, in the form in which every solver takes it.

use super::friction::Friction;
use crate::index::VertexIndex;
use glam::DVec3;

/// A contact between a point of the cloth and a body: the inequality `n · (Σ sᵢ xᵢ − p) − h ≥ 0`.
///
/// Points on vertices, edges and faces all have three vertices; unused ones repeat the first with weight 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactRow {
    /// The vertices that carry the point, or the two points; those that are not needed repeat the first.
    pub vertices: [VertexIndex; 4],
    /// Their weights `sᵢ`. Those of a point on a cloth that meets a body add up to one. Of two points on cloths those of the
    /// first add up to one and those of the second to minus one.
    pub weights: [f64; 4],
    /// The unit normal `n`, out of the body. Frozen within a substep.
    pub normal: DVec3,
    /// `n · p + h` \[m\]: the distance along the normal that the point must keep.
    pub offset: f64,
    /// The distance from the surface at which contact begins \[m\]: how deep the contact may be pressed in.
    pub thickness: f64,
    /// Displacement of the body's surface at the contact over the substep \[m\].
    pub body_displacement: DVec3,
    /// Friction of the pair.
    pub friction: Friction,
}

impl ContactRow {
    /// The signed gap `n · Σ sᵢ xᵢ − offset` \[m\].
    #[inline]
    pub fn gap(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }

    /// Returns whether both points are on cloths, so that one loses as much as the other gains.
    pub fn is_mutual(&self) -> bool {
        self.weights.iter().sum::<f64>().abs() < 0.5
    }

    /// The vertex that is the contact point, if it is one.
    #[inline]
    pub fn vertex(&self) -> Option<VertexIndex> {
        (self.weights[1..] == [0.0; 3]).then_some(self.vertices[0])
    }

    /// The contact point `Σ sᵢ xᵢ` of a field given at the vertices.
    #[inline]
    pub fn interpolate(&self, field: impl Fn(VertexIndex) -> DVec3) -> DVec3 {
        let [a, b, c, d] = self.vertices;
        let [s, t, u, v] = self.weights;
        let sum = field(a) * s + field(b) * t + field(c) * u;
        if v == 0.0 { sum } else { sum + field(d) * v }
    }
}
