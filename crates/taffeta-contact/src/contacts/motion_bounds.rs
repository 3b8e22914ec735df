//! Bounds of the vertices over the next substeps.
//!
//! Each vertex has a ball that moves on a straight line. What was found out about all of them holds until a vertex is
//! outside its ball, or until the balls have come to the end of their lines.

use crate::broad::boxes::{Aabb, MovingBox};
use crate::broad::pair::Pair;
use crate::contacts::step::Step;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Part of the radius within which a motion is about that of the velocity.
const CLOSE: f64 = 0.75;
/// Part of the radius within which this share of the cloth must stay for the balls to hold for more substeps, up to
/// `CALM_MOST`. So cloth at rest is not searched again and again.
const CALM_PART: f64 = 0.9;
const CALM_SHARE: f64 = 0.25;
const CALM_MOST: f64 = 64.0;

/// The balls of all vertices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MotionBounds {
    /// The time at which they start \[s\], and how long they last.
    since: f64,
    span: f64,
    /// Their centers at the start \[m\], by how much those move in all, and their radii \[m\].
    centers: Vec<DVec3>,
    moves: Vec<DVec3>,
    radii: Vec<f64>,
}

impl MotionBounds {
    /// Balls for as long as `ahead` substeps or more. What comes about as far as its velocity takes it is expected to keep
    /// that: something may bear its weight. What does not, goes on as in this substep.
    pub(crate) fn new(step: Step<'_>, ahead: f64, radius: impl Fn(usize) -> f64) -> Self {
        let radii: Vec<f64> = (0..step.start.len()).map(radius).collect();
        let expected = |v: usize| {
            let (moved, coasting) = (step.end[v] - step.start[v], step.velocities[v] * step.h);
            if moved.distance(coasting) <= CLOSE * radii[v] { coasting } else { moved }
        };
        let mut moves: Vec<DVec3> = (0..step.start.len()).map(expected).collect();
        let ahead = ahead.max(calm_substeps(&moves, &radii));
        moves.iter_mut().for_each(|m| *m *= ahead);
        Self { since: step.time, span: ahead * step.h, centers: step.start.to_vec(), moves, radii }
    }

    /// Returns whether these are balls of so many vertices.
    pub fn are_sound(&self, vertex_count: usize) -> bool {
        let Self { since, span, centers, moves, radii } = self;
        let counts = [centers.len(), moves.len(), radii.len()];
        counts == [vertex_count; 3]
            && [since, span].into_iter().chain(radii).all(|length| length.is_finite())
            && centers.iter().chain(moves).all(|x| x.is_finite())
    }

    /// The centers of the balls at the start \[m\].
    pub(crate) fn centers(&self) -> &[DVec3] {
        &self.centers
    }

    /// Returns whether all vertices are in their balls over a substep.
    pub(crate) fn hold(&self, step: Step<'_>) -> bool {
        let elapsed = [step.time - self.since, step.time + step.h - self.since];
        self.centers.len() == step.start.len()
            && elapsed[0] >= 0.0
            && elapsed[1] <= self.span
            && [step.start, step.end].iter().zip(elapsed).all(|(x, elapsed)| self.contain(x, elapsed))
    }

    /// Returns whether all vertices are in their balls after a time \[s\]. A vertex that moves linearly between two
    /// times at which it is in its ball has been there all the time.
    fn contain(&self, x: &[DVec3], elapsed: f64) -> bool {
        let part = elapsed / self.span;
        (0..x.len()).all(|v| self.drift(v, x[v], part) <= self.radii[v])
    }

    fn drift(&self, v: usize, x: DVec3, part: f64) -> f64 {
        x.distance(self.centers[v] + self.moves[v] * part)
    }

    /// The balls as boxes, each wider by a margin \[m\].
    pub(crate) fn boxes(&self, margin: impl Fn(usize) -> f64) -> Vec<MovingBox> {
        let around = |v: usize| MovingBox {
            at: Aabb::around([self.centers[v]]).inflated(self.radii[v] + margin(v)),
            moves: Aabb::around([self.moves[v]]),
        };
        (0..self.centers.len()).map(around).collect()
    }

    /// Returns whether a vertex that is at `x` \[m\] at the end of a substep is in its ball.
    pub(crate) fn hold_at_end(&self, v: usize, x: DVec3, step: Step<'_>) -> bool {
        let part = (step.time + step.h - self.since) / self.span;
        self.drift(v, x, part) <= self.radii[v]
    }

    /// Bound on how much closer two primitives can come while their vertices are in their balls \[m\].
    pub(crate) fn relative_way(&self, pair: &Pair) -> f64 {
        let (first, second) = pair.vertices.split_at(pair.split());
        let widest = |side: &[u32]| side.iter().map(|v| self.radii[*v as usize]).fold(0.0, f64::max);
        pair.relative_way(&pair.gather(&self.moves)) + widest(first) + widest(second)
    }
}

/// For how many substeps most vertices stay well within their balls, if they go on by these moves \[m\] in each.
fn calm_substeps(moves: &[DVec3], radii: &[f64]) -> f64 {
    let roomy = moves.iter().zip(radii).filter(|(_, radius)| **radius > 0.0);
    let mut shares: Vec<f64> = roomy.map(|(m, radius)| m.length() / radius).collect();
    if shares.is_empty() {
        return 0.0;
    }
    let place = (CALM_PART * (shares.len() - 1) as f64) as usize;
    let (_, share, _) = shares.select_nth_unstable_by(place, f64::total_cmp);
    (CALM_SHARE / *share).floor().min(CALM_MOST)
}
