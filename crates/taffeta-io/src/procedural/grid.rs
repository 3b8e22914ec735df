//! Procedural meshes: rectangles in several patterns, and a sphere for pictures.
//!
//! ```text
//!  diagonal    alternating    crossed      equilateral
//!  ┌──┬──┐      ┌──┬──┐      ┌──┬──┐      ┌──┬──┬──┐
//!  │ ╱│ ╱│      │ ╱│╲ │      │╲╱│╲╱│      │╱╲╱╲╱╲│
//!  ├──┼──┤      ├──┼──┤      │╱╲│╱╲│      │╲╱╲╱╲╱│
//!  │ ╱│ ╱│      │╲ │ ╱│      ├──┼──┤      └──┴──┴──┘
//!  └──┴──┘      └──┴──┘      └──┴──┘
//! ```
//!
//! All rectangles lie in the xy-plane from the origin, counter-clockwise seen from +z, and their material coordinates
//! are x and y. The last row and column have exactly the coordinates of the size.

use super::delaunay;
use super::lattice::{fraction, lattice};
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;
use taffeta_core::TriangleMesh;

/// Triangulation of the cells of a rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridPattern {
    /// All cells are cut along the same diagonal.
    Diagonal,
    /// Cells are cut along alternating diagonals, as a chessboard.
    Alternating,
    /// Each cell has a vertex in its center.
    Crossed,
    /// Rows along u, every other one shifted by half a cell. The boundary is straight, with half triangles at the ends
    /// of the shifted rows. Triangles are equilateral if a cell's height is √3/2 of its width.
    Equilateral,
    /// The Delaunay triangulation of a grid whose inner points are moved at random. The boundary is regular.
    Delaunay,
}

impl GridPattern {
    /// All patterns.
    pub const ALL: [GridPattern; 5] = [
        GridPattern::Diagonal,
        GridPattern::Alternating,
        GridPattern::Crossed,
        GridPattern::Equilateral,
        GridPattern::Delaunay,
    ];

    /// The number of faces of a rectangle with cells along u and v; of [`GridPattern::Delaunay`] about that.
    pub fn face_count(self, [u, v]: [u32; 2]) -> u64 {
        let cells = u64::from(u) * u64::from(v);
        match self {
            GridPattern::Diagonal | GridPattern::Alternating | GridPattern::Delaunay => 2 * cells,
            GridPattern::Crossed => 4 * cells,
            GridPattern::Equilateral => 2 * cells + u64::from(v),
        }
    }

    /// The name in scene files.
    pub fn name(self) -> &'static str {
        match self {
            GridPattern::Diagonal => "diagonal",
            GridPattern::Alternating => "alternating",
            GridPattern::Crossed => "crossed",
            GridPattern::Equilateral => "equilateral",
            GridPattern::Delaunay => "delaunay",
        }
    }
}

/// A rectangle of the given size \[m\] with `cells` along u and v. The seed matters for [`GridPattern::Delaunay`] only.
///
/// # Panics
/// If a size is not positive and finite, a number of cells is 0, or there are more vertices than 32 bits can count.
pub fn grid(size: DVec2, cells: [u32; 2], pattern: GridPattern, seed: u64) -> TriangleMesh {
    assert!(size.is_finite() && size.min_element() > 0.0, "a grid has a positive size, not {size}");
    assert!(cells[0] > 0 && cells[1] > 0, "a grid has at least one cell, not {cells:?}");
    let (points, faces) = match pattern {
        GridPattern::Diagonal => (lattice(size, cells), cut_cells(cells, |_, _| true)),
        GridPattern::Alternating => (lattice(size, cells), cut_cells(cells, |i, j| (i + j) % 2 == 0)),
        GridPattern::Crossed => crossed(size, cells),
        GridPattern::Equilateral => staggered(size, cells),
        GridPattern::Delaunay => delaunay::jittered_grid(size, cells, seed),
    };
    let positions = points.iter().map(|point| point.extend(0.0)).collect();
    let mut mesh = TriangleMesh { positions, faces, material: None };
    mesh.set_vertex_material(&points);
    mesh
}

/// Two triangles per cell; `rising` tells whether its diagonal goes up to the right.
fn cut_cells([nu, nv]: [u32; 2], rising: impl Fn(u32, u32) -> bool) -> Vec<[u32; 3]> {
    let mut faces = Vec::with_capacity(2 * nu as usize * nv as usize);
    for j in 0..nv {
        for i in 0..nu {
            let a = j * (nu + 1) + i;
            let (b, c, d) = (a + 1, a + nu + 2, a + nu + 1);
            if rising(i, j) {
                faces.extend([[a, b, c], [a, c, d]]);
            } else {
                faces.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    faces
}

fn crossed(size: DVec2, [nu, nv]: [u32; 2]) -> (Vec<DVec2>, Vec<[u32; 3]>) {
    let mut points = lattice(size, [nu, nv]);
    let mut faces = Vec::with_capacity(4 * nu as usize * nv as usize);
    for j in 0..nv {
        for i in 0..nu {
            let a = j * (nu + 1) + i;
            let (b, c, d) = (a + 1, a + nu + 2, a + nu + 1);
            let center = u32::try_from(points.len()).expect("vertex numbers fit in 32 bits");
            let (u, v) = (f64::from(i) + 0.5, f64::from(j) + 0.5);
            points.push(DVec2::new(fraction(size.x, u, nu), fraction(size.y, v, nv)));
            faces.extend([[a, b, center], [b, c, center], [c, d, center], [d, a, center]]);
        }
    }
    (points, faces)
}

fn staggered(size: DVec2, [nu, nv]: [u32; 2]) -> (Vec<DVec2>, Vec<[u32; 3]>) {
    let mut points = Vec::new();
    let mut row_starts = Vec::new();
    for j in 0..=nv {
        row_starts.push(u32::try_from(points.len()).expect("vertex numbers fit in 32 bits"));
        let v = fraction(size.y, f64::from(j), nv);
        let shifted = j % 2 == 1;
        let mut row: Vec<f64> = (0..=nu).map(f64::from).collect();
        if shifted {
            // Both ends stay on the boundary, everything between them moves by half a cell.
            row = std::iter::once(0.0).chain((0..nu).map(|i| f64::from(i) + 0.5)).collect();
            row.push(f64::from(nu));
        }
        points.extend(row.into_iter().map(|u| DVec2::new(fraction(size.x, u, nu), v)));
    }
    let mut faces = Vec::with_capacity((2 * nu as usize + 1) * nv as usize);
    for j in 0..nv {
        let (below, above) = (row_starts[j as usize], row_starts[j as usize + 1]);
        // Triangles stand on the straight row and hang from the shifted one, or the other way round.
        if j % 2 == 0 {
            faces.extend((0..nu).map(|i| [below + i, below + i + 1, above + i + 1]));
            faces.extend((0..=nu).map(|k| [above + k + 1, above + k, below + k]));
        } else {
            faces.extend((0..=nu).map(|k| [below + k, below + k + 1, above + k]));
            faces.extend((0..nu).map(|i| [above + i + 1, above + i, below + i + 1]));
        }
    }
    (points, faces)
}

/// A sphere around the origin for pictures \[m\]: an icosahedron, subdivided `level` times, `20 · 4^level` faces. It has
/// no material coordinates.
///
/// # Panics
/// If the level is above 10.
pub fn sphere_mesh(radius: f64, level: u32) -> TriangleMesh {
    assert!(level <= 10, "a sphere of level {level} has too many faces");
    let (mut points, mut faces) = icosahedron();
    for _ in 0..level {
        let mut midpoints: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let mut finer = Vec::with_capacity(4 * faces.len());
        for [a, b, c] in faces {
            let mut middle = |p: u32, q: u32| {
                *midpoints.entry((p.min(q), p.max(q))).or_insert_with(|| {
                    points.push((points[p as usize] + points[q as usize]).normalize());
                    points.len() as u32 - 1
                })
            };
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        faces = finer;
    }
    TriangleMesh { positions: points.into_iter().map(|p| p * radius).collect(), faces, material: None }
}

fn icosahedron() -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let g = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let mut points = Vec::with_capacity(12);
    for (s, t) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        points.push(DVec3::new(0.0, s, t * g).normalize());
        points.push(DVec3::new(s, t * g, 0.0).normalize());
        points.push(DVec3::new(t * g, 0.0, s).normalize());
    }
    let edge = 2.0 / (1.0 + g * g).sqrt();
    let near = |p: usize, q: usize| points[p].distance(points[q]) < 1.1 * edge;
    let mut faces = Vec::with_capacity(20);
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(c, a) {
                    let outward = (points[b] - points[a]).cross(points[c] - points[a]).dot(points[a]) > 0.0;
                    let [b, c] = if outward { [b, c] } else { [c, b] };
                    faces.push([a, b, c].map(|v| v as u32));
                }
            }
        }
    }
    (points, faces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta_core::geometry::{doubled_area, triangle_quality};
    use taffeta_core::{SurfaceTopology, VertexIndex};

    fn topology(mesh: &TriangleMesh) -> SurfaceTopology {
        let faces = mesh.faces.iter().map(|face| face.map(VertexIndex)).collect();
        SurfaceTopology::from_faces(mesh.positions.len(), faces)
    }

    fn check_rectangle(size: DVec2, cells: [u32; 2], pattern: GridPattern) -> TriangleMesh {
        let mesh = grid(size, cells, pattern, 7);
        let what = format!("{pattern:?} {cells:?}");
        let topology = topology(&mesh);
        let material = mesh.material.as_ref().unwrap();
        let mut total = 0.0;
        for (face, corners) in mesh.faces.iter().zip(material) {
            assert!(doubled_area(*corners) > 0.0, "{what}");
            total += 0.5 * doubled_area(*corners);
            for (vertex, u) in face.iter().zip(corners) {
                assert_eq!(mesh.positions[*vertex as usize], u.extend(0.0));
            }
        }
        assert!((total / (size.x * size.y) - 1.0).abs() < 1e-12, "{what}: area {total}");
        assert_eq!(mesh.bounds().unwrap(), [DVec3::ZERO, size.extend(0.0)], "{what}");
        assert!(topology.vertices().all(|v| !topology.faces_around(v).is_empty()), "{what}");
        // A disk: V − E + F = 1, and every boundary edge lies on the rectangle.
        let euler = mesh.positions.len() as i64 - topology.edge_count() as i64 + mesh.faces.len() as i64;
        assert_eq!(euler, 1, "{what}");
        for edge in topology.edges.iter().filter(|edge| edge.is_boundary()) {
            let [a, b] = edge.vertices.map(|v| mesh.positions[v.0 as usize]);
            let on_side = |c: usize, at: f64| a[c] == at && b[c] == at;
            let on_boundary = on_side(0, 0.0) || on_side(1, 0.0) || on_side(0, size.x) || on_side(1, size.y);
            assert!(on_boundary, "{what}: {a} {b}");
        }
        mesh
    }

    #[test]
    fn every_pattern_covers_the_rectangle_once() {
        for pattern in GridPattern::ALL {
            for cells in [[1, 1], [2, 1], [1, 3], [5, 4], [16, 9], [33, 40]] {
                check_rectangle(DVec2::new(0.7, 1.3), cells, pattern);
            }
        }
    }

    #[test]
    fn patterns_have_the_expected_counts() {
        let counts = |pattern| {
            let mesh = grid(DVec2::ONE, [4, 3], pattern, 0);
            (mesh.positions.len(), mesh.faces.len())
        };
        assert_eq!(counts(GridPattern::Diagonal), (20, 24));
        assert_eq!(counts(GridPattern::Alternating), (20, 24));
        assert_eq!(counts(GridPattern::Crossed), (32, 48));
        assert_eq!(counts(GridPattern::Equilateral), (22, 27));
        assert_eq!(counts(GridPattern::Delaunay), (20, 24));
    }

    #[test]
    fn equilateral_rows_have_equilateral_triangles_inside() {
        let mesh = grid(DVec2::new(1.0, 8.0 * 0.1 * 0.75_f64.sqrt()), [10, 8], GridPattern::Equilateral, 0);
        let qualities: Vec<f64> = mesh.material.unwrap().into_iter().map(triangle_quality).collect();
        assert_eq!(qualities.iter().filter(|q| (**q - 1.0).abs() < 1e-9).count(), 8 * (10 + 9));
    }

    #[test]
    fn delaunay_is_irregular_reproducible_and_has_no_slivers() {
        let make = |seed| grid(DVec2::new(2.0, 1.0), [60, 30], GridPattern::Delaunay, seed);
        assert_eq!(make(3), make(3));
        assert_ne!(make(3), make(4));
        let worst = make(3).material.unwrap().into_iter().map(triangle_quality).fold(1.0, f64::min);
        assert!(worst > 0.35, "{worst}");
    }

    #[test]
    fn the_sphere_is_closed_and_round() {
        let mesh = sphere_mesh(0.5, 3);
        assert_eq!(mesh.faces.len(), 1280);
        let topology = topology(&mesh);
        assert!(topology.edges.iter().all(|edge| !edge.is_boundary()));
        assert_eq!(mesh.positions.len() + mesh.faces.len() - topology.edge_count(), 2);
        assert!(mesh.positions.iter().all(|p| (p.length() - 0.5).abs() < 1e-14));
        let [a, b, c] = mesh.faces[5].map(|v| mesh.positions[v as usize]);
        assert!((b - a).cross(c - a).dot(a) > 0.0);
    }
}
