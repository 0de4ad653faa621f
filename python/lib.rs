//! The Python package: TpuLang's functions and classes, and an interface of our own, over the library.
#![allow(unsafe_code, reason = "memory of Python's arrays; docs/safety.md lists each use")]

mod command;

use pyo3::prelude::*;

/// The extension module `tpulang._native`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(command::command, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
