//! The pairs that can touch soon.
//!
//! Every vertex has a box in which it stays and that moves on a straight line; two primitives can touch only if the
//! boxes around those of their vertices meet. The pairs stay complete until a vertex leaves its box.

use crate::broad::boxes::MovingBox;
use crate::broad::elements::{Element, Elements};
use crate::broad::pair::{PAIRS_PER_TASK, Pair, PairKind};
use taffeta_core::tasks::collect;

/// All pairs of primitives whose boxes meet and which `accept` takes, of the pairs of elements that are `near` each other,
/// in the order of those. `boxes` are those of the vertices.
pub fn collect_pairs(
    list: &[Element],
    near: &[[u32; 2]],
    boxes: &[MovingBox],
    accept: impl Fn(&Pair) -> bool + Sync,
) -> Vec<Pair> {
    collect(near.len(), PAIRS_PER_TASK, |range, found| {
        for [i, j] in &near[range] {
            add_pairs(&list[*i as usize], &list[*j as usize], boxes, |pair| {
                if accept(&pair) {
                    found.push(pair);
                }
            });
        }
    })
}

/// The pairs of two elements, each made of what one of them owns.
fn add_pairs(a: &Element, b: &Element, boxes: &[MovingBox], mut add: impl FnMut(Pair)) {
    let at = |v: u32| boxes[v as usize];
    for (element, face) in [(a, b), (b, a)] {
        if !face.is_face {
            continue;
        }
        let mut apart = Elements::vertices(element).filter(|v| !face.corners.contains(v)).peekable();
        if apart.peek().is_none() {
            continue;
        }
        let [p, q, r] = face.corners;
        let around = at(p).union(at(q)).union(at(r));
        for v in apart.filter(|v| boxes[*v as usize].meets(&around)) {
            add(Pair { kind: PairKind::VertexFace, vertices: [v, p, q, r] });
        }
    }
    // Boxes of the second element's edges: made when the first edge asks for them.
    let mut others: [Option<MovingBox>; 3] = [None; 3];
    for [p, q] in Elements::edges(a) {
        let around = at(p).union(at(q));
        for (k, [r, s]) in Elements::edges(b).enumerate() {
            let is_apart = p != r && p != s && q != r && q != s;
            if is_apart && around.meets(others[k].get_or_insert_with(|| at(r).union(at(s)))) {
                let vertices = if [p, q] < [r, s] { [p, q, r, s] } else { [r, s, p, q] };
                add(Pair { kind: PairKind::EdgeEdge, vertices });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broad::boxes::Aabb;
    use crate::broad::near::{BoxedElements, NearSearch};
    use glam::DVec3;
    use std::collections::BTreeSet;
    use taffeta_core::random::SplitMix64;

    /// A sheet of `n × n` squares.
    fn sheet(n: u32) -> (usize, Vec<[u32; 3]>) {
        let at = |i: u32, j: u32| j * (n + 1) + i;
        let square = |k: u32| {
            let (i, j) = (k % n, k / n);
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            [[a, b, c], [a, c, d]]
        };
        let count = ((n + 1) * (n + 1)) as usize;
        (count, (0..n * n).flat_map(square).collect())
    }

    /// All pairs without a common vertex whose boxes meet, over all vertices, faces and edges.
    fn brute_force(meshes: &[(usize, Vec<[u32; 3]>)], boxes: &[MovingBox]) -> BTreeSet<Pair> {
        let (mut faces, mut edges, mut first) = (Vec::new(), BTreeSet::new(), 0);
        for (count, list) in meshes {
            for face in list.iter().map(|face| face.map(|v| v + first)) {
                faces.push(face);
                edges.extend([0, 1, 2].map(|k| {
                    let (a, b) = (face[k], face[(k + 1) % 3]);
                    [a.min(b), a.max(b)]
                }));
            }
            first += *count as u32;
        }
        let around = |vertices: &[u32]| {
            vertices.iter().map(|v| boxes[*v as usize]).fold(MovingBox::EMPTY, MovingBox::union)
        };
        let mut out = BTreeSet::new();
        for v in 0..first {
            for face in faces.iter().filter(|f| !f.contains(&v) && around(*f).meets(&boxes[v as usize])) {
                out.insert(Pair { kind: PairKind::VertexFace, vertices: [v, face[0], face[1], face[2]] });
            }
        }
        for e in &edges {
            for f in edges.iter().filter(|f| e < *f && !e.contains(&f[0]) && !e.contains(&f[1])) {
                if around(e).meets(&around(f)) {
                    out.insert(Pair { kind: PairKind::EdgeEdge, vertices: [e[0], e[1], f[0], f[1]] });
                }
            }
        }
        out
    }

    #[test]
    fn candidates_are_those_of_a_search_over_all_primitives() {
        let mut random = SplitMix64(5);
        let mut meshes = [sheet(6), sheet(4)];
        // A fin: an edge with three faces.
        meshes[1].1.push([0, 1, 24]);
        let mut elements = Elements::default();
        for (body, (count, faces)) in meshes.iter().enumerate() {
            elements.add_triangles(*count, faces, |_| body as u32);
        }
        let list = &elements.list;
        let mut search = NearSearch::default();
        for _ in 0..10 {
            let mut point = || DVec3::from_array([0; 3].map(|_| random.next_unit()));
            let mut vertex = || {
                let (at, moves) = (Aabb::around([point()]).inflated(0.01), Aabb::around([0.05 * point()]));
                MovingBox { at, moves }
            };
            let boxes: Vec<_> = (0..elements.vertex_count).map(|_| vertex()).collect();
            let near =
                search.find(BoxedElements { list, boxes: &boxes, movers: list.len() }, true, |_, _| true);
            let pairs = collect_pairs(list, &near, &boxes, |_| true);
            let found: BTreeSet<_> = pairs.iter().copied().collect();
            assert_eq!(found.len(), pairs.len(), "a pair repeats");
            assert_eq!(found, brute_force(&meshes, &boxes));
        }
    }
}
