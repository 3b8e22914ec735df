//! Cloth that slides on cloth, against closed forms.

use crate::common::*;
use glam::{DVec2, DVec3};
use taffeta::core::{Friction, Region};
use taffeta::io::GridPattern;
use taffeta::sim::ask;
use taffeta::sim::{ClothDescription, PinDescription, SolverChoice, World, WorldDescription};

const GRAVITY: f64 = 9.81;
const SOLVERS: [SolverChoice; 3] = [SolverChoice::Global, SolverChoice::Direct, SolverChoice::Block];
/// Thickness of both cloths: the distance at which they touch \[m\].
const THICKNESS: f64 = 1e-3;

/// A sheet with its material corner at `corner`, in the plane over it.
fn sheet(name: &str, cells: u32, size: f64, corner: DVec3, friction: f64) -> ClothDescription {
    let mut mesh = square(cells, GridPattern::Alternating);
    let mut material = stiff();
    material.thickness = THICKNESS;
    material.friction = Friction { static_: friction, kinetic: friction };
    mesh.positions.iter_mut().for_each(|x| *x = corner + DVec3::new(size * x.x, 0.0, -size * x.y));
    mesh.material.iter_mut().flatten().flatten().for_each(|u| *u *= size);
    ClothDescription::new(name, mesh, material)
}

/// A patch of 20 cm that moves by `speed` \[m/s\] along x at a `height` \[m\] over a sheet that is held everywhere.
fn patch_over_sheet(solver: SolverChoice, (speed, height): (f64, f64), friction: f64, gravity: f64) -> World {
    let mut patch = sheet("patch", 5, 0.2, DVec3::new(0.013, height, -0.007), friction);
    patch.velocity = DVec3::X * speed;
    let mut lower = sheet("lower", 24, 1.2, DVec3::new(-0.1, 0.0, 0.5), friction);
    lower.pins = vec![PinDescription::new(Region::MaterialBox([DVec2::ZERO, DVec2::splat(1.2)]))];
    let mut description = WorldDescription {
        cloths: vec![patch, lower],
        simulation: settings(solver, None),
        self_contact: Some(true),
        ..WorldDescription::bare()
    };
    description.simulation.gravity = DVec3::Y * -gravity;
    build(&description)
}

/// Where the middle of the patch is \[m\].
fn middle(world: &World) -> DVec3 {
    ask::material_point(world, 0, DVec2::splat(0.1)).expect("it is on the patch").position
}

#[test]
fn what_passes_outside_of_the_thickness_keeps_its_velocity() {
    for solver in SOLVERS {
        let mut world = patch_over_sheet(solver, (5.0, 3.0 * THICKNESS), 0.3, 0.0);
        let start = middle(&world);
        run(&mut world, 10);
        let moved = middle(&world) - start;
        let right = DVec3::X * 5.0 * 10.0 / 60.0;
        assert!(moved.distance(right) < 1e-6, "{solver:?}: {moved} instead of {right}");
    }
}

#[test]
fn what_glides_without_friction_keeps_its_speed() {
    for solver in SOLVERS {
        let mut world = patch_over_sheet(solver, (1.0, THICKNESS), 0.0, GRAVITY);
        let start = middle(&world);
        run(&mut world, 30);
        let moved = middle(&world) - start;
        assert!((moved.x - 0.5).abs() < 5e-4, "{solver:?}: {moved}");
        assert!(moved.y.abs() < 0.1 * THICKNESS && moved.z.abs() < 1e-4, "{solver:?}: {moved}");
    }
}

#[test]
fn what_slides_with_friction_stops_where_coulomb_says() {
    for solver in SOLVERS {
        let mut world = patch_over_sheet(solver, (1.0, THICKNESS), 0.3, GRAVITY);
        let start = middle(&world);
        run(&mut world, 40);
        let moved = middle(&world) - start;
        let right = 1.0 / (2.0 * 0.3 * GRAVITY);
        assert!((moved.x / right - 1.0).abs() < 0.02, "{solver:?}: {moved} instead of {right}");
        assert!(moved.z.abs() < 1e-3, "{solver:?}: {moved}");
    }
}
