use super::*;
use crate::drivers::block::{BlockDriver, Substep};
use crate::model::{ClothModel, MembraneModel};
use crate::testing::{Sheet, disturb, stiff};
use taffeta_core::lanes::fill_rows;

fn problem<'a>(sheet: &'a Sheet, predicted: &'a [DVec3], h: f64) -> NewtonProblem<'a> {
    NewtonProblem {
        h,
        predicted,
        masses: &sheet.state.masses,
        inverse_masses: &sheet.state.inverse_masses,
        contacts: &[],
        contact_stiffness: 0.0,
    }
}

#[test]
fn gradient_agrees_with_finite_differences_of_the_objective() {
    for membrane in [MembraneModel::Strain, MembraneModel::Edges] {
        let mut model = ClothModel { membrane, ..stiff() };
        (model.material.stretch_damping, model.material.bend_damping) = (0.01, 0.02);
        let mut sheet = Sheet::square(3, 0.3, model).pin(|u| u.y == 0.3);
        let start = sheet.state.positions.raw.clone();
        disturb(&mut sheet.state.positions, 0.01);
        let mut driver = DirectDriver::build(&sheet.topology, &sheet.blocks());
        driver.begin_step(&start);
        let normal = DVec3::new(0.0, 0.6, 0.8);
        let contacts = [ContactRow {
            vertices: sheet.topology.faces.raw[0],
            weights: [0.5, 0.3, 0.2],
            normal,
            offset: 0.2,
            body_displacement: DVec3::ZERO,
            static_friction: 0.0,
            kinetic_friction: 0.0,
        }];
        let problem =
            NewtonProblem { contacts: &contacts, contact_stiffness: 30.0, ..problem(&sheet, &start, 0.01) };
        let x = &sheet.state.positions.raw;
        let gradient = driver.gradient(x, &problem);
        let scale = gradient.iter().map(|g| g.length()).fold(0.0, f64::max);
        for i in 0..x.len() {
            for axis in 0..3 {
                let shifted = |d: f64| {
                    let mut y = x.clone();
                    y[i][axis] += d;
                    driver.objective(&y, &problem)
                };
                let held = sheet.state.inverse_masses.raw[i] == 0.0;
                let difference = if held { 0.0 } else { (shifted(1e-7) - shifted(-1e-7)) / 2e-7 };
                assert!((difference - gradient[i][axis]).abs() < 1e-6 * scale);
            }
        }
    }
}

/// The equilibrium by a few long steps: with h = 1 s inertia is negligible.
fn settled_drop(n: u32) -> f64 {
    let mut sheet = Sheet::square(n, 1.0, stiff()).pin(|u| u.y == 1.0);
    let driver = DirectDriver::build(&sheet.topology, &sheet.blocks());
    let h = 1.0;
    for _ in 0..3 {
        let mut x = sheet.state.positions.raw.clone();
        let predicted: Vec<_> = x.iter().map(|x| *x + DVec3::new(0.0, -9.81 * h * h, 0.0)).collect();
        let report = driver.solve(&mut x, &problem(&sheet, &predicted, h)).unwrap();
        assert!(report.converged, "{report:?}");
        sheet.state.positions.raw = x;
    }
    -sheet.mean_bottom()
}

#[test]
fn settled_drop_is_the_same_at_every_resolution() {
    for n in [8, 16, 32] {
        let drop = settled_drop(n);
        assert!((drop / 0.48e-3 - 1.0).abs() < 0.01, "{n} cells: {drop}");
    }
}

#[test]
fn a_solve_ends_where_the_gradient_vanishes() {
    let mut sheet = Sheet::square(6, 0.4, stiff()).pin(|u| u.y == 0.4);
    let predicted = sheet.state.positions.raw.clone();
    disturb(&mut sheet.state.positions, 0.02);
    let mut driver = DirectDriver::build(&sheet.topology, &sheet.blocks());
    driver.begin_step(&predicted);
    let problem = problem(&sheet, &predicted, 0.01);
    let mut x = sheet.state.positions.raw.clone();
    let before: f64 = driver.gradient(&x, &problem).iter().map(|g| g.length_squared()).sum::<f64>().sqrt();
    let report = driver.solve(&mut x, &problem).unwrap();
    assert!(report.converged && report.residual < 1e-8 * before, "{report:?} from {before}");
}

/// The largest distance between many block sweeps and the direct solution of a step whose forces are scaled, and the
/// largest motion of the step.
fn distance_to_direct(scale: f64) -> (f64, f64) {
    let mut model = stiff();
    model.material.stretch = [40.0; 2];
    let sheet = Sheet::square(5, 0.5, model).pin(|u| u.y == 0.5);
    let start = sheet.state.positions.raw.clone();
    let h = 1.0 / 60.0;
    let free = |i: usize| f64::from(u8::from(sheet.state.inverse_masses.raw[i] > 0.0));
    let push = |(i, x): (usize, &DVec3)| *x + DVec3::new(0.0, -0.003, 0.01 * x.x) * (scale * free(i));
    let predicted: Vec<_> = start.iter().enumerate().map(push).collect();
    let mut driver = DirectDriver::build(&sheet.topology, &sheet.blocks());
    driver.begin_step(&start);
    let mut exact = start.clone();
    assert!(driver.solve(&mut exact, &problem(&sheet, &predicted, h)).unwrap().converged);
    let mut rows = Vec::new();
    fill_rows(&mut rows, &predicted, &sheet.state.inverse_masses);
    let mut block = BlockDriver::build(&sheet.topology, &sheet.blocks());
    for sweep in 0..1000 {
        block.sweep(&mut rows, Substep { h, sweep });
    }
    let largest = |a: &[DVec3]| exact.iter().zip(a).map(|(e, a)| e.distance(*a)).fold(0.0, f64::max);
    (largest(&rows.iter().map(|r| r.position()).collect::<Vec<_>>()), largest(&start))
}

/// The sweeps add up `M⁻¹ Jᵀ Δλ` with the Jacobian of each moment, so they miss the minimizer of `W` by the square of
/// the step's motion: the distance falls faster than the motion.
#[test]
fn block_sweeps_approach_the_direct_solution_as_the_step_gets_smaller() {
    let [(far, motion), (near, _)] = [1.0, 0.25].map(distance_to_direct);
    assert!(far < 0.02 * motion, "{far} of {motion}");
    assert!(near < far / 10.0, "{near} against {far}");
}
