//! Splitting an edge.

use crate::keys::{EdgeKey, FaceKey, Halfedge, Side, VertexKey};
use crate::mesh::{FaceLinks, HalfedgeLinks, HalfedgeMesh, VertexLinks};

/// Why an edge cannot be split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SplitBlocked {
    /// The edge is not part of the mesh.
    #[error("the edge is not part of the mesh")]
    Missing,
}

/// Elements that a split re-used and created.
///
/// ```text
///         c                      c
///       ↗   ↖                  ↗ ↑ ↖            kept.edge    a–b becomes a–m
///      /     \                /  |  \           created      m–b, on the same side
///     /   f   \      →       / f | f'\          vertex       m
///    a ──kept─→ b           a ─→ m ─→ b         sides[0]     the left: f keeps a, f' is new, spoke m→c
///     \   g   /              \ g | g'/          sides[1]     the right: g keeps a, g' is new, spoke m→d
///      \     /                \  |  /           A side is `None` where the surface ends.
///       ↘   ↙                  ↘ ↓ ↙
///         d                      d
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SplitRecord {
    /// The new vertex `m`.
    pub vertex: VertexKey,
    /// The first side of the split edge: it ran `a → b` and now runs `a → m`.
    pub kept: Halfedge,
    /// The half-edge `m → b` of the new edge.
    pub created: Halfedge,
    /// The faces on the left and on the right.
    pub sides: [Option<SplitSide>; 2],
}

/// Result of a split for the face on one side of the edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SplitSide {
    /// The face that was there: it keeps the end `a`.
    pub kept_face: FaceKey,
    /// The new face, at the end `b`.
    pub created_face: FaceKey,
    /// The half-edge from the new vertex to the opposite corner: in the created face on the left side, in the kept
    /// face on the right side.
    pub spoke: Halfedge,
}

impl HalfedgeMesh {
    /// Checks that an edge can be split. There is no topological obstacle: every edge of the mesh can.
    ///
    /// # Errors
    /// The reason if it cannot.
    pub fn can_split_edge(&self, e: EdgeKey) -> Result<(), SplitBlocked> {
        if self.contains_edge(e) { Ok(()) } else { Err(SplitBlocked::Missing) }
    }

    /// Puts a new vertex on an edge and joins it to the opposite corners. See [`SplitRecord`] for the picture.
    ///
    /// # Errors
    /// As [`can_split_edge`](Self::can_split_edge); the mesh is then untouched.
    pub fn split_edge(&mut self, e: EdgeKey) -> Result<SplitRecord, SplitBlocked> {
        self.can_split_edge(e)?;
        let kept = Halfedge::new(e, Side::First);
        let b = self.tip(kept);
        let next = self.next(kept);
        let twin_prev = self.prev(kept.twin());
        let faces = self.edge_faces(e);

        let vertex = self.vertices.insert(VertexLinks { halfedge: Halfedge::null() });
        let edge =
            self.edges.insert([HalfedgeLinks::loose(vertex, faces[0]), HalfedgeLinks::loose(b, faces[1])]);
        let created = Halfedge::new(edge, Side::First);
        self.links_mut(kept.twin()).tail = vertex;

        let left = match faces[0] {
            Some(f) => Some(self.split_left_face(f, kept, created, next)),
            None => {
                self.link(kept, created);
                self.link(created, next);
                None
            }
        };
        let right = match faces[1] {
            Some(f) => Some(self.split_right_face(f, kept, created, twin_prev)),
            None => {
                self.link(twin_prev, created.twin());
                self.link(created.twin(), kept.twin());
                None
            }
        };
        self.restart_vertex(vertex, created);
        if self.halfedge_from(b) == kept.twin() {
            self.vertices[b].halfedge = created.twin();
        }
        Ok(SplitRecord { vertex, kept, created, sides: [left, right] })
    }

    /// The face `a → b → c` becomes `a → m → c`, and `m → b → c` is new.
    fn split_left_face(
        &mut self,
        f: FaceKey,
        kept: Halfedge,
        created: Halfedge,
        next: Halfedge,
    ) -> SplitSide {
        let prev = self.next(next);
        let spoke = self.insert_spoke(self.tail(created), self.tail(prev));
        let created_face = self.faces.insert(FaceLinks { halfedge: created });
        self.link_face(f, [kept, spoke, prev]);
        self.link_face(created_face, [created, next, spoke.twin()]);
        // `spoke.twin()` runs c → m in the created face, `spoke` m → c in the kept one.
        SplitSide { kept_face: f, created_face, spoke }
    }

    /// The face `b → a → d` becomes `m → a → d`, and `b → m → d` is new.
    fn split_right_face(
        &mut self,
        f: FaceKey,
        kept: Halfedge,
        created: Halfedge,
        prev: Halfedge,
    ) -> SplitSide {
        let next = self.next(kept.twin());
        let spoke = self.insert_spoke(self.tail(created), self.tail(prev));
        let created_face = self.faces.insert(FaceLinks { halfedge: created.twin() });
        self.link_face(f, [kept.twin(), next, spoke.twin()]);
        self.link_face(created_face, [created.twin(), spoke, prev]);
        SplitSide { kept_face: f, created_face, spoke }
    }

    fn insert_spoke(&mut self, center: VertexKey, corner: VertexKey) -> Halfedge {
        let edge =
            self.edges.insert([HalfedgeLinks::loose(center, None), HalfedgeLinks::loose(corner, None)]);
        Halfedge::new(edge, Side::First)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_of_an_inner_edge_makes_four_faces() {
        let built = HalfedgeMesh::from_triangles(4, &[[0, 1, 2], [1, 0, 3]]).expect("a good mesh");
        let mut mesh = built.mesh;
        let [a, b, c, d] = *built.vertices else { unreachable!("four vertices") };
        let edge = mesh.find_halfedge(a, b).expect("an edge").edge;
        let [from, to] = mesh.edge_ends(edge);
        let record = mesh.split_edge(edge).expect("a split is never blocked");
        mesh.validate().expect("valid after the split");
        assert_eq!((mesh.vertex_count(), mesh.edge_count(), mesh.face_count()), (5, 8, 4));
        assert_eq!(mesh.ends(record.kept), [from, record.vertex]);
        assert_eq!(mesh.ends(record.created), [record.vertex, to]);
        let [Some(left), Some(right)] = record.sides else { panic!("two faces") };
        assert_eq!(mesh.ends(left.spoke), [record.vertex, if from == a { c } else { d }]);
        assert_eq!(mesh.face(record.kept), Some(left.kept_face));
        assert_eq!(mesh.face(left.spoke), Some(left.kept_face));
        assert_eq!(mesh.face(record.created), Some(left.created_face));
        assert_eq!(mesh.face(record.kept.twin()), Some(right.kept_face));
        assert_eq!(mesh.face(right.spoke), Some(right.created_face));
        assert!(!mesh.is_boundary_vertex(record.vertex));
    }

    #[test]
    fn split_of_a_boundary_edge_keeps_the_boundary_linked() {
        let mut mesh = HalfedgeMesh::from_triangles(3, &[[0, 1, 2]]).expect("a good mesh").mesh;
        for edge in mesh.edge_keys().collect::<Vec<_>>() {
            let record = mesh.split_edge(edge).expect("a split is never blocked");
            mesh.validate().expect("valid after the split");
            assert!(mesh.is_boundary_vertex(record.vertex));
            assert_eq!(record.sides.iter().flatten().count(), 1);
        }
        assert_eq!(mesh.boundary_loops()[0].len(), 6);
        assert_eq!(mesh.split_edge(EdgeKey::default()), Err(SplitBlocked::Missing));
    }
}
