//! The softmax and other masks of scores, which TPU-MLIR 1.30 compiles wrongly in some forms.
use super::{Graph, Operator, Replacement, Tensor, TensorKind};
use crate::{
    base::{Dtype, Result, Shape},
    ops::{Op, Reshape},
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
    /// Whether an op is the softmax of scores of float32 in a form that the tool chain compiles wrongly.
    pub(super) fn is_misread_softmax(
        &self,
        op: &Op<Tensor>,
        made_by: &HashMap<Tensor, &Op<Tensor>>,
        constants: &Constants,
    ) -> Result<bool> {
        let Op::Softmax(softmax) = op else { return Ok(false) };
        let scores = self.tensor(softmax.input)?;
        if scores.dtype != Dtype::Float32 || scores.quantization.is_some() || scores.shape.len() > LARGEST_RANK {
            return Ok(false);
        }
        Ok(match made_by.get(&softmax.input) {
            Some(Op::Where(op)) => self.is_broadcast(op.cond, &scores.shape)? && constants.contains(op.cond, self),
            Some(Op::MaskedFill(op)) => self.is_broadcast(op.cond, &scores.shape)? && constants.contains(op.cond, self),
            Some(Op::Trilu(op)) => scores.shape.len() > 2 && !constants.contains(op.input, self),
            Some(Op::Add(op)) if matches!(softmax.axis, -1 | 3) => self.has_mask_of_heads(&op.inputs, &scores.shape)?,
            _ => false,
        })
    }

    /// Whether an op multiplies float32 by constants of their own for each head, such as the decays of retention. Between products of heads,
    /// TPU-MLIR 1.30 exchanges the axes of everything but such a second operand.
    pub(super) fn has_factors_of_heads(&self, op: &Op<Tensor>, constants: &Constants) -> Result<bool> {
        let Op::Mul(op) = op else { return Ok(false) };
        let [scores, factors] = op.inputs[..] else { return Ok(false) };
        let (info, of_factors) = (self.tensor(scores)?, &self.tensor(factors)?.shape);
        let is_float = info.dtype == Dtype::Float32 && info.quantization.is_none() && info.shape.len() == 4;
        let is_of_heads = of_factors.len() >= 3 && of_factors.iter().rev().take(3).all(|n| *n > 1);
        Ok(is_float && is_of_heads && constants.contains(factors, self) && !constants.contains(scores, self))
    }

    fn is_broadcast(&self, tensor: Tensor, shape: &Shape) -> Result<bool> {
        Ok(self.tensor(tensor)?.shape.iter().product::<usize>() < shape.iter().product())
    }

    /// Whether a sum may be that of an attention's scores with a mask that has numbers of its own for each head, such as the biases of
    /// relative positions. The tool chain fuses such attentions in 16-bit floats, and uses the mask of one head for all.
    fn has_mask_of_heads(&self, summands: &[Tensor], shape: &Shape) -> Result<bool> {
        let is_attention = matches!(shape[..], [_, heads, _, _] if heads > 1);
        let mut are_whole = true;
        for summand in summands {
            are_whole &= !self.is_broadcast(*summand, shape)?;
        }
        Ok(is_attention && are_whole)
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
    Reshape { shape: Some(shape.iter().map(|n| *n as i64).collect()), ..Reshape::new(input) }
}
