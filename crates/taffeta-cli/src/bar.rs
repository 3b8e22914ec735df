//! Progress bar on the last line of a terminal, on standard error.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time between two drawings, shorter than a reader notices.
const INTERVAL: Duration = Duration::from_millis(50);
/// Characters of the bar without its text.
const LENGTH: u64 = 12;
/// Characters of a line if the terminal does not report its width.
const USUAL_WIDTH: usize = 80;
/// Control sequence that returns to the beginning of the line and clears it (ECMA-48: EL).
const EMPTY_LINE: &str = "\r\x1b[2K";

/// Progress of a task, with a text.
#[derive(Debug, Default)]
pub(crate) struct Bar {
    /// The last drawing; `None`: the line is empty.
    drawn: Mutex<Option<Instant>>,
}

impl Bar {
    /// Creates a bar; `None`: standard error is no terminal.
    pub(crate) fn on_terminal() -> Option<Self> {
        std::io::stderr().is_terminal().then(Self::default)
    }

    /// Shows the number of parts that are done, unless the last drawing is only a moment old.
    pub(crate) fn show(&self, done: u64, all: u64, text: &str) {
        let mut drawn = self.lock();
        if drawn.is_none_or(|time| time.elapsed() >= INTERVAL) {
            *drawn = Some(Instant::now());
            write(&format!("{EMPTY_LINE}{}", line(done, all, text, width())));
        }
    }

    /// Clears the bar for other output. The next `show` draws it again.
    pub(crate) fn suspend(&self, print: impl FnOnce()) {
        let mut drawn = self.lock();
        if drawn.take().is_some() {
            write(EMPTY_LINE);
        }
        print();
    }

    /// Clears the bar.
    pub(crate) fn clear(&self) {
        self.suspend(|| {});
    }

    fn lock(&self) -> MutexGuard<'_, Option<Instant>> {
        self.drawn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bar and the text, cut to the length of a line.
fn line(done: u64, all: u64, text: &str, width: usize) -> String {
    let full = (done.min(all) * LENGTH).checked_div(all).unwrap_or(0);
    let bar = (0..LENGTH).map(|place| match place.cmp(&full) {
        std::cmp::Ordering::Less => '━',
        std::cmp::Ordering::Equal => '╸',
        std::cmp::Ordering::Greater => ' ',
    });
    // The last column stays free: terminals wrap after it.
    bar.chain([' ']).chain(text.chars()).take(width.saturating_sub(1)).collect()
}

/// Columns of the terminal.
fn width() -> usize {
    #[cfg(unix)]
    let columns = rustix::termios::tcgetwinsize(std::io::stderr()).ok().map(|size| usize::from(size.ws_col));
    #[cfg(not(unix))]
    let columns = None;
    columns.filter(|columns| *columns > 0).unwrap_or(USUAL_WIDTH)
}

/// Writes to standard error and ignores errors.
fn write(text: &str) {
    let mut out = std::io::stderr().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_bar_the_text_and_never_more_than_the_terminal() {
        assert_eq!(line(6, 12, "half", 80), "━━━━━━╸      half");
        assert_eq!(line(12, 12, "all", 80), "━━━━━━━━━━━━ all");
        assert_eq!(line(0, 0, "nothing", 80), "╸            nothing");
        assert_eq!(line(0, 7, "a long text", 16).chars().count(), 15);
    }
}
