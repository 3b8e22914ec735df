//! Drag against finite differences, closed forms, and one linear solver against the other.

use super::super::objective::drag::Displacements;
use super::super::*;
use crate::drivers::newton::objective::elements;
use crate::testing::{Sheet, disturb, stiff};

/// Faces and a segment of five vertices.
fn drags() -> ([Drag<3>; 2], [Drag<2>; 1]) {
    let axis = DVec3::new(0.6, 0.0, -0.8);
    let face = Drag { vertices: [0, 1, 2], axis, coefficient: 7.0, target: DVec3::new(0.1, -0.4, 0.2) };
    let other = Drag { vertices: [2, 1, 3], axis: DVec3::Y, coefficient: 3.0, target: DVec3::ZERO };
    let segment = Drag { vertices: [3, 4], axis, coefficient: 5.0, target: DVec3::new(-0.3, 0.2, 0.9) };
    ([face, other], [segment])
}

#[test]
fn gradient_and_hessian_agree_with_finite_differences() {
    let (faces, segments) = drags();
    let drags = Drags { faces: &faces, segments: &segments };
    let x: Vec<f64> = (0..15).map(|i| (1.7 * f64::from(i)).sin()).collect();
    let evaluate = |x: &[f64]| {
        let (mut noted, mut gradient) = (Displacements::default(), vec![0.0; x.len()]);
        let energy = drags.evaluate(x, &mut noted, &mut gradient);
        (energy, gradient, noted)
    };
    let (_, gradient, noted) = evaluate(&x);
    let mut forces = vec![DVec3::ZERO; 5];
    let points: Vec<DVec3> = x.chunks_exact(3).map(DVec3::from_slice).collect();
    drags.add_forces(&points, &mut forces);
    for i in 0..x.len() {
        let moved = |by: f64| {
            let mut x = x.clone();
            x[i] += by;
            evaluate(&x)
        };
        let (plus, minus) = (moved(1e-6), moved(-1e-6));
        let slope = (plus.0 - minus.0) / 2e-6;
        assert!((slope - gradient[i]).abs() < 1e-8, "{i}: {slope} {}", gradient[i]);
        assert!((forces[i / 3][i % 3] + gradient[i]).abs() < 1e-12, "{i}: {forces:?}");
        let mut column = vec![0.0; x.len()];
        drags.for_each_hessian(&noted, |vertices, hessian| {
            let share = 1.0 / vertices.len() as f64;
            let count = vertices.iter().filter(|vertex| **vertex as usize == i / 3).count() as f64;
            let force = hessian.col(i % 3) * (share * share * count);
            vertices.iter().for_each(|vertex| elements::add(&mut column, *vertex, force));
        });
        for (j, entry) in column.iter().enumerate() {
            let slope = (plus.1[j] - minus.1[j]) / 2e-6;
            assert!((slope - entry).abs() < 1e-8, "{j}, {i}: {slope} {entry}");
        }
    }
}

/// A step of a sheet that comes with the velocity `v` \[m/s\] in still air: positions at its end, and where inertia alone
/// would take it.
fn step_in_air(
    sheet: &Sheet,
    v: DVec3,
    (gravity, h, drag): (DVec3, f64, f64),
    solver: LinearSolver,
) -> (Vec<DVec3>, Vec<DVec3>) {
    let start = sheet.state.positions.raw.clone();
    let faces = sheet.topology.faces.iter().map(|face| {
        let [a, b, c] = face.map(|vi| start[vi.0 as usize]);
        let doubled = (b - a).cross(c - a);
        let coefficient = 0.5 * drag * doubled.length() / (h * h);
        let (axis, target) = (doubled.normalize(), (a + b + c) / 3.0);
        Drag { vertices: face.map(|vi| vi.0), axis, coefficient, target }
    });
    let faces = faces.collect::<Vec<_>>();
    let site = Site { points: &start, charts: None, face_pressures: &[], bodies: 0 };
    let mut driver = NewtonDriver::build(&sheet.topology, &sheet.blocks(), site, solver, None);
    let mut plate = PlateState::new(&sheet.blocks().plate, Vec::new());
    driver.begin_step(&start, &plate);
    let inertia: Vec<f64> = sheet.state.masses.iter().map(|m| m / (h * h)).collect();
    let predicted: Vec<DVec3> = start.iter().map(|x| *x + v * h + gravity * (h * h)).collect();
    let problem = NewtonProblem {
        inertia: &inertia,
        predicted: &predicted,
        held: &sheet.state.held,
        damping_rate: 0.0,
        drag: Drags { faces: &faces, segments: &[] },
        contacts: Contacts::default(),
        clamps: &[],
    };
    let limits = NewtonLimits {
        iterations: 50,
        tolerance: 1e-10,
        linear_tolerance: 1e-6,
        linear_iterations: u32::MAX,
    };
    let mut x = start.clone();
    let report = driver.solve(&mut x, &mut plate, &problem, limits).expect("a solution");
    assert!(report.converged, "{report:?}");
    (x, predicted)
}

#[test]
fn terminal_velocity_does_not_depend_on_the_step() {
    let sheet = Sheet::square(4, 0.3, stiff());
    let density = sheet.state.masses.iter().sum::<f64>() / 0.09;
    let terminal = (9.81 * density / 0.6).sqrt();
    for solver in [LinearSolver::Conjugate, LinearSolver::Factorized] {
        for h in [1.0 / 24.0, 1.0 / 240.0] {
            let v = DVec3::Z * -terminal;
            let (x, _) = step_in_air(&sheet, v, (DVec3::Z * -9.81, h, 0.6), solver);
            for (x, start) in x.iter().zip(sheet.state.positions.iter()) {
                assert!((*x - *start - v * h).length() < 1e-9, "{solver:?}, {h}: {}", (*x - *start) / h);
            }
        }
    }
}

#[test]
fn both_linear_solvers_find_the_same_step_in_strong_drag() {
    let mut sheet = Sheet::square(6, 0.3, stiff()).pin(|u| u.y == 0.3);
    disturb(&mut sheet.state.positions, 0.005);
    let step = |solver| step_in_air(&sheet, DVec3::new(1.0, 0.0, -8.0), (DVec3::ZERO, 0.02, 40.0), solver).0;
    let (conjugate, factorized) = (step(LinearSolver::Conjugate), step(LinearSolver::Factorized));
    for (a, b) in conjugate.iter().zip(&factorized) {
        assert!(a.distance(*b) < 1e-6, "{a} {b}");
    }
}

/// A translation of the solution that the linear solver has left is taken out, along every axis.
#[test]
fn momentum_of_a_free_sheet_changes_by_the_impulse_of_drag() {
    let mut sheet = Sheet::square(6, 0.3, stiff());
    disturb(&mut sheet.state.positions, 0.02);
    let (h, drag) = (0.02, 3.0);
    let (x, predicted) =
        step_in_air(&sheet, DVec3::new(1.0, 2.0, -8.0), (DVec3::ZERO, h, drag), LinearSolver::Conjugate);
    let moment = |x: &[DVec3]| x.iter().zip(sheet.state.masses.iter()).map(|(x, m)| *x * *m).sum::<DVec3>();
    let mut impulse = DVec3::ZERO;
    for face in sheet.topology.faces.iter() {
        let corners = face.map(|vi| sheet.state.positions[vi]);
        let ends = face.map(|vi| x[vi.0 as usize]);
        let doubled = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let way = (ends.iter().sum::<DVec3>() - corners.iter().sum::<DVec3>()) / 3.0;
        let u = way.dot(doubled.normalize()) / h;
        impulse -= doubled.normalize() * (0.5 * drag * doubled.length() * u.abs() * u * h);
    }
    let lost = (moment(&x) - moment(&predicted)) / h;
    assert!(impulse.length() > 1e-2, "{impulse}");
    assert!((lost - impulse).length() < 1e-8 * impulse.length(), "{lost} {impulse}");
}
