//! A step that is watched from other threads.

use crate::model::report::error::StepError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Stop token of a world for other threads, such as that of a signal handler or of a progress bar. It tells the progress of the
/// present step and asks it to end early. Clones are handles on the same world.
#[derive(Clone, Debug, Default)]
pub struct StopToken(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    stop: Arc<AtomicBool>,
    /// The bits of the time \[s\].
    time: AtomicU64,
}

/// Handles on the same world are equal.
impl PartialEq for StopToken {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl StopToken {
    /// Asks the present step and all later ones to end before their next substep, with [`StepError::Interrupted`].
    pub fn request_stop(&self) {
        self.0.stop.store(true, Ordering::SeqCst);
    }

    /// Lets steps be made again.
    pub fn allow(&self) {
        self.0.stop.store(false, Ordering::SeqCst);
    }

    /// The flag that asks steps to end while it is raised, for signal handlers.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0.stop)
    }

    /// Returns whether steps are asked to end.
    pub fn is_stop_requested(&self) -> bool {
        self.0.stop.load(Ordering::SeqCst)
    }

    /// The time that the present step has come to, or the last one has ended at \[s\].
    pub fn time(&self) -> f64 {
        f64::from_bits(self.0.time.load(Ordering::Relaxed))
    }

    /// Notes the time \[s\] at the start of a substep, which is not to be made if a stop is asked for.
    pub(crate) fn pass(&self, time: f64) -> Result<(), StepError> {
        self.0.time.store(time.to_bits(), Ordering::Relaxed);
        if self.is_stop_requested() { Err(StepError::Interrupted { time }) } else { Ok(()) }
    }
}
