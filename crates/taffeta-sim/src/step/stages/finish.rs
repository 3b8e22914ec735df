//! Last stage of a substep: velocities, the guard against numbers that are none, and all that is overloaded.

use crate::contact::loads::{received, record_obstacle_loads};
use crate::derive::derived::Derived;
use crate::derive::facts::Facts;
use crate::features::pins::overloaded_pins;
use crate::features::plastic::yield_folds;
use crate::features::springs::break_overloaded_edges;
use crate::model::report::error::StepError;
use crate::model::setup::Setup;
use crate::model::state::State;
use crate::model::state::guides::{RopeGuide, rope_guides};
use crate::model::workspace::{Inputs, Workspace};
use crate::step::plan::accuracy::judge;
use crate::step::stages::guard::not_finite;
use std::sync::Arc;
use taffeta_contact::{Contact, ContactName};
use taffeta_core::index::DenseIndex;

/// Distance from the origin beyond which a position is taken for a blow-up \[m\]: there f64 resolves tenths of a
/// micrometer and no solver converges any more.
const FARTHEST: f64 = 1e9;

/// Lets the guides of rope ends that are clamped no more follow their ends: nothing holds them, and they would fall for ever.
fn align_guides(setup: &Setup, State { sheet, motion, .. }: &mut State) {
    let free = |guide: &RopeGuide| motion.inverse_masses[guide.vertex] > 0.0;
    let guides: Vec<_> = rope_guides(setup, sheet).into_iter().filter(free).collect();
    for RopeGuide { vertex, end, second } in guides {
        for field in [&mut motion.positions, &mut motion.velocities].map(Arc::make_mut) {
            field[vertex] = RopeGuide::in_line([field[end], field[second]]);
        }
    }
}

/// Lets cloth that the safeguard has put elsewhere exchange momentum with the free bodies that push it: the solve knows nothing of it. As in
/// an inelastic impact, they end with one velocity along the push. All of what the place of the cloth seems to say would
/// throw light bodies off.
fn push_bodies(State { motion, last, rigid, .. }: &mut State, work: &Workspace) {
    if rigid.iter().all(|body| body.mobility.0 == 0.0) {
        return;
    }
    let velocities = Arc::make_mut(&mut motion.velocities);
    for (i, by) in &work.displaced {
        let (place, mass) = (motion.positions.raw[*i], motion.masses.raw[*i]);
        let solved = (place - *by - work.bases[*i]) / last.scales[*i];
        let gained = velocities.raw[*i] - solved;
        let Some(direction) = gained.try_normalize() else { continue };
        let pushes = |contact: &Contact, obstacle: usize| {
            let ContactName::Body(vertices, number) = contact.name else { return false };
            let is_there = vertices.iter().any(|vi| vi.to_usize() == *i);
            number as usize == obstacle && is_there && contact.row.normal.dot(*by) > 0.0
        };
        for body in rigid.iter_mut().filter(|body| body.mobility.0 > 0.0) {
            if last.contacts.iter().any(|contact| pushes(contact, body.obstacle)) {
                let closing = (body.velocity_at(place) - solved).dot(direction);
                let impulse = closing / (1.0 / mass + body.inverse_mass_at(place, direction));
                let impulse = impulse.clamp(0.0, mass * gained.length());
                body.push(direction * -impulse, place);
                velocities.raw[*i] = solved + direction * (impulse / mass);
            }
        }
    }
}

/// Velocities from the change of position; the guard against numbers that are none; the load of the pins, edges and
/// folds that can be overloaded.
///
/// Reads: rows, start. Writes: positions, velocities, which pins are to let go, which edges have, plastic curvatures.
///
/// # Errors
/// If a position is not finite: the error names the vertex.
pub(crate) fn finish(
    setup: &Setup,
    inputs: &Inputs,
    state: &mut State,
    derived: &mut Derived,
    work: &Workspace,
) -> Result<(), StepError> {
    let State { motion, last, .. } = &mut *state;
    let (h, choice) = (last.h, derived.choice);
    let mut bad = None;
    // They are copied where somebody else holds them: a snapshot, or a view of another program.
    let positions = Arc::make_mut(&mut motion.positions);
    let velocities = Arc::make_mut(&mut motion.velocities);
    for (i, row) in work.rows.iter().enumerate() {
        let position = row.position();
        if !position.is_finite() || position.abs().max_element() > FARTHEST {
            bad = bad.or(Some(i));
        }
        // Contacts that were pushed apart have moved the start of an Euler step.
        let is_euler = last.scales[i] == h || motion.inverse_masses.raw[i] == 0.0;
        let (base, scale) = if is_euler { (work.start[i], h) } else { (work.bases[i], last.scales[i]) };
        velocities.raw[i] = (position - base) * (1.0 / scale);
        positions.raw[i] = position;
    }
    // Where the safeguard has put a vertex is no velocity of the second stage. Over its length `γh` it would be 1/γ times as large, and
    // cloth that is pushed out of the way would gain energy.
    for (i, _) in &work.displaced {
        velocities.raw[*i] = (positions.raw[*i] - work.start[*i]) * (1.0 / h);
    }
    push_bodies(state, work);
    if let Some(i) = bad {
        return Err(not_finite(Facts { setup, inputs, state, choice }, work, i, h));
    }
    align_guides(setup, state);
    let facts = Facts { setup, inputs, state, choice };
    let (received, overloaded) = (received(facts, work, h), overloaded_pins(facts, derived));
    if let Some(received) = received {
        record_obstacle_loads(&mut state.loads, received);
    }
    overloaded.into_iter().for_each(|pin| state.released[pin] = true);
    break_overloaded_edges(setup, state, derived, h);
    if inputs.lets_yield {
        yield_folds(setup, &mut state.motion, derived);
    }
    let (error, speeds) = judge(Facts { setup, inputs, state, choice }, derived, work, h);
    state.was_touched = state.last.active_contacts() > 0;
    (state.last_substep, state.error, state.start_speeds) = (h, error, speeds);
    Ok(())
}
