//! The softmax and other masks of scores, which TPU-MLIR 1.30 compiles wrongly in some forms.
use super::{Graph, Operator, Replacement, Tensor, TensorInfo, TensorKind};
use crate::{
    base::{Dtype, Result, Shape},
    emit::ints,
    ops::{Mul, Op, Reshape, Softmax},
};
use std::collections::{HashMap, HashSet};

/// The largest rank to which axes are added: TPU-MLIR 1.30 has operators of up to eight axes.
const LARGEST_RANK: usize = 6;

/// The results of operators that read constants only, which the tool chain computes.
#[derive(Default)]
pub(super) struct Constants(HashSet<Tensor>);

impl Constants {
    /// Adds an operator's results if it reads constants only. Operators are added in their order.
    pub(super) fn add(&mut self, operator: &Operator, graph: &Graph) {
        let operands = operator.uses();
        if !operands.is_empty() && operands.into_iter().all(|t| self.contains(t, graph)) {
            self.0.extend(operator.outputs());
        }
    }

    /// Whether a tensor is a coefficient that does not change, or follows from such coefficients.
    pub(super) fn contains(&self, tensor: Tensor, graph: &Graph) -> bool {
        let is_weight = |t| matches!(graph.tensor(t).map(|info| &info.kind), Ok(TensorKind::Coefficient(_)));
        self.0.contains(&tensor) || is_weight(tensor) && !graph.is_variable(tensor)
    }
}

impl Graph {
    /// Whether a softmax is of scores of float32 in a form that the tool chain compiles wrongly.
    pub(super) fn is_misread(
        &self,
        softmax: &Softmax<Tensor>,
        made_by: &HashMap<Tensor, &Op<Tensor>>,
        constants: &Constants,
    ) -> Result<bool> {
        let scores = self.tensor(softmax.input)?;
        if !self.is_plain(softmax.input, Dtype::Float32) || scores.shape.len() > LARGEST_RANK {
            return Ok(false);
        }
        let is_broadcast_constant =
            |condition| Ok(self.is_broadcast(condition, scores)? && constants.contains(condition, self));
        match made_by.get(&softmax.input) {
            Some(Op::Where(op)) => is_broadcast_constant(op.cond),
            Some(Op::MaskedFill(op)) => is_broadcast_constant(op.cond),
            // A constant condition will select it.
            Some(Op::Trilu(op)) => Ok(scores.shape.len() > 2 && self.is_computed(op, constants)),
            Some(Op::Add(op)) if matches!(softmax.axis, -1 | 3) => self.has_mask_of_heads(&op.inputs, scores),
            _ => Ok(false),
        }
    }

    /// Whether a product is of scores and constants that differ by head, such as the decays of retention. Between products of heads,
    /// TPU-MLIR 1.30 exchanges the axes of all operands but a constant second one.
    pub(super) fn has_factors_of_heads(&self, op: &Mul<Tensor>, constants: &Constants) -> Result<bool> {
        let [scores, factors] = op.inputs[..] else { return Ok(false) };
        let of_factors = &self.tensor(factors)?.shape;
        let is_float = self.is_plain(scores, Dtype::Float32) && self.tensor(scores)?.shape.len() == 4;
        let is_of_heads = of_factors.len() >= 3 && of_factors.iter().rev().take(3).all(|n| *n > 1);
        Ok(is_float && is_of_heads && constants.contains(factors, self) && !constants.contains(scores, self))
    }

    fn is_broadcast(&self, tensor: Tensor, to: &TensorInfo) -> Result<bool> {
        Ok(self.tensor(tensor)?.elements() < to.elements())
    }

    /// Whether a sum may be that of an attention's scores with a mask that differs by head, such as the biases of relative
    /// positions. The tool chain fuses such attentions in 16-bit floats, and uses the mask of one head for all.
    fn has_mask_of_heads(&self, summands: &[Tensor], sum: &TensorInfo) -> Result<bool> {
        for summand in summands {
            if self.is_broadcast(*summand, sum)? {
                return Ok(false);
            }
        }
        Ok(matches!(sum.shape[..], [_, heads, _, _] if heads > 1))
    }
}

impl Replacement<'_> {
    /// Multiplies in the other order.
    pub(super) fn exchange_factors(&mut self, operator: Operator) {
        let Op::Mul(mut op) = operator.op else { return };
        op.inputs.reverse();
        self.finish(*op);
    }

    /// Computes the softmax in another shape, with the first two axes as one, or with more before them. It is not over the second of up to
    /// four axes, which in INT8 would be computed in integers.
    pub(super) fn reshape_softmax(&mut self, operator: Operator) -> Result<()> {
        let Op::Softmax(mut softmax) = operator.op else { return Ok(()) };
        let shape = self.graph.tensor(softmax.input)?.shape.clone();
        let axis = if softmax.axis < 0 { softmax.axis + shape.len() as i64 } else { softmax.axis };
        let (reshaped, axis) = match &shape[..] {
            [first, second, rest @ ..] if axis >= 3 => ([&[first * second], rest].concat(), axis - 1),
            all => {
                let added = if axis == 0 { 2 } else { 1 };
                ([&[1; 2][..added], all].concat(), axis + added as i64)
            }
        };
        softmax.input = self.add("scores", to_shape(softmax.input, &reshaped), &reshaped)?;
        softmax.axis = axis;
        let result = self.add("softmax", *softmax, &reshaped)?;
        self.finish(to_shape(result, &shape));
        Ok(())
    }
}

fn to_shape(input: Tensor, shape: &Shape) -> Reshape<Tensor> {
    Reshape { shape: Some(ints(shape)), ..Reshape::new(input) }
}
