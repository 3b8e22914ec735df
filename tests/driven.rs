//! Bodies that a caller moves step by step, and what other programs read of a world.

use crate::common::*;
use glam::{DQuat, DVec2, DVec3};
use taffeta::contact::{MeshObstacle, Obstacle, Shape};
use taffeta::core::{Keyframe, KeyframedMotion, Placement, Pose, Region};
use taffeta::io::{GridPattern, sphere_mesh};
use taffeta::remesh::RemeshSettings;
use taffeta::sim::{
    BuildError, Checkpoint, ClothDescription, PinDescription, PinId, SimulationSettings, SolverChoice,
    StepInputs, World, WorldDescription, queries,
};

const FRAMES: usize = 8;

fn shifted(translation: DVec3) -> Pose {
    Pose { translation, ..Pose::IDENTITY }
}

/// Wanted position of a body after each step \[m\]: it sways and stops.
fn places() -> Vec<DVec3> {
    let at = |k: usize| DVec3::new(0.01 * k as f64, -0.02 * k as f64, 0.015 * ((k * k) % 5) as f64);
    (1..=FRAMES).map(|k| at(k.min(FRAMES - 2))).collect()
}

/// The places as keys, at the times at which a world makes its steps.
fn keys() -> KeyframedMotion {
    let key = |time, translate| Keyframe { time, translate, rotate_deg: DVec3::ZERO };
    let mut keys = vec![key(0.0, DVec3::ZERO)];
    for place in places() {
        keys.push(key(keys[keys.len() - 1].time + FRAME, place));
    }
    keys.into()
}

/// A sheet in a horizontal plane at a height \[m\], of so many cells, with a side of 0.4 m.
fn laid(cells: u32, height: f64) -> ClothDescription {
    let mut mesh = square(cells, GridPattern::Alternating);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(0.4 * x.x - 0.2, height, 0.2 - 0.4 * x.y));
    mesh.material.iter_mut().flatten().flatten().for_each(|u| *u *= 0.4);
    ClothDescription::new("sheet", mesh, stiff())
}

fn settings(solver: SolverChoice) -> SimulationSettings {
    SimulationSettings { solver, ..SimulationSettings::default() }
}

fn ball() -> Obstacle {
    Obstacle { name: "ball".into(), ..Obstacle::new(Shape::Sphere { radius: 0.1 }, Placement::default()) }
}

fn mesh_ball() -> MeshObstacle {
    let mesh = sphere_mesh(0.1, 2);
    MeshObstacle {
        name: "ball".into(),
        ..MeshObstacle::new(mesh.positions, mesh.faces, Placement::default())
    }
}

/// A sheet on a ball, held by one edge.
fn over_ball(solver: SolverChoice, is_mesh: bool) -> WorldDescription {
    let mut cloth = laid(8, 0.103);
    let edge = Region::MaterialBox([DVec2::ZERO, DVec2::new(0.0, 0.4)]);
    cloth.pins.push(PinDescription { name: "hand".into(), ..PinDescription::new(edge) });
    let mut description =
        WorldDescription { cloths: vec![cloth], simulation: settings(solver), ..WorldDescription::bare() };
    match is_mesh {
        true => description.mesh_obstacles.push(mesh_ball()),
        false => description.obstacles.push(ball()),
    }
    description
}

/// Steps a world, after something is done to it before each step; the hash of every frame.
fn hashes(world: &mut World, mut before: impl FnMut(&mut World, usize)) -> Vec<String> {
    let step = |frame| {
        before(world, frame);
        world.step(&StepInputs::default(), FRAME).expect("it steps").state_hash
    };
    (0..FRAMES).map(step).collect()
}

#[test]
fn what_is_moved_from_outside_has_the_bits_of_the_same_keyframes() {
    for (solver, is_mesh) in
        [(SolverChoice::Global, false), (SolverChoice::Global, true), (SolverChoice::Block, false)]
    {
        let mut description = over_ball(solver, is_mesh);
        // In the last of several substeps the time differs by round-off, and with it the pose of a body with more keys.
        description.simulation.substeps = Some(1);
        let mut keyed = description.clone();
        keyed.obstacles.iter_mut().for_each(|obstacle| obstacle.motion = keys());
        keyed.mesh_obstacles.iter_mut().for_each(|obstacle| obstacle.motion = keys());
        keyed.cloths[0].pins[0].motion = keys();
        let mut driven = build(&description);
        let ball = driven.find_obstacle("ball").expect("it has that name");
        let hand = driven.find_pin("hand").expect("it has that name");
        let of_driven = hashes(&mut driven, |world, frame| {
            world.set_obstacle_pose(ball, shifted(places()[frame])).expect("a pose");
            world.set_pin_pose(hand, shifted(places()[frame])).expect("a pose");
        });
        let of_keyed = hashes(&mut build(&keyed), |_, _| ());
        assert_eq!(of_driven, of_keyed, "{solver:?}, mesh: {is_mesh}");
    }
}

/// Depth to which the ball is driven into the curtain \[m\].
const LONGEST_WAY: f64 = 0.25;

#[test]
fn no_speed_brings_a_driven_ball_through_a_curtain() {
    for speed in [1.0, 10.0, 100.0] {
        let mut mesh = square(10, GridPattern::Alternating);
        mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x - 0.5, x.y - 0.5, 0.0) * 0.6);
        mesh.material.iter_mut().flatten().flatten().for_each(|u| *u *= 0.6);
        let upper = [[DVec2::new(0.0, 0.6), DVec2::splat(0.6)]];
        let cloth = pinned(mesh, stiff(), upper);
        let start = DVec3::new(0.0, -0.15, -0.12);
        let mut body = ball();
        body.place.translate = start;
        let mut world = build(&WorldDescription {
            cloths: vec![cloth],
            obstacles: vec![body],
            self_contact: Some(true),
            ..WorldDescription::bare()
        });
        let ball = world.find_obstacle("ball").expect("its name");
        let (mut way, mut pushed) = (0.0_f64, 0.0_f64);
        for _ in 0..tier(3, 20) + (LONGEST_WAY / (speed * FRAME)) as u32 {
            way = (way + speed * FRAME).min(LONGEST_WAY);
            world.set_obstacle_pose(ball, shifted(start + DVec3::Z * way)).expect("a pose");
            let report = world.step(&StepInputs::default(), FRAME).expect("it steps");
            assert_eq!(report.safeguard.passed, 0, "{speed} m/s: {:?}", report.safeguard);
            assert_eq!(world.crossings().map(|list| list.len()), Some(0), "{speed} m/s");
            assert_eq!(queries::sunken_faces(&world), Some(0), "{speed} m/s");
            // In the end it may swing off, around the ball by its lower edge.
            let cloth = world.cloth(world.cloth_ids()[0]);
            pushed = cloth.positions().iter().map(|x| x.z).fold(pushed, f64::max);
        }
        assert!(pushed > 0.1, "{speed} m/s: the curtain gives way: {pushed}");
    }
}

#[test]
fn pins_go_where_their_vertices_are_told_and_turn_with_a_pose() {
    for solver in [SolverChoice::Global, SolverChoice::Block] {
        let mut world = build(&over_ball(solver, false));
        let hand = world.find_pin("hand").expect("its name");
        let held = queries::pin_vertices(&world, hand);
        let place = |world: &World, k: usize| world.motion().positions[held[k]];
        let targets: Vec<DVec3> =
            (0..held.len()).map(|k| place(&world, k) + DVec3::new(-0.01, 0.02, 0.001 * k as f64)).collect();
        world.set_pin_targets(hand, &targets).expect("as many as vertices");
        run(&mut world, 1);
        (0..held.len()).for_each(|k| assert_eq!(place(&world, k), targets[k], "{solver:?}"));
        run(&mut world, 1);
        (0..held.len()).for_each(|k| assert_eq!(place(&world, k), targets[k], "{solver:?}: they stay"));
        // Back to what the pin held at time 0, turned by a quarter about the vertical.
        let pose = Pose::new(DQuat::from_xyzw(0.0, 1.0, 0.0, 1.0), DVec3::new(0.0, 0.02, 0.0));
        world.set_pin_pose(hand, pose).expect("a pose");
        run(&mut world, 1);
        for (k, vertex) in held.iter().enumerate() {
            let there = pose.apply(world.sheet().starts[*vertex]);
            assert!(place(&world, k).distance(there) < 1e-15, "{solver:?}");
        }
    }
}

#[test]
fn a_skinned_body_takes_its_vertices_where_it_is_told() {
    let mut world = build(&over_ball(SolverChoice::Global, true));
    let ball = world.find_obstacle("ball").expect("its name");
    let stretched = |part: f64| {
        let at = |x: &DVec3| *x * DVec3::new(1.0, 1.0 + part, 1.0);
        world_shape().iter().map(at).collect::<Vec<_>>()
    };
    for frame in 1..=FRAMES {
        let skin = stretched(0.05 * frame as f64);
        world.set_obstacle_mesh(ball, &skin).expect("as many as vertices");
        let report = world.step(&StepInputs::default(), FRAME).expect("it steps");
        assert_eq!(world.mesh_obstacles()[0].positions_at(report.time), skin);
        assert_eq!(world.crossings().map(|list| list.len()), Some(0));
    }
    let lifted = world.cloth(world.cloth_ids()[0]).positions().iter().map(|x| x.y).fold(0.0, f64::max);
    assert!(lifted > 0.135, "the cloth is lifted: {lifted}");
}

fn world_shape() -> Vec<DVec3> {
    sphere_mesh(0.1, 2).positions
}

#[test]
fn a_run_that_is_driven_goes_on_from_a_checkpoint_and_from_a_snapshot() {
    let description = over_ball(SolverChoice::Global, true);
    let drive = |world: &mut World, frame: usize| {
        let (ball, hand) = (world.find_obstacle("ball").unwrap(), world.find_pin("hand").unwrap());
        match frame {
            // Nothing is said in one of the frames.
            3 => (),
            4 => {
                let skin: Vec<DVec3> = world_shape().iter().map(|x| *x * 0.9).collect();
                world.set_obstacle_mesh(ball, &skin).expect("a skin");
            }
            _ => world.set_obstacle_pose(ball, shifted(places()[frame])).expect("a pose"),
        }
        let held = queries::pin_vertices(world, hand);
        let targets: Vec<DVec3> =
            held.iter().map(|vi| world.sheet().starts[*vi] + places()[frame] * 0.5).collect();
        if frame != 5 {
            world.set_pin_targets(hand, &targets).expect("targets");
        }
    };
    let whole = hashes(&mut build(&description), drive);
    for stop in [2, 4, 5] {
        let mut first = build(&description);
        for frame in 0..stop {
            drive(&mut first, frame);
            run(&mut first, 1);
        }
        // In the middle of a frame: told where to go, but not there yet.
        drive(&mut first, stop);
        let mut resumed = build(&description);
        let bytes = first.checkpoint().to_bytes();
        resumed.restore(Checkpoint::from_bytes(&bytes).expect("sound")).expect("of this world");
        let snapshot = first.snapshot();
        for (world, name) in [(&mut first, "not interrupted"), (&mut resumed, "resumed")] {
            for (frame, expected) in whole.iter().enumerate().skip(stop) {
                if frame > stop {
                    drive(world, frame);
                }
                let hash = world.step(&StepInputs::default(), FRAME).expect("it steps").state_hash;
                assert_eq!(hash, *expected, "{name} at {stop}, frame {frame}");
            }
        }
        first.return_to(&snapshot).expect("of this world");
        let hash = first.step(&StepInputs::default(), FRAME).expect("it steps").state_hash;
        assert_eq!(hash, whole[stop], "returned to {stop}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_and_changes_nothing() {
    let mut world = build(&over_ball(SolverChoice::Global, true));
    let (ball, hand) = (world.find_obstacle("ball").unwrap(), world.find_pin("hand").unwrap());
    let mut closed = build(&over_ball(SolverChoice::Global, false));
    let (before, held) = (world.checkpoint_hash(), queries::pin_vertices(&world, hand).len());
    let lost = shifted(DVec3::new(f64::NAN, 0.0, 0.0));
    let mut refused: Vec<(BuildError, &str)> = Vec::new();
    let mut note = |outcome: Result<(), BuildError>, words| refused.push((outcome.expect_err(words), words));
    note(world.set_obstacle_pose(ball, lost), "obstacle 'ball': its pose has numbers that are not finite");
    note(world.set_pin_pose(hand, lost), "pin 'hand': its pose has numbers that are not finite");
    note(world.set_obstacle_mesh(ball, &[DVec3::ZERO]), "162 vertices, but 1 points are given");
    note(world.set_obstacle_mesh(ball, &[DVec3::splat(1e300); 162]), "point 0 is");
    note(world.set_pin_targets(hand, &[]), "9 vertices, but 0 points are given");
    note(world.set_pin_targets(PinId::from_number(7), &[]), "there are 1 pins");
    let other = closed.find_obstacle("ball").unwrap();
    note(closed.set_obstacle_mesh(other, &[DVec3::ZERO]), "it is no mesh: move it with a pose");
    note(closed.return_to(&build(&over_ball(SolverChoice::Global, true)).snapshot()), "another world");
    for (error, words) in refused {
        assert!(error.to_string().contains(words), "{error}");
    }
    assert_eq!((world.checkpoint_hash(), held), (before, 9));
    world.release_pin(hand).expect("it holds");
    let error = world.set_pin_pose(hand, Pose::IDENTITY).expect_err("it has let go").to_string();
    assert!(error.contains("it has let go"), "{error}");
}

/// A sheet that swings and is remeshed.
fn adaptive() -> World {
    let mut cloth = swing(6);
    cloth.remesh = Some(RemeshSettings { size_min: 0.05, size_max: 0.3, ..RemeshSettings::by_thresholds() });
    world(cloth, settings(SolverChoice::Global))
}

#[test]
fn a_vertex_that_a_caller_holds_on_to_keeps_its_name_through_remeshing() {
    let mut world = adaptive();
    let id = world.find_cloth("sheet").expect("its name");
    let vertex = world.cloth(id).select(&Region::MaterialBox([DVec2::splat(0.49), DVec2::splat(0.51)]))[0];
    let keeper = PinDescription { axes: [false; 3], ..PinDescription::default() };
    let pin = world.add_pin(&[vertex], &keeper).expect("nobody holds it");
    let name = world.sheet().vertex_name(vertex);
    let start = world.sheet().starts[vertex];
    let mut versions = vec![world.cloth(id).topology_version()];
    for _ in 0..tier(12, 40) {
        let report = world.step(&StepInputs::default(), FRAME).expect("it steps");
        let (cloth, last) = (world.cloth(id), versions[versions.len() - 1]);
        assert_eq!(report.remeshed.contains(&id), cloth.topology_version() != last);
        versions.push(cloth.topology_version());
        let number = cloth.find(name).expect("it is kept");
        assert_eq!(world.sheet().starts[cloth.vertex(number)], start, "it is the same point");
        assert_eq!(cloth.name_of(number), name);
        check_arrays(&world);
    }
    assert!(versions.last() > versions.first(), "it was remeshed");
    assert!(world.cloth(id).positions()[world.cloth(id).find(name).unwrap()].y < -0.05, "it falls freely");
    assert_eq!(queries::pin_vertices(&world, pin).len(), 1);
}

/// Checks that a view shows the content of the dense arrays.
fn check_arrays(world: &World) {
    let cloth = world.cloth(world.cloth_ids()[0]);
    let mesh = world.mesh(0);
    assert_eq!((cloth.positions(), cloth.faces()), (mesh.positions.clone(), &mesh.faces[..]));
    assert_eq!(Some(cloth.corners()), mesh.material);
    let dense = &world.motion().positions;
    let numbers = 0..cloth.vertex_count();
    assert!(numbers.zip(&mesh.positions).all(|(number, x)| dense[cloth.vertex(number)] == *x));
    assert_eq!(cloth.velocities(), world.velocities(0));
}

#[test]
fn origins_lead_to_the_mesh_before_the_pass() {
    let mut world = adaptive();
    let id = world.cloth_ids()[0];
    let mut changes = 0;
    for _ in 0..tier(12, 40) {
        let before = (world.mesh(0), world.cloth(id).corners());
        let report = world.step(&StepInputs::default(), FRAME).expect("it steps");
        if !report.remeshed.contains(&id) {
            continue;
        }
        changes += 1;
        let mut points = vec![DVec2::NAN; world.mesh(0).positions.len()];
        let cloth = world.cloth(id);
        for (face, corners) in cloth.faces().iter().zip(cloth.corners()) {
            face.iter().zip(corners).for_each(|(v, u)| points[*v as usize] = u);
        }
        let origins = cloth.origins();
        assert_eq!(origins.len(), points.len());
        for (origin, point) in origins.iter().zip(points) {
            let corners = before.1[origin.face as usize].iter().zip(origin.weights);
            let there: DVec2 = corners.map(|(u, w)| *u * w).sum();
            assert!(there.distance(point) < 1e-12, "{there} for {point}");
            assert!(origin.weights.iter().all(|w| (0.0..=1.0).contains(w)), "{origin:?}");
        }
    }
    assert!(changes > 0, "it was remeshed");
}

#[test]
fn buffers_in_single_precision_have_positions_and_normals() {
    let mut world = build(&over_ball(SolverChoice::Global, false));
    run(&mut world, 3);
    let cloth = world.cloth(world.cloth_ids()[0]);
    let (mut positions, mut normals) = (vec![[7.0; 3]; 3], Vec::new());
    cloth.positions_f32_into(&mut positions);
    cloth.normals_into(&mut normals);
    assert!(positions.iter().zip(cloth.positions()).all(|(x, y)| *x == y.as_vec3().to_array()));
    let mut sums = vec![DVec3::ZERO; positions.len()];
    let exact = cloth.positions();
    for face in cloth.faces() {
        let [a, b, c] = face.map(|v| exact[v as usize]);
        face.iter().for_each(|v| sums[*v as usize] += (b - a).cross(c - a));
    }
    for (normal, sum) in normals.iter().zip(sums) {
        let normal = DVec3::from_array(normal.map(f64::from));
        assert!(normal.distance(sum.normalize()) < 1e-5, "{normal} for {}", sum.normalize());
    }
}

#[test]
fn a_patch_that_is_held_later_is_led_from_where_it_is() {
    for solver in [SolverChoice::Global, SolverChoice::Block] {
        let mut world = world(swing(6), settings(solver));
        run(&mut world, 4);
        let id = world.cloth_ids()[0];
        let patch = world.cloth(id).select(&Region::MaterialBox([DVec2::ZERO, DVec2::new(0.2, 0.2)]));
        assert_eq!(patch.len(), 4);
        let places: Vec<DVec3> = patch.iter().map(|vi| world.motion().positions[*vi]).collect();
        let pin = world.add_pin(&patch, &PinDescription::default()).expect("it is free");
        let again = world.add_pin(&patch, &PinDescription::default()).expect_err("it is held");
        assert!(again.to_string().contains("holds vertex"), "{again}");
        run(&mut world, 1);
        let at = |world: &World, k: usize| world.motion().positions[patch[k]];
        (0..4).for_each(|k| assert!(at(&world, k).distance(places[k]) < 1e-12, "{solver:?}: it is held"));
        world.set_pin_pose(pin, shifted(DVec3::Y * 0.03)).expect("a pose");
        run(&mut world, 1);
        let lifted = |k: usize| at(&world, k).distance(places[k] + DVec3::Y * 0.03);
        (0..4).for_each(|k| assert!(lifted(k) < 1e-12, "{solver:?}: it is led"));
        world.release_pin(pin).expect("it holds");
        run(&mut world, 1);
        assert!(queries::pin_vertices(&world, pin).is_empty());
    }
}

mod loads {
    use super::*;
    use taffeta::sim::{Air, BendingModel, StepReport};

    /// Momentum of all cloths \[kg·m/s\].
    fn momentum(world: &World) -> DVec3 {
        let motion = world.motion();
        motion.masses.iter().zip(motion.velocities.iter()).map(|(m, v)| *v * *m).sum()
    }

    fn mass(world: &World) -> f64 {
        world.motion().masses.iter().sum()
    }

    /// Impulse that obstacles have received in a step \[N·s\].
    fn received(report: &StepReport) -> DVec3 {
        report.obstacle_loads.iter().map(|load| load.force * FRAME).sum()
    }

    #[test]
    fn obstacles_receive_what_a_bouncing_cloth_loses() {
        for (solver, is_mesh) in [
            (SolverChoice::Global, false),
            (SolverChoice::Global, true),
            (SolverChoice::Block, false),
            (SolverChoice::Projective, false),
        ] {
            // A stiff sheet that falls on a ball and on a floor, and is thrown up again by the floor, over and over.
            let mut cloth = laid(5, 0.2);
            if solver == SolverChoice::Projective {
                cloth.bending = BendingModel::MeanCurvature;
            }
            let floor = Obstacle::new(Shape::Plane { normal: DVec3::Y }, Placement::at(DVec3::Y * -0.05));
            let mut description = WorldDescription {
                cloths: vec![cloth],
                obstacles: vec![Obstacle { name: "floor".into(), ..floor }],
                simulation: settings(solver),
                ..WorldDescription::bare()
            };
            match is_mesh {
                true => description.mesh_obstacles.push(mesh_ball()),
                false => description.obstacles.push(ball()),
            }
            let mut world = build(&description);
            let floor = world.find_obstacle("floor").expect("its name");
            let (start, steps) = (momentum(&world), tier(150, 1000));
            let (mut handed, mut largest, mut touched) = (DVec3::ZERO, 0.0_f64, 0);
            for step in 0..steps {
                let lift = 0.04 * f64::from(u8::from(step % 40 < 4)) - 0.05;
                world.set_obstacle_pose(floor, shifted(DVec3::Y * lift)).expect("a pose");
                let report = world.step(&StepInputs::default(), FRAME).expect("it steps");
                handed += received(&report);
                largest = largest.max(received(&report).length());
                touched += u32::from(report.contacts > 0);
                let fall = mass(&world) * -9.81 * FRAME * f64::from(step + 1) * DVec3::Y;
                let lost = start + fall - momentum(&world);
                let (error, bound) = (handed.distance(lost), 1e-10 * lost.length() + 1e-12 * fall.length());
                // What a contact does that is open in the end is handed over with the next one.
                assert!(
                    error < bound || touched == 0,
                    "{solver:?}, mesh: {is_mesh}, step {step}: {error:e} of {lost}"
                );
            }
            assert!(touched > 20 && largest > 1e-2, "{solver:?}: it bounces: {touched}, {largest}");
        }
    }

    #[test]
    fn what_rests_presses_with_its_weight_where_it_lies() {
        for solver in [SolverChoice::Global, SolverChoice::Block] {
            let block = Shape::Box { half_size: DVec3::new(0.3, 0.1, 0.3) };
            let table = Obstacle::new(block, Placement::at(DVec3::new(0.05, -0.1, 0.0)));
            let mut world = build(&WorldDescription {
                cloths: vec![laid(6, 0.001)],
                // The ball is out of the way.
                obstacles: vec![Obstacle { place: Placement::at(DVec3::Y * -5.0), ..ball() }, table],
                simulation: settings(solver),
                ..WorldDescription::bare()
            });
            let ball = world.find_obstacle("ball").expect("its name");
            run(&mut world, 60);
            for _ in 0..20 {
                let report = run(&mut world, 1);
                let [far, near] = report.obstacle_loads[..] else { panic!("two obstacles") };
                assert_eq!((far.obstacle, far.force, far.torque), (ball, DVec3::ZERO, DVec3::ZERO));
                let weight = mass(&world) * -9.81 * DVec3::Y;
                assert!(near.force.distance(weight) < 1e-3 * weight.length(), "{solver:?}: {}", near.force);
                // The middle of the sheet lies 0.05 m beside that of the table, and 0.1 m above it.
                let torque = DVec3::new(-0.05, 0.1, 0.0).cross(weight);
                assert!(near.torque.distance(torque) < 2e-2 * torque.length(), "{solver:?}: {}", near.torque);
                assert_eq!(near.point, DVec3::new(0.05, -0.1, 0.0));
            }
        }
    }

    #[test]
    fn air_grabs_and_damping_are_no_load_of_an_obstacle() {
        let mut description = over_ball(SolverChoice::Global, false);
        description.cloths[0].pins.clear();
        description.air = Some(Air { wind: DVec3::new(3.0, 1.0, 0.0), ..Air::default() });
        description.simulation.velocity_damping = 2.0;
        let mut world = build(&description);
        let ball = world.find_obstacle("ball").expect("its name");
        run(&mut world, 10);
        // It is taken away, and the cloth flies on.
        world.set_obstacle_pose(ball, shifted(DVec3::Y * -50.0)).expect("a pose");
        run(&mut world, 3);
        let weight = mass(&world) * 9.81;
        for _ in 0..10 {
            let report = run(&mut world, 1);
            let force = report.obstacle_loads[0].force;
            assert!(report.contacts == 0 && force.length() < 1e-4 * weight, "{force} for {weight} N");
        }
    }
}

mod members {
    use super::*;

    fn sheet_at(name: &str, height: f64) -> ClothDescription {
        ClothDescription { name: name.into(), ..laid(6, height) }
    }

    #[test]
    fn a_cloth_that_comes_and_goes_leaves_the_others_as_they_would_be() {
        for solver in [SolverChoice::Global, SolverChoice::Block] {
            // Far from each other, so that neither touches the other; substeps by hand, because they are those of the whole.
            let mut description = over_ball(solver, false);
            description.simulation.substeps = Some(4);
            description.simulation.iterations = Some(40);
            let mut world = build(&description);
            let mut alone = build(&description);
            let first = world.cloth_ids()[0];
            let positions = |world: &World| world.cloth(first).positions();
            (0..4).for_each(|_| drop((run(&mut world, 1), run(&mut alone, 1))));
            let mut other = sheet_at("other", 5.0);
            let corner = Region::MaterialBox([DVec2::ZERO, DVec2::ZERO]);
            other.pins.push(PinDescription { name: "corner".into(), ..PinDescription::new(corner) });
            let version = world.cloth(first).topology_version();
            let added = world.add_cloth(&other).expect("it is complete");
            assert_eq!(world.cloth(first).topology_version(), version, "the first is as it was");
            assert_eq!(world.find_cloth("other"), Some(added));
            let pin = world.find_pin("corner").expect("it came with the cloth");
            let held = queries::pin_vertices(&world, pin);
            assert!(held.len() == 1 && world.cloth(added).vertex_range().contains(&(held[0].0 as usize)));
            (0..6).for_each(|_| drop((run(&mut world, 1), run(&mut alone, 1))));
            // Solvers of the whole see both: equal to their tolerance.
            let apart = |world: &World, alone: &World| {
                let pairs = positions(world).into_iter().zip(positions(alone));
                pairs.map(|(x, y)| x.distance(y)).fold(0.0, f64::max)
            };
            assert!(apart(&world, &alone) < 1e-5, "{solver:?}: {}", apart(&world, &alone));
            assert!(world.cloth(added).positions().iter().any(|x| x.y < 4.97), "{solver:?}: it falls");
            let again = world.add_cloth(&other).expect_err("the name is taken").to_string();
            assert!(again.contains("has that name already"), "{again}");
            world.remove_cloth(added).expect("it is there");
            world.keyed().mesh.validate().expect("sound");
            assert!(world.cloths().len() == 1 && world.has_released(pin));
            assert!(world.remove_cloth(added).is_err() && world.set_material(added, stiff()).is_err());
            (0..4).for_each(|_| drop((run(&mut world, 1), run(&mut alone, 1))));
            assert!(apart(&world, &alone) < 1e-5, "{solver:?}: {}", apart(&world, &alone));
            world.remove_cloth(first).expect("it is there");
            run(&mut world, 1);
            assert_eq!(world.vertex_count(), 0);
            world.add_cloth(&sheet_at("last", 0.3)).expect("into an empty world");
            run(&mut world, 2);
        }
    }

    #[test]
    fn an_impossible_cloth_is_refused_and_nothing_changes() {
        let mut world = build(&over_ball(SolverChoice::Global, false));
        let before = world.checkpoint_hash();
        let mut bad = sheet_at("bad", 1.0);
        bad.material.density = -1.0;
        assert!(world.add_cloth(&bad).expect_err("no density").to_string().contains("'bad'"));
        let mut lost = ball();
        lost.place.translate.x = f64::INFINITY;
        assert!(world.add_obstacle(lost).expect_err("nowhere").to_string().contains("sphere obstacle 1"));
        assert!(
            world
                .add_mesh_obstacle(MeshObstacle::default())
                .expect_err("empty")
                .to_string()
                .contains("no faces")
        );
        assert_eq!(world.checkpoint_hash(), before);
    }

    #[test]
    fn obstacles_come_and_go_and_what_sticks_to_others_stays() {
        for solver in [SolverChoice::Global, SolverChoice::Block] {
            // A sheet that sticks to a tilted board, between two that come and go.
            let mut board = Obstacle::new(Shape::Plane { normal: DVec3::Y }, Placement::default());
            board.place.rotate_deg.z = 15.0;
            board.name = "board".into();
            let mut cloth = laid(6, 0.0);
            let (s, c) = 15.0_f64.to_radians().sin_cos();
            for x in &mut cloth.mesh.positions {
                *x = DVec3::new(c * x.x, s * x.x, x.z) + 0.0006 * DVec3::new(-s, c, 0.0);
            }
            let far = || Obstacle { place: Placement::at(DVec3::Y * -30.0), ..ball() };
            let mut world = build(&WorldDescription {
                cloths: vec![cloth],
                obstacles: vec![far(), board],
                simulation: settings(solver),
                ..WorldDescription::default()
            });
            let (first, board) =
                (world.find_obstacle("ball").unwrap(), world.find_obstacle("board").unwrap());
            run(&mut world, 20);
            let before = world.mesh(0).positions;
            world.remove_obstacle(first).expect("it is there");
            assert_eq!(world.find_obstacle("board"), Some(board));
            run(&mut world, 10);
            let added = world.add_obstacle(far()).expect("a ball");
            let (name, place) = ("shell".into(), Placement::at(DVec3::Y * -30.0));
            let mesh = MeshObstacle { name, place, ..mesh_ball() };
            let mesh = world.add_mesh_obstacle(mesh).expect("a ball");
            let report = run(&mut world, 10);
            let ids: Vec<_> = report.obstacle_loads.iter().map(|load| load.obstacle).collect();
            assert_eq!(ids, [board, added, mesh]);
            assert!(report.obstacle_loads[0].force.y < -0.1, "{solver:?}: {:?}", report.obstacle_loads[0]);
            world.remove_obstacle(mesh).expect("it is there");
            run(&mut world, 5);
            let slipped =
                before.iter().zip(&world.mesh(0).positions).map(|(x, y)| x.distance(*y)).fold(0.0, f64::max);
            assert!(slipped < 1e-4, "{solver:?}: it sticks: {slipped}");
            world.remove_obstacle(board).expect("it is there");
            run(&mut world, 20);
            assert!(world.measure().momentum.y < -0.01, "{solver:?}: it falls");
        }
    }
}
