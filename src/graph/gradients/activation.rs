//! Gradients of activations and of softmax.
use super::backward::{Backward, Output};
use crate::{
    Tensor,
    base::Result,
    emit::Emit,
    ops::{
        CompareMode, Elu, Erf, GELU, GeluApproxMode, HardSigmoid, LeakyRelu, PRelu, Relu, Sigmoid, Sign, Softmax,
        Softplus,
    },
};
use std::f64::consts::{FRAC_2_PI, SQRT_2};

/// `|x|' = sign(x)`
pub(super) fn abs(b: &mut Backward, x: Tensor, o: Output) -> Result<()> {
    let x_real = b.real(x)?;
    let sign = b.op(Sign::new(x_real))?;
    let dx = b.mul(o.dy, sign)?;
    b.give(x, dx)
}

/// `y + alpha = alpha * exp(x)` below 0.
pub(super) fn elu(b: &mut Backward, op: &Elu<Tensor>, o: Output) -> Result<()> {
    let below = b.add_const(o.y, op.alpha)?;
    let below = b.mul(o.dy, below)?;
    let is_above = b.compare_const(op.input, CompareMode::Greater, 0.0)?;
    let dx = b.select(is_above, o.dy, below)?;
    b.give(op.input, dx)
}

pub(super) fn gelu(b: &mut Backward, op: &GELU<Tensor>, o: Output) -> Result<()> {
    b.expand(&[Some(o)], |b| {
        let x = b.real(op.input)?;
        let y = match op.approx_mode {
            GeluApproxMode::Sigm => return Ok(vec![gated(b, x, 1.702)?]),
            GeluApproxMode::Normal => {
                let scaled = b.mul_const(x, 1.0 / SQRT_2)?;
                b.op(Erf::new(scaled))?
            }
            GeluApproxMode::Tanh => {
                let cube = b.pow(x, 3.0)?;
                let cube = b.mul_const(cube, 0.044715)?;
                let inner = b.add(x, cube)?;
                let inner = b.mul_const(inner, FRAC_2_PI.sqrt())?;
                b.tanh(inner)?
            }
        };
        let factor = b.add_const(y, 1.0)?;
        let factor = b.mul_const(factor, 0.5)?;
        Ok(vec![b.mul(x, factor)?])
    })
}

/// `x * sigmoid(beta * x)`
pub(super) fn gated(b: &mut Backward, x: Tensor, beta: f64) -> Result<Tensor> {
    let scaled = b.mul_const(x, beta)?;
    let gate = b.sigmoid(scaled)?;
    b.mul(x, gate)
}

/// SiLU, and Swish with its `beta`.
pub(super) fn swish(b: &mut Backward, x: Tensor, beta: f64, o: Output) -> Result<()> {
    b.expand(&[Some(o)], |b| {
        let x = b.real(x)?;
        Ok(vec![gated(b, x, beta)?])
    })
}

pub(super) fn mish(b: &mut Backward, x: Tensor, o: Output) -> Result<()> {
    b.expand(&[Some(o)], |b| {
        let x = b.real(x)?;
        let inner = b.op(Softplus::new(x))?;
        let inner = b.tanh(inner)?;
        Ok(vec![b.mul(x, inner)?])
    })
}

/// `alpha` where the result is between 0 and 1.
pub(super) fn hard_sigmoid(b: &mut Backward, op: &HardSigmoid<Tensor>, o: Output) -> Result<()> {
    let dx = b.mul_const(o.dy, op.alpha)?;
    let dx = b.where_const(o.y, CompareMode::Greater, 0.0, dx)?;
    let dx = b.where_const(o.y, CompareMode::Less, 1.0, dx)?;
    b.give(op.input, dx)
}

/// `x / 3 + 1 / 2` between -3 and 3; 0 below, 1 above.
pub(super) fn hard_swish(b: &mut Backward, input: Tensor, o: Output) -> Result<()> {
    let x = b.real(input)?;
    let slope = b.mul_const(x, 1.0 / 3.0)?;
    let slope = b.add_const(slope, 0.5)?;
    let slope = b.mul(o.dy, slope)?;
    let is_above = b.compare_const(x, CompareMode::GreaterOrEqual, 3.0)?;
    let dx = b.select(is_above, o.dy, slope)?;
    let dx = b.where_const(x, CompareMode::Greater, -3.0, dx)?;
    b.give(input, dx)
}

pub(super) fn leaky_relu(b: &mut Backward, op: &LeakyRelu<Tensor>, o: Output) -> Result<()> {
    let below = b.mul_const(o.dy, op.alpha)?;
    let is_above = b.compare_const(op.input, CompareMode::Greater, 0.0)?;
    let dx = b.select(is_above, o.dy, below)?;
    b.give(op.input, dx)
}

/// One slope, one per channel (axis 1), or a slope that broadcasts.
pub(super) fn prelu(b: &mut Backward, op: &PRelu<Tensor>, o: Output) -> Result<()> {
    b.expand(&[Some(o)], |b| {
        let x = b.real(op.input)?;
        let (rank, slopes) = (b.rank(x)?, b.shape(op.slope)?);
        let slope = match slopes.as_slice() {
            [n] if *n > 1 && rank > 2 => b.along(op.slope, 1, rank)?,
            _ => op.slope,
        };
        let below = b.mul(x, slope)?;
        let is_above = b.compare_const(x, CompareMode::Greater, 0.0)?;
        Ok(vec![b.select(is_above, x, below)?])
    })
}

pub(super) fn relu(b: &mut Backward, op: &Relu<Tensor>, o: Output) -> Result<()> {
    let dx = clipped_relu(b, o, op.relu_limit)?;
    b.give(op.input, dx)
}

/// Returns the gradient before a relu whose result is `o.y`. A limit of 0 or less is none.
pub(super) fn clipped_relu(b: &mut Backward, o: Output, limit: f64) -> Result<Tensor> {
    let dx = b.where_const(o.y, CompareMode::Greater, 0.0, o.dy)?;
    if limit > 0.0 { b.where_const(o.y, CompareMode::Less, limit, dx) } else { Ok(dx) }
}

/// `s (1 - s)` for the plain sigmoid `s`; `1 - s` for its logarithm.
pub(super) fn sigmoid(b: &mut Backward, op: &Sigmoid<Tensor>, o: Output) -> Result<()> {
    let is_plain = !op.log && op.scale == 1.0 && op.bias == 0.0;
    let s = if is_plain && b.dtype(o.y)?.is_float() {
        o.y
    } else {
        let x = b.real(op.input)?;
        b.sigmoid(x)?
    };
    let rest = b.const_sub(1.0, s)?;
    let slope = if op.log { rest } else { b.mul(s, rest)? };
    let slope = if op.log { slope } else { b.mul_const(slope, op.scale)? };
    let dx = b.mul(o.dy, slope)?;
    b.give(op.input, dx)
}

/// `beta * y * (dy - sum(dy * y))`; for the logarithm `beta * (dy - exp(y) * sum(dy))`.
pub(super) fn softmax(b: &mut Backward, op: &Softmax<Tensor>, o: Output) -> Result<()> {
    let y = b.real(o.y)?;
    let rank = b.rank(y)?;
    let axis = [if op.axis < 0 { (op.axis + rank as i64) as usize } else { op.axis as usize }];
    let dx = if op.log {
        let sum = b.sum(o.dy, &axis)?;
        let weights = b.exp(y)?;
        let part = b.mul(weights, sum)?;
        b.sub(o.dy, part)?
    } else {
        let product = b.mul(o.dy, y)?;
        let sum = b.sum(product, &axis)?;
        let part = b.sub(o.dy, sum)?;
        b.mul(y, part)?
    };
    let dx = b.mul_const(dx, op.beta)?;
    b.give(op.input, dx)
}

pub(super) fn softplus(b: &mut Backward, x: Tensor, o: Output) -> Result<()> {
    let x_real = b.real(x)?;
    let slope = b.sigmoid(x_real)?;
    let dx = b.mul(o.dy, slope)?;
    b.give(x, dx)
}

/// `1 / (1 + |x|)^2`
pub(super) fn softsign(b: &mut Backward, x: Tensor, o: Output) -> Result<()> {
    let x_real = b.real(x)?;
    let size = b.op(crate::ops::Abs::new(x_real))?;
    let size = b.add_const(size, 1.0)?;
    let slope = b.pow(size, -2.0)?;
    let dx = b.mul(o.dy, slope)?;
    b.give(x, dx)
}

/// `1 - y^2`
pub(super) fn tanh(b: &mut Backward, x: Tensor, o: Output) -> Result<()> {
    let y = b.real(o.y)?;
    let square = b.square(y)?;
    let slope = b.const_sub(1.0, square)?;
    let dx = b.mul(o.dy, slope)?;
    b.give(x, dx)
}
