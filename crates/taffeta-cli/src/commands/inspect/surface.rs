//! Connectivity of a triangle list that need not be a surface.

use super::names::{name_face, name_vertex};
use glam::DVec2;
use taffeta_core::TriangleMesh;
use taffeta_core::components::Components;
use taffeta_io::ObjMesh;
use taffeta_mesh::{BuildError, HalfedgeMesh};

/// Boundary loops whose lengths are told.
const NAMED_LOOPS: usize = 8;

/// One side of an edge: its ends, the smaller first, and its face.
#[derive(Clone, Copy)]
struct Side {
    ends: [u32; 2],
    face: usize,
    /// The corner of the face from which it runs.
    corner: usize,
}

/// The connectivity of a mesh.
pub(super) struct Surface {
    pub edge_count: usize,
    /// Edges with one face.
    pub boundary_edges: usize,
    /// Sets of faces that are connected across edges.
    pub components: usize,
    /// Edges with more than two faces.
    crowded_edges: usize,
    /// All sides, those of an edge together.
    sides: Vec<Side>,
    /// The number of edges of each boundary loop, or why the faces form no surface.
    loops: Result<Vec<usize>, BuildError>,
}

impl Surface {
    pub(super) fn measure(mesh: &TriangleMesh) -> Self {
        let mut sides = Vec::with_capacity(3 * mesh.faces.len());
        for (face, corners) in mesh.faces.iter().enumerate() {
            for corner in 0..3 {
                let mut ends = [corners[corner], corners[(corner + 1) % 3]];
                ends.sort_unstable();
                sides.push(Side { ends, face, corner });
            }
        }
        sides.sort_unstable_by_key(|side| (side.ends, side.face, side.corner));
        let mut joined = Components::new(mesh.faces.len());
        let (mut edge_count, mut boundary_edges, mut crowded_edges) = (0, 0, 0);
        for edge in sides.chunk_by(|a, b| a.ends == b.ends) {
            edge_count += 1;
            boundary_edges += usize::from(edge.len() == 1);
            crowded_edges += usize::from(edge.len() > 2);
            edge.windows(2).for_each(|pair| joined.join(pair[0].face as u32, pair[1].face as u32));
        }
        let components = joined.lists().len();
        let built = HalfedgeMesh::from_triangles(mesh.positions.len(), &mesh.faces);
        let loops = built.map(|built| built.mesh.boundary_loops().iter().map(Vec::len).collect());
        Self { edge_count, boundary_edges, components, crowded_edges, sides, loops }
    }

    /// One side of every edge.
    fn edges(&self) -> impl Iterator<Item = Side> + '_ {
        self.sides.chunk_by(|a, b| a.ends == b.ends).map(|edge| edge[0])
    }

    /// The length of every edge in world space \[m\].
    pub(super) fn edge_lengths(&self, mesh: &TriangleMesh) -> Vec<f64> {
        let length = |side: Side| {
            let [a, b] = side.ends.map(|v| mesh.positions[v as usize]);
            a.distance(b)
        };
        self.edges().map(length).collect()
    }

    /// The length of every edge in material space \[m\], along seams that of one side; `None` without material
    /// coordinates.
    pub(super) fn material_lengths(&self, mesh: &TriangleMesh) -> Option<Vec<f64>> {
        let material: &Vec<[DVec2; 3]> = mesh.material.as_ref()?;
        let length = |side: Side| {
            let corners = material[side.face];
            corners[side.corner].distance(corners[(side.corner + 1) % 3])
        };
        Some(self.edges().map(length).collect())
    }

    /// Number of boundary loops, and their lengths.
    pub(super) fn describe_loops(&self) -> String {
        let Ok(loops) = &self.loops else {
            return "not defined, because the mesh is not manifold".to_owned();
        };
        if loops.is_empty() {
            return "none, the surface is closed".to_owned();
        }
        let mut lengths: Vec<String> = loops.iter().take(NAMED_LOOPS).map(usize::to_string).collect();
        if loops.len() > NAMED_LOOPS {
            lengths.push("…".to_owned());
        }
        format!("{} ({} edges)", loops.len(), lengths.join(", "))
    }

    /// Describes whether the faces form an oriented surface, and if not, which of them do not.
    pub(super) fn describe_manifoldness(&self, file: &ObjMesh) -> String {
        let Err(error) = &self.loops else { return "yes, and oriented".to_owned() };
        let face = |face: u32| name_face(file, face as usize);
        let pair = |faces: [u32; 2]| format!("{} and {}", face(faces[0]), face(faces[1]));
        let vertex = |vertex: u32| name_vertex(file, vertex);
        let reason = match error {
            BuildError::NonManifoldEdge { vertices, faces } => {
                let names: Vec<String> = faces.iter().map(|f| face(*f)).collect();
                let count = match self.crowded_edges {
                    1 => "1 edge has".to_owned(),
                    count => format!("{count} edges have"),
                };
                format!(
                    "{count} more than two faces; first: {} to {} ({})",
                    vertex(vertices[0]),
                    vertex(vertices[1]),
                    names.join(", ")
                )
            }
            BuildError::InconsistentOrientation { vertices, faces } => format!(
                "the faces of {} run along the edge from {} to {} in the same direction: one of them is turned over",
                pair(*faces),
                vertex(vertices[0]),
                vertex(vertices[1])
            ),
            BuildError::DoubledFace { faces } => {
                format!("the faces of {} have the same corners", pair(*faces))
            }
            BuildError::BowTie { vertex: v, faces } => {
                format!("the faces of {} meet only at {}", pair(*faces), vertex(*v))
            }
            BuildError::RepeatedVertex { face: f, vertex: v } => {
                format!("the face of {} has {} at several corners", face(*f), vertex(*v))
            }
            BuildError::NoFaces | BuildError::VertexOutOfRange { .. } | BuildError::IsolatedVertex { .. } => {
                error.to_string()
            }
        };
        format!("no: {reason}")
    }
}
