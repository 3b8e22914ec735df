//! Meshes in a plane from points.

use glam::{DVec2, DVec3};
use spade::{DelaunayTriangulation, HasPosition, Point2, Triangulation};
use taffeta_core::TriangleMesh;

/// A mesh in the xy-plane whose material coordinates are its positions.
pub(crate) fn flat_mesh(points: Vec<DVec2>, faces: Vec<[u32; 3]>) -> TriangleMesh {
    let positions: Vec<DVec3> = points.iter().map(|point| point.extend(0.0)).collect();
    let mut mesh = TriangleMesh { positions, faces, material: None };
    mesh.set_vertex_material(&points);
    mesh
}

/// A numbered point of a triangulation.
struct Numbered {
    position: Point2<f64>,
    number: u32,
}

impl HasPosition for Numbered {
    type Scalar = f64;
    fn position(&self) -> Point2<f64> {
        self.position
    }
}

/// The Delaunay triangulation, faces by their corners, the smallest first.
pub(crate) fn triangulate(points: &[DVec2]) -> Vec<[u32; 3]> {
    let numbered =
        points.iter().zip(0..).map(|(p, number)| Numbered { position: Point2::new(p.x, p.y), number });
    let triangulation = DelaunayTriangulation::<Numbered>::bulk_load(numbered.collect())
        .expect("points of the unit square have moderate coordinates");
    let corners = triangulation.inner_faces().map(|face| {
        let mut corners = face.vertices().map(|vertex| vertex.data().number);
        let first = (0..3).min_by_key(|k| corners[*k]).unwrap_or(0);
        corners.rotate_left(first);
        corners
    });
    let mut faces: Vec<[u32; 3]> = corners.collect();
    faces.sort_unstable();
    faces
}
