//! State of a show, whether it simulates or plays: who watches, whether it runs, how fast, and its notices.

use crate::status::Notices;
use std::time::{Duration, Instant};

/// The course of a show.
#[derive(Clone, Debug)]
pub(crate) struct Playback {
    /// True if it goes on by itself.
    pub running: bool,
    /// True if it goes no faster than real time.
    pub real_time: bool,
    /// True if the present frame has not been shown.
    pub is_stale: bool,
    /// Notices of past events.
    pub notices: Notices,
    watching: usize,
    due: Instant,
}

impl Playback {
    /// One that runs in real time when the first browser comes.
    pub(crate) fn new(notices: Notices) -> Self {
        Self { running: true, real_time: true, is_stale: true, notices, watching: 0, due: Instant::now() }
    }

    /// Notes one more browser.
    pub(crate) fn join(&mut self) {
        self.watching += 1;
    }

    /// Notes one browser less.
    pub(crate) fn leave(&mut self) {
        self.watching -= 1;
    }

    /// Goes on by itself, with the next frame at once, or pauses.
    pub(crate) fn run(&mut self, on: bool) {
        self.running = on;
        self.due = Instant::now();
    }

    /// When the next frame is to be made; `None`: not before something happens.
    pub(crate) fn due(&self) -> Option<Instant> {
        (self.running && self.watching > 0).then_some(self.due)
    }

    /// Notes that a frame was made. In real time the next one comes `interval` later. Lost time is not made up for.
    pub(crate) fn wait(&mut self, interval: Duration) {
        let interval = if self.real_time { interval } else { Duration::ZERO };
        self.due = (self.due + interval).max(Instant::now());
    }

    /// Returns whether somebody looks and has not seen the present frame, which is then taken as shown.
    pub(crate) fn take_stale(&mut self) -> bool {
        let wanted = self.is_stale && self.watching > 0;
        self.is_stale &= !wanted;
        wanted
    }

    /// All notices as text.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.notices.list().into_iter().map(|notice| notice.text).collect()
    }
}
