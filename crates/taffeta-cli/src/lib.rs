//! The command line of the Taffeta cloth simulator.
//!
//! ```text
//! arguments ──► Command ──► run ───────► scene ──► World ──► frames, tables, summary, checkpoint
//!                      ├──► render ────► a picture of a frame of a result folder
//!                      ├──► export ────► the frames of a result folder in other formats
//!                      ├──► view ──────► a local page with a simulation or a result folder
//!                      ├──► study ─────► variants of a scene, compared
//!                      ├──► validate ──► physical checks against references
//!                      ├──► inspect ───► what an OBJ file contains
//!                      ├──► remesh ────► an OBJ file with another mesh of the same sheet
//!                      ├──► new ───────► a starter scene
//!                      ├──► materials ─► the presets
//!                      └──► schema, completions, man ─► what editors, shells and readers of manuals need
//! ```
//!
//! The program is this library and three lines of `main`. Every command returns a [`Failure`] or what it has to say on
//! standard output; progress and warnings go to standard error. Input is read and checked completely before anything
//! is written.
//!
//! | exit status | meaning |
//! |---|---|
//! | 0 | done |
//! | 1 | the simulation or a check failed, or a result could not be written |
//! | 2 | bad usage, scene or file; a folder that another run writes |
//! | 130 | interrupted by Ctrl-C (SIGINT), SIGTERM or SIGHUP: `run` has left a checkpoint |
//!
//! A log that cannot be written (a closed pipe, a full disk) changes none of this.
//!
//! Words of the command line that this version does not support are refused as such.

#![forbid(unsafe_code)]
// `println!` and the like end the program where nobody can take what it says.
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod args;
mod bar;
mod commands;
pub mod failure;
mod files;
mod log;
mod words;

pub use commands::{
    export, extras, inspect, materials, remesh, render, run, schema, starter, study, validate, view,
};
pub use failure::Failure;

use args::{Arguments, Command};
use clap::Parser;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// Runs the program with its arguments, the first of which is its name, and prints what it says.
pub fn run_program(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    ExitCode::from(run_for_status(arguments))
}

/// Like [`run_program`], with the exit status as a number, for programs that contain this one.
pub fn run_for_status(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(mut error) => {
            words::propose_command(&mut error);
            // A closed pipe is no reason to complain.
            error.print().ok();
            return if error.use_stderr() { Failure::USAGE_STATUS } else { 0 };
        }
    };
    match run_command(arguments.command) {
        Ok(text) => {
            print(&text);
            0
        }
        Err(failure) => {
            print(failure.output());
            log::say(&failure);
            failure.status()
        }
    }
}

fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    // A reader that has seen enough (`| head`) is no reason to complain.
    if !text.is_empty() {
        writeln!(out, "{}", text.trim_end()).and_then(|()| out.flush()).ok();
    }
}

/// Runs a command and returns what it has to say on standard output.
///
/// # Errors
/// Whatever keeps the command from being done.
pub fn run_command(command: Command) -> Result<String, Failure> {
    match command {
        Command::Run(options) => run::run(&options),
        Command::Render(options) => render::render(&options),
        Command::Export(options) => export::export(&options),
        Command::Inspect { file, seams: false, .. } => inspect::inspect(&file),
        Command::Inspect { file, picture, edge_length, .. } => {
            inspect::inspect_seams(&file, edge_length, picture.as_deref())
        }
        Command::New { name } => starter::write_starter(&name),
        Command::Materials => Ok(materials::describe_presets()),
        Command::View(options) => view::view(&options),
        Command::Study(options) => study::study(&options),
        Command::Validate(options) => validate::validate(&options),
        Command::Remesh(options) => remesh::remesh(&options),
        Command::Schema { outputs, markdown } => Ok(schema::describe(outputs, markdown)),
        Command::Completions { shell } => extras::completions(&shell),
        Command::Man => extras::manual(),
    }
}
