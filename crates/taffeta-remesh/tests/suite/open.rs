//! Edges open with their attributes, and splits that prepare them.

use crate::common::{Sheet, flat, grid};
use glam::{DVec2, DVec3};
use taffeta_core::Drive;
use taffeta_core::geometry::doubled_area;
use taffeta_core::random::SplitMix64;
use taffeta_mesh::EdgeKey;
use taffeta_remesh::{
    Hold, collapse_with_transfer, flip_with_transfer, is_single_valued, lumped_mass, open_with_transfer,
    restore_momenta_of_sheets, split_at_with_transfer, split_with_transfer, validate_attributes,
};

/// A sheet that moves, bent.
fn moving() -> Sheet {
    let shape = |u: DVec2| DVec3::new(u.x, u.y, 0.1 * u.x * u.x);
    let mut sheet = Sheet::new(grid([1.0; 2], [5; 2], 0.2), shape);
    sheet.for_each_vertex(|u, vertex| {
        vertex.velocity = DVec3::new(u.y, 1.0 - u.x * u.y, u.x * u.x);
    });
    sheet
}

/// Mass, moment, momentum, angular momentum and area of a sheet.
fn motion(sheet: &Sheet) -> (f64, DVec3, DVec3, DVec3, f64) {
    let Sheet { mesh, attributes } = sheet;
    let area = mesh.face_keys().map(|f| 0.5 * doubled_area(attributes.face_material(mesh, f))).sum();
    let zero = (0.0, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO, area);
    mesh.vertex_keys().fold(zero, |(mass, moment, linear, angular, area), v| {
        let (m, vertex) = (lumped_mass(mesh, attributes, v, 1.0), &attributes.vertices[v]);
        let p = vertex.velocity * m;
        (mass + m, moment + vertex.position * m, linear + p, angular + vertex.position.cross(p), area)
    })
}

fn assert_kept(before: &Sheet, after: &Sheet, what: &str) {
    let (a, b) = (motion(before), motion(after));
    assert!((a.0 - b.0).abs() < 1e-14 && (a.4 - b.4).abs() < 1e-14, "{what}: mass and area");
    assert!((a.1 - b.1).length() < 1e-14 && (a.2 - b.2).length() < 1e-14, "{what}: center and momentum");
    assert!((a.3 - b.3).length() < 1e-13, "{what}: angular momentum");
}

/// An edge from a boundary vertex to an inner one.
fn edge_inwards(sheet: &Sheet) -> EdgeKey {
    let mesh = &sheet.mesh;
    let leads_in = |e: &EdgeKey| {
        let ends = mesh.edge_ends(*e).map(|v| mesh.is_boundary_vertex(v));
        ends[0] != ends[1]
    };
    let mut edges: Vec<EdgeKey> = mesh.edge_keys().filter(leads_in).collect();
    edges.sort_unstable();
    edges[edges.len() / 2]
}

#[test]
fn copies_are_held_as_what_they_are_copies_of() {
    let mut sheet = moving();
    let path = Drive { begin: 0.5, end: 1.0, from: DVec3::X, to: DVec3::Y };
    sheet.for_each_vertex(|_, vertex| {
        vertex.hold = Some(Hold { normal: Some(DVec3::Z), path: Some(path), ..Hold::new(2, vertex.start) });
    });
    let before = sheet.clone();
    let e = edge_inwards(&sheet);
    let record = open_with_transfer(&mut sheet.mesh, &mut sheet.attributes, &[e]).expect("it may open");
    let [(kept, created)] = &record.copies[..] else { panic!("one vertex") };
    let original = before.attributes.vertices[*kept];
    for v in [*kept, created[0]] {
        let vertex = sheet.attributes.vertices[v];
        assert_eq!((vertex.hold, vertex.position), (original.hold, original.position));
    }
}

#[test]
fn an_opening_keeps_mass_momentum_and_area_and_sets_the_sides_apart() {
    let before = moving();
    let mut sheet = before.clone();
    let e = edge_inwards(&sheet);
    let record = open_with_transfer(&mut sheet.mesh, &mut sheet.attributes, &[e]).expect("it may open");
    sheet.mesh.validate().expect("a valid mesh");
    validate_attributes(&sheet.mesh, &sheet.attributes).expect("valid attributes");
    assert_kept(&before, &sheet, "opening");
    let [(kept, created)] = &record.copies[..] else { panic!("one vertex") };
    let [a, b] = [*kept, created[0]].map(|v| sheet.attributes.vertices[v]);
    let gap = a.position.distance(b.position);
    assert!(gap > 1e-6 && gap < 1e-3, "{gap}");
    assert_eq!(a.velocity, b.velocity);
    assert!(is_single_valued(&sheet.mesh, &sheet.attributes, 0));
}

#[test]
fn a_split_anywhere_on_an_edge_is_linear_and_makes_no_seam() {
    let mut random = SplitMix64(4);
    for part in [0.04, 0.3, 0.5, 0.77, 0.9] {
        let mut sheet = moving();
        for _ in 0..20 {
            let mut edges: Vec<EdgeKey> = sheet.mesh.edge_keys().collect();
            edges.sort_unstable();
            let e = edges[(random.next_unit() * edges.len() as f64) as usize];
            let before = sheet.clone();
            let ends = sheet.mesh.edge_ends(e).map(|v| sheet.attributes.vertices[v].position);
            let split = split_at_with_transfer(&mut sheet.mesh, &mut sheet.attributes, e, part, &[]);
            let (record, drift) = split.expect("an edge can be split");
            restore_momenta_of_sheets(&sheet.mesh, &mut sheet.attributes, &[drift]);
            let at = sheet.attributes.vertices[record.vertex].position;
            assert!(at.distance(ends[0].lerp(ends[1], part)) < 1e-15);
            assert!(is_single_valued(&sheet.mesh, &sheet.attributes, 0), "{part}");
            validate_attributes(&sheet.mesh, &sheet.attributes).expect("valid attributes");
            let (a, b) = (motion(&before), motion(&sheet));
            assert!((a.0 - b.0).abs() < 1e-14 && (a.2 - b.2).length() < 1e-13, "mass and momentum");
        }
    }
}

#[test]
fn openings_among_other_edits_leave_attributes_that_fit() {
    let mut random = SplitMix64(9);
    let mut below = |count: usize| (random.next_unit() * count as f64) as usize;
    let (mut sheet, mut opened) = (Sheet::new(grid([1.0; 2], [5; 2], 0.2), flat), 0);
    for step in 0..1500 {
        if step % 100 == 0 {
            sheet = Sheet::new(grid([1.0; 2], [5; 2], 0.2), flat);
        }
        let Sheet { mesh, attributes } = &mut sheet;
        let mut edges: Vec<EdgeKey> = mesh.edge_keys().collect();
        edges.sort_unstable();
        let e = edges[below(edges.len())];
        let he = mesh.find_halfedge(mesh.edge_ends(e)[0], mesh.edge_ends(e)[1]).expect("an edge");
        match below(6) {
            0 => _ = split_with_transfer(mesh, attributes, e, &[]),
            1 => _ = collapse_with_transfer(mesh, attributes, he),
            2 => _ = flip_with_transfer(mesh, attributes, e),
            3 => _ = split_at_with_transfer(mesh, attributes, e, 0.2, &[]),
            _ => opened += usize::from(open_with_transfer(mesh, attributes, &[e]).is_ok()),
        }
        mesh.validate().unwrap_or_else(|broken| panic!("edit {step}: {broken}"));
        let counts = [attributes.vertices.len(), attributes.edges.len(), attributes.faces.len()];
        assert_eq!(counts, [mesh.vertex_count(), mesh.edge_count(), mesh.face_count()], "edit {step}");
    }
    assert!(opened > 100, "{opened}");
}
