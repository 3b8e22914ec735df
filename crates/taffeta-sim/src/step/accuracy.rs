//! How exact a step is: one rule for how long its substeps are and how far they are solved.
//!
//! From one substep to the next, positions and velocities fit each other up to the error of the time integration:
//!
//! `e = xⁿ⁺¹ − xⁿ − h (vⁿ + vⁿ⁺¹)/2`
//!
//! is `h³/4` times the jerk after a step of BDF2, whose local error is `2h³/9` times the jerk, and `h²/2` times the
//! acceleration after an Euler step, which is its local error. So `e` estimates either (Hairer, Nørsett and Wanner, Solving
//! Ordinary Differential Equations I, sections II.4 and III.5), costs nothing, and needs nothing to be remembered. Where a contact has stopped
//! something, `e` tells of the contact, and does not count.
//!
//! Substeps are as long as keeps the estimate below what the scene allows, relative to the size of the body, and Newton's
//! method stops where it leaves no more than what the estimate says anyway.

use crate::derive::bodies::{body_count, extent};
use crate::derive::solver_facts::can_tear;
use crate::derive::world::World;
use crate::features::tearing::rules::ROUND;
use crate::model::inertia::LARGEST_GROWTH;
use glam::DVec3;

/// Longest substep; the longest in which something moves that touches something, for nothing announces that it will come to
/// a stop, or get loose; and the first one, at the start and after the forces have jumped \[s\].
const LONGEST: f64 = 1.0 / 60.0;
const LONGEST_TOUCHED: f64 = 1.0 / 240.0;
const FIRST: f64 = 1.0 / 960.0;

/// Shortest substep that the error asks for \[s\].
const SHORTEST: f64 = 1.0 / 2000.0;

/// How much longer each substep may be than the one before.
const GROWTH: f64 = 2.0;
const _: () = assert!(GROWTH < LARGEST_GROWTH);

/// The part of the error allowed to which the solution of the longest substep goes even where the estimate is smaller, as
/// at rest. In shorter ones it goes as far in terms of forces, by which friction decides what sticks.
const LEAST_PART: f64 = 1.0 / 30.0;

/// The estimated local error of the last substep, relative to the size of a body: the largest of their root mean
/// squares. 0 before the first substep.
pub(crate) fn local_error(world: &World) -> f64 {
    let (state, history, h) = (&world.state.motion, &world.state.motion.history, world.state.last_substep);
    largest_part(world, |i| {
        let last = history.raw[i].as_ref()?;
        let (x, v) = (state.positions.raw[i], state.velocities.raw[i]);
        Some(x - last.position - (v + last.velocity) * (0.5 * h))
    })
}

/// The largest of the root mean squares over the bodies of what their vertices have, relative to their sizes.
fn largest_part(world: &World, of_vertex: impl Fn(usize) -> Option<DVec3>) -> f64 {
    let of_body = |body: usize| {
        let range = world.state.sheet.vertex_range(body as u32);
        let (mut mass, mut square) = (0.0, 0.0);
        for i in range.clone() {
            let m = world.state.motion.masses.raw[i];
            mass += m;
            square += of_vertex(i).map_or(0.0, |vector| m * vector.length_squared());
        }
        let size = extent(&world.state.sheet.layout.raw[range]);
        if mass > 0.0 && size > 0.0 { (square / mass).sqrt() / size } else { 0.0 }
    };
    (0..body_count(world)).map(of_body).fold(0.0, f64::max)
}

/// How long the next substep may be \[s\].
pub(crate) fn next_substep(world: &World) -> f64 {
    if world.state.last_substep == 0.0 {
        return FIRST;
    }
    // Local errors are of third order; what contacts and snaps leave is less smooth, and asks again.
    let ratio = (world.setup.settings.accuracy / local_error(world)).cbrt().min(GROWTH);
    (world.state.last_substep * ratio).clamp(SHORTEST, longest_substep(world))
}

fn longest_substep(world: &World) -> f64 {
    if can_tear(world) {
        return ROUND;
    }
    let may_stop = || {
        let speed = largest_part(world, |i| Some(world.state.motion.velocities.raw[i]));
        speed * LONGEST > world.setup.settings.accuracy
    };
    if world.state.was_touched && may_stop() { LONGEST_TOUCHED } else { LONGEST }
}

/// Error that the solution of a substep of length `h` \[s\] may leave, relative to the size of the body.
pub(crate) fn solution_error(world: &World, h: f64) -> f64 {
    let allowed = world.setup.settings.accuracy;
    let part = h / LONGEST;
    let least = LEAST_PART * allowed * (part * part).min(1.0);
    world.scratch.error.clamp(least, allowed)
}
