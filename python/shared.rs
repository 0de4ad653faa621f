//! The graph behind Python's `Graph` and its tensors.
use crate::errors::{OrRaise, exception};
use pyo3::{prelude::*, sync::MutexExt};
use std::{
    cell::RefCell,
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tpulang::{Array, Error, Graph, Result, Tensor};

/// A graph that Python's objects share.
pub struct Shared {
    graph: Mutex<Graph>,
    /// Whether tensors without a graph are added to it: it is one of TpuLang's default graphs.
    pub is_default: bool,
    /// The data that inputs were declared with.
    data: Mutex<HashMap<Tensor, Array>>,
}

impl Shared {
    pub fn new(graph: Graph, is_default: bool) -> Arc<Shared> {
        Arc::new(Shared { graph: Mutex::new(graph), is_default, data: Mutex::default() })
    }
    /// Locks the graph. Nothing of Python's may run before it is unlocked.
    pub fn lock<'a>(&'a self, py: Python<'_>) -> MutexGuard<'a, Graph> {
        // A failed call leaves the graph as it was, and so does a panic in one.
        self.graph.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
    /// Notes the data that an input was declared with.
    pub fn set_data(&self, py: Python<'_>, input: Tensor, data: Option<Array>) {
        let mut known = self.data.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        match data {
            Some(data) => known.insert(input, data),
            None => known.remove(&input),
        };
    }
    /// Returns the data that an input was declared with.
    pub fn data_of(&self, py: Python<'_>, input: Tensor) -> Option<Array> {
        self.data.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).get(&input).cloned()
    }
    /// Runs `body` on the graph; functions of the user's that it calls through [`Lent::call`] use the graph, too.
    ///
    /// # Errors
    /// Returns the exceptions of these functions, and the errors of `body`.
    pub fn lend<T>(&self, py: Python<'_>, body: impl FnOnce(&mut Graph, &Lent<'_>) -> Result<T>) -> PyResult<T> {
        let placeholder = Graph::new("lent").or_raise(py)?;
        let mut graph = std::mem::replace(&mut *self.lock(py), placeholder);
        let lent = Lent { py, shared: self, raised: RefCell::new(None) };
        let result = body(&mut graph, &lent);
        *self.lock(py) = graph;
        match lent.raised.into_inner() {
            Some(raised) => Err(raised),
            None => result.map_err(|error| exception(py, &error)),
        }
    }
}

/// A graph that is taken out of its [`Shared`], to which functions of the user's return it for a while.
pub struct Lent<'a> {
    py: Python<'a>,
    shared: &'a Shared,
    raised: RefCell<Option<PyErr>>,
}

impl Lent<'_> {
    /// Calls a function of the user's, which may use the graph.
    ///
    /// # Errors
    /// Returns an error if the function raises an exception, which [`Shared::lend`] raises again.
    pub fn call<T>(&self, graph: &mut Graph, function: impl FnOnce() -> PyResult<T>) -> Result<T> {
        std::mem::swap(graph, &mut self.shared.lock(self.py));
        let result = function();
        std::mem::swap(graph, &mut self.shared.lock(self.py));
        result.map_err(|raised| {
            *self.raised.borrow_mut() = Some(raised);
            Error::new("a function of the caller's has raised an exception")
        })
    }
}
