//! Gradients, variables and optimizers.
use crate::{
    errors::{count, invalid, invalid_type, shown},
    graph::{Graph, Tensors},
    operator::Operator,
    shared::Shared,
    tensor::{Handle, Tensor},
};
use pyo3::prelude::*;
use std::sync::Arc;
use tpulang::{Derivative, graph::optimizers};

#[pymethods]
impl Graph {
    /// Adds the operators that compute the gradients of the sum of all elements of `of`, a tensor or several, with respect to
    /// each tensor of `with_respect_to`.
    ///
    /// Args:
    ///     of: The tensors to differentiate.
    ///     with_respect_to: Inputs, coefficients or computed tensors.
    ///     rule: A function of an operator and the gradients of its results that returns "default", "stop",
    ///         "straight_through" (as on real numbers: rounding passes the gradient), or a list with the gradient of each
    ///         operand, None for zero.
    ///
    /// Returns:
    ///     A list of gradients, of the shapes of `with_respect_to`.
    ///
    /// >>> import tpulang
    /// >>> g = tpulang.Graph("net")
    /// >>> x = g.input("x", (3,))
    /// >>> g.outputs = g.gradients(x * x, x)
    /// >>> g.run({"x": [1.0, -2.0, 3.0]})["x_grad"]
    /// array([ 2., -4.,  6.], dtype=float32)
    #[pyo3(signature = (of, with_respect_to, rule=None))]
    fn gradients(
        &self,
        py: Python<'_>,
        of: Tensors,
        with_respect_to: Tensors,
        rule: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Tensor>> {
        let (shared, of) = (self.shared(), self.handles(py, &of.0)?);
        let with_respect_to = self.handles(py, &with_respect_to.0)?;
        let made = match rule {
            None => shared.with(py, |graph| graph.gradients(&of, &with_respect_to))?,
            Some(rule) => shared.lend(py, |graph, lent| {
                graph.gradients_with(&of, &with_respect_to, |graph, operator, gradients| {
                    let operator = Operator::of(graph, operator, None)?;
                    lent.call(graph, || {
                        let gradients = gradients.iter().map(|g| g.map(|handle| Tensor::of(shared, handle)));
                        let returned = rule.call1((operator, gradients.collect::<Vec<_>>()))?;
                        derivative(shared, &returned)
                    })
                })
            })?,
        };
        Ok(self.tensors_of(made))
    }
    /// Makes a coefficient a variable: after each run, its value is replaced by that of `next`.
    fn assign(&self, py: Python<'_>, variable: &Bound<'_, Tensor>, next: &Bound<'_, Tensor>) -> PyResult<()> {
        let (variable, next) = (variable.get().handle_in(py, self.shared())?, next.get().handle_in(py, self.shared())?);
        self.shared().with(py, |graph| graph.assign(variable, next))
    }
    /// The variables, each with its next value.
    #[getter]
    fn updates(&self, py: Python<'_>) -> Vec<(Tensor, Tensor)> {
        let updates = self.shared().lock(py).updates().to_vec();
        let tensor = |handle| Tensor::of(self.shared(), handle);
        updates.into_iter().map(|(variable, next)| (tensor(variable), tensor(next))).collect()
    }
    /// Adds a training step: every run moves the variables, coefficients that are floats, against the gradient of `loss`.
    ///
    /// Returns:
    ///     A list of the variables' next values.
    ///
    /// >>> import numpy as np, tpulang
    /// >>> g = tpulang.Graph("net")
    /// >>> x, w = g.input("x", (1,)), g.coefficient("w", np.ones(1, "float32"))
    /// >>> loss = x * w
    /// >>> g.outputs = [loss]
    /// >>> _ = g.minimize(loss, w, tpulang.optimizers.Sgd(0.25))
    /// >>> session = tpulang.Session(g)
    /// >>> _ = session.run({"x": [2.0]})
    /// >>> session.variables["w"]
    /// array([0.5], dtype=float32)
    fn minimize(
        &self,
        py: Python<'_>,
        loss: &Bound<'_, Tensor>,
        variables: Tensors,
        optimizer: &Bound<'_, Optimizer>,
    ) -> PyResult<Vec<Tensor>> {
        let shared = self.shared();
        let (loss, variables) = (loss.get().handle_in(py, shared)?, self.handles(py, &variables.0)?);
        let made = optimizer.get().minimize(py, shared, loss, &variables)?;
        Ok(self.tensors_of(made))
    }
}

/// Reads what a rule returns.
fn derivative(shared: &Arc<Shared>, returned: &Bound<'_, PyAny>) -> PyResult<Derivative> {
    let py = returned.py();
    if returned.is_none() {
        return Ok(Derivative::Default);
    }
    if let Ok(word) = returned.extract::<String>() {
        return match word.as_str() {
            "default" => Ok(Derivative::Default),
            "stop" => Ok(Derivative::Stop),
            "straight_through" => Ok(Derivative::StraightThrough),
            _ => Err(invalid(
                py,
                format!("rule returns {word:?}; expected \"default\", \"stop\" or \"straight_through\""),
            )),
        };
    }
    let Ok(gradients) = returned.extract::<Vec<Option<Py<Tensor>>>>() else {
        let found = returned.get_type().name()?;
        return Err(invalid_type(py, format!("rule returns {found}; expected a string, or a list of gradients")));
    };
    let handle = |tensor: Option<Py<Tensor>>| tensor.map(|tensor| tensor.get().handle_in(py, shared)).transpose();
    gradients.into_iter().map(handle).collect::<PyResult<_>>().map(Derivative::Operands)
}

/// A learning rate as a function of the number of completed steps.
///
/// >>> import tpulang
/// >>> rate = tpulang.optimizers.Schedule.cosine(0.1, 0.001, steps=1000)
#[pyclass(frozen, module = "tpulang.optimizers")]
pub struct Schedule(optimizers::Schedule);

#[pymethods]
impl Schedule {
    /// Multiplied by `factor` after every `every` steps.
    #[staticmethod]
    fn step(py: Python<'_>, initial: f64, factor: f64, every: i64) -> PyResult<Schedule> {
        let every = count(py, "Schedule.step: every", every)?;
        Ok(Schedule(optimizers::Schedule::Step { initial, factor, every }))
    }
    /// From `initial` to `last` along half a period of the cosine; `last` after `steps`.
    #[staticmethod]
    fn cosine(py: Python<'_>, initial: f64, last: f64, steps: i64) -> PyResult<Schedule> {
        let steps = count(py, "Schedule.cosine: steps", steps)?;
        Ok(Schedule(optimizers::Schedule::Cosine { initial, last, steps }))
    }
    /// Linearly from `initial / steps` to `initial`; `initial` after `steps`.
    #[staticmethod]
    fn warmup(py: Python<'_>, initial: f64, steps: i64) -> PyResult<Schedule> {
        let steps = count(py, "Schedule.warmup: steps", steps)?;
        Ok(Schedule(optimizers::Schedule::Warmup { initial, steps }))
    }
    fn __repr__(&self) -> String {
        format!("<tpulang.optimizers.Schedule {:?}>", self.0)
    }
}

/// A method of `Graph.minimize`: `Sgd`, `Adam` or `AdamW`.
#[pyclass(frozen, module = "tpulang.optimizers")]
pub struct Optimizer {
    rate: Rate,
    method: Method,
}

/// A learning rate: a number, a schedule, or a tensor of one element, such as an input.
enum Rate {
    Number(f64),
    Schedule(Py<Schedule>),
    Tensor(Py<Tensor>),
}

impl<'py> FromPyObject<'_, 'py> for Rate {
    type Error = PyErr;
    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Rate> {
        if let Ok(schedule) = object.extract::<Py<Schedule>>() {
            return Ok(Rate::Schedule(schedule));
        }
        if let Ok(tensor) = object.extract::<Py<Tensor>>() {
            return Ok(Rate::Tensor(tensor));
        }
        object.extract::<f64>().map(Rate::Number).map_err(|_| {
            let expected = "expected a number, a Schedule, or a tensor of one element";
            invalid_type(object.py(), format!("rate is {}; {expected}", shown(&object)))
        })
    }
}

enum Method {
    Sgd { momentum: f64, nesterov: bool, weight_decay: f64 },
    Adam { betas: (f64, f64), epsilon: f64, weight_decay: f64, is_decoupled: bool },
}

impl Optimizer {
    fn minimize(
        &self,
        py: Python<'_>,
        shared: &Arc<Shared>,
        loss: Handle,
        variables: &[Handle],
    ) -> PyResult<Vec<Handle>> {
        let rate = match &self.rate {
            Rate::Number(rate) => optimizers::Schedule::Constant(*rate),
            Rate::Schedule(schedule) => schedule.get().0,
            Rate::Tensor(tensor) => optimizers::Schedule::Tensor(tensor.get().handle_in(py, shared)?),
        };
        shared.with(py, |graph| match self.method {
            Method::Sgd { momentum, nesterov, weight_decay } => {
                let sgd = optimizers::Sgd::new(rate).momentum(momentum).nesterov(nesterov).weight_decay(weight_decay);
                graph.minimize(loss, variables, &sgd)
            }
            Method::Adam { betas, epsilon, weight_decay, is_decoupled } => {
                let adam = optimizers::Adam::new(rate).betas(betas.0, betas.1).epsilon(epsilon);
                let adam = match is_decoupled {
                    true => adam.decoupled_weight_decay(weight_decay),
                    false => adam.weight_decay(weight_decay),
                };
                graph.minimize(loss, variables, &adam)
            }
        })
    }
}

/// Stochastic gradient descent, as PyTorch's `SGD`. `rate` is a number, a `Schedule`, or a tensor of one element.
#[pyfunction]
#[pyo3(name = "Sgd", signature = (rate, *, momentum=0.0, nesterov=false, weight_decay=0.0))]
fn sgd(rate: Rate, momentum: f64, nesterov: bool, weight_decay: f64) -> Optimizer {
    Optimizer { rate, method: Method::Sgd { momentum, nesterov, weight_decay } }
}

/// Adam, as PyTorch's. `rate` is a number, a `Schedule`, or a tensor of one element.
#[pyfunction]
#[pyo3(name = "Adam", signature = (rate=Rate::Number(1e-3), *, betas=(0.9, 0.999), epsilon=1e-8, weight_decay=0.0))]
fn adam(rate: Rate, betas: (f64, f64), epsilon: f64, weight_decay: f64) -> Optimizer {
    Optimizer { rate, method: Method::Adam { betas, epsilon, weight_decay, is_decoupled: false } }
}

/// AdamW, as PyTorch's: Adam with decoupled weight decay.
#[pyfunction]
#[pyo3(name = "AdamW", signature = (rate=Rate::Number(1e-3), *, betas=(0.9, 0.999), epsilon=1e-8, weight_decay=0.01))]
fn adam_w(rate: Rate, betas: (f64, f64), epsilon: f64, weight_decay: f64) -> Optimizer {
    Optimizer { rate, method: Method::Adam { betas, epsilon, weight_decay, is_decoupled: true } }
}

/// Adds the classes and functions of `tpulang.optimizers`.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Schedule>()?;
    module.add_class::<Optimizer>()?;
    module.add_function(wrap_pyfunction!(sgd, module)?)?;
    module.add_function(wrap_pyfunction!(adam, module)?)?;
    module.add_function(wrap_pyfunction!(adam_w, module)?)
}
