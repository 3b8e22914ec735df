//! Time integration: from positions and velocities, now and one substep earlier, to the prediction of a substep.
//!
//! Both methods have the form `x = X + s v`, `v = V + s a` with the effective step `s`: implicit Euler with `X = xⁿ`,
//! `V = vⁿ`, `s = h`, and the backward differences of second order (BDF2) for a substep `h` after one of `h/ω`,
//!
//! `(1+2ω)/(1+ω) xⁿ⁺¹ − (1+ω) xⁿ + ω²/(1+ω) xⁿ⁻¹ = h vⁿ⁺¹`, and the same for `v`,
//!
//! so that the solve is the same for both. A vertex without history takes an Euler step: at the start, where it hits or
//! sticks to something, after whose jumps of the velocity BDF2 would swing, and where it has just been made.

use crate::caches::Solver;
use crate::description::TimeIntegration;
use crate::pins::along_held;
use crate::scratch::Scratch;
use crate::world::World;
use glam::DVec3;
use taffeta_contact::Contact;
use taffeta_core::index::DenseIndex;
use taffeta_core::math;
use taffeta_remesh::VertexHistory;

/// A substep may be this many times longer than the one before without a new start: BDF2 is stable up to 1 + √2.
pub(crate) const LARGEST_GROWTH: f64 = 2.1;

/// Speed at which a contact is an impact, relative to what gravity makes of a substep.
const IMPACT: f64 = 2.0;

/// What a vertex brings into a substep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Inertia {
    /// `X` \[m\].
    pub position: DVec3,
    /// `V` \[m/s\].
    pub velocity: DVec3,
    /// `s` \[s\].
    pub scale: f64,
}

impl Inertia {
    /// An Euler step of length `h` \[s\].
    pub(crate) fn euler(position: DVec3, velocity: DVec3, h: f64) -> Self {
        Self { position, velocity, scale: h }
    }

    /// A BDF2 step of length `h` \[s\] after one that was `1/ratio` times as long.
    fn bdf2(position: DVec3, velocity: DVec3, last: &VertexHistory, (h, ratio): (f64, f64)) -> Self {
        let lead = (1.0 + 2.0 * ratio) / (1.0 + ratio);
        let now = (1.0 + ratio) / lead;
        let then = ratio * ratio / (1.0 + ratio) / lead;
        // Written with differences: far from the origin the positions would cancel.
        Self {
            position: position + (position - last.position) * then,
            velocity: velocity * now - last.velocity * then,
            scale: h / lead,
        }
    }
}

/// The velocity that inertia, gravity \[m/s²\] and velocity damping \[1/s\] leave at the end of a substep.
pub(crate) fn coast(inertia: Inertia, (gravity, damping): (DVec3, f64)) -> DVec3 {
    inertia.velocity * math::exp(-damping * inertia.scale) + gravity * inertia.scale
}

/// Whether the solver in use integrates to second order.
pub(crate) fn is_second_order(world: &World) -> bool {
    match world.setup.settings.time {
        TimeIntegration::Euler => false,
        TimeIntegration::Auto | TimeIntegration::Bdf2 => matches!(world.derived.solver, Solver::Newton(_)),
    }
}

/// The time integration in use: `euler` or `bdf2`.
pub fn time_integration_name(world: &World) -> &'static str {
    if is_second_order(world) { "bdf2" } else { "euler" }
}

/// What every vertex brings into a substep of length `h` \[s\].
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

/// Lets all vertices start anew: after a jump of the forces, BDF2 would lag behind by half a substep.
pub(crate) fn forget_history(world: &mut World) {
    world.state.motion.history.iter_mut().for_each(|history| *history = None);
    world.state.last_substep = 0.0;
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
        let impulse = work.impulses.get(i).copied().unwrap_or(DVec3::ZERO) * (h / work.impulse_time);
        let coasting = coast(inertia, (gravity, world.setup.settings.velocity_damping));
        let velocity = coasting + impulse * motion.inverse_masses[vi];
        let free = inertia.position + velocity * h;
        let row = &mut work.rows[i];
        row.position = along_held(motion.held[vi], row.position(), free).to_array();
        last.scales[i] = h;
        motion.velocities[vi] = velocity;
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
    /// Whether the point of a contact comes in so fast that the body stops it with a jolt.
    fn is_impact(&self, contact: &Contact, h: f64, gravity: DVec3) -> bool {
        let row = &contact.row;
        let velocity = row.interpolate(|vi| self.start_velocities[vi.to_usize()]) - row.body_displacement / h;
        velocity.dot(row.normal) < -IMPACT * gravity.length() * h
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Constant acceleration is integrated exactly by BDF2 in the velocities, and to second order in the positions.
    #[test]
    fn steps_of_changing_length_are_exact_for_parabolas_of_the_velocity() {
        let (a, jerk) = (DVec3::new(1.0, -2.0, 0.5), DVec3::new(0.3, 0.1, -0.7));
        let velocity = |t: f64| a * t + jerk * (0.5 * t * t);
        for (h, ratio) in [(0.1, 1.0), (0.2, 2.0), (0.05, 0.4)] {
            let (now, then) = (1.0, 1.0 - h / ratio);
            let last = VertexHistory { position: DVec3::ZERO, velocity: velocity(then) };
            let step = Inertia::bdf2(DVec3::ZERO, velocity(now), &last, (h, ratio));
            let acceleration = a + jerk * (now + h);
            let reached = step.velocity + acceleration * step.scale;
            assert!((reached - velocity(now + h)).length() < 1e-14, "{h}, {ratio}");
        }
    }

    #[test]
    fn a_vertex_at_rest_far_away_stays() {
        let x = DVec3::new(1e3, -2e3, 5e3);
        let last = VertexHistory { position: x, velocity: DVec3::ZERO };
        let step = Inertia::bdf2(x, DVec3::ZERO, &last, (0.004, 1.3));
        assert!((step.position - x).length() < 1e-12, "{}", (step.position - x).length());
    }
}
