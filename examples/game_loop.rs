//! The loop of a game: a cloth falls over a ball that moves, and every frame reads where its vertices are.
//!
//! `cargo run --release --example game_loop` prints the lowest and the highest vertex. It takes nothing but the prelude, which
//! the default features have: the mesh is made here, and drawing is left to the game.

use taffeta::prelude::*;

/// Cells along a side of the cloth.
const CELLS: u32 = 24;
/// One frame \[s\].
const FRAME: f64 = 1.0 / 60.0;

/// A square of 1 m in the horizontal plane at a height \[m\].
fn square(height: f64) -> TriangleMesh {
    let side = CELLS + 1;
    let points =
        (0..side * side).map(|k| DVec2::new(f64::from(k % side), f64::from(k / side)) / f64::from(CELLS));
    let material: Vec<DVec2> = points.collect();
    let cells = (0..CELLS * CELLS).map(|k| k / CELLS * side + k % CELLS);
    let mut mesh = TriangleMesh {
        positions: material.iter().map(|u| DVec3::new(u.x - 0.5, height, 0.5 - u.y)).collect(),
        faces: cells.flat_map(|a| [[a, a + 1, a + 1 + side], [a, a + 1 + side, a + side]]).collect(),
        ..TriangleMesh::default()
    };
    mesh.set_vertex_material(&material);
    mesh
}

fn world() -> Result<World, BuildError> {
    let cotton = Material::isotropic(0.15, 1000.0, 0.3, 1e-5);
    let cloth = ClothDescription::new("cloth", square(0.35), cotton);
    let mut ball = Obstacle::new(Shape::Sphere { radius: 0.2 }, Placement::default());
    let rise = |(time, height)| Keyframe { time, translate: DVec3::Y * height, rotate_deg: DVec3::ZERO };
    ball.motion.keys = [(0.0, 0.0), (1.0, 0.2)].map(rise).into();
    World::build(&WorldDescription {
        cloths: vec![cloth],
        obstacles: vec![ball],
        ..WorldDescription::default()
    })
}

/// Plays some frames; calls `draw` with the number of each and the positions of the vertices \[m\].
fn play(world: &mut World, frames: u32, mut draw: impl FnMut(u32, &[DVec3])) -> Result<(), StepError> {
    for frame in 1..=frames {
        world.step(&StepInputs::default(), FRAME)?;
        draw(frame, &world.mesh(0).positions);
    }
    Ok(())
}

fn heights(positions: &[DVec3]) -> [f64; 2] {
    let heights = || positions.iter().map(|x| x.y);
    [heights().fold(f64::INFINITY, f64::min), heights().fold(f64::NEG_INFINITY, f64::max)]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    play(&mut world()?, 60, |frame, positions| {
        let [low, high] = heights(positions);
        println!("frame {frame:2}: from {low:.3} m to {high:.3} m");
    })?;
    Ok(())
}

#[test]
fn the_cloth_hangs_over_the_ball_and_rises_with_it() {
    let mut seen = Vec::new();
    play(&mut world().expect("it is complete"), 60, |_, positions| seen.push(heights(positions)))
        .expect("every step is finite");
    let [low, high] = seen[59];
    assert!(seen.len() == 60 && low < 0.25 && (0.39..0.45).contains(&high), "{low} {high}");
}
