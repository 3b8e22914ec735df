//! `taffeta export`: the frames of a result folder in other formats.
//!
//! ```text
//! frames/*.npz, *.ply, *.obj ──► frames/*.obj, *.ply, *.vtp, *.npz     what is not there yet
//!                           └──► BODY.usda, scene.obstacles.usda, scene.glb, scene.pvd
//! ```
//!
//! The files of single frames are the truth: each appears when it is complete. What spans frames is put together from
//! them when a run ends, however it ends, and can be put together again here.

mod obstacles;

use crate::args::ExportOptions;
use crate::failure::Failure;
use crate::log;
use glam::DVec3;
use obstacles::collect_obstacles;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use taffeta_io::format::Series;
use taffeta_io::vtp::PvdEntry;
use taffeta_io::{Files, Format, FrameData, RigidBody, Span};
use taffeta_render::union_bounds;
use taffeta_scene::{OutputError, OutputFolder, ResultFolder, Scene};

/// Converts the frames of a result folder and says what was written.
///
/// # Errors
/// If the folder has no frames that can be read, or a file cannot be written.
pub fn export(options: &ExportOptions) -> Result<String, Failure> {
    let shown = options.folder.display();
    if !options.folder.join("frames").is_dir() {
        return Err(Failure::Usage(format!(
            "{shown} is not the result folder of a run: it has no folder `frames`\n  = give the folder that `taffeta run` wrote"
        )));
    }
    let folder = ResultFolder::open(&options.folder).map_err(|error| Failure::usage(&error))?;
    if folder.all_frames().is_empty() {
        return Err(Failure::Usage(format!(
            "{shown} has no frames to convert: they are read from npz, ply and obj files in its folder `frames`"
        )));
    }
    let (mut lines, mut bare) = (Vec::new(), 0);
    for format in options.format.iter().filter(|format| !format.spans_frames()) {
        let converted = convert_frames(&folder, *format)?;
        lines.push(format!("{shown}/frames: {} {} files", converted.count, format.name()));
        bare = bare.max(converted.bare);
    }
    let spanning = write_spanning(&options.folder, &options.format)?;
    lines.extend(spanning.paths.iter().map(|path| path.display().to_string()));
    warn_of_bare(bare.max(spanning.bare), &options.format);
    Ok(lines.join("\n"))
}

/// Warns of frames without velocities, as those of OBJ files, if a format could have held them.
fn warn_of_bare(count: usize, formats: &[Format]) {
    let fuller: Vec<&str> =
        formats.iter().filter(|format| **format != Format::Obj).map(|f| f.name()).collect();
    if count == 0 || fuller.is_empty() {
        return;
    }
    log::say(format!(
        "warning: {count} frames have no velocities, sizes, strains and curvatures, which OBJ files do not hold: the {} files \
         lack them\n  = run the scene again with `--set 'output.formats=[\"npz\"]'` to have them",
        fuller.join(" and ")
    ));
}

/// Outcome of a conversion of single frames.
struct Converted {
    /// Number of files that were written.
    count: usize,
    /// Number of those that have no velocities.
    bare: usize,
}

/// Writes the files of single frames that are not there yet.
fn convert_frames(folder: &ResultFolder, format: Format) -> Result<Converted, Failure> {
    let output = OutputFolder::existing(folder.root());
    let rows = folder.read_metrics().unwrap_or_default();
    let times: BTreeMap<u64, f64> = rows.into_iter().map(|row| (row.frame(), row.time())).collect();
    let mut converted = Converted { count: 0, bare: 0 };
    for body in folder.cloth_names() {
        for frame in folder.frames(body) {
            if folder.frame_file(body, *frame, format).is_some() {
                continue;
            }
            let mut data = folder.read_frame(body, *frame).map_err(|error| Failure::usage(&error))?;
            data.time = data.time.or_else(|| times.get(frame).copied());
            output.write_frame(body, *frame, format, &data).map_err(|error| Failure::failed(&error))?;
            converted.count += 1;
            converted.bare += usize::from(data.velocities.is_none());
        }
    }
    Ok(converted)
}

/// Files that span the frames.
#[derive(Debug, Default)]
pub struct Spanning {
    /// Paths of the files.
    pub paths: Vec<PathBuf>,
    /// Number of the frames in them that have no velocities.
    pub bare: usize,
}

/// Writes the files that span the frames in those of the formats that have some.
///
/// # Errors
/// If a frame cannot be read or a file cannot be written.
pub fn write_spanning(root: &Path, formats: &[Format]) -> Result<Spanning, Failure> {
    let mut written = Spanning::default();
    if formats.iter().all(|format| format.run_files().is_empty()) {
        return Ok(written);
    }
    let folder = ResultFolder::open(root).map_err(|error| Failure::failed(&error))?;
    let scene = folder.read_scene().map_err(|error| Failure::failed(&error))?;
    let output = OutputFolder::existing(root);
    let export = Export { folder, scene, output };
    for format in Format::ALL.into_iter().filter(|format| formats.contains(format)) {
        if let Some(series) = format.series() {
            written.paths.push(export.write_series(format, series)?);
        }
    }
    if formats.iter().any(|format| format.spans_frames()) && !export.folder.all_frames().is_empty() {
        export.write_bodies(formats, &mut written)?;
    }
    Ok(written)
}

/// A folder whose frames are put together.
struct Export {
    folder: ResultFolder,
    scene: Scene,
    output: OutputFolder,
}

impl Export {
    fn rate(&self) -> f64 {
        self.scene.simulation.frame_rate
    }

    /// The times of the files of single frames.
    fn write_series(&self, format: Format, series: Series) -> Result<PathBuf, Failure> {
        let files: Vec<(&str, u64, String)> = self.folder.files_of(format).collect();
        let mut bodies: Vec<&str> = files.iter().map(|(body, ..)| *body).collect();
        bodies.dedup();
        let entry = |(body, frame, file): &(&str, u64, String)| PvdEntry {
            time: *frame as f64 / self.rate(),
            part: bodies.iter().position(|other| other == body).unwrap_or_default(),
            name: (*body).to_owned(),
            file: file.clone(),
        };
        let mut entries: Vec<(u64, PvdEntry)> = files.iter().map(|file| (file.1, entry(file))).collect();
        entries.sort_by_key(|(frame, entry)| (*frame, entry.part));
        let entries: Vec<PvdEntry> = entries.into_iter().map(|(_, entry)| entry).collect();
        let written = self.output.write_file(series.file, |file| (series.write)(file, &entries));
        written.map_err(|error| Failure::failed(&error))
    }

    /// Bodies and obstacles in the formats that span frames, from one reading of the frames.
    fn write_bodies(&self, formats: &[Format], written: &mut Spanning) -> Result<(), Failure> {
        let failed = |error: std::io::Error| match error.downcast::<OutputError>() {
            Ok(error) => Failure::failed(&error),
            Err(error) => Failure::Failed(format!("cannot put the frames together: {error}")),
        };
        let frames = self.folder.all_frames();
        let span = Span {
            frame_rate: self.rate(),
            up: self.scene.upward(),
            frames: [frames[0], frames[frames.len() - 1]],
            scratch: self.folder.root().to_owned(),
        };
        let wanted = Format::ALL.into_iter().filter(|format| formats.contains(format));
        let writers: std::io::Result<Vec<_>> = wanted.filter_map(|format| format.start_run(&span)).collect();
        let mut writers = writers.map_err(failed)?;
        let Spanning { paths, bare } = written;
        let files: &mut Files<'_> = &mut |name, write| {
            paths.push(self.output.write_file(name, write).map_err(std::io::Error::other)?);
            Ok(())
        };
        let mut bounds: Option<[DVec3; 2]> = None;
        for body in self.folder.cloth_names() {
            for number in self.folder.frames(body) {
                let frame = self.read(body, *number)?;
                *bare += usize::from(frame.velocities.is_none());
                bounds = match (bounds, frame.mesh.bounds()) {
                    (Some(a), Some(b)) => Some(union_bounds(a, b)),
                    (a, b) => a.or(b),
                };
                writers.iter_mut().try_for_each(|w| w.add(body, *number, &frame)).map_err(failed)?;
            }
            writers.iter_mut().try_for_each(|writer| writer.end_body(files)).map_err(failed)?;
        }
        let obstacles = self.obstacles(bounds.unwrap_or_default())?;
        writers.into_iter().try_for_each(|writer| writer.finish(&obstacles, files)).map_err(failed)
    }

    fn read(&self, body: &str, number: u64) -> Result<FrameData, Failure> {
        self.folder.read_frame(body, number).map_err(|error: OutputError| Failure::failed(&error))
    }

    fn obstacles(&self, bounds: [DVec3; 2]) -> Result<Vec<RigidBody>, Failure> {
        let frames = self.folder.all_frames();
        let times = frames.iter().map(|number| (*number, *number as f64 / self.rate())).collect::<Vec<_>>();
        collect_obstacles(&self.folder, &self.scene, &times, bounds)
    }
}
