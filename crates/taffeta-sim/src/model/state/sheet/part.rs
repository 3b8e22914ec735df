//! The sheet of some bodies by themselves.

use super::{KeptAttributes, OwnMesh, Sheet};
use crate::model::setup::loose::LooseVertex;
use crate::model::setup::seams::Sewing;
use crate::model::state::selection::Selection;
use std::sync::OnceLock;
use taffeta_core::index::DenseIndex;
use taffeta_core::topology::Edge;
use taffeta_core::{EdgeIndex, FaceIndex, IndexVec, SurfaceTopology, VertexIndex};
use taffeta_mesh::{HalfedgeMesh, KeyTable};

impl Sheet {
    /// The sheet of some bodies, in the same order. It has the keys of this one but no keyed mesh: it cannot be thawed.
    pub(crate) fn select(&self, selection: &Selection) -> Self {
        let Selection { vertices, surface, loose, edges, faces, .. } = selection;
        let Self { keys, kept, .. } = self;
        let body = |body: u32| selection.body(body as usize).expect("its vertices are of its bodies");
        let own_loose = |vertex: LooseVertex| LooseVertex {
            body: selection.loose_body(vertex.body as usize).expect("it is of its bodies") as u32,
            ..vertex
        };
        let vertex = |vi: &VertexIndex| own(&surface.own(vi.to_usize()));
        let own_mesh = |cloth: &usize| {
            let mesh = &self.own[*cloth];
            let start = vertices.own(mesh.vertices.start).unwrap_or(0);
            let first_face = faces.own(mesh.first_face).unwrap_or(0);
            OwnMesh { vertices: start..start + mesh.vertices.len(), first_face, ..mesh.clone() }
        };
        let number = |vi: &VertexIndex| VertexIndex(selection.own_vertex(vi.0).expect("a solid is one"));
        Self {
            topology: self.select_topology(selection, vertex),
            vertex_cloths: vertices.pick(&self.vertex_cloths).iter().map(|own| body(*own) as u32).collect(),
            starts: vertices.pick(&self.starts),
            layout: vertices.pick(&self.layout),
            panels: faces.pick(&self.panels),
            keys: KeyTable {
                vertices: surface.pick(&keys.vertices),
                faces: faces.pick(&keys.faces),
                edges: edges.pick(&keys.edges),
                edge_sides: edges.pick(&keys.edge_sides),
            },
            mesh: HalfedgeMesh::default(),
            kept: KeptAttributes {
                vertices: surface.pick(&kept.vertices),
                rest_errors: kept.rest_errors.as_ref().map(|errors| faces.pick(errors)),
            },
            loose: loose.take(&self.loose).into_iter().map(own_loose).collect(),
            sewing: Sewing {
                seams: selection.seams.iter().map(|seam| self.sewing.seams[*seam].clone()).collect(),
            },
            solid_vertices: selection
                .solids
                .iter()
                .map(|solid| self.solid_vertices[*solid].iter().map(number).collect())
                .collect(),
            own: selection.cloths.iter().map(own_mesh).collect(),
            numbers: OnceLock::new(),
        }
    }

    fn select_topology(
        &self,
        selection: &Selection,
        vertex: impl Fn(&VertexIndex) -> VertexIndex,
    ) -> SurfaceTopology {
        let Selection { surface, loose, edges, faces, .. } = selection;
        let edge = |ei: EdgeIndex| own(&edges.own(ei.to_usize()));
        let face = |fi: FaceIndex| own(&faces.own(fi.to_usize()));
        let corners = faces.take(&self.topology.faces).into_iter().map(|face| face.map(|vi| vertex(&vi)));
        let sides = faces.take(&self.topology.face_edges).into_iter().map(|own| own.map(edge));
        let own_edge = |old: Edge| Edge {
            vertices: old.vertices.map(|vi| vertex(&vi)),
            faces: old.faces.map(|fi| fi.map(face)),
            opposites: old.opposites.map(|vi| vi.map(|vi| vertex(&vi))),
        };
        let joined: IndexVec<EdgeIndex, Edge> =
            edges.take(&self.topology.edges).into_iter().map(own_edge).collect();
        let epoch = self.topology.epoch;
        SurfaceTopology::from_parts(epoch, surface.len(), corners.collect(), sides.collect(), joined)
            .with_loose(loose.len())
    }
}

/// An element that must be of the part.
fn own<I: DenseIndex>(place: &Option<usize>) -> I {
    I::from_usize(place.expect("what belongs together is of one body"))
}
