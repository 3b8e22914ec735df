//! Flipping an edge.

use crate::keys::{EdgeKey, FaceKey, Halfedge, Side, VertexKey};
use crate::mesh::HalfedgeMesh;

/// Why an edge cannot be flipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FlipBlocked {
    /// The edge is not part of the mesh.
    #[error("the edge is not part of the mesh")]
    Missing,
    /// The edge has only one face.
    #[error("the edge lies on the boundary")]
    Boundary,
    /// An edge already joins the opposite corners; also the case if an end of the edge has only three neighbors.
    #[error("the opposite corners are already joined by an edge")]
    AlreadyJoined(EdgeKey),
}

/// Elements that a flip turned. All elements are re-used.
///
/// ```text
///         c                      c
///       ↗   ↖                  ↗ ↑ ↖            h : a → b becomes h : d → c, a quarter turn counter-clockwise
///      /     \                /  |  \           faces[0] is on the left of h before and after
///     /   0   \      →       /   |   \
///    a ───h──→ b            a  0 h 1  b
///     \   1   /              \   |   /
///      \     /                \  |  /
///       ↘   ↙                  ↘ | ↙
///         d                      d
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FlipRecord {
    /// The first side `h` of the flipped edge.
    pub halfedge: Halfedge,
    /// Its ends before, `[a, b]`.
    pub old_ends: [VertexKey; 2],
    /// Its ends now, `[d, c]`.
    pub new_ends: [VertexKey; 2],
    /// The face on the left, then the face on the right of `h`.
    pub faces: [FaceKey; 2],
}

impl HalfedgeMesh {
    /// Checks that an edge can be turned to join the opposite corners.
    ///
    /// # Errors
    /// The reason if it cannot.
    pub fn can_flip_edge(&self, e: EdgeKey) -> Result<(), FlipBlocked> {
        if !self.contains_edge(e) {
            return Err(FlipBlocked::Missing);
        }
        let he = Halfedge::new(e, Side::First);
        let (Some(c), Some(d)) = (self.opposite(he), self.opposite(he.twin())) else {
            return Err(FlipBlocked::Boundary);
        };
        match self.find_halfedge(c, d) {
            Some(other) => Err(FlipBlocked::AlreadyJoined(other.edge)),
            None => Ok(()),
        }
    }

    /// Turns an edge to join the opposite corners. See [`FlipRecord`] for the picture.
    ///
    /// # Errors
    /// As [`can_flip_edge`](Self::can_flip_edge); the mesh is then untouched.
    pub fn flip_edge(&mut self, e: EdgeKey) -> Result<FlipRecord, FlipBlocked> {
        self.can_flip_edge(e)?;
        let he = Halfedge::new(e, Side::First);
        let twin = he.twin();
        let [a, b] = self.ends(he);
        let [Some(left), Some(right)] = self.edge_faces(e) else {
            unreachable!("checked: not on the boundary")
        };
        let (b_c, c_a) = (self.next(he), self.prev(he));
        let (a_d, d_b) = (self.next(twin), self.prev(twin));
        let [c, d] = [self.tail(c_a), self.tail(d_b)];
        self.links_mut(he).tail = d;
        self.links_mut(twin).tail = c;
        self.link_face(left, [he, c_a, a_d]);
        self.link_face(right, [twin, d_b, b_c]);
        // The edge is not on the boundary, so only a vertex without boundary can have started at it.
        for (v, gone, instead) in [(a, he, a_d), (b, twin, b_c)] {
            if self.halfedge_from(v) == gone {
                self.vertices[v].halfedge = instead;
            }
        }
        Ok(FlipRecord { halfedge: he, old_ends: [a, b], new_ends: [d, c], faces: [left, right] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_flips_are_the_identity_and_two_reverse_the_edge() {
        let mut mesh = HalfedgeMesh::from_triangles(4, &[[0, 1, 2], [0, 2, 3]]).expect("a good mesh").mesh;
        let edge = mesh.edge_keys().find(|&e| !mesh.is_boundary_edge(e)).expect("one inner edge");
        let start = mesh.edge_ends(edge);
        let faces = mesh.edge_faces(edge);
        for turn in 1..=4 {
            let record = mesh.flip_edge(edge).expect("the square can flip");
            mesh.validate().expect("valid after the flip");
            assert_eq!(mesh.edge_ends(edge), record.new_ends);
            assert_eq!(mesh.edge_faces(edge), faces);
            if turn == 2 {
                assert_eq!(record.new_ends, [start[1], start[0]]);
            }
        }
        assert_eq!(mesh.edge_ends(edge), start);
    }

    #[test]
    fn every_obstacle_is_named() {
        let mesh = HalfedgeMesh::from_triangles(3, &[[0, 1, 2]]).expect("a good mesh").mesh;
        let edge = mesh.edge_keys().next().expect("an edge");
        assert_eq!(mesh.can_flip_edge(edge), Err(FlipBlocked::Boundary));
        assert_eq!(mesh.can_flip_edge(EdgeKey::default()), Err(FlipBlocked::Missing));
        let cone = HalfedgeMesh::from_triangles(4, &[[0, 1, 3], [1, 2, 3], [2, 0, 3]]).expect("a good mesh");
        let find = |tail, tip| {
            cone.mesh.find_halfedge(cone.vertices[tail], cone.vertices[tip]).expect("an edge").edge
        };
        assert_eq!(cone.mesh.can_flip_edge(find(0, 3)), Err(FlipBlocked::AlreadyJoined(find(1, 2))));
    }
}
