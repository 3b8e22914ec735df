//! Whole parts of a mesh: another mesh is added, or parts that share nothing with the rest are taken out.

use crate::keys::{EdgeKey, FaceKey, Halfedge, VertexKey, slot_of};
use crate::mesh::{FaceLinks, HalfedgeLinks, HalfedgeMesh, VertexLinks};
use slotmap::SecondaryMap;

/// The keys that the elements of an added mesh have now, by those that they had.
#[derive(Clone, Debug, Default)]
pub struct AppendRecord {
    /// Of the vertices.
    pub vertices: SecondaryMap<VertexKey, VertexKey>,
    /// Of the edges.
    pub edges: SecondaryMap<EdgeKey, EdgeKey>,
    /// Of the faces.
    pub faces: SecondaryMap<FaceKey, FaceKey>,
}

impl AppendRecord {
    fn halfedge(&self, he: Halfedge) -> Halfedge {
        Halfedge::new(self.edges[he.edge], he.side)
    }
}

impl HalfedgeMesh {
    /// Adds all of another mesh, which shares nothing with this one. New keys are given in the order of the other's slots.
    pub fn append(&mut self, other: &HalfedgeMesh) -> AppendRecord {
        let mut record = AppendRecord::default();
        let nowhere = Halfedge::null();
        let mut vertices: Vec<VertexKey> = other.vertices.keys().collect();
        let mut edges: Vec<EdgeKey> = other.edges.keys().collect();
        let mut faces: Vec<FaceKey> = other.faces.keys().collect();
        vertices.sort_unstable_by_key(|v| slot_of(*v));
        edges.sort_unstable_by_key(|e| slot_of(*e));
        faces.sort_unstable_by_key(|f| slot_of(*f));
        for v in &vertices {
            record.vertices.insert(*v, self.vertices.insert(VertexLinks { halfedge: nowhere }));
        }
        // Free slots are used from the highest on, but the faces stay in the order of their slots.
        let insert = |_: &FaceKey| self.faces.insert(FaceLinks { halfedge: nowhere });
        let mut inserted: Vec<FaceKey> = faces.iter().map(insert).collect();
        inserted.sort_unstable_by_key(|f| slot_of(*f));
        for (f, own) in faces.iter().zip(inserted) {
            record.faces.insert(*f, own);
        }
        for e in &edges {
            let loose = other.edges[*e].map(|side| HalfedgeLinks::loose(record.vertices[side.tail], None));
            record.edges.insert(*e, self.edges.insert(loose));
        }
        for e in edges {
            let linked = other.edges[e].map(|side| HalfedgeLinks {
                next: record.halfedge(side.next),
                prev: record.halfedge(side.prev),
                tail: record.vertices[side.tail],
                face: side.face.map(|f| record.faces[f]),
            });
            self.edges[record.edges[e]] = linked;
        }
        for v in vertices {
            self.vertices[record.vertices[v]].halfedge = record.halfedge(other.vertices[v].halfedge);
        }
        for f in faces {
            self.faces[record.faces[f]].halfedge = record.halfedge(other.faces[f].halfedge);
        }
        record
    }

    /// Takes out the faces that are chosen, with their edges and vertices. Refuses, and changes nothing, if one of them
    /// shares a vertex with a face that is not chosen: that face is returned.
    ///
    /// # Errors
    /// If such a face is there.
    pub fn remove_parts(&mut self, is_chosen: impl Fn(FaceKey) -> bool) -> Result<(), FaceKey> {
        let chosen: Vec<FaceKey> = self.faces.keys().filter(|f| is_chosen(*f)).collect();
        let mut vertices: Vec<VertexKey> = chosen.iter().flat_map(|f| self.face_vertices(*f)).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let around = vertices.iter().flat_map(|v| self.faces_around(*v));
        if let Some(kept) = around.into_iter().find(|f| !is_chosen(*f)) {
            return Err(kept);
        }
        let mut edges: Vec<EdgeKey> =
            chosen.iter().flat_map(|f| self.face_halfedges(*f)).map(|he| he.edge).collect();
        edges.sort_unstable();
        edges.dedup();
        for f in chosen {
            self.faces.remove(f);
        }
        for e in edges {
            self.edges.remove(e);
        }
        for v in vertices {
            self.vertices.remove(v);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip() -> HalfedgeMesh {
        HalfedgeMesh::from_triangles(5, &[[0, 1, 2], [1, 3, 2], [2, 3, 4]]).expect("a surface").mesh
    }

    #[test]
    fn what_was_added_can_be_taken_out_again() {
        let mut mesh = strip();
        let before = mesh.face_keys().collect::<Vec<_>>();
        // Slots that are free are filled again.
        let first = mesh.edge_keys().find(|e| mesh.can_split_edge(*e).is_ok()).expect("there is one");
        mesh.split_edge(first).expect("it can be split");
        let (counts, other) = ((mesh.vertex_count(), mesh.edge_count(), mesh.face_count()), strip());
        let record = mesh.append(&other);
        mesh.validate().expect("both are sound");
        assert_eq!((mesh.vertex_count(), mesh.face_count()), (counts.0 + 5, counts.2 + 3));
        assert_eq!(mesh.components().len(), 2);
        for f in other.face_keys() {
            let expected = other.face_vertices(f).map(|v| record.vertices[v]);
            assert_eq!(mesh.face_vertices(record.faces[f]), expected);
        }
        let added: Vec<FaceKey> = record.faces.values().copied().collect();
        mesh.remove_parts(|f| added.contains(&f)).expect("it shares nothing");
        mesh.validate().expect("the rest is sound");
        assert_eq!((mesh.vertex_count(), mesh.edge_count(), mesh.face_count()), counts);
        let refusal = mesh.remove_parts(|f| f == before[0]).expect_err("its neighbors stay");
        assert!(refusal != before[0]);
        mesh.validate().expect("nothing was changed");
        assert_eq!((mesh.vertex_count(), mesh.edge_count(), mesh.face_count()), counts);
    }
}
