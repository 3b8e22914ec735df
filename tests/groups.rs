//! Groups of bodies that cannot touch each other: what happens in one changes nothing in another.

use crate::common::*;
use glam::{DVec2, DVec3};
use taffeta::contact::{Obstacle, Shape};
use taffeta::core::{Keyframe, KeyframedMotion, Placement, Region};
use taffeta::io::{GridPattern, grid};
use taffeta::remesh::RemeshSettings;
use taffeta::sim::{
    Checkpoint, ClothDescription, Material, PinDescription, SimulationSettings, SolverChoice, StepInputs,
    Tearing, World, WorldDescription,
};

/// A horizontal sheet of a size \[m\] at a place \[m\], held at one edge.
fn sheet(name: &str, (size, cells): (f64, u32), place: DVec3) -> ClothDescription {
    let mut mesh = grid(DVec2::splat(size), [cells, cells], GridPattern::Alternating, 1);
    mesh.positions.iter_mut().for_each(|x| *x = place + DVec3::new(x.x, 0.0, -x.y));
    let mut cloth = ClothDescription::new(name, mesh, stiff());
    let edge = Region::MaterialBox([DVec2::new(0.0, size), DVec2::splat(size)]);
    cloth.pins = vec![PinDescription::new(edge)];
    cloth
}

fn near() -> ClothDescription {
    sheet("sheet", (1.0, 8), DVec3::ZERO)
}

/// Positions of the others \[m\].
const FAR: DVec3 = DVec3::new(100.0, 0.0, 0.0);

/// A large cloth, and a small one that is thrown.
fn others() -> [ClothDescription; 2] {
    let mut thrown = sheet("other", (0.1, 3), FAR);
    thrown.pins.clear();
    thrown.velocity = DVec3::new(0.0, 20.0, 3.0);
    thrown.angular_velocity = DVec3::new(0.0, 5.0, 1.0);
    [sheet("other", (5.0, 8), FAR), thrown]
}

fn remeshed(mut cloth: ClothDescription) -> ClothDescription {
    let sizes = RemeshSettings { size_min: 0.05, size_max: 0.2, ..RemeshSettings::by_thresholds() };
    cloth.remesh = Some(RemeshSettings { interval: 2, ..sizes });
    cloth
}

fn world_of(cloths: Vec<ClothDescription>, simulation: SimulationSettings) -> WorldDescription {
    WorldDescription { cloths, simulation, self_contact: Some(true), ..WorldDescription::bare() }
}

/// Positions and velocities of a cloth.
fn state_of(world: &World, cloth: usize) -> (Vec<DVec3>, Vec<DVec3>) {
    (world.mesh(cloth).positions, world.velocities(cloth))
}

/// Steps a cloth alone and with another one, which is listed after or before it; positions \[m\] and velocities must be the same
/// but for a round-off.
fn assert_alone(
    (cloth, other): (&ClothDescription, &ClothDescription),
    settings: &SimulationSettings,
    (frames, round_off): (u32, f64),
) {
    let what = format!("{:?} beside {:?}", settings.solver, other.mesh.positions[1]);
    let mut alone = build(&world_of(vec![cloth.clone()], settings.clone()));
    let mut after = build(&world_of(vec![cloth.clone(), other.clone()], settings.clone()));
    let mut before = build(&world_of(vec![other.clone(), cloth.clone()], settings.clone()));
    for frame in 0..frames {
        let reports = [&mut alone, &mut after, &mut before].map(|world| run(world, 1));
        assert_eq!(reports.each_ref().map(|report| report.plan.groups), [1, 2, 2], "{what}");
        let expected = state_of(&alone, 0);
        for (found, place) in [(state_of(&after, 0), "after"), (state_of(&before, 1), "before")] {
            assert_eq!(found.0.len(), expected.0.len(), "{what}, listed {place}, frame {frame}");
            let farthest =
                |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            let apart = [farthest(&found.0, &expected.0), FRAME * farthest(&found.1, &expected.1)];
            assert!(
                apart.iter().all(|apart| *apart <= round_off),
                "{what}, listed {place}, frame {frame}: {apart:?} m"
            );
        }
    }
}

#[test]
fn an_unrelated_cloth_changes_no_bit() {
    for solver in [SolverChoice::Global, SolverChoice::Direct, SolverChoice::Block] {
        for other in &others() {
            assert_alone((&near(), other), &settings(solver, None), (30, 0.0));
        }
    }
}

/// Settings of the whole world hold in each group.
#[test]
fn an_unrelated_cloth_changes_no_bit_where_velocities_are_damped() {
    for solver in [SolverChoice::Global, SolverChoice::Block] {
        let damped = SimulationSettings { velocity_damping: 5.0, ..settings(solver, None) };
        assert_alone((&near(), &others()[0]), &damped, (20, 0.0));
    }
}

#[test]
fn an_unrelated_cloth_changes_what_is_remeshed_by_no_more_than_round_off() {
    for other in others() {
        let (cloth, other) = (remeshed(near()), remeshed(other));
        // Edits use the slots of removed elements again, those of all cloths in common: sums in the order of keys differ.
        assert_alone((&cloth, &other), &SimulationSettings::default(), (12, 1e-9));
    }
}

/// A sheet far away with a slit, pulled at both ends until it tears.
fn torn() -> ClothDescription {
    let cells = 8;
    let mut sheet = sheet("torn", (0.2, cells), FAR);
    sheet.pins.clear();
    let row = |j: u32| Region::Vertices((0..=cells).map(|i| j * (cells + 1) + i).collect());
    let key = |time: f64| Keyframe { time, translate: DVec3::NEG_Z * (0.3 * time), rotate_deg: DVec3::ZERO };
    let pull = KeyframedMotion::from(vec![key(0.0), key(10.0)]);
    let let_go = PinDescription::new(Region::Vertices(vec![2 * (cells + 1) + 1]));
    sheet.pins = vec![
        PinDescription::new(row(0)),
        PinDescription { motion: pull, ..PinDescription::new(row(cells)) },
        // In the middle of a step in which it tears.
        PinDescription { release: Some(0.06), ..let_go },
    ];
    sheet.material.tearing = Some(Tearing { strength: [150.0; 2], length: 0.03 });
    sheet
}

#[test]
fn a_cloth_that_tears_changes_no_bit_elsewhere() {
    assert_alone((&near(), &torn()), &SimulationSettings::default(), (30, 0.0));
    let mut description = world_of(vec![near(), torn()], SimulationSettings::default());
    let tears = |description: &WorldDescription| {
        let mut world = build(description);
        let count = (0..30).map(|_| run(&mut world, 1).tears.count).sum::<u64>();
        world.keyed().mesh.validate().expect("a valid mesh");
        count
    };
    let beside = tears(&description);
    description.cloths.remove(0);
    assert!(beside > 4 && beside == tears(&description), "{beside} beside another cloth");
}

#[test]
fn what_tears_does_so_beside_others_as_it_does_alone() {
    assert_alone((&torn(), &near()), &SimulationSettings::default(), (30, 1e-9));
}

#[test]
fn what_tears_while_something_comes_near_unexpectedly_is_torn_anew_with_it() {
    // Taut, and overloaded at once. The other one is pressed together, and springs apart at once.
    let mut taut = torn();
    for pin in &mut taut.pins {
        pin.motion = KeyframedMotion::default();
    }
    taut.mesh.positions.iter_mut().for_each(|x| x.z *= 1.25);
    let mut below = sheet("below", (0.2, 4), DVec3::ZERO);
    below.mesh.positions.iter_mut().for_each(|x| *x = FAR + DVec3::new(x.x, 0.0, 0.7 * x.z - 0.26));
    below.pins.clear();
    let weightless = SimulationSettings { gravity: DVec3::ZERO, ..SimulationSettings::default() };
    let mut world = build(&world_of(vec![taut, below], weightless));
    // So long that they meet in the first step.
    for step in 0..4 {
        let report = world.step(&StepInputs::default(), 3.0 * FRAME).expect("finite");
        assert_eq!(world.crossings(), Some(Vec::new()), "at {} s", world.time());
        world.keyed().mesh.validate().expect("a valid mesh");
        assert!(step > 0 || (report.plan.groups == 1 && report.tears.count > 4), "{report:?}");
    }
}

/// A sheet that is held as a whole, and comes down onto another one and goes up again.
fn press() -> WorldDescription {
    let lower = sheet("lower", (0.5, 6), DVec3::ZERO);
    let mut upper = sheet("upper", (0.2, 3), DVec3::new(0.1, 0.15, -0.1));
    let key = |time: f64, y: f64| Keyframe { time, translate: DVec3::Y * y, rotate_deg: DVec3::ZERO };
    let motion = KeyframedMotion::from(vec![key(0.0, 0.0), key(0.3, -0.3), key(0.4, -0.3), key(0.6, 0.3)]);
    let all = Region::MaterialBox([DVec2::ZERO, DVec2::ONE]);
    upper.pins = vec![PinDescription { motion, ..PinDescription::new(all) }];
    world_of(vec![lower, upper], SimulationSettings::default())
}

#[test]
fn cloths_that_meet_are_one_group_until_they_part() {
    let mut world = build(&press());
    let mut groups = Vec::new();
    for _ in 0..45 {
        let report = run(&mut world, 1);
        assert_eq!(world.crossings(), Some(Vec::new()), "at {} s", world.time());
        groups.push(report.plan.groups);
    }
    groups.dedup();
    assert_eq!(groups[..3], [2, 1, 2], "{groups:?}");
}

#[test]
fn groups_go_on_from_a_checkpoint_and_on_any_number_of_threads() {
    let mut description = press();
    description.cloths.extend(others().into_iter().zip(["big", "small"]).map(|(mut cloth, name)| {
        cloth.name = name.to_owned();
        cloth.mesh.positions.iter_mut().for_each(|x| x.z += if name == "big" { 0.0 } else { 50.0 });
        remeshed(cloth)
    }));
    let mut torn = torn();
    torn.mesh.positions.iter_mut().for_each(|x| x.z -= 50.0);
    description.cloths.push(torn);
    let mut world = build(&description);
    let mut threaded = description.clone();
    threaded.simulation.threads = 2;
    let mut threaded = build(&threaded);
    for _ in 0..6 {
        let checkpoint = world.checkpoint();
        let mut resumed = build(&description);
        resumed
            .restore(Checkpoint::from_bytes(&checkpoint.to_bytes()).expect("sound"))
            .expect("of this scene");
        assert_eq!(resumed.checkpoint_hash(), world.checkpoint_hash());
        let reports = [&mut world, &mut resumed, &mut threaded].map(|world| run(world, 8));
        assert!(
            reports.iter().all(|report| report.state_hash == reports[0].state_hash),
            "at {} s",
            world.time()
        );
        assert_eq!(resumed.checkpoint_hash(), world.checkpoint_hash(), "at {} s", world.time());
    }
}

/// A damped sheet on the floor.
fn laid() -> WorldDescription {
    let mut mesh = square(6, GridPattern::Alternating);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x, 0.021, -x.y));
    let mut material = Material::isotropic(0.2, 2000.0, 0.3, 1e-3);
    (material.stretch_damping, material.bend_damping) = (0.02, 0.1);
    let cloth = ClothDescription::new("laid", mesh, material);
    let obstacles = vec![Obstacle::new(Shape::Plane { normal: DVec3::Y }, Placement::default())];
    WorldDescription { obstacles, ..world_of(vec![cloth], SimulationSettings::default()) }
}

#[test]
fn a_cloth_rests_while_another_one_moves() {
    let mut alone = build(&laid());
    let mut description = laid();
    let mut swing = near();
    swing.mesh.positions.iter_mut().for_each(|x| *x += FAR + 3.0 * DVec3::Y);
    description.cloths.push(swing);
    let mut world = build(&description);
    let mut rested = 0;
    for _ in 0..180 {
        let [single, both] = [&mut alone, &mut world].map(|world| world.step(&StepInputs::default(), FRAME));
        let [single, both] = [single, both].map(|report| report.expect("finite"));
        assert!(state_of(&world, 0) == state_of(&alone, 0), "at {} s", world.time());
        assert_eq!(both.plan.groups, 1 + single.plan.groups, "at {} s", world.time());
        rested += u32::from(single.plan.groups == 0);
        // The other one may touch itself.
        assert!(both.contacts >= single.contacts, "at {} s", world.time());
        let [a, b] = [&single, &both].map(|report| report.obstacle_loads[0].force);
        assert!(a.distance(b) <= 1e-9 * a.length(), "at {} s: {a} {b}", world.time());
    }
    assert!(rested > 30, "{rested}");
}
