//! The invariants of a mesh, checked one by one.

use crate::keys::{EdgeKey, FaceKey, Halfedge, Side, VertexKey, slot_of};
use crate::mesh::HalfedgeMesh;

/// The first broken invariant that [`HalfedgeMesh::validate`] found. It is a defect of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// A half-edge refers to an element that is not part of the mesh.
    #[error("{0:?} refers to an element that is not part of the mesh")]
    HalfedgeLinks(Halfedge),
    /// `prev(next(h))` is not `h`.
    #[error("prev of next of {0:?} is another half-edge")]
    PrevOfNext(Halfedge),
    /// `next(h)` does not start where `h` ends.
    #[error("next of {0:?} does not start at its tip")]
    TailOfNext(Halfedge),
    /// `next(h)` lies in another face.
    #[error("next of {0:?} lies in another face")]
    FaceOfNext(Halfedge),
    /// An edge joins a vertex to itself.
    #[error("{0:?} joins a vertex to itself")]
    LoopEdge(EdgeKey),
    /// An edge has no face.
    #[error("{0:?} has no face")]
    BareEdge(EdgeKey),
    /// Two edges join the same vertices.
    #[error("{0:?} and {1:?} join the same vertices")]
    ParallelEdges(EdgeKey, EdgeKey),
    /// A face does not start at one of its own half-edges.
    #[error("{0:?} starts at a half-edge that is not its own")]
    FaceStart(FaceKey),
    /// A face does not have three half-edges.
    #[error("{0:?} is not a triangle")]
    FaceSize(FaceKey),
    /// The two faces of an edge have the same corners.
    #[error("the two faces of {0:?} have the same corners")]
    DoubledFace(EdgeKey),
    /// A vertex does not start at a half-edge that leaves it.
    #[error("{0:?} starts at a half-edge that does not leave it")]
    VertexStart(VertexKey),
    /// A boundary vertex does not start at its boundary half-edge.
    #[error("{0:?} lies on the boundary but does not start there")]
    BoundaryStart(VertexKey),
    /// Not every half-edge that leaves a vertex is reached by turning around it.
    #[error("the faces around {0:?} are not one fan")]
    Fan(VertexKey),
    /// The half-edges of the faces are not as many as the half-edges that have one.
    #[error("{inside} half-edges have a face, but the faces have {of_faces}")]
    FaceCount {
        /// Half-edges that name a face.
        inside: usize,
        /// Three times the number of faces.
        of_faces: usize,
    },
}

impl HalfedgeMesh {
    /// Checks every invariant of the mesh. For tests: it takes time `n log n`.
    ///
    /// # Errors
    /// The first broken invariant.
    pub fn validate(&self) -> Result<(), Broken> {
        // References first, so that the later checks can follow them.
        self.validate_references()?;
        let mut inside = 0;
        for e in self.edge_keys() {
            for side in Side::BOTH {
                self.validate_halfedge(Halfedge::new(e, side))?;
                inside += usize::from(!self.is_boundary_halfedge(Halfedge::new(e, side)));
            }
            self.validate_edge(e)?;
        }
        let of_faces = 3 * self.face_count();
        if inside != of_faces {
            return Err(Broken::FaceCount { inside, of_faces });
        }
        self.validate_faces()?;
        self.validate_fans()?;
        self.validate_simplicity()
    }

    fn validate_references(&self) -> Result<(), Broken> {
        for e in self.edge_keys() {
            for side in Side::BOTH {
                let he = Halfedge::new(e, side);
                let links = self.links(he);
                let complete = self.contains_edge(links.next.edge)
                    && self.contains_edge(links.prev.edge)
                    && self.contains_vertex(links.tail)
                    && links.face.is_none_or(|f| self.contains_face(f));
                if !complete {
                    return Err(Broken::HalfedgeLinks(he));
                }
            }
        }
        let bad_vertex = self.vertex_keys().find(|&v| !self.contains_edge(self.halfedge_from(v).edge));
        let bad_face = self.face_keys().find(|&f| !self.contains_edge(self.halfedge_of(f).edge));
        match (bad_vertex, bad_face) {
            (Some(v), _) => Err(Broken::VertexStart(v)),
            (None, Some(f)) => Err(Broken::FaceStart(f)),
            (None, None) => Ok(()),
        }
    }

    fn validate_halfedge(&self, he: Halfedge) -> Result<(), Broken> {
        let next = self.next(he);
        if self.prev(next) != he {
            return Err(Broken::PrevOfNext(he));
        }
        if self.tail(next) != self.tip(he) {
            return Err(Broken::TailOfNext(he));
        }
        if self.face(next) != self.face(he) {
            return Err(Broken::FaceOfNext(he));
        }
        Ok(())
    }

    fn validate_edge(&self, e: EdgeKey) -> Result<(), Broken> {
        let [tail, tip] = self.edge_ends(e);
        if tail == tip {
            return Err(Broken::LoopEdge(e));
        }
        if self.edge_faces(e) == [None, None] {
            return Err(Broken::BareEdge(e));
        }
        let opposites = Side::BOTH.map(|side| self.opposite(Halfedge::new(e, side)));
        if opposites[0].is_some() && opposites[0] == opposites[1] {
            return Err(Broken::DoubledFace(e));
        }
        Ok(())
    }

    fn validate_faces(&self) -> Result<(), Broken> {
        for f in self.face_keys() {
            let sides = self.face_halfedges(f);
            if sides.iter().any(|&he| self.face(he) != Some(f)) {
                return Err(Broken::FaceStart(f));
            }
            if self.next(sides[2]) != sides[0] || sides[0] == sides[1] {
                return Err(Broken::FaceSize(f));
            }
        }
        Ok(())
    }

    fn validate_fans(&self) -> Result<(), Broken> {
        let mut leaving = vec![0usize; self.vertex_slot_limit()];
        let mut leaving_outside = leaving.clone();
        for he in self.edge_keys().flat_map(|e| Side::BOTH.map(|side| Halfedge::new(e, side))) {
            let slot = slot_of(self.tail(he));
            leaving[slot] += 1;
            leaving_outside[slot] += usize::from(self.is_boundary_halfedge(he));
        }
        for v in self.vertex_keys() {
            let slot = slot_of(v);
            if self.tail(self.halfedge_from(v)) != v {
                return Err(Broken::VertexStart(v));
            }
            if leaving_outside[slot] > 0 && !self.is_boundary_vertex(v) {
                return Err(Broken::BoundaryStart(v));
            }
            // `rotate` is a bijection once prev and next agree, so the walk closes.
            if leaving_outside[slot] > 1 || self.valence(v) != leaving[slot] {
                return Err(Broken::Fan(v));
            }
        }
        Ok(())
    }

    /// Two vertices share at most one edge. That three share at most one face follows from [`Self::validate_edge`]:
    /// faces with the same corners share an edge.
    fn validate_simplicity(&self) -> Result<(), Broken> {
        let mut ends: Vec<([VertexKey; 2], EdgeKey)> = self
            .edge_keys()
            .map(|e| {
                let mut ends = self.edge_ends(e);
                ends.sort_unstable();
                (ends, e)
            })
            .collect();
        ends.sort_unstable();
        match ends.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(Broken::ParallelEdges(pair[0].1, pair[1].1)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_found() {
        let built = HalfedgeMesh::from_triangles(4, &[[0, 1, 2], [0, 2, 3]]).expect("a good mesh");
        let mesh = built.mesh;
        let inner = mesh.edge_keys().find(|&e| !mesh.is_boundary_edge(e)).expect("one inner edge");
        let he = Halfedge::new(inner, Side::First);
        let damaged = |damage: &dyn Fn(&mut HalfedgeMesh)| {
            let mut copy = mesh.clone();
            damage(&mut copy);
            copy.validate().expect_err("damaged")
        };
        let next = mesh.next(he);
        assert_eq!(damaged(&|m| m.links_mut(he).next = he), Broken::PrevOfNext(he));
        assert_eq!(damaged(&|m| m.links_mut(he).face = None), Broken::FaceOfNext(he));
        assert_eq!(damaged(&|m| m.links_mut(he).next = Halfedge::null()), Broken::HalfedgeLinks(he));
        let v = mesh.tail(he);
        assert_eq!(damaged(&|m| m.vertices[v].halfedge = next), Broken::VertexStart(v));
        assert_eq!(damaged(&|m| m.vertices[v].halfedge = he), Broken::BoundaryStart(v));
        let f = built.faces[0];
        let foreign = mesh.halfedge_of(built.faces[1]);
        assert_eq!(damaged(&|m| m.faces[f].halfedge = foreign), Broken::FaceStart(f));
        mesh.validate().expect("the original is sound");
    }
}
