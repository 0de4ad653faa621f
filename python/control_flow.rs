//! Branches and loops, built by functions of the user's.
use crate::{
    errors::{self, OrRaise, invalid_type},
    graph::{Graph, Tensors},
    shared::{Lent, Shared},
    tensor::{Handle, Tensor},
};
use pyo3::{prelude::*, types::PyTuple};
use std::sync::Arc;
use tpulang::Result;

/// Calls a function of the user's with tensors, and returns the tensors that it returns.
fn build(
    shared: &Arc<Shared>,
    lent: &Lent<'_>,
    graph: &mut tpulang::Graph,
    (function, arguments): (&Bound<'_, PyAny>, &[Handle]),
) -> Result<Vec<Handle>> {
    lent.call(graph, || {
        let py = function.py();
        let returned = function.call1(tensors(py, shared, arguments)?)?;
        handles(shared, &returned)
    })
}

fn tensors<'py>(py: Python<'py>, shared: &Arc<Shared>, handles: &[Handle]) -> PyResult<Bound<'py, PyTuple>> {
    let tensors = handles.iter().map(|handle| Bound::new(py, Tensor::of(shared, *handle)));
    PyTuple::new(py, tensors.collect::<PyResult<Vec<_>>>()?)
}

/// Returns the handles of a tensor, or of a list of tensors.
fn handles(shared: &Arc<Shared>, returned: &Bound<'_, PyAny>) -> PyResult<Vec<Handle>> {
    let py = returned.py();
    let Ok(Tensors(all)) = returned.extract::<Tensors>() else {
        let found = returned.get_type().name()?;
        return Err(invalid_type(py, format!("a function of a branch or loop returns {found}; expected tensors")));
    };
    all.iter().map(|tensor| tensor.get().handle_in(py, shared)).collect()
}

#[pymethods]
impl Graph {
    /// Adds an operator that runs one of two branches: `then` if the single number `condition` is not 0, otherwise
    /// `otherwise`. Each is a function without arguments that returns one or several tensors, both of the same types.
    ///
    /// Returns:
    ///     A list with one result for each tensor of a branch.
    ///
    /// >>> import tpulang
    /// >>> g = tpulang.Graph("net")
    /// >>> x, c = g.input("x", (2,)), g.input("c", (1,))
    /// >>> y = g.cond(c, lambda: x * 2, lambda: x.relu())
    /// >>> g.outputs = y
    /// >>> g.run({"x": [1.0, -1.0], "c": [0.0]})[y[0].name]
    /// array([1., 0.], dtype=float32)
    fn cond(
        &self,
        py: Python<'_>,
        condition: &Bound<'_, Tensor>,
        then: &Bound<'_, PyAny>,
        otherwise: &Bound<'_, PyAny>,
    ) -> PyResult<Vec<Tensor>> {
        let (shared, condition) = (self.shared(), condition.get().handle_in(py, self.shared())?);
        let made = shared.lend(py, |graph, lent| {
            let then = |graph: &mut tpulang::Graph| build(shared, lent, graph, (then, &[]));
            let otherwise = |graph: &mut tpulang::Graph| build(shared, lent, graph, (otherwise, &[]));
            graph.cond(condition, then, otherwise)
        })?;
        Ok(self.tensors_of(made))
    }
    /// Adds a loop that carries tensors: as long as `condition(*carried)` returns a number that is not 0, `body(*carried)`
    /// returns the next ones, of the same types.
    ///
    /// Returns:
    ///     A list of the last carried tensors.
    ///
    /// >>> import tpulang
    /// >>> g = tpulang.Graph("net")
    /// >>> x = g.input("x", (1,))
    /// >>> y = g.while_loop(x, lambda v: v < 100.0, lambda v: v * 2)
    /// >>> g.outputs = y
    /// >>> g.run({"x": [3.0]})[y[0].name]
    /// array([192.], dtype=float32)
    fn while_loop(
        &self,
        py: Python<'_>,
        initial: Tensors,
        condition: &Bound<'_, PyAny>,
        body: &Bound<'_, PyAny>,
    ) -> PyResult<Vec<Tensor>> {
        let (shared, initial) = (self.shared(), self.handles(py, &initial.0)?);
        let made = shared.lend(py, |graph, lent| {
            let condition = |graph: &mut tpulang::Graph, carried: &[Handle]| {
                let result = build(shared, lent, graph, (condition, carried))?;
                match result.as_slice() {
                    [one] => Ok(*one),
                    _ => Err(tpulang::Error::new("condition returns several tensors; expected one number")),
                }
            };
            let body = |graph: &mut tpulang::Graph, carried: &[Handle]| build(shared, lent, graph, (body, carried));
            graph.while_loop(&initial, condition, body)
        })?;
        Ok(self.tensors_of(made))
    }
    /// Adds a loop of `count` iterations that carries tensors: `body(iteration, *carried)` returns the next ones, of the same
    /// types. The iteration is a tensor, int32, from 0.
    ///
    /// Returns:
    ///     A list of the last carried tensors.
    ///
    /// >>> import tpulang
    /// >>> g = tpulang.Graph("net")
    /// >>> x = g.input("x", (1,))
    /// >>> y = g.for_loop(4, x, lambda i, v: v + i.cast("float32"))
    /// >>> g.outputs = y
    /// >>> g.run({"x": [1.0]})[y[0].name]
    /// array([7.], dtype=float32)
    fn for_loop(&self, py: Python<'_>, count: i64, initial: Tensors, body: &Bound<'_, PyAny>) -> PyResult<Vec<Tensor>> {
        let (shared, initial) = (self.shared(), self.handles(py, &initial.0)?);
        let count = errors::count(py, "for_loop: count", count)?;
        let made = shared.lend(py, |graph, lent| {
            graph.for_loop(count, &initial, |graph, iteration, carried| {
                build(shared, lent, graph, (body, &[&[iteration], carried].concat()))
            })
        })?;
        Ok(self.tensors_of(made))
    }
    /// Like `for_loop`, for a body that returns a pair: the next carried tensors, and tensors to be stacked along a new first
    /// axis of `count` entries.
    ///
    /// Returns:
    ///     A pair of lists: the last carried tensors, and the stacked ones.
    ///
    /// >>> import tpulang
    /// >>> g = tpulang.Graph("net")
    /// >>> x = g.input("x", (1,))
    /// >>> _, powers = g.scan(4, x, lambda i, v: (v * x, v * x))
    /// >>> powers[0].shape
    /// (4, 1)
    fn scan(
        &self,
        py: Python<'_>,
        count: i64,
        initial: Tensors,
        body: &Bound<'_, PyAny>,
    ) -> PyResult<(Vec<Tensor>, Vec<Tensor>)> {
        let (shared, initial) = (self.shared(), self.handles(py, &initial.0)?);
        let count = errors::count(py, "scan: count", count)?;
        let (carried, stacked) = shared.lend(py, |graph, lent| {
            graph.scan(count, &initial, |graph, iteration, carried| {
                lent.call(graph, || {
                    let returned = body.call1(tensors(py, shared, &[&[iteration], carried].concat())?)?;
                    let pair = returned.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>();
                    let Ok((carried, stacked)) = pair else {
                        let problem = "the body of a scan must return a pair: the carried tensors and the stacked ones";
                        return Err(invalid_type(py, problem));
                    };
                    Ok((handles(shared, &carried)?, handles(shared, &stacked)?))
                })
            })
        })?;
        Ok((self.tensors_of(carried), self.tensors_of(stacked)))
    }
    /// Returns a copy in which each loop of known trip count is replaced by copies of its body.
    fn unrolled(&self, py: Python<'_>) -> PyResult<Graph> {
        let graph = self.shared().lock(py).clone();
        py.detach(|| graph.unrolled()).or_raise(py).map(Graph::of)
    }
}
