//! Opening: inner edges become two boundary edges each, and vertices whose fans fall apart several. The inverse of a weld.

use crate::keys::{EdgeKey, Halfedge, Side, VertexKey};
use crate::mesh::{HalfedgeLinks, HalfedgeMesh, VertexLinks};

/// Why edges cannot be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenBlocked {
    /// An edge is not part of the mesh.
    #[error("{0:?} is not part of the mesh")]
    Missing(EdgeKey),
    /// An edge is named twice.
    #[error("{0:?} is named twice")]
    Repeated(EdgeKey),
    /// An edge has one face already.
    #[error("{0:?} lies on the boundary: it is open")]
    Boundary(EdgeKey),
    /// Neither end of an edge would fall apart, so that its two sides would join the same vertices.
    #[error("neither end of {0:?} lies on the boundary or on another edge that opens")]
    Buried(EdgeKey),
}

/// Elements that an opening re-used and created.
///
/// ```text
///    ─────v─────────w·        ─────v──kept────w·      v lies on the boundary and w inside: v becomes two
///    (outside)  e   ·      →          ╲__ gap _·      vertices, w stays one and lies on the boundary now
///    ─────v─────────w·        ─────v'─created─w·
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenRecord {
    /// The edges that have become two, in key order.
    pub edges: Vec<OpenedEdge>,
    /// The vertices that have become several, in key order, each with the others, which are new.
    pub copies: Vec<(VertexKey, Vec<VertexKey>)>,
}

/// An edge that has become two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OpenedEdge {
    /// The edge that was there. It keeps the face on its first side; its second side is the outside now.
    pub kept: EdgeKey,
    /// The new edge, in the same direction, with the face of the second side; its first side is the outside.
    pub created: EdgeKey,
}

/// The faces around a vertex that stay together: their half-edges that leave it, counter-clockwise.
type Fan = Vec<Halfedge>;

impl HalfedgeMesh {
    /// Checks that edges can be opened all together, so that the faces that they join form a surface afterwards.
    ///
    /// # Errors
    /// The first edge that cannot, in the order in which they are given, and why.
    pub fn can_open_edges(&self, edges: &[EdgeKey]) -> Result<(), OpenBlocked> {
        for (number, e) in edges.iter().enumerate() {
            if !self.contains_edge(*e) {
                return Err(OpenBlocked::Missing(*e));
            }
            if edges[..number].contains(e) {
                return Err(OpenBlocked::Repeated(*e));
            }
            if self.is_boundary_edge(*e) {
                return Err(OpenBlocked::Boundary(*e));
            }
        }
        // A vertex falls apart where two lines meet in it: as many fans as lines that end there.
        let falls_apart = |v: VertexKey| self.fans_of(v, edges).len() > 1;
        match edges.iter().find(|e| !self.edge_ends(**e).into_iter().any(falls_apart)) {
            Some(e) => Err(OpenBlocked::Buried(*e)),
            None => Ok(()),
        }
    }

    /// Opens edges all together. See [`OpenRecord`] for the picture. Of the fans of a vertex that falls apart the first,
    /// counter-clockwise from its boundary or from where it starts, keeps the key.
    ///
    /// # Errors
    /// As [`can_open_edges`](Self::can_open_edges); the mesh is then untouched.
    pub fn open_edges(&mut self, edges: &[EdgeKey]) -> Result<OpenRecord, OpenBlocked> {
        self.can_open_edges(edges)?;
        let mut edges = edges.to_vec();
        edges.sort_unstable();
        let mut ends: Vec<VertexKey> = edges.iter().flat_map(|e| self.edge_ends(*e)).collect();
        ends.sort_unstable();
        ends.dedup();
        let fans: Vec<Vec<Fan>> = ends.iter().map(|v| self.fans_of(*v, &edges)).collect();
        let opened: Vec<OpenedEdge> = edges.iter().map(|e| self.double_edge(*e)).collect();
        let renamed = |he: Halfedge| match edges.binary_search(&he.edge) {
            Ok(number) if he.side == Side::Second => Halfedge::new(opened[number].created, Side::Second),
            _ => he,
        };
        let mut copies = Vec::new();
        for (v, fans) in ends.into_iter().zip(fans) {
            let mut created = Vec::new();
            for (number, fan) in fans.into_iter().enumerate() {
                let fan: Fan = fan.into_iter().map(renamed).collect();
                let owner = match number {
                    0 => v,
                    _ => self.vertices.insert(VertexLinks { halfedge: Halfedge::null() }),
                };
                if number > 0 {
                    created.push(owner);
                }
                self.take_over(owner, &fan);
            }
            if !created.is_empty() {
                copies.push((v, created));
            }
        }
        Ok(OpenRecord { edges: opened, copies })
    }

    /// Fans into which edges that open, and the boundary, cut the faces around a vertex, counter-clockwise. The first fan comes
    /// after the boundary if there is one, else after the first of the edges from the start of the vertex.
    fn fans_of(&self, v: VertexKey, edges: &[EdgeKey]) -> Vec<Fan> {
        let mut around: Vec<Halfedge> = self.halfedges_around(v).collect();
        // Of a boundary half-edge the face is on the other side: the fans begin after it.
        let is_line = |he: &Halfedge| edges.contains(&he.edge) || self.is_boundary_halfedge(he.twin());
        if let Some(first) = around.iter().position(is_line) {
            around.rotate_left(first);
        }
        let mut fans: Vec<Fan> = Vec::new();
        for he in around {
            if fans.is_empty() || is_line(&he) {
                fans.push(Vec::new());
            }
            if !self.is_boundary_halfedge(he) {
                fans.last_mut().expect("there is one now").push(he);
            }
        }
        fans
    }

    /// Makes two edges of one: the new one gets the second side, and each the outside on its other side. Tails stay, and the
    /// outside is not linked.
    fn double_edge(&mut self, kept: EdgeKey) -> OpenedEdge {
        let [first, second] = self.edges[kept];
        let created = self.edges.insert([HalfedgeLinks::loose(first.tail, None), second]);
        let moved = Halfedge::new(created, Side::Second);
        self.links_mut(second.prev).next = moved;
        self.links_mut(second.next).prev = moved;
        let f = second.face.expect("an edge that opens has two faces");
        if self.faces[f].halfedge == Halfedge::new(kept, Side::Second) {
            self.faces[f].halfedge = moved;
        }
        self.edges[kept][1] = HalfedgeLinks::loose(second.tail, None);
        OpenedEdge { kept, created }
    }

    /// Makes a vertex the tail of a fan, which begins and ends on the boundary, and links the boundary there.
    fn take_over(&mut self, v: VertexKey, fan: &[Halfedge]) {
        for he in fan {
            let leaving = self.prev(*he).twin();
            self.links_mut(*he).tail = v;
            self.links_mut(leaving).tail = v;
        }
        let [first, last] = [fan[0], fan[fan.len() - 1]];
        let leaving = self.prev(last).twin();
        self.link(first.twin(), leaving);
        self.vertices[v].halfedge = leaving;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::BuiltMesh;

    /// `n × n` squares, each cut from its first corner.
    fn sheet(n: u32) -> BuiltMesh {
        let at = |i: u32, j: u32| j * (n + 1) + i;
        let square = |k: u32| {
            let (i, j) = (k % n, k / n);
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            [[a, b, c], [a, c, d]]
        };
        let faces: Vec<_> = (0..n * n).flat_map(square).collect();
        HalfedgeMesh::from_triangles(((n + 1) * (n + 1)) as usize, &faces).expect("a good mesh")
    }

    fn edge(mesh: &HalfedgeMesh, [a, b]: [VertexKey; 2]) -> EdgeKey {
        mesh.find_halfedge(a, b).expect("an edge").edge
    }

    #[test]
    fn an_edge_from_the_boundary_splits_its_outer_end() {
        let BuiltMesh { mut mesh, vertices: v, .. } = sheet(3);
        let e = edge(&mesh, [v[1], v[5]]);
        let record = mesh.open_edges(&[e]).expect("it begins on the boundary");
        mesh.validate().expect("valid after the opening");
        assert_eq!((mesh.vertex_count(), mesh.edge_count(), mesh.face_count()), (17, 34, 18));
        assert_eq!((mesh.boundary_loops().len(), mesh.euler_characteristic()), (1, 1));
        let [(kept, created)] = &record.copies[..] else { panic!("one vertex") };
        assert_eq!((*kept, created.len()), (v[1], 1));
        assert!(mesh.is_boundary_vertex(v[5]) && mesh.valence(v[5]) == 7);
        let [opened] = record.edges[..] else { panic!("one edge") };
        assert_eq!(opened.kept, e);
        assert!(mesh.is_boundary_halfedge(Halfedge::new(opened.kept, Side::Second)));
        assert!(mesh.is_boundary_halfedge(Halfedge::new(opened.created, Side::First)));
    }

    #[test]
    fn a_line_across_makes_two_pieces_and_a_weld_joins_them_again() {
        let BuiltMesh { mut mesh, vertices: v, .. } = sheet(3);
        let line: Vec<EdgeKey> = [[1, 5], [5, 9], [9, 13]].map(|[a, b]| edge(&mesh, [v[a], v[b]])).to_vec();
        let before = (mesh.vertex_count(), mesh.edge_count(), mesh.face_count());
        let record = mesh.open_edges(&line).expect("a line from side to side");
        mesh.validate().expect("valid after the opening");
        assert_eq!((mesh.components().len(), record.copies.len()), (2, 4));
        let pairs: Vec<_> = record.copies.iter().map(|(kept, created)| [*kept, created[0]]).collect();
        mesh.weld(&pairs).expect("what was one can be one again");
        mesh.validate().expect("valid after the weld");
        assert_eq!((mesh.vertex_count(), mesh.edge_count(), mesh.face_count()), before);
    }

    #[test]
    fn two_edges_inside_make_a_slit_and_a_tear_that_comes_out_of_it_parts_the_end() {
        let BuiltMesh { mut mesh, vertices: v, .. } = sheet(4);
        let slit = [[7, 12], [12, 17]].map(|[a, b]| edge(&mesh, [v[a], v[b]]));
        assert_eq!(mesh.can_open_edges(&slit[..1]), Err(OpenBlocked::Buried(slit[0])));
        let record = mesh.open_edges(&slit).expect("two edges at a vertex");
        mesh.validate().expect("valid after the opening");
        assert_eq!(record.copies.len(), 1);
        assert_eq!(mesh.boundary_loops().len(), 2);
        let out = [[17, 22], [7, 2]].map(|[a, b]| edge(&mesh, [v[a], v[b]]));
        mesh.open_edges(&out).expect("both ends reach the boundary");
        mesh.validate().expect("valid after the opening");
        assert_eq!((mesh.components().len(), mesh.boundary_loops().len()), (2, 2));
    }

    #[test]
    fn a_vertex_where_many_edges_open_becomes_as_many() {
        let BuiltMesh { mut mesh, vertices: v, .. } = sheet(4);
        let spokes: Vec<EdgeKey> = mesh.halfedges_around(v[12]).map(|he| he.edge).collect();
        let record = mesh.open_edges(&spokes).expect("they meet in a vertex");
        mesh.validate().expect("valid after the opening");
        assert_eq!(record.copies, vec![(v[12], record.copies[0].1.clone())]);
        assert_eq!(record.copies[0].1.len(), 5);
    }

    #[test]
    fn what_cannot_open_says_why_and_stays() {
        let BuiltMesh { mut mesh, vertices: v, .. } = sheet(3);
        let [outer, inner] = [[0, 1], [5, 10]].map(|[a, b]| edge(&mesh, [v[a], v[b]]));
        let text = format!("{mesh:?}");
        assert_eq!(mesh.open_edges(&[outer]), Err(OpenBlocked::Boundary(outer)));
        assert_eq!(mesh.open_edges(&[inner]), Err(OpenBlocked::Buried(inner)));
        assert_eq!(mesh.open_edges(&[inner, inner]), Err(OpenBlocked::Repeated(inner)));
        assert_eq!(mesh.open_edges(&[EdgeKey::default()]), Err(OpenBlocked::Missing(EdgeKey::default())));
        assert_eq!(format!("{mesh:?}"), text);
        assert_eq!(mesh.open_edges(&[]), Ok(OpenRecord::default()));
    }
}
