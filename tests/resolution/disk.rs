//! The inflated disk.

use super::meshing::Meshing;
use crate::common::*;
use glam::{DVec2, DVec3};
use taffeta::core::{Region, TriangleMesh};
use taffeta::sim::{ClothDescription, Material, PinDescription, SimulationSettings, World};
use taffeta::study::reference::hencky_membrane;
use taffeta::study::validate::position;

/// Pressure over membrane stiffness of a disk of radius 1 m.
const LOAD: f64 = 1e-4;

/// A square grid around the origin mapped to the unit disk, equal areas to equal areas (P. Shirley, K. Chiu, A low
/// distortion map between disk and square, 1997).
fn round(mesh: &mut TriangleMesh) {
    let bend = |u: DVec2| {
        let square = u * 2.0 - DVec2::ONE;
        let (radius, other, turned) = if square.x.abs() >= square.y.abs() {
            (square.x, square.y, false)
        } else {
            (square.y, square.x, true)
        };
        let angle = if radius == 0.0 { 0.0 } else { std::f64::consts::FRAC_PI_4 * other / radius };
        let [along, across] = [radius * angle.cos(), radius * angle.sin()];
        if turned { DVec2::new(across, along) } else { DVec2::new(along, across) }
    };
    mesh.positions.iter_mut().for_each(|x| *x = bend(DVec2::new(x.x, x.y)).extend(0.0));
    mesh.material.iter_mut().flatten().flatten().for_each(|u| *u = bend(*u));
}

/// `W₀` of the disk in equilibrium.
fn deflection(meshing: Meshing) -> f64 {
    let mut mesh = match meshing {
        // The rim stays the polygon that it was.
        Meshing::Adaptive(cells) => Meshing::Fixed(taffeta::io::GridPattern::Crossed, cells),
        Meshing::Fixed(..) => meshing,
    }
    .rectangle(DVec2::ONE);
    round(&mut mesh);
    let mut cloth = ClothDescription::new("disk", mesh, Material::isotropic(0.2, 1000.0, 0.3, 1e-6));
    cloth.pressure = LOAD * 1000.0;
    cloth.pins.push(PinDescription::new(Region::Boundary));
    // Sixteen edges along a radius at least, as the tolerance asks for.
    meshing.adapt(&mut cloth, 1.0, 2.0);
    let settings =
        SimulationSettings { gravity: DVec3::ZERO, velocity_damping: 20.0, ..SimulationSettings::default() };
    let mut world = world(cloth, settings);
    find_rest(&mut world, meshing);
    position(&world, 0.0, 0.0).expect("on the disk").z.abs() / LOAD.cbrt()
}

/// The equilibrium; a mesh that adapts does so where it is, and then finds its own.
fn find_rest(world: &mut World, meshing: Meshing) {
    world.equilibrate().expect("there is an equilibrium");
    if let Meshing::Adaptive(_) = meshing {
        run(world, 12);
        world.equilibrate().expect("there is an equilibrium");
    }
}

#[test]
fn the_deflection_is_that_of_hencky_on_every_mesh() {
    let exact = hencky_membrane(0.3);
    for meshing in tier(&[32][..], &[32, 40, 48]).iter().copied().flat_map(Meshing::some) {
        let value = deflection(meshing);
        assert!((value / exact - 1.0).abs() < 0.01, "{meshing:?}: {value} for {exact}");
    }
}
