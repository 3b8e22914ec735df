//! Second stage of a substep: contacts.

use crate::contact::meet::{add_meetings, meet_cloths};
use crate::contact::memory::recall_contacts;
use crate::contact::stiffness::{note_impacts, stiffnesses};
use crate::derive::solver_facts::is_second_order;
use crate::derive::stages::stage_span;
use crate::derive::world::World;
use crate::features::seams::threads::drop_friction_while_sewn;
use crate::model::capabilities::ContactLaw;
use crate::model::pins::{along_held, put_back, put_back_starts};
use crate::step::integrate::{keep_bases_out, turn_loads};
use taffeta_contact::pair::Pair;
use taffeta_contact::response::{relieve, soften_pinched, stabilize};
use taffeta_contact::{Contact, SubstepView};
use taffeta_core::index::DenseIndex;
use taffeta_core::lanes::Row;

/// Finds the contacts of the substep. Those that were violated before it are separated under a local solver, and
/// asked for less under Newton's method.
///
/// Reads: rows, start, obstacles. Writes: contacts; under a local solver rows and start where one was violated.
pub(crate) fn detect(world: &mut World, h: f64) {
    let found = meet_obstacles(world, h);
    let law = world.derived.choice.capabilities().contact;
    let last = &mut world.state.last;
    // Its memory is used again: contacts of folded cloth take tens of megabytes.
    last.contacts.clear();
    last.contacts.extend(found);
    world.scratch.impacts.clear();
    last.has_forgotten_contacts = false;
    meet_cloths(world, h);
    drop_friction_while_sewn(world);
    recall_contacts(world);
    keep_bases_out(world);
    let (span, has_stages) = (stage_span(world, h), is_second_order(world));
    let (work, last) = (&mut world.scratch, &mut world.state.last);
    match law {
        ContactLaw::Passes | ContactLaw::Forces => {
            soften_pinched(&mut last.contacts, work.start.len());
            stabilize(&last.contacts, &mut work.start, &mut work.rows, h)
        }
        // The search for an equilibrium wants the depth of the end, and no blow moves what begins each step at rest.
        ContactLaw::Equations if world.inputs.stands_still => {}
        ContactLaw::Equations => {
            let stiffnesses = stiffnesses(&last.contacts, &[], &world.state.motion, span);
            relieve(&mut last.contacts, &stiffnesses, &work.start, h);
        }
    }
    put_back(&work.guided, &mut work.rows);
    put_back_starts(&work.guided, &mut work.start);
    let velocities = &world.state.motion.velocities;
    // Contacts of two stages are looked for where velocities lead; their predictions are other places.
    let predicted = |(i, row): (usize, &Row)| match has_stages {
        true => {
            let free = work.bases[i] + velocities.raw[i] * last.scales[i];
            along_held(world.state.motion.held.raw[i], row.position(), free)
        }
        false => row.position(),
    };
    last.predicted = work.rows.iter().enumerate().map(predicted).collect();
    let is_swept = law == ContactLaw::Passes && world.derived.proximity.is_some();
    work.unswept = is_swept.then(|| (work.rows.clone(), work.start.clone()));
    turn_loads(world, h);
}

/// The contacts with obstacles in closed form where the rows are.
fn meet_obstacles(world: &mut World, h: f64) -> Vec<Contact> {
    let work = &world.scratch;
    // Pins and obstacles that stand still are those of a substep without length.
    let moved = if world.inputs.stands_still { 0.0 } else { h };
    let rests = world.derived.choice.capabilities().contact != ContactLaw::Forces;
    let view = SubstepView { start: &work.start, rows: &work.rows, rests, time: world.state.time, h: moved };
    world.derived.detector.detect(&world.state.sheet.topology, &world.setup.obstacles, view)
}

/// Adds contacts that the solution of a substep of length `h` \[s\] has run into, those of `stopped` pairs in any case. Makes contacts
/// stiffer that were too soft. What an impact stops pulls its surroundings elsewhere than they were to go, and is pushed by them. Returns
/// whether there are any; then the solution is to be found anew.
///
/// Reads: rows, start, obstacles. Writes: contacts and their impacts; bases and predictions, or under a local solver rows and start
/// as they were before the sweeps.
pub(crate) fn meet_on_the_way(world: &mut World, h: f64, stopped: &[Pair]) -> bool {
    let mut found = meet_obstacles(world, h);
    add_meetings(world, h, stopped, &mut found);
    let mut known: Vec<_> = world.state.last.contacts.iter().map(|contact| contact.name).collect();
    known.sort_unstable();
    let rows = &world.scratch.rows;
    found.retain(|contact| {
        let row = &contact.row;
        let is_pressed = row.gap(row.interpolate(|vi| rows[vi.to_usize()].position())) < 0.0;
        is_pressed && known.binary_search(&contact.name).is_err()
    });
    let (work, last) = (&mut world.scratch, &mut world.state.last);
    let is_soft = work.unswept.is_none() && note_impacts(&last.contacts, &work.rows, h, &mut work.impacts);
    if found.is_empty() {
        return is_soft;
    }
    if let Some((rows, start)) = &work.unswept {
        (work.rows, work.start) = (rows.clone(), start.clone());
        stabilize(&found, &mut work.start, &mut work.rows, h);
        put_back(&work.guided, &mut work.rows);
        put_back_starts(&work.guided, &mut work.start);
        last.contacts.iter_mut().for_each(Contact::begin_anew);
    } else {
        let stiffnesses = vec![0.0; found.len()];
        relieve(&mut found, &stiffnesses, &work.start, h);
    }
    last.contacts.append(&mut found);
    drop_friction_while_sewn(world);
    let before = world.scratch.bases.clone();
    keep_bases_out(world);
    let shifts = world.scratch.bases.iter().zip(&before).map(|(is, was)| *is - *was);
    world.state.last.predicted.iter_mut().zip(shifts).for_each(|(x, shift)| *x += shift);
    true
}
