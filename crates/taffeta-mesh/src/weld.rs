//! Welding: vertices of the boundary become one, and the boundary edges between them inner edges.

use crate::build::BuildError;
use crate::keys::{EdgeKey, Halfedge, Side, VertexKey, slot_of};
use crate::mesh::HalfedgeMesh;
use taffeta_core::components::Components;

/// Why vertices cannot be welded: the result would be no surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeldBlocked {
    /// A vertex is not part of the mesh.
    #[error("{0:?} is not part of the mesh")]
    Missing(VertexKey),
    /// Two corners of a face would be one.
    #[error("two corners of a face at {0:?} would be one")]
    FlatFace(VertexKey),
    /// An edge would have more than two faces.
    #[error("more than two faces would share the edge from {0:?} to {1:?}")]
    CrowdedEdge(VertexKey, VertexKey),
    /// Two neighbors would run along their edge in the same direction.
    #[error("the faces on the two sides of the edge from {0:?} to {1:?} are turned against each other")]
    TurnedOver(VertexKey, VertexKey),
    /// Two faces would have the same corners.
    #[error("two faces at {0:?} would have the same corners")]
    DoubledFace(VertexKey),
    /// Faces that share no edge would meet in a vertex.
    #[error("faces that share no edge would meet in {0:?} alone")]
    BowTie(VertexKey),
}

impl WeldBlocked {
    /// A vertex at which it would go wrong, by its key before the weld.
    pub fn vertex(&self) -> VertexKey {
        match *self {
            Self::Missing(v) | Self::FlatFace(v) | Self::DoubledFace(v) | Self::BowTie(v) => v,
            Self::CrowdedEdge(v, _) | Self::TurnedOver(v, _) => v,
        }
    }
}

/// Elements that a weld merged.
///
/// ```text
///   b₀ ←─ glued.removed ─ b₁        a vertex `b` of a pair becomes the vertex `a`; the half-edge of the
///   ┆                     ┆         removed edge that has a face becomes the half-edge `outside` of the
///   a₀ ─── outside.edge → a₁        edge that stays, which had none
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WeldRecord {
    /// The vertices that stay, each with those that were merged into it, in key order.
    pub merged: Vec<(VertexKey, Vec<VertexKey>)>,
    /// The edges that became one.
    pub glued: Vec<GluedEdge>,
}

/// Two boundary edges that a weld made one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GluedEdge {
    /// The half-edge of the edge that stays which has got the face of the other.
    pub outside: Halfedge,
    /// The half-edge that it takes the place of; its edge is no part of the mesh any more.
    pub removed: Halfedge,
}

impl HalfedgeMesh {
    /// The vertex that each vertex becomes when the vertices of each pair become one, by slot: of those that are joined
    /// the first by key. Others stay.
    fn find_welds(&self, pairs: &[[VertexKey; 2]]) -> Result<Vec<VertexKey>, WeldBlocked> {
        if let Some(v) = pairs.iter().flatten().find(|v| !self.contains_vertex(**v)) {
            return Err(WeldBlocked::Missing(*v));
        }
        let mut keys: Vec<VertexKey> = self.vertex_keys().collect();
        keys.sort_unstable();
        let mut number_of = vec![0u32; self.vertex_slot_limit()];
        (0..).zip(&keys).for_each(|(number, v)| number_of[slot_of(*v)] = number);
        let mut joined = Components::new(keys.len());
        pairs.iter().for_each(|[a, b]| joined.join(number_of[slot_of(*a)], number_of[slot_of(*b)]));
        let mut kept = vec![VertexKey::default(); number_of.len()];
        for (v, label) in keys.iter().zip(joined.labels()) {
            kept[slot_of(*v)] = keys[label as usize];
        }
        Ok(kept)
    }

    /// Checks that the vertices of each pair can become one: the result must be an oriented surface with boundary.
    ///
    /// # Errors
    /// The first thing that is in the way, with the vertices at which it is.
    pub fn can_weld(&self, pairs: &[[VertexKey; 2]]) -> Result<(), WeldBlocked> {
        let kept = self.find_welds(pairs)?;
        let mut faces: Vec<_> = self.face_keys().collect();
        faces.sort_unstable();
        let mut vertices: Vec<VertexKey> = self.vertex_keys().filter(|v| kept[slot_of(*v)] == *v).collect();
        vertices.sort_unstable();
        let mut number_of = vec![0u32; kept.len()];
        (0..).zip(&vertices).for_each(|(number, v)| number_of[slot_of(*v)] = number);
        let corner = |v: VertexKey| number_of[slot_of(kept[slot_of(v)])];
        let triangles: Vec<[u32; 3]> = faces.iter().map(|f| self.face_vertices(*f).map(corner)).collect();
        let Err(error) = Self::from_triangles(vertices.len(), &triangles) else { return Ok(()) };
        let v = |number: u32| vertices[number as usize];
        let first_of = |face: u32| v(triangles[face as usize][0]);
        Err(match error {
            BuildError::RepeatedVertex { vertex, .. } => WeldBlocked::FlatFace(v(vertex)),
            BuildError::NonManifoldEdge { vertices: [a, b], .. } => WeldBlocked::CrowdedEdge(v(a), v(b)),
            BuildError::InconsistentOrientation { vertices: [a, b], .. } => {
                WeldBlocked::TurnedOver(v(a), v(b))
            }
            BuildError::DoubledFace { faces: [f, _] } => WeldBlocked::DoubledFace(first_of(f)),
            BuildError::BowTie { vertex, .. } => WeldBlocked::BowTie(v(vertex)),
            BuildError::NoFaces | BuildError::VertexOutOfRange { .. } | BuildError::IsolatedVertex { .. } => {
                unreachable!("the mesh was a surface before: {error}")
            }
        })
    }

    /// The inner edges that would join the same vertices as another edge if the vertices of each pair became one, in key
    /// order. They are in the way of a weld; split before it they are not.
    ///
    /// # Errors
    /// If a vertex is not part of the mesh.
    pub fn find_doubled_edges(&self, pairs: &[[VertexKey; 2]]) -> Result<Vec<EdgeKey>, WeldBlocked> {
        let kept = self.find_welds(pairs)?;
        let name = |e: EdgeKey| {
            let mut ends = self.edge_ends(e).map(|v| kept[slot_of(v)]);
            ends.sort_unstable();
            (ends, e)
        };
        let mut edges: Vec<_> = self.edge_keys().map(name).collect();
        edges.sort_unstable();
        let groups = edges.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1);
        let mut inner: Vec<EdgeKey> =
            groups.flatten().map(|(_, e)| *e).filter(|e| !self.is_boundary_edge(*e)).collect();
        inner.sort_unstable();
        Ok(inner)
    }

    /// Makes the vertices of each pair one; boundary edges that then join the same vertices become one inner edge. All other
    /// keys stay. See [`WeldRecord`] for the picture.
    ///
    /// # Errors
    /// As [`can_weld`](Self::can_weld); the mesh is then untouched.
    pub fn weld(&mut self, pairs: &[[VertexKey; 2]]) -> Result<WeldRecord, WeldBlocked> {
        self.can_weld(pairs)?;
        let kept = self.find_welds(pairs)?;
        let mut edges: Vec<EdgeKey> = self.edge_keys().collect();
        edges.sort_unstable();
        for links in edges.iter().flat_map(|e| Side::BOTH.map(|side| Halfedge::new(*e, side))) {
            let links = self.links_mut(links);
            links.tail = kept[slot_of(links.tail)];
        }
        let glued = self.glue(&edges);
        let mut merged: Vec<(VertexKey, VertexKey)> =
            self.vertex_keys().map(|v| (kept[slot_of(v)], v)).filter(|(kept, v)| kept != v).collect();
        merged.sort_unstable();
        merged.iter().for_each(|(_, v)| _ = self.vertices.remove(*v));
        self.relink_boundary();
        let groups = merged.chunk_by(|a, b| a.0 == b.0);
        let merged = groups.map(|group| (group[0].0, group.iter().map(|(_, v)| *v).collect())).collect();
        Ok(WeldRecord { merged, glued })
    }

    /// Makes one edge of every two that join the same vertices; the first by key stays.
    fn glue(&mut self, edges: &[EdgeKey]) -> Vec<GluedEdge> {
        let mut boundary: Vec<([VertexKey; 2], EdgeKey)> = edges
            .iter()
            .filter(|e| self.is_boundary_edge(**e))
            .map(|e| {
                let mut ends = self.edge_ends(*e);
                ends.sort_unstable();
                (ends, *e)
            })
            .collect();
        boundary.sort_unstable();
        let mut glued = Vec::new();
        for pair in boundary.chunk_by(|a, b| a.0 == b.0).filter(|pair| pair.len() == 2) {
            let [(_, stays), (_, goes)] = [pair[0], pair[1]];
            let side_of = |mesh: &Self, e: EdgeKey, has_face: bool| {
                let side = |side: &Side| mesh.is_boundary_halfedge(Halfedge::new(e, *side)) != has_face;
                Halfedge::new(
                    e,
                    *Side::BOTH.iter().find(|s| side(s)).expect("a boundary edge has one of both"),
                )
            };
            let (outside, removed) = (side_of(self, stays, false), side_of(self, goes, true));
            let links = *self.links(removed);
            *self.links_mut(outside) = links;
            self.links_mut(links.prev).next = outside;
            self.links_mut(links.next).prev = outside;
            let f = links.face.expect("the half-edge was chosen for its face");
            self.faces[f].halfedge = outside;
            self.edges.remove(goes);
            glued.push(GluedEdge { outside, removed });
        }
        glued
    }

    /// Links all boundary half-edges anew, and lets every vertex start where it should.
    fn relink_boundary(&mut self) {
        let mut halfedges: Vec<Halfedge> =
            self.edge_keys().flat_map(|e| Side::BOTH.map(|side| Halfedge::new(e, side))).collect();
        halfedges.sort_unstable();
        let mut starts: Vec<Option<Halfedge>> = vec![None; self.vertex_slot_limit()];
        let mut leaving: Vec<Option<Halfedge>> = starts.clone();
        for he in &halfedges {
            let slot = slot_of(self.tail(*he));
            leaving[slot].get_or_insert(*he);
            if self.is_boundary_halfedge(*he) {
                starts[slot] = Some(*he);
            }
        }
        for he in halfedges {
            if self.is_boundary_halfedge(he) {
                let next = starts[slot_of(self.tip(he))].expect("the boundary goes on where it was checked");
                self.link(he, next);
            }
        }
        let vertices: Vec<VertexKey> = self.vertex_keys().collect();
        for v in vertices {
            let slot = slot_of(v);
            let start = self.vertices[v].halfedge;
            let is_right = self.contains_edge(start.edge) && self.tail(start) == v;
            // Vertices that the weld has not touched keep their start: bits depend on it.
            let kept = if is_right { Some(start) } else { leaving[slot] };
            self.vertices[v].halfedge = starts[slot].or(kept).expect("every vertex has an edge");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two strips of two squares, one above the other: vertices 0 to 5 and 6 to 11.
    fn strips() -> (HalfedgeMesh, Vec<VertexKey>) {
        let strip = |v: u32| {
            let square = |a: u32| [[v + a, v + a + 1, v + a + 4], [v + a, v + a + 4, v + a + 3]];
            [square(0), square(1)].concat()
        };
        let built =
            HalfedgeMesh::from_triangles(12, &[strip(0), strip(6)].concat()).expect("two good meshes");
        (built.mesh, built.vertices)
    }

    #[test]
    fn two_strips_become_one() {
        let (mut mesh, v) = strips();
        let pairs = [[v[3], v[6]], [v[4], v[7]], [v[5], v[8]]];
        let record = mesh.weld(&pairs).expect("the sides fit");
        mesh.validate().expect("valid after the weld");
        assert_eq!((mesh.vertex_count(), mesh.face_count(), mesh.components().len()), (9, 8, 1));
        assert_eq!((mesh.boundary_loops().len(), mesh.euler_characteristic()), (1, 1));
        assert_eq!(record.merged, pairs.map(|[a, b]| (a, vec![b])));
        assert_eq!(record.glued.len(), 2);
        assert!(!mesh.is_boundary_vertex(v[4]) && mesh.is_boundary_vertex(v[3]));
        for glued in record.glued {
            assert!(mesh.face(glued.outside).is_some() && !mesh.contains_edge(glued.removed.edge));
        }
    }

    #[test]
    fn a_strip_becomes_a_tube() {
        let strip = [[0, 1, 5], [0, 5, 4], [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6]];
        let built = HalfedgeMesh::from_triangles(8, &strip).expect("a good mesh");
        let (mut mesh, v) = (built.mesh, built.vertices);
        mesh.weld(&[[v[0], v[3]], [v[4], v[7]]]).expect("the ends fit");
        mesh.validate().expect("valid after the weld");
        assert_eq!((mesh.boundary_loops().len(), mesh.euler_characteristic()), (2, 0));
    }

    #[test]
    fn what_would_be_no_surface_is_refused_and_nothing_changes() {
        let (mut mesh, v) = strips();
        let turned = [[v[0], v[6]], [v[1], v[7]]];
        assert!(matches!(mesh.weld(&turned), Err(WeldBlocked::TurnedOver(..))));
        assert_eq!(mesh.weld(&[[v[0], v[6]]]), Err(WeldBlocked::BowTie(v[0])));
        assert_eq!(mesh.weld(&[[v[0], v[1]]]), Err(WeldBlocked::FlatFace(v[0])));
        let crowded = [[v[3], v[6]], [v[4], v[7]], [v[0], v[7]], [v[1], v[6]]];
        assert!(mesh.can_weld(&crowded).is_err());
        mesh.validate().expect("untouched");
        assert_eq!(mesh.vertex_count(), 12);
        assert_eq!(
            mesh.weld(&[[v[0], VertexKey::default()]]),
            Err(WeldBlocked::Missing(VertexKey::default()))
        );
    }

    #[test]
    fn edges_between_the_same_vertices_are_named_so_that_they_can_be_split() {
        // Two squares that are sewn along three sides each; a diagonal joins two corners of both.
        let built =
            HalfedgeMesh::from_triangles(8, &[[0, 1, 2], [0, 2, 3], [5, 4, 6], [6, 4, 7]]).expect("good");
        let (mut mesh, v) = (built.mesh, built.vertices);
        let pairs = [0, 1, 2, 3].map(|k| [v[k], v[4 + k]]);
        assert!(mesh.can_weld(&pairs[..3]).is_err());
        let doubled = mesh.find_doubled_edges(&pairs[..3]).expect("of the mesh");
        assert_eq!(doubled.len(), 2);
        doubled.into_iter().for_each(|e| _ = mesh.split_edge(e).expect("can be split"));
        mesh.weld(&pairs[..3]).expect("nothing is in the way");
        mesh.validate().expect("valid after the weld");
    }

    #[test]
    fn a_dart_closes_up_to_its_tip() {
        // A fan around vertex 0 with a gap between 1 and 4.
        let built = HalfedgeMesh::from_triangles(5, &[[0, 1, 2], [0, 2, 3], [0, 3, 4]]).expect("a good mesh");
        let (mut mesh, v) = (built.mesh, built.vertices);
        mesh.weld(&[[v[1], v[4]]]).expect("the sides fit");
        mesh.validate().expect("valid after the weld");
        assert!(!mesh.is_boundary_vertex(v[0]));
    }
}
