//! Worlds in which nothing moves any more.

use crate::common::*;
use glam::{DVec2, DVec3};
use taffeta::contact::{Obstacle, Shape};
use taffeta::core::{Keyframe, KeyframedMotion, Placement};
use taffeta::io::GridPattern;
use taffeta::remesh::RemeshSettings;
use taffeta::sim::{
    Checkpoint, ClothDescription, Grab, Material, SimulationSettings, SolverChoice, StepInputs, StepReport,
    World, WorldDescription,
};

/// When the floor begins to rise \[s\].
const RISE: f64 = 3.0;

/// A damped sheet of 1 m, one corner of which lies on a small ball, falls onto the floor from just above it. Later the floor
/// rises.
fn laid(settings: SimulationSettings) -> WorldDescription {
    let mut mesh = square(6, GridPattern::Alternating);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x, 0.021, -x.y));
    let mut material = Material::isotropic(0.2, 2000.0, 0.3, 1e-3);
    (material.stretch_damping, material.bend_damping) = (0.02, 0.1);
    let mut cloth = ClothDescription::new("sheet", mesh, material);
    let sizes = RemeshSettings { size_min: 0.1, size_max: 0.2, ..RemeshSettings::by_thresholds() };
    cloth.remesh = Some(RemeshSettings { interval: 3, ..sizes });
    let key =
        |time: f64, height: f64| Keyframe { time, translate: DVec3::Y * height, rotate_deg: DVec3::ZERO };
    let motion = KeyframedMotion::from(vec![key(0.0, 0.0), key(RISE, 0.0), key(RISE + 1.0, 0.2)]);
    let floor = Obstacle::new(Shape::Plane { normal: DVec3::Y }, Placement::default());
    let ball = Obstacle::new(Shape::Sphere { radius: 0.02 }, Placement::default());
    WorldDescription {
        cloths: vec![cloth],
        obstacles: vec![Obstacle { motion: motion.clone(), ..floor }, Obstacle { motion, ..ball }],
        simulation: settings,
        ..WorldDescription::bare()
    }
}

/// Steps until the world rests; the report of the first step in which it does.
fn settle(world: &mut World) -> StepReport {
    for _ in 0..(2.5 / FRAME) as u32 {
        let report = run(world, 1);
        if report.plan.substeps == 0 {
            return report;
        }
    }
    panic!("after {} s the world does not rest", world.time());
}

#[test]
fn what_has_settled_stays_where_it_is_until_something_acts() {
    let mut world = build(&laid(SimulationSettings::default()));
    let first = settle(&mut world);
    assert!(first.contacts > 0 && first.metrics.kinetic_energy < 1e-9, "{first:?}");
    let later = run(&mut world, 30);
    assert_eq!((later.plan.substeps, later.remesh.splits, later.contacts), (0, 0, first.contacts));
    assert_eq!((&later.state_hash, later.metrics), (&first.state_hash, first.metrics));
    assert!((later.time - first.time - 30.0 * FRAME).abs() < 1e-9);
    let asleep = world.checkpoint();
    let mut wakes = |what: &str, inputs: StepInputs, change: &dyn Fn(&mut World)| {
        world.restore(asleep.clone()).expect("it is of this world");
        change(&mut world);
        let report = world.step(&inputs, FRAME).expect("the step is finite");
        assert!(report.plan.substeps > 0, "{what}");
    };
    let grab = Grab { body: 0, point: DVec2::ZERO.into(), radius: 0.05, target: DVec3::Y, stiffness: 10.0 };
    wakes("a grab", StepInputs { grabs: vec![grab], ..StepInputs::default() }, &|_| ());
    wakes("gravity", StepInputs { gravity: Some(DVec3::X), ..StepInputs::default() }, &|_| ());
    wakes("gravity of the world", StepInputs::default(), &|w| w.set_gravity(DVec3::X).expect("it is finite"));
    wakes("a smaller error", StepInputs::default(), &|w| w.set_accuracy(1e-7).expect("it is in the range"));
    wakes("a material", StepInputs::default(), &|w| {
        w.set_material(w.cloth_ids()[0], stiff()).expect("it is possible")
    });
}

#[test]
fn an_obstacle_that_begins_to_move_is_felt() {
    let mut world = build(&laid(SimulationSettings::default()));
    settle(&mut world);
    while world.time() < RISE - 1.5 * FRAME {
        assert_eq!(run(&mut world, 1).plan.substeps, 0, "at {} s", world.time());
    }
    let height = |world: &World| world.mesh(0).positions.iter().map(|x| x.y).fold(f64::MIN, f64::max);
    let before = height(&world);
    run(&mut world, 32);
    assert!(height(&world) > before + 0.09, "the floor has risen by a tenth of a meter");
}

#[test]
fn a_run_that_is_resumed_while_the_world_rests_goes_on_with_the_same_bits() {
    let mut whole = build(&laid(SimulationSettings::default()));
    settle(&mut whole);
    let saved = whole.checkpoint().to_bytes();
    let mut resumed = build(&laid(SimulationSettings::default()));
    resumed.restore(Checkpoint::from_bytes(&saved).expect("a checkpoint")).expect("of this world");
    for _ in 0..12 {
        let (expected, found) = (run(&mut whole, 1), run(&mut resumed, 1));
        assert_eq!((found.plan, &found.state_hash), (expected.plan, &expected.state_hash));
        assert_eq!((found.metrics, found.contacts), (expected.metrics, expected.contacts));
        assert_eq!(resumed.checkpoint_hash(), whole.checkpoint_hash());
    }
}

/// At its highest point it is at rest for a moment, and balanced by nothing.
#[test]
fn a_cloth_that_turns_does_not_rest() {
    let mut cloth = ClothDescription::new("sheet", square(4, GridPattern::Alternating), stiff());
    cloth.velocity = DVec3::Y * 9.81 * 10.0 * FRAME;
    let mut world = world(cloth, SimulationSettings::default());
    for _ in 0..24 {
        assert!(run(&mut world, 1).plan.substeps > 0, "at {} s", world.time());
    }
}

#[test]
fn whoever_says_how_many_substeps_there_are_gets_them_and_the_reference_makes_them_all() {
    let still = |settings: SimulationSettings| {
        let cloth = ClothDescription::new("sheet", square(2, GridPattern::Alternating), stiff());
        let mut world = world(cloth, SimulationSettings { gravity: DVec3::ZERO, ..settings });
        run(&mut world, 4).plan.substeps
    };
    assert_eq!(still(SimulationSettings::default()), 0);
    assert_eq!(still(settings(SolverChoice::Global, Some(3))), 3);
    assert!(still(settings(SolverChoice::Direct, None)) > 0);
}
