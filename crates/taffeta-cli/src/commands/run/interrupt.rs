//! Signals that ask a run to stop.

use crate::failure::Failure;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// From now on the first SIGINT (Ctrl-C), SIGTERM or SIGHUP raises a flag, and a second one ends the program at once.
///
/// SIGINT even where a shell has told the program to ignore it, as it tells background jobs of scripts: who sends it wants the
/// run to stop. SIGHUP only where it is not ignored: `nohup` means that the run outlives its terminal.
pub(crate) fn listen(flag: &Arc<AtomicBool>) {
    for signal in [Some(SIGINT), Some(SIGTERM), hang_up()].into_iter().flatten() {
        // In this order: the second signal finds the flag raised. Fails only for signals that cannot be caught.
        flag::register_conditional_shutdown(signal, i32::from(Failure::INTERRUPTED_STATUS), Arc::clone(flag))
            .and_then(|_| flag::register(signal, Arc::clone(flag)))
            .ok();
    }
}

/// SIGHUP, unless the program was started with it ignored.
#[cfg(unix)]
fn hang_up() -> Option<i32> {
    use signal_hook::consts::SIGHUP;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
    mask.is_none_or(|mask| mask & (1 << (SIGHUP - 1)) == 0).then_some(SIGHUP)
}

#[cfg(not(unix))]
fn hang_up() -> Option<i32> {
    None
}
