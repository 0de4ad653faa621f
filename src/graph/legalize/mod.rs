//! Operators that the chips of TPU-MLIR 1.30 lack or compute wrongly, replaced by others.
mod casts;
mod divisions;
mod masks;
mod reductions;
mod triangles;

use super::{Graph, Operator, Tensor, TensorInfo, TensorKind, scope::Scope};
use crate::{
    array::Array,
    base::{Dtype, Result, Shape},
    ops::Op,
};
use divisions::Division;
use masks::Constants;
use std::collections::{HashMap, HashSet};

/// What takes the place of an operator.
enum Substitute {
    Division(Division),
    /// The axes of reductions that follow each other, the last axes first.
    Reductions(Vec<Vec<i64>>),
    /// A truncation before the conversion to integers.
    Truncation,
    /// The softmax of another shape.
    ReshapedSoftmax,
    /// A selection by a constant condition.
    Triangle,
    /// The product in the other order.
    ExchangedFactors,
    /// Nothing: the only operator that reads its result is replaced by one that does not.
    Nothing,
}

impl Graph {
    /// Returns the graph with the operators replaced that the chips of TPU-MLIR 1.30 lack or compute wrongly. Operators in branches and
    /// loops stay. Handles and names of other tensors stay valid.
    ///
    /// - Quotients and remainders of int32 by positive constants are computed in float32. `floor((x + 0.5) / c)` is the quotient rounded
    ///   down; the summand keeps it so whatever the rounding errors, as long as `x` and `c` are below 2^21.
    /// - Floats are truncated before they are converted to int32 with rounding towards 0, since the tool chain omits conversions to integers
    ///   and back.
    /// - Reductions of floats over axes that are not adjacent become several, one after the other.
    /// - Triangles of matrices of floats are selected by a constant condition.
    /// - The softmax of scores is computed in another shape, between Reshapes, if they are masked by a constant condition that is
    ///   broadcast, or if a mask is added that differs by head. Otherwise chips would use wrong masks, the latter in 16-bit floats only.
    /// - Constant factors that differ by head become the first operand of their product: chips would mix up the axes of the second.
    ///
    /// ```
    /// use tpulang::{Array, Dtype, Graph, ops};
    /// let mut g = Graph::new("net")?;
    /// let place = g.input("place", Dtype::Int32, [4])?;
    /// let classes = g.coefficient("classes", Array::from([80i32]))?;
    /// let class = g.op(ops::Remainder::new(vec![place, classes])).out_dtypes([Dtype::Int32]).out_name("class").call()?;
    /// g.set_outputs(&class)?;
    /// let legal = g.legalized()?;
    /// assert!(legal.operators().iter().all(|operator| operator.op.name() != "Remainder"));
    /// assert_eq!(legal.outputs(), class);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if a divisor cannot be read from its file, or a name becomes too long.
    pub fn legalized(&self) -> Result<Graph> {
        let substitutes = self.substitutes()?;
        if substitutes.is_empty() {
            return Ok(self.clone());
        }
        let mut graph = self.clone();
        graph.scope = Scope::default();
        let mut body = std::mem::take(&mut graph.body);
        let is_replaced = |operator: &Operator| operator.outputs().any(|t| substitutes.contains_key(&t));
        body.replace_where(&is_replaced, &mut |operator| {
            let result = operator.outputs().next();
            let Some((result, substitute)) = result.and_then(|t| Some((t, substitutes.get(&t)?))) else {
                return Ok(vec![operator]);
            };
            let name = graph.tensor(result)?.name.clone();
            let mut replacement = Replacement { graph: &mut graph, result, name, operators: Vec::new() };
            match substitute {
                Substitute::Division(division) => replacement.divide(division)?,
                Substitute::Reductions(all) => replacement.reduce(&operator.op, all)?,
                Substitute::Truncation => replacement.truncate(operator)?,
                Substitute::ReshapedSoftmax => replacement.reshape_softmax(operator)?,
                Substitute::Triangle => replacement.select_triangle(operator)?,
                Substitute::ExchangedFactors => replacement.exchange_factors(operator),
                Substitute::Nothing => replacement.graph.forget(result),
            }
            Ok(replacement.operators)
        })?;
        graph.body = body;
        graph.calls = graph.calls.max(graph.body.calls.len());
        // Divisors have become attributes and reciprocals.
        let [before, after] = [self, &graph].map(Graph::read_coefficients);
        before.difference(&after).for_each(|t| graph.forget(*t));
        Ok(graph)
    }

    /// Returns the coefficients that operators or updates read, or that are outputs.
    fn read_coefficients(&self) -> HashSet<Tensor> {
        let mut read: HashSet<Tensor> = self.outputs().iter().copied().collect();
        read.extend(self.updates().iter().flat_map(|(variable, next)| [*variable, *next]));
        self.body().walk(&mut |operator| read.extend(operator.uses()));
        read.retain(|t| self.tensor(*t).is_ok_and(|info| info.is_coefficient()));
        read
    }

    /// Returns what replaces operators, by their results.
    fn substitutes(&self) -> Result<HashMap<Tensor, Substitute>> {
        let made_by: HashMap<Tensor, &Op<Tensor>> =
            self.operators().iter().flat_map(|o| o.outputs().map(|t| (t, &o.op))).collect();
        let mut substitutes: HashMap<Tensor, Substitute> = HashMap::new();
        let mut readers: HashMap<Tensor, usize> = HashMap::new();
        let kept = self.outputs().iter().copied().chain(self.updates().iter().map(|(_, next)| *next));
        for t in self.operators().iter().flat_map(Operator::uses).chain(kept) {
            *readers.entry(t).or_default() += 1;
        }
        let is_read_once = |t: &Tensor| readers.get(t) == Some(&1);
        let mut constants = Constants::default();
        for operator in self.operators() {
            let Some(result) = operator.outputs().next() else { continue };
            constants.add(operator, self);
            let is_integer = self.is_plain(result, Dtype::Int32);
            let substitute = match &operator.op {
                Op::Mod(_) | Op::Remainder(_) if is_integer => self.remainder(&operator.op)?.map(Substitute::Division),
                Op::Div(_) if is_integer => self.quotient(&operator.op, &made_by)?.map(|(quotient, whole, rest)| {
                    let unread = [whole, rest].into_iter().take_while(is_read_once);
                    substitutes.extend(unread.map(|t| (t, Substitute::Nothing)));
                    Substitute::Division(quotient)
                }),
                Op::Cast(cast) => self.truncates(cast, result, &made_by).then_some(Substitute::Truncation),
                Op::Reduce(reduction) => self.reductions(reduction)?.map(Substitute::Reductions),
                Op::Softmax(softmax) => {
                    self.is_misread(softmax, &made_by, &constants)?.then_some(Substitute::ReshapedSoftmax)
                }
                Op::Trilu(triangle) => self.is_computed(triangle, &constants).then_some(Substitute::Triangle),
                Op::Mul(product) => {
                    self.has_factors_of_heads(product, &constants)?.then_some(Substitute::ExchangedFactors)
                }
                _ => None,
            };
            substitutes.extend(substitute.map(|substitute| (result, substitute)));
        }
        Ok(substitutes)
    }

    /// Whether a tensor is of a dtype and not quantized.
    fn is_plain(&self, tensor: Tensor, dtype: Dtype) -> bool {
        self.tensor(tensor).is_ok_and(|info| info.dtype == dtype && info.quantization.is_none())
    }
}

/// The operators that replace one.
struct Replacement<'g> {
    graph: &'g mut Graph,
    /// The result of the replaced operator.
    result: Tensor,
    name: String,
    operators: Vec<Operator>,
}

impl Replacement<'_> {
    /// Adds the operator that computes the result.
    fn finish(&mut self, op: impl Into<Op<Tensor>>) {
        self.push(op.into(), self.result);
    }

    fn push(&mut self, op: Op<Tensor>, result: Tensor) {
        self.operators.push(Operator { op, results: vec![Some(result)], blocks: Vec::new(), is_edited: false });
    }

    /// Adds an operator that computes a tensor of float32, which is named after the result.
    fn add(&mut self, what: &str, op: impl Into<Op<Tensor>>, shape: &Shape) -> Result<Tensor> {
        let name = self.graph.freed(format!("{}/{what}", self.name));
        let tensor = self.graph.add_tensor(Some(&name), Dtype::Float32, shape.clone(), TensorKind::Value)?;
        self.push(op.into(), tensor);
        Ok(tensor)
    }

    /// Adds a constant of float32, which is named after the result.
    fn constant(&mut self, what: &str, data: Array) -> Result<Tensor> {
        let (name, shape) = (self.graph.freed(format!("{}/{what}", self.name)), data.shape().into());
        self.graph.add_tensor(Some(&name), Dtype::Float32, shape, TensorKind::Coefficient(Some(data)))
    }
}
