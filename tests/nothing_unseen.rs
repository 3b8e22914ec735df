//! Bodies at any speed through a sheet that is held: what the sheet cannot stop is reported.

use crate::common::*;
use glam::{DVec2, DVec3};
use taffeta::contact::{MeshObstacle, Obstacle, Shape};
use taffeta::core::{Keyframe, Motion, Placement, Region};
use taffeta::scene::{GridPattern, materials, sphere_mesh};
use taffeta::sim::{
    ClothDescription, PinDescription, SimulationSettings, SolverChoice, StepInputs, World, WorldDescription,
};

const SPEEDS: [f64; 5] = [1.0, 10.0, 100.0, 1e3, 1e4];
const BODIES: [&str; 5] = ["sphere", "capsule", "box", "plane", "mesh"];

/// A horizontal sheet of 30 cm by 30 cm around the origin, held along its boundary.
fn held_sheet(cells: u32) -> ClothDescription {
    let size = 0.3;
    let mut mesh = square(cells, GridPattern::Alternating);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x - 0.5, 0.0, 0.5 - x.y) * size);
    mesh.material.iter_mut().flatten().flatten().for_each(|u| *u *= size);
    let cotton = materials::preset("cotton").unwrap().material;
    let mut cloth = ClothDescription::new("sheet", mesh, cotton);
    cloth.pins = vec![PinDescription::new(Region::Boundary)];
    cloth
}

/// Upward through the origin from half a frame before to half a frame after, and on.
fn through(speed: f64, lead: f64) -> Motion {
    let key = |time: f64, y: f64| Keyframe { time, translate: DVec3::Y * y, rotate_deg: DVec3::ZERO };
    Motion { keys: vec![key(0.0, -lead), key(2.0 * lead / speed, lead)] }
}

fn world_of(body: &str, speed: f64, substeps: Option<u32>) -> (World, u32) {
    let lead = f64::max(0.2, speed * FRAME * 0.7);
    let motion = through(speed, lead);
    let mut description = WorldDescription {
        cloths: vec![held_sheet(4)],
        simulation: SimulationSettings {
            solver: SolverChoice::Global,
            substeps,
            ..SimulationSettings::default()
        },
        self_contact: true,
        ..WorldDescription::default()
    };
    let shape = match body {
        "sphere" => Some(Shape::Sphere { radius: 0.05 }),
        "capsule" => Some(Shape::Capsule { radius: 0.03, half_length: 0.04 }),
        "box" => Some(Shape::Box { half_size: DVec3::new(0.05, 0.02, 0.04) }),
        "plane" => Some(Shape::Plane { normal: DVec3::Y }),
        _ => None,
    };
    match shape {
        Some(shape) => {
            description.obstacles = vec![Obstacle { motion, ..Obstacle::new(shape, Placement::default()) }]
        }
        None => {
            let mesh = sphere_mesh(0.05, 1);
            description.mesh_obstacles = vec![MeshObstacle {
                motion,
                ..MeshObstacle::new(mesh.positions, mesh.faces, Placement::default())
            }];
        }
    }
    let frames = (2.0 * lead / speed / FRAME).ceil() as u32 + 1;
    (build(&description), frames.min(30))
}

#[test]
fn explore() {
    let mut unseen = 0;
    for body in BODIES {
        for speed in SPEEDS {
            for substeps in [Some(1), Some(4), None] {
                let (mut world, frames) = world_of(body, speed, substeps);
                let (mut forced, mut most, mut crossings) = (0, 0.0f64, 0);
                let mut error = None;
                for _ in 0..frames {
                    let start = std::time::Instant::now();
                    match world.step(&StepInputs::default(), FRAME) {
                        Ok(report) => {
                            forced += report.safeguard.forced;
                        }
                        Err(e) => {
                            error = Some(e);
                            break;
                        }
                    }
                    crossings =
                        crossings.max(world.crossings().unwrap().len() + world.sunken_faces().unwrap());
                    most = most.max(start.elapsed().as_secs_f64());
                }
                let mesh = world.mesh(0);
                let top = mesh.positions.iter().map(|x| x.y).fold(f64::NEG_INFINITY, f64::max);
                let lead = f64::max(0.2, speed * FRAME * 0.7);
                let y = (world.time() * speed - lead).min(lead);
                let passed = top < y;
                let bad = passed && forced == 0;
                unseen += u32::from(bad);
                println!(
                    "{body:8} {speed:6} {substeps:?}: {frames} frames, top {top:.3} body at {y:.3} passed {passed} forced {forced} crossings {crossings} slowest {most:.3} {} {error:?}",
                    if bad { "UNSEEN" } else { "" }
                );
            }
        }
    }
    println!("unseen {unseen}");
}
