//! The two tables of a run, `probes.csv` and `metrics.csv`.

use super::OutputError;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

pub(super) const PROBES_FILE: &str = "probes.csv";
pub(super) const METRICS_FILE: &str = "metrics.csv";

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
pub type ProbeWriter = TableWriter<ProbeRow>;

/// Appends rows to `metrics.csv`.
pub type MetricsWriter = TableWriter<MetricsRow>;

/// Appends rows to a table, whose columns are the fields of a row.
#[derive(Debug)]
pub struct TableWriter<R> {
    path: PathBuf,
    writer: csv::Writer<File>,
    row: PhantomData<R>,
}

impl<R: Serialize + Default> TableWriter<R> {
    /// Opens a table at its end, with its header if it is new.
    pub(super) fn open(path: PathBuf) -> Result<Self, OutputError> {
        let open = |path: &Path| {
            let file = OpenOptions::new().create(true).append(true).open(path)?;
            let is_new = file.metadata()?.len() == 0;
            Ok((file, is_new))
        };
        let (mut file, is_new) = open(&path).map_err(|e: io::Error| OutputError::io("open", &path, &e))?;
        if is_new {
            let written = header::<R>().and_then(|header| file.write_all(header.as_bytes()));
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
        self.writer.serialize(row).map_err(|error| fail(error.to_string()))?;
        self.writer.flush().map_err(|error| fail(error.to_string()))
    }
}

/// The line with the names of the fields of a row.
fn header<R: Serialize + Default>() -> io::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.serialize(R::default())?;
    let text = String::from_utf8(writer.into_inner().map_err(io::Error::other)?).map_err(io::Error::other)?;
    Ok(text.split_inclusive('\n').take(1).collect())
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
