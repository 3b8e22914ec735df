//! State that the parts of the server share.

use crate::command::Client;
use crate::latest_output::LatestOutput;
use crate::queue::Queue;
use crate::show::sewing::Sewing;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Path of the socket.
pub(crate) const SOCKET: &str = "/socket";

/// State that the parts of the server share.
#[derive(Debug)]
pub(crate) struct Stage {
    /// The port of the server.
    pub port: u16,
    /// Secret of whoever started the program, without which nobody sees or commands the show.
    pub token: String,
    /// To the thread of the show.
    pub queue: Arc<Queue>,
    /// From the thread of the show.
    pub latest_output: Arc<LatestOutput>,
    /// Panels at time 0, whose edges browsers sew.
    pub sewing: Arc<Sewing>,
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
