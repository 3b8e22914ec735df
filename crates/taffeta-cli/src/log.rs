//! Messages on standard error while a command works.

use std::fmt::Display;
use std::io::Write;

/// Writes a line to standard error. Where nobody can take it (a closed pipe, a full disk) it is lost and the command goes on:
/// `eprintln!` would end the program.
pub(crate) fn say(text: impl Display) {
    writeln!(std::io::stderr().lock(), "{text}").ok();
}
