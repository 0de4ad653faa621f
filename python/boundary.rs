//! Functions in Python whose errors end tracebacks at the caller's line, as those of the extension module do.
use crate::errors::is_ours;
use pyo3::{
    intern,
    prelude::*,
    types::{PyDict, PyTuple},
};

// A function of the package that is written in Python. This is no doc comment, which would replace the function's own.
#[pyclass(frozen, module = "tpulang", name = "function")]
pub struct Bounded(Py<PyAny>);

#[pymethods]
impl Bounded {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = args.py();
        self.0.bind(py).call(args, kwargs).inspect_err(|raised| {
            if is_ours(py, raised) {
                raised.set_traceback(py, None);
            }
        })
    }
    /// As a function's, so that Python documents it as one; it is no method.
    fn __get__(slf: Py<Self>, _instance: &Bound<'_, PyAny>, _owner: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }
    #[getter]
    fn __wrapped__(&self, py: Python<'_>) -> Py<PyAny> {
        self.0.clone_ref(py)
    }
    #[getter]
    fn __doc__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.0.bind(py).getattr(intern!(py, "__doc__"))
    }
    #[getter]
    fn __name__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.0.bind(py).getattr(intern!(py, "__name__"))
    }
    #[getter]
    fn __qualname__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.__name__(py)
    }
    #[getter]
    fn __module__(&self) -> &'static str {
        "tpulang"
    }
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<function tpulang.{}>", self.__name__(py)?))
    }
    /// Pickled by name, as functions are.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.__name__(py)
    }
    #[getter]
    fn __text_signature__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("inspect")?.call_method1("signature", (&self.0,))?.str().map(Bound::into_any)
    }
}

/// Returns a function whose tpulang errors have tracebacks that end at the caller's line.
#[pyfunction]
pub fn boundary(function: Py<PyAny>) -> Bounded {
    Bounded(function)
}
