//! Activations: a tensor times a function of itself.
use super::polynomial::{Affine, Fraction, is_polynomial, polynomial};
use crate::{
    Rewriter, Tensor,
    base::Result,
    ops::{CompareMode, GELU, GeluApproxMode, HardSigmoid, HardSwish, Mish, Op, SiLU, Softplus, Swish},
};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_PI};

/// The factor of x^3 in the tanh approximation of GELU.
const CUBE: f64 = 0.044_715;
/// The factor of x in the sigmoid approximation of GELU.
const SIGMOID_SLOPE: f64 = 1.702;

/// Matches GELU, SiLU, Swish, Mish and hard swish.
pub fn gated(r: &mut Rewriter, t: Tensor) -> Result<Option<Op<Tensor>>> {
    if !matches!(r.op(t), Some(Op::Mul(_) | Op::MulConst(_) | Op::Div(_))) || !r.is_float(t) {
        return Ok(None);
    }
    let fraction = Fraction::of(r, t);
    Ok(match (fraction.numerators.as_slice(), fraction.denominators.as_slice()) {
        (&[a, b], []) => [(a, b), (b, a)].into_iter().find_map(|(x, gate)| product(r, x, gate, fraction.factor)),
        (&[x], &[denominator]) => quotient(r, x, denominator, fraction.factor),
        _ => None,
    })
}

/// Matches `factor * x * gate`.
fn product(r: &Rewriter, x: Tensor, gate: Tensor, factor: f64) -> Option<Op<Tensor>> {
    if r.shape(x) != r.shape(gate) {
        return None;
    }
    let Affine { of, slope, offset } = Affine::of(r, gate);
    let (slope, offset) = (factor * slope, factor * offset);
    let is = |s: f64, o: f64| r.is_near(x, slope, s) && r.is_near(x, offset, o);
    match r.op(of)? {
        Op::Erf(op) if is(0.5, 0.5) && is_polynomial(r, op.input, x, [0.0, FRAC_1_SQRT_2, 0.0, 0.0]) => {
            Some(GELU::new(x).into())
        }
        Op::Tanh(op) if is(0.5, 0.5) && is_polynomial(r, op.input, x, tanh_argument()) => Some(tanh_gelu(x)),
        Op::Tanh(op) if is(1.0, 0.0) => match r.op(op.input)? {
            Op::Softplus(op) if op.input == x => Some(Mish::new(x).into()),
            _ => None,
        },
        Op::Sigmoid(op) if is(1.0, 0.0) => with_sigmoid(r, x, op.input),
        Op::HardSigmoid(op) if is(1.0, 0.0) && op.input == x => {
            let is_swish = r.is_near(x, op.alpha, 1.0 / 6.0) && r.is_near(x, op.beta, 0.5);
            is_swish.then(|| HardSwish::new(x).into())
        }
        Op::Relu(_) if offset == 0.0 && clamped(r, of, slope)? == x => Some(HardSwish::new(x).into()),
        _ => None,
    }
}

/// Matches `factor * x / (1 + exp(-beta * x))`.
fn quotient(r: &Rewriter, x: Tensor, denominator: Tensor, factor: f64) -> Option<Op<Tensor>> {
    let Affine { of, slope, offset } = Affine::of(r, denominator);
    let Op::Exp(op) = r.op(of)? else { return None };
    let is_sigmoid = r.is_near(x, slope, factor) && r.is_near(x, offset, factor) && r.shape(x) == r.shape(denominator);
    let [constant, linear, 0.0, 0.0] = polynomial(r, op.input, x).filter(|_| is_sigmoid)? else { return None };
    (constant == 0.0 && factor == 1.0).then(|| swish(r, x, -linear)).flatten()
}

/// Matches `x * sigmoid(argument)`.
fn with_sigmoid(r: &Rewriter, x: Tensor, argument: Tensor) -> Option<Op<Tensor>> {
    // sigmoid(2 z) = (1 + tanh(z)) / 2
    if is_polynomial(r, argument, x, tanh_argument().map(|c| 2.0 * c)) {
        return Some(tanh_gelu(x));
    }
    match polynomial(r, argument, x)? {
        [0.0, beta, 0.0, 0.0] => swish(r, x, beta),
        _ => None,
    }
}

fn swish(r: &Rewriter, x: Tensor, beta: f64) -> Option<Op<Tensor>> {
    Some(match beta {
        1.0 => SiLU::new(x).into(),
        beta if r.is_near(x, beta, SIGMOID_SLOPE) => GELU { approx_mode: GeluApproxMode::Sigm, ..GELU::new(x) }.into(),
        beta if beta > 0.0 => Swish::new(x, beta).into(),
        _ => return None,
    })
}

/// `sqrt(2 / pi) * (x + 0.044715 x^3)`
fn tanh_argument() -> [f64; 4] {
    let scale = FRAC_2_PI.sqrt();
    [0.0, scale, 0.0, scale * CUBE]
}

fn tanh_gelu(x: Tensor) -> Op<Tensor> {
    GELU { approx_mode: GeluApproxMode::Tanh, ..GELU::new(x) }.into()
}

/// Matches `x / 6 + 1 / 2` clamped to 0 and 1, which hard swish is made of.
pub fn hard_sigmoid(r: &mut Rewriter, t: Tensor) -> Result<Option<Op<Tensor>>> {
    let Affine { of, slope, offset } = Affine::of(r, t);
    if offset != 0.0 || !matches!(r.op(t), Some(Op::Relu(_) | Op::MulConst(_))) || !r.is_float(t) {
        return Ok(None);
    }
    Ok(clamped(r, of, slope).map(|x| HardSigmoid::new(x, 1.0 / 6.0, 0.5).into()))
}

/// Returns `x` if `factor * t` is `x / 6 + 1 / 2`, clamped to 0 and 1.
fn clamped(r: &Rewriter, t: Tensor, factor: f64) -> Option<Tensor> {
    let Op::Relu(op) = r.op(t)? else { return None };
    let inner = Affine::of(r, op.input);
    let found = [factor * op.relu_limit, factor * inner.slope, factor * inner.offset];
    found.iter().zip([1.0, 1.0 / 6.0, 0.5]).all(|(f, e)| r.is_near(t, *f, e)).then_some(inner.of)
}

/// Beyond this, softplus equals its operand in float32.
const SOFTPLUS_LINEAR: f64 = 17.0;

/// Matches a softplus that is replaced by its operand where that is large.
pub fn softplus(r: &mut Rewriter, t: Tensor) -> Result<Option<Op<Tensor>>> {
    let Some(Op::Where(op)) = r.op(t) else { return Ok(None) };
    let (Some(large), Some(other)) = (op.tbrn, op.fbrn) else { return Ok(None) };
    let is_large = |t: Tensor| match r.op(t) {
        Some(Op::CompareConst(op)) => {
            op.mode == CompareMode::Greater && op.const_val >= SOFTPLUS_LINEAR && op.input == large && !op.inversed
        }
        _ => false,
    };
    Ok(match r.op(other) {
        Some(Op::Softplus(of)) if of.input == large && is_large(op.cond) => Some(Softplus::new(large).into()),
        _ => None,
    })
}
