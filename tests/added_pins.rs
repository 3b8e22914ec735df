//! Pins that a caller adds or moves, and what they hold through remeshing, sewing and the removal of bodies.

use crate::common::*;
use glam::{DQuat, DVec2, DVec3};
use taffeta::core::{Keyframe, KeyframedMotion, Pose, Region};
use taffeta::io::GridPattern;
use taffeta::remesh::RemeshSettings;
use taffeta::sim::{
    Checkpoint, ClothDescription, PinDescription, PinId, SeamDescription, SeamSides, SimulationSettings,
    SolverChoice, StepInputs, World, WorldDescription, queries,
};

const SOLVERS: [SolverChoice; 2] = [SolverChoice::Global, SolverChoice::Block];

/// Largest distance of a held vertex from its target \[m\].
const NEAR: f64 = 1e-9;

/// The upper edge of the square sheet.
fn upper_edge() -> Region {
    Region::MaterialBox([DVec2::new(0.0, 1.0), DVec2::ONE])
}

/// A square sheet that becomes finer as it goes, with pins.
fn sheet(pins: Vec<PinDescription>) -> ClothDescription {
    let mut cloth = ClothDescription::new("sheet", square(4, GridPattern::Alternating), stiff());
    cloth.remesh = Some(RemeshSettings { size_min: 0.06, size_max: 0.12, ..RemeshSettings::by_thresholds() });
    cloth.pins = pins;
    cloth
}

fn simulation(solver: SolverChoice) -> SimulationSettings {
    SimulationSettings { solver, velocity_damping: 2.0, ..SimulationSettings::default() }
}

/// The sheet without a pin, and one that is added at its upper edge.
fn held_later(solver: SolverChoice) -> (World, PinId) {
    let mut world = world(sheet(Vec::new()), simulation(solver));
    let edge = world.cloth(world.cloth_ids()[0]).select(&upper_edge());
    let pin = world.add_pin(&edge, &PinDescription::default()).expect("it is free");
    (world, pin)
}

/// Pose of the hand in a frame.
fn pose_of(frame: u32) -> Pose {
    let part = f64::from(frame.min(10)) / 10.0;
    Pose::new(DQuat::from_rotation_y(0.8 * part), DVec3::new(0.3, 0.6, -0.5) * part)
}

/// Target of a point of the upper edge in a frame: the edge is drawn together, too.
fn target_of(point: DVec3, frame: u32) -> DVec3 {
    pose_of(frame).apply(point * DVec3::new(1.0 - 0.01 * f64::from(frame), 1.0, 1.0))
}

/// Largest distance of what a pin holds from where `place` says, by where it was at time 0 \[m\].
fn farthest(world: &World, pin: PinId, place: impl Fn(DVec3) -> DVec3) -> f64 {
    let off = |vi| world.motion().positions[vi].distance(place(world.sheet().starts[vi]));
    queries::pin_vertices(world, pin).into_iter().map(off).fold(0.0, f64::max)
}

fn targets(world: &World, pin: PinId, frame: u32) -> Vec<DVec3> {
    let target = |vi| target_of(world.sheet().starts[vi], frame);
    queries::pin_vertices(world, pin).into_iter().map(target).collect()
}

#[test]
fn an_added_pin_takes_along_what_remeshing_adds_between_its_vertices() {
    for solver in SOLVERS {
        let (mut added, pin) = held_later(solver);
        let mut described = world(sheet(vec![PinDescription::new(upper_edge())]), simulation(solver));
        let before = queries::pin_vertices(&added, pin).len();
        let mut strains = [0.0_f64; 2];
        for frame in 1..=14 {
            for (world, strain) in [&mut added, &mut described].into_iter().zip(&mut strains) {
                world.set_pin_pose(PinId::from_number(0), pose_of(frame)).expect("a pose");
                *strain = strain.max(run(world, 1).metrics.max_strain);
                let off = farthest(world, PinId::from_number(0), |x| pose_of(frame).apply(x));
                assert!(off < NEAR, "{solver:?}, frame {frame}: {off} m off the hand");
            }
        }
        println!("{solver:?}: strains {strains:?}");
        let after =
            [&added, &described].map(|world| queries::pin_vertices(world, PinId::from_number(0)).len());
        assert!(after[0] > before + 4, "{solver:?}: {after:?} from {before}");
        assert!((strains[0] / strains[1] - 1.0).abs() < 0.1, "{solver:?}: {strains:?}");
        // Held from the start by the same vertices, it moves as one that the scene has.
        let low = [&added, &described].map(mean_lower_edge);
        assert!((low[0] - low[1]).abs() < 1e-3, "{solver:?}: {low:?}");
    }
}

#[test]
fn targets_go_on_for_what_remeshing_adds_between_them() {
    for solver in SOLVERS {
        let described = world(sheet(vec![PinDescription::new(upper_edge())]), simulation(solver));
        let worlds = [(described, PinId::from_number(0)), held_later(solver)];
        let strains = worlds.map(|(mut world, pin)| {
            let before = queries::pin_vertices(&world, pin).len();
            let mut strain = 0.0_f64;
            for frame in 1..=12 {
                // In some frames nothing is said, and what is held stays where it is.
                let last = if (3..7).contains(&frame) { 2 } else { frame };
                if last == frame {
                    let targets = targets(&world, pin, frame);
                    world.set_pin_targets(pin, &targets).expect("as many as vertices");
                }
                strain = strain.max(run(&mut world, 1).metrics.max_strain);
                let off = farthest(&world, pin, |x| target_of(x, last));
                assert!(off < NEAR, "{solver:?}, frame {frame}: {off} m off the hand");
            }
            let after = queries::pin_vertices(&world, pin).len();
            assert!(after > before + 4, "{solver:?}: {after} from {before}");
            // Back to a pose: straight there, and then as a rigid body.
            for frame in [6, 10] {
                world.set_pin_pose(pin, pose_of(frame)).expect("a pose");
                run(&mut world, 1);
                let off = farthest(&world, pin, |x| pose_of(frame).apply(x));
                assert!(off < NEAR, "{solver:?}, frame {frame}: {off} m off the hand");
            }
            strain
        });
        assert!((strains[0] / strains[1] - 1.0).abs() < 0.1, "{solver:?}: {strains:?}");
    }
}

#[test]
fn a_pin_that_is_added_to_a_bent_edge_keeps_its_shape() {
    for solver in SOLVERS {
        // Two corners hold the sheet; the middle of its upper edge is held where it has sagged to.
        let corners = [0.0, 1.0].map(|x| Region::MaterialBox([DVec2::new(x, 1.0); 2]));
        let mut world = world(sheet(corners.map(PinDescription::new).into()), simulation(solver));
        run(&mut world, 12);
        let edge: Vec<_> = world.cloth(world.cloth_ids()[0]).select(&upper_edge());
        let free: Vec<_> = edge.into_iter().filter(|vi| world.motion().vertex_pins[*vi].is_none()).collect();
        let mut line: Vec<(f64, DVec3)> =
            free.iter().map(|vi| (world.sheet().starts[*vi].x, world.motion().positions[*vi])).collect();
        line.sort_by(|a, b| a.0.total_cmp(&b.0));
        let shape = |x: DVec3| {
            let next = line.partition_point(|(at, _)| *at < x.x).clamp(1, line.len() - 1);
            let [(a, from), (b, to)] = [line[next - 1], line[next]];
            from.lerp(to, (x.x - a) / (b - a))
        };
        let pin = world.add_pin(&free, &PinDescription::default()).expect("it is free");
        let remesh = world.cloths()[0].remesh.expect("it is remeshed");
        let refined = RemeshSettings { size_min: 0.03, size_max: 0.05, ..remesh };
        world.set_remesh(world.cloth_ids()[0], refined).expect("sound");
        for frame in 1..=6 {
            let pose = Pose::new(DQuat::from_rotation_x(0.02 * f64::from(frame)), DVec3::Z * 0.01);
            world.set_pin_pose(pin, pose).expect("a pose");
            run(&mut world, 1);
            let off = farthest(&world, pin, |x| pose.apply(shape(x)));
            assert!(off < NEAR, "{solver:?}, frame {frame}: {off} m off the hand");
        }
        assert!(queries::pin_vertices(&world, pin).len() > free.len(), "{solver:?}: it is refined");
    }
}

#[test]
fn a_run_with_an_added_pin_goes_on_from_a_checkpoint_and_from_a_snapshot() {
    for solver in SOLVERS {
        let drive = |world: &mut World, pin: PinId, frame: u32| {
            if frame.is_multiple_of(3) {
                world.set_pin_pose(pin, pose_of(frame)).expect("a pose");
            } else {
                let targets = targets(world, pin, frame);
                world.set_pin_targets(pin, &targets).expect("targets");
            }
        };
        let (mut whole, pin) = held_later(solver);
        let mut hashes = Vec::new();
        let mut saved = Vec::new();
        let mut snapshots = Vec::new();
        for frame in 0..9 {
            drive(&mut whole, pin, frame);
            // Told where to go, but not there yet.
            saved.push(whole.checkpoint().to_bytes());
            snapshots.push(whole.snapshot());
            hashes.push(run(&mut whole, 1).state_hash);
        }
        let go_on = |world: &mut World, from: usize, how: &str| {
            for (frame, expected) in hashes.iter().enumerate().skip(from).take(3) {
                if frame > from {
                    drive(world, pin, frame as u32);
                }
                assert_eq!(run(world, 1).state_hash, *expected, "{solver:?}, {how} {from}: {frame}");
            }
        };
        for from in [2, 4, 6] {
            let (mut resumed, _) = held_later(solver);
            let checkpoint = Checkpoint::from_bytes(&saved[from]).expect("sound");
            resumed.restore(checkpoint).expect("of this world");
            go_on(&mut resumed, from, "resumed from");
            whole.return_to(&snapshots[from]).expect("of this world");
            go_on(&mut whole, from, "returned to");
        }
    }
}

/// Two sheets side by side, 2 cm apart, that are sewn along the sides which face each other.
fn sewn_sheets() -> ClothDescription {
    let mut mesh = square(4, GridPattern::Alternating);
    let count = mesh.positions.len() as u32;
    let right: Vec<DVec3> = mesh.positions.iter().map(|x| *x + DVec3::X * 1.02).collect();
    let faces: Vec<[u32; 3]> = mesh.faces.iter().map(|face| face.map(|v| v + count)).collect();
    let material = mesh.material.as_mut().expect("a grid has some");
    let shifted: Vec<_> = material.iter().map(|corners| corners.map(|u| u + DVec2::X)).collect();
    material.extend(shifted);
    mesh.positions.extend(right);
    mesh.faces.extend(faces);
    let mut cloth = ClothDescription::new("sheets", mesh, stiff());
    let sides = SeamSides::Runs([vec![4, 24], vec![count, count + 20]]);
    cloth.seams = vec![SeamDescription { sides, time: 0.05, ease: false }];
    cloth
}

/// The vertices of one of the sides that are sewn together.
fn side(world: &World, x: f64) -> Vec<taffeta::core::VertexIndex> {
    let cloth = world.cloth(world.cloth_ids()[0]);
    let is_there = |vi: &taffeta::core::VertexIndex| (world.sheet().starts[*vi].x - x).abs() < 1e-9;
    cloth.vertex_range().map(|i| taffeta::core::VertexIndex(i as u32)).filter(is_there).collect()
}

#[test]
fn a_pinned_side_of_a_seam_is_led_on_after_it_is_sewn() {
    for solver in SOLVERS {
        for x in [1.0, 1.02] {
            let still = SimulationSettings { gravity: DVec3::ZERO, ..simulation(solver) };
            let mut world = world(sewn_sheets(), still);
            let edge = side(&world, x);
            assert_eq!(edge.len(), 5);
            let pin = world.add_pin(&edge, &PinDescription::default()).expect("it is free");
            let count = world.vertex_count();
            run(&mut world, 20);
            assert_eq!(world.vertex_count(), count - 5, "{solver:?}, side at {x}: it is sewn");
            for frame in 1..=10 {
                let moved = DVec3::new(0.0, 0.002, 0.01) * f64::from(frame);
                world.set_pin_pose(pin, Pose { translation: moved, ..Pose::IDENTITY }).expect("a pose");
                run(&mut world, 1);
                assert_eq!(queries::pin_vertices(&world, pin).len(), 5);
                let off = farthest(&world, pin, |start| start + moved);
                assert!(off < NEAR, "{solver:?}, side at {x}: {off} m off the hand");
            }
            assert!(world.measure().max_strain < 0.1, "{solver:?}: {}", world.measure().max_strain);
        }
    }
}

#[test]
fn targets_from_before_a_weld_hold_after_it() {
    for solver in SOLVERS {
        let mut cloth = sewn_sheets();
        let edge = Region::Vertices((0..5).map(|row| 25 + 5 * row).collect());
        cloth.pins.push(PinDescription::new(edge));
        let still = SimulationSettings { gravity: DVec3::ZERO, ..simulation(solver) };
        let mut world = world(cloth, still);
        let pin = PinId::from_number(0);
        let moved = |x: DVec3| x + DVec3::new(-0.01, 0.01 * x.y, 0.02);
        let vertices = queries::pin_vertices(&world, pin);
        let places: Vec<DVec3> = vertices.iter().map(|vi| moved(world.sheet().starts[*vi])).collect();
        world.set_pin_targets(pin, &places).expect("targets");
        run(&mut world, 20);
        assert_eq!(world.vertex_count(), 45, "{solver:?}: it is sewn");
        assert!(farthest(&world, pin, moved) < NEAR, "{solver:?}");
        let pose = Pose::new(DQuat::from_rotation_z(0.1), DVec3::X * 0.05);
        world.set_pin_pose(pin, pose).expect("a pose");
        run(&mut world, 1);
        let off = farthest(&world, pin, |x| pose.apply(x));
        assert!(off < NEAR, "{solver:?}: {off} m off the hand");
    }
}

#[test]
fn a_clamp_that_is_added_later_keeps_the_direction_of_then() {
    for solver in SOLVERS {
        // All of the strip is turned by a quarter about its side, and let go.
        let mut cloth = ClothDescription::new("strip", square(4, GridPattern::Alternating), stiff());
        cloth.mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(0.2 * x.x, 0.0, -0.2 * x.y));
        cloth.mesh.material.iter_mut().flatten().flatten().for_each(|u| *u *= 0.2);
        let key = |time, angle| Keyframe { time, translate: DVec3::ZERO, rotate_deg: DVec3::Z * angle };
        let motion = KeyframedMotion::from(vec![key(0.0, 0.0), key(0.1, 90.0)]);
        let whole = Region::MaterialBox([DVec2::ZERO, DVec2::splat(0.2)]);
        cloth.pins.push(PinDescription { motion, release: Some(0.15), ..PinDescription::new(whole) });
        let still = SimulationSettings { gravity: DVec3::ZERO, ..simulation(solver) };
        let mut world = world(cloth, still);
        run(&mut world, 12);
        let side = Region::MaterialBox([DVec2::ZERO, DVec2::new(0.2, 0.0)]);
        let side = world.cloth(world.cloth_ids()[0]).select(&side);
        let clamp = PinDescription { clamp: true, ..PinDescription::default() };
        let pin = world.add_pin(&side, &clamp).expect("it is free");
        let before = world.mesh(0).positions;
        let off = |world: &World, pose: &Pose| {
            let pairs = before.iter().zip(world.mesh(0).positions);
            pairs.map(|(x, y)| pose.apply(*x).distance(y)).fold(0.0, f64::max)
        };
        run(&mut world, 10);
        let moved = off(&world, &Pose::IDENTITY);
        assert!(moved < 1e-7, "{solver:?}: it is at rest as it is: {moved} m");
        let bytes = world.checkpoint().to_bytes();
        world.restore(Checkpoint::from_bytes(&bytes).expect("sound")).expect("of this world");
        // It turns with its pin about the axis along the side.
        let axis = (before[4] - before[0]).normalize();
        let pose_at = |angle: f64| {
            let turn = DQuat::from_axis_angle(axis, angle);
            Pose::new(turn, before[0] - turn * before[0])
        };
        for step in 1..=30 {
            world.set_pin_pose(pin, pose_at(0.02 * f64::from(step))).expect("a pose");
            run(&mut world, 1);
        }
        run(&mut world, tier(200, 400));
        let moved = off(&world, &pose_at(0.6));
        assert!(moved < 5e-3, "{solver:?}: it has turned with the pin: {moved} m");
    }
}

#[test]
fn what_a_new_pin_cannot_do_is_refused_and_changes_nothing() {
    let mut cloth = ClothDescription::new("sheet", square(4, GridPattern::Alternating), stiff());
    cloth = cloth.under(SolverChoice::Pbd);
    let mut world = world(cloth, settings(SolverChoice::Pbd, None));
    let vertex = [taffeta::core::VertexIndex(3)];
    let before = world.checkpoint_hash();
    let refused = [
        (
            PinDescription { clamp: true, ..PinDescription::default() },
            "the solver \"pbd\", which knows no clamps",
        ),
        (PinDescription { strength: Some(1.0), ..PinDescription::default() }, "\"pbd\" knows no forces"),
        (PinDescription { release: Some(-1.0), ..PinDescription::default() }, "release is -1 s"),
        (PinDescription { release: Some(f64::NAN), ..PinDescription::default() }, "release is NaN s"),
    ];
    for (description, words) in refused {
        let error = world.add_pin(&vertex, &description).expect_err(words).to_string();
        assert!(error.contains(words), "{error} for {words}");
    }
    assert_eq!((world.checkpoint_hash(), world.pin_ids().count()), (before, 0));
}

#[test]
fn what_a_pin_lets_go_of_can_be_held_at_once_by_another() {
    for solver in SOLVERS {
        let (mut world, first) = held_later(solver);
        run(&mut world, 4);
        let vertices = queries::pin_vertices(&world, first);
        world.release_pin(first).expect("it holds");
        assert!(queries::pin_vertices(&world, first).is_empty(), "{solver:?}: it holds nothing any more");
        let second = world.add_pin(&vertices[1..], &PinDescription::default()).expect("it is free");
        let again = world.add_pin(&vertices[1..2], &PinDescription::default()).expect_err("it is held");
        assert!(again.to_string().contains("pin 1 holds vertex"), "{again}");
        let names: Vec<_> = vertices.iter().map(|vi| world.sheet().vertex_name(*vi)).collect();
        world.set_pin_pose(second, Pose { translation: DVec3::Z * 0.02, ..Pose::IDENTITY }).expect("a pose");
        run(&mut world, 1);
        let at = |world: &World, k: usize| {
            let vertex = world.sheet().find_vertex(names[k]).expect("held ones are kept");
            world.motion().positions[vertex] - world.sheet().starts[vertex]
        };
        assert!(at(&world, 1).distance(DVec3::Z * 0.02) < NEAR, "{solver:?}: {}", at(&world, 1));
        assert!(world.has_released(first) && !world.has_released(second));
        assert_eq!(world.motion().vertex_pins.iter().flatten().filter(|pin| **pin == 0).count(), 0);
    }
}

#[test]
fn a_pin_on_two_cloths_goes_on_when_one_is_removed() {
    for solver in SOLVERS {
        let named = |name: &str, shift: f64| {
            let mut cloth = ClothDescription { name: name.into(), ..sheet(Vec::new()) };
            cloth.mesh.positions.iter_mut().for_each(|x| x.z += shift);
            cloth
        };
        let mut world = build(&WorldDescription {
            cloths: vec![named("first", 0.0), named("second", 3.0)],
            simulation: simulation(solver),
            ..WorldDescription::bare()
        });
        let ids = world.cloth_ids().to_vec();
        let [one, two] = [0, 1].map(|k: usize| world.cloth(ids[k]).select(&upper_edge()));
        let both = [one.clone(), two].concat();
        let shared = world.add_pin(&both, &PinDescription::default()).expect("it is free");
        let corner = world.cloth(ids[0]).select(&Region::MaterialBox([DVec2::ZERO; 2]));
        let own = world.add_pin(&corner, &PinDescription::default()).expect("it is free");
        run(&mut world, 3);
        world.remove_cloth(ids[0]).expect("it is there");
        assert!(!world.has_released(shared) && world.has_released(own), "{solver:?}");
        let pose = Pose { translation: DVec3::Y * 0.05, ..Pose::IDENTITY };
        world.set_pin_pose(shared, pose).expect("it holds the other cloth");
        run(&mut world, 1);
        assert!(queries::pin_vertices(&world, shared).len() >= 5);
        assert!(farthest(&world, shared, |x| pose.apply(x)) < NEAR, "{solver:?}");
        world.remove_cloth(ids[1]).expect("it is there");
        assert!(world.has_released(shared), "{solver:?}");
        world.step(&StepInputs::default(), FRAME).expect("an empty world");
    }
}
