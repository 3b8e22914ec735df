//! The heavy strip that is clamped at one end.

use super::meshing::Meshing;
use crate::common::*;
use glam::{DVec2, DVec3};
use taffeta::core::Region;
use taffeta::io::{GridPattern, grid};
use taffeta::sim::{ClothDescription, Material, PinDescription, SimulationSettings};
use taffeta::study::reference::{GRAVITY, heavy_elastica};
use taffeta::study::validate::mean_position;

/// Length behind the clamp and width \[m\].
const LENGTH: f64 = 0.2;
const WIDTH: f64 = 0.05;
/// Areal density \[kg/m²\].
const DENSITY: f64 = 0.2;

/// A level strip whose end is held, and where along it the clamp acts \[m\].
fn strip(meshing: Meshing, material: Material) -> (ClothDescription, f64) {
    let (pattern, cells) = match meshing {
        Meshing::Fixed(pattern, cells) => (pattern, cells),
        Meshing::Adaptive(_) => (GridPattern::Alternating, 8),
    };
    let is_adaptive = matches!(meshing, Meshing::Adaptive(_));
    // A held cell acts at its middle. An adaptive mesh has no cells, so there the end itself is clamped.
    let (cell, count) = if is_adaptive {
        (LENGTH / f64::from(cells), cells)
    } else {
        (LENGTH / (f64::from(cells) + 0.5), cells + 1)
    };
    let size = DVec2::new(cell * f64::from(count), WIDTH);
    let mut mesh = grid(size, [count, (WIDTH / cell).round() as u32], pattern, 1);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x, 0.0, -x.y));
    let mut cloth = ClothDescription::new("strip", mesh, material);
    let held = if is_adaptive { 0.0 } else { cell };
    let mut pin = PinDescription::new(Region::MaterialBox([DVec2::ZERO, DVec2::new(held, WIDTH)]));
    pin.clamp = is_adaptive;
    cloth.pins.push(pin);
    meshing.adapt(&mut cloth, LENGTH, 4.0);
    (cloth, 0.5 * held)
}

/// Drop over reach of the tip in equilibrium.
fn bend(meshing: Meshing, gamma: f64) -> f64 {
    let stiffness = DENSITY * GRAVITY * LENGTH.powi(3) / gamma;
    let (cloth, clamp) = strip(meshing, Material::isotropic(DENSITY, 200.0, 0.0, stiffness));
    let settling = SimulationSettings { velocity_damping: 20.0, ..SimulationSettings::default() };
    let mut world = world(cloth, settling);
    if let Meshing::Adaptive(_) = meshing {
        run(&mut world, 30);
    }
    world.equilibrate().expect("there is an equilibrium");
    let whole = LENGTH + clamp;
    let tip = mean_position(&world, DVec2::new(whole, 0.0), DVec2::new(whole, WIDTH)).expect("on the strip");
    -tip.y / (tip.x - clamp)
}

#[test]
fn the_strip_is_the_elastica_on_every_mesh() {
    for gamma in [1.0, 10.0] {
        let exact = heavy_elastica(gamma);
        for meshing in tier(&[32][..], &[32, 48, 64]).iter().copied().flat_map(Meshing::some) {
            let value = bend(meshing, gamma);
            assert!((value / exact - 1.0).abs() < 0.02, "Γ = {gamma}, {meshing:?}: {value} for {exact}");
        }
    }
}
