//! Ctrl-C.

use crate::failure::Failure;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether Ctrl-C was pressed.
pub(super) struct Interrupt {
    requested: Arc<AtomicBool>,
}

impl Interrupt {
    /// From now on the first Ctrl-C asks the run to stop after its frame; the second one ends the program at once.
    pub(super) fn listen() -> Self {
        let requested = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&requested);
        let handler = move || {
            if seen.swap(true, Ordering::SeqCst) {
                std::process::exit(i32::from(Failure::INTERRUPTED_STATUS));
            }
            eprintln!("\nfinishing the frame; press Ctrl-C again to stop at once");
        };
        // Even where a shell has told the program to ignore the signal, as it tells background jobs of scripts: who sends
        // it wants the run to stop. Fails if the program listens already: then that decides what Ctrl-C does.
        ctrlc::set_handler(handler).ok();
        Self { requested }
    }

    /// Whether the run should stop.
    pub(super) fn is_requested(&self) -> bool {
        self.requested.load(Ordering::SeqCst)
    }
}
