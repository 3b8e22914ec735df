//! Whole runs into a folder, as the program makes them.

use crate::errors::run_error;
use crate::scene::{Scene, find_scene_error};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use taffeta_cli::Failure;
use taffeta_cli::args::RunOptions;
use taffeta_cli::run::RunEvent;
use taffeta_sim::StopToken;

/// Time between two looks at signals, and between two looks at progress.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// Runs a scene. `listener` is called as `listener(kind, …)`, where `kind` is one of four:
///
/// * "begun", with the frame, the last one and the time at the end;
/// * "frame", with number, time and number of vertices;
/// * "working", with the time that a frame in work has come to;
/// * "said", with a line.
#[pyfunction]
#[pyo3(signature = (scene, out, frames, threads, draft, resume, complete, listener))]
#[expect(clippy::too_many_arguments, reason = "they are the keywords of a Python function")]
pub(crate) fn run_scene(
    py: Python<'_>,
    scene: &Scene,
    out: PathBuf,
    frames: Option<u64>,
    threads: Option<usize>,
    draft: bool,
    resume: bool,
    complete: bool,
    listener: Py<PyAny>,
) -> PyResult<()> {
    let mut scene = scene.current().as_ref().clone();
    if let Some(threads) = threads {
        scene.simulation.settings.threads = threads;
    }
    let path = scene.path().to_owned();
    let options = RunOptions {
        scene: path.clone(),
        out: Some(out),
        frames,
        draft,
        quiet: true,
        resume,
        complete,
        ..RunOptions::default()
    };
    let copy = scene.clone();
    let (outcome, failure) = py.detach(|| {
        let (sender, events) = mpsc::channel();
        std::thread::scope(|scope| {
            let run = scope.spawn(|| taffeta_cli::run::run_scene(scene, &options, sender));
            let failure =
                Host { listener: &listener, stop_token: None, told: None, failure: None }.attend(&events);
            (run.join(), failure)
        })
    });
    let outcome = outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    match (outcome, failure) {
        (_, Some(failure)) => Err(failure),
        (Ok(_), None) => Ok(()),
        (Err(Failure::Usage(reason)), None) => {
            Err(find_scene_error(py, &copy, &path).unwrap_or_else(|| run_error(py, Failure::Usage(reason))))
        }
        (Err(failure), None) => Err(run_error(py, failure)),
    }
}

/// The caller's thread during a run.
struct Host<'a> {
    listener: &'a Py<PyAny>,
    stop_token: Option<StopToken>,
    /// When the listener was last told of progress.
    told: Option<Instant>,
    failure: Option<PyErr>,
}

impl Host<'_> {
    /// Hands events on until the run ends; the exception that has ended it, if one has.
    fn attend(mut self, events: &Receiver<RunEvent>) -> Option<PyErr> {
        let mut looked = Instant::now();
        loop {
            match events.recv_timeout(LOOK_INTERVAL) {
                Ok(event) => self.take(event),
                Err(RecvTimeoutError::Timeout) => self.tell_of_work(),
                Err(RecvTimeoutError::Disconnected) => return self.failure,
            }
            if looked.elapsed() >= LOOK_INTERVAL {
                looked = Instant::now();
                self.note(Python::attach(|py| py.check_signals()));
            }
        }
    }

    fn note(&mut self, outcome: PyResult<()>) {
        if let Err(error) = outcome {
            self.failure.get_or_insert(error);
            self.stop();
        }
    }

    fn stop(&self) {
        self.stop_token.iter().for_each(StopToken::request_stop);
    }

    fn is_due(&mut self) -> bool {
        let is_due = self.told.is_none_or(|told| told.elapsed() >= LOOK_INTERVAL);
        if is_due {
            self.told = Some(Instant::now());
        }
        is_due
    }

    fn take(&mut self, event: RunEvent) {
        let outcome = match event {
            RunEvent::Begun { stop_token, frame, last_frame, end_time } => {
                self.stop_token = Some(stop_token);
                if self.failure.is_some() {
                    self.stop();
                }
                Python::attach(|py| self.listener.call1(py, ("begun", frame, last_frame, end_time)).map(drop))
            }
            RunEvent::Frame { frame, time, vertices } if self.is_due() => {
                Python::attach(|py| self.listener.call1(py, ("frame", frame, time, vertices)).map(drop))
            }
            RunEvent::Frame { .. } => Ok(()),
            RunEvent::Said(text) => Python::attach(|py| self.listener.call1(py, ("said", text)).map(drop)),
        };
        self.note(outcome);
    }

    /// Tells of a frame that takes its time.
    fn tell_of_work(&mut self) {
        let Some(time) = self.stop_token.as_ref().map(StopToken::time) else { return };
        if self.failure.is_none() && self.is_due() {
            self.note(Python::attach(|py| self.listener.call1(py, ("working", time)).map(drop)));
        }
    }
}
