//! The folder that is drawn.

use crate::failure::Failure;
use glam::DVec3;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use taffeta_contact::{MeshObstacle, Obstacle};
use taffeta_core::TriangleMesh;
use taffeta_io::{Format, FrameData};
use taffeta_render::{
    Body, BodyKind, compute_framing_bounds, mesh_obstacle_body, obstacle_body, union_bounds,
};
use taffeta_scene::{ResultFolder, Scene, SceneObstacle};

/// Frames that are looked at to place the camera. A longer run is sampled evenly: the cloth moves little between.
const SCANNED_FRAMES: usize = 240;

/// A box \[m\] by its lowest and highest corner.
pub(super) type Bounds = [DVec3; 2];

/// A result folder with its scene.
pub(super) struct Source {
    folder: ResultFolder,
    pub scene: Scene,
    obstacles: Vec<Obstacle>,
    meshes: Vec<MeshObstacle>,
    /// The frames, at least one, in increasing order.
    pub frames: Vec<u64>,
}

impl Source {
    /// Opens a folder that has frames.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let shown = path.display();
        if !path.is_dir() {
            return Err(Failure::Usage(format!(
                "{shown} is not a folder; give the folder that `taffeta run` wrote"
            )));
        }
        if !path.join("frames").is_dir() {
            return Err(Failure::Usage(format!(
                "{shown} is not the result folder of a run: it has no folder `frames`"
            )));
        }
        let folder = ResultFolder::open(path).map_err(|error| Failure::usage(&error))?;
        let scene = folder.read_scene().map_err(|error| Failure::usage(&error))?;
        let frames = folder.all_frames();
        if let (true, Some(format)) = (frames.is_empty(), folder.formats().first()) {
            return Err(Failure::Usage(format!(
                "{shown} has its frames in {0} only, which this program writes but does not read\n  = name obj, ply or npz \
                 beside {0} in output.formats",
                format.name()
            )));
        }
        if frames.is_empty() {
            return Err(Failure::Usage(format!(
                "{shown} has no frames to draw: its run stopped before the first one, or output.formats is \"none\""
            )));
        }
        let obstacles = scene.obstacles.iter().filter_map(SceneObstacle::closed_form).collect();
        let meshes = folder.read_mesh_obstacles(&scene).map_err(|error| Failure::usage(&error))?;
        Ok(Self { folder, scene, obstacles, meshes, frames })
    }

    /// The frame asked for, or else the last one.
    pub(super) fn choose_frame(&self, wanted: Option<u64>) -> Result<u64, Failure> {
        let (first, last) = (self.frames[0], self.frames[self.frames.len() - 1]);
        let Some(wanted) = wanted else { return Ok(last) };
        if self.frames.contains(&wanted) {
            return Ok(wanted);
        }
        let every = match self.frames.get(1).map(|second| second - first) {
            Some(every) if every > 1 => format!(" in steps of {every}"),
            _ => String::new(),
        };
        Err(Failure::Usage(format!(
            "{} has no frame {wanted}: it has frames {first} to {last}{every}",
            self.folder.root().display()
        )))
    }

    /// The time of a frame \[s\].
    pub(super) fn time_of(&self, frame: u64) -> f64 {
        frame as f64 * self.scene.simulation.frame_time()
    }

    /// The box that the camera should frame, over the whole run.
    pub(super) fn compute_bounds(&self) -> Result<Option<Bounds>, Failure> {
        let mut bounds: Option<Bounds> = None;
        for frame in sample_evenly(&self.frames, SCANNED_FRAMES) {
            let Some(cloths) = self.scan_cloths(frame)? else { continue };
            let mesh = TriangleMesh { positions: cloths.to_vec(), ..TriangleMesh::default() };
            let mut bodies = vec![Body::new(mesh, BodyKind::Cloth { index: 0 })];
            let time = self.time_of(frame);
            bodies.extend(self.obstacle_bodies(time, cloths));
            let framed = compute_framing_bounds(&bodies).unwrap_or(cloths);
            bounds = Some(bounds.map_or(framed, |so_far| union_bounds(so_far, framed)));
        }
        Ok(bounds)
    }

    /// The obstacles at a time \[s\].
    pub(super) fn obstacle_bodies(&self, time: f64, bounds: Bounds) -> impl Iterator<Item = Body> + '_ {
        let closed = self.obstacles.iter().map(move |obstacle| obstacle_body(obstacle, time, bounds));
        closed.chain(self.meshes.iter().map(move |mesh| mesh_obstacle_body(mesh, time)))
    }

    /// The box around all cloths in a frame.
    fn scan_cloths(&self, frame: u64) -> Result<Option<Bounds>, Failure> {
        let mut bounds: Option<Bounds> = None;
        for cloth in self.cloths_in(frame) {
            let found = match self.folder.frame_file(cloth, frame, Format::Obj) {
                Some(path) => scan_bounds(&path)
                    .map_err(|error| Failure::Usage(format!("cannot read {}: {error}", path.display())))?,
                None => self.read(cloth, frame)?.mesh.bounds(),
            };
            bounds = match (bounds, found) {
                (Some(a), Some(b)) => Some(union_bounds(a, b)),
                (a, b) => a.or(b),
            };
        }
        Ok(bounds)
    }

    /// The frames of a body, in increasing order.
    pub(super) fn frames_of(&self, body: &str) -> &[u64] {
        self.folder.frames(body)
    }

    /// The folder itself.
    pub(super) fn root(&self) -> &Path {
        self.folder.root()
    }

    /// The bodies that a frame has.
    pub(super) fn cloths_in(&self, frame: u64) -> Vec<&str> {
        let names = self.folder.cloth_names();
        names.into_iter().filter(|name| self.folder.frames(name).contains(&frame)).collect()
    }

    /// A body in a frame.
    pub(super) fn read(&self, body: &str, frame: u64) -> Result<FrameData, Failure> {
        self.folder.read_frame(body, frame).map_err(|error| Failure::usage(&error))
    }

    /// All bodies in a frame, as their files have them.
    pub(super) fn read_all(&self, frame: u64) -> Result<Vec<FrameData>, Failure> {
        self.cloths_in(frame).into_iter().map(|body| self.read(body, frame)).collect()
    }
}

/// At most `count` of some frames, evenly, with the first and the last one.
pub(super) fn sample_evenly(frames: &[u64], count: usize) -> Vec<u64> {
    let count = frames.len().min(count);
    let last = frames.len().saturating_sub(1);
    match count {
        0 => Vec::new(),
        // One frame stands best for all of them if it is the last.
        1 => vec![frames[last]],
        _ => (0..count).map(|k| frames[k * last / (count - 1)]).collect(),
    }
}

/// The box around the vertices of an OBJ file, without reading the rest.
fn scan_bounds(path: &Path) -> std::io::Result<Option<Bounds>> {
    let mut reader = BufReader::with_capacity(1 << 18, File::open(path)?);
    let mut bounds: Option<Bounds> = None;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 0 {
        if let Some(rest) = line.strip_prefix("v ") {
            let mut numbers = rest.split_ascii_whitespace().filter_map(|word| word.parse().ok());
            if let (Some(x), Some(y), Some(z)) = (numbers.next(), numbers.next(), numbers.next()) {
                let point = DVec3::new(x, y, z);
                bounds = Some(bounds.map_or([point, point], |so_far| union_bounds(so_far, [point, point])));
            }
        } else if bounds.is_some() {
            // Frames have their vertices first.
            break;
        }
        line.clear();
    }
    Ok(bounds)
}
