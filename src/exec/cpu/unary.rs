//! Unary functions.
use super::{
    OpKernel, Operand,
    blocked::{Function, InstructionSet, Replace, replace_each},
    kernel::Epilogue,
    task::PostOp,
};
use crate::{ValueType, quant::RoundMode};
use std::sync::Arc;

/// A function without attributes.
pub(super) fn function(input: Operand, f: fn(f64) -> f64) -> OpKernel {
    unary(input, RoundMode::default(), f)
}

/// Like [`function`], with another form of `f` for vectors of float32.
pub(super) fn of_vectors(
    input: Operand,
    function: Function,
    f: impl Fn(f64) -> f64 + Copy + Send + Sync + 'static,
) -> OpKernel {
    vectorised(input, RoundMode::default(), f, move |values| replace(values, function))
}

/// Like [`function`], with another form of `f` for chunks of real numbers.
pub(super) fn in_vectors(input: Operand, f: fn(f64) -> f64, reals: fn(&mut [f32])) -> OpKernel {
    vectorised(input, RoundMode::default(), f, reals)
}

/// Replaces each number by a function of it.
pub(super) fn replace(values: &mut [f32], function: Function) {
    InstructionSet::best().run(Replace { values, function });
}

/// Computes `f` of every element, in float64.
pub(super) fn unary(
    input: Operand,
    round: RoundMode,
    f: impl Fn(f64) -> f64 + Copy + Send + Sync + 'static,
) -> OpKernel {
    vectorised(input, round, f, move |values| replace_each(values, move |v| f(f64::from(v)) as f32))
}

/// Like [`unary`], with another form of `f` for chunks of real numbers.
pub(super) fn vectorised(
    input: Operand,
    round: RoundMode,
    f: impl Fn(f64) -> f64 + Copy + Send + Sync + 'static,
    reals: impl Fn(&mut [f32]) + Send + Sync + 'static,
) -> OpKernel {
    let reals = Arc::new(reals);
    let each = reals.clone();
    let epilogue = Epilogue::each(move |values| each(values));
    OpKernel::new(move |t| {
        let source = t.source(&input, &input.ty.shape)?;
        let result = t.result(0)?;
        if let Some(table) = table(&input.ty, result, round, f) {
            return t.fill_ints(0, |first, out| {
                source.ints(first, out);
                out.iter_mut().for_each(|v| *v = table[usize::from(*v as u8)]);
            });
        }
        if input.ty.is_plain_int() && result.is_plain_int() {
            return t.fill_ints(0, |first, out| {
                source.ints(first, out);
                out.iter_mut().for_each(|v| *v = round.round(f(*v as f64)) as i64);
            });
        }
        t.fill(0, 1, PostOp::round(round), |first, out| {
            source.reals(first, out);
            reals(out);
            Ok(())
        })
    })
    .with_epilogue(epilogue)
}

/// Applies `f` to chunks of real numbers.
pub(super) fn map(input: Operand, finish: PostOp, f: impl Fn(&mut [f32]) + Send + Sync + 'static) -> OpKernel {
    let f = Arc::new(f);
    let each = f.clone();
    let epilogue = Epilogue::each(move |values| {
        each(values);
        finish.reals(values);
    });
    OpKernel::new(move |t| {
        let source = t.source(&input, &input.ty.shape)?;
        t.fill(0, 1, finish, |first, out| {
            source.reals(first, out);
            f(out);
            Ok(())
        })
    })
    .with_epilogue(epilogue)
}

/// Returns `max(x, 0)`, and `min(x, limit)` if the limit is positive.
pub(super) fn capped(limit: f64) -> impl Fn(f64) -> f64 + Copy {
    move |x| match x {
        _ if x < 0.0 => 0.0,
        _ if limit > 0.0 && x > limit => limit,
        _ => x,
    }
}

/// Returns the result for each 8-bit value, indexed by its bits. The zero point is added before rounding, like in the
/// compiler's tables; but values that are too large saturate (the compiler yields -128 beyond 32 bits), and NaN becomes
/// 0.
fn table(input: &ValueType, result: &ValueType, round: RoundMode, f: impl Fn(f64) -> f64) -> Option<[i64; 256]> {
    let (from, (low, high)) = (input.dtype.int_range()?, result.dtype.int_range()?);
    let ((scale, zero), (to, offset)) = (input.per_tensor_scale()?, result.per_tensor_scale()?);
    if input.dtype.size() != 1 {
        return None;
    }
    let mut table = [0; 256];
    for i in from.0..=from.1 {
        let stored = f((i - zero) as f64 * scale) / to + offset as f64;
        table[usize::from(i as u8)] = round.round(stored).clamp(low as f64, high as f64) as i64;
    }
    Some(table)
}
