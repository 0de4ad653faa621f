//! Optimizers for training: functions of a graph that add gradients and the next values of variables.
//!
//! [`Graph::minimize`](crate::Graph::minimize) adds all that a training step needs. The state of an optimizer (momentum, the number
//! of steps) is kept in variables of the graph, too.
//!
//! ```
//! use tpulang::{Array, Dtype, Graph, exec::{CpuBackend, RunOptions, Session}, graph::optimizers::Sgd, ops};
//! // Fits w to the mean of x.
//! let mut g = Graph::new("net")?;
//! let x = g.input("x", Dtype::Float32, [4])?;
//! let w = g.coefficient("w", Array::from([0f32]))?;
//! let error = g.sub(x, w).call()?;
//! let square = g.mul(error, error).call()?;
//! let loss = g.reduce(square).method(ops::ReduceMode::ReduceMean).axes(0).call()?;
//! g.set_outputs(&[loss])?;
//! g.minimize(loss, &[w], &Sgd::new(0.1).momentum(0.5))?;
//!
//! let session = Session::new(&g, CpuBackend::new(), &RunOptions::default())?;
//! for _ in 0..100 {
//!     session.run(&[("x", Array::from([1f32, 2.0, 3.0, 4.0]))])?;
//! }
//! assert!((session.variable("w")?.to_f32()?[0] - 2.5).abs() < 1e-5);
//! # Ok::<(), tpulang::Error>(())
//! ```
use crate::{
    Graph, Tensor, Value,
    array::Array,
    base::{Result, Warning, WarningKind, argument},
    ops::{Add, AddConst, Cos, Div, MinConst, Mul, MulConst, Op, Pow2, Reshape, Sqrt, Sub, SubConst},
};
use std::f64::consts::PI;

#[cfg(test)]
mod tests;

/// The learning rate as a function of `t`, the number of completed steps.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Schedule {
    /// The same at every step.
    Constant(f64),
    /// Multiplied by `factor` after every `every` steps: `initial * factor^floor(t / every)`.
    Step {
        /// The first learning rate.
        initial: f64,
        /// At least 0.
        factor: f64,
        /// At least 1.
        every: u32,
    },
    /// From `initial` to `last` along half a period of the cosine, over `steps` steps; `last` afterwards.
    Cosine {
        /// The first learning rate.
        initial: f64,
        /// The last learning rate.
        last: f64,
        /// At least 1.
        steps: u32,
    },
    /// A tensor of one element, such as an input that is fed at every step. Converted from a [`Value`], too.
    Tensor(Tensor),
    /// Linearly from `initial / steps` to `initial` over `steps` steps; `initial` afterwards.
    Warmup {
        /// The largest learning rate.
        initial: f64,
        /// At least 1.
        steps: u32,
    },
}

impl From<f64> for Schedule {
    fn from(rate: f64) -> Schedule {
        Schedule::Constant(rate)
    }
}

impl From<Value<'_>> for Schedule {
    fn from(rate: Value<'_>) -> Schedule {
        Schedule::Tensor(rate.tensor())
    }
}

impl Schedule {
    fn check(self) -> Result<()> {
        let (rates, steps) = match self {
            Schedule::Constant(rate) => (vec![rate], 1),
            Schedule::Step { initial, factor, every } => (vec![initial, factor], every),
            Schedule::Cosine { initial, last, steps } => (vec![initial, last], steps),
            Schedule::Warmup { initial, steps } => (vec![initial], steps),
            Schedule::Tensor(_) => (Vec::new(), 1),
        };
        if let Some(rate) = rates.iter().find(|r| !r.is_finite() || **r < 0.0) {
            return Err(argument("the learning rate", rate, "expected a finite number of at least 0"));
        }
        if steps == 0 {
            return Err(argument("the steps of the learning rate", steps, "expected at least 1"));
        }
        Ok(())
    }

    /// Adds the operators that compute the rate, one element.
    fn rate(self, b: &mut Builder) -> Result<Tensor> {
        let step = match self {
            Schedule::Constant(rate) => return b.number("learning_rate", rate),
            Schedule::Tensor(rate) => return Ok(rate),
            _ => b.step()?,
        };
        match self {
            Schedule::Constant(_) | Schedule::Tensor(_) => Ok(step),
            Schedule::Step { initial, factor, every } => {
                // A DivConst rounds down.
                let done = b.op(crate::ops::DivConst::new(step, every.into()))?;
                let power = b.op(Pow2::new(done, factor))?;
                b.op(MulConst::new(power, initial))
            }
            Schedule::Cosine { initial, last, steps } => {
                let t = b.op(MinConst::new(step, steps.into()))?;
                let angle = b.op(MulConst::new(t, PI / f64::from(steps)))?;
                let cos = b.op(Cos::new(angle))?;
                let part = b.op(AddConst::new(cos, 1.0))?;
                let part = b.op(MulConst::new(part, (initial - last) / 2.0))?;
                b.op(AddConst::new(part, last))
            }
            Schedule::Warmup { initial, steps } => {
                let t = b.op(AddConst::new(step, 1.0))?;
                let t = b.op(MinConst::new(t, steps.into()))?;
                b.op(MulConst::new(t, initial / f64::from(steps)))
            }
        }
    }
}

/// A variable with its gradient, and the learning rate of the step.
#[derive(Debug, Clone, Copy)]
struct Update {
    variable: Tensor,
    gradient: Tensor,
    rate: Tensor,
}

/// A rule that computes the next values of variables from their gradients. The crate's are [`Sgd`] and [`Adam`].
pub trait Optimizer {
    /// Adds the operators that compute the next value of each variable, and assigns it ([`Graph::assign`]). `gradients` has the
    /// variables with their gradients, of the same type.
    ///
    /// # Errors
    /// Returns an error if a setting is out of range, or if a variable cannot be assigned.
    fn update(&self, graph: &mut Graph, gradients: &[(Tensor, Tensor)]) -> Result<()>;
}

/// Stochastic gradient descent, as torch.optim.SGD: `w - rate * g`, with momentum `m' = momentum * m + g` in place of `g`.
///
/// ```
/// use tpulang::graph::optimizers::{Schedule, Sgd};
/// let sgd = Sgd::new(Schedule::Cosine { initial: 0.1, last: 0.0, steps: 1000 }).momentum(0.9).weight_decay(1e-4);
/// assert_eq!(sgd, sgd.clone());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Sgd {
    rate: Schedule,
    momentum: f64,
    is_nesterov: bool,
    weight_decay: f64,
}

impl Sgd {
    /// Without momentum and weight decay.
    pub fn new(rate: impl Into<Schedule>) -> Sgd {
        Sgd { rate: rate.into(), momentum: 0.0, is_nesterov: false, weight_decay: 0.0 }
    }
    /// The part of the last step that is added to the next, from 0 to 1. Default: 0.
    pub fn momentum(self, momentum: f64) -> Sgd {
        Sgd { momentum, ..self }
    }
    /// Whether the gradient is added to the momentum once more (Nesterov). Default: false.
    pub fn nesterov(self, is_nesterov: bool) -> Sgd {
        Sgd { is_nesterov, ..self }
    }
    /// The factor of the variable that is added to its gradient (L2 penalty). Default: 0.
    pub fn weight_decay(self, weight_decay: f64) -> Sgd {
        Sgd { weight_decay, ..self }
    }
}

impl Optimizer for Sgd {
    fn update(&self, graph: &mut Graph, gradients: &[(Tensor, Tensor)]) -> Result<()> {
        self.rate.check()?;
        check_part("momentum", self.momentum)?;
        check_weight("weight_decay", self.weight_decay)?;
        let mut b = Builder { graph };
        b.each(self.rate, gradients, |b, Update { variable: w, gradient, rate }| {
            let g = b.decayed(gradient, w, self.weight_decay)?;
            let mut direction = g;
            if self.momentum > 0.0 {
                let m = b.state(w, "momentum")?;
                let next = b.blend(m, self.momentum, g, 1.0)?;
                b.graph.assign(m, next)?;
                direction = if self.is_nesterov { b.blend(next, self.momentum, g, 1.0)? } else { next };
            }
            let change = b.op(Mul::new(vec![direction, rate]))?;
            b.op(Sub::new(vec![w, change]))
        })
    }
}

/// Adam and AdamW, as torch.optim.Adam and torch.optim.AdamW: the step is `rate * m / (sqrt(v) + epsilon)`, with running means `m` of
/// the gradient and `v` of its square, both corrected for their start at 0.
///
/// ```
/// use tpulang::graph::optimizers::Adam;
/// let adam_w = Adam::new(1e-3).decoupled_weight_decay(0.01);
/// assert_ne!(adam_w, Adam::new(1e-3));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Adam {
    rate: Schedule,
    betas: (f64, f64),
    epsilon: f64,
    weight_decay: f64,
    is_decoupled: bool,
}

impl Adam {
    /// With betas 0.9 and 0.999, epsilon 1e-8 and no weight decay.
    pub fn new(rate: impl Into<Schedule>) -> Adam {
        let (betas, epsilon) = ((0.9, 0.999), 1e-8);
        Adam { rate: rate.into(), betas, epsilon, weight_decay: 0.0, is_decoupled: false }
    }
    /// The parts of the running means that are kept at each step, from 0 to 1: of the gradient, and of its square.
    pub fn betas(self, first: f64, second: f64) -> Adam {
        Adam { betas: (first, second), ..self }
    }
    /// Added to the divisor.
    pub fn epsilon(self, epsilon: f64) -> Adam {
        Adam { epsilon, ..self }
    }
    /// The factor of the variable that is added to its gradient (L2 penalty).
    pub fn weight_decay(self, weight_decay: f64) -> Adam {
        Adam { weight_decay, is_decoupled: false, ..self }
    }
    /// The part of the variable, times the learning rate, that is subtracted from it (AdamW).
    pub fn decoupled_weight_decay(self, weight_decay: f64) -> Adam {
        Adam { weight_decay, is_decoupled: true, ..self }
    }
}

impl Optimizer for Adam {
    fn update(&self, graph: &mut Graph, gradients: &[(Tensor, Tensor)]) -> Result<()> {
        self.rate.check()?;
        let (first, second) = self.betas;
        check_part("the first of betas", first)?;
        check_part("the second of betas", second)?;
        check_weight("epsilon", self.epsilon)?;
        check_weight("weight_decay", self.weight_decay)?;
        let mut b = Builder { graph };
        // The means start at 0; divided by these, they do not.
        let corrections = [b.correction("first_correction", first)?, b.correction("second_correction", second)?];
        b.each(self.rate, gradients, |b, Update { variable: w, gradient, rate }| {
            let g = if self.is_decoupled { gradient } else { b.decayed(gradient, w, self.weight_decay)? };
            let square = b.op(Mul::new(vec![g, g]))?;
            let (m, v) = (b.mean(w, "first_moment", first, g)?, b.mean(w, "second_moment", second, square)?);
            let m = b.op(Div::new(vec![m, corrections[0]]))?;
            let v = b.op(Div::new(vec![v, corrections[1]]))?;
            let root = b.op(Sqrt::new(v))?;
            let divisor = b.op(AddConst::new(root, self.epsilon))?;
            let step = b.op(Div::new(vec![m, divisor]))?;
            let change = b.op(Mul::new(vec![step, rate]))?;
            let mut kept = w;
            if self.is_decoupled && self.weight_decay > 0.0 {
                let decay = b.op(MulConst::new(rate, self.weight_decay))?;
                let factor = b.op(SubConst { is_reverse: true, ..SubConst::new(decay, 1.0) })?;
                kept = b.op(Mul::new(vec![w, factor]))?;
            }
            b.op(Sub::new(vec![kept, change]))
        })
    }
}

fn check_part(name: &str, value: f64) -> Result<()> {
    let fits = (0.0..1.0).contains(&value);
    if fits { Ok(()) } else { Err(argument(name, value, "expected a number from 0 to 1, without 1")) }
}

fn check_weight(name: &str, value: f64) -> Result<()> {
    let fits = value.is_finite() && value >= 0.0;
    if fits { Ok(()) } else { Err(argument(name, value, "expected a finite number of at least 0")) }
}

/// Adds operators.
struct Builder<'g> {
    graph: &'g mut Graph,
}

impl Builder<'_> {
    fn op(&mut self, op: impl Into<Op<Tensor>>) -> Result<Tensor> {
        self.graph.op(op).call().map(|made| made[0])
    }
    /// Adds a coefficient of one element.
    fn number(&mut self, stem: &str, value: f64) -> Result<Tensor> {
        let name = self.graph.free_name(stem);
        self.graph.coefficient(&name, Array::from([value as f32]))
    }
    /// Adds a variable that counts completed steps.
    fn step(&mut self) -> Result<Tensor> {
        let step = self.number("step", 0.0)?;
        let after = self.op(AddConst::new(step, 1.0))?;
        self.graph.assign(step, after)?;
        Ok(step)
    }
    /// Adds zeros of a variable's type, named after it.
    fn state(&mut self, variable: Tensor, suffix: &str) -> Result<Tensor> {
        let info = self.graph.tensor(variable)?;
        let (dtype, shape, name) = (info.dtype, info.shape.clone(), format!("{}_{suffix}", info.name));
        let zeros = Array::filled(dtype, shape, 0.0)?;
        self.graph.in_root_scope(|g| {
            let name = if g.by_name.contains_key(&name) { g.free_name(&name) } else { name };
            g.coefficient(&name, zeros)
        })
    }
    /// `kept * a + added * b`
    fn blend(&mut self, a: Tensor, kept: f64, b: Tensor, added: f64) -> Result<Tensor> {
        let a = self.op(MulConst::new(a, kept))?;
        let b = if added == 1.0 { b } else { self.op(MulConst::new(b, added))? };
        self.op(Add::new(vec![a, b]))
    }
    /// Adds a running mean of `value`, and returns its next value.
    fn mean(&mut self, variable: Tensor, suffix: &str, kept: f64, value: Tensor) -> Result<Tensor> {
        let mean = self.state(variable, suffix)?;
        let next = self.blend(mean, kept, value, 1.0 - kept)?;
        self.graph.assign(mean, next)?;
        Ok(next)
    }
    /// The running mean of ones, `1 - beta^steps`.
    fn correction(&mut self, stem: &str, beta: f64) -> Result<Tensor> {
        let sum = self.number(stem, 0.0)?;
        let part = self.op(MulConst::new(sum, beta))?;
        let next = self.op(AddConst::new(part, 1.0 - beta))?;
        self.graph.assign(sum, next)?;
        Ok(next)
    }
    /// Adds `factor * variable` to a gradient.
    fn decayed(&mut self, gradient: Tensor, variable: Tensor, factor: f64) -> Result<Tensor> {
        if factor == 0.0 { Ok(gradient) } else { self.blend(variable, factor, gradient, 1.0) }
    }
    /// Assigns each variable what `next` computes.
    fn each(
        &mut self,
        schedule: Schedule,
        gradients: &[(Tensor, Tensor)],
        mut next: impl FnMut(&mut Self, Update) -> Result<Tensor>,
    ) -> Result<()> {
        let rate = schedule.rate(self)?;
        for &(variable, gradient) in gradients {
            let value = next(self, Update { variable, gradient, rate })?;
            // The learning rate has an axis, which a scalar has not.
            let shape = self.graph.tensor(variable)?.shape.clone();
            let is_scalar = shape.is_empty() && self.graph.tensor(value)?.shape != shape;
            let value =
                if is_scalar { self.op(Reshape { shape: Some(vec![]), ..Reshape::new(value) })? } else { value };
            self.graph.assign(variable, value)?;
        }
        Ok(())
    }
}

impl Graph {
    /// Adds a training step: the gradients of `loss` with respect to the variables, and their next values by `optimizer`. Every run
    /// of a session does a step; `fetch` does none. Returns the gradients.
    ///
    /// Variables are float coefficients. The sum of the loss's elements is minimized if it has several, and a warning says so.
    ///
    /// # Errors
    /// Same as for [`Graph::gradients`] and [`Graph::assign`]; also if there are no variables, or if a setting of the optimizer is out
    /// of range. The graph is then unchanged.
    ///
    /// ```
    /// use tpulang::{Array, Dtype, Graph, graph::optimizers::Adam};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [8, 4])?;
    /// let w = g.coefficient("w", Array::filled(Dtype::Float32, [4, 1], 0.5)?)?;
    /// let y = g.matmul(x, w).call()?;
    /// let squares = g.mul(y, y).call()?;
    /// let loss = g.reduce(squares).axes([0, 1]).call()?;
    /// g.minimize(loss, &[w], &Adam::new(1e-3))?;
    /// // The variable, its two moments, and the two corrections of these.
    /// assert_eq!(g.updates().len(), 5);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn minimize(&mut self, loss: Tensor, variables: &[Tensor], optimizer: &dyn Optimizer) -> Result<Vec<Tensor>> {
        if variables.is_empty() {
            return Err(argument("variables", "empty", "expected at least one coefficient to train"));
        }
        for &t in variables {
            let info = self.tensor(t)?;
            if !info.is_coefficient() || !info.dtype.is_float() {
                let found = format!("{:?}, {}", info.name, info.type_text());
                return Err(argument("variables", found, "expected coefficients that are floats"));
            }
        }
        let info = self.tensor(loss)?;
        let found = (info.elements() > 1).then(|| format!("{:?}, {}", info.name, info.type_text()));
        self.atomic(|g| {
            let gradients = g.gradients(&[loss], variables)?;
            let pairs: Vec<_> = variables.iter().copied().zip(gradients.iter().copied()).collect();
            optimizer.update(g, &pairs)?;
            if let Some(found) = found {
                let usual =
                    "the sum of its elements is minimized; a loss usually has one, such as their mean".to_owned();
                g.warn(Warning::new(WarningKind::UnusualArgument { argument: "loss".to_owned(), found, usual }));
            }
            Ok(gradients)
        })
    }
}
