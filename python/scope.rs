//! Scopes of names.
use crate::shared::Shared;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// A scope of names, entered by `with`.
#[pyclass(frozen, module = "tpulang")]
pub struct Scope {
    shared: Arc<Shared>,
    name: String,
    /// The scopes that were left for this one: it may be entered again while it is entered.
    outer: Mutex<Vec<tpulang::graph::Scope>>,
}

impl Scope {
    pub fn new(shared: Arc<Shared>, name: String) -> Scope {
        Scope { shared, name, outer: Mutex::default() }
    }
}

#[pymethods]
impl Scope {
    fn __enter__(&self, py: Python<'_>) -> PyResult<()> {
        let outer = self.shared.with(py, |graph| graph.enter_scope(&self.name))?;
        self.outer.lock().unwrap_or_else(PoisonError::into_inner).push(outer);
        Ok(())
    }
    #[pyo3(signature = (*args))]
    fn __exit__(&self, py: Python<'_>, args: &Bound<'_, PyAny>) {
        let _ = args;
        let outer = self.outer.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(outer) = outer {
            self.shared.lock(py).leave_scope(outer);
        }
    }
}
