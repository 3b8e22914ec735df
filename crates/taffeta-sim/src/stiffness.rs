//! How stiff the contacts are under Newton's method, where they are springs.
//!
//! Depth is not to show, but what is stiffer than it needs to be makes the iteration slow. At first inertia tells, as far as it
//! goes: a cloth that is pulled tight presses harder. While cloth is sewn that is most of what presses, and the forces
//! of the cloth at the start of the substep tell how hard; elsewhere it shows in the solution, which then goes on with stiffer
//! contacts.

use glam::DVec3;
use taffeta_core::ContactRow;
use taffeta_core::index::DenseIndex;
use taffeta_solve::DenseState;
use taffeta_solve::substeps::LONGEST_SUBSTEP;

/// Stiffness of a contact, relative to `m/h²` of the mass at its point: the depth under gravity is then `g h² / 100`, 2 µm at
/// four substeps per frame. In longer substeps, which cloth at rest takes, it stays as it is, and the cloth where it is.
const RELATIVE_CONTACT_STIFFNESS: f64 = 100.0;
/// Part of its thickness by which a contact may be pressed in before it is made stiffer, between cloths and with bodies,
/// and by how much. An impact on a body is better taken softly.
const DEEP: f64 = 0.5;
const DEEP_IN_BODIES: f64 = 0.9;
const STIFFER: f64 = 10.0;
/// Part of its thickness by which a contact is pressed in by the forces of the cloth, and how much stiffer it gets for that at
/// most: forces are large where a cloth is not at rest.
const BORNE_DEPTH: f64 = 0.3;
const MOST_STIFFER: f64 = 1000.0;

/// The stiffness of a contact for which inertia is all that presses \[N/m\]; none between what is held.
pub(crate) fn inertial_stiffness(row: &ContactRow, state: &DenseState, h: f64) -> f64 {
    // Not the inverse of the effective inverse mass: next to held vertices that would grow without bound.
    let corners = || row.vertices.into_iter().zip(row.weights);
    let is_free = corners().any(|(vi, s)| s != 0.0 && state.inverse_masses[vi] > 0.0);
    let side = |sign: f64| corners().map(|(vi, s)| (sign * s).max(0.0) * state.masses[vi]).sum::<f64>();
    let (first, second) = (side(1.0), side(-1.0));
    // Of two points that both move, the reduced mass.
    let mass = if second > 0.0 { first * second / (first + second) } else { first };
    let time = h.min(LONGEST_SUBSTEP);
    if is_free { RELATIVE_CONTACT_STIFFNESS * mass / (time * time) } else { 0.0 }
}

/// Makes a contact as stiff as it takes to bear the forces of the cloth at the vertices \[N\].
pub(crate) fn bear(row: &ContactRow, forces: &[DVec3], stiffness: &mut f64) {
    let pressed = |sign: f64| {
        let corners = row.vertices.into_iter().zip(row.weights).filter(|(_, s)| sign * s > 0.0);
        corners.map(|(vi, _)| (-sign * forces[vi.to_usize()].dot(row.normal)).max(0.0)).sum::<f64>()
    };
    let load = if row.is_mutual() { pressed(1.0).min(pressed(-1.0)) } else { pressed(1.0) };
    if load > 0.0 {
        let needed = load / (BORNE_DEPTH * row.thickness);
        *stiffness = needed.clamp(*stiffness, MOST_STIFFER * *stiffness);
    }
}

/// Makes the contacts stiffer that are pressed in too deep; returns whether there are any.
pub(crate) fn stiffen(rows: &[ContactRow], x: &[DVec3], stiffnesses: &mut [f64]) -> bool {
    let mut has_deep = false;
    for (row, stiffness) in rows.iter().zip(stiffnesses) {
        let depth = -row.gap(row.interpolate(|vi| x[vi.to_usize()]));
        let allowed = if row.is_mutual() { DEEP } else { DEEP_IN_BODIES };
        if depth > allowed * row.thickness {
            *stiffness *= STIFFER * (depth / row.thickness).max(1.0);
            has_deep = true;
        }
    }
    has_deep
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta_core::VertexIndex;

    const ROW: ContactRow = ContactRow {
        vertices: [VertexIndex(0), VertexIndex(1), VertexIndex(0), VertexIndex(0)],
        weights: [0.25, 0.75, 0.0, 0.0],
        normal: DVec3::Y,
        offset: 0.0,
        thickness: 1e-3,
        body_displacement: DVec3::ZERO,
        static_friction: 0.0,
        kinetic_friction: 0.0,
    };

    fn stiffness_under(row: ContactRow, forces: [DVec3; 2]) -> f64 {
        let mut stiffness = 10.0;
        bear(&row, &forces, &mut stiffness);
        stiffness
    }

    #[test]
    fn a_contact_bears_what_presses_on_it_at_a_part_of_its_thickness() {
        let forces = [DVec3::new(5.0, -0.2, 0.0), DVec3::new(0.0, -0.4, 7.0)];
        let depth = 0.6 / stiffness_under(ROW, forces);
        assert!((depth - BORNE_DEPTH * ROW.thickness).abs() < 1e-15, "{depth}");
        assert_eq!(stiffness_under(ROW, forces.map(|force| force * 1e9)), 1e4, "but not without bound");
    }

    #[test]
    fn what_does_not_press_leaves_a_contact_as_it_is() {
        assert_eq!(stiffness_under(ROW, [DVec3::Y, DVec3::X]), 10.0);
        let mutual = ContactRow { weights: [1.0, -1.0, 0.0, 0.0], ..ROW };
        assert!(mutual.is_mutual());
        assert_eq!(stiffness_under(mutual, [-DVec3::Y, -DVec3::Y]), 10.0, "both go the same way");
        assert!(stiffness_under(mutual, [-DVec3::Y, DVec3::Y]) > 3000.0, "they go against each other");
    }
}
