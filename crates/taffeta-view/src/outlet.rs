//! Output of the thread of a show.

use crate::snapshot::Snapshot;
use crate::status::Status;
use std::sync::mpsc::{SyncSender, TrySendError};
use std::sync::{Arc, Mutex, MutexGuard};

/// What a thread that writes to a browser is told.
#[derive(Debug)]
pub(crate) enum Notice {
    /// There is something new in the outlet.
    Changed,
    /// The browser has taken over a frame.
    Taken,
    /// A text for the browser.
    Text(String),
    /// Bytes that the protocol of sockets answers with.
    Bytes(Vec<u8>),
    /// The browser has gone, or is sent away for a reason.
    End(Option<String>),
}

/// Where a show puts what browsers see: the latest of each. Whoever is slow misses what was between.
#[derive(Debug, Default)]
pub(crate) struct Outlet {
    board: Mutex<Board>,
}

#[derive(Debug, Default)]
struct Board {
    latest: Latest,
    listeners: Vec<SyncSender<Notice>>,
}

/// The latest output, with the numbers of its parts, which increase with each change from 1.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latest {
    /// The frame, and its number; 0: there is none yet.
    pub frame: (u64, Option<Arc<Snapshot>>),
    /// The status, and its number; 0: there is none yet.
    pub status: (u64, Arc<Status>),
    /// True when it is over.
    pub is_over: bool,
}

impl Outlet {
    /// Puts up a frame.
    pub(crate) fn show_frame(&self, frame: Snapshot) {
        self.change(|latest| latest.frame = (latest.frame.0 + 1, Some(Arc::new(frame))));
    }

    /// Puts up a status if it differs from the last one.
    pub(crate) fn show_status(&self, status: Status) {
        if *self.lock().latest.status.1 != status {
            self.change(|latest| latest.status = (latest.status.0 + 1, Arc::new(status)));
        }
    }

    /// Says that it is over.
    pub(crate) fn end(&self) {
        self.change(|latest| latest.is_over = true);
    }

    /// The latest output.
    pub(crate) fn latest(&self) -> Latest {
        self.lock().latest.clone()
    }

    /// Gives notice of every change from now on, until the receiver is gone. Where notices wait already no more is added.
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
