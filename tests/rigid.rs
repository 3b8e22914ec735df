//! Obstacles that move by themselves, with a mass, and obstacles that follow a path with a largest force.

use crate::common::*;
use glam::{DVec2, DVec3};
use taffeta::contact::{Freedom, Limit, Obstacle, RigidBody, Shape};
use taffeta::core::{Friction, Keyframe, Placement, Pose, Region};
use taffeta::io::{GridPattern, grid};
use taffeta::remesh::RemeshSettings;
use taffeta::sim::{
    ClothDescription, Material, PinDescription, SimulationSettings, SolverChoice, World, WorldDescription,
    queries,
};

const G: f64 = 9.81;

/// A horizontal sheet with a side of 1 m at a height \[m\], of cotton of 0.3 kg.
fn sheet(cells: u32, height: f64) -> ClothDescription {
    let mut mesh = grid(DVec2::ONE, [cells; 2], GridPattern::Alternating, 1);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x - 0.5, height, 0.5 - x.y));
    ClothDescription::new("sheet", mesh, Material::isotropic(0.3, 2000.0, 0.3, 1e-4))
}

fn hung(cells: u32, height: f64) -> ClothDescription {
    let mut cloth = sheet(cells, height);
    cloth.pins.push(PinDescription::new(Region::Boundary));
    cloth
}

fn body(shape: Shape, at: DVec3, mass: f64) -> Obstacle {
    let freedom = Freedom::Free(RigidBody::new(mass));
    Obstacle { name: "body".into(), freedom, ..Obstacle::new(shape, Placement::at(at)) }
}

const EVERYWHERE: Region = Region::Box([DVec3::splat(-9.0), DVec3::splat(9.0)]);

const BALL: Shape = Shape::Sphere { radius: 0.1 };

fn world_of(cloths: Vec<ClothDescription>, obstacles: Vec<Obstacle>) -> WorldDescription {
    WorldDescription { cloths, obstacles, ..WorldDescription::bare() }
}

fn place(world: &World) -> DVec3 {
    world.obstacles()[0].pose_at(world.time()).translation
}

#[test]
fn a_body_that_nothing_touches_falls_and_turns_as_by_closed_form() {
    let start = DVec3::new(3.0, 5.0, 0.0);
    let mut ball = body(BALL, start, 2.0);
    let velocity = DVec3::new(1.0, 2.0, -0.5);
    ball.freedom = Freedom::Free(RigidBody {
        velocity,
        angular_velocity: DVec3::new(0.0, 3.0, 0.0),
        ..RigidBody::new(2.0)
    });
    let mut world = build(&world_of(vec![hung(4, 0.0)], vec![ball]));
    run(&mut world, 30);
    let t = world.time();
    let expected = start + velocity * t - DVec3::Y * (0.5 * G * t * t);
    assert!(place(&world).distance(expected) < 1e-9, "{} {expected}", place(&world));
    let turned = world.obstacles()[0].pose_at(t).rotation * DVec3::X;
    let expected = DVec3::new((3.0 * t).cos(), 0.0, -(3.0 * t).sin());
    assert!(turned.distance(expected) < 2e-3, "{turned} {expected}");
}

/// At 60 steps a second, where a body that only feels the load of the step before would be thrown ever higher.
#[test]
fn a_heavy_ball_on_a_light_sheet_never_bounces_higher_than_it_fell() {
    for mass in [0.1, 1.0, 10.0] {
        let from = 0.5;
        let mut world = build(&world_of(vec![hung(16, 0.0)], vec![body(BALL, DVec3::Y * from, mass)]));
        let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
        for _ in 0..120 {
            run(&mut world, 1);
            let height = place(&world).y;
            lowest = lowest.min(height);
            if lowest < 0.1 {
                highest = highest.max(height);
            }
        }
        assert!(lowest < 0.1 && lowest > -0.4, "{mass} kg: {lowest}");
        assert!(highest < from, "{mass} kg: {highest}");
    }
}

#[test]
fn a_body_rests_on_a_floor_and_slides_down_a_slope_as_by_closed_form() {
    let friction = |k: f64| Friction { static_: k, kinetic: k };
    for (shape, size) in [(Shape::Box { half_size: DVec3::new(0.2, 0.1, 0.15) }, 0.1)] {
        for (degrees, mu, slides) in [(0.0, 0.3, false), (10.0, 0.3, false), (30.0, 0.3, true)] {
            let slope = Placement { rotate_deg: DVec3::new(0.0, 0.0, -degrees), ..Placement::default() };
            let mut plane = Obstacle::new(Shape::Plane { normal: DVec3::Y }, slope);
            plane.friction = friction(mu);
            let angle = f64::to_radians(degrees);
            let (normal, down) =
                (DVec3::new(angle.sin(), angle.cos(), 0.0), DVec3::new(angle.cos(), -angle.sin(), 0.0));
            let mut own = body(shape, normal * size, 1.5);
            own.place.rotate_deg = slope.rotate_deg;
            own.friction = friction(mu);
            let mut world = build(&world_of(vec![hung(4, 5.0)], vec![own, plane]));
            run(&mut world, 60);
            let moved = place(&world) - normal * size;
            let expected = if slides { 0.5 * G * (angle.sin() - mu * angle.cos()) } else { 0.0 };
            assert!((moved.dot(down) - expected).abs() < 0.005 * expected + 1e-4, "{degrees}°: {moved}");
            assert!(moved.dot(normal).abs() < 1e-4, "{degrees}°: {moved}");
        }
    }
}

#[test]
fn momentum_goes_from_a_ball_to_the_cloth_that_it_meets() {
    let mut ball = body(BALL, DVec3::Y * 0.15, 1.0);
    ball.freedom = Freedom::Free(RigidBody { velocity: DVec3::Y * -2.0, ..RigidBody::new(1.0) });
    let mut description = world_of(vec![sheet(12, 0.0)], vec![ball]);
    description.simulation.gravity = DVec3::ZERO;
    let mut world = build(&description);
    let id = world.find_obstacle("body").unwrap();
    let report = run(&mut world, 30);
    let (velocity, _) = queries::rigid_motion(&world, id).unwrap();
    let total = report.metrics.momentum + velocity;
    assert!(velocity.y > -1.95, "the cloth slows it down: {velocity}");
    assert!(total.distance(DVec3::Y * -2.0) < 1e-3 * 2.0, "{total}");
}

#[test]
fn a_sheet_that_is_damped_bears_the_weight_of_what_has_come_to_rest_on_it() {
    let mut cloth = hung(12, 0.0);
    (cloth.material.stretch_damping, cloth.material.bend_damping) = (0.05, 0.05);
    let shape = Shape::Box { half_size: DVec3::new(0.1, 0.05, 0.08) };
    let mut world = build(&world_of(vec![cloth], vec![body(shape, DVec3::Y * 0.1, 1.0)]));
    run(&mut world, 240);
    let (velocity, spin) = queries::rigid_motion(&world, world.find_obstacle("body").unwrap()).unwrap();
    assert!(velocity.length() < 2e-3 && spin.length() < 0.05, "{velocity} {spin}");
    let loads: DVec3 = (0..30).map(|_| run(&mut world, 1).obstacle_loads[0].force).sum::<DVec3>() / 30.0;
    assert!((loads.y - G).abs() < 0.01 * G, "{loads}");
    assert!(place(&world).y < -0.01, "{}", place(&world));
}

/// A plate that is driven 0.3 m into a hung sheet and back, within two seconds, with no more than a largest force.
/// The world, and in each frame the height of the plate \[m\] and the load on it \[N\].
fn pressed(limit: Option<f64>) -> (World, Vec<(f64, f64)>) {
    let mut cloth = hung(12, 0.0);
    (cloth.material.stretch_damping, cloth.material.bend_damping) = (0.02, 0.02);
    let shape = Shape::Box { half_size: DVec3::new(0.15, 0.02, 0.15) };
    let key = |time, y| Keyframe { time, translate: DVec3::Y * y, rotate_deg: DVec3::ZERO };
    let plate = Obstacle {
        name: "plate".into(),
        motion: vec![key(0.0, 0.0), key(1.0, -0.3), key(1.5, -0.3), key(2.0, 0.0)].into(),
        freedom: limit.map_or(Freedom::Prescribed, |force| Freedom::Limited(Limit::new(force))),
        ..Obstacle::new(shape, Placement::at(DVec3::Y * 0.05))
    };
    let mut world = build(&world_of(vec![cloth], vec![plate]));
    let frames = (0..150).map(|_| {
        let load = run(&mut world, 1).obstacle_loads[0].force.y;
        (place(&world).y, load)
    });
    let frames = frames.collect();
    (world, frames)
}

#[test]
fn what_follows_a_path_with_a_largest_force_stops_where_cloth_resists_more() {
    let (_, free) = pressed(None);
    let (_, strong) = pressed(Some(1e5));
    let (world, weak) = pressed(Some(40.0));
    let largest = |frames: &[(f64, f64)]| frames.iter().map(|frame| frame.1).fold(0.0, f64::max);
    let lowest = |frames: &[(f64, f64)]| frames.iter().map(|frame| frame.0).fold(0.0, f64::min);
    assert!(largest(&free) > 200.0, "{}", largest(&free));
    assert!(lowest(&strong) < -0.2499, "{}", lowest(&strong));
    // Its contacts are stiff enough for all of its force: where cloth bears less than a newton, they tell little of it.
    for (free, strong) in free.iter().zip(&strong).filter(|(free, _)| free.1 > 50.0) {
        assert!((strong.1 / free.1 - 1.0).abs() < 0.05, "{strong:?} {free:?}");
    }
    let held = &weak[40..94];
    assert!(held.iter().all(|(_, load)| (load - 40.0).abs() < 0.02 * 40.0), "{held:?}");
    assert!(lowest(&weak) > -0.2, "{}", lowest(&weak));
    assert!((place(&world).y - 0.05).abs() < 1e-4, "it goes on when it can: {}", place(&world));
}

/// Two jaws with a largest force close on a hanging strip, wherever their paths would lead, lift it and let it go.
#[test]
fn jaws_with_a_largest_force_hold_cloth_however_far_they_would_close() {
    for gap in [-0.01, 0.0, 0.0004] {
        let mut mesh = grid(DVec2::new(0.1, 0.3), [4, 12], GridPattern::Alternating, 1);
        mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x - 0.05, x.y, 0.0));
        let mut cloth = ClothDescription::new("strip", mesh, Material::isotropic(0.2, 1000.0, 0.3, 1e-5));
        cloth.material.thickness = 5e-4;
        let top = Region::MaterialBox([DVec2::new(0.0, 0.3), DVec2::new(0.1, 0.3)]);
        // It hangs until the jaws have closed.
        cloth.pins = vec![PinDescription { release: Some(0.4), ..PinDescription::new(top) }];
        let jaw = |side: f64| {
            let half_size = DVec3::new(0.07, 0.01, 0.02);
            let closed = 0.02 + 0.5 * gap;
            let key = |time, y, z| Keyframe {
                time,
                translate: DVec3::new(0.0, y, side * z),
                rotate_deg: DVec3::ZERO,
            };
            let open = 0.05;
            let keys = vec![
                key(0.0, 0.0, open),
                key(0.3, 0.0, closed),
                key(0.5, 0.0, closed),
                key(1.0, 0.2, closed),
                key(1.2, 0.2, closed),
                key(1.3, 0.2, open),
            ];
            Obstacle {
                motion: keys.into(),
                friction: Friction { static_: 0.8, kinetic: 0.7 },
                freedom: Freedom::Limited(Limit::new(5.0)),
                ..Obstacle::new(Shape::Box { half_size }, Placement::at(DVec3::Y * 0.28))
            }
        };
        let mut world = build(&world_of(vec![cloth], vec![jaw(1.0), jaw(-1.0)]));
        let height = |world: &World| {
            let x = world.mesh(0).positions;
            x.iter().map(|x| x.y).fold(f64::NEG_INFINITY, f64::max)
        };
        run(&mut world, 29);
        let before = height(&world);
        run(&mut world, 43);
        let slip = before + 0.2 - height(&world);
        assert!(slip.abs() < 1e-3, "gap {gap}: {slip}");
        run(&mut world, 20);
        assert!(height(&world) < before + 0.15, "gap {gap}: it falls");
    }
}

#[test]
fn what_solves_for_cloths_alone_knows_no_bodies() {
    for solver in [SolverChoice::Block, SolverChoice::Direct, SolverChoice::Projective] {
        let mut description = world_of(vec![hung(4, 0.0)], vec![body(BALL, DVec3::Y, 1.0)]);
        description.simulation = SimulationSettings { solver, ..SimulationSettings::default() };
        let error = World::build(&description).unwrap_err().to_string();
        assert!(error.contains("mass") && error.contains("solves for cloths alone"), "{error}");
    }
}

/// A world with CCD.
fn guarded(cloth: ClothDescription, body: Obstacle) -> World {
    build(&WorldDescription { self_contact: Some(true), ..world_of(vec![cloth], vec![body]) })
}

/// The lowest place of a body above a sheet \[m\], and the highest anywhere, in so many frames, in none of which anything crosses.
fn follow(world: &mut World, frames: u32, what: &str) -> [f64; 2] {
    let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
    for frame in 0..frames {
        run(world, 1);
        assert_eq!(world.crossings().map(|found| found.len()), Some(0), "{what}: frame {frame}");
        assert_eq!(queries::sunken_faces(world), Some(0), "{what}: frame {frame}");
        let at = place(world);
        let is_above = at.x.abs() < 0.5 && at.z.abs() < 0.5;
        lowest = if is_above { lowest.min(at.y) } else { lowest };
        highest = highest.max(at.y);
    }
    [lowest, highest]
}

/// On the rim of a sheet, and on one of which every vertex is held: there the body alone gives way. It used to go through.
#[test]
fn no_body_goes_through_cloth_that_is_held() {
    let tilt = DVec3::new(20.0, 30.0, 10.0);
    let block = Shape::Box { half_size: DVec3::new(0.1, 0.06, 0.08) };
    for (where_, x, region) in [("rim", 0.5, Region::Boundary), ("board", 0.1, EVERYWHERE)] {
        for (shape, size) in [(block, 0.05), (BALL, 0.099)] {
            for (mass, speed) in [(0.05, 0.0), (50.0, 0.0), (2.0, 10.0)] {
                let what = format!("{where_}, {}, {mass} kg, {speed} m/s", shape.name());
                let mut cloth = sheet(16, 0.0);
                (cloth.material.thickness, cloth.material.density) = (1.8e-4, 0.07);
                cloth.pins.push(PinDescription::new(region.clone()));
                let from = 0.25;
                let mut own = body(shape, DVec3::new(x, from, 0.0), mass);
                own.place.rotate_deg = tilt;
                let velocity = DVec3::Y * -speed;
                own.freedom = Freedom::Free(RigidBody { velocity, ..RigidBody::new(mass) });
                let mut world = guarded(cloth, own);
                let [lowest, highest] = follow(&mut world, 30, &what);
                assert!(highest <= from + 0.5 * speed * speed / G, "{what}: it gains energy: {highest}");
                assert!(where_ == "rim" || lowest > size, "{what}: {lowest}");
            }
        }
    }
}

/// A face much larger than the body is touched by several of its corners, or by both of its ends. With one contact to a face the body
/// turned about that, and was thrown off with ten times its energy.
#[test]
fn a_body_smaller_than_a_face_comes_to_rest_on_it() {
    let small = Shape::Box { half_size: DVec3::new(0.03, 0.018, 0.024) };
    let large = Shape::Box { half_size: DVec3::new(0.1, 0.06, 0.08) };
    let capsule = Shape::Capsule { radius: 0.02, half_length: 0.05 };
    for (shape, cells, velocity) in
        [(small, 10, [1.0, 0.2]), (small, 10, [0.0, 0.2]), (large, 4, [3.0, 0.2]), (capsule, 4, [1.0, 0.5])]
    {
        let mut cloth = sheet(cells, 0.0);
        cloth.mesh.positions.iter_mut().for_each(|x| *x *= 2.0);
        let coords = cloth.mesh.positions.iter().map(|x| DVec2::new(x.x, -x.z)).collect::<Vec<_>>();
        cloth.mesh.set_vertex_material(&coords);
        cloth.pins.push(PinDescription::new(EVERYWHERE));
        let [x, z] = velocity;
        let mut own = body(shape, DVec3::new(-0.5, 0.3, 0.01), 1.0);
        own.freedom = Freedom::Free(RigidBody { velocity: DVec3::new(x, 0.0, z), ..RigidBody::new(1.0) });
        let mut world = guarded(cloth, own);
        let what = format!("{} on {cells} cells at {velocity:?} m/s", shape.name());
        let [lowest, highest] = follow(&mut world, 60, &what);
        assert!(highest <= 0.3 && lowest > 0.017, "{what}: {lowest} {highest}");
    }
}

/// Bodies much lighter than the cloth that swings beneath them. All of the momentum of cloth that CCD stops at them made them as fast as
/// 140 m/s.
#[test]
fn light_bodies_are_not_thrown_off() {
    let block = Shape::Box { half_size: DVec3::new(0.01, 0.006, 0.008) };
    for (shape, mass) in [(block, 1e-5), (Shape::Sphere { radius: 0.01 }, 1e-5), (block, 1e-4)] {
        let mut mesh = grid(DVec2::splat(0.3), [16; 2], GridPattern::Alternating, 1);
        mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x - 0.15, 0.0, 0.15 - x.y));
        let mut cloth = ClothDescription::new("sheet", mesh, Material::isotropic(0.4, 8000.0, 0.2, 5e-5));
        cloth.material.thickness = 9e-4;
        let side = |x: f64| Region::MaterialBox([DVec2::new(x - 0.01, 0.0), DVec2::new(x + 0.01, 0.3)]);
        let key = |time, x| Keyframe { time, translate: DVec3::X * x, rotate_deg: DVec3::ZERO };
        let motion = vec![key(0.0, 0.0), key(0.5, -0.05), key(0.7, 0.0)].into();
        cloth.pins =
            vec![PinDescription::new(side(0.0)), PinDescription { motion, ..PinDescription::new(side(0.3)) }];
        let mut own = body(shape, DVec3::new(0.01, 0.02, 0.0), mass);
        own.place.rotate_deg = DVec3::new(20.0, 30.0, 10.0);
        let mut world = guarded(cloth, own);
        let [_, highest] = follow(&mut world, 60, shape.name());
        // The sheet swings up when its sides are pulled apart, at about a meter per second.
        assert!(highest < 0.15, "{} of {mass} kg: {highest}", shape.name());
        let (velocity, _) = queries::rigid_motion(&world, world.find_obstacle("body").unwrap()).unwrap();
        assert!(velocity.length() < 1.5, "{} of {mass} kg: {velocity}", shape.name());
    }
}

/// A body that rests on cloth of which every vertex is held is as high as the cloth is thick.
#[test]
fn a_body_rests_on_held_cloth_as_on_a_board() {
    let mut cloth = sheet(8, 0.0);
    cloth.pins.push(PinDescription::new(EVERYWHERE));
    let thickness = cloth.material.thickness;
    let shape = Shape::Box { half_size: DVec3::new(0.1, 0.05, 0.08) };
    let mut own = body(shape, DVec3::new(0.01, 0.06, 0.02), 3.0);
    own.friction = Friction { static_: 0.5, kinetic: 0.4 };
    let mut world = guarded(cloth, own);
    follow(&mut world, 90, "box");
    let height = place(&world).y - 0.05;
    assert!(height <= 0.5 * thickness && height > 0.3 * thickness, "{height} {thickness}");
    let (velocity, _) = queries::rigid_motion(&world, world.find_obstacle("body").unwrap()).unwrap();
    assert!(velocity.length() < 1e-6, "{velocity}");
    let load = run(&mut world, 1).obstacle_loads[0].force;
    assert!(load.distance(DVec3::Y * 3.0 * G) < 1e-3 * G, "{load}");
}

/// A plate that is led through cloth of which every vertex is held, with a largest force.
#[test]
fn what_has_a_largest_force_stops_at_held_cloth() {
    let mut cloth = sheet(8, 0.0);
    cloth.pins.push(PinDescription::new(EVERYWHERE));
    let key = |time, y| Keyframe { time, translate: DVec3::Y * y, rotate_deg: DVec3::ZERO };
    let plate = Obstacle {
        motion: vec![key(0.0, 0.0), key(0.5, -0.3), key(1.0, 0.0)].into(),
        freedom: Freedom::Limited(Limit::new(20.0)),
        ..Obstacle::new(
            Shape::Box { half_size: DVec3::new(0.15, 0.02, 0.15) },
            Placement::at(DVec3::Y * 0.05),
        )
    };
    let mut world = guarded(cloth, plate);
    let [lowest, _] = follow(&mut world, 30, "plate");
    assert!(lowest > 0.02, "{lowest}");
    let load = run(&mut world, 1).obstacle_loads[0].force;
    assert!(load.distance(DVec3::Y * 20.0) < 0.02 * 20.0, "{load}");
    follow(&mut world, 30, "plate");
    assert!((place(&world).y - 0.05).abs() < 1e-4, "it goes on when it can: {}", place(&world));
}

/// A crate and a ball that fall onto a damped sheet and each other.
fn falling() -> WorldDescription {
    let mut cloth = hung(10, 0.0);
    (cloth.material.stretch_damping, cloth.material.bend_damping) = (0.01, 0.01);
    cloth.remesh = Some(RemeshSettings { size_min: 0.03, size_max: 0.2, ..RemeshSettings::default() });
    let crate_shape = Shape::Box { half_size: DVec3::new(0.1, 0.06, 0.08) };
    let mut tilted = body(crate_shape, DVec3::new(-0.1, 0.3, 0.05), 2.0);
    tilted.place.rotate_deg = DVec3::new(20.0, 30.0, 10.0);
    let ball = Obstacle { name: "ball".into(), ..body(BALL, DVec3::new(0.1, 0.2, 0.0), 1.0) };
    world_of(vec![cloth], vec![tilted, ball])
}

#[test]
fn bodies_go_on_from_a_checkpoint_and_on_any_number_of_threads() {
    let mut world = build(&falling());
    run(&mut world, 20);
    let checkpoint = world.checkpoint();
    run(&mut world, 15);
    let poses = |world: &World| [0, 1].map(|k| world.obstacles()[k].pose_at(world.time()));
    let expected = (world.state_hash(), poses(&world));
    let mut resumed = build(&falling());
    resumed.restore(checkpoint).unwrap();
    run(&mut resumed, 15);
    assert_eq!((resumed.state_hash(), poses(&resumed)), expected);
    let mut description = falling();
    description.simulation.threads = 2;
    let mut shared = build(&description);
    run(&mut shared, 35);
    assert_eq!((shared.state_hash(), poses(&shared)), expected);
    // They have met.
    let apart = expected.1[0].translation.distance(expected.1[1].translation);
    assert!(apart < 0.35, "{apart}");
}

#[test]
fn what_has_a_mass_can_be_added_and_removed_but_not_set_elsewhere() {
    let mut description = falling();
    let mut ball = description.obstacles.pop().unwrap();
    ball.place.translate.x = 0.35;
    let mut world = build(&description);
    let id = world.add_obstacle(ball).unwrap();
    run(&mut world, 5);
    let fallen = world.obstacles()[1].pose_at(world.time()).translation.y;
    let t = world.time();
    assert!((fallen - 0.2 + 0.5 * G * t * t).abs() < 1e-9, "{fallen}");
    for error in [world.set_obstacle_pose(id, Pose::IDENTITY), world.teleport_obstacle(id, Pose::IDENTITY)] {
        let error = error.unwrap_err().to_string();
        assert!(error.contains("moves by itself"), "{error}");
    }
    let first = world.find_obstacle("body").unwrap();
    world.remove_obstacle(first).unwrap();
    run(&mut world, 5);
    assert!(queries::rigid_motion(&world, first).is_none() && queries::rigid_motion(&world, id).is_some());
    assert!(world.obstacles()[0].pose_at(world.time()).translation.y < fallen);
}

/// A crate has no corner over the top of a post, nor a bar an end.
#[test]
fn what_falls_in_the_middle_of_something_rounded_does_not_pass_through_it() {
    let flat = Shape::Box { half_size: DVec3::new(0.2, 0.05, 0.2) };
    let bar = Shape::Capsule { radius: 0.05, half_length: 0.2 };
    for shape in [flat, bar] {
        let mut own = body(shape, DVec3::new(5.0, 0.2, 0.0), 1.0);
        own.place.rotate_deg.z = if shape == bar { 90.0 } else { 0.0 };
        let post = Obstacle::new(BALL, Placement::at(DVec3::X * 5.0));
        let mut world = build(&world_of(vec![hung(4, 0.0)], vec![own, post]));
        run(&mut world, 20);
        assert!((place(&world).y - 0.15).abs() < 1e-3, "{shape:?}: {}", place(&world));
    }
}

/// The corners of the upper box are over edges of the lower one, or beside it.
#[test]
fn boxes_of_one_size_rest_on_each_other() {
    for aside in [DVec3::ZERO, DVec3::new(0.01, 0.0, 0.0), DVec3::new(0.012, 0.0, -0.007)] {
        let shape = Shape::Box { half_size: DVec3::splat(0.05) };
        let at = DVec3::new(5.0, 0.06, 0.0);
        let upper = Obstacle { name: "upper".into(), ..body(shape, at + DVec3::Y * 0.105 + aside, 10.0) };
        let floor = Obstacle::new(Shape::Plane { normal: DVec3::Y }, Placement::default());
        let mut world = build(&world_of(vec![hung(4, 5.0)], vec![body(shape, at, 0.1), upper, floor]));
        run(&mut world, 60);
        let heights = [0, 1].map(|k| world.obstacles()[k].pose_at(world.time()).translation.y);
        let apart = [heights[0] - 0.05, heights[1] - 0.15];
        assert!(apart.iter().all(|apart| apart.abs() < 1e-3), "{aside}: {heights:?}");
    }
}

#[test]
fn what_bears_no_load_of_pins_is_not_followed() {
    let mut cloth = hung(4, 0.0);
    let edge = Region::MaterialBox([DVec2::ZERO, DVec2::X]);
    cloth.pins = vec![PinDescription { follow: Some("body".into()), ..PinDescription::new(edge) }];
    let error =
        World::build(&world_of(vec![cloth], vec![body(BALL, DVec3::Y, 1.0)])).unwrap_err().to_string();
    assert!(error.contains("pins would not pull at it"), "{error}");
}

#[test]
fn bodies_stand_still_while_an_equilibrium_is_looked_for() {
    let mut world = build(&world_of(vec![hung(6, 0.0)], vec![body(BALL, DVec3::Y, 1.0)]));
    world.equilibrate().unwrap();
    assert_eq!(place(&world), DVec3::Y);
    run(&mut world, 6);
    assert!((place(&world).y - (1.0 - 0.5 * G * 0.01)).abs() < 1e-9, "{}", place(&world));
}

#[test]
fn impossible_bodies_are_refused() {
    let refused = |change: &dyn Fn(&mut Obstacle)| {
        let mut ball = body(BALL, DVec3::Y, 1.0);
        change(&mut ball);
        World::build(&world_of(vec![hung(4, 0.0)], vec![ball])).unwrap_err().to_string()
    };
    let free = |body: RigidBody| move |ball: &mut Obstacle| ball.freedom = Freedom::Free(body);
    let found = refused(&free(RigidBody::new(0.0)));
    assert!(found.contains("mass is 0 kg"), "{found}");
    let found = refused(&free(RigidBody { inertia: Some(DVec3::new(1.0, 1.0, 3.0)), ..RigidBody::new(1.0) }));
    assert!(found.contains("none more than the others together"), "{found}");
    let found = refused(&|ball| ball.shape = Shape::Plane { normal: DVec3::Y });
    assert!(found.contains("a plane has no end"), "{found}");
    let found = refused(&|ball| ball.freedom = Freedom::Limited(Limit::new(-1.0)));
    assert!(found.contains("largest force is -1 N"), "{found}");
    let key = |time| Keyframe { time, translate: DVec3::X * time, rotate_deg: DVec3::ZERO };
    let found = refused(&|ball| ball.motion = vec![key(0.0), key(1.0)].into());
    assert!(found.contains("a mass and a motion"), "{found}");
}

/// A body about its middle axis is unstable: it turns over again and again, and keeps its angular momentum and its energy.
#[test]
fn a_body_that_tumbles_keeps_its_angular_momentum_and_energy() {
    for speed in [4.0, 200.0] {
        let shape = Shape::Box { half_size: DVec3::new(0.05, 0.1, 0.2) };
        let moments = shape.moments(1.0, 1.0);
        let spin = DVec3::new(0.02, 1.0, 0.01) * speed;
        let mut own = body(shape, DVec3::new(5.0, 0.0, 0.0), 1.0);
        own.freedom = Freedom::Free(RigidBody { angular_velocity: spin, ..RigidBody::new(1.0) });
        let mut description = world_of(vec![hung(4, 0.0)], vec![own]);
        description.simulation.gravity = DVec3::ZERO;
        let mut world = build(&description);
        let mut has_turned_over = false;
        for _ in 0..150 {
            run(&mut world, 1);
            let (_, now) = queries::rigid_motion(&world, world.find_obstacle("body").unwrap()).unwrap();
            let axes = world.obstacles()[0].pose_at(world.time()).rotation;
            let own = axes.transpose() * now;
            let momentum = axes * (moments * own);
            let lost = momentum.distance(moments * spin) / (moments * spin).length();
            let gained = (moments * own).dot(own) / (moments * spin).dot(spin) - 1.0;
            assert!(lost < 1e-9 && gained.abs() < 0.03, "{speed} rad/s: {lost} {gained}");
            has_turned_over |= own.y < -0.5 * speed;
        }
        assert!(has_turned_over, "{speed} rad/s");
    }
}
