//! Motions within a substep: bodies that cross a sheet and stop, come back, or make a whole turn between its ends.

use crate::common::*;
use glam::{DQuat, DVec2, DVec3};
use taffeta::contact::{MeshObstacle, Obstacle, Shape};
use taffeta::core::{Friction, Keyframe, KeyframedMotion, Placement, Pose, Region};
use taffeta::io::{GridPattern, sphere_mesh};
use taffeta::scene::materials;
use taffeta::sim::{
    BendingModel, ClothDescription, PinDescription, SimulationSettings, SolverChoice, StepError, StepInputs,
    StepReport, World, WorldDescription,
};

/// Side of the sheets \[m\].
const SIZE: f64 = 0.3;

const MILLISECOND: f64 = 1e-3;

/// Distance that no cloth is moved by in a frame of these worlds but by contact or pins \[m\].
const MOVED: f64 = 1e-3;

/// A horizontal sheet around the origin without pins.
fn sheet(cells: u32) -> ClothDescription {
    let mut mesh = square(cells, GridPattern::Alternating);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x - 0.5, 0.0, 0.5 - x.y) * SIZE);
    mesh.material.iter_mut().flatten().flatten().for_each(|u| *u *= SIZE);
    ClothDescription::new("sheet", mesh, materials::preset("cotton").unwrap().material)
}

/// The sheet held in a region.
fn held(region: Region) -> ClothDescription {
    let mut cloth = sheet(3);
    cloth.pins = vec![PinDescription::new(region)];
    cloth
}

fn world_of(cloth: ClothDescription, solver: SolverChoice, substeps: Option<u32>) -> WorldDescription {
    WorldDescription {
        cloths: vec![cloth],
        simulation: SimulationSettings { gravity: DVec3::ZERO, ..settings(solver, substeps) },
        self_contact: Some(true),
        ..WorldDescription::bare()
    }
}

/// A motion through heights \[m\] at times \[s\].
fn heights<const N: usize>(keys: [(f64, f64); N]) -> KeyframedMotion {
    let key = |(time, y)| Keyframe { time, translate: DVec3::Y * y, rotate_deg: DVec3::ZERO };
    Vec::from(keys.map(key)).into()
}

/// A turn about the z axis by an angle \[degrees\] within a time \[s\].
fn turn(angle: f64, time: f64) -> KeyframedMotion {
    let key = |time, z| Keyframe { time, translate: DVec3::ZERO, rotate_deg: DVec3::Z * z };
    vec![key(0.0, 0.0), key(time, angle)].into()
}

/// The body that is moved.
#[derive(Clone, Copy, Debug)]
enum Body {
    Closed(Shape),
    Mesh,
}

const BODIES: [Body; 5] = [
    Body::Closed(Shape::Sphere { radius: 0.05 }),
    Body::Closed(Shape::Capsule { radius: 0.03, half_length: 0.04 }),
    Body::Closed(Shape::Box { half_size: DVec3::new(0.05, 0.02, 0.04) }),
    Body::Closed(Shape::Plane { normal: DVec3::Y }),
    Body::Mesh,
];

impl Body {
    fn add(self, description: &mut WorldDescription, place: DVec3, motion: KeyframedMotion) {
        match self {
            Body::Closed(shape) => {
                description.obstacles.push(Obstacle { motion, ..Obstacle::new(shape, Placement::at(place)) })
            }
            Body::Mesh => {
                let mesh = sphere_mesh(0.05, 1);
                let mesh = MeshObstacle::new(mesh.positions, mesh.faces, Placement::at(place));
                description.mesh_obstacles.push(MeshObstacle { motion, ..mesh });
            }
        }
    }
}

/// Something was forced through something, or crosses now.
fn is_told(world: &World, report: &StepReport) -> bool {
    assert_eq!(report.safeguard.forced > 0, !report.safeguard.meetings.is_empty());
    report.safeguard.forced > 0 || !world.quarantine().is_empty()
}

/// The greatest distance of a vertex of the sheet from its plane \[m\].
fn farthest(world: &World) -> f64 {
    world.mesh(0).positions.iter().map(|x| x.y.abs()).fold(0.0, f64::max)
}

fn solvers() -> [(SolverChoice, Option<u32>); 5] {
    let [global, block] = [SolverChoice::Global, SolverChoice::Block];
    [(global, Some(1)), (global, Some(4)), (block, Some(1)), (block, Some(4)), (global, None)]
}

/// Runs two frames for every body and solver; `is_seen` tells the cases in which all is well.
#[track_caller]
fn all_see(bodies: &[Body], place: DVec3, motion: &KeyframedMotion, is_seen: impl Fn(&World, bool) -> bool) {
    let mut unseen = Vec::new();
    for body in bodies {
        for (solver, substeps) in solvers() {
            let mut description = world_of(held(Region::Boundary), solver, substeps);
            body.add(&mut description, place, motion.clone());
            let mut world = build(&description);
            let mut told = false;
            for _ in 0..2 {
                let report = run(&mut world, 1);
                told |= is_told(&world, &report);
            }
            if !is_seen(&world, told) {
                unseen.push(format!("{body:?} {solver:?} {substeps:?}: told {told}, {} m", farthest(&world)));
            }
        }
    }
    assert!(unseen.is_empty(), "{unseen:#?}");
}

#[test]
fn a_body_that_crosses_a_sheet_and_stops_within_a_substep_is_seen() {
    let early = heights([(0.0, -0.6), (1.2 * MILLISECOND, 0.6)]);
    let late = heights([(0.0, -0.6), (0.9 * FRAME, -0.6), (0.95 * FRAME, 0.6)]);
    let at_once = heights([(0.0, -0.6), (0.3 * FRAME, -0.6), (0.3 * FRAME + 1e-6, 0.6)]);
    for motion in [early, late, at_once] {
        // Or the sheet is before it.
        all_see(&BODIES, DVec3::ZERO, &motion, |world, told| told || farthest(world) > 0.6);
    }
}

#[test]
fn a_body_that_comes_back_within_a_substep_is_seen() {
    let back = heights([(0.0, -0.2), (0.4 * MILLISECOND, 0.2), (0.8 * MILLISECOND, -0.2)]);
    all_see(&BODIES, DVec3::ZERO, &back, |world, told| told || farthest(world) > MOVED);
}

/// A blade of 0.24 m along the x axis, as a body in closed form or made of one triangle, named "blade".
fn add_blade(description: &mut WorldDescription, shape: Option<Shape>, motion: KeyframedMotion) {
    let (place, name) = (Placement::at(DVec3::Y * 0.1), "blade".to_owned());
    let corners = [DVec3::new(-0.12, 0.0, -0.02), DVec3::new(0.12, 0.0, -0.02), DVec3::new(0.0, 0.0, 0.03)];
    match shape {
        Some(shape) => {
            let mut obstacle = Obstacle { name, motion, ..Obstacle::new(shape, place) };
            obstacle.place.rotate_deg.z = 90.0;
            description.obstacles = vec![obstacle];
        }
        None => {
            let mesh = MeshObstacle::new(corners.to_vec(), vec![[0, 1, 2]], place);
            description.mesh_obstacles = vec![MeshObstacle { name, motion, ..mesh }];
        }
    }
}

const BLADES: [Option<Shape>; 3] = [
    Some(Shape::Box { half_size: DVec3::new(0.005, 0.12, 0.02) }),
    Some(Shape::Capsule { radius: 0.01, half_length: 0.11 }),
    None,
];

/// Makes one step of a sheet below a blade for every solver and number of substeps; `drive` moves the blade before it.
#[track_caller]
fn blades_are_seen(motion: &KeyframedMotion, drive: impl Fn(&mut World)) {
    for (blade, (solver, substeps)) in BLADES.iter().flat_map(|blade| solvers().map(|solver| (blade, solver)))
    {
        let mut description = world_of(held(Region::Boundary), solver, substeps);
        add_blade(&mut description, *blade, motion.clone());
        let mut world = build(&description);
        drive(&mut world);
        let report = run(&mut world, 1);
        let is_seen = is_told(&world, &report) || farthest(&world) > MOVED;
        assert!(is_seen, "{blade:?} {solver:?} {substeps:?}: {} m", farthest(&world));
    }
}

#[test]
fn a_blade_that_makes_a_whole_turn_within_a_substep_is_seen() {
    blades_are_seen(&turn(360.0, FRAME), |_| ());
    blades_are_seen(&turn(360.0, MILLISECOND), |_| ());
}

#[test]
fn a_blade_that_is_driven_half_way_round_in_a_substep_is_seen() {
    blades_are_seen(&KeyframedMotion::default(), |world| {
        let blade = world.find_obstacle("blade").expect("its name");
        let is_mesh = world.mesh_obstacles().len() == 1;
        let start = if is_mesh { 0.0 } else { 0.5 * std::f64::consts::PI };
        let half = DQuat::from_rotation_z(start + 0.999 * std::f64::consts::PI);
        world.set_obstacle_pose(blade, Pose::new(half, DVec3::Y * 0.1)).expect("a pose");
    });
}

#[test]
fn a_plane_that_makes_a_whole_turn_within_a_substep_is_seen() {
    for (solver, substeps) in solvers() {
        let mut description = world_of(held(Region::Boundary), solver, substeps);
        let plane = Obstacle::new(Shape::Plane { normal: DVec3::Y }, Placement::at(DVec3::Y * -0.01));
        description.obstacles = vec![Obstacle { motion: turn(360.0, FRAME), ..plane }];
        let mut world = build(&description);
        let report = run(&mut world, 1);
        assert!(is_told(&world, &report), "{solver:?} {substeps:?}");
    }
}

#[test]
fn shapes_of_a_sequence_within_a_substep_are_seen() {
    for (solver, substeps) in solvers() {
        let mut description = world_of(held(Region::Boundary), solver, substeps);
        let mesh = sphere_mesh(0.05, 1);
        let at = |y: f64| mesh.positions.iter().map(|x| *x + DVec3::Y * y).collect::<Vec<_>>();
        let shapes = vec![at(-0.2), at(0.2), at(-0.2)];
        let body = MeshObstacle::new(shapes[0].clone(), mesh.faces.clone(), Placement::default());
        description.mesh_obstacles = vec![MeshObstacle { shapes, shape_rate: 1000.0, ..body }];
        let mut world = build(&description);
        let report = run(&mut world, 1);
        assert!(is_told(&world, &report) || farthest(&world) > MOVED, "{solver:?} {substeps:?}");
    }
}

#[test]
fn projective_dynamics_tells_what_goes_through_and_comes_back() {
    let mut description = world_of(held(Region::Boundary), SolverChoice::Projective, Some(1));
    description.self_contact = None;
    description.cloths[0].material.poisson = 0.0;
    description.cloths[0].bending = BendingModel::None;
    let back = heights([(0.0, -0.2), (0.4 * MILLISECOND, 0.2), (0.8 * MILLISECOND, -0.2)]);
    BODIES[0].add(&mut description, DVec3::ZERO, back);
    let mut world = build(&description);
    let report = run(&mut world, 1);
    assert!(is_told(&world, &report));
}

mod pins {
    use super::*;

    /// One edge of the sheet.
    fn edge() -> Region {
        Region::MaterialBox([DVec2::ZERO, DVec2::new(0.0, SIZE)])
    }

    /// The work that a pin with a motion does on a sheet in a step of one substep without gravity: kinetic energy \[J\], and the
    /// number of substeps.
    fn throw(motion: KeyframedMotion, solver: SolverChoice) -> (f64, u32) {
        let mut cloth = held(edge());
        cloth.pins[0].motion = motion;
        let report = run(&mut build(&world_of(cloth, solver, Some(1))), 1);
        (report.metrics.kinetic_energy, report.plan.substeps)
    }

    #[test]
    fn a_pin_that_turns_or_comes_back_within_a_substep_moves_the_cloth() {
        let back = heights([(0.0, 0.0), (0.5 * FRAME, 0.1), (FRAME, 0.0)]);
        for solver in [SolverChoice::Global, SolverChoice::Block] {
            let (energy, substeps) = throw(back.clone(), solver);
            assert!(energy > 1e-4 && substeps == 2, "{solver:?}: {energy} J in {substeps} substeps");
            let mut around = turn(360.0, FRAME);
            around.keys[1].rotate_deg = DVec3::X * 360.0;
            let (energy, substeps) = throw(around, solver);
            assert!(energy > 1e-4 && substeps == 12, "{solver:?}: {energy} J in {substeps} substeps");
        }
    }

    #[test]
    fn a_straight_motion_is_one_substep() {
        let through = heights([(0.0, 0.0), (0.5 * FRAME, 0.05), (FRAME, 0.1)]);
        assert_eq!(throw(through, SolverChoice::Global).1, 1);
        assert_eq!(throw(turn(29.0, FRAME), SolverChoice::Global).1, 1);
        // Less and more than half of what cloth is thick.
        let thickness = held(edge()).material.thickness;
        let bent = |part: f64| heights([(0.0, 0.0), (0.5 * FRAME, part * thickness), (FRAME, 0.0)]);
        assert_eq!(throw(bent(0.49), SolverChoice::Global).1, 1);
        assert_eq!(throw(bent(0.51), SolverChoice::Global).1, 2);
    }

    #[test]
    fn a_sheet_falls_from_when_its_pin_lets_go() {
        for (solver, substeps) in
            [(SolverChoice::Global, 1), (SolverChoice::Block, 1), (SolverChoice::Global, 4)]
        {
            let mut cloth = sheet(3);
            let all = Region::MaterialBox([DVec2::ZERO, DVec2::splat(SIZE)]);
            cloth.pins = vec![PinDescription { release: Some(0.6 * FRAME), ..PinDescription::new(all) }];
            let mut description = world_of(cloth, solver, Some(substeps));
            description.simulation.gravity = DVec3::Y * -9.81;
            let mut world = build(&description);
            run(&mut world, 1);
            let speed = world.velocities(0)[0].y;
            assert!((speed / (-9.81 * 0.4 * FRAME) - 1.0).abs() < 1e-6, "{solver:?}: {speed} m/s");
        }
    }

    #[test]
    fn a_bar_that_stands_in_the_way_of_a_swung_sheet_is_not_passed_unseen() {
        for (solver, substeps) in solvers() {
            let mut cloth = held(Region::Boundary);
            // Up through the bar and down again.
            cloth.pins[0].motion = heights([(0.0, 0.0), (0.4 * MILLISECOND, 0.2), (0.8 * MILLISECOND, 0.0)]);
            let mut description = world_of(cloth, solver, substeps);
            let bar = Shape::Capsule { radius: 0.01, half_length: 0.05 };
            Body::Closed(bar).add(&mut description, DVec3::Y * 0.1, KeyframedMotion::default());
            let mut world = build(&description);
            let report = run(&mut world, 1);
            assert!(is_told(&world, &report) || farthest(&world) > MOVED, "{solver:?} {substeps:?}");
        }
    }
}

#[test]
fn a_ball_that_makes_whole_turns_in_each_substep_rubs() {
    let radius = 0.5;
    for (solver, substeps) in solvers() {
        let Some(count) = substeps else { continue };
        let mut cloth = sheet(4);
        cloth.mesh.positions.iter_mut().for_each(|x| *x *= 0.2);
        cloth.mesh.material.iter_mut().flatten().flatten().for_each(|u| *u *= 0.2);
        let friction = cloth.material.friction.pair(Friction::default()).kinetic;
        let mut description = world_of(cloth, solver, substeps);
        description.simulation.gravity = DVec3::Y * -9.81;
        let ball = Body::Closed(Shape::Sphere { radius });
        let angle = -360.0 * 6.0 * f64::from(count);
        ball.add(&mut description, DVec3::Y * -(radius + 0.3e-3), turn(angle, 6.0 * FRAME));
        let mut world = build(&description);
        run(&mut world, 6);
        let speeds = world.velocities(0);
        let speed = speeds.iter().map(|v| v.x).sum::<f64>() / speeds.len() as f64;
        // Kinetic friction is the same at any speed of the surface: μ g t.
        let expected = friction * 9.81 * 6.0 * FRAME;
        assert!((speed / expected - 1.0).abs() < 0.3, "{solver:?} {substeps:?}: {speed} m/s of {expected}");
    }
}

#[test]
fn a_body_that_turns_without_end_is_refused_and_named() {
    let mut description = world_of(held(Region::Boundary), SolverChoice::Global, Some(1));
    add_blade(&mut description, BLADES[0], turn(1e12, FRAME));
    let mut world = build(&description);
    let before = (world.state_hash(), world.time());
    let error = world.step(&StepInputs::default(), FRAME).unwrap_err();
    assert!(matches!(&error, StepError::TurnsTooOften { body, .. } if body == "box obstacle 0"), "{error}");
    assert_eq!((world.state_hash(), world.time()), before);
}
