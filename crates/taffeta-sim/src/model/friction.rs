//! Friction memory, the warm start of contacts: their loads in the last substep, by the primitives in contact.

use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};
use taffeta_contact::{Contact, ContactName};
use taffeta_core::VertexIndex;

/// Contacts that have borne a load in the last substep, sorted by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FrictionMemory(pub Vec<BorneContact>);

/// Memory of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct BorneContact {
    /// Name of the primitives that touch.
    pub name: ContactName,
    /// Static friction \[N\] of a point on an edge or a face, or the slip that is to be removed \[m\]. The point is the first
    /// one of the name.
    pub vector: DVec3,
    /// The normal force under Newton's method \[N\].
    pub load: f64,
}

impl FrictionMemory {
    /// Remembered vector and load of a contact, oriented as its row; zeros if nothing is remembered.
    pub(crate) fn of(&self, contact: &Contact) -> (DVec3, f64) {
        let Self(list) = self;
        let place = list.binary_search_by(|borne| borne.name.cmp(&contact.name));
        place.map_or((DVec3::ZERO, 0.0), |place| {
            (list[place].vector * contact.orientation(), list[place].load)
        })
    }

    /// Names of the contacts that have borne a load, sorted.
    pub(crate) fn names(&self) -> Vec<ContactName> {
        self.0.iter().map(|borne| borne.name).collect()
    }

    /// Takes over what touches by its present vertices; `number` is that of a vertex, `None` if it is gone. What is left of the
    /// others may be no edge or face any more: then no contact has that name.
    pub(crate) fn renumber(&mut self, number: impl Fn(u32) -> Option<u32>) {
        let Self(list) = self;
        let renamed = |BorneContact { name, vector, load }: BorneContact| match name {
            ContactName::Body(vertices, body) => {
                let found = vertices.map(|vi| number(vi.0).map(VertexIndex));
                let [Some(a), Some(b), Some(c), Some(d)] = found else { return None };
                Some(BorneContact { name: ContactName::Body([a, b, c, d], body), vector, load })
            }
            ContactName::Pair(mut sides) => {
                for carrier in sides.as_flattened_mut().iter_mut().filter(|carrier| **carrier != u32::MAX) {
                    *carrier = number(*carrier)?;
                }
                sides.iter_mut().for_each(|side| side.sort_unstable());
                let is_turned = sides[0] > sides[1];
                sides.sort_unstable();
                let vector = if is_turned { -vector } else { vector };
                Some(BorneContact { name: ContactName::Pair(sides), vector, load })
            }
        };
        *list = std::mem::take(list).into_iter().filter_map(renamed).collect();
        list.sort_by_key(|borne| borne.name);
    }

    /// Goes along with bodies that are set elsewhere, by their rotation. `moves` tells of both sides of a contact whether they go
    /// along; if only one does, the contact is forgotten.
    pub(crate) fn carry(&mut self, rotation: DMat3, moves: impl Fn(&ContactName) -> [bool; 2]) {
        self.0.retain_mut(|borne| {
            let [first, second] = moves(&borne.name);
            if first && second {
                borne.vector = rotation * borne.vector;
            }
            first == second
        });
    }

    /// The vertices that carry the contacts, sorted.
    pub(crate) fn vertices(&self) -> Vec<u32> {
        let mut vertices = Vec::new();
        for borne in &self.0 {
            match borne.name {
                ContactName::Body(carriers, _) => vertices.extend(carriers.map(|vi| vi.0)),
                ContactName::Pair(sides) => vertices.extend(sides.as_flattened()),
            }
        }
        vertices.sort_unstable();
        vertices.dedup();
        vertices
    }

    /// Forgets what touches an obstacle in closed form that is removed, and numbers those after it anew.
    pub(crate) fn remove_body(&mut self, number: u32) {
        self.0.retain(|borne| !matches!(borne.name, ContactName::Body(_, body) if body == number));
        for borne in &mut self.0 {
            if let ContactName::Body(_, body) = &mut borne.name {
                *body -= u32::from(*body > number);
            }
        }
    }

    /// Returns whether the contacts are in order and finite.
    pub(crate) fn are_sound(&self) -> bool {
        let is_sound =
            |borne: &BorneContact| borne.vector.is_finite() && borne.load.is_finite() && borne.load >= 0.0;
        self.0.is_sorted_by(|a, b| a.name < b.name) && self.0.iter().all(is_sound)
    }

    /// Forgets all and notes these contacts, each with its vector and its load.
    pub(crate) fn note<'a>(&mut self, bearing: impl Iterator<Item = (&'a Contact, DVec3, f64)>) {
        self.0.clear();
        self.0.extend(bearing.map(|(contact, vector, load)| BorneContact {
            name: contact.name,
            vector: vector * contact.orientation(),
            load,
        }));
        self.0.sort_by_key(|borne| borne.name);
    }
}

#[cfg(test)]
mod tests {
    use super::{BorneContact, FrictionMemory};
    use glam::DVec3;
    use taffeta_contact::ContactName;
    use taffeta_core::VertexIndex;

    const NONE: u32 = u32::MAX;

    #[test]
    fn what_is_remembered_goes_by_the_present_numbers() {
        let face = |numbers: [u32; 4], body| ContactName::Body(numbers.map(VertexIndex), body);
        let pair = |sides| ContactName::Pair(sides);
        let list = |entries: &[(ContactName, DVec3)]| -> Vec<BorneContact> {
            entries
                .iter()
                .map(|(name, vector)| BorneContact { name: *name, vector: *vector, load: vector.length() })
                .collect()
        };
        let mut friction = FrictionMemory(list(&[
            (face([0, 1, 2, 0], 7), DVec3::X),
            (face([1, 2, 3, 1], 7), DVec3::Y),
            (pair([[0, 1, NONE], [2, 10, NONE]]), DVec3::Z),
            (pair([[1, NONE, NONE], [2, 3, 4]]), 2.0 * DVec3::X),
            (pair([[2, 4, NONE], [10, 11, 12]]), 2.0 * DVec3::Y),
        ]));
        // Vertex 3 is gone, the others of the mesh are turned around, and those of an obstacle move up.
        friction.renumber(|vertex| match vertex {
            3 => None,
            10.. => Some(vertex - 1),
            _ => Some(4 - vertex),
        });
        let expected = [
            (face([4, 3, 2, 4], 7), DVec3::X),
            (pair([[0, 2, NONE], [9, 10, 11]]), 2.0 * DVec3::Y),
            // What was the first side is the second one now.
            (pair([[2, 9, NONE], [3, 4, NONE]]), -DVec3::Z),
        ];
        assert_eq!(friction.0, list(&expected));
        assert!(friction.0.is_sorted_by_key(|borne| borne.name));
    }
}
