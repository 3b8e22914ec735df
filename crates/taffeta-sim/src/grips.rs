//! What contacts remember from substep to substep, so that what sticks stays where it was.
//!
//! Under Newton's method that is the friction that they bear. That of vertices belongs to the cloth (`Frozen::grips`) and
//! goes through remeshing with it; that of points on edges and faces is known by what touches, and lasts as long as the
//! mesh does. Under solvers that sweep it is the slip that the sweeps have left over: contacts that share vertices
//! disturb each other, and what is left in each substep would add up to a creep. It is known by what touches, also at
//! vertices.

use crate::world::World;
use glam::DVec3;
use taffeta_contact::response::leftover_slip;
use taffeta_contact::{Contact, ContactName};

/// What has borne a load in the last substep, sorted by what touches, with its static friction \[N\], or its slip that is to be
/// taken back \[m\], at the point which the name has first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Grasps(pub Vec<(ContactName, DVec3)>);

impl Grasps {
    /// What is remembered of a contact, as its row has it; zero if that is nothing.
    fn of(&self, contact: &Contact) -> DVec3 {
        let Self(list) = self;
        let place = list.binary_search_by(|(name, _)| name.cmp(&contact.name));
        place.map_or(DVec3::ZERO, |place| list[place].1 * contact.orientation())
    }

    /// What has borne a load, sorted.
    pub fn names(&self) -> Vec<ContactName> {
        self.0.iter().map(|(name, _)| *name).collect()
    }

    /// Forgets all and notes these contacts.
    pub fn note<'a>(&mut self, bearing: impl Iterator<Item = (&'a Contact, DVec3)>) {
        self.0.clear();
        self.0.extend(bearing.map(|(contact, vector)| (contact.name, vector * contact.orientation())));
        self.0.sort_by_key(|(name, _)| *name);
    }
}

impl World {
    /// The friction that the contacts of the substep have borne in the last one \[N\]; where a vertex touches two things,
    /// the first takes what is known of the vertex.
    pub(crate) fn carried_friction(&self) -> Vec<DVec3> {
        let mut grips = self.sheet.grips.clone();
        let mut take = |contact: &Contact| match contact.row.vertex() {
            Some(vi) => std::mem::take(&mut grips[vi]),
            None => self.grasps.of(contact),
        };
        self.work.contacts.iter().map(&mut take).collect()
    }

    /// Tells the contacts of the substep what slip the last one has left over where they stuck.
    pub(crate) fn carry_slip(&mut self) {
        let Self { work, grasps, .. } = self;
        for contact in &mut work.contacts {
            let carried = grasps.of(contact);
            contact.carried_slip = carried - contact.row.normal * contact.row.normal.dot(carried);
        }
    }

    /// Notes the slip that the sweeps have left over.
    pub(crate) fn note_slip(&mut self) {
        let Self { work, grasps, .. } = self;
        let bearing = work.contacts.iter().filter(|contact| contact.normal_lambda > 0.0);
        grasps.note(bearing.map(|contact| (contact, leftover_slip(contact, &work.start, &work.rows))));
    }
}
