//! The stage of the solve by Newton's method, global or direct.

use crate::derive::facts::{Changing, Facts};
use crate::derive::solver_facts::is_first_stage;
use crate::derive::stages::{first_share, stage_share, stage_span};
use crate::model::description::SolverChoice;
use crate::model::report::error::StepError;
use crate::model::setup::pins::restore_held;
use crate::model::state::State;
use crate::model::state::inertia::second_begins;
use crate::model::workspace::Workspace;
use crate::step::stages::equations::{Equations, Start};
use crate::step::stages::guard::not_finite;
use crate::step::stages::policy::newton_limits;
use crate::step::stages::rigid::Bodies;
use glam::DVec3;
use taffeta_contact::response::WarmStart;
use taffeta_solve::PlateState;
use taffeta_solve::drivers::newton::{ContactState, NewtonDriver, NewtonError, NewtonLimits, NewtonReport};

/// Solves the implicit step of a stage of length `h` \[s\]: elasticity, pressure, drag, contact, damping. Clamped edges have these
/// normals at its end.
pub(crate) fn solve_newton(
    driver: &mut NewtonDriver,
    plate: &mut PlateState,
    normals: &[DVec3],
    parts: Changing<'_>,
    h: f64,
    start: Start,
) -> Result<NewtonReport, StepError> {
    let (facts, work) = (parts.facts(), &*parts.workspace);
    let (equations, mut x) = Equations::collect(facts, work, h, start);
    let (size, share) = (equations.size(), stage_share(facts, work));
    let limits = newton_limits(facts, work, stage_span(facts, work, h));
    let limits = NewtonLimits { linear_iterations: work.work_budget.conjugate_left(size), ..limits };
    begin(driver, plate, work, start);
    let problem = equations.problem(1.0 / (h * share), normals);
    let report = driver.solve(&mut x, plate, &problem, limits).map_err(|error| match error {
        NewtonError::NotFinite => blame_farthest(facts, work, h),
        source => StepError::Newton { time: facts.state.time, source },
    })?;
    match facts.choice == SolverChoice::Direct {
        true => parts.workspace.work_budget.add_direct(size, report.iterations),
        false => parts.workspace.work_budget.add_newton(size, report.iterations, report.linear_iterations),
    }
    write_back(parts, h, equations, &x, driver.contact_states());
    Ok(report)
}

/// Tells the driver where strains begin: damping has the time integration of positions.
fn begin(driver: &mut NewtonDriver, plate: &PlateState, work: &Workspace, start: Start) {
    match (start, work.first_stage.is_empty()) {
        (Start::Solution, _) => {}
        (Start::Inertia, true) => driver.begin_step(&work.start, plate),
        (Start::Inertia, false) => {
            let ends: Vec<_> = work.first_stage.iter().map(|stage| stage.position).collect();
            driver.continue_step(&ends, plate, second_begins(first_share(work)));
        }
    }
}

/// Takes over the solution `x` \[m\] of a stage of length `h` \[s\], with its contacts in the order of the equations.
fn write_back(parts: Changing<'_>, h: f64, equations: Equations, x: &[DVec3], touches: &[ContactState]) {
    let is_first = is_first_stage(parts.facts(), parts.workspace);
    let share = stage_share(parts.facts(), parts.workspace);
    let (x, moved) = x.split_at(parts.workspace.rows.len());
    for (row, x) in parts.workspace.rows.iter_mut().zip(x) {
        row.position = x.to_array();
    }
    if parts.inputs.air.is_some() {
        equations.record_drag(&mut parts.state.last, x);
    }
    if !is_first {
        settle_contacts(parts.inputs.stands_still, parts.state, touches, share);
    }
    restore_held(&parts.workspace.guided, &mut parts.workspace.rows);
    Bodies::of(parts, h).settle(equations.into_rigid(), moved, touches);
}

/// Notes the forces of the contacts over the substep, and what the next one has to know of them.
fn settle_contacts(
    stands_still: bool,
    State { last, friction: memory, .. }: &mut State,
    touches: &[ContactState],
    share: f64,
) {
    let h = last.h;
    let mut borne = Vec::new();
    for (contact, touch) in last.contacts.iter_mut().zip(touches) {
        let normal = contact.row.normal;
        let friction = touch.force.reject_from_normalized(normal) * share;
        let load = touch.force.dot(normal) * share;
        contact.sticks = touch.holds && load > 0.0;
        contact.normal_lambda = load * (h * h);
        contact.friction_lambda = friction * (h * h);
        // The search for an equilibrium begins contacts without friction anew in each step: with their loads, edges on edges of a mesh
        // did not settle.
        let is_known = !stands_still || contact.row.friction.static_ > 0.0;
        if load > 0.0 && is_known {
            let slid = if touch.holds { 0.0 } else { contact.borne.slid + touch.slid };
            borne.push((&*contact, WarmStart { friction, push: normal * load, slid, ..contact.borne }));
        }
    }
    memory.record(borne.into_iter());
}

/// The error for an energy that is not finite: it names the vertex that was to go farthest.
fn blame_farthest(facts: Facts<'_>, work: &Workspace, h: f64) -> StepError {
    let predicted = &facts.state.last.predicted;
    let way = |i: usize| {
        let way = predicted[i].distance(work.start[i]);
        if way.is_nan() { f64::INFINITY } else { way }
    };
    let farthest = (0..predicted.len()).fold(0, |best, i| if way(i) > way(best) { i } else { best });
    not_finite(facts, work, farthest, h)
}
