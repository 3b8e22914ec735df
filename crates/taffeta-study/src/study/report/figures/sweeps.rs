//! Plots that do not depend on the machine: against the sweeps of a step as its cost, and against the number of
//! vertices.

use super::Figure;
use super::chart::{Across, Noted, chart};
use crate::study::report::plot::AxisOf;
use crate::study::{StudyReport, TrackedPoint};

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
            figures.extend(tracked().map(|(number, point)| ends(report, across, number, point)));
            break;
        }
    }
    figures.retain(|figure| !figure.panels.is_empty());
    figures
}

fn error(report: &StudyReport) -> Figure {
    let y = AxisOf { name: "RMS distance at the end", unit: "m", log: true };
    let distance = |number: usize| {
        (number != report.reference).then_some(())?;
        report.comparisons[number].last.map(|deviation| deviation.rms)
    };
    let (panels, legend) = chart(report, Across::Sweeps, y, Noted::OnFirstLine, distance);
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
    let (panels, legend) = chart(report, Across::Sweeps, y, Noted::OnFirstLine, distance);
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

fn ends(report: &StudyReport, across: Across, number: usize, tracked: &TrackedPoint) -> Figure {
    let y = AxisOf { name: "distance from the start at the end", unit: "m", log: true };
    let distance = |number: usize| {
        let frames = &report.runs[number].frames;
        Some(frames.last()?.points[tracked.point].distance(frames.first()?.points[tracked.point]))
    };
    let (panels, legend) = chart(report, across, y, Noted::OnFirstLine, distance);
    Figure {
        id: format!("end-{number}"),
        title: format!("Where {} ends", tracked.name),
        caption: "Distance of the material point at the end from where it was at the start.".to_owned(),
        panels,
        legend,
    }
}
