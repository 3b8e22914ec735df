//! Collapsing an edge.

use crate::keys::{EdgeKey, FaceKey, Halfedge, VertexKey};
use crate::mesh::HalfedgeMesh;

/// Why an edge cannot be collapsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CollapseBlocked {
    /// The half-edge is not part of the mesh.
    #[error("the half-edge is not part of the mesh")]
    Missing,
    /// Both ends lie on the boundary but the edge does not: the surface would be pinched to a point.
    #[error("an inner edge joins two boundary vertices")]
    JoinsBoundaries,
    /// The ends have a common neighbor that is no opposite corner of the edge: two edges, or two faces, or two sides
    /// of a hole would fall onto each other. The link condition.
    #[error("both ends are joined to a vertex that is not opposite to the edge")]
    SharedNeighbor(VertexKey),
    /// The edge belongs to a closed tetrahedron, which would become a doubled triangle.
    #[error("the edge belongs to a tetrahedron")]
    Tetrahedron,
    /// The face at the edge is the whole component, which would vanish.
    #[error("the component has only one face")]
    LastFace,
}

/// Elements that a collapse removed and merged.
///
/// ```text
///          c                        c
///        ↗ ↑ ↖                      ↑              removed_vertex   i
///       /  |  \                     |              kept_vertex      j
///    x ─→  i ─→ j      →       x ─→ j              removed_edge     i–j
///       \  |  /                     |              removed_faces    (i,j,c) on the left, (j,i,d) on the right
///        ↘ ↓ ↙                      ↓              merged           i→c into j→c, d→i into d→j
///          d                        d              A side is `None` where the surface ends.
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CollapseRecord {
    /// The vertex that is gone.
    pub removed_vertex: VertexKey,
    /// The vertex that took over its edges.
    pub kept_vertex: VertexKey,
    /// The collapsed edge.
    pub removed_edge: EdgeKey,
    /// The faces on the left and on the right.
    pub removed_faces: [Option<FaceKey>; 2],
    /// The edge beyond each removed face, and the one that stands in its place.
    pub merged: [Option<MergedEdge>; 2],
}

/// Two edges of a removed face that became one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MergedEdge {
    /// The half-edge that is gone. It was the side of the removed edge that looks away from the removed face.
    pub removed: Halfedge,
    /// The half-edge that took its place; before, it lay in the removed face. Its twin did not change.
    pub kept: Halfedge,
}

impl HalfedgeMesh {
    /// Checks that the tail of a half-edge can be merged into its tip.
    ///
    /// # Errors
    /// The reason if it cannot.
    pub fn can_collapse_edge(&self, he: Halfedge) -> Result<(), CollapseBlocked> {
        if !self.contains_edge(he.edge) {
            return Err(CollapseBlocked::Missing);
        }
        let [i, j] = self.ends(he);
        let opposites = [self.opposite(he), self.opposite(he.twin())];
        let is_inner = opposites.iter().all(Option::is_some);
        if is_inner && self.is_boundary_vertex(i) && self.is_boundary_vertex(j) {
            return Err(CollapseBlocked::JoinsBoundaries);
        }
        // Valences are about six: comparing all pairs beats marking.
        let shared = self
            .neighbors(i)
            .find(|&v| !opposites.contains(&Some(v)) && self.neighbors(j).any(|other| other == v));
        if let Some(v) = shared {
            return Err(CollapseBlocked::SharedNeighbor(v));
        }
        if let [Some(_), Some(_)] = opposites {
            // The edge c–d in the links of both ends: valence three at both.
            if self.valence(i) == 3
                && self.valence(j) == 3
                && !self.is_boundary_vertex(i)
                && !self.is_boundary_vertex(j)
            {
                return Err(CollapseBlocked::Tetrahedron);
            }
        } else if self.valence(i) == 2 && self.valence(j) == 2 {
            return Err(CollapseBlocked::LastFace);
        }
        Ok(())
    }

    /// Merges the tail of a half-edge into its tip. See [`CollapseRecord`] for the picture.
    ///
    /// # Errors
    /// As [`can_collapse_edge`](Self::can_collapse_edge); the mesh is then untouched.
    pub fn collapse_edge(&mut self, he: Halfedge) -> Result<CollapseRecord, CollapseBlocked> {
        self.can_collapse_edge(he)?;
        let [i, j] = self.ends(he);
        let twin = he.twin();
        let removed_faces = [self.face(he), self.face(twin)];
        let leaving: Vec<Halfedge> = self.halfedges_around(i).collect();
        for out in leaving {
            self.links_mut(out).tail = j;
        }
        let merged = [
            removed_faces[0].map(|_| self.merge(self.prev(he).twin(), self.next(he))),
            removed_faces[1].map(|_| self.merge(self.next(twin).twin(), self.prev(twin))),
        ];
        // Along a boundary nothing takes the place of the collapsed half-edge.
        for (side, face) in [he, twin].into_iter().zip(removed_faces) {
            if face.is_none() {
                self.link(self.prev(side), self.next(side));
            }
        }
        for merged in merged.iter().flatten() {
            self.edges.remove(merged.removed.edge);
        }
        self.edges.remove(he.edge);
        for f in removed_faces.into_iter().flatten() {
            self.faces.remove(f);
        }
        self.vertices.remove(i);
        for kept in merged.iter().flatten().flat_map(|merged| [merged.kept, merged.kept.twin()]) {
            self.restart_vertex(self.tail(kept), kept);
        }
        Ok(CollapseRecord { removed_vertex: i, kept_vertex: j, removed_edge: he.edge, removed_faces, merged })
    }

    /// Puts `kept` where `removed` is: same face, same neighbors.
    fn merge(&mut self, removed: Halfedge, kept: Halfedge) -> MergedEdge {
        let (prev, next, face) = (self.prev(removed), self.next(removed), self.face(removed));
        self.links_mut(kept).face = face;
        self.link(prev, kept);
        self.link(kept, next);
        if let Some(f) = face {
            self.faces[f].halfedge = kept;
        }
        MergedEdge { removed, kept }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn halfedge(built: &crate::BuiltMesh, tail: usize, tip: usize) -> Halfedge {
        built.mesh.find_halfedge(built.vertices[tail], built.vertices[tip]).expect("an edge")
    }

    fn refusal(
        vertex_count: usize,
        triangles: &[[u32; 3]],
        tail: usize,
        tip: usize,
    ) -> Option<CollapseBlocked> {
        let built = HalfedgeMesh::from_triangles(vertex_count, triangles).expect("a good mesh");
        built.mesh.can_collapse_edge(halfedge(&built, tail, tip)).err()
    }

    /// A hexagon around vertex 0.
    const FAN: [[u32; 3]; 6] = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5], [0, 5, 6], [0, 6, 1]];

    #[test]
    fn collapse_of_the_center_of_a_fan_removes_two_faces() {
        let built = HalfedgeMesh::from_triangles(7, &FAN).expect("a good mesh");
        let he = halfedge(&built, 0, 1);
        let mut mesh = built.mesh.clone();
        let record = mesh.collapse_edge(he).expect("the center can go");
        mesh.validate().expect("valid after the collapse");
        assert_eq!((mesh.vertex_count(), mesh.edge_count(), mesh.face_count()), (6, 9, 4));
        assert_eq!((record.removed_vertex, record.kept_vertex), (built.vertices[0], built.vertices[1]));
        assert_eq!(record.removed_faces, [Some(built.faces[0]), Some(built.faces[5])]);
        let merged = record.merged[0].expect("a face on the left");
        assert_eq!(merged.removed, halfedge(&built, 0, 2));
        assert_eq!(mesh.ends(merged.kept), [built.vertices[1], built.vertices[2]]);
        assert_eq!(mesh.face(merged.kept), Some(built.faces[1]));
    }

    #[test]
    fn collapse_of_a_boundary_edge_shortens_the_loop() {
        let built = HalfedgeMesh::from_triangles(7, &FAN).expect("a good mesh");
        for (tail, tip) in [(1, 2), (2, 1)] {
            let mut mesh = built.mesh.clone();
            mesh.collapse_edge(halfedge(&built, tail, tip)).expect("a boundary edge can go");
            mesh.validate().expect("valid after the collapse");
            assert_eq!(mesh.boundary_loops()[0].len(), 5);
        }
    }

    #[test]
    fn an_ear_can_be_cut_off() {
        let built = HalfedgeMesh::from_triangles(4, &[[0, 1, 2], [0, 2, 3]]).expect("a good mesh");
        let mut mesh = built.mesh.clone();
        mesh.collapse_edge(halfedge(&built, 1, 2)).expect("an ear can go");
        mesh.validate().expect("valid after the collapse");
        assert_eq!((mesh.vertex_count(), mesh.edge_count(), mesh.face_count()), (3, 3, 1));
    }

    #[test]
    fn every_obstacle_is_named() {
        let tetrahedron = [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]];
        assert_eq!(refusal(4, &tetrahedron, 0, 1), Some(CollapseBlocked::Tetrahedron));
        assert_eq!(refusal(3, &[[0, 1, 2]], 0, 1), Some(CollapseBlocked::LastFace));
        let square = [[0, 1, 2], [0, 2, 3]];
        assert_eq!(refusal(4, &square, 0, 2), Some(CollapseBlocked::JoinsBoundaries));
        // A triangle split in three, with one of the parts left open: 0, 1 and 3 bound a hole of three edges.
        let cone = [[0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let shared = refusal(4, &cone, 0, 1);
        assert!(matches!(shared, Some(CollapseBlocked::SharedNeighbor(_))), "{shared:?}");
        let missing = Halfedge::null();
        assert_eq!(HalfedgeMesh::default().can_collapse_edge(missing), Err(CollapseBlocked::Missing));
    }
}
