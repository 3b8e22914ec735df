//! The frames and tables of a run.

use super::prepare::Prepared;
use crate::failure::Failure;
use std::time::{Duration, Instant};
use taffeta_scene::{
    FrameMesh, MetricsRow, MetricsWriter, OutputError, OutputFolder, PlacedProbe, ProbeRow, ProbeWriter,
    RopeProbe, SolidProbe,
};
use taffeta_sim::{MaterialPoint, Metrics, Stage, StepReport, World};

/// Writes frames, `probes.csv` and `metrics.csv`.
pub(super) struct Recorder {
    folder: OutputFolder,
    probes: ProbeWriter,
    metrics: MetricsWriter,
    placed: Vec<PlacedProbe>,
    on_ropes: Vec<RopeProbe>,
    on_solids: Vec<SolidProbe>,
    /// Frames between two written ones; `None`: no frames are written.
    every: Option<u64>,
}

impl Recorder {
    /// Opens the tables of a folder at their ends.
    pub fn open(folder: &OutputFolder, prepared: &Prepared) -> Result<Self, Failure> {
        let failed = |error: OutputError| Failure::failed(&error);
        let output = &prepared.scene.output;
        Ok(Self {
            folder: folder.clone(),
            probes: folder.probes().map_err(failed)?,
            metrics: folder.metrics().map_err(failed)?,
            placed: prepared.probes.clone(),
            on_ropes: prepared.scene.rope_probes.clone(),
            on_solids: prepared.solid_probes.clone(),
            every: (!output.formats.is_empty()).then_some(u64::from(output.every)),
        })
    }

    /// Writes the initial state, frame 0. Returns the time it took.
    pub fn record_start(&mut self, world: &World) -> Result<Duration, Failure> {
        self.write(world, state_row(world, &world.measure()))
    }

    /// Writes the frame that a step led to. Returns the time it took.
    pub fn record(
        &mut self,
        world: &World,
        report: &StepReport,
        step_time: Duration,
    ) -> Result<Duration, Failure> {
        let stage = |stage: Stage| milliseconds(report.times.of(stage));
        let row = MetricsRow {
            contacts: report.contacts as u64,
            splits: report.remesh.splits,
            collapses: report.remesh.collapses,
            flips: report.remesh.flips,
            step_ms: milliseconds(step_time),
            solve_ms: stage(Stage::Solve),
            contact_ms: stage(Stage::Detect) + stage(Stage::Secure),
            remesh_ms: stage(Stage::Remesh),
            ..state_row(world, &report.metrics)
        };
        self.write(world, row)
    }

    fn write(&mut self, world: &World, row: MetricsRow) -> Result<Duration, Failure> {
        let start = Instant::now();
        self.try_write(world, row, start).map_err(|error| Failure::failed(&error))?;
        Ok(start.elapsed())
    }

    fn try_write(&mut self, world: &World, mut row: MetricsRow, start: Instant) -> Result<(), OutputError> {
        if self.every.is_some_and(|every| row.frame.is_multiple_of(every)) {
            for (number, cloth) in world.cloths().iter().enumerate() {
                let mesh = world.mesh(number);
                let frame = FrameMesh {
                    positions: &mesh.positions,
                    faces: &mesh.faces,
                    material: mesh.material.as_deref(),
                };
                self.folder.write_frame(&cloth.name, row.frame, frame)?;
            }
            for (number, rope) in world.rope_bodies() {
                self.folder.write_rope_frame(&rope.name, row.frame, world.loose_state(number).0)?;
            }
        }
        for probe in &self.placed {
            let point = world.material_point_on(probe.cloth, probe.panel, probe.material);
            let point = point.expect("a probe is placed only on cloths with material coordinates");
            self.probes.write(&probe_row(&row, &probe.name, point))?;
        }
        let ropes: Vec<usize> = world.rope_bodies().map(|(number, _)| number).collect();
        for probe in &self.on_ropes {
            let point = world.rope_point(ropes[probe.rope], probe.at);
            self.probes.write(&probe_row(&row, &probe.name, point))?;
        }
        for probe in &self.on_solids {
            let point = world.solid_point(probe.solid, probe.point);
            self.probes.write(&probe_row(&row, &probe.name, point))?;
        }
        row.io_ms = milliseconds(start.elapsed());
        self.metrics.write(&row)
    }
}

/// A row about a probe in the frame of another row.
fn probe_row(row: &MetricsRow, name: &str, point: MaterialPoint) -> ProbeRow {
    let ([x, y, z], [vx, vy, vz]) = (point.position.to_array(), point.velocity.to_array());
    ProbeRow { frame: row.frame, time: row.time, name: name.to_owned(), x, y, z, vx, vy, vz }
}

/// A row about a state, without the cost of the step that led to it.
fn state_row(world: &World, metrics: &Metrics) -> MetricsRow {
    let ([momentum_x, momentum_y, momentum_z], [angular_x, angular_y, angular_z]) =
        (metrics.momentum.to_array(), metrics.angular_momentum.to_array());
    MetricsRow {
        frame: world.frame(),
        time: world.time(),
        vertices: world.vertex_count() as u64,
        faces: world.face_count() as u64,
        kinetic_energy: metrics.kinetic_energy,
        stretch_energy: metrics.stretch_energy,
        bend_energy: metrics.bend_energy,
        gravity_energy: metrics.gravity_energy,
        momentum_x,
        momentum_y,
        momentum_z,
        angular_x,
        angular_y,
        angular_z,
        max_strain: metrics.max_strain,
        residual: metrics.residual,
        crossings: count_crossings(world),
        ..MetricsRow::default()
    }
}

fn milliseconds(time: Duration) -> f64 {
    1e3 * time.as_secs_f64()
}

/// Edges that go through faces, and faces that reach into obstacles in closed form.
fn count_crossings(world: &World) -> Option<u64> {
    Some((world.crossings()?.len() + world.sunken_faces()?) as u64)
}
