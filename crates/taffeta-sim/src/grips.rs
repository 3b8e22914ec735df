//! The friction that contacts bear from substep to substep, so that what sticks begins where it was.
//!
//! That of vertices belongs to the cloth (`Frozen::grips`) and goes through remeshing with it. That of points on edges and
//! faces is known by what touches, and lasts as long as the mesh does.

use crate::world::World;
use glam::DVec3;
use taffeta_contact::{Contact, ContactName};

/// Friction \[N\] of points on edges and faces by what touches, sorted: that on the point which the name has first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Grasps(pub Vec<(ContactName, DVec3)>);

impl Grasps {
    /// The friction of a contact \[N\], as its row has it; zero if it bore none.
    fn of(&self, contact: &Contact) -> DVec3 {
        let Self(list) = self;
        let place = list.binary_search_by(|(name, _)| name.cmp(&contact.name));
        place.map_or(DVec3::ZERO, |place| list[place].1 * contact.orientation())
    }

    /// Forgets all and notes the friction of these contacts \[N\].
    pub fn note<'a>(&mut self, holding: impl Iterator<Item = (&'a Contact, DVec3)>) {
        self.0.clear();
        self.0.extend(holding.map(|(contact, force)| (contact.name, force * contact.orientation())));
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
}
