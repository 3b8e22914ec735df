//! Lengths of the stages of a substep, see [`crate::step::integrate`].

use crate::derive::solver_facts::{is_first_stage, is_second_order};
use crate::derive::world::World;
use crate::model::inertia::GAMMA;

/// Length of the substep \[s\] of which a stage has the length `h` \[s\].
pub(crate) fn stage_span(world: &World, h: f64) -> f64 {
    if is_first_stage(world) { h / first_length(world) } else { h }
}

/// The length of the first stage, relative to the substep.
pub(crate) fn first_length(world: &World) -> f64 {
    GAMMA / first_share(world)
}

/// Effective step of the first stage, relative to its length: that of the trapezoidal rule, or of implicit Euler.
pub(crate) fn first_share(world: &World) -> f64 {
    if world.scratch.accelerations.is_empty() { 1.0 } else { 0.5 }
}

/// Effective step of the present stage, relative to its length. Forces act for so long in its objective. Contacts act over all of
/// its length, by an impulse.
pub(crate) fn stage_share(world: &World) -> f64 {
    match is_second_order(world) {
        true if world.scratch.first_stage.is_empty() => first_share(world),
        true => GAMMA,
        false => 1.0,
    }
}
