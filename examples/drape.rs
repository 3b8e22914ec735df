//! A canvas falls onto a sphere; its mesh refines where the folds are and coarsens where it is smooth.
//!
//! `cargo run --release --example drape` writes `out/drape.png`.

mod common;

use glam::{DVec2, DVec3};
use taffeta::contact::{Obstacle, Shape};
use taffeta::core::Placement;
use taffeta::io::{GridPattern, grid};
use taffeta::remesh::RemeshSettings;
use taffeta::sim::{ClothDescription, Material, World, WorldDescription};

fn world() -> World {
    let mut mesh = grid(DVec2::ONE, [10, 10], GridPattern::Alternating, 0);
    // From the xy-plane to the horizontal, centered above the sphere.
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x - 0.5, 0.45, 0.5 - x.y));
    let canvas = Material::isotropic(0.3, 3000.0, 0.3, 4e-4);
    let mut sheet = ClothDescription::new("sheet", mesh, canvas);
    sheet.remesh = Some(RemeshSettings {
        size_min: 0.01,
        size_max: 0.15,
        refine_error: Some(0.004),
        ..RemeshSettings::default()
    });
    let ball = Obstacle::new(Shape::Sphere { radius: 0.2 }, Placement::at(DVec3::new(0.0, 0.2, 0.0)));
    let description =
        WorldDescription { cloths: vec![sheet], obstacles: vec![ball], ..WorldDescription::bare() };
    World::build(&description).expect("the description is complete")
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = world();
    common::run(&mut world, 150)?;
    common::draw(&world, "drape")?;
    Ok(())
}

#[test]
fn runs_in_a_short_mode() {
    let mut world = world();
    let coarse = world.vertex_count();
    common::run(&mut world, 8).expect("every step is finite");
    assert!(world.vertex_count() > coarse, "the mesh refines around the impact");
}
