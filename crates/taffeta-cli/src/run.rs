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
//! failure included, the frames so far stay and a summary says how it ended. A run that is continued from its
//! checkpoint writes the same bits as one that was not interrupted.

mod checkpoint;
mod interrupt;
mod memory;
mod prepare;
mod progress;
mod record;
mod starts;
mod summary;
mod totals;

use crate::args::RunOptions;
use crate::export;
use crate::failure::Failure;
use crate::files::shell_word;
use checkpoint::CheckpointFolder;
use interrupt::Interrupt;
use prepare::Prepared;
pub(crate) use prepare::{describe_start, read_scene, refuse_world};
use progress::Progress;
use record::Recorder;
use std::path::Path;
use std::time::{Duration, Instant};
use summary::{Outcome, Summary};
use taffeta_scene::{OutputFolder, SceneObstacle};
use taffeta_sim::StepInputs;
use totals::{Clock, Totals};

/// Wall time between two checkpoints of a running simulation: what a power cut may cost.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(60);

/// Simulates a scene and says where the results are.
///
/// # Errors
/// A bad scene or folder, before anything is written; a failure of the simulation or of a file; an interruption.
pub fn run(options: &RunOptions) -> Result<String, Failure> {
    let clock = Clock::start();
    let mut prepared = Prepared::read(options)?;
    let mut totals = Totals::default();
    let mut resumed = false;
    let folder = if options.resume {
        totals = checkpoint::resume(&mut prepared)?;
        resumed = true;
        OutputFolder::reopen(&prepared.root, prepared.world.frame())
    } else {
        OutputFolder::create(&prepared.root)
    };
    let folder = folder.map_err(|error| Failure::usage(&error))?;
    let progress = Progress::new(&prepared, options.quiet);
    let mut run = Run { clock: clock.after(&totals), prepared, totals, progress, folder };
    let outcome = run.simulate(resumed);
    run.finish(outcome, options)
}

/// A run in progress.
struct Run {
    clock: Clock,
    prepared: Prepared,
    totals: Totals,
    progress: Progress,
    folder: OutputFolder,
}

impl Run {
    /// Steps to the last frame, or until something ends the run.
    fn simulate(&mut self, resumed: bool) -> Outcome {
        match self.try_simulate(resumed) {
            Ok(outcome) => outcome,
            Err(failure) => Outcome::Failed(failure.into_reason()),
        }
    }

    fn try_simulate(&mut self, resumed: bool) -> Result<Outcome, Failure> {
        let interrupt = Interrupt::listen();
        self.folder.write_scene_json(&self.prepared.scene).map_err(|error| Failure::failed(&error))?;
        if !resumed && !self.prepared.scene.output.formats.is_empty() {
            self.write_obstacles()?;
        }
        self.prepared.warnings.iter().for_each(|text| self.progress.warn(text));
        let mut recorder = Recorder::open(&self.folder, &self.prepared)?;
        if !resumed {
            self.totals.count_state(&self.prepared.world);
            self.totals.writing += recorder.record_start(&self.prepared.world)?;
            self.totals.frames += 1;
        }
        let frame_time = self.prepared.scene.simulation.frame_time();
        let is_static = self.prepared.scene.simulation.is_static();
        let mut saved = Instant::now();
        while self.prepared.world.frame() < self.prepared.last_frame {
            if interrupt.is_requested() {
                return Ok(Outcome::Interrupted);
            }
            let start = Instant::now();
            let world = &mut self.prepared.world;
            let report =
                if is_static { world.equilibrate() } else { world.step(&StepInputs::default(), frame_time) };
            let report = report.map_err(|error| Failure::failed(&error))?;
            let step_time = start.elapsed();
            self.totals.add(&report, &self.prepared.world);
            self.totals.writing += recorder.record(&self.prepared.world, &report, step_time)?;
            self.totals.frames += 1;
            self.progress.warn_about(&self.totals.warnings());
            if !is_static {
                self.progress.update(&self.prepared.world, start.elapsed());
            }
            if saved.elapsed() > CHECKPOINT_INTERVAL {
                self.save_checkpoint()?;
                saved = Instant::now();
            }
        }
        Ok(Outcome::Finished)
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
        if self.totals.frames > 0 {
            export::write_spanning(self.folder.root(), formats)?;
        }
        self.totals.writing += start.elapsed();
        Ok(())
    }

    fn save_checkpoint(&mut self) -> Result<(), Failure> {
        self.clock.read(&mut self.totals);
        CheckpointFolder::of(self.folder.root()).save(&self.prepared, &self.totals)
    }

    /// Writes checkpoint and summary and says how it went.
    fn finish(mut self, mut outcome: Outcome, options: &RunOptions) -> Result<String, Failure> {
        if !matches!(outcome, Outcome::Failed(_))
            && let Err(failure) = self.save_checkpoint()
        {
            outcome = Outcome::Failed(failure.to_string());
        }
        if let Err(failure) = self.write_spanning()
            && !matches!(outcome, Outcome::Failed(_))
        {
            outcome = Outcome::Failed(failure.into_reason());
        }
        self.clock.read(&mut self.totals);
        self.progress.finish();
        let summary = Summary { prepared: &self.prepared, totals: &self.totals, outcome: &outcome };
        summary.open_seams().iter().for_each(|text| self.progress.warn(text));
        let written = self.folder.write_summary(&summary.to_json());
        let root = self.folder.root().display();
        let (frame, time) = (self.prepared.world.frame(), self.prepared.world.time());
        match outcome {
            Outcome::Failed(reason) => Err(Failure::Failed(match self.totals.frames {
                0 => reason,
                1 => format!("{reason}\n  = frame 0, the initial state, stays in {root}"),
                frames => format!("{reason}\n  = the frames 0 to {} are good and stay in {root}", frames - 1),
            })),
            Outcome::Interrupted => Err(Failure::Interrupted(format!(
                "interrupted after frame {frame} ({time:.4} s); to continue:\n  {}",
                resume_command(options, self.folder.root())
            ))),
            Outcome::Finished => {
                written.map_err(|error| Failure::failed(&error))?;
                Ok(if options.quiet { String::new() } else { summary.to_text(&self.folder) })
            }
        }
    }
}

/// The command that continues an interrupted run.
fn resume_command(options: &RunOptions, root: &Path) -> String {
    let mut command = format!("taffeta run {}", shell_word(&options.scene.to_string_lossy()));
    command += &format!(" --out {}", shell_word(&root.to_string_lossy()));
    if let Some(frames) = options.frames {
        command += &format!(" --frames {frames}");
    }
    for text in options.changes.overrides() {
        command += &format!(" --set {}", shell_word(text));
    }
    command + " --resume"
}
