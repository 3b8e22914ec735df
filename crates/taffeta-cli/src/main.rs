//! The `taffeta` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    taffeta_cli::run_program(std::env::args_os())
}
