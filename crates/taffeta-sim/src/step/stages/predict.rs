//! First stage of a substep: where vertices would go without elasticity and contact.

use crate::derive::air::exposed;
use crate::derive::clock::end_of_substep;
use crate::derive::facts::Facts;
use crate::derive::pressure::{add_pressure, has_pressure};
use crate::derive::solver_facts::is_second_order;
use crate::features::grabs::pull_grabbed;
use crate::features::pins::record_inertia;
use crate::model::description::SolverChoice;
use crate::model::setup::Setup;
use crate::model::setup::pin_places::PinPlaces;
use crate::model::setup::pins::{PartlyHeld, along_held};
use crate::model::state::State;
use crate::model::state::inertia::coast;
use crate::model::workspace::{Inputs, Workspace};
use crate::step::stages::integrate::{collect_inertia, led};
use glam::DVec3;
use std::sync::Arc;
use taffeta_core::index::DenseIndex;

/// Notes the velocities at the start of the substep, and forgets the last one.
pub(crate) fn begin_substep(state: &State, work: &mut Workspace) {
    work.accelerations.clear();
    work.start_outer.clear();
    work.first_stage.clear();
    work.first_borne.clear();
    work.start_velocities.clone_from(&state.motion.velocities.raw);
}

/// Moves all vertices to their predicted positions at the end of a stage, after a time `h` \[s\]. Inertia, gravity, drag,
/// pressure and grabs move the free ones. The motion of their pin moves the held ones, along the axes that are held.
///
/// Reads: positions, start velocities, pins, air, grabs. Writes: velocities, the rows and the start of the stage.
pub(crate) fn predict(
    setup: &Setup,
    inputs: &Inputs,
    state: &mut State,
    choice: SolverChoice,
    work: &mut Workspace,
    h: f64,
) {
    let inertia = collect_inertia(&state.motion, work, h);
    let (gravity, damping) = (state.gravity, inputs.damping);
    state.last.damping = damping;
    state.last.outer = explicit_forces(Facts { setup, inputs, state, choice }, h);
    let State { motion, last, .. } = &mut *state;
    work.start.clone_from(&motion.positions.raw);
    work.bases = inertia.iter().map(|inertia| inertia.position).collect();
    last.scales = inertia.iter().map(|inertia| inertia.scale).collect();
    let velocities = Arc::make_mut(&mut motion.velocities);
    for (i, (v, w)) in velocities.iter_mut().zip(motion.inverse_masses.iter()).enumerate() {
        if *w > 0.0 {
            let outer = last.outer.get(i).copied().unwrap_or(DVec3::ZERO);
            *v = coast(inertia[i], gravity + outer * *w, damping);
        }
    }
    record_inertia(setup, state, &inertia, damping);
    state.last.h = h;
    place_vertices(Facts { setup, inputs, state, choice }, work, h);
    pull_grabbed(inputs, state, work);
}

/// Forces of drag and pressure at the start of a substep of length `h` \[N\], which local solvers add to gravity; empty if
/// there are none. Newton's method has both in its objective.
fn explicit_forces(Facts { setup, inputs, state, choice }: Facts<'_>, h: f64) -> Vec<DVec3> {
    if !choice.capabilities().is_local() || inputs.air.is_none() && !has_pressure(setup) {
        return Vec::new();
    }
    let motion = &state.motion;
    let mut forces = vec![DVec3::ZERO; motion.positions.len()];
    if let Some(air) = inputs.air {
        exposed(setup, state, air, &motion.positions).add_forces(&motion.velocities, h, &mut forces);
    }
    add_pressure(setup, state, &motion.positions, &mut forces);
    forces
}

/// Puts the vertices where their velocities and their pins take them by the end of the substep.
fn place_vertices(facts: Facts<'_>, work: &mut Workspace, h: f64) {
    let has_stages = is_second_order(facts);
    let State { sheet, motion, last, .. } = facts.state;
    let places = PinPlaces::at(facts.setup, end_of_substep(facts, h));
    work.guided.clear();
    for vi in sheet.topology.vertices() {
        let i = vi.to_usize();
        // Contacts are looked for where velocities lead. Elastic forces of what is pressed against a body lead deep into it, and gravity
        // leads what lies on a curve to another normal.
        let position = match has_stages {
            true => led(last, work, i),
            false => work.bases[i] + motion.velocities[vi] * last.scales[i],
        };
        let row = &mut work.rows[i];
        row.position = position.to_array();
        // Damping resists what constraints do as well.
        row.inverse_mass = motion.inverse_masses[vi] / (1.0 + last.damping * last.scales[i]);
    }
    for (vi, hold) in motion.holds.iter() {
        let (held, start) = (motion.held[*vi], motion.positions[*vi]);
        let target = places.target(hold);
        let row = &mut work.rows[vi.to_usize()];
        row.position = along_held(held, target, row.position()).to_array();
        if held.contains(&false) {
            work.guided.push(PartlyHeld { vertex: *vi, held, start, target });
        }
    }
}
