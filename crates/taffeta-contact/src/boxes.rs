//! Boxes along the axes.

use glam::DVec3;

/// An axis-aligned box; empty where `low` exceeds `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The smallest coordinates \[m\].
    pub low: DVec3,
    /// The greatest coordinates \[m\].
    pub high: DVec3,
}

impl Aabb {
    /// The box around nothing.
    pub const EMPTY: Self = Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };

    /// The box around points.
    pub fn around(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, Self::with)
    }

    /// This box and a point.
    #[inline]
    pub fn with(self, point: DVec3) -> Self {
        Self { low: self.low.min(point), high: self.high.max(point) }
    }

    /// This box and another one.
    #[inline]
    pub fn union(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// This box, wider by `margin` \[m\] on every side.
    #[inline]
    pub fn inflated(self, margin: f64) -> Self {
        Self { low: self.low - DVec3::splat(margin), high: self.high + DVec3::splat(margin) }
    }

    /// Whether two boxes have a point in common. False if a coordinate is not a number.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }

    /// Whether a point lies inside or on the box.
    #[inline]
    pub fn contains(&self, point: DVec3) -> bool {
        self.low.cmple(point).all() && point.cmple(self.high).all()
    }

    /// The point in the middle \[m\].
    #[inline]
    pub fn center(&self) -> DVec3 {
        0.5 * (self.low + self.high)
    }
}
