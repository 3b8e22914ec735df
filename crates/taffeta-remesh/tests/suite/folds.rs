//! Folds that stay go through every edit, and hold the mesh where they are.

use crate::common::{Sheet, cylinder, flat, grid, settings};
use glam::{DVec2, DVec3};
use std::f64::consts::TAU;
use taffeta_core::geometry::flatten_triangle;
use taffeta_core::math::Sym2;
use taffeta_mesh::HalfedgeMesh;
use taffeta_remesh::{
    BadAttributes, EditKind, RandomEdits, RemeshSettings, SheetAttributes, random_edits, validate_attributes,
};

/// Gives every face a plastic curvature, from the middle of its corners in its chart.
fn fold(sheet: &mut Sheet, curvature: impl Fn(DVec2) -> Sym2) {
    for f in sheet.mesh.face_keys() {
        let middle = sheet.attributes.face_material(&sheet.mesh, f).into_iter().sum::<DVec2>() / 3.0;
        sheet.attributes.faces[f].plastic_curvature = curvature(middle);
    }
}

/// `Σ A κ` of each panel, as uu, uv, vv [m].
fn totals(sheet: &Sheet) -> Vec<[f64; 3]> {
    let mut sums: Vec<[f64; 3]> = Vec::new();
    let mut keys: Vec<_> = sheet.mesh.face_keys().collect();
    keys.sort_unstable();
    for f in keys {
        let face = &sheet.attributes.faces[f];
        let area = sheet.attributes.material_area(&sheet.mesh, f);
        let Sym2 { xx, xy, yy } = face.plastic_curvature;
        sums.resize(sums.len().max(face.panel as usize + 1), [0.0; 3]);
        let sum = &mut sums[face.panel as usize];
        sum.iter_mut().zip([xx, xy, yy]).for_each(|(sum, entry)| *sum += area * entry);
    }
    sums
}

fn edits(seed: u64, kinds: &[EditKind]) -> RandomEdits {
    RandomEdits { seed, attempts: 1, outline: true, kinds: kinds.to_vec() }
}

const KINDS: [EditKind; 3] = [EditKind::Split, EditKind::Collapse, EditKind::Flip];

/// A field that is rough: it changes its sign from face to face.
fn rough(u: DVec2) -> Sym2 {
    let wave = |k: f64| (431.0 * u.x + k).sin() * (377.0 * u.y - k).cos();
    Sym2 { xx: 80.0 * wave(0.0), xy: 30.0 * wave(1.0), yy: -50.0 * wave(2.0) }
}

#[test]
fn every_edit_keeps_the_integral_of_the_plastic_curvature_and_makes_no_new_extremes() {
    let mut sheet = Sheet::new(grid([0.6, 0.4], [9, 6], 0.2), cylinder(0.2));
    fold(&mut sheet, rough);
    let before = totals(&sheet)[0];
    let mut made = [0; 3];
    for seed in 0..900 {
        let kind = KINDS[seed as usize % 3];
        let range = |sheet: &Sheet| {
            let entries = sheet.attributes.faces.values().map(|face| face.plastic_curvature.xx);
            entries.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
        };
        let bounds = range(&sheet);
        made[seed as usize % 3] +=
            random_edits(&mut sheet.mesh, &mut sheet.attributes, &[], &edits(seed, &[kind])).len();
        sheet.check();
        let now = range(&sheet);
        assert!(now[0] >= bounds[0] - 1e-9 && now[1] <= bounds[1] + 1e-9, "{kind:?} {seed}");
        for (now, before) in totals(&sheet)[0].into_iter().zip(before) {
            // Of a total variation of some 10 m.
            assert!((now - before).abs() < 1e-12, "{kind:?} {seed}: {now} from {before}");
        }
    }
    assert!(made.iter().all(|made| *made > 50), "{made:?}");
}

#[test]
fn each_panel_keeps_its_own() {
    let (coords, faces) = grid([0.6, 0.2], [6, 2], 0.0);
    let built = HalfedgeMesh::from_triangles(coords.len(), &faces).expect("a good mesh");
    let charts = [(0.0, DVec2::ZERO), (1.0, DVec2::new(0.1, -0.3))];
    let corners: Vec<[DVec2; 3]> = faces
        .iter()
        .map(|f| {
            let middle = f.iter().map(|&v| coords[v as usize].x).sum::<f64>() / 3.0;
            let (angle, shift) = charts[usize::from(middle > 0.3)];
            f.map(|v| DVec2::from_angle(angle).rotate(coords[v as usize]) + shift)
        })
        .collect();
    let positions: Vec<DVec3> = coords.iter().map(|&u| flat(u)).collect();
    let attributes = SheetAttributes::from_built(&built, &positions, &corners, &vec![0; faces.len()]);
    let mut sheet = Sheet { mesh: built.mesh, attributes };
    fold(&mut sheet, rough);
    let before = totals(&sheet);
    assert_eq!(before.len(), 2);
    let mut made = 0;
    for seed in 0..1200 {
        let log = random_edits(&mut sheet.mesh, &mut sheet.attributes, &[], &edits(seed, &KINDS));
        made += log.len();
        sheet.mesh.validate().expect("the mesh is valid");
        validate_attributes(&sheet.mesh, &sheet.attributes).expect("the attributes fit");
        for (now, before) in totals(&sheet).iter().flatten().zip(before.iter().flatten()) {
            assert!((now - before).abs() < 1e-12, "{seed}: {now} from {before}");
        }
    }
    assert!(made > 300, "{made} edits");
}

/// A tube at rest in space, with rings of vertices about the y axis.
fn tube(radius: f64) -> Sheet {
    let (around, rows) = (24, 8);
    let mut positions = Vec::new();
    for j in 0..=rows {
        for i in 0..around {
            let angle = TAU * f64::from(i) / f64::from(around);
            positions.push(DVec3::new(radius * angle.sin(), 0.04 * f64::from(j), radius * angle.cos()));
        }
    }
    let at = |i: u32, j: u32| j * around + i % around;
    let cells = (0..rows).flat_map(|j| (0..around).map(move |i| (i, j)));
    let faces: Vec<[u32; 3]> = cells
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            [[a, b, c], [a, c, d]]
        })
        .collect();
    let built = HalfedgeMesh::from_triangles(positions.len(), &faces).expect("a good mesh");
    let corners: Vec<[DVec2; 3]> =
        faces.iter().map(|f| flatten_triangle(f.map(|v| positions[v as usize]))).collect();
    let mut attributes = SheetAttributes::from_built(&built, &positions, &corners, &vec![0; faces.len()]);
    attributes.rest_in_space(&built.mesh, 0);
    Sheet { mesh: built.mesh, attributes }
}

#[test]
fn a_rest_shape_in_space_carries_directions_from_face_to_face() {
    let mut sheet = tube(0.2);
    // About the axis of the tube, whatever the charts of the faces.
    let about_axis = |sheet: &Sheet, f| {
        let u = sheet.attributes.face_material(&sheet.mesh, f);
        let x = sheet.mesh.face_vertices(f).map(|v| sheet.attributes.vertices[v].start.y);
        // The gradient of y in the chart is the direction of the axis there.
        let (e1, e2) = (u[1] - u[0], u[2] - u[0]);
        let doubled = e1.perp_dot(e2);
        let axis = DVec2::new(
            (x[1] - x[0]) * e2.y - (x[2] - x[0]) * e1.y,
            (x[2] - x[0]) * e1.x - (x[1] - x[0]) * e2.x,
        ) / doubled;
        let n = axis.perp();
        Sym2 { xx: 40.0 * n.x * n.x, xy: 40.0 * n.x * n.y, yy: 40.0 * n.y * n.y }
    };
    let keys: Vec<_> = sheet.mesh.face_keys().collect();
    for f in keys {
        sheet.attributes.faces[f].plastic_curvature = about_axis(&sheet, f);
    }
    let mut made = 0;
    for seed in 0..600 {
        made += random_edits(&mut sheet.mesh, &mut sheet.attributes, &[], &edits(seed, &KINDS)).len();
        sheet.mesh.validate().expect("the mesh is valid");
        validate_attributes(&sheet.mesh, &sheet.attributes).expect("the attributes fit");
    }
    assert!(made > 100, "{made} edits");
    for f in sheet.mesh.face_keys() {
        let (found, expected) = (sheet.attributes.faces[f].plastic_curvature, about_axis(&sheet, f));
        let error = found.plus(-1.0, &expected);
        // Edits stay on the flat parts of the tube, so that what is turned is turned exactly.
        assert!(error.xx.abs() + error.xy.abs() + error.yy.abs() < 1e-6, "{found:?} {expected:?}");
    }
}

#[test]
fn a_fold_that_is_pulled_flat_keeps_its_mesh() {
    let limits = RemeshSettings { refine_angle: 0.2, ..settings(0.005, 0.2) };
    let after = |kappa: f64| {
        let mut sheet = Sheet::new(grid([0.4, 0.2], [32, 16], 0.0), flat);
        fold(&mut sheet, |u| match (u.x - 0.2).abs() < 0.03 {
            true => Sym2 { xx: kappa, xy: 0.0, yy: 0.0 },
            false => Sym2::default(),
        });
        for _ in 0..8 {
            sheet.pass(&limits);
        }
        sheet
    };
    assert!(after(0.0).mesh.face_count() < 60, "a flat sheet gets coarse");
    let folded = after(8.0);
    // 0.2 rad of 8/m: edges of 2.5 cm in the fold.
    let mut total = 0.0;
    for f in folded.mesh.face_keys() {
        let [a, b, c] = folded.attributes.face_material(&folded.mesh, f);
        let area = folded.attributes.material_area(&folded.mesh, f);
        let kappa = folded.attributes.faces[f].plastic_curvature.xx;
        total += area * kappa;
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        assert!(kappa < 7.0 || longest < 0.027, "{longest} m where it is {kappa} 1/m");
    }
    // The columns of 12.5 mm whose middles are within 3 cm: 4 whole ones and halves of two cells beside them.
    assert!(total > 8.0 * 0.2 * 0.05, "{total}");
    // With one error, too: a height of 2 h²/9 κ.
    let by_error = RemeshSettings { refine_error: Some(1e-3), ..settings(0.005, 0.2) };
    let mut sheet = Sheet::square(4);
    fold(&mut sheet, |_| Sym2 { xx: 8.0, xy: 0.0, yy: 0.0 });
    for _ in 0..8 {
        sheet.pass(&by_error);
    }
    let longest = sheet.lengths().into_iter().fold(0.0, f64::max);
    assert!(longest < 0.025, "{longest}");
}

#[test]
fn a_plastic_curvature_that_is_no_number_is_found() {
    let mut sheet = Sheet::square(2);
    let f = sheet.mesh.face_keys().min().expect("a face");
    sheet.attributes.faces[f].plastic_curvature.xy = f64::NAN;
    let error = validate_attributes(&sheet.mesh, &sheet.attributes).expect_err("damaged");
    assert_eq!(error, BadAttributes::Fold(f));
}
