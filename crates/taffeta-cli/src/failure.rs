//! Why a command failed, and the exit status that says so.

use std::error::Error;
use std::fmt;

/// Why a command failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Bad usage, a bad scene or a bad file. Nothing was written.
    Usage(String),
    /// The simulation failed, or a result could not be written.
    Failed(String),
    /// It is done in part, and what there is was written.
    Partial {
        /// Text for standard output.
        text: String,
        /// The missing part, and advice.
        reason: String,
    },
    /// Stopped by a signal, with a checkpoint.
    Interrupted(String),
}

impl Failure {
    /// Exit status of bad usage.
    pub const USAGE_STATUS: u8 = 2;
    /// Exit status of a failed simulation.
    pub const FAILED_STATUS: u8 = 1;
    /// Exit status of an interrupted run: 128 and the number of the signal, as shells have it.
    pub const INTERRUPTED_STATUS: u8 = 130;

    /// The exit status.
    pub fn status(&self) -> u8 {
        match self {
            Failure::Usage(_) => Self::USAGE_STATUS,
            Failure::Failed(_) | Failure::Partial { .. } => Self::FAILED_STATUS,
            Failure::Interrupted(_) => Self::INTERRUPTED_STATUS,
        }
    }

    /// Why, without the word before it.
    pub fn into_reason(self) -> String {
        match self {
            Failure::Usage(reason)
            | Failure::Failed(reason)
            | Failure::Partial { reason, .. }
            | Failure::Interrupted(reason) => reason,
        }
    }

    /// The failure in the words of a program that calls this library: it gives an argument `out` and no option `--out`.
    pub(crate) fn for_caller(self) -> Self {
        let reword = |text: String| text.replace("--out", "`out`");
        match self {
            Failure::Usage(reason) => Failure::Usage(reword(reason)),
            Failure::Failed(reason) => Failure::Failed(reword(reason)),
            Failure::Partial { text, reason } => Failure::Partial { text, reason: reword(reason) },
            Failure::Interrupted(reason) => Failure::Interrupted(reword(reason)),
        }
    }

    /// Text for standard output.
    pub fn output(&self) -> &str {
        match self {
            Failure::Partial { text, .. } => text,
            Failure::Usage(_) | Failure::Failed(_) | Failure::Interrupted(_) => "",
        }
    }

    /// Bad usage, as told by an error and its sources.
    pub fn usage(error: &dyn Error) -> Self {
        Failure::Usage(explain(error))
    }

    /// A failed simulation, as told by an error and its sources.
    pub fn failed(error: &dyn Error) -> Self {
        Failure::Failed(explain(error))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(text) | Failure::Failed(text) => write!(f, "error: {text}"),
            Failure::Partial { reason, .. } => write!(f, "warning: {reason}"),
            Failure::Interrupted(text) => write!(f, "{text}"),
        }
    }
}

impl Error for Failure {}

/// An error with its sources, each of which is added unless the text already ends with it.
fn explain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        let more = inner.to_string();
        if !text.ends_with(&more) {
            text = format!("{text}: {more}");
        }
        source = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failure_has_the_exit_status_of_the_contract() {
        let text = String::new;
        let partial = Failure::Partial { text: text(), reason: text() };
        let failures =
            [Failure::Usage(text()), Failure::Failed(text()), partial, Failure::Interrupted(text())];
        assert_eq!(failures.map(|failure| failure.status()), [2, 1, 1, 130]);
    }
}
