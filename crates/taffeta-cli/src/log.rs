//! Messages on standard error while a command works.

use std::error::Error;
use std::fmt::Display;
use std::io::Write;
use taffeta_scene::SceneError;

/// Writes a line to standard error. Where nobody can take it (a closed pipe, a full disk) it is lost and the command goes on:
/// `eprintln!` would end the program.
pub(crate) fn say(text: impl Display) {
    writeln!(std::io::stderr().lock(), "{text}").ok();
}

/// Writes warnings to standard error.
pub(crate) fn warn(warnings: &[String]) {
    warnings.iter().for_each(|text| say(format!("warning: {text}")));
}

/// Warnings of a scene that was read before an error, or before one that it comes from.
pub(crate) fn warnings_before<'a>(error: &'a (dyn Error + 'static)) -> &'a [String] {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(refused) = error.downcast_ref::<SceneError>() {
            return refused.warnings();
        }
        cause = error.source();
    }
    &[]
}
