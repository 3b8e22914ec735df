use super::*;
use crate::block::{Block, Hinge};
use crate::model::{BendingModel, ClothModel};
use crate::plate::Supports;
use crate::testing::{Sheet, disturb, stiff};
use glam::DVec3;

fn bent(bending: BendingModel) -> ClothModel {
    ClothModel { bending, ..stiff() }
}

fn plate_of(sheet: &Sheet) -> Plate {
    let supports = Supports::new(&sheet.state.inverse_masses);
    Plate::build(&sheet.topology, &sheet.rest, &sheet.cloths, &supports)
}

/// A sheet rolled onto a cylinder of curvature `kappa` about an axis in its plane.
fn roll(sheet: &mut Sheet, kappa: f64, axis: f64) {
    let (s, c) = axis.sin_cos();
    for (x, u) in sheet.state.positions.iter_mut().zip(&sheet.material_coords) {
        let (along, across) = (u.x * c + u.y * s, -u.x * s + u.y * c);
        let (sin, cos) = (kappa * across).sin_cos();
        let (y, z) = (sin / kappa, (1.0 - cos) / kappa);
        *x = DVec3::new(along * c - y * s, along * s + y * c, z);
    }
}

#[test]
fn a_cylinder_has_the_energy_of_a_plate_in_every_direction() {
    let mut sheet = Sheet::square(24, 1.0, bent(BendingModel::Curvature));
    let plate = plate_of(&sheet);
    let (kappa, stiffness) = (0.8, 5e-5);
    for k in 0..5 {
        roll(&mut sheet, kappa, 0.4 * f64::from(k));
        let angles = plate.angles(&sheet.state.positions, &[]);
        let mut scalars = vec![0.0; plate.edges.len()];
        plate.minimize_scalars(&angles, &mut scalars);
        // Free edges relax the curvature across them, in a margin of about one cell.
        let ratio = plate.energy(&angles, &scalars) / (0.5 * stiffness * kappa * kappa);
        assert!((0.9..1.005).contains(&ratio), "axis {k}: {ratio}");
    }
}

#[test]
fn a_bowl_has_positive_angles_and_the_rest_curvature_takes_its_energy() {
    let mut model = bent(BendingModel::Curvature);
    model.rest_curvature = [0.5, 0.0, 0.0];
    let mut sheet = Sheet::square(12, 1.0, model);
    let plate = plate_of(&sheet);
    for (x, u) in sheet.state.positions.iter_mut().zip(&sheet.material_coords) {
        x.z = 0.25 * u.x * u.x;
    }
    let angles = plate.angles(&sheet.state.positions, &[]);
    assert!(angles.iter().all(|angle| *angle > -1e-12));
    let mut scalars = vec![0.0; plate.edges.len()];
    plate.minimize_scalars(&angles, &mut scalars);
    let flat = plate.energy(&vec![0.0; angles.len()], &vec![0.0; angles.len()]);
    assert!(plate.energy(&angles, &scalars) < 0.02 * flat);
}

#[test]
fn gradient_agrees_with_finite_differences() {
    for bending in [BendingModel::Curvature, BendingModel::Averaged, BendingModel::Hinge] {
        let mut sheet = Sheet::square(3, 0.3, bent(bending));
        disturb(&mut sheet.state.positions, 0.02);
        let plate = plate_of(&sheet);
        let x = sheet.state.positions.raw.clone();
        let scalar = |e: usize| if plate.edges[e].has_scalar { 0.1 * (e as f64).sin() } else { 0.0 };
        let scalars: Vec<f64> = (0..plate.edges.len()).map(scalar).collect();
        let mut gradient = vec![DVec3::ZERO; x.len()];
        let state = PlateState { scalars: scalars.clone(), clamps: Vec::new() };
        plate.add_gradient(&x, &state, &mut gradient);
        let scale = gradient.iter().map(|g| g.length()).fold(0.0, f64::max);
        let energy = |x: &[DVec3]| plate.energy(&plate.angles(x, &[]), &scalars);
        for i in 0..x.len() {
            for axis in 0..3 {
                let shifted = |d: f64| {
                    let mut y = x.clone();
                    y[i][axis] += d;
                    energy(&y)
                };
                let difference = (shifted(1e-7) - shifted(-1e-7)) / 2e-7;
                assert!((difference - gradient[i][axis]).abs() < 2e-6 * scale);
            }
        }
        let (_, by_scalar) = plate.moments(&plate.angles(&x, &[]), &scalars);
        for e in 0..scalars.len() {
            let shifted = |d: f64| {
                let mut y = scalars.clone();
                y[e] += d;
                plate.energy(&plate.angles(&x, &[]), &y)
            };
            let difference = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
            assert!((difference - by_scalar[e]).abs() < 1e-9);
        }
    }
}

#[test]
fn hinges_as_a_plate_have_the_energy_of_hinges() {
    let mut sheet = Sheet::square(5, 0.5, bent(BendingModel::Hinge));
    disturb(&mut sheet.state.positions, 0.02);
    let plate = plate_of(&sheet);
    let x = &sheet.state.positions;
    let angles = plate.angles(x, &[]);
    let energy = plate.energy(&angles, &vec![0.0; angles.len()]);
    let expected: f64 =
        sheet.blocks().hinges.iter().map(|b| b.energy(&crate::block::gather(b.vertices, x))).sum();
    assert!((energy / expected - 1.0).abs() < 1e-12);
    for (edge, angle) in plate.edges.iter().zip(&angles) {
        assert!((Hinge::wrapped_angle(&crate::block::gather(edge.vertices, x)) - angle).abs() < 1e-12);
    }
}

#[test]
fn the_scalars_are_a_minimum() {
    let mut sheet = Sheet::square(8, 0.5, bent(BendingModel::Curvature)).pin(|u| u.y >= 0.4);
    disturb(&mut sheet.state.positions, 0.01);
    let plate = plate_of(&sheet);
    let angles = plate.angles(&sheet.state.positions, &[]);
    let mut scalars = vec![0.0; plate.edges.len()];
    plate.minimize_scalars(&angles, &mut scalars);
    let (by_angle, by_scalar) = plate.moments(&angles, &scalars);
    let scale = by_angle.iter().map(|m| m.abs()).fold(0.0, f64::max);
    for (edge, moment) in plate.edges.iter().zip(by_scalar) {
        assert!(!edge.has_scalar || moment.abs() < 1e-8 * scale);
    }
}

#[test]
fn scalars_of_two_sheets_know_nothing_of_each_other() {
    let least = |plate: &Plate, angles: &[f64]| {
        let mut scalars = vec![0.0; plate.edges.len()];
        plate.minimize_scalars(angles, &mut scalars);
        scalars
    };
    let [(first, of_first), (second, of_second)] = [(8, 0.01), (3, 0.2)].map(|(cells, by)| {
        let mut sheet = Sheet::square(cells, 0.5, bent(BendingModel::Curvature));
        disturb(&mut sheet.state.positions, by);
        let plate = plate_of(&sheet);
        let angles = plate.angles(&sheet.state.positions, &[]);
        (plate, angles)
    });
    let (mut both, count) = (first.clone(), first.edges.len() as u32);
    both.edges.extend(second.edges.iter().cloned());
    both.faces.extend(second.faces.iter().map(|face| {
        let edges = face.edges.map(|edge| edge.map(|edge| edge + count));
        PlateFace { edges, ..face.clone() }
    }));
    let together = least(&both, &[of_first.clone(), of_second.clone()].concat());
    assert_eq!(together, [least(&first, &of_first), least(&second, &of_second)].concat());
}

#[test]
fn rigid_motions_are_the_only_states_without_energy() {
    let mut sheet = Sheet::square(4, 0.4, bent(BendingModel::Curvature));
    let plate = plate_of(&sheet);
    let rotation = taffeta_core::motion::rotation_xyz(DVec3::new(30.0, -50.0, 70.0));
    sheet.state.positions.iter_mut().for_each(|x| *x = rotation * *x + DVec3::ONE);
    let angles = plate.angles(&sheet.state.positions, &[]);
    assert!(plate.energy(&angles, &vec![0.0; angles.len()]) < 1e-30);
    // A scalar alone, without any angle, costs energy.
    let mut scalars = vec![0.0; angles.len()];
    scalars[angles.len() / 2] = 0.1;
    assert!(plate.energy(&angles, &scalars) > 1e-8);
}

/// The hinges of the block drivers and those of the plate rest at the same curvature.
#[test]
fn hinges_have_the_rest_curvature_of_the_plate() {
    let model = ClothModel { rest_curvature: [1.5, -0.4, 0.3], ..bent(BendingModel::Hinge) };
    let mut sheet = Sheet::square(4, 0.3, model);
    disturb(&mut sheet.state.positions, 0.02);
    let plate = plate_of(&sheet);
    let blocks = sheet.blocks();
    assert!(blocks.hinges.iter().any(|hinge| hinge.rest_angle.abs() > 0.01));
    let mut of_plate = vec![DVec3::ZERO; sheet.state.positions.len()];
    let state = PlateState { scalars: vec![0.0; plate.edges.len()], clamps: Vec::new() };
    plate.add_gradient(&sheet.state.positions.raw, &state, &mut of_plate);
    let mut of_hinges = vec![DVec3::ZERO; of_plate.len()];
    for hinge in &blocks.hinges {
        let x = crate::block::gather(hinge.vertices(), &sheet.state.positions);
        let stress = (hinge.stiffness() * hinge.constraint(&x)).x;
        for (vi, gradient) in hinge.vertices().into_iter().zip(hinge.jacobian(&x)[0]) {
            of_hinges[vi.0 as usize] += gradient * stress;
        }
    }
    let scale = of_plate.iter().map(|g| g.length()).fold(0.0, f64::max);
    for (a, b) in of_plate.iter().zip(&of_hinges) {
        assert!((*a - *b).length() < 1e-12 * scale, "{a} against {b}");
    }
}
