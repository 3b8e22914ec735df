//! A value of every variant across its resolution or its cost.

use crate::study::StudyReport;
use crate::study::report::plot::{AxisOf, Look, Panel, Series};
use crate::study::report::tables::extent;
use crate::study::simulate::Run;

/// Size of a plot that stands alone \[px\].
pub(super) const WIDE: (u32, u32) = (760, 380);

/// The quantity by which variants are told apart along the horizontal axis.
#[derive(Clone, Copy)]
pub(super) enum Across {
    Vertices,
    Sweeps,
    /// CPU time of a step.
    Time,
}

impl Across {
    fn axis(self) -> AxisOf {
        match self {
            Self::Vertices => AxisOf { name: "vertices (most)", unit: "", log: true },
            Self::Sweeps => AxisOf { name: "sweeps per frame (substeps × iterations)", unit: "", log: true },
            Self::Time => AxisOf { name: "CPU time per step", unit: "s", log: true },
        }
    }

    fn of(self, run: &Run) -> Option<f64> {
        match self {
            Self::Vertices => extent(run, |frame| frame.vertices).map(|[_, most, _]| most as f64),
            Self::Sweeps => {
                let sweeps = run.total(|cost| f64::from(cost.substeps) * f64::from(cost.iterations));
                (run.steps() > 0).then(|| sweeps / run.steps() as f64)
            }
            Self::Time => (run.steps() > 0).then(|| run.total(|cost| cost.cpu) / run.steps() as f64),
        }
    }

    /// Returns whether runs differ in it.
    pub(super) fn varies(self, report: &StudyReport) -> bool {
        let mut found = report.runs.iter().filter_map(|run| self.of(run));
        let first = found.next();
        found.any(|value| Some(value) != first)
    }
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

/// Values that distinguish a variant within its group: those that not all of the group have.
fn note(report: &StudyReport, number: usize, group: &[usize]) -> String {
    let all = |number: usize| &report.study.variants[number].assignments;
    let own = all(number).iter().filter(|a| !group.iter().all(|other| all(*other).contains(a)));
    own.map(|a| a.value.clone()).collect::<Vec<_>>().join(" ")
}

/// The lines on which points say which variant they are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Noted {
    Everywhere,
    /// The other lines are like it.
    OnFirstLine,
}

/// A value of the variants that came to their end, with one line per group of variants.
pub(super) fn chart(
    report: &StudyReport,
    across: Across,
    y: AxisOf,
    noted: Noted,
    value: impl Fn(usize) -> Option<f64>,
) -> (Vec<Panel>, Vec<(Look, String)>) {
    let (mut series, mut legend) = (Vec::new(), Vec::new());
    for (name, group) in groups(report) {
        let look = Look(legend.len());
        let point = |number: &usize| {
            let run = &report.runs[*number];
            let place = (across.of(run).filter(|_| run.is_done())?, value(*number)?);
            let is_noted = noted == Noted::Everywhere || legend.is_empty();
            Some((place, if is_noted { note(report, *number, &group) } else { String::new() }))
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
    (panel.if_visible(), legend)
}
