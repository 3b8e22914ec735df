//! First stage of a substep: where vertices would go without elasticity and contact.

use crate::derive::air::{densities, exposed};
use crate::derive::clock::end_of_substep;
use crate::derive::pressure::{add_pressure, has_pressure, is_pressure_explicit};
use crate::derive::world::World;
use crate::features::grabs::{forget_grabbed, pull_grabbed};
use crate::features::pins::{note_inertia, release_pins};
use crate::model::inertia::coast;
use crate::model::pins::{Guided, along_held};
use crate::model::state::State;
use crate::step::integrate::collect_inertia;
use glam::DVec3;
use std::sync::Arc;
use taffeta_core::index::DenseIndex;

/// Lets go of the pins whose time has come. Moves the free vertices by inertia, gravity, drag, pressure and grabs, and
/// the held ones, along the axes that are held, to where their pin's motion takes them.
///
/// Reads: positions, velocities, pins, air, grabs. Writes: velocities, the rows and the start of the substep; everything
/// that depends on who is held if a pin lets go.
pub(crate) fn begin_substep(world: &mut World) {
    release_pins(world);
    forget_grabbed(world);
    world.scratch.first_stage.clear();
    world.scratch.start_velocities.clone_from(&world.state.motion.velocities.raw);
}

pub(crate) fn predict(world: &mut World, h: f64) {
    let inertia = collect_inertia(world, h);
    let outside = (world.state.gravity, world.setup.settings.velocity_damping);
    let State { motion: state, last, .. } = &mut world.state;
    let work = &mut world.scratch;
    work.start.clone_from(&state.positions.raw);
    work.bases = inertia.iter().map(|inertia| inertia.position).collect();
    let is_damped = outside.1 > 0.0;
    work.carried = inertia.iter().filter(|_| is_damped).map(|inertia| inertia.velocity).collect();
    last.scales = inertia.iter().map(|inertia| inertia.scale).collect();
    work.stopped = vec![false; inertia.len()];
    let velocities = Arc::make_mut(&mut state.velocities);
    for ((v, w), inertia) in velocities.iter_mut().zip(state.inverse_masses.iter()).zip(&inertia) {
        *v = if *w > 0.0 { coast(*inertia, outside) } else { *v };
    }
    // Those without history take longer strides, and the same share of what acts from outside.
    work.impulse_time = last.scales.iter().copied().fold(h, f64::min);
    let impulses = outer_impulses(world, world.scratch.impulse_time);
    let state = &mut world.state.motion;
    let velocities = Arc::make_mut(&mut state.velocities);
    for (i, impulse) in impulses.iter().enumerate() {
        let share = world.state.last.scales[i] / world.scratch.impulse_time;
        velocities.raw[i] += *impulse * (state.inverse_masses.raw[i] * share);
    }
    world.scratch.impulses = impulses;
    note_inertia(world, &inertia, outside);
    world.state.last.h = h;
    place_vertices(world, h);
    pull_grabbed(world);
}

/// Impulses of drag and pressure over a time `h` \[N·s\]; empty if there is neither.
fn outer_impulses(world: &World, h: f64) -> Vec<DVec3> {
    let pressed = has_pressure(world) && is_pressure_explicit(world);
    if world.inputs.air.is_none() && !pressed {
        return Vec::new();
    }
    let state = &world.state.motion;
    let mut impulses = vec![DVec3::ZERO; state.positions.len()];
    if let Some(air) = world.inputs.air {
        exposed(world, &densities(world)).add_drag(&air, &state.velocities, h, &mut impulses);
    }
    if pressed {
        add_pressure(world, &state.positions, h, &mut impulses);
    }
    impulses
}

/// Puts the vertices where their velocities and their pins take them by the end of the substep.
fn place_vertices(world: &mut World, h: f64) {
    let State { sheet, motion, last, .. } = &world.state;
    let end = end_of_substep(world, h);
    let poses: Vec<_> = world.setup.pins.iter().map(|pin| pin.pose_at(end)).collect();
    world.scratch.guided.clear();
    for vi in sheet.topology.vertices() {
        let i = vi.to_usize();
        // Where contacts are looked for in the second stage: with the velocity that the first has found, contacts included.
        let first = world.scratch.first_stage.get(i).copied().flatten();
        let velocity = first.map_or(motion.velocities[vi], |(velocity, _)| velocity);
        let position = world.scratch.bases[i] + velocity * last.scales[i];
        world.scratch.rows[i].position = position.to_array();
    }
    for (vi, hold) in motion.holds.iter() {
        let (held, start) = (motion.held[*vi], motion.positions[*vi]);
        let target = hold.target_at(end, &poses[hold.pin as usize]);
        let row = &mut world.scratch.rows[vi.to_usize()];
        row.position = along_held(held, target, row.position()).to_array();
        if held.contains(&false) {
            world.scratch.guided.push(Guided { vertex: *vi, held, start, target });
        }
    }
}
