//! Drag, wind and velocity damping against closed forms. A steady motion must not depend on the length of the step.

use crate::common::*;
use glam::{DVec2, DVec3};
use taffeta::core::{Region, TriangleMesh};
use taffeta::io::{GridPattern, grid};
use taffeta::remesh::RemeshSettings;
use taffeta::scene::materials;
use taffeta::sim::{
    ClothDescription, Material, PinDescription, RopeDescription, RopeMaterial, SimulationSettings,
    SolverChoice, StepInputs, World, WorldDescription, queries,
};

const SOLVERS: [SolverChoice; 6] = [
    SolverChoice::Global,
    SolverChoice::Direct,
    SolverChoice::Block,
    SolverChoice::Xpbd,
    SolverChoice::Pbd,
    SolverChoice::Projective,
];

const G: f64 = 9.81;
/// Areal density of the sheets \[kg/m²\].
const DENSITY: f64 = 0.06;
/// Half the density of the air \[kg/m³\]: pressure per square of the flow.
const HALF: f64 = 0.6;
const SIDE: f64 = 0.2;

/// A light sheet of 20 cm in the xz-plane, its normal along y.
fn sheet() -> ClothDescription {
    let mut mesh = grid(DVec2::splat(SIDE), [4, 4], GridPattern::Alternating, 1);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x, 0.0, -x.y));
    ClothDescription::new("sheet", mesh, Material::isotropic(DENSITY, 2000.0, 0.0, 5e-5))
}

/// A world of one sheet in wind \[m/s\]; none: a vacuum.
fn blown(cloth: ClothDescription, simulation: SimulationSettings, wind: Option<DVec3>) -> World {
    let cloths = vec![cloth.under(simulation.solver)];
    build(&WorldDescription { cloths, simulation, air: wind.map(air), ..WorldDescription::bare() })
}

/// Makes steps at a number of frames per second until a time \[s\].
fn run_at(world: &mut World, rate: u32, end: f64) {
    for _ in 0..(end * f64::from(rate)).round() as u32 {
        world.step(&StepInputs::default(), 1.0 / f64::from(rate)).expect("the step is finite");
    }
}

/// The velocity of the center of mass \[m/s\].
fn velocity(world: &World) -> DVec3 {
    world.measure().momentum / world.motion().masses.iter().sum::<f64>()
}

#[test]
fn a_falling_sheet_reaches_the_velocity_at_which_drag_bears_it() {
    let expected = (DENSITY * G / HALF).sqrt();
    for solver in SOLVERS {
        for rate in [24, 60, 240] {
            let mut world = blown(sheet(), settings(solver, None), Some(DVec3::ZERO));
            run_at(&mut world, rate, 1.5);
            let speed = -velocity(&world).y;
            assert!((speed / expected - 1.0).abs() < 2e-3, "{solver:?}, {rate}: {speed} for {expected}");
        }
    }
}

#[test]
fn a_falling_sheet_reaches_the_velocity_at_which_damping_bears_it() {
    for solver in SOLVERS {
        for substeps in [None, Some(1)] {
            let damped = SimulationSettings { velocity_damping: 10.0, ..settings(solver, substeps) };
            let mut world = blown(sheet(), damped, None);
            run_at(&mut world, 60, 1.5);
            let speed = -velocity(&world).y;
            assert!((speed / (G / 10.0) - 1.0).abs() < 1e-4, "{solver:?}, {substeps:?}: {speed}");
        }
    }
}

/// `u̇ = −k u²` with `u = w − v`: the sheet has come by `w t − ln(1 + k w t)/k`.
#[test]
fn wind_carries_a_free_sheet_along() {
    let (wind, time, k) = (3.0, 0.5, HALF / DENSITY);
    let expected = wind * time - (1.0 + k * wind * time).ln() / k;
    for solver in SOLVERS {
        let error = |rate, substeps| {
            let weightless = SimulationSettings { gravity: DVec3::ZERO, ..settings(solver, substeps) };
            let mut world = blown(sheet(), weightless, Some(DVec3::Y * wind));
            run_at(&mut world, rate, time);
            let mean = world.mesh(0).positions.iter().map(|x| x.y).sum::<f64>() / 25.0;
            (mean / expected - 1.0).abs()
        };
        if [SolverChoice::Global, SolverChoice::Direct].contains(&solver) {
            for rate in [24, 60, 240] {
                assert!(error(rate, None) < 2e-3, "{solver:?}, {rate}: {}", error(rate, None));
            }
        } else {
            // Of first order.
            let (coarse, fine) = (error(60, Some(8)), error(60, Some(32)));
            assert!(fine < 3e-3 && fine < 0.4 * coarse, "{solver:?}: {coarse}, {fine}");
        }
    }
}

/// A sheet that hangs in wind is flat: everywhere `½ ρ w² cos² θ` along its normal balances `σ g sin θ`. PBD knows no
/// forces, and projective dynamics flutters at its few iterations.
#[test]
fn a_sheet_hung_in_wind_stands_at_an_angle_that_does_not_depend_on_the_step() {
    let wind: f64 = 1.5;
    let ratio = HALF * wind * wind / (DENSITY * G);
    // `ratio cos² θ = sin θ`.
    let sine = ((1.0 + 4.0 * ratio * ratio).sqrt() - 1.0) / (2.0 * ratio);
    let upper = Region::MaterialBox([DVec2::new(0.0, SIDE), DVec2::splat(SIDE)]);
    for solver in SOLVERS.into_iter().take(4) {
        for (rate, substeps) in [(24, None), (60, None), (240, None), (60, Some(2))] {
            let mut cloth = sheet();
            cloth.mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x, -x.z, 0.0));
            cloth.pins = vec![PinDescription::new(upper.clone())];
            // One sweep in so long a substep would leave it 1 % longer, with as much more area in the wind.
            let sweeps = matches!(solver, SolverChoice::Block).then_some(30);
            let iterations = substeps.and(sweeps);
            let calm = SimulationSettings { velocity_damping: 8.0, iterations, ..settings(solver, substeps) };
            let mut world = blown(cloth, calm, Some(DVec3::Z * wind));
            run_at(&mut world, rate, 3.0);
            let lower =
                |u: f64| queries::material_point(&world, 0, DVec2::new(u, 0.0)).expect("a corner").position;
            let way = 0.5 * (lower(0.0) + lower(SIDE)) - DVec3::new(0.5 * SIDE, SIDE, 0.0);
            let found = way.z / way.length();
            assert!(
                (found / sine - 1.0).abs() < 2e-3,
                "{solver:?}, {rate}, {substeps:?}: {found} for {sine}"
            );
        }
    }
}

/// A cord in cross flow: `λ g = ρ r u²`.
#[test]
fn a_falling_rope_reaches_the_velocity_at_which_drag_bears_it() {
    let (density, radius) = (0.01, 0.01);
    let expected = (density * G / (2.0 * HALF * radius)).sqrt();
    for solver in SOLVERS.into_iter().filter(|solver| *solver != SolverChoice::Projective) {
        for rate in [24, 240] {
            let line = (0..=6).map(|i| DVec3::X * (0.1 * f64::from(i))).collect();
            let rope = RopeDescription::new("rope", line, radius, RopeMaterial::new(density, 1e4, 1e-4));
            let mut world = build(&WorldDescription {
                ropes: vec![rope],
                simulation: settings(solver, None),
                air: Some(air(DVec3::ZERO)),
                ..WorldDescription::bare()
            });
            run_at(&mut world, rate, 3.0);
            let speed = -velocity(&world).y;
            assert!((speed / expected - 1.0).abs() < 2e-3, "{solver:?}, {rate}: {speed} for {expected}");
        }
    }
}

/// The force of a wind \[m/s\] on a mesh at rest \[N\]: on a face of area vector `a`, `½ ρ |w·n| (w·n) a`.
fn drag_at_rest(mesh: &TriangleMesh, wind: DVec3) -> DVec3 {
    let corners = mesh.faces.iter().map(|face| face.map(|v| mesh.positions[v as usize]));
    let areas = corners.map(|[a, b, c]| (b - a).cross(c - a) * 0.5);
    let flow = |area: DVec3| wind.dot(area.normalize());
    areas.map(|area| area * (HALF * flow(area) * flow(area).abs())).sum()
}

/// A sheet at rest: its pins bear its weight, and what the wind presses it with. Newton's solvers hold it all around. What
/// sweeps have left of strain would count as force: there it is held everywhere.
#[test]
fn pins_bear_weight_and_drag_and_still_air_bears_nothing() {
    for solver in SOLVERS.into_iter().filter(|solver| *solver != SolverChoice::Pbd) {
        for (wind, rate) in [(0.0, 60), (0.0, 240), (4.0, 24), (4.0, 240)] {
            let mut cloth = sheet();
            let hold = |a: [f64; 2], b: [f64; 2]| {
                let region = Region::MaterialBox([DVec2::from(a) * SIDE, DVec2::from(b) * SIDE]);
                PinDescription { strength: Some(1e6), ..PinDescription::new(region) }
            };
            cloth.pins = match solver {
                SolverChoice::Global | SolverChoice::Direct => vec![
                    hold([0.0, 0.0], [1.0, 0.0]),
                    hold([0.0, 1.0], [1.0, 1.0]),
                    hold([0.0, 0.0], [0.0, 1.0]),
                    hold([1.0, 0.0], [1.0, 1.0]),
                ],
                _ => vec![hold([0.0, 0.0], [1.0, 1.0])],
            };
            let calm = SimulationSettings { velocity_damping: 20.0, ..settings(solver, None) };
            let mut world = blown(cloth, calm, Some(DVec3::Y * wind));
            run_at(&mut world, rate, 2.0);
            let force: DVec3 = queries::pin_forces(&world).iter().sum();
            let expected = SIDE * SIDE * DENSITY * G - drag_at_rest(&world.mesh(0), DVec3::Y * wind).y;
            let error = (force.y / expected - 1.0).abs();
            assert!(error < 2e-3, "{solver:?}, {wind} m/s, {rate}: {force} for {expected} N");
        }
    }
}

/// Edits of a stiff cloth strain it, and its motion must not pay for that. An adaptive flag once had a tenth of the motion that it has
/// on a uniform mesh.
#[test]
fn an_adaptive_flag_moves_as_one_on_a_uniform_mesh() {
    let kinetic = |cells: [u32; 2], is_remeshed: bool| {
        let silk = materials::preset("silk").unwrap().material;
        let mesh = grid(DVec2::new(1.2, 0.8), cells, GridPattern::Alternating, 1);
        let mut flag = ClothDescription::new("flag", mesh, silk);
        let pole = [DVec2::new(-0.01, 0.0), DVec2::new(0.01, 0.8)];
        flag.pins.push(PinDescription::new(Region::MaterialBox(pole)));
        flag.remesh = is_remeshed.then(|| RemeshSettings {
            size_min: 0.015,
            size_max: 0.2,
            refine_error: Some(0.006),
            ..RemeshSettings::default()
        });
        let mut world = blown(flag, SimulationSettings::default(), Some(DVec3::new(8.0, 0.0, 1.5)));
        run(&mut world, 9);
        world.measure().kinetic_energy
    };
    let (adaptive, uniform) = (kinetic([12, 8], true), kinetic([24, 16], false));
    assert!((adaptive / uniform - 1.0).abs() < 0.2, "{adaptive} {uniform} J");
}
