//! The connectivity of a triangle surface in dense arrays.
//!
//! ```text
//!         b            edge (a, b) with a < b; face 0 of the edge runs along a → b,
//!       / | \          face 1 runs along b → a; c and d are the opposite corners
//!      d  |  c
//!       \ | /
//!         a
//! ```
//!
//! Invariants: every face has three different corners; each edge has one or two faces. Corner `k` of a face is followed by its
//! edge `k`, which joins corners `k` and `k + 1`. Positions are not here: topology knows none. After the vertices of the faces
//! may come loose ones, which belong to no face.

use crate::index::{DenseIndex, EdgeIndex, FaceIndex, IndexVec, VertexIndex};
use serde::{Deserialize, Serialize};

/// Counts the dense forms of a mesh. A cache that was made in one epoch must not be used in another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TopologyEpoch(pub u64);

impl TopologyEpoch {
    /// The epoch after this one.
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// An edge of a [`SurfaceTopology`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The two ends, the smaller index first.
    pub vertices: [VertexIndex; 2],
    /// The face that runs along `vertices[0] → vertices[1]`, then the one that runs the other way.
    pub faces: [Option<FaceIndex>; 2],
    /// The corner opposite to the edge in each of `faces`.
    pub opposites: [Option<VertexIndex>; 2],
}

impl Edge {
    /// Returns whether the edge has only one face.
    pub fn is_boundary(&self) -> bool {
        self.faces[0].is_none() || self.faces[1].is_none()
    }
}

/// Immutable connectivity of a triangle surface with boundary.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceTopology {
    /// The conversion to the dense form that made it.
    pub epoch: TopologyEpoch,
    /// Number of vertices, loose ones included.
    pub vertex_count: usize,
    /// Number of loose vertices: the last ones, which belong to no face.
    pub loose_count: usize,
    /// The corners of each face, counter-clockwise.
    pub faces: IndexVec<FaceIndex, [VertexIndex; 3]>,
    /// The edges of each face: edge `k` joins corners `k` and `k + 1`.
    pub face_edges: IndexVec<FaceIndex, [EdgeIndex; 3]>,
    /// The edges.
    pub edges: IndexVec<EdgeIndex, Edge>,
    ring_offsets: Vec<u32>,
    ring_faces: Vec<FaceIndex>,
}

impl SurfaceTopology {
    /// Assembles a topology from corners and edges that are already consistent, as a half-edge mesh hands them over.
    pub fn from_parts(
        epoch: TopologyEpoch,
        vertex_count: usize,
        faces: IndexVec<FaceIndex, [VertexIndex; 3]>,
        face_edges: IndexVec<FaceIndex, [EdgeIndex; 3]>,
        edges: IndexVec<EdgeIndex, Edge>,
    ) -> Self {
        let (ring_offsets, ring_faces) = build_rings(vertex_count, &faces);
        Self { epoch, vertex_count, loose_count: 0, faces, face_edges, edges, ring_offsets, ring_faces }
    }

    /// Adds `count` vertices after those of the surface, which belong to no face.
    pub fn with_loose(mut self, count: usize) -> Self {
        let end = self.ring_offsets.last().copied().unwrap_or(0);
        self.vertex_count += count;
        self.loose_count += count;
        self.ring_offsets.resize(self.vertex_count + 1, end);
        self
    }

    /// Number of vertices without the loose ones.
    pub fn surface_vertex_count(&self) -> usize {
        self.vertex_count - self.loose_count
    }

    /// Builds a topology from corners alone, by sorting the half-edges. Edges come in the order of their ends.
    ///
    /// # Panics
    /// If a corner is out of range or two faces run along an edge in the same direction.
    pub fn from_faces(vertex_count: usize, faces: Vec<[VertexIndex; 3]>) -> Self {
        let faces = IndexVec::from(faces);
        let mut sides = Vec::with_capacity(3 * faces.len());
        for (fi, corners) in faces.iter_indexed() {
            for k in 0..3 {
                let (tail, tip) = (corners[k], corners[(k + 1) % 3]);
                assert!(tail.to_usize() < vertex_count, "corner {tail:?} of {fi:?} is out of range");
                sides.push((tail.min(tip), tail.max(tip), tail > tip, fi, k));
            }
        }
        sides.sort_unstable();
        let mut edges: IndexVec<EdgeIndex, Edge> = IndexVec::new();
        let mut face_edges = IndexVec::filled([EdgeIndex(0); 3], faces.len());
        for (low, high, reversed, fi, k) in sides {
            if edges.last().is_none_or(|edge| edge.vertices != [low, high]) {
                edges.push(Edge { vertices: [low, high], faces: [None; 2], opposites: [None; 2] });
            }
            let ei = EdgeIndex::from_usize(edges.len() - 1);
            let edge = &mut edges[ei];
            let side = usize::from(reversed);
            assert!(edge.faces[side].is_none(), "two faces run along {low:?}, {high:?} in one direction");
            edge.faces[side] = Some(fi);
            edge.opposites[side] = Some(faces[fi][(k + 2) % 3]);
            face_edges[fi][k] = ei;
        }
        Self::from_parts(TopologyEpoch(0), vertex_count, faces, face_edges, edges)
    }

    /// Number of faces.
    pub fn face_count(&self) -> usize {
        self.faces.len()
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// The faces around a vertex, in increasing order.
    pub fn faces_around(&self, vi: VertexIndex) -> &[FaceIndex] {
        let start = self.ring_offsets[vi.to_usize()] as usize;
        let end = self.ring_offsets[vi.to_usize() + 1] as usize;
        &self.ring_faces[start..end]
    }

    /// All vertex indices in order.
    pub fn vertices(&self) -> impl DoubleEndedIterator<Item = VertexIndex> + ExactSizeIterator + use<> {
        (0..self.vertex_count).map(VertexIndex::from_usize)
    }
}

/// Compressed rows of the faces around each vertex, by counting sort.
fn build_rings(
    vertex_count: usize,
    faces: &IndexVec<FaceIndex, [VertexIndex; 3]>,
) -> (Vec<u32>, Vec<FaceIndex>) {
    let mut offsets = vec![0u32; vertex_count + 1];
    for corners in faces.iter() {
        for vi in corners {
            offsets[vi.to_usize() + 1] += 1;
        }
    }
    for i in 0..vertex_count {
        offsets[i + 1] += offsets[i];
    }
    let mut cursor = offsets.clone();
    let mut rings = vec![FaceIndex(0); 3 * faces.len()];
    for (fi, corners) in faces.iter_indexed() {
        for vi in corners {
            let slot = &mut cursor[vi.to_usize()];
            rings[*slot as usize] = fi;
            *slot += 1;
        }
    }
    (offsets, rings)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(corners: [u32; 3]) -> [VertexIndex; 3] {
        corners.map(VertexIndex)
    }

    #[test]
    fn two_triangles_share_one_edge() {
        let topology = SurfaceTopology::from_faces(4, vec![v([0, 1, 2]), v([0, 2, 3])]);
        assert_eq!(topology.edge_count(), 5);
        let shared = topology.edges.iter().filter(|edge| !edge.is_boundary()).collect::<Vec<_>>();
        assert_eq!(shared.len(), 1);
        assert_eq!(shared[0].vertices, [VertexIndex(0), VertexIndex(2)]);
        assert_eq!(shared[0].faces, [Some(FaceIndex(1)), Some(FaceIndex(0))]);
        assert_eq!(shared[0].opposites, [Some(VertexIndex(3)), Some(VertexIndex(1))]);
        assert_eq!(topology.faces_around(VertexIndex(2)), &[FaceIndex(0), FaceIndex(1)]);
        assert_eq!(topology.faces_around(VertexIndex(3)), &[FaceIndex(1)]);
    }

    #[test]
    fn edges_of_a_face_follow_its_corners() {
        let topology = SurfaceTopology::from_faces(4, vec![v([3, 1, 2]), v([1, 3, 0])]);
        for (fi, corners) in topology.faces.iter_indexed() {
            for k in 0..3 {
                let mut ends = [corners[k], corners[(k + 1) % 3]];
                ends.sort();
                assert_eq!(topology.edges[topology.face_edges[fi][k]].vertices, ends);
            }
        }
    }
}
