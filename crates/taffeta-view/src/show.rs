//! Show, and the thread that shows it.

pub(crate) mod controls;
pub(crate) mod folder;
pub(crate) mod grabs;
pub(crate) mod live;
pub(crate) mod playback;
pub(crate) mod sewing;
pub(crate) mod substep_callback;

use crate::command::{Command, Event};
use crate::latest_output::LatestOutput;
use crate::queue::Queue;
use crate::show::folder::FolderShow;
use crate::show::live::LiveShow;
use crate::show::sewing::Sewing;
use crate::show::substep_callback::SubstepCallback;
use std::sync::Arc;
use std::time::Instant;

/// Reason why a folder has nothing to sew.
const UNSEWN: &str = "a recording has no panels to sew: view the scene to pick seams";

/// Simulation or folder that is shown.
#[derive(Debug)]
pub enum Show {
    /// A simulation.
    Live(Box<LiveShow>),
    /// The result folder of a run.
    Folder(Box<FolderShow>),
}

impl Show {
    /// Handles events and goes on from frame to frame until the queue is closed.
    pub(crate) fn run(mut self, queue: &Queue, latest_output: &LatestOutput) {
        self.show(latest_output);
        while let Some(events) = queue.take(self.due()) {
            let has_changed = !events.is_empty();
            for event in events {
                let is_step = matches!(event, Event::Command(_, Command::Step));
                self.handle(event);
                if is_step {
                    self.show(latest_output);
                }
            }
            if has_changed {
                self.show(latest_output);
            }
            if self.due().is_some_and(|due| due <= Instant::now()) {
                self.advance(&mut SubstepCallback::new(queue, latest_output));
                self.show(latest_output);
            }
        }
    }

    /// Panels at time 0, whose edges can be sewn.
    pub(crate) fn sewing(&self) -> Arc<Sewing> {
        match self {
            Self::Live(show) => show.sewing(),
            Self::Folder(_) => Arc::new(Sewing::refused(UNSEWN)),
        }
    }

    /// When the next frame is to be made; `None`: not before something happens.
    fn due(&self) -> Option<Instant> {
        match self {
            Self::Live(show) => show.due(),
            Self::Folder(show) => show.due(),
        }
    }

    fn handle(&mut self, event: Event) {
        match self {
            Self::Live(show) => show.handle(event),
            Self::Folder(show) => show.handle(event),
        }
    }

    fn advance(&mut self, substep_callback: &mut SubstepCallback<'_>) {
        match self {
            Self::Live(show) => show.advance(Some(substep_callback)),
            Self::Folder(show) => show.advance(),
        }
    }

    /// Hands out what has changed.
    fn show(&mut self, latest_output: &LatestOutput) {
        let (snapshot, status) = match self {
            Self::Live(show) => (show.take_snapshot(), show.status()),
            Self::Folder(show) => (show.take_snapshot(), show.status()),
        };
        // The status first: a page that sees a frame knows whether it runs.
        latest_output.show_status(status);
        if let Some(snapshot) = snapshot {
            latest_output.show_frame(snapshot);
        }
    }
}
