//! The tables of a study as CSV.
//!
//! | file | a row per | content |
//! |---|---|---|
//! | `study.csv` | variant | what it sets, how it ended, distance to the reference, energies, cost |
//! | `frames.csv` | variant and frame | counts, energies, distance to the reference, cost of the step |
//! | `trajectories.csv` | variant, frame and point | where the probes are |
//! | `check.csv` | refinement of the reference | what it sets, how far the reference moves, cost |
//!
//! A variant that ran several times has the times of the run that took the least CPU time, and in `cpu_most_s` that of the
//! slowest one. It is `doubtful` if its distance to the reference may be an error of the reference.
//!
//! Units: m, s, J; times of steps in ms. A field that is unknown is empty. `u`, `v`, `w` are material coordinates: two on a
//! cloth, whose panel is in `panel`, three in a solid; on a rope `u` is the fraction of its length.

use super::compare::Deviation;
use super::simulate::{FrameRecord, Outcome, Run};
use super::{Assignment, ReferenceCheck, Refinement, StudyReport};
use taffeta_sim::Metrics;

/// Columns of `study.csv` after the number, the label and those of the keys that vary.
const VARIANT_COLUMNS: [&str; 31] = [
    "reference",
    "outcome",
    "message",
    "solver",
    "vertices_min",
    "vertices_max",
    "vertices_final",
    "faces_min",
    "faces_max",
    "faces_final",
    "rms_last_m",
    "max_last_m",
    "rms_over_time_m",
    "max_over_time_m",
    "kinetic_energy",
    "stretch_energy",
    "bend_energy",
    "gravity_energy",
    "energy_drift",
    "max_strain",
    "steps",
    "substeps",
    "iterations_max",
    "simulated_s",
    "wall_s",
    "cpu_s",
    "solve_wall_s",
    "frame_ms",
    "runs",
    "cpu_most_s",
    "doubtful",
];

/// Columns of `check.csv`.
const CHECK_COLUMNS: [&str; 12] = [
    "refined",
    "sets",
    "outcome",
    "message",
    "vertices_max",
    "substeps",
    "rms_last_m",
    "max_last_m",
    "rms_over_time_m",
    "max_over_time_m",
    "wall_s",
    "cpu_s",
];

/// Columns of `frames.csv`.
const FRAME_COLUMNS: [&str; 15] = [
    "variant",
    "frame",
    "time",
    "vertices",
    "faces",
    "rms_m",
    "max_m",
    "kinetic_energy",
    "stretch_energy",
    "bend_energy",
    "gravity_energy",
    "max_strain",
    "substeps",
    "iterations",
    "step_ms",
];

/// Columns of `trajectories.csv`.
const POINT_COLUMNS: [&str; 12] =
    ["variant", "frame", "time", "point", "u", "v", "w", "x", "y", "z", "distance_to_reference_m", "panel"];

/// Total energy \[J\].
pub(super) fn total_energy(metrics: &Metrics) -> f64 {
    metrics.kinetic_energy + metrics.stretch_energy + metrics.bend_energy + metrics.gravity_energy
}

/// Smallest, largest and last value of a count over the frames of a run.
pub(super) fn extent(run: &Run, count: impl Fn(&FrameRecord) -> usize) -> Option<[usize; 3]> {
    let counts = || run.frames.iter().map(&count);
    Some([counts().min()?, counts().max()?, counts().next_back()?])
}

/// How a run ended: a word and, if it failed, why.
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
    let mut table =
        Table::new(["variant", "label"].into_iter().chain(keys.iter().copied()).chain(VARIANT_COLUMNS));
    for number in 0..report.runs.len() {
        let variant = &report.study.variants[number];
        let value = |key: &&str| {
            let set = variant.assignments.iter().find(|a: &&Assignment| a.key == **key);
            set.map_or(String::new(), |a| a.value.clone())
        };
        let mut row = vec![number.to_string(), variant.label.clone()];
        row.extend(keys.iter().map(value));
        row.extend(variant_fields(report, number));
        table.add(row);
    }
    table.finish()
}

fn variant_fields(report: &StudyReport, number: usize) -> Vec<String> {
    let (run, comparison) = (&report.runs[number], &report.comparisons[number]);
    let (outcome, message) = outcome_words(&run.outcome);
    let mut row = vec![
        (number == report.reference).to_string(),
        outcome.to_owned(),
        message.to_owned(),
        run.solver.clone(),
    ];
    for counts in [extent(run, |frame| frame.vertices), extent(run, |frame| frame.faces)] {
        row.extend((0..3).map(|k| optional(counts.map(|c| c[k]))));
    }
    row.extend(deviation_fields(comparison.last));
    row.extend(deviation_fields(comparison.over_time));
    let last = run.frames.last();
    let energy = |of: fn(&Metrics) -> f64| optional(last.map(|frame| float(of(&frame.metrics))));
    row.extend([energy(|m| m.kinetic_energy), energy(|m| m.stretch_energy)]);
    row.extend([energy(|m| m.bend_energy), energy(|m| m.gravity_energy)]);
    row.push(optional(report.energy_drift(number).map(float)));
    row.push(optional(last.map(|_| float(max_strain(run)))));
    row.extend([run.steps().to_string(), run.total(|c| f64::from(c.substeps)).to_string()]);
    row.push(optional(run.frames.iter().map(|frame| frame.cost.iterations).max()));
    row.push(optional(last.map(|frame| float(frame.time))));
    row.extend(
        [run.total(|c| c.wall), run.total(|c| c.cpu), run.total(|c| c.solve)].map(|t| format!("{t:.6}")),
    );
    row.push(optional(frame_milliseconds(run).map(|t| format!("{t:.4}"))));
    let most = run.cpu_times.iter().copied().reduce(f64::max);
    row.extend([run.cpu_times.len().to_string(), optional(most.map(|t| format!("{t:.6}")))]);
    let is_known = report.check.as_ref().is_some_and(|check| check.moves().is_some());
    row.push(optional(is_known.then(|| report.doubtful().contains(&number))));
    row
}

/// `check.csv`: how far the reference moves when it is refined.
pub(super) fn check_csv(check: &ReferenceCheck) -> String {
    let mut table = Table::new(CHECK_COLUMNS);
    for Refinement { kind, changes, run, comparison, .. } in &check.refinements {
        let (outcome, message) = outcome_words(&run.outcome);
        let sets: Vec<String> = changes.iter().map(Assignment::to_string).collect();
        let mut row = vec![kind.words().to_owned(), sets.join("/"), outcome.to_owned(), message.to_owned()];
        row.push(optional(extent(run, |frame| frame.vertices).map(|[_, most, _]| most)));
        row.push(run.total(|c| f64::from(c.substeps)).to_string());
        row.extend(deviation_fields(comparison.last));
        row.extend(deviation_fields(comparison.over_time));
        row.extend([run.total(|c| c.wall), run.total(|c| c.cpu)].map(|t| format!("{t:.6}")));
        table.add(row);
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
    let mut table = Table::new(FRAME_COLUMNS);
    for (number, run) in report.runs.iter().enumerate() {
        for (frame, (record, deviation)) in
            run.frames.iter().zip(&report.comparisons[number].frames).enumerate()
        {
            let (metrics, cost) = (&record.metrics, &record.cost);
            let mut row = vec![number.to_string(), frame.to_string(), float(record.time)];
            row.extend([record.vertices.to_string(), record.faces.to_string()]);
            row.extend(deviation_fields(*deviation));
            let energies = [metrics.kinetic_energy, metrics.stretch_energy, metrics.bend_energy];
            row.extend(energies.map(float));
            row.extend([metrics.gravity_energy, metrics.max_strain].map(float));
            row.extend([cost.substeps, cost.iterations].map(|count| count.to_string()));
            row.push(format!("{:.4}", 1e3 * cost.wall));
            table.add(row);
        }
    }
    table.finish()
}

/// `trajectories.csv`.
pub(super) fn trajectories_csv(report: &StudyReport) -> String {
    let mut table = Table::new(POINT_COLUMNS);
    let reference = &report.runs[report.reference];
    for (number, run) in report.runs.iter().enumerate() {
        for (frame, record) in run.frames.iter().enumerate() {
            let partner = report.comparisons[number].partners[frame].map(|other| &reference.frames[other]);
            for tracked in &report.study.tracked {
                let (point, x) = (report.study.points[tracked.point], record.points[tracked.point]);
                let distance = partner.map(|other| other.points[tracked.point].distance(x));
                let mut row = vec![number.to_string(), frame.to_string(), float(record.time)];
                row.push(tracked.name.clone());
                let (u, v, w) = point.coordinates();
                row.extend([float(u), float(v), optional(w.map(float))]);
                row.extend(x.to_array().map(float));
                row.push(optional(distance.map(float)));
                row.push(optional(point.panel()));
                table.add(row);
            }
        }
    }
    table.finish()
}

fn deviation_fields(deviation: Option<Deviation>) -> [String; 2] {
    [optional(deviation.map(|d| float(d.rms))), optional(deviation.map(|d| float(d.max)))]
}

/// A number as short as it can be read back, with an exponent where that is shorter.
fn float(value: f64) -> String {
    format!("{value:?}")
}

fn optional(value: Option<impl ToString>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// A table in memory. Writing there cannot fail.
struct Table(csv::Writer<Vec<u8>>);

impl Table {
    fn new<'a>(columns: impl IntoIterator<Item = &'a str>) -> Self {
        let mut table = Self(csv::Writer::from_writer(Vec::new()));
        table.add(columns.into_iter().map(str::to_owned).collect());
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
