//! Third stage of a substep: elasticity and contact.

use crate::contact::memory::{carry_slip, note_slip};
use crate::derive::clock::{clamp_normals, end_of_substep};
use crate::derive::derived::Solver;
use crate::derive::world::World;
use crate::features::seams::threads::set_threads;
use crate::features::volumes::{keep_pressures, set_volume_targets};
use crate::model::error::StepError;
use crate::model::pins::put_back;
use crate::model::report::SubstepPlan;
use crate::model::scratch::Scratch;
use crate::model::state::State;
use crate::step::newton::solve_newton;
use crate::step::projective::solve_projective;
use glam::DVec3;
use taffeta_contact::response::project;
use taffeta_core::lanes::Row;
use taffeta_solve::{RowStep, Substep};

/// Elasticity and contact: after it in every sweep of a local solver, together in Newton's method.
///
/// Reads: start, predicted, contacts. Writes: rows, the multipliers of the contacts, the counts of the plan.
///
/// # Errors
/// If the energy is not finite or a solver cannot factorize its system.
pub(crate) fn solve(world: &mut World, h: f64, plan: &mut SubstepPlan) -> Result<(), StepError> {
    set_threads(world, h);
    if world.derived.solver.is_local() || matches!(world.derived.solver, Solver::Projective(_)) {
        world
            .scratch
            .effort
            .add_local(world.scratch.rows.len() + world.state.last.contacts.len(), plan.iterations);
    }
    if matches!(world.derived.solver, Solver::Projective(_)) {
        return solve_projective(world, h, plan.iterations);
    }
    if world.derived.solver.is_local() {
        sweep_locally(world, h, plan.iterations);
        return Ok(());
    }
    let report = solve_newton(world, h)?;
    plan.iterations = plan.iterations.max(report.iterations);
    plan.linear_iterations += report.linear_iterations;
    plan.not_converged += u32::from(!report.converged);
    Ok(())
}

/// The sweeps of a local solver, each followed by contact.
fn sweep_locally(world: &mut World, h: f64, sweeps: u32) {
    let normals = clamp_normals(world, end_of_substep(world, h));
    carry_slip(world);
    set_volume_targets(world, h);
    let World { derived, scratch: work, state: State { last, .. }, .. } = world;
    // Noted here and not before: a contact that was pushed apart has moved the start.
    match &mut derived.solver {
        Solver::Block(driver) => {
            if driver.is_damped() {
                driver.begin_substep(&rows_at_start(work));
            }
            driver.set_clamps(&normals);
        }
        Solver::Rows(driver) => driver.begin_substep(&rows_at_start(work)),
        Solver::Projective(_) | Solver::Newton(_) => {}
    }
    derived.plate.clamps = normals;
    for sweep in 0..sweeps {
        match &mut derived.solver {
            Solver::Block(driver) => driver.sweep(&mut work.rows, Substep { h, sweep }),
            Solver::Rows(driver) => driver.sweep(&mut work.rows, RowStep { h, sweep, sweeps }),
            Solver::Projective(_) | Solver::Newton(_) => {}
        }
        put_back(&work.guided, &mut work.rows);
        project(&mut last.contacts, &work.start, &mut work.rows);
        put_back(&work.guided, &mut work.rows);
    }
    keep_pressures(world);
    note_slip(world);
}

/// The rows with the positions of the start of the substep.
fn rows_at_start(work: &Scratch) -> Vec<Row> {
    let at = |(row, x): (&Row, &DVec3)| Row { position: x.to_array(), ..*row };
    work.rows.iter().zip(&work.start).map(at).collect()
}
