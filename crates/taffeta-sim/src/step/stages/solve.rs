//! Third stage of a substep: elasticity and contact.

use crate::contact::memory::note_slip;
use crate::derive::clock::{clamp_normals, end_of_substep};
use crate::derive::derived::Derived;
use crate::derive::world::World;
use crate::features::seams::threads::set_threads;
use crate::features::volumes::{keep_pressures, set_volume_targets};
use crate::model::description::capabilities::ContactLaw;
use crate::model::report::SubstepPlan;
use crate::model::report::error::StepError;
use crate::model::scratch::Scratch;
use crate::model::setup::pins::put_back;
use crate::model::state::State;
use crate::step::stages::newton::{Start, solve_newton};
use crate::step::stages::projective::solve_projective;
use glam::DVec3;
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
    let end = end_of_substep(world.facts(), h);
    set_threads(&world.setup, &world.state, &mut world.derived, end);
    let law = world.derived.choice.capabilities().contact;
    if law != ContactLaw::Equations {
        let size = world.scratch.rows.len() + world.state.last.contacts.len();
        world.scratch.effort.add_local(size, plan.iterations);
    }
    match law {
        ContactLaw::Passes => {
            let World { setup, state, derived, scratch, .. } = world;
            let normals = clamp_normals(setup, &derived.clamps, end);
            set_volume_targets(derived, end);
            sweep(state, derived, scratch, normals, plan.iterations);
        }
        ContactLaw::Forces => {
            let World { setup, state, derived, scratch, .. } = world;
            set_volume_targets(derived, end);
            solve_projective(setup, state, derived, scratch, plan.iterations)?;
        }
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

/// The sweeps of a local solver, and contact. Clamped edges have these normals.
fn sweep(state: &mut State, derived: &mut Derived, work: &mut Scratch, normals: Vec<DVec3>, count: u32) {
    let (h, last) = (state.last.h, &mut state.last);
    // Here and not before: a contact that was pushed apart has moved the start.
    let Scratch { rows, start, guided, .. } = &mut *work;
    let mut contact = |rows: &mut [Row]| {
        put_back(guided, rows);
        project(&mut last.contacts, start, rows);
        put_back(guided, rows);
    };
    let sweeps = Sweeps { h, count, start, clamps: &normals };
    derived.solver.driver_mut().make_sweeps(rows, sweeps, &mut contact);
    derived.plate.clamps = normals;
    keep_pressures(derived);
    note_slip(work, state);
    take_out_rebound(&state.last.contacts, &mut work.start, &work.rows);
}
