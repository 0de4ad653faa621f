use super::{
    OpKernel, Operand,
    arithmetic::{Terms, tensors},
    blocked::Function,
    task::PostOp,
    transcendental,
    unary::{OfEach, of_vectors, unary, vectorized},
};
use crate::{
    ops::{Clip, Exp, LogB, Pow, Pow2, Pow3, Rsqrt},
    quant::RoundMode,
};
use std::f64::consts::FRAC_2_SQRT_PI;

pub(super) fn sign(x: f64) -> f64 {
    f64::from(u8::from(x > 0.0)) - f64::from(u8::from(x < 0.0))
}

/// The error function: `2 / sqrt(pi) * exp(-x^2)` times the sum of `2^n x^(2n + 1) / (1 * 3 * .. * (2n + 1))`, whose
/// terms all have the same sign.
pub(super) fn erf(x: f64) -> f64 {
    let a = x.abs();
    if a > 6.0 {
        return 1f64.copysign(x);
    }
    let (mut term, mut sum, mut odd) = (a, a, 1.0);
    while term > sum * 1e-17 {
        odd += 2.0;
        term *= 2.0 * a * a / odd;
        sum += term;
    }
    (FRAC_2_SQRT_PI * (-a * a).exp() * sum).copysign(x)
}

pub(super) fn exp(op: Exp<Operand>) -> OpKernel {
    of_vectors(op.input, Function::Exp, f64::exp)
}

/// The Top executor adds 1e-5; the compiler's tables of quantized tensors use the exact function.
pub(super) fn rsqrt(op: Rsqrt<Operand>) -> OpKernel {
    let exact = |x: f64| 1.0 / x.sqrt();
    vectorized(op.input, RoundMode::default(), exact, OfEach(move |x| exact(f64::from(x) + 1e-5) as f32))
}

pub(super) fn log_b(op: LogB<Operand>) -> OpKernel {
    let base = (op.base as f64).ln();
    let f = move |x: f64| x.ln() / base;
    vectorized(op.input, RoundMode::default(), f, move |v: &mut [f32]| transcendental::ln(v, 1.0 / base))
}

pub(super) fn clip(op: Clip<Operand>) -> OpKernel {
    let (min, max) = (op.min, op.max);
    // Comparisons preserve NaN.
    let f = move |x: f64| match x {
        _ if x < min => min,
        _ if x > max => max,
        _ => x,
    };
    let (low, high) = (min as f32, max as f32);
    let bounded = move |v: f32| if v < low { low } else { v };
    vectorized(op.inputs, RoundMode::default(), f, OfEach(move |v| if bounded(v) > high { high } else { bounded(v) }))
}

pub(super) fn pow(op: Pow<Operand>) -> OpKernel {
    let exponent = op.exponent;
    let f = move |x: f64| x.powf(exponent);
    let vectors = match exponent {
        2.0 => Function::Square,
        3.0 => Function::Cube,
        _ if exponent == 0.0 || !exponent.is_finite() => return unary(op.input, RoundMode::default(), f),
        _ => {
            return vectorized(op.input, RoundMode::default(), f, move |v: &mut [f32]| {
                transcendental::pow(v, exponent)
            });
        }
    };
    of_vectors(op.input, vectors, f)
}

pub(super) fn pow2(op: Pow2<Operand>) -> OpKernel {
    let base = op.const_val;
    unary(op.input, RoundMode::default(), move |x| base.powf(x))
}

pub(super) fn pow3(op: Pow3<Operand>) -> OpKernel {
    let int = |a: i64, b: i64| RoundMode::default().round((a as f64).powf(b as f64)) as i64;
    tensors(op.inputs, Terms::Other, PostOp::default(), f32::powf, int)
}

#[cfg(test)]
mod tests {
    use super::erf;

    #[test]
    fn the_error_function_is_that_of_tables() {
        for (x, expected) in [
            (0.0, 0.0),
            (1e-10, 1.1283791670955126e-10),
            (0.5, 0.5204998778130465),
            (-1.0, -0.8427007929497149),
            (3.0, 0.9999779095030014),
            (7.0, 1.0),
            (f64::NEG_INFINITY, -1.0),
        ] {
            assert!((erf(x) - expected).abs() <= 2e-15 * expected.abs(), "erf({x}) is {}", erf(x));
        }
        assert!(erf(f64::NAN).is_nan());
    }
}
