//! The folder that a run writes, and reading it back.
//!
//! ```text
//! DIR/frames/CLOTH_00000.obj …   world positions, material coordinates, faces
//! DIR/probes.csv                 motion of the probes, a row per frame and probe
//! DIR/metrics.csv                a row per frame
//! DIR/summary.json               what the run was and how it ended
//! DIR/scene.json                 the scene as resolved, readable as a scene file
//! DIR/obstacles/                 the meshes of obstacles, before they are placed: obstacle_0.obj, or one per shape
//! DIR/checkpoint/                written by the simulation
//! ```
//!
//! Files other than the two tables appear under their name only when they are complete. The tables are flushed after
//! every row; [`OutputFolder::reopen`] cuts them back to the frame from which a run resumes.

mod result;
mod tables;

pub use result::ResultFolder;
pub use tables::{METRICS_COLUMNS, MetricsRow, MetricsWriter, PROBE_COLUMNS, ProbeRow, ProbeWriter};

use crate::obj::{write_obj, write_polyline};
use crate::scene::Scene;
use crate::scene::obstacle::file_name as obstacle_file;
use glam::{DVec2, DVec3};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use taffeta_contact::MeshObstacle;

/// Ending of files that are being written.
const UNFINISHED: &str = ".tmp";
/// The folder with the meshes of obstacles.
const OBSTACLES: &str = "obstacles";

/// Why a result folder cannot be written or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutputError {
    /// The folder has other files in it.
    #[error("the output folder {} already exists and is not empty: choose another one with --out, or delete it", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// A file of another kind stands where the folder should be.
    #[error("the output folder {} is a file: choose another one with --out", path.display())]
    NotAFolder {
        /// The path.
        path: PathBuf,
    },
    /// The file system refuses.
    #[error("cannot {action} {}: {reason}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// A cloth's name cannot be part of a file name.
    #[error("the cloth name {name:?} cannot be part of a file name: use letters, digits, - and _")]
    UnsafeName {
        /// The name.
        name: String,
    },
    /// A file of the folder is malformed.
    #[error("{}: {message}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
}

impl OutputError {
    fn io(action: &'static str, path: &Path, error: &io::Error) -> Self {
        Self::Io { action, path: path.to_owned(), reason: error.to_string() }
    }
}

/// Whether a name can be part of a file name everywhere: ASCII letters, digits, `-` and `_`, at most 100.
pub fn is_safe_name(name: &str) -> bool {
    let safe = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !name.is_empty() && name.len() <= 100 && name.chars().all(safe)
}

/// One cloth in one frame.
#[derive(Clone, Copy, Debug)]
pub struct FrameMesh<'a> {
    /// World positions \[m\], one per vertex.
    pub positions: &'a [DVec3],
    /// Corners of each face.
    pub faces: &'a [[u32; 3]],
    /// Material coordinates of the corners of each face \[m\], if the cloth has any.
    pub material: Option<&'a [[DVec2; 3]]>,
}

/// The folder of a run that is being written.
#[derive(Clone, Debug)]
pub struct OutputFolder {
    root: PathBuf,
}

impl OutputFolder {
    /// Makes the folder of a new run. An empty folder is taken as it is.
    ///
    /// # Errors
    /// If it exists and is not empty, or cannot be made or written. Folders made on the way are removed again.
    pub fn create(root: &Path) -> Result<Self, OutputError> {
        let existed = root.exists();
        if existed && !root.is_dir() {
            return Err(OutputError::NotAFolder { path: root.to_owned() });
        }
        if existed {
            let mut entries = fs::read_dir(root).map_err(|e| OutputError::io("read the folder", root, &e))?;
            if entries.next().is_some() {
                return Err(OutputError::NotEmpty { path: root.to_owned() });
            }
        }
        let missing: Vec<PathBuf> = root
            .ancestors()
            .take_while(|p| !p.as_os_str().is_empty() && !p.exists())
            .map(Path::to_owned)
            .collect();
        let folder = Self { root: root.to_owned() };
        fs::create_dir_all(folder.frames()).map_err(|error| {
            // The deepest first; what somebody else has filled in the meantime stays.
            for made in &missing {
                fs::remove_dir(made).ok();
            }
            OutputError::io("make the output folder", root, &error)
        })?;
        Ok(folder)
    }

    /// Opens the folder of an interrupted run to continue after `last_frame`: later rows of the tables, later frames
    /// and unfinished files are removed.
    ///
    /// # Errors
    /// If the folder does not exist or cannot be changed.
    pub fn reopen(root: &Path, last_frame: u64) -> Result<Self, OutputError> {
        let folder = Self { root: root.to_owned() };
        if !root.is_dir() {
            let missing = io::Error::new(io::ErrorKind::NotFound, "no such folder");
            return Err(OutputError::io("resume from", root, &missing));
        }
        let frames = folder.frames();
        fs::create_dir_all(&frames).map_err(|e| OutputError::io("make", &frames, &e))?;
        for place in [&folder.root, &frames] {
            for name in result::list_names(place)? {
                let later = result::parse_frame_name(&name).is_some_and(|(_, frame)| frame > last_frame);
                if name.ends_with(UNFINISHED) || (later && place == &frames) {
                    let path = place.join(name);
                    fs::remove_file(&path).map_err(|e| OutputError::io("remove", &path, &e))?;
                }
            }
        }
        for table in [tables::PROBES_FILE, tables::METRICS_FILE] {
            let path = folder.root.join(table);
            if let Some(kept) = tables::rows_until(&path, last_frame)? {
                folder.write_whole(&path, |file| file.write_all(kept.as_bytes()))?;
            }
        }
        Ok(folder)
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder for checkpoints; the simulation makes and fills it.
    pub fn checkpoint(&self) -> PathBuf {
        self.root.join("checkpoint")
    }

    fn frames(&self) -> PathBuf {
        self.root.join("frames")
    }

    /// Writes one cloth of one frame as `frames/CLOTH_00000.obj` and returns the path.
    ///
    /// # Errors
    /// If the name is not [safe](is_safe_name) or the file cannot be written; then nothing is left behind.
    pub fn write_frame(&self, cloth: &str, frame: u64, mesh: FrameMesh<'_>) -> Result<PathBuf, OutputError> {
        if !is_safe_name(cloth) {
            return Err(OutputError::UnsafeName { name: cloth.to_owned() });
        }
        let path = self.frames().join(format!("{cloth}_{frame:05}.obj"));
        self.write_whole(&path, |file| write_obj(file, mesh.positions, mesh.faces, mesh.material))?;
        Ok(path)
    }

    /// Writes one rope of one frame as `frames/ROPE_00000.obj`, a polyline, and returns the path.
    ///
    /// # Errors
    /// As [`OutputFolder::write_frame`].
    pub fn write_rope_frame(&self, rope: &str, frame: u64, points: &[DVec3]) -> Result<PathBuf, OutputError> {
        if !is_safe_name(rope) {
            return Err(OutputError::UnsafeName { name: rope.to_owned() });
        }
        let path = self.frames().join(format!("{rope}_{frame:05}.obj"));
        self.write_whole(&path, |file| write_polyline(file, points))?;
        Ok(path)
    }

    /// Writes the mesh of an obstacle, with one file for each of its shapes, so that the folder can be drawn without the
    /// files that it came from. `number` is that of the obstacle in the scene; positions are those before it is placed.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write_obstacle(&self, number: usize, obstacle: &MeshObstacle) -> Result<(), OutputError> {
        let folder = self.root.join(OBSTACLES);
        fs::create_dir_all(&folder).map_err(|e| OutputError::io("make", &folder, &e))?;
        // A single mesh has no rate.
        let is_sequence = obstacle.shape_rate > 0.0;
        for (k, positions) in obstacle.shapes.iter().enumerate() {
            let path = folder.join(obstacle_file(number, is_sequence.then_some(k)));
            self.write_whole(&path, |file| write_obj(file, positions, &obstacle.faces, None))?;
        }
        Ok(())
    }

    /// Writes `summary.json`.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_summary(&self, summary: &serde_json::Value) -> Result<(), OutputError> {
        self.write_json("summary.json", summary)
    }

    /// Writes the scene as resolved to `scene.json`, from which [`ResultFolder::read_scene`] reads it back.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_scene_json(&self, scene: &Scene) -> Result<(), OutputError> {
        self.write_json(result::SCENE_FILE, &scene.to_json())
    }

    fn write_json(&self, name: &str, value: &serde_json::Value) -> Result<(), OutputError> {
        self.write_whole(&self.root.join(name), |file| file.write_all(format!("{value:#}\n").as_bytes()))
    }

    /// The table of the probes, open at its end; with its header if it is new.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn probes(&self) -> Result<ProbeWriter, OutputError> {
        ProbeWriter::open(&self.root)
    }

    /// The table of the metrics, open at its end; with its header if it is new.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn metrics(&self) -> Result<MetricsWriter, OutputError> {
        MetricsWriter::open(&self.root)
    }

    /// Writes a file next to its place and moves it there when it is complete.
    fn write_whole(
        &self,
        path: &Path,
        write: impl FnOnce(&mut fs::File) -> io::Result<()>,
    ) -> Result<(), OutputError> {
        let parent = path.parent().unwrap_or(&self.root);
        let mut builder = tempfile::Builder::new();
        builder.prefix(".taffeta-").suffix(UNFINISHED);
        // Temporary files are private by default; results are as readable as any other file.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut file = builder.tempfile_in(parent).map_err(|e| OutputError::io("write", path, &e))?;
        write(file.as_file_mut()).map_err(|e| OutputError::io("write", path, &e))?;
        file.persist(path).map_err(|e| OutputError::io("write", path, &e.error))?;
        Ok(())
    }
}
