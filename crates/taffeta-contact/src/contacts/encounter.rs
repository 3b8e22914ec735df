//! Place and direction in which the two primitives of a pair meet on a straight motion.
//!
//! A contact limits the approach of two primitives. Measured where they are at the end of the motion, it neither holds up what
//! passes by nor keeps the plane of a face that was left on the way. Only where one has gone through the other the end tells
//! nothing of the side: there the place where they cross counts.

use crate::broad::pair::{Closest, Pair, PairKind, closest};
use glam::DVec3;

/// Steps of the search for the time at which four points are in a plane, and the part of the motion that is left then.
const STEPS: usize = 64;
const RESOLUTION: f64 = 1e-12;

/// Change by a motion of the side of each other on which two primitives are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passage {
    /// They stay on their side.
    Stays,
    /// They go through each other.
    Crosses,
    /// They come to the other side beside each other: around an edge, or through what is next to them.
    GoesAround,
}

/// The closest points of a pair at some time of a motion, and the direction in which contact acts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Encounter {
    /// The closest points.
    pub found: Closest,
    /// Unit vector from the second point to the first on the side where they were before.
    pub normal: DVec3,
    /// Time from 0 to 1.
    pub time: f64,
    /// Fate of the side on which they were.
    pub passage: Passage,
}

impl Encounter {
    /// Place where a pair meets on straight `moves` \[m\] from `x`: at its end, or where it crosses if it does. Primitives that pass
    /// within a `margin` \[m\] beside each other cross too. `None` if there is no direction.
    pub(crate) fn of(pair: &Pair, x: &[DVec3; 4], moves: &[DVec3; 4], margin: f64) -> Option<Self> {
        let at = |t: f64| -> [DVec3; 4] { std::array::from_fn(|k| x[k] + moves[k] * t) };
        let in_plane = in_plane(pair, x, at);
        if let Some((time, side)) = in_plane {
            let y = at(time);
            let found = closest(pair.kind, y);
            if found.gap.length() <= margin {
                let normal = (across(pair, &y) * side).try_normalize()?;
                return Some(Self { found, normal, time, passage: Passage::Crosses });
            }
        }
        let found = closest(pair.kind, at(1.0));
        let normal = found.gap.try_normalize()?;
        let passage = if in_plane.is_some() { Passage::GoesAround } else { Passage::Stays };
        Some(Self { found, normal, time: 1.0, passage })
    }
}

/// The direction across both primitives, not normalized: of a face its normal, of two edges that across both.
fn across(pair: &Pair, x: &[DVec3; 4]) -> DVec3 {
    match pair.kind {
        PairKind::VertexFace => (x[2] - x[1]).cross(x[3] - x[1]),
        PairKind::EdgeEdge => (x[1] - x[0]).cross(x[3] - x[2]),
    }
}

/// A time at which the four points of a pair are in a plane, and the sign of the first primitive's side before it. `None`
/// if they do not change sides by the end. The search is by bisection with secants (the Illinois method).
fn in_plane(pair: &Pair, x: &[DVec3; 4], at: impl Fn(f64) -> [DVec3; 4]) -> Option<(f64, f64)> {
    let volume = |x: &[DVec3; 4]| (x[0] - x[pair.split()]).dot(across(pair, x));
    let (mut low, mut high) = ((0.0, volume(x)), (1.0, volume(&at(1.0))));
    if low.1 == 0.0 || low.1 * high.1 > 0.0 {
        return None;
    }
    let side = low.1.signum();
    let mut was_low = None;
    for _ in 0..STEPS {
        if high.0 - low.0 <= RESOLUTION || high.1 == 0.0 {
            break;
        }
        let secant = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
        // Round-off can take it out of the interval.
        let t = if secant > low.0 && secant < high.0 { secant } else { 0.5 * (low.0 + high.0) };
        let value = volume(&at(t));
        let is_low = value * side > 0.0;
        // An end that stays twice counts half, so that both come closer.
        let stays = if was_low == Some(is_low) { 0.5 } else { 1.0 };
        if is_low {
            (low, high.1) = ((t, value), stays * high.1);
        } else {
            (high, low.1) = ((t, value), stays * low.1);
        }
        was_low = Some(is_low);
    }
    Some((high.0, side))
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta_core::random::SplitMix64;

    const FACE: Pair = Pair { kind: PairKind::VertexFace, vertices: [0, 1, 2, 3] };
    const EDGES: Pair = Pair { kind: PairKind::EdgeEdge, vertices: [0, 1, 2, 3] };

    /// The encounter of a vertex at `from` that goes to `to` with a face in the plane y = 0.
    fn over_face(from: [f64; 3], to: [f64; 3]) -> Encounter {
        let (from, to) = (DVec3::from_array(from), DVec3::from_array(to));
        let x = [from, DVec3::ZERO, DVec3::X, DVec3::Z];
        Encounter::of(&FACE, &x, &[to - from, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO], 1e-4).unwrap()
    }

    #[test]
    fn what_passes_by_is_met_where_it_ends() {
        let met = over_face([-5.0, 0.01, 0.2], [0.2, 0.01, 0.2]);
        assert!(met.passage == Passage::Stays && met.time == 1.0);
        assert_eq!((met.normal, met.found.gap), (DVec3::Y, DVec3::Y * 0.01));
        // From above to below beside the face.
        let met = over_face([-1.0, 0.5, 0.2], [-0.2, -0.5, 0.2]);
        assert!(met.passage == Passage::GoesAround && met.normal.y < 0.0);
    }

    #[test]
    fn what_goes_through_is_met_where_it_crosses_on_the_side_where_it_was() {
        for side in [1.0, -1.0] {
            let met = over_face([0.1, 0.1 * side, 0.2], [0.5, -0.3 * side, 0.2]);
            assert!(met.passage == Passage::Crosses && (met.time - 0.25).abs() < 1e-9);
            assert_eq!(met.normal, DVec3::Y * side);
            assert!((met.found.weights[2] - 0.2).abs() < 1e-9, "{met:?}");
        }
        let x = [DVec3::new(-1.0, 0.2, 0.0), DVec3::new(1.0, 0.2, 0.0), -DVec3::Z, DVec3::Z];
        let fall = DVec3::new(0.4, -0.8, 0.0);
        let met = Encounter::of(&EDGES, &x, &[fall, fall, DVec3::ZERO, DVec3::ZERO], 1e-4).unwrap();
        assert!(met.passage == Passage::Crosses && (met.time - 0.25).abs() < 1e-9);
        assert_eq!(met.normal, DVec3::Y);
        assert!((met.found.weights[1] - 0.45).abs() < 1e-9, "{met:?}");
    }

    #[test]
    fn of_random_motions_those_cross_that_meet_and_change_sides() {
        let mut random = SplitMix64(31);
        let mut crossed = 0;
        for pair in [FACE, EDGES].repeat(1000) {
            let mut points = || [0; 4].map(|_| DVec3::from_array([0; 3].map(|_| random.next_unit() - 0.5)));
            let (x, moves) = (points(), points());
            let met = Encounter::of(&pair, &x, &moves, 1e-6).unwrap();
            let volume = |t: f64| {
                let y: [DVec3; 4] = std::array::from_fn(|k| x[k] + moves[k] * t);
                (y[0] - y[pair.split()]).dot(across(&pair, &y))
            };
            assert!((met.normal.length() - 1.0).abs() < 1e-12);
            if met.passage == Passage::Crosses {
                crossed += 1;
                assert!(volume(0.0) * volume(1.0) < 0.0 && volume(met.time).abs() < 1e-9);
            } else {
                assert_eq!(met.normal, met.found.gap.normalize());
            }
        }
        assert!(crossed > 100, "{crossed}");
    }
}
