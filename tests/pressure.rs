//! Pressure on cloths.

use crate::common::*;
use glam::DVec3;
use taffeta::core::{Placement, TriangleMesh};
use taffeta::io::GridPattern;
use taffeta::sim::queries;
use taffeta::sim::{ClothDescription, SimulationSettings, SolverChoice, StepInputs, World};

/// Settings without gravity.
fn weightless() -> SimulationSettings {
    SimulationSettings { gravity: DVec3::ZERO, ..settings(SolverChoice::Block, Some(8)) }
}

#[test]
fn a_free_sheet_accelerates_along_its_normal() {
    for rotate_deg in [DVec3::ZERO, DVec3::new(35.0, -70.0, 110.0)] {
        let place = Placement { rotate_deg, ..Placement::default() };
        let mut cloth = ClothDescription::new("sheet", square(5, GridPattern::Delaunay), stiff());
        cloth.mesh.positions.iter_mut().for_each(|x| *x = place.apply(*x));
        cloth.pressure = 3.0;
        let mut world = world(cloth, weightless());
        run(&mut world, 12);
        // p/ρ along the normal; the sheet stays flat, so its momentum is that of a plate.
        let expected = place.pose().apply(DVec3::Z) * (3.0 * world.time());
        let momentum = world.measure().momentum;
        assert!(momentum.distance(expected) < 1e-9, "{momentum} instead of {expected}");
    }
}

#[test]
fn pressure_follows_a_sheet_that_turns() {
    let mut cloth = ClothDescription::new("sheet", square(4, GridPattern::Alternating), stiff());
    cloth.angular_velocity = DVec3::new(6.0, 0.0, 0.0);
    cloth.pressure = 2.0;
    let mut world = world(cloth, weightless());
    // The momentum gained in a frame points along the normal of that time.
    for frame in 0..20 {
        let before = world.measure().momentum;
        run(&mut world, 1);
        let gained = world.measure().momentum - before;
        let mesh = world.mesh(0);
        let normal = area_vector(&mesh).normalize();
        assert!(gained.normalize().dot(normal) > 0.99, "frame {frame}: {gained} along {normal}");
        let force = 2.0 * area_vector(&mesh).length();
        assert!((gained.length() / (force * FRAME) - 1.0).abs() < 0.02, "frame {frame}: {gained}");
    }
}

/// The sum of the area vectors of a mesh \[m²\].
fn area_vector(mesh: &TriangleMesh) -> DVec3 {
    let corners = mesh.faces.iter().map(|face| face.map(|v| mesh.positions[v as usize]));
    corners.map(|[a, b, c]| (b - a).cross(c - a) * 0.5).sum()
}

/// The volume inside a closed mesh \[m³\].
fn volume(mesh: &TriangleMesh) -> f64 {
    let corners = mesh.faces.iter().map(|face| face.map(|v| mesh.positions[v as usize]));
    corners.map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
}

/// An octahedron of radius 20 cm around a point off the origin, without material coordinates.
fn balloon(pressure: f64) -> World {
    let center = DVec3::new(0.3, -0.2, 0.5);
    let axes = [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z];
    let positions = axes.map(|x| center + x * 0.2).to_vec();
    let faces = vec![[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]];
    let mesh = TriangleMesh { positions, faces, material: None };
    let mut cloth = ClothDescription::new("balloon", mesh, stiff());
    cloth.pressure = pressure;
    world(cloth, weightless())
}

#[test]
fn a_closed_cloth_is_blown_up_and_goes_nowhere() {
    let [mut full, mut empty] = [balloon(500.0), balloon(0.0)];
    assert!(volume(&full.mesh(0)) > 0.0, "the faces look outwards");
    run(&mut full, 30);
    run(&mut empty, 30);
    let momentum = full.measure().momentum;
    assert!(momentum.length() < 1e-12, "{momentum}");
    let growth = volume(&full.mesh(0)) / volume(&empty.mesh(0));
    assert!((1.01..2.0).contains(&growth), "{growth}");
}

#[test]
fn the_automatic_substeps_know_pressure() {
    let substeps = |pressure: f64| {
        let mut cloth = hung_sheet(32, GridPattern::Alternating);
        cloth.pressure = pressure;
        let mut world = world(cloth, settings(SolverChoice::Block, None));
        world.step(&StepInputs::default(), FRAME).expect("the step is finite").plan.substeps
    };
    // 3 · 9.81 m/s² more: twice the substeps.
    let (without, with) = (substeps(0.0), substeps(0.2 * 3.0 * 9.81));
    assert!((2 * without - 2..=2 * without + 2).contains(&with), "{with} for {without}");
}

#[test]
fn an_inverted_pressure_pushes_the_other_way() {
    let mut cloth = ClothDescription::new("sheet", square(2, GridPattern::Diagonal), stiff());
    cloth.pressure = -1.0;
    let mut world = world(cloth, weightless());
    assert!(queries::is_pressure_explicit(&world));
    run(&mut world, 6);
    assert!((world.measure().momentum.z / (-world.time()) - 1.0).abs() < 1e-9);
}
