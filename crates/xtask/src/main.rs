//! Tasks of the project: golden runs are written anew, the second tier of tests is run, figures are measured.
//!
//! ```sh
//! cargo run -p xtask -- golden
//! cargo run -p xtask -- nightly [PART ...]
//! cargo run -p xtask -- performance [--against PROGRAM]
//! ```

#![forbid(unsafe_code)]

mod nightly;
mod parts;
mod performance;

use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// What the project does to itself.
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
    /// Measure what a frame costs (some ten minutes, on an idle machine), and draw docs/cost.svg
    Performance {
        /// Another version of the program, run in turns with this one
        #[arg(long)]
        against: Option<PathBuf>,
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
        Task::Performance { against } => performance::run(against.as_deref()),
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
