//! Rollback and retry of substeps, for two reasons.
//!
//! * Force: if moving pins or obstacles force cloth through something in one substep, the response may still get it out of the way
//!   in shorter ones. If not, a body that moves by itself is stopped.
//! * Error: nothing announces an impact, and the substep of an impact may be far too long.

use crate::derive::clock::{end_of_substep, stand_still};
use crate::derive::crossings::counts_crossings;
use crate::derive::sewing::sewn_cloths;
use crate::derive::snapshot::{Snapshot, go_back, take_snapshot};
use crate::derive::world::World;
use crate::model::report::SubstepPlan;
use crate::model::report::error::StepError;
use crate::model::report::stage::{Stage, StageTimes};
use crate::model::state::State;
use crate::model::workspace::Workspace;
use crate::step::plan::accuracy::SHORTEST;
use crate::step::plan::adapts_substeps;
use crate::step::substep::run_substep;

/// Number of halvings of a substep in which bodies force an intersection.
const HALVINGS: u32 = 4;

/// Error of a substep, relative to what the scene allows, from which it is done again. With 4, a sheet that met a box at 2 m/s gained
/// a tenth of its energy.
const REJECTED: f64 = 2.0;

/// Error of one of the shortest substeps, relative to the size of a body, that tells of an impact, whatever the scene allows.
const VIOLENT: f64 = 2e-4;

/// All that a substep changes that may be done again.
pub(crate) struct Attempt {
    pub world: Snapshot,
    pub plan: SubstepPlan,
}

/// Returns whether a substep of length `h` \[s\] can turn out to be too rough. If obstacles ask for shorter ones than the error ever does,
/// it says nothing.
pub(crate) fn may_be_rough(world: &World, h: f64) -> bool {
    // What a caller has led a grab to is not taken back.
    let is_led = !world.inputs.grabbed.is_empty();
    let is_shown = !sewn_cloths(world.facts()).contains(&true);
    let is_judged = adapts_substeps(world) && !world.inputs.is_rough && 1.5 * h > SHORTEST;
    is_judged && is_shown && !is_led && world.workspace.work_budget.is_plentiful()
}

/// Goes back to before a substep of length `h` \[s\] if its error is too large. The next one is as long as that error asks for. Where none
/// may be shorter, that of an impact is integrated by implicit Euler, which adds no energy. Returns whether it has gone back.
pub(crate) fn reject_if_rough(
    world: &mut World,
    h: f64,
    error: f64,
    attempt: Attempt,
    plan: &mut SubstepPlan,
) -> bool {
    let (allowed, is_shortest) = (REJECTED * world.setup.settings.accuracy, h <= 1.5 * SHORTEST);
    let is_rough = error > if is_shortest { allowed.max(VIOLENT) } else { allowed };
    if is_rough {
        go_back(world, attempt.world);
        *plan = attempt.plan;
        (world.state.last_substep, world.state.error) = (h, error);
        world.inputs.is_rough = is_shortest;
    }
    is_rough
}

/// The obstacles that move by themselves and have forced cloth into themselves in the last substep, by their numbers.
fn forcing_bodies(state: &State, work: &Workspace) -> Vec<usize> {
    let is_free = |obstacle: &usize| state.rigid.iter().any(|body| body.obstacle == *obstacle);
    work.forcing.iter().copied().filter(is_free).collect()
}

/// Runs a substep; in halves if pins or obstacles force something together in it, as long as halves are worth a try. Then the bodies that
/// do, and move by themselves, are stopped where they were.
pub(crate) fn run_yielding_substep(
    world: &mut World,
    h: f64,
    halvings: u32,
    plan: &mut SubstepPlan,
    times: &mut StageTimes,
) -> Result<(), StepError> {
    let forced = world.safeguard.forced;
    if !counts_crossings(world) || stand_still(world, end_of_substep(world.facts(), h)) {
        return run_substep(world, h, plan, times);
    }
    let is_last = halvings == HALVINGS || world.workspace.work_budget.is_spent();
    let start = world.state.time;
    let attempt = times.run(Stage::Measure, || Attempt { world: take_snapshot(world), plan: *plan });
    run_substep(world, h, plan, times)?;
    let stopped = if is_last { forcing_bodies(&world.state, &world.workspace) } else { Vec::new() };
    if world.safeguard.forced == forced || is_last && stopped.is_empty() {
        world.safeguard.given_up += u64::from(world.safeguard.forced > forced);
        return Ok(());
    }
    go_back(world, attempt.world);
    *plan = attempt.plan;
    if is_last {
        world.inputs.stopped = stopped;
        let result = run_substep(world, h, plan, times);
        world.inputs.stopped.clear();
        world.safeguard.given_up += u64::from(world.safeguard.forced > forced);
        return result;
    }
    for half in 0..2 {
        world.state.time = start + 0.5 * h * f64::from(half);
        run_yielding_substep(world, 0.5 * h, halvings + 1, plan, times)?;
    }
    Ok(())
}
