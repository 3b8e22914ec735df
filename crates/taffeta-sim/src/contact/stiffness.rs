//! Stiffness of contacts under Newton's method, where they are penalty springs.
//!
//! Depth is not to show, but what is stiffer than it needs to be makes the iteration slow. Inertia gives the stiffness that a
//! contact needs without other loads. A cloth that is pulled tight presses harder; there the load of the last substep gives it.

use crate::model::motion::Motion;
use taffeta_core::ContactRow;
use taffeta_solve::substeps::LONGEST_SUBSTEP;

/// Stiffness of a contact, relative to `m/h²` of the mass at its point: the depth under gravity is then `g h² / 100`, 2 µm at
/// four substeps per frame. In longer substeps, which cloth at rest takes, it stays as it is, and the cloth where it is.
const RELATIVE_CONTACT_STIFFNESS: f64 = 100.0;

/// Part of its thickness by which the load of the last substep presses a contact in, and the largest factor by which that load
/// makes it stiffer. An impact is over in the next substep.
const BORNE_DEPTH: f64 = 0.3;
const MOST_STIFFER: f64 = 1000.0;

/// The stiffness of a contact in a substep of length `h` \[s\] that has borne a load \[N\] in the last one \[N/m\]; none between
/// what is held.
pub(crate) fn stiffness(row: &ContactRow, state: &Motion, (h, load): (f64, f64)) -> f64 {
    // Not the inverse of the effective inverse mass: next to held vertices that would grow without bound.
    let corners = || row.vertices.into_iter().zip(row.weights);
    let is_free = corners().any(|(vi, s)| s != 0.0 && state.inverse_masses[vi] > 0.0);
    let side = |sign: f64| corners().map(|(vi, s)| (sign * s).max(0.0) * state.masses[vi]).sum::<f64>();
    let (first, second) = (side(1.0), side(-1.0));
    // Of two points that both move, the reduced mass.
    let mass = if second > 0.0 { first * second / (first + second) } else { first };
    let time = h.min(LONGEST_SUBSTEP);
    if !is_free {
        return 0.0;
    }
    let inertial = RELATIVE_CONTACT_STIFFNESS * mass / (time * time);
    (load / (BORNE_DEPTH * row.thickness)).clamp(inertial, MOST_STIFFER * inertial)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use std::sync::Arc;
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

    /// A vertex of 10 g, and one that is held.
    fn state() -> Motion {
        Motion {
            masses: Arc::new(vec![0.01; 2].into()),
            inverse_masses: Arc::new(vec![100.0, 0.0].into()),
            ..Motion::default()
        }
    }

    #[test]
    fn a_contact_bears_the_load_of_before_at_a_part_of_its_thickness() {
        let (state, h) = (state(), 1.0 / 240.0);
        let first = stiffness(&ROW, &state, (h, 0.0));
        assert_eq!(first, RELATIVE_CONTACT_STIFFNESS * 0.01 / (h * h));
        assert_eq!(stiffness(&ROW, &state, (h, 0.1 * first * ROW.thickness)), first, "inertia does");
        let load = 20.0 * first * ROW.thickness;
        let depth = load / stiffness(&ROW, &state, (h, load));
        assert!((depth - BORNE_DEPTH * ROW.thickness).abs() < 1e-15, "{depth}");
        assert_eq!(stiffness(&ROW, &state, (h, 1e9 * load)), MOST_STIFFER * first, "but not without bound");
    }

    #[test]
    fn what_is_held_on_both_sides_presses_on_nothing() {
        let held = ContactRow { weights: [0.0, 1.0, 0.0, 0.0], ..ROW };
        assert_eq!(stiffness(&held, &state(), (1.0 / 240.0, 5.0)), 0.0);
    }
}
