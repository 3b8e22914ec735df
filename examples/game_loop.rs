//! The loop of a game: a hand moves through a curtain, and every frame fills the buffers of a renderer.
//!
//! `cargo run --release --example game_loop` prints how far the curtain gives way, and how many frames were late: a step has the time of
//! a frame as its budget, on one thread. It takes nothing but the prelude, which the default features have: the mesh is made here, and
//! drawing is left to the game.

use std::time::Instant;
use taffeta::prelude::*;

/// Cells along a side of the curtain.
const CELLS: u32 = 32;
/// One frame \[s\].
const FRAME: f64 = 1.0 / 60.0;
/// Frames in which the hand goes through and comes back.
const FRAMES: u32 = 90;

/// A square of 1 m in the plane z = 0, between the heights 0 and 1 m.
fn square(cells: u32) -> TriangleMesh {
    let side = cells + 1;
    let points =
        (0..side * side).map(|k| DVec2::new(f64::from(k % side), f64::from(k / side)) / f64::from(cells));
    let material: Vec<DVec2> = points.collect();
    let cells = (0..cells * cells).map(|k| k / cells * side + k % cells);
    let mut mesh = TriangleMesh {
        positions: material.iter().map(|u| u.extend(0.0)).collect(),
        faces: cells.flat_map(|a| [[a, a + 1, a + 1 + side], [a, a + 1 + side, a + side]]).collect(),
        ..TriangleMesh::default()
    };
    mesh.set_vertex_material(&material);
    mesh
}

/// Pose of the hand in a frame: through the curtain, sideward, and back.
fn hand_at(frame: u32) -> Pose {
    let part = f64::from(frame) / f64::from(FRAMES) * std::f64::consts::TAU;
    let place = DVec3::new(0.5 - 0.15 * part.sin(), 0.45, -0.25 * part.cos() - 0.02);
    Pose::new(DQuat::from_rotation_x(0.8), place)
}

/// Buffers that a renderer draws.
#[derive(Default)]
struct Buffers {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
    /// The count of changes of the mesh for which the triangles hold; `None`: there are none yet.
    version: Option<u64>,
}

impl Buffers {
    /// Takes over what has changed since the last frame.
    fn fill(&mut self, cloth: ClothView<'_>) {
        cloth.positions_f32_into(&mut self.positions);
        cloth.normals_into(&mut self.normals);
        if self.version != Some(cloth.topology_version()) {
            self.triangles = cloth.faces().to_vec();
            self.version = Some(cloth.topology_version());
        }
    }
}

/// The world, its curtain and its hand.
fn world(cells: u32) -> Result<(World, ClothId, ObstacleId), BuildError> {
    let cotton = Material::isotropic(0.15, 1000.0, 0.3, 1e-5);
    let mut curtain = ClothDescription::new("curtain", square(cells), cotton);
    let upper_edge = Region::MaterialBox([DVec2::Y, DVec2::ONE]);
    curtain.pins.push(PinDescription::new(upper_edge));
    curtain.remesh = Some(RemeshSettings { size_min: 0.03, size_max: 0.2, ..RemeshSettings::default() });
    let shape = Shape::Capsule { radius: 0.06, half_length: 0.1 };
    let mut hand = Obstacle { name: "hand".into(), ..Obstacle::new(shape, Placement::default()) };
    hand.place.translate = hand_at(0).translation;
    let world = World::build(&WorldDescription {
        cloths: vec![curtain],
        obstacles: vec![hand],
        self_contact: Some(true),
        simulation: SimulationSettings { threads: 1, ..SimulationSettings::default() },
        ..WorldDescription::default()
    })?;
    let (curtain, hand) = (world.find_cloth("curtain"), world.find_obstacle("hand"));
    Ok((world, curtain.expect("it has that name"), hand.expect("it has that name")))
}

/// Plays the frames, each within a budget \[s\]; calls `draw` with the number of each and what there is to draw.
fn play(
    cells: u32,
    budget: Option<f64>,
    mut draw: impl FnMut(u32, &Buffers),
) -> Result<(), Box<dyn std::error::Error>> {
    let (mut world, curtain, hand) = world(cells)?;
    let mut buffers = Buffers::default();
    for frame in 1..=FRAMES {
        world.set_obstacle_pose(hand, hand_at(frame))?;
        world.step(&StepInputs { budget, ..StepInputs::default() }, FRAME)?;
        buffers.fill(world.cloth(curtain));
        draw(frame, &buffers);
    }
    Ok(())
}

/// Extent of the curtain to both sides of its plane \[m\].
fn reach(buffers: &Buffers) -> [f32; 2] {
    let sides = || buffers.positions.iter().map(|x| x[2]);
    [sides().fold(0.0, f32::min), sides().fold(0.0, f32::max)]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut last, mut late) = (Instant::now(), 0);
    play(CELLS, Some(FRAME), |frame, buffers| {
        let time = last.elapsed().as_secs_f64();
        late += u32::from(frame > 1 && time > FRAME);
        let ([back, front], count) = (reach(buffers), buffers.positions.len());
        println!("frame {frame:2}: {count} vertices, from {back:.3} m to {front:.3} m, {:.1} ms", 1e3 * time);
        last = Instant::now();
    })?;
    println!("{late} of {FRAMES} frames were late");
    Ok(())
}

#[test]
fn the_curtain_gives_way_to_the_hand() {
    let mut seen = Vec::new();
    let mut changes = 0;
    let mut last = None;
    // Without a budget: what comes out must not depend on the machine.
    play(16, None, |_, buffers| {
        let count = buffers.positions.len();
        assert!(
            buffers.normals.len() == count
                && buffers.triangles.as_flattened().iter().all(|v| (*v as usize) < count)
        );
        changes += u32::from(last.replace(buffers.version) != Some(buffers.version));
        seen.push(reach(buffers));
    })
    .expect("every step is finite");
    let farthest = seen.iter().map(|[_, front]| *front).fold(0.0, f32::max);
    assert!(seen.len() == 90 && (0.2..0.6).contains(&farthest), "{farthest}");
    assert!(changes > 3, "the mesh follows the hand: {changes}");
}
