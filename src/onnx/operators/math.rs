//! Functions of one operand.
use super::Convert;
use crate::{
    Tensor,
    base::Result,
    emit::Emit,
    import::Importer,
    node::Node,
    ops::{
        Abs, Arccos, Arctanh, Ceil, CompareMode, Cos, Cosh, Erf, Exp, Floor, Log, MulConst, Reciprocal, Round, Sign,
        Sin, Sinh, Sqrt, Tan,
    },
    value::Value,
};
use std::f64::consts::FRAC_PI_2;

pub const OPERATORS: &[(&str, Convert)] = &[
    ("Abs", |b, n| b.unary(n.input(0)?, |x| Abs::new(x).into())),
    ("Acos", |b, n| b.unary(n.input(0)?, |x| Arccos::new(x).into())),
    ("Acosh", |b, n| written(b, n, acosh)),
    ("Asin", |b, n| written(b, n, asin)),
    ("Asinh", |b, n| written(b, n, asinh)),
    ("Atan", |b, n| written(b, n, atan)),
    ("Atanh", |b, n| b.unary(n.input(0)?, |x| Arctanh::new(x).into())),
    ("Ceil", |b, n| b.unary(n.input(0)?, |x| Ceil::new(x).into())),
    ("Cos", |b, n| b.unary(n.input(0)?, |x| Cos::new(x).into())),
    ("Cosh", |b, n| b.unary(n.input(0)?, |x| Cosh::new(x).into())),
    ("Erf", |b, n| b.unary(n.input(0)?, |x| Erf::new(x).into())),
    ("Exp", |b, n| b.unary(n.input(0)?, |x| Exp::new(x).into())),
    ("Floor", |b, n| b.unary(n.input(0)?, |x| Floor::new(x).into())),
    ("Log", |b, n| b.unary(n.input(0)?, |x| Log::new(x).into())),
    ("Neg", |b, n| b.unary(n.input(0)?, |x| MulConst::new(x, -1.0).into())),
    ("Reciprocal", |b, n| b.unary(n.input(0)?, |x| Reciprocal::new(x).into())),
    ("Round", |b, n| written(b, n, round_half_to_even)),
    ("Sign", |b, n| b.unary(n.input(0)?, |x| Sign::new(x).into())),
    ("Sin", |b, n| b.unary(n.input(0)?, |x| Sin::new(x).into())),
    ("Sinh", |b, n| b.unary(n.input(0)?, |x| Sinh::new(x).into())),
    ("Sqrt", |b, n| b.unary(n.input(0)?, |x| Sqrt::new(x).into())),
    ("Tan", |b, n| b.unary(n.input(0)?, |x| Tan::new(x).into())),
];

/// Converts an operator that is written out in several.
fn written<'m>(
    b: &mut Importer<'m>,
    n: &Node<'m>,
    f: fn(&mut Importer<'m>, Tensor) -> Result<Tensor>,
) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let tensor = b.tensor(x)?;
    let made = f(b, tensor)?;
    Ok(vec![b.value_like(made, x)?])
}

/// `log(x + sqrt(x^2 - 1))`
fn acosh(b: &mut Importer, x: Tensor) -> Result<Tensor> {
    inverse_hyperbolic(b, x, -1.0)
}

/// `log(x + sqrt(x^2 + c))`, which is `log(2 x)` for large numbers, whose square may be infinite. That of large negative ones is NaN,
/// while the sum would be 0.
fn inverse_hyperbolic(b: &mut Importer, x: Tensor, c: f64) -> Result<Tensor> {
    let squared = b.square(x)?;
    let root = b.add_const(squared, c)?;
    let root = b.op(Sqrt::new(root))?;
    let sum = b.add(x, root)?;
    let near = b.log(sum)?;
    let log = b.log(x)?;
    let far = b.add_const(log, std::f64::consts::LN_2)?;
    let is_far = b.compare_const(squared, CompareMode::Greater, 1e6)?;
    b.select(is_far, far, near)
}

/// `sign(x) * log(|x| + sqrt(x^2 + 1))`, without cancellation for negative numbers.
fn asinh(b: &mut Importer, x: Tensor) -> Result<Tensor> {
    let (sign, size) = (b.op(Sign::new(x))?, b.op(Abs::new(x))?);
    let log = inverse_hyperbolic(b, size, 1.0)?;
    let far = b.mul(sign, log)?;
    with_series(b, x, -1.0 / 6.0, far)
}

/// `pi / 2 - acos(x)`
fn asin(b: &mut Importer, x: Tensor) -> Result<Tensor> {
    let acos = b.op(Arccos::new(x))?;
    let far = b.const_sub(FRAC_PI_2, acos)?;
    with_series(b, x, 1.0 / 6.0, far)
}

/// `x + c x^3` near 0, where `far` loses digits. Up to 0.06 the next term of either series is as small as the rounding errors of `far`
/// beyond: results have relative errors below 3e-6.
fn with_series(b: &mut Importer, x: Tensor, c: f64, far: Tensor) -> Result<Tensor> {
    let squared = b.square(x)?;
    let factor = b.mul_const(squared, c)?;
    let factor = b.add_const(factor, 1.0)?;
    let near = b.mul(x, factor)?;
    let is_near = b.compare_const(squared, CompareMode::Less, 0.06 * 0.06)?;
    b.select(is_near, near, far)
}

/// `asin(z / sqrt(1 + z^2))`, where z is x up to 1, and 1 / x beyond, whose arctangent is `pi / 2 - atan(x)`. So no arcsine is
/// taken near 1, where it would lose digits.
fn atan(b: &mut Importer, x: Tensor) -> Result<Tensor> {
    let (sign, size) = (b.op(Sign::new(x))?, b.op(Abs::new(x))?);
    let is_large = b.compare_const(size, CompareMode::Greater, 1.0)?;
    let inverse = b.op(Reciprocal::new(size))?;
    let z = b.select(is_large, inverse, size)?;
    let squared = b.square(z)?;
    let root = b.add_const(squared, 1.0)?;
    let root = b.op(Sqrt::new(root))?;
    let sine = b.div(z, root)?;
    let angle = asin(b, sine)?;
    let other = b.const_sub(FRAC_PI_2, angle)?;
    let angle = b.select(is_large, other, angle)?;
    b.mul(sign, angle)
}

/// `top.Round` rounds halves away from 0; twice the rounded half of a half is even.
pub fn round_half_to_even(b: &mut Importer, x: Tensor) -> Result<Tensor> {
    let rounded = b.op(Round::new(x))?;
    let distance = b.sub(rounded, x)?;
    let distance = b.op(Abs::new(distance))?;
    let is_half = b.compare_const(distance, CompareMode::Equal, 0.5)?;
    let half = b.mul_const(x, 0.5)?;
    let half = b.op(Round::new(half))?;
    let even = b.mul_const(half, 2.0)?;
    b.select(is_half, even, rounded)
}
