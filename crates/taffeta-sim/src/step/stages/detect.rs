//! Second stage of a substep: contacts.

use crate::contact::meet::{add_meetings, meet_cloths};
use crate::contact::memory::recall_contacts;
use crate::contact::stiffness::{record_impacts, stiffnesses};
use crate::derive::derived::Derived;
use crate::derive::facts::Facts;
use crate::derive::solver_facts::is_second_order;
use crate::derive::stages::{stage_share, stage_span};
use crate::features::seams::threads::drop_friction_while_sewn;
use crate::model::description::capabilities::ContactLaw;
use crate::model::setup::Setup;
use crate::model::setup::pins::{along_held, restore_held, restore_held_starts};
use crate::model::state::State;
use crate::model::workspace::{Inputs, Workspace};
use crate::step::stages::integrate::{keep_bases_out, turn_loads};
use taffeta_contact::pair::Pair;
use taffeta_contact::response::{relieve, soften_pinched, stabilize};
use taffeta_contact::{Contact, Detector, SubstepView};
use taffeta_core::index::DenseIndex;
use taffeta_core::lanes::Row;

/// Finds the contacts of the substep. Those that were violated before it are separated under a local solver, and
/// asked for less under Newton's method.
///
/// Reads: rows, start, obstacles. Writes: contacts; under a local solver rows and start where one was violated.
pub(crate) fn detect(
    setup: &Setup,
    inputs: &Inputs,
    state: &mut State,
    derived: &mut Derived,
    work: &mut Workspace,
) {
    let (h, choice) = (state.last.h, derived.choice);
    let law = choice.capabilities().contact;
    // Its memory is used again: contacts of folded cloth take tens of megabytes.
    let mut contacts = std::mem::take(&mut state.last.contacts);
    contacts.clear();
    let facts = Facts { setup, inputs, state, choice };
    contacts.extend(meet_obstacles(facts, &mut derived.detector, work, h));
    work.impacts.clear();
    meet_cloths(facts, &mut derived.proximity, work, h, &mut contacts);
    let (span, has_stages, share) =
        (stage_span(facts, work, h), is_second_order(facts), stage_share(facts, work));
    (state.last.contacts, state.last.has_forgotten_contacts) = (contacts, false);
    drop_friction_while_sewn(setup, state);
    recall_contacts(derived.proximity.as_ref(), state);
    if has_stages {
        keep_bases_out(&state.last, work, share);
    }
    match law {
        ContactLaw::Passes | ContactLaw::Forces => {
            let last = &mut state.last;
            soften_pinched(&mut last.contacts, work.start.len());
            stabilize(&last.contacts, &mut work.start, &mut work.rows, h)
        }
        // The search for an equilibrium wants the depth of the end, and no blow moves what begins each step at rest.
        ContactLaw::Equations if inputs.stands_still => {}
        ContactLaw::Equations => {
            let stiffnesses = stiffnesses(Facts { setup, inputs, state, choice }, &[], span);
            relieve(&mut state.last.contacts, &stiffnesses, &work.start, h);
        }
    }
    restore_held(&work.guided, &mut work.rows);
    restore_held_starts(&work.guided, &mut work.start);
    let State { last, motion, .. } = &mut *state;
    // Contacts of two stages are looked for where velocities lead; their predictions are other places.
    let predicted = |(i, row): (usize, &Row)| match has_stages {
        true => {
            let free = work.bases[i] + motion.velocities.raw[i] * last.scales[i];
            along_held(motion.held.raw[i], row.position(), free)
        }
        false => row.position(),
    };
    last.predicted = work.rows.iter().enumerate().map(predicted).collect();
    let is_swept = law == ContactLaw::Passes && derived.proximity.is_some();
    work.unswept = is_swept.then(|| (work.rows.clone(), work.start.clone()));
    turn_loads(state, work, h);
}

/// The contacts with obstacles in closed form where the rows are.
fn meet_obstacles(facts: Facts<'_>, detector: &mut Detector, work: &Workspace, h: f64) -> Vec<Contact> {
    let Facts { setup, inputs, state, choice } = facts;
    // Pins and obstacles that stand still are those of a substep without length.
    let moved = if inputs.stands_still { 0.0 } else { h };
    let rests = choice.capabilities().contact != ContactLaw::Forces;
    let view = SubstepView { start: &work.start, rows: &work.rows, rests, time: state.time, h: moved };
    detector.detect(&state.sheet.topology, &setup.obstacles, view)
}

/// Adds contacts that the solution of a substep has run into, those of `stopped` pairs in any case. Makes contacts
/// stiffer that were too soft. What an impact stops pulls its surroundings elsewhere than they were to go, and is pushed by them. Returns
/// whether there are any; then the solution is to be found anew.
///
/// Reads: rows, start, obstacles. Writes: contacts and their impacts; bases and predictions, or under a local solver rows and start
/// as they were before the sweeps.
pub(crate) fn meet_on_the_way(
    setup: &Setup,
    inputs: &Inputs,
    state: &mut State,
    derived: &mut Derived,
    work: &mut Workspace,
    stopped: &[Pair],
) -> bool {
    let (h, choice) = (state.last.h, derived.choice);
    let facts = Facts { setup, inputs, state, choice };
    let mut found = meet_obstacles(facts, &mut derived.detector, work, h);
    add_meetings(facts, &mut derived.proximity, work, h, stopped, &mut found);
    let (has_stages, share) = (is_second_order(facts), stage_share(facts, work));
    let mut known: Vec<_> = state.last.contacts.iter().map(|contact| contact.name).collect();
    known.sort_unstable();
    let rows = &work.rows;
    found.retain(|contact| {
        let row = &contact.row;
        let is_pressed = row.gap(row.interpolate(|vi| rows[vi.to_usize()].position())) < 0.0;
        is_pressed && known.binary_search(&contact.name).is_err()
    });
    let is_soft = work.unswept.is_none() && record_impacts(facts, &work.rows, h, &mut work.impacts);
    let last = &mut state.last;
    if found.is_empty() {
        return is_soft;
    }
    if let Some((rows, start)) = &work.unswept {
        (work.rows, work.start) = (rows.clone(), start.clone());
        stabilize(&found, &mut work.start, &mut work.rows, h);
        restore_held(&work.guided, &mut work.rows);
        restore_held_starts(&work.guided, &mut work.start);
        last.contacts.iter_mut().for_each(Contact::begin_anew);
    } else {
        let stiffnesses = vec![0.0; found.len()];
        relieve(&mut found, &stiffnesses, &work.start, h);
    }
    last.contacts.append(&mut found);
    drop_friction_while_sewn(setup, state);
    let before = work.bases.clone();
    if has_stages {
        keep_bases_out(&state.last, work, share);
    }
    let shifts = work.bases.iter().zip(&before).map(|(is, was)| *is - *was);
    state.last.predicted.iter_mut().zip(shifts).for_each(|(x, shift)| *x += shift);
    true
}
