//! The substeps of a step.

use crate::derive::snapshot::take_snapshot;
use crate::derive::solver_facts::{knows_its_error, stores_energy};
use crate::derive::world::World;
use crate::features::grabs::{find_grabbed, lead_grabs};
use crate::features::plastic::yields_in_every_substep;
use crate::features::seams::threads::turn_held_threads;
use crate::features::tearing::rules::is_time_to_tear;
use crate::model::description::capabilities::SubstepRule;
use crate::model::description::grabs::Grab;
use crate::model::report::error::StepError;
use crate::model::report::stage::{Stage, StageTimes};
use crate::model::report::{SubstepPlan, TearCounts};
use crate::model::workspace::work_budget::{HURRIED_SUBSTEPS, WorkBudget};
use crate::step::outside::Outside;
use crate::step::plan::accuracy::SHORTEST;
use crate::step::plan::accuracy::local_error;
use crate::step::plan::obstacle_substeps::substeps_for_obstacles;
use crate::step::plan::pieces::pieces;
use crate::step::plan::tension::{TensionDemand, substeps_for_tension};
use crate::step::plan::{plan, substeps_in};
use crate::step::retry::{Attempt, may_be_rough, reject_if_rough, run_yielding_substep};
use crate::step::stages::rigid::Bodies;

/// Part of the length of a substep that was rejected that the others of its step may have.
const ONCE_REJECTED: f64 = 0.7;

/// The course of a step of length `dt` \[s\]: its plan, and the substeps that obstacles ask for in all of it.
struct Course {
    plan: SubstepPlan,
    least: u32,
    dt: f64,
}

/// All substeps of a step, however many they come to.
pub(crate) fn make_substeps(
    world: &mut World,
    dt: f64,
    grabs: &[Grab],
    outside: &mut dyn Outside,
    times: &mut StageTimes,
) -> Result<(SubstepPlan, TearCounts), StepError> {
    let work_budget = WorkBudget::new(world.state.sheet.topology.vertex_count).within(world.inputs.deadline);
    world.workspace.work_budget = work_budget.with_substeps(world.setup.settings.substeps.unwrap_or(1));
    world.derived.begin_frame();
    turn_held_threads(&world.setup, &world.state, &mut world.derived);
    Bodies::of(world.changing(), dt).expect();
    let (plan, least) = plan(world, dt).and_then(|plan| substeps_for_obstacles(world, plan, dt))?;
    run_substeps(world, Course { plan, least, dt }, grabs, outside, times)
}

fn run_substeps(
    world: &mut World,
    mut course: Course,
    grabs: &[Grab],
    outside: &mut dyn Outside,
    times: &mut StageTimes,
) -> Result<(SubstepPlan, TearCounts), StepError> {
    debug_assert_eq!(world.derived.epoch, world.state.sheet.topology.epoch, "derived for another topology");
    let dt = course.dt;
    let (end, mut tears) = (world.state.time + dt, TearCounts::default());
    let mut grabs = grabs.to_vec();
    // The substeps of equal length that are to come, or to go on with.
    let begin = world.state.time;
    let (mut start, mut h, mut count) = (begin, dt / f64::from(course.plan.substeps), course.plan.substeps);
    let (mut substep, mut last_part, mut was_edited) = (0, None, false);
    world.inputs.is_rough = false;
    while substep < count {
        // Multiplied, not added up: the last substep ends exactly at the frame.
        world.state.time = start + h * f64::from(substep);
        let wanted = choose_substeps(world, end - world.state.time, count - substep, &mut course);
        if wanted != count - substep {
            course.plan.substeps = course.plan.substeps - (count - substep) + wanted;
            (start, count, substep) = (world.state.time, wanted, 0);
            h = (end - start) / f64::from(count);
        }
        let part = (world.state.time - begin) / dt;
        let is_due = is_time_to_tear(last_part.replace(part), part, dt);
        let epoch = world.state.sheet.topology.epoch;
        let tear = || if is_due { outside.tear(world, substep > 0) } else { TearCounts::default() };
        tears = tears.plus(times.run(Stage::Remesh, tear));
        let is_edited = world.state.sheet.topology.epoch != epoch || was_edited;
        if is_edited {
            world.inputs.grabbed = find_grabbed(world, &grabs)?;
        }
        // The kinks of new splits must not become folds.
        world.inputs.lets_yield = !is_edited && (substep + 1 == count || yields_in_every_substep(world));
        let attempt =
            may_be_rough(world, h).then(|| Attempt { world: take_snapshot(world), plan: course.plan });
        let mut error: f64 = 0.0;
        let pieces = pieces(world, h)?;
        course.plan.substeps += pieces.len() as u32 - 1;
        for (time, piece) in pieces {
            world.state.time = time;
            lead_grabs(world, piece, &mut grabs, &mut |grabs| outside.lead(grabs))?;
            let patches = world.inputs.grabbed.iter_mut().zip(&grabs);
            patches.for_each(|(patch, grab)| patch.target = grab.target);
            let not_converged = course.plan.not_converged;
            run_yielding_substep(world, piece, 0, &mut course.plan, times)?;
            // Each of its solves has counted itself.
            course.plan.not_converged = course.plan.not_converged.min(not_converged + 1);
            error = error.max(local_error(world));
        }
        world.state.last_substep = h;
        if attempt.is_some_and(|attempt| reject_if_rough(world, h, error, attempt, &mut course.plan)) {
            was_edited = is_edited;
            // Where cloth beats against cloth, the next long one would be rejected too.
            course.least = course.least.max((dt / (ONCE_REJECTED * h).max(SHORTEST)) as u32);
            continue;
        }
        (was_edited, world.inputs.is_rough) = (false, false);
        if knows_its_error(world) {
            course.plan.error = course.plan.error.max(error);
        }
        substep += 1;
    }
    world.state.time = end;
    Ok((course.plan, tears))
}

/// Number of substeps for what is left \[s\] of a step, for which so many are planned.
fn choose_substeps(world: &World, left: f64, planned: u32, Course { plan, least, dt }: &mut Course) -> u32 {
    if world.workspace.work_budget.is_spent() {
        if planned > HURRIED_SUBSTEPS {
            plan.hurried_since.get_or_insert(world.state.time);
        }
        return planned.min(HURRIED_SUBSTEPS);
    }
    let is_free = world.setup.settings.substeps.is_none();
    match world.derived.choice.capabilities().substeps {
        // Without compliance the stiffness depends on the number of substeps: it must not follow the motion.
        SubstepRule::LoadPath if is_free && stores_energy(world) => {
            let TensionDemand { substeps: asked, capped_excess } =
                substeps_for_tension(world, left, *dt, plan.iterations);
            plan.capped_excess = plan.capped_excess.into_iter().chain(capped_excess).reduce(f64::max);
            // Where a few more would do, contacts that stick stay as they are.
            if 4 * asked > 5 * planned { asked } else { planned }
        }
        SubstepRule::Error if is_free => {
            let least = (f64::from(*least) * left / *dt - 1e-9).ceil() as u32;
            let asked = substeps_in(world, left).max(least);
            // Substeps of one length are cheaper than those that change: what is kept for one need not be made anew.
            if asked > planned || 2 * asked <= planned { asked } else { planned }
        }
        _ => planned,
    }
}
