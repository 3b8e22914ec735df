//! The one knob for how exact a step is.

use crate::common::*;
use glam::DVec3;
use taffeta::contact::{Obstacle, Shape};
use taffeta::core::Placement;
use taffeta::io::GridPattern;
use taffeta::sim::queries;
use taffeta::sim::{
    ACCURACIES, ClothDescription, SimulationSettings, SolverChoice, StepError, StepInputs, World,
    WorldDescription,
};

/// A sheet of 1 m that spins about its normal at so many rad/s, and nothing acts on it.
fn spinning(rate: f64, settings: SimulationSettings) -> World {
    let mut cloth = ClothDescription::new("sheet", square(4, GridPattern::Alternating), stiff());
    cloth.angular_velocity = DVec3::Z * rate;
    // It starts unstretched, and would swing along its radii.
    cloth.material.stretch_damping = 0.01;
    world(cloth, SimulationSettings { gravity: DVec3::ZERO, ..settings })
}

/// Turning, a point at the radius `r` has the acceleration `ω² r` and the jerk `ω³ r`. The estimate falls with the third power of the
/// step though the sheet is stiff, for the stages of TR-BDF2 are of second order. It is far below the `h² ω² r/2` of implicit Euler.
#[test]
fn the_estimate_falls_with_the_third_power_of_the_step() {
    let (rate, radius) = (4.0, (1.0_f64 / 6.0).sqrt());
    let estimate = |substeps: u32| {
        let mut world = spinning(rate, settings(SolverChoice::Direct, Some(substeps)));
        run(&mut world, 20);
        run(&mut world, 1).plan.error
    };
    let [two, four, eight] = [2, 4, 8].map(estimate);
    for (coarse, fine) in [(two, four), (four, eight)] {
        assert!(coarse / fine > 6.5, "{two}, {four}, {eight}");
    }
    let h = FRAME / 2.0;
    assert!(two < 0.1 * 0.5 * h * h * rate * rate * radius, "{two}");
}

#[test]
fn what_is_faster_takes_shorter_substeps() {
    let counts = [0.5, 16.0, 48.0].map(|rate| {
        let mut world = spinning(rate, settings(SolverChoice::Global, None));
        run(&mut world, 6);
        let plan = run(&mut world, 6).plan;
        assert!(plan.error < 1.5e-4, "at {rate} rad/s: {}", plan.error);
        plan.substeps
    });
    assert!(counts[0] == 1 && counts[1] >= 2 && counts[2] > 2 * counts[1], "{counts:?}");
}

/// The shortest substeps are integrated as all others are. They were integrated by implicit Euler, without a word.
#[test]
fn an_accuracy_out_of_reach_makes_nothing_worse() {
    let mut world =
        spinning(30.0, SimulationSettings { accuracy: 1e-7, ..settings(SolverChoice::Global, None) });
    let before = world.measure().angular_momentum.z;
    run(&mut world, 12);
    let kept = world.measure().angular_momentum.z / before;
    assert!((kept - 1.0).abs() < 3e-3, "{kept} of the spin is left");
}

/// It froze: the way was measured without gravity, and Newton's method did not converge.
#[test]
fn a_gravity_that_leads_too_far_for_contact_is_refused() {
    let gravity = DVec3::NEG_Y * 1e29;
    let simulation = SimulationSettings { gravity, ..SimulationSettings::default() };
    let cloths = vec![swing(4)];
    let mut world = build(&WorldDescription { cloths, simulation, ..WorldDescription::default() });
    let error = world.step(&StepInputs::default(), FRAME).expect_err("it leads too far");
    assert!(matches!(error, StepError::TooFar { .. }), "{error}");
}

#[test]
fn a_cloth_that_only_lies_takes_one_substep_of_one_or_two_iterations() {
    let mut mesh = square(6, GridPattern::Alternating);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x, 0.5 * stiff().thickness, -x.y));
    let plane = Shape::Plane { normal: DVec3::Y };
    let mut world = build(&WorldDescription {
        cloths: vec![ClothDescription::new("sheet", mesh, stiff())],
        obstacles: vec![Obstacle::new(plane, Placement::default())],
        // Under another the world would rest, and take none.
        simulation: settings(SolverChoice::Direct, None),
        ..WorldDescription::bare()
    });
    run(&mut world, 60);
    let plan = run(&mut world, 1).plan;
    assert_eq!(plan.substeps, 1);
    assert!(plan.iterations <= 2, "{plan:?}");
}

#[test]
fn a_smaller_error_is_nearer_to_the_converged_motion_and_takes_more_substeps() {
    let frames = 12;
    let place = |world: &World| world.mesh(0).positions;
    let mut exact = world(swing(12), settings(SolverChoice::Direct, Some(tier(24, 64))));
    run(&mut exact, frames);
    let exact = place(&exact);
    let found = ACCURACIES.map(|(name, accuracy)| {
        let mut world = world(swing(12), SimulationSettings { accuracy, ..SimulationSettings::default() });
        let step = |_| world.step(&StepInputs::default(), FRAME).expect("the step is finite").plan.substeps;
        let substeps: u32 = (0..frames).map(step).sum();
        let squares = place(&world).iter().zip(&exact).map(|(x, y)| x.distance_squared(*y)).sum::<f64>();
        (name, (squares / exact.len() as f64).sqrt(), substeps)
    });
    for pair in found.windows(2) {
        assert!(pair[1].1 < 0.7 * pair[0].1 && pair[1].2 > pair[0].2, "{found:?}");
    }
    assert!(found[1].1 < 0.005, "{found:?}");
}

#[test]
fn an_accuracy_that_is_changed_counts_from_the_next_step_on() {
    let mut world = spinning(8.0, settings(SolverChoice::Global, None));
    run(&mut world, 6);
    let before = run(&mut world, 4).plan;
    assert!(world.set_accuracy(0.0).is_err() && world.set_accuracy(f64::NAN).is_err());
    assert_eq!(queries::accuracy(&world), 1e-4, "what is refused changes nothing");
    world.set_accuracy(1e-6).expect("it is in the range");
    let after = run(&mut world, 4).plan;
    assert!(after.substeps > before.substeps && after.error < before.error, "{before:?}, {after:?}");
}
