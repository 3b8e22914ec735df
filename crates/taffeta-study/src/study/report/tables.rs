//! The tables of a study as CSV: `study.csv`, `frames.csv`, `trajectories.csv` and `check.csv`.
//!
//! The columns of a table are the fields of its row type. `docs/outputs.md` is made from their comments.
//!
//! A variant that ran several times has the times of the run that took the least CPU time. A field without a value is empty.

use crate::study::compare::Deviation;
use crate::study::simulate::{FrameRecord, Outcome, Run};
use crate::study::{Assignment, ReferenceCheck, Refinement, StudyReport};
use schemars::JsonSchema;
use serde::Serialize;
use taffeta_scene::OutputFile;
use taffeta_scene::output::{fields, header};
use taffeta_sim::StepReport;
use taffeta_sim::columns::{Column, OverFrames, Shown, Value};

/// Variants: settings, outcome, distance to the reference, energies and cost. One row per variant. Between `label` and
/// `reference` each key that varies has a column with its value.
#[derive(Default, Serialize, JsonSchema)]
struct VariantRow {
    /// Number of the variant, from 0.
    variant: usize,
    /// Name of the variant.
    label: String,
    /// `true` for the reference.
    reference: bool,
    /// `done`, `failed` or `stopped`.
    outcome: &'static str,
    /// Reason for a failure.
    message: String,
    /// Solver in use.
    solver: String,
    /// Smallest number of vertices of all frames.
    vertices_min: Option<usize>,
    /// Largest number of vertices of all frames.
    vertices_max: Option<usize>,
    /// Number of vertices in the last frame.
    vertices_final: Option<usize>,
    /// Smallest number of faces of all frames.
    faces_min: Option<usize>,
    /// Largest number of faces of all frames.
    faces_max: Option<usize>,
    /// Number of faces in the last frame.
    faces_final: Option<usize>,
    /// Distance of the material points to the reference in the last frame, RMS \[m\].
    rms_last_m: Option<f64>,
    /// Distance of the material points to the reference in the last frame, largest \[m\].
    max_last_m: Option<f64>,
    /// Distance of the material points to the reference over all frames, RMS \[m\].
    rms_over_time_m: Option<f64>,
    /// Distance of the material points to the reference over all frames, largest \[m\].
    max_over_time_m: Option<f64>,
    /// Change of the total energy from the first to the last frame \[J\].
    energy_drift: Option<f64>,
    /// Number of steps.
    steps: usize,
    /// Number of substeps of all steps.
    substeps: u64,
    /// Largest number of iterations per substep.
    iterations_max: Option<u32>,
    /// Time of the scene at the end \[s\].
    simulated_s: Option<f64>,
    /// Wall time of all steps \[s\].
    wall_s: f64,
    /// CPU time of all steps and threads, of the quickest run \[s\].
    cpu_s: f64,
    /// Wall time of the solver \[s\].
    solve_wall_s: f64,
    /// Mean wall time of a step \[ms\].
    frame_ms: Option<f64>,
    /// Number of times that the variant ran.
    runs: usize,
    /// CPU time of all steps and threads, of the slowest run \[s\].
    cpu_most_s: Option<f64>,
    /// `true` if the distance to the reference may be an error of the reference. Empty without a check of the reference.
    doubtful: Option<bool>,
}

/// Shift of the reference when it is refined. One row per refinement; absent with `--no-check`.
#[derive(Default, Serialize, JsonSchema)]
struct CheckRow {
    /// Kind of the refinement.
    refined: &'static str,
    /// Keys that it sets, separated by `/`.
    sets: String,
    /// `done`, `failed` or `stopped`.
    outcome: &'static str,
    /// Reason for a failure.
    message: String,
    /// Largest number of vertices of all frames.
    vertices_max: Option<usize>,
    /// Number of substeps of all steps.
    substeps: u64,
    /// Distance of the material points to the reference in the last frame, RMS \[m\].
    rms_last_m: Option<f64>,
    /// Distance of the material points to the reference in the last frame, largest \[m\].
    max_last_m: Option<f64>,
    /// Distance of the material points to the reference over all frames, RMS \[m\].
    rms_over_time_m: Option<f64>,
    /// Distance of the material points to the reference over all frames, largest \[m\].
    max_over_time_m: Option<f64>,
    /// Wall time of all steps \[s\].
    wall_s: f64,
    /// CPU time of all steps and threads \[s\].
    cpu_s: f64,
}

/// Counts, energies, distance to the reference and cost of each step. One row per variant and frame.
#[derive(Default, Serialize, JsonSchema)]
struct FrameRow {
    /// Number of the variant, from 0.
    variant: usize,
    /// Frame, counted from 0, the initial state.
    frame: usize,
    /// Time \[s\].
    time: f64,
    /// Number of vertices of all cloths.
    vertices: usize,
    /// Number of faces of all cloths.
    faces: usize,
    /// Distance of the material points to the reference, RMS \[m\].
    rms_m: Option<f64>,
    /// Distance of the material points to the reference, largest \[m\].
    max_m: Option<f64>,
    /// Number of substeps of the step.
    substeps: u32,
    /// Number of iterations per substep.
    iterations: u32,
    /// Wall time of the step \[ms\].
    step_ms: f64,
}

/// Positions of the probes. One row per variant, frame and point.
#[derive(Default, Serialize, JsonSchema)]
struct PointRow {
    /// Number of the variant, from 0.
    variant: usize,
    /// Frame, counted from 0, the initial state.
    frame: usize,
    /// Time \[s\].
    time: f64,
    /// Name of the point.
    point: String,
    /// First material coordinate \[m\]; on a rope the fraction of its length.
    u: f64,
    /// Second material coordinate \[m\]; 0 on a rope.
    v: f64,
    /// Third material coordinate, in a solid \[m\].
    w: Option<f64>,
    /// World position along x \[m\].
    x: f64,
    /// World position along y \[m\].
    y: f64,
    /// World position along z \[m\].
    z: f64,
    /// Distance to the same point in the reference at the same time \[m\].
    distance_to_reference_m: Option<f64>,
    /// Panel of the point, if its cloth has several.
    panel: Option<u32>,
}

/// Tables that a study writes.
pub fn output_files() -> [OutputFile; 4] {
    [
        variants(),
        frames(),
        OutputFile::table::<PointRow>("trajectories.csv"),
        OutputFile::table::<CheckRow>("check.csv"),
    ]
}

/// Columns with one value for all frames before others of a row, and words for what the value is.
const OVER_FRAMES: [(&str, OverFrames, &str); 2] = [
    ("steps", OverFrames::Largest, ", over all frames ["),
    ("energy_drift", OverFrames::Last, ", in the last frame ["),
];

/// Columns of a study with one value for all frames.
fn columns_over(over: OverFrames) -> impl Iterator<Item = &'static Column> {
    Column::of_studies().filter(move |column| column.shown == Shown::InStudies(over))
}

fn variants() -> OutputFile {
    let add = |file: OutputFile, (next, over, when): (&str, OverFrames, &'static str)| {
        let columns = columns_over(over).map(|column| (column, column.meaning.replacen(" [", when, 1)));
        file.with_columns(place::<VariantRow>(next), true, columns)
    };
    OVER_FRAMES.into_iter().fold(OutputFile::table::<VariantRow>("study.csv"), add)
}

fn frames() -> OutputFile {
    let columns = Column::of_studies().map(|column| (column, column.meaning.to_owned()));
    OutputFile::table::<FrameRow>("frames.csv").with_columns(place::<FrameRow>("substeps"), false, columns)
}

/// Place of a column of a row.
fn place<R: Serialize + Default>(name: &str) -> usize {
    header::<R>().iter().position(|column| column == name).expect("the row has the column")
}

/// The names of the columns of a table.
fn names(file: &OutputFile) -> Vec<String> {
    file.columns().expect("it is a table").to_vec()
}

/// The value of a column in a frame.
fn value(column: &Column, frame: &FrameRecord) -> Option<Value> {
    column.read(&StepReport { metrics: frame.metrics, ..StepReport::default() })
}

/// The value as a field of a table.
fn field(column: &Column, frame: Option<&FrameRecord>) -> String {
    fields(&[frame.and_then(|frame| value(column, frame))]).concat()
}

/// Number of columns of `study.csv` before those of the keys that vary.
const BEFORE_KEYS: usize = 2;

/// Smallest, largest and last value of a count over the frames of a run.
pub(super) fn extent(run: &Run, count: impl Fn(&FrameRecord) -> usize) -> Option<[usize; 3]> {
    let counts = || run.frames.iter().map(&count);
    Some([counts().min()?, counts().max()?, counts().next_back()?])
}

/// End of a run: a word and, if it failed, the reason.
pub(super) fn outcome_words(outcome: &Outcome) -> (&'static str, &str) {
    match outcome {
        Outcome::Done => ("done", ""),
        Outcome::Failed(reason) => ("failed", reason),
        Outcome::Stopped => ("stopped", ""),
    }
}

/// `study.csv`.
pub(super) fn study_csv(report: &StudyReport) -> String {
    let keys: Vec<&str> = report.keys();
    let with_keys = |mut columns: Vec<String>, keys: Vec<String>| {
        columns.splice(BEFORE_KEYS..BEFORE_KEYS, keys);
        columns
    };
    let key_names = keys.iter().map(|key| (*key).to_owned()).collect();
    let mut table = Table::new(with_keys(names(&variants()), key_names));
    for number in 0..report.runs.len() {
        let variant = &report.study.variants[number];
        let value = |key: &&str| {
            let set = variant.assignments.iter().find(|a: &&Assignment| a.key == **key);
            set.map_or(String::new(), |a| a.value.clone())
        };
        table.add(with_keys(variant_fields(report, number), keys.iter().map(value).collect()));
    }
    table.finish()
}

fn variant_fields(report: &StudyReport, number: usize) -> Vec<String> {
    let mut row = fields(&variant_row(report, number));
    let run = &report.runs[number];
    let number = |column: &Column, frame: &FrameRecord| value(column, frame).map_or(f64::NAN, Value::number);
    for (next, over, _) in OVER_FRAMES {
        let chosen = |column: &Column| match over {
            OverFrames::Last => run.frames.last(),
            OverFrames::Largest => {
                run.frames.iter().max_by(|a, b| number(column, a).total_cmp(&number(column, b)))
            }
        };
        let place = place::<VariantRow>(next);
        row.splice(place..place, columns_over(over).map(|column| field(column, chosen(column))));
    }
    row
}

fn variant_row(report: &StudyReport, number: usize) -> VariantRow {
    let (run, comparison) = (&report.runs[number], &report.comparisons[number]);
    let (outcome, message) = outcome_words(&run.outcome);
    let (vertices, faces) = (extent(run, |frame| frame.vertices), extent(run, |frame| frame.faces));
    let last = run.frames.last();
    let is_checked = report.check.as_ref().is_some_and(|check| check.moves().is_some());
    VariantRow {
        variant: number,
        label: report.study.variants[number].label.clone(),
        reference: number == report.reference,
        outcome,
        message: message.to_owned(),
        solver: run.solver.clone(),
        vertices_min: vertices.map(|[least, ..]| least),
        vertices_max: vertices.map(|[_, most, _]| most),
        vertices_final: vertices.map(|[.., last]| last),
        faces_min: faces.map(|[least, ..]| least),
        faces_max: faces.map(|[_, most, _]| most),
        faces_final: faces.map(|[.., last]| last),
        rms_last_m: comparison.last.map(rms),
        max_last_m: comparison.last.map(most),
        rms_over_time_m: comparison.over_time.map(rms),
        max_over_time_m: comparison.over_time.map(most),
        energy_drift: report.energy_drift(number),
        steps: run.steps(),
        substeps: substeps(run),
        iterations_max: run.frames.iter().map(|frame| frame.cost.iterations).max(),
        simulated_s: last.map(|frame| frame.time),
        wall_s: rounded(run.total(|c| c.wall), 6),
        cpu_s: rounded(run.total(|c| c.cpu), 6),
        solve_wall_s: rounded(run.total(|c| c.solve), 6),
        frame_ms: frame_milliseconds(run).map(|time| rounded(time, 4)),
        runs: run.cpu_times.len(),
        cpu_most_s: run.cpu_times.iter().copied().reduce(f64::max).map(|time| rounded(time, 6)),
        doubtful: is_checked.then(|| report.doubtful().contains(&number)),
    }
}

/// `check.csv`: shift of the reference when it is refined.
pub(super) fn check_csv(check: &ReferenceCheck) -> String {
    let mut table = Table::new(header::<CheckRow>());
    for Refinement { kind, changes, run, comparison, .. } in &check.refinements {
        let (outcome, message) = outcome_words(&run.outcome);
        let sets: Vec<String> = changes.iter().map(Assignment::to_string).collect();
        table.add(fields(&CheckRow {
            refined: kind.words(),
            sets: sets.join("/"),
            outcome,
            message: message.to_owned(),
            vertices_max: extent(run, |frame| frame.vertices).map(|[_, most, _]| most),
            substeps: substeps(run),
            rms_last_m: comparison.last.map(rms),
            max_last_m: comparison.last.map(most),
            rms_over_time_m: comparison.over_time.map(rms),
            max_over_time_m: comparison.over_time.map(most),
            wall_s: rounded(run.total(|c| c.wall), 6),
            cpu_s: rounded(run.total(|c| c.cpu), 6),
        }));
    }
    table.finish()
}

/// Largest strain of any face at any time.
pub(super) fn max_strain(run: &Run) -> f64 {
    run.frames.iter().map(|frame| frame.metrics.max_strain).fold(0.0, f64::max)
}

/// Mean wall time of a step \[ms\]; `None` without steps.
pub(super) fn frame_milliseconds(run: &Run) -> Option<f64> {
    (run.steps() > 0).then(|| 1e3 * run.total(|c| c.wall) / run.steps() as f64)
}

/// `frames.csv`.
pub(super) fn frames_csv(report: &StudyReport) -> String {
    let (mut table, place) = (Table::new(names(&frames())), place::<FrameRow>("substeps"));
    for (variant, run) in report.runs.iter().enumerate() {
        for (frame, (record, deviation)) in
            run.frames.iter().zip(&report.comparisons[variant].frames).enumerate()
        {
            let cost = &record.cost;
            let mut row = fields(&FrameRow {
                variant,
                frame,
                time: record.time,
                vertices: record.vertices,
                faces: record.faces,
                rms_m: deviation.map(rms),
                max_m: deviation.map(most),
                substeps: cost.substeps,
                iterations: cost.iterations,
                step_ms: rounded(1e3 * cost.wall, 4),
            });
            let values = Column::of_studies().map(|column| field(column, Some(record)));
            row.splice(place..place, values);
            table.add(row);
        }
    }
    table.finish()
}

/// `trajectories.csv`.
pub(super) fn trajectories_csv(report: &StudyReport) -> String {
    let mut table = Table::new(header::<PointRow>());
    let reference = &report.runs[report.reference];
    for (variant, run) in report.runs.iter().enumerate() {
        for (frame, record) in run.frames.iter().enumerate() {
            let partner = report.comparisons[variant].partners[frame].map(|other| &reference.frames[other]);
            for tracked in &report.study.tracked {
                let (point, position) = (report.study.points[tracked.point], record.points[tracked.point]);
                let ((u, v, w), [x, y, z]) = (point.coordinates(), position.to_array());
                table.add(fields(&PointRow {
                    variant,
                    frame,
                    time: record.time,
                    point: tracked.name.clone(),
                    u,
                    v,
                    w,
                    x,
                    y,
                    z,
                    distance_to_reference_m: partner
                        .map(|other| other.points[tracked.point].distance(position)),
                    panel: point.panel(),
                }));
            }
        }
    }
    table.finish()
}

fn rms(deviation: Deviation) -> f64 {
    deviation.rms
}

fn most(deviation: Deviation) -> f64 {
    deviation.max
}

/// Number of substeps of all steps.
fn substeps(run: &Run) -> u64 {
    run.frames.iter().map(|frame| u64::from(frame.cost.substeps)).sum()
}

/// A number, rounded to some decimals.
fn rounded(value: f64, decimals: i32) -> f64 {
    let scale = 10f64.powi(decimals);
    (value * scale).round() / scale
}

/// A table in memory. Writing there cannot fail.
struct Table(csv::Writer<Vec<u8>>);

impl Table {
    fn new(columns: Vec<String>) -> Self {
        let mut table = Self(csv::Writer::from_writer(Vec::new()));
        table.add(columns);
        table
    }

    fn add(&mut self, row: Vec<String>) {
        self.0.write_record(row).expect("all rows of a table have the same number of fields");
    }

    fn finish(self) -> String {
        let bytes = self.0.into_inner().expect("memory takes all that is written");
        String::from_utf8(bytes).expect("text was written")
    }
}
