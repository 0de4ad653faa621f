//! Conversions of floats to integers, which the tool chain takes for no operation if the result becomes floats again.
use super::{Graph, Operator, Replacement, Tensor, TensorInfo};
use crate::{
    base::{Dtype, Result},
    ops::{Abs, Cast, Floor, Mul, Op, Sign},
    quant::RoundMode,
};
use std::collections::HashMap;

impl Graph {
    /// Whether a conversion rounds float32 towards 0, to integers.
    pub(super) fn truncates(
        &self,
        cast: &Cast<Tensor>,
        result: Tensor,
        made_by: &HashMap<Tensor, &Op<Tensor>>,
    ) -> bool {
        let is_float = self.is_plain(cast.input, Dtype::Float32)
            && self.tensor(cast.input).is_ok_and(|info| !info.is_coefficient());
        let is_integer = |t: Tensor| self.tensor(t).is_ok_and(TensorInfo::is_plain_integer);
        let is_whole = match made_by.get(&cast.input) {
            Some(Op::Floor(_) | Op::Ceil(_) | Op::Round(_)) => true,
            Some(Op::Cast(cast)) => is_integer(cast.input),
            _ => false,
        };
        cast.round_mode == RoundMode::TowardsZero && is_float && !is_whole && self.is_plain(result, Dtype::Int32)
    }
}

impl Replacement<'_> {
    /// Rounds towards 0 before the conversion.
    pub(super) fn truncate(&mut self, operator: Operator) -> Result<()> {
        let Op::Cast(cast) = operator.op else { return Ok(()) };
        let shape = self.graph.tensor(cast.input)?.shape.clone();
        let magnitude = self.add("magnitude", Abs::new(cast.input), &shape)?;
        let sign = self.add("sign", Sign::new(cast.input), &shape)?;
        let whole = self.add("whole", Floor::new(magnitude), &shape)?;
        let signed = self.add("signed", Mul::new(vec![whole, sign]), &shape)?;
        self.finish(Cast { input: signed, ..*cast });
        Ok(())
    }
}
