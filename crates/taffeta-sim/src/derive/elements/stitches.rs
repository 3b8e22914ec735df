//! Stitches of open seams, and how hard they may pull.
//!
//! A seam that is blocked as a whole must not tear the panels: its threads pull the cloth to a bounded strain, and no more.
//! Bounding every thread by itself failed. If a seam runs into an opening, all tension of the edge of the cloth meets at the
//! last threads. The ends of the seam stayed open by millimeters, like a crack. So what is bounded is the mean over the seam,
//! and what most threads do not need the others have.

use crate::derive::elements::source::Source;
use crate::model::description::SimulationSettings;
use crate::model::setup::Setup;
use crate::model::setup::seams::{HELD, SeamLaw};
use glam::DVec3;
use taffeta_solve::block::Stitch;

/// The stitches of all open seams with the seam and the pair that each belongs to.
pub(crate) fn build_stitches(source: &Source<'_>) -> (Vec<Stitch>, Vec<[u32; 2]>) {
    let Source { setup: Setup { seams, settings, .. }, sheet, motion, time, .. } = *source;
    let pull = Pull::of(settings);
    if sheet.sewing.seams.iter().all(|seam| seam.pairs.is_empty()) {
        return (Vec::new(), Vec::new());
    }
    let index = sheet.vertex_indices();
    let (mut stitches, mut places) = (Vec::new(), Vec::new());
    for (number, (state, law)) in (0..).zip(sheet.sewing.seams.iter().zip(seams)) {
        for (pair, ([a, b], gap)) in (0..).zip(state.pairs.iter().zip(&state.gaps)) {
            if a == b {
                continue;
            }
            let vertices = [index[*a], index[*b]];
            let share = law.shares[pair as usize];
            stitches.push(match state.closed {
                None => Stitch {
                    vertices,
                    gap: law.thread(*gap, time),
                    stiffness: law.stiffness,
                    reach: law.reach(pull.mean_strain(law.lateness(time)), share),
                },
                // A third layer is held for ever, and does not give way.
                Some(_) => Stitch {
                    vertices,
                    gap: held_gap(law, vertices.map(|vi| motion.positions[vi])),
                    stiffness: HELD * law.stiffness,
                    reach: f64::INFINITY,
                },
            });
            places.push([number, pair]);
        }
    }
    (stitches, places)
}

/// The gap at which a thread holds a third layer for ever, between two places \[m\].
pub(crate) fn held_gap(law: &SeamLaw, [a, b]: [DVec3; 2]) -> DVec3 {
    (b - a).normalize_or_zero() * law.shortest()
}

/// Pull against the weight of the cloth, and without weight. Where threads pull thin cloth hard, it crumples, and what is
/// crumpled blocks the seam.
const PULL: Pull = Pull { strain: 0.05, growth: 1.0, tip: f64::INFINITY };
const GENTLE_PULL: Pull = Pull { strain: 0.005, growth: 14.5, tip: 10.0 };

/// Largest mean strain to which a seam pulls. A body that is too wide for the garment is no reason to leave the seam open as
/// long as the cloth bears it.
const LATE_PULL_STRAIN: f64 = 0.15;

/// Strain to which a single thread pulls at most.
const TIP_STRAIN: f64 = 0.5;

/// Pull of the seams of a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pull {
    /// Strain to which the threads pull the cloth, on average, while a seam has time.
    strain: f64,
    /// Its growth for each further time of the seam, relative to it.
    growth: f64,
    /// Largest strain to which a single thread pulls, relative to the mean.
    tip: f64,
}

impl Pull {
    pub(crate) fn of(settings: &SimulationSettings) -> Self {
        if settings.gravity_while_sewing { PULL } else { GENTLE_PULL }
    }

    /// The mean strain to which a seam may pull when it is late by this part of its time.
    pub(crate) fn mean_strain(self, lateness: f64) -> f64 {
        (self.strain * (1.0 + self.growth * lateness.max(0.0))).min(LATE_PULL_STRAIN)
    }

    /// The strain to which every thread of a seam may pull that is late by this part of its time, see [`strain_bound`].
    pub(crate) fn bound(self, wanted: Vec<(f64, f64)>, lateness: f64) -> f64 {
        let mean = self.mean_strain(lateness);
        strain_bound(wanted, mean, TIP_STRAIN.min(self.tip * mean))
    }
}

/// The strain to which every thread may pull, so that on average they pull to the `mean`, and none beyond the `tip`. `wanted` are the strains that the
/// threads would pull to by themselves, each with the length of the seam that it stands for \[m\].
///
/// It solves `Σ wᵢ min(eᵢ, ε) = mean Σ wᵢ`.
fn strain_bound(mut wanted: Vec<(f64, f64)>, mean: f64, tip: f64) -> f64 {
    wanted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut rest: f64 = wanted.iter().map(|(_, share)| share).sum();
    let mut left = mean * rest;
    for (strain, share) in &wanted {
        // What is left, if all that are still to come get as much.
        let bound = left / rest;
        if *strain >= bound {
            return bound.clamp(mean, tip);
        }
        left -= strain * share;
        rest -= share;
    }
    tip
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_are_all_blocked_pull_to_the_mean_strain_and_no_harder() {
        let blocked = vec![(10.0, 0.005); 40];
        assert!((strain_bound(blocked, 0.05, TIP_STRAIN) - 0.05).abs() < 1e-15);
    }

    #[test]
    fn the_last_threads_of_a_seam_have_what_the_others_do_not_need() {
        // 38 threads that are closed, and two at the end that are not.
        let mut wanted = vec![(0.001, 0.005); 38];
        wanted.extend([(10.0, 0.005), (10.0, 0.0025)]);
        let bound = strain_bound(wanted.clone(), 0.01, TIP_STRAIN);
        let total: f64 = wanted.iter().map(|(strain, share)| strain.min(bound) * share).sum();
        let length: f64 = wanted.iter().map(|(_, share)| share).sum();
        assert!((total - 0.01 * length).abs() < 1e-15 && bound > 0.2, "{bound}");
        assert_eq!(strain_bound(wanted, 0.05, TIP_STRAIN), TIP_STRAIN, "but not more than a thread bears");
        assert_eq!(strain_bound(vec![(0.0, 0.005); 4], 0.05, TIP_STRAIN), TIP_STRAIN);
        assert_eq!(strain_bound(Vec::new(), 0.05, TIP_STRAIN), TIP_STRAIN);
    }

    #[test]
    fn a_seam_that_is_late_pulls_harder_up_to_what_cloth_bears() {
        for (pull, doubled) in [(PULL, 1.0), (GENTLE_PULL, 1.0 / 14.5)] {
            assert_eq!([-0.5, 0.0].map(|lateness| pull.mean_strain(lateness)), [pull.strain; 2]);
            assert!((pull.mean_strain(doubled) - 2.0 * pull.strain).abs() < 1e-15);
            assert_eq!(pull.mean_strain(50.0), LATE_PULL_STRAIN);
        }
    }
}
