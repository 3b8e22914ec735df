//! Moving pins, decay of velocities, material damping, remeshing under pins.

use crate::common::*;
use glam::{DVec2, DVec3};
use taffeta::core::{Keyframe, KeyframedMotion, Region};
use taffeta::io::GridPattern;
use taffeta::remesh::RemeshSettings;
use taffeta::sim::queries;
use taffeta::sim::{ClothDescription, PinDescription, SimulationSettings, SolverChoice, WorldDescription};

#[test]
fn pinned_vertices_follow_their_motion_exactly() {
    for solver in [SolverChoice::Block, SolverChoice::Direct] {
        let mut cloth = ClothDescription::new("sheet", square(6, GridPattern::Diagonal), stiff());
        let key = |time, y, degrees| Keyframe {
            time,
            translate: DVec3::new(0.0, y, 0.0),
            rotate_deg: DVec3::new(0.0, degrees, 0.0),
        };
        let region = Region::MaterialBox([DVec2::new(0.0, 1.0), DVec2::ONE]);
        let motion = KeyframedMotion::from(vec![key(0.0, 0.0, 0.0), key(0.2, 0.3, 90.0)]);
        cloth.pins.push(PinDescription { motion, ..PinDescription::new(region) });
        let mut world = world(cloth, settings(solver, Some(4)));
        run(&mut world, 6);
        // Half-way: 45° about the vertical line through the middle of the edge, 15 cm up.
        let corner = queries::material_point(&world, 0, DVec2::ONE).expect("on the sheet").position;
        let half = 0.5_f64.sqrt() * 0.5;
        assert!(corner.distance(DVec3::new(0.5 + half, 1.15, -half)) < 1e-12, "{solver:?}: {corner}");
        run(&mut world, 12);
        let corner = queries::material_point(&world, 0, DVec2::ONE).expect("on the sheet");
        assert!(corner.position.distance(DVec3::new(0.5, 1.3, -0.5)) < 1e-12, "{solver:?}: {corner:?}");
        assert!(corner.velocity.length() < 1e-12, "{solver:?}: at rest after the last key");
    }
}

#[test]
fn velocities_decay_exponentially() {
    let speed = |solver, substeps| {
        let mut cloth = ClothDescription::new("sheet", square(3, GridPattern::Diagonal), stiff());
        cloth.velocity = DVec3::X;
        let simulation =
            SimulationSettings { gravity: DVec3::ZERO, velocity_damping: 3.0, ..settings(solver, substeps) };
        let mut world = world(cloth, simulation);
        run(&mut world, 30);
        world.measure().momentum.x / 0.2
    };
    let exact = f64::exp(-1.5);
    let global = speed(SolverChoice::Global, None);
    assert!((global / exact - 1.0).abs() < 2e-3, "{global}");
    // Implicit Euler: divided by `1 + c h` in each substep.
    let block = speed(SolverChoice::Block, Some(5));
    assert!((block * f64::powi(1.0 + 3.0 * FRAME / 5.0, 150) - 1.0).abs() < 1e-9, "{block}");
    let fine = speed(SolverChoice::Block, Some(40));
    assert!((fine / exact - 1.0).abs() < 2e-3, "{fine}");
}

/// A sheet of a soft, damped or undamped material.
fn soft(damping: f64) -> ClothDescription {
    let mut cloth = ClothDescription::new("sheet", square(6, GridPattern::Alternating), stiff());
    cloth.material.stretch = [200.0; 2];
    (cloth.material.stretch_damping, cloth.material.bend_damping) = (damping, damping);
    cloth
}

#[test]
fn damping_does_not_slow_free_fall() {
    let fall = |damping| {
        let mut world = world(soft(damping), settings(SolverChoice::Block, Some(8)));
        run(&mut world, 30);
        world.measure().momentum.y
    };
    assert!((fall(0.05) / fall(0.0) - 1.0).abs() < 1e-12);
}

#[test]
fn damping_does_not_slow_free_rotation() {
    for solver in [SolverChoice::Block, SolverChoice::Direct] {
        let spin = |damping| {
            let mut cloth = soft(damping);
            cloth.angular_velocity = DVec3::new(0.0, 0.0, 2.0);
            let simulation = SimulationSettings { gravity: DVec3::ZERO, ..settings(solver, Some(8)) };
            let mut world = world(cloth, simulation);
            run(&mut world, 30);
            world.measure().angular_momentum.z
        };
        // Both lose what implicit Euler loses; damping takes no more.
        assert!(spin(0.05) / spin(0.0) > 0.999, "{solver:?}: {} of {}", spin(0.05), spin(0.0));
    }
}

#[test]
fn damping_calms_an_oscillating_sheet() {
    let swing = |damping| {
        let mut cloth =
            pinned(soft(damping).mesh, soft(damping).material, [[DVec2::new(0.0, 1.0), DVec2::ONE]]);
        // Stretched by a tenth at the start: it oscillates in its plane.
        cloth.mesh.positions.iter_mut().for_each(|x| x.y = 1.0 - 1.1 * (1.0 - x.y));
        let mut world = world(cloth, settings(SolverChoice::Block, Some(40)));
        (0..60).map(|_| run(&mut world, 1).metrics.kinetic_energy).skip(40).fold(0.0, f64::max)
    };
    let (free, damped) = (swing(0.0), swing(0.01));
    assert!(damped < 0.02 * free, "{damped} of {free}");
}

/// Stiff, and held at two corners, so that it snaps. What the time integration adds in a frame goes away with its error.
#[test]
fn a_snap_feeds_no_energy_to_the_sheet() {
    for (accuracy, part) in [(1e-4, 2e-3), (1e-5, 1e-4)] {
        let mut cloth = swing(20);
        cloth.material.stretch = [1e4; 2];
        let simulation = SimulationSettings { accuracy, ..settings(SolverChoice::Auto, None) };
        let mut world = world(cloth, simulation);
        let (mut least, mut released) = (f64::INFINITY, 0.0_f64);
        for frame in 0..40 {
            let now = run(&mut world, 1).metrics;
            let energy = now.kinetic_energy + now.stretch_energy + now.bend_energy + now.gravity_energy;
            released = released.max(now.kinetic_energy);
            let most = least + part * released;
            assert!(energy < most, "{accuracy}, frame {frame}: {energy} J after {least} J");
            least = least.min(energy);
        }
        assert!(released > 0.5, "it swings: {released} J");
    }
}

#[test]
fn a_held_edge_stays_held_when_it_is_refined() {
    let mut cloth = hung_sheet(4, GridPattern::Alternating);
    cloth.remesh = Some(RemeshSettings { size_min: 0.05, size_max: 0.06, ..RemeshSettings::by_thresholds() });
    let mut world = world(cloth, settings(SolverChoice::Block, Some(8)));
    let held =
        |world: &taffeta::sim::World| world.motion().vertex_pins.iter().filter(|pin| pin.is_some()).count();
    let before = held(&world);
    run(&mut world, 6);
    assert!(held(&world) > 2 * before, "{} held vertices from {before}", held(&world));
    let upper = (0..=20).map(|i| DVec2::new(f64::from(i) / 20.0, 1.0));
    for u in upper {
        let x = queries::material_point(&world, 0, u).expect("on the sheet").position;
        assert!(x.distance(DVec3::new(u.x, 1.0, 0.0)) < 1e-12, "{u}: {x}");
    }
}

/// Two cloths with different intervals: before the first step both are adapted, then each is remeshed when it is due, and neither
/// touches the other.
#[test]
fn cloths_are_remeshed_at_their_own_intervals() {
    let settings_of =
        |size_max, interval| RemeshSettings { size_max, interval, ..RemeshSettings::by_thresholds() };
    let mut first = ClothDescription::new("first", square(3, GridPattern::Diagonal), stiff());
    first.remesh = Some(settings_of(0.2, 1));
    let mut second = ClothDescription::new("second", square(3, GridPattern::Diagonal), stiff());
    second.mesh.positions.iter_mut().for_each(|x| x.z += 1.0);
    second.remesh = Some(settings_of(0.2, 4));
    let mut world = build(&WorldDescription { cloths: vec![first, second], ..WorldDescription::bare() });
    let counts = |world: &taffeta::sim::World| [0, 1].map(|i| world.mesh(i).positions.len());
    run(&mut world, 1);
    let begun = counts(&world);
    assert!(begun.iter().all(|count| *count > 16), "{begun:?}");
    for (cloth, interval) in [(0, 1), (1, 4)] {
        world.set_remesh(world.cloth_ids()[cloth], settings_of(0.12, interval)).expect("good settings");
    }
    run(&mut world, 2);
    assert!(counts(&world)[0] > begun[0] && counts(&world)[1] == begun[1], "{:?}", counts(&world));
    run(&mut world, 1);
    assert!(counts(&world)[1] > begun[1], "{:?}", counts(&world));
}
