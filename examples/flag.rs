//! A silk flag in a wind of 8 m/s, adaptively.
//!
//! `cargo run --release --example flag` writes `out/flag.png`.

mod common;

use glam::{DVec2, DVec3};
use taffeta::core::Region;
use taffeta::io::{GridPattern, grid};
use taffeta::remesh::RemeshSettings;
use taffeta::scene::materials;
use taffeta::sim::{Air, ClothDescription, PinDescription, World, WorldDescription};

fn world() -> World {
    let mesh = grid(DVec2::new(1.2, 0.8), [12, 8], GridPattern::Alternating, 0);
    let silk = materials::preset("silk").expect("a preset").material;
    let mut flag = ClothDescription::new("flag", mesh, silk);
    let pole = Region::MaterialBox([DVec2::ZERO, DVec2::new(0.0, 0.8)]);
    flag.pins.push(PinDescription::new(pole));
    flag.remesh = Some(RemeshSettings { size_max: 0.2, ..RemeshSettings::default() });
    let air = Air { wind: DVec3::new(8.0, 0.0, 1.5), ..Air::default() };
    World::build(&WorldDescription { cloths: vec![flag], air: Some(air), ..WorldDescription::bare() })
        .expect("the description is complete")
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = world();
    common::run(&mut world, 90)?;
    common::draw(&world, "flag")?;
    Ok(())
}

#[test]
fn runs_in_a_short_mode() {
    let mut world = world();
    common::run(&mut world, 5).expect("every step is finite");
    assert!(world.mesh(0).positions.iter().any(|x| x.z > 0.005), "the wind moves the flag");
}
