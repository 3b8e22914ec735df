//! Cloth on spheres and planes.

use crate::common::*;
use glam::DVec3;
use taffeta::contact::{Obstacle, Shape};
use taffeta::core::geometry::closest_point_on_triangle;
use taffeta::core::{Friction, Keyframe, Placement};
use taffeta::io::GridPattern;
use taffeta::sim::queries;
use taffeta::sim::{ClothDescription, SolverChoice, World, WorldDescription};

const SOLVERS: [SolverChoice; 3] = [SolverChoice::Block, SolverChoice::Global, SolverChoice::Direct];

/// A small sheet lying on a plane that is tilted by an angle \[rad\] about the z axis, and friction of both.
fn on_incline(angle: f64, friction: Friction, solver: SolverChoice) -> World {
    launched_on_incline((angle, DVec3::ZERO), friction, solver)
}

/// The same, with a velocity \[m/s\].
fn launched_on_incline((angle, velocity): (f64, DVec3), friction: Friction, solver: SolverChoice) -> World {
    let turn = Placement { rotate_deg: DVec3::new(0.0, 0.0, -angle.to_degrees()), ..Placement::default() };
    let mut mesh = square(4, GridPattern::Alternating);
    let rest = |x: &DVec3| turn.apply(DVec3::new(0.2 * x.x, 0.00025, -0.2 * x.y));
    mesh.positions = mesh.positions.iter().map(rest).collect();
    mesh.material.iter_mut().flatten().flatten().for_each(|u| *u *= 0.2);
    let mut cloth = ClothDescription::new("patch", mesh, stiff());
    cloth.material.friction = friction;
    cloth.velocity = velocity;
    let mut plane = Obstacle::new(Shape::Plane { normal: DVec3::Y }, turn);
    plane.friction = friction;
    build(&WorldDescription {
        cloths: vec![cloth],
        obstacles: vec![plane],
        simulation: settings(solver, Some(8)),
        ..WorldDescription::bare()
    })
}

fn mean_x(world: &World) -> f64 {
    let x = world.mesh(0).positions;
    x.iter().map(|x| x.x).sum::<f64>() / x.len() as f64
}

#[test]
fn a_patch_sticks_below_the_static_limit_and_does_not_creep() {
    let friction = Friction { static_: 0.5, kinetic: 0.4 };
    for solver in SOLVERS {
        let mut world = on_incline(0.45_f64.atan(), friction, solver);
        run(&mut world, 30);
        let settled = mean_x(&world);
        run(&mut world, 120);
        let crept = mean_x(&world) - settled;
        assert!(crept.abs() < 1e-7, "{solver:?}: {crept}");
    }
}

#[test]
fn a_patch_slides_above_the_limit_with_the_acceleration_of_coulomb() {
    let friction = Friction { static_: 0.5, kinetic: 0.4 };
    let angle = 0.55_f64.atan();
    for solver in SOLVERS {
        let mut world = on_incline(angle, friction, solver);
        run(&mut world, 15);
        let before = world.measure().momentum.length() / world.motion().masses.iter().sum::<f64>();
        run(&mut world, 15);
        let after = world.measure().momentum.length() / world.motion().masses.iter().sum::<f64>();
        let exact = 9.81 * (angle.sin() - 0.4 * angle.cos());
        let measured = (after - before) / (15.0 * FRAME);
        assert!((measured / exact - 1.0).abs() < 0.01, "{solver:?}: {measured} against {exact}");
    }
}

/// A sheet that lies down on a ball; the smallest distance of any of its points from the center.
#[test]
fn coarse_faces_stay_outside_a_ball() {
    stay_outside(SolverChoice::Block, 0.15);
    // Its contacts give way a little.
    stay_outside(SolverChoice::Global, 0.15);
}

fn stay_outside(solver: SolverChoice, radius: f64) {
    let mut mesh = square(6, GridPattern::Alternating);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x - 0.5, 0.16, 0.5 - x.y));
    let cloth = ClothDescription::new("sheet", mesh, stiff());
    let offset = 0.5 * cloth.material.thickness;
    let mut world = build(&WorldDescription {
        cloths: vec![cloth],
        obstacles: vec![Obstacle::new(Shape::Sphere { radius: 0.15 }, Placement::default())],
        simulation: settings(solver, Some(16)),
        ..WorldDescription::bare()
    });
    let mut touching = 0;
    for frame in 0..45 {
        touching += usize::from(run(&mut world, 1).contacts > 0);
        let mesh = world.mesh(0);
        let distance = |face: &[u32; 3]| {
            let corners = face.map(|v| mesh.positions[v as usize]);
            let s = closest_point_on_triangle(DVec3::ZERO, corners);
            (corners[0] * s[0] + corners[1] * s[1] + corners[2] * s[2]).length()
        };
        let smallest = mesh.faces.iter().map(distance).fold(f64::INFINITY, f64::min);
        assert!(smallest > radius, "{solver:?}, frame {frame}: {smallest}, kept at {}", 0.15 + offset);
    }
    assert!(touching > 20, "{touching} frames");
}

#[test]
fn a_turning_ball_takes_a_rough_cloth_along_and_leaves_a_smooth_one() {
    let turned = |solver: SolverChoice, friction: Friction| {
        let mut mesh = square(8, GridPattern::Alternating);
        mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(0.3 * (x.x - 0.5), 0.2003, 0.3 * (0.5 - x.y)));
        mesh.material.iter_mut().flatten().flatten().for_each(|u| *u *= 0.3);
        let mut cloth = ClothDescription::new("sheet", mesh, stiff());
        cloth.material.friction = friction;
        let mut ball = Obstacle::new(Shape::Sphere { radius: 0.2 }, Placement::default());
        let key =
            |time, angle| Keyframe { time, translate: DVec3::ZERO, rotate_deg: DVec3::new(0.0, angle, 0.0) };
        ball.motion.keys = vec![key(0.0, 0.0), key(0.3, 0.0), key(1.3, 45.0)];
        ball.friction = friction;
        let mut world = build(&WorldDescription {
            cloths: vec![cloth],
            obstacles: vec![ball],
            simulation: settings(solver, Some(16)),
            ..WorldDescription::bare()
        });
        run(&mut world, 48);
        // The sheet may slide off; what counts is how far it has turned about the vertical axis.
        let at = |u: f64| {
            queries::material_point(&world, 0, glam::DVec2::new(u, 0.15)).expect("on the sheet").position
        };
        let across = at(0.2) - at(0.1);
        (-across.z).atan2(across.x).to_degrees()
    };
    for solver in [SolverChoice::Block, SolverChoice::Global] {
        let rough = turned(solver, Friction { static_: 1.0, kinetic: 0.8 });
        let smooth = turned(solver, Friction::NONE);
        // The ball has turned by 22.5°.
        assert!((20.0..25.0).contains(&rough), "{solver:?}: {rough}");
        assert!(smooth.abs() < 3.0, "{solver:?}: {smooth}");
    }
}

#[test]
fn a_patch_that_slides_to_its_stop_comes_as_far_as_coulomb_says() {
    let friction = Friction { static_: 0.5, kinetic: 0.3 };
    // Block updates are of first order in time: half a substep's way is missing.
    for (solver, tolerance) in [(SolverChoice::Global, 1e-3), (SolverChoice::Block, 0.01)] {
        let mut world = launched_on_incline((0.0, DVec3::X), friction, solver);
        let start = mean_x(&world);
        run(&mut world, 30);
        let exact = 1.0 / (2.0 * 0.3 * 9.81);
        let measured = mean_x(&world) - start;
        assert!((measured / exact - 1.0).abs() < tolerance, "{solver:?}: {measured} against {exact}");
    }
}

/// An impact stores no more energy in the cloth than there was, and leaves it as stiff as it is.
#[test]
fn a_stiff_sheet_that_falls_onto_a_ball_and_the_floor_hardly_stretches() {
    let mut mesh = square(20, GridPattern::Alternating);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x - 0.5, 0.45, 0.5 - x.y));
    let mut cloth = ClothDescription::new("sheet", mesh, stiff());
    cloth.material.friction = Friction { static_: 0.5, kinetic: 0.4 };
    let lifted = Placement { translate: DVec3::new(0.0, 0.2, 0.0), ..Placement::default() };
    let ball = Obstacle::new(Shape::Sphere { radius: 0.2 }, lifted);
    let floor = Obstacle::new(Shape::Plane { normal: DVec3::Y }, Placement::default());
    let mut world = build(&WorldDescription {
        cloths: vec![cloth],
        obstacles: vec![ball, floor],
        ..WorldDescription::bare()
    });
    let total = |world: &World| {
        let now = world.measure();
        now.kinetic_energy + now.stretch_energy + now.bend_energy + now.gravity_energy
    };
    let mut least = total(&world);
    for frame in 0..50 {
        run(&mut world, 1);
        let (energy, strain) = (total(&world), world.measure().max_strain);
        assert!(energy < least + 0.02, "frame {frame}: {energy} J after {least} J");
        assert!(strain < 0.05, "frame {frame}: {strain}");
        least = least.min(energy);
    }
}
