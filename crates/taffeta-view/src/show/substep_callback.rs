//! Work of a show between the substeps of a step: it listens to the hands and, if the step takes long, shows how far
//! it has come. So a drag is felt by the next substep and not by the next step, and seen before the step is over.

use super::grabs::Grabs;
use crate::latest_output::LatestOutput;
use crate::pictures::snapshot::Snapshot;
use crate::queue::Queue;
use glam::DVec3;
use std::time::{Duration, Instant};

/// Time before a step is shown: some two pictures of a screen. More pictures would only take time from it.
const PATIENCE: Duration = Duration::from_millis(40);

/// Events that come while a step is made, and where its pictures go.
#[derive(Debug)]
pub(crate) struct SubstepCallback<'a> {
    queue: &'a Queue,
    latest_output: &'a LatestOutput,
    /// When something was shown last.
    shown: Instant,
}

impl<'a> SubstepCallback<'a> {
    /// For a step that begins now.
    pub(crate) fn new(queue: &'a Queue, latest_output: &'a LatestOutput) -> Self {
        Self { queue, latest_output, shown: Instant::now() }
    }

    /// Lets the hands know of where they are dragged. What else comes, and what comes from a browser after that, waits.
    pub(crate) fn listen(&self, hands: &mut Grabs) {
        for (client, target, stamp) in self.queue.take_drags() {
            hands.drag(client, DVec3::from_array(target), stamp);
        }
    }

    /// Shows a picture of the world as it is, if nothing has been shown for a while.
    pub(crate) fn show(&mut self, picture: impl FnOnce() -> Snapshot) {
        if self.shown.elapsed() >= PATIENCE {
            self.latest_output.show_frame(picture());
            self.shown = Instant::now();
        }
    }
}
