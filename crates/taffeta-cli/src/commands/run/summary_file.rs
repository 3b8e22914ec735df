//! The fields of `summary.json`, from which its page and schema are made.

use super::session::Session;
use super::starts::StartInside;
use super::totals::{Extent, Forced, Quarantined, Sums, Totals, stage_name};
use schemars::JsonSchema;
use serde::Serialize;
use std::time::Duration;
use taffeta_sim::Stage;

/// Settings as resolved, totals, times and warnings of a run. Sums cover the whole run, also if it was resumed.
#[derive(Serialize, JsonSchema)]
pub(super) struct SummaryFile {
    /// Path of the scene file.
    pub scene: String,
    /// Hash of the scene as resolved (BLAKE3, hexadecimal).
    pub scene_hash: String,
    /// Program, time, host and command line of the first session.
    #[serde(flatten)]
    pub session: Option<Session>,
    /// Sessions that resumed the run.
    pub resumed: Vec<Session>,
    /// End of the run: `finished`, `interrupted` by a signal, or `failed`.
    pub outcome: &'static str,
    /// Reason for a failure. Absent unless the run failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// `dynamic`, or `static` for an equilibrium.
    pub mode: &'static str,
    /// Solver and its settings as resolved.
    pub solver: SolverFacts,
    /// Sums and extents over all frames.
    pub totals: Counts,
    /// Pairs of bodies that pins or obstacles forced through each other.
    pub forced: Vec<Forced>,
    /// Intersecting pairs, each where it was first seen; the first 50.
    pub quarantine: Vec<Quarantined>,
    /// Seams that are sewn.
    pub seams: Vec<SeamEntry>,
    /// Cloths that start inside an obstacle.
    pub starts_inside: Vec<StartInside>,
    /// Wall time \[s\].
    pub wall_time: f64,
    /// CPU time of all threads \[s\].
    pub cpu_time: f64,
    /// Wall time by stage.
    pub stage_times: StageSeconds,
    /// Peak of the resident memory \[bytes\]; `null` where the system does not tell.
    pub peak_memory: Option<u64>,
    /// Units of times and memory.
    pub units: Units,
    /// Hash of the whole state at the end (hexadecimal). Two runs with equal hashes have the same bits.
    pub final_state_hash: String,
    /// Warnings of the run.
    pub warnings: Vec<String>,
    /// Remarks on the files, for example on data that a format cannot hold.
    pub notes: Vec<String>,
}

/// Sums and extents over all frames.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "totals")]
pub(super) struct Counts {
    /// Last recorded frame; `null` without any.
    pub last_frame: Option<u64>,
    /// Number of steps.
    pub steps: u64,
    /// Time of the scene at the end \[s\].
    pub simulated_time: f64,
    #[serde(flatten)]
    pub sums: Sums,
}

/// Solver and its settings as resolved.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "solver")]
pub(super) struct SolverFacts {
    /// Name of the solver in use.
    pub name: &'static str,
    /// Reason for the choice of the solver.
    pub why: String,
    /// Error of a substep; `null` for solvers that do not estimate it.
    pub accuracy: Option<Accuracy>,
    /// Errors of positions, of the mesh, of the steps and of their solution.
    pub tolerance: Tolerance,
    /// Substeps per frame.
    pub substeps: Substeps,
    /// Groups of bodies that were stepped by themselves, per frame.
    pub groups: Groups,
    /// Iterations per substep.
    pub iterations: Iterations,
    /// Time integration: `tr_bdf2` or `euler`. Where a cloth can tear, that of all it may touch.
    pub time_integration: &'static str,
    /// Number of threads.
    pub threads: usize,
}

/// Error of a substep, relative to the size of a body (RMS).
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "accuracy")]
pub(super) struct Accuracy {
    /// Allowed error, the key `accuracy` \[1\].
    pub allowed: f64,
    /// Largest estimated error of all substeps \[1\].
    pub largest: f64,
    /// Mean over the steps of the largest error of each \[1\]; `null` without a step.
    pub mean: Option<f64>,
}

/// Errors of positions: what was asked for, and what was reached.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "tolerance")]
pub(super) struct Tolerance {
    /// The key `tolerance` \[m\]; `null` if the scene does not have it, or has `accuracy`.
    pub asked: Option<f64>,
    /// Largest distance of a face from the smooth cloth at the end, by the sizing of the last remeshing pass \[m\]; `null` without
    /// one, or with thresholds.
    pub mesh: Option<f64>,
    /// Sum, over a second or so, of the largest estimated error of a substep, in the largest body \[m\]; `null` for solvers that do
    /// not estimate it.
    pub time: Option<f64>,
    /// Farthest from the solution of a substep, against inertia \[m\]; `null` for those solvers.
    pub solver: Option<f64>,
}

/// Substeps per frame.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "substeps")]
pub(super) struct Substeps {
    /// Setting of the scene.
    pub setting: Setting,
    /// Extent of the numbers of substeps; `null` without a step.
    pub per_frame: Option<Span>,
}

/// Groups of bodies that were stepped by themselves.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "groups")]
pub(super) struct Groups {
    /// Extent of the numbers of groups; `null` without a step.
    pub per_frame: Option<Span>,
}

/// Iterations per substep.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "iterations")]
pub(super) struct Iterations {
    /// Setting of the scene.
    pub setting: Setting,
    /// Extent of the largest numbers of iterations of each frame; `null` without a step.
    pub per_substep: Option<Span>,
}

/// A number, or `auto`.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub(super) enum Setting {
    /// A number that the scene fixes.
    Fixed(u32),
    /// A number that the solver chooses.
    Automatic(Word),
}

/// The word for a number that the solver chooses.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(super) enum Word {
    Auto,
}

impl From<Option<u32>> for Setting {
    fn from(count: Option<u32>) -> Self {
        count.map_or(Self::Automatic(Word::Auto), Self::Fixed)
    }
}

/// Smallest and largest value of a count over the frames.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "span")]
pub(super) struct Span {
    /// Smallest value.
    pub min: u64,
    /// Largest value.
    pub max: u64,
}

impl From<Extent> for Span {
    fn from(Extent { min, max, .. }: Extent) -> Self {
        Self { min, max }
    }
}

/// A seam that is sewn.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "seams")]
pub(super) struct SeamEntry {
    /// Name of the cloth.
    pub cloth: String,
    /// Number of the seam in its cloth, from 0.
    pub seam: usize,
    /// Number of pairs of vertices that it sews together.
    pub pairs: usize,
    /// Time at which it closed \[s\]; `null` while it is open.
    pub closed: Option<f64>,
    /// Largest gap at the end \[m\]; 0 once it has closed.
    pub gap: f64,
}

/// Wall time by stage of a step, over the whole run.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "stage_times")]
pub(super) struct StageSeconds {
    /// Motion without elasticity and contact, and pins \[s\].
    pub predict: f64,
    /// Broad phase and contacts \[s\].
    pub detect: f64,
    /// Elasticity and contact response \[s\].
    pub solve: f64,
    /// CCD: motions are shortened before anything intersects \[s\].
    pub secure: f64,
    /// Velocities, pins, springs and folds \[s\].
    pub finish: f64,
    /// Remeshing \[s\].
    pub remesh: f64,
    /// Energies, momenta, residual, hash \[s\].
    pub measure: f64,
    /// Writing of frames and tables \[s\].
    pub write: f64,
}

impl StageSeconds {
    pub(super) fn of(totals: &Totals) -> Self {
        let stage = |stage: Stage| seconds(totals.stages.get(stage_name(stage)).copied().unwrap_or_default());
        Self {
            predict: stage(Stage::Predict),
            detect: stage(Stage::Detect),
            solve: stage(Stage::Solve),
            secure: stage(Stage::Secure),
            finish: stage(Stage::Finish),
            remesh: stage(Stage::Remesh),
            measure: stage(Stage::Measure),
            write: seconds(totals.writing),
        }
    }
}

/// Units of times and memory.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "units")]
pub(super) struct Units {
    /// `s`, of all times.
    pub time: &'static str,
    /// `bytes`, of `peak_memory`.
    pub memory: &'static str,
}

impl Default for Units {
    fn default() -> Self {
        Self { time: "s", memory: "bytes" }
    }
}

/// A time \[s\], to the microsecond.
pub(super) fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_has_its_time() {
        let mut totals = Totals { writing: Duration::from_secs(1), ..Totals::default() };
        totals.stages = Stage::ALL.map(|stage| (stage_name(stage).to_owned(), Duration::from_secs(1))).into();
        let times = serde_json::to_value(StageSeconds::of(&totals)).unwrap();
        let times = times.as_object().unwrap();
        assert_eq!(times.len(), Stage::ALL.len() + 1);
        assert!(times.values().all(|time| time == 1.0), "{times:?}");
    }
}
