//! Contact memory from substep to substep, so that sticking points stay where they were.
//!
//! Under Newton's method that is the friction that they bear, from which the spring of friction goes on, and their load, by which the
//! next substep tells how stiff they have to be. Under solvers that sweep it is the slip that the sweeps have left over: contacts
//! that share vertices disturb each other, and what is left in each substep would add up to a creep.

use crate::derive::world::World;
use crate::model::state::State;
use taffeta_contact::response::{Borne, leftover_slip};

/// Tells the contacts of the substep what they have borne in the last one.
pub(crate) fn recall_contacts(world: &mut World) {
    let proximity = world.derived.proximity.as_ref();
    let body_of = |vertex| proximity.map_or(0, |proximity| proximity.body_of(vertex));
    let borne = world.state.friction.recall(&world.state.last.contacts, body_of);
    world.state.last.contacts.iter_mut().zip(borne).for_each(|(contact, borne)| contact.borne = borne);
}

/// Notes the slip that the sweeps have left over.
pub(crate) fn note_slip(world: &mut World) {
    let (work, State { last, friction, .. }) = (&world.scratch, &mut world.state);
    let bearing = last.contacts.iter().filter(|contact| contact.normal_lambda > 0.0);
    friction.note(bearing.map(|contact| {
        let slip = leftover_slip(contact, &work.start, &work.rows);
        let load = contact.normal_lambda;
        (contact, Borne { friction: slip * load, load, slides: !contact.sticks, ..contact.borne })
    }));
}
