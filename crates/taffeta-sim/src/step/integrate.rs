//! History of the time integration: who goes on, and who starts anew.

use crate::derive::solver_facts::is_second_order;
use crate::derive::world::World;
use crate::model::inertia::{Inertia, LARGEST_GROWTH, coast};
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
    let ratio = h / world.state.last_substep;
    let has_history = is_second_order(world) && world.state.last_substep > 0.0 && ratio <= LARGEST_GROWTH;
    let inertia = |((x, v), last): ((&DVec3, &DVec3), &Option<VertexHistory>)| match last {
        Some(last) if has_history => Inertia::bdf2(*x, *v, last, (h, ratio)),
        _ => Inertia::euler(*x, *v, h),
    };
    let moving = state.positions.iter().zip(state.velocities.iter());
    moving.zip(world.state.motion.history.iter()).map(inertia).collect()
}

/// Lets the vertices that are about to hit something take an Euler step instead.
pub(crate) fn restart_at_contacts(world: &mut World, h: f64) {
    let (work, gravity) = (&mut world.scratch, world.state.gravity);
    let (last, motion) = (&mut world.state.last, &mut world.state.motion);
    let is_jump = |contact: &Contact| {
        let row = &contact.row;
        let end = row.interpolate(|vi| work.rows[vi.to_usize()].position());
        row.gap(end) < 0.0 && work.is_impact(contact, h, gravity)
    };
    let touching = last.contacts.iter().filter(|contact| is_jump(contact));
    let touching = touching.flat_map(|c| c.row.vertices.into_iter().zip(c.row.weights));
    let mut vertices: Vec<_> = touching.filter(|(_, weight)| *weight != 0.0).map(|(vi, _)| vi).collect();
    vertices.sort_unstable();
    vertices.dedup();
    for vi in vertices {
        let i = vi.to_usize();
        if last.scales[i] == h || motion.inverse_masses[vi] == 0.0 {
            continue;
        }
        let inertia = Inertia::euler(work.start[i], work.start_velocities[i], h);
        let velocity = coast(inertia, (gravity, last.damping));
        let free = inertia.position + velocity * h;
        let row = &mut work.rows[i];
        row.position = along_held(motion.held[vi], row.position(), free).to_array();
        (work.bases[i], last.scales[i]) = (inertia.position, h);
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
