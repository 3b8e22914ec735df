//! A strip that comes to rest over a ball. A strip, because a wide sheet buckles on a ball, and has many equilibria.

use super::meshing::{Meshing, lattice, rms};
use crate::common::*;
use glam::{DVec2, DVec3};
use taffeta::contact::{Obstacle, Shape};
use taffeta::core::Placement;
use taffeta::io::{GridPattern, grid};
use taffeta::sim::{ClothDescription, Material, SimulationSettings, WorldDescription};

/// Size of the strip and radius of the ball \[m\].
const SIZE: DVec2 = DVec2::new(1.0, 0.25);
const RADIUS: f64 = 0.2;
/// Stretching that the automatic substeps of the block solver leave \[m\]: a hundredth of the size. The strip slides on the
/// ball while it falls, and friction keeps what differences of that have added up to.
const TOLERANCE: f64 = 0.01;

/// Material points of the strip \[m\] at rest.
fn draped(meshing: Meshing) -> Vec<DVec3> {
    let mut mesh = match meshing {
        Meshing::Fixed(pattern, cells) => grid(SIZE, [cells, cells / 4], pattern, 1),
        Meshing::Adaptive(_) => grid(SIZE, [8, 2], GridPattern::Alternating, 1),
    };
    let center = 0.5 * SIZE;
    let level = |x: &DVec3| DVec3::new(x.x - center.x, RADIUS + 0.005, center.y - x.y);
    mesh.positions = mesh.positions.iter().map(level).collect();
    let mut cloth = ClothDescription::new("strip", mesh, Material::isotropic(0.3, 3000.0, 0.3, 4e-4));
    meshing.adapt(&mut cloth, SIZE.x, 4.0);
    let mut world = build(&WorldDescription {
        cloths: vec![cloth],
        obstacles: vec![Obstacle::new(Shape::Sphere { radius: RADIUS }, Placement::default())],
        simulation: SimulationSettings { velocity_damping: 4.0, ..SimulationSettings::default() },
        ..WorldDescription::bare()
    });
    let report = run(&mut world, 90);
    assert!(report.contacts > 0 && report.metrics.kinetic_energy < 1e-4, "{meshing:?}: {report:?}");
    lattice(&world, SIZE)
}

#[test]
fn the_drape_is_the_same_on_every_mesh() {
    let finest = draped(Meshing::Fixed(GridPattern::Alternating, tier(32, 96)));
    for meshing in tier(&[16][..], &[16, 32, 64]).iter().copied().flat_map(Meshing::some) {
        let distance = rms(&draped(meshing), &finest);
        assert!(distance < TOLERANCE, "{meshing:?}: {distance}");
    }
}
