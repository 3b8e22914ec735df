//! A skinned body: an arm that bends under a cloth, whose vertices are moved from outside in every frame.
//!
//! `cargo run --release --example morph` prints how high the cloth is lifted, and that nothing crosses.

use taffeta::prelude::*;

/// One frame \[s\].
const FRAME: f64 = 1.0 / 60.0;
/// Rings of the arm and vertices of each; its radius and its length \[m\].
const RINGS: u32 = 25;
const SIDES: u32 = 16;
const RADIUS: f64 = 0.06;
const LENGTH: f64 = 0.8;

/// The faces of the arm, closed by a fan at both ends.
fn arm_faces() -> Vec<[u32; 3]> {
    let at = |ring: u32, side: u32| ring * SIDES + side % SIDES;
    let quads = (0..RINGS - 1).flat_map(|ring| (0..SIDES).map(move |side| (ring, side)));
    let mantle = quads.flat_map(|(ring, side)| {
        let [a, b] = [at(ring, side), at(ring, side + 1)];
        let [c, d] = [at(ring + 1, side), at(ring + 1, side + 1)];
        [[a, c, b], [b, c, d]]
    });
    let (first, last) = (RINGS * SIDES, RINGS * SIDES + 1);
    let caps = (0..SIDES).flat_map(|side| {
        [[first, at(0, side), at(0, side + 1)], [last, at(RINGS - 1, side + 1), at(RINGS - 1, side)]]
    });
    mantle.chain(caps).collect()
}

/// The vertices of the arm whose elbow is bent by an angle \[rad\]: linear blend skinning of two bones.
fn arm(bend: f64) -> Vec<DVec3> {
    let elbow = DVec3::new(0.5 * LENGTH, 0.0, 0.0);
    let turned = DQuat::from_rotation_z(bend);
    let skin = |x: DVec3| {
        let weight = ((x.x - elbow.x) / (0.25 * LENGTH) + 0.5).clamp(0.0, 1.0);
        x.lerp(elbow + turned * (x - elbow), weight)
    };
    let ring = |k: u32| f64::from(k) / f64::from(RINGS - 1) * LENGTH;
    let around = |side: u32| f64::from(side) / f64::from(SIDES) * std::f64::consts::TAU;
    let point = |k: u32, side: u32| {
        let (s, c) = around(side).sin_cos();
        DVec3::new(ring(k), RADIUS * c, RADIUS * s)
    };
    let mantle = (0..RINGS).flat_map(|k| (0..SIDES).map(move |side| (k, side)));
    let mantle = mantle.map(|(k, side)| point(k, side));
    mantle.chain([DVec3::ZERO, DVec3::X * LENGTH]).map(skin).collect()
}

/// A cloth over the arm.
fn world() -> Result<World, BuildError> {
    let (columns, rows) = (28_u32, 16_u32);
    let place = |k: u32| DVec2::new(f64::from(k % (columns + 1)), f64::from(k / (columns + 1))) * 0.03;
    let material: Vec<DVec2> = (0..(columns + 1) * (rows + 1)).map(place).collect();
    let cells = (0..columns * rows).map(|k| k / columns * (columns + 1) + k % columns);
    let side = columns + 1;
    let mut mesh = TriangleMesh {
        positions: material.iter().map(|u| DVec3::new(u.x - 0.02, RADIUS + 0.002, 0.24 - u.y)).collect(),
        faces: cells.flat_map(|a| [[a, a + 1, a + 1 + side], [a, a + 1 + side, a + side]]).collect(),
        ..TriangleMesh::default()
    };
    mesh.set_vertex_material(&material);
    let cloth = ClothDescription::new("cloth", mesh, Material::isotropic(0.15, 800.0, 0.3, 1e-5));
    let mut body = MeshObstacle::new(arm(0.0), arm_faces(), Placement::default());
    body.name = "arm".into();
    body.friction = Friction { static_: 0.8, kinetic: 0.6 };
    World::build(&WorldDescription {
        cloths: vec![cloth],
        mesh_obstacles: vec![body],
        ..WorldDescription::default()
    })
}

/// Angle of the elbow in a frame \[rad\]: it waits until the cloth hangs, and bends within a second.
fn bend_at(frame: u32) -> f64 {
    let part = (f64::from(frame) - 20.0) / 60.0;
    let smooth = part.clamp(0.0, 1.0);
    0.9 * smooth * smooth * (3.0 - 2.0 * smooth)
}

/// Plays some frames; calls `draw` with the number of each and the world.
fn play(frames: u32, mut draw: impl FnMut(u32, &World)) -> Result<(), Box<dyn std::error::Error>> {
    let mut world = world()?;
    let body = world.find_obstacle("arm").expect("it has that name");
    for frame in 1..=frames {
        world.set_obstacle_mesh(body, &arm(bend_at(frame)))?;
        world.step(&StepInputs::default(), FRAME)?;
        draw(frame, &world);
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    play(90, |frame, world| {
        let cloth = world.cloth(world.cloth_ids()[0]);
        let high = cloth.positions().iter().map(|x| x.y).fold(f64::NEG_INFINITY, f64::max);
        let crossings = world.crossings().map_or(0, |list| list.len());
        println!("frame {frame:2}: lifted to {high:.3} m, {crossings} edges through faces");
    })
}

#[test]
fn the_cloth_is_lifted_by_the_arm_and_nothing_crosses() {
    let mut highest: f64 = 0.0;
    play(80, |frame, world| {
        assert_eq!(world.crossings().map(|list| list.len()), Some(0), "frame {frame}");
        let cloth = world.cloth(world.cloth_ids()[0]);
        highest = cloth.positions().iter().map(|x| x.y).fold(f64::NEG_INFINITY, f64::max);
    })
    .expect("every step is finite");
    assert!((0.2..0.5).contains(&highest), "the fore arm lifts it: {highest}");
}
