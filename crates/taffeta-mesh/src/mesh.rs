//! The mesh and its navigation.

use crate::keys::{EdgeKey, FaceKey, Halfedge, VertexKey, slot_of, version_of};
use serde::{Deserialize, Serialize};
use slotmap::{Key, SlotMap};

/// A triangle surface with boundary as linked half-edges. See the [crate page](crate) for the picture and invariants.
///
/// Every method that takes a key panics if the element is not part of the mesh, unless it says otherwise.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct HalfedgeMesh {
    pub(crate) vertices: SlotMap<VertexKey, VertexLinks>,
    pub(crate) edges: SlotMap<EdgeKey, [HalfedgeLinks; 2]>,
    pub(crate) faces: SlotMap<FaceKey, FaceLinks>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct VertexLinks {
    /// Leaves the vertex. The boundary one if there is one, so that "on the boundary" is one look-up.
    pub halfedge: Halfedge,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct FaceLinks {
    /// One of the three.
    pub halfedge: Halfedge,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct HalfedgeLinks {
    pub next: Halfedge,
    // Twice next would do inside a face, but on the boundary it takes a walk around the vertex.
    pub prev: Halfedge,
    pub tail: VertexKey,
    /// `None`: the outside.
    pub face: Option<FaceKey>,
}

impl HalfedgeLinks {
    /// Links to be completed by [`HalfedgeMesh::link`].
    pub(crate) fn loose(tail: VertexKey, face: Option<FaceKey>) -> Self {
        Self { next: Halfedge::null(), prev: Halfedge::null(), tail, face }
    }
}

/// Counts, keys, membership.
impl HalfedgeMesh {
    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.vertices.len()
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// Number of faces.
    pub fn face_count(&self) -> usize {
        self.faces.len()
    }

    /// All vertices, in an order that is no part of the contract: sort before a result can depend on it.
    pub fn vertex_keys(&self) -> impl Iterator<Item = VertexKey> + '_ {
        self.vertices.keys()
    }

    /// All edges, in an order that is no part of the contract: sort before a result can depend on it.
    pub fn edge_keys(&self) -> impl Iterator<Item = EdgeKey> + '_ {
        self.edges.keys()
    }

    /// All faces, in an order that is no part of the contract: sort before a result can depend on it.
    pub fn face_keys(&self) -> impl Iterator<Item = FaceKey> + '_ {
        self.faces.keys()
    }

    /// Returns whether the vertex is part of the mesh.
    pub fn contains_vertex(&self, v: VertexKey) -> bool {
        self.vertices.contains_key(v)
    }

    /// Returns whether the edge is part of the mesh.
    pub fn contains_edge(&self, e: EdgeKey) -> bool {
        self.edges.contains_key(e)
    }

    /// Returns whether the face is part of the mesh.
    pub fn contains_face(&self, f: FaceKey) -> bool {
        self.faces.contains_key(f)
    }

    /// One more than the largest [slot](slot_of) of a vertex: the length of an array indexed by slot.
    pub fn vertex_slot_limit(&self) -> usize {
        slot_limit(self.vertices.keys())
    }

    /// One more than the largest [slot](slot_of) of an edge.
    pub fn edge_slot_limit(&self) -> usize {
        slot_limit(self.edges.keys())
    }

    /// One more than the largest [slot](slot_of) of a face.
    pub fn face_slot_limit(&self) -> usize {
        slot_limit(self.faces.keys())
    }
}

/// Steps from one element to a neighboring one.
impl HalfedgeMesh {
    #[inline]
    pub(crate) fn links(&self, he: Halfedge) -> &HalfedgeLinks {
        &self.edges[he.edge][he.side.index()]
    }

    #[inline]
    pub(crate) fn links_mut(&mut self, he: Halfedge) -> &mut HalfedgeLinks {
        &mut self.edges[he.edge][he.side.index()]
    }

    /// The half-edge that follows around the face, or along the boundary.
    #[inline]
    pub fn next(&self, he: Halfedge) -> Halfedge {
        self.links(he).next
    }

    /// The half-edge before it around the face, or along the boundary.
    #[inline]
    pub fn prev(&self, he: Halfedge) -> Halfedge {
        self.links(he).prev
    }

    /// The edge in the other direction.
    #[inline]
    pub fn twin(&self, he: Halfedge) -> Halfedge {
        he.twin()
    }

    /// The vertex it leaves.
    #[inline]
    pub fn tail(&self, he: Halfedge) -> VertexKey {
        self.links(he).tail
    }

    /// The vertex it reaches.
    #[inline]
    pub fn tip(&self, he: Halfedge) -> VertexKey {
        self.links(he.twin()).tail
    }

    /// Tail and tip.
    #[inline]
    pub fn ends(&self, he: Halfedge) -> [VertexKey; 2] {
        [self.tail(he), self.tip(he)]
    }

    /// Tail and tip of the first side.
    #[inline]
    pub fn edge_ends(&self, e: EdgeKey) -> [VertexKey; 2] {
        let [first, second] = &self.edges[e];
        [first.tail, second.tail]
    }

    /// The face on its left, `None` on the boundary.
    #[inline]
    pub fn face(&self, he: Halfedge) -> Option<FaceKey> {
        self.links(he).face
    }

    /// The faces on the first and on the second side.
    #[inline]
    pub fn edge_faces(&self, e: EdgeKey) -> [Option<FaceKey>; 2] {
        let [first, second] = &self.edges[e];
        [first.face, second.face]
    }

    /// The edge it belongs to.
    #[inline]
    pub fn edge_of(&self, he: Halfedge) -> EdgeKey {
        he.edge
    }

    /// The corner opposite to the half-edge in its face, `None` on the boundary.
    #[inline]
    pub fn opposite(&self, he: Halfedge) -> Option<VertexKey> {
        let links = self.links(he);
        links.face.map(|_| self.tail(links.prev))
    }

    /// A half-edge that leaves the vertex: the boundary one if the vertex is on the boundary.
    #[inline]
    pub fn halfedge_from(&self, v: VertexKey) -> Halfedge {
        self.vertices[v].halfedge
    }

    /// A half-edge of the face.
    #[inline]
    pub fn halfedge_of(&self, f: FaceKey) -> Halfedge {
        self.faces[f].halfedge
    }

    /// The next half-edge from the same tail, counter-clockwise.
    #[inline]
    pub fn rotate(&self, he: Halfedge) -> Halfedge {
        self.prev(he).twin()
    }

    /// The half-edge from one vertex to another, `None` if no edge joins them.
    pub fn find_halfedge(&self, tail: VertexKey, tip: VertexKey) -> Option<Halfedge> {
        self.halfedges_around(tail).find(|&he| self.tip(he) == tip)
    }

    /// Returns whether the half-edge has no face.
    #[inline]
    pub fn is_boundary_halfedge(&self, he: Halfedge) -> bool {
        self.links(he).face.is_none()
    }

    /// Returns whether the edge has only one face.
    #[inline]
    pub fn is_boundary_edge(&self, e: EdgeKey) -> bool {
        self.edges[e].iter().any(|links| links.face.is_none())
    }

    /// Returns whether the vertex lies on the boundary.
    #[inline]
    pub fn is_boundary_vertex(&self, v: VertexKey) -> bool {
        self.is_boundary_halfedge(self.halfedge_from(v))
    }
}

/// Linking, for the edits.
impl HalfedgeMesh {
    /// Makes `next` follow `he`.
    pub(crate) fn link(&mut self, he: Halfedge, next: Halfedge) {
        self.links_mut(he).next = next;
        self.links_mut(next).prev = he;
    }

    /// Makes three half-edges the sides of a face.
    pub(crate) fn link_face(&mut self, f: FaceKey, sides: [Halfedge; 3]) {
        for k in 0..3 {
            self.link(sides[k], sides[(k + 1) % 3]);
            self.links_mut(sides[k]).face = Some(f);
        }
        self.faces[f].halfedge = sides[0];
    }

    /// Lets a vertex start at its boundary half-edge, or at `leaving` if it has none.
    pub(crate) fn restart_vertex(&mut self, v: VertexKey, leaving: Halfedge) {
        let mut he = leaving;
        while !self.is_boundary_halfedge(he) {
            he = self.rotate(he);
            if he == leaving {
                break;
            }
        }
        self.vertices[v].halfedge = he;
    }

    /// Puts the free slots into an order that depends only on which slots are free: the highest is used first.
    ///
    /// Slots are otherwise re-used in the order of their removal, which a serialized mesh does not remember. Call this at the
    /// start of every series of edits. The edits then give the same keys in a run and in a run that was resumed from its
    /// checkpoint. Costs one step per free slot.
    pub fn sort_free_slots(&mut self) {
        let loose = HalfedgeLinks::loose(VertexKey::null(), None);
        sort_free_slots_of(&mut self.vertices, VertexLinks { halfedge: Halfedge::null() });
        sort_free_slots_of(&mut self.edges, [loose; 2]);
        sort_free_slots_of(&mut self.faces, FaceLinks { halfedge: Halfedge::null() });
    }
}

fn slot_limit(keys: impl Iterator<Item = impl Key>) -> usize {
    keys.map(slot_of).max().map_or(0, |slot| slot + 1)
}

fn sort_free_slots_of<K: Key, T: Copy>(map: &mut SlotMap<K, T>, filler: T) {
    let mut fillers = Vec::new();
    // A key of version 1 would be a fresh slot behind all others: the refused insertion leaves the map as it was.
    while let Ok(key) = map.try_insert_with_key(|key| if version_of(key) == 1 { Err(()) } else { Ok(filler) })
    {
        fillers.push(key);
    }
    fillers.sort_unstable();
    for key in fillers {
        map.remove(key);
    }
}
