//! Vertices that belong to no face: everything that goes over vertices holds for them.

use crate::common::*;
use glam::DVec3;
use taffeta::contact::{ContactSurface, Obstacle, Shape};
use taffeta::core::{Friction, Keyframe, KeyframedMotion, Placement, Region};
use taffeta::io::GridPattern;
use taffeta::remesh::RemeshSettings;
use taffeta::sim::{
    BuildError, Checkpoint, ClothDescription, LooseDescription, PinDescription, SolverChoice, World,
    WorldDescription,
};

const SOLVERS: [SolverChoice; 5] =
    [SolverChoice::Global, SolverChoice::Direct, SolverChoice::Block, SolverChoice::Xpbd, SolverChoice::Pbd];

/// Three points of different masses, side by side at a height [m].
fn points(height: f64) -> LooseDescription {
    LooseDescription {
        name: "points".into(),
        positions: (0..3).map(|i| DVec3::new(0.2 * f64::from(i), height, 0.0)).collect(),
        masses: vec![0.1, 0.2, 0.4],
        layout: None,
        surface: ContactSurface { offset: 0.01, friction: Friction { static_: 0.5, kinetic: 0.4 } },
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        pins: Vec::new(),
    }
}

fn alone(body: LooseDescription, solver: SolverChoice) -> WorldDescription {
    WorldDescription { loose: vec![body], simulation: settings(solver, None), ..WorldDescription::bare() }
}

/// A cloth that is remeshed while it falls on a ball, with points beside it.
fn with_cloth() -> WorldDescription {
    let mut mesh = square(8, GridPattern::Alternating);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x - 0.5, 0.21, 0.5 - x.y));
    let mut cloth = ClothDescription::new("sheet", mesh, stiff());
    cloth.remesh = Some(RemeshSettings { size_min: tier(0.1, 0.04), ..RemeshSettings::by_thresholds() });
    let mut body = points(1.0);
    body.angular_velocity = DVec3::new(0.3, 1.0, -0.5);
    body.pins = vec![PinDescription::new(Region::Vertices(vec![1]))];
    WorldDescription {
        cloths: vec![cloth],
        loose: vec![body],
        obstacles: vec![Obstacle::new(Shape::Sphere { radius: 0.2 }, Placement::default())],
        ..WorldDescription::bare()
    }
}

fn assert_sorted(world: &World) {
    let sheet = world.sheet();
    assert!(sheet.vertex_cloths.raw.is_sorted(), "{:?}", sheet.vertex_cloths.raw);
    for vi in sheet.topology.vertices().skip(sheet.topology.surface_vertex_count()) {
        assert!(sheet.topology.faces_around(vi).is_empty());
    }
    assert_eq!(sheet.topology.vertex_count, world.motion().masses.len());
}

#[test]
fn points_fall_freely_under_every_solver() {
    for solver in SOLVERS {
        let mut body = points(2.0);
        body.velocity = DVec3::new(0.5, 1.0, 0.0);
        let mut world = build(&alone(body, solver));
        let report = run(&mut world, 30);
        let expected = DVec3::new(0.5, 1.0 - 9.81 * 0.5, 0.0);
        for v in world.loose_state(0).1 {
            assert!((*v - expected).length() < 1e-10, "{solver:?}: {v}");
        }
        assert!((report.metrics.momentum - 0.7 * expected).length() < 1e-10, "{solver:?}");
        // 2 m + 1 m/s t − ½ g t², to the order of the integration: first for the local solvers.
        let error = world.loose_state(0).0[0].y - (2.0 + 0.5 - 0.5 * 9.81 * 0.25);
        let bound = if solver.capabilities().rows || solver == SolverChoice::Block { 0.011 } else { 2e-4 };
        assert!(error.abs() < bound, "{solver:?}: {error}");
        assert_eq!((world.face_count(), world.vertex_count()), (0, 3));
        assert_sorted(&world);
    }
}

#[test]
fn pinned_points_follow_their_pin_and_fall_when_it_lets_go() {
    for solver in SOLVERS {
        let mut body = points(0.5);
        let key = |time, translate| Keyframe { time, translate, rotate_deg: DVec3::ZERO };
        let motion = KeyframedMotion::from(vec![key(0.0, DVec3::ZERO), key(1.0, DVec3::X)]);
        let region = Region::Box([DVec3::new(0.3, 0.0, -1.0), DVec3::new(1.0, 1.0, 1.0)]);
        body.pins = vec![PinDescription { motion, release: Some(0.5), ..PinDescription::new(region) }];
        let mut world = build(&alone(body, solver));
        run(&mut world, 15);
        let held = world.loose_state(0).0[2];
        assert!((held - DVec3::new(0.65, 0.5, 0.0)).length() < 1e-12, "{solver:?}: {held}");
        run(&mut world, 30);
        let (x, v) = (world.loose_state(0).0[2], world.loose_state(0).1[2]);
        assert!(x.y < 0.5 - 0.25 && (v.x - 1.0).abs() < 1e-9, "{solver:?}: {x}, {v}");
    }
}

#[test]
fn points_come_to_rest_on_the_ground_and_stick_to_a_slope() {
    for solver in SOLVERS {
        let mut description = alone(points(0.05), solver);
        let slope: f64 = 0.3;
        let normal = DVec3::new(-slope.sin(), slope.cos(), 0.0);
        let along = DVec3::new(slope.cos(), slope.sin(), 0.0);
        let at = |i: i32| along * (0.2 * f64::from(i)) + normal * 0.015;
        description.loose[0].positions = (0..3).map(at).collect();
        description.obstacles = vec![Obstacle {
            friction: Friction { static_: 0.5, kinetic: 0.4 },
            ..Obstacle::new(Shape::Plane { normal }, Placement::default())
        }];
        let mut world = build(&description);
        run(&mut world, 60);
        let before = world.loose_state(0).0.to_vec();
        run(&mut world, 60);
        for (x, then) in world.loose_state(0).0.iter().zip(before) {
            assert!((x.dot(normal) - 0.01).abs() < 1e-4, "{solver:?}: {}", x.dot(normal));
            assert!(x.distance(then) < 1e-6, "{solver:?}: it creeps by {}", x.distance(then));
        }
    }
}

#[test]
fn remeshing_leaves_them_alone_and_a_resumed_run_gives_the_same_bits() {
    let mut whole = build(&with_cloth());
    let (mut hashes, mut saved) = (Vec::new(), Vec::new());
    for frame in 0..tier(16, 24) {
        let report = run(&mut whole, 1);
        assert_sorted(&whole);
        hashes.push((report.state_hash, whole.loose_state(0).0.to_vec()));
        if frame == 11 {
            saved = whole.checkpoint().to_bytes();
        }
    }
    assert!(whole.vertex_count() > 81 + 3, "it was remeshed: {}", whole.vertex_count());
    let mut resumed = build(&with_cloth());
    resumed.restore(Checkpoint::from_bytes(&saved).expect("a checkpoint")).expect("of this world");
    for expected in &hashes[12..] {
        let hash = run(&mut resumed, 1).state_hash;
        assert_eq!(&(hash, resumed.loose_state(0).0.to_vec()), expected);
    }
    // What is held stays, and the edits have not touched the others: they fly as if there were no cloth.
    assert_eq!(resumed.loose_state(0).0[1], DVec3::new(0.2, 1.0, 0.0));
    let before = resumed.motion().positions.raw[resumed.sheet().topology.surface_vertex_count()..].to_vec();
    resumed.edit(|keyed| {
        keyed.mesh.validate().expect("a mesh");
        assert_eq!(keyed.loose.len(), 3);
    });
    assert_eq!(resumed.loose_state(0).0, before.as_slice());
    assert_sorted(&resumed);
}

#[test]
fn the_cloth_beside_them_moves_as_it_does_alone() {
    for solver in [SolverChoice::Block, SolverChoice::Direct] {
        let mut description = with_cloth();
        description.cloths[0].remesh = None;
        description.simulation = settings(solver, Some(8));
        let mut both = build(&description);
        description.loose.clear();
        let mut cloth = build(&description);
        run(&mut both, 5);
        run(&mut cloth, 5);
        let pairs = both.mesh(0).positions.into_iter().zip(cloth.mesh(0).positions);
        let apart = pairs.map(|(a, b)| a.distance(b)).fold(0.0, f64::max);
        // Newton's method leaves 1e-10 of the size in each of the 40 substeps.
        let bound = if solver == SolverChoice::Direct { 40.0 * 1e-10 } else { 1e-12 };
        assert!(apart < bound, "{solver:?}: {apart}");
    }
}

#[test]
fn checkpoints_of_other_points_are_refused() {
    let world = build(&with_cloth());
    let saved = world.checkpoint();
    let mut other = with_cloth();
    other.loose[0].name = "dots".into();
    let error = build(&other).restore(saved.clone()).unwrap_err().to_string();
    assert!(error.contains("[points of 3 vertices]") && error.contains("[dots of 3 vertices]"), "{error}");
    let mut fewer = with_cloth();
    fewer.loose[0].positions.pop();
    fewer.loose[0].masses.pop();
    let error = build(&fewer).restore(saved).unwrap_err().to_string();
    assert!(
        error.contains("[points of 3 vertices], but this world has the other bodies [points of 2"),
        "{error}"
    );
}

#[test]
fn impossible_points_are_refused() {
    let refused = |change: fn(&mut LooseDescription)| {
        let mut description = with_cloth();
        change(&mut description.loose[0]);
        World::build(&description).expect_err("impossible").to_string()
    };
    type Spoil = fn(&mut LooseDescription);
    let cases: [(Spoil, &str); 6] = [
        (|b| b.masses[1] = 0.0, "body 'points': vertex 1 has a mass of 0 kg"),
        (|b| b.positions[2].y = f64::NAN, "the position of vertex 2 is not finite"),
        (|b| b.masses = vec![1.0], "3 vertices, but 1 masses"),
        (|b| b.positions.clear(), "it has no vertices"),
        (|b| b.pins[0].region = Region::Boundary, "pin 0: it selects by the faces"),
        (|b| b.pins[0].region = Region::Vertices(vec![7]), "it selects no vertex"),
    ];
    for (change, expected) in cases {
        let error = refused(change);
        assert!(error.contains(expected), "{error} instead of {expected}");
    }
    assert_eq!(World::build(&WorldDescription::bare()).unwrap_err(), BuildError::Empty);
}
