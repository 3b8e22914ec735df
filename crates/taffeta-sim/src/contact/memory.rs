//! Contact warm start: a memory from substep to substep, so that sticking points stay where they were.
//!
//! Under Newton's method it is the friction that the points bear. The memory of vertices belongs to the cloth
//! (`Motion::vertex_friction`) and goes through remeshing with it. That of points on edges and faces is stored by the
//! primitives in contact, and lasts as long as they do. The loads of all of them are stored in the same way; they set the
//! stiffness in the next substep.
//!
//! Under solvers that sweep it is the slip that the sweeps have left over. Contacts that share vertices disturb each other, and
//! the remainders of all substeps would add up to a creep. It is stored by the primitives in contact, also at vertices.

use crate::derive::world::World;
use crate::model::state::State;
use glam::DVec3;
use taffeta_contact::Contact;
use taffeta_contact::response::leftover_slip;

/// The friction that the contacts of the substep have borne in the last one \[N\]; where a vertex touches two things,
/// the first takes what is known of the vertex.
pub(crate) fn carried_friction(world: &World) -> Vec<DVec3> {
    let mut vertex_friction = world.state.motion.vertex_friction.clone();
    let mut take = |contact: &Contact| match contact.row.vertex() {
        Some(vi) => std::mem::take(&mut vertex_friction[vi]),
        None => world.state.friction.of(contact).0,
    };
    world.state.last.contacts.iter().map(&mut take).collect()
}

/// The normal forces that the contacts of the substep have borne in the last one \[N\].
pub(crate) fn carried_loads(world: &World) -> Vec<f64> {
    world.state.last.contacts.iter().map(|contact| world.state.friction.of(contact).1).collect()
}

/// Tells the contacts of the substep what slip the last one has left over where they stuck.
pub(crate) fn carry_slip(world: &mut World) {
    let State { last, friction, .. } = &mut world.state;
    for contact in &mut last.contacts {
        let (carried, _) = friction.of(contact);
        contact.carried_slip = carried - contact.row.normal * contact.row.normal.dot(carried);
    }
}

/// Notes the slip that the sweeps have left over.
pub(crate) fn note_slip(world: &mut World) {
    let (work, State { last, friction, .. }) = (&world.scratch, &mut world.state);
    let bearing = last.contacts.iter().filter(|contact| contact.normal_lambda > 0.0);
    friction.note(bearing.map(|contact| (contact, leftover_slip(contact, &work.start, &work.rows), 0.0)));
}
