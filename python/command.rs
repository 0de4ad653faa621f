//! The `tpulang` command.
use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the command with these arguments, of which the first is its own name. Returns the exit status.
#[pyfunction]
pub fn command(py: Python<'_>, args: Vec<OsString>) -> u8 {
    py.detach(|| tpulang::command::main(args))
}
