//! The events that wait for the thread of a show.
//!
//! Only the last of repeated values, and of places to drag or to seek, wait: sliders and pointers never fill the queue, however
//! long a step takes.

use crate::command::{Client, Command, Event};
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Instant;

/// The events that wait for the thread of a show, in their order.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Waiting {
    events: VecDeque<Event>,
    is_closed: bool,
}

impl Queue {
    /// Notes that a browser has come.
    pub(crate) fn join(&self) {
        self.add(&mut self.lock(), Event::Join);
    }

    /// Notes that a browser has gone.
    pub(crate) fn leave(&self, client: Client) {
        self.add(&mut self.lock(), Event::Leave(client));
    }

    /// Takes a command, in place of one that it overtakes.
    pub(crate) fn command(&self, client: Client, command: Command) {
        let mut waiting = self.lock();
        if let Some(place) = find_overtaken(&waiting.events, client, &command) {
            waiting.events.remove(place);
        }
        self.add(&mut waiting, Event::Command(client, command));
    }

    /// Ends the show when it has handled what waits.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Waits for events until a time, or for ever, and takes them out; nothing if none has come in time. `None`: the queue
    /// is closed, and nothing waits.
    pub(crate) fn take(&self, due: Option<Instant>) -> Option<VecDeque<Event>> {
        let mut waiting = self.lock();
        while waiting.events.is_empty() {
            if waiting.is_closed {
                return None;
            }
            waiting = match due.map(|due| due.saturating_duration_since(Instant::now())) {
                None => self.changed.wait(waiting).expect("nobody panics with the lock"),
                Some(rest) if rest.is_zero() => break,
                Some(rest) => {
                    self.changed.wait_timeout(waiting, rest).expect("nobody panics with the lock").0
                }
            };
        }
        Some(std::mem::take(&mut waiting.events))
    }

    /// Takes out where hands are dragged, in the order of events: browser, place \[m\], stamp. The drags of a browser of which
    /// something else waits stay behind that.
    pub(crate) fn take_drags(&self) -> Vec<(Client, [f64; 3], f64)> {
        let mut drags = Vec::new();
        let mut others = Vec::new();
        self.lock().events.retain(|event| match event {
            Event::Command(client, Command::Drag { target, stamp }) if !others.contains(client) => {
                drags.push((*client, *target, *stamp));
                false
            }
            Event::Command(client, _) | Event::Leave(client) => {
                others.push(*client);
                true
            }
            Event::Join => true,
        });
        drags
    }

    fn add(&self, waiting: &mut Waiting, event: Event) {
        waiting.events.push_back(event);
        self.changed.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().expect("nobody panics with the lock")
    }
}

/// Steps of a browser that wait at most: a key that is held down asks for more than the thread makes.
const STEPS: usize = 2;

/// The place of the waiting event that a command makes superfluous.
fn find_overtaken(events: &VecDeque<Event>, client: Client, command: &Command) -> Option<usize> {
    if *command == Command::Step {
        let is_step = |(_, event): &(usize, &Event)| **event == Event::Command(client, Command::Step);
        return events.iter().enumerate().rev().filter(is_step).nth(STEPS - 1).map(|(place, _)| place);
    }
    for (place, event) in events.iter().enumerate().rev() {
        let Event::Command(other, earlier) = event else { continue };
        let is_same_client = *other == client;
        match (command, earlier) {
            (Command::Set { key, .. }, Command::Set { key: other, .. }) if key == other => {
                return Some(place);
            }
            (Command::Drag { .. }, Command::Drag { .. }) if is_same_client => return Some(place),
            (Command::Release, Command::Release) if is_same_client => return Some(place),
            (Command::Seek { .. }, Command::Seek { .. }) => return Some(place),
            // These act on what was before them.
            (Command::Set { .. }, Command::Defaults | Command::Preset { .. } | Command::Step)
            | (Command::Drag { .. } | Command::Release, Command::Step) => return None,
            (Command::Release, Command::Grab { .. }) if is_same_client => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn set(key: &str, value: f64) -> Command {
        Command::Set { key: key.into(), value }
    }

    fn drag(x: f64) -> Command {
        Command::Drag { target: [x, 0.0, 0.0], stamp: x }
    }

    fn grab() -> Command {
        Command::Grab { body: 0, panel: None, point: [0.0; 3], target: [0.0; 3], stamp: 0.0 }
    }

    /// Commands that wait in a queue after these were given.
    fn queue(commands: impl IntoIterator<Item = (Client, Command)>) -> Vec<(Client, Command)> {
        let queue = Queue::default();
        commands.into_iter().for_each(|(client, command)| queue.command(client, command));
        let pair = |event| match event {
            Event::Command(client, command) => (client, command),
            Event::Join | Event::Leave(_) => panic!("only commands"),
        };
        queue.take(Some(Instant::now())).unwrap().into_iter().map(pair).collect()
    }

    #[test]
    fn only_the_last_place_of_a_drag_and_the_last_value_of_a_slider_wait() {
        let all = [
            (1, set("a", 1.0)),
            (1, drag(1.0)),
            (1, set("b", 1.0)),
            (2, drag(1.0)),
            (1, set("a", 2.0)),
            (1, drag(2.0)),
        ];
        assert_eq!(queue(all), [(1, set("b", 1.0)), (2, drag(1.0)), (1, set("a", 2.0)), (1, drag(2.0))]);
        let seeks = [3, 1, 2].map(|frame| (1, Command::Seek { frame }));
        assert_eq!(queue(seeks.clone()), seeks[2..]);
        for kept in [
            vec![(1, drag(1.0)), (1, Command::Step), (1, drag(2.0))],
            vec![(1, set("a", 1.0)), (2, Command::Defaults), (1, set("a", 2.0))],
            vec![(1, Command::Release), (1, grab()), (1, Command::Release)],
        ] {
            assert_eq!(queue(kept.clone()), kept, "each acts on what was before it");
        }
    }

    #[test]
    fn sliders_and_hands_never_fill_the_queue() {
        let queue = Queue::default();
        for i in 0..13_781 {
            queue.command(1, set(["a", "b"][i % 2], i as f64));
            queue.command(1, drag(i as f64));
        }
        assert_eq!(queue.take(None).unwrap().len(), 3);
        (0..2000).for_each(|_| queue.command(1, Command::Step));
        queue.command(1, Command::Run { on: false });
        let events = queue.take(None).unwrap();
        assert_eq!(events.len(), STEPS + 1);
        assert_eq!(events.back(), Some(&Event::Command(1, Command::Run { on: false })));
    }

    #[test]
    fn drags_are_heard_at_once_unless_something_of_that_browser_waits() {
        let queue = Queue::default();
        let command = |client, command| queue.command(client, command);
        command(1, drag(2.0));
        command(2, drag(2.0));
        assert_eq!(queue.take_drags(), [(1, [2.0, 0.0, 0.0], 2.0), (2, [2.0, 0.0, 0.0], 2.0)]);
        command(1, Command::Release);
        command(1, drag(3.0));
        queue.join();
        command(2, drag(4.0));
        assert_eq!(queue.take_drags(), [(2, [4.0, 0.0, 0.0], 4.0)]);
        let left = [Event::Command(1, Command::Release), Event::Command(1, drag(3.0)), Event::Join];
        assert_eq!(queue.take(None).unwrap(), left);
    }

    #[test]
    fn waiting_ends_with_an_event_with_the_time_or_with_the_queue() {
        let queue = Queue::default();
        assert!(queue.take(Some(Instant::now() + Duration::from_millis(10))).unwrap().is_empty());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| queue.take(None));
            queue.join();
            assert_eq!(waiting.join().unwrap().unwrap(), [Event::Join]);
            let waiting = scope.spawn(|| queue.take(None));
            queue.close();
            assert!(waiting.join().unwrap().is_none());
        });
    }
}
