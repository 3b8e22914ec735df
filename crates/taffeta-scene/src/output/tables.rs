//! The two tables of a run, `probes.csv` and `metrics.csv`.

use super::OutputError;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

pub(super) const PROBES_FILE: &str = "probes.csv";
pub(super) const METRICS_FILE: &str = "metrics.csv";

/// Columns of `probes.csv`.
pub const PROBE_COLUMNS: [&str; 9] = ["frame", "time", "name", "x", "y", "z", "vx", "vy", "vz"];

/// Columns of `metrics.csv`.
pub const METRICS_COLUMNS: [&str; 31] = [
    "frame",
    "time",
    "vertices",
    "faces",
    "kinetic_energy",
    "stretch_energy",
    "bend_energy",
    "gravity_energy",
    "momentum_x",
    "momentum_y",
    "momentum_z",
    "angular_x",
    "angular_y",
    "angular_z",
    "max_strain",
    "residual",
    "contacts",
    "crossings",
    "splits",
    "collapses",
    "flips",
    "step_ms",
    "solve_ms",
    "contact_ms",
    "remesh_ms",
    "io_ms",
    "popping",
    "kinetic_jump",
    "elastic_jump",
    "tears",
    "torn_length",
];

/// A row of `probes.csv`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProbeRow {
    /// Frame.
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

/// A row of `metrics.csv`: the state at a frame, and the cost of the frame that led to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MetricsRow {
    /// Frame.
    pub frame: u64,
    /// Time \[s\].
    pub time: f64,
    /// Number of vertices of all cloths.
    pub vertices: u64,
    /// Number of faces of all cloths.
    pub faces: u64,
    /// Kinetic energy \[J\].
    pub kinetic_energy: f64,
    /// Elastic energy of the membrane \[J\].
    pub stretch_energy: f64,
    /// Elastic energy of bending \[J\].
    pub bend_energy: f64,
    /// Energy in the field of gravity \[J\].
    pub gravity_energy: f64,
    /// Linear momentum along x \[kg·m/s\].
    pub momentum_x: f64,
    /// Linear momentum along y \[kg·m/s\].
    pub momentum_y: f64,
    /// Linear momentum along z \[kg·m/s\].
    pub momentum_z: f64,
    /// Angular momentum about x \[kg·m²/s\].
    pub angular_x: f64,
    /// Angular momentum about y \[kg·m²/s\].
    pub angular_y: f64,
    /// Angular momentum about z \[kg·m²/s\].
    pub angular_z: f64,
    /// Largest principal strain of all faces.
    pub max_strain: f64,
    /// Residual of the solver.
    pub residual: f64,
    /// Number of contacts.
    pub contacts: u64,
    /// Number of edges that go through faces, faces that reach into obstacles in closed form, and those that an obstacle has
    /// gone through in the frame; `None`, an empty field: not measured.
    pub crossings: Option<u64>,
    /// Splits of the last remeshing.
    pub splits: u64,
    /// Collapses of the last remeshing.
    pub collapses: u64,
    /// Flips of the last remeshing.
    pub flips: u64,
    /// Wall time of the step \[ms\].
    pub step_ms: f64,
    /// Wall time of the solver \[ms\].
    pub solve_ms: f64,
    /// Wall time of contact \[ms\].
    pub contact_ms: f64,
    /// Wall time of remeshing \[ms\].
    pub remesh_ms: f64,
    /// Wall time of writing \[ms\].
    pub io_ms: f64,
    /// Distance by which remeshing moved material points, root mean square, relative to the size of the cloth.
    #[serde(default)]
    pub popping: f64,
    /// Change of the kinetic energy by remeshing \[J\].
    #[serde(default)]
    pub kinetic_jump: f64,
    /// Change of the elastic energy by remeshing \[J\].
    #[serde(default)]
    pub elastic_jump: f64,
    /// How many times the cloths have torn on in the frame.
    #[serde(default)]
    pub tears: u64,
    /// Length of cloth that has torn in the frame, at rest \[m\].
    #[serde(default)]
    pub torn_length: f64,
}

/// Appends rows to `probes.csv`.
#[derive(Debug)]
pub struct ProbeWriter(Table);

impl ProbeWriter {
    pub(super) fn open(root: &Path) -> Result<Self, OutputError> {
        Table::open(root.join(PROBES_FILE), &PROBE_COLUMNS).map(Self)
    }

    /// Writes a row through to the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&mut self, row: &ProbeRow) -> Result<(), OutputError> {
        self.0.write(row)
    }
}

/// Appends rows to `metrics.csv`.
#[derive(Debug)]
pub struct MetricsWriter(Table);

impl MetricsWriter {
    pub(super) fn open(root: &Path) -> Result<Self, OutputError> {
        Table::open(root.join(METRICS_FILE), &METRICS_COLUMNS).map(Self)
    }

    /// Writes a row through to the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&mut self, row: &MetricsRow) -> Result<(), OutputError> {
        self.0.write(row)
    }
}

#[derive(Debug)]
struct Table {
    path: PathBuf,
    writer: csv::Writer<File>,
}

impl Table {
    /// Opens a table at its end, with its header if it is new.
    fn open(path: PathBuf, columns: &[&str]) -> Result<Self, OutputError> {
        let open = |path: &Path| {
            let file = OpenOptions::new().create(true).append(true).open(path)?;
            let is_new = file.metadata()?.len() == 0;
            Ok((file, is_new))
        };
        let (file, is_new) = open(&path).map_err(|e: io::Error| OutputError::io("open", &path, &e))?;
        let mut table = Self { path, writer: csv::WriterBuilder::new().has_headers(false).from_writer(file) };
        if is_new {
            table.write(&columns)?;
        }
        Ok(table)
    }

    fn write(&mut self, row: &impl Serialize) -> Result<(), OutputError> {
        let fail = |reason: String| OutputError::Io { action: "write", path: self.path.clone(), reason };
        self.writer.serialize(row).map_err(|error| fail(error.to_string()))?;
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
