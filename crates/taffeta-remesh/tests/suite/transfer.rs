//! Edits keep momentum, material area and the meaning of the attributes.

use crate::common::{Sheet, cylinder, flat, grid};
use glam::{DVec2, DVec3};
use taffeta_core::{Drive, Region};
use taffeta_mesh::{Halfedge, HalfedgeMesh, Side};
use taffeta_remesh::{
    EditKind, EditRecord, Hold, RandomEdits, SheetAttributes, collapse_with_transfer, flip_with_transfer,
    random_edits, split_at_with_transfer, split_with_transfer,
};

/// A sheet that spins, drifts and ripples.
fn spinning_sheet(shape: impl Fn(DVec2) -> DVec3) -> Sheet {
    let mut sheet = Sheet::new(grid([0.6, 0.4], [9, 6], 0.2), shape);
    sheet.for_each_vertex(|u, vertex| {
        let ripple = DVec3::new((9.0 * u.y).sin(), (7.0 * u.x).cos(), (13.0 * u.x * u.y).sin());
        vertex.velocity =
            DVec3::new(0.3, -0.2, 0.1) + DVec3::new(1.0, 2.0, 3.0).cross(vertex.position) + 0.5 * ripple;
    });
    sheet
}

fn one_edit(sheet: &mut Sheet, seed: u64, kind: EditKind) -> Vec<EditRecord> {
    let edits = RandomEdits { outline: false, seed, attempts: 1, kinds: vec![kind] };
    let log = random_edits(&mut sheet.mesh, &mut sheet.attributes, &[], &edits);
    sheet.check();
    log
}

#[test]
fn every_edit_keeps_linear_and_angular_momentum() {
    let shapes: [fn(DVec2) -> DVec3; 2] = [flat, |u| cylinder(0.2)(u)];
    for shape in shapes {
        for kind in [EditKind::Split, EditKind::Collapse, EditKind::Flip] {
            let mut sheet = spinning_sheet(shape);
            let mut made = 0;
            for seed in 0..40 {
                let before = sheet.motion();
                made += one_edit(&mut sheet, seed, kind).len();
                let now = sheet.motion();
                assert!(
                    now.linear.distance(before.linear) <= 1e-13 * before.linear.length(),
                    "{kind:?} {seed}"
                );
                assert!(now.spin.distance(before.spin) <= 1e-12 * before.spin.length(), "{kind:?} {seed}");
            }
            assert!(made > 10, "{kind:?}: {made} edits");
        }
    }
}

#[test]
fn a_sheet_that_drifts_without_turning_goes_on_so() {
    let velocity = DVec3::new(0.3, -8.0, 0.1);
    let mut sheet = Sheet::new(grid([0.6, 0.4], [9, 6], 0.2), cylinder(0.3));
    sheet.for_each_vertex(|_, vertex| vertex.velocity = velocity);
    let made = random_edits(&mut sheet.mesh, &mut sheet.attributes, &[], &all_kinds(3, 400));
    assert!(made.len() > 200, "{} edits", made.len());
    sheet.for_each_vertex(|_, vertex| assert!(vertex.velocity.distance(velocity) < 1e-11));
}

#[test]
fn splits_keep_the_center_of_mass_and_other_edits_move_it_little() {
    let mut sheet = spinning_sheet(cylinder(0.2));
    let before = sheet.motion().center;
    let edits = RandomEdits { outline: false, seed: 1, attempts: 200, kinds: vec![EditKind::Split] };
    assert_eq!(random_edits(&mut sheet.mesh, &mut sheet.attributes, &[], &edits).len(), 200);
    assert!(sheet.motion().center.distance(before) < 1e-15);
    random_edits(&mut sheet.mesh, &mut sheet.attributes, &[], &all_kinds(2, 200));
    assert!(sheet.motion().center.distance(before) < 0.005);
}

fn all_kinds(seed: u64, attempts: usize) -> RandomEdits {
    RandomEdits {
        outline: false,
        seed,
        attempts,
        kinds: vec![EditKind::Split, EditKind::Collapse, EditKind::Flip],
    }
}

#[test]
fn random_edits_keep_the_material_area_and_are_reproducible() {
    let edits = all_kinds(11, 2000);
    let run = || {
        let mut sheet = spinning_sheet(flat);
        let log = random_edits(&mut sheet.mesh, &mut sheet.attributes, &[], &edits);
        (sheet, log)
    };
    let (sheet, log) = run();
    sheet.check();
    assert!((sheet.area() - 0.24).abs() < 1e-14);
    for kind in 0..3 {
        let count = log.iter().filter(|record| match record {
            EditRecord::Split(_) => kind == 0,
            EditRecord::Collapse(_) => kind == 1,
            EditRecord::Flip(_) => kind == 2,
        });
        assert!(count.count() > 100);
    }
    let (again, log_again) = run();
    assert_eq!(log, log_again);
    for v in sheet.mesh.vertex_keys() {
        assert_eq!(sheet.attributes.vertices[v], again.attributes.vertices[v]);
    }
}

/// Two triangles that share the edge from (0, 0) to (1, 0), with the corners (½, ±½).
fn two_triangles(shape: impl Fn(DVec2) -> DVec3) -> (Sheet, taffeta_mesh::BuiltMesh) {
    let coords = [[0.0, 0.0], [1.0, 0.0], [0.5, 0.5], [0.5, -0.5]].map(DVec2::from);
    let faces = [[0, 1, 2], [1, 0, 3]];
    let built = HalfedgeMesh::from_triangles(4, &faces).expect("a good mesh");
    let corners = faces.map(|f: [u32; 3]| f.map(|v| coords[v as usize]));
    let attributes = SheetAttributes::from_built(&built, &coords.map(shape), &corners, &[0, 0]);
    (Sheet { mesh: built.mesh.clone(), attributes }, built)
}

#[test]
fn an_edge_between_two_pins_is_held_by_the_one_that_has_all_of_it() {
    let region = |from: f64, to: f64| Region::MaterialBox([DVec2::new(from, -0.1), DVec2::new(to, 0.1)]);
    let pin_of_middle = |pins: &[Region]| {
        let (mut sheet, built) = two_triangles(flat);
        let ends = [built.vertices[0], built.vertices[1]];
        for (v, pin) in ends.into_iter().zip(0..) {
            let vertex = &mut sheet.attributes.vertices[v];
            vertex.hold = Some(Hold::new(pin, vertex.start));
        }
        let e = built.mesh.find_halfedge(ends[0], ends[1]).expect("an edge").edge;
        let record =
            split_with_transfer(&mut sheet.mesh, &mut sheet.attributes, e, pins).expect("can be split");
        sheet.attributes.vertices[record.vertex].hold.map(|hold| hold.pin)
    };
    assert_eq!(pin_of_middle(&[region(-1.0, 0.0), region(0.0, 1.0)]), Some(1));
    assert_eq!(pin_of_middle(&[region(0.0, 1.0), region(1.0, 2.0)]), Some(0));
    // The middle alone does not count: the pins may have moved apart.
    assert_eq!(pin_of_middle(&[region(-1.0, 0.0), region(0.4, 1.0)]), None);
    assert_eq!(pin_of_middle(&[region(-1.0, 0.0), region(1.0, 2.0)]), None);
}

#[test]
fn kinetic_energy_grows_only_where_a_ring_has_to_turn_faster() {
    let mut grown = 0;
    for number in 0..60 {
        let (mut sheet, built) = two_triangles(cylinder(0.4));
        let wave = |k: f64| (f64::from(number) * 1.7 + k * 2.3).sin();
        let wobble = 0.2 * f64::from(number % 10);
        for (k, &v) in (0u8..).zip(&built.vertices) {
            let vertex = &mut sheet.attributes.vertices[v];
            let rigid = DVec3::new(wave(10.0), wave(11.0), wave(12.0)).cross(vertex.position);
            let k = f64::from(k);
            vertex.velocity = rigid + wobble * DVec3::new(wave(k), wave(k + 4.0), wave(k + 7.0));
        }
        let before = sheet.motion();
        let e = built.mesh.find_halfedge(built.vertices[0], built.vertices[1]).expect("an edge").edge;
        split_with_transfer(&mut sheet.mesh, &mut sheet.attributes, e, &[]).expect("can be split");
        let now = sheet.motion();
        assert!(now.spin.distance(before.spin) <= 1e-14);
        if now.kinetic <= before.kinetic * (1.0 + 1e-12) {
            continue;
        }
        // A split gathers mass in the middle: a rigid ring with the same spin turns faster.
        grown += 1;
        let bodies: Vec<_> = sheet.attributes.vertices.values().collect();
        for (a, b) in bodies.iter().flat_map(|a| bodies.iter().map(move |b| (a, b))) {
            let stretching = (a.velocity - b.velocity).dot(a.position - b.position);
            assert!(stretching.abs() < 1e-13, "{number}: more energy, and not rigid: {stretching}");
        }
    }
    assert!(grown > 5 && grown < 55, "{grown}");
}

#[test]
fn a_collinear_ring_takes_what_angular_momentum_it_can() {
    let (mut sheet, built) = two_triangles(|u| DVec3::new(u.x, 0.0, 0.0));
    for (k, &v) in (0u8..).zip(&built.vertices) {
        sheet.attributes.vertices[v].velocity = DVec3::new(0.1, f64::from(k), -f64::from(k * k));
    }
    let before = sheet.motion();
    let e = built.mesh.find_halfedge(built.vertices[0], built.vertices[1]).expect("an edge").edge;
    split_with_transfer(&mut sheet.mesh, &mut sheet.attributes, e, &[]).expect("can be split");
    sheet.check();
    let now = sheet.motion();
    assert!(now.linear.distance(before.linear) < 1e-14 && now.spin.distance(before.spin) < 1e-14);
    assert!(now.kinetic <= before.kinetic);
    assert!(sheet.attributes.vertices.values().all(|vertex| vertex.velocity.is_finite()));
}

#[test]
fn held_vertices_keep_their_velocity() {
    let mut sheet = spinning_sheet(flat);
    sheet.for_each_vertex(|u, vertex| vertex.hold = (u.x < 0.25).then(|| Hold::new(0, vertex.start)));
    let held: Vec<_> =
        sheet.mesh.vertex_keys().filter(|&v| sheet.attributes.vertices[v].hold.is_some()).collect();
    let velocities: Vec<_> = held.iter().map(|&v| sheet.attributes.vertices[v].velocity).collect();
    random_edits(&mut sheet.mesh, &mut sheet.attributes, &[Region::Boundary], &all_kinds(5, 500));
    sheet.check();
    for (v, velocity) in held.into_iter().zip(velocities) {
        assert_eq!(sheet.attributes.vertices[v].velocity, velocity);
    }
}

#[test]
fn a_free_vertex_among_held_ones_does_not_fly_off() {
    let fastest = |sheet: &Sheet| {
        sheet.attributes.vertices.values().fold(0.0, |most: f64, vertex| most.max(vertex.velocity.length()))
    };
    let mut made = 0;
    for seed in 0..400 {
        let mut sheet = spinning_sheet(cylinder(0.2));
        let mut turn = 0;
        sheet.for_each_vertex(|_, vertex| {
            vertex.hold = (turn % 5 != 0).then(|| Hold::new(0, vertex.start));
            turn += 1;
        });
        let before = fastest(&sheet);
        let kind = [EditKind::Split, EditKind::Collapse, EditKind::Flip][seed as usize % 3];
        let edits = RandomEdits { outline: false, seed, attempts: 1, kinds: vec![kind] };
        made += random_edits(&mut sheet.mesh, &mut sheet.attributes, &[Region::Boundary], &edits).len();
        sheet.check();
        let after = fastest(&sheet);
        assert!(after <= 1.5 * before, "{kind:?} {seed}: {before} and {after} m/s");
    }
    assert!(made > 100, "{made} edits");
}

#[test]
fn a_split_is_held_on_the_boundary_and_inside_the_region_of_its_pin() {
    let held_after = |region: Region, pins: [Option<u32>; 2], ends: [usize; 2]| {
        let (mut sheet, built) = two_triangles(flat);
        for (v, pin) in ends.into_iter().zip(pins) {
            let vertex = &mut sheet.attributes.vertices[built.vertices[v]];
            vertex.hold = pin.map(|pin| Hold::new(pin, vertex.start));
        }
        let [a, b] = ends.map(|v| built.vertices[v]);
        let e = built.mesh.find_halfedge(a, b).expect("an edge").edge;
        let record =
            split_with_transfer(&mut sheet.mesh, &mut sheet.attributes, e, &[Region::Boundary, region])
                .expect("can be split");
        sheet.check();
        sheet.attributes.vertices[record.vertex].hold.map(|hold| hold.pin)
    };
    let around = |low: [f64; 2], high: [f64; 2]| Region::MaterialBox([low.into(), high.into()]);
    let (inner, outer) = ([0, 1], [1, 2]);
    let whole = || around([-1.0; 2], [1.0; 2]);
    assert_eq!(held_after(whole(), [Some(1); 2], inner), Some(1));
    assert_eq!(held_after(around([-0.1; 2], [0.1; 2]), [Some(1); 2], inner), None);
    assert_eq!(held_after(around([-0.1; 2], [0.1; 2]), [Some(1); 2], outer), Some(1));
    assert_eq!(held_after(Region::Boundary, [Some(0); 2], inner), None);
    // Pin 1 has all of the edge in its region, though another one holds an end of it.
    assert_eq!(held_after(whole(), [Some(1), Some(0)], inner), Some(1));
    assert_eq!(held_after(whole(), [Some(1), None], outer), None);
}

#[test]
fn what_splits_a_face_that_is_held_as_a_whole_is_held_by_a_list_of_vertices() {
    let held_after = |region: Region, count: usize| {
        let (mut sheet, built) = two_triangles(flat);
        for v in &built.vertices[..count] {
            let vertex = &mut sheet.attributes.vertices[*v];
            vertex.hold = Some(Hold::new(0, vertex.start));
        }
        let e = built.mesh.find_halfedge(built.vertices[0], built.vertices[1]).expect("an edge").edge;
        let Sheet { mesh, attributes } = &mut sheet;
        let record = split_with_transfer(mesh, attributes, e, &[region]).expect("can be split");
        let vertex = attributes.vertices[record.vertex];
        sheet.check();
        (vertex.hold, vertex.start)
    };
    let list = || Region::Vertices(Vec::new());
    let (hold, start) = held_after(list(), 3);
    assert_eq!(hold, Some(Hold::new(0, start)));
    assert_eq!(held_after(list(), 2).0, None, "two points, and no patch");
    assert_eq!(held_after(Region::Boundary, 3).0, None, "an edge across a corner is not of the boundary");
}

/// A hold of pin 1 whose vertex a caller moves.
fn led(rest: DVec3, [from, to]: [DVec3; 2], normal: DVec3) -> Hold {
    let path = Drive { begin: 1.0, end: 2.0, from, to };
    Hold { normal: Some(normal), path: Some(path), ..Hold::new(1, rest) }
}

#[test]
fn a_hold_is_linear_along_the_edge_that_is_split() {
    let whole = [Region::Boundary, Region::MaterialBox([DVec2::splat(-1.0), DVec2::ONE])];
    for part in [0.5, 0.25] {
        let (mut sheet, built) = two_triangles(cylinder(0.7));
        let ends = [0, 1].map(|k| built.vertices[k]);
        let a = led(DVec3::X, [DVec3::Y, DVec3::Z], DVec3::Y);
        let b = led(DVec3::X * 5.0, [DVec3::Y * 3.0, DVec3::ONE], DVec3::Z);
        let he = built.mesh.find_halfedge(ends[0], ends[1]).expect("an edge");
        let tail = sheet.mesh.tail(Halfedge::new(he.edge, Side::First));
        let (first, second) = if tail == ends[0] { (a, b) } else { (b, a) };
        ends.into_iter().zip([a, b]).for_each(|(v, hold)| sheet.attributes.vertices[v].hold = Some(hold));
        let Sheet { mesh, attributes } = &mut sheet;
        let (record, _) =
            split_at_with_transfer(mesh, attributes, he.edge, part, &whole).expect("can be split");
        let hold = attributes.vertices[record.vertex].hold.expect("it lies between held vertices");
        let [from, to] = [first, second].map(|hold| hold.path.expect("it is led"));
        let between = |a: DVec3, b: DVec3| (1.0 - part) * a + part * b;
        let normal = between(first.normal.unwrap(), second.normal.unwrap()).normalize();
        let ways = [between(from.from, to.from), between(from.to, to.to)];
        assert_eq!(hold, led(between(first.rest, second.rest), ways, normal), "{part}");
    }
}

#[test]
fn what_lies_between_two_pins_is_free_once_a_caller_has_moved_or_added_one() {
    let whole = || Region::MaterialBox([DVec2::splat(-1.0), DVec2::ONE]);
    let moved = |hold: Hold| Hold { path: Some(Drive::new(0.0, hold.rest, DVec3::ONE)), ..hold };
    let later = |hold: Hold| Hold { rest: hold.rest + DVec3::Z, ..hold };
    let changes: [fn(Hold) -> Hold; 3] = [|hold| hold, moved, later];
    for (change, expected) in changes.into_iter().zip([Some(0), None, None]) {
        let (mut sheet, built) = two_triangles(flat);
        for (v, pin) in [0, 1].map(|k| built.vertices[k]).into_iter().zip(0..) {
            let vertex = &mut sheet.attributes.vertices[v];
            let hold = Hold::new(pin, vertex.start);
            vertex.hold = Some(if pin == 1 { change(hold) } else { hold });
        }
        let e = built.mesh.find_halfedge(built.vertices[0], built.vertices[1]).expect("an edge").edge;
        let Sheet { mesh, attributes } = &mut sheet;
        let record = split_with_transfer(mesh, attributes, e, &[whole(), whole()]).expect("can be split");
        let vertex = attributes.vertices[record.vertex];
        assert_eq!(vertex.hold, expected.map(|pin| Hold::new(pin, vertex.start)));
    }
}

#[test]
fn split_attributes_are_linear() {
    let (mut sheet, built) = two_triangles(cylinder(0.7));
    let e = built.mesh.find_halfedge(built.vertices[0], built.vertices[1]).expect("an edge").edge;
    let ends = [0, 1].map(|k| sheet.attributes.vertices[built.vertices[k]]);
    let record = split_with_transfer(&mut sheet.mesh, &mut sheet.attributes, e, &[]).expect("can be split");
    let middle = sheet.attributes.vertices[record.vertex];
    assert_eq!(middle.position, 0.5 * (ends[0].position + ends[1].position));
    assert_eq!(middle.start, 0.5 * (ends[0].start + ends[1].start));
    assert_eq!(middle.input, None);
    assert_eq!(sheet.attributes.material_of(sheet.mesh.halfedge_from(record.vertex)), DVec2::new(0.5, 0.0));
    assert_eq!(sheet.area(), 0.5);
}

#[test]
fn flips_and_collapses_keep_one_coordinate_per_vertex() {
    let mut sheet = Sheet::square(4);
    let mut edges: Vec<_> = sheet.mesh.edge_keys().collect();
    edges.sort_unstable();
    for e in edges {
        let Sheet { mesh, attributes } = &mut sheet;
        if mesh.contains_edge(e) && !mesh.is_boundary_edge(e) {
            let length = attributes.edges[e].corners[0].distance(attributes.edges[e].corners[1]);
            if length > 0.3 {
                flip_with_transfer(mesh, attributes, e).expect("a diagonal can be flipped");
            }
        }
        sheet.check();
    }
    let Sheet { mesh, attributes } = &mut sheet;
    let mut inner: Vec<_> = mesh.vertex_keys().filter(|&v| !mesh.is_boundary_vertex(v)).collect();
    inner.sort_unstable();
    let he = mesh.halfedge_from(inner[4]);
    let removed = collapse_with_transfer(mesh, attributes, he).expect("the center can go").0.removed_vertex;
    assert!(attributes.vertices.get(removed).is_none());
    assert_eq!(attributes.vertices.len(), 24);
}
