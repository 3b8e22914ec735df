//! Totals of a run over its frames.

use super::memory::peak_memory;
use super::session::Session;
use cpu_time::ProcessTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use taffeta_sim::queries::cloths_left_behind;
use taffeta_sim::{ForcedMeeting, Stage, StepReport, World};

/// Part of the vertices that a cloth may have from which on it may be held back by that.
const FULL: f64 = 0.9;

/// Smallest, largest and last value of a count over the frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "extent")]
pub(super) struct Extent {
    /// Smallest value.
    pub min: u64,
    /// Largest value.
    pub max: u64,
    /// Value at the last frame.
    #[serde(rename = "final")]
    pub last: u64,
}

impl Extent {
    fn include(extent: &mut Option<Self>, value: u64) {
        let old = extent.unwrap_or(Extent { min: value, max: value, last: value });
        *extent = Some(Extent { min: old.min.min(value), max: old.max.max(value), last: value });
    }
}

/// Sums and extents over all frames, as checkpoints and the summary have them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Sums {
    /// Number of recorded frames, the initial state included.
    pub frames: u64,
    /// Number of substeps.
    pub substeps: u64,
    /// Number of edges split by remeshing.
    pub splits: u64,
    /// Number of edges collapsed by remeshing.
    pub collapses: u64,
    /// Number of edges flipped by remeshing.
    pub flips: u64,
    /// Number of collapses and flips that would have caused an intersection and were refused.
    pub refused_edits: u64,
    /// Number of edges whose spring broke.
    pub broken_edges: u64,
    /// Number of times that a vertex came apart because the cloth was overloaded.
    pub tears: u64,
    /// Length of the edges that have torn open, at rest \[m\].
    pub torn_length: f64,
    /// Number of vertices whose motion CCD shortened, over all substeps.
    // Older checkpoints call it `shortened`.
    #[serde(alias = "shortened")]
    pub shortened_motions: u64,
    /// Impulse that shortened motions lost: mass times lost velocity \[N·s\].
    pub lost_impulse: f64,
    /// Number of pairs of primitives that pins or obstacles forced to intersect, over all substeps.
    pub forced_pairs: u64,
    /// Number of forced pairs that went through each other within a substep.
    pub passed_pairs: u64,
    /// Number of substeps in which an intersection remained after all retries.
    pub given_up: u64,
    /// Number of steps that used up their work budget and covered the rest in a few long substeps.
    pub hurried_steps: u64,
    /// Number of frames with intersections.
    pub frames_with_crossings: u64,
    /// Vertices of all cloths; `null` without a frame.
    pub vertices: Option<Extent>,
    /// Faces of all cloths; `null` without a frame.
    pub faces: Option<Extent>,
}

/// Totals of a run over its frames. They are kept with the checkpoint, so that they cover the whole run in the end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Totals {
    /// The sessions in which the run was made.
    #[serde(default)]
    pub sessions: Vec<Session>,
    /// Sums and extents that the summary lists.
    #[serde(flatten)]
    pub sums: Sums,
    /// Substeps per step.
    pub substeps_per_frame: Option<Extent>,
    /// Groups of bodies per step that were stepped by themselves; those at rest do not count.
    #[serde(default)]
    pub groups_per_frame: Option<Extent>,
    /// Iterations per substep.
    pub iterations: Option<Extent>,
    #[serde(default)]
    pub hurried_since: Option<f64>,
    /// Pairs of bodies that were forced through each other, each at its first meeting.
    #[serde(default)]
    pub forced: Vec<Forced>,
    /// Crossings that are not kept apart, as they were first seen: the first ones of the run.
    #[serde(default)]
    pub quarantine: Vec<Quarantined>,
    /// The most that crosses in a frame, and the first frame of those in which something does.
    #[serde(default)]
    pub most_crossings: u64,
    #[serde(default)]
    pub first_crossing: Option<u64>,
    /// Largest expected excess of the extension, relative to the size, if the substeps were cut at their cap.
    pub capped_excess: Option<f64>,
    /// Farthest that an obstacle may move in a substep, relative to the size of a cloth, if the substeps were cut at their
    /// cap.
    #[serde(default)]
    pub capped_stride: Option<f64>,
    /// The largest estimated error of a substep, and the sum over the steps of theirs, relative to the size of a body.
    #[serde(default)]
    pub largest_error: f64,
    #[serde(default)]
    pub summed_errors: f64,
    /// The largest distance from the solution of a stage \[m\].
    #[serde(default)]
    pub solution_error: f64,
    /// Substeps in which Newton's method did not converge.
    pub not_converged: u64,
    /// Cloths that have as many vertices as they may have, with that number.
    pub full_cloths: BTreeSet<(String, u64)>,
    /// Cloths that have left every body and the floor behind, with the time \[s\].
    #[serde(default)]
    pub left_behind: BTreeMap<String, f64>,
    /// Wall time of the stages.
    pub stages: BTreeMap<String, Duration>,
    /// Wall time of writing.
    pub writing: Duration,
    /// Wall time.
    pub wall: Duration,
    /// CPU time of all threads.
    pub cpu: Duration,
    /// Peak memory \[bytes\].
    pub peak_memory: Option<u64>,
}

/// Two bodies that pins or obstacles forced through each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "forced")]
pub(super) struct Forced {
    /// The two bodies.
    pub bodies: [String; 2],
    /// Number of pairs of primitives, or faces, over all substeps.
    pub count: u64,
    /// Time of the first intersection: the end of its substep \[s\].
    pub time: f64,
    /// Position of the first intersection \[m\].
    pub position: [f64; 3],
}

/// An edge and a face that intersect, or a face inside an obstacle in closed form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "quarantine")]
pub(super) struct Quarantined {
    /// Frame in which the pair was first seen.
    pub frame: u64,
    /// Bodies of edge and face, or of obstacle and face.
    pub bodies: [String; 2],
    /// Vertices at the ends of the edge, numbered in the order of the frame's files, cloth by cloth; `null` for an obstacle in
    /// closed form.
    pub edge: Option<[u32; 2]>,
    /// Vertices at the corners of the face.
    pub face: [u32; 3],
    /// Middle of the edge, or of the face \[m\].
    pub position: [f64; 3],
}

/// Crossing pairs that the summary lists.
const LISTED_PAIRS: usize = 50;
/// Pairs of bodies that a warning names.
const NAMED_MEETINGS: usize = 3;

/// A warning that came up while simulating.
pub(super) struct Warning {
    /// Kind of the warning; each kind is printed once.
    pub kind: String,
    /// The warning.
    pub text: String,
}

impl Totals {
    /// Counts the elements of a state.
    pub(super) fn count_state(&mut self, world: &World) {
        Extent::include(&mut self.sums.vertices, world.vertex_count() as u64);
        Extent::include(&mut self.sums.faces, world.face_count() as u64);
        self.list_crossings(world);
    }

    fn list_crossings(&mut self, world: &World) {
        let pairs = world.quarantine();
        if !pairs.is_empty() {
            self.sums.frames_with_crossings += 1;
            self.most_crossings = self.most_crossings.max(pairs.len() as u64);
            self.first_crossing.get_or_insert(world.frame());
        }
        for pair in pairs {
            let is_listed = |listed: &Quarantined| (listed.edge, listed.face) == (pair.edge, pair.face);
            if self.quarantine.len() >= LISTED_PAIRS || self.quarantine.iter().any(is_listed) {
                continue;
            }
            let (frame, position) = (world.frame(), pair.position.to_array());
            let (bodies, edge, face) = (pair.bodies, pair.edge, pair.face);
            self.quarantine.push(Quarantined { frame, bodies, edge, face, position });
        }
    }

    /// Adds a step.
    pub(super) fn add(&mut self, report: &StepReport, world: &World) {
        self.count_state(world);
        let plan = &report.plan;
        self.sums.substeps += u64::from(plan.substeps);
        Extent::include(&mut self.substeps_per_frame, u64::from(plan.substeps));
        Extent::include(&mut self.groups_per_frame, u64::from(plan.groups));
        Extent::include(&mut self.iterations, u64::from(plan.iterations));
        self.largest_error = self.largest_error.max(plan.error);
        self.summed_errors += plan.error;
        self.solution_error = self.solution_error.max(plan.solution_error);
        self.not_converged += u64::from(plan.not_converged);
        if let Some(excess) = plan.capped_excess {
            self.capped_excess = Some(self.capped_excess.unwrap_or(0.0).max(excess));
        }
        if let Some(stride) = plan.capped_stride {
            self.capped_stride = Some(self.capped_stride.unwrap_or(0.0).max(stride));
        }
        if let Some(since) = plan.hurried_since {
            self.sums.hurried_steps += 1;
            self.hurried_since.get_or_insert(since);
        }
        self.sums.splits += report.remesh.splits;
        self.sums.collapses += report.remesh.collapses;
        self.sums.flips += report.remesh.flips;
        self.sums.refused_edits += report.remesh.refused;
        self.sums.broken_edges += report.broken_edges as u64;
        self.sums.tears += report.tears.count;
        self.sums.torn_length += report.tears.length;
        self.sums.shortened_motions += report.safeguard.shortened;
        self.sums.lost_impulse += report.safeguard.lost_impulse;
        self.sums.forced_pairs += report.safeguard.forced;
        self.sums.passed_pairs += report.safeguard.passed;
        self.sums.given_up += report.safeguard.given_up;
        report.safeguard.meetings.iter().for_each(|meeting| self.list_forced(meeting));
        for (number, cloth) in world.cloths().iter().enumerate() {
            let limit = cloth.remesh.map(|settings| settings.max_vertices);
            let count = world.cloth(world.cloth_ids()[number]).vertex_count() as f64;
            if let Some(limit) = limit.filter(|limit| count >= FULL * *limit as f64) {
                self.full_cloths.insert((cloth.name.clone(), limit as u64));
            }
        }
        for number in cloths_left_behind(world) {
            self.left_behind.entry(world.cloths()[number].name.clone()).or_insert(world.time());
        }
        for stage in Stage::ALL {
            *self.stages.entry(stage_name(stage).to_owned()).or_default() += report.times.of(stage);
        }
    }

    fn list_forced(&mut self, meeting: &ForcedMeeting) {
        match self.forced.iter_mut().find(|forced| forced.bodies == meeting.bodies) {
            Some(forced) => forced.count += meeting.count,
            None => self.forced.push(Forced {
                bodies: meeting.bodies.clone(),
                count: meeting.count,
                time: meeting.time,
                position: meeting.position.to_array(),
            }),
        }
    }

    fn forced_warning(&self) -> String {
        let named = self.forced.iter().take(NAMED_MEETINGS).map(place).collect::<Vec<_>>().join("; ");
        let more = self.forced.len().saturating_sub(NAMED_MEETINGS);
        let more =
            if more > 0 { format!("; {more} more are in `forced` of summary.json") } else { String::new() };
        let passed = match self.sums.passed_pairs {
            0 => String::new(),
            passed => format!(", of which {passed} have gone through"),
        };
        format!(
            "pins or obstacles have forced cloths through something in {} pairs of primitives{passed}: {named}{more}; what crosses \
             is not kept apart, see `crossings` in metrics.csv",
            self.sums.forced_pairs
        )
    }

    /// Warnings that the run so far gives reason for.
    pub(super) fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let mut warn = |kind: String, text: String| warnings.push(Warning { kind, text });
        if self.sums.forced_pairs > 0 {
            warn("forced".to_owned(), self.forced_warning());
        }
        if self.sums.given_up > 0 {
            warn(
                "given up".to_owned(),
                format!(
                    "in {} substeps no way was found to keep apart what pins or obstacles force together{}, however short they \
                     were made; the run goes on with what crosses. Slow the motion, or leave room for the cloth",
                    self.sums.given_up,
                    self.forced.first().map_or(String::new(), |forced| format!(" ({})", place(forced)))
                ),
            );
        }
        if let (Some(first), Some(pair)) = (self.first_crossing, self.quarantine.first()) {
            let [x, y, z] = pair.position;
            warn(
                "crossings".to_owned(),
                format!(
                    "something crosses in frame {first} already: {} and {} near [{x:.4}, {y:.4}, {z:.4}]; up to {} pairs in {} \
                     frames, see `quarantine` in summary.json and `crossings` in metrics.csv",
                    pair.bodies[0], pair.bodies[1], self.most_crossings, self.sums.frames_with_crossings
                ),
            );
        }
        if let Some(excess) = self.capped_excess {
            let most = self.substeps_per_frame.map_or(0, |extent| extent.max);
            warn(
                "capped".to_owned(),
                format!(
                    "the mesh is too fine for {most} substeps per frame, the most that `auto` takes: the cloth may \
                     hang longer than it should by up to {:.1} % of its size; use fewer cells, a coarser size_min, or \
                     solver = \"direct\"",
                    100.0 * excess
                ),
            );
        }
        if let Some(stride) = self.capped_stride {
            warn(
                "fast".to_owned(),
                format!(
                    "an obstacle is too fast for the most substeps that `auto` takes: it moves by up to {:.1} % of a cloth's \
                     size in each, and may throw or tear the cloth; set more substeps, a higher frame_rate, or a slower motion",
                    100.0 * stride
                ),
            );
        }
        if let Some(since) = self.hurried_since {
            warn(
                "hurried".to_owned(),
                format!(
                    "in {} steps, at {since:.4} s first, all the work was done that a step may do{}; what was left of them was made \
                     in a few long substeps and is rough. Look for huge speeds, pressures or stiffnesses, and for bodies that \
                     leave the cloth no room",
                    self.sums.hurried_steps,
                    self.forced.first().map_or(String::new(), |forced| format!(" ({})", place(forced)))
                ),
            );
        }
        if self.not_converged > 0 {
            warn(
                "converged".to_owned(),
                format!(
                    "Newton's method did not converge in {} of {} substeps; set more substeps or iterations",
                    self.not_converged, self.sums.substeps
                ),
            );
        }
        for (name, time) in &self.left_behind {
            warn(
                format!("left behind {name}"),
                format!(
                    "the cloth {name:?} has left every body and the floor behind at {time:.3} s: nothing holds it. Let it follow a \
                     body, `follow` in [[cloth.pin]], make it narrower, or add a floor, shape = {{ plane = {{}} }}"
                ),
            );
        }
        for (name, limit) in &self.full_cloths {
            warn(
                format!("full {name}"),
                format!(
                    "the cloth {name:?} is near max_vertices, {limit}: where it asks for more it is all coarser than it asks \
                     for; use a larger max_vertices, or a larger refine_error or size_min"
                ),
            );
        }
        warnings
    }
}

/// Names the two bodies that were forced through each other, with time and place.
fn place(forced: &Forced) -> String {
    let Forced { bodies: [a, b], time, position: [x, y, z], .. } = forced;
    format!("{a} and {b} at {time:.4} s near [{x:.4}, {y:.4}, {z:.4}]")
}

/// The name of a stage in the summary.
pub(super) fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Predict => "predict",
        Stage::Detect => "detect",
        Stage::Solve => "solve",
        Stage::Secure => "secure",
        Stage::Finish => "finish",
        Stage::Remesh => "remesh",
        Stage::Measure => "measure",
    }
}

/// Wall and CPU time of a run, earlier parts included.
pub(super) struct Clock {
    wall_start: Instant,
    cpu_start: ProcessTime,
    earlier: [Duration; 2],
}

impl Clock {
    /// Starts.
    pub(super) fn start() -> Self {
        Self { wall_start: Instant::now(), cpu_start: ProcessTime::now(), earlier: [Duration::ZERO; 2] }
    }

    /// Clock for a run that has come so far before.
    pub(super) fn after(self, totals: &Totals) -> Self {
        Self { earlier: [totals.wall, totals.cpu], ..self }
    }

    /// Brings times and memory of the totals up to date.
    pub(super) fn read(&self, totals: &mut Totals) {
        totals.wall = self.earlier[0] + self.wall_start.elapsed();
        totals.cpu = self.earlier[1] + self.cpu_start.elapsed();
        totals.peak_memory = totals.peak_memory.max(peak_memory());
    }
}
