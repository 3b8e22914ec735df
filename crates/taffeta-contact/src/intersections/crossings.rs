//! Crossings of edges and faces, counted exactly.
//!
//! Two surfaces cross where an edge of one meets a face of the other. The signs come from exact predicates
//! (J. R. Shewchuk, Adaptive precision floating-point arithmetic and fast robust geometric predicates, 1997), so the
//! count is that of the positions as they are stored. What only touches counts too.

use crate::broad::boxes::{Aabb, MovingBox};
use crate::broad::bvh::BoxTree;
use crate::broad::elements::{Element, Elements, element_boxes};
use crate::broad::pair::{PAIRS_PER_TASK, Pair, PairKind};
use glam::DVec3;
use rayon::slice::ParallelSliceMut;
use robust::{Coord, Coord3D, orient2d, orient3d};
use taffeta_core::tasks::collect;

/// An edge that meets a face with which it shares no vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Crossing {
    /// The ends of the edge.
    pub edge: [u32; 2],
    /// The corners of the face.
    pub face: [u32; 3],
}

impl Crossing {
    /// The pairs of primitives of which it is made: the edge with those of the face, and its ends with the face.
    pub fn pairs(&self) -> [Pair; 5] {
        let [a, b, c] = self.face;
        let edge_pair = |p: u32, q: u32| {
            let (e, f) = (self.edge, [p.min(q), p.max(q)]);
            let vertices = if e < f { [e[0], e[1], f[0], f[1]] } else { [f[0], f[1], e[0], e[1]] };
            Pair { kind: PairKind::EdgeEdge, vertices }
        };
        let vertex_pair = |v: u32| Pair { kind: PairKind::VertexFace, vertices: [v, a, b, c] };
        let [p, q] = self.edge;
        [edge_pair(a, b), edge_pair(b, c), edge_pair(c, a), vertex_pair(p), vertex_pair(q)]
    }
}

/// All crossings at positions `x` \[m\], sorted. `meets` tells whether two bodies, or a body and itself, can touch.
pub fn find_crossings(
    elements: &Elements,
    x: &[DVec3],
    meets: impl Fn(u32, u32) -> bool + Sync,
) -> Vec<Crossing> {
    let list = &elements.list;
    let boxes = element_boxes(list, |v| MovingBox::still(Aabb::around([x[v as usize]])));
    let accept = |i: u32, j: u32| meets(list[i as usize].body, list[j as usize].body);
    find_crossings_among(list, &BoxTree::build(&boxes).pairs(accept), x)
}

/// The crossings between the two elements of each pair, at positions `x` \[m\], sorted.
pub fn find_crossings_among(list: &[Element], near: &[[u32; 2]], x: &[DVec3]) -> Vec<Crossing> {
    let at = |v: u32| x[v as usize];
    let cross = |pair: &[u32; 2], found: &mut Vec<Crossing>| {
        let [a, b] = pair.map(|i| &list[i as usize]);
        for (element, face) in [(a, b), (b, a)] {
            if !face.is_face {
                continue;
            }
            for edge in Elements::edges(element) {
                let shares = edge.iter().any(|v| face.corners.contains(v));
                if !shares && edge_meets_face(edge.map(at), face.corners.map(at)) {
                    found.push(Crossing { edge, face: face.corners });
                }
            }
        }
    };
    let mut crossings = collect(near.len(), PAIRS_PER_TASK, |range, found| {
        near[range].iter().for_each(|pair| cross(pair, found));
    });
    crossings.par_sort_unstable();
    crossings
}

/// Returns whether a segment and a triangle have a point in common, exactly. A triangle whose corners lie on a line
/// is never met: its edges can be crossed instead.
pub fn edge_meets_face(edge: [DVec3; 2], face: [DVec3; 3]) -> bool {
    // Most are, also of elements that share a corner, and exact signs cost more.
    !are_apart(edge, face) && meets_by_signs(edge, face)
}

/// Returns whether the boxes around a segment and a triangle have no point in common.
fn are_apart([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let ([edge_low, edge_high], face_low, face_high) =
        ([p.min(q), p.max(q)], a.min(b).min(c), a.max(b).max(c));
    edge_high.cmplt(face_low).any() || face_high.cmplt(edge_low).any()
}

fn meets_by_signs([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let (above, below) = (side([a, b, c], p), side([a, b, c], q));
    if above * below > 0.0 {
        return false;
    }
    if above == 0.0 && below == 0.0 {
        return !is_on_line([a, b, c]) && meets_in_plane([p, q], [a, b, c]);
    }
    let around = [side([p, q, a], b), side([p, q, b], c), side([p, q, c], a)];
    around.iter().all(|s| *s >= 0.0) || around.iter().all(|s| *s <= 0.0)
}

/// Returns whether a segment goes through the inside of a triangle, from one side of it strictly to the other,
/// exactly.
pub fn edge_pierces_face([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let around = [side([p, q, a], b), side([p, q, b], c), side([p, q, c], a)];
    let is_inside = around.iter().all(|s| *s > 0.0) || around.iter().all(|s| *s < 0.0);
    is_inside && side([a, b, c], p) * side([a, b, c], q) < 0.0
}

/// Returns whether a point lies strictly inside a tetrahedron, exactly; nothing does inside a flat one.
pub fn is_in_tetrahedron([a, b, c, d]: [DVec3; 4], p: DVec3) -> bool {
    // Most lie beside it or on the plane of a flat one, where exact signs cost most.
    let (low, high) = (a.min(b).min(c.min(d)), a.max(b).max(c.max(d)));
    if p.cmple(low).any() || p.cmpge(high).any() {
        return false;
    }
    let sides = [side([b, d, c], p), side([a, c, d], p), side([a, d, b], p), side([a, b, c], p)];
    sides.iter().all(|s| *s > 0.0) || sides.iter().all(|s| *s < 0.0)
}

/// Returns whether two triangles cross: an edge of one meets the other and shares no corner with it. Corners are told
/// apart by their names.
pub fn faces_cross<K: Copy + PartialEq>(first: ([K; 3], [DVec3; 3]), second: ([K; 3], [DVec3; 3])) -> bool {
    let pierces = |(edges, from): ([K; 3], [DVec3; 3]), (face, to): ([K; 3], [DVec3; 3])| {
        (0..3).any(|k| {
            let (i, j) = (k, (k + 1) % 3);
            !face.contains(&edges[i]) && !face.contains(&edges[j]) && edge_meets_face([from[i], from[j]], to)
        })
    };
    pierces(first, second) || pierces(second, first)
}

/// On which side of the plane through three points a point lies: a number with the exact sign.
fn side([a, b, c]: [DVec3; 3], p: DVec3) -> f64 {
    let coord = |x: DVec3| Coord3D { x: x.x, y: x.y, z: x.z };
    orient3d(coord(a), coord(b), coord(c), coord(p))
}

/// Returns whether three points lie on a line, exactly.
fn is_on_line(points: [DVec3; 3]) -> bool {
    let turn = |axis: usize| {
        let [a, b, c] = points.map(|p| Coord { x: p[axis], y: p[(axis + 1) % 3] });
        orient2d(a, b, c)
    };
    (0..3).all(|axis| turn(axis) == 0.0)
}

/// Returns whether a segment and a triangle in one plane have a point in common. Both are projected along the axis in
/// which the triangle is seen largest.
fn meets_in_plane([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let normal = (b - a).cross(c - a).abs();
    let flat = |x: DVec3| {
        let [x, y] = if normal.x >= normal.y && normal.x >= normal.z {
            [x.y, x.z]
        } else if normal.y >= normal.z {
            [x.z, x.x]
        } else {
            [x.x, x.y]
        };
        Coord { x, y }
    };
    let ([p, q], triangle) = ([p, q].map(flat), [a, b, c].map(flat));
    let turns = |k: usize, x| orient2d(triangle[k], triangle[(k + 1) % 3], x);
    let is_inside = |x| {
        let turns = [turns(0, x), turns(1, x), turns(2, x)];
        turns.iter().all(|t| *t >= 0.0) || turns.iter().all(|t| *t <= 0.0)
    };
    let crosses_side = |k: usize| {
        let (r, s) = (triangle[k], triangle[(k + 1) % 3]);
        let apart = |a: f64, b: f64| a * b < 0.0 || a == 0.0 || b == 0.0;
        let (along, across) =
            ([orient2d(p, q, r), orient2d(p, q, s)], [orient2d(r, s, p), orient2d(r, s, q)]);
        let is_on_line = along == [0.0; 2] && across == [0.0; 2];
        !is_on_line && apart(along[0], along[1]) && apart(across[0], across[1])
    };
    is_inside(p) || is_inside(q) || (0..3).any(crosses_side)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta_core::random::SplitMix64;

    const FACE: [DVec3; 3] = [DVec3::ZERO, DVec3::X, DVec3::Y];

    fn meets(p: [f64; 3], q: [f64; 3]) -> bool {
        edge_meets_face([DVec3::from_array(p), DVec3::from_array(q)], FACE)
    }

    #[test]
    fn an_edge_meets_a_face_that_it_goes_through_or_touches() {
        assert!(meets([0.2, 0.2, 1.0], [0.2, 0.2, -1.0]));
        assert!(meets([0.2, 0.2, 1.0], [0.2, 0.2, 0.0]), "its end on the face");
        assert!(meets([0.5, -0.5, 1.0], [0.5, 0.5, -1.0]), "through an edge");
        assert!(!meets([0.2, 0.2, 1.0], [0.2, 0.2, f64::MIN_POSITIVE]));
        assert!(!meets([0.7, 0.7, 1.0], [0.7, 0.7, -1.0]));
    }

    #[test]
    fn what_is_apart_does_not_meet_by_signs_either() {
        let mut random = SplitMix64(7);
        // Few places, so that much touches, is flat or is a point.
        let mut place = || DVec3::from_array(std::array::from_fn(|_| random.below(4) as f64));
        let (mut apart, mut met) = (0, 0);
        for _ in 0..100_000 {
            let (edge, face) = ([place(), place()], [place(), place(), place()]);
            let meets = meets_by_signs(edge, face);
            assert!(!(are_apart(edge, face) && meets), "{edge:?} {face:?}");
            apart += usize::from(are_apart(edge, face));
            met += usize::from(meets);
        }
        assert!(apart > 10_000 && met > 10_000, "{apart} {met}");
    }

    #[test]
    fn a_point_is_in_a_tetrahedron_or_not() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let turned = [corners[1], corners[0], corners[2], corners[3]];
        for corners in [corners, turned] {
            assert!(is_in_tetrahedron(corners, DVec3::splat(0.2)));
            assert!(!is_in_tetrahedron(corners, DVec3::splat(0.4)));
            assert!(!is_in_tetrahedron(corners, DVec3::new(0.2, 0.2, 0.0)), "on a side");
        }
        let flat = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.0)];
        assert!(!is_in_tetrahedron(flat, DVec3::new(0.5, 0.5, 0.0)));
    }

    #[test]
    fn faces_cross_where_an_edge_goes_through() {
        let upright = [DVec3::new(0.2, 0.2, -1.0), DVec3::new(0.2, 0.2, 1.0), DVec3::new(2.0, 2.0, 0.0)];
        assert!(faces_cross(([0, 1, 2], FACE), ([3, 4, 5], upright)));
        assert!(!faces_cross(([0, 1, 2], FACE), ([3, 4, 5], upright.map(|x| x + DVec3::X))));
        // Neighbors that share a corner do not cross there.
        let neighbor = [DVec3::ZERO, -DVec3::X, -DVec3::Y];
        assert!(!faces_cross(([0, 1, 2], FACE), ([0, 4, 5], neighbor)));
    }

    #[test]
    fn an_edge_in_the_plane_of_a_face_meets_it_where_it_overlaps() {
        assert!(meets([-1.0, 0.2, 0.0], [2.0, 0.2, 0.0]), "across");
        assert!(meets([0.1, 0.1, 0.0], [0.2, 0.1, 0.0]), "inside");
        assert!(meets([0.1, 0.0, 0.0], [0.2, 0.0, 0.0]), "on a side");
        assert!(!meets([-1.0, 0.0, 0.0], [-0.5, 0.0, 0.0]), "beside it, along a side");
        assert!(!meets([1.0, 1.0, 0.0], [2.0, 1.0, 0.0]));
    }

    #[test]
    fn a_triangle_without_area_is_not_crossed() {
        let flat = [DVec3::ZERO, DVec3::X, 2.0 * DVec3::X];
        assert!(!edge_meets_face([DVec3::new(0.5, -1.0, 0.3), DVec3::new(0.5, 1.0, -0.3)], flat));
        assert!(!edge_meets_face([DVec3::new(0.5, 0.0, 1.0), DVec3::new(0.5, 0.0, -1.0)], flat));
        let point = [DVec3::ZERO; 3];
        assert!(!edge_meets_face([-DVec3::X, DVec3::X], point));
    }
}
