//! What patterns ask about a graph, and how they change it.
use crate::{
    Graph, Tensor,
    array::Array,
    base::{Dtype, Result},
    ops::{Op, ReduceMode},
    quant::Quantization,
};
use std::collections::HashMap;

/// A graph whose operators are being replaced.
pub struct Rewriter<'g> {
    graph: &'g mut Graph,
    /// The op that computes each tensor, and which of its results it is. Ops that own blocks are left out.
    ops: HashMap<Tensor, (Op<Tensor>, usize)>,
    /// How often each tensor is read, also by operators that were replaced since.
    uses: HashMap<Tensor, usize>,
}

impl<'g> Rewriter<'g> {
    /// Reads the operators of a graph.
    pub fn new(graph: &'g mut Graph) -> Rewriter<'g> {
        let (mut ops, mut uses) = (HashMap::new(), HashMap::new());
        graph.outputs().iter().for_each(|t| *uses.entry(*t).or_default() += 1);
        graph.body().walk(&mut |operator| {
            operator.op.operands().for_each(|(_, t)| *uses.entry(*t).or_default() += 1);
            let yielded = operator.blocks.iter().flat_map(|block| block.results());
            yielded.for_each(|t| *uses.entry(*t).or_default() += 1);
            if operator.blocks.is_empty() {
                ops.extend(
                    operator
                        .results
                        .iter()
                        .enumerate()
                        .filter_map(|(i, t)| Some((*(t.as_ref()?), (operator.op.clone(), i)))),
                );
            }
        });
        Rewriter { graph, ops, uses }
    }

    /// Returns the results of operators, in order.
    pub fn results(&self) -> Vec<Tensor> {
        let mut all: Vec<Tensor> = self.ops.keys().copied().collect();
        all.sort_unstable();
        all
    }

    /// Replaces the operator that computes `result`.
    ///
    /// # Errors
    /// Returns an error if the new one's result has another type.
    pub fn replace(&mut self, result: Tensor, op: Op<Tensor>) -> Result<()> {
        self.graph.replace_operator(result, op.clone())?;
        self.ops.insert(result, (op, 0));
        Ok(())
    }
    /// Returns whether some op owns blocks.
    pub fn has_blocks(&self) -> bool {
        self.graph.operators().iter().any(|operator| !operator.blocks.is_empty())
    }
    /// Returns whether the tensor is an output of the graph.
    pub fn is_output(&self, t: Tensor) -> bool {
        self.graph.outputs().contains(&t)
    }
    /// Adds a coefficient, with another name if this one is taken.
    pub fn coefficient(&mut self, name: &str, array: Array) -> Result<Tensor> {
        let name = match self.graph.lookup(name) {
            None => name.to_owned(),
            Some(_) => self.graph.free_name(name),
        };
        self.graph.coefficient(&name, array)
    }
    /// Sets scale and zero point of a tensor.
    pub fn quantize(&mut self, t: Tensor, quantization: &Quantization) -> Result<()> {
        self.graph.quantize(t, quantization)
    }
    /// Returns the name of a tensor.
    pub fn name(&self, t: Tensor) -> &str {
        self.graph.tensor(t).map_or("", |info| &info.name)
    }
    /// Returns the dtype of a tensor.
    pub fn dtype(&self, t: Tensor) -> Option<Dtype> {
        self.graph.tensor(t).ok().map(|info| info.dtype)
    }

    /// Returns the op that computes the tensor as its first result.
    pub fn op(&self, t: Tensor) -> Option<&Op<Tensor>> {
        self.result_of(t).filter(|(_, index)| *index == 0).map(|(op, _)| op)
    }
    /// Returns the op that computes the tensor, and which of its results it is.
    pub fn result_of(&self, t: Tensor) -> Option<(&Op<Tensor>, usize)> {
        self.ops.get(&t).map(|(op, index)| (op, *index))
    }
    /// Returns the shape of a tensor.
    pub fn shape(&self, t: Tensor) -> &[usize] {
        self.graph.tensor(t).map_or(&[], |info| &info.shape)
    }
    /// Returns how many elements a tensor has.
    pub fn elements(&self, t: Tensor) -> usize {
        self.shape(t).iter().product()
    }
    /// Returns how many axes a tensor has.
    pub fn rank(&self, t: Tensor) -> usize {
        self.shape(t).len()
    }
    /// Returns whether a tensor is of floats.
    pub fn is_float(&self, t: Tensor) -> bool {
        self.graph.tensor(t).is_ok_and(|info| info.dtype.is_float())
    }
    /// Returns whether a tensor is constant.
    pub fn is_coefficient(&self, t: Tensor) -> bool {
        self.graph.tensor(t).is_ok_and(|info| info.is_coefficient())
    }
    /// Returns the elements of a coefficient.
    pub fn data(&self, t: Tensor) -> Option<Vec<f64>> {
        let info = self.graph.tensor(t).ok()?;
        info.data()?.to_f64().ok()
    }
    /// Passes the elements of a coefficient to `to`. Returns whether they are known.
    pub fn each(&self, t: Tensor, to: impl FnMut(f64)) -> bool {
        let data = self.graph.tensor(t).ok().and_then(|info| info.data());
        data.is_some_and(|array| array.each_f64(to).is_ok())
    }
    /// Returns whether all elements of a coefficient equal a number.
    pub fn is_filled_with(&self, t: Tensor, number: f64) -> bool {
        let mut are_equal = true;
        self.each(t, |v| are_equal &= v == number) && are_equal
    }
    /// Returns whether the tensor is read once.
    pub fn is_read_once(&self, t: Tensor) -> bool {
        self.uses.get(&t) == Some(&1)
    }
    /// Returns whether `axis`, which may count from the end, is the last of a tensor.
    pub fn is_last_axis(&self, t: Tensor, axis: i64) -> bool {
        let rank = self.rank(t).max(1) as i64;
        axis.rem_euclid(rank) == rank - 1
    }
    /// Returns whether a constant is that of a formula, as precisely as the dtype of `t` can store it.
    pub fn is_near(&self, t: Tensor, found: f64, expected: f64) -> bool {
        let is_whole = self.graph.tensor(t).is_ok_and(|info| info.dtype.size() >= 4);
        (found - expected).abs() <= expected.abs() * if is_whole { 1e-5 } else { 4e-3 }
    }

    /// Returns a coefficient in another shape.
    pub fn reshaped(&mut self, coefficient: Tensor, shape: &[usize]) -> Result<Option<Tensor>> {
        let info = self.graph.tensor(coefficient)?;
        if info.shape == shape {
            return Ok(Some(coefficient));
        }
        let Some(array) = info.data().cloned() else { return Ok(None) };
        let name = info.name.clone();
        self.coefficient(&name, array.reshaped(shape)?).map(Some)
    }

    /// Returns both orders of the operands of a sum of two.
    pub fn summands(&self, t: Tensor) -> Option<[(Tensor, Tensor); 2]> {
        match self.op(t)? {
            Op::Add(op) => both_orders(&op.inputs),
            _ => None,
        }
    }
    /// Returns both orders of the operands of a product of two.
    pub fn factors(&self, t: Tensor) -> Option<[(Tensor, Tensor); 2]> {
        match self.op(t)? {
            Op::Mul(op) => both_orders(&op.inputs),
            _ => None,
        }
    }
    /// Returns the operand and the axes of a mean that keeps its axes.
    pub fn mean(&self, t: Tensor) -> Option<(Tensor, Vec<usize>)> {
        let Op::Reduce(op) = self.op(t)? else { return None };
        let rank = self.rank(op.input);
        if op.mode != ReduceMode::ReduceMean || self.rank(t) != rank {
            return None;
        }
        let mut axes: Vec<usize> = op.axes.iter().map(|a| a.rem_euclid(rank.max(1) as i64) as usize).collect();
        axes.sort_unstable();
        Some((op.input, axes))
    }
    /// Returns `x` if the tensor is `x * x`.
    pub fn square_root_of(&self, t: Tensor) -> Option<Tensor> {
        match self.op(t)? {
            Op::Mul(op) if op.inputs.len() == 2 && op.inputs[0] == op.inputs[1] => Some(op.inputs[0]),
            Op::Pow(op) if op.exponent == 2.0 => Some(op.input),
            _ => None,
        }
    }
}

fn both_orders(pair: &[Tensor]) -> Option<[(Tensor, Tensor); 2]> {
    match *pair {
        [a, b] => Some([(a, b), (b, a)]),
        _ => None,
    }
}
