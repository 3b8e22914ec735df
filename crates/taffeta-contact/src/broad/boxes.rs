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

    /// Returns whether two boxes have a point in common. False if a coordinate is not a number.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }

    /// Returns whether a point lies inside or on the box.
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

/// A box around things that move, each on a straight line: where they are at the start, and by what they move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingBox {
    /// The box around them at the start \[m\].
    pub at: Aabb,
    /// The box around their displacements \[m\].
    pub moves: Aabb,
}

impl MovingBox {
    /// The box around nothing.
    pub const EMPTY: Self = Self { at: Aabb::EMPTY, moves: Aabb::EMPTY };

    /// A box around what stands still.
    #[inline]
    pub fn still(at: Aabb) -> Self {
        Self { at, moves: Aabb { low: DVec3::ZERO, high: DVec3::ZERO } }
    }

    /// This box and another one.
    #[inline]
    pub fn union(self, other: Self) -> Self {
        Self { at: self.at.union(other.at), moves: self.moves.union(other.moves) }
    }

    /// Returns whether anything in one box can meet anything in the other one on the way. Each axis is judged by
    /// itself, by the relative motion. False if a coordinate is not a number.
    #[inline]
    pub fn meets(&self, other: &Self) -> bool {
        let reaches = |a: &Self, b: &Self| {
            let closing = (b.moves.high - a.moves.low).max(DVec3::ZERO);
            (a.at.low - b.at.high).cmple(closing).all()
        };
        reaches(self, other) && reaches(other, self)
    }

    /// The box around all of the way.
    pub fn swept(&self) -> Aabb {
        let (at, moves) = (self.at, self.moves);
        Aabb { low: at.low + moves.low.min(DVec3::ZERO), high: at.high + moves.high.max(DVec3::ZERO) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta_core::random::SplitMix64;

    #[test]
    fn boxes_that_meet_on_the_way_are_those_of_a_dense_search() {
        let mut random = SplitMix64(21);
        let mut point = |size: f64| DVec3::from_array([0; 3].map(|_| size * (random.next_unit() - 0.5)));
        let (mut met, mut missed) = (0, 0);
        for _ in 0..2000 {
            let mut thing = || {
                let points = [point(1.0), point(1.0)].map(|x| (x, point(1.5)));
                let at = Aabb::around(points.map(|p| p.0));
                (points, MovingBox { at, moves: Aabb::around(points.map(|p| p.1)) })
            };
            let ((p, a), (q, b)) = (thing(), thing());
            let box_at = |points: [(DVec3, DVec3); 2], t: f64| Aabb::around(points.map(|(x, m)| x + m * t));
            let touches = (0..=50).map(|i| f64::from(i) / 50.0).any(|t| box_at(p, t).overlaps(&box_at(q, t)));
            assert_eq!(a.meets(&b), b.meets(&a));
            assert!(a.meets(&b) || !touches);
            assert!(a.swept().overlaps(&b.swept()) || !touches);
            met += usize::from(a.meets(&b));
            missed += usize::from(!a.meets(&b));
        }
        assert!(met > 100 && missed > 100, "{met} {missed}");
    }

    #[test]
    fn what_moves_alike_does_not_meet() {
        let still = |x: f64| Aabb::around([DVec3::splat(x)]).inflated(0.1);
        let moves = Aabb::around([DVec3::splat(9.0)]);
        let [a, b] = [0.0, 0.3].map(|x| MovingBox { at: still(x), moves });
        assert!(!a.meets(&b) && !MovingBox::still(still(0.0)).meets(&MovingBox::still(still(0.3))));
        assert!(a.meets(&MovingBox::still(still(0.3))));
    }
}
