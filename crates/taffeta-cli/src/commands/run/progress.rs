//! Messages of a run on standard error while it runs.
//!
//! A thread of its own looks at the run now and then, so that a frame that takes minutes is told of as well.

use super::prepare::Prepared;
use super::totals::Warning;
use crate::bar::Bar;
use crate::log::say;
use std::collections::BTreeSet;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use taffeta_sim::{StopToken, World};

/// Time between two lines where there is no terminal to show a bar.
const LINE_INTERVAL: Duration = Duration::from_secs(10);
/// Time between two looks at a frame that is being made.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// Weight of the newest frame in the mean cost of a frame: calm enough to be read.
const NEWEST_WEIGHT: f64 = 0.1;

/// Events of a run, for a program that contains it.
#[derive(Clone, Debug)]
pub enum RunEvent {
    /// The first step is about to be made, or the first one after a resumption.
    Begun {
        /// Tells how far the run has come, and ends it.
        stop_token: StopToken,
        /// Frames that are there already.
        frame: u64,
        /// The last frame of the run.
        last_frame: u64,
        /// Time at the end of the run \[s\]; `None`: an equilibrium is searched for, in which no time passes.
        end_time: Option<f64>,
    },
    /// A frame is done.
    Frame {
        /// Its number.
        frame: u64,
        /// Its time \[s\].
        time: f64,
        /// Vertices of all bodies.
        vertices: usize,
    },
    /// A line that the program would print to standard error, such as a warning.
    Said(String),
}

/// Progress and warnings of a run.
pub(super) struct Progress {
    board: Arc<Mutex<Board>>,
    warned: BTreeSet<String>,
    /// Sender that ends the thread which looks at long frames, and its handle.
    looking: Option<(Sender<()>, JoinHandle<()>)>,
}

/// Progress of a run, and its display.
struct Board {
    display: Display,
    stop_token: StopToken,
    /// Time at the end of the run \[s\]; `None`: an equilibrium is searched for, in which no time passes.
    end_time: Option<f64>,
    last_frame: u64,
    /// Frames that are done.
    frame: u64,
    /// Since when the next one is being made.
    begun: Instant,
    vertices: usize,
    mean_cost: Option<f64>,
}

enum Display {
    /// A program that contains this one shows it. Nobody listening any more is no reason to complain.
    Told(Sender<RunEvent>),
    Bar(Bar),
    Lines {
        printed: Instant,
    },
    Silent,
}

impl Progress {
    /// Reports to the listener. Without one, shows a bar on a terminal, or else prints a line now and then; only warnings if
    /// `quiet`.
    pub(super) fn new(prepared: &Prepared, quiet: bool, listener: Option<Sender<RunEvent>>) -> Self {
        let (world, simulation) = (&prepared.world, &prepared.scene.simulation);
        let end_time = prepared.last_frame as f64 * simulation.frame_time();
        let end_time = (!simulation.is_static()).then_some(end_time);
        let quiet = quiet || listener.is_some();
        let display = if let Some(listener) = listener {
            let (stop_token, frame, last_frame) = (world.stop_token(), world.frame(), prepared.last_frame);
            listener.send(RunEvent::Begun { stop_token, frame, last_frame, end_time }).ok();
            Display::Told(listener)
        } else if quiet {
            Display::Silent
        } else if let Some(bar) = Bar::on_terminal() {
            Display::Bar(bar)
        } else {
            Display::Lines { printed: Instant::now() }
        };
        let board = Arc::new(Mutex::new(Board {
            display,
            stop_token: world.stop_token(),
            end_time,
            last_frame: prepared.last_frame,
            frame: world.frame(),
            begun: Instant::now(),
            vertices: world.vertex_count(),
            mean_cost: None,
        }));
        let looking = (!quiet).then(|| look_now_and_then(Arc::clone(&board)));
        Self { board, warned: BTreeSet::new(), looking }
    }

    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows where the run is after a frame.
    pub(super) fn update(&self, world: &World) {
        let mut board = self.board();
        let cost = board.begun.elapsed().as_secs_f64();
        board.mean_cost = Some(board.mean_cost.map_or(cost, |mean| mean + NEWEST_WEIGHT * (cost - mean)));
        (board.frame, board.vertices) = (world.frame(), world.vertex_count());
        board.begun = Instant::now();
        if let Display::Told(listener) = &board.display {
            let (frame, time, vertices) = (board.frame, world.time(), board.vertices);
            listener.send(RunEvent::Frame { frame, time, vertices }).ok();
        }
        let text = board.describe_frame(world.time());
        board.show(text);
    }

    /// Prints a warning without disturbing the bar.
    pub(super) fn warn(&self, text: &str) {
        self.say(&format!("warning: {text}"));
    }

    /// Prints a line without disturbing the bar.
    pub(super) fn say(&self, text: &str) {
        match &self.board().display {
            Display::Told(listener) => _ = listener.send(RunEvent::Said(text.to_owned())),
            Display::Bar(bar) => bar.suspend(|| say(text)),
            Display::Lines { .. } | Display::Silent => say(text),
        }
    }

    /// Prints those warnings that are of a kind that was not printed before.
    pub(super) fn warn_about(&mut self, warnings: &[Warning]) {
        for warning in warnings {
            if self.warned.insert(warning.kind.clone()) {
                self.warn(&warning.text);
            }
        }
    }

    /// Takes the bar away.
    pub(super) fn finish(&mut self) {
        if let Some((end, thread)) = self.looking.take() {
            drop(end);
            thread.join().ok();
        }
        if let Display::Bar(bar) = &self.board().display {
            bar.clear();
        }
    }
}

impl Board {
    fn describe_frame(&self, time: f64) -> String {
        let (end, mean) = (self.end_time.unwrap_or(0.0), self.mean_cost.unwrap_or(0.0));
        let left = mean * self.last_frame.saturating_sub(self.frame) as f64;
        let (vertices, speed) = (self.vertices, 1e3 * mean);
        format!("{time:.3} of {end:.3} s, {vertices} vertices, {speed:.1} ms per frame, {left:.0} s left")
    }

    /// About a frame that is being made.
    fn describe_work(&self) -> String {
        let (vertices, seconds) = (self.vertices, self.begun.elapsed().as_secs());
        match self.end_time {
            None => format!("searching for the equilibrium of {vertices} vertices for {seconds} s"),
            Some(end) => {
                let (time, next) = (self.stop_token.time(), self.frame + 1);
                format!(
                    "{time:.4} of {end:.3} s, {vertices} vertices, at work on frame {next} for {seconds} s"
                )
            }
        }
    }

    /// Shows a text on the bar, or as a line if the last one is old enough.
    fn show(&mut self, text: String) {
        match &mut self.display {
            Display::Bar(bar) => bar.show(self.frame, self.last_frame, &text),
            Display::Lines { printed } if printed.elapsed() > LINE_INTERVAL => {
                *printed = Instant::now();
                say(text);
            }
            Display::Lines { .. } | Display::Told(_) | Display::Silent => {}
        }
    }
}

/// Starts a thread that tells of frames that take longer than a moment, until the sender is dropped.
fn look_now_and_then(board: Arc<Mutex<Board>>) -> (Sender<()>, JoinHandle<()>) {
    let (end, ended) = mpsc::channel::<()>();
    let look = move || {
        while ended.recv_timeout(LOOK_INTERVAL) == Err(RecvTimeoutError::Timeout) {
            let mut board = board.lock().unwrap_or_else(PoisonError::into_inner);
            if board.begun.elapsed() > LOOK_INTERVAL {
                let text = board.describe_work();
                board.show(text);
            }
        }
    };
    (end, std::thread::spawn(look))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_that_takes_long_is_told_of_with_its_number() {
        let mut board = Board {
            display: Display::Silent,
            stop_token: StopToken::default(),
            end_time: Some(2.0),
            last_frame: 120,
            frame: 12,
            begun: Instant::now() - Duration::from_secs(42),
            vertices: 5000,
            mean_cost: None,
        };
        assert_eq!(board.describe_work(), "0.0000 of 2.000 s, 5000 vertices, at work on frame 13 for 42 s");
        board.end_time = None;
        assert_eq!(board.describe_work(), "searching for the equilibrium of 5000 vertices for 42 s");
    }
}
