//! Third stage of a substep: elasticity and contact.

use crate::contact::memory::note_slip;
use crate::derive::clock::{clamp_normals, end_of_substep};
use crate::derive::world::World;
use crate::features::seams::threads::set_threads;
use crate::features::volumes::{keep_pressures, set_volume_targets};
use crate::model::capabilities::ContactLaw;
use crate::model::error::StepError;
use crate::model::pins::put_back;
use crate::model::report::SubstepPlan;
use crate::model::scratch::Scratch;
use crate::model::state::State;
use crate::step::newton::{Start, solve_newton};
use crate::step::projective::solve_projective;
use taffeta_contact::response::{project, take_out_rebound};
use taffeta_core::lanes::Row;
use taffeta_solve::Sweeps;

/// Elasticity and contact: one after the other in a local solver, together in Newton's method.
///
/// Reads: start, predicted, contacts. Writes: rows, the multipliers of the contacts, the counts of the plan.
///
/// # Errors
/// If the energy is not finite or a solver cannot factorize its system.
pub(crate) fn solve(
    world: &mut World,
    h: f64,
    start: Start,
    plan: &mut SubstepPlan,
) -> Result<(), StepError> {
    set_threads(world, h);
    let law = world.derived.choice.capabilities().contact;
    if law != ContactLaw::Equations {
        let size = world.scratch.rows.len() + world.state.last.contacts.len();
        world.scratch.effort.add_local(size, plan.iterations);
    }
    match law {
        ContactLaw::Passes => sweep(world, h, plan.iterations),
        ContactLaw::Forces => solve_projective(world, h, plan.iterations)?,
        ContactLaw::Equations => {
            let report = solve_newton(world, h, start)?;
            plan.iterations = plan.iterations.max(report.iterations);
            plan.linear_iterations += report.linear_iterations;
            plan.solution_error = plan.solution_error.max(report.error);
            plan.not_converged += u32::from(!report.converged);
        }
    }
    Ok(())
}

/// The sweeps of a local solver, and contact.
fn sweep(world: &mut World, h: f64, count: u32) {
    let normals = clamp_normals(&world.setup, &world.derived.clamps, end_of_substep(world, h));
    set_volume_targets(world, h);
    let World { derived, scratch, state: State { last, .. }, .. } = world;
    // Here and not before: a contact that was pushed apart has moved the start.
    let Scratch { rows, start, guided, .. } = scratch;
    let mut contact = |rows: &mut [Row]| {
        put_back(guided, rows);
        project(&mut last.contacts, start, rows);
        put_back(guided, rows);
    };
    let sweeps = Sweeps { h, count, start, clamps: &normals };
    derived.solver.driver_mut().make_sweeps(rows, sweeps, &mut contact);
    derived.plate.clamps = normals;
    keep_pressures(&mut world.derived);
    note_slip(world);
    let (work, last) = (&mut world.scratch, &world.state.last);
    take_out_rebound(&last.contacts, &mut work.start, &work.rows);
}
