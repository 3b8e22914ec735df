//! The stage of the solve by projective dynamics.

use crate::caches::{Caches, Solver};
use crate::pins::put_back;
use crate::step::StepError;
use crate::world::{Workspace, World};
use glam::DVec3;
use taffeta_contact::response::{project, take_back_slip};
use taffeta_contact::{Contact, SubstepView};
use taffeta_core::lanes::Row;
use taffeta_solve::drivers::newton::FactorError;

/// Passes over the contacts in every iteration. Contacts of vertices are independent and take one; those of edges and
/// faces share vertices.
const CONTACT_PASSES: u32 = 4;

impl World {
    /// Local and global steps, each pair with contact; then the contacts once more, for what the iterations have left.
    pub(crate) fn solve_projective(&mut self, h: f64, iterations: u32) -> Result<(), StepError> {
        let time = self.time;
        let outcome = self.in_pool(|caches, work| iterate(caches, work, (h, iterations)));
        outcome.map_err(|source| StepError::Factorization { time, source })?;
        self.meet_late_contacts(h);
        Ok(())
    }

    /// Pushes out what the iterations have taken into a body elsewhere than the prediction had foreseen: a step is as
    /// long as a frame, and its contacts are found at its beginning.
    fn meet_late_contacts(&mut self, h: f64) {
        let work = &mut self.work;
        let view = SubstepView { start: &work.start, rows: &work.rows, time: self.time, h };
        let found = self.caches.detector.detect(&self.sheet.topology, &self.obstacles, view);
        let mut late: Vec<Contact> = found.iter().map(frictionless).collect();
        (0..CONTACT_PASSES).for_each(|_| project(&mut late, &work.start, &mut work.rows));
        put_back(&work.guided, &mut work.rows);
    }
}

fn iterate(
    caches: &mut Caches,
    work: &mut Workspace,
    (h, iterations): (f64, u32),
) -> Result<(), FactorError> {
    let Solver::Projective(driver) = &mut caches.solver else { return Ok(()) };
    driver.begin_step(&work.predicted, h)?;
    let mut places = Vec::new();
    let mut rows = work.rows.clone();
    for _ in 0..iterations {
        if work.contacts.is_empty() {
            driver.iterate();
        } else {
            driver.iterate_with_contact(&mut places, |places| {
                meet_contacts(&mut work.contacts, &work.start, &mut rows, places);
            });
        }
    }
    for (i, row) in work.rows.iter_mut().enumerate() {
        row.position = driver.position(i).to_array();
    }
    settle_contacts(work);
    put_back(&work.guided, &mut work.rows);
    Ok(())
}

/// Moves places to where the contacts let them be. The multipliers start anew: they are those of the whole substep.
fn meet_contacts(contacts: &mut [Contact], start: &[DVec3], rows: &mut [Row], places: &mut [DVec3]) {
    for (row, place) in rows.iter_mut().zip(places.iter()) {
        row.position = place.to_array();
    }
    contacts.iter_mut().for_each(|contact| *contact = Contact::new(contact.row));
    (0..CONTACT_PASSES).for_each(|_| project(contacts, start, rows));
    for (row, place) in rows.iter().zip(places.iter_mut()) {
        *place = row.position();
    }
}

/// A contact that separates only, and has not acted yet.
fn frictionless(contact: &Contact) -> Contact {
    let mut row = contact.row;
    (row.static_friction, row.kinetic_friction) = (0.0, 0.0);
    Contact::new(row)
}

/// Takes away what is left of penetration, and of slip where a contact sticks. The multipliers stay those of the
/// iterations.
fn settle_contacts(work: &mut Workspace) {
    let mut contacts: Vec<Contact> = work.contacts.iter().map(frictionless).collect();
    project(&mut contacts, &work.start, &mut work.rows);
    for contact in work.contacts.iter().filter(|contact| contact.sticks && contact.row.vertex().is_some()) {
        take_back_slip(contact, &work.start, &mut work.rows);
    }
}
