//! Output of the thread of a show.

use crate::snapshot::Snapshot;
use crate::status::Status;
use std::sync::Arc;
use tokio::sync::watch;

/// Latest state of each thing that browsers see. A slow browser drops the states between.
#[derive(Clone, Debug)]
pub(crate) struct Outlet {
    /// The latest frame.
    pub frames: watch::Sender<Option<Arc<Snapshot>>>,
    /// The latest status.
    pub status: watch::Sender<Arc<Status>>,
}
