//! From the keyed mesh to dense arrays.
//!
//! The dense order is part of the format. Vertices are ordered by group, Morton code and slot. Faces are ordered by their
//! corners, each rotated so that its smallest index comes first; edges by their ends. It depends on the mesh and the codes
//! alone, not on the history of edits, except that slots break ties between equal codes.
//!
//! Only the vertices are sorted by comparison. Faces and edges fall into the bucket of their smallest vertex, and a
//! bucket holds a handful: linear time. No hash maps.

use crate::keys::{EdgeKey, FaceKey, Side, VertexKey, slot_of};
use crate::mesh::HalfedgeMesh;
use taffeta_core::index::DenseIndex;
use taffeta_core::topology::Edge;
use taffeta_core::{EdgeIndex, FaceIndex, IndexVec, SurfaceTopology, TopologyEpoch, VertexIndex};

/// A dense topology and the keys of its elements.
#[derive(Clone, Debug, PartialEq)]
pub struct DenseTopology {
    /// The dense connectivity.
    pub topology: SurfaceTopology,
    /// The keyed elements behind it.
    pub keys: KeyTable,
}

/// The key of each dense element.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyTable {
    /// The vertices in dense order.
    pub vertices: IndexVec<VertexIndex, VertexKey>,
    /// The faces in dense order.
    pub faces: IndexVec<FaceIndex, FaceKey>,
    /// The edges in dense order.
    pub edges: IndexVec<EdgeIndex, EdgeKey>,
    /// The side of each edge that runs from its smaller to its larger vertex index.
    pub edge_sides: IndexVec<EdgeIndex, Side>,
}

impl HalfedgeMesh {
    /// Copies the connectivity into dense arrays. `order` gives the group of a vertex (its cloth) and its place on a
    /// space-filling curve within the group.
    pub fn dense_topology(
        &self,
        order: impl Fn(VertexKey) -> (u32, u64),
        epoch: TopologyEpoch,
    ) -> DenseTopology {
        let vertices = self.sort_vertices(order);
        let mut index_of_slot = vec![0u32; self.vertex_slot_limit()];
        for (vi, &v) in vertices.iter_indexed() {
            index_of_slot[slot_of(v)] = vi.0;
        }
        let (corners, faces) = self.sort_faces(&index_of_slot);
        let mut face_of_slot = vec![0u32; self.face_slot_limit()];
        for (fi, &f) in faces.iter_indexed() {
            face_of_slot[slot_of(f)] = fi.0;
        }
        let order = self.sort_edges(&index_of_slot);
        let mut edges = IndexVec::from(Vec::with_capacity(order.len()));
        let mut keys = IndexVec::from(Vec::with_capacity(order.len()));
        let mut edge_sides = IndexVec::from(Vec::with_capacity(order.len()));
        let mut face_edges = IndexVec::filled([EdgeIndex(0); 3], faces.len());
        for entry in order {
            let ei = EdgeIndex::from_usize(edges.len());
            let mut edge = Edge {
                vertices: [entry.low, entry.high].map(VertexIndex),
                faces: [None; 2],
                opposites: [None; 2],
            };
            let sides = &self.edges[entry.key];
            for (forward, side) in [entry.side, entry.side.opposite()].into_iter().enumerate() {
                let Some(f) = sides[side.index()].face else { continue };
                let fi = FaceIndex(face_of_slot[slot_of(f)]);
                let k = position_in(&corners[fi], edge.vertices[forward]);
                face_edges[fi][k] = ei;
                edge.faces[forward] = Some(fi);
                edge.opposites[forward] = Some(corners[fi][(k + 2) % 3]);
            }
            edges.push(edge);
            keys.push(entry.key);
            edge_sides.push(entry.side);
        }
        let topology = SurfaceTopology::from_parts(epoch, vertices.len(), corners, face_edges, edges);
        DenseTopology { topology, keys: KeyTable { vertices, faces, edges: keys, edge_sides } }
    }

    fn sort_vertices(&self, order: impl Fn(VertexKey) -> (u32, u64)) -> IndexVec<VertexIndex, VertexKey> {
        let mut entries: Vec<(u32, u64, VertexKey)> = self
            .vertex_keys()
            .map(|v| {
                let (group, code) = order(v);
                (group, code, v)
            })
            .collect();
        entries.sort_unstable_by_key(|&(group, code, v)| (group, code, slot_of(v)));
        entries.into_iter().map(|(_, _, v)| v).collect()
    }

    fn sort_faces(
        &self,
        index_of_slot: &[u32],
    ) -> (IndexVec<FaceIndex, [VertexIndex; 3]>, IndexVec<FaceIndex, FaceKey>) {
        let entries: Vec<([u32; 3], FaceKey)> = self
            .face_keys()
            .map(|f| {
                let mut corners = self.face_vertices(f).map(|v| index_of_slot[slot_of(v)]);
                let smallest = if corners[0] < corners[1] {
                    if corners[0] < corners[2] { 0 } else { 2 }
                } else if corners[1] < corners[2] {
                    1
                } else {
                    2
                };
                corners.rotate_left(smallest);
                (corners, f)
            })
            .collect();
        let sorted = sort_by_bucket(self.vertex_count(), &entries, |(corners, _)| *corners);
        let corners = sorted.iter().map(|(corners, _)| corners.map(VertexIndex)).collect();
        (corners, sorted.into_iter().map(|(_, f)| f).collect())
    }

    fn sort_edges(&self, index_of_slot: &[u32]) -> Vec<EdgeEntry> {
        let entries: Vec<EdgeEntry> = self
            .edges
            .iter()
            .map(|(key, [first, second])| {
                let tail = index_of_slot[slot_of(first.tail)];
                let tip = index_of_slot[slot_of(second.tail)];
                let side = if tail < tip { Side::First } else { Side::Second };
                EdgeEntry { low: tail.min(tip), high: tail.max(tip), key, side }
            })
            .collect();
        sort_by_bucket(self.vertex_count(), &entries, |entry| [entry.low, entry.high, 0])
    }
}

#[derive(Clone, Copy)]
struct EdgeEntry {
    low: u32,
    high: u32,
    key: EdgeKey,
    side: Side,
}

fn position_in(corners: &[VertexIndex; 3], vi: VertexIndex) -> usize {
    corners.iter().position(|&corner| corner == vi).expect("an edge of a face starts at one of its corners")
}

/// Sorts by a key whose first number is below `bucket_count`: a counting sort by that number, then a sort of each
/// bucket. Equal keys do not occur.
fn sort_by_bucket<T: Copy>(bucket_count: usize, entries: &[T], key: impl Fn(&T) -> [u32; 3]) -> Vec<T> {
    let mut ends = vec![0u32; bucket_count + 1];
    for entry in entries {
        ends[key(entry)[0] as usize + 1] += 1;
    }
    for bucket in 0..bucket_count {
        ends[bucket + 1] += ends[bucket];
    }
    // Filling moves the start of each bucket to its end, which is the start of the next one.
    let Some(&first) = entries.first() else { return Vec::new() };
    let mut sorted = vec![first; entries.len()];
    for entry in entries {
        let place = &mut ends[key(entry)[0] as usize];
        sorted[*place as usize] = *entry;
        *place += 1;
    }
    let mut start = 0;
    for &end in &ends[..bucket_count] {
        sorted[start..end as usize].sort_unstable_by_key(&key);
        start = end as usize;
    }
    sorted
}
