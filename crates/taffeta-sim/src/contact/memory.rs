//! Contact memory from substep to substep, so that sticking points stay where they were.
//!
//! Under Newton's method that is the friction that they bear, from which the spring of friction goes on, and their load, by which the
//! next substep tells how stiff they have to be. Under solvers that sweep it is the slip that the sweeps have left over: contacts
//! that share vertices disturb each other, and what is left in each substep would add up to a creep.

use crate::derive::world::World;
use crate::model::friction::Borne;
use crate::model::state::State;
use glam::DVec3;
use taffeta_contact::response::leftover_slip;

/// What the contacts of the substep have borne in the last one.
pub(crate) fn recall_contacts(world: &World) -> Vec<Borne> {
    world.state.friction.recall(&world.state.last.contacts, |vertex| body_of(world, vertex))
}

/// The body of a vertex that meets others.
fn body_of(world: &World, vertex: u32) -> u32 {
    world.derived.proximity.as_ref().map_or(0, |proximity| proximity.body_of(vertex))
}

/// Tells the contacts of the substep what slip the last one has left over where they stuck.
pub(crate) fn carry_slip(world: &mut World) {
    let carried = recall_contacts(world);
    for (contact, borne) in world.state.last.contacts.iter_mut().zip(carried) {
        let slip = if borne.load > 0.0 { borne.friction / borne.load } else { DVec3::ZERO };
        contact.carried_slip = slip.reject_from_normalized(contact.row.normal);
    }
}

/// Notes the slip that the sweeps have left over.
pub(crate) fn note_slip(world: &mut World) {
    let (work, State { last, friction, .. }) = (&world.scratch, &mut world.state);
    let bearing = last.contacts.iter().filter(|contact| contact.normal_lambda > 0.0);
    friction.note(bearing.map(|contact| {
        let slip = leftover_slip(contact, &work.start, &work.rows);
        let load = contact.normal_lambda;
        (contact, Borne { friction: slip * load, load, slides: !contact.sticks })
    }));
}
