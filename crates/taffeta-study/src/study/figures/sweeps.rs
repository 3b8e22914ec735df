//! Plots that do not depend on the machine: against the sweeps of a step as its cost, and against the number of
//! vertices.

use super::{Figure, WIDE, groups, note};
use crate::study::plot::{AxisOf, Look, Panel, Series};
use crate::study::simulate::Run;
use crate::study::tables::extent;
use crate::study::{StudyReport, TrackedPoint};

/// What the variants are told apart by along the horizontal axis.
#[derive(Clone, Copy)]
enum Across {
    Vertices,
    Sweeps,
}

impl Across {
    fn axis(self) -> AxisOf {
        match self {
            Self::Vertices => AxisOf { name: "vertices (most)", unit: "", log: true },
            Self::Sweeps => AxisOf { name: "sweeps per frame (substeps × iterations)", unit: "", log: true },
        }
    }

    fn of(self, run: &Run) -> Option<f64> {
        match self {
            Self::Vertices => extent(run, |frame| frame.vertices).map(|[_, most, _]| most as f64),
            Self::Sweeps => {
                let sweeps = run.total(|cost| f64::from(cost.substeps) * f64::from(cost.iterations));
                (run.steps() > 0).then(|| sweeps / run.steps() as f64)
            }
        }
    }

    fn varies(self, report: &StudyReport) -> bool {
        let mut found = report.runs.iter().filter_map(|run| self.of(run));
        let first = found.next();
        found.any(|value| Some(value) != first)
    }
}

/// The plots for which something varies.
pub(super) fn figures(report: &StudyReport) -> Vec<Figure> {
    let mut figures = Vec::new();
    if Across::Sweeps.varies(report) {
        figures.push(error(report));
        figures.push(energy(report));
    }
    let tracked = || report.study.tracked.iter().enumerate();
    // Of several lines over vertices and sweeps, those over the vertices tell more: sweeps may follow the mesh.
    for across in [Across::Vertices, Across::Sweeps] {
        if across.varies(report) {
            figures.extend(tracked().map(|(number, point)| ends(report, across, (number, point))));
            break;
        }
    }
    figures.retain(|figure| !figure.panels.is_empty());
    figures
}

/// One line per group of variants. Only the first line says what its points are: the others are like it.
fn chart(
    report: &StudyReport,
    across: Across,
    y: AxisOf,
    value: impl Fn(usize) -> Option<f64>,
) -> (Vec<Panel>, Vec<(Look, String)>) {
    let (mut series, mut legend) = (Vec::new(), Vec::new());
    for (name, group) in groups(report) {
        let look = Look(legend.len());
        let point = |number: &usize| {
            let run = &report.runs[*number];
            let place = (across.of(run).filter(|_| run.is_done())?, value(*number)?);
            let words = if legend.is_empty() { note(report, *number, &group) } else { String::new() };
            Some((place, words))
        };
        let mut found: Vec<((f64, f64), String)> = group.iter().filter_map(point).collect();
        if found.is_empty() {
            continue;
        }
        found.sort_by(|((a, _), _), ((b, _), _)| a.total_cmp(b));
        let (points, notes) = found.into_iter().unzip();
        series.push(Series { look, points, notes });
        legend.push((look, name));
    }
    legend.retain(|(_, name)| !name.is_empty());
    let panel = Panel { x: across.axis(), y, series, least_span: 0.0, size: WIDE };
    (if panel.is_empty() { Vec::new() } else { vec![panel] }, legend)
}

fn error(report: &StudyReport) -> Figure {
    let y = AxisOf { name: "RMS distance at the end", unit: "m", log: true };
    let distance = |number: usize| {
        (number != report.reference).then_some(())?;
        report.comparisons[number].last.map(|deviation| deviation.rms)
    };
    let (panels, legend) = chart(report, Across::Sweeps, y, distance);
    Figure {
        id: "error-sweeps".to_owned(),
        title: "Error against sweeps".to_owned(),
        caption: "RMS distance of the material points to those of the reference at the end, against the sweeps of a \
                  frame: a cost that is the same on every machine. Of Newton's method the sweeps are its iterations."
            .to_owned(),
        panels,
        legend,
    }
}

fn energy(report: &StudyReport) -> Figure {
    let y = AxisOf { name: "error of the energy at the end", unit: "J", log: true };
    let distance = |number: usize| {
        (number != report.reference).then_some(())?;
        Some((report.energy_drift(number)? - report.energy_drift(report.reference)?).abs())
    };
    let (panels, legend) = chart(report, Across::Sweeps, y, distance);
    Figure {
        id: "energy-sweeps".to_owned(),
        title: "Energy against sweeps".to_owned(),
        caption: "How far the change of the total energy, gravity included, from the first frame to the last is from that \
                  of the reference."
            .to_owned(),
        panels,
        legend,
    }
}

fn ends(report: &StudyReport, across: Across, (number, tracked): (usize, &TrackedPoint)) -> Figure {
    let y = AxisOf { name: "distance from the start at the end", unit: "m", log: true };
    let distance = |number: usize| {
        let frames = &report.runs[number].frames;
        Some(frames.last()?.points[tracked.point].distance(frames.first()?.points[tracked.point]))
    };
    let (panels, legend) = chart(report, across, y, distance);
    Figure {
        id: format!("end-{number}"),
        title: format!("Where {} ends", tracked.name),
        caption: "Distance of the material point at the end from where it was at the start.".to_owned(),
        panels,
        legend,
    }
}
