//! Grabs of ropes, and pins that hold them on the way.

use crate::common::*;
use glam::DVec3;
use taffeta::core::index::DenseIndex;
use taffeta::core::{Friction, Region};
use taffeta::io::GridPattern;
use taffeta::sim::queries;
use taffeta::sim::{
    ClothDescription, Grab, LooseDescription, PinDescription, RopeDescription, RopeMaterial,
    SimulationSettings, SolverChoice, StepInputs, World, WorldDescription,
};

const SOLVERS: [SolverChoice; 5] =
    [SolverChoice::Global, SolverChoice::Direct, SolverChoice::Block, SolverChoice::Xpbd, SolverChoice::Pbd];

/// Mass of a meter of rope [kg].
const DENSITY: f64 = 0.05;

/// A straight rope of 1 m along x.
fn straight(segments: u32) -> RopeDescription {
    let points = (0..=segments).map(|i| DVec3::X * (f64::from(i) / f64::from(segments))).collect();
    let mut material = RopeMaterial::new(DENSITY, 2e3, 1e-5);
    material.stretch_damping = 0.002;
    RopeDescription::new("rope", points, 0.005, material)
}

fn alone(rope: RopeDescription, simulation: SimulationSettings) -> World {
    build(&WorldDescription { ropes: vec![rope], simulation, ..WorldDescription::bare() })
}

fn pulled(body: usize, (point, radius): (DVec3, f64), (target, stiffness): (DVec3, f64)) -> StepInputs {
    StepInputs {
        grabs: vec![Grab { body, point: point.into(), radius, target, stiffness }],
        ..StepInputs::default()
    }
}

fn run_with(world: &mut World, inputs: &StepInputs, frames: u32) {
    for _ in 0..frames {
        world.step(inputs, FRAME).expect("the step is finite");
    }
}

fn place_of(world: &World, inputs: &StepInputs) -> DVec3 {
    let Grab { body, point, .. } = inputs.grabs[0];
    queries::material_point(world, body, point).expect("it has segments").position
}

#[test]
fn a_rope_that_hangs_from_a_grab_hangs_by_its_weight_under_every_solver() {
    for solver in SOLVERS {
        let settings = SimulationSettings { velocity_damping: 6.0, ..settings(solver, Some(8)) };
        let mut world = alone(straight(20), settings);
        // Somewhere within a segment.
        let point = DVec3::new(0.52, 0.0, 0.0);
        let inputs = pulled(0, (point, 0.0), (DVec3::new(0.5, 0.3, 0.1), 10.0));
        run_with(&mut world, &inputs, 240);
        let drop = inputs.grabs[0].target - place_of(&world, &inputs);
        let expected = DVec3::Y * (DENSITY * 9.81 / 10.0);
        assert!(drop.distance(expected) < 0.05 * expected.y, "{solver:?}: {drop} for {expected}");
    }
}

#[test]
fn the_force_of_a_grab_is_what_it_gives_to_the_momentum_of_a_rope_beside_a_cloth() {
    for radius in [0.0, 0.2] {
        let mut cloth = ClothDescription::new("sheet", square(4, GridPattern::Alternating), stiff());
        cloth.mesh.positions.iter_mut().for_each(|x| x.z -= 3.0);
        let still = SimulationSettings {
            gravity: DVec3::ZERO,
            time: taffeta::sim::TimeIntegration::Euler,
            ..settings(SolverChoice::Global, Some(1))
        };
        let mut world = build(&WorldDescription {
            cloths: vec![cloth],
            ropes: vec![straight(10)],
            simulation: still,
            ..WorldDescription::bare()
        });
        let inputs = pulled(1, (DVec3::X * 0.33, radius), (DVec3::new(0.3, 0.2, 0.1), 30.0));
        let h = FRAME / 8.0;
        let before = world.measure().momentum;
        world.step(&inputs, h).expect("the step is finite");
        let gained = (world.measure().momentum - before) / h;
        assert!(gained.length() > 0.1, "{gained}");
        if radius == 0.0 {
            let force = (inputs.grabs[0].target - place_of(&world, &inputs)) * 30.0;
            assert!(gained.distance(force) < 1e-6 * force.length(), "{gained} for {force}");
        }
        let sheet = world.sheet();
        let is_moved = |vi| world.motion().velocities[vi] != DVec3::ZERO;
        assert!(!sheet.topology.vertices().any(|vi| sheet.vertex_cloths[vi] == 0 && is_moved(vi)));
    }
}

#[test]
fn a_patch_of_a_coil_is_along_the_rope_and_not_across_its_turns() {
    // Three turns of 24 segments, 2 mm above each other.
    let point = |i: u32| {
        let angle = f64::from(i) * std::f64::consts::TAU / 24.0;
        DVec3::new(0.1 * angle.cos(), 0.002 * f64::from(i) / 24.0, 0.1 * angle.sin())
    };
    let rope = RopeDescription { points: (0..=72).map(point).collect(), ..straight(72) };
    let still = SimulationSettings { gravity: DVec3::ZERO, ..settings(SolverChoice::Block, Some(1)) };
    let mut world = alone(rope, still);
    let inputs = pulled(0, (point(36), 0.06), (point(36) + DVec3::Y, 1.0));
    world.step(&inputs, 1e-5).expect("the step is finite");
    let speed = |i: usize| world.loose_state(0).1[i].y;
    assert!(speed(35) > 0.0 && speed(36) > 0.0 && speed(37) > 0.0);
    for i in [12, 60] {
        assert!(speed(i).abs() < 1e-6 * speed(36), "a turn away: {} of {}", speed(i), speed(36));
    }
}

#[test]
fn a_rope_clamped_at_an_end_is_grabbed_up_to_that_end_and_not_beyond() {
    let mut rope = straight(8);
    rope.pins = vec![PinDescription { clamp: true, ..PinDescription::new(Region::Vertices(vec![0])) }];
    let mut world = alone(rope, settings(SolverChoice::Block, Some(8)));
    // Beyond the clamped end there is a vertex that nobody sees.
    let place = |x: f64| queries::material_point(&world, 0, DVec3::X * x).map(|found| found.position);
    assert_eq!((place(-0.1), place(2.0)), (Ok(DVec3::ZERO), Ok(DVec3::X)));
    let inputs = pulled(0, (DVec3::X * 2.0, 0.2), (DVec3::new(0.7, 0.6, 0.0), 200.0));
    run_with(&mut world, &inputs, 30);
    let gap = place_of(&world, &inputs).distance(inputs.grabs[0].target);
    assert!(gap < 0.12, "{gap}");
    assert_eq!(world.loose_state(0).0[0], DVec3::ZERO, "the clamped end stays");
    run(&mut world, 30);
    assert!(world.loose_state(0).0[8].y < 0.3, "it falls back");
}

#[test]
fn a_grab_of_an_end_whose_target_is_the_end_moves_nothing() {
    for solver in [SolverChoice::Global, SolverChoice::Block] {
        for (x, radius) in [(0.0, 0.0), (0.0, 0.3), (1.0, 0.3), (0.52, 0.3)] {
            let weightless = SimulationSettings { gravity: DVec3::ZERO, ..settings(solver, Some(4)) };
            let mut world = alone(straight(20), weightless);
            let end = DVec3::X * x;
            run_with(&mut world, &pulled(0, (end, radius), (end, 50.0)), 5);
            let speed = world.loose_state(0).1.iter().map(|v| v.length()).fold(0.0, f64::max);
            assert!(speed < 1e-9, "{solver:?}, {radius} m around {x}: {speed:.2e} m/s");
        }
    }
}

#[test]
fn a_point_of_a_rope_is_pinned_where_it_is_and_let_go_again() {
    for solver in [SolverChoice::Global, SolverChoice::Block] {
        let mut world = alone(straight(10), settings(solver, None));
        run(&mut world, 6);
        let (vertices, _) = queries::find_point(&world, 0, DVec3::X * 0.32).expect("segments");
        let place = world.motion().positions[vertices[0]];
        let pin = world.add_pin(&vertices[..1], &PinDescription::default()).expect("it is free");
        run(&mut world, 20);
        assert!(world.motion().positions[vertices[0]].distance(place) < 1e-12, "{solver:?}");
        assert!(world.loose_state(0).0[10].y < place.y - 0.1, "{solver:?}: the ends hang down");
        world.release_pin(pin).expect("there is one");
        run(&mut world, 10);
        assert!(world.motion().positions[vertices[0]].y < place.y - 0.01, "{solver:?}: it falls");
    }
}

#[test]
fn what_is_no_rope_and_what_is_not_there_cannot_be_grabbed() {
    let points = LooseDescription {
        name: "points".into(),
        positions: vec![DVec3::ZERO, DVec3::X],
        masses: vec![0.1; 2],
        layout: None,
        surface: taffeta::contact::ContactSurface {
            offset: 0.01,
            friction: Friction { static_: 0.5, kinetic: 0.4 },
        },
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        pins: Vec::new(),
    };
    let mut world = build(&WorldDescription {
        loose: vec![points],
        ropes: vec![straight(4)],
        simulation: settings(SolverChoice::Block, Some(2)),
        ..WorldDescription::bare()
    });
    for (body, words) in
        [(0, "body 'points' has neither faces nor segments"), (2, "there is no body 2; there are 2")]
    {
        let inputs = pulled(body, (DVec3::ZERO, 0.0), (DVec3::ONE, 1.0));
        let error = world.step(&inputs, FRAME).expect_err(words);
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(world.frame(), 0);
    }
    world.step(&pulled(1, (DVec3::ZERO, 0.0), (DVec3::ONE, 1.0)), FRAME).expect("that is the rope");
    assert_eq!(
        queries::loose_vertices(&world, 1).start,
        queries::find_point(&world, 1, DVec3::ZERO).unwrap().0[0].to_usize()
    );
}
