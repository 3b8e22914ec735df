//! Friction memory, the warm start of contacts: their loads in the last substep, by the primitives in contact.

use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};
use taffeta_contact::response::WarmStart;
use taffeta_contact::{Contact, ContactName};
use taffeta_core::VertexIndex;

/// Contacts that have borne a load in the last substep, sorted by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FrictionMemory(Vec<RememberedContact>);

/// Memory of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RememberedContact {
    /// Name of the primitives that touch.
    pub name: ContactName,
    /// State at the end of the substep, at the point that the name has first, see `point`.
    pub borne: WarmStart,
}

/// Identity of a contact from substep to substep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identity {
    /// A vertex and the body that it touches, on whatever face.
    Point(u32, u32),
    /// Other primitives, by their name.
    Named(ContactName),
}

/// Cosine of the angle from which two contacts of a vertex with a body count as one: the layers on its two sides are two.
const SAME_SIDE: f64 = 0.5;

/// The single vertex of a contact of meshes that touches an edge, a face or another vertex.
fn point(name: &ContactName) -> Option<(u32, u32)> {
    let ContactName::Pair([first, second]) = name else { return None };
    let is_point = |side: &[u32; 3]| side[1] == u32::MAX;
    match (is_point(first), is_point(second)) {
        (true, _) => Some((first[0], second[0])),
        (_, true) => Some((second[0], first[0])),
        _ => None,
    }
}

/// The identity of a contact; `body_of` gives the body of a vertex.
fn identity(name: &ContactName, body_of: impl Fn(u32) -> u32) -> Identity {
    point(name).map_or(Identity::Named(*name), |(vertex, other)| Identity::Point(vertex, body_of(other)))
}

/// 1 if the row measures the point that the memory is of against the other one, −1 if it is the other way around.
fn orientation(contact: &Contact) -> f64 {
    let Some((vertex, _)) = point(&contact.name) else { return contact.orientation() };
    let corners = contact.row.vertices.iter().zip(contact.row.weights);
    corners.into_iter().find(|(vi, s)| vi.0 == vertex && *s != 0.0).map_or(1.0, |(_, s)| s.signum())
}

impl FrictionMemory {
    /// Load that each contact bore in the last substep, oriented as its row; zeros if it is new. Several contacts of a vertex
    /// with the same side of a body share what they have borne together: the vertex goes from face to face.
    pub(crate) fn recall(&self, contacts: &[Contact], body_of: impl Fn(u32) -> u32) -> Vec<WarmStart> {
        let Self(list) = self;
        if list.is_empty() {
            return vec![WarmStart::default(); contacts.len()];
        }
        let mut known: Vec<(Identity, &RememberedContact)> =
            list.iter().map(|contact| (identity(&contact.name, &body_of), contact)).collect();
        known.sort_by_key(|(identity, _)| *identity);
        let mut present: Vec<(Identity, DVec3)> = contacts
            .iter()
            .map(|contact| (identity(&contact.name, &body_of), contact.row.normal * orientation(contact)))
            .collect();
        let own = present.clone();
        present.sort_by_key(|(identity, _)| *identity);
        let borne = |(contact, (identity, normal)): (&Contact, &(Identity, DVec3))| {
            let is_same = |other: DVec3| other.dot(*normal) > SAME_SIDE * other.length();
            let sum = range_of(&known, identity)
                .filter(|contact| is_same(contact.borne.push))
                .fold(WarmStart::default(), |sum, contact| sum.plus(contact.borne));
            let sharing = range_of(&present, identity).filter(|other| is_same(*other)).count();
            let mut borne = sum.scaled(1.0 / sharing as f64);
            borne.friction *= orientation(contact);
            borne.push *= orientation(contact);
            borne
        };
        contacts.iter().zip(&own).map(borne).collect()
    }

    /// Returns whether no contact has borne a load.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes in the contacts of other bodies.
    pub(crate) fn take_in(&mut self, more: Self) {
        self.0.extend(more.0);
        self.0.sort_by_key(|borne| borne.name);
    }

    /// Names of the contacts that have borne a load, sorted.
    pub(crate) fn names(&self) -> Vec<ContactName> {
        self.0.iter().map(|borne| borne.name).collect()
    }

    /// Takes over what touches by its present vertices; `number` is that of a vertex, `None` if it is gone. A contact of a
    /// vertex is kept as long as any vertex is left of what it touches. What is left of other primitives may be no edge or face
    /// any more: then no contact has that name.
    pub(crate) fn renumber(&mut self, number: impl Fn(u32) -> Option<u32>) {
        let Self(list) = self;
        let renamed = |mut contact: RememberedContact| {
            match &mut contact.name {
                ContactName::Body(vertices, _) => {
                    for vertex in vertices {
                        *vertex = VertexIndex(number(vertex.0)?);
                    }
                }
                ContactName::Pair(sides) => {
                    let first = point(&ContactName::Pair(*sides)).map(|(vertex, _)| vertex);
                    for side in sides.iter_mut() {
                        *side = renumber_side(*side, &number, first.is_some())?;
                    }
                    let is_turned = sides[0] > sides[1];
                    sides.sort_unstable();
                    let new = first.map(&number);
                    let is_first_still = new.is_none_or(|new| new == point(&contact.name).map(|(v, _)| v));
                    if is_turned && first.is_none() || !is_first_still {
                        contact.borne.push = -contact.borne.push;
                        contact.borne.friction = -contact.borne.friction;
                    }
                }
            }
            Some(contact)
        };
        *list = std::mem::take(list).into_iter().filter_map(renamed).collect();
        list.sort_by_key(|borne| borne.name);
        // Vertices that have become one touch as one.
        list.dedup_by(|next, kept| {
            let is_same = next.name == kept.name;
            if is_same {
                kept.borne = kept.borne.plus(next.borne);
            }
            is_same
        });
    }

    /// Goes along with bodies that are set elsewhere, by their rotation. `moves` tells of both sides of a contact whether they go
    /// along; if only one does, the contact is forgotten.
    pub(crate) fn carry(&mut self, rotation: DMat3, moves: impl Fn(&ContactName) -> [bool; 2]) {
        self.0.retain_mut(|borne| {
            let [first, second] = moves(&borne.name);
            if first && second {
                borne.borne.push = rotation * borne.borne.push;
                borne.borne.friction = rotation * borne.borne.friction;
            }
            first == second
        });
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
        let is_sound = |RememberedContact { borne, .. }: &RememberedContact| {
            let is_length = |length: f64| length.is_finite() && length >= 0.0;
            borne.push.is_finite()
                && borne.friction.is_finite()
                && is_length(borne.relief)
                && is_length(borne.slid)
        };
        self.0.is_sorted_by(|a, b| a.name < b.name) && self.0.iter().all(is_sound)
    }

    /// Forgets all and notes these contacts, each with what it has borne, oriented as its row.
    pub(crate) fn record<'a>(&mut self, bearing: impl Iterator<Item = (&'a Contact, WarmStart)>) {
        self.0.clear();
        self.0.extend(bearing.map(|(contact, borne)| {
            let side = orientation(contact);
            let borne = WarmStart { friction: borne.friction * side, push: borne.push * side, ..borne };
            RememberedContact { name: contact.name, borne }
        }));
        self.0.sort_by_key(|borne| borne.name);
    }
}

/// The values of an identity in a list that is sorted by it.
fn range_of<'a, T: Copy>(list: &'a [(Identity, T)], identity: &Identity) -> impl Iterator<Item = T> + 'a {
    let first = list.partition_point(|(other, _)| other < identity);
    let end = list.partition_point(|(other, _)| other <= identity);
    list[first..end].iter().map(|(_, value)| *value)
}

/// The present numbers of the vertices of a side, in order; of some of them if `some_suffice`.
fn renumber_side(
    side: [u32; 3],
    number: impl Fn(u32) -> Option<u32>,
    some_suffice: bool,
) -> Option<[u32; 3]> {
    let mut renamed = [u32::MAX; 3];
    let mut count = 0;
    for vertex in side.into_iter().filter(|vertex| *vertex != u32::MAX) {
        match number(vertex) {
            Some(vertex) => {
                renamed[count] = vertex;
                count += 1;
            }
            None if some_suffice => {}
            None => return None,
        }
    }
    renamed.sort_unstable();
    (count > 0).then_some(renamed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta_core::ContactRow;
    use taffeta_core::Friction;

    const NONE: u32 = u32::MAX;

    fn point(vertex: u32) -> [u32; 3] {
        [vertex, NONE, NONE]
    }

    fn borne(friction: DVec3, push: DVec3) -> WarmStart {
        WarmStart { friction, push, ..WarmStart::default() }
    }

    /// A memory of contacts with the normals and the friction that they have borne, each with 1 N more of load than friction.
    fn memory(entries: &[(ContactName, DVec3, DVec3)]) -> FrictionMemory {
        let contact = |(name, normal, friction): &(ContactName, DVec3, DVec3)| {
            let borne = borne(*friction, *normal * (1.0 + friction.length()));
            RememberedContact { name: *name, borne }
        };
        FrictionMemory(entries.iter().map(contact).collect())
    }

    /// The contact of vertex 0 with a face, measured along a normal that points to the vertex.
    fn on_face(face: [u32; 3], normal: DVec3) -> Contact {
        let [a, b, c] = face.map(VertexIndex);
        let row = ContactRow {
            vertices: [VertexIndex(0), a, b, c],
            weights: [1.0, -0.5, -0.25, -0.25],
            normal,
            offset: 0.0,
            thickness: 1e-3,
            body_displacement: DVec3::ZERO,
            friction: Friction { static_: 0.5, kinetic: 0.5 },
        };
        Contact::new(ContactName::Pair([point(0), face]), row)
    }

    /// Vertices from 10 on are of body 1, those from 20 on of body 2.
    fn body_of(vertex: u32) -> u32 {
        vertex / 10
    }

    #[test]
    fn vertices_that_become_one_touch_as_one() {
        let pair = |a: u32, b: u32| ContactName::Pair([point(a), point(b)]);
        let mut friction = memory(&[(pair(1, 4), DVec3::X, DVec3::ZERO), (pair(2, 4), DVec3::Y, DVec3::Z)]);
        friction.renumber(|vertex| Some(if vertex == 2 { 1 } else { vertex }));
        assert!(friction.are_sound(), "{friction:?}");
        let [contact] = friction.0[..] else { panic!("{friction:?}") };
        assert_eq!((contact.name, contact.borne.push), (pair(1, 4), DVec3::new(1.0, 2.0, 0.0)));
        assert_eq!(contact.borne.friction, DVec3::Z);
    }

    #[test]
    fn a_vertex_that_goes_from_face_to_face_keeps_what_it_has_borne() {
        let (before, after) = (on_face([10, 11, 12], DVec3::Y), on_face([11, 12, 13], DVec3::Y));
        let mut friction = FrictionMemory::default();
        friction.record([(&before, borne(DVec3::X, 3.0 * DVec3::Y))].into_iter());
        assert_eq!(friction.recall(&[before], body_of), [borne(DVec3::X, 3.0 * DVec3::Y)]);
        assert_eq!(friction.recall(&[after], body_of), [borne(DVec3::X, 3.0 * DVec3::Y)]);
        // An edge is as good as a face, but another body is not.
        let on_edge = on_face([12, 13, NONE], DVec3::Y);
        assert_eq!(friction.recall(&[on_edge], body_of), [borne(DVec3::X, 3.0 * DVec3::Y)]);
        assert_eq!(friction.recall(&[on_face([20, 21, 22], DVec3::Y)], body_of), [WarmStart::default()]);
        // A row that measures the face against the vertex has the friction of the face.
        let mut turned = after;
        (turned.row.normal, turned.row.weights) = (-DVec3::Y, after.row.weights.map(|s| -s));
        assert_eq!(friction.recall(&[turned], body_of), [borne(-DVec3::X, -3.0 * DVec3::Y)]);
        let mut noted = FrictionMemory::default();
        noted.record([(&turned, borne(-DVec3::X, -3.0 * DVec3::Y))].into_iter());
        assert_eq!(noted.recall(&[before], body_of), [borne(DVec3::X, 3.0 * DVec3::Y)]);
    }

    #[test]
    fn contacts_of_a_vertex_with_one_side_share_what_it_has_borne() {
        let (first, second) = (on_face([10, 11, 12], DVec3::Y), on_face([11, 12, 13], DVec3::Y));
        let mut friction = FrictionMemory::default();
        friction.record([(&first, borne(DVec3::X, 3.0 * DVec3::Y))].into_iter());
        assert_eq!(friction.recall(&[first, second], body_of), [borne(0.5 * DVec3::X, 1.5 * DVec3::Y); 2]);
        // One that is left has what both have borne. It has slid as far as the one that went farther.
        let sliding = WarmStart { slid: 1e-3, ..borne(DVec3::Z, 5.0 * DVec3::Y) };
        friction.record([(&first, borne(DVec3::X, 3.0 * DVec3::Y)), (&second, sliding)].into_iter());
        let both = WarmStart { slid: 1e-3, ..borne(DVec3::X + DVec3::Z, 8.0 * DVec3::Y) };
        assert_eq!(friction.recall(&[second], body_of), [both]);
    }

    #[test]
    fn the_layers_on_both_sides_of_a_vertex_are_told_apart() {
        let (below, above) = (on_face([10, 11, 12], DVec3::Y), on_face([13, 14, 15], -DVec3::Y));
        let mut friction = FrictionMemory::default();
        friction.record(
            [(&below, borne(DVec3::X, 3.0 * DVec3::Y)), (&above, borne(DVec3::Z, -5.0 * DVec3::Y))]
                .into_iter(),
        );
        // Both go to the next face of the same body.
        let (below, above) = (on_face([11, 12, 13], DVec3::Y), on_face([14, 15, 16], -DVec3::Y));
        let recalled = friction.recall(&[below, above], body_of);
        assert_eq!(recalled, [borne(DVec3::X, 3.0 * DVec3::Y), borne(DVec3::Z, -5.0 * DVec3::Y)]);
    }

    #[test]
    fn what_is_remembered_goes_by_the_present_numbers() {
        let body = |numbers: [u32; 4], body| ContactName::Body(numbers.map(VertexIndex), body);
        let pair = |sides| ContactName::Pair(sides);
        let mut friction = memory(&[
            (body([0, 1, 2, 0], 7), DVec3::Y, DVec3::X),
            (body([1, 2, 3, 1], 7), DVec3::Y, DVec3::X),
            (pair([[0, 1, NONE], [2, 10, NONE]]), DVec3::X, DVec3::Z),
            (pair([[0, 1, NONE], [3, 10, NONE]]), DVec3::X, DVec3::Z),
            (pair([point(1), [2, 3, 4]]), DVec3::Y, 2.0 * DVec3::X),
            (pair([point(1), [3, NONE, NONE]]), DVec3::Y, 3.0 * DVec3::X),
            (pair([[2, 4, NONE], [10, 11, 12]]), DVec3::Z, 2.0 * DVec3::Y),
            (pair([point(3), [10, 11, 12]]), DVec3::Z, 4.0 * DVec3::Y),
        ]);
        // Vertex 3 is gone, the others of the mesh are turned around, and those of an obstacle move up.
        friction.renumber(|vertex| match vertex {
            3 => None,
            10.. => Some(vertex - 1),
            _ => Some(4 - vertex),
        });
        let expected = memory(&[
            (body([4, 3, 2, 4], 7), DVec3::Y, DVec3::X),
            // Of the face that vertex 1 touched an edge is left. It is the first side now, but the vertex stays the point.
            (pair([[0, 2, NONE], point(3)]), DVec3::Y, 2.0 * DVec3::X),
            (pair([[0, 2, NONE], [9, 10, 11]]), DVec3::Z, 2.0 * DVec3::Y),
            // What was the first side is the second one now.
            (pair([[2, 9, NONE], [3, 4, NONE]]), -DVec3::X, -DVec3::Z),
        ]);
        assert_eq!(friction, expected);
        assert!(friction.are_sound());
    }

    #[test]
    fn a_point_of_which_another_point_is_left_is_that_of_the_first() {
        let (vertex, face) = (point(4), [5, 6, 7]);
        let mut friction = memory(&[(ContactName::Pair([vertex, face]), DVec3::Y, DVec3::X)]);
        // One corner of the face is left, and comes before the vertex.
        friction.renumber(|number| match number {
            4 => Some(9),
            5 => Some(3),
            _ => None,
        });
        let turned = memory(&[(ContactName::Pair([point(3), point(9)]), -DVec3::Y, -DVec3::X)]);
        assert_eq!(friction, turned);
    }
}
