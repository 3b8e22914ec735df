//! Quantities whose means are compared.

use taffeta_sim::World;

/// A quantity of a sheet.
pub(super) type Quantity = fn(&World) -> f64;

/// Of stretching and bending \[J\].
pub(super) fn elastic_energy(world: &World) -> f64 {
    let metrics = world.measure();
    metrics.stretch_energy + metrics.bend_energy
}

/// \[J\]
pub(super) fn bend_energy(world: &World) -> f64 {
    world.measure().bend_energy
}

/// Zero at the origin \[J\].
pub(super) fn gravity_energy(world: &World) -> f64 {
    world.measure().gravity_energy
}
