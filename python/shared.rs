//! The graph behind Python's `Graph` and its tensors.
use crate::errors::OrRaise;
use pyo3::{prelude::*, sync::MutexExt};
use std::{
    cell::RefCell,
    collections::HashMap,
    ops::{Deref, DerefMut},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::{self, ThreadId},
    time::Duration,
};
use tpulang::{Array, Error, Graph, Result, Tensor};

/// A graph that Python's objects share.
pub struct Shared {
    slot: Mutex<Slot>,
    /// Whether tensors without a graph are added to it: it is one of TpuLang's default graphs.
    pub is_default: bool,
    /// The data that inputs were declared with.
    data: Mutex<HashMap<Tensor, Array>>,
}

struct Slot {
    graph: Graph,
    /// The thread that has taken the graph, to build a branch or loop.
    lent_to: Option<ThreadId>,
}

/// A locked graph.
pub struct Locked<'a>(MutexGuard<'a, Slot>);
impl Deref for Locked<'_> {
    type Target = Graph;
    fn deref(&self) -> &Graph {
        &self.0.graph
    }
}
impl DerefMut for Locked<'_> {
    fn deref_mut(&mut self) -> &mut Graph {
        &mut self.0.graph
    }
}

impl Shared {
    /// The time between two looks at a graph that another thread has taken.
    const PAUSE: Duration = Duration::from_millis(1);

    pub fn new(graph: Graph, is_default: bool) -> Arc<Shared> {
        let slot = Mutex::new(Slot { graph, lent_to: None });
        Arc::new(Shared { slot, is_default, data: Mutex::default() })
    }
    /// Locks the graph. Nothing of Python's may run before it is unlocked.
    ///
    /// Waits until no other thread builds a branch or loop of the graph.
    pub fn lock<'a>(&'a self, py: Python<'_>) -> Locked<'a> {
        loop {
            // A failed call leaves the graph as it was, and so does a panic in one.
            let slot = self.slot.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
            if slot.lent_to.is_none_or(|thread| thread == thread::current().id()) {
                return Locked(slot);
            }
            drop(slot);
            py.detach(|| thread::sleep(Self::PAUSE));
        }
    }
    /// Runs `body` on the locked graph. An error is raised once the graph is unlocked: exceptions are Python's.
    pub fn with<T>(&self, py: Python<'_>, body: impl FnOnce(&mut Graph) -> Result<T>) -> PyResult<T> {
        let result = body(&mut self.lock(py));
        result.or_raise(py)
    }
    /// Drops the data that inputs were declared with.
    pub fn forget_data(&self, py: Python<'_>) {
        self.data.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).clear();
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
        let mut taken = Taken::new(py, self)?;
        let lent = Lent { py, shared: self, raised: RefCell::new(None) };
        let result = body(&mut taken.graph, &lent);
        drop(taken);
        match lent.raised.into_inner() {
            Some(raised) => Err(raised),
            None => result.or_raise(py),
        }
    }
}

/// A graph that is taken out of its [`Shared`], to which it returns on drop, and thus on a panic.
struct Taken<'a> {
    py: Python<'a>,
    shared: &'a Shared,
    graph: Graph,
    /// The thread that has taken the graph before.
    outer: Option<ThreadId>,
}

impl<'a> Taken<'a> {
    fn new(py: Python<'a>, shared: &'a Shared) -> PyResult<Taken<'a>> {
        let placeholder = Graph::new("lent").or_raise(py)?;
        let mut slot = shared.lock(py);
        let graph = std::mem::replace(&mut *slot, placeholder);
        let outer = slot.0.lent_to.replace(thread::current().id());
        drop(slot);
        Ok(Taken { py, shared, graph, outer })
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut slot = self.shared.lock(self.py);
        std::mem::swap(&mut slot.0.graph, &mut self.graph);
        slot.0.lent_to = self.outer;
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
