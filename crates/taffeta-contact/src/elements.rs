//! The primitives of all bodies that can touch, in dense arrays.

use taffeta_core::SurfaceTopology;
use taffeta_core::index::DenseIndex;

/// A face, or an edge that belongs to no face, with the vertices and edges that it owns: each vertex and edge is owned
/// by exactly one element, so that no pair is found twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// The corners; an edge repeats its second end.
    pub corners: [u32; 3],
    /// Whether the element is a face.
    pub is_face: bool,
    /// Which of its corners it owns.
    pub owns_corner: [bool; 3],
    /// Which of its edges it owns; edge `k` joins corners `k` and `k + 1`.
    pub owns_edge: [bool; 3],
    /// The body.
    pub body: u32,
}

/// All elements, and which vertices move by themselves.
#[derive(Clone, Debug, Default)]
pub struct Elements {
    /// Number of vertices of all bodies.
    pub vertex_count: usize,
    /// The elements, body by body.
    pub list: Vec<Element>,
    /// The body of each vertex.
    pub vertex_bodies: Vec<u32>,
}

impl Elements {
    /// Adds the faces of a surface. Its vertex `i` is the vertex `first + i` of all; `body` tells the body of a vertex.
    pub fn add_surface(&mut self, topology: &SurfaceTopology, body: impl Fn(usize) -> u32) {
        let first = self.vertex_count as u32;
        let mut is_owned = vec![false; topology.vertex_count];
        for (fi, corners) in topology.faces.iter_indexed() {
            let owns_corner = corners.map(|vi| !std::mem::replace(&mut is_owned[vi.to_usize()], true));
            // The first of the one or two faces of an edge owns it.
            let owns_edge = topology.face_edges[fi].map(|ei| {
                let owner = topology.edges[ei].faces.into_iter().flatten().next();
                owner == Some(fi)
            });
            self.list.push(Element {
                corners: corners.map(|vi| first + vi.0),
                is_face: true,
                owns_corner,
                owns_edge,
                body: body(corners[0].to_usize()),
            });
        }
        self.vertex_bodies.extend((0..topology.vertex_count).map(body));
        self.vertex_count += topology.vertex_count;
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
