//! Bodies that are set elsewhere at once.

use crate::common::*;
use glam::{DQuat, DVec2, DVec3};
use taffeta::contact::{MeshObstacle, Obstacle, Shape};
use taffeta::core::{Keyframe, KeyframedMotion, Placement, Pose, Region};
use taffeta::io::{GridPattern, sphere_mesh};
use taffeta::remesh::RemeshSettings;
use taffeta::sim::{
    BodyId, BuildError, Checkpoint, ClothDescription, PinDescription, RopeDescription, RopeMaterial,
    SeamDescription, SeamSides, SolverChoice, StepInputs, World, WorldDescription, queries,
};

/// A sheet of 0.4 m in a plane of its own, upright or lying.
fn sheet(name: &str, cells: u32, place: impl Fn(DVec2) -> DVec3) -> ClothDescription {
    let mut mesh = square(cells, GridPattern::Alternating);
    mesh.positions.iter_mut().for_each(|x| *x = place(0.4 * DVec2::new(x.x, x.y)));
    mesh.material.iter_mut().flatten().flatten().for_each(|u| *u *= 0.4);
    ClothDescription::new(name, mesh, stiff())
}

/// A cape that hangs from a neck that moves, in front of a body.
fn cape(is_remeshed: bool) -> ClothDescription {
    let mut cloth = sheet("cape", 8, |u| DVec3::new(u.x - 0.2, 0.02 * (9.0 * u.x).sin(), 0.12 - u.y));
    let key = |time, translate| Keyframe { time, translate, rotate_deg: DVec3::Y * (20.0 * time) };
    let upper = Region::MaterialBox([DVec2::new(0.0, 0.4), DVec2::splat(0.4)]);
    cloth.pins.push(PinDescription {
        name: "neck".into(),
        motion: vec![key(0.0, DVec3::ZERO), key(1.0, DVec3::new(0.1, 0.05, 0.0))].into(),
        ..PinDescription::new(upper)
    });
    let settings = RemeshSettings { size_min: 0.03, size_max: 0.2, ..RemeshSettings::by_thresholds() };
    cloth.remesh = is_remeshed.then_some(settings);
    cloth
}

fn body() -> Obstacle {
    let shape = Shape::Sphere { radius: 0.1 };
    Obstacle { name: "body".into(), ..Obstacle::new(shape, Placement::at(DVec3::new(0.0, -0.16, 0.0))) }
}

fn with_cape(solver: SolverChoice, is_remeshed: bool) -> WorldDescription {
    WorldDescription {
        cloths: vec![cape(is_remeshed)],
        obstacles: vec![body()],
        simulation: settings(solver, None),
        self_contact: Some(true),
        ..WorldDescription::bare()
    }
}

fn far() -> Pose {
    Pose { translation: DVec3::X * 100.0, ..Pose::IDENTITY }
}

/// Turns about the vertical, so that gravity is the same.
fn turned() -> Pose {
    Pose::new(DQuat::from_rotation_y(0.7), DVec3::new(3.0, 1.0, -2.0))
}

fn all(world: &World) -> Vec<BodyId> {
    let cloths = world.cloth_ids().iter().map(|id| BodyId::from(*id));
    cloths.chain(world.obstacle_ids().map(BodyId::from)).collect()
}

/// Distance of the cloths of two worlds, one of them transformed \[m\].
fn apart(world: &World, by: &Pose, moved: &World, cloth: &str) -> f64 {
    let x = |world: &World| world.cloth(world.find_cloth(cloth).expect("its name")).positions().to_vec();
    let (here, there) = (x(world), x(moved));
    assert_eq!(here.len(), there.len(), "the meshes are alike");
    here.iter().zip(&there).map(|(a, b)| by.apply(*a).distance(*b)).fold(0.0, f64::max)
}

#[test]
fn what_is_set_elsewhere_goes_on_as_if_it_were_not() {
    for (solver, is_remeshed) in [
        (SolverChoice::Global, false),
        (SolverChoice::Global, true),
        (SolverChoice::Block, false),
        (SolverChoice::Block, true),
    ] {
        for by in [far(), turned()] {
            let mut description = with_cape(solver, is_remeshed);
            // Contact makes the smallest difference grow: a few frames, with equal substeps. Under Newton's method round-off
            // decides which contact slides first: one.
            let (frames, bound) = if solver == SolverChoice::Global { (1, 1e-5) } else { (5, 1e-11) };
            description.simulation.substeps = Some(4);
            let (mut here, mut there) = (build(&description), build(&description));
            [&mut here, &mut there].into_iter().for_each(|world| drop(run(world, 10)));
            assert_eq!(here.state_hash(), there.state_hash());
            let bodies = all(&there);
            there.teleport(&bodies, by, true).expect("nothing is in the way");
            assert!(apart(&here, &by, &there, "cape") < 1e-12);
            let place = there.obstacles()[0].pose_at(there.time());
            assert!(place.translation.distance(by.apply(here.obstacles()[0].place.translate)) < 1e-12);
            let mut touched = 0;
            for frame in 0..frames {
                let [a, b] = [&mut here, &mut there].map(|world| run(world, 1));
                touched += a.contacts;
                let case = format!("{solver:?}, remeshed: {is_remeshed}, {by:?}, frame {frame}");
                // Strains differ as positions over an edge do.
                let strain = (a.metrics.max_strain - b.metrics.max_strain).abs();
                assert!(strain < 5.0 * bound, "{case}: strain {strain:e}");
                assert_eq!((b.safeguard.forced, b.safeguard.passed), (0, 0), "{case}");
                let error = apart(&here, &by, &there, "cape");
                assert!(error < bound, "{case}: {error:e} m");
            }
            assert!(touched > 0, "the cape lies on the body");
        }
    }
}

#[test]
fn what_stays_is_as_it_would_be() {
    for solver in [SolverChoice::Global, SolverChoice::Block] {
        let description = || {
            let other = sheet("other", 6, |u| DVec3::new(u.x, 2.0, -u.y));
            let board = Obstacle::new(Shape::Plane { normal: DVec3::Y }, Placement::at(DVec3::Y * 1.999));
            let mut description = with_cape(solver, false);
            description.cloths.push(other);
            // The cape has nothing to do with the board.
            description.obstacles = vec![Obstacle { place: Placement::at(DVec3::Y * -9.0), ..body() }, board];
            description.cloths[0].mesh.positions.iter_mut().for_each(|x| x.y += 4.0);
            description
        };
        let (mut here, mut there) = (build(&description()), build(&description()));
        [&mut here, &mut there].into_iter().for_each(|world| drop(run(world, 12)));
        let cape = there.find_cloth("cape").expect("its name");
        there.teleport(&[cape], far(), true).expect("nothing is in the way");
        for frame in 0..10 {
            let [a, b] = [&mut here, &mut there].map(|world| run(world, 1));
            assert_eq!(a.contacts > 0, b.contacts > 0, "{solver:?}, frame {frame}");
            for (cloth, by) in [("cape", far()), ("other", Pose::IDENTITY)] {
                let error = apart(&here, &by, &there, cloth);
                assert!(error < 1e-6, "{solver:?}, {cloth}, frame {frame}: {error:e} m");
            }
        }
    }
}

#[test]
fn without_its_velocities_it_starts_at_rest() {
    let mut world = build(&with_cape(SolverChoice::Global, false));
    run(&mut world, 6);
    let before = world.mesh(0).positions;
    let bodies = all(&world);
    world.teleport(&bodies, turned(), false).expect("nothing is in the way");
    assert!(world.velocities(0).iter().all(|v| *v == DVec3::ZERO));
    let after = world.mesh(0).positions;
    assert!(before.iter().zip(&after).all(|(x, y)| turned().apply(*x) == *y));
    let strain = run(&mut world, 1).metrics.max_strain;
    assert!(strain < 0.1, "{strain}");
}

#[test]
fn a_seam_that_is_being_sewn_goes_along() {
    let panels = || {
        let mut cloth = sheet("panels", 4, |u| DVec3::new(u.x, u.y, 0.0));
        let (count, other) = (cloth.mesh.positions.len() as u32, cloth.mesh.clone());
        cloth.mesh.positions.extend(other.positions.iter().map(|x| *x + DVec3::X * 0.44));
        cloth.mesh.faces.extend(other.faces.iter().map(|face| face.map(|v| v + count)));
        let shifted = other.material.expect("it has some").into_iter();
        let shifted = shifted.map(|corners| corners.map(|u| u + DVec2::X * 0.4));
        cloth.mesh.material.as_mut().expect("it has some").extend(shifted);
        cloth.seams = vec![SeamDescription { sides: SeamSides::Near(0.05), time: 0.5, ease: false }];
        let mut simulation = settings(SolverChoice::Global, None);
        simulation.gravity = DVec3::ZERO;
        WorldDescription { cloths: vec![cloth], simulation, ..WorldDescription::bare() }
    };
    let (mut here, mut there) = (build(&panels()), build(&panels()));
    [&mut here, &mut there].into_iter().for_each(|world| drop(run(world, 10)));
    let quarter = Pose::new(DQuat::from_rotation_y(1.5), DVec3::X);
    let bodies = all(&there);
    there.teleport(&bodies, quarter, true).expect("nothing is in the way");
    for frame in 0..30 {
        [&mut here, &mut there].into_iter().for_each(|world| drop(run(world, 1)));
        let [a, b] = [&here, &there].map(|world| queries::seams(world)[0].clone());
        assert!((a.gap - b.gap).abs() < 1e-5, "frame {frame}: {} and {}", a.gap, b.gap);
    }
    assert!(queries::seams(&there)[0].closed.is_some(), "it is sewn");
}

#[test]
fn an_obstacle_jumps_without_a_sweep() {
    for is_mesh in [false, true] {
        let mut hung = sheet("curtain", 6, |u| DVec3::new(u.x - 0.2, u.y - 0.2, 0.0));
        hung.pins.push(PinDescription::new(Region::MaterialBox([DVec2::new(0.0, 0.4), DVec2::splat(0.4)])));
        let start = DVec3::Z * -0.3;
        let mut description =
            WorldDescription { cloths: vec![hung], self_contact: Some(true), ..WorldDescription::bare() };
        let shape = sphere_mesh(0.1, 2);
        match is_mesh {
            true => description.mesh_obstacles.push(MeshObstacle {
                name: "body".into(),
                ..MeshObstacle::new(shape.positions, shape.faces, Placement::at(start))
            }),
            false => description.obstacles.push(Obstacle { place: Placement::at(start), ..body() }),
        }
        let (mut world, mut untouched) = (build(&description), build(&description));
        run(&mut world, 3);
        run(&mut untouched, 3);
        let id = world.find_obstacle("body").expect("its name");
        // Through the curtain to its other side.
        world
            .teleport_obstacle(id, Pose { translation: -start, ..Pose::IDENTITY })
            .expect("it is free there");
        let report = run(&mut world, 1);
        run(&mut untouched, 1);
        assert_eq!((report.contacts, report.safeguard.forced, report.safeguard.passed), (0, 0, 0));
        let error = apart(&untouched, &Pose::IDENTITY, &world, "curtain");
        assert!(error < 1e-9, "mesh: {is_mesh}: {error:e} m");
        let before = world.checkpoint_hash();
        let into = world.teleport_obstacle(id, Pose::IDENTITY).expect_err("there is the curtain").to_string();
        assert!(into.contains("cloth 'curtain'") && into.contains("would cross"), "{into}");
        assert_eq!(world.checkpoint_hash(), before, "what is refused changes nothing");
    }
}

#[test]
fn a_place_that_is_taken_and_what_makes_no_sense_is_refused() {
    let mut description = with_cape(SolverChoice::Global, false);
    description.cloths.push(sheet("other", 4, |u| DVec3::new(u.x, 3.0, -u.y)));
    let edge = Region::MaterialBox([DVec2::ZERO, DVec2::new(0.4, 0.0)]);
    let rail =
        PinDescription { name: "rail".into(), axes: [true, false, false], ..PinDescription::new(edge) };
    description.cloths[1].pins.push(rail);
    let mut world = build(&description);
    run(&mut world, 2);
    let [cape, other] = ["cape", "other"].map(|name| world.find_cloth(name).expect("its name"));
    let ends = [cape, other].map(|id| world.cloth(id).vertex(0));
    let both = PinDescription { name: "both".into(), ..PinDescription::default() };
    let pin = world.add_pin(&[ends[0]], &both);
    assert!(pin.is_ok());
    let before = world.checkpoint_hash();
    let down = Pose { translation: DVec3::new(-0.2, -3.1, 0.0), ..Pose::IDENTITY };
    let lost = Pose { translation: DVec3::X * f64::NAN, ..Pose::IDENTITY };
    let mut refused: Vec<(BuildError, &str)> = Vec::new();
    let mut note = |outcome: Result<(), BuildError>, words| refused.push((outcome.expect_err(words), words));
    note(world.teleport(&[other], down, true), "cloth 'other' would cross sphere obstacle 0");
    note(world.teleport(&[other], turned(), true), "pin 'rail': it holds some axes of the world only");
    note(world.teleport(&[other], lost, true), "not finite");
    let beyond = Pose { translation: DVec3::X * 1e9, ..Pose::IDENTITY };
    note(world.teleport(&[other], beyond, true), "farther than 1e9 m");
    let stranger = build(&with_cape(SolverChoice::Global, false)).find_obstacle("body").expect("its name");
    let gone = world.find_obstacle("body").expect("its name");
    assert_ne!(stranger, gone);
    note(world.teleport(&[stranger], far(), true), "it was removed, or its handle is of another world");
    for (error, words) in refused {
        assert!(error.to_string().contains(words), "{error}");
    }
    assert_eq!(world.checkpoint_hash(), before);
    world.teleport(&[other], far(), true).expect("a rail can be moved");
    assert!(run(&mut world, 1).metrics.max_strain < 0.1);
}

#[test]
fn a_pin_that_holds_what_stays_keeps_its_cloths_together() {
    let mut description = with_cape(SolverChoice::Global, false);
    description.cloths.push(sheet("other", 4, |u| DVec3::new(u.x, 3.0, -u.y)));
    let mut world = build(&description);
    let [cape, other] = ["cape", "other"].map(|name| world.find_cloth(name).expect("its name"));
    let lower = Region::MaterialBox([DVec2::ZERO, DVec2::new(0.4, 0.0)]);
    let held = [cape, other].map(|id| world.cloth(id).select(&lower));
    let belt = PinDescription { name: "belt".into(), ..PinDescription::default() };
    world.add_pin(&held.concat(), &belt).expect("both are free");
    let error = world.teleport(&[cape], far(), true).expect_err("it holds both").to_string();
    assert!(error.contains("pin 'belt': it also holds cloth 'other', which stays"), "{error}");
    world.teleport(&[cape, other], far(), true).expect("both go along");
}

#[test]
fn a_run_goes_on_from_a_checkpoint_and_from_a_snapshot_after_a_teleport() {
    for solver in [SolverChoice::Global, SolverChoice::Block] {
        let description = with_cape(solver, true);
        let mut whole = build(&description);
        run(&mut whole, 6);
        let before = whole.snapshot();
        let bodies = all(&whole);
        whole.teleport(&bodies, turned(), true).expect("nothing is in the way");
        run(&mut whole, 3);
        let (bytes, snapshot) = (whole.checkpoint().to_bytes(), whole.snapshot());
        let rest = |world: &mut World| {
            let step = |_| world.step(&StepInputs::default(), FRAME).expect("it steps").state_hash;
            (0..4).map(step).collect::<Vec<_>>()
        };
        let expected = rest(&mut whole);
        let mut resumed = build(&description);
        resumed.restore(Checkpoint::from_bytes(&bytes).expect("sound")).expect("of this scene");
        assert_eq!(rest(&mut resumed), expected, "{solver:?}");
        whole.return_to(&snapshot).expect("of this world");
        assert_eq!(rest(&mut whole), expected, "{solver:?}");
        // From before the teleport all is back where it was.
        whole.return_to(&before).expect("of this world");
        let mut untouched = build(&description);
        run(&mut untouched, 6);
        assert_eq!(rest(&mut whole), rest(&mut untouched), "{solver:?}");
    }
}

/// The motion of a cape's neck or body that jumps after a tenth of a second.
fn jumping(by: DVec3) -> KeyframedMotion {
    let key = |time, translate, degrees| Keyframe { time, translate, rotate_deg: DVec3::Y * degrees };
    let on = DVec3::X * 0.05;
    let keys = vec![
        key(0.0, DVec3::ZERO, 0.0),
        key(0.1, on, 0.0),
        key(6.5 * FRAME, on + by, 0.0),
        key(0.3, on * 2.0 + by, 0.0),
    ];
    KeyframedMotion { jumps: vec![2], ..KeyframedMotion::from(keys) }
}

#[test]
fn keyframes_jump_with_what_their_pins_hold() {
    for (solver, is_mesh) in
        [(SolverChoice::Global, false), (SolverChoice::Global, true), (SolverChoice::Block, false)]
    {
        let description = |by: DVec3| {
            let mut description = with_cape(solver, false);
            description.simulation.substeps = Some(4);
            description.simulation.accuracy = 1e-6;
            description.cloths[0].pins[0].motion = jumping(by);
            description.obstacles[0].motion = jumping(by);
            if is_mesh {
                let shape = sphere_mesh(0.1, 2);
                let place = description.obstacles[0].place;
                let mesh = MeshObstacle {
                    name: "body".into(),
                    ..MeshObstacle::new(shape.positions, shape.faces, place)
                };
                description.mesh_obstacles = vec![MeshObstacle { motion: jumping(by), ..mesh }];
                description.obstacles.clear();
            }
            description
        };
        // One jumps, and the other in place.
        let way = DVec3::new(100.0, 2.0, -30.0);
        let (mut here, mut there) = (build(&description(DVec3::ZERO)), build(&description(way)));
        for frame in 1..=11 {
            let [a, b] = [&mut here, &mut there].map(|world| run(world, 1));
            // It is due in the middle of frame 7, and made at its end.
            let by = if frame < 7 { Pose::IDENTITY } else { Pose { translation: way, ..Pose::IDENTITY } };
            let error = apart(&here, &by, &there, "cape");
            let case = format!("{solver:?}, mesh: {is_mesh}, frame {frame}: {error:e} m");
            assert!(error < 1e-5 && b.metrics.max_strain < a.metrics.max_strain + 1e-3, "{case}");
            assert_eq!((b.safeguard.forced, b.safeguard.passed), (0, 0), "{case}");
        }
    }
}

#[test]
fn a_keyed_jump_is_in_checkpoints_and_is_undone_where_it_fails() {
    let mut description = with_cape(SolverChoice::Global, false);
    let way = DVec3::new(10.0, 0.0, 0.0);
    description.cloths[0].pins[0].motion = jumping(way);
    description.obstacles[0].motion = jumping(way);
    let mut whole = build(&description);
    for stop in [4, 6, 8] {
        let frames = stop - whole.frame() as u32;
        run(&mut whole, frames);
        let bytes = whole.checkpoint().to_bytes();
        let mut resumed = build(&description);
        resumed.restore(Checkpoint::from_bytes(&bytes).expect("sound")).expect("of this scene");
        let [a, b] = [whole.snapshot(), resumed.snapshot()];
        let hashes = [&mut whole, &mut resumed]
            .map(|world| (0..4).map(|_| run(world, 1).state_hash).collect::<Vec<_>>());
        assert_eq!(hashes[0], hashes[1], "{stop}");
        whole.return_to(&a).expect("of this world");
        resumed.return_to(&b).expect("of this world");
    }
    // A board stands where the cape would go, and the body alone cannot be where the pin is.
    let shape = Shape::Box { half_size: DVec3::new(0.5, 0.5, 0.01) };
    description.obstacles.push(Obstacle::new(shape, Placement::at(DVec3::new(10.0, 0.0, 0.0))));
    let mut world = build(&description);
    run(&mut world, 6);
    let before = world.checkpoint_hash();
    let error = world.step(&StepInputs::default(), FRAME).expect_err("the board is there").to_string();
    assert!(error.contains("a keyframe cannot jump") && error.contains("would cross"), "{error}");
    assert_eq!(world.checkpoint_hash(), before);
    let board = world.obstacle_ids().nth(1).expect("the board");
    world.remove_obstacle(board).expect("it is there");
    assert!(run(&mut world, 2).metrics.max_strain < 0.2);
}

#[test]
fn pins_of_a_cloth_must_jump_together() {
    let mut description = with_cape(SolverChoice::Global, false);
    description.cloths[0].pins[0].motion = jumping(DVec3::X);
    let lower = Region::MaterialBox([DVec2::ZERO, DVec2::new(0.4, 0.0)]);
    description.cloths[0].pins.push(PinDescription { name: "hem".into(), ..PinDescription::new(lower) });
    let mut world = build(&description);
    run(&mut world, 6);
    let error = world.step(&StepInputs::default(), FRAME).expect_err("the hem stays").to_string();
    assert!(error.contains("pin 'hem'") && error.contains("does not jump to the same place"), "{error}");
}

#[test]
fn a_rope_is_set_elsewhere_with_its_clamp() {
    let description = || {
        let points = (0..=8).map(|i| DVec3::X * (0.05 * f64::from(i))).collect();
        let mut rope = RopeDescription::new("rope", points, 0.005, RopeMaterial::new(0.05, 1e4, 1e-2));
        let end = PinDescription { clamp: true, ..PinDescription::new(Region::Vertices(vec![0])) };
        rope.pins = vec![end];
        WorldDescription {
            ropes: vec![rope],
            simulation: settings(SolverChoice::Block, None),
            ..WorldDescription::bare()
        }
    };
    let (mut here, mut there) = (build(&description()), build(&description()));
    [&mut here, &mut there].into_iter().for_each(|world| drop(run(world, 5)));
    there.teleport(&[BodyId::Loose(0)], turned(), true).expect("nothing is in the way");
    [&mut here, &mut there].into_iter().for_each(|world| drop(run(world, 10)));
    let pairs = here.loose_state(0).0.iter().zip(there.loose_state(0).0);
    let error = pairs.map(|(a, b)| turned().apply(*a).distance(*b)).fold(0.0, f64::max);
    assert!(error < 1e-9, "{error:e} m");
}
