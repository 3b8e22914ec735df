//! State that the parts of the server share.

use super::token::Token;
use crate::command::Client;
use crate::latest_output::LatestOutput;
use crate::queue::Queue;
use crate::show::sewing::Sewing;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Browsers that may watch at the same time: each has two frames in memory at most.
const MAX_BROWSERS: usize = 32;

/// State that the parts of the server share.
#[derive(Debug)]
pub(crate) struct Stage {
    /// The port of the server.
    pub port: u16,
    /// Token that requests must know.
    pub token: Token,
    /// To the thread of the show.
    pub queue: Arc<Queue>,
    /// From the thread of the show.
    pub latest_output: Arc<LatestOutput>,
    /// Panels at time 0, whose edges browsers sew.
    pub sewing: Arc<Sewing>,
    /// Places for browsers that watch.
    pub places: Places,
    /// Browsers so far.
    pub clients: AtomicU64,
}

impl Stage {
    /// The number of a new browser.
    pub(crate) fn number_client(&self) -> Client {
        self.clients.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns whether a name of host and port is one of this server.
    pub(crate) fn is_own(&self, host: &str) -> bool {
        let name = host.strip_suffix(&format!(":{}", self.port));
        name.is_some_and(|name| ["127.0.0.1", "localhost"].contains(&name))
    }
}

/// Places for browsers, by how many are taken.
#[derive(Debug, Default)]
pub(crate) struct Places(AtomicUsize);

/// A place that is taken until it is dropped.
pub(crate) struct Place<'a>(&'a Places);

impl Places {
    /// Takes a place; `None`: all are taken.
    pub(crate) fn take(&self) -> Option<Place<'_>> {
        let place = Place(self);
        (self.0.fetch_add(1, Ordering::Relaxed) < MAX_BROWSERS).then_some(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}
