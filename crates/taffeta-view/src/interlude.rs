//! What a show does between the substeps of a step: it listens to the hands and, if the step takes long, shows how far it
//! has come. So a drag is felt by the next substep and not by the next step, and seen before the step is over.

use crate::command::{Client, Command, Event};
use crate::hands::Hands;
use crate::show::Outlet;
use crate::snapshot::Snapshot;
use glam::DVec3;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// How long nothing is shown of a step: some two pictures of a screen. More pictures would only take time from it.
const PATIENCE: Duration = Duration::from_millis(40);

/// Events that come while a step is made, and where its pictures go.
#[derive(Debug)]
pub(crate) struct Interlude<'a> {
    /// Borrowed for good, so that whoever makes the step may do it on another thread.
    events: &'a mut Receiver<Event>,
    outlet: &'a Outlet,
    /// Events that wait until the step is over, in their order.
    later: Vec<Event>,
    /// When something was shown last.
    shown: Instant,
}

impl<'a> Interlude<'a> {
    /// For a step that begins now.
    pub(crate) fn new(events: &'a mut Receiver<Event>, outlet: &'a Outlet) -> Self {
        Self { events, outlet, later: Vec::new(), shown: Instant::now() }
    }

    /// Lets the hands know of where they are dragged. What else comes, and what comes from a browser after that, waits.
    pub(crate) fn listen(&mut self, hands: &mut Hands) {
        while let Ok(event) = self.events.try_recv() {
            match event {
                Event::Command(client, Command::Drag { target, stamp }) if !self.is_waiting(client) => {
                    hands.drag(client, (DVec3::from_array(target), stamp));
                }
                event => self.later.push(event),
            }
        }
    }

    /// Whether something that a browser wants waits.
    fn is_waiting(&self, client: Client) -> bool {
        let is_of = |event: &Event| match event {
            Event::Command(other, _) | Event::Leave(other) => *other == client,
            Event::Join => false,
        };
        self.later.iter().any(is_of)
    }

    /// Shows a picture of the world as it is, if nothing has been shown for a while.
    pub(crate) fn show(&mut self, picture: impl FnOnce() -> Snapshot) {
        if self.shown.elapsed() >= PATIENCE {
            self.outlet.frames.send_replace(Some(Arc::new(picture())));
            self.shown = Instant::now();
        }
    }

    /// The events that have waited.
    pub(crate) fn into_later(self) -> Vec<Event> {
        self.later
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::Status;
    use std::sync::mpsc::channel;
    use tokio::sync::watch;

    #[test]
    fn drags_are_heard_at_once_unless_something_of_that_browser_waits() {
        let (sender, mut events) = channel();
        let outlet =
            Outlet { frames: watch::channel(None).0, status: watch::channel(Arc::new(Status::default())).0 };
        let mut hands = Hands::default();
        let at = DVec3::ZERO;
        hands.grab(1, (0, at, at), (at, 1.0));
        hands.grab(2, (0, at, at), (at, 1.0));
        let drag = |client, stamp| Event::Command(client, Command::Drag { target: [stamp, 0.0, 0.0], stamp });
        let release = Event::Command(1, Command::Release);
        for event in [drag(1, 2.0), drag(2, 2.0), release.clone(), drag(1, 3.0), Event::Join, drag(2, 4.0)] {
            sender.send(event).unwrap();
        }
        let mut interlude = Interlude::new(&mut events, &outlet);
        interlude.listen(&mut hands);
        hands.note_felt();
        assert_eq!(hands.stamps().into_iter().collect::<Vec<_>>(), [(1, 2.0), (2, 4.0)]);
        assert_eq!(interlude.into_later(), [release, drag(1, 3.0), Event::Join]);
    }
}
