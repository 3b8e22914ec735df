//! Time integration: SDIRK2, in which contact acts by implicit Euler.
//!
//! A substep of length `h` has two stages, each an implicit step of length `γh` with `γ = 1 − 1/√2`: the first from positions
//! and velocities at the start, the second from where velocity and acceleration at the end of the first would lead in the rest of the
//! time, `X = x + (1−γ) h v₁`, `V = v + (1−γ) h a₁`. The method is of second order, damps the stiffest motions at once
//! (L-stable), and remembers nothing from substep to substep (R. Alexander, Diagonally implicit Runge–Kutta methods for stiff
//! O.D.E.'s, 1977).
//!
//! What touches something, or is pulled by a grab, goes through the whole substep by implicit Euler instead. A contact stops it with
//! a jolt, and the second stage would take that for an acceleration that goes on, and let it bounce.

use crate::derive::derived::Solver;
use crate::derive::world::World;
use crate::model::inertia::{Inertia, coast};
use crate::model::pins::along_held;
use crate::model::scratch::FirstStage;
use glam::DVec3;
use std::sync::Arc;
use taffeta_contact::Contact;
use taffeta_core::index::DenseIndex;

/// Inertial state of every vertex in a stage that ends after a time `h` \[s\].
pub(crate) fn collect_inertia(world: &World, h: f64) -> Vec<Inertia> {
    let state = &world.state.motion;
    let moving = state.positions.iter().copied().zip(world.scratch.start_velocities.iter().copied());
    if world.scratch.first_stage.is_empty() {
        return moving.map(|(x, v)| Inertia::euler(x, v, h)).collect();
    }
    let inertia = |((x, v), stage): ((DVec3, DVec3), &Option<FirstStage>)| match stage {
        Some(stage) => Inertia::second_stage((x, v), (stage.velocity, stage.acceleration), h),
        None => Inertia::euler(x, v, h),
    };
    moving.zip(&world.scratch.first_stage).map(inertia).collect()
}

/// Notes how the vertices move at the end of the first stage, of length `s` \[s\], but for those that implicit Euler takes through
/// the substep.
pub(crate) fn note_first_stage(world: &mut World, s: f64) {
    let World { derived, scratch: work, state, .. } = world;
    let Solver::Newton(driver) = &derived.solver else { return };
    let rate = |i: usize| {
        let velocity = (work.rows[i].position() - work.bases[i]) / s;
        let acceleration = (velocity - work.start_velocities[i]) / s;
        let outer = state.last.outer.get(i).copied().unwrap_or(DVec3::ZERO);
        Some(FirstStage { velocity, acceleration, outer })
    };
    work.first_stage = (0..work.rows.len()).map(rate).collect();
    for (contact, touch) in state.last.contacts.iter().zip(driver.touches()) {
        let corners = contact.row.vertices.into_iter().zip(contact.row.weights);
        for (vi, _) in corners.filter(|(_, weight)| touch.force != DVec3::ZERO && *weight != 0.0) {
            work.first_stage[vi.to_usize()] = None;
        }
    }
    for pull in &state.last.pulls {
        work.first_stage[pull.vertex] = None;
    }
}

/// Lets the vertices that the first stage's velocity has led into something go through the whole substep by implicit Euler as well: what
/// only takes them out again is no velocity.
pub(crate) fn restart_at_contacts(world: &mut World, h: f64) {
    let World { scratch: work, state, .. } = world;
    if work.first_stage.is_empty() {
        return;
    }
    let (gravity, last, motion) = (state.gravity, &mut state.last, &mut state.motion);
    let mut restarts = Vec::new();
    for Contact { row, .. } in &last.contacts {
        let share = last.scales[row.vertices[0].to_usize()] / h;
        let base = row.gap(row.interpolate(|vi| work.bases[vi.to_usize()]) + row.body_displacement * share);
        let begun = row.gap(row.interpolate(|vi| work.start[vi.to_usize()]) + row.body_displacement);
        if base < begun.min(0.0) {
            restarts.extend(row.vertices.into_iter().zip(row.weights).filter(|(_, s)| *s != 0.0));
        }
    }
    for (vi, _) in restarts {
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
