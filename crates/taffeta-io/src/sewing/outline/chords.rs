//! Closed curves as polygons: corners stay where they are, and what is smooth between them is divided into chords of
//! equal length.

use glam::DVec2;
use kurbo::{ParamCurve, ParamCurveArclen, PathSeg};
use taffeta_core::math;

/// Turns from here on are corners \[rad\]: 15°. Curves are often drawn as many short ones, whose joints turn by less.
const CORNER: f64 = 0.26;
/// A chord of a curve turns by at most this \[rad\]: 60°, and a little more for round-off. A hole that is small against the
/// edges stays a hexagon.
const CHORD_TURN: f64 = 1.000_01 * std::f64::consts::FRAC_PI_3;
/// Samples of a curve, and of each chord of it: the polygon through them is as good as the curve.
const CURVE_SAMPLES: usize = 48;
const CHORD_SAMPLES: f64 = 8.0;
/// Accuracy of the lengths of curves, relative to a chord.
const LENGTH_ACCURACY: f64 = 1e-3;
/// Times that the chords of a curve are halved at most until there are three.
const HALVINGS: usize = 6;

/// A closed curve through points on it, whatever the chords will be.
pub(super) fn sample_roughly(segments: &[PathSeg]) -> Vec<DVec2> {
    segments.iter().flat_map(|segment| sample(segment, CURVE_SAMPLES)).collect()
}

/// Points on a segment, its end not counted.
pub(crate) fn sample(segment: &PathSeg, curve_samples: usize) -> Vec<DVec2> {
    let count = if matches!(segment, PathSeg::Line(_)) { 1 } else { curve_samples };
    let at = |k: usize| {
        let point = segment.eval(k as f64 / count as f64);
        DVec2::new(point.x, point.y)
    };
    (0..count).map(at).collect()
}

/// The length of a closed polygon \[m\].
pub(crate) fn perimeter(points: &[DVec2]) -> f64 {
    sides(points).map(|[a, b]| a.distance(b)).sum()
}

/// The sides of a closed polygon.
pub(crate) fn sides(points: &[DVec2]) -> impl Iterator<Item = [DVec2; 2]> + '_ {
    (0..points.len()).map(|k| [points[k], points[(k + 1) % points.len()]])
}

/// A closed curve as a polygon with sides of at most `edge_length` \[m\]. Empty if it has no extent.
pub(super) fn divide(segments: &[PathSeg], edge_length: f64) -> Vec<DVec2> {
    let mut points = Vec::new();
    let mut edge = edge_length;
    for _ in 0..HALVINGS {
        points = divide_once(segments, edge);
        if points.len() >= 3 {
            break;
        }
        edge *= 0.5;
    }
    points
}

fn divide_once(segments: &[PathSeg], edge_length: f64) -> Vec<DVec2> {
    let fine = sample_finely(segments, edge_length);
    let count = fine.len();
    let is_corner =
        |k: &usize| turn([fine[(k + count - 1) % count], fine[*k], fine[(k + 1) % count]]) > CORNER;
    let mut corners: Vec<usize> = (0..count).filter(is_corner).collect();
    if corners.is_empty() && count > 0 {
        corners.push(0);
    }
    let mut points = Vec::new();
    for (place, first) in corners.iter().enumerate() {
        // From a corner to the next one, once around if it is the only one.
        let next = corners[(place + 1) % corners.len()];
        let steps = if next > *first { next - first } else { next + count - first };
        let chain = Chain::new((0..=steps).map(|k| fine[(first + k) % count]).collect());
        chain.divide(chain.part_count(edge_length), &mut points);
    }
    points
}

/// The angle by which a chain of three points turns at the middle one \[rad\].
fn turn([before, at, after]: [DVec2; 3]) -> f64 {
    let (back, forth) = (at - before, after - at);
    math::atan2(back.perp_dot(forth), back.dot(forth)).abs()
}

/// Points of a closed curve, close to each other against the chords that it will have, no two at one place.
fn sample_finely(segments: &[PathSeg], edge_length: f64) -> Vec<DVec2> {
    let mut fine: Vec<DVec2> = Vec::new();
    for segment in segments {
        let chords = segment.arclen(LENGTH_ACCURACY * edge_length) / edge_length;
        fine.extend(sample(segment, CURVE_SAMPLES.max((CHORD_SAMPLES * chords) as usize)));
    }
    let nearest = 1e-9 * perimeter(&fine);
    fine.dedup_by(|b, a| a.distance(*b) <= nearest);
    while fine.len() > 1 && fine[0].distance(fine[fine.len() - 1]) <= nearest {
        fine.pop();
    }
    fine
}

/// An open curve, by points on it that are close to each other against the chords that it will have.
pub(crate) struct Chain {
    points: Vec<DVec2>,
    /// Its length \[m\].
    pub(crate) length: f64,
    /// The angle by which it turns \[rad\].
    turn: f64,
}

impl Chain {
    pub(crate) fn new(points: Vec<DVec2>) -> Self {
        let length = points.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        let turn = points.windows(3).map(|three| turn([three[0], three[1], three[2]])).sum();
        Self { points, length, turn }
    }

    /// Number of equal parts that are no longer than an edge and follow the curve.
    pub(crate) fn part_count(&self, edge_length: f64) -> usize {
        // A part that is too long by round-off is not divided for that.
        let by_length = (self.length / edge_length - 1e-6).ceil();
        by_length.max((self.turn / CHORD_TURN).ceil()).max(1.0) as usize
    }

    /// Divides it into equal parts and adds their starts.
    pub(crate) fn divide(&self, parts: usize, points: &mut Vec<DVec2>) {
        let chain = &self.points;
        points.push(chain[0]);
        let (mut k, mut passed) = (0, 0.0);
        for part in 1..parts {
            let wanted = self.length * part as f64 / parts as f64;
            let mut side = chain[k].distance(chain[k + 1]);
            while passed + side < wanted && k + 2 < chain.len() {
                passed += side;
                k += 1;
                side = chain[k].distance(chain[k + 1]);
            }
            points.push(chain[k].lerp(chain[k + 1], ((wanted - passed) / side).clamp(0.0, 1.0)));
        }
    }
}
