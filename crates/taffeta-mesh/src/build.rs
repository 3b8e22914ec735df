//! Building a mesh from a triangle list.

use crate::keys::{FaceKey, Halfedge, Side, VertexKey, slot_of};
use crate::mesh::{FaceLinks, HalfedgeLinks, HalfedgeMesh, VertexLinks};

/// A mesh together with the keys of the elements of its input.
#[derive(Clone, Debug)]
pub struct BuiltMesh {
    /// The mesh.
    pub mesh: HalfedgeMesh,
    /// The key of each input vertex.
    pub vertices: Vec<VertexKey>,
    /// The key of each input face.
    pub faces: Vec<FaceKey>,
}

/// Why a triangle list is no surface. Faces and vertices are numbered as in the input, from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// There are no faces at all.
    #[error("the mesh has no faces")]
    NoFaces,
    /// A face refers to a vertex that does not exist.
    #[error("face {face} refers to vertex {vertex}, but the mesh has {vertex_count} vertices")]
    VertexOutOfRange {
        /// The face.
        face: u32,
        /// The number that it gives.
        vertex: u32,
        /// Number of vertices of the mesh.
        vertex_count: usize,
    },
    /// A face names a vertex twice.
    #[error("face {face} has vertex {vertex} at more than one corner")]
    RepeatedVertex {
        /// The face.
        face: u32,
        /// The vertex.
        vertex: u32,
    },
    /// More than two faces share an edge.
    #[error("edge {}–{} is shared by {} faces ({}); a surface has at most two",
        vertices[0], vertices[1], faces.len(), list(faces))]
    NonManifoldEdge {
        /// The ends of the edge.
        vertices: [u32; 2],
        /// The faces around it.
        faces: Vec<u32>,
    },
    /// Two neighbors run along their edge in the same direction, so one of them is turned over.
    #[error("faces {} and {} both run from vertex {} to vertex {}: one of them is turned over",
        faces[0], faces[1], vertices[0], vertices[1])]
    InconsistentOrientation {
        /// Start and end of the common direction.
        vertices: [u32; 2],
        /// The two faces.
        faces: [u32; 2],
    },
    /// Two faces have the same three corners.
    #[error("faces {} and {} have the same corners", faces[0], faces[1])]
    DoubledFace {
        /// The two faces.
        faces: [u32; 2],
    },
    /// No face refers to the vertex.
    #[error("vertex {vertex} belongs to no face")]
    IsolatedVertex {
        /// The vertex.
        vertex: u32,
    },
    /// Faces that share no edge meet in one vertex, like the halves of a bow tie.
    #[error("faces {} and {} meet at vertex {vertex} but are not joined by faces around it", faces[0], faces[1])]
    BowTie {
        /// The vertex.
        vertex: u32,
        /// One face of each of two fans.
        faces: [u32; 2],
    },
}

fn list(faces: &[u32]) -> String {
    faces.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

/// Work in progress: corner `3 f + k` is corner `k` of face `f`, and the half-edge that leaves it.
struct Builder<'a> {
    triangles: &'a [[u32; 3]],
    mesh: HalfedgeMesh,
    vertices: Vec<VertexKey>,
    faces: Vec<FaceKey>,
    corner_halfedges: Vec<Halfedge>,
    /// The boundary half-edge that leaves each vertex.
    boundary_starts: Vec<Option<Halfedge>>,
    /// All boundary half-edges.
    boundary: Vec<Halfedge>,
}

impl HalfedgeMesh {
    /// Builds a mesh from the corners of its faces. Keys are handed out in the order of the input, and a new face starts
    /// at its first corner: [`face_vertices`](Self::face_vertices) gives the corners as they came.
    ///
    /// # Errors
    /// If the faces do not form an oriented surface with boundary. The first offense found is named.
    ///
    /// # Panics
    /// If there are more than a billion faces.
    pub fn from_triangles(vertex_count: usize, triangles: &[[u32; 3]]) -> Result<BuiltMesh, BuildError> {
        check_corners(vertex_count, triangles)?;
        let mut builder = Builder::new(vertex_count, triangles);
        builder.add_edges()?;
        builder.link_faces();
        builder.link_boundary()?;
        builder.start_vertices()?;
        Ok(BuiltMesh { mesh: builder.mesh, vertices: builder.vertices, faces: builder.faces })
    }
}

fn check_corners(vertex_count: usize, triangles: &[[u32; 3]]) -> Result<(), BuildError> {
    if triangles.is_empty() {
        return Err(BuildError::NoFaces);
    }
    assert!(triangles.len() < 1 << 30, "a mesh of {} faces is too large", triangles.len());
    for (face, corners) in (0..).zip(triangles) {
        if let Some(&vertex) = corners.iter().find(|&&vertex| vertex as usize >= vertex_count) {
            return Err(BuildError::VertexOutOfRange { face, vertex, vertex_count });
        }
        let [a, b, c] = *corners;
        if a == b || a == c {
            return Err(BuildError::RepeatedVertex { face, vertex: a });
        }
        if b == c {
            return Err(BuildError::RepeatedVertex { face, vertex: b });
        }
    }
    Ok(())
}

impl<'a> Builder<'a> {
    fn new(vertex_count: usize, triangles: &'a [[u32; 3]]) -> Self {
        let mut mesh = HalfedgeMesh::default();
        // A quarter more than is needed: the first split would otherwise copy everything.
        mesh.vertices.reserve(vertex_count * 5 / 4);
        mesh.edges.reserve(triangles.len() * 15 / 8 + 1);
        mesh.faces.reserve(triangles.len() * 5 / 4);
        let start = Halfedge::null();
        let vertices =
            (0..vertex_count).map(|_| mesh.vertices.insert(VertexLinks { halfedge: start })).collect();
        let faces = triangles.iter().map(|_| mesh.faces.insert(FaceLinks { halfedge: start })).collect();
        Self {
            triangles,
            mesh,
            vertices,
            faces,
            corner_halfedges: vec![start; 3 * triangles.len()],
            boundary_starts: vec![None; vertex_count],
            boundary: Vec::new(),
        }
    }

    /// The input vertices at the two ends of the half-edge that leaves a corner.
    fn corner_ends(&self, corner: u32) -> [u32; 2] {
        let (face, k) = (corner as usize / 3, corner as usize % 3);
        [self.triangles[face][k], self.triangles[face][(k + 1) % 3]]
    }

    /// Finds the edges by sorting the corners by the ends of their half-edges. A hash map is no faster, and its order
    /// would be the edges' order.
    fn add_edges(&mut self) -> Result<(), BuildError> {
        let mut corners: Vec<(u64, u32)> = (0..3 * self.triangles.len() as u32)
            .map(|corner| {
                let [tail, tip] = self.corner_ends(corner);
                (u64::from(tail.min(tip)) << 32 | u64::from(tail.max(tip)), corner)
            })
            .collect();
        corners.sort_unstable();
        for group in corners.chunk_by(|a, b| a.0 == b.0) {
            let second = self.check_edge(group)?;
            self.add_edge(group[0].1, second);
        }
        Ok(())
    }

    /// Checks the corners that share an edge; the second one, if there is one.
    fn check_edge(&self, group: &[(u64, u32)]) -> Result<Option<u32>, BuildError> {
        let face_of = |corner: u32| corner / 3;
        let (first, second) = match *group {
            [_] => return Ok(None),
            [(_, first), (_, second)] => (first, second),
            _ => {
                let faces = group.iter().map(|&(_, corner)| face_of(corner)).collect();
                let mut vertices = self.corner_ends(group[0].1);
                vertices.sort_unstable();
                return Err(BuildError::NonManifoldEdge { vertices, faces });
            }
        };
        let faces = [face_of(first), face_of(second)];
        let vertices = self.corner_ends(first);
        if vertices == self.corner_ends(second) {
            return Err(BuildError::InconsistentOrientation { vertices, faces });
        }
        let opposite = |corner: u32| self.triangles[corner as usize / 3][(corner as usize % 3 + 2) % 3];
        if opposite(first) == opposite(second) {
            return Err(BuildError::DoubledFace { faces });
        }
        Ok(Some(second))
    }

    fn add_edge(&mut self, first: u32, second: Option<u32>) {
        let [tail, tip] = self.corner_ends(first);
        let face_of = |corner: u32| self.faces[corner as usize / 3];
        let edge = self.mesh.edges.insert([
            HalfedgeLinks::loose(self.vertices[tail as usize], Some(face_of(first))),
            HalfedgeLinks::loose(self.vertices[tip as usize], second.map(face_of)),
        ]);
        self.corner_halfedges[first as usize] = Halfedge::new(edge, Side::First);
        match second {
            Some(second) => self.corner_halfedges[second as usize] = Halfedge::new(edge, Side::Second),
            None => self.boundary.push(Halfedge::new(edge, Side::Second)),
        }
    }

    fn link_faces(&mut self) {
        for (face, &f) in self.faces.iter().enumerate() {
            let sides = [0, 1, 2].map(|k| self.corner_halfedges[3 * face + k]);
            self.mesh.link_face(f, sides);
            for (side, vertex) in sides.into_iter().zip(self.triangles[face]) {
                self.mesh.vertices[self.vertices[vertex as usize]].halfedge = side;
            }
        }
    }

    /// Links the boundary half-edges into loops. Exactly one leaves a boundary vertex that has one fan.
    fn link_boundary(&mut self) -> Result<(), BuildError> {
        let vertex_of = invert(&self.vertices);
        for &he in &self.boundary {
            let vertex = vertex_of[slot_of(self.mesh.tail(he))];
            if let Some(other) = self.boundary_starts[vertex as usize].replace(he) {
                let face_of = |he: Halfedge| self.input_face(self.mesh.face(he.twin()));
                return Err(BuildError::BowTie { vertex, faces: [face_of(other), face_of(he)] });
            }
        }
        for &he in &self.boundary {
            let vertex = vertex_of[slot_of(self.mesh.tip(he))];
            let next = self.boundary_starts[vertex as usize]
                .expect("as many half-edges leave a boundary vertex as reach it");
            self.mesh.link(he, next);
        }
        Ok(())
    }

    /// Gives every vertex its half-edge and checks that the fan around it has all of its faces.
    fn start_vertices(&mut self) -> Result<(), BuildError> {
        let mut corner_counts = vec![0u32; self.vertices.len()];
        for &vertex in self.triangles.as_flattened() {
            corner_counts[vertex as usize] += 1;
        }
        for (vertex, &v) in (0u32..).zip(&self.vertices) {
            let corner_count = corner_counts[vertex as usize] as usize;
            if corner_count == 0 {
                return Err(BuildError::IsolatedVertex { vertex });
            }
            if let Some(he) = self.boundary_starts[vertex as usize] {
                self.mesh.vertices[v].halfedge = he;
            }
            if self.mesh.faces_around(v).count() != corner_count {
                return Err(self.bow_tie(vertex));
            }
        }
        Ok(())
    }

    fn bow_tie(&self, vertex: u32) -> BuildError {
        let mut fan: Vec<FaceKey> = self.mesh.faces_around(self.vertices[vertex as usize]).collect();
        fan.sort_unstable();
        let outside = (0u32..)
            .zip(self.triangles)
            .find(|(face, corners)| {
                corners.contains(&vertex) && fan.binary_search(&self.faces[*face as usize]).is_err()
            })
            .map(|(face, _)| face)
            .expect("a fan with fewer faces than the vertex leaves one out");
        BuildError::BowTie { vertex, faces: [self.input_face(fan.first().copied()), outside] }
    }

    fn input_face(&self, face: Option<FaceKey>) -> u32 {
        let position = self.faces.iter().position(|&f| Some(f) == face);
        position.expect("every face of the mesh comes from the input") as u32
    }
}

/// The input number of each vertex, by slot.
fn invert(vertices: &[VertexKey]) -> Vec<u32> {
    let mut numbers = vec![0; vertices.len() + 1];
    for (number, &v) in (0u32..).zip(vertices) {
        numbers[slot_of(v)] = number;
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(vertex_count: usize, triangles: &[[u32; 3]]) -> BuildError {
        HalfedgeMesh::from_triangles(vertex_count, triangles).expect_err("the mesh is bad")
    }

    #[test]
    fn a_square_of_two_triangles_has_one_boundary_loop() {
        let built = HalfedgeMesh::from_triangles(4, &[[0, 1, 2], [0, 2, 3]]).expect("a good mesh");
        let mesh = &built.mesh;
        mesh.validate().expect("a new mesh is valid");
        assert_eq!((mesh.vertex_count(), mesh.edge_count(), mesh.face_count()), (4, 5, 2));
        let loops = mesh.boundary_loops();
        assert_eq!(loops.len(), 1);
        assert_eq!(loops[0].len(), 4);
        assert_eq!(mesh.euler_characteristic(), 1);
        assert_eq!(mesh.components(), vec![built.faces.clone()]);
        assert_eq!(mesh.valence(built.vertices[0]), 3);
        assert!(mesh.find_halfedge(built.vertices[1], built.vertices[3]).is_none());
        let corners = [0, 2, 3].map(|vertex| built.vertices[vertex]);
        assert_eq!(mesh.face_vertices(built.faces[1]), corners);
    }

    #[test]
    fn offending_faces_are_named() {
        assert_eq!(refusal(3, &[]), BuildError::NoFaces);
        let out = refusal(3, &[[0, 1, 2], [0, 2, 3]]);
        assert_eq!(out, BuildError::VertexOutOfRange { face: 1, vertex: 3, vertex_count: 3 });
        assert_eq!(refusal(3, &[[0, 1, 0]]), BuildError::RepeatedVertex { face: 0, vertex: 0 });
        assert_eq!(refusal(3, &[[0, 1, 1]]), BuildError::RepeatedVertex { face: 0, vertex: 1 });
        let fin = refusal(5, &[[0, 1, 2], [1, 0, 3], [0, 1, 4]]);
        assert_eq!(fin, BuildError::NonManifoldEdge { vertices: [0, 1], faces: vec![0, 1, 2] });
        let turned = refusal(4, &[[0, 1, 2], [0, 1, 3]]);
        assert_eq!(turned, BuildError::InconsistentOrientation { vertices: [0, 1], faces: [0, 1] });
        assert_eq!(refusal(3, &[[0, 1, 2], [0, 2, 1]]), BuildError::DoubledFace { faces: [0, 1] });
        assert_eq!(refusal(4, &[[0, 1, 2]]), BuildError::IsolatedVertex { vertex: 3 });
    }

    #[test]
    fn bow_ties_are_refused_whether_their_fans_are_open_or_closed() {
        let open = refusal(5, &[[0, 1, 2], [0, 3, 4]]);
        assert!(matches!(open, BuildError::BowTie { vertex: 0, .. }), "{open}");
        let tetrahedron = |a: u32, b, c, d| [[a, b, c], [a, c, d], [a, d, b], [b, d, c]];
        let closed = [tetrahedron(0, 1, 2, 3), tetrahedron(0, 4, 5, 6)].concat();
        let closed = refusal(7, &closed);
        assert_eq!(closed, BuildError::BowTie { vertex: 0, faces: [4, 0] });
    }
}
