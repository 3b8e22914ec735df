//! Random trials of the certificate: what it lets through must not cross, by exact predicates.

use glam::{DQuat, DVec3};
use rayon::prelude::*;
use taffeta_contact::boxes::{Aabb, MovingBox};
use taffeta_contact::candidates::collect_pairs;
use taffeta_contact::crossings::find_crossings;
use taffeta_contact::elements::Elements;
use taffeta_contact::near::{BoxedElements, NearSearch};
use taffeta_contact::pair_limits::{Path, truncate};
use taffeta_core::random::SplitMix64;

/// Result of a number of trials.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct TrialReport {
    /// Trials.
    pub trials: u64,
    /// Of them those that cross at the end of the motion as it was proposed.
    pub crossed_before: u64,
    /// Trials that cross at the end of the motion that the certificate lets through.
    pub crossed_after: u64,
    /// Trials that cross somewhere on the way there.
    pub crossed_on_path: u64,
    /// Trials in which the certificate gave up on a pair.
    pub forced: u64,
    /// Mean fraction of the motion that is kept.
    pub kept: f64,
}

/// Points on the way at which a trial is looked at.
const LOOKS: u32 = 16;
/// Trials that one task takes.
const PER_TASK: u64 = 256;

/// Lets two hinged quads of random shape and size move at random, over three decades, with rotations.
pub(crate) fn run_trials(trials: u64, seed: u64) -> TrialReport {
    let elements = two_quads();
    let tasks: Vec<u64> = (0..trials.div_ceil(PER_TASK)).collect();
    let run = |task: &u64| {
        let count = PER_TASK.min(trials - task * PER_TASK);
        let mut random = SplitMix64(seed ^ task.wrapping_mul(0x2545_f491_4f6c_dd1d));
        (0..count).map(|_| run_trial(&elements, &mut random)).fold(TrialReport::default(), add)
    };
    let mut report =
        tasks.par_iter().map(run).collect::<Vec<_>>().into_iter().fold(TrialReport::default(), add);
    report.kept /= report.trials.max(1) as f64;
    report
}

fn add(a: TrialReport, b: TrialReport) -> TrialReport {
    TrialReport {
        trials: a.trials + b.trials,
        crossed_before: a.crossed_before + b.crossed_before,
        crossed_after: a.crossed_after + b.crossed_after,
        crossed_on_path: a.crossed_on_path + b.crossed_on_path,
        forced: a.forced + b.forced,
        kept: a.kept + b.kept,
    }
}

/// Two quads of two faces each, with a hinge between them; each is a body of its own.
fn two_quads() -> Elements {
    let quad = [[0, 1, 2], [2, 1, 3]];
    let mut elements = Elements::default();
    elements.add_triangles(4, &quad, |_| 0);
    elements.add_triangles(4, &quad, |_| 1);
    elements
}

fn run_trial(elements: &Elements, random: &mut SplitMix64) -> TrialReport {
    let x = loop {
        let x = [place_quad(random), place_quad(random)].concat();
        if find_crossings(elements, &x, |_, _| true).is_empty() {
            break x;
        }
    };
    let toward = center(&x[4..]) - center(&x[..4]);
    let moves = [move_quad(&x[..4], toward, random), move_quad(&x[4..], -toward, random)].concat();
    // Wherever on its way a vertex is stopped.
    let frame = if random.next_unit() < 0.5 { toward * 0.3 } else { DVec3::ZERO };
    let swept = |(x, m): (&DVec3, &DVec3)| MovingBox::still(Aabb::around([*x, *x + *m, *x + frame]));
    let swept: Vec<_> = x.iter().zip(&moves).map(swept).collect();
    let boxed = BoxedElements { list: &elements.list, boxes: &swept, movers: elements.list.len() };
    let near = NearSearch::default().find(boxed, false, |_, _| true);
    let pairs = collect_pairs(&elements.list, &near, &swept, |_| true);
    let path = Path { start: &x, moves: &moves, frames: &[frame; 8], prescribed: &[false; 8] };
    let found = truncate(&pairs, |_| 1e-4, path);
    let crosses = |fractions: &[f64], tau: f64| {
        let at = |((x, m), t): ((&DVec3, &DVec3), &f64)| *x + (frame + (*m - frame) * *t) * tau;
        let end: Vec<_> = x.iter().zip(&moves).zip(fractions).map(at).collect();
        !find_crossings(elements, &end, |_, _| true).is_empty()
    };
    let on_path = (1..LOOKS).any(|k| crosses(&found.fractions, f64::from(k) / f64::from(LOOKS)));
    TrialReport {
        trials: 1,
        crossed_before: u64::from(crosses(&[1.0; 8], 1.0)),
        crossed_after: u64::from(crosses(&found.fractions, 1.0)),
        crossed_on_path: u64::from(on_path),
        forced: u64::from(!found.forced.is_empty()),
        kept: found.fractions.iter().sum::<f64>() / 8.0,
    }
}

/// A number between 10^low and 10^high, evenly over the decades.
fn decades(random: &mut SplitMix64, low: f64, high: f64) -> f64 {
    taffeta_core::math::exp(std::f64::consts::LN_10 * (low + (high - low) * random.next_unit()))
}

fn vector(random: &mut SplitMix64) -> DVec3 {
    DVec3::from_array([0; 3].map(|_| 2.0 * random.next_unit() - 1.0))
}

fn place_quad(random: &mut SplitMix64) -> Vec<DVec3> {
    let (size, center) = (decades(random, -1.5, 0.0), vector(random) * 0.3);
    (0..4).map(|_| center + vector(random) * size).collect()
}

/// A translation, of which a part goes toward the other quad, a rotation and a deformation, each of a size of its own.
fn move_quad(x: &[DVec3], toward: DVec3, random: &mut SplitMix64) -> Vec<DVec3> {
    let shift = toward * random.next_unit() + vector(random) * decades(random, -3.0, 0.0);
    let turn = DQuat::from_scaled_axis(vector(random) * decades(random, -2.0, 0.5));
    let wobble = decades(random, -3.0, 0.0);
    let center = center(x);
    x.iter().map(|x| shift + turn * (*x - center) - (*x - center) + vector(random) * wobble).collect()
}

fn center(x: &[DVec3]) -> DVec3 {
    x.iter().sum::<DVec3>() / x.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_certificate_lets_through_never_crosses() {
        let trials = taffeta_fixtures::tier(30_000, 100_000);
        let report = run_trials(trials, 1);
        assert!(report.crossed_before as f64 > 0.2 * trials as f64, "the trials must be hard: {report:?}");
        let crossed = report.crossed_after + report.crossed_on_path + report.forced;
        assert_eq!(crossed, 0, "{report:?}");
    }
}
