//! What is shown, and the thread that shows it.

use crate::command::{Event, coalesce};
use crate::folder::FolderShow;
use crate::interlude::Interlude;
use crate::live::LiveShow;
use crate::snapshot::Snapshot;
use crate::status::Status;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Instant;
use tokio::sync::watch;

/// What is shown.
#[derive(Debug)]
pub enum Show {
    /// A simulation.
    Live(Box<LiveShow>),
    /// The result folder of a run.
    Folder(Box<FolderShow>),
}

/// Where a show puts what browsers see: the latest of each. Whoever is slow misses what was between.
#[derive(Clone, Debug)]
pub(crate) struct Outlet {
    /// The latest frame.
    pub frames: watch::Sender<Option<Arc<Snapshot>>>,
    /// The latest status.
    pub status: watch::Sender<Arc<Status>>,
}

impl Show {
    /// Handles events and goes on from frame to frame until nobody can send events anymore.
    pub(crate) fn run(mut self, events: &mut Receiver<Event>, outlet: &Outlet) {
        self.show(outlet);
        // Events that have come while a step was made.
        let mut waiting = Vec::new();
        loop {
            let first = match self.due() {
                _ if !waiting.is_empty() => None,
                None => events.recv().ok(),
                Some(due) => match events.recv_timeout(due.saturating_duration_since(Instant::now())) {
                    Ok(event) => Some(event),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => return,
                },
            };
            let come = std::mem::take(&mut waiting).into_iter().chain(first).chain(events.try_iter());
            let batch = coalesce(come.collect());
            if batch.is_empty() && self.due().is_none() {
                // Waited for ever, and nobody is left.
                return;
            }
            let has_changed = !batch.is_empty();
            batch.into_iter().for_each(|event| self.handle(event));
            if has_changed {
                self.show(outlet);
            }
            if self.due().is_some_and(|due| due <= Instant::now()) {
                let mut interlude = Interlude::new(events, outlet);
                self.advance(&mut interlude);
                waiting = interlude.into_later();
                self.show(outlet);
            }
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

    fn advance(&mut self, interlude: &mut Interlude<'_>) {
        match self {
            Self::Live(show) => show.advance(Some(interlude)),
            Self::Folder(show) => show.advance(),
        }
    }

    /// Hands out what has changed.
    fn show(&mut self, outlet: &Outlet) {
        let (snapshot, status) = match self {
            Self::Live(show) => (show.take_snapshot(), show.status()),
            Self::Folder(show) => (show.take_snapshot(), show.status()),
        };
        // The status first: a page that sees a frame knows whether it runs.
        outlet.status.send_if_modified(|last| {
            let is_new = **last != status;
            if is_new {
                *last = Arc::new(status);
            }
            is_new
        });
        if let Some(snapshot) = snapshot {
            outlet.frames.send_replace(Some(Arc::new(snapshot)));
        }
    }
}
