//! What a run says on standard error while it runs.

use super::prepare::Prepared;
use super::totals::Warning;
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::time::{Duration, Instant};
use taffeta_sim::World;

/// Time between two lines where there is no terminal to show a bar.
const LINE_INTERVAL: Duration = Duration::from_secs(10);
/// Weight of the newest frame in the mean cost of a frame: calm enough to be read.
const NEWEST_WEIGHT: f64 = 0.1;

/// Progress and warnings of a run.
pub(super) struct Progress {
    display: Display,
    end_time: f64,
    last_frame: u64,
    mean_cost: Option<f64>,
    warned: BTreeSet<String>,
}

enum Display {
    Bar(ProgressBar),
    Lines { printed: Instant },
    Silent,
}

impl Progress {
    /// A bar on a terminal, otherwise a line now and then; nothing if `quiet`.
    pub(super) fn new(prepared: &Prepared, quiet: bool) -> Self {
        let frame = prepared.world.frame();
        let display = if quiet {
            Display::Silent
        } else if std::io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{bar:12} {wide_msg}")
                .expect("the template is well-formed")
                .progress_chars("━╸ ");
            let bar = ProgressBar::new(prepared.last_frame).with_style(style).with_position(frame);
            Display::Bar(bar)
        } else {
            Display::Lines { printed: Instant::now() }
        };
        let end_time = prepared.last_frame as f64 * prepared.scene.simulation.frame_time();
        Self { display, end_time, last_frame: prepared.last_frame, mean_cost: None, warned: BTreeSet::new() }
    }

    /// Shows where the run is after a frame that took some time.
    pub(super) fn update(&mut self, world: &World, cost: Duration) {
        let cost = cost.as_secs_f64();
        let mean = self.mean_cost.map_or(cost, |mean| mean + NEWEST_WEIGHT * (cost - mean));
        self.mean_cost = Some(mean);
        let (frame, vertices) = (world.frame(), world.vertex_count());
        let state = || {
            let (time, end) = (world.time(), self.end_time);
            let left = mean * self.last_frame.saturating_sub(frame) as f64;
            let speed = 1e3 * mean;
            format!("{time:.3} of {end:.3} s, {vertices} vertices, {speed:.1} ms per frame, {left:.0} s left")
        };
        match &mut self.display {
            Display::Bar(bar) => {
                bar.set_message(state());
                bar.set_position(frame);
            }
            Display::Lines { printed } if printed.elapsed() > LINE_INTERVAL => {
                *printed = Instant::now();
                eprintln!("{}", state());
            }
            Display::Lines { .. } | Display::Silent => {}
        }
    }

    /// Prints a warning without disturbing the bar.
    pub(super) fn warn(&self, text: &str) {
        let print = || eprintln!("warning: {text}");
        match &self.display {
            Display::Bar(bar) => bar.suspend(print),
            Display::Lines { .. } | Display::Silent => print(),
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
    pub(super) fn finish(&self) {
        if let Display::Bar(bar) = &self.display {
            bar.finish_and_clear();
        }
    }
}
