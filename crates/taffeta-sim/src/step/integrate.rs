//! Time integration: SDIRK2, in which contacts act by impulses.
//!
//! A substep of length `h` has two stages, each an implicit step of length `γh` with `γ = 1 − 1/√2`: the first from positions
//! and velocities at the start, the second from where velocity and acceleration at the end of the first would lead in the rest of the
//! time, `X = x + (1−γ) h v₁`, `V = v + (1−γ) h a₁`. The method is of second order, damps the stiffest motions at once
//! (L-stable), and remembers nothing from substep to substep (R. Alexander, Diagonally implicit Runge–Kutta methods for stiff
//! O.D.E.'s, 1977).
//!
//! A contact can stop the cloth with a jolt. The second stage would take that for an acceleration that goes on, and let the
//! cloth bounce. The velocity `V` is therefore without what the contacts of the first stage did, and
//! those of the second stage act by an impulse over the whole substep. [`is_second_order`](crate::derive::solver_facts::is_second_order) says which worlds are
//! integrated by implicit Euler instead.

use crate::derive::derived::Solver;
use crate::derive::world::World;
use crate::model::inertia::{GAMMA, Inertia};
use crate::model::pins::along_held;
use crate::model::scratch::FirstStage;
use crate::model::state::State;
use glam::DVec3;
use taffeta_contact::Contact;
use taffeta_core::VertexIndex;
use taffeta_core::index::DenseIndex;

/// Inertial state of every vertex in a stage that ends after a time `h` \[s\].
pub(crate) fn collect_inertia(world: &World, h: f64) -> Vec<Inertia> {
    let state = &world.state.motion;
    let moving = state.positions.iter().copied().zip(world.scratch.start_velocities.iter().copied());
    if world.scratch.first_stage.is_empty() {
        return moving.map(|(x, v)| Inertia::euler(x, v, h)).collect();
    }
    let inertia = |((x, v), stage): ((DVec3, DVec3), &FirstStage)| {
        Inertia::second_stage(x, v, stage.velocity, stage.acceleration, h)
    };
    moving.zip(&world.scratch.first_stage).map(inertia).collect()
}

/// Notes how the vertices move at the end of the first stage, of length `s` \[s\], and their acceleration without contacts.
pub(crate) fn note_first_stage(world: &mut World, s: f64) {
    let World { derived, scratch: work, state, .. } = world;
    let Solver::Newton(driver) = &derived.solver else { return };
    let mut jolts = vec![DVec3::ZERO; work.rows.len()];
    for (contact, touch) in state.last.contacts.iter().zip(driver.touches()) {
        if touch.force != DVec3::ZERO {
            work.first_borne.push(contact.name);
        }
        let corners = contact.row.vertices.into_iter().zip(contact.row.weights);
        corners.for_each(|(vi, weight)| jolts[vi.to_usize()] += touch.force * weight);
    }
    work.first_borne.sort_unstable();
    let rate = |(i, jolt): (usize, DVec3)| {
        let x = work.rows[i].position();
        let w = state.motion.inverse_masses.raw[i];
        let unpushed = (x - state.motion.positions.raw[i]) / s;
        let acceleration = (unpushed - work.start_velocities[i]) / s - jolt * w;
        let outer = state.last.outer.get(i).copied().unwrap_or(DVec3::ZERO);
        FirstStage { velocity: (x - work.bases[i]) / s, acceleration, outer }
    };
    work.first_stage = jolts.into_iter().enumerate().map(rate).collect();
}

/// Moves the prediction of the second stage of a substep of length `h` \[s\] by what contacts that last do while their normals turn.
/// Their impulse acts along the normal of the end alone; to second order it is half along that of the start, which the load of
/// the last substep stands for. Without it, what slides over a curve loses velocity with every degree that it turns. Between cloths
/// normals follow the ripples of both, from contact to contact.
pub(crate) fn turn_loads(world: &mut World, h: f64) {
    let World { scratch: work, state: State { last, motion, .. }, .. } = world;
    if work.first_stage.is_empty() {
        return;
    }
    let lasts = |contact: &&Contact| contact.borne.load() > 0.0 && !contact.row.is_mutual();
    for Contact { row, borne, .. } in last.contacts.iter().filter(lasts) {
        let impulse = (borne.push - row.normal * borne.load()) * (0.5 * h);
        for (vi, s) in row.vertices.into_iter().zip(row.weights).filter(|(_, s)| *s != 0.0) {
            let i = vi.to_usize();
            let shift = impulse * (s * work.rows[i].inverse_mass * last.scales[i]);
            last.predicted[i] = along_held(motion.held.raw[i], last.predicted[i], last.predicted[i] + shift);
        }
    }
}

/// Moves the bases of the second stage that lie deeper in a body than the substep began out of it: that is no velocity. Pushes of several
/// contacts of a vertex in one direction count once.
pub(crate) fn keep_bases_out(world: &mut World) {
    let World { scratch: work, state, .. } = world;
    if work.first_stage.is_empty() {
        return;
    }
    let last = &state.last;
    let mut pushes: Vec<(VertexIndex, DVec3)> = Vec::new();
    for contact in &last.contacts {
        let row = &contact.row;
        let corners = || row.vertices.into_iter().zip(row.weights).filter(|(_, s)| *s != 0.0);
        let weight: f64 = corners().map(|(vi, s)| work.rows[vi.to_usize()].inverse_mass * s * s).sum();
        let base = row.gap(row.interpolate(|vi| work.bases[vi.to_usize()]) + row.body_displacement * GAMMA);
        let begun = row.interpolate(|vi| work.start[vi.to_usize()]) + row.body_displacement;
        let push = -base - contact.violation(begun);
        if push > 0.0 && weight > 0.0 {
            pushes.extend(corners().map(|(vi, s)| {
                let shift = row.normal * (work.rows[vi.to_usize()].inverse_mass * s * push / weight);
                (vi, shift)
            }));
        }
    }
    let size = |push: &DVec3| push.length_squared();
    pushes.sort_by(|(a, p), (b, q)| a.cmp(b).then(size(q).total_cmp(&size(p))));
    for of_vertex in pushes.chunk_by(|a, b| a.0 == b.0) {
        let i = of_vertex[0].0.to_usize();
        let mut sum = DVec3::ZERO;
        for (_, push) in of_vertex {
            // What earlier ones have done along this one need not be done again; those from opposite sides cancel.
            let done = if size(push) > 0.0 { (sum.dot(*push) / size(push)).clamp(0.0, 1.0) } else { 1.0 };
            sum += *push * (1.0 - done);
        }
        work.bases[i] += sum;
        work.rows[i].position = (work.rows[i].position() + sum).to_array();
    }
}
