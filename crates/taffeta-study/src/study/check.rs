//! The reference against its own refinement: whether it is converged well enough to compare others with it.
//!
//! The reference runs once more with twice the substeps, and once more on a mesh twice as fine. The shift gives the distance
//! from the solution of the equations: as much again for a method of first order, a third of it for one of second order. A
//! variant that is closer to the reference than twice that is at a distance that may be an error of the reference, and not its
//! own.

use super::compare::Comparison;
use super::refine::{Finer, assign_over, finer_mesh, more_substeps};
use super::simulate::{Outcome, Run, simulate};
use super::words::millimeters;
use super::{Assignment, Event, Study, StudyReport, Variant};
use std::ops::ControlFlow;
use taffeta_sim::World;

/// A distance says something about a variant if it is this many times as large as what the reference moves.
pub const TRUSTED: f64 = 2.0;

/// Kinds of refinement of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefinementKind {
    /// Twice the substeps.
    Substeps,
    /// Edges half as long.
    Mesh,
}

impl RefinementKind {
    /// In words, after "with".
    pub fn words(self) -> &'static str {
        match self {
            Self::Substeps => "twice the substeps",
            Self::Mesh => "a mesh twice as fine",
        }
    }
}

/// The reference with more substeps or a finer mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Refinement {
    /// Kind of the refinement.
    pub kind: RefinementKind,
    /// Settings besides those of the reference.
    pub changes: Vec<Assignment>,
    /// Bodies whose mesh stayed as it was, by name: it comes from a file and does not adapt.
    pub unrefined: Vec<String>,
    /// Record of the run.
    pub run: Run,
    /// Distance from the reference.
    pub comparison: Comparison,
}

/// The reference against its own refinement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReferenceCheck {
    /// One for each way in which the reference can be refined; an equilibrium whose mesh comes from a file has none.
    pub refinements: Vec<Refinement>,
}

impl ReferenceCheck {
    /// Shift of the reference at the end, RMS \[m\]: the sum over the refinements, whose errors add up. `None` if there are
    /// none, or one did not come to its end.
    pub fn moves(&self) -> Option<f64> {
        let moves = self.refinements.iter().map(|refinement| Some(refinement.comparison.last?.rms));
        if self.refinements.is_empty() { None } else { moves.sum() }
    }
}

/// Refines the reference of a study that has run.
pub(super) fn check(
    study: &Study,
    runs: &[Run],
    reference: usize,
    observe: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
) -> ReferenceCheck {
    let (variant, run) = (&study.variants[reference], &runs[reference]);
    let ways = [
        (RefinementKind::Substeps, more_substeps(&variant.scene, run)),
        (RefinementKind::Mesh, finer_mesh(&variant.scene)),
    ];
    let mut refinements: Vec<Refinement> = Vec::new();
    for (kind, finer) in ways {
        let is_stopped = refinements.last().is_some_and(|last| last.run.outcome == Outcome::Stopped);
        let Some(Finer { changes, factor, unrefined }) = finer.filter(|_| !is_stopped) else { continue };
        let label = format!("{} with {}", variant.label, kind.words());
        let refined = match study.source.read(label, assign_over(&variant.assignments, &changes), None) {
            Err(error) => Run::failed(error.to_string()),
            Ok((finer, _)) => {
                let number = study.variants.len() + refinements.len();
                let seconds = factor * run.total(|cost| cost.wall);
                simulate_observed(
                    study,
                    number,
                    &finer,
                    Event::Checking { variant: &finer, seconds },
                    observe,
                )
            }
        };
        let comparison = Comparison::of(&refined, run);
        refinements.push(Refinement { kind, changes, unrefined, run: refined, comparison });
    }
    ReferenceCheck { refinements }
}

fn simulate_observed(
    study: &Study,
    number: usize,
    variant: &Variant,
    start: Event<'_>,
    observe: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
) -> Run {
    if observe(start).is_break() {
        return Run::stopped();
    }
    let mut on_frame = |frame: u64, world: &World| observe(Event::Frame { number, variant, frame, world });
    let run = simulate(variant, &study.points, &study.stop_token, &mut on_frame);
    // Whoever asks to stop now has the result all the same.
    let _ = observe(Event::Ended { number, variant, round: 0, run: &run });
    run
}

impl StudyReport {
    /// The variants that are so close to the reference that their distance may be an error of the reference; none if the
    /// reference was not checked.
    pub fn doubtful(&self) -> Vec<usize> {
        let Some(moves) = self.check.as_ref().and_then(ReferenceCheck::moves) else { return Vec::new() };
        let is_close = |number: &usize| {
            // What is the same to the bit tells nothing of either.
            let distance = self.comparisons[*number].last.map(|deviation| deviation.rms);
            *number != self.reference && distance.is_some_and(|d| d > 0.0 && d < TRUSTED * moves)
        };
        (0..self.runs.len()).filter(is_close).collect()
    }

    /// Describes the findings of the check of the reference, in sentences.
    pub fn check_words(&self) -> Vec<CheckWords> {
        let Some(check) = &self.check else {
            let text = "The reference was not compared with its own refinement.".to_owned();
            return vec![CheckWords { text, is_warning: false }];
        };
        let mut words: Vec<CheckWords> =
            check.refinements.iter().map(|refinement| self.moved_words(refinement)).collect();
        if words.is_empty() {
            let text = "The reference cannot be refined: it is an equilibrium on a mesh from a file. Whether it is converged \
                        is not known."
                .to_owned();
            words.push(CheckWords { text, is_warning: true });
        }
        let Some(moves) = check.moves() else { return words };
        let (doubtful, least) = (self.doubtful(), millimeters(TRUSTED * moves));
        let others = self.runs.len() - 1;
        let refined: Vec<Assignment> = check.refinements.iter().flat_map(|r| r.changes.clone()).collect();
        let finer = assign_over(&self.study.variants[self.reference].assignments, &refined);
        let finer: Vec<String> = finer.iter().map(Assignment::to_string).collect();
        words.push(match doubtful.as_slice() {
            [] => CheckWords {
                text: format!(
                    "It is converged for what is compared here: all distances at the end are more than {TRUSTED} times that."
                ),
                is_warning: false,
            },
            _ => CheckWords {
                text: format!(
                    "The reference is not converged: {} of {others} other variants are closer to it than {least} mm, {TRUSTED} \
                     times what it moves. Their distances may be errors of the reference. A finer one: --reference '{}'",
                    doubtful.len(),
                    finer.join("/"),
                ),
                is_warning: true,
            },
        });
        words
    }

    fn moved_words(&self, Refinement { kind, unrefined, run, comparison, .. }: &Refinement) -> CheckWords {
        let with = kind.words();
        if let (Some(end), Some(over_time)) = (comparison.last, comparison.over_time) {
            let kept = if unrefined.is_empty() {
                String::new()
            } else {
                format!(" ({} stays)", unrefined.join(", "))
            };
            let [end, over_time] = [end, over_time].map(|moved| millimeters(moved.rms));
            let text = format!(
                "With {with}{kept} the reference moves by {end} mm at the end and {over_time} mm over time (RMS)."
            );
            return CheckWords { text, is_warning: false };
        }
        let text = match &run.outcome {
            Outcome::Failed(reason) => format!("With {with} the reference could not be simulated: {reason}"),
            Outcome::Done | Outcome::Stopped => format!("The run of the reference with {with} was stopped."),
        };
        CheckWords { text, is_warning: true }
    }
}

/// A sentence about the check of the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckWords {
    /// The sentence.
    pub text: String,
    /// True if it takes trust from the distances.
    pub is_warning: bool,
}
