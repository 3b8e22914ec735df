//! Cloths without material coordinates: their rest shape is in space, and edits keep it.

use crate::common::{Sheet, settings};
use glam::{DVec2, DVec3};
use std::f64::consts::{PI, TAU};
use taffeta_core::geometry::{flatten_triangle, hinge_angle};
use taffeta_mesh::{Halfedge, HalfedgeMesh, Side};
use taffeta_remesh::{
    EditKind, Pass, REST_TOLERANCE, RandomEdits, RemeshReport, SheetAttributes, random_edits, remesh,
    validate_attributes,
};

/// A cloth at rest in space.
fn shaped(positions: Vec<DVec3>, faces: &[[u32; 3]]) -> Sheet {
    let built = HalfedgeMesh::from_triangles(positions.len(), faces).expect("a good mesh");
    let corners: Vec<[DVec2; 3]> =
        faces.iter().map(|f| flatten_triangle(f.map(|v| positions[v as usize]))).collect();
    let mut attributes = SheetAttributes::from_built(&built, &positions, &corners, &vec![0; faces.len()]);
    attributes.rest_in_space(&built.mesh, 0);
    Sheet { mesh: built.mesh, attributes }
}

/// A tube about the y axis, of `rows` rings of `around` vertices; radius and height of each ring [m].
fn tube(around: u32, rows: u32, ring: impl Fn(f64) -> [f64; 2]) -> Sheet {
    let mut positions = Vec::new();
    for j in 0..=rows {
        let [radius, y] = ring(f64::from(j) / f64::from(rows));
        for i in 0..around {
            let angle = TAU * (f64::from(i) + 0.5 * f64::from(j % 2)) / f64::from(around);
            positions.push(DVec3::new(radius * angle.sin(), y, radius * angle.cos()));
        }
    }
    let at = |i: u32, j: u32| j * around + i % around;
    let quads = (0..rows).flat_map(|j| (0..around).map(move |i| (i, j)));
    let faces: Vec<[u32; 3]> = quads
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            if j % 2 == 0 { [[a, b, d], [b, c, d]] } else { [[a, b, c], [a, c, d]] }
        })
        .collect();
    shaped(positions, &faces)
}

fn cylinder() -> Sheet {
    tube(24, 8, |t| [0.2, 0.4 * t])
}

fn cone() -> Sheet {
    tube(24, 8, |t| [0.3 - 0.18 * t, 0.4 * t])
}

/// A sphere of 20 cm, as an octahedron that was refined.
fn sphere() -> Sheet {
    let mut positions = [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z].to_vec();
    let mut faces: Vec<[u32; 3]> =
        vec![[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]];
    for _ in 0..3 {
        let mut finer = Vec::new();
        let mut known = std::collections::BTreeMap::new();
        for [a, b, c] in faces {
            let mut middle = |a: u32, b: u32| {
                *known.entry((a.min(b), a.max(b))).or_insert_with(|| {
                    positions.push((positions[a as usize] + positions[b as usize]).normalize());
                    positions.len() as u32 - 1
                })
            };
            let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
            finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        faces = finer;
    }
    shaped(positions.into_iter().map(|x| 0.2 * x).collect(), &faces)
}

/// Everything that must hold: every face has the lengths of its start positions, every edge their angle, so that the
/// shape at rest has no energy.
fn check(sheet: &Sheet) {
    let Sheet { mesh, attributes } = sheet;
    mesh.validate().expect("the mesh is valid");
    validate_attributes(mesh, attributes).expect("the attributes fit");
    let start = |v| attributes.vertices[v].start;
    for f in mesh.face_keys() {
        for he in mesh.face_halfedges(f) {
            let flat = attributes.material_of(he).distance(attributes.material_of(mesh.next(he)));
            let [a, b] = mesh.ends(he).map(start);
            assert!((flat - a.distance(b)).abs() < 1e-13, "{he:?}: {flat} {}", a.distance(b));
        }
    }
    for e in mesh.edge_keys() {
        let he = Halfedge::new(e, Side::First);
        let (Some(a), Some(b)) = (mesh.opposite(he), mesh.opposite(he.twin())) else { continue };
        let [p, q] = mesh.ends(he);
        let angle = hinge_angle([p, q, a, b].map(start));
        assert!((attributes.edges[e].rest_angle - angle).abs() < 1e-9, "{e:?}: {angle}");
    }
}

fn pass(sheet: &mut Sheet, size_min: f64, size_max: f64) -> RemeshReport {
    let chosen = [Some(settings(size_min, size_max))];
    let pass = Pass { settings: &chosen, elapsed: 1.0, ..Pass::default() };
    let report = remesh(&mut sheet.mesh, &mut sheet.attributes, &pass, &mut |_| false);
    check(sheet);
    report
}

#[test]
fn random_edits_keep_area_lengths_and_angles_at_rest() {
    for mut sheet in [cylinder(), cone(), sphere()] {
        let area = sheet.area();
        let kinds = vec![EditKind::Split, EditKind::Collapse, EditKind::Flip];
        let mut counts = [0; 3];
        for seed in 0..60 {
            let edits = RandomEdits { outline: true, seed, attempts: 50, kinds: kinds.clone() };
            for record in random_edits(&mut sheet.mesh, &mut sheet.attributes, &[], &edits) {
                counts[match record {
                    taffeta_remesh::EditRecord::Split(_) => 0,
                    taffeta_remesh::EditRecord::Collapse(_) => 1,
                    taffeta_remesh::EditRecord::Flip(_) => 2,
                }] += 1;
            }
            check(&sheet);
            assert!((sheet.area() - area).abs() < 1e-12 * area);
        }
        // On a curved shape only what is flat may be edited back.
        assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
    }
}

/// Distance of a point from a shape [m].
type Distance<'a> = &'a dyn Fn(DVec3) -> f64;

/// The rest shape moves by no more than the tolerance, however often it is refined and coarsened; the area with it.
#[test]
fn refining_and_coarsening_in_turn_does_not_wear_a_shape_away() {
    let radius = |x: DVec3| x.length();
    let around = |x: DVec3| DVec2::new(x.x, x.z).length();
    let on_cone = |x: DVec3| (around(x) - (0.3 - 0.45 * x.y)) / (1.0_f64 + 0.45 * 0.45).sqrt();
    let shapes: [(&str, Sheet, Distance); 3] = [
        ("cylinder", cylinder(), &|x| around(x) - 0.2),
        ("cone", cone(), &on_cone),
        ("sphere", sphere(), &|x| radius(x) - 0.2),
    ];
    let (size_min, tolerance) = (0.02, REST_TOLERANCE * 0.02);
    for (name, mut sheet, off) in shapes {
        let centers = |sheet: &Sheet| -> f64 {
            let center = |f| sheet.mesh.face_vertices(f).map(|v| sheet.attributes.vertices[v].start);
            sheet
                .mesh
                .face_keys()
                .map(|f| off(center(f).iter().sum::<DVec3>() / 3.0).abs())
                .fold(0.0, f64::max)
        };
        let (area, chord) = (sheet.area(), centers(&sheet));
        let mut edits = [0; 2];
        for _ in 0..12 {
            edits[0] += pass(&mut sheet, size_min, 0.025).splits;
            let report = pass(&mut sheet, size_min, 0.2);
            edits[1] += report.collapses;
            assert!(centers(&sheet) <= chord + tolerance * (1.0 + 1e-9), "{name}: {}", centers(&sheet));
            for v in sheet.mesh.vertex_keys() {
                let distance = off(sheet.attributes.vertices[v].start).abs();
                assert!(distance <= 1.5 * chord + tolerance, "{name}: {distance}");
            }
            assert!((sheet.area() / area - 1.0).abs() < 0.02, "{name}: {} from {area}", sheet.area());
        }
        assert!(edits.iter().all(|&count| count > 1000), "{name}: {edits:?}");
        let errors = sheet.mesh.face_keys().map(|f| sheet.attributes.faces[f].rest_error.unwrap());
        assert!(errors.fold(0.0, f64::max) <= tolerance);
    }
}

#[test]
fn a_shape_that_flies_without_turning_goes_on_so_although_its_mass_changes() {
    let velocity = DVec3::new(1.0, -2.0, 3.0);
    let mut sheet = tube(48, 16, |t| [0.2, 0.4 * t]);
    sheet.for_each_vertex(|_, vertex| {
        vertex.velocity = velocity;
        vertex.position += DVec3::splat(5.0);
    });
    let area = sheet.area();
    for size_max in [0.1, 0.03, 0.1] {
        pass(&mut sheet, 0.02, size_max);
    }
    assert!((sheet.area() / area - 1.0).abs() > 1e-6, "{}", sheet.area() / area);
    sheet.for_each_vertex(|_, vertex| assert!(vertex.velocity.distance(velocity) < 1e-11));
}

#[test]
fn a_fine_tube_coarsens_within_the_tolerance() {
    let mut sheet = tube(64, 24, |t| [0.2, 0.4 * t]);
    let (before, area) = (sheet.mesh.vertex_count(), sheet.area());
    for _ in 0..10 {
        pass(&mut sheet, 0.02, 0.1);
    }
    assert!(3 * sheet.mesh.vertex_count() < 2 * before, "{} of {before} vertices", sheet.mesh.vertex_count());
    assert!((sheet.area() / area - 1.0).abs() < 0.01, "{}", sheet.area() / area);
}

/// The warp of each face at the start runs around the tube; it still does when the mesh is another one.
#[test]
fn the_warp_is_carried_along() {
    let mut sheet = tube(48, 16, |t| [0.2, 0.4 * t]);
    let Sheet { mesh, attributes } = &mut sheet;
    for f in mesh.face_keys().collect::<Vec<_>>() {
        let halfedges = mesh.face_halfedges(f);
        let x = halfedges.map(|he| attributes.vertices[mesh.tail(he)].start);
        let normal = (x[1] - x[0]).cross(x[2] - x[0]).normalize();
        let warp = (DVec3::Y.cross(normal)).normalize();
        let weft = normal.cross(warp);
        for (k, he) in halfedges.into_iter().enumerate() {
            let corner = DVec2::new((x[k] - x[0]).dot(warp), (x[k] - x[0]).dot(weft));
            attributes.edges[he.edge].corners[he.side.index()] = corner;
            if mesh.is_boundary_halfedge(he.twin()) {
                let next = DVec2::new((x[(k + 1) % 3] - x[0]).dot(warp), (x[(k + 1) % 3] - x[0]).dot(weft));
                attributes.edges[he.edge].corners[he.twin().side.index()] = next;
            }
        }
    }
    let mut edits = 0;
    for size_max in [0.1, 0.03, 0.1, 0.03, 0.1] {
        edits += pass(&mut sheet, 0.02, size_max).edit_count();
    }
    assert!(edits > 1000, "{edits} edits");
    let Sheet { mesh, attributes } = &sheet;
    let mut worst: f64 = 0.0;
    for f in mesh.face_keys() {
        let u = attributes.face_material(mesh, f);
        let x = mesh.face_vertices(f).map(|v| attributes.vertices[v].start);
        let (e1, e2) = (u[1] - u[0], u[2] - u[0]);
        let warp = (e2.y * (x[1] - x[0]) - e1.y * (x[2] - x[0])).normalize();
        worst = worst.max(warp.dot(DVec3::Y).abs());
    }
    // No more than the tilt of the faces themselves: 5 degrees.
    assert!(worst < (5.0 * PI / 180.0).sin(), "{worst}");
}

#[test]
fn creases_and_corners_of_a_rest_shape_stay() {
    // A box without a lid, of 10 cm, each side 4 × 4 squares.
    let n = 4u32;
    let mut positions: Vec<DVec3> = Vec::new();
    let mut faces = Vec::new();
    let mut vertex = |x: DVec3| {
        let known = positions.iter().position(|y| y.distance(x) < 1e-9);
        known.unwrap_or_else(|| {
            positions.push(x);
            positions.len() - 1
        }) as u32
    };
    let sides = [
        (DVec3::ZERO, DVec3::Y, DVec3::X),
        (DVec3::ZERO, DVec3::X, DVec3::Z),
        (DVec3::ZERO, DVec3::Z, DVec3::Y),
        (DVec3::X, DVec3::Y, DVec3::Z),
        (DVec3::Y, DVec3::Z, DVec3::X),
    ];
    for (origin, a, b) in sides {
        for (i, j) in (0..n).flat_map(|j| (0..n).map(move |i| (i, j))) {
            let mut at = |i: u32, j: u32| {
                vertex(0.1 * (origin + (a * f64::from(i) + b * f64::from(j)) / f64::from(n)))
            };
            let [p, q, r, s] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            faces.extend([[p, q, r], [p, r, s]]);
        }
    }
    let mut sheet = shaped(positions, &faces);
    let area = sheet.area();
    // Where it is bent by a right angle the sizing field asks for the smallest edges; let it ask for nothing.
    let chosen = [Some(taffeta_remesh::RemeshSettings { refine_angle: 1e3, ..settings(0.001, 1.0) })];
    for _ in 0..8 {
        let pass = Pass { settings: &chosen, elapsed: 1.0, ..Pass::default() };
        remesh(&mut sheet.mesh, &mut sheet.attributes, &pass, &mut |_| false);
        check(&sheet);
    }
    assert!((sheet.area() / area - 1.0).abs() < 1e-12);
    let at_corner = |x: DVec3| x.to_array().iter().all(|c| c.abs() < 1e-9 || (c - 0.1).abs() < 1e-9);
    let corners = sheet.attributes.vertices.values().filter(|vertex| at_corner(vertex.start)).count();
    assert_eq!(corners, 8);
    assert!(sheet.mesh.vertex_count() <= 12, "{} vertices", sheet.mesh.vertex_count());
}
