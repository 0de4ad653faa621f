//! Quotients and remainders of integers, for which chips have no operators.
use super::{Graph, Replacement, Tensor};
use crate::{
    array::Array,
    base::{Dtype, Result, Shape},
    ops::{Abs, AddConst, Cast, Div, Floor, Mul, MulConst, Op, Sign, Sub},
    quant::RoundMode,
};
use std::collections::HashMap;

/// What is computed of an integer and a positive constant.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// The quotient, rounded towards 0.
    TruncatedQuotient,
    /// What that quotient leaves, with the sign of the dividend.
    TruncatedRemainder,
    /// What the quotient rounded down leaves, which is not negative.
    FlooredRemainder,
}

/// A quotient or remainder.
pub(super) struct Division {
    kind: Kind,
    dividend: Tensor,
    /// Positive integers below [`Graph::MAX_EXACT_DIVIDEND`].
    divisor: Array,
}

impl Graph {
    /// The bound below which [`Graph::legalized`] divides integers exactly in float32: three rounding errors of 2^-24 are less than the
    /// summand 0.5.
    pub const MAX_EXACT_DIVIDEND: f64 = (1 << 21) as f64;

    /// Returns the remainder that an op computes, if it does.
    pub(super) fn remainder(&self, op: &Op<Tensor>) -> Result<Option<Division>> {
        let (kind, operands) = match op {
            Op::Mod(op) => (Kind::TruncatedRemainder, &op.inputs),
            Op::Remainder(op) => (Kind::FlooredRemainder, &op.inputs),
            _ => return Ok(None),
        };
        let [dividend, divisor] = operands[..] else { return Ok(None) };
        self.divided(kind, dividend, divisor)
    }

    /// Returns the quotient that an op computes, if it does, with the two tensors that it is computed from: what the remainder leaves of
    /// the dividend, which is divided without a rest, and the remainder.
    pub(super) fn quotient(
        &self,
        op: &Op<Tensor>,
        made_by: &HashMap<Tensor, &Op<Tensor>>,
    ) -> Result<Option<(Division, Tensor, Tensor)>> {
        let Op::Div(division) = op else { return Ok(None) };
        let [whole, divisor] = division.inputs[..] else { return Ok(None) };
        let Some(Op::Sub(difference)) = made_by.get(&whole) else { return Ok(None) };
        let [dividend, rest] = difference.inputs[..] else { return Ok(None) };
        let is_plain = **division == Div::new(vec![whole, divisor])
            && **difference == Sub::new(vec![dividend, rest])
            && [whole, rest].into_iter().all(|t| self.is_plain(t, Dtype::Int32));
        let Some(Op::Mod(remainder)) = made_by.get(&rest).filter(|_| is_plain) else { return Ok(None) };
        let [of, by] = remainder.inputs[..] else { return Ok(None) };
        if of != dividend || self.divisor(by)? != self.divisor(divisor)? {
            return Ok(None);
        }
        let found = self.divided(Kind::TruncatedQuotient, dividend, divisor)?;
        Ok(found.map(|division| (division, whole, rest)))
    }

    fn divided(&self, kind: Kind, dividend: Tensor, divisor: Tensor) -> Result<Option<Division>> {
        let is_constant = self.tensor(dividend)?.is_coefficient();
        let divisor = if is_constant || !self.is_plain(dividend, Dtype::Int32) { None } else { self.divisor(divisor)? };
        Ok(divisor.map(|divisor| Division { kind, dividend, divisor }))
    }

    /// Returns the numbers of a constant, if all of them are positive and below the bound.
    fn divisor(&self, tensor: Tensor) -> Result<Option<Array>> {
        let data =
            self.tensor(tensor)?.data().filter(|_| self.is_plain(tensor, Dtype::Int32) && !self.is_variable(tensor));
        let Some(data) = data else { return Ok(None) };
        Ok(data.to_f64()?.iter().all(|c| *c > 0.0 && *c < Graph::MAX_EXACT_DIVIDEND).then(|| data.clone()))
    }
}

impl Replacement<'_> {
    /// Computes a quotient or remainder in floats.
    pub(super) fn divide(&mut self, division: &Division) -> Result<()> {
        let Division { kind, dividend, divisor } = division;
        let from = self.graph.tensor(*dividend)?.shape.clone();
        let to = self.graph.tensor(self.result)?.shape.clone();
        let divisors = divisor.to_f64()?;
        let reciprocals: Vec<f64> = divisors.iter().copied().map(f64::recip).collect();
        let dividend = self.add("dividend", Cast { to: "F32".to_owned(), ..Cast::new(*dividend) }, &from)?;
        let (magnitude, sign) = match kind {
            Kind::FlooredRemainder => (dividend, None),
            Kind::TruncatedQuotient | Kind::TruncatedRemainder => {
                let magnitude = self.add("magnitude", Abs::new(dividend), &from)?;
                (magnitude, Some(self.add("sign", Sign::new(dividend), &from)?))
            }
        };
        let above = self.add("above", AddConst::new(magnitude, 0.5), &from)?;
        let scaled = self.scaled("scaled", above, &reciprocals, divisor.shape(), &to)?;
        let mut last = self.add("quotient", Floor::new(scaled), &to)?;
        if let Some(sign) = sign {
            last = self.add("signed", Mul::new(vec![last, sign]), &to)?;
        }
        if *kind != Kind::TruncatedQuotient {
            let whole = self.scaled("whole", last, &divisors, divisor.shape(), &to)?;
            last = self.add("rest", Sub::new(vec![dividend, whole]), &to)?;
        }
        self.finish(Cast { to: "INT32".to_owned(), round_mode: RoundMode::TowardsZero, ..Cast::new(last) });
        Ok(())
    }

    /// Adds the product, of the shape `to`, of a tensor and constants.
    fn scaled(&mut self, what: &str, tensor: Tensor, constants: &[f64], shape: &[usize], to: &Shape) -> Result<Tensor> {
        let is_of_shape = self.graph.tensor(tensor)?.shape == *to;
        if let ([constant], true) = (constants, is_of_shape) {
            return self.add(what, MulConst::new(tensor, *constant), to);
        }
        let data = Array::from_f64s(Dtype::Float32, shape, constants.iter().copied())?;
        let by = self.constant(&format!("{what}_by"), data)?;
        self.add(what, Mul::new(vec![tensor, by]), to)
    }
}
