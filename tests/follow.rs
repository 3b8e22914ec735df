//! Pins that follow obstacles.

use crate::common::*;
use glam::{DMat3, DQuat, DVec2, DVec3};
use taffeta::contact::{MeshObstacle, Obstacle, Shape};
use taffeta::core::{Keyframe, KeyframedMotion, Placement, Pose, Region};
use taffeta::io::{GridPattern, sphere_mesh};
use taffeta::remesh::RemeshSettings;
use taffeta::sim::{
    BodyId, ClothDescription, PinDescription, PinId, SimulationSettings, SolverChoice, StepInputs, World,
    WorldDescription, queries,
};

const SOLVERS: [SolverChoice; 2] = [SolverChoice::Global, SolverChoice::Block];

/// Largest distance of a held vertex from its target \[m\].
const NEAR: f64 = 1e-9;

/// A sheet of 0.4 m beside a ball of radius 0.1 m around the origin, held at the edge toward it.
fn sheet() -> ClothDescription {
    let mut mesh = square(6, GridPattern::Alternating);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(0.12 + 0.4 * x.x, 0.03, 0.2 - 0.4 * x.y));
    mesh.material.iter_mut().flatten().flatten().for_each(|u| *u *= 0.4);
    let mut cloth = ClothDescription::new("sheet", mesh, stiff());
    cloth.pins.push(follower());
    cloth
}

fn follower() -> PinDescription {
    let edge = Region::MaterialBox([DVec2::ZERO, DVec2::new(0.0, 0.4)]);
    PinDescription { name: "hand".into(), follow: Some("ball".into()), ..PinDescription::new(edge) }
}

/// A turn about an axis of no symmetry, and a way.
fn motion() -> KeyframedMotion {
    let key = |time, angle, way| Keyframe {
        time,
        translate: DVec3::new(0.1, 0.2, -0.3) * way,
        rotate_deg: DVec3::new(0.2, 1.0, -0.4) * angle,
    };
    vec![key(0.0, 0.0, 0.0), key(0.1, 40.0, 1.0), key(0.17, 30.0, 2.0)].into()
}

fn ball() -> Obstacle {
    let motion = motion();
    let at = Placement::default();
    Obstacle { name: "ball".into(), motion, ..Obstacle::new(Shape::Sphere { radius: 0.1 }, at) }
}

fn mesh_ball(shapes: usize, shape_rate: f64) -> MeshObstacle {
    let mesh = sphere_mesh(0.1, 2);
    // It is twisted and stretched more and more.
    let bent = |k: usize| {
        let bend = |x: &DVec3| {
            DMat3::from_rotation_y(0.15 * k as f64 + 2.0 * x.y * k as f64) * *x * (1.0 + 0.05 * k as f64)
        };
        mesh.positions.iter().map(bend).collect()
    };
    MeshObstacle {
        name: "ball".into(),
        shapes: (0..shapes).map(bent).collect(),
        shape_rate,
        ..MeshObstacle::new(Vec::new(), mesh.faces.clone(), Placement::default())
    }
}

fn description(solver: SolverChoice) -> WorldDescription {
    WorldDescription {
        cloths: vec![sheet()],
        simulation: SimulationSettings { solver, velocity_damping: 2.0, ..SimulationSettings::default() },
        ..WorldDescription::default()
    }
}

fn build(description: &WorldDescription) -> World {
    World::build(description).expect("a sound world")
}

/// Largest distance of what the first pin holds from where `place` takes it, by where it was at time 0 \[m\].
fn farthest(world: &World, place: impl Fn(DVec3) -> DVec3) -> f64 {
    let held = queries::pin_vertices(world, PinId::from_number(0));
    assert!(held.len() >= 7);
    let off = |vi| world.motion().positions[vi].distance(place(world.sheet().starts[vi]));
    held.into_iter().map(off).fold(0.0, f64::max)
}

#[test]
fn what_follows_a_rigid_body_moves_with_it_through_remeshing() {
    for solver in SOLVERS {
        let closed = WorldDescription { obstacles: vec![ball()], ..description(solver) };
        let meshed = MeshObstacle { motion: motion(), ..mesh_ball(1, 0.0) };
        let meshed = WorldDescription { mesh_obstacles: vec![meshed], ..description(solver) };
        for mut described in [closed, meshed] {
            let settings =
                RemeshSettings { size_min: 0.03, size_max: 0.06, ..RemeshSettings::by_thresholds() };
            described.cloths[0].remesh = Some(settings);
            let mut world = build(&described);
            for frame in 0..11 {
                run(&mut world, 1);
                let pose = motion().pose_at(world.time(), DVec3::ZERO);
                let off = farthest(&world, |x| pose.apply(x));
                assert!(off < NEAR, "{solver:?}, frame {frame}: {off} m off the body");
            }
            assert!(queries::pin_vertices(&world, PinId::from_number(0)).len() > 7, "no vertex came between");
        }
    }
}

/// The point of a triangle mesh that is nearest to a point, by its face and weights, from the definition.
fn nearest(faces: &[[u32; 3]], x: &[DVec3], point: DVec3) -> ([u32; 3], [f64; 3]) {
    let weights = |face: &[u32; 3]| {
        taffeta::core::geometry::closest_point_on_triangle(point, face.map(|v| x[v as usize]))
    };
    let at = |(face, w): &([u32; 3], [f64; 3])| (0..3).map(|k| x[face[k] as usize] * w[k]).sum::<DVec3>();
    let all = faces.iter().map(|face| (*face, weights(face)));
    all.min_by(|a, b| at(a).distance(point).total_cmp(&at(b).distance(point))).expect("it has faces")
}

#[test]
fn what_follows_a_surface_keeps_its_distance_and_place_on_its_face() {
    // A shape in every frame: held vertices move straight within it.
    let body = mesh_ball(12, 60.0);
    let described =
        WorldDescription { mesh_obstacles: vec![body.clone()], ..description(SolverChoice::Global) };
    let mut world = build(&described);
    for frame in 1..12 {
        run(&mut world, 1);
        let (start, now) = (&body.shapes[0], &body.shapes[frame]);
        for vi in queries::pin_vertices(&world, PinId::from_number(0)) {
            let rest = world.sheet().starts[vi];
            let (face, weights) = nearest(&body.faces, start, rest);
            let on = |x: &[DVec3]| (0..3).map(|k| x[face[k] as usize] * weights[k]).sum::<DVec3>();
            let to = world.motion().positions[vi] - on(now);
            assert!((to.length() - rest.distance(on(start))).abs() < NEAR, "frame {frame}");
            // A place off the edges of the mesh is off its face along the normal.
            if weights.iter().all(|w| *w > 1e-6) {
                let [a, b, c] = face.map(|v| now[v as usize]);
                let normal = (b - a).cross(c - a).normalize();
                assert!(to.cross(normal).length() < NEAR, "frame {frame}: {to}");
            }
        }
    }
}

#[test]
fn what_follows_goes_where_a_caller_moves_the_body() {
    let described =
        WorldDescription { mesh_obstacles: vec![mesh_ball(1, 0.0)], ..description(SolverChoice::Global) };
    let mut world = build(&described);
    let body = world.obstacle_ids().next().expect("it is there");
    let turn = |frame: u32| {
        Pose::new(DQuat::from_rotation_z(0.1 * f64::from(frame)), DVec3::X * 0.02 * f64::from(frame))
    };
    for frame in 1..=5 {
        world.set_obstacle_pose(body, turn(frame)).expect("a pose");
        run(&mut world, 1);
        let off = farthest(&world, |x| turn(frame).apply(x));
        assert!(off < NEAR, "frame {frame}: {off} m off the body");
    }
    let skin: Vec<DVec3> = mesh_ball(1, 0.0).shapes[0].iter().map(|x| turn(9).apply(*x)).collect();
    world.set_obstacle_mesh(body, &skin).expect("as many places");
    // A checkpoint in between finds the same end.
    let checkpoint = world.checkpoint();
    let mut again = build(&described);
    again.restore(checkpoint).expect("it is of this world");
    for world in [&mut world, &mut again] {
        run(world, 1);
        let off = farthest(world, |x| turn(9).apply(x));
        assert!(off < NEAR, "{off} m off the skin");
    }
    let hash = |world: &World| world.motion().positions.raw.clone();
    assert_eq!(hash(&world), hash(&again));
}

#[test]
fn pins_that_are_added_and_cloths_that_come_follow_from_then_on() {
    let mut described = WorldDescription { obstacles: vec![ball()], ..description(SolverChoice::Global) };
    described.cloths[0].pins.clear();
    let mut world = build(&described);
    run(&mut world, 5);
    let (before, first) = (motion().pose_at(world.time(), DVec3::ZERO), world.cloth_ids()[0]);
    let edge = world.cloth(first).select(&Region::MaterialBox([DVec2::ZERO, DVec2::new(0.0, 0.4)]));
    let starts: Vec<DVec3> = edge.iter().map(|vi| world.motion().positions[*vi]).collect();
    world.add_pin(&edge, &follower()).expect("it is free");
    let mut other = sheet();
    other.name = "other".into();
    other.pins[0].name = "other hand".into();
    other.mesh.positions.iter_mut().for_each(|x| *x += DVec3::Y * 2.0);
    let other = world.add_cloth(&other).expect("it fits");
    run(&mut world, 6);
    let by = motion().pose_at(world.time(), DVec3::ZERO).after(&before.inverse());
    for (vi, start) in queries::pin_vertices(&world, PinId::from_number(0)).into_iter().zip(&starts) {
        assert!(world.motion().positions[vi].distance(by.apply(*start)) < NEAR);
    }
    let held = queries::pin_vertices(&world, PinId::from_number(1));
    assert_eq!(held.len(), 7);
    for vi in held {
        assert!(world.motion().positions[vi].distance(by.apply(world.sheet().starts[vi])) < NEAR);
    }
    let _ = other;
}

#[test]
fn what_cannot_follow_is_refused() {
    let refusal = |change: &dyn Fn(&mut WorldDescription)| {
        let mut described = WorldDescription { obstacles: vec![ball()], ..description(SolverChoice::Global) };
        change(&mut described);
        World::build(&described).expect_err("it is refused").to_string()
    };
    let message = refusal(&|world| world.obstacles[0].name = "body".into());
    assert!(message.contains("pin 'hand'") && message.contains("the obstacles are \"body\""), "{message}");
    let message = refusal(&|world| world.obstacles.clear());
    assert!(message.contains("follows \"ball\", but no obstacle has a name"), "{message}");
    let message = refusal(&|world| {
        world.obstacles[0].name.clear();
        world.cloths[0].pins[0].follow = Some(String::new());
    });
    assert!(message.contains("an obstacle without a name"), "{message}");
    let message = refusal(&|world| world.cloths[0].pins[0].motion = motion());
    assert!(message.contains("a motion of its own"), "{message}");
    let message = refusal(&|world| world.cloths[0].pins[0].clamp = true);
    assert!(message.contains("cannot clamp"), "{message}");
    let message = refusal(&|world| {
        let region = world.cloths[0].pins[0].region.clone();
        world.cloths[0].pins.push(PinDescription::new(region));
    });
    assert!(message.contains("pin 0 and pin 1") && message.contains("same obstacle"), "{message}");

    let mut world = build(&WorldDescription { obstacles: vec![ball()], ..description(SolverChoice::Global) });
    let (pin, body) = (PinId::from_number(0), world.obstacle_ids().next().expect("it is there"));
    let message = world.set_pin_pose(pin, Pose::IDENTITY).unwrap_err().to_string();
    assert!(message.contains("follows the obstacle \"ball\": move that"), "{message}");
    let message = world.remove_obstacle(body).unwrap_err().to_string();
    assert!(message.contains("pin 'hand' follows it: release that first"), "{message}");
    let by = Pose { translation: DVec3::X, ..Pose::IDENTITY };
    let message = world.teleport_obstacle(body, by).unwrap_err().to_string();
    assert!(message.contains("follows obstacle 'ball': teleport both together"), "{message}");
    let cloth = world.cloth_ids()[0];
    assert!(world.teleport(&[cloth], by, true).is_err());
    world.teleport(&[BodyId::from(cloth), body.into()], by, true).expect("both go");
    run(&mut world, 4);
    let pose = by.after(&motion().pose_at(world.time(), DVec3::ZERO));
    assert!(farthest(&world, |x| pose.apply(x)) < NEAR);
    world.release_pin(pin).expect("it holds");
    world.step(&StepInputs::default(), FRAME).expect("a step");
    world.remove_obstacle(body).expect("nothing follows it");
    world.step(&StepInputs::default(), FRAME).expect("a step");
}

#[test]
fn a_jump_of_the_body_takes_along_what_follows_it() {
    let mut jumping = ball();
    jumping.motion = vec![
        Keyframe { time: 0.0, translate: DVec3::ZERO, rotate_deg: DVec3::ZERO },
        Keyframe { time: 0.05, translate: DVec3::new(0.0, 3.0, 1.0), rotate_deg: DVec3::Y * 40.0 },
    ]
    .into();
    jumping.motion.jumps = vec![1];
    let mut world =
        build(&WorldDescription { obstacles: vec![jumping.clone()], ..description(SolverChoice::Global) });
    run(&mut world, 6);
    let pose = jumping.motion.pose_at(1.0, DVec3::ZERO);
    assert!(farthest(&world, |x| pose.apply(x)) < NEAR);
    let speeds = world.motion().velocities.iter().map(|v| v.length());
    assert!(speeds.fold(0.0, f64::max) < 5.0, "the jump has made speed");
}

#[test]
fn a_cloth_that_falls_below_everything_is_noticed() {
    let free = |change: &dyn Fn(&mut WorldDescription)| {
        let mut described = WorldDescription { obstacles: vec![ball()], ..description(SolverChoice::Global) };
        described.simulation.velocity_damping = 0.0;
        described.cloths[0].pins.clear();
        described.cloths[0].mesh.positions.iter_mut().for_each(|x| *x += DVec3::X * 0.2);
        change(&mut described);
        let mut world = build(&described);
        let mut found = Vec::new();
        for _ in 0..40 {
            run(&mut world, 1);
            found.push(queries::cloths_left_behind(&world).len());
        }
        found
    };
    let found = free(&|_| ());
    assert!(found.is_sorted() && found[0] == 0 && found[39] == 1, "{found:?}");
    let floor = |world: &mut WorldDescription| {
        let at = Placement::at(DVec3::new(0.0, -50.0, 0.0));
        world.obstacles.push(Obstacle::new(Shape::Plane { normal: DVec3::Y }, at));
    };
    assert_eq!(free(&floor)[39], 0);
    assert_eq!(free(&|world| world.simulation.gravity = DVec3::ZERO)[39], 0);
    assert_eq!(free(&|world| world.obstacles.clear())[39], 0);
    assert_eq!(free(&|world| world.cloths[0].pins = sheet().pins)[39], 0);
    let below = |world: &mut WorldDescription| {
        world.obstacles[0].place.translate.y = -30.0;
    };
    assert_eq!(free(&below)[39], 0);
}
