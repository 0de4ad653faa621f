//! Attributes that objects lack, and what to use instead.
use crate::{errors::invalid_type, graph::Graph, tensor::Tensor};
use pyo3::{exceptions::PyAttributeError, prelude::*};
use tpulang::functions::known_elsewhere;

#[pymethods]
impl Tensor {
    fn __getattr__(&self, name: &str) -> PyResult<Py<PyAny>> {
        Err(missing("'tpulang.Tensor' object", name))
    }
    fn __float__(&self, py: Python<'_>) -> PyResult<f64> {
        self.has_no_value(py, RUN)
    }
    fn __int__(&self, py: Python<'_>) -> PyResult<i64> {
        self.has_no_value(py, RUN)
    }
    /// NumPy would otherwise take the tensor for a sequence, and slice it element by element.
    #[pyo3(signature = (*_args, **_kwargs))]
    fn __array__(
        &self,
        py: Python<'_>,
        _args: &Bound<'_, PyAny>,
        _kwargs: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        self.has_no_value(py, RUN)
    }
}

#[pymethods]
impl Graph {
    fn __getattr__(&self, name: &str) -> PyResult<Py<PyAny>> {
        Err(missing("'tpulang.Graph' object", name))
    }
}

impl Tensor {
    /// Returns the error about a use of the tensor as a number or an array.
    pub fn has_no_value<T>(&self, py: Python<'_>, remedy: &str) -> PyResult<T> {
        let name = self.name(py)?;
        Err(invalid_type(py, format!("the tensor {name:?} has no value while the network is built; {remedy}")))
    }
}

const RUN: &str = "Graph.run and Session compute the outputs";

/// Returns the exception for a missing attribute.
fn missing(owner: &str, name: &str) -> PyErr {
    PyAttributeError::new_err(format!("{owner} has no attribute '{name}'{}", attribute_hint(name)))
}

/// Returns what has the purpose that an attribute has in PyTorch, NumPy or ONNX, as the end of a message. Python itself suggests
/// similar names.
#[pyfunction]
pub fn attribute_hint(name: &str) -> String {
    let other = match name {
        // Objects are asked for these to find out what they are.
        _ if name.starts_with('_') => return String::new(),
        "numpy" | "item" | "tolist" | "detach" | "cpu" => format!("it has no value while the network is built; {RUN}"),
        "size" | "dim" | "numel" => "see its shape".to_owned(),
        _ => match known_elsewhere(name).into_iter().next() {
            None => return String::new(),
            Some(known) => match known.strip_prefix("top.") {
                Some(op) => format!("Graph.op({op:?}, ..) computes it"),
                None => format!("the function {known} computes it"),
            },
        },
    };
    format!("; {other}")
}
