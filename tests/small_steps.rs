//! Small steps (Macklin et al. 2019): `n` substeps of one iteration against one step of `n` iterations, at the same number
//! of sweeps. A sheet falls from the horizontal and swings about its held edge, without any damping.

use crate::common::*;
use glam::{DVec2, DVec3};
use taffeta::io::GridPattern;
use taffeta::sim::{BendingModel, SimulationSettings, SolverChoice, TimeIntegration, World};

const FRAMES: u32 = 18;

fn falling_sheet(simulation: SimulationSettings) -> World {
    let mut mesh = square(10, GridPattern::Alternating);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x, 0.0, -x.y));
    let mut cloth = pinned(mesh, stiff(), [[DVec2::new(0.0, 1.0), DVec2::ONE]]);
    cloth.material.stretch = [200.0; 2];
    cloth.bending = BendingModel::Hinge;
    world(cloth, simulation)
}

/// Kinetic, elastic and potential energy \[J\].
fn energy(world: &World) -> f64 {
    let metrics = world.measure();
    metrics.kinetic_energy + metrics.stretch_energy + metrics.bend_energy + metrics.gravity_energy
}

/// Positions of the sheet at the end, and the change of its energy on the way, though nothing does work \[J\].
fn swing_of(simulation: SimulationSettings) -> (Vec<DVec3>, f64) {
    let mut world = falling_sheet(simulation);
    let before = energy(&world);
    run(&mut world, FRAMES);
    (world.mesh(0).positions, (before - energy(&world)).abs())
}

fn converged() -> Vec<DVec3> {
    let simulation = SimulationSettings {
        time: TimeIntegration::TrBdf2,
        iterations: Some(20),
        ..settings(SolverChoice::Direct, Some(32))
    };
    swing_of(simulation).0
}

fn distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    let squares: f64 = a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum();
    (squares / a.len() as f64).sqrt()
}

/// Distance to the converged motion \[m\] and drift of the energy \[J\] for substeps and iterations.
fn outcome(solver: SolverChoice, (substeps, iterations): (u32, u32), exact: &[DVec3]) -> [f64; 2] {
    let simulation = SimulationSettings { iterations: Some(iterations), ..settings(solver, Some(substeps)) };
    let (positions, drift) = swing_of(simulation);
    [distance(&positions, exact), drift]
}

#[test]
fn substeps_are_a_better_use_of_sweeps_than_iterations() {
    let exact = converged();
    for solver in [SolverChoice::Xpbd, SolverChoice::Block] {
        for sweeps in [16, 64] {
            let [many_iterations, balanced, small_steps] =
                [(1, sweeps), (sweeps / 8, 8), (sweeps, 1)].map(|plan| outcome(solver, plan, &exact));
            println!("{solver:?} {sweeps}: {many_iterations:?} {balanced:?} {small_steps:?}");
            assert!(small_steps[0] < 0.15 * many_iterations[0], "{solver:?} {sweeps}");
            assert!(small_steps[0] < 0.4 * balanced[0], "{solver:?} {sweeps}");
            // Implicit Euler loses energy in proportion to the step.
            assert!(small_steps[1] < 0.5 * many_iterations[1], "{solver:?} {sweeps}");
        }
    }
}
