//! Output of the thread of a show.

use crate::pictures::snapshot::Snapshot;
use crate::status::Status;
use std::sync::mpsc::{SyncSender, TrySendError};
use std::sync::{Arc, Mutex, MutexGuard};

/// Message to a thread that writes to a browser.
#[derive(Debug)]
pub(crate) enum Notice {
    /// The latest output has changed.
    Changed,
    /// The browser has taken over a frame.
    Taken,
    /// A text for the browser.
    Text(String),
    /// Answer of the WebSocket protocol, as bytes.
    Bytes(Vec<u8>),
    /// The connection ends.
    End,
}

/// Latest state of each thing that browsers see. A slow browser drops the states between.
#[derive(Debug, Default)]
pub(crate) struct LatestOutput {
    board: Mutex<Board>,
}

#[derive(Debug, Default)]
struct Board {
    latest: Latest,
    listeners: Vec<SyncSender<Notice>>,
}

/// The latest output. Each part has a number that counts its changes from 1.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latest {
    /// The frame, and its number; 0: there is none yet.
    pub frame: (u64, Option<Arc<Snapshot>>),
    /// The status, and its number; 0: there is none yet.
    pub status: (u64, Arc<Status>),
    /// True after the end of the show.
    pub is_over: bool,
}

impl LatestOutput {
    /// Publishes a frame.
    pub(crate) fn show_frame(&self, frame: Snapshot) {
        self.change(|latest| latest.frame = (latest.frame.0 + 1, Some(Arc::new(frame))));
    }

    /// Publishes a status if it differs from the last one.
    pub(crate) fn show_status(&self, status: Status) {
        if *self.lock().latest.status.1 != status {
            self.change(|latest| latest.status = (latest.status.0 + 1, Arc::new(status)));
        }
    }

    /// Marks the end of the show.
    pub(crate) fn end(&self) {
        self.change(|latest| latest.is_over = true);
    }

    /// The latest output.
    pub(crate) fn latest(&self) -> Latest {
        self.lock().latest.clone()
    }

    /// Notifies a listener of every change until its receiver is dropped. A full channel gets no further notices.
    pub(crate) fn listen(&self, listener: SyncSender<Notice>) {
        self.lock().listeners.push(listener);
    }

    fn change(&self, apply: impl FnOnce(&mut Latest)) {
        let mut board = self.lock();
        apply(&mut board.latest);
        let is_there = |sent| !matches!(sent, Err(TrySendError::Disconnected(_)));
        board.listeners.retain(|listener| is_there(listener.try_send(Notice::Changed)));
    }

    fn lock(&self) -> MutexGuard<'_, Board> {
        self.board.lock().expect("nobody panics with the lock")
    }
}
