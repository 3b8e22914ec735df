//! Velocities: what moves keeps its momentum.

use super::sheets::{Sheet, checked, waves};
use glam::{DVec2, DVec3};
use taffeta_core::geometry::doubled_area;
use taffeta_remesh::{FieldOptions, Remeshed, SheetArrays, SizingField};

/// Mass, momentum and angular momentum about the center of mass at 1 kg/m², lumped.
fn motion(
    material: &[[f64; 2]],
    positions: &[[f64; 3]],
    velocities: &[[f64; 3]],
    faces: &[[u32; 3]],
) -> [DVec3; 2] {
    let mut masses = vec![0.0; positions.len()];
    for face in faces {
        let third = doubled_area(face.map(|v| material[v as usize].into())) / 6.0;
        face.iter().for_each(|&v| masses[v as usize] += third);
    }
    let bodies = || {
        let moving = positions.iter().zip(velocities).map(|(&x, &v)| (DVec3::from(x), DVec3::from(v)));
        masses.iter().zip(moving).map(|(&mass, (x, v))| (mass, x, v))
    };
    let mass: f64 = masses.iter().sum();
    let center = bodies().map(|(m, x, _)| m * x).sum::<DVec3>() / mass;
    [bodies().map(|(m, _, v)| m * v).sum(), bodies().map(|(m, x, v)| m * (x - center).cross(v)).sum()]
}

fn motion_of(result: &Remeshed) -> [DVec3; 2] {
    let arrays = &result.arrays;
    motion(&arrays.material, &arrays.positions, arrays.velocities.as_ref().unwrap(), &arrays.faces)
}

fn remesh(sheet: &Sheet, velocities: &[[f64; 3]], pinned: Option<&[bool]>) -> Remeshed {
    let arrays = SheetArrays { velocities: Some(velocities), pinned, ..sheet.arrays() };
    let sizes = sheet.field(|u| 0.02 + 0.25 * u.distance(DVec2::new(0.2, 0.8)));
    checked(&arrays, SizingField::Sizes(&sizes), &FieldOptions::default())
}

#[test]
fn linear_and_angular_momentum_stay() {
    let sheet = Sheet::cells(20, |_, _| true, waves);
    let velocities = sheet.field(|u| [(7.0 * u.x).sin(), u.y * u.x, (5.0 * u.y).cos() - 0.3]);
    let before = motion(&sheet.material, &sheet.positions, &velocities, &sheet.faces);
    let result = remesh(&sheet, &velocities, None);
    assert!(
        result.report.splits > 50 && result.report.collapses > 100 && result.report.flips > 10,
        "{:?}",
        result.report
    );
    let after = motion_of(&result);
    for k in 0..2 {
        assert!((after[k] - before[k]).length() < 1e-12, "{k}: {} and {}", after[k], before[k]);
    }
}

#[test]
fn a_sheet_that_falls_keeps_falling_and_one_at_rest_stays_there() {
    let sheet = Sheet::cells(12, |_, _| true, waves);
    let falling = sheet.field(|_| [0.0, -3.0, 0.5]);
    let result = remesh(&sheet, &falling, None);
    for v in result.arrays.velocities.expect("given") {
        assert!((DVec3::from(v) - DVec3::new(0.0, -3.0, 0.5)).length() < 1e-9, "{v:?}");
    }
    let result = remesh(&sheet, &sheet.field(|_| [0.0; 3]), None);
    assert!(result.arrays.velocities.expect("given").iter().flatten().all(|&v| v == 0.0));
}

#[test]
fn pinned_vertices_keep_their_velocities() {
    let sheet = Sheet::cells(12, |_, _| true, waves);
    let velocities = sheet.field(|u| [u.y, -u.x, (9.0 * u.x).sin()]);
    let pinned = sheet.field(|u| u.y == 1.0);
    let result = remesh(&sheet, &velocities, Some(&pinned));
    let after = result.arrays.velocities.as_ref().expect("given");
    for (input, _) in pinned.iter().enumerate().filter(|(_, held)| **held) {
        let output = result.output_of_input[input].expect("a pinned vertex stays") as usize;
        assert_eq!(after[output], velocities[input]);
    }
}
