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
use glam::DVec3;
use obstacles::collect_obstacles;
use std::path::{Path, PathBuf};
use taffeta_io::usda::{RigidBody, write_usda_bodies};
use taffeta_io::vtp::{PvdEntry, write_pvd};
use taffeta_io::{Format, FrameData, GlbWriter, UsdaWriter};
use taffeta_render::union_bounds;
use taffeta_scene::{GLB_FILE, OBSTACLES_USDA, OutputError, OutputFolder, PVD_FILE, ResultFolder, Scene};

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
    let mut lines = Vec::new();
    for format in options.format.iter().filter(|format| !format.spans_frames()) {
        let count = convert_frames(&folder, *format)?;
        lines.push(format!("{shown}/frames: {count} {} files", format.name()));
    }
    let written = write_spanning(&options.folder, &options.format)?;
    lines.extend(written.iter().map(|path| path.display().to_string()));
    Ok(lines.join("\n"))
}

/// Writes the files of single frames that are not there yet, and tells how many those are.
fn convert_frames(folder: &ResultFolder, format: Format) -> Result<usize, Failure> {
    let output = OutputFolder::existing(folder.root());
    let mut count = 0;
    for body in folder.cloth_names() {
        for frame in folder.frames(body) {
            if folder.frame_file(body, *frame, format).is_some() {
                continue;
            }
            let data = folder.read_frame(body, *frame).map_err(|error| Failure::usage(&error))?;
            output.write_frame(body, *frame, format, &data).map_err(|error| Failure::failed(&error))?;
            count += 1;
        }
    }
    Ok(count)
}

/// Writes the files that span the frames in those of the formats that have some, and returns their paths.
///
/// # Errors
/// If a frame cannot be read or a file cannot be written.
pub fn write_spanning(root: &Path, formats: &[Format]) -> Result<Vec<PathBuf>, Failure> {
    let mut written = Vec::new();
    let spans = |format: &Format| format.spans_frames() || *format == Format::Vtp;
    if !formats.iter().any(spans) {
        return Ok(written);
    }
    let folder = ResultFolder::open(root).map_err(|error| Failure::failed(&error))?;
    let scene = folder.read_scene().map_err(|error| Failure::failed(&error))?;
    let output = OutputFolder::existing(root);
    let export = Export { folder, scene, output };
    if formats.contains(&Format::Vtp) {
        written.push(export.write_series()?);
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

    /// The times of the VTP files.
    fn write_series(&self) -> Result<PathBuf, Failure> {
        let files: Vec<(&str, u64, String)> = self.folder.files_of(Format::Vtp).collect();
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
        self.write(PVD_FILE, |file| write_pvd(file, &entries))
    }

    fn write(
        &self,
        name: &str,
        write: impl FnOnce(&mut std::fs::File) -> std::io::Result<()>,
    ) -> Result<PathBuf, Failure> {
        self.output.write_file(name, write).map_err(|error| Failure::failed(&error))
    }

    /// Bodies and obstacles as USDA files and as one GLB file, from one reading of the frames.
    fn write_bodies(&self, formats: &[Format], written: &mut Vec<PathBuf>) -> Result<(), Failure> {
        let failed =
            |error: std::io::Error| Failure::Failed(format!("cannot put the frames together: {error}"));
        let with_usda = formats.contains(&Format::Usda);
        let mut glb = match formats.contains(&Format::Glb) {
            true => Some(GlbWriter::new(self.rate(), self.folder.root()).map_err(failed)?),
            false => None,
        };
        let mut bounds: Option<[DVec3; 2]> = None;
        for body in self.folder.cloth_names() {
            let mut usda = with_usda.then(|| UsdaWriter::new(body, self.rate(), self.folder.root()));
            for number in self.folder.frames(body) {
                let frame = self.read(body, *number)?;
                bounds = match (bounds, frame.mesh.bounds()) {
                    (Some(a), Some(b)) => Some(union_bounds(a, b)),
                    (a, b) => a.or(b),
                };
                if let Some(usda) = &mut usda {
                    usda.add(*number, &frame).map_err(failed)?;
                }
                if let Some(glb) = &mut glb {
                    glb.add(body, *number, &frame).map_err(failed)?;
                }
            }
            if let Some(usda) = usda {
                written.push(self.write(&format!("{body}.usda"), |file| usda.finish(file))?);
            }
        }
        let obstacles = self.obstacles(bounds.unwrap_or_default())?;
        if with_usda && !obstacles.is_empty() {
            let frames = self.folder.all_frames();
            let range = [frames[0], frames[frames.len() - 1]];
            let write = |file: &mut std::fs::File| write_usda_bodies(file, self.rate(), range, &obstacles);
            written.push(self.write(OBSTACLES_USDA, write)?);
        }
        if let Some(mut glb) = glb {
            obstacles.iter().try_for_each(|body| glb.add_rigid(body)).map_err(failed)?;
            written.push(self.write(GLB_FILE, |file| glb.finish(file))?);
        }
        Ok(())
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
