//! Mathematical functions with a number.
use super::formula::Formula;
use crate::{
    exec::Operand,
    ops::{Clip, Exp, LogB, Pow, Pow2, Rsqrt},
};

pub(super) fn exp(op: &Exp<Operand>) -> Formula {
    Formula::function(&op.input, "exp(x)")
}

/// For integers, the exact function; for real values, the Top executor's, which adds 1e-5.
pub(super) fn rsqrt(op: &Rsqrt<Operand>) -> Formula {
    Formula::function(&op.input, "sizeof(R) == 8 ? 1 / sqrt(x) : 1 / sqrt(x + (R)1e-5)")
}

pub(super) fn log_b(op: &LogB<Operand>) -> Formula {
    Formula::function(&op.input, "log(x) / k0").numbers([(op.base as f64).ln()])
}

/// NaN is kept.
pub(super) fn clip(op: &Clip<Operand>) -> Formula {
    Formula::function(&op.inputs, "x < k0 ? k0 : x > k1 ? k1 : x").numbers([op.min, op.max])
}

pub(super) fn pow(op: &Pow<Operand>) -> Formula {
    Formula::function(&op.input, "pow(x, k0)").numbers([op.exponent])
}

pub(super) fn pow2(op: &Pow2<Operand>) -> Formula {
    Formula::function(&op.input, "pow(k0, x)").numbers([op.const_val])
}
