//! Constraints of a triangle and their scaling: a cloth hung by its upper edge on several meshes.

use crate::common::*;
use taffeta::io::GridPattern;
use taffeta::sim::{
    BendingModel, MembraneModel, MembraneScaling, Mode, SimulationSettings, SolverChoice, World,
    WorldDescription,
};
use taffeta::study::reference::hanging_strip;

/// Stiffness \[N/m\] and density \[kg/m²\] of the cloth.
const STIFFNESS: f64 = 200.0;
const DENSITY: f64 = 0.2;
/// The area \[m²\] of a triangle of 8 × 8 cells.
const AREA_AT_8: f64 = 1.0 / 128.0;
const ELASTIC: [MembraneModel; 3] = [MembraneModel::Edges, MembraneModel::Strain, MembraneModel::Energy];

fn hung_world(
    solver: SolverChoice,
    (cells, substeps): (u32, u32),
    (membrane, scaling): (MembraneModel, MembraneScaling),
) -> World {
    let mut cloth = hung_sheet(cells, GridPattern::Alternating);
    (cloth.material.stretch, cloth.material.poisson) = ([STIFFNESS; 2], 0.0);
    (cloth.membrane, cloth.scaling, cloth.bending) = (membrane, scaling, BendingModel::None);
    let simulation = SimulationSettings {
        velocity_damping: 20.0,
        iterations: Some(1),
        ..settings(solver, Some(substeps))
    };
    world(cloth, simulation)
}

/// Drop of the lower edge after it has settled \[m\].
fn drop_of(
    solver: SolverChoice,
    resolution: (u32, u32),
    constraint: (MembraneModel, MembraneScaling),
) -> f64 {
    let mut world = hung_world(solver, resolution, constraint);
    run(&mut world, 40);
    -mean_lower_edge(&world)
}

/// The drop \[m\] of the continuum.
fn exact_drop() -> f64 {
    hanging_strip(DENSITY * 9.81 / STIFFNESS) - 1.0
}

#[test]
fn scaled_constraints_hang_alike_on_every_mesh_and_others_do_not() {
    for solver in [SolverChoice::Block, SolverChoice::Xpbd] {
        for membrane in ELASTIC {
            let drops = |scaling| [8, 16].map(|n| drop_of(solver, (n, 8 * n), (membrane, scaling)));
            let scaled = drops(MembraneScaling::ByArea);
            let unscaled = drops(MembraneScaling::Fixed(AREA_AT_8));
            println!("{solver:?} {membrane:?}: {scaled:?} {unscaled:?} of {}", exact_drop());
            // The edges have the elasticity of small strains: 1 % of stretch makes 1 % of difference.
            assert!((scaled[0] / exact_drop() - 1.0).abs() < 0.03, "{membrane:?} {scaled:?}");
            assert!((scaled[1] / scaled[0] - 1.0).abs() < 0.02, "{membrane:?} {scaled:?}");
            assert!((unscaled[0] / scaled[0] - 1.0).abs() < 1e-9, "{membrane:?} {unscaled:?}");
            // Four times the triangles, four times the stiffness.
            assert!((unscaled[0] / unscaled[1] / 4.0 - 1.0).abs() < 0.05, "{membrane:?} {unscaled:?}");
        }
    }
}

/// The drop \[m\] of a strip with the published energy: `½ (k E²)²` per area, so that what hangs below a point, `ρ g s`,
/// stretches it by the `l` with `2 k² E³ l = ρ g s`, `E = ½(l² − 1)`.
fn exact_published_drop() -> f64 {
    let slices = 2000;
    let stretch = |s: f64| {
        let load = DENSITY * 9.81 * s;
        let (mut low, mut high) = (1.0, 2.0);
        for _ in 0..60 {
            let l: f64 = 0.5 * (low + high);
            let strain = 0.5 * (l * l - 1.0);
            let force = 2.0 * STIFFNESS * STIFFNESS * strain.powi(3) * l;
            if force < load { low = l } else { high = l }
        }
        low - 1.0
    };
    (0..slices).map(|i| stretch((f64::from(i) + 0.5) / f64::from(slices))).sum::<f64>() / f64::from(slices)
}

#[test]
fn the_published_energy_hangs_alike_on_every_mesh_but_not_as_the_material_does() {
    let published = (MembraneModel::EnergyPublished, MembraneScaling::ByArea);
    let drops = [8, 16].map(|n| drop_of(SolverChoice::Block, (n, 8 * n), published));
    println!("{drops:?} of {}, the material {}", exact_published_drop(), exact_drop());
    for drop in drops {
        assert!((drop / exact_published_drop() - 1.0).abs() < 0.05, "{drops:?}");
    }
    assert!(drops[0] > 2.0 * exact_drop());
}

/// The fewest substeps of a list with which the drop is within 5 % of the converged one.
fn substeps_needed(solver: SolverChoice, membrane: MembraneModel, converged: f64) -> u32 {
    let close = |substeps: &u32| {
        let drop = drop_of(solver, (16, *substeps), (membrane, MembraneScaling::ByArea));
        println!("{solver:?} {membrane:?} {substeps}: {drop}");
        (drop / converged - 1.0).abs() < 0.05
    };
    [8, 11, 16, 22, 32, 45, 64, 90, 128].into_iter().find(close).expect("the last is close")
}

/// The spread from triangle to triangle slows the sweeps down, no matter if the rows of a triangle are solved together.
#[test]
fn blocks_and_rows_need_about_the_same_sweeps() {
    for membrane in ELASTIC {
        let converged = drop_of(SolverChoice::Block, (16, 400), (membrane, MembraneScaling::ByArea));
        let [block, rows] = [SolverChoice::Block, SolverChoice::Xpbd]
            .map(|solver| substeps_needed(solver, membrane, converged));
        println!("{membrane:?}: {block} against {rows} substeps");
        let ratio = f64::from(rows) / f64::from(block);
        assert!((0.7..1.45).contains(&ratio), "{membrane:?}: {block} against {rows}");
    }
}

#[test]
fn other_solvers_refuse_the_energy_and_constraints_without_scaling() {
    let refusal = |solver, (membrane, scaling)| {
        let mut cloth = hung_sheet(2, GridPattern::Alternating);
        (cloth.membrane, cloth.scaling, cloth.bending) = (membrane, scaling, BendingModel::Hinge);
        let simulation = SimulationSettings { mode: Mode::Dynamic, ..settings(solver, None) };
        let description = WorldDescription { cloths: vec![cloth], simulation, ..WorldDescription::bare() };
        World::build(&description).err().map(|error| error.to_string())
    };
    let by_area = MembraneScaling::ByArea;
    for solver in [SolverChoice::Auto, SolverChoice::Global, SolverChoice::Direct, SolverChoice::Pbd] {
        for membrane in [MembraneModel::Energy, MembraneModel::EnergyPublished] {
            let reason = refusal(solver, (membrane, by_area)).expect("refused");
            assert!(reason.contains(solver.name()) && reason.contains("energy"), "{reason}");
        }
        let reason = refusal(solver, (MembraneModel::Strain, MembraneScaling::Fixed(1.0))).expect("refused");
        assert!(reason.contains(solver.name()) && reason.contains("`scaling` is false"), "{reason}");
    }
    for solver in [SolverChoice::Block, SolverChoice::Xpbd] {
        assert_eq!(refusal(solver, (MembraneModel::EnergyPublished, MembraneScaling::Fixed(1.0))), None);
        for area in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let reason = refusal(solver, (MembraneModel::Strain, MembraneScaling::Fixed(area)));
            assert!(reason.is_some_and(|reason| reason.contains("must be positive")), "{area}");
        }
    }
}
