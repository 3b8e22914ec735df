//! Pairs of primitives that can be the first to touch: a vertex and a face, or two edges.

use crate::broad::boxes::Aabb;
use glam::DVec3;
use taffeta_core::geometry::closest_point_on_triangle;

/// Pairs that one task takes.
pub(crate) const PAIRS_PER_TASK: usize = 1024;

/// Meaning of the four vertices of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PairKind {
    /// A vertex and the three corners of a face.
    VertexFace,
    /// The ends of an edge and the ends of another one.
    EdgeEdge,
}

/// Two primitives without a common vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// Its kind.
    pub kind: PairKind,
    /// The vertices of the first primitive, then those of the second.
    pub vertices: [u32; 4],
}

/// The closest points of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// Barycentric weights of the points in their primitives; those of each primitive add up to one.
    pub weights: [f64; 4],
    /// From the second point to the first \[m\].
    pub gap: DVec3,
}

impl Pair {
    /// Number of the vertices that belong to the first primitive.
    #[inline]
    pub fn split(&self) -> usize {
        match self.kind {
            PairKind::VertexFace => 1,
            PairKind::EdgeEdge => 2,
        }
    }

    /// The vertices' entries in an array.
    #[inline]
    pub fn gather(&self, x: &[DVec3]) -> [DVec3; 4] {
        self.vertices.map(|v| x[v as usize])
    }

    /// The distance of the boxes around the two primitives \[m\], along the axis on which the boxes are farthest apart. It
    /// is never more than the distance of the primitives, and negative where the boxes overlap. `x` are the positions of
    /// the vertices \[m\].
    #[inline]
    pub fn box_distance(&self, x: &[DVec3; 4]) -> f64 {
        let [a, b, c, d] = *x;
        match self.kind {
            PairKind::VertexFace => distance_of_boxes([a], [b, c, d]),
            PairKind::EdgeEdge => distance_of_boxes([a, b], [c, d]),
        }
    }

    /// Bound on how much closer the two primitives can come by motions of their vertices \[m\]: the longest on
    /// either side, seen from the mean of the pair.
    #[inline]
    pub fn relative_way(&self, moves: &[DVec3; 4]) -> f64 {
        let [a, b, c, d] = *moves;
        match self.kind {
            PairKind::VertexFace => way_between([a], [b, c, d]),
            PairKind::EdgeEdge => way_between([a, b], [c, d]),
        }
    }
}

/// [`Pair::box_distance`] of primitives of `A` and `B` vertices.
#[inline]
fn distance_of_boxes<const A: usize, const B: usize>(a: [DVec3; A], b: [DVec3; B]) -> f64 {
    let [a, b] = [Aabb::around(a), Aabb::around(b)];
    (a.low - b.high).max(b.low - a.high).max_element()
}

/// [`Pair::relative_way`] of primitives of `A` and `B` vertices.
#[inline]
fn way_between<const A: usize, const B: usize>(a: [DVec3; A], b: [DVec3; B]) -> f64 {
    let middle = 0.5 * (a.iter().sum::<DVec3>() / A as f64 + b.iter().sum::<DVec3>() / B as f64);
    let square = |m: &DVec3| m.distance_squared(middle);
    let longest = [a.iter().map(square).fold(0.0, f64::max), b.iter().map(square).fold(0.0, f64::max)];
    longest[0].sqrt() + longest[1].sqrt()
}

/// The closest points of the two primitives of a pair at positions `x` of its vertices.
#[inline]
pub fn closest(kind: PairKind, x: [DVec3; 4]) -> Closest {
    let weights = match kind {
        PairKind::VertexFace => {
            let [a, b, c] = closest_point_on_triangle(x[0], [x[1], x[2], x[3]]);
            [1.0, a, b, c]
        }
        PairKind::EdgeEdge => {
            let [s, t] = closest_points_of_segments([x[0], x[1]], [x[2], x[3]]);
            [1.0 - s, s, 1.0 - t, t]
        }
    };
    let first = match kind {
        PairKind::VertexFace => x[0],
        PairKind::EdgeEdge => x[0] * weights[0] + x[1] * weights[1],
    };
    let second = match kind {
        PairKind::VertexFace => x[1] * weights[1] + x[2] * weights[2] + x[3] * weights[3],
        PairKind::EdgeEdge => x[2] * weights[2] + x[3] * weights[3],
    };
    Closest { weights, gap: first - second }
}

/// Squared sine of the angle below which segments count as nearly parallel.
const NEARLY_PARALLEL: f64 = 1e-6;

/// Parameters in `[0, 1]` of the closest points of two segments, along each from its first end.
///
/// The quadratic function of the two parameters is minimized over the square. If its stationary point lies outside, the
/// minimum is on one of the four sides, of which each is a point against a segment. For nearly parallel segments the
/// stationary point is not precise, so the best of all five is taken.
pub fn closest_points_of_segments([p0, p1]: [DVec3; 2], [q0, q1]: [DVec3; 2]) -> [f64; 2] {
    let (d, e, r) = (p1 - p0, q1 - q0, p0 - q0);
    let (dd, ee, de) = (d.dot(d), e.dot(e), d.dot(e));
    let (dr, er) = (d.dot(r), e.dot(r));
    let determinant = dd * ee - de * de;
    let (s, t) = ((de * er - dr * ee) / determinant, (dd * er - de * dr) / determinant);
    let is_inside = s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0;
    if is_inside && determinant > NEARLY_PARALLEL * dd * ee {
        return [s, t];
    }
    let clamped = |numerator: f64, denominator: f64| {
        if numerator <= 0.0 {
            0.0
        } else if numerator >= denominator {
            1.0
        } else {
            numerator / denominator
        }
    };
    // The ends of one against the whole of the other.
    let sides = [
        [0.0, clamped(er, ee)],
        [1.0, clamped(er + de, ee)],
        [clamped(-dr, dd), 0.0],
        [clamped(de - dr, dd), 1.0],
    ];
    let squared = |[s, t]: [f64; 2]| (r + d * s - e * t).length_squared();
    let mut best = if is_inside { [s, t] } else { sides[0] };
    let mut least = squared(best);
    for side in &sides {
        let distance = squared(*side);
        if distance < least {
            (best, least) = (*side, distance);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta_core::random::SplitMix64;

    #[test]
    fn closest_points_of_segments_equal_a_dense_search() {
        let mut random = SplitMix64(3);
        for round in 0..200 {
            let mut point = || DVec3::from_array([0; 3].map(|_| random.next_unit() - 0.5));
            let p = [point(), point()];
            let mut q = [point(), point()];
            if round % 4 == 0 {
                // Parallel, overlapping or not.
                q[1] = q[0] + (p[1] - p[0]) * (f64::from(round) / 100.0 - 1.0);
            }
            let at = |[s, t]: [f64; 2]| (p[0].lerp(p[1], s)).distance(q[0].lerp(q[1], t));
            let found = at(closest_points_of_segments(p, q));
            let grid = (0..=100).flat_map(|i| (0..=100).map(move |j| [f64::from(i), f64::from(j)]));
            let best = grid.map(|st| at(st.map(|c| c / 100.0))).fold(f64::INFINITY, f64::min);
            assert!(found <= best + 1e-12 && found > best - 0.01, "{found} against {best}");
        }
    }

    #[test]
    fn closest_points_of_degenerate_segments_are_finite() {
        let p = DVec3::new(0.3, 0.2, 0.1);
        for q in [[DVec3::ZERO, DVec3::X], [p, p], [DVec3::ZERO, DVec3::ZERO]] {
            let [s, t] = closest_points_of_segments([p, p], q);
            assert!((0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t), "{s} {t}");
        }
    }

    #[test]
    fn boxes_are_never_farther_apart_than_what_is_in_them() {
        let mut random = SplitMix64(4);
        let mut apart = 0;
        for kind in [PairKind::VertexFace, PairKind::EdgeEdge].repeat(200) {
            let pair = Pair { kind, vertices: [0, 1, 2, 3] };
            let x = [0; 4].map(|_| DVec3::from_array([0; 3].map(|_| random.next_unit())));
            let distance = pair.box_distance(&x);
            assert!(distance <= closest(kind, x).gap.length() + 1e-15);
            apart += usize::from(distance > 0.0);
        }
        assert!(apart > 100, "{apart}");
    }

    #[test]
    fn the_gap_of_a_pair_points_from_the_second_to_the_first() {
        let x = [DVec3::new(0.2, 0.3, 0.5), DVec3::ZERO, DVec3::X, DVec3::Y];
        let found = closest(PairKind::VertexFace, x);
        assert!((found.gap - DVec3::new(0.0, 0.0, 0.5)).length() < 1e-15, "{}", found.gap);
        let x = [DVec3::new(0.5, -1.0, 1.0), DVec3::new(0.5, 1.0, 1.0), DVec3::ZERO, DVec3::X];
        let found = closest(PairKind::EdgeEdge, x);
        assert!((found.gap - DVec3::Z).length() < 1e-15 && found.weights == [0.5; 4], "{found:?}");
    }
}
