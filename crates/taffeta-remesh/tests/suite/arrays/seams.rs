//! Panels that are sewn together: kept on both sides, placed on the seams of the input, mapped in every chart.

use super::sheets::{Sheet, area, waves};
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;
use taffeta_core::geometry::doubled_area;
use taffeta_remesh::{
    ArrayError, FieldOptions, FieldRemesher, MaterialCoords, Remeshed, SheetArrays, SizingField,
    remesh_arrays, validate_attributes,
};

/// A sheet whose faces have material points of their own.
#[derive(Clone, Debug)]
struct Sewn {
    sheet: Sheet,
    coords: Vec<[f64; 2]>,
    faces: Vec<[u32; 3]>,
}

impl Sewn {
    /// A sheet that is cut into charts: each face is in the chart that is told for its center.
    fn new(sheet: Sheet, chart_of: impl Fn(DVec2) -> usize, charts: &[fn(DVec2) -> DVec2]) -> Self {
        let mut numbers = BTreeMap::new();
        let mut coords = Vec::new();
        let faces = sheet.faces.iter().map(|face| {
            let corners = face.map(|v| DVec2::from(sheet.material[v as usize]));
            let chart = chart_of((corners[0] + corners[1] + corners[2]) / 3.0);
            face.map(|v| {
                *numbers.entry((chart, v)).or_insert_with(|| {
                    coords.push(charts[chart](sheet.material[v as usize].into()).into());
                    coords.len() as u32 - 1
                })
            })
        });
        let faces = faces.collect();
        Self { sheet, coords, faces }
    }

    fn arrays(&self) -> SheetArrays<'_> {
        let material = MaterialCoords::Indexed { coords: &self.coords, faces: &self.faces };
        SheetArrays { material, ..self.sheet.arrays() }
    }

    fn again(result: &Remeshed) -> Self {
        let arrays = &result.arrays;
        let sheet = Sheet {
            material: vec![[0.0; 2]; arrays.positions.len()],
            positions: arrays.positions.clone(),
            faces: arrays.faces.clone(),
        };
        Self { sheet, coords: arrays.material.clone(), faces: arrays.material_faces.clone() }
    }
}

/// Three panels side by side along u: as the sheet, turned, and mirrored on top of the first one.
const CHARTS: [fn(DVec2) -> DVec2; 3] = [
    |u| u,
    |u| DVec2::from_angle(1.0).rotate(u) + DVec2::new(0.1, -0.3),
    |u| DVec2::new(1.1 - u.x, u.y + 0.25),
];

fn three_panels(n: u32) -> Sewn {
    let sheet = Sheet::cells(n, |_, _| true, waves);
    Sewn::new(sheet, |u| (3.0 * u.x) as usize, &CHARTS)
}

/// Two panels that are sewn unevenly: the second has vertices elsewhere along the seam, and is longer there.
fn gathered() -> Sewn {
    let stretched: fn(DVec2) -> DVec2 = |u| DVec2::new(u.x + 2.0, u.y * (1.2 + 0.3 * u.y));
    Sewn::new(Sheet::cells(8, |_, _| true, waves), |u| usize::from(u.x > 0.5), &[|u| u, stretched])
}

/// A sheet with a cut that is sewn up: the charts of both halves differ by a turn about the end of the cut.
fn dart(n: u32) -> Sewn {
    let sheet = Sheet::cells(n, |_, _| true, waves);
    let mut sewn = Sewn::new(sheet, |u| usize::from(u.x < 0.5 && u.y > 0.5), &[|u| u, |u| u]);
    // The left half is sheared away from the cut, which ends in the middle.
    for (face, corners) in sewn.sheet.faces.iter().zip(&sewn.faces) {
        let center: DVec2 = face.iter().map(|&v| DVec2::from(sewn.sheet.material[v as usize]) / 3.0).sum();
        for (&v, &point) in face.iter().zip(corners) {
            let u = DVec2::from(sewn.sheet.material[v as usize]);
            if center.x < 0.5 && center.y > 0.5 {
                sewn.coords[point as usize] = [u.x - 0.2 * (u.y - 0.5) * (u.x * 2.0), u.y];
            }
        }
    }
    sewn
}

/// Two panels of a tube, sewn along two seams, of which each runs around in its own chart.
fn tube() -> Sewn {
    let count = 12;
    let mut sheet = Sheet::default();
    for j in 0..=6 {
        for k in 0..count {
            let (s, c) = (std::f64::consts::TAU * f64::from(k) / f64::from(count)).sin_cos();
            sheet.positions.push([c, s, f64::from(j) * 0.5]);
            sheet.material.push([f64::from(k), f64::from(j)]);
        }
    }
    let mut coords = Vec::new();
    let mut faces = Vec::new();
    for (j, k) in (0..6 * count).map(|cell| (cell / count, cell % count)) {
        let at = |j: u32, k: u32| j * count + k % count;
        sheet
            .faces
            .extend([[at(j, k), at(j, k + 1), at(j + 1, k + 1)], [at(j, k), at(j + 1, k + 1), at(j + 1, k)]]);
        // The upper half is a panel of its own, and each panel is cut open at k = 0.
        let shift = if j < 3 { 0.0 } else { 10.0 };
        let point = |j: u32, k: u32| [0.5 * f64::from(k) + shift, 0.5 * f64::from(j)];
        let start = coords.len() as u32;
        coords.extend([point(j, k), point(j, k + 1), point(j + 1, k + 1), point(j + 1, k)]);
        faces.extend([[start, start + 1, start + 2], [start, start + 2, start + 3]]);
    }
    Sewn { sheet, coords, faces }
}

/// Remeshes with checks after every pass, and checks the result against the input.
#[track_caller]
fn checked(sewn: &Sewn, field: SizingField, options: &FieldOptions) -> Remeshed {
    let sheet = sewn.arrays();
    let mut remesher = FieldRemesher::new(&sheet, field, options).expect("a good sheet");
    while !remesher.report().settled && remesher.report().passes < options.passes {
        remesher.pass(&mut |_| false);
        remesher.mesh().validate().expect("the mesh is valid");
        validate_attributes(remesher.mesh(), remesher.attributes()).expect("the attributes fit");
    }
    let result = remesher.finish();
    check_maps(sewn, &result);
    let before = area(&sewn.coords, &sewn.faces);
    let after = area(&result.arrays.material, &result.arrays.material_faces);
    // Mirrored panels count as negative, before and after.
    assert!((before - after).abs() < 1e-12 * before.abs().max(1.0), "{before} to {after}");
    result
}

/// Positions follow from the origins of vertices, coordinates from those of material points, and all points of a vertex
/// are the same place of the input surface.
#[track_caller]
fn check_maps(sewn: &Sewn, result: &Remeshed) {
    let Remeshed { arrays, origins, material_origins, .. } = result;
    let sheet = &sewn.sheet;
    let place = |face: u32, weights: [f64; 3]| -> DVec3 {
        let corners = sheet.faces[face as usize].map(|v| DVec3::from(sheet.positions[v as usize]));
        (0..3).map(|k| weights[k] * corners[k]).sum()
    };
    for (x, origin) in arrays.positions.iter().zip(origins) {
        assert!(place(origin.face, origin.weights).distance(DVec3::from(*x)) < 1e-12);
    }
    assert_eq!(
        (arrays.material.len(), arrays.faces.len()),
        (material_origins.len(), arrays.material_faces.len())
    );
    for (u, origin) in arrays.material.iter().zip(material_origins) {
        assert!((origin.weights.iter().sum::<f64>() - 1.0).abs() < 1e-14);
        let corners = sewn.faces[origin.face as usize].map(|point| DVec2::from(sewn.coords[point as usize]));
        let there: DVec2 = (0..3).map(|k| origin.weights[k] * corners[k]).sum();
        assert!(there.distance(DVec2::from(*u)) < 1e-12, "{u:?} and {there}");
    }
    let mut vertex_of_point = vec![None; arrays.material.len()];
    for (face, points) in arrays.faces.iter().zip(&arrays.material_faces) {
        for (&v, &point) in face.iter().zip(points) {
            assert_eq!(*vertex_of_point[point as usize].get_or_insert(v), v, "a point of two vertices");
            let origin = &material_origins[point as usize];
            let x = DVec3::from(arrays.positions[v as usize]);
            assert!(place(origin.face, origin.weights).distance(x) < 1e-12, "the sides of a seam differ");
        }
    }
    assert!(vertex_of_point.iter().all(Option::is_some) && vertex_of_point.is_sorted());
    for (input, output) in result.output_of_input.iter().enumerate() {
        let Some(output) = output.map(|output| output as usize) else { continue };
        assert_eq!(arrays.positions[output], sheet.positions[input]);
    }
}

/// The sides of seams with their ends in both charts.
fn seam_sides(result: &Remeshed) -> Vec<([u32; 2], [DVec2; 2])> {
    let arrays = &result.arrays;
    let mut sides = BTreeMap::new();
    for (face, points) in arrays.faces.iter().zip(&arrays.material_faces) {
        for k in 0..3 {
            let (ends, coords) = ([face[k], face[(k + 1) % 3]], [points[k], points[(k + 1) % 3]]);
            sides.insert(ends, coords.map(|point| DVec2::from(arrays.material[point as usize])));
        }
    }
    let is_seam = |(&[a, b], &[u, w]): (&[u32; 2], &[DVec2; 2])| {
        sides.get(&[b, a]).is_some_and(|&[other_w, other_u]| (u, w) != (other_u, other_w))
    };
    sides.iter().filter(|&side| is_seam(side)).map(|(ends, coords)| (*ends, *coords)).collect()
}

fn lengths(result: &Remeshed) -> f64 {
    seam_sides(result).iter().map(|(_, [u, w])| u.distance(*w)).sum()
}

/// The result of no pass that changes anything.
fn untouched(sewn: &Sewn) -> Remeshed {
    let sizes = vec![1e9; sewn.sheet.positions.len()];
    let options = FieldOptions { collapses: false, flips: false, ..FieldOptions::default() };
    remesh_arrays(&sewn.arrays(), SizingField::Sizes(&sizes), &options, &mut |_| false).expect("a good sheet")
}

#[test]
fn panels_are_refined_and_coarsened_with_their_seams() {
    for (sewn, size) in [(three_panels(6), 0.06), (gathered(), 0.06), (dart(8), 0.06), (tube(), 0.2)] {
        let before = untouched(&sewn);
        check_maps(&sewn, &before);
        assert_eq!(before.arrays.positions.len(), sewn.sheet.positions.len());
        let fine = vec![size; sewn.sheet.positions.len()];
        let result = checked(&sewn, SizingField::Sizes(&fine), &FieldOptions::default());
        assert!(result.report.settled && result.report.splits > 100);
        assert!((lengths(&result) - lengths(&before)).abs() < 1e-10, "seams are as long as they were");
        for (face, points) in result.arrays.material_faces.iter().zip(0..) {
            for k in 0..3 {
                let [u, w] = [face[k], face[(k + 1) % 3]]
                    .map(|point| DVec2::from(result.arrays.material[point as usize]));
                assert!(u.distance(w) <= size * (1.0 + 1e-8), "{} in face {points}", u.distance(w));
            }
        }
        // And back, as coarse as the corners allow; the seams lose their vertices, too.
        let fine = Sewn::again(&result);
        let coarse = vec![0.9; fine.sheet.positions.len()];
        let back = checked(
            &fine,
            SizingField::Sizes(&coarse),
            &FieldOptions { collapse_size: 1.0, ..FieldOptions::default() },
        );
        let (many, few) = (seam_sides(&result).len(), seam_sides(&back).len());
        assert!(back.report.settled && few * 3 < many && few >= 2, "{few} of {many} sides of seams");
        assert!((lengths(&back) - lengths(&before)).abs() < 1e-10);
    }
}

/// Follows fields that change at random, with checks after every pass, until so many edits were made.
fn follow_random_fields(edits: usize) {
    let mut random = taffeta_core::random::SplitMix64(4);
    for mut sewn in [three_panels(6), gathered(), dart(6), tube()] {
        let start = untouched(&sewn);
        let area_of = |result: &Remeshed| area(&result.arrays.material, &result.arrays.material_faces);
        let mut made = 0;
        while made < edits / 4 {
            let phases = [random.next_unit(), random.next_unit()].map(|phase| 6.0 * phase);
            let size =
                |x: &[f64; 3]| 0.16 + 0.1 * (4.0 * x[0] + phases[0]).sin() * (5.0 * x[1] + phases[1]).cos();
            let sizes: Vec<f64> = sewn.sheet.positions.iter().map(size).collect();
            let options = FieldOptions { passes: 4, ..FieldOptions::default() };
            let result = checked(&sewn, SizingField::Sizes(&sizes), &options);
            made += result.report.splits + result.report.collapses + result.report.flips;
            assert!((lengths(&result) - lengths(&start)).abs() < 1e-9);
            assert!((area_of(&result) - area_of(&start)).abs() < 1e-12 * (1.0 + made as f64 / 1e4));
            sewn = Sewn::again(&result);
        }
    }
}

#[test]
fn random_fields_come_and_go_on_everything() {
    follow_random_fields(20_000);
}

#[test]
#[ignore = "second tier: a million edits"]
fn a_million_edits_leave_panels_and_seams_whole() {
    follow_random_fields(1_000_000);
}

/// Mass and momentum at 1 kg/m², lumped.
fn motion(
    positions: &[[f64; 3]],
    velocities: &[[f64; 3]],
    sheet: [&[[u32; 3]]; 2],
    coords: &[[f64; 2]],
) -> (f64, DVec3) {
    let [faces, material_faces] = sheet;
    assert_eq!(positions.len(), velocities.len());
    let of_face = |(face, points): (&[u32; 3], &[u32; 3])| {
        let mass = 0.5 * doubled_area(points.map(|point| DVec2::from(coords[point as usize]))).abs();
        let mean: DVec3 = face.iter().map(|&v| DVec3::from(velocities[v as usize]) / 3.0).sum();
        (mass, mass * mean)
    };
    let add = |(m, p): (f64, DVec3), (mass, momentum): (f64, DVec3)| (m + mass, p + momentum);
    faces.iter().zip(material_faces).map(of_face).fold((0.0, DVec3::ZERO), add)
}

#[test]
fn mass_and_momentum_stay_across_seams() {
    for sewn in [three_panels(8), gathered(), tube()] {
        let positions = &sewn.sheet.positions;
        let velocities: Vec<[f64; 3]> =
            positions.iter().map(|x| [x[1] - 1.0, (7.0 * x[0]).sin(), x[0] * x[2]]).collect();
        let arrays = SheetArrays { velocities: Some(&velocities), ..sewn.arrays() };
        let sizes: Vec<f64> = positions.iter().map(|x| 0.12 + 0.08 * (5.0 * x[0]).sin()).collect();
        let options = FieldOptions::default();
        let result = remesh_arrays(&arrays, SizingField::Sizes(&sizes), &options, &mut |_| false)
            .expect("a good sheet");
        assert!(result.report.splits > 100);
        let (mass, momentum) = motion(positions, &velocities, [&sewn.sheet.faces, &sewn.faces], &sewn.coords);
        let out = &result.arrays;
        let moving = out.velocities.as_ref().expect("velocities");
        let (new_mass, new_momentum) =
            motion(&out.positions, moving, [&out.faces, &out.material_faces], &out.material);
        assert!((new_mass - mass).abs() <= 1e-12 * mass);
        assert!(new_momentum.distance(momentum) <= 1e-11 * mass, "{new_momentum} from {momentum}");
    }
}

#[test]
fn tensors_stretch_triangles_within_panels_and_turn_over_with_mirrored_ones() {
    // Long along u in each chart.
    let sewn =
        Sewn::new(Sheet::square(4), |u| usize::from(u.x > 0.5), &[|u| u, |u| DVec2::new(3.0 - u.x, u.y)]);
    let metrics = vec![[25.0, 60.0, 400.0]; sewn.sheet.positions.len()];
    let result = checked(&sewn, SizingField::Metrics(&metrics), &FieldOptions::default());
    assert!(result.report.settled);
    let tensor = |u: DVec2| 25.0 * u.x * u.x + 120.0 * u.x * u.y + 400.0 * u.y * u.y;
    let (mut long, mut count) = (0, 0);
    for points in &result.arrays.material_faces {
        for k in 0..3 {
            let [u, w] = [points[k], points[(k + 1) % 3]]
                .map(|point| DVec2::from(result.arrays.material[point as usize]));
            // At the seams the field asks for more.
            assert!(tensor(w - u) <= 1.0 + 1e-8, "{}", tensor(w - u));
            long += usize::from(u.distance(w) > 0.1);
            count += 1;
        }
    }
    assert!(15 * long > count, "{long} of {count} sides are longer than the short axis allows");
    // Mirrored faces stay mirrored.
    let signs = result.arrays.material_faces.iter().map(|points| {
        doubled_area(points.map(|point| DVec2::from(result.arrays.material[point as usize]))) < 0.0
    });
    let mirrored = signs.filter(|&mirrored| mirrored).count();
    assert!(4 * mirrored > result.arrays.faces.len(), "{mirrored} of {}", result.arrays.faces.len());
}

#[test]
fn the_ways_to_give_coordinates_agree() {
    let sewn = three_panels(6);
    let sizes = vec![0.1; sewn.sheet.positions.len()];
    let remeshed = |arrays: &SheetArrays| {
        remesh_arrays(arrays, SizingField::Sizes(&sizes), &FieldOptions::default(), &mut |_| false).unwrap()
    };
    let indexed = remeshed(&sewn.arrays());
    let corners: Vec<[[f64; 2]; 3]> =
        sewn.faces.iter().map(|points| points.map(|point| sewn.coords[point as usize])).collect();
    let by_corner = SheetArrays { material: MaterialCoords::PerCorner(&corners), ..sewn.arrays() };
    assert_eq!(remeshed(&by_corner), indexed);
    // A sheet in one chart has a point per vertex, however it is given.
    let plain = Sheet::square(5);
    let sizes = vec![0.1; plain.positions.len()];
    let field = SizingField::Sizes(&sizes);
    let result = remesh_arrays(&plain.arrays(), field, &FieldOptions::default(), &mut |_| false).unwrap();
    assert_eq!(result.arrays.material_faces, result.arrays.faces);
    assert_eq!(result.material_origins, result.origins);
    let material = MaterialCoords::Indexed { coords: &plain.material, faces: &plain.faces };
    let arrays = SheetArrays { material, ..plain.arrays() };
    assert_eq!(remesh_arrays(&arrays, field, &FieldOptions::default(), &mut |_| false).unwrap(), result);
}

#[test]
fn pinned_vertices_on_seams_and_attributes_stay() {
    let sewn = three_panels(6);
    let pinned: Vec<bool> = (0..sewn.sheet.positions.len()).map(|v| v % 5 == 0).collect();
    let attributes: Vec<f64> = sewn.sheet.positions.iter().map(|x| 3.0 * x[0] - x[1]).collect();
    let arrays =
        SheetArrays { pinned: Some(&pinned), attributes: &attributes, attribute_width: 1, ..sewn.arrays() };
    let sizes = vec![0.7; pinned.len()];
    let result =
        remesh_arrays(&arrays, SizingField::Sizes(&sizes), &FieldOptions::default(), &mut |_| false).unwrap();
    assert!(result.report.collapses > 3);
    for (input, _) in pinned.iter().enumerate().filter(|(_, pinned)| **pinned) {
        let output = result.output_of_input[input].expect("a pinned vertex stays") as usize;
        assert_eq!(result.arrays.positions[output], sewn.sheet.positions[input]);
        assert!(result.arrays.pinned[output]);
    }
    for (x, value) in result.arrays.positions.iter().zip(&result.arrays.attributes) {
        assert!((value - (3.0 * x[0] - x[1])).abs() < 1e-12);
    }
}

#[test]
fn mirrored_panels_are_given_back_as_they_came() {
    // All of it clockwise.
    let mut plain = Sheet::square(4);
    plain.material.iter_mut().for_each(|u| u[0] = 2.0 - u[0]);
    let sizes = vec![0.1; plain.positions.len()];
    let result =
        remesh_arrays(&plain.arrays(), SizingField::Sizes(&sizes), &FieldOptions::default(), &mut |_| false)
            .expect("a mirrored sheet");
    for (u, x) in result.arrays.material.iter().zip(&result.arrays.positions) {
        assert!((u[0] - (2.0 - x[0])).abs() < 1e-12 && (u[1] - x[1]).abs() < 1e-12);
    }
    assert!((area(&result.arrays.material, &result.arrays.faces) + 1.0).abs() < 1e-12);
    // A panel that is folded over is still refused, by its own count.
    let mut sewn = three_panels(6);
    let point = sewn.faces.iter().flatten().copied().max().unwrap() as usize;
    sewn.coords[point][0] += 5.0;
    let sizes = vec![0.1; sewn.sheet.positions.len()];
    let error =
        remesh_arrays(&sewn.arrays(), SizingField::Sizes(&sizes), &FieldOptions::default(), &mut |_| false)
            .unwrap_err();
    assert!(matches!(error, ArrayError::Inverted { total: 24, .. } | ArrayError::Overlap { .. }), "{error}");
}
