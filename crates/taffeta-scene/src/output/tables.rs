//! The two tables of a run, `probes.csv` and `metrics.csv`.

use super::OutputError;
use super::record::header;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

pub(super) const PROBES_FILE: &str = "probes.csv";
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

/// State at a frame, and cost of the frame that led to it. One row per frame. Energies, momenta and residual are those before the
/// remeshing pass of the frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MetricsRow {
    /// Frame, counted from 0, the initial state.
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
    /// Potential energy in gravity, zero at the origin \[J\].
    pub gravity_energy: f64,
    /// Linear momentum along x \[kg·m/s\].
    pub momentum_x: f64,
    /// Linear momentum along y \[kg·m/s\].
    pub momentum_y: f64,
    /// Linear momentum along z \[kg·m/s\].
    pub momentum_z: f64,
    /// Angular momentum about x and the center of mass \[kg·m²/s\].
    pub angular_x: f64,
    /// Angular momentum about y and the center of mass \[kg·m²/s\].
    pub angular_y: f64,
    /// Angular momentum about z and the center of mass \[kg·m²/s\].
    pub angular_z: f64,
    /// Largest principal Green strain in absolute value, of all faces and segments of ropes \[1\]. More than a few percent mean
    /// that the material is too soft, that a pin moves too fast, or that units are wrong.
    pub max_strain: f64,
    /// Norm of the unbalanced forces on free vertices at the end of the last substep \[N\]: inertia, elasticity and contact.
    /// Damping is not part of it.
    pub residual: f64,
    /// Number of contacts that carried a force in the last substep.
    pub contacts: u64,
    /// Number of intersections, which must be 0: edges through faces, faces inside obstacles in closed form, and obstacles
    /// that went through cloth within the frame. Empty where nothing can meet.
    pub crossings: Option<u64>,
    /// Number of edges that the remeshing pass of the frame has split.
    pub splits: u64,
    /// Number of edges that the pass has collapsed.
    pub collapses: u64,
    /// Number of edges that the pass has flipped.
    pub flips: u64,
    /// Wall time of the step \[ms\].
    pub step_ms: f64,
    /// Wall time of the solver \[ms\].
    pub solve_ms: f64,
    /// Wall time of contact: broad phase, contacts and CCD \[ms\].
    pub contact_ms: f64,
    /// Wall time of remeshing \[ms\].
    pub remesh_ms: f64,
    /// Wall time of writing the frame \[ms\].
    pub io_ms: f64,
    /// Displacement of the surface by the pass (RMS over a cloth), relative to the size of the cloth; the largest of all
    /// cloths \[1\].
    #[serde(default)]
    pub popping: f64,
    /// Change of the kinetic energy by the pass \[J\].
    #[serde(default)]
    pub kinetic_jump: f64,
    /// Change of the elastic energy by the pass, of membrane and bending \[J\].
    #[serde(default)]
    pub elastic_jump: f64,
    /// Number of times that a vertex has come apart in the frame because the cloth was overloaded.
    #[serde(default)]
    pub tears: u64,
    /// Length of the edges that have torn open in the frame, at rest \[m\].
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
            let written = writeln!(file, "{}", header::<R>().join(","));
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
