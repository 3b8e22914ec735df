//! The motion of cloth in contact does not depend on the velocity of the observer.

use crate::common::glide::patch;
use crate::common::*;
use glam::DVec3;
use taffeta::contact::{Obstacle, Shape};
use taffeta::core::{Friction, Keyframe, Placement};
use taffeta::sim::{SolverChoice, World, WorldDescription};

const FRICTION: Friction = Friction { static_: 0.5, kinetic: 0.4 };
/// Velocity of the observer \[m/s\]: a box of 4 cm goes its own thickness in a millisecond.
const OBSERVER: DVec3 = DVec3::new(0.0, -30.0, 0.0);

/// A heavy patch of 0.25 m that meets a box smaller than itself, both seen by an observer with a velocity \[m/s\].
fn patch_at_box(solver: SolverChoice, substeps: u32, observer: DVec3) -> World {
    let mut cloth = patch("patch", 8, FRICTION, 0.25, DVec3::new(-0.125, 0.02, 0.125));
    cloth.material.density = 1.5;
    cloth.velocity = DVec3::NEG_Y * 15.0 - observer;
    let half_size = DVec3::new(0.1, 0.02, 0.1);
    let place = Placement::at(DVec3::NEG_Y * 0.02);
    let mut target = Obstacle { friction: FRICTION, ..Obstacle::new(Shape::Box { half_size }, place) };
    let key = |time: f64| Keyframe { time, translate: -observer * time, rotate_deg: DVec3::ZERO };
    target.motion.keys = vec![key(0.0), key(1.0)];
    let mut description = WorldDescription {
        cloths: vec![cloth],
        obstacles: vec![target],
        simulation: settings(solver, Some(substeps)),
        self_contact: Some(true),
        ..WorldDescription::bare()
    };
    description.simulation.gravity = DVec3::ZERO;
    build(&description)
}

/// Kinetic and elastic energy as the box sees them, relative to the energy of the impact.
fn energy_seen_from(observer: DVec3, world: &World) -> f64 {
    let (now, mass) = (world.measure(), 1.5 * 0.25 * 0.25);
    let kinetic = now.kinetic_energy + now.momentum.dot(observer) + 0.5 * mass * observer.length_squared();
    (kinetic + now.stretch_energy + now.bend_energy) / (0.5 * mass * 15.0 * 15.0)
}

/// Cloth that CCD stops goes on with the body that it meets. Stopped in space, it was hit by the box at 30 m/s: the energy of the impact
/// became three times as large.
#[test]
fn a_box_that_moves_is_met_as_one_at_rest() {
    for (solver, substeps) in [(SolverChoice::Global, 64), (SolverChoice::Block, 64)] {
        let energies = [DVec3::ZERO, OBSERVER].map(|observer| {
            let mut world = patch_at_box(solver, substeps, observer);
            let mut most: f64 = 0.0;
            let after = [0, 1].map(|_| {
                run(&mut world, 1);
                let energy = energy_seen_from(observer, &world);
                most = most.max(energy);
                energy
            });
            assert!(most < 0.3, "{solver:?}, {observer}: {after:?}");
            assert!(world.crossings().expect("it meets itself").is_empty(), "{solver:?}, {observer}");
            after
        });
        let [at_rest, moving] = energies;
        assert!((at_rest[0] - moving[0]).abs() < 0.05, "{solver:?}: {energies:?}");
    }
}

/// Pushes after the solution once turned each way that CCD had cut into velocity. In substeps of 4 ms the energy rose to thousands of times
/// that of the impact.
#[test]
fn long_substeps_do_not_blow_an_impact_up() {
    for substeps in [4, 8] {
        let mut world = patch_at_box(SolverChoice::Global, substeps, DVec3::ZERO);
        let most = (0..3).map(|_| {
            run(&mut world, 1);
            energy_seen_from(DVec3::ZERO, &world)
        });
        let most = most.fold(0.0, f64::max);
        assert!(most < if substeps == 4 { 5.0 } else { 1.0 }, "{substeps} substeps: {most}");
    }
}
