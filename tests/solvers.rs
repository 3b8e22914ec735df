//! The global solver against the direct one: the same scenes, enough iterations for both, the same positions.
//!
//! Both stop when a Newton step promises to move the cloth by less than a part of its size, the global one at 1e-9 where
//! iterations are asked for. What that leaves grows where cloth buckles, so motions are compared over as few frames as
//! show the load.

use crate::common::*;
use glam::{DVec2, DVec3};
use taffeta::core::{Keyframe, KeyframedMotion, Region};
use taffeta::io::{GridPattern, grid};
use taffeta::sim::{ClothDescription, Material, Mode, PinDescription, SimulationSettings, SolverChoice};
use taffeta::study::validate::disk_mesh;

/// Positions may differ by this part of the size, which is about 1 m in all scenes.
const TOLERANCE: f64 = 1e-6;

/// The largest distance between the vertices \[m\] that both solvers give.
fn distance(cloth: &ClothDescription, frames: Option<u32>, gravity: DVec3) -> f64 {
    let positions = |solver| {
        let mode = if frames.is_some() { Mode::Dynamic } else { Mode::Static };
        let simulation = SimulationSettings {
            mode,
            solver,
            gravity,
            iterations: Some(200),
            ..SimulationSettings::default()
        };
        let mut world = world(cloth.clone(), simulation);
        match frames {
            Some(frames) => assert_eq!(run(&mut world, frames).plan.not_converged, 0, "{solver:?}"),
            None => _ = world.equilibrate().expect("there is an equilibrium"),
        }
        world.mesh(0).positions
    };
    let [global, direct] = [SolverChoice::Global, SolverChoice::Direct].map(positions);
    global.iter().zip(&direct).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

#[track_caller]
fn assert_alike(what: &str, distance: f64) {
    assert!(distance < TOLERANCE, "{what}: {distance:e}");
}

/// Earth's.
const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

#[test]
fn a_hung_sheet() {
    let cloth = hung_sheet(tier(16, 24), GridPattern::Alternating);
    assert_alike("hung sheet, static", distance(&cloth, None, GRAVITY));
    assert_alike("hung sheet, 12 frames", distance(&cloth, Some(12), GRAVITY));
}

#[test]
fn a_swing() {
    assert_alike("swing", distance(&swing(20), Some(2), GRAVITY));
}

/// A disk of radius 1 m under pressure.
fn disk() -> ClothDescription {
    let mut cloth = ClothDescription::new("disk", disk_mesh(12), Material::isotropic(0.2, 1000.0, 0.3, 1e-6));
    cloth.pressure = 0.1;
    cloth.pins.push(PinDescription::new(Region::Boundary));
    cloth
}

#[test]
fn an_inflated_disk() {
    assert_alike("disk, static", distance(&disk(), None, DVec3::ZERO));
    assert_alike("disk, 6 frames", distance(&disk(), Some(6), DVec3::ZERO));
}

/// A strip of 1 m held at one end, by its first cell or by a clamp, under Γ = 10.
fn cantilever(clamp: bool) -> ClothDescription {
    let mut mesh = grid(DVec2::new(1.0, 0.25), [24, 6], GridPattern::Crossed, 1);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x, 0.0, -x.y));
    let mut cloth = ClothDescription::new("strip", mesh, Material::isotropic(0.2, 2000.0, 0.0, 0.1962));
    let held = if clamp { 0.0 } else { 1.0 / 24.0 };
    let mut pin = PinDescription::new(Region::MaterialBox([DVec2::ZERO, DVec2::new(held, 0.25)]));
    pin.clamp = clamp;
    cloth.pins.push(pin);
    cloth
}

#[test]
fn a_cantilever() {
    assert_alike("cantilever", distance(&cantilever(false), None, GRAVITY));
}

#[test]
fn a_clamped_strip() {
    assert_alike("clamp, static", distance(&cantilever(true), None, GRAVITY));
    assert_alike("clamp, 12 frames", distance(&cantilever(true), Some(12), GRAVITY));
}

#[test]
fn a_pin_that_moves() {
    let mut cloth = hung_sheet(16, GridPattern::Diagonal);
    let key = |time, z| Keyframe { time, translate: DVec3::new(0.0, 0.0, z), rotate_deg: DVec3::ZERO };
    cloth.pins[0].motion = KeyframedMotion::from(vec![key(0.0, 0.0), key(0.2, 0.1)]);
    assert_alike("moving pin", distance(&cloth, Some(6), GRAVITY));
}

#[test]
fn a_free_sheet_under_pressure() {
    let mut cloth = ClothDescription::new("sheet", square(12, GridPattern::Delaunay), stiff());
    cloth.angular_velocity = DVec3::new(2.0, 0.0, 0.0);
    cloth.pressure = 1.0;
    assert_alike("free sheet under pressure", distance(&cloth, Some(6), DVec3::ZERO));
}
