//! tpulang's warnings as Python's own, which `tpulang/_errors.py` defines.
use pyo3::{intern, prelude::*, types::PyDict};
use tpulang::{
    Graph,
    base::{Warning, WarningCode, WarningKind, Warnings},
    graph::TensorInfo,
};

/// What [`WarningKind::QuantizedInF32`] says in Python.
const QUANTIZED_IN_F32: &str = "\
its tensors are quantized, but the network is written as one of floats; call compile instead of compile_f32, or set the \
graph's mode to \"quantized\"";

/// Issues warnings at the user's line.
///
/// # Errors
/// Returns an error if the user has made warnings errors.
pub fn warn<'w>(py: Python<'_>, warnings: impl IntoIterator<Item = &'w Warning>) -> PyResult<()> {
    warnings.into_iter().try_for_each(|warning| issue(py, warning))
}

/// Issues the warnings about the calls and conversions that have made a graph, which was read from a file.
///
/// # Errors
/// Same as for [`warn`].
pub fn warn_of_reading(py: Python<'_>, graph: &Graph) -> PyResult<()> {
    warn(py, graph.warnings_since(0).iter().filter(|warning| is_about_call(warning)))?;
    warn(py, graph.conversions().iter())
}

/// Issues the warnings about a graph as a whole, and returns all.
///
/// # Errors
/// Same as for [`warn`].
pub fn warn_of_graph(py: Python<'_>, graph: &Graph) -> PyResult<Warnings> {
    let all = py.detach(|| graph.warnings());
    warn(py, all.iter().filter(|warning| !is_about_call(warning)))?;
    Ok(all)
}

/// Issues the warnings about weights of files that have been read since [`warn_of_graph`].
///
/// # Errors
/// Same as for [`warn`].
pub fn warn_of_weights_read(py: Python<'_>, graph: &Graph, before: &Warnings) -> PyResult<()> {
    let is_in_file = |(_, info): (_, &TensorInfo)| info.data().is_some_and(|data| data.source_path().is_some());
    if !graph.tensors().any(is_in_file) {
        return Ok(());
    }
    let after = py.detach(|| graph.warnings());
    let is_new = |warning: &&Warning| {
        warning.code() == WarningCode::NotFiniteWeight && !before.iter().any(|known| known == *warning)
    };
    warn(py, after.iter().filter(is_new))
}

/// Whether a warning is issued when its call is made. Calls of TpuLang are made before the mode is known.
pub fn is_about_call(warning: &Warning) -> bool {
    warning.call().is_some() && warning.code() != WarningCode::QuantizedInF32
}

/// Returns the text of a warning, with the remedy in Python where it has that in a spec.
pub fn in_python(warning: &Warning, text: String) -> String {
    match warning.kind() {
        kind @ WarningKind::QuantizedInF32 => text.replacen(&kind.to_string(), QUANTIZED_IN_F32, 1),
        _ => text,
    }
}

fn issue(py: Python<'_>, warning: &Warning) -> PyResult<()> {
    let details = PyDict::new(py);
    details.set_item("code", warning.code().name())?;
    if let Some(call) = warning.call() {
        details.set_item("function", &call.function)?;
        details.set_item("call", call.index)?;
        details.set_item("output", &call.out)?;
    }
    if let Some(place) = warning.place() {
        details.set_item("file", &place.file)?;
        details.set_item("line", place.line)?;
        details.set_item("column", place.column)?;
        details.set_item("path", &place.path)?;
    }
    let message = format!("{}: {}", warning.code(), in_python(warning, warning.message()));
    py.import(intern!(py, "tpulang._errors"))?.call_method(intern!(py, "warn"), (message,), Some(&details))?;
    Ok(())
}
