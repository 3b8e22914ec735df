//! History of the time integration: who goes on, and who starts anew.

use crate::derive::solver_facts::is_second_order;
use crate::derive::derived::Solver;
use crate::derive::world::World;
use crate::model::inertia::{Inertia, coast};
use crate::model::pins::along_held;
use crate::model::scratch::Scratch;
use glam::DVec3;
use std::sync::Arc;
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
    let inertia = |((x, v), stage): ((DVec3, DVec3), &Option<_>)| match stage {
        Some(stage) => Inertia::second_stage((x, v), *stage, h),
        None => Inertia::euler(x, v, h),
    };
    moving.zip(stages).map(inertia).collect()
}

/// Notes velocities and accelerations at the end of the first stage, of length `s` \[s\]. What touches something has none: it goes
/// through the whole substep by implicit Euler, which takes the jolt of a contact for no acceleration that goes on.
pub(crate) fn note_first_stage(world: &mut World, s: f64) {
    let World { derived, scratch: work, state, .. } = world;
    let Solver::Newton(driver) = &derived.solver else { return };
    let rate = |i: usize| {
        let velocity = (work.rows[i].position() - work.bases[i]) / s;
        Some((velocity, (velocity - work.start_velocities[i]) / s))
    };
    work.first_stage = (0..work.rows.len()).map(rate).collect();
    for (contact, touch) in state.last.contacts.iter().zip(driver.touches()) {
        let corners = contact.row.vertices.into_iter().zip(contact.row.weights);
        for (vi, _) in corners.filter(|(_, weight)| touch.force != DVec3::ZERO && *weight != 0.0) {
            work.first_stage[vi.to_usize()] = None;
        }
    }
}

/// Lets the vertices that have come into a body by the end of the first stage's velocity go through the whole substep by implicit
/// Euler as well: what only takes them out is no velocity.
pub(crate) fn restart_at_contacts(world: &mut World, h: f64) {
    if world.scratch.first_stage.is_empty() {
        return;
    }
    let (work, last, motion) = (&mut world.scratch, &mut world.state.last, &mut world.state.motion);
    let gravity = world.state.gravity;
    let mut restarts = Vec::new();
    for Contact { row, .. } in &last.contacts {
        let corners = row.vertices.into_iter().zip(row.weights).filter(|(_, s)| *s != 0.0);
        let share = last.scales[row.vertices[0].to_usize()] / h;
        let base = row.gap(row.interpolate(|vi| work.bases[vi.to_usize()]) + row.body_displacement * share);
        let begun = row.gap(row.interpolate(|vi| work.start[vi.to_usize()]) + row.body_displacement);
        if base < begun.min(0.0) {
            restarts.extend(corners.map(|(vi, _)| vi));
        }
    }
    restarts.sort_unstable();
    restarts.dedup();
    for vi in restarts {
        let i = vi.to_usize();
        if work.first_stage[i].take().is_none() || motion.inverse_masses[vi] == 0.0 {
            continue;
        }
        let inertia = Inertia::euler(work.start[i], work.start_velocities[i], h);
        let velocity = coast(inertia, (gravity, last.damping));
        (work.bases[i], last.scales[i]) = (inertia.position, h);
        let free = inertia.position + velocity * h;
        work.rows[i].position = along_held(motion.held[vi], work.rows[i].position(), free).to_array();
        Arc::make_mut(&mut motion.velocities)[vi] = velocity;
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
