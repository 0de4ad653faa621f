//! The pass over the operators, last to first, that carries gradients from results to operands.
use super::{Derivative, rules};
use crate::{
    Graph, Operator, Tensor,
    base::{Dtype, Error, Result, Warning, WarningKind, argument, misfit, pluralized, shape_text},
    emit::Emit,
    ops::Op,
};
use std::collections::{HashMap, HashSet};

/// A rule of [`Graph::gradients_with`].
pub(super) type Rule<'r> = dyn FnMut(&mut Graph, &Operator, &[Option<Tensor>]) -> Result<Derivative> + 'r;

/// An operator's result and its gradient.
#[derive(Debug, Clone, Copy)]
pub(super) struct Output {
    /// The result.
    pub y: Tensor,
    /// The gradient of the result.
    pub dy: Tensor,
}

pub(super) struct Backward<'g, 'r> {
    pub graph: &'g mut Graph,
    /// The index of the first new tensor.
    first: usize,
    /// The tensors that need a gradient: those asked for, and those computed from them.
    active: HashSet<Tensor>,
    /// The gradient of each tensor, the sum of what its readers gave so far.
    gradients: HashMap<Tensor, Tensor>,
    /// For each tensor with a gradient, the result of the operator that gave the first part.
    given_by: HashMap<Tensor, Tensor>,
    /// A result of the operator that is being differentiated.
    current: Option<Tensor>,
    /// Number of operators made by unrolling loops.
    pub unrolled: u64,
    /// Whether integers pass gradients.
    is_straight_through: bool,
    rule: Option<&'r mut Rule<'r>>,
}

impl<'g, 'r> Backward<'g, 'r> {
    pub fn new(graph: &'g mut Graph, with_respect_to: &[Tensor], rule: &'r mut Rule<'r>) -> Self {
        Backward {
            active: with_respect_to.iter().copied().collect(),
            gradients: HashMap::new(),
            given_by: HashMap::new(),
            current: None,
            unrolled: 0,
            is_straight_through: false,
            first: graph.tensors.len(),
            graph,
            rule: Some(rule),
        }
    }

    /// Marks the results of operators that use an active tensor.
    pub fn activate(&mut self, operators: &[Operator]) {
        for operator in operators {
            if operator.uses_any(&self.active) {
                self.active.extend(operator.outputs());
            }
        }
    }

    /// Gives a tensor a gradient of ones.
    pub fn seed(&mut self, t: Tensor) -> Result<()> {
        if self.wants(t) {
            let (shape, dtype) = (self.shape(t)?, self.dtype(t)?);
            let ones = self.filled(1.0, dtype, &shape)?;
            self.give(t, ones)?;
        }
        Ok(())
    }

    /// Whether the gradient of a tensor is needed.
    pub fn wants(&self, t: Tensor) -> bool {
        self.active.contains(&t)
    }
    /// Whether the gradient of one of these operands is needed; absent ones need none.
    pub fn wants_any(&self, tensors: impl IntoIterator<Item = Option<Tensor>>) -> bool {
        tensors.into_iter().flatten().any(|t| self.wants(t))
    }
    /// Returns the gradient of a tensor so far; `None` is zero.
    pub fn gradient(&self, t: Tensor) -> Option<Tensor> {
        self.gradients.get(&t).copied()
    }

    /// The dtype of a tensor's gradient: its own, or float32 for integers.
    pub fn gradient_dtype(&self, t: Tensor) -> Result<Dtype> {
        let dtype = self.dtype(t)?;
        Ok(if dtype.is_float() { dtype } else { Dtype::Float32 })
    }
    /// Returns a result of an operator with its gradient, if it has one.
    pub fn output(&self, operator: &Operator, i: usize) -> Option<Output> {
        let y = operator.results.get(i).copied().flatten()?;
        self.is_differentiable(y).then(|| self.gradient(y).map(|dy| Output { y, dy })).flatten()
    }
    /// Returns the results of an operator with their gradients.
    pub fn outputs(&self, operator: &Operator) -> Vec<Option<Output>> {
        (0..operator.results.len()).map(|i| self.output(operator, i)).collect()
    }
    /// Whether gradients pass through a tensor of its dtype.
    fn is_differentiable(&self, t: Tensor) -> bool {
        self.is_straight_through || self.graph.tensor(t).is_ok_and(|info| info.dtype.is_float())
    }
    /// Takes the gradients away, for those of a block.
    pub fn take_gradients(&mut self) -> HashMap<Tensor, Tensor> {
        std::mem::take(&mut self.gradients)
    }
    pub fn restore_gradients(&mut self, gradients: HashMap<Tensor, Tensor>) {
        self.gradients = gradients;
    }

    /// Adds to the gradient of a tensor, unless it is not needed. Axes along which the tensor was broadcast are summed, and the
    /// tensor's dtype is restored.
    pub fn give(&mut self, to: Tensor, gradient: Tensor) -> Result<()> {
        if !self.wants(to) || !self.is_differentiable(to) {
            return Ok(());
        }
        let shape = self.shape(to)?;
        let gradient = self.sum_to(gradient, &shape)?;
        let gradient = self.as_dtype(gradient, self.gradient_dtype(to)?)?;
        let sum = match self.gradients.get(&to) {
            Some(&other) => self.add(other, gradient)?,
            None => gradient,
        };
        self.gradients.insert(to, sum);
        if let Some(current) = self.current {
            self.given_by.entry(to).or_insert(current);
        }
        Ok(())
    }

    /// Differentiates the operators, which are in order of execution.
    pub fn propagate(&mut self, operators: &[Operator]) -> Result<()> {
        for operator in operators.iter().rev() {
            let gradients: Vec<_> = operator.outputs().map(|t| self.gradient(t)).collect();
            if gradients.iter().any(Option::is_some) && operator.uses_any(&self.active) {
                let outer = std::mem::replace(&mut self.current, operator.outputs().next());
                self.differentiate(operator, &gradients)?;
                self.current = outer;
            }
        }
        Ok(())
    }

    fn differentiate(&mut self, operator: &Operator, gradients: &[Option<Tensor>]) -> Result<()> {
        let derivative = match &mut self.rule {
            Some(rule) => rule(self.graph, operator, gradients)?,
            None => Derivative::Default,
        };
        match derivative {
            Derivative::Stop => Ok(()),
            Derivative::Operands(given) => self.give_operands(operator, &given),
            Derivative::Default => rules::differentiate(self, operator),
            Derivative::StraightThrough => {
                let outer = std::mem::replace(&mut self.is_straight_through, true);
                let done = match rounded(&operator.op) {
                    Some(x) => gradients.first().copied().flatten().map_or(Ok(()), |dy| self.give(x, dy)),
                    None => rules::differentiate(self, operator),
                };
                self.is_straight_through = outer;
                done
            }
        }
    }

    /// Gives the operands the gradients that a rule returned.
    fn give_operands(&mut self, operator: &Operator, given: &[Option<Tensor>]) -> Result<()> {
        let operands: Vec<Tensor> = operator.op.operands().map(|(_, t)| *t).collect();
        if operands.len() != given.len() {
            let expected = pluralized(operands.len(), "operand");
            let problem = format!("returns {}; {} has {expected}", given.len(), self.label(operator));
            return Err(misfit("the rule", problem));
        }
        for (operand, gradient) in operands.into_iter().zip(given) {
            let Some(gradient) = *gradient else { continue };
            let (operand_shape, shape) = (self.shape(operand)?, self.shape(gradient)?);
            if !broadcasts_to(&operand_shape, &shape) {
                let info = self.graph.tensor(operand)?;
                let problem = format!(
                    "has one of {} for the operand {:?} of {}; expected {}",
                    shape_text(&shape),
                    info.name,
                    self.label(operator),
                    shape_text(&operand_shape)
                );
                return Err(misfit("the rule's gradients", problem));
            }
            self.give(operand, gradient)?;
        }
        Ok(())
    }

    /// Adds a simpler form of an operator, built by `build`, which returns counterparts of the operator's results, and
    /// differentiates that.
    pub fn expand(
        &mut self,
        outputs: &[Option<Output>],
        build: impl FnOnce(&mut Self) -> Result<Vec<Tensor>>,
    ) -> Result<()> {
        let first = self.graph.operators_made();
        let results = build(self)?;
        let operators = self.graph.current().operators[first..].to_vec();
        self.activate(&operators);
        for (result, output) in results.into_iter().zip(outputs) {
            if let Some(output) = output {
                self.give(result, output.dy)?;
            }
        }
        let rule = self.rule.take();
        let done = self.propagate(&operators);
        self.rule = rule;
        done
    }

    /// Returns the error for an operator without a gradient.
    pub fn refuse(&self, operator: &Operator, why: &str) -> Error {
        let mut path = Vec::new();
        let mut at = operator.outputs().find(|t| self.gradients.contains_key(t));
        while let Some(t) = at {
            path.push(self.graph.tensor(t).map_or_else(|_| "?".to_owned(), |info| format!("{:?}", info.name)));
            at = self.given_by.get(&t).copied().filter(|next| *next != t && path.len() < 1000);
        }
        path.reverse();
        if path.len() > 9 {
            path.splice(4..path.len() - 4, ["..".to_owned()]);
        }
        let expected =
            format!("{why}. It is on the path {}; a rule of `gradients_with` can supply it", path.join(" <- "));
        argument("the gradient", format!("of {}", self.label(operator)), expected)
    }
    fn label(&self, operator: &Operator) -> String {
        let name = operator.outputs().next().and_then(|t| self.graph.tensor(t).ok());
        name.map_or_else(|| operator.op.name().to_owned(), |info| format!("{} {:?}", operator.op.name(), info.name))
    }

    /// Returns the gradients of the tensors, each a tensor of its own that an operator computes.
    pub fn finish(&mut self, with_respect_to: &[Tensor]) -> Result<Vec<Tensor>> {
        let mut taken: HashSet<Tensor> = self.active.clone();
        let mut finished = Vec::new();
        for &t in with_respect_to {
            let gradient = match self.gradient(t) {
                Some(gradient) => gradient,
                None => self.zero_with_warning(t)?,
            };
            // A gradient may be another one as well, a tensor that was there before, or one that is not computed.
            let is_new = gradient.index() >= self.first && !taken.contains(&gradient);
            let gradient = if !is_new || !self.is_computed(gradient)? {
                self.op(crate::ops::AddConst::new(gradient, 0.0))?
            } else {
                gradient
            };
            taken.insert(gradient);
            self.graph.name_gradient(gradient, t)?;
            finished.push(gradient);
        }
        Ok(finished)
    }

    fn zero_with_warning(&mut self, t: Tensor) -> Result<Tensor> {
        let info = self.graph.tensor(t)?;
        let (tensor, shape) = (info.name.clone(), info.shape.clone());
        self.graph.warnings.push(Warning::new(WarningKind::ZeroGradient { tensor }));
        self.filled(0.0, self.gradient_dtype(t)?, &shape)
    }
}

/// Returns whether a shape broadcasts to another, which may have more axes.
fn broadcasts_to(from: &[usize], to: &[usize]) -> bool {
    from.len() <= to.len() && from.iter().rev().zip(to.iter().rev()).all(|(a, b)| a == b || *a == 1)
}

/// Returns the operand of an op that only rounds or converts numbers.
fn rounded(op: &Op<Tensor>) -> Option<Tensor> {
    match op {
        Op::Cast(op) => Some(op.input),
        Op::Ceil(op) => Some(op.input),
        Op::DequantInt(op) => Some(op.input),
        Op::DequantizeLinear(op) => Some(op.input),
        Op::DtypeCast(op) => Some(op.input),
        Op::Floor(op) => Some(op.input),
        Op::QuantizeLinear(op) => Some(op.input),
        Op::RequantFp(op) => Some(op.input),
        Op::RequantInt(op) => Some(op.input),
        Op::Round(op) => Some(op.input),
        _ => None,
    }
}
