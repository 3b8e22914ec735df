//! Status of a show, which browsers know besides its frames.

use glam::DVec3;
use serde::Serialize;
use taffeta_scene::Scene;

/// Notices that are kept.
const KEPT: usize = 20;

/// The state of a show, as browsers get it whenever it changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Status {
    /// `live` or `folder`.
    pub mode: &'static str,
    /// Name of the scene or folder.
    pub title: String,
    /// The solver, if it is known.
    pub solver: Option<&'static str>,
    /// True if it goes on by itself.
    pub running: bool,
    /// True if it goes no faster than real time.
    pub real_time: bool,
    /// True if it is a search for an equilibrium.
    pub is_static: bool,
    /// Simulated time of the scene \[s\]; a live show goes on after it.
    pub duration: f64,
    /// Time between frames \[s\].
    pub frame_time: f64,
    /// Controls that can be set.
    pub controls: Vec<ControlStatus>,
    /// Names of the material presets.
    pub presets: Vec<&'static str>,
    /// The cloths that can be made of a preset: number and name.
    pub cloths: Vec<(usize, String)>,
    /// Reason why the cloth cannot be grabbed; `None` if it can.
    pub refuses_grabs: Option<&'static str>,
    /// The numbers of the frames of a folder.
    pub frames: Vec<u64>,
    /// Past notices, the latest last.
    pub notices: Vec<Notice>,
    /// The view at the start.
    pub opening: Opening,
}

/// The view at the start of a show.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Opening {
    /// The direction that is upward.
    up: DVec3,
    /// Position of the camera of the scene \[m\].
    position: Option<DVec3>,
    /// The point that it looks at \[m\]; `None`: the middle of all bodies.
    target: Option<DVec3>,
    /// Its vertical angle of view \[degrees\].
    field_of_view: Option<f64>,
    /// Length of a crossing of threads of cloths \[m\]; `None`: no cloth has material coordinates.
    thread: Option<f64>,
}

impl Default for Opening {
    fn default() -> Self {
        Self { up: DVec3::Y, position: None, target: None, field_of_view: None, thread: None }
    }
}

impl Opening {
    /// The view with the length of a crossing of threads \[m\].
    pub(crate) fn woven(self, thread: Option<f64>) -> Self {
        Self { thread, ..self }
    }

    /// The direction that is upward.
    pub(crate) fn up(&self) -> DVec3 {
        self.up
    }

    /// The view of the camera of a scene.
    pub(crate) fn of(scene: &Scene) -> Self {
        let camera = scene.camera.as_ref();
        Self {
            up: scene.upward(),
            position: camera.map(|camera| camera.position),
            target: camera.and_then(|camera| camera.target),
            field_of_view: camera.map(|camera| camera.field_of_view_deg),
            thread: None,
        }
    }
}

/// A value that can be set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ControlStatus {
    /// Its key in commands.
    pub key: String,
    /// The group that it belongs to.
    pub group: String,
    /// Its name.
    pub label: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// The range.
    pub low: f64,
    /// The range.
    pub high: f64,
    /// True if the slider is logarithmic.
    pub is_log: bool,
    /// The value.
    pub value: f64,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Notice {
    /// Counted from 1.
    pub number: u64,
    /// `note`, `warning` or `error`.
    pub level: &'static str,
    /// In words.
    pub text: String,
    /// Number of times that it happened.
    pub times: u64,
}

/// Recent notices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notices {
    list: Vec<Notice>,
    count: u64,
}

impl Notices {
    /// Adds a notice, in place of the last one if that says the same: whoever has dismissed it sees it again.
    pub(crate) fn add(&mut self, level: &'static str, text: impl Into<String>) {
        let text = text.into();
        let same = self.list.pop_if(|last| last.text == text);
        self.count += 1;
        self.list.push(Notice {
            number: self.count,
            level,
            text,
            times: same.map_or(1, |last| last.times + 1),
        });
        if self.list.len() > KEPT {
            self.list.remove(0);
        }
    }

    /// Notes that a command was refused, and why.
    pub(crate) fn refuse(&mut self, command: &str, reason: &str) {
        self.add("error", format!("refused: {command}: {reason}"));
    }

    /// The latest notices.
    pub(crate) fn list(&self) -> Vec<Notice> {
        self.list.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happens_again_is_told_again_without_filling_the_list() {
        let mut notices = Notices::default();
        notices.add("warning", "slow");
        for _ in 0..100 {
            notices.refuse("pin", "there is no body 3");
        }
        let list = notices.list();
        let [first, second] = &list[..] else { panic!("{list:?}") };
        assert_eq!((first.number, first.times), (1, 1));
        assert_eq!(
            (second.number, second.times, second.text.as_str()),
            (101, 100, "refused: pin: there is no body 3")
        );
    }
}
