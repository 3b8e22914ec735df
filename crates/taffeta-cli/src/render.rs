//! `taffeta render`: a picture of a frame.
//!
//! The camera depends on the whole run and not on the frame, so that pictures of several frames can be compared and
//! made into a film. It frames the cloths in all frames, and the obstacles near them.

use crate::args::RenderOptions;
use crate::failure::Failure;
use glam::DVec3;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use taffeta_contact::{MeshObstacle, Obstacle};
use taffeta_core::TriangleMesh;
use taffeta_formats::{Format, FrameData};
use taffeta_render::tube::tube_mesh;
use taffeta_render::{
    Body, BodyKind, Camera, Picture, compute_framing_bounds, mesh_obstacle_body, obstacle_body, union_bounds,
    write_png,
};
use taffeta_scene::{ResultFolder, Scene, SceneObstacle};

/// Frames that are looked at to place the camera. A longer run is sampled evenly: the cloth moves little between.
const SCANNED_FRAMES: usize = 240;

/// A box \[m\] by its lowest and highest corner.
type Bounds = [DVec3; 2];

/// Draws a frame of a result folder and returns the path of the picture.
///
/// # Errors
/// If the folder or the frame does not exist, a file is bad, or the picture cannot be written.
pub fn render(options: &RenderOptions) -> Result<String, Failure> {
    refuse_later_options(options)?;
    let source = Source::open(&options.folder)?;
    let frame = source.choose_frame(options.frame)?;
    let mut picture = Picture {
        width: options.width,
        height: options.height,
        wireframe: options.wireframe,
        ..Picture::default()
    };
    picture.validate_size().map_err(|error| Failure::usage(&error))?;
    let path = options.out.clone().unwrap_or_else(|| default_path(options, frame));
    if path.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("png")) {
        let text = format!("--out {}: pictures are PNG files; end the name in .png", path.display());
        return Err(Failure::Usage(text));
    }
    let bounds = source.compute_bounds()?;
    picture.camera = bounds.map(|bounds| Camera::framing(bounds, picture.aspect()));
    let bodies = source.read_bodies(frame, bounds)?;
    let image = taffeta_render::render(&bodies, &picture).map_err(|error| Failure::usage(&error))?;
    write_png(&image, &path).map_err(|error| Failure::usage(&error))?;
    Ok(path.display().to_string())
}

fn refuse_later_options(options: &RenderOptions) -> Result<(), Failure> {
    let later = [
        (options.gif, "`--gif`", "`--frame N` draws single frames, all with the same camera"),
        (options.contact_sheet, "`--contact-sheet`", "`--frame N` draws single frames"),
        (options.color.is_some(), "`--color`", "each cloth has its own color"),
    ];
    match later.into_iter().find(|(given, ..)| *given) {
        Some((_, what, instead)) => Err(Failure::unsupported(what, instead)),
        None => Ok(()),
    }
}

fn default_path(options: &RenderOptions, frame: u64) -> PathBuf {
    let kind = if options.wireframe { "_wireframe" } else { "" };
    options.folder.join(format!("frame_{frame:05}{kind}.png"))
}

/// A result folder with its scene.
struct Source {
    folder: ResultFolder,
    scene: Scene,
    obstacles: Vec<Obstacle>,
    meshes: Vec<MeshObstacle>,
    /// The frames, at least one, in increasing order.
    frames: Vec<u64>,
}

impl Source {
    fn open(path: &Path) -> Result<Self, Failure> {
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
    fn choose_frame(&self, wanted: Option<u64>) -> Result<u64, Failure> {
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

    fn time_of(&self, frame: u64) -> f64 {
        frame as f64 * self.scene.simulation.frame_time()
    }

    /// The box that the camera should frame, over the whole run.
    fn compute_bounds(&self) -> Result<Option<Bounds>, Failure> {
        let last = self.frames.len() - 1;
        let count = self.frames.len().min(SCANNED_FRAMES);
        let mut bounds: Option<Bounds> = None;
        for k in 0..count {
            let frame = self.frames[k * last / (count - 1).max(1)];
            let Some(cloths) = self.scan_cloths(frame)? else { continue };
            let mesh = TriangleMesh { positions: cloths.to_vec(), ..TriangleMesh::default() };
            let mut bodies = vec![Body { mesh, kind: BodyKind::Cloth { index: 0 } }];
            let time = self.time_of(frame);
            bodies.extend(self.obstacle_bodies(time, cloths));
            let framed = compute_framing_bounds(&bodies).unwrap_or(cloths);
            bounds = Some(bounds.map_or(framed, |so_far| union_bounds(so_far, framed)));
        }
        Ok(bounds)
    }

    /// The obstacles at a time \[s\].
    fn obstacle_bodies(&self, time: f64, bounds: Bounds) -> impl Iterator<Item = Body> + '_ {
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

    fn cloths_in(&self, frame: u64) -> Vec<&str> {
        let names = self.folder.cloth_names();
        names.into_iter().filter(|name| self.folder.frames(name).contains(&frame)).collect()
    }

    fn read(&self, body: &str, frame: u64) -> Result<FrameData, Failure> {
        self.folder.read_frame(body, frame).map_err(|error| Failure::usage(&error))
    }

    /// A rope in a frame, as a tube.
    fn read_rope(&self, number: usize, frame: u64) -> Result<Body, Failure> {
        let rope = &self.scene.ropes[number];
        let points = self.read(&rope.name, frame)?.mesh.positions;
        let index = self.scene.cloths.len() + number;
        Ok(Body { mesh: tube_mesh(&points, rope.radius), kind: BodyKind::Cloth { index } })
    }

    /// Cloths, ropes and obstacles in a frame.
    fn read_bodies(&self, frame: u64, bounds: Option<Bounds>) -> Result<Vec<Body>, Failure> {
        let mut bodies = Vec::new();
        for (place, name) in self.cloths_in(frame).into_iter().enumerate() {
            if let Some(rope) = self.scene.ropes.iter().position(|rope| rope.name == name) {
                bodies.push(self.read_rope(rope, frame)?);
                continue;
            }
            let mesh = self.read(name, frame)?.mesh;
            let index = self.scene.cloths.iter().position(|cloth| cloth.name == name).unwrap_or(place);
            bodies.push(Body { mesh, kind: BodyKind::Cloth { index } });
        }
        let bounds = bounds.unwrap_or_default();
        let time = self.time_of(frame);
        bodies.extend(self.obstacle_bodies(time, bounds));
        Ok(bodies)
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
