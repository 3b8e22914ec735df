//! Vertices of the boundary become one with their attributes.

use glam::{DVec2, DVec3};
use taffeta_core::Drive;
use taffeta_core::geometry::doubled_area;
use taffeta_mesh::{BuiltMesh, HalfedgeMesh, VertexKey};
use taffeta_remesh::{
    Hold, Pass, RemeshSettings, SheetAttributes, is_seam, lumped_mass, remesh, validate_attributes,
    weld_with_transfer,
};

/// Two squares of two triangles beside each other, `gap` \[m\] apart, with the same material coordinates. They have the
/// vertices 0 to 3 and 4 to 7, of which 1 and 2 face 4 and 7.
fn squares(gap: f64) -> (BuiltMesh, SheetAttributes) {
    let square = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y];
    let place = |u: DVec2, x: f64| DVec3::new(u.x + x, u.y, 0.0);
    let positions: Vec<DVec3> =
        square.iter().map(|u| place(*u, 0.0)).chain(square.iter().map(|u| place(*u, 1.0 + gap))).collect();
    let faces = [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]];
    let built = HalfedgeMesh::from_triangles(8, &faces).expect("two squares");
    let corners: Vec<[DVec2; 3]> =
        faces.iter().map(|face| face.map(|v: u32| square[v as usize % 4])).collect();
    let attributes = SheetAttributes::from_built(&built, &positions, &corners, &[0; 4]);
    (built, attributes)
}

fn momentum(mesh: &HalfedgeMesh, attributes: &SheetAttributes) -> (DVec3, DVec3, f64) {
    let mut sum = (DVec3::ZERO, DVec3::ZERO, 0.0);
    for v in mesh.vertex_keys() {
        let (m, vertex) = (lumped_mass(mesh, attributes, v, 0.2), &attributes.vertices[v]);
        sum = (sum.0 + vertex.velocity * m, sum.1 + vertex.position * m, sum.2 + m);
    }
    sum
}

fn sew(gap: f64) -> (HalfedgeMesh, SheetAttributes, Vec<VertexKey>) {
    let (built, mut attributes) = squares(gap);
    let (mut mesh, v) = (built.mesh, built.vertices);
    for (k, key) in v.iter().enumerate() {
        attributes.vertices[*key].velocity = DVec3::new(0.1 * k as f64, 1.0, -0.3 * (k * k) as f64);
    }
    let area = |mesh: &HalfedgeMesh, attributes: &SheetAttributes| -> f64 {
        mesh.face_keys().map(|f| 0.5 * doubled_area(attributes.face_material(mesh, f))).sum()
    };
    let before = (momentum(&mesh, &attributes), area(&mesh, &attributes));
    weld_with_transfer(&mut mesh, &mut attributes, &[[v[1], v[4]], [v[2], v[7]]], &[])
        .expect("the sides fit");
    mesh.validate().expect("a valid mesh");
    validate_attributes(&mesh, &attributes).expect("valid attributes");
    let after = (momentum(&mesh, &attributes), area(&mesh, &attributes));
    assert!((after.0.0 - before.0.0).length() < 1e-14, "momentum");
    assert!((after.0.1 - before.0.1).length() < 1e-14, "center of mass");
    assert!((after.0.2 - before.0.2).abs() < 1e-15 && (after.1 - before.1).abs() < 1e-15, "mass and area");
    (mesh, attributes, v)
}

#[test]
fn a_weld_hands_on_the_hold_of_either_side() {
    let hold =
        |pin, rest| Hold { path: Some(Drive::new(1.0, rest, rest + DVec3::Z)), ..Hold::new(pin, rest) };
    let (one, other) = (hold(3, DVec3::X), hold(4, DVec3::Y));
    for (sides, expected) in
        [([Some(one), None], one), ([None, Some(other)], other), ([Some(one), Some(other)], one)]
    {
        let (built, mut attributes) = squares(0.01);
        let (mut mesh, v) = (built.mesh, built.vertices);
        for pair in [[1, 4], [2, 7]] {
            pair.into_iter().zip(sides).for_each(|(k, hold)| attributes.vertices[v[k]].hold = hold);
        }
        let at = sides.iter().position(|side| *side == Some(expected)).expect("one of them");
        let places = [[1, 4], [2, 7]].map(|pair| attributes.vertices[v[pair[at]]].position);
        let pairs = [[v[1], v[4]], [v[2], v[7]]];
        let record = weld_with_transfer(&mut mesh, &mut attributes, &pairs, &[]).expect("the sides fit");
        for ((kept, _), place) in record.merged.iter().zip(places) {
            let vertex = attributes.vertices[*kept];
            assert_eq!((vertex.hold, vertex.position), (Some(expected), place));
        }
    }
}

#[test]
fn a_weld_keeps_mass_momentum_and_area_and_makes_a_seam() {
    let (mesh, attributes, v) = sew(0.01);
    assert_eq!((mesh.vertex_count(), mesh.face_count(), mesh.components().len()), (6, 4, 1));
    let seams: Vec<_> = mesh.edge_keys().filter(|e| is_seam(&mesh, &attributes, *e)).collect();
    assert_eq!(seams.len(), 1);
    // One has a face, the other two.
    assert!((attributes.vertices[v[1]].position.x - (1.0 + 0.02 / 3.0)).abs() < 1e-12, "both sides give way");
}

#[test]
fn a_sewn_sheet_is_remeshed_on_both_sides_of_its_seam() {
    let (mut mesh, mut attributes, _) = sew(0.0);
    for (_, vertex) in &mut attributes.vertices {
        vertex.velocity = DVec3::ZERO;
    }
    let settings = [Some(RemeshSettings { size_min: 0.1, size_max: 0.3, ..RemeshSettings::by_thresholds() })];
    for _ in 0..3 {
        let pass = Pass { settings: &settings, elapsed: 0.02, ..Pass::default() };
        remesh(&mut mesh, &mut attributes, &pass, &mut |_| false);
        mesh.validate().expect("a valid mesh");
        validate_attributes(&mesh, &attributes).expect("valid attributes");
    }
    let seams = mesh.edge_keys().filter(|e| is_seam(&mesh, &attributes, *e)).count();
    assert!(seams >= 4, "the seam is refined: {seams}");
}

#[test]
fn runs_that_are_being_sewn_keep_their_edges_and_the_rest_is_refined_up_to_them() {
    let (built, mut attributes) = squares(0.2);
    let (mut mesh, v) = (built.mesh, built.vertices);
    let run = [v[1], v[2], v[4], v[7]];
    run.iter().for_each(|v| attributes.vertices[*v].is_stitched = true);
    let settings =
        [Some(RemeshSettings { size_min: 0.01, size_max: 0.05, ..RemeshSettings::by_thresholds() })];
    let mut counts = Vec::new();
    for _ in 0..8 {
        let pass = Pass { settings: &settings, elapsed: 0.02, ..Pass::default() };
        remesh(&mut mesh, &mut attributes, &pass, &mut |_| false);
        mesh.validate().expect("a valid mesh");
        validate_attributes(&mesh, &attributes).expect("valid attributes");
        counts.push(mesh.vertex_count());
    }
    for [a, b] in [[v[1], v[2]], [v[4], v[7]]] {
        assert!(mesh.find_halfedge(a, b).is_some(), "the edge of the run is whole");
    }
    assert!(
        counts[7] > 300 && counts[7] < 3000 && counts[6].abs_diff(counts[7]) < 50,
        "it comes to rest: {counts:?}"
    );
    let worst = mesh.face_keys().map(|f| attributes.material_area(&mesh, f)).fold(f64::INFINITY, f64::min);
    assert!(worst > 1e-6, "no slivers: {worst}");
}
