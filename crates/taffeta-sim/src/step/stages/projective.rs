//! The stage of the solve by projective dynamics.

use crate::derive::facts::Changing;
use crate::model::report::error::StepError;
use crate::model::setup::Setup;
use crate::model::setup::pins::restore_held;
use crate::model::state::{LastSubstep, State};
use crate::model::workspace::Workspace;
use glam::DVec3;
use taffeta_contact::response::{WarmStart, project, take_back_slip};
use taffeta_contact::{Contact, Detector, SubstepView};
use taffeta_core::Friction;
use taffeta_core::index::DenseIndex;
use taffeta_core::lanes::Row;
use taffeta_solve::block::EnclosedVolume;
use taffeta_solve::drivers::newton::FactorError;
use taffeta_solve::drivers::projective::ProjectiveDriver;

/// Passes over the contacts in every iteration. Contacts of vertices are independent and take one; those of edges and
/// faces share vertices.
const CONTACT_PASSES: u32 = 4;

/// Local and global steps, each pair followed by contact; then the contacts once more, for what the iterations have
/// left. The forces of contacts are remembered, and the next substep begins with them.
pub(crate) fn solve_projective(
    driver: &mut ProjectiveDriver,
    volumes: &mut [EnclosedVolume],
    detector: &mut Detector,
    parts: Changing<'_>,
    iterations: u32,
) -> Result<(), StepError> {
    let Changing { setup, state, workspace: work, .. } = parts;
    let (time, h) = (state.time, state.last.h);
    work.work_budget.add_local(work.rows.len() + state.last.contacts.len(), iterations);
    for contact in &mut state.last.contacts {
        // The memory is of forces here: nothing of it is slip that is to be taken back.
        let borne = std::mem::take(&mut contact.borne);
        contact.normal_lambda = borne.load() * (h * h);
        contact.friction_lambda = borne.friction.reject_from_normalized(contact.row.normal) * (h * h);
    }
    let outcome = iterate(driver, volumes, work, &mut state.last, iterations);
    outcome.map_err(|source| StepError::Factorization { time, source })?;
    record_forces(state, h);
    meet_late_contacts(setup, state, detector, work, h);
    Ok(())
}

/// Notes what the contacts bear at the end.
fn record_forces(State { last, friction, .. }: &mut State, h: f64) {
    let bearing = last.contacts.iter().filter(|contact| contact.normal_lambda > 0.0);
    friction.record(bearing.map(|contact| {
        let (friction, push) =
            (contact.friction_lambda / (h * h), contact.row.normal * (contact.normal_lambda / (h * h)));
        (contact, WarmStart { friction, push, ..WarmStart::default() })
    }));
}

/// Pushes out the vertices that the iterations have taken into a body at places that the prediction had not foreseen. A
/// step is as long as a frame, and its contacts are found at its beginning.
fn meet_late_contacts(setup: &Setup, state: &State, detector: &mut Detector, work: &mut Workspace, h: f64) {
    let view = SubstepView { start: &work.start, rows: &work.rows, rests: false, time: state.time, h };
    let found = detector.detect(&state.sheet.topology, &setup.obstacles, view);
    let mut late: Vec<Contact> = found.iter().map(frictionless).collect();
    (0..CONTACT_PASSES).for_each(|_| project(&mut late, &work.start, &mut work.rows));
    restore_held(&work.guided, &mut work.rows);
}

/// The multiplier of a contact, normal and friction \[kg·m\].
fn multiplier(contact: &Contact) -> DVec3 {
    contact.row.normal * contact.normal_lambda + contact.friction_lambda
}

fn iterate(
    driver: &mut ProjectiveDriver,
    volumes: &mut [EnclosedVolume],
    work: &mut Workspace,
    last: &mut LastSubstep,
    iterations: u32,
) -> Result<(), FactorError> {
    let h = last.h;
    // Velocity damping counts as inertia: `m (1 + c h)/h²`.
    driver.begin_step(&last.predicted, h / (1.0 + last.damping * h).sqrt())?;
    let mut forces = vec![DVec3::ZERO; work.rows.len()];
    for contact in &last.contacts {
        let force = multiplier(contact) / (h * h);
        for (vi, weight) in contact.row.vertices.iter().zip(contact.row.weights) {
            forces[vi.0 as usize] += force * weight;
        }
    }
    volumes.iter_mut().for_each(|volume| volume.pressure = 0.0);
    for _ in 0..iterations {
        driver.iterate_with_volumes(&forces, volumes);
        for (i, row) in work.rows.iter_mut().enumerate() {
            row.position = driver.position(i).to_array();
        }
        if !last.contacts.is_empty() {
            meet_contacts(work, last, &mut forces, h);
        }
    }
    release_contacts(work, last, driver);
    settle_contacts(work, last);
    restore_held(&work.guided, &mut work.rows);
    Ok(())
}

/// Lets the contacts move the positions that an iteration has left, and adds the forces that amount to it.
fn meet_contacts(work: &mut Workspace, last: &mut LastSubstep, forces: &mut [DVec3], h: f64) {
    let before: Vec<DVec3> = work.rows.iter().map(Row::position).collect();
    (0..CONTACT_PASSES).for_each(|_| project(&mut last.contacts, &work.start, &mut work.rows));
    for ((force, before), row) in forces.iter_mut().zip(&before).zip(&work.rows) {
        if row.inverse_mass > 0.0 {
            *force += (row.position() - *before) / (row.inverse_mass * h * h);
        }
    }
}

/// Lets go of the contacts that pull. The last global step has moved the point of such a contact away by more than the
/// distance kept. The motion counts out of the body, or along it if the contact sticks.
///
/// Per iteration the multipliers follow the forces of elasticity by a part `m/(h²K)` of them, which is little in stiff
/// cloth. A multiplier that is too large glues a vertex to the body for many steps, while its faces are turned over or torn
/// apart. A vertex stays where the step took it, and the next step begins without the force.
fn release_contacts(work: &mut Workspace, last: &mut LastSubstep, driver: &ProjectiveDriver) {
    for contact in last.contacts.iter_mut().filter(|contact| contact.normal_lambda > 0.0) {
        let row = contact.row;
        let point = row.interpolate(|vi| driver.position(vi.to_usize()));
        let moved = point - row.interpolate(|vi| work.start[vi.to_usize()]) - row.body_displacement;
        let slip = if contact.sticks { moved.reject_from_normalized(row.normal).length() } else { 0.0 };
        if row.gap(point).max(slip) <= row.thickness {
            continue;
        }
        (contact.normal_lambda, contact.friction_lambda, contact.sticks) = (0.0, DVec3::ZERO, false);
        if let Some(vi) = row.vertex().filter(|vi| work.rows[vi.to_usize()].inverse_mass > 0.0) {
            work.rows[vi.to_usize()].position = point.to_array();
        }
    }
}

/// A contact that separates only, and has not acted yet.
fn frictionless(contact: &Contact) -> Contact {
    let mut row = contact.row;
    row.friction = Friction::NONE;
    Contact::new(contact.name, row)
}

/// Takes away what is left of penetration, and of slip where a contact sticks. The multipliers stay those of the
/// iterations.
fn settle_contacts(work: &mut Workspace, last: &LastSubstep) {
    let mut contacts: Vec<Contact> = last.contacts.iter().map(frictionless).collect();
    project(&mut contacts, &work.start, &mut work.rows);
    for contact in last.contacts.iter().filter(|contact| contact.sticks && contact.row.vertex().is_some()) {
        take_back_slip(contact, &work.start, &mut work.rows);
    }
}
