//! `taffeta run`: simulates a scene.
//!
//! ```text
//! prepare ──► create or resume the folder ──► frame 0 ──► ┌ step, record, warn ┐ ──► checkpoint, summary
//!  (checks)                                               └── until the end ───┘
//! ```
//!
//! A static run is one of a single step, which finds the equilibrium: frame 1.
//!
//! Everything is read, checked and built before the first file is written. Whatever ends a run, an interruption or a
//! failure included, the frames so far stay, a checkpoint is taken and a summary says how it ended. A run that is continued
//! from its checkpoint writes the same bits as one that was not interrupted.

mod checkpoint;
pub(crate) mod interrupt;
mod lock;
mod memory;
mod opening;
mod prepare;
mod progress;
mod record;
mod session;
mod starts;
mod summary;
mod summary_file;
mod totals;

use crate::args::RunOptions;
use crate::export;
use crate::failure::Failure;
use crate::files::shell_word;
use crate::log::warn;
use checkpoint::{CheckpointFolder, Moment, Resumed};
use opening::Opening;
use prepare::Prepared;
pub(crate) use prepare::read_scene;
pub use prepare::{choose_threads, describe_start, refuse_scene, refuse_world};
use progress::Progress;
pub use progress::RunEvent;
use record::{Recorder, start_row, step_row};
use session::Session;
use std::path::Path;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};
use summary::{Outcome, Summary};
use taffeta_scene::{MetricsRow, OutputFile, OutputFolder, SUMMARY_FILE, Scene, SceneObstacle};
use taffeta_sim::{StepError, StepInputs, StepReport};
use totals::{Clock, Totals};

/// Simulates a scene and says where the results are.
///
/// # Errors
/// A bad scene or folder, before anything is written; a failure of the simulation or of a file; an interruption.
pub fn run(options: &RunOptions) -> Result<String, Failure> {
    let clock = Clock::start();
    run_timed(read_scene(&options.scene, &options.changes)?, options, clock, None)
}

/// Simulates a scene that has been read, and tells `listener` how it goes on. Neither catches signals nor shows a bar: the
/// listener ends the run through the stop token of [`RunEvent::Begun`].
///
/// # Errors
/// As those of [`run`].
pub fn run_scene(scene: Scene, options: &RunOptions, listener: Sender<RunEvent>) -> Result<String, Failure> {
    run_timed(scene, options, Clock::start(), Some(listener)).map_err(Failure::for_caller)
}

fn run_timed(
    scene: Scene,
    options: &RunOptions,
    clock: Clock,
    listener: Option<Sender<RunEvent>>,
) -> Result<String, Failure> {
    let session = Session::begin();
    let mut warnings = Vec::new();
    let prepared = Prepared::build(scene, options, &mut warnings);
    let mut prepared = prepared.inspect_err(|_| warn_early(&warnings, listener.as_ref()))?;
    let opening = Opening::find(&mut prepared, options.resume)?;
    let catches_signals = listener.is_none();
    let progress = Progress::new(&prepared, options.quiet, listener);
    opening.remark.iter().for_each(|text| progress.say(text));
    let is_resumed = opening.resumed.is_some();
    let (mut totals, unwritten) = match opening.resumed {
        Some(Resumed { totals, unwritten, .. }) => (totals, unwritten),
        None => (Totals::default(), None),
    };
    totals.sessions.push(session);
    let mut run = Run {
        clock: clock.after(&totals),
        prepared,
        totals,
        unwritten,
        progress,
        catches_signals,
        folder: opening.folder,
        checkpoints: opening.checkpoints,
    };
    let outcome = run.simulate(is_resumed);
    run.finish(outcome, options)
}

/// Tells the warnings about a scene that is refused.
fn warn_early(warnings: &[String], listener: Option<&Sender<RunEvent>>) {
    let Some(listener) = listener else { return warn(warnings) };
    for text in warnings {
        listener.send(RunEvent::Said(format!("warning: {text}"))).ok();
    }
}

/// A run in progress.
struct Run {
    clock: Clock,
    prepared: Prepared,
    totals: Totals,
    /// The row of the present frame while the frame is not written.
    unwritten: Option<MetricsRow>,
    progress: Progress,
    /// True if this is the program, which catches signals that ask it to end; false if another program calls it.
    catches_signals: bool,
    folder: OutputFolder,
    checkpoints: CheckpointFolder,
}

impl Run {
    /// Steps to the last frame, or until something ends the run.
    fn simulate(&mut self, is_resumed: bool) -> Outcome {
        match self.try_simulate(is_resumed) {
            Ok(outcome) => outcome,
            Err(failure) => Outcome::Unwritten(failure.into_reason()),
        }
    }

    /// # Errors
    /// If a result cannot be written.
    fn try_simulate(&mut self, is_resumed: bool) -> Result<Outcome, Failure> {
        let stop_token = self.prepared.world.stop_token();
        if self.catches_signals {
            interrupt::listen(&stop_token.stop_flag());
        }
        self.folder.write_scene_json(&self.prepared.scene).map_err(|error| Failure::failed(&error))?;
        if !is_resumed && !self.prepared.scene.output.formats.is_empty() {
            self.write_obstacles()?;
        }
        self.prepared.warnings.iter().for_each(|text| self.progress.warn(text));
        let mut recorder = Recorder::open(&self.folder, &self.prepared)?;
        if !is_resumed {
            self.totals.count_state(&self.prepared.world);
            self.unwritten = Some(start_row(&self.prepared.world));
        }
        self.write_frame(&mut recorder)?;
        let interval = Duration::try_from_secs_f64(self.prepared.scene.output.checkpoint_every);
        let interval = interval.unwrap_or(Duration::MAX);
        let mut saved = Instant::now();
        while self.prepared.world.frame() < self.prepared.last_frame {
            if stop_token.is_stop_requested() {
                return Ok(Outcome::Interrupted);
            }
            let start = Instant::now();
            let report = match self.step() {
                Ok(report) => report,
                Err(StepError::Interrupted { .. }) => return Ok(Outcome::Interrupted),
                Err(error) => return Ok(Outcome::Failed(Failure::failed(&error).into_reason())),
            };
            self.totals.add(&report, &self.prepared.world);
            self.unwritten = Some(step_row(&self.prepared.world, &report, start.elapsed()));
            self.write_frame(&mut recorder)?;
            self.progress.warn_about(&self.totals.warnings());
            if !self.prepared.scene.simulation.is_static() {
                self.progress.update(&self.prepared.world);
            }
            if saved.elapsed() > interval {
                self.save_checkpoint()?;
                saved = Instant::now();
            }
        }
        Ok(Outcome::Finished)
    }

    fn step(&mut self) -> Result<StepReport, StepError> {
        let simulation = &self.prepared.scene.simulation;
        let world = &mut self.prepared.world;
        if simulation.is_static() {
            world.equilibrate()
        } else {
            world.step(&StepInputs::default(), simulation.frame_time())
        }
    }

    /// Writes the present frame unless that is done.
    fn write_frame(&mut self, recorder: &mut Recorder) -> Result<(), Failure> {
        let Some(row) = &self.unwritten else { return Ok(()) };
        self.totals.writing += recorder.write(&self.prepared.world, row.clone())?;
        self.totals.sums.frames += 1;
        self.unwritten = None;
        Ok(())
    }

    /// Writes the meshes of the obstacles, which pictures need.
    fn write_obstacles(&self) -> Result<(), Failure> {
        let is_mesh = |obstacle: &SceneObstacle| obstacle.closed_form().is_none();
        let obstacles = self.prepared.scene.obstacles.iter().enumerate().filter(|(_, o)| is_mesh(o));
        for ((number, _), mesh) in obstacles.zip(self.prepared.world.mesh_obstacles()) {
            self.folder.write_obstacle(number, mesh).map_err(|error| Failure::failed(&error))?;
        }
        Ok(())
    }

    /// Writes the files that span the frames, from the frames that are there.
    fn write_spanning(&mut self) -> Result<(), Failure> {
        let start = Instant::now();
        let formats = &self.prepared.scene.output.formats;
        if self.totals.sums.frames > 0 {
            export::write_spanning(self.folder.root(), formats)?;
        }
        self.totals.writing += start.elapsed();
        Ok(())
    }

    /// Takes a checkpoint and returns the hash of the state.
    fn save_checkpoint(&mut self) -> Result<String, Failure> {
        self.clock.read(&mut self.totals);
        let (prepared, totals, unwritten) = (&self.prepared, &self.totals, self.unwritten.as_ref());
        self.checkpoints.save(&self.folder, &Moment { prepared, totals, unwritten })
    }

    /// Writes checkpoint and summary and says how it went.
    fn finish(mut self, mut outcome: Outcome, options: &RunOptions) -> Result<String, Failure> {
        if matches!(outcome, Outcome::Interrupted) && !options.quiet {
            self.progress.say("stopping; to stop at once, without a checkpoint, send the signal again");
        }
        // Without frame 0 there is nothing to go on from.
        let saved = (self.totals.sums.frames > 0).then(|| self.save_checkpoint());
        let (state_hash, is_saved) = match saved {
            Some(Ok(hash)) => (hash, true),
            Some(Err(failure)) => {
                outcome.record_unwritten(failure.into_reason());
                (self.prepared.world.checkpoint_hash(), false)
            }
            None => (self.prepared.world.checkpoint_hash(), false),
        };
        if let Err(failure) = self.write_spanning() {
            outcome.record_unwritten(failure.into_reason());
        }
        self.clock.read(&mut self.totals);
        self.progress.finish();
        let summary = Summary {
            prepared: &self.prepared,
            totals: &self.totals,
            outcome: &outcome,
            state_hash: &state_hash,
        };
        summary.open_seams().iter().for_each(|text| self.progress.warn(text));
        let written = self.folder.write_summary(&summary.to_json());
        let root = self.folder.root().display();
        let (frame, time) = (self.prepared.world.frame(), self.prepared.world.time());
        let command = match self.catches_signals {
            true => resume_command(options, self.folder.root()),
            false => "run the scene again into this folder with `resume`".to_owned(),
        };
        let good = match self.totals.sums.frames {
            0 => String::new(),
            1 => format!("\n  = frame 0, the initial state, stays in {root}"),
            frames => format!("\n  = the frames 0 to {} are good and stay in {root}", frames - 1),
        };
        match outcome {
            Outcome::Failed(reason) => Err(Failure::Failed(reason + &good)),
            Outcome::Unwritten(reason) => Err(Failure::Failed(format!(
                "{reason}{good}\n  = {}, then:\n  {command}",
                match is_saved {
                    true => "nothing is lost; make room on the disk",
                    false =>
                        "what came after the last checkpoint, or all if there is none, has to be computed again; \
                         make room on the disk",
                }
            ))),
            Outcome::Interrupted => Err(Failure::Interrupted(format!(
                "interrupted after frame {frame} ({time:.4} s); to continue:\n  {command}"
            ))),
            Outcome::Finished => {
                written.map_err(|error| Failure::failed(&error))?;
                Ok(if options.quiet { String::new() } else { summary.to_text(&self.folder) })
            }
        }
    }
}

/// Description of `summary.json`.
pub(crate) fn summary_file() -> OutputFile {
    OutputFile::json::<summary_file::SummaryFile>(SUMMARY_FILE)
}

/// The command that continues an interrupted run.
fn resume_command(options: &RunOptions, root: &Path) -> String {
    let mut command = format!("taffeta run {}", shell_word(&options.scene.to_string_lossy()));
    command += &format!(" --out {}", shell_word(&root.to_string_lossy()));
    if let Some(frames) = options.frames {
        command += &format!(" --frames {frames}");
    }
    if options.draft {
        command += " --draft";
    }
    for text in options.changes.overrides() {
        command += &format!(" --set {}", shell_word(text));
    }
    command + " --resume"
}
