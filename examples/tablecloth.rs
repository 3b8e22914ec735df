//! A round tablecloth from an OBJ file falls onto a ball and the floor.
//!
//! `cargo run --release --example tablecloth` writes `out/tablecloth.png`.

mod common;

use glam::DVec3;
use std::path::Path;
use taffeta::contact::{Obstacle, Shape};
use taffeta::core::Placement;
use taffeta::io::read_obj;
use taffeta::remesh::RemeshSettings;
use taffeta::scene::materials;
use taffeta::sim::{ClothDescription, World, WorldDescription};

fn world() -> World {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../meshes/tablecloth.obj");
    let mesh = read_obj(&file).expect("the project ships it").mesh;
    let denim = materials::preset("denim").expect("a preset").material;
    let mut cloth = ClothDescription::new("tablecloth", mesh, denim);
    cloth.mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x, 0.52, -x.y));
    cloth.remesh = Some(RemeshSettings { size_max: 0.2, ..RemeshSettings::default() });
    let ball = Obstacle::new(Shape::Sphere { radius: 0.25 }, Placement::at(DVec3::new(0.0, 0.25, 0.0)));
    let floor = Obstacle::new(Shape::Plane { normal: DVec3::Y }, Placement::default());
    World::build(&WorldDescription {
        cloths: vec![cloth],
        obstacles: vec![ball, floor],
        ..WorldDescription::bare()
    })
    .expect("the description is complete")
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = world();
    common::run(&mut world, 90)?;
    common::draw(&world, "tablecloth")?;
    Ok(())
}

#[test]
fn runs_in_a_short_mode() {
    let mut world = world();
    common::run(&mut world, 6).expect("every step is finite");
    let lowest = world.mesh(0).positions.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
    assert!(lowest > 0.0 && lowest < 0.5, "the rim falls, but not through the floor: {lowest}");
}
