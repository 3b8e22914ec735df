//! A sheet of cotton swings from two patches at its corners, adaptively.
//!
//! `cargo run --release --example swing` writes `out/swing.png`.

mod common;

use glam::{DVec2, DVec3};
use taffeta::core::Region;
use taffeta::io::{GridPattern, grid};
use taffeta::remesh::RemeshSettings;
use taffeta::scene::materials;
use taffeta::sim::{ClothDescription, PinDescription, World, WorldDescription};

fn world() -> World {
    let mut mesh = grid(DVec2::ONE, [10, 10], GridPattern::Alternating, 0);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x, 0.0, -x.y));
    let cotton = materials::preset("cotton").expect("a preset").material;
    let mut sheet = ClothDescription::new("sheet", mesh, cotton);
    // Patches, not points: the strain at a point pin grows without bound as the mesh refines.
    sheet.pins = [[DVec2::new(0.0, 0.9), DVec2::new(0.1, 1.0)], [DVec2::new(0.9, 0.9), DVec2::ONE]]
        .map(|patch| PinDescription::new(Region::MaterialBox(patch)))
        .into();
    sheet.remesh = Some(RemeshSettings { size_max: 0.2, ..RemeshSettings::default() });
    World::build(&WorldDescription { cloths: vec![sheet], ..WorldDescription::bare() })
        .expect("the description is complete")
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = world();
    common::run(&mut world, 60)?;
    common::draw(&world, "swing")?;
    Ok(())
}

#[test]
fn runs_in_a_short_mode() {
    let mut world = world();
    common::run(&mut world, 10).expect("every step is finite");
    assert!(world.mesh(0).positions.iter().any(|x| x.y < -0.05), "the sheet falls");
}
