//! Substeps that are done again.
//!
//! The bound of the energy: where nothing outside does work on the cloth, no substep raises its energy.
//!
//! Implicit Euler never does. Backward differences (BDF2) do where a cloth snaps: their velocity lags behind a force that
//! grows within a substep. Such a substep is done again, by implicit Euler. Not where nothing holds the cloth: there
//! Euler would take its angular momentum, and there is nothing to snap at.
//!
//! The bound of force: where pins or obstacles that move force cloth through something in one substep, the response may
//! still get it out of the way in shorter ones.

use crate::derive::clock::{end_of_substep, stand_still};
use crate::derive::crossings::counts_crossings;
use crate::derive::pressure::has_pressure;
use crate::derive::snapshot::{Snapshot, go_back, note_substep};
use crate::derive::solver_facts::is_second_order;
use crate::derive::world::World;
use crate::features::seams::threads::is_sewing;
use crate::measure::energy::{kinetic_energy, mechanical_energy};
use crate::model::error::StepError;
use crate::model::report::SubstepPlan;
use crate::model::stage::{Stage, StageTimes};
use crate::step::policy::newton_limits;
use crate::step::substep::run_substep;
use glam::DVec3;

/// Part of the kinetic energy by which a substep may raise the energy: a snap takes some twenty substeps.
const GROWTH: f64 = 2e-5;

/// How often a substep is halved to give way to what moves.
const HALVINGS: u32 = 4;

/// All that a substep changes that may be done again.
struct Attempt {
    world: Snapshot,
    plan: SubstepPlan,
}

fn begin_attempt(world: &mut World, plan: &SubstepPlan) -> Attempt {
    Attempt { world: note_substep(world), plan: *plan }
}

/// Goes back to before a substep, which is to be done again by implicit Euler.
fn take_back(world: &mut World, attempt: Attempt, plan: &mut SubstepPlan) {
    go_back(world, attempt.world);
    world.state.forget_history();
    *plan = attempt.plan;
}

/// Runs a substep; in halves if pins or obstacles force something together in it, as long as halves are worth a try.
pub(crate) fn run_yielding_substep(
    world: &mut World,
    (h, halvings): (f64, u32),
    (plan, energy): (&mut SubstepPlan, &mut Option<f64>),
    times: &mut StageTimes,
) -> Result<(), StepError> {
    let forced = world.safeguard.forced;
    if !counts_crossings(world) || stand_still(world, end_of_substep(world, h)) {
        return run_bounded_substep(world, h, (plan, energy), times);
    }
    if halvings == HALVINGS || world.scratch.effort.is_spent() {
        run_bounded_substep(world, h, (plan, energy), times)?;
        world.safeguard.given_up += u64::from(world.safeguard.forced > forced);
        return Ok(());
    }
    let (start, attempt) = times.run(Stage::Measure, || (world.state.time, begin_attempt(world, plan)));
    run_bounded_substep(world, h, (plan, energy), times)?;
    if world.safeguard.forced == forced {
        return Ok(());
    }
    take_back(world, attempt, plan);
    for half in 0..2 {
        world.state.time = start + 0.5 * h * f64::from(half);
        run_yielding_substep(world, (0.5 * h, halvings + 1), (plan, energy), times)?;
    }
    Ok(())
}

/// Runs a substep; runs it again by implicit Euler if it has raised the energy though nothing did work. `energy` is
/// what the last substep of the step has ended with \[J\], if that has been measured.
pub(crate) fn run_bounded_substep(
    world: &mut World,
    h: f64,
    (plan, energy): (&mut SubstepPlan, &mut Option<f64>),
    times: &mut StageTimes,
) -> Result<(), StepError> {
    let last_energy = energy.take();
    let is_bound = is_second_order(world) && world.state.last_substep > 0.0;
    if !(is_bound && is_supported(world) && is_left_alone(world, h)) {
        return run_substep(world, h, plan, times);
    }
    let (before, attempt) = times.run(Stage::Measure, || {
        (last_energy.unwrap_or_else(|| mechanical_energy(world)), begin_attempt(world, plan))
    });
    run_substep(world, h, plan, times)?;
    let after = times.run(Stage::Measure, || mechanical_energy(world));
    if after <= before + energy_slack(world, h) {
        *energy = Some(after);
        return Ok(());
    }
    take_back(world, attempt, plan);
    run_substep(world, h, plan, times)
}

/// Returns whether anything has held the cloth in the last substep.
fn is_supported(world: &World) -> bool {
    let is_held = |held: &[bool; 3]| held.contains(&true);
    world.state.motion.held.iter().any(is_held) || world.state.was_touched
}

/// Returns whether nothing drives the cloth in the substep: pins and obstacles stand still, nothing is sewn, and
/// there is no pressure, wind or grab.
fn is_left_alone(world: &World, h: f64) -> bool {
    world.inputs.grabbed.is_empty()
        && stand_still(world, end_of_substep(world, h))
        && !is_sewing(world)
        && world.inputs.air.is_none_or(|air| air.wind == DVec3::ZERO)
        && !has_pressure(world)
}

/// The growth of the energy that round-off and the tolerance of the solver explain \[J\].
fn energy_slack(world: &World, h: f64) -> f64 {
    let moved = newton_limits(world, h).tolerance / h;
    let mass: f64 = world.state.motion.masses.iter().sum();
    GROWTH * kinetic_energy(world) + mass * moved * moved
}
