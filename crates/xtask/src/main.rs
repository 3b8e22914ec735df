//! Tasks of the project: writes golden runs anew, runs the second tier of tests, measures figures, counts long sentences.
//!
//! ```sh
//! cargo run -p xtask -- golden
//! cargo run -p xtask -- nightly [PART ...]
//! cargo run -p xtask -- performance [--against PROGRAM] [--only TEXT]
//! cargo run -p xtask -- prose [PATH ...]
//! ```

#![forbid(unsafe_code)]

mod nightly;
mod parts;
mod performance;
mod prose;

use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Tasks of the project.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Write the states of the golden runs anew; a change needs a line in CHANGELOG.md under Numerics
    Golden,
    /// Run the second tier of tests, which takes hours, and measure the figures of README and guide
    Nightly {
        /// The parts to run; all if none is given
        #[arg(value_parser = parts::names())]
        parts: Vec<String>,
        /// Only list the parts with their commands
        #[arg(long)]
        list: bool,
    },
    /// Measure what a frame costs (half an hour, on an idle machine), and draw docs/cost.svg
    Performance {
        /// Another version of the program, run in turns with this one
        #[arg(long)]
        against: Option<PathBuf>,
        /// Measure the cases whose names contain this, and draw nothing
        #[arg(long)]
        only: Option<String>,
    },
    /// Count long sentences, long paragraphs and wrong openings in pages and comments; fails above a ceiling
    Prose {
        /// Files or folders whose findings are listed, below the folder of the project
        paths: Vec<String>,
    },
}

fn main() -> ExitCode {
    let is_done = match Arguments::parse().task {
        Task::Golden => write_golden(),
        Task::Nightly { list: true, .. } => {
            parts::PARTS.iter().for_each(|part| print!("{part}"));
            true
        }
        Task::Nightly { parts, .. } => nightly::run(&parts),
        Task::Performance { against, only } => performance::run(against.as_deref(), only.as_deref()),
        Task::Prose { paths } => prose::run(&paths),
    };
    if is_done { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The folder of the project.
fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the golden runs with the variable that makes them write their states.
fn write_golden() -> bool {
    let status = Command::new(env!("CARGO"))
        .args(["test", "--package", "taffeta", "--test", "suite", "golden_runs_end"])
        .env("TAFFETA_WRITE_GOLDEN", "1")
        .current_dir(project())
        .status();
    status.expect("cargo runs").success()
}
