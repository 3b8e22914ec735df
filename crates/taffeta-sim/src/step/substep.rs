//! One substep, stage by stage.

use crate::contact::forced::check_strides;
use crate::contact::secure::{Checked, check_motion, secure};
use crate::derive::crossings::counts_crossings;
use crate::derive::facts::Split;
use crate::derive::rebuild::rebuild;
use crate::derive::solver_facts::is_second_order;
use crate::derive::stages::first_length;
use crate::derive::world::World;
use crate::features::pins::release_pins;
use crate::model::description::capabilities::ContactLaw;
use crate::model::report::SubstepPlan;
use crate::model::report::error::StepError;
use crate::model::report::stage::{Stage, StageTimes};
use crate::model::state::State;
use crate::step::plan::accuracy::local_error;
use crate::step::stages::detect::{detect, meet_on_the_way};
use crate::step::stages::equations::Start;
use crate::step::stages::finish::finish;
use crate::step::stages::integrate::{record_accelerations, record_first_stage};
use crate::step::stages::predict::{begin_substep, predict};
use crate::step::stages::rigid::Bodies;
use crate::step::stages::solve::solve;
use taffeta_contact::boxes::Aabb;
use taffeta_core::tasks::stand_by;

/// Number of times, at most, that a substep is solved again with contacts that its solution has run into. Sweeps do not converge: with
/// three times, three adaptive cloths that met at 5 m/s blew up.
const SURPRISES: u32 = 3;
const SURPRISES_OF_SWEEPS: u32 = 1;

fn run_stage(
    world: &mut World,
    h: f64,
    plan: &mut SubstepPlan,
    times: &mut StageTimes,
) -> Result<(), StepError> {
    let World { setup, inputs, state, derived, workspace, .. } = &mut *world;
    times.run(Stage::Predict, || predict(setup, inputs, state, derived.choice, workspace, h));
    Bodies::of(world.changing(), h).predict();
    if counts_crossings(world) {
        let Split { facts, workspace, .. } = world.split();
        check_strides(facts, workspace, h)?;
    }
    let World { setup, inputs, state, derived, workspace, .. } = &mut *world;
    times.run(Stage::Detect, || detect(setup, inputs, state, derived, workspace));
    Bodies::of(world.changing(), h).turn();
    let (parts, derived) = world.changing_and_derived();
    times.run(Stage::Solve, || solve(parts, derived, h, Start::Inertia, plan))
}

/// Shortens the motion where something would cross, after contacts that nobody expected have been solved for.
fn secure_substep(
    world: &mut World,
    h: f64,
    plan: &mut SubstepPlan,
    times: &mut StageTimes,
) -> Result<(), StepError> {
    let mut checked = times.run(Stage::Secure, || check_motion(world.split(), h));
    let rounds = match world.derived.choice.capabilities().contact {
        // Cloth that is sewn without gravity is damped, and slides on instead.
        _ if world.derived.weightless.contains(&true) => 0,
        ContactLaw::Equations => SURPRISES,
        ContactLaw::Passes => SURPRISES_OF_SWEEPS,
        // Contact is a force that gives way.
        ContactLaw::Forces => 0,
    };
    for _ in 0..rounds {
        let Some(Checked { step_limits, .. }) = &checked else { break };
        if step_limits.is_whole() || !world.workspace.work_budget.is_plentiful() {
            break;
        }
        let World { setup, inputs, state, derived, workspace, .. } = &mut *world;
        let meet = || meet_on_the_way(setup, inputs, state, derived, workspace, &step_limits.stopped);
        if !times.run(Stage::Detect, meet) {
            break;
        }
        let (parts, derived) = world.changing_and_derived();
        times.run(Stage::Solve, || solve(parts, derived, h, Start::Solution, plan))?;
        checked = times.run(Stage::Secure, || check_motion(world.split(), h));
    }
    times.run(Stage::Secure, || secure(world.split(), checked));
    Ok(())
}

/// One substep, stage by stage.
pub(crate) fn run_substep(
    world: &mut World,
    h: f64,
    plan: &mut SubstepPlan,
    times: &mut StageTimes,
) -> Result<(), StepError> {
    world.stop_token.pass(world.state.time)?;
    world.workspace.error = local_error(world);
    if release_pins(&world.setup, &mut world.state, &mut world.derived) {
        rebuild(world);
    }
    begin_substep(&world.state, &mut world.workspace);
    Bodies::of(world.changing(), h).begin();
    // Not all of the time: what remeshes is one thread.
    stand_by(world.state.sheet.topology.vertex_count, || {
        if is_second_order(world.facts()) {
            let Split { facts, derived, workspace, .. } = world.split();
            record_accelerations(facts, derived, workspace, h);
            run_stage(world, h * first_length(&world.workspace), plan, times)?;
            record_first_stage(world.derived.solver.contact_states(), &world.state, &mut world.workspace);
            let (parts, derived) = world.changing_and_derived();
            Bodies::of(parts, h).record_first(derived.solver.contact_states());
        }
        run_stage(world, h, plan, times)?;
        secure_substep(world, h, plan, times)?;
        Bodies::of(world.changing(), h).finish();
        let World { setup, inputs, state, derived, workspace, .. } = &mut *world;
        times.run(Stage::Finish, || finish(setup, inputs, state, derived, workspace))
    })?;
    record_reach(&world.state, &mut world.workspace.reach);
    Ok(())
}

/// Notes where the cloths have come to, if somebody asks.
fn record_reach(State { sheet, motion, .. }: &State, reach: &mut [Aabb]) {
    for (cloth, reach) in (0..).zip(reach) {
        let positions = motion.positions.raw[sheet.vertex_range(cloth)].iter();
        *reach = positions.fold(*reach, |area, x| area.with(*x));
    }
}
