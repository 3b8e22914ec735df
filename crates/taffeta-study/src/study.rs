//! A study: variants of a scene, run one after the other and compared.
//!
//! ```text
//! text, what varies ──prepare──► Study ──run──► StudyReport ──write──► study.csv, frames.csv, trajectories.csv,
//!  (all errors here)             (checked)      (in memory)            check.csv, report.html, figures/*.svg
//! ```
//!
//! The reference of the others is a variant that is named, or the one that is exact if any is (`elect`). At the end
//! it is compared with its own refinement (`check`).
//!
//! Everything is checked before the first variant runs. A variant that fails while it is simulated is reported as failed
//! and does not stop the others.

mod check;
mod choose;
mod compare;
mod elect;
mod error;
mod points;
mod prepare;
mod refine;
mod report;
mod simulate;
mod variation;
mod words;

pub use check::{CheckWords, ReferenceCheck, Refinement, RefinementKind, TRUSTED};
pub use compare::{Comparison, Deviation};
pub use error::StudyError;
pub use points::{LATTICE, PointOnCloth, SOLID_LATTICE, StudyPoint};
pub use report::folder::StudyFolder;
pub use report::tables::output_files;
pub use simulate::{FrameRecord, Outcome, Run, StepCost};
pub use variation::{Assignment, Axis};

use std::ops::ControlFlow;
use std::path::Path;
use taffeta_io::read_file;
use taffeta_scene::Scene;
use taffeta_sim::{StopToken, World};

/// Options of a study.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StudyOptions {
    /// Settings that vary, each as `key.path=a,b,c`; an entry may set several keys: `key.path=a/other.key=b`.
    pub vary: Vec<String>,
    /// The reference to compare with: `finest`, the label of a variant, or assignments `key.path=a/other.key=b`.
    /// `None`: finest, which is the finest one of those with the most exact solver, and refused where that would be
    /// no answer.
    pub reference: Option<String>,
    /// Overrides of all variants, `key.path=value`.
    pub overrides: Vec<String>,
    /// Frames instead of those of the scene's duration.
    pub frames: Option<u64>,
    /// Threads instead of the scene's.
    pub threads: Option<usize>,
    /// Number of times that each variant runs, all by turns. The run that took the least CPU time counts. 0 is taken for 1.
    pub repeat: u32,
    /// True if the reference is not compared with its own refinement, which takes up to some six times its own time.
    pub skip_check: bool,
}

/// A variant of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Its name: the assignments with short keys.
    pub label: String,
    /// Settings of the variant.
    pub assignments: Vec<Assignment>,
    /// Its entry of each axis; `None` if it is the reference only.
    pub choices: Option<Vec<usize>>,
    /// The scene.
    pub scene: Scene,
    /// Its last frame.
    pub last_frame: u64,
}

/// A material point whose trajectory is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackedPoint {
    /// Its name.
    pub name: String,
    /// Its number among the points of the study.
    pub point: usize,
}

/// Reference of the variants.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reference {
    /// Of some variants the one with the most vertices, of these the one with the most substeps.
    FinestOf(Vec<usize>),
    /// A variant by number.
    Variant(usize),
}

/// Variants that are ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// Name of the scene.
    pub name: String,
    /// Axes along which the variants vary.
    pub axes: Vec<Axis>,
    /// The variants, the last axis running fastest, then the reference if it is none of them.
    pub variants: Vec<Variant>,
    /// Material points by which they are compared: a lattice over each cloth and the probes on cloths, then points of ropes and
    /// lattices in solids, each with the probes there.
    pub points: Vec<StudyPoint>,
    /// The points whose trajectories are shown: the probes; without any the corners and the middle of the lattice, of a
    /// solid the middles of its sides.
    pub tracked: Vec<TrackedPoint>,
    /// Warnings about the scenes that are odd, though not wrong.
    pub warnings: Vec<String>,
    /// Number of times that each variant runs.
    pub rounds: u32,
    /// A handle on the variant that runs, to stop it between two substeps.
    pub stop_token: StopToken,
    /// Short names of the keys that vary.
    names: variation::ShortNames,
    reference: Reference,
    /// Source from which variants are read.
    source: prepare::Source,
    /// True if the reference is compared with its own refinement.
    is_checked: bool,
}

/// Event while a study runs.
#[derive(Debug)]
pub enum Event<'a> {
    /// A variant has made a step.
    Frame {
        /// Number of the variant.
        number: usize,
        /// The variant.
        variant: &'a Variant,
        /// Its frame.
        frame: u64,
        /// Its world.
        world: &'a World,
    },
    /// All variants have ended, and the reference is to be compared with its own refinement. Frames and the end of that run
    /// follow, with a number beyond those of the variants.
    Checking {
        /// The reference, refined.
        variant: &'a Variant,
        /// Expected time, about \[s\].
        seconds: f64,
    },
    /// A variant has ended.
    Ended {
        /// Number of the variant.
        number: usize,
        /// The variant.
        variant: &'a Variant,
        /// Number of times that it had run before.
        round: u32,
        /// Record of the run.
        run: &'a Run,
    },
}

/// A study that has run.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyReport {
    /// The study.
    pub study: Study,
    /// Record of each variant.
    pub runs: Vec<Run>,
    /// Number of the variant that the others are compared with.
    pub reference: usize,
    /// The distance of each variant to the reference.
    pub comparisons: Vec<Comparison>,
    /// The reference against its own refinement; `None`: it was not wanted, or the reference did not come to its end.
    pub check: Option<ReferenceCheck>,
}

impl Study {
    /// Reads a scene file and prepares its variants.
    ///
    /// # Errors
    /// As [`Study::prepare`], and if the file cannot be read.
    pub fn read(path: &Path, options: &StudyOptions) -> Result<Self, StudyError> {
        let unreadable = |reason: String| StudyError::File {
            path: path.to_owned(),
            reason: format!("cannot read the scene: {reason}"),
        };
        let bytes = read_file(path).map_err(|error| unreadable(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|error| unreadable(error.to_string()))?;
        Self::prepare(&text, path, options)
    }

    /// Reads all variants of a scene and checks them. The path names the scene in messages, and relative paths in it are
    /// relative to its folder.
    ///
    /// # Errors
    /// Everything that is wrong with the scene, with what varies and with the reference.
    pub fn prepare(text: &str, path: &Path, options: &StudyOptions) -> Result<Self, StudyError> {
        prepare::prepare(text, path, options)
    }

    /// Runs all variants in their order, and again if they are to be repeated. Results are the same to the bit. The least of
    /// the times counts, since other work of the machine only adds. `observe` hears of every frame and may ask to stop; a run
    /// that is stopped while it is repeated is forgotten.
    pub fn run(self, observe: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> StudyReport {
        let mut runs: Vec<Run> = Vec::new();
        let mut going = ControlFlow::Continue(());
        for round in 0..self.rounds {
            for (number, variant) in self.variants.iter().enumerate() {
                if going.is_break() {
                    if round == 0 {
                        runs.push(Run::stopped());
                    }
                    continue;
                }
                let mut on_frame = |frame: u64, world: &World| {
                    going = observe(Event::Frame { number, variant, frame, world });
                    going
                };
                let run = simulate::simulate(variant, &self.points, &self.stop_token, &mut on_frame);
                if going.is_continue() {
                    going = observe(Event::Ended { number, variant, round, run: &run });
                }
                match runs.get_mut(number) {
                    None => runs.push(run),
                    Some(first) => first.take_less(run),
                }
            }
        }
        let reference = match &self.reference {
            Reference::Variant(number) => *number,
            Reference::FinestOf(candidates) => find_finest(&runs, candidates),
        };
        let comparisons = runs.iter().map(|run| Comparison::of(run, &runs[reference])).collect();
        let is_checked = self.is_checked && going.is_continue() && runs[reference].is_done();
        let check = is_checked.then(|| check::check(&self, &runs, reference, observe));
        StudyReport { study: self, runs, reference, comparisons, check }
    }
}

impl StudyReport {
    /// The number of variants that failed.
    pub fn failures(&self) -> usize {
        self.runs.iter().filter(|run| matches!(run.outcome, Outcome::Failed(_))).count()
    }

    /// The label of a variant.
    pub fn label(&self, variant: usize) -> &str {
        &self.study.variants[variant].label
    }

    /// The key paths that some variant sets, in their order.
    pub fn keys(&self) -> Vec<&str> {
        let mut keys: Vec<&str> = self.study.axes.iter().flat_map(Axis::keys).collect();
        for assignment in self.study.variants.iter().flat_map(|variant| &variant.assignments) {
            if !keys.contains(&assignment.key.as_str()) {
                keys.push(&assignment.key);
            }
        }
        keys
    }

    /// Change of the total energy of a variant from its first to its last frame \[J\]; `None` if it never started.
    pub fn energy_drift(&self, variant: usize) -> Option<f64> {
        let frames = &self.runs[variant].frames;
        let energy = |frame: &FrameRecord| frame.metrics.energy();
        Some(energy(frames.last()?) - energy(frames.first()?))
    }
}

/// Of some runs the one with the most vertices, then substeps; a run that came to its end before one that did not. Ties
/// go to the first.
fn find_finest(runs: &[Run], candidates: &[usize]) -> usize {
    let rank = |run: &Run| {
        let vertices = run.frames.iter().map(|frame| frame.vertices).max().unwrap_or(0);
        let substeps: u64 = run.frames.iter().map(|frame| u64::from(frame.cost.substeps)).sum();
        (run.is_done(), vertices, substeps)
    };
    let numbers = candidates.iter().copied();
    numbers.max_by_key(|number| (rank(&runs[*number]), std::cmp::Reverse(*number))).unwrap_or(0)
}
