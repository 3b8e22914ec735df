//! Pressure: a load that follows the faces.
//!
//! The force on a face is `p · A n`, with `A n = ½ (x₁ − x₀) × (x₂ − x₀)` its area vector, a third on each corner. The
//! area vectors of a closed surface add up to zero, and so do the forces of a constant pressure on it.

use crate::derive::world::World;
use crate::model::setup::Setup;
use crate::model::state::State;
use glam::DVec3;
use taffeta_core::index::DenseIndex;
use taffeta_solve::block::gather;

/// The area vector of a triangle \[m²\]: its area along its normal.
fn area_vector([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a) * 0.5
}

/// Returns whether pressure acts as an external force at the positions of the start of the substep, as in all solvers
/// that sweep. Newton's method takes it up into its equations.
pub fn is_pressure_explicit(world: &World) -> bool {
    world.derived.choice.capabilities().is_local()
}

/// Returns whether any cloth is under pressure.
pub(crate) fn has_pressure(setup: &Setup) -> bool {
    setup.cloths.iter().any(|cloth| cloth.pressure != 0.0)
}

/// Adds the forces of the pressure at positions `x` \[m\] to `out` \[N\].
pub(crate) fn add_pressure(setup: &Setup, state: &State, x: &[DVec3], out: &mut [DVec3]) {
    for (fi, corners) in state.sheet.topology.faces.iter_indexed() {
        let pressure = setup.cloths[state.motion.rest.cloths[fi] as usize].pressure;
        if pressure != 0.0 {
            let third = area_vector(gather(*corners, x)) * (pressure / 3.0);
            corners.iter().for_each(|vi| out[vi.to_usize()] += third);
        }
    }
}

/// Mean size of the acceleration by pressure over the faces \[m/s²\].
pub(crate) fn mean_pressure_acceleration(world: &World) -> f64 {
    let (rest, x) = (&world.state.motion.rest, &world.state.motion.positions);
    let mut sum = 0.0;
    for (fi, corners) in world.state.sheet.topology.faces.iter_indexed() {
        let cloth = &world.setup.cloths[rest.cloths[fi] as usize];
        let mass = cloth.material.density * rest.areas[fi];
        sum += cloth.pressure.abs() * area_vector(gather(*corners, x)).length() / mass;
    }
    sum / world.state.sheet.topology.face_count().max(1) as f64
}
