//! Contact warm start: a memory from substep to substep, so that sticking points stay where they were.
//!
//! Under Newton's method it is the friction that contacts bear, from which the spring of friction goes on, and their load, which
//! sets their stiffness in the next substep.
//!
//! Under solvers that sweep it is the slip that the sweeps have left over. Contacts that share vertices disturb each other, and
//! the remainders of all substeps would add up to a creep.

use crate::model::state::State;
use crate::model::workspace::Workspace;
use taffeta_contact::proximity::Proximity;
use taffeta_contact::response::{WarmStart, leftover_slip};

/// Tells the contacts of the substep what they have borne in the last one, as it turns with their bodies. Else what sticks to a body
/// that turns creeps: it would have to slip for its friction to turn.
pub(crate) fn recall_contacts(proximity: Option<&Proximity>, State { last, friction, .. }: &mut State) {
    let body_of = |vertex| proximity.map_or(0, |proximity| proximity.body_of(vertex));
    let borne = friction.recall(&last.contacts, body_of);
    for (contact, borne) in last.contacts.iter_mut().zip(borne) {
        contact.borne = WarmStart { friction: contact.turn * borne.friction, ..borne };
    }
}

/// Notes the slip that the sweeps have left over.
pub(crate) fn record_slip(work: &Workspace, State { last, friction, .. }: &mut State) {
    let bearing = last.contacts.iter().filter(|contact| contact.normal_lambda > 0.0);
    friction.record(bearing.map(|contact| {
        let slip = leftover_slip(contact, &work.start, &work.rows);
        let load = contact.normal_lambda;
        (contact, WarmStart { friction: slip * load, push: contact.row.normal * load, ..contact.borne })
    }));
}
