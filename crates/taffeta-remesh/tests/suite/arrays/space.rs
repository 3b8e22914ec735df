//! Surfaces without material coordinates: at rest as they lie, open or closed.

use super::sheets::Sheet;
use glam::DVec3;
use std::collections::BTreeMap;
use std::f64::consts::TAU;
use taffeta_core::geometry::closest_point_on_triangle;
use taffeta_core::random::SplitMix64;
use taffeta_fixtures::tier;
use taffeta_mesh::HalfedgeMesh;
use taffeta_remesh::{
    ArrayError, FieldOptions, MaterialCoords, RemeshSettings, Remeshed, SheetArrays, SizingField,
    remesh_arrays,
};

/// A surface in space.
#[derive(Clone, Debug, Default)]
struct Surface {
    positions: Vec<[f64; 3]>,
    faces: Vec<[u32; 3]>,
}

impl Surface {
    /// Quads of a map of two angles or lengths, each a part from 0 to 1; closed along `u`, and along `v` if that is asked for.
    fn rolled([n, m]: [u32; 2], is_closed: bool, at: impl Fn(f64, f64) -> [f64; 3]) -> Self {
        let rows = if is_closed { m } else { m + 1 };
        let part = |i: u32, n: u32| f64::from(i) / f64::from(n);
        let places = (0..rows).flat_map(|j| (0..n).map(move |i| (i, j)));
        let positions = places.map(|(i, j)| at(part(i, n), part(j, m))).collect();
        let number = |i: u32, j: u32| (j % rows) * n + i % n;
        let quad = |(i, j): (u32, u32)| {
            let [a, b, c, d] = [number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)];
            [[a, b, c], [a, c, d]]
        };
        Self { positions, faces: (0..m).flat_map(|j| (0..n).map(move |i| (i, j))).flat_map(quad).collect() }
    }

    /// A ring of tube of 0.3 m around one of 1 m.
    fn torus(n: u32) -> Self {
        Self::rolled([3 * n, n], true, |u, v| {
            let (around, across) = (TAU * u, TAU * v);
            let radius = 1.0 + 0.3 * across.cos();
            [radius * around.cos(), radius * around.sin(), 0.3 * across.sin()]
        })
    }

    /// A tube of 0.2 m, 1 m long.
    fn tube(n: u32) -> Self {
        Self::rolled([n, n], false, |u, v| [0.2 * (TAU * u).cos(), 0.2 * (TAU * u).sin(), v])
    }

    /// A tetrahedron, an octahedron or a cube that is cut into four per face some times, every vertex put elsewhere.
    fn refined(start: (&[DVec3], &[[u32; 3]]), times: u32, put: impl Fn(DVec3) -> DVec3) -> Self {
        let (mut positions, mut faces) = (start.0.to_vec(), start.1.to_vec());
        for _ in 0..times {
            let mut known = BTreeMap::new();
            let mut middle = |a: u32, b: u32| {
                *known.entry((a.min(b), a.max(b))).or_insert_with(|| {
                    positions.push(0.5 * (positions[a as usize] + positions[b as usize]));
                    positions.len() as u32 - 1
                })
            };
            let cut = |[a, b, c]: [u32; 3]| {
                let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            };
            faces = faces.into_iter().flat_map(cut).collect();
        }
        Self { positions: positions.into_iter().map(|x| put(x).into()).collect(), faces }
    }

    /// A ball of 1 m.
    fn ball(times: u32) -> Self {
        let corners = [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z];
        let faces = [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]];
        Self::refined((&corners, &faces), times, DVec3::normalize)
    }

    /// A plate of 1 m × 1 m with a thickness \[m\], closed.
    fn plate(thickness: f64, times: u32) -> Self {
        let corner = |k: u32| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2));
        let corners: Vec<DVec3> = (0..8).map(corner).collect();
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let faces: Vec<[u32; 3]> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        Self::refined((&corners, &faces), times, |x| x * DVec3::new(1.0, 1.0, thickness))
    }

    fn of_result(result: &Remeshed) -> Self {
        Self { positions: result.arrays.positions.clone(), faces: result.arrays.faces.clone() }
    }

    fn arrays(&self) -> SheetArrays<'_> {
        SheetArrays::new(MaterialCoords::Positions, &self.positions, &self.faces)
    }

    fn corners(&self, face: [u32; 3]) -> [DVec3; 3] {
        face.map(|v| self.positions[v as usize].into())
    }

    /// The enclosed volume \[m³\], negative if the faces look inward.
    fn volume(&self) -> f64 {
        self.faces.iter().map(|&face| self.corners(face)).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
    }

    fn area(&self) -> f64 {
        let area = |[a, b, c]: [DVec3; 3]| 0.5 * (b - a).cross(c - a).length();
        self.faces.iter().map(|&face| area(self.corners(face))).sum()
    }

    /// Euler characteristic and number of boundary edges of what must be a surface.
    fn topology(&self) -> (i64, usize) {
        let mesh = HalfedgeMesh::from_triangles(self.positions.len(), &self.faces).expect("a surface").mesh;
        mesh.validate().expect("a valid mesh");
        let [v, e, f] = [mesh.vertex_count(), mesh.edge_count(), mesh.face_count()].map(|n| n as i64);
        (v - e + f, mesh.edge_keys().filter(|&e| mesh.is_boundary_edge(e)).count())
    }

    /// The largest distance \[m\] of points from this surface.
    fn farthest(&self, points: &[[f64; 3]]) -> f64 {
        let distance = |x: DVec3| {
            let to_face = |face: &[u32; 3]| {
                let corners = self.corners(*face);
                let weights = closest_point_on_triangle(x, corners);
                corners.into_iter().zip(weights).map(|(y, w)| w * y).sum::<DVec3>().distance(x)
            };
            self.faces.iter().map(to_face).fold(f64::INFINITY, f64::min)
        };
        points.iter().map(|&x| distance(x.into())).fold(0.0, f64::max)
    }

    fn longest_edge(&self) -> f64 {
        let sides = |[a, b, c]: [DVec3; 3]| a.distance(b).max(b.distance(c)).max(c.distance(a));
        self.faces.iter().map(|&face| sides(self.corners(face))).fold(0.0, f64::max)
    }
}

/// Remeshes to one size \[m\]; the surface is still one, of the same kind, and every vertex lies on the input.
fn remesh_with(surface: &Surface, size: f64, options: &FieldOptions) -> Surface {
    let sizes = vec![size; surface.positions.len()];
    let result = remesh_arrays(&surface.arrays(), SizingField::Sizes(&sizes), options, &mut |_| false)
        .expect("it can be remeshed");
    assert!(result.report.settled && !result.report.at_vertex_limit, "{:?}", result.report);
    assert!(result.arrays.material.is_empty() && result.arrays.material_faces.is_empty());
    let found = Surface::of_result(&result);
    let ((kind, boundary), (expected, had_boundary)) = (found.topology(), surface.topology());
    assert_eq!((kind, boundary > 0), (expected, had_boundary > 0));
    assert!(found.longest_edge() <= size * (1.0 + 1e-9), "{} of {size}", found.longest_edge());
    let flat: Vec<f64> = surface.positions.as_flattened().to_vec();
    for (x, y) in found.positions.iter().zip(result.sample(&surface.faces, &flat, 3).chunks_exact(3)) {
        assert!(DVec3::from(*x).distance(DVec3::from_slice(y)) < 1e-12, "{x:?} {y:?}");
    }
    found
}

fn remesh(surface: &Surface, size: f64) -> Surface {
    remesh_with(surface, size, &FieldOptions::default())
}

#[test]
fn closed_surfaces_are_refined_and_coarsened_with_their_volume() {
    for (name, surface, fine, coarse) in [
        ("ball", Surface::ball(4), 0.05, 0.25),
        ("torus", Surface::torus(24), 0.04, 0.2),
        ("plate", Surface::plate(0.2, 3), 0.04, 0.5),
    ] {
        let count = surface.positions.len();
        for size in [fine, coarse] {
            let found = remesh(&surface, size);
            assert_eq!(
                found.positions.len() > count,
                size == fine,
                "{name}: {count} to {}",
                found.positions.len()
            );
            let [volume, area] =
                [found.volume() / surface.volume() - 1.0, found.area() / surface.area() - 1.0];
            assert!(volume.abs() < 0.012 && area.abs() < 0.01, "{name} {size}: {volume} {area}");
        }
    }
}

#[test]
fn what_is_removed_stays_within_the_tolerance() {
    for (surface, tolerance) in
        [(Surface::ball(4), 0.01), (Surface::torus(24), 0.01), (Surface::ball(4), 0.04)]
    {
        let options = FieldOptions { rest_tolerance: Some(tolerance), ..FieldOptions::default() };
        let found = remesh_with(&surface, 0.7, &options);
        let farthest = found.farthest(&surface.positions);
        assert!(farthest <= tolerance * (1.0 + 1e-9), "{farthest} of {tolerance}");
        assert!(2 * found.positions.len() < surface.positions.len(), "{}", found.positions.len());
    }
    // A size beyond those of the shape does not take it away.
    let ball = Surface::ball(3);
    let found = remesh(&ball, 100.0);
    assert!(found.volume() > 0.98 * ball.volume(), "{} vertices", found.positions.len());
}

#[test]
fn tubes_keep_their_ends_and_sharp_edges_stay() {
    let tube = Surface::tube(32);
    for size in [0.03, 0.3] {
        let found = remesh(&tube, size);
        let built = HalfedgeMesh::from_triangles(found.positions.len(), &found.faces).expect("a surface");
        for (v, x) in built.vertices.iter().zip(&found.positions) {
            let is_end = x[2].abs() < 1e-12 || (x[2] - 1.0).abs() < 1e-12;
            assert_eq!(built.mesh.is_boundary_vertex(*v), is_end, "{x:?}");
        }
        assert!((found.area() / tube.area() - 1.0).abs() < 0.01, "{}", found.area() / tube.area());
    }
    // Flat sides and straight edges become as coarse as the size allows, to the bit of the volume.
    let plate = Surface::plate(0.2, 4);
    let found = remesh(&plate, 0.5);
    assert!(20 * found.positions.len() < plate.positions.len(), "{}", found.positions.len());
    assert!((found.volume() - 0.2).abs() < 1e-12);
}

#[test]
fn a_thin_plate_keeps_its_two_sides_apart() {
    let plate = Surface::plate(0.002, 1);
    let options = FieldOptions { rest_tolerance: Some(1e-4), ..FieldOptions::default() };
    let found = remesh_with(&plate, 0.06, &options);
    assert!((found.volume() - 0.002).abs() < 1e-12, "{}", found.volume());
    // By default the tolerance is more than the thickness. The rim may then become sharp, but the sides stay where they are.
    let found = remesh(&plate, 0.06);
    assert!((0.0018..0.002 + 1e-12).contains(&found.volume()), "{}", found.volume());
}

/// The largest angle between the normals of two neighbors \[rad\].
fn sharpest_fold(surface: &Surface) -> f64 {
    let mut normals: BTreeMap<[u32; 2], Vec<DVec3>> = BTreeMap::new();
    for &face in &surface.faces {
        let [x, y, z] = surface.corners(face);
        for k in 0..3 {
            let (a, b) = (face[k], face[(k + 1) % 3]);
            normals.entry([a.min(b), a.max(b)]).or_default().push((y - x).cross(z - x));
        }
    }
    let angle = |sides: &Vec<DVec3>| if let [n, m] = sides[..] { n.angle_between(m) } else { 0.0 };
    normals.values().map(angle).fold(0.0, f64::max)
}

#[test]
fn rough_surfaces_with_slivers_are_not_folded_over() {
    for seed in 0..tier(2, 12) {
        let mut random = SplitMix64(seed);
        let mut ball = Surface::ball(4);
        for x in &mut ball.positions {
            let offset = 0.96 + 0.08 * random.next_unit();
            *x = (DVec3::from(*x) * offset * DVec3::new(1.0, 0.3, 1.0)).into();
        }
        // What is not as sharp in the input becomes no sharper than 120°.
        let allowed = sharpest_fold(&ball).max(TAU / 3.0);
        for size in [0.05, 0.2] {
            let sizes = vec![size; ball.positions.len()];
            let field = SizingField::Sizes(&sizes);
            let result = remesh_arrays(&ball.arrays(), field, &FieldOptions::default(), &mut |_| false);
            let found = sharpest_fold(&Surface::of_result(&result.expect("it can be remeshed")));
            assert!(found <= allowed + 1e-6, "{seed}, {size}: {found} and {allowed}");
        }
    }
}

#[test]
fn curvature_asks_for_edges_although_the_shape_is_at_rest() {
    let fields = |refine_angle: f64| {
        SizingField::Shape(RemeshSettings {
            size_min: 0.01,
            size_max: 0.6,
            refine_angle,
            ..RemeshSettings::by_thresholds()
        })
    };
    let ball = Surface::ball(4);
    let count = |angle: f64| {
        let result = remesh_arrays(&ball.arrays(), fields(angle), &FieldOptions::default(), &mut |_| false);
        let found = Surface::of_result(&result.expect("it can be remeshed"));
        assert_eq!(found.topology(), (2, 0));
        found.longest_edge()
    };
    // On a ball of 1 m the normals turn by the length of an edge.
    let [fine, coarse] = [0.08, 0.16].map(count);
    assert!((0.06..0.1).contains(&fine) && (0.12..0.2).contains(&coarse), "{fine} {coarse}");
}

#[test]
fn velocities_pins_and_fields_are_brought_over() {
    let ball = Surface::ball(2);
    let pinned: Vec<bool> = ball.positions.iter().map(|x| x[2] > 0.9).collect();
    let velocities = vec![[1.0, 2.0, 3.0]; ball.positions.len()];
    let heights: Vec<f64> = ball.positions.iter().map(|x| x[2]).collect();
    let sheet = SheetArrays {
        pinned: Some(&pinned),
        velocities: Some(&velocities),
        attributes: &heights,
        attribute_width: 1,
        ..ball.arrays()
    };
    let sizes = vec![0.5; ball.positions.len()];
    let result =
        remesh_arrays(&sheet, SizingField::Sizes(&sizes), &FieldOptions::default(), &mut |_| false).unwrap();
    for (x, height) in result.arrays.positions.iter().zip(&result.arrays.attributes) {
        assert!((x[2] - height).abs() < 1e-12);
    }
    for (input, _) in pinned.iter().enumerate().filter(|(_, pinned)| **pinned) {
        let output = result.output_of_input[input].expect("it stays") as usize;
        assert_eq!(result.arrays.positions[output], ball.positions[input]);
    }
    let moving = result.arrays.velocities.expect("there are velocities");
    assert!(moving.iter().all(|v| DVec3::from(*v).distance(DVec3::new(1.0, 2.0, 3.0)) < 1e-9));
}

#[test]
fn what_needs_directions_or_an_area_is_refused() {
    let options = FieldOptions::default();
    let ball = Surface::ball(0);
    let refusal = |sheet: &SheetArrays, field: SizingField, options: &FieldOptions| {
        remesh_arrays(sheet, field, options, &mut |_| false).expect_err("it is refused")
    };
    let tensors = vec![[4.0, 0.0, 9.0]; 6];
    let error = refusal(&ball.arrays(), SizingField::Metrics(&tensors), &options);
    assert_eq!(error, ArrayError::NoDirections);
    let sizes = SizingField::Sizes(&[0.5; 6]);
    let bad = FieldOptions { rest_tolerance: Some(0.0), ..options };
    assert!(refusal(&ball.arrays(), sizes, &bad).to_string().contains("rest_tolerance is 0"));
    let mut needle = ball.clone();
    needle.positions[1] =
        (DVec3::from(needle.positions[0]) * 0.4 + DVec3::from(needle.positions[2]) * 0.6).into();
    assert_eq!(refusal(&needle.arrays(), sizes, &options), ArrayError::Degenerate { face: 0 });
    // A flat sheet is one in space, too, and keeps its corners.
    let square = Sheet::square(8);
    let flat = Surface { positions: square.positions.clone(), faces: square.faces.clone() };
    assert_eq!(remesh(&flat, 5.0).positions.len(), 4);
}
