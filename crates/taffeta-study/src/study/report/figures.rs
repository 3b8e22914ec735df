//! Which plots a study shows.

mod chart;
mod sweeps;

use super::plot::{AxisOf, Look, Panel, Series};
use crate::study::StudyReport;
use crate::study::points::{PointOnCloth, StudyPoint};
use crate::study::simulate::{FrameRecord, Run};
use chart::{Across, Noted, WIDE, chart};
use glam::DVec3;
use taffeta_core::PanelPoint;

/// Size of one of two in a row.
const HALF: (u32, u32) = (520, 300);
/// Size of one of three in a row.
const THIRD: (u32, u32) = (380, 260);

/// Plots with a common legend.
pub(crate) struct Figure {
    /// Anchor in the page, of no other figure.
    pub id: String,
    pub title: String,
    /// Description of the figure, and notes on it.
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
        error_at_end(report, Across::Vertices, "error-vertices", "Error against resolution"),
        error_at_end(report, Across::Time, "error-time", "Error against cost"),
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
        "vertices",
        "Vertices",
        AxisOf { name: "vertices", unit: "", log: false },
        |frame| frame.vertices as f64,
    ));
    figures
}

/// The error at the end of each variant across something.
fn error_at_end(report: &StudyReport, across: Across, id: &str, title: &str) -> Figure {
    let y = AxisOf { name: "RMS distance at the end", unit: "m", log: true };
    let error = |number: usize| {
        let error = report.comparisons[number].last?.rms;
        (number != report.reference && error > 0.0).then_some(error)
    };
    let (panels, legend) = chart(report, across, y, Noted::Everywhere, error);
    let against = match across {
        Across::Time => ", against the CPU time of all threads for one step",
        Across::Vertices | Across::Sweeps => "",
    };
    let caption = match panels.is_empty() {
        true => {
            "No variant has come to its end at a distance from the reference: nothing to show.".to_owned()
        }
        false => format!(
            "RMS distance of the material points to those of the reference ({}) at the end{against}. The reference itself \
             and variants without a difference do not appear.",
            report.label(report.reference),
        ),
    };
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
    id: &'static str,
    title: &str,
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
    Figure {
        id: "error-over-time".to_owned(),
        title: "Error against time".to_owned(),
        caption: "RMS distance of the material points to those of the reference.".to_owned(),
        panels: panel.if_visible(),
        legend,
    }
}

/// Returns whether some points are on another panel than the first of their cloth.
fn has_panels(report: &StudyReport) -> bool {
    report.study.points.iter().any(|point| point.panel().is_some_and(|panel| panel > 0))
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
        StudyPoint::OnCloth(PointOnCloth { point: PanelPoint { panel, material: u }, .. }) => {
            let panel = panel.filter(|_| has_panels(report));
            let panel = panel.map_or(String::new(), |panel| format!(" of panel {panel}"));
            format!("material point ({:.4}, {:.4}) m{panel}", u.x, u.y)
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
        Some(record.metrics.energy() - first.metrics.energy())
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
