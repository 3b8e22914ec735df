//! History of the time integration: who goes on, and who starts anew.

use crate::derive::solver_facts::is_second_order;
use crate::derive::derived::Solver;
use crate::derive::world::World;
use crate::model::inertia::{Inertia};
use crate::model::scratch::Scratch;
use glam::DVec3;
use taffeta_contact::Contact;
use taffeta_core::index::DenseIndex;
use taffeta_remesh::VertexHistory;

/// Speed at which a contact is an impact, relative to what gravity makes of a substep.
const IMPACT: f64 = 2.0;

/// Inertial state of every vertex at the start of a substep of length `h` \[s\].
pub(crate) fn collect_inertia(world: &World, h: f64) -> Vec<Inertia> {
    let state = &world.state.motion;
    let moving = state.positions.iter().copied().zip(world.scratch.start_velocities.iter().copied());
    if world.scratch.first_stage.is_empty() {
        return moving.map(|(x, v)| Inertia::euler(x, v, h)).collect();
    }
    let stages = world.scratch.first_stage.iter();
    moving.zip(stages).map(|(start, stage)| Inertia::second_stage(start, *stage, h)).collect()
}

/// Notes velocities and accelerations at the end of the first stage, of length `s` \[s\]. The jolt of contacts that begin is no
/// acceleration that goes on.
pub(crate) fn note_first_stage(world: &mut World, s: f64) {
    let World { derived, scratch: work, state, .. } = world;
    let Solver::Newton(driver) = &derived.solver else { return };
    let mut pushed = vec![DVec3::ZERO; work.rows.len()];
    for (contact, touch) in state.last.contacts.iter().zip(driver.touches()) {
        if contact.borne.load > 0.0 {
            continue;
        }
        for (vi, weight) in contact.row.vertices.into_iter().zip(contact.row.weights) {
            pushed[vi.to_usize()] += touch.force * weight;
        }
    }
    work.first_stage = (0..work.rows.len())
        .map(|i| {
            let w = state.motion.inverse_masses.raw[i];
            let x = work.rows[i].position();
            let unmoved = (x - state.motion.positions.raw[i]) / s;
            ((x - work.bases[i]) / s, (unmoved - work.start_velocities[i]) / s - pushed[i] * w)
        })
        .collect();
}

/// Moves the bases of the second stage that lie deeper in a body than the substep began: what only takes them out is no velocity.
pub(crate) fn keep_bases_out(world: &mut World, h: f64) {
    let (work, last) = (&mut world.scratch, &world.state.last);
    if work.first_stage.is_empty() {
        return;
    }
    for Contact { row, .. } in &last.contacts {
        let corners = || row.vertices.into_iter().zip(row.weights);
        let weight: f64 = corners().map(|(vi, s)| work.rows[vi.to_usize()].inverse_mass * s * s).sum();
        if weight == 0.0 {
            continue;
        }
        let begun = row.gap(row.interpolate(|vi| work.start[vi.to_usize()]) + row.body_displacement);
        let share = last.scales[row.vertices[0].to_usize()] / h;
        let base = row.gap(row.interpolate(|vi| work.bases[vi.to_usize()]) + row.body_displacement * share);
        let push = begun.min(0.0) - base;
        if push <= 0.0 {
            continue;
        }
        for (vi, s) in corners() {
            let i = vi.to_usize();
            let shift = row.normal * (work.rows[i].inverse_mass * s * push / weight);
            work.bases[i] += shift;
            work.rows[i].position = (work.rows[i].position() + shift).to_array();
        }
    }
}

/// Notes the start of the substep for the next one. What hits or sticks to something starts anew.
pub(crate) fn note_history(world: &mut World, h: f64) {
    world.state.last_substep = h;
    world.state.was_touched = world.state.last.active_contacts() > 0;
    if !is_second_order(world) {
        return;
    }
    let starts = world.scratch.start.iter().zip(&world.scratch.start_velocities);
    let history = starts.map(|(x, v)| Some(VertexHistory { position: *x, velocity: *v }));
    world.state.motion.history = history.collect();
    let starts_anew = |contact: &&Contact| {
        contact.sticks
            || contact.normal_lambda > 0.0 && world.scratch.is_impact(contact, h, world.state.gravity)
    };
    for i in &world.scratch.shortened {
        world.state.motion.history.raw[*i] = None;
    }
    for contact in world.state.last.contacts.iter().filter(starts_anew) {
        for (vi, weight) in contact.row.vertices.into_iter().zip(contact.row.weights) {
            if weight != 0.0 {
                world.state.motion.history[vi] = None;
            }
        }
    }
}

impl Scratch {
    /// Returns whether the point of a contact comes in so fast that the body stops it with a jolt.
    fn is_impact(&self, contact: &Contact, h: f64, gravity: DVec3) -> bool {
        let row = &contact.row;
        let velocity = row.interpolate(|vi| self.start_velocities[vi.to_usize()]) - row.body_displacement / h;
        velocity.dot(row.normal) < -IMPACT * gravity.length() * h
    }
}
