//! Third stage of a substep: elasticity and contact.

use crate::contact::memory::record_slip;
use crate::derive::clock::{clamp_normals, end_of_substep};
use crate::derive::derived::Derived;
use crate::derive::facts::Changing;
use crate::derive::solver::Solver;
use crate::features::seams::threads::set_threads;
use crate::features::volumes::set_volume_targets;
use crate::model::report::SubstepPlan;
use crate::model::report::error::StepError;
use crate::model::setup::pins::restore_held;
use crate::model::workspace::Workspace;
use crate::step::stages::equations::Start;
use crate::step::stages::newton::solve_newton;
use crate::step::stages::projective::solve_projective;
use glam::DVec3;
use taffeta_contact::response::{project, take_out_rebound};
use taffeta_core::lanes::Row;
use taffeta_solve::block::EnclosedVolume;
use taffeta_solve::{Sweeping, Sweeps};

/// Elasticity and contact: one after the other in a local solver, together in Newton's method. The solver in use decides here, and
/// nowhere below: each function is given the driver that it is for.
///
/// Reads: start, predicted, contacts. Writes: rows, the multipliers of the contacts, the counts of the plan.
///
/// # Errors
/// If the energy is not finite or a solver cannot factorize its system.
///
/// # Panics
/// If the bodies of the world are stepped in groups.
pub(crate) fn solve(
    parts: Changing<'_>,
    derived: &mut Derived,
    h: f64,
    start: Start,
    plan: &mut SubstepPlan,
) -> Result<(), StepError> {
    let end = end_of_substep(parts.facts(), h);
    set_threads(parts.setup, parts.state, derived, end);
    let Derived { solver, blocks, enclosed, plate, clamps, detector, .. } = derived;
    let volumes = &mut blocks.enclosed;
    set_volume_targets(enclosed, volumes, end);
    let normals = clamp_normals(parts.setup, clamps, end);
    match solver {
        Solver::Idle => unreachable!("its bodies are stepped in groups"),
        Solver::Sweeping(driver) => sweep(driver.as_mut(), volumes, &normals, parts, plan.iterations),
        Solver::Projective(driver) => solve_projective(driver, volumes, detector, parts, plan.iterations)?,
        Solver::Newton(driver) => {
            let report = solve_newton(driver, plate, &normals, parts, h, start)?;
            plan.iterations = plan.iterations.max(report.iterations);
            plan.linear_iterations += report.linear_iterations;
            plan.solution_error = plan.solution_error.max(report.error);
            plan.not_converged += u32::from(!report.converged);
        }
    }
    // The next stage begins with the clamps where they are now.
    plate.clamps = normals;
    Ok(())
}

/// The sweeps of a local solver, so many, and contact. Clamped edges have these normals.
fn sweep(
    driver: &mut dyn Sweeping,
    volumes: &mut [EnclosedVolume],
    normals: &[DVec3],
    parts: Changing<'_>,
    count: u32,
) {
    let Changing { state, workspace: work, .. } = parts;
    let (h, last) = (state.last.h, &mut state.last);
    work.work_budget.add_local(work.rows.len() + last.contacts.len(), count);
    for (swept, volume) in driver.enclosed_mut().iter_mut().zip(&*volumes) {
        swept.target = volume.target;
    }
    // Here and not before: a contact that was pushed apart has moved the start.
    let Workspace { rows, start, guided, .. } = &mut *work;
    let mut contact = |rows: &mut [Row]| {
        restore_held(guided, rows);
        project(&mut last.contacts, start, rows);
        restore_held(guided, rows);
    };
    driver.make_sweeps(rows, Sweeps { h, count, start, clamps: normals }, &mut contact);
    for (volume, swept) in volumes.iter_mut().zip(driver.enclosed_mut()) {
        volume.pressure = swept.pressure;
    }
    record_slip(work, state);
    take_out_rebound(&state.last.contacts, &mut work.start, &work.rows);
}
