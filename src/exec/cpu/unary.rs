//! Unary functions.
use super::{
    OpKernel, Operand,
    blocked::{Apply, Function, InstructionSet, fill_each, replace_each},
    chunks::Source,
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
    vectorized(input, RoundMode::default(), f, function)
}

/// Like [`function`], with another form of `f` for chunks of real numbers.
pub(super) fn in_vectors(input: Operand, f: fn(f64) -> f64, reals: fn(&mut [f32])) -> OpKernel {
    vectorized(input, RoundMode::default(), f, reals)
}

/// A function of real numbers.
pub(super) trait OfReals: Send + Sync + 'static {
    /// Replaces each number by its result.
    fn replace(&self, values: &mut [f32]);

    /// Sets each element to the result of the other one at its place.
    fn fill(&self, out: &mut [f32], others: &[f32]) {
        out.copy_from_slice(others);
        self.replace(out);
    }
}

impl<F: Fn(&mut [f32]) + Send + Sync + 'static> OfReals for F {
    fn replace(&self, values: &mut [f32]) {
        self(values);
    }
}

/// A function of one number.
#[derive(Clone, Copy)]
pub(super) struct OfEach<F>(pub F);

impl<F: Fn(f32) -> f32 + Copy + Send + Sync + 'static> OfReals for OfEach<F> {
    fn replace(&self, values: &mut [f32]) {
        replace_each(values, self.0);
    }
    fn fill(&self, out: &mut [f32], others: &[f32]) {
        fill_each(out, others, self.0);
    }
}

impl OfReals for Function {
    fn replace(&self, values: &mut [f32]) {
        InstructionSet::best().run(Apply { values, of: None, function: *self });
    }
    fn fill(&self, out: &mut [f32], others: &[f32]) {
        InstructionSet::best().run(Apply { values: out, of: Some(others), function: *self });
    }
}

/// Computes the result for the elements of an operand from `first` on.
pub(super) fn compute(source: &Source, first: usize, out: &mut [f32], f: &impl OfReals) {
    if let Some(floats) = source.floats(first, out.len()) {
        return f.fill(out, floats);
    }
    source.reals(first, out);
    f.replace(out);
}

/// Computes `f` of every element, in float64.
pub(super) fn unary(
    input: Operand,
    round: RoundMode,
    f: impl Fn(f64) -> f64 + Copy + Send + Sync + 'static,
) -> OpKernel {
    vectorized(input, round, f, OfEach(move |v| f(f64::from(v)) as f32))
}

/// Like [`unary`], with another form of `f` for chunks of real numbers.
pub(super) fn vectorized(
    input: Operand,
    round: RoundMode,
    f: impl Fn(f64) -> f64 + Copy + Send + Sync + 'static,
    reals: impl OfReals,
) -> OpKernel {
    let reals = Arc::new(reals);
    let each = reals.clone();
    let epilogue = Epilogue::each(move |values| each.replace(values));
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
            compute(&source, first, out, &*reals);
            Ok(())
        })
    })
    .with_epilogue(epilogue)
}

/// Applies `f` to chunks of real numbers.
pub(super) fn map(input: Operand, finish: PostOp, f: impl OfReals) -> OpKernel {
    let f = Arc::new(f);
    let each = f.clone();
    let epilogue = Epilogue::each(move |values| {
        each.replace(values);
        finish.reals(values);
    });
    OpKernel::new(move |t| {
        let source = t.source(&input, &input.ty.shape)?;
        t.fill(0, 1, finish, |first, out| {
            compute(&source, first, out, &*f);
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
