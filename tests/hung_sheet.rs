//! The sheet of the resolution study: its settled drop is 0.48 mm at every resolution.

use crate::common::*;
use glam::DVec3;
use taffeta::io::GridPattern;
use taffeta::sim::queries;
use taffeta::sim::{SimulationSettings, SolverChoice, TimeIntegration};

const TRUE_DROP: f64 = 0.48e-3;

/// Mean drop of the lower edge \[m\] when it has settled. The direct solver's implicit step of a whole frame damps the
/// sheet by itself, the short substeps of the block solver need time.
fn settled_drop(cells: u32, solver: SolverChoice, substeps: Option<u32>) -> f64 {
    let settings = SimulationSettings { velocity_damping: 20.0, ..settings(solver, substeps) };
    let mut world = world(hung_sheet(cells, GridPattern::Alternating), settings);
    run(&mut world, 36);
    -mean_lower_edge(&world)
}

#[test]
fn six_substeps_per_cell_come_within_a_tenth_of_the_truth() {
    for cells in tier(&[16][..], &[16, 32]).iter().copied() {
        let drop = settled_drop(cells, SolverChoice::Block, Some(6 * cells));
        assert!((drop / TRUE_DROP - 1.0).abs() < 0.1, "{cells} cells: {drop}");
    }
}

/// Until the sweeps nearly converge; with more substeps it falls faster.
#[test]
fn excess_falls_with_the_square_of_the_substeps() {
    let [coarse, fine] =
        [4, 8].map(|substeps| settled_drop(16, SolverChoice::Block, Some(substeps)) - 0.479e-3);
    assert!((3.3..4.8).contains(&(coarse / fine)), "{coarse} against {fine}");
}

/// The few sweeps of a substep leave elastic energy in a hung sheet, more than the fall has given. The sheet is at rest and
/// keeps it for as long as it hangs. It is an error of the solution, and falls with the substeps.
#[test]
fn energy_of_unfinished_sweeps_does_not_grow_and_falls_with_the_substeps() {
    let settings = |substeps| SimulationSettings {
        velocity_damping: 20.0,
        ..settings(SolverChoice::Block, Some(substeps))
    };
    let strained = tier(&[8, 16][..], &[8, 16, 32]).iter().map(|substeps| {
        let mut world = world(hung_sheet(tier(10, 16), GridPattern::Alternating), settings(*substeps));
        run(&mut world, 100);
        let before = world.measure();
        run(&mut world, 300);
        let after = world.measure();
        assert!(after.kinetic_energy < 1e-15, "{} J", after.kinetic_energy);
        let change = (after.stretch_energy / before.stretch_energy - 1.0).abs();
        assert!(change < 1e-4, "{substeps} substeps: by {change}");
        after.stretch_energy
    });
    let strained: Vec<_> = strained.collect();
    println!("{strained:?} J");
    // w² L³/6k across a sheet of 1 m² that is held in its width by its edge only: within a few percent.
    let exact = (0.2 * 9.81_f64).powi(2) / (6.0 * 2000.0);
    let excess: Vec<_> = strained.iter().map(|energy| energy - exact).collect();
    assert!(excess.windows(2).all(|pair| pair[1] < pair[0] / 4.0), "{excess:?} J");
}

#[test]
fn automatic_substeps_keep_the_excess_below_a_hundredth_of_the_size() {
    for (cells, pattern) in [
        (12, GridPattern::Alternating),
        (32, GridPattern::Alternating),
        (24, GridPattern::Diagonal),
        (24, GridPattern::Crossed),
        (24, GridPattern::Equilateral),
        (24, GridPattern::Delaunay),
    ]
    .into_iter()
    .step_by(tier(2, 1))
    {
        let settings = SimulationSettings { velocity_damping: 20.0, ..settings(SolverChoice::Block, None) };
        let mut world = world(hung_sheet(cells, pattern), settings);
        run(&mut world, 45);
        let excess = -mean_lower_edge(&world) - TRUE_DROP;
        assert!(excess < 0.01, "{cells} cells, {pattern:?}: {excess}");
        assert!(excess > 0.001, "{cells} cells, {pattern:?}: {excess} wastes substeps");
    }
}

#[test]
fn direct_solver_gives_the_truth_at_every_resolution() {
    for cells in tier(&[8, 16][..], &[8, 16, 32]).iter().copied() {
        let drop = settled_drop(cells, SolverChoice::Direct, Some(1));
        assert!((drop / TRUE_DROP - 1.0).abs() < 0.01, "{cells} cells: {drop}");
    }
}

/// Positions of the swing after `frames` frames.
fn swung(cells: u32, solver: SolverChoice, substeps: u32, frames: u32) -> Vec<DVec3> {
    let euler = SimulationSettings { time: TimeIntegration::Euler, ..settings(solver, Some(substeps)) };
    let mut world = world(swing(cells), euler);
    run(&mut world, frames);
    world.mesh(0).positions
}

fn rms(a: &[DVec3], b: &[DVec3]) -> f64 {
    (a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum::<f64>() / a.len() as f64).sqrt()
}

/// Both solvers take the same small steps; what differs is how exactly each is solved.
#[test]
fn block_solver_approaches_the_direct_one_on_the_swing_as_substeps_grow() {
    let distance = |substeps| {
        let [block, direct] = [SolverChoice::Block, SolverChoice::Direct]
            .map(|solver| swung(tier(8, 12), solver, substeps, tier(2, 8)));
        rms(&block, &direct)
    };
    let [coarse, middle, fine] = [8, 32, 128].map(distance);
    assert!(middle < 0.5 * coarse && fine < 0.5 * middle, "{coarse} {middle} {fine}");
    assert!(fine < 1e-3, "{fine}");
}

/// Positions of 25 material points of the swing with the direct solver.
fn sampled_swing(cells: u32) -> Vec<DVec3> {
    let euler =
        SimulationSettings { time: TimeIntegration::Euler, ..settings(SolverChoice::Direct, Some(1)) };
    let mut world = world(swing(cells), euler);
    run(&mut world, tier(4, 12));
    let at = |i: u32| glam::DVec2::new(f64::from(i % 5) / 4.0, f64::from(i / 5) / 4.0);
    (0..25).map(|i| queries::material_point(&world, 0, at(i)).expect("on the sheet").position).collect()
}

#[test]
fn direct_solver_swings_alike_at_every_resolution() {
    let [coarse, middle, fine] = [10, 20, 30].map(sampled_swing);
    let (far, near) = (rms(&coarse, &fine), rms(&middle, &fine));
    assert!(near < 0.005 && near < 0.5 * far, "{far} {near}");
}
