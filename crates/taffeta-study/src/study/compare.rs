//! Distances of variants from each other.

use super::simulate::{FrameRecord, Run};
use glam::DVec3;

/// Frames belong together if their times differ by less than this, relative to the time.
const TIME_SLACK: f64 = 1e-9;

/// A distance between two sets of material points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Deviation {
    /// Root of the mean square \[m\].
    pub rms: f64,
    /// Maximum \[m\].
    pub max: f64,
}

impl Deviation {
    /// Between positions of the same points; zero if there are none.
    pub fn between(a: &[DVec3], b: &[DVec3]) -> Self {
        let squares = || a.iter().zip(b).map(|(a, b)| a.distance_squared(*b));
        let count = a.len().min(b.len()).max(1);
        Self {
            rms: (squares().sum::<f64>() / count as f64).sqrt(),
            max: squares().fold(0.0, f64::max).sqrt(),
        }
    }
}

/// Distance of a variant from the reference.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// For each frame of the variant the frame of the reference that belongs to it, if there is one.
    pub partners: Vec<Option<usize>>,
    /// At each frame of the variant.
    pub frames: Vec<Option<Deviation>>,
    /// At the last time that both have, or between two equilibria. `None` if one of them did not come to its end.
    pub last: Option<Deviation>,
    /// Over the time that both have: root mean square and maximum over all points and frames.
    pub over_time: Option<Deviation>,
}

impl Comparison {
    /// Compares a variant with the reference.
    pub(super) fn of(run: &Run, reference: &Run) -> Self {
        // The frames of an equilibrium are start and end, whatever their times.
        let by_order = run.is_equilibrium || reference.is_equilibrium;
        let partner = |(number, frame): (usize, &FrameRecord)| {
            let slack = TIME_SLACK * frame.time.abs();
            let at_same_time = || reference.frames.iter().position(|f| (f.time - frame.time).abs() <= slack);
            match by_order {
                false => at_same_time(),
                true if number == 0 => (!reference.frames.is_empty()).then_some(0),
                true if number + 1 == run.frames.len() => reference.frames.len().checked_sub(1),
                true => None,
            }
        };
        let partners: Vec<Option<usize>> = run.frames.iter().enumerate().map(partner).collect();
        let compare = |(frame, partner): (&FrameRecord, &Option<usize>)| {
            partner.map(|other| Deviation::between(&frame.points, &reference.frames[other].points))
        };
        let frames: Vec<Option<Deviation>> = run.frames.iter().zip(&partners).map(compare).collect();
        let known: Vec<Deviation> = frames.iter().flatten().copied().collect();
        let over_time = (!known.is_empty()).then(|| Deviation {
            rms: (known.iter().map(|d| d.rms * d.rms).sum::<f64>() / known.len() as f64).sqrt(),
            max: known.iter().map(|d| d.max).fold(0.0, f64::max),
        });
        let both_done = run.is_done() && reference.is_done();
        let last = known.last().copied().filter(|_| both_done);
        Self { partners, frames, last, over_time }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::simulate::{Outcome, StepCost};
    use taffeta_sim::Metrics;

    fn run(times: &[f64], x: f64) -> Run {
        let frame = |time: &f64| FrameRecord {
            time: *time,
            vertices: 3,
            faces: 1,
            metrics: Metrics::default(),
            points: vec![DVec3::ZERO, DVec3::X * x * *time],
            cost: StepCost::default(),
        };
        Run { frames: times.iter().map(frame).collect(), outcome: Outcome::Done, ..Run::stopped() }
    }

    #[test]
    fn frames_are_compared_at_the_times_that_both_have() {
        let (fine, coarse) = (run(&[0.0, 0.5, 1.0, 1.5, 2.0], 1.0), run(&[0.0, 1.0, 2.0], 3.0));
        let found = Comparison::of(&fine, &coarse);
        assert_eq!(found.frames.iter().flatten().count(), 3);
        let last = found.last.unwrap();
        assert_eq!((last.max, last.rms), (4.0, 8.0_f64.sqrt()));
        let over_time = found.over_time.unwrap();
        assert_eq!(over_time.max, 4.0);
        assert!((over_time.rms - ((2.0 + 8.0) / 3.0_f64).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn equilibria_are_compared_whatever_their_times() {
        let mut found = [run(&[0.0, 1.0], 1.0), run(&[0.0, 0.5, 0.25], 1.0)];
        found.iter_mut().for_each(|run| run.is_equilibrium = true);
        assert_eq!(Comparison::of(&found[0], &found[1]).last.unwrap().max, 0.75);
    }

    #[test]
    fn a_variant_that_failed_has_no_end() {
        let mut failed = run(&[0.0, 1.0], 1.0);
        failed.outcome = Outcome::Failed(String::new());
        let found = Comparison::of(&failed, &run(&[0.0, 1.0, 2.0], 1.0));
        assert_eq!((found.last, found.frames.len()), (None, 2));
        assert_eq!(found.over_time, Some(Deviation::default()));
    }
}
