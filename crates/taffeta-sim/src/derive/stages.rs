//! Lengths of the stages of a substep, see [`crate::step::stages::integrate`].

use crate::derive::facts::Facts;
use crate::derive::solver_facts::{is_first_stage, is_second_order};
use crate::model::state::inertia::GAMMA;
use crate::model::workspace::Workspace;

/// Length of the substep \[s\] of which a stage has the length `h` \[s\].
pub(crate) fn stage_span(facts: Facts<'_>, work: &Workspace, h: f64) -> f64 {
    if is_first_stage(facts, work) { h / first_length(work) } else { h }
}

/// The length of the first stage, relative to the substep.
pub(crate) fn first_length(work: &Workspace) -> f64 {
    GAMMA / first_share(work)
}

/// Effective step of the first stage, relative to its length: that of the trapezoidal rule, or of implicit Euler.
pub(crate) fn first_share(work: &Workspace) -> f64 {
    if work.accelerations.is_empty() { 1.0 } else { 0.5 }
}

/// Effective step of the present stage, relative to its length. Forces act for so long in its objective. Contacts act over all of
/// its length, by an impulse.
pub(crate) fn stage_share(facts: Facts<'_>, work: &Workspace) -> f64 {
    match is_second_order(facts) {
        true if work.first_stage.is_empty() => first_share(work),
        true => GAMMA,
        false => 1.0,
    }
}
