//! Which plots a study shows.

mod sweeps;

use super::StudyReport;
use super::plot::{AxisOf, Look, Panel, Series};
use super::points::{PointOnCloth, StudyPoint};
use super::simulate::{FrameRecord, Run};
use super::tables::{extent, total_energy};
use glam::DVec3;

/// Size of a plot that stands alone \[px\].
const WIDE: (u32, u32) = (760, 380);
/// Size of one of two in a row.
const HALF: (u32, u32) = (520, 300);
/// Size of one of three in a row.
const THIRD: (u32, u32) = (380, 260);

/// Plots with a common legend.
pub(super) struct Figure {
    /// Anchor in the page, of no other figure.
    pub id: String,
    pub title: String,
    /// What is shown, and what to know about it.
    pub caption: String,
    /// The plots; empty: there is nothing to show, and the caption says why.
    pub panels: Vec<Panel>,
    pub legend: Vec<(Look, String)>,
}

// Seconds without a prefix: "200 ms" is harder to find in a film than "0.2 s".
const TIME: AxisOf = AxisOf { name: "time [s]", unit: "", log: false };

/// All figures of a report.
pub(super) fn figures(report: &StudyReport) -> Vec<Figure> {
    let mut figures = vec![
        scatter(report, "error-vertices", "Error against resolution", |run| {
            extent(run, |frame| frame.vertices).map(|[_, most, _]| most as f64)
        }),
        scatter(report, "error-time", "Error against cost", |run| {
            (run.steps() > 0).then(|| run.total(|cost| cost.cpu) / run.steps() as f64)
        }),
    ];
    figures.extend(sweeps::figures(report));
    if report.runs.iter().all(|run| run.is_equilibrium || run.frames.len() < 3) {
        return figures;
    }
    figures.push(error_over_time(report));
    figures.extend(report.study.tracked.iter().map(|point| trajectory(report, &point.name, point.point)));
    figures.push(energies(report));
    figures.push(over_time(
        report,
        ("vertices", "Vertices"),
        AxisOf { name: "vertices", unit: "", log: false },
        |frame| frame.vertices as f64,
    ));
    figures
}

/// Variants that differ only in one axis, in its order: the axis that changes the number of vertices most.
fn groups(report: &StudyReport) -> Vec<(String, Vec<usize>)> {
    let axes = &report.study.axes;
    let sizes = |number: &usize| {
        extent(&report.runs[*number], |f| f.vertices).map_or(0.0, |[_, most, _]| most as f64)
    };
    // Numbers of the variants that share all entries but that of one axis.
    let along = |axis: usize| {
        let mut groups: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        for (number, variant) in report.study.variants.iter().enumerate() {
            let Some(mut key) = variant.choices.clone() else { continue };
            key.remove(axis);
            match groups.iter_mut().find(|(other, _)| *other == key) {
                Some((_, group)) => group.push(number),
                None => groups.push((key, vec![number])),
            }
        }
        groups
    };
    let spread = |axis: usize| {
        let ratio = |group: &[usize]| {
            let sizes: Vec<f64> = group.iter().map(sizes).collect();
            sizes.iter().copied().fold(1.0, f64::max)
                / sizes.iter().copied().fold(f64::INFINITY, f64::min).max(1.0)
        };
        along(axis).iter().map(|(_, group)| ratio(group)).fold(1.0, f64::max)
    };
    let best = (0..axes.len()).rev().max_by(|a, b| spread(*a).total_cmp(&spread(*b)));
    let Some(axis) = best else { return Vec::new() };
    let name = |key: &[usize]| {
        let others = (0..axes.len()).filter(|other| *other != axis).zip(key);
        let labels: Vec<String> =
            others.map(|(other, entry)| report.study.names.label(&axes[other].entries[*entry])).collect();
        labels.join(" ")
    };
    along(axis).into_iter().map(|(key, group)| (name(&key), group)).collect()
}

/// What distinguishes a variant within its group: its values that no other of the group has.
fn note(report: &StudyReport, number: usize, group: &[usize]) -> String {
    let all = |number: usize| &report.study.variants[number].assignments;
    let own = all(number).iter().filter(|a| !group.iter().all(|other| all(*other).contains(a)));
    own.map(|a| a.value.clone()).collect::<Vec<_>>().join(" ")
}

/// The error at the end against a quantity of each variant.
fn scatter(
    report: &StudyReport,
    id: &'static str,
    title: &str,
    quantity: impl Fn(&Run) -> Option<f64>,
) -> Figure {
    let is_time = id == "error-time";
    let x = match is_time {
        true => AxisOf { name: "CPU time per step", unit: "s", log: true },
        false => AxisOf { name: "vertices (most)", unit: "", log: true },
    };
    let mut series = Vec::new();
    let mut legend = Vec::new();
    for (name, group) in groups(report) {
        let look = Look(legend.len());
        let point = |number: &usize| {
            let error = report.comparisons[*number].last?.rms;
            let x = quantity(&report.runs[*number])?;
            (*number != report.reference && error > 0.0).then(|| ((x, error), note(report, *number, &group)))
        };
        let mut found: Vec<((f64, f64), String)> = group.iter().filter_map(point).collect();
        found.sort_by(|((a, _), _), ((b, _), _)| a.total_cmp(b));
        if found.is_empty() {
            continue;
        }
        let (points, notes) = found.into_iter().unzip();
        series.push(Series { look, points, notes });
        legend.push((look, name));
    }
    let y = AxisOf { name: "RMS distance at the end", unit: "m", log: true };
    let panel = Panel { x, y, series, least_span: 0.0, size: WIDE };
    let caption = match panel.is_empty() {
        true => {
            "No variant has come to its end at a distance from the reference: nothing to show.".to_owned()
        }
        false => format!(
            "RMS distance of the material points to those of the reference ({}) at the end{}. The reference itself \
             and variants without a difference do not appear.",
            report.label(report.reference),
            if is_time { ", against the CPU time of all threads for one step" } else { "" }
        ),
    };
    legend.retain(|(_, name)| !name.is_empty());
    let panels = if panel.is_empty() { Vec::new() } else { vec![panel] };
    Figure { id: id.to_owned(), title: title.to_owned(), caption, panels, legend }
}

/// The legend that names all variants.
fn variant_legend(report: &StudyReport) -> Vec<(Look, String)> {
    let name = |number: usize| {
        let note = if number == report.reference { " (reference)" } else { "" };
        (Look(number), format!("{}{note}", report.label(number)))
    };
    (0..report.runs.len()).map(name).collect()
}

/// One line per variant.
fn lines(report: &StudyReport, value: impl Fn(usize, usize, &FrameRecord) -> Option<f64>) -> Vec<Series> {
    let line = |(number, run): (usize, &Run)| {
        let frames = run.frames.iter().enumerate();
        let points = frames.filter_map(|(frame, record)| Some((record.time, value(number, frame, record)?)));
        Series { look: Look(number), points: points.collect(), notes: Vec::new() }
    };
    report.runs.iter().enumerate().map(line).collect()
}

fn over_time(
    report: &StudyReport,
    (id, title): (&'static str, &str),
    y: AxisOf,
    value: impl Fn(&FrameRecord) -> f64,
) -> Figure {
    let series = lines(report, |_, _, record| Some(value(record)));
    let panel = Panel { x: TIME, y, series, least_span: 0.0, size: WIDE };
    Figure {
        id: id.to_owned(),
        title: title.to_owned(),
        caption: String::new(),
        panels: vec![panel],
        legend: variant_legend(report),
    }
}

fn error_over_time(report: &StudyReport) -> Figure {
    let distance = |number: usize, frame: usize, _: &FrameRecord| {
        let deviation = report.comparisons[number].frames.get(frame).copied().flatten()?;
        (number != report.reference).then_some(deviation.rms)
    };
    let y = AxisOf { name: "RMS distance", unit: "m", log: false };
    let panel = Panel { x: TIME, y, series: lines(report, distance), least_span: 0.0, size: WIDE };
    let mut legend = variant_legend(report);
    legend.remove(report.reference);
    let panels = if panel.is_empty() { Vec::new() } else { vec![panel] };
    Figure {
        id: "error-over-time".to_owned(),
        title: "Error against time".to_owned(),
        caption: "RMS distance of the material points to those of the reference.".to_owned(),
        panels,
        legend,
    }
}

fn trajectory(report: &StudyReport, name: &str, point: usize) -> Figure {
    let extents = |c: usize| {
        let values =
            || report.runs.iter().flat_map(|run| &run.frames).map(move |frame| frame.points[point][c]);
        values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min)
    };
    // A direction in which nothing happens should look like it.
    let least_span = 0.1 * (0..3).map(extents).fold(0.0, f64::max);
    let panel = |axis: &'static str, direction: DVec3| {
        let series = lines(report, |_, _, record| Some(record.points[point].dot(direction)));
        Panel { x: TIME, y: AxisOf { name: axis, unit: "m", log: false }, series, least_span, size: THIRD }
    };
    let place = match report.study.points[point] {
        StudyPoint::OnCloth(PointOnCloth { material: u, .. }) => {
            format!("material point ({:.4}, {:.4}) m", u.x, u.y)
        }
        StudyPoint::OnRope { at, .. } => format!("point at {at:.4} of the length of the rope"),
        StudyPoint::InSolid { material: p, .. } => {
            format!("point of the solid that is at rest at ({:.4}, {:.4}, {:.4}) m", p.x, p.y, p.z)
        }
    };
    Figure {
        id: format!("trajectory-{point}"),
        title: format!("Trajectory: {name}"),
        caption: format!("World coordinates of the {place}."),
        panels: vec![panel("x", DVec3::X), panel("y", DVec3::Y), panel("z", DVec3::Z)],
        legend: variant_legend(report),
    }
}

fn energies(report: &StudyReport) -> Figure {
    let panel = |name: &'static str, energy: fn(&FrameRecord) -> f64| {
        let series = lines(report, |_, _, record| Some(energy(record)));
        Panel { x: TIME, y: AxisOf { name, unit: "J", log: false }, series, least_span: 0.0, size: HALF }
    };
    let drift = |number: usize, _: usize, record: &FrameRecord| {
        let first = report.runs[number].frames.first()?;
        Some(total_energy(&record.metrics) - total_energy(&first.metrics))
    };
    let y = AxisOf { name: "total energy, change", unit: "J", log: false };
    let total = Panel { x: TIME, y, series: lines(report, drift), least_span: 0.0, size: HALF };
    Figure {
        id: "energies".to_owned(),
        title: "Energies".to_owned(),
        caption: "The total counts gravity; it is kept only where nothing damps, moves or touches the cloth."
            .to_owned(),
        panels: vec![
            panel("kinetic energy", |frame| frame.metrics.kinetic_energy),
            panel("stretch energy", |frame| frame.metrics.stretch_energy),
            panel("bend energy", |frame| frame.metrics.bend_energy),
            total,
        ],
        legend: variant_legend(report),
    }
}
