//! tpulang's warnings as Python's own, which `tpulang/_errors.py` defines.
use pyo3::{intern, prelude::*, types::PyDict};
use tpulang::{
    Graph,
    base::{Warning, WarningCode, Warnings},
};

/// Issues the warnings that a call of a function has raised, at the user's line.
///
/// # Errors
/// Returns an error if the user has made warnings errors.
pub fn warn_of_call(py: Python<'_>, raised: &[Warning]) -> PyResult<()> {
    raised.iter().filter(|warning| is_about_call(warning)).try_for_each(|warning| issue(py, warning))
}

/// Issues the warnings about a graph as a whole.
///
/// # Errors
/// Same as for [`warn_of_call`].
pub fn warn_of_graph(py: Python<'_>, graph: &Graph) -> PyResult<()> {
    let all = py.detach(|| graph.warnings());
    all.iter().filter(|warning| !is_about_call(warning)).try_for_each(|warning| issue(py, warning))
}

/// Issues all of these warnings.
///
/// # Errors
/// Same as for [`warn_of_call`].
pub fn warn_of_all(py: Python<'_>, warnings: &Warnings) -> PyResult<()> {
    warnings.iter().try_for_each(|warning| issue(py, warning))
}

/// Whether a warning is issued when its call is made. Calls of TpuLang are made before the mode is known.
fn is_about_call(warning: &Warning) -> bool {
    warning.call().is_some() && warning.code() != WarningCode::QuantizedInF32
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
    let message = format!("{}: {}", warning.code(), warning.message());
    py.import(intern!(py, "tpulang._errors"))?.call_method(intern!(py, "warn"), (message,), Some(&details))?;
    Ok(())
}
