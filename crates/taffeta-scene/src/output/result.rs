//! Reading a result folder back.

use super::tables::{BODIES_FILE, METRICS_FILE, PROBES_FILE};
use super::{BodyRow, MetricsRow, OBSTACLES, OutputError, ProbeRow};
use crate::error::SceneError;
use crate::scene::{Scene, SceneObstacle};
use glam::{DMat3, DQuat, DVec3};
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use taffeta_contact::{Freedom, MeshObstacle};
use taffeta_core::{Keyframe, angles_xyz};
use taffeta_io::obj::{ObjError, ObjMesh, read_obj, read_polyline};
use taffeta_io::{Format, FrameData, read_file, read_npz, read_ply};

pub(super) const SCENE_FILE: &str = "scene.json";
/// The formats that are read back, those that hold most first.
const READABLE: [Format; 3] = [Format::Npz, Format::Ply, Format::Obj];

/// The folder of a run, finished or not, as it was when it was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultFolder {
    root: PathBuf,
    /// The frames of each body that can be read back, in increasing order.
    frames: BTreeMap<String, Vec<u64>>,
    /// The files of frames: body, number and format.
    files: BTreeSet<(String, u64, Format)>,
}

impl ResultFolder {
    /// Opens a folder and lists its frames.
    ///
    /// # Errors
    /// If it is no result folder: it has no readable `frames` folder.
    pub fn open(root: &Path) -> Result<Self, OutputError> {
        let mut frames: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        let names = list_names(&root.join("frames"))?;
        let files = names.iter().filter_map(|name| parse_frame_name(name));
        let files: BTreeSet<_> =
            files.map(|(body, frame, format)| (body.to_owned(), frame, format)).collect();
        for (body, frame, format) in &files {
            let list = frames.entry(body.clone()).or_default();
            if READABLE.contains(format) && list.last() != Some(frame) {
                list.push(*frame);
            }
        }
        frames.retain(|_, list| !list.is_empty());
        Ok(Self { root: root.to_owned(), frames, files })
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

    /// The file of a body, frame and format, if it is there.
    pub fn frame_file(&self, body: &str, frame: u64, format: Format) -> Option<PathBuf> {
        let is_there = self.files.contains(&(body.to_owned(), frame, format));
        is_there.then(|| self.root.join("frames").join(frame_name(body, frame, format)))
    }

    /// The formats of the frames, by name.
    pub fn formats(&self) -> Vec<Format> {
        let formats: BTreeSet<Format> = self.files.iter().map(|(_, _, format)| *format).collect();
        formats.into_iter().collect()
    }

    /// The files of a format in the order of their bodies and frames: body, number, path relative to the folder.
    pub fn files_of(&self, format: Format) -> impl Iterator<Item = (&str, u64, String)> {
        let files = self.files.iter().filter(move |(_, _, other)| *other == format);
        files.map(move |(body, frame, _)| {
            (body.as_str(), *frame, format!("frames/{}", frame_name(body, *frame, format)))
        })
    }

    /// Returns whether a file beside the tables is one that spans the frames.
    pub(super) fn is_spanning(&self, name: &str) -> bool {
        let of_body = |body: &str| self.files.iter().any(|(other, ..)| other == body);
        let is_called = |pattern: &str| match pattern.strip_prefix('*') {
            Some(ending) => name.strip_suffix(ending).is_some_and(of_body),
            None => name == pattern,
        };
        Format::ALL.into_iter().flat_map(Format::run_files).any(is_called)
    }

    /// Reads one body of one frame, from the format that holds most of it: NPZ, PLY, OBJ.
    ///
    /// # Errors
    /// If there is no such file or it is malformed.
    pub fn read_frame(&self, body: &str, frame: u64) -> Result<FrameData, OutputError> {
        let found =
            READABLE.into_iter().find_map(|format| Some((format, self.frame_file(body, frame, format)?)));
        let Some((format, path)) = found else {
            let path = self.root.join("frames").join(frame_name(body, frame, Format::Obj));
            let missing = std::io::Error::new(std::io::ErrorKind::NotFound, "there is no such frame");
            return Err(OutputError::io("read", &path, &missing));
        };
        let mut data = if format == Format::Obj {
            read_obj_frame(&path)?
        } else {
            let bytes = read_file(&path).map_err(|error| OutputError::io("read", &path, &error))?;
            let read = if format == Format::Npz { read_npz(&bytes) } else { read_ply(&bytes) };
            read.map_err(|error| OutputError::Malformed { path, message: error.to_string() })?
        };
        data.number.get_or_insert(frame);
        Ok(data)
    }

    /// Reads the scene as it was resolved. Mesh files that it names need not exist anymore. Obstacles that have moved by themselves have
    /// the motion that they had, as far as `bodies.csv` tells.
    ///
    /// # Errors
    /// If `scene.json` is missing or is no scene of this version.
    pub fn read_scene(&self) -> Result<Scene, SceneError> {
        let mut scene = Scene::from_file(&self.root.join(SCENE_FILE), &[])?;
        let is_moved = |obstacle: &SceneObstacle| obstacle.freedom != Freedom::Prescribed;
        if scene.obstacles.iter().any(is_moved) {
            let rows = self.read_bodies().unwrap_or_default();
            for (number, obstacle) in (0..).zip(&mut scene.obstacles).filter(|(_, own)| is_moved(own)) {
                let own = rows.iter().filter(|row| row.obstacle == number);
                obstacle.motion = own.map(|row| key_of(row, obstacle)).collect::<Vec<_>>().into();
                obstacle.freedom = Freedom::Prescribed;
            }
        }
        Ok(scene)
    }

    /// Reads `bodies.csv`.
    ///
    /// # Errors
    /// If the file is missing or malformed.
    pub fn read_bodies(&self) -> Result<Vec<BodyRow>, OutputError> {
        read_table(&self.root.join(BODIES_FILE))
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

/// The key of a motion that brings an obstacle to where a row has it.
fn key_of(row: &BodyRow, obstacle: &SceneObstacle) -> Keyframe {
    let rotation = DMat3::from_quat(DQuat::from_xyzw(row.qx, row.qy, row.qz, row.qw));
    let translate = DVec3::new(row.x, row.y, row.z) - obstacle.place.translate;
    let turned = rotation * obstacle.place.pose().rotation.transpose();
    Keyframe { time: row.time, translate, rotate_deg: angles_xyz(&turned) }
}

fn read_table<R: DeserializeOwned>(path: &Path) -> Result<Vec<R>, OutputError> {
    let bytes = read_file(path).map_err(|error| OutputError::io("read", path, &error))?;
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

/// A mesh, or else the polyline of a rope.
fn read_obj_frame(path: &Path) -> Result<FrameData, ObjError> {
    let lines = read_polyline(path)?.unwrap_or_default();
    match lines.into_iter().next() {
        Some(points) => Ok(FrameData::curve(points)),
        None => {
            let ObjMesh { mesh, groups, .. } = read_obj(path)?;
            Ok(FrameData { panels: groups, ..FrameData::surface(mesh) })
        }
    }
}

/// The name of the file of a frame.
pub(super) fn frame_name(body: &str, frame: u64, format: Format) -> String {
    format!("{body}_{frame:05}.{}", format.name())
}

/// Body, frame and format of a file name `BODY_00000.obj`.
pub(super) fn parse_frame_name(name: &str) -> Option<(&str, u64, Format)> {
    let (stem, ending) = name.rsplit_once('.')?;
    let format = Format::from_name(ending).filter(|format| !format.spans_frames())?;
    let (body, number) = stem.rsplit_once('_')?;
    let digits = number.len() >= 5 && number.bytes().all(|b| b.is_ascii_digit());
    let frame = number.parse().ok().filter(|_| digits && super::is_safe_name(body))?;
    Some((body, frame, format))
}
