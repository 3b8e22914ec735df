//! The tables of a run, `probes.csv`, `bodies.csv` and `metrics.csv`.

use super::OutputError;
use super::record::{fields, header};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use taffeta_sim::columns::{Column, Source, Value};
use taffeta_sim::{StepReport, World};

pub(super) const PROBES_FILE: &str = "probes.csv";
pub(super) const BODIES_FILE: &str = "bodies.csv";
pub(super) const METRICS_FILE: &str = "metrics.csv";

/// Motion of the probes. One row per frame and probe.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeRow {
    /// Frame, counted from 0, the initial state.
    pub frame: u64,
    /// Time \[s\].
    pub time: f64,
    /// Name of the probe.
    pub name: String,
    /// World position along x \[m\].
    pub x: f64,
    /// World position along y \[m\].
    pub y: f64,
    /// World position along z \[m\].
    pub z: f64,
    /// World velocity along x \[m/s\].
    pub vx: f64,
    /// World velocity along y \[m/s\].
    pub vy: f64,
    /// World velocity along z \[m/s\].
    pub vz: f64,
}

/// Motion of the obstacles that have a `mass` or a `max_force`. One row per frame and obstacle; no table where there is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BodyRow {
    /// Frame, counted from 0, the initial state.
    pub frame: u64,
    /// Time \[s\].
    pub time: f64,
    /// Number of the obstacle in the scene, counted from 0.
    pub obstacle: u64,
    /// Name of the obstacle; empty: it has none.
    pub name: String,
    /// World position of its origin along x \[m\].
    pub x: f64,
    /// World position of its origin along y \[m\].
    pub y: f64,
    /// World position of its origin along z \[m\].
    pub z: f64,
    /// First component of the unit quaternion from its frame to the world \[1\].
    pub qx: f64,
    /// Second component of the quaternion \[1\].
    pub qy: f64,
    /// Third component of the quaternion \[1\].
    pub qz: f64,
    /// Real part of the quaternion \[1\].
    pub qw: f64,
    /// World velocity along x \[m/s\].
    pub vx: f64,
    /// World velocity along y \[m/s\].
    pub vy: f64,
    /// World velocity along z \[m/s\].
    pub vz: f64,
    /// Angular velocity about x \[rad/s\].
    pub wx: f64,
    /// Angular velocity about y \[rad/s\].
    pub wy: f64,
    /// Angular velocity about z \[rad/s\].
    pub wz: f64,
}

/// A row of `metrics.csv`, one per frame: a value for each [column of tables](Column::of_tables). One that is not set has the
/// value that it has before the first step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, Option<Value>>")]
pub struct MetricsRow(BTreeMap<String, Option<Value>>);

impl TryFrom<BTreeMap<String, Option<Value>>> for MetricsRow {
    type Error = String;

    fn try_from(values: BTreeMap<String, Option<Value>>) -> Result<Self, String> {
        let missing = ["frame", "time"].into_iter().find(|name| !matches!(values.get(*name), Some(Some(_))));
        missing.map_or(Ok(Self(values)), |name| Err(format!("a row has no number in the column `{name}`")))
    }
}

impl MetricsRow {
    /// Description of the table.
    pub(crate) const ABOUT: &str = "State at a frame, and cost of the frame that led to it. One row per frame. Energies, momenta \
        and residual are those before the remeshing pass of the frame.";

    /// The row of a state without a step before it.
    pub fn of_state(world: &World) -> Self {
        let (vertices, faces) = (world.vertex_count(), world.face_count());
        let (time, metrics) = (world.time(), world.measure());
        let mut row = Self::of_step(&StepReport { time, vertices, faces, metrics, ..StepReport::default() });
        let is_state = |name: &str| matches!(find(name).source, Source::State(_));
        row.0.retain(|name, _| is_state(name) || ["time", "vertices", "faces"].contains(&name.as_str()));
        row
    }

    /// The row of a step, without what only the program knows.
    pub fn of_step(report: &StepReport) -> Self {
        let known = Column::of_tables().filter(|column| !matches!(column.source, Source::Program(_)));
        Self(known.map(|column| (column.name.to_owned(), column.read(report))).collect())
    }

    /// Sets a value.
    ///
    /// # Panics
    /// If the table has no such column.
    pub fn set(&mut self, name: &str, value: Option<Value>) {
        self.0.insert(find(name).name.to_owned(), value);
    }

    /// A value; `None` if it is missing.
    ///
    /// # Panics
    /// If the table has no such column.
    pub fn get(&self, name: &str) -> Option<f64> {
        let value = self.0.get(name).copied().unwrap_or_else(|| find(name).read(&StepReport::default()));
        value.map(Value::number)
    }

    /// The frame, counted from 0.
    pub fn frame(&self) -> u64 {
        self.get("frame").unwrap_or_default() as u64
    }

    /// The time \[s\].
    pub fn time(&self) -> f64 {
        self.get("time").unwrap_or_default()
    }
}

/// The column of a name.
fn find(name: &str) -> &'static Column {
    Column::of_tables().find(|column| column.name == name).expect("the table has the column")
}

/// A row of a table of a run.
pub trait TableRow {
    /// The names of the columns, in their order.
    fn header() -> Vec<String>;

    /// The fields as text, in the order of the columns.
    fn fields(&self) -> Vec<String>;
}

impl TableRow for ProbeRow {
    fn header() -> Vec<String> {
        header::<Self>()
    }

    fn fields(&self) -> Vec<String> {
        fields(self)
    }
}

impl TableRow for BodyRow {
    fn header() -> Vec<String> {
        header::<Self>()
    }

    fn fields(&self) -> Vec<String> {
        fields(self)
    }
}

impl TableRow for MetricsRow {
    fn header() -> Vec<String> {
        Column::of_tables().map(|column| column.name.to_owned()).collect()
    }

    fn fields(&self) -> Vec<String> {
        let start = StepReport::default();
        let value = |column: &Column| self.0.get(column.name).copied().unwrap_or_else(|| column.read(&start));
        fields(&Column::of_tables().map(value).collect::<Vec<_>>())
    }
}

/// Appends rows to `probes.csv`.
pub type ProbeWriter = TableWriter<ProbeRow>;

/// Appends rows to `bodies.csv`.
pub type BodyWriter = TableWriter<BodyRow>;

/// Appends rows to `metrics.csv`.
pub type MetricsWriter = TableWriter<MetricsRow>;

/// Appends rows to a table.
#[derive(Debug)]
pub struct TableWriter<R> {
    path: PathBuf,
    writer: csv::Writer<File>,
    row: PhantomData<R>,
}

impl<R: TableRow> TableWriter<R> {
    /// Opens a table at its end, with its header if it is new.
    pub(super) fn open(path: PathBuf) -> Result<Self, OutputError> {
        let open = |path: &Path| {
            let file = OpenOptions::new().create(true).append(true).open(path)?;
            let is_new = file.metadata()?.len() == 0;
            Ok((file, is_new))
        };
        let (mut file, is_new) = open(&path).map_err(|e: io::Error| OutputError::io("open", &path, &e))?;
        if is_new {
            let written = writeln!(file, "{}", R::header().join(","));
            written.map_err(|e| OutputError::io("write", &path, &e))?;
        }
        let writer = csv::WriterBuilder::new().has_headers(false).from_writer(file);
        Ok(Self { path, writer, row: PhantomData })
    }

    /// Writes a row through to the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&mut self, row: &R) -> Result<(), OutputError> {
        let fail = |reason: String| OutputError::Io { action: "write", path: self.path.clone(), reason };
        self.writer.write_record(row.fields()).map_err(|error| fail(error.to_string()))?;
        self.writer.flush().map_err(|error| fail(error.to_string()))
    }
}

/// The text of a table without rows after a frame (without any rows if there is none) and without an unfinished last line; `None`
/// if there is no table.
pub(super) fn rows_until(path: &Path, last_frame: Option<u64>) -> Result<Option<String>, OutputError> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(OutputError::io("read", path, &error)),
    };
    let frame_of = |line: &str| line.split(',').next().and_then(|field| field.parse::<u64>().ok());
    let finished = text.split_inclusive('\n').enumerate().filter(|(_, line)| line.ends_with('\n'));
    let kept =
        finished.filter(|(n, line)| *n == 0 || frame_of(line).is_some_and(|frame| Some(frame) <= last_frame));
    Ok(Some(kept.map(|(_, line)| line).collect()))
}
