//! A simulation that runs while it is watched.
//!
//! It waits for the first browser, and whenever none is left. Commands act between frames. What a step refuses is told, and
//! the world is then as it was before: it pauses, and goes on when something has been changed.

use super::controls::Controls;
use super::grabs::Grabs;
use super::playback::Playback;
use super::sewing::Sewing;
use super::substep_callback::SubstepCallback;
use crate::command::{Client, Command, Event};
use crate::error::ViewError;
use crate::pictures::bodies::{Obstacles, picture_world};
use crate::pictures::ground::Ground;
use crate::pictures::snapshot::{MeshNumbers, Snapshot};
use crate::status::{Notices, Opening, Status};
use glam::{DVec2, DVec3};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use taffeta_render::thread_pitch;
use taffeta_scene::materials::presets;
use taffeta_scene::{MetricsRow, Scene};
use taffeta_sim::{
    BodyPoint, PanelPoint, PinDescription, PinId, PointError, SolverChoice, StepError, StepInputs,
    StepReport, World, WorldDescription, queries,
};

/// A grab has so many times the weight of the cloths over their size as its stiffness: it carries them all with a twentieth
/// of their size as its length.
const PULL: f64 = 20.0;
/// Gravity that weights are reckoned with \[m/s²\], whatever that of the scene.
const G: f64 = 9.81;
/// Weight of the last frame in the mean time of a frame.
const SMOOTHING: f64 = 0.15;

/// A point of a browser: the number of the body, the panel, and coordinates \[m\] as in [`Command::Grab`].
#[derive(Clone, Copy)]
struct ClickedPoint {
    body: usize,
    panel: Option<u32>,
    point: [f64; 3],
}

/// A simulation that runs while it is watched.
#[derive(Debug)]
pub struct LiveShow {
    description: WorldDescription,
    world: World,
    title: String,
    frame_time: f64,
    duration: f64,
    is_static: bool,
    painter: Painter,
    /// The size of all cloths together \[m\].
    size: f64,
    defaults: Controls,
    controls: Controls,
    opening: Opening,
    playback: Playback,
    hands: Grabs,
    sewing: Arc<Sewing>,
    report: Value,
    /// Mean wall time of a frame \[s\]; `None`: there was none yet.
    cost: Option<f64>,
    /// Wall time that the last picture took \[s\].
    picture_time: f64,
}

impl LiveShow {
    /// A scene at time 0 under a title, with what is odd about it.
    ///
    /// # Errors
    /// If its meshes do not fit it or its world cannot be built.
    pub fn new(scene: &Scene, title: impl Into<String>) -> Result<Self, ViewError> {
        let (built, panels) = scene.assemble_with_panels()?;
        let world = World::build(&built.world)?;
        let mut notices = Notices::default();
        built.warnings.into_iter().for_each(|warning| notices.add("warning", warning));
        let description = built.world;
        let size = extent(&world.motion().positions.raw);
        let mass: f64 = world.motion().masses.iter().sum();
        let defaults = Controls::of_scene(&description, round_up(PULL * mass * G / size));
        let obstacles =
            Obstacles { closed: description.obstacles.clone(), meshes: description.mesh_obstacles.clone() };
        let count = world.cloths().len();
        let thread = thread_pitch(description.cloths.iter().map(|cloth| &cloth.mesh));
        let opening = Opening::of(scene).woven(thread);
        let bounds = obstacles.bounds_at(0.0, (0..count).map(|cloth| world.mesh(cloth).positions));
        let mut show = Self {
            painter: Painter {
                ground: Ground::below(bounds, opening.up(), &obstacles),
                bounds,
                obstacles,
                numbers: MeshNumbers::default(),
            },
            title: title.into(),
            frame_time: scene.simulation.frame_time(),
            duration: scene.simulation.duration,
            is_static: scene.simulation.is_static(),
            opening,
            size,
            controls: defaults.clone(),
            defaults,
            playback: Playback::new(notices),
            hands: Grabs::default(),
            sewing: Arc::new(Sewing::new(&description.cloths, panels)),
            report: Value::Null,
            cost: None,
            picture_time: 0.0,
            world,
            description,
        };
        show.record_start();
        Ok(show)
    }

    /// The world as it is.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Adds a warning to those that browsers see.
    pub fn warn(&mut self, text: String) {
        self.playback.notices.add("warning", text);
    }

    /// Warnings about the scene.
    pub fn warnings(&self) -> Vec<String> {
        self.playback.warnings()
    }

    /// The status for browsers.
    pub(crate) fn status(&self) -> Status {
        let sheets = self.description.cloths.iter().enumerate();
        let has_materials = self.description.simulation.solver != SolverChoice::Pbd;
        Status {
            mode: "live",
            title: self.title.clone(),
            solver: Some(self.world.solver_name()),
            running: self.playback.running,
            real_time: self.playback.real_time,
            is_static: self.is_static,
            duration: self.duration,
            frame_time: self.frame_time,
            controls: self.controls.list(),
            presets: if has_materials {
                presets().iter().map(|preset| preset.name).collect()
            } else {
                vec![]
            },
            cloths: sheets.map(|(number, cloth)| (number, cloth.name.clone())).collect(),
            refuses_grabs: self.controls.refuses_grabs(),
            frames: Vec::new(),
            notices: self.playback.notices.list(),
            opening: self.opening,
        }
    }

    /// Panels at time 0, whose edges can be sewn.
    pub(crate) fn sewing(&self) -> Arc<Sewing> {
        Arc::clone(&self.sewing)
    }

    /// When the next frame is to be made.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.playback.due()
    }

    /// Handles an event.
    pub(crate) fn handle(&mut self, event: Event) {
        match event {
            Event::Join => self.playback.join(),
            Event::Leave(client) => {
                self.playback.leave();
                self.release(client);
            }
            Event::Command(client, command) => {
                let name = command.to_string();
                if let Err(reason) = self.obey(client, command) {
                    self.playback.notices.refuse(&name, &reason);
                }
            }
        }
    }

    /// Does what a message asks for that a browser would send: a JSON object with the key `do`. This is the page without a
    /// browser; grabs are those of one hand.
    ///
    /// # Errors
    /// If the message is no command, or cannot be done: nothing has changed then.
    pub fn take_message(&mut self, text: &str) -> Result<(), String> {
        let command = serde_json::from_str(text).map_err(|error| error.to_string())?;
        self.obey(0, command)
    }

    fn obey(&mut self, client: Client, command: Command) -> Result<(), String> {
        match command {
            Command::Taken => {}
            Command::Run { on } => {
                self.playback.run(on);
            }
            Command::Step => {
                self.playback.running = false;
                self.advance(None);
            }
            Command::RealTime { on } => self.playback.real_time = on,
            Command::Reset => self.reset()?,
            Command::Defaults => self.set(self.defaults.clone())?,
            Command::Set { key, value } => self.set(self.controls.with(&key, value)?)?,
            Command::Preset { cloth, name } => self.set(self.controls.with_preset(cloth, &name)?)?,
            Command::Grab { body, panel, point, target, stamp } => {
                self.grab(client, ClickedPoint { body, panel, point }, target, stamp)?
            }
            Command::Drag { target, stamp } => {
                self.hands.drag(client, DVec3::from_array(target), stamp);
                self.playback.is_stale |= !self.playback.running;
            }
            Command::Release => self.release(client),
            Command::Pin { body, panel, point } => self.pin(ClickedPoint { body, panel, point })?,
            Command::Unpin { body, panel, point } => self.unpin(ClickedPoint { body, panel, point })?,
            // Browsers get their answers from the thread that hears them.
            Command::Edges => {}
            Command::Seam { cloth, a, b } => drop(self.sewing.pair(cloth, [a, b])?),
            Command::Seek { .. } => return Err("a simulation has no frames to go to: it can be reset".into()),
        }
        Ok(())
    }

    fn grab(
        &mut self,
        client: Client,
        place: ClickedPoint,
        target: [f64; 3],
        stamp: f64,
    ) -> Result<(), String> {
        if let Some(reason) = self.controls.refuses_grabs() {
            return Err(reason.into());
        }
        let (body, point) = (place.body, self.find_point(place)?);
        let found = queries::material_point(&self.world, body, point).map_err(|error| error.to_string())?;
        self.hands.grab(client, body, point, found.position, DVec3::from_array(target), stamp);
        self.playback.is_stale = true;
        Ok(())
    }

    fn release(&mut self, client: Client) {
        self.hands.release(client);
        self.playback.is_stale = true;
    }

    /// Takes over other values, if the world does.
    fn set(&mut self, controls: Controls) -> Result<(), String> {
        if let Err(reason) = controls.apply(&mut self.world) {
            // Some may have been set already.
            self.controls.apply(&mut self.world)?;
            return Err(reason);
        }
        self.controls = controls;
        Ok(())
    }

    fn reset(&mut self) -> Result<(), String> {
        let mut world = World::build(&self.description).map_err(|error| error.to_string())?;
        self.controls.apply(&mut world)?;
        self.world = world;
        self.hands = Grabs::default();
        self.cost = None;
        self.record_start();
        Ok(())
    }

    fn record_start(&mut self) {
        self.report = json!(MetricsRow::of_state(&self.world));
        self.playback.run(self.playback.running);
        self.playback.is_stale = true;
    }

    /// The material point that a browser means.
    fn find_point(&self, ClickedPoint { body, panel, point }: ClickedPoint) -> Result<BodyPoint, String> {
        let count = self.world.cloths().len() + self.world.loose_bodies().len();
        if body >= count {
            return Err(format!("there is no body {body}; there are {count}"));
        }
        let [u, v, w] = point;
        let has_material = self.world.cloths().get(body).is_some_and(|cloth| cloth.has_material);
        match (has_material, panel) {
            (true, _) if w != 0.0 => Err("the third material coordinate must be 0".into()),
            (true, _) => Ok(PanelPoint { panel, material: DVec2::new(u, v) }.into()),
            (false, Some(_)) => Err(PointError::NoMaterial.to_string()),
            (false, None) => Ok(DVec3::from_array(point).into()),
        }
    }

    /// The vertices of the face, or of the segment of a rope, in which a material point lies, the nearest first.
    fn find_vertices(&self, place: ClickedPoint) -> Result<Vec<taffeta_core::VertexIndex>, String> {
        let found = queries::find_point(&self.world, place.body, self.find_point(place)?);
        let (corners, weights) = found.map_err(|error| error.to_string())?;
        let mut order = [0, 1, 2];
        order.sort_by(|a, b| weights[*b].total_cmp(&weights[*a]));
        Ok(order.into_iter().filter(|k| weights[*k] > 0.0).map(|k| corners[k]).collect())
    }

    fn pin(&mut self, place: ClickedPoint) -> Result<(), String> {
        let vertex = self.find_vertices(place)?[0];
        self.world.add_pin(&[vertex], &PinDescription::default()).map_err(|error| error.to_string())?;
        self.playback.is_stale = true;
        Ok(())
    }

    fn unpin(&mut self, place: ClickedPoint) -> Result<(), String> {
        let vertices = self.find_vertices(place)?;
        let pin_of = |vertex: &taffeta_core::VertexIndex| self.world.motion().vertex_pins[*vertex];
        let pin = vertices.iter().find_map(pin_of).ok_or("no pin holds the body there")?;
        self.world.release_pin(PinId::from_number(pin as usize)).map_err(|error| error.to_string())?;
        self.playback.is_stale = true;
        Ok(())
    }

    /// Makes a frame, with something to do between its substeps or without.
    pub(crate) fn advance(&mut self, substep_callback: Option<&mut SubstepCallback<'_>>) {
        let begun = Instant::now();
        let outcome = match self.is_static {
            true => self.world.equilibrate(),
            false => self.step(substep_callback),
        };
        let time = begun.elapsed().as_secs_f64();
        match outcome {
            Ok(report) => {
                self.cost = Some(self.cost.map_or(time, |mean| mean + SMOOTHING * (time - mean)));
                self.report = self.describe_step(&report, time);
                self.hands.record_felt();
            }
            Err(error) => {
                self.playback.running = false;
                self.playback.notices.add("error", format!("paused: {error}"));
            }
        }
        if self.is_static && self.playback.running {
            self.playback.running = false;
            self.playback
                .notices
                .add("note", "this is the equilibrium; change something and run again to find another");
        }
        self.playback.wait(Duration::from_secs_f64(self.frame_time));
        self.playback.is_stale = true;
    }

    /// Makes a step, in which the hands follow the pointers.
    fn step(
        &mut self,
        mut substep_callback: Option<&mut SubstepCallback<'_>>,
    ) -> Result<StepReport, StepError> {
        let grabs = self.hands.pull(&self.world, self.size, self.controls.pull);
        let budget = self.playback.real_time.then_some(self.frame_time);
        let inputs = StepInputs { grabs, budget, ..StepInputs::default() };
        let Self { world, hands, painter, report, size, frame_time, .. } = self;
        world.step_with(&inputs, *frame_time, &mut |lead| {
            if lead.targets.is_empty() {
                return;
            }
            if let Some(substep_callback) = &mut substep_callback {
                substep_callback.show(|| painter.paint(lead.world, hands, report));
                substep_callback.listen(hands);
            }
            hands.follow(lead.h, *size);
            hands.aim(lead.places, *size, lead.targets);
            hands.record_felt();
        })
    }

    fn describe_step(&self, report: &StepReport, time: f64) -> Value {
        let mut row = json!(MetricsRow::of_step(report));
        row["step_ms"] = json!(1e3 * time);
        row["picture_ms"] = json!(1e3 * self.picture_time);
        // What keeps real time, if anything does: the error of a step, and how many times as long edges are.
        row["rough"] = json!(report.rough.map(|rough| {
            let is_remeshed = self.world.cloths().iter().any(|cloth| cloth.remesh.is_some());
            json!({ "accuracy": rough.accuracy, "edges": is_remeshed.then_some(rough.edges) })
        }));
        // Wall time for a second of cloth.
        row["slowness"] =
            json!(if self.is_static { 0.0 } else { self.cost.unwrap_or(time) / self.frame_time });
        row
    }

    /// A picture of the world, if it has changed since the last one and somebody looks.
    pub(crate) fn take_snapshot(&mut self) -> Option<Snapshot> {
        if !self.playback.take_stale() {
            return None;
        }
        let begun = Instant::now();
        let snapshot = self.painter.paint(&self.world, &self.hands, &self.report);
        self.picture_time = begun.elapsed().as_secs_f64();
        Some(snapshot)
    }
}

/// Data that pictures of the world need beside it.
#[derive(Debug)]
struct Painter {
    obstacles: Obstacles,
    /// A box around everything at time 0 \[m\], which says how large planes are drawn.
    bounds: [DVec3; 2],
    /// The ground; `None`: the scene has a floor.
    ground: Option<Ground>,
    numbers: MeshNumbers,
}

impl Painter {
    /// A picture of the world as it is, with what is held and what is told about the last frame.
    fn paint(&mut self, world: &World, hands: &Grabs, report: &Value) -> Snapshot {
        let time = world.time();
        let mut bodies = picture_world(world, &mut self.numbers);
        bodies.extend(self.obstacles.pictures(time, self.bounds, &mut self.numbers));
        let ground = self.ground.as_mut().map(|ground| ground.picture(&bodies, &mut self.numbers));
        bodies.extend(ground);
        Snapshot {
            frame: world.frame(),
            time,
            bodies,
            report: report.clone(),
            stamps: hands.stamps(),
            grabs: hands.ends(world),
        }
    }
}

/// The largest side of the box around some points \[m\]; 1 if there is none.
fn extent(points: &[DVec3]) -> f64 {
    let low = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let size = (high - low).max_element();
    if size.is_finite() && size > 0.0 { size } else { 1.0 }
}

/// Rounds up to one digit, within what a grab may be set to.
fn round_up(value: f64) -> f64 {
    let unit = 10f64.powf(value.log10().floor());
    ((value / unit).ceil() * unit).clamp(0.1, 1e4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const SHEET: &str =
        "[simulation]\nduration = 1\n[[cloth]]\nname = \"sheet\"\ngrid = { size = [1, 1], cells = [3, 3] }\n";

    fn show(text: &str) -> LiveShow {
        LiveShow::new(&Scene::from_str(text, Path::new("scene.toml"), &[]).unwrap(), "test").unwrap()
    }

    #[test]
    fn messages_are_done_without_a_browser_and_nonsense_changes_nothing() {
        let mut show = show(SHEET);
        show.take_message(r#"{"do":"step"}"#).unwrap();
        assert_eq!(show.world().frame(), 1);
        let before = show.world().state_hash();
        for nonsense in
            ["", "[]", r#"{"do":"seek","frame":3}"#, r#"{"do":"preset","cloth":9,"name":"denim"}"#]
        {
            show.take_message(nonsense).unwrap_err();
        }
        assert_eq!(show.world().state_hash(), before);
    }

    /// Two triangles with the same material coordinates, the second 2 m above the first.
    const ATLAS: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 2\nv 1 0 2\nv 0 1 2\nvt 0 0\nvt 1 0\nvt 0 1\n\
                         f 1/1 2/2 3/3\nf 4/1 5/2 6/3\n";

    #[test]
    fn grabs_and_pins_of_a_browser_are_on_their_own_panel() {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::write(scratch.path().join("atlas.obj"), ATLAS).unwrap();
        let text = "[simulation]\nduration = 1\ngravity = [0, 0, 0]\n[[cloth]]\nname = \"sheet\"\n\
                    mesh = \"atlas.obj\"\n";
        let scene = Scene::from_str(text, &scratch.path().join("scene.toml"), &[]).unwrap();
        let mut show = LiveShow::new(&scene, "test").unwrap();
        let vague = show.take_message(r#"{"do":"pin","body":0,"point":[0,0,0]}"#).unwrap_err();
        assert!(vague.contains("several panels: 0, 1"), "{vague}");
        show.take_message(r#"{"do":"pin","body":0,"panel":1,"point":[0,0,0]}"#).unwrap();
        let motion = show.world().motion();
        let held = |vi| motion.vertex_pins[vi].is_some();
        let held: Vec<_> = show.world().sheet().topology.vertices().filter(|vi| held(*vi)).collect();
        assert_eq!(held.iter().map(|vi| motion.positions[*vi].z).collect::<Vec<_>>(), [2.0]);
        let grab = r#"{"do":"grab","body":0,"panel":0,"point":[0.2,0.2,0],"target":[0.2,0.2,0.5],"stamp":1}"#;
        show.take_message(grab).unwrap();
        for _ in 0..3 {
            show.take_message(r#"{"do":"step"}"#).unwrap();
        }
        let motion = show.world().motion();
        for (start, v) in show.world().sheet().starts.iter().zip(motion.velocities.iter()) {
            assert_eq!(v.length() > 1e-3, start.z == 0.0, "{start}: {v}");
        }
        let picture = &picture_world(show.world(), &mut MeshNumbers::default())[0];
        assert_eq!((&picture.mesh.coords.panels[..], picture.mesh.coords.corners.len()), (&[0, 1][..], 0));
    }
}
