//! Output of the thread of a show.

use crate::snapshot::Snapshot;
use crate::status::Status;
use std::sync::Arc;
use tokio::sync::watch;

/// Where a show puts what browsers see: the latest of each. Whoever is slow misses what was between.
#[derive(Clone, Debug)]
pub(crate) struct Outlet {
    /// The latest frame.
    pub frames: watch::Sender<Option<Arc<Snapshot>>>,
    /// The latest status.
    pub status: watch::Sender<Arc<Status>>,
}
