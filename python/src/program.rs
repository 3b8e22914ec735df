//! The program of the command line, for the console script of the package.

use pyo3::prelude::*;
use std::ffi::OsString;
use taffeta_cli::run_for_status;

/// Runs the program with its arguments, the first of which is its name, and returns the exit status.
#[pyfunction]
pub(crate) fn run_program(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| run_for_status(arguments))
}
