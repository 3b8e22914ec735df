//! State that the parts of the server share.

use crate::command::Client;
use crate::outlet::Outlet;
use crate::queue::Queue;
use crate::token::Token;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::{Semaphore, watch};

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
    pub outlet: Outlet,
    /// True when it is over.
    pub is_over: watch::Receiver<bool>,
    /// Places for browsers that watch.
    pub places: Semaphore,
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
