//! Two-way coupling: a hammock catches a box of the rigid-body engine rapier.
//!
//! `cargo run --release --example two_way` prints where the box is. Each step of the engine tells the cloth where the box goes;
//! the step of the cloth tells the engine what the box bears. The engine feels it one step later, so steps are short: a
//! step must be shorter than the time in which the box swings on the cloth. The delay also feeds what swings: an angular frequency `ω`
//! grows by `ω²` times half the delay. Stretched cloth damps more than that, a box that swings sideways hardly does.

use rapier3d::dynamics::{RigidBodyBuilder, RigidBodyHandle};
use rapier3d::geometry::ColliderBuilder;
use rapier3d::pipeline::PhysicsWorld;
use taffeta::io::{GridPattern, grid};
use taffeta::prelude::*;

/// One step \[s\].
const STEP: f64 = 1.0 / 240.0;
/// Half the sides of the box \[m\], its mass \[kg\], and the height from which it falls \[m\].
const HALF: DVec3 = DVec3::new(0.12, 0.06, 0.1);
const MASS: f64 = 1.0;
const HEIGHT: f64 = -0.05;

/// A hammock, held at two ends.
fn hammock() -> ClothDescription {
    let mut mesh = grid(DVec2::new(1.2, 0.6), [24, 12], GridPattern::Alternating, 0);
    // It sags: the ends are closer together than it is long.
    let sag = |u: f64| -0.3 * (1.0 - (2.0 * u / 1.2 - 1.0).powi(2));
    let lay = |x: DVec3| DVec3::new(0.9 * (x.x - 0.6), sag(x.x), 0.3 - x.y);
    mesh.positions.iter_mut().for_each(|x| *x = lay(*x));
    let canvas = Material {
        stretch_damping: 0.02,
        bend_damping: 0.02,
        friction: Friction { static_: 0.8, kinetic: 0.7 },
        ..Material::isotropic(0.4, 4000.0, 0.3, 2e-4)
    };
    let mut cloth = ClothDescription::new("hammock", mesh, canvas);
    let ends = [[DVec2::ZERO, DVec2::new(0.0, 0.6)], [DVec2::new(1.2, 0.0), DVec2::new(1.2, 0.6)]];
    cloth.pins = ends.map(|end| PinDescription::new(Region::MaterialBox(end))).into();
    cloth
}

/// The cloth, the engine, and the box in both.
struct Scene {
    cloth: World,
    rigid: PhysicsWorld,
    obstacle: ObstacleId,
    body: RigidBodyHandle,
}

impl Scene {
    fn new() -> Result<Self, BuildError> {
        let mut shape = Obstacle::new(Shape::Box { half_size: HALF }, Placement::at(DVec3::Y * HEIGHT));
        shape.name = "box".into();
        let cloth = World::build(&WorldDescription {
            cloths: vec![hammock()],
            obstacles: vec![shape],
            ..WorldDescription::default()
        })?;
        let obstacle = cloth.find_obstacle("box").expect("it has that name");
        let mut rigid = PhysicsWorld::new();
        rigid.gravity = glam::Vec3::new(0.0, -9.81, 0.0);
        rigid.integration_parameters.dt = STEP as f32;
        let half = HALF.as_vec3();
        let body = RigidBodyBuilder::dynamic().translation(glam::Vec3::Y * HEIGHT as f32).can_sleep(false);
        let collider = ColliderBuilder::cuboid(half.x, half.y, half.z).mass(MASS as f32);
        let (body, _) = rigid.insert(body, collider);
        Ok(Self { cloth, rigid, obstacle, body })
    }

    /// Pose of the box in the engine.
    fn pose(&self) -> Pose {
        let pose = self.rigid.bodies[self.body].position();
        Pose::new(pose.rotation.as_dquat(), pose.translation.as_dvec3())
    }

    /// One step of both.
    fn step(&mut self) -> Result<ObstacleLoad, Box<dyn std::error::Error>> {
        self.rigid.step();
        self.cloth.set_obstacle_pose(self.obstacle, self.pose())?;
        let report = self.cloth.step(&StepInputs::default(), STEP)?;
        let load = report.obstacle_loads[0];
        let body = &mut self.rigid.bodies[self.body];
        body.reset_forces(true);
        body.reset_torques(true);
        body.add_force(load.force.as_vec3(), true);
        body.add_torque(load.torque.as_vec3(), true);
        Ok(load)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut scene = Scene::new()?;
    for step in 1..=720 {
        let load = scene.step()?;
        if step % 24 == 0 {
            let (height, time) = (scene.pose().translation.y, f64::from(step) * STEP);
            println!("{time:.1} s: the box is at {height:6.3} m and bears {:6.2} N", load.force.y);
        }
    }
    Ok(())
}

#[test]
fn the_hammock_catches_the_box_and_bears_it() {
    let mut scene = Scene::new().expect("it is complete");
    let mut heights = Vec::new();
    let mut loads = Vec::new();
    for _ in 0..600 {
        loads.push(scene.step().expect("every step is finite").force.y);
        heights.push(scene.pose().translation.y);
    }
    let lowest = heights.iter().copied().fold(f64::INFINITY, f64::min);
    assert!((-0.3..-0.15).contains(&lowest), "it is caught: {lowest}");
    let late = &heights[480..];
    let swing = late.iter().map(|y| (y - late[0]).abs()).fold(0.0, f64::max);
    assert!(swing < 1e-3, "it comes to rest: {swing} m");
    let mean = loads[480..].iter().sum::<f64>() / 120.0;
    assert!((mean - 9.81 * MASS).abs() < 0.1, "the hammock bears its weight: {mean} N");
}
