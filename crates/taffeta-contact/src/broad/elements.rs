//! The primitives of all bodies that can touch, in dense arrays.

use crate::broad::boxes::MovingBox;
use taffeta_core::tasks::map;

/// Elements that one task takes.
pub(crate) const ELEMENTS_PER_TASK: usize = 1024;

/// A face, an edge that belongs to no face, or a vertex that belongs to neither, with the vertices and edges that it owns.
/// Exactly one element owns each vertex and edge, so that no pair is found twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// The corners; an edge repeats its second end, a vertex itself.
    pub corners: [u32; 3],
    /// True if the element is a face.
    pub is_face: bool,
    /// Which of its corners it owns.
    pub owns_corner: [bool; 3],
    /// Which of its edges it owns; edge `k` joins corners `k` and `k + 1`.
    pub owns_edge: [bool; 3],
    /// The body.
    pub body: u32,
}

/// All elements, and which vertices move by themselves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Elements {
    /// Number of vertices of all bodies.
    pub vertex_count: usize,
    /// The elements, body by body.
    pub list: Vec<Element>,
    /// The body of each vertex.
    pub vertex_bodies: Vec<u32>,
}

impl Element {
    /// The box around its corners.
    pub fn area(&self, at: impl Fn(u32) -> MovingBox) -> MovingBox {
        let [a, b, c] = self.corners.map(at);
        a.union(b).union(c)
    }
}

impl Elements {
    /// Adds the triangles of a mesh, manifold or not. Its vertex `i` is the vertex `vertex_count + i` of all; `body` tells
    /// the body of a vertex of the mesh.
    pub fn add_triangles(&mut self, vertices: usize, faces: &[[u32; 3]], body: impl Fn(usize) -> u32) {
        let first = self.vertex_count as u32;
        let mut is_owned = vec![false; vertices];
        let owned_edges = own_edges(faces);
        for (corners, owns_edge) in faces.iter().zip(owned_edges) {
            self.list.push(Element {
                corners: corners.map(|v| first + v),
                is_face: true,
                owns_corner: corners.map(|v| !std::mem::replace(&mut is_owned[v as usize], true)),
                owns_edge,
                body: body(corners[0] as usize),
            });
        }
        self.vertex_bodies.extend((0..vertices).map(body));
        self.vertex_count += vertices;
    }

    /// Which faces have which of some edges: the corners by edge, of one edge in the order of the list. `edges` is sorted,
    /// and each has the smaller end first.
    pub fn faces_at(&self, edges: &[[u32; 2]]) -> Vec<([u32; 2], [u32; 3])> {
        let mut found = Vec::new();
        for corners in self.list.iter().filter(|element| element.is_face).map(|element| element.corners) {
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                let edge = [a.min(b), a.max(b)];
                if edges.binary_search(&edge).is_ok() {
                    found.push((edge, corners));
                }
            }
        }
        found.sort_by_key(|(edge, _)| *edge);
        found
    }

    /// Adds a polyline through the given vertices, which are there already: edges that belong to no face.
    pub fn add_polyline(&mut self, vertices: std::ops::Range<u32>, body: u32) {
        for v in vertices.start..vertices.end.saturating_sub(1) {
            self.list.push(Element {
                corners: [v, v + 1, v + 1],
                is_face: false,
                owns_corner: [true, v + 2 == vertices.end, false],
                owns_edge: [true, false, false],
                body,
            });
        }
    }

    /// Adds vertices by themselves, which are there already.
    pub fn add_points(&mut self, vertices: std::ops::Range<u32>, body: u32) {
        let point = |v| Element {
            corners: [v; 3],
            is_face: false,
            owns_corner: [true, false, false],
            owns_edge: [false; 3],
            body,
        };
        self.list.extend(vertices.map(point));
    }

    /// The edges that an element owns, by their ends, the smaller first.
    pub fn edges(element: &Element) -> impl Iterator<Item = [u32; 2]> + '_ {
        let ends = |k: usize| {
            let (a, b) = (element.corners[k], element.corners[(k + 1) % 3]);
            [a.min(b), a.max(b)]
        };
        (0..3).filter(|k| element.owns_edge[*k]).map(ends)
    }

    /// The corners that an element owns.
    pub fn vertices(element: &Element) -> impl Iterator<Item = u32> + '_ {
        (0..3).filter(|k| element.owns_corner[*k]).map(|k| element.corners[k])
    }
}

/// The boxes around elements, from those of vertices.
pub fn element_boxes(list: &[Element], at: impl Fn(u32) -> MovingBox + Sync) -> Vec<MovingBox> {
    map(list, ELEMENTS_PER_TASK, |element| element.area(&at))
}

/// Which of its edges each face owns: an edge belongs to the first face that has it.
fn own_edges(faces: &[[u32; 3]]) -> Vec<[bool; 3]> {
    let mut sides = Vec::with_capacity(3 * faces.len());
    for (number, corners) in faces.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            sides.push((a.min(b), a.max(b), number as u32, k as u8));
        }
    }
    sides.sort_unstable();
    let mut owned = vec![[false; 3]; faces.len()];
    for edge in sides.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (_, _, face, k) = edge[0];
        owned[face as usize][k as usize] = true;
    }
    owned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_faces_at_edges_are_those_that_have_both_ends() {
        let mut elements = Elements::default();
        elements.add_triangles(2, &[], |_| 0);
        // A fin: three faces share an edge. One face is a line.
        let faces = [[0, 1, 2], [2, 1, 3], [4, 2, 1], [3, 4, 0], [1, 1, 2]];
        elements.add_triangles(5, &faces, |_| 1);
        elements.add_polyline(0..2, 0);
        let edges: Vec<[u32; 2]> = (0..7).flat_map(|b| (0..b).map(move |a| [a, b])).collect();
        let mut sorted = edges.clone();
        sorted.sort_unstable();
        let found = elements.faces_at(&sorted);
        for edge in edges {
            let has = |e: &&Element| e.is_face && edge.iter().all(|v| e.corners.contains(v));
            let expected: Vec<_> = elements.list.iter().filter(has).map(|e| e.corners).collect();
            let mut here: Vec<_> = found.iter().filter(|f| f.0 == edge).map(|f| f.1).collect();
            // The line has its edge twice.
            here.dedup();
            assert_eq!(here, expected, "{edge:?}");
        }
        assert_eq!(elements.faces_at(&[]), []);
    }
}
