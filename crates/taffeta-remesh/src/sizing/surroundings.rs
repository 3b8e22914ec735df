//! Surroundings of the cloths, as far as the sizing field looks at them.

use glam::DVec3;

/// A plane, as far as it is the tangent of something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Unit normal, toward the free side.
    pub normal: DVec3,
    /// A point of it \[m\].
    pub point: DVec3,
}

impl Plane {
    /// The height of a point over it \[m\].
    pub fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point - self.point)
    }
}

/// Knows the obstacles. Asked by several threads at once.
pub trait Surroundings: std::fmt::Debug + Sync {
    /// The tangent plane of the obstacles at their point nearest to `point` \[m\], if one is within `reach` \[m\].
    fn nearest(&self, point: DVec3, reach: f64) -> Option<Plane>;
}
