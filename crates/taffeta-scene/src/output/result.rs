//! Reading a result folder back.

use super::tables::{METRICS_FILE, PROBES_FILE};
use super::{MetricsRow, OBSTACLES, OutputError, ProbeRow};
use crate::error::SceneError;
use crate::obj::{ObjError, ObjMesh, read_obj};
use crate::scene::{Scene, SceneObstacle};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use taffeta_contact::MeshObstacle;

pub(super) const SCENE_FILE: &str = "scene.json";

/// The folder of a run, finished or not, as it was when it was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultFolder {
    root: PathBuf,
    /// The frames of each cloth, in increasing order.
    frames: BTreeMap<String, Vec<u64>>,
}

impl ResultFolder {
    /// Opens a folder and lists its frames.
    ///
    /// # Errors
    /// If it is no result folder: it has no readable `frames` folder.
    pub fn open(root: &Path) -> Result<Self, OutputError> {
        let mut frames: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for name in list_names(&root.join("frames"))? {
            if let Some((cloth, frame)) = parse_frame_name(&name) {
                frames.entry(cloth.to_owned()).or_default().push(frame);
            }
        }
        frames.values_mut().for_each(|list| list.sort_unstable());
        Ok(Self { root: root.to_owned(), frames })
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The names of the cloths, in alphabetical order.
    pub fn cloth_names(&self) -> Vec<&str> {
        self.frames.keys().map(String::as_str).collect()
    }

    /// The frames of a cloth, in increasing order; none if there is no such cloth.
    pub fn frames(&self, cloth: &str) -> &[u64] {
        self.frames.get(cloth).map_or(&[], Vec::as_slice)
    }

    /// The frames of any cloth, in increasing order.
    pub fn all_frames(&self) -> Vec<u64> {
        let mut all: Vec<u64> = self.frames.values().flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Reads one cloth of one frame.
    ///
    /// # Errors
    /// If the file is missing or malformed.
    pub fn read_frame(&self, cloth: &str, frame: u64) -> Result<ObjMesh, ObjError> {
        read_obj(&self.root.join("frames").join(format!("{cloth}_{frame:05}.obj")))
    }

    /// Reads the scene as it was resolved. Mesh files that it names need not exist anymore.
    ///
    /// # Errors
    /// If `scene.json` is missing or is no scene of this version.
    pub fn read_scene(&self) -> Result<Scene, SceneError> {
        Scene::from_file(&self.root.join(SCENE_FILE), &[])
    }

    /// Reads the meshes of the obstacles that have one, as the run has written them.
    ///
    /// # Errors
    /// If a file is missing or malformed.
    pub fn read_mesh_obstacles(&self, scene: &Scene) -> Result<Vec<MeshObstacle>, ObjError> {
        let folder = self.root.join(OBSTACLES);
        let obstacles = scene.obstacles.iter().enumerate();
        let read = |(number, obstacle): (usize, &SceneObstacle)| {
            let mesh = obstacle.read_from(&folder, number).read_mesh();
            mesh.map(|mesh| mesh.map(|(mesh, _)| mesh)).transpose()
        };
        obstacles.filter_map(read).collect()
    }

    /// Reads `metrics.csv`.
    ///
    /// # Errors
    /// If the file is missing or malformed.
    pub fn read_metrics(&self) -> Result<Vec<MetricsRow>, OutputError> {
        read_table(&self.root.join(METRICS_FILE))
    }

    /// Reads `probes.csv`.
    ///
    /// # Errors
    /// If the file is missing or malformed.
    pub fn read_probes(&self) -> Result<Vec<ProbeRow>, OutputError> {
        read_table(&self.root.join(PROBES_FILE))
    }
}

fn read_table<R: DeserializeOwned>(path: &Path) -> Result<Vec<R>, OutputError> {
    let bytes = fs::read(path).map_err(|error| OutputError::io("read", path, &error))?;
    let malformed =
        |error: csv::Error| OutputError::Malformed { path: path.to_owned(), message: error.to_string() };
    csv::Reader::from_reader(bytes.as_slice()).deserialize().collect::<Result<_, _>>().map_err(malformed)
}

/// The names in a folder, in alphabetical order.
pub(super) fn list_names(folder: &Path) -> Result<Vec<String>, OutputError> {
    let entries = fs::read_dir(folder).map_err(|error| OutputError::io("read the folder", folder, &error))?;
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort_unstable();
    Ok(names)
}

/// Cloth and frame of a file name `CLOTH_00000.obj`.
pub(super) fn parse_frame_name(name: &str) -> Option<(&str, u64)> {
    let (cloth, number) = name.strip_suffix(".obj")?.rsplit_once('_')?;
    let digits = number.len() >= 5 && number.bytes().all(|b| b.is_ascii_digit());
    (digits && super::is_safe_name(cloth)).then(|| number.parse().ok().map(|frame| (cloth, frame)))?
}
