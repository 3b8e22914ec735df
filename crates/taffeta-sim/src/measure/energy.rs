//! Energies, momenta, residual and hash of a state.

use crate::derive::derived::Derived;
use crate::derive::facts::Facts;
use crate::derive::pressure::{add_pressure, has_pressure};
use crate::derive::world::World;
use crate::measure::fields::face_strain;
use crate::model::report::{Metrics, RemeshCounts, RemeshJumps};
use crate::model::setup::Setup;
use crate::model::setup::pins::along_held;
use crate::model::state::State;
use crate::model::state::dense::DenseState;
use glam::DVec3;
use taffeta_core::math::Sym2;
use taffeta_solve::ElasticEnergy;

/// Energies, momenta and residual of the present state.
pub(crate) fn measure(world: &World) -> Metrics {
    let state = &world.state.motion;
    let x = &state.positions;
    let elastic = elastic_energy(world);
    let mass: f64 = state.masses.iter().sum();
    let each = || state.masses.iter().zip(x.iter()).zip(state.velocities.iter());
    let center = each().map(|((m, x), _)| *x * *m).sum::<DVec3>() / mass;
    Metrics {
        kinetic_energy: kinetic_energy(world),
        stretch_energy: elastic.stretch,
        bend_energy: elastic.bend,
        gravity_energy: gravity_energy(world),
        momentum: each().map(|((m, _), v)| *v * *m).sum(),
        angular_momentum: each().map(|((m, x), v)| (*x - center).cross(*v) * *m).sum(),
        max_strain: max_strain(world),
        residual: residual(world),
    }
}

/// Changes that a remeshing pass has made since the state was measured, with its popping.
pub(crate) fn measure_jumps(
    world: &World,
    before: &Metrics,
    counts: &RemeshCounts,
    popping: f64,
) -> RemeshJumps {
    if counts.splits + counts.collapses + counts.flips == 0 {
        return RemeshJumps::default();
    }
    let elastic = elastic_energy(world);
    RemeshJumps {
        popping,
        kinetic_energy: kinetic_energy(world) - before.kinetic_energy,
        elastic_energy: elastic.stretch + elastic.bend - (before.stretch_energy + before.bend_energy),
    }
}

/// Elastic energies \[J\], by the constraints of projective dynamics where they are in use.
fn elastic_energy(world: &World) -> ElasticEnergy {
    let x = &world.state.motion.positions;
    let Derived { solver, blocks, plate, .. } = &world.derived;
    solver.energy(blocks, x, plate)
}

/// Kinetic energy \[J\].
pub(crate) fn kinetic_energy(world: &World) -> f64 {
    let state = &world.state.motion;
    state.masses.iter().zip(state.velocities.iter()).map(|(m, v)| 0.5 * m * v.length_squared()).sum()
}

/// Potential energy in the field of gravity \[J\], zero at the origin.
fn gravity_energy(world: &World) -> f64 {
    let state = &world.state.motion;
    let moment: DVec3 = state.masses.iter().zip(state.positions.iter()).map(|(m, x)| *x * *m).sum();
    -gravity(&world.setup, &world.state).dot(moment)
}

pub(crate) fn gravity(setup: &Setup, state: &State) -> DVec3 {
    if state.last.h > 0.0 { state.gravity } else { setup.settings.gravity }
}

/// Largest principal Green strain of faces and strain of segments in absolute value. Edge-length cloths are measured by the same strain.
pub(crate) fn max_strain(world: &World) -> f64 {
    let mut largest = world.derived.blocks.ropes.max_strain(&world.state.motion.positions);
    largest = largest.max(world.derived.blocks.solids.max_strain(&world.state.motion.positions));
    for (fi, _) in world.state.sheet.topology.faces.iter_indexed() {
        largest = largest.max(face_strain(world, fi).abs());
    }
    largest
}

/// Gradient of the elastic energy \[N\].
pub(crate) fn elastic_gradient(motion: &DenseState, derived: &Derived) -> Vec<DVec3> {
    let Derived { solver, blocks, plate, .. } = derived;
    solver.gradient(blocks, &motion.positions, plate)
}

/// Forces that the last substep left unbalanced \[N\], those that hold vertices included: inertia and elasticity
/// less contact. `None` before the first substep and after a change of the mesh.
pub(crate) fn unbalanced_forces(facts: Facts<'_>, derived: &Derived) -> Option<Vec<DVec3>> {
    let (last, state) = (&facts.state.last, &facts.state.motion);
    if last.h == 0.0 || last.predicted.len() != state.positions.len() {
        return None;
    }
    let inverse_h2 = 1.0 / (last.h * last.h);
    let mut forces = elastic_gradient(state, derived);
    for (i, force) in forces.iter_mut().enumerate() {
        let inertia = last.inertia(i, state.masses.raw[i]);
        *force += (state.positions.raw[i] - last.predicted[i]) * inertia;
    }
    for pull in &last.pulls {
        forces[pull.vertex] +=
            (state.positions.raw[pull.vertex] - last.predicted[pull.vertex]) * pull.stiffness;
    }
    if has_pressure(facts.setup) && !facts.choice.capabilities().is_local() {
        let mut pressure = vec![DVec3::ZERO; forces.len()];
        add_pressure(facts.setup, facts.state, &state.positions, &mut pressure);
        forces.iter_mut().zip(pressure).for_each(|(force, pressure)| *force -= pressure);
    }
    for contact in &last.contacts {
        let lambda = contact.row.normal * contact.normal_lambda + contact.friction_lambda;
        for (vi, s) in contact.row.vertices.iter().zip(contact.row.weights) {
            forces[vi.0 as usize] -= lambda * (s * inverse_h2);
        }
    }
    Some(forces)
}

/// Norm of the forces along the free axes of the vertices that the last substep left unbalanced \[N\].
fn residual(world: &World) -> f64 {
    let Some(forces) = unbalanced_forces(world.facts(), &world.derived) else { return 0.0 };
    let free = forces
        .iter()
        .zip(world.state.motion.held.iter())
        .map(|(force, held)| along_held(*held, DVec3::ZERO, *force));
    free.map(|force| force.length_squared()).sum::<f64>().sqrt()
}

/// A hash of positions, velocities and what is plastic in dense order: a fingerprint of the motion. The whole state, with
/// all that later steps depend on, has [`Checkpoint::hash`](crate::Checkpoint::hash).
pub(crate) fn state_hash(world: &World) -> String {
    let mut hasher = blake3::Hasher::new();
    for vector in world.state.motion.positions.iter().chain(world.state.motion.velocities.iter()) {
        vector.to_array().iter().for_each(|c| _ = hasher.update(&c.to_le_bytes()));
    }
    let plastic = world.state.motion.rest.plastic_curvatures.iter();
    if plastic.clone().any(|curvature| *curvature != Sym2::default()) {
        for Sym2 { xx, xy, yy } in plastic {
            [xx, xy, yy].iter().for_each(|c| _ = hasher.update(&c.to_le_bytes()));
        }
    }
    hasher.finalize().to_hex().to_string()
}
