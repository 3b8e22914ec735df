//! Walks around vertices, faces and boundaries, and counts that need a walk.

use crate::keys::{FaceKey, Halfedge, Side, VertexKey, slot_of};
use crate::mesh::HalfedgeMesh;
use taffeta_core::components::Components;

/// The half-edges that leave a vertex, counter-clockwise. See [`HalfedgeMesh::halfedges_around`].
#[derive(Clone, Debug)]
pub struct HalfedgesAround<'a> {
    mesh: &'a HalfedgeMesh,
    first: Halfedge,
    current: Option<Halfedge>,
}

impl Iterator for HalfedgesAround<'_> {
    type Item = Halfedge;

    #[inline]
    fn next(&mut self) -> Option<Halfedge> {
        let he = self.current?;
        let following = self.mesh.rotate(he);
        self.current = (following != self.first).then_some(following);
        Some(he)
    }
}

/// A closed chain of `next`: a face or a boundary loop. See [`HalfedgeMesh::loop_halfedges`].
#[derive(Clone, Debug)]
pub struct LoopHalfedges<'a> {
    mesh: &'a HalfedgeMesh,
    first: Halfedge,
    current: Option<Halfedge>,
}

impl Iterator for LoopHalfedges<'_> {
    type Item = Halfedge;

    #[inline]
    fn next(&mut self) -> Option<Halfedge> {
        let he = self.current?;
        let following = self.mesh.next(he);
        self.current = (following != self.first).then_some(following);
        Some(he)
    }
}

impl HalfedgeMesh {
    /// The half-edges that leave a vertex, counter-clockwise; at a boundary vertex the boundary half-edge comes first.
    #[inline]
    pub fn halfedges_around(&self, v: VertexKey) -> HalfedgesAround<'_> {
        self.halfedges_around_from(self.halfedge_from(v))
    }

    /// The half-edges that leave the tail of a half-edge, counter-clockwise, starting with it.
    #[inline]
    pub fn halfedges_around_from(&self, first: Halfedge) -> HalfedgesAround<'_> {
        HalfedgesAround { mesh: self, first, current: Some(first) }
    }

    /// The faces around a vertex, counter-clockwise.
    pub fn faces_around(&self, v: VertexKey) -> impl Iterator<Item = FaceKey> + '_ {
        self.halfedges_around(v).filter_map(|he| self.face(he))
    }

    /// The vertices joined to a vertex by an edge, counter-clockwise.
    pub fn neighbors(&self, v: VertexKey) -> impl Iterator<Item = VertexKey> + '_ {
        self.halfedges_around(v).map(|he| self.tip(he))
    }

    /// Number of edges at a vertex.
    pub fn valence(&self, v: VertexKey) -> usize {
        self.halfedges_around(v).count()
    }

    /// The half-edges of a face, counter-clockwise.
    #[inline]
    pub fn face_halfedges(&self, f: FaceKey) -> [Halfedge; 3] {
        let first = self.halfedge_of(f);
        let second = self.next(first);
        [first, second, self.next(second)]
    }

    /// The corners of a face, counter-clockwise: the tails of its half-edges.
    #[inline]
    pub fn face_vertices(&self, f: FaceKey) -> [VertexKey; 3] {
        self.face_halfedges(f).map(|he| self.tail(he))
    }

    /// The half-edges of the face or boundary loop that a half-edge belongs to, starting with it.
    pub fn loop_halfedges(&self, he: Halfedge) -> LoopHalfedges<'_> {
        LoopHalfedges { mesh: self, first: he, current: Some(he) }
    }

    /// The boundary loops, each as its boundary half-edges in order; the surface lies on their right. Loops and their
    /// starts are in the order of the lowest edge key.
    pub fn boundary_loops(&self) -> Vec<Vec<Halfedge>> {
        let mut starts: Vec<Halfedge> = self
            .edge_keys()
            .flat_map(|e| Side::BOTH.map(|side| Halfedge::new(e, side)))
            .filter(|&he| self.is_boundary_halfedge(he))
            .collect();
        starts.sort_unstable();
        let mut seen = vec![false; self.edge_slot_limit()];
        let mut loops = Vec::new();
        for start in starts {
            // A boundary edge has one boundary half-edge, so one mark per edge will do.
            if seen[slot_of(start.edge)] {
                continue;
            }
            let chain: Vec<Halfedge> = self.loop_halfedges(start).collect();
            for he in &chain {
                seen[slot_of(he.edge)] = true;
            }
            loops.push(chain);
        }
        loops
    }

    /// The connected components, each as its faces in increasing key order, in the order of their lowest face.
    pub fn components(&self) -> Vec<Vec<FaceKey>> {
        let mut faces: Vec<FaceKey> = self.face_keys().collect();
        faces.sort_unstable();
        let mut number_of = vec![0u32; self.face_slot_limit()];
        (0..).zip(&faces).for_each(|(number, f)| number_of[slot_of(*f)] = number);
        let mut joined = Components::new(faces.len());
        for e in self.edge_keys() {
            if let [Some(f), Some(g)] = self.edge_faces(e) {
                joined.join(number_of[slot_of(f)], number_of[slot_of(g)]);
            }
        }
        let keys = |numbers: Vec<u32>| numbers.into_iter().map(|number| faces[number as usize]).collect();
        joined.lists().into_iter().map(keys).collect()
    }

    /// Vertices minus edges plus faces.
    pub fn euler_characteristic(&self) -> i64 {
        self.vertex_count() as i64 - self.edge_count() as i64 + self.face_count() as i64
    }
}
