//! The stage of the solve by Newton's method, global or direct.

use crate::contact::stiffness::{JUNCTION, friction_stiffness, stiffnesses};
use crate::derive::air::exposed;
use crate::derive::clock::{clamp_normals, end_of_substep};
use crate::derive::derived::Solver;
use crate::derive::solver_facts::{is_first_stage, is_second_order};
use crate::derive::stages::{first_share, stage_share, stage_span};
use crate::derive::world::World;
use crate::model::description::SolverChoice;
use crate::model::report::error::StepError;
use crate::model::setup::pins::{along_held, put_back};
use crate::model::state::inertia::second_begins;
use crate::model::state::{LastSubstep, State};
use crate::step::stages::guard::not_finite;
use crate::step::stages::integrate::led;
use crate::step::stages::policy::newton_limits;
use crate::step::stages::rigid::Bodies;
use crate::step::stages::rigid_terms::{collect_terms, expected_loads};
use glam::DVec3;
use taffeta_contact::Contact;
use taffeta_contact::response::Borne;
use taffeta_core::index::DenseIndex;
use taffeta_core::lanes::Row;
use taffeta_core::{ContactRow, VertexIndex};
use taffeta_solve::drivers::newton::{
    Contacts, Drags, FrictionSpring, NewtonError, NewtonLimits, NewtonProblem, NewtonReport,
};

/// First guess of the solution of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// The place to which inertia leads.
    Inertia,
    /// The solution so far, without contacts that have been found since.
    Solution,
}

/// Solves the implicit step of the substep: elasticity, pressure, drag, contact, damping.
pub(crate) fn solve_newton(world: &mut World, h: f64, start: Start) -> Result<NewtonReport, StepError> {
    let time = world.state.time;
    let span = stage_span(world.facts(), &world.scratch, h);
    let limits = newton_limits(world, span);
    let normals = clamp_normals(&world.setup, &world.derived.clamps, end_of_substep(world.facts(), h));
    let (state, gravity) = (&world.state.motion, world.state.gravity);
    let mut rigid = collect_terms(world, h);
    let mut rows: Vec<ContactRow> = world.state.last.contacts.iter().map(|c| c.row).collect();
    let last = &world.state.last;
    let mut inertia: Vec<f64> = state.masses.iter().enumerate().map(|(i, m)| last.inertia(i, *m)).collect();
    let mut stiffnesses = stiffnesses(&last.contacts, &expected_loads(world), state, span);
    let mut springs = friction_springs(world, h, &stiffnesses);
    let (share, first_share) = (stage_share(world.facts(), &world.scratch), first_share(&world.scratch));
    for (stiffness, spring) in stiffnesses.iter_mut().zip(&mut springs) {
        *stiffness /= share;
        spring.stiffness /= share;
        spring.carried /= share;
    }
    rows.extend(&rigid.rows);
    springs.append(&mut rigid.springs);
    stiffnesses.append(&mut rigid.stiffnesses);
    // Start from inertia alone, in the second stage with the velocity of the first. From the old position motion would be swallowed.
    // From the prediction a cloth at rest would jitter, and press much harder than it does.
    let mut held = state.held.raw.clone();
    let (work, is_first, has_stages) =
        (&world.scratch, is_first_stage(world.facts(), &world.scratch), is_second_order(world.facts()));
    let fall = |s: f64| gravity * (s * s / (1.0 + last.damping * s));
    let guess = |(i, s): (usize, &f64)| match has_stages {
        true => along_held(held[i], last.predicted[i], led(last, work, i)),
        false => along_held(held[i], last.predicted[i], last.predicted[i] - fall(*s)),
    };
    let mut x: Vec<_> = match start {
        Start::Inertia => last.scales.iter().enumerate().map(guess).collect(),
        Start::Solution => work.rows.iter().map(Row::position).collect(),
    };
    for pull in &world.state.last.pulls {
        inertia[pull.vertex] += pull.stiffness;
        // Nor from where a grab would take its vertices by themselves: they would be torn out of the cloth.
        x[pull.vertex] = along_held(held[pull.vertex], pull.free, pull.free - fall(last.scales[pull.vertex]));
    }
    let surfaces = world.inputs.air.map(|air| exposed(&world.setup, &world.state, air, &x));
    let count = x.len();
    let mut predicted = last.predicted.clone();
    x.resize(count + rigid.inertia.len(), DVec3::ZERO);
    inertia.extend(&rigid.inertia);
    predicted.extend(&rigid.predicted);
    held.extend(&rigid.held);
    let (faces, segments) =
        surfaces.map(|surfaces| surfaces.terms(&world.scratch.bases, &last.scales)).unwrap_or_default();
    let drag = Drags { faces: &faces, segments: &segments };
    let is_direct = world.derived.choice == SolverChoice::Direct;
    let mut effort = world.scratch.effort;
    let World { derived, scratch: work, .. } = world;
    let Solver::Newton(driver) = &mut derived.solver else { return Ok(NewtonReport::default()) };
    // Strains change along with positions: damping has the time integration of these.
    match (start, work.first_stage.is_empty()) {
        (Start::Solution, _) => {}
        (Start::Inertia, true) => driver.begin_step(&work.start, &derived.plate),
        (Start::Inertia, false) => {
            let ends: Vec<_> = work.first_stage.iter().map(|stage| stage.position).collect();
            driver.continue_step(&ends, &derived.plate, second_begins(first_share));
        }
    }
    derived.plate.clamps.clone_from(&normals);
    let contacts = Contacts {
        rows: &rows,
        springs: &springs,
        stiffnesses: &stiffnesses,
        carriers: &rigid.carriers,
        drives: &rigid.drives,
    };
    let problem = NewtonProblem {
        inertia: &inertia,
        predicted: &predicted,
        held: &held,
        damping_rate: 1.0 / (h * share),
        drag,
        contacts,
        clamps: &normals,
    };
    let size = x.len() + rows.len();
    let limits = NewtonLimits { linear_iterations: effort.conjugate_left(size), ..limits };
    let report = driver.solve(&mut x, &mut derived.plate, &problem, limits);
    if let Ok(report) = &report {
        match is_direct {
            true => effort.add_direct(size, report.iterations),
            false => effort.add_newton(size, report.iterations, report.linear_iterations),
        }
    }
    world.scratch.effort = effort;
    let report = match report {
        Ok(report) => report,
        Err(NewtonError::NotFinite) => return Err(blame_farthest(world, h)),
        Err(source) => return Err(StepError::Newton { time, source }),
    };
    for (row, x) in world.scratch.rows.iter_mut().zip(&x) {
        row.position = x.to_array();
    }
    if world.inputs.air.is_some() {
        note_drag(&mut world.state.last, drag, &x[..count], &inertia, &held);
    }
    if !is_first {
        settle_contacts(world.inputs.stands_still, &mut world.state, &world.derived.solver, share);
    }
    Bodies::of(world, h).settle(rigid, &x[count..]);
    put_back(&world.scratch.guided, &mut world.scratch.rows);
    Ok(report)
}

/// The springs of friction of the contacts in a stage of length `h` \[s\]. A contact that has begun within the substep began where
/// the first stage ended; it slides if its speed takes it far enough.
fn friction_springs(world: &World, h: f64, stiffnesses: &[f64]) -> Vec<FrictionSpring> {
    let work = &world.scratch;
    let ahead = 1.0 - stage_share(world.facts(), &world.scratch);
    let held = &world.state.motion.held;
    let way = |vi: VertexIndex| {
        let i = vi.to_usize();
        let prescribed = world.state.last.predicted[i] - work.start[i];
        along_held(held[vi], prescribed, work.start_velocities[i] * h)
    };
    let spring = |(contact, normal): (&Contact, &f64)| {
        let Contact { row, borne, .. } = contact;
        let origin = match contact.touched() {
            true => row.interpolate(|vi| work.start[vi.to_usize()]),
            false => row.interpolate(|vi| work.bases[vi.to_usize()]) - row.body_displacement * ahead,
        };
        let carried = borne.friction.reject_from_normalized(row.normal);
        let stiffness = friction_stiffness(*normal, row, borne.load());
        let slid = match borne.load() > 0.0 {
            true => borne.slid,
            false => {
                (row.interpolate(way) - row.body_displacement).reject_from_normalized(row.normal).length()
            }
        };
        FrictionSpring { origin, carried, stiffness, left: JUNCTION - slid }
    };
    world.state.last.contacts.iter().zip(stiffnesses).map(spring).collect()
}

/// Notes the forces of drag at the solution; the prediction of what is free has them from now on, as that of a local solver.
fn note_drag(last: &mut LastSubstep, drag: Drags<'_>, x: &[DVec3], inertia: &[f64], held: &[[bool; 3]]) {
    last.outer = vec![DVec3::ZERO; x.len()];
    drag.add_forces(x, &mut last.outer);
    for (i, force) in last.outer.iter().enumerate().filter(|(_, force)| **force != DVec3::ZERO) {
        let predicted = last.predicted[i];
        last.predicted[i] = along_held(held[i], predicted, predicted + *force / inertia[i]);
    }
}

/// Notes the forces of the contacts over the substep, and what the next one has to know of them.
fn settle_contacts(
    stands_still: bool,
    State { last, friction: memory, .. }: &mut State,
    solver: &Solver,
    share: f64,
) {
    let (Solver::Newton(driver), h) = (solver, last.h) else { return };
    let mut borne = Vec::new();
    for (contact, touch) in last.contacts.iter_mut().zip(driver.touches()) {
        let normal = contact.row.normal;
        let friction = touch.force.reject_from_normalized(normal) * share;
        let load = touch.force.dot(normal) * share;
        contact.sticks = touch.holds && load > 0.0;
        contact.normal_lambda = load * (h * h);
        contact.friction_lambda = friction * (h * h);
        // The search for an equilibrium begins contacts without friction anew in each step: with their loads, edges on edges of a mesh
        // did not settle.
        let is_known = !stands_still || contact.row.static_friction > 0.0;
        if load > 0.0 && is_known {
            let slid = if touch.holds { 0.0 } else { contact.borne.slid + touch.slid };
            borne.push((&*contact, Borne { friction, push: normal * load, slid, ..contact.borne }));
        }
    }
    memory.note(borne.into_iter());
}

/// The error for an energy that is not finite: it names the vertex that was to go farthest.
fn blame_farthest(world: &World, h: f64) -> StepError {
    let way = |i: usize| {
        let way = world.state.last.predicted[i].distance(world.scratch.start[i]);
        if way.is_nan() { f64::INFINITY } else { way }
    };
    let farthest =
        (0..world.state.last.predicted.len()).fold(0, |best, i| if way(i) > way(best) { i } else { best });
    not_finite(world.facts(), &world.scratch, farthest, h)
}
