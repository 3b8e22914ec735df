//! Stiffness of contacts under Newton's method, where they are penalty springs.
//!
//! Depth is not to show, but what is stiffer than it needs to be makes the iteration slow. Inertia gives the stiffness that a
//! contact needs without other loads. A cloth that is pulled tight presses harder; there the load of the last substep gives it.

use crate::derive::facts::Facts;
use crate::model::setup::Setup;
use crate::model::state::State;
use crate::model::state::dense::DenseState;
use glam::DVec3;
use taffeta_contact::proximity::HARD_SHARE;
use taffeta_contact::{Contact, ContactName};
use taffeta_core::ContactRow;
use taffeta_core::index::DenseIndex;
use taffeta_core::lanes::Row;
use taffeta_solve::substeps::LONGEST_SUBSTEP;

/// Stiffness of a contact, relative to `m/h²` of the mass at its point: the depth under gravity is then `g h² / 50`, 3 µm at
/// four substeps per frame. In longer substeps, which cloth at rest takes, it stays as it is, and the cloth where it is.
///
/// With twice the stiffness a stack takes almost twice as long, and strips on rails creep twice as far. With half of it patches one
/// degree below the limit slide, and what falls bounces by 2 %.
pub(crate) const RELATIVE_CONTACT_STIFFNESS: f64 = 50.0;

/// Way that a contact slides under static friction before it bears kinetic friction \[m\]: the size of the junctions that a slip
/// breaks (E. Rabinowicz, The nature of the static and kinetic coefficients of friction, 1951), here the diameter of a fiber. While
/// a stack takes on its load, contacts with an uneven share of it give way by less; if they were weaker at once, one would take all
/// others along.
pub(crate) const JUNCTION: f64 = 15e-6;

/// Part of its room by which the load of the last substep presses a contact in, and the largest factor by which that load
/// makes it stiffer.
const BORNE_DEPTH: f64 = 0.3;
const MOST_STIFFER: f64 = 1000.0;

/// Part of its room by which a solution that crosses something may press a contact in. Beyond, the contact is too soft. All
/// the cloth that hangs on a stopped vertex pushes it, and in its plane cloth is as stiff as a thousand contacts.
const TOO_DEEP: f64 = 0.6;

/// Part of its thickness that counts as room in any case.
const LEAST_ROOM: f64 = 0.02;

/// Part of its thickness to which a contact is taken to be pressed in at most, and by how much its friction is stiffer than a rim
/// asks for.
const DEEPEST: f64 = 0.95;
const RIM_MARGIN: f64 = 10.0;

/// Part of the load of a contact that obstacles bear from both sides, from which it counts as pinched.
const PINCHED: f64 = 0.5;
/// Factor by which a pinched contact is stiffer than inertia asks for in the longest substep. At a tenth of its thickness a cloth
/// is then held with some 20 times its weight.
const PINCHED_STIFFER: f64 = 60.0;

/// The depth to which a contact may be pressed \[m\]. Between cloths relief takes a part of it. The safeguard stops what goes on.
fn room(Contact { row, borne, .. }: &Contact) -> f64 {
    let used = borne.relief / ((1.0 - HARD_SHARE) * row.thickness);
    if row.is_mutual() { row.thickness * (1.0 - used).max(LEAST_ROOM) } else { row.thickness }
}

/// The stiffness of a contact in a substep of length `h` \[s\] \[N/m\]; none between what is held. It has borne a `load` \[N\] in the last
/// one, and has so much `room` \[m\]. The obstacle has a `mobility` \[1/kg\] at the contact, which is zero unless it moves by itself.
fn stiffness(row: &ContactRow, state: &DenseState, h: f64, load: f64, room: f64, mobility: f64) -> f64 {
    let corners = || row.vertices.into_iter().zip(row.weights).filter(|(_, s)| *s != 0.0);
    let is_held = |vi| state.inverse_masses[vi] == 0.0;
    if mobility == 0.0 && corners().all(|(vi, _)| is_held(vi)) {
        return 0.0;
    }
    let side = |sign: f64| corners().map(|(vi, s)| (sign * s).max(0.0) * state.masses[vi]).sum::<f64>();
    let (first, second) = (side(1.0), side(-1.0));
    // Of two points that both move, the reduced mass. Not the inverse of the effective inverse mass: next to held vertices that would
    // grow without bound.
    let mut mass = if second > 0.0 { first * second / (first + second) } else { first };
    mass /= 1.0 + mass * mobility;
    if mobility > 0.0 && corners().any(|(vi, _)| is_held(vi)) {
        // Beside a body that moves it does not, and what is held is to bear one that is much heavier than cloth.
        let inverse: f64 = corners().map(|(vi, s)| state.inverse_masses[vi] * s * s).sum();
        mass = mass.max(1.0 / (inverse + mobility));
    }
    let time = h.min(LONGEST_SUBSTEP);
    let inertial = RELATIVE_CONTACT_STIFFNESS * mass / (time * time);
    (load / (BORNE_DEPTH * room)).clamp(inertial, MOST_STIFFER * inertial)
}

/// Inverse of the mass with which the obstacle of a contact resists it in a substep of length `h` \[s\] \[1/kg\]; 0 if it does not give way.
fn mobility(Contact { name, row, .. }: &Contact, setup: &Setup, state: &State, h: f64) -> f64 {
    let ContactName::Body(_, number) = *name else { return 0.0 };
    let Some(body) = state.rigid.iter().find(|body| body.obstacle == number as usize) else { return 0.0 };
    let point = row.interpolate(|vi| state.motion.positions[vi]);
    body.mobility_at(&setup.obstacles[body.obstacle], point, row.normal, h)
}

/// Stiffness of the spring of friction of a contact that has a stiffness along its normal \[N/m\] and has borne a load
/// \[N\]. Where an obstacle presses cloth in deeply at its rim, the normal turns about the rim with every slip, at the
/// distance that is left. The spring must be stiffer than the load over that distance.
pub(crate) fn friction_stiffness(normal: f64, row: &ContactRow, load: f64) -> f64 {
    if normal == 0.0 {
        return normal;
    }
    let depth = (load / normal).min(DEEPEST * row.thickness);
    normal * (1.0 + RIM_MARGIN * depth / (row.thickness - depth))
}

/// The stiffnesses of the contacts of a substep of length `h` \[s\] \[N/m\].
///
/// Two obstacles prescribe the depth to which they press in the cloth between them. The load grows with the stiffness there
/// and tells nothing about it. A stiffness that followed the load would grow without end. Only vertices are held firmly. A
/// contact that presses the inside of an edge or a face at a rim turns about it with every slip. It would push the cloth
/// out along its plane.
///
/// `impacts` are the loads that solutions have found for contacts that they [press in too deep](record_impacts) \[N\]; none
/// where the list ends.
pub(crate) fn stiffnesses(facts: Facts<'_>, impacts: &[f64], h: f64) -> Vec<f64> {
    let Facts { setup, inputs, state, .. } = facts;
    let (contacts, motion) = (&state.last.contacts, &state.motion);
    let pinched = pinched_parts(contacts, motion.masses.len());
    let impacts = impacts.iter().copied().chain(std::iter::repeat(0.0));
    let stiffness = |((contact, pinched), impact): ((&Contact, f64), f64)| {
        let load = contact.borne.load().max(impact);
        let mobility = if inputs.stands_still { 0.0 } else { mobility(contact, setup, state, h) };
        let of = |h: f64, load: f64| stiffness(&contact.row, motion, h, load, room(contact), mobility);
        let free = of(h, load * (1.0 - pinched));
        if pinched < PINCHED || !contact.is_at_vertex() {
            return free;
        }
        free.max(PINCHED_STIFFER * of(LONGEST_SUBSTEP, 0.0))
    };
    contacts.iter().zip(pinched).zip(impacts).map(stiffness).collect()
}

/// Notes in `impacts` the loads \[N\] of contacts that the solution of a substep of length `h` \[s\] presses in too deep; returns whether
/// there are any. Only contacts with what gives way count: cloth that is sewn onto a body is pressed into it for long.
pub(crate) fn record_impacts(facts: Facts<'_>, rows: &[Row], h: f64, impacts: &mut Vec<f64>) -> bool {
    let Facts { setup, state, .. } = facts;
    let contacts = &state.last.contacts;
    impacts.resize(contacts.len(), 0.0);
    let mut is_any = false;
    for (contact, impact) in contacts.iter().zip(impacts) {
        let row = &contact.row;
        let depth = -row.gap(row.interpolate(|vi| rows[vi.to_usize()].position()));
        let load = contact.normal_lambda / (h * h);
        let gives_way = row.is_mutual() || mobility(contact, setup, state, h) > 0.0;
        if gives_way && depth > TOO_DEEP * room(contact) && load > *impact {
            (*impact, is_any) = (load, true);
        }
    }
    is_any
}

/// The part of the load of each contact with an obstacle that another obstacle bears from the opposite side.
fn pinched_parts(contacts: &[Contact], vertex_count: usize) -> Vec<f64> {
    let mut sums = vec![(DVec3::ZERO, 0.0); vertex_count];
    let corners = |row: &ContactRow| {
        let pairs = row.vertices.map(|vi| vi.0 as usize).into_iter().zip(row.weights);
        pairs.filter(|(_, s)| *s != 0.0)
    };
    for Contact { row, borne, .. } in contacts.iter().filter(|contact| !contact.row.is_mutual()) {
        for (vertex, s) in corners(row) {
            sums[vertex].0 += row.normal * (s * borne.load());
            sums[vertex].1 += s.abs() * borne.load();
        }
    }
    let part = |Contact { row, borne, .. }: &Contact| {
        if borne.load() == 0.0 || row.is_mutual() {
            return 0.0;
        }
        let left = |(vertex, s): (usize, f64)| s.signum() * sums[vertex].0.dot(row.normal) / sums[vertex].1;
        // An edge over the rim of two fingers is pinched as its end between them is.
        1.0 - corners(row).map(left).fold(1.0, f64::min).max(0.0)
    };
    contacts.iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use taffeta_core::Friction;
    use taffeta_core::VertexIndex;

    const ROW: ContactRow = ContactRow {
        vertices: [VertexIndex(0), VertexIndex(1), VertexIndex(0), VertexIndex(0)],
        weights: [0.25, 0.75, 0.0, 0.0],
        normal: DVec3::Y,
        offset: 0.0,
        thickness: 1e-3,
        body_displacement: DVec3::ZERO,
        friction: Friction::NONE,
    };

    /// A vertex of 10 g, and one that is held.
    fn state() -> DenseState {
        DenseState {
            masses: Arc::new(vec![0.01; 2].into()),
            inverse_masses: Arc::new(vec![100.0, 0.0].into()),
            ..DenseState::default()
        }
    }

    #[test]
    fn a_contact_bears_the_load_of_before_at_a_part_of_its_thickness() {
        let (state, h) = (state(), 1.0 / 240.0);
        let first = stiffness(&ROW, &state, h, 0.0, 1e-3, 0.0);
        assert_eq!(first, RELATIVE_CONTACT_STIFFNESS * 0.01 / (h * h));
        assert_eq!(stiffness(&ROW, &state, h, 0.1 * first * ROW.thickness, 1e-3, 0.0), first, "inertia does");
        let load = 20.0 * first * ROW.thickness;
        let depth = load / stiffness(&ROW, &state, h, load, 1e-3, 0.0);
        assert!((depth - BORNE_DEPTH * ROW.thickness).abs() < 1e-15, "{depth}");
        assert_eq!(
            stiffness(&ROW, &state, h, 1e9 * load, 1e-3, 0.0),
            MOST_STIFFER * first,
            "but not without bound"
        );
    }

    #[test]
    fn a_contact_between_cloths_that_begins_deep_has_less_room() {
        let name = taffeta_contact::ContactName::Pair([[0; 3], [1; 3]]);
        let mutual = ContactRow { weights: [1.0, -1.0, 0.0, 0.0], ..ROW };
        let room_of = |row: ContactRow, relief: f64| {
            let mut contact = Contact::new(name, row);
            contact.borne.relief = relief;
            room(&contact) / row.thickness
        };
        assert_eq!(room_of(mutual, 0.0), 1.0);
        assert!((room_of(mutual, 0.45e-3) - 0.5).abs() < 1e-12, "half of the way to where it is stopped");
        assert_eq!(room_of(mutual, 0.95e-3), LEAST_ROOM);
        assert_eq!(room_of(ROW, 0.45e-3), 1.0, "what is pressed into an obstacle is not stopped");
    }

    #[test]
    fn what_is_held_on_both_sides_presses_on_nothing() {
        let held = ContactRow { weights: [0.0, 1.0, 0.0, 0.0], ..ROW };
        assert_eq!(stiffness(&held, &state(), 1.0 / 240.0, 5.0, 1e-3, 0.0), 0.0);
    }
}
