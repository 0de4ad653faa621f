//! Gradients of mathematical functions.
use super::backward::{Backward, Output};
use crate::{
    Tensor,
    base::Result,
    emit::Emit,
    ops::{Clip, CompareMode, Cos, Cosh, LogB, Pow, Pow2, Sin, Sinh},
};

/// Gives `x` the product of `o.dy` and the slope that `slope` computes from the real numbers of `x` and the result.
pub(super) fn by_slope(
    b: &mut Backward,
    x: Tensor,
    o: Output,
    slope: impl FnOnce(&mut Backward, Tensor, Tensor) -> Result<Tensor>,
) -> Result<()> {
    let (x_real, y) = (b.real(x)?, b.real(o.y)?);
    let slope = slope(b, x_real, y)?;
    let dx = b.mul(o.dy, slope)?;
    b.give(x, dx)
}

/// `-1 / sqrt(1 - x^2)`
pub(super) fn arccos(b: &mut Backward, x: Tensor, _y: Tensor) -> Result<Tensor> {
    let square = b.square(x)?;
    let rest = b.const_sub(1.0, square)?;
    let inverse = b.rsqrt(rest)?;
    b.neg(inverse)
}
/// `1 / (1 - x^2)`
pub(super) fn arctanh(b: &mut Backward, x: Tensor, _y: Tensor) -> Result<Tensor> {
    let square = b.square(x)?;
    let rest = b.const_sub(1.0, square)?;
    b.pow(rest, -1.0)
}
/// `-sin(x)`
pub(super) fn cos(b: &mut Backward, x: Tensor, _y: Tensor) -> Result<Tensor> {
    let sin = b.op(Sin::new(x))?;
    b.neg(sin)
}
/// `sinh(x)`
pub(super) fn cosh(b: &mut Backward, x: Tensor, _y: Tensor) -> Result<Tensor> {
    b.op(Sinh::new(x))
}
/// `2 / sqrt(pi) * exp(-x^2)`
pub(super) fn erf(b: &mut Backward, x: Tensor, _y: Tensor) -> Result<Tensor> {
    let square = b.square(x)?;
    let negative = b.neg(square)?;
    let bell = b.exp(negative)?;
    b.mul_const(bell, std::f64::consts::FRAC_2_SQRT_PI)
}
/// `1 / x`
pub(super) fn log(b: &mut Backward, x: Tensor, _y: Tensor) -> Result<Tensor> {
    b.pow(x, -1.0)
}
/// `-y^3 / 2`
pub(super) fn rsqrt(b: &mut Backward, _x: Tensor, y: Tensor) -> Result<Tensor> {
    let cube = b.pow(y, 3.0)?;
    b.mul_const(cube, -0.5)
}
/// `cos(x)`
pub(super) fn sin(b: &mut Backward, x: Tensor, _y: Tensor) -> Result<Tensor> {
    b.op(Cos::new(x))
}
/// `cosh(x)`
pub(super) fn sinh(b: &mut Backward, x: Tensor, _y: Tensor) -> Result<Tensor> {
    b.op(Cosh::new(x))
}
/// `1 / (2 y)`
pub(super) fn sqrt(b: &mut Backward, _x: Tensor, y: Tensor) -> Result<Tensor> {
    let inverse = b.pow(y, -1.0)?;
    b.mul_const(inverse, 0.5)
}
/// `1 + y^2`
pub(super) fn tan(b: &mut Backward, _x: Tensor, y: Tensor) -> Result<Tensor> {
    let square = b.square(y)?;
    b.add_const(square, 1.0)
}

/// `1 / (x ln(base))`
pub(super) fn log_b(b: &mut Backward, op: &LogB<Tensor>, o: Output) -> Result<()> {
    let factor = 1.0 / (op.base as f64).ln();
    by_slope(b, op.input, o, |b, x, _| {
        let inverse = b.pow(x, -1.0)?;
        b.mul_const(inverse, factor)
    })
}

/// `exponent * x^(exponent - 1)`, and 0 for an exponent of 0.
pub(super) fn pow(b: &mut Backward, op: &Pow<Tensor>, o: Output) -> Result<()> {
    if op.exponent == 0.0 {
        return Ok(());
    }
    by_slope(b, op.input, o, |b, x, _| {
        let power = b.pow(x, op.exponent - 1.0)?;
        b.mul_const(power, op.exponent)
    })
}

/// `ln(const_val) * y`. Like PyTorch's, that of 0 is 0 where the exponent is not negative.
pub(super) fn pow2(b: &mut Backward, op: &Pow2<Tensor>, o: Output) -> Result<()> {
    by_slope(b, op.input, o, |b, x, y| {
        let slope = b.mul_const(y, op.const_val.ln())?;
        if op.const_val != 0.0 {
            return Ok(slope);
        }
        let is_negative = b.compare_const(x, CompareMode::Less, 0.0)?;
        b.select_or(is_negative, slope, 0.0)
    })
}

/// For `x^e`: `e * x^(e - 1)` and `ln(x) * y`, which are 0 where `e` is 0, and where `x` is 0 and `e` is not negative.
pub(super) fn pow3(b: &mut Backward, inputs: &[Tensor], o: Output) -> Result<()> {
    let (x, e, y) = (b.real(inputs[0])?, b.real(inputs[1])?, b.real(o.y)?);
    if b.wants(inputs[0]) {
        let less = b.add_const(e, -1.0)?;
        let power = b.op(crate::ops::Pow3::new(vec![x, less]))?;
        let slope = b.mul(power, e)?;
        let dx = b.mul(o.dy, slope)?;
        let has_slope = b.compare_const(e, CompareMode::NotEqual, 0.0)?;
        let dx = b.select_or(has_slope, dx, 0.0)?;
        b.give(inputs[0], dx)?;
    }
    if b.wants(inputs[1]) {
        let ln = b.log(x)?;
        let slope = b.mul(y, ln)?;
        let de = b.mul(o.dy, slope)?;
        let (is_zero, is_positive) =
            (b.compare_const(x, CompareMode::Equal, 0.0)?, b.compare_const(e, CompareMode::GreaterOrEqual, 0.0)?);
        let is_flat = b.mul(is_zero, is_positive)?;
        let zeros = b.zeros_like(de)?;
        let de = b.select(is_flat, zeros, de)?;
        b.give(inputs[1], de)?;
    }
    Ok(())
}

/// Passes where the input is within the limits, which are included.
pub(super) fn clip(b: &mut Backward, op: &Clip<Tensor>, o: Output) -> Result<()> {
    let dx = b.where_const(op.inputs, CompareMode::GreaterOrEqual, op.min, o.dy)?;
    let dx = b.where_const(op.inputs, CompareMode::LessOrEqual, op.max, dx)?;
    b.give(op.inputs, dx)
}
