//! The frames of a result folder, read one at a time when they are shown.

use super::playback::Playback;
use crate::command::{Command, Event};
use crate::error::ViewError;
use crate::pictures::bodies::{Obstacles, UNKNOWN_RADIUS, picture_recorded, picture_rope};
use crate::pictures::ground::Ground;
use crate::pictures::snapshot::{BodyPicture, MeshNumbers, Snapshot};
use crate::status::{Notices, Opening, Status};
use glam::DVec3;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};
use taffeta_render::{thread_pitch, union_bounds};
use taffeta_scene::{ResultFolder, Scene, SceneObstacle};

/// Frames per second of a folder whose scene is not known.
const FRAME_RATE: f64 = 60.0;
/// Frames that are looked at for the lowest point. Others may lie deeper, and move the ground.
const LOOKED_AT: usize = 12;

/// The frames of a result folder.
#[derive(Debug)]
pub struct FolderShow {
    folder: ResultFolder,
    title: String,
    frames: Vec<u64>,
    /// Place of the present frame in `frames`.
    place: usize,
    scene: Option<Scene>,
    obstacles: Obstacles,
    bounds: [DVec3; 2],
    /// The ground; `None`: the scene has a floor.
    ground: Option<Ground>,
    /// The view at the start.
    opening: Opening,
    reports: BTreeMap<u64, Value>,
    numbers: MeshNumbers,
    playback: Playback,
}

impl FolderShow {
    /// Opens the folder of a run, finished or not. What is missing or damaged beside its frames is told to those who watch.
    ///
    /// # Errors
    /// If it is no result folder or has no frames that can be read.
    pub fn open(path: &Path) -> Result<Self, ViewError> {
        let folder = ResultFolder::open(path)?;
        let frames = folder.all_frames();
        if frames.is_empty() {
            let formats: Vec<_> = folder.formats().iter().map(|format| format.name()).collect();
            let reason = match formats.as_slice() {
                [] => "its run stopped before the first one, or output.formats is \"none\"".to_owned(),
                some => format!(
                    "{} files are not read back; `taffeta run` also writes obj, ply and npz",
                    some.join(", ")
                ),
            };
            return Err(ViewError::NoFrames { path: path.to_owned(), reason });
        }
        let mut notices = Notices::default();
        let scene = folder.read_scene().map_err(|error| notices.add("warning", error.to_string())).ok();
        let obstacles = scene.as_ref().map(|scene| read_obstacles(&folder, scene, &mut notices));
        let rows = folder.read_metrics().map_err(|error| notices.add("warning", error.to_string()));
        if let Some(gaps) = describe_gaps(&frames) {
            notices.add("warning", format!("frames are missing: {gaps}"));
        }
        for body in folder.cloth_names() {
            let count = folder.frames(body).len();
            if count < frames.len() {
                notices.add("warning", format!("{body} is in {count} of {} frames only", frames.len()));
            }
        }
        let title = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let mut show = Self {
            title,
            place: 0,
            scene,
            obstacles: obstacles.unwrap_or_default(),
            bounds: [DVec3::ZERO; 2],
            ground: None,
            opening: Opening::default(),
            reports: rows.unwrap_or_default().into_iter().map(|row| (row.frame(), json!(row))).collect(),
            numbers: MeshNumbers::default(),
            playback: Playback::new(notices),
            frames,
            folder,
        };
        show.opening = show.find_opening();
        show.bounds = show.find_bounds(show.frames[0]);
        show.ground = Ground::below(show.find_run_bounds(), show.opening.up(), &show.obstacles);
        Ok(show)
    }

    /// The view at the start, and how finely cloths are woven.
    fn find_opening(&self) -> Opening {
        let read = |name: &str| Some(self.folder.read_frame(name, self.frames[0]).ok()?.mesh);
        let cloths: Vec<_> = self.folder.cloth_names().into_iter().filter_map(read).collect();
        self.scene.as_ref().map(Opening::of).unwrap_or_default().woven(thread_pitch(cloths.iter()))
    }

    /// A box around everything in a frame \[m\]. What cannot be read is left out.
    fn find_bounds(&self, frame: u64) -> [DVec3; 2] {
        let positions = |name: &str| {
            let data = self.folder.read_frame(name, frame).ok().filter(|data| data.find_defect().is_none());
            Some(data?.mesh.positions.into_iter().filter(|x| x.is_finite()).collect())
        };
        let cloths = self.folder.cloth_names().into_iter().filter_map(positions);
        self.obstacles.bounds_at(self.time_of(frame), cloths)
    }

    /// A box around everything in some frames of the run \[m\].
    fn find_run_bounds(&self) -> [DVec3; 2] {
        let last = self.frames.len() - 1;
        let count = LOOKED_AT.min(last);
        (1..=count).map(|k| self.find_bounds(self.frames[k * last / count])).fold(self.bounds, union_bounds)
    }

    /// Warnings about the folder.
    pub fn warnings(&self) -> Vec<String> {
        self.playback.warnings()
    }

    /// The status for browsers.
    pub(crate) fn status(&self) -> Status {
        Status {
            mode: "folder",
            title: self.title.clone(),
            running: self.playback.running,
            real_time: self.playback.real_time,
            is_static: self.scene.as_ref().is_some_and(|scene| scene.simulation.is_static()),
            duration: self.time_of(*self.frames.last().expect("there are frames")),
            frame_time: self.frame_time(),
            frames: self.frames.clone(),
            notices: self.playback.notices.list(),
            refuses_grabs: Some("a recording cannot be grabbed: view the scene to touch the cloth"),
            opening: self.opening,
            ..Status::default()
        }
    }

    fn frame_time(&self) -> f64 {
        self.scene.as_ref().map_or(1.0 / FRAME_RATE, |scene| scene.simulation.frame_time())
    }

    fn time_of(&self, frame: u64) -> f64 {
        frame as f64 * self.frame_time()
    }

    /// When the next frame is to be shown.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.playback.due()
    }

    /// Handles an event.
    pub(crate) fn handle(&mut self, event: Event) {
        match event {
            Event::Join => {
                self.playback.join();
            }
            Event::Leave(_) => self.playback.leave(),
            Event::Command(_, command) => {
                let name = command.to_string();
                if let Err(reason) = self.obey(command) {
                    self.playback.notices.refuse(&name, reason);
                }
            }
        }
    }

    fn obey(&mut self, command: Command) -> Result<(), &'static str> {
        match command {
            Command::Taken | Command::Drag { .. } | Command::Release => {}
            Command::Run { on } => {
                if on && self.place + 1 == self.frames.len() {
                    self.go_to(0);
                }
                self.playback.run(on);
            }
            Command::Step => {
                self.playback.running = false;
                self.go_to((self.place + 1).min(self.frames.len() - 1));
            }
            Command::Reset => self.go_to(0),
            Command::RealTime { on } => self.playback.real_time = on,
            Command::Seek { frame } => {
                let after = self.frames.partition_point(|f| *f < frame).min(self.frames.len() - 1);
                let before = after.saturating_sub(1);
                let distance = |place: usize| self.frames[place].abs_diff(frame);
                self.go_to(if distance(before) < distance(after) { before } else { after });
            }
            Command::Defaults
            | Command::Set { .. }
            | Command::Preset { .. }
            | Command::Grab { .. }
            | Command::Pin { .. }
            | Command::Unpin { .. }
            | Command::Edges
            | Command::Seam { .. } => {
                return Err("a recording cannot be changed: view the scene to touch the cloth");
            }
        }
        Ok(())
    }

    fn go_to(&mut self, place: usize) {
        self.place = place;
        self.playback.is_stale = true;
    }

    /// Goes on to the next frame, and stops at the last one.
    pub(crate) fn advance(&mut self) {
        if self.place + 1 == self.frames.len() {
            self.playback.running = false;
            return;
        }
        let skipped = self.frames[self.place + 1] - self.frames[self.place];
        self.go_to(self.place + 1);
        self.playback.wait(Duration::from_secs_f64(self.time_of(skipped).min(1.0)));
    }

    /// A picture of the present frame, if it is another one than last time and somebody looks.
    pub(crate) fn take_snapshot(&mut self) -> Option<Snapshot> {
        if !self.playback.take_stale() {
            return None;
        }
        let begun = Instant::now();
        let frame = self.frames[self.place];
        let time = self.time_of(frame);
        let names: Vec<String> = self.folder.cloth_names().into_iter().map(str::to_owned).collect();
        let mut bodies: Vec<BodyPicture> =
            names.into_iter().filter_map(|name| self.read_body(name, frame)).collect();
        bodies.extend(self.obstacles.pictures(time, self.bounds, &mut self.numbers));
        let ground = self.ground.as_mut().map(|ground| ground.picture(&bodies, &mut self.numbers));
        bodies.extend(ground);
        let mut report = self.reports.get(&frame).cloned().unwrap_or_else(|| json!({}));
        report["picture_ms"] = json!(1e3 * begun.elapsed().as_secs_f64());
        Some(Snapshot { frame, time, bodies, report, stamps: BTreeMap::new(), grabs: Vec::new() })
    }

    /// A body of a frame. One that is damaged or missing is left out, and the reason told.
    fn read_body(&mut self, name: String, frame: u64) -> Option<BodyPicture> {
        if !self.folder.frames(&name).contains(&frame) {
            return None;
        }
        let data = match self.folder.read_frame(&name, frame) {
            Ok(data) => data,
            Err(error) => {
                self.playback.notices.add("error", error.to_string());
                return None;
            }
        };
        if let Some(defect) = data.find_defect() {
            self.playback.notices.add("error", format!("frame {frame} of {name}: {defect}"));
            return None;
        }
        let ropes = self.scene.iter().flat_map(|scene| &scene.ropes);
        let rope = ropes.into_iter().find(|rope| rope.name == name);
        if rope.is_some() || data.is_curve {
            let radius = rope.map_or(UNKNOWN_RADIUS, |rope| rope.radius);
            return Some(picture_rope(name, &data, radius, &mut self.numbers));
        }
        Some(picture_recorded(name, &data, &mut self.numbers))
    }
}

fn read_obstacles(folder: &ResultFolder, scene: &Scene, notices: &mut Notices) -> Obstacles {
    let closed = scene.obstacles.iter().filter_map(SceneObstacle::closed_form).collect();
    let meshes = folder.read_mesh_obstacles(scene).unwrap_or_else(|error| {
        notices.add("warning", error.to_string());
        Vec::new()
    });
    Obstacles { closed, meshes }
}

/// Which frames are missing from a list in which most are equally far from the next; `None`: none.
fn describe_gaps(frames: &[u64]) -> Option<String> {
    let steps = || frames.windows(2).map(|pair| pair[1] - pair[0]);
    let every = steps().min()?;
    let gaps: Vec<String> = frames
        .windows(2)
        .filter(|pair| pair[1] - pair[0] > every)
        .map(|pair| match (pair[0] + every, pair[1] - every) {
            (first, last) if first >= last => first.to_string(),
            (first, last) => format!("{first} to {last}"),
        })
        .chain((frames[0] > 0).then(|| format!("those before {}", frames[0])))
        .collect();
    (!gaps.is_empty()).then(|| gaps.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_in_the_frames_are_named() {
        assert_eq!(describe_gaps(&[0, 1, 2, 3]), None);
        assert_eq!(describe_gaps(&[0, 5, 10]), None);
        assert_eq!(describe_gaps(&[0]), None);
        assert_eq!(describe_gaps(&[0, 1, 5, 6, 8]).as_deref(), Some("2 to 4, 7"));
        assert_eq!(describe_gaps(&[3, 4]).as_deref(), Some("those before 3"));
    }
}
