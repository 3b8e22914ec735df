//! Commands of a browser.

use serde::Deserialize;
use std::fmt;

/// The number of a browser, for as long as it is connected.
pub(crate) type Client = u64;

/// Command of a browser: a JSON object with the key `do`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Command {
    /// The page has taken over a frame and wants another one.
    Taken,
    /// Run, or pause.
    Run {
        /// True to run, false to pause.
        on: bool,
    },
    /// Make one step.
    Step,
    /// Go back to time 0.
    Reset,
    /// Take the values of the scene for everything that can be set.
    Defaults,
    /// No faster than real time, or as fast as possible.
    RealTime {
        /// True for real time.
        on: bool,
    },
    /// Change a value.
    Set {
        /// Its key in the list of controls.
        key: String,
        /// The new value, in its unit.
        value: f64,
    },
    /// Make a cloth of a preset.
    Preset {
        /// Number of the cloth.
        cloth: usize,
        /// Name of the preset.
        name: String,
    },
    /// Grab a material point, in place of what this browser holds.
    Grab {
        /// Number of the body, see [`taffeta_sim::Grab::body`].
        body: usize,
        /// Its panel, of a cloth with material coordinates. Absent: the only one that covers the point.
        panel: Option<u32>,
        /// Its material coordinates and 0; without any, where it was at time 0 \[m\].
        point: [f64; 3],
        /// Point to pull it to \[m\].
        target: [f64; 3],
        /// The browser's clock, which comes back with the first frame that knows of it.
        stamp: f64,
    },
    /// Pull the grabbed point elsewhere.
    Drag {
        /// Point to pull to \[m\].
        target: [f64; 3],
        /// As with [`Command::Grab`].
        stamp: f64,
    },
    /// Let go.
    Release,
    /// Pin the vertex next to a material point where it is.
    Pin {
        /// Number of the body, see [`taffeta_sim::Grab::body`].
        body: usize,
        /// Its panel, of a cloth with material coordinates. Absent: the only one that covers the point.
        panel: Option<u32>,
        /// Its material coordinates and 0; without any, where it was at time 0 \[m\].
        point: [f64; 3],
    },
    /// Let the pin go that holds the vertex next to a material point.
    Unpin {
        /// Number of the body, see [`taffeta_sim::Grab::body`].
        body: usize,
        /// Its panel, of a cloth with material coordinates. Absent: the only one that covers the point.
        panel: Option<u32>,
        /// Its material coordinates and 0; without any, where it was at time 0 \[m\].
        point: [f64; 3],
    },
    /// List the edges of all panels, for this browser.
    Edges,
    /// Pair two edges of panels as a seam would, for this browser.
    Seam {
        /// Number of the cloth.
        cloth: usize,
        /// Panel and edge of one side, by their numbers.
        a: [usize; 2],
        /// The other side.
        b: [usize; 2],
    },
    /// Show a frame of the folder, or the one nearest to it.
    Seek {
        /// Its number.
        frame: u64,
    },
}

/// Event of a show.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event {
    /// A browser has come.
    Join,
    /// A browser has gone.
    Leave(Client),
    /// A browser asks for something.
    Command(Client, Command),
}

impl fmt::Display for Command {
    /// The command as it is called in messages.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Set { key, value } => return write!(formatter, "set {key} to {value}"),
            Self::Preset { cloth, name } => return write!(formatter, "preset {name} for cloth {cloth}"),
            Self::Seek { frame } => return write!(formatter, "go to frame {frame}"),
            Self::Run { on } => ["pause", "run"][usize::from(*on)],
            Self::Taken => "taken",
            Self::Step => "step",
            Self::Reset => "reset",
            Self::Defaults => "values of the scene",
            Self::RealTime { .. } => "real time",
            Self::Grab { .. } => "grab",
            Self::Drag { .. } => "drag",
            Self::Release => "release",
            Self::Pin { .. } => "pin",
            Self::Unpin { .. } => "unpin",
            Self::Edges => "edges",
            Self::Seam { .. } => "seam",
        };
        formatter.write_str(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_and_nonsense_is_refused() {
        let read = |text: &str| serde_json::from_str::<Command>(text);
        assert_eq!(read(r#"{"do":"seek","frame":12}"#).unwrap(), Command::Seek { frame: 12 });
        assert_eq!(read(r#"{"do":"taken"}"#).unwrap(), Command::Taken);
        let grab = r#"{"do":"grab","body":0,"point":[0,1,0],"target":[1,2,3],"stamp":5.5}"#;
        assert!(matches!(read(grab).unwrap(), Command::Grab { body: 0, panel: None, .. }));
        let pin = r#"{"do":"pin","body":0,"panel":1,"point":[0,1,0]}"#;
        let point = [0.0, 1.0, 0.0];
        assert_eq!(read(pin).unwrap(), Command::Pin { body: 0, panel: Some(1), point });
        assert_eq!(read(r#"{"do":"edges"}"#).unwrap(), Command::Edges);
        let seam = r#"{"do":"seam","cloth":0,"a":[0,3],"b":[1,2]}"#;
        assert_eq!(read(seam).unwrap(), Command::Seam { cloth: 0, a: [0, 3], b: [1, 2] });
        for wrong in [
            r#"{"do":"seam","cloth":0,"a":[0,-3],"b":[1,2]}"#,
            "",
            "[]",
            r#"{"do":"delete","path":"/"}"#,
            r#"{"do":"seek","frame":-1}"#,
            r#"{"do":"set","key":"gravity.y"}"#,
            r#"{"do":"set","key":"gravity.y","value":1,"path":"x"}"#,
            r#"{"do":"grab","body":0,"point":[0,1],"target":[1,2,3],"stamp":1}"#,
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
