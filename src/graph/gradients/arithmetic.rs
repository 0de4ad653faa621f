//! Gradients of element-wise arithmetic. Axes that were broadcast are summed by [`Backward::give`].
use super::backward::{Backward, Output};
use crate::{
    Tensor,
    base::Result,
    emit::Emit,
    ops::{Add, CompareMode, Div, MulConst, Reciprocal, Scale, Sub, SubConst},
};

pub(super) fn add(b: &mut Backward, op: &Add<Tensor>, o: Output) -> Result<()> {
    for (i, &x) in op.inputs.iter().enumerate() {
        if b.wants(x) {
            let dx = b.mul_const(o.dy, coefficient(op.coeff.as_deref(), i))?;
            b.give(x, dx)?;
        }
    }
    Ok(())
}

pub(super) fn sub(b: &mut Backward, op: &Sub<Tensor>, o: Output) -> Result<()> {
    for (i, &x) in op.inputs.iter().enumerate() {
        // Reversed, each operand is the minuend of the difference so far.
        let is_added = if op.is_reverse { (op.inputs.len() - i) % 2 == 1 } else { i == 0 };
        let sign = if is_added { 1.0 } else { -1.0 };
        if b.wants(x) {
            let dx = b.mul_const(o.dy, sign * coefficient(op.coeff.as_deref(), i))?;
            b.give(x, dx)?;
        }
    }
    Ok(())
}

/// Returns the factor of an operand; 1 if there are none.
fn coefficient(all: Option<&[f64]>, i: usize) -> f64 {
    all.and_then(|all| all.get(i)).copied().unwrap_or(1.0)
}

/// For each factor, the product of the others.
pub(super) fn mul(b: &mut Backward, inputs: &[Tensor], o: Output) -> Result<()> {
    for (i, &x) in inputs.iter().enumerate() {
        if !b.wants(x) {
            continue;
        }
        let mut dx = o.dy;
        for (_, &other) in inputs.iter().enumerate().filter(|(j, _)| *j != i) {
            let other = b.real(other)?;
            dx = b.mul(dx, other)?;
        }
        b.give(x, dx)?;
    }
    Ok(())
}

/// `dy / divisor`, and `-(dy / divisor) * (dividend / divisor)`: the square of a tiny divisor would be 0. A quotient of several operands
/// is taken apart.
pub(super) fn div(b: &mut Backward, op: &Div<Tensor>, o: Output) -> Result<()> {
    let &[first, second] = op.inputs.as_slice() else {
        return b.expand(&[Some(o)], |b| {
            let mut y = b.real(op.inputs[0])?;
            for &other in &op.inputs[1..] {
                let other = b.real(other)?;
                y = b.op(Div { is_reverse: op.is_reverse, ..Div::new(vec![y, other]) })?;
            }
            Ok(vec![y])
        });
    };
    let (dividend, divisor) = if op.is_reverse { (second, first) } else { (first, second) };
    let by = b.real(divisor)?;
    let slope = b.div(o.dy, by)?;
    if b.wants(divisor) {
        let numbers = b.real(dividend)?;
        let quotient = b.div(numbers, by)?;
        let product = b.mul(slope, quotient)?;
        let gradient = b.neg(product)?;
        b.give(divisor, gradient)?;
    }
    b.give(dividend, slope)
}

/// `-c / x^2`
pub(super) fn reciprocal(b: &mut Backward, op: &Reciprocal<Tensor>, o: Output) -> Result<()> {
    let x = b.real(op.input)?;
    let slope = b.pow(x, -2.0)?;
    let slope = b.mul_const(slope, -op.const_val)?;
    let dx = b.mul(o.dy, slope)?;
    b.give(op.input, dx)
}

pub(super) fn sub_const(b: &mut Backward, op: &SubConst<Tensor>, o: Output) -> Result<()> {
    let dx = if op.is_reverse { b.neg(o.dy)? } else { o.dy };
    b.give(op.input, dx)
}

pub(super) fn mul_const(b: &mut Backward, op: &MulConst<Tensor>, o: Output) -> Result<()> {
    let dx = b.mul_const(o.dy, op.const_val)?;
    b.give(op.input, dx)
}

/// The gradient goes to the operand that the result equals, in equal parts if there are several.
pub(super) fn extremum(b: &mut Backward, inputs: &[Tensor], o: Output) -> Result<()> {
    let mut chosen = Vec::new();
    for &x in inputs {
        chosen.push(b.compare(o.y, CompareMode::Equal, x)?);
    }
    let mut count = b.real(chosen[0])?;
    for &more in &chosen[1..] {
        let more = b.real(more)?;
        count = b.add(count, more)?;
    }
    let part = b.div(o.dy, count)?;
    for (&x, chosen) in inputs.iter().zip(chosen) {
        if b.wants(x) {
            let dx = b.select_or(chosen, part, 0.0)?;
            b.give(x, dx)?;
        }
    }
    Ok(())
}

/// The gradient of the larger (or smaller) of `x` and a number passes where `x` was chosen.
pub(super) fn bound(b: &mut Backward, x: Tensor, mode: CompareMode, limit: f64, o: Output) -> Result<()> {
    let dx = b.where_const(x, mode, limit, o.dy)?;
    b.give(x, dx)
}

/// For `y = a - d * q` with the whole quotient `q`: `1` and `-q = (y - a) / d`.
pub(super) fn remainder(b: &mut Backward, inputs: &[Tensor], o: Output) -> Result<()> {
    b.give(inputs[0], o.dy)?;
    if !b.wants(inputs[1]) {
        return Ok(());
    }
    let (y, a, d) = (b.real(o.y)?, b.real(inputs[0])?, b.real(inputs[1])?);
    let whole = b.sub(y, a)?;
    let quotient = b.div(whole, d)?;
    let dx = b.mul(o.dy, quotient)?;
    b.give(inputs[1], dx)
}

/// `x * scale + bias`, per channel (axis 1).
pub(super) fn scale(b: &mut Backward, op: &Scale<Tensor>, o: Output) -> Result<()> {
    b.expand(&[Some(o)], |b| {
        let x = b.real(op.input)?;
        let rank = b.rank(x)?;
        let (scale, bias) = (b.along(op.scale, 1, rank)?, b.along(op.bias, 1, rank)?);
        let y = b.mul(x, scale)?;
        Ok(vec![b.add(y, bias)?])
    })
}
