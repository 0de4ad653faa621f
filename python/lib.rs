//! The Python package: TpuLang's functions and classes, and an interface of our own, over the library.
// Only Python has the symbols that a test would be linked with: the tests are in tests/, in Python.
#![cfg(not(test))]
#![allow(unsafe_code, reason = "memory of Python's arrays; docs/safety.md lists each use")]

mod arrays;
mod attributes;
mod boundary;
mod command;
mod control_flow;
mod declared;
mod dropin;
mod errors;
mod functions;
mod graph;
mod interrupt;
mod operator;
mod operators;
mod ops;
mod quantization;
mod scope;
mod session;
mod shared;
mod spec_text;
mod tensor;
mod training;
mod values;
mod warnings;

use pyo3::prelude::*;

/// The extension module `tpulang._native`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<tensor::Tensor>()?;
    module.add_class::<values::Scalar>()?;
    module.add_class::<graph::Graph>()?;
    module.add_class::<operator::Operator>()?;
    module.add_class::<session::Session>()?;
    module.add_class::<session::ValueInfo>()?;
    functions::register(module)?;
    dropin::register(module)?;
    training::register(module)?;
    module.add_function(wrap_pyfunction!(boundary::boundary, module)?)?;
    module.add_function(wrap_pyfunction!(command::command, module)?)?;
    module.add_function(wrap_pyfunction!(attributes::attribute_hint, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
