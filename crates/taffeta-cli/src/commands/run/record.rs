//! The frames and tables of a run.

use super::prepare::Prepared;
use crate::failure::Failure;
use glam::DQuat;
use std::time::{Duration, Instant};
use taffeta_contact::{Freedom, Obstacle};
use taffeta_io::Format;
use taffeta_scene::{
    BodyRow, BodyWriter, MetricsRow, MetricsWriter, OutputError, OutputFolder, PlacedProbe, ProbeRow,
    ProbeWriter, ResultFolder, RopeProbe, SolidProbe, cloth_frame, cloth_surface, rope_frame,
};
use taffeta_sim::columns::Value;
use taffeta_sim::{MaterialPoint, ObstacleId, StepReport, World, queries};

/// Writes frames, `probes.csv`, `bodies.csv` and `metrics.csv`.
pub(super) struct Recorder {
    folder: OutputFolder,
    probes: ProbeWriter,
    /// For the obstacles that move by themselves; `None`: there are none.
    bodies: Option<BodyWriter>,
    /// Numbers in the scene of the obstacles in closed form.
    closed: Vec<u64>,
    metrics: MetricsWriter,
    placed: Vec<PlacedProbe>,
    on_ropes: Vec<RopeProbe>,
    on_solids: Vec<SolidProbe>,
    /// The formats of the files that are written for every frame; none: no frames are written.
    formats: Vec<Format>,
    /// Frames between two written ones.
    every: u64,
}

impl Recorder {
    /// Opens the tables of a folder at their ends.
    pub(super) fn open(folder: &OutputFolder, prepared: &Prepared) -> Result<Self, Failure> {
        let failed = |error: OutputError| Failure::failed(&error);
        let output = &prepared.scene.output;
        let obstacles = &prepared.scene.obstacles;
        let has_bodies = obstacles.iter().any(|own| own.freedom != Freedom::Prescribed);
        Ok(Self {
            folder: folder.clone(),
            probes: folder.probes().map_err(failed)?,
            bodies: has_bodies.then(|| folder.bodies()).transpose().map_err(failed)?,
            closed: (0..)
                .zip(obstacles)
                .filter(|(_, own)| own.closed_form().is_some())
                .map(|(k, _)| k)
                .collect(),
            metrics: folder.metrics().map_err(failed)?,
            placed: prepared.probes.clone(),
            on_ropes: prepared.scene.rope_probes.clone(),
            on_solids: prepared.solid_probes.clone(),
            formats: frame_formats(&output.formats, prepared.complete),
            every: u64::from(output.every),
        })
    }

    /// Writes a frame with its row of the table. Returns the time it took.
    pub(super) fn write(&mut self, world: &World, row: MetricsRow) -> Result<Duration, Failure> {
        let start = Instant::now();
        self.try_write(world, row, start).map_err(|error| Failure::failed(&error))?;
        Ok(start.elapsed())
    }

    fn write_frames(&self, world: &World, frame: u64) -> Result<(), OutputError> {
        let cloths = world.cloths().iter().enumerate();
        // OBJ files have no use for more than the mesh.
        let is_bare = self.formats == [Format::Obj];
        let frame_of = |number: usize| match is_bare {
            true => cloth_surface(world, number),
            false => cloth_frame(world, number),
        };
        let cloths = cloths.map(|(number, cloth)| (&cloth.name, frame_of(number)));
        let ropes = queries::rope_bodies(world).map(|(number, rope)| (&rope.name, rope_frame(world, number)));
        for (name, data) in cloths.chain(ropes) {
            for format in &self.formats {
                self.folder.write_frame(name, frame, *format, &data)?;
            }
        }
        Ok(())
    }

    fn try_write(&mut self, world: &World, mut row: MetricsRow, start: Instant) -> Result<(), OutputError> {
        if !self.formats.is_empty() && row.frame().is_multiple_of(self.every) {
            self.write_frames(world, row.frame())?;
        }
        for probe in &self.placed {
            let point = queries::material_point(world, probe.cloth, probe.point);
            let point = point.expect("a probe is placed on a panel of a cloth");
            self.probes.write(&probe_row(&row, &probe.name, point))?;
        }
        let ropes: Vec<usize> = queries::rope_bodies(world).map(|(number, _)| number).collect();
        for probe in &self.on_ropes {
            let point = queries::rope_point(world, ropes[probe.rope], probe.at);
            self.probes.write(&probe_row(&row, &probe.name, point))?;
        }
        for probe in &self.on_solids {
            let point = queries::solid_point(world, probe.solid, probe.point);
            self.probes.write(&probe_row(&row, &probe.name, point))?;
        }
        if let Some(bodies) = &mut self.bodies {
            for body in body_rows(world, &row, &self.closed) {
                bodies.write(&body)?;
            }
        }
        row.set("io_ms", milliseconds(start.elapsed()));
        self.metrics.write(&row)
    }
}

/// Number of files of frames up to the last one that are not in the folder of a run: of one that nobody has touched none.
pub(super) fn missing_files(prepared: &Prepared, last_frame: u64) -> usize {
    let output = &prepared.scene.output;
    let every = u64::from(output.every);
    let formats = frame_formats(&output.formats, prepared.complete);
    let bodies = prepared.world.cloths().len() + queries::rope_bodies(&prepared.world).count();
    let expected = (last_frame / every + 1) as usize * bodies * formats.len();
    let is_expected = |frame: u64| frame <= last_frame && frame.is_multiple_of(every);
    // Without the folder of the frames there is none of them.
    let there = ResultFolder::open(&prepared.root).map_or(0, |result| {
        let files = formats.iter().flat_map(|format| result.files_of(*format));
        files.filter(|(_, frame, _)| is_expected(*frame)).count()
    });
    expected.saturating_sub(there)
}

/// The formats of the files that are written for every frame. Formats that span frames are put together from complete files
/// that can be read back. If the scene names none, NPZ is written.
fn frame_formats(formats: &[Format], complete: bool) -> Vec<Format> {
    let mut single: Vec<Format> = formats.iter().copied().filter(|format| !format.spans_frames()).collect();
    let is_needed = single.len() < formats.len() || (complete && !formats.is_empty());
    if is_needed && !single.iter().any(|format| format.is_complete()) {
        single.push(Format::Npz);
    }
    single
}

/// A row about a probe in the frame of another row.
fn probe_row(row: &MetricsRow, name: &str, point: MaterialPoint) -> ProbeRow {
    let ([x, y, z], [vx, vy, vz]) = (point.position.to_array(), point.velocity.to_array());
    ProbeRow { frame: row.frame(), time: row.time(), name: name.to_owned(), x, y, z, vx, vy, vz }
}

/// Rows about the obstacles that move by themselves, in the frame of another row; `numbers` are those of the obstacles in closed form.
fn body_rows(world: &World, row: &MetricsRow, numbers: &[u64]) -> Vec<BodyRow> {
    let body = |((number, obstacle), id): ((&u64, &Obstacle), ObstacleId)| {
        let (velocity, spin) = queries::rigid_motion(world, id)?;
        let pose = obstacle.pose_at(world.time());
        let [x, y, z] = pose.translation.to_array();
        let [qx, qy, qz, qw] = DQuat::from_mat3(&pose.rotation).to_array();
        let ([vx, vy, vz], [wx, wy, wz]) = (velocity.to_array(), spin.to_array());
        let (frame, time, name) = (row.frame(), row.time(), obstacle.name.clone());
        Some(BodyRow {
            frame,
            time,
            obstacle: *number,
            name,
            x,
            y,
            z,
            qx,
            qy,
            qz,
            qw,
            vx,
            vy,
            vz,
            wx,
            wy,
            wz,
        })
    };
    numbers.iter().zip(world.obstacles()).zip(world.obstacle_ids()).filter_map(body).collect()
}

/// The row of the initial state, frame 0.
pub(super) fn start_row(world: &World) -> MetricsRow {
    complete(MetricsRow::of_state(world), world, 0)
}

/// The row of the frame that a step led to, which took some time.
pub(super) fn step_row(world: &World, report: &StepReport, step_time: Duration) -> MetricsRow {
    // What has gone through in the frame counts too, though nothing crosses any more.
    let mut row = complete(MetricsRow::of_step(report), world, report.safeguard.passed);
    row.set("step_ms", milliseconds(step_time));
    row
}

/// A row with its frame and the number of intersections, some of which have passed.
fn complete(mut row: MetricsRow, world: &World, passed: u64) -> MetricsRow {
    row.set("frame", Some(Value::Count(world.frame())));
    row.set("crossings", count_crossings(world).map(|crossings| Value::Count(crossings + passed)));
    row
}

fn milliseconds(time: Duration) -> Option<Value> {
    Some(Value::Number(1e3 * time.as_secs_f64()))
}

/// Edges that go through faces, and faces that reach into obstacles in closed form; `None` if nothing can meet.
fn count_crossings(world: &World) -> Option<u64> {
    let edges = world.crossings().map_or(0, |crossings| crossings.len());
    queries::sunken_faces(world).map(|faces| (edges + faces) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta_io::Format::{Glb, Npz, Obj, Ply, Usda, Vtp};

    #[test]
    fn what_spans_frames_comes_from_files_that_hold_everything() {
        assert_eq!(frame_formats(&[Obj], false), [Obj]);
        assert_eq!(frame_formats(&[Usda], false), [Npz]);
        assert_eq!(frame_formats(&[Obj, Glb], false), [Obj, Npz]);
        assert_eq!(frame_formats(&[Vtp, Usda], false), [Vtp, Npz]);
        assert_eq!(frame_formats(&[Ply, Usda, Glb], false), [Ply]);
        assert_eq!(frame_formats(&[], false), []);
        assert_eq!(frame_formats(&[Obj], true), [Obj, Npz]);
        assert_eq!(frame_formats(&[Obj, Ply], true), [Obj, Ply]);
        assert_eq!(frame_formats(&[], true), []);
    }
}
