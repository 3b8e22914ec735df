//! Numbers of a step, listed once: `metrics.csv`, the tables of studies, the page and the Python package follow from this list.

use crate::model::report::stage::Stage;
use crate::model::report::{Metrics, StepReport};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Value of a column.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A number of things.
    Count(u64),
    /// A quantity in the unit of its column.
    Number(f64),
    /// A vector, each component in the unit of its column.
    Vector([f64; 3]),
}

/// Origin of a value.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// The state, with or without a step before it.
    State(fn(&Metrics) -> Value),
    /// The step that led to the state.
    Step(fn(&StepReport) -> Value),
    /// The program that makes the steps; its value until then, `None` for a count that may be missing.
    Program(Option<Value>),
}

/// Places that show a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Tables and reports.
    Everywhere,
    /// `metrics.csv` and the page.
    Tables,
    /// Reports of the Python package.
    Reports,
    /// Everywhere, and in the tables of studies. The table of variants has one value for all frames.
    InStudies(OverFrames),
}

/// Value of a column for all frames of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverFrames {
    /// That of the last frame.
    Last,
    /// The largest.
    Largest,
}

/// A number that a step reports.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Name in tables and attribute in Python.
    pub name: &'static str,
    /// Meaning, with the unit in the first brackets; `1` for a ratio.
    pub meaning: &'static str,
    /// Origin of the value.
    pub source: Source,
    /// Places that show it.
    pub shown: Shown,
}

impl Column {
    /// The value after a step; of a column of the program its first value.
    pub fn read(&self, report: &StepReport) -> Option<Value> {
        match self.source {
            Source::State(read) => Some(read(&report.metrics)),
            Source::Step(read) => Some(read(report)),
            Source::Program(value) => value,
        }
    }

    /// The columns of `metrics.csv`, in their order.
    pub fn of_tables() -> impl Iterator<Item = &'static Self> {
        COLUMNS.iter().filter(|column| column.shown != Shown::Reports)
    }

    /// The columns of reports in the Python package, in their order.
    pub fn of_reports() -> impl Iterator<Item = &'static Self> {
        COLUMNS.iter().filter(|column| column.shown != Shown::Tables)
    }

    /// The columns of the tables of a study.
    pub fn of_studies() -> impl Iterator<Item = &'static Self> {
        COLUMNS.iter().filter(|column| matches!(column.shown, Shown::InStudies(_)))
    }
}

impl Value {
    /// The number; that of no vector.
    pub fn number(self) -> f64 {
        match self {
            Self::Count(count) => count as f64,
            Self::Number(number) => number,
            Self::Vector(_) => f64::NAN,
        }
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Self::Count(value)
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Self::Count(value.into())
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Self::Count(value as u64)
    }
}

impl From<DVec3> for Value {
    fn from(value: DVec3) -> Self {
        Self::Vector(value.to_array())
    }
}

/// Makes the list. The comment of a column is its meaning.
macro_rules! columns {
    ($($(#[doc = $line:literal])+ $name:ident: $source:ident($read:expr), $shown:expr;)+) => {
        &[$(Column {
            name: stringify!($name),
            meaning: concat!($($line),+).trim_ascii_start(),
            source: Source::$source($read),
            shown: { use Shown::*; $shown },
        }),+]
    };
}

/// All columns, in their order.
pub const COLUMNS: &[Column] = columns! {
    /// Frame, counted from 0, the initial state.
    frame: Program(Some(Value::Count(0))), Tables;
    /// Time [s].
    time: Step(|r| r.time.into()), Everywhere;
    /// Number of vertices of all cloths.
    vertices: Step(|r| r.vertices.into()), Everywhere;
    /// Number of faces of all cloths.
    faces: Step(|r| r.faces.into()), Everywhere;
    /// Kinetic, elastic and potential energy together [J].
    energy: State(|m| m.energy().into()), Reports;
    /// Kinetic energy [J].
    kinetic_energy: State(|m| m.kinetic_energy.into()), InStudies(OverFrames::Last);
    /// Elastic energy of the membrane [J].
    stretch_energy: State(|m| m.stretch_energy.into()), InStudies(OverFrames::Last);
    /// Elastic energy of bending [J].
    bend_energy: State(|m| m.bend_energy.into()), InStudies(OverFrames::Last);
    /// Potential energy in gravity, zero at the origin [J].
    gravity_energy: State(|m| m.gravity_energy.into()), InStudies(OverFrames::Last);
    /// Linear momentum [kg·m/s].
    momentum: State(|m| m.momentum.into()), Reports;
    /// Angular momentum about the center of mass [kg·m²/s].
    angular_momentum: State(|m| m.angular_momentum.into()), Reports;
    /// Linear momentum along x [kg·m/s].
    momentum_x: State(|m| m.momentum.x.into()), Tables;
    /// Linear momentum along y [kg·m/s].
    momentum_y: State(|m| m.momentum.y.into()), Tables;
    /// Linear momentum along z [kg·m/s].
    momentum_z: State(|m| m.momentum.z.into()), Tables;
    /// Angular momentum about x and the center of mass [kg·m²/s].
    angular_x: State(|m| m.angular_momentum.x.into()), Tables;
    /// Angular momentum about y and the center of mass [kg·m²/s].
    angular_y: State(|m| m.angular_momentum.y.into()), Tables;
    /// Angular momentum about z and the center of mass [kg·m²/s].
    angular_z: State(|m| m.angular_momentum.z.into()), Tables;
    /// Largest principal Green strain in absolute value, of all faces and segments of ropes [1]. More than a few percent mean
    /// that the material is too soft, that a pin moves too fast, or that units are wrong.
    max_strain: State(|m| m.max_strain.into()), InStudies(OverFrames::Largest);
    /// Norm of the unbalanced forces on free vertices at the end of the last substep [N]: inertia, elasticity and contact.
    /// Damping is not part of it.
    residual: State(|m| m.residual.into()), Everywhere;
    /// Number of contacts that carried a force in the last substep.
    contacts: Step(|r| r.contacts.into()), Everywhere;
    /// Number of substeps; 0 where the world rests.
    substeps: Step(|r| r.plan.substeps.into()), Reports;
    /// Sweeps per substep, or the most Newton iterations of a substep.
    iterations: Step(|r| r.plan.iterations.into()), Reports;
    /// Largest estimated error of a substep, relative to the size of a body [1].
    error: Step(|r| r.plan.error.into()), Reports;
    /// Number of substeps that did not converge.
    not_converged: Step(|r| r.plan.not_converged.into()), Reports;
    /// Number of intersections, which must be 0: edges through faces, faces inside obstacles in closed form, and obstacles that
    /// went through cloth within the frame. Empty where nothing can meet.
    crossings: Program(None), Tables;
    /// Number of edges that the remeshing pass of the frame has split.
    splits: Step(|r| r.remesh.splits.into()), Everywhere;
    /// Number of edges that the pass has collapsed.
    collapses: Step(|r| r.remesh.collapses.into()), Everywhere;
    /// Number of edges that the pass has flipped.
    flips: Step(|r| r.remesh.flips.into()), Everywhere;
    /// Wall time of the step [ms].
    step_ms: Program(Some(Value::Number(0.0))), Tables;
    /// Wall time of the solver [ms].
    solve_ms: Step(|r| wall_time(r, &[Stage::Solve])), Tables;
    /// Wall time of contact: broad phase, contacts and CCD [ms].
    contact_ms: Step(|r| wall_time(r, &[Stage::Detect, Stage::Secure])), Tables;
    /// Wall time of remeshing [ms].
    remesh_ms: Step(|r| wall_time(r, &[Stage::Remesh])), Tables;
    /// Wall time of writing the frame [ms].
    io_ms: Program(Some(Value::Number(0.0))), Tables;
    /// Displacement of the surface by the edits of the pass (RMS over a cloth), relative to the size of the cloth; the largest of
    /// all cloths [1]. The relaxation after the edits is not counted.
    popping: Step(|r| r.jumps.popping.into()), Everywhere;
    /// Change of the kinetic energy by the pass [J].
    kinetic_jump: Step(|r| r.jumps.kinetic_energy.into()), Everywhere;
    /// Change of the elastic energy by the pass, of membrane and bending [J].
    elastic_jump: Step(|r| r.jumps.elastic_energy.into()), Everywhere;
    /// Number of times that a vertex has come apart in the frame because the cloth was overloaded.
    tears: Step(|r| r.tears.count.into()), Everywhere;
    /// Length of the edges that have torn open in the frame, at rest [m].
    torn_length: Step(|r| r.tears.length.into()), Everywhere;
    /// Number of edges whose spring has broken in the step.
    broken_edges: Step(|r| r.broken_edges.into()), Reports;
    /// Number of pairs of primitives that pins or obstacles have forced together.
    forced: Step(|r| r.safeguard.forced.into()), Reports;
};

fn wall_time(report: &StepReport, stages: &[Stage]) -> Value {
    Value::Number(stages.iter().map(|stage| 1e3 * report.times.of(*stage).as_secs_f64()).sum())
}

#[cfg(test)]
mod tests {
    use super::{Column, Source};

    /// A study keeps states and costs of its frames, so a column of steps would show zeros there.
    #[test]
    fn columns_of_studies_are_of_states() {
        for column in Column::of_studies() {
            assert!(matches!(column.source, Source::State(_)), "{}", column.name);
        }
    }
}
