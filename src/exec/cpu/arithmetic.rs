use super::{
    OpKernel, Operand,
    blocked::{Function, replace_each, replace_each_with},
    chunks::CHUNK,
    elementwise::Pair,
    int8::{ByteReals, Rounding, combine},
    kernel::{Epilogue, PIECE},
    task::{PostOp, Task},
    unary::{OfEach, OfReals, capped, compute, of_vectors, unary},
};
use crate::{
    ValueType,
    base::{Dtype, Result},
    ops::{
        Add, AddConst, Div, DivConst, Max, MaxConst, Min, MinConst, Mod, Mul, MulConst, Reciprocal, Remainder, Sub,
        SubConst,
    },
    quant::RoundMode,
    semantics,
};
use rayon::prelude::*;

pub(super) fn add(op: Add<Operand>, round: RoundMode) -> OpKernel {
    let finish = PostOp::relu(op.do_relu, op.relu_limit).and_round(round);
    tensors(op.inputs, Terms::of_sum(op.coeff), finish, |a, b| a + b, i64::saturating_add)
}

pub(super) fn sub(op: Sub<Operand>) -> OpKernel {
    let (finish, terms) = (PostOp::relu(op.do_relu, op.relu_limit), Terms::of_sum(op.coeff));
    if op.is_reverse {
        return tensors(op.inputs, terms, finish, |a, b| b - a, |a, b| b.saturating_sub(a));
    }
    tensors(op.inputs, terms, finish, |a, b| a - b, i64::saturating_sub)
}

pub(super) fn mul(op: Mul<Operand>, round: RoundMode) -> OpKernel {
    let finish = PostOp::relu(op.do_relu, op.relu_limit).and_round(round);
    tensors(op.inputs, Terms::Other, finish, |a, b| a * b, i64::saturating_mul)
}

pub(super) fn div(op: Div<Operand>) -> OpKernel {
    let finish = PostOp::relu(op.do_relu, op.relu_limit);
    if op.is_reverse {
        return tensors(op.inputs, Terms::Other, finish, |a, b| b / a, |a, b| b.checked_div(a).unwrap_or(0));
    }
    tensors(op.inputs, Terms::Other, finish, |a, b| a / b, |a, b| a.checked_div(b).unwrap_or(0))
}

pub(super) fn max(op: Max<Operand>) -> OpKernel {
    tensors(op.inputs, Terms::Other, PostOp::default(), maximum, i64::max)
}

pub(super) fn min(op: Min<Operand>) -> OpKernel {
    tensors(op.inputs, Terms::Other, PostOp::default(), minimum, i64::min)
}

/// Like C's and numpy's `fmod`: the result has the sign of the dividend.
pub(super) fn modulo(op: Mod<Operand>) -> OpKernel {
    tensors(op.inputs, Terms::Other, PostOp::default(), |a, b| a % b, |a, b| a.checked_rem(b).unwrap_or(0))
}

/// Like numpy's `remainder`: the result has the sign of the divisor.
pub(super) fn remainder(op: Remainder<Operand>) -> OpKernel {
    let real = |a: f32, b: f32| {
        let r = a % b;
        if r != 0.0 && (r < 0.0) != (b < 0.0) { r + b } else { r }
    };
    let int = |a: i64, b: i64| {
        let r = a.checked_rem(b).unwrap_or(0);
        if r != 0 && (r < 0) != (b < 0) { r + b } else { r }
    };
    tensors(op.inputs, Terms::Other, PostOp::default(), real, int)
}

/// Returns a Relu, or the identity.
fn relu(do_relu: bool, limit: f64) -> impl Fn(f64) -> f64 + Copy {
    let capped = capped(limit);
    move |x| if do_relu { capped(x) } else { x }
}

pub(super) fn reciprocal(op: Reciprocal<Operand>) -> OpKernel {
    let (c, relu) = (op.const_val, relu(op.do_relu, op.relu_limit));
    let f = move |x: f64| relu(c / x);
    if op.do_relu || f64::from(c as f32) != c {
        return unary(op.input, RoundMode::default(), f);
    }
    of_vectors(op.input, Function::Reciprocal(c as f32), f)
}

pub(super) fn div_const(op: DivConst<Operand>) -> OpKernel {
    let (c, is_reverse, relu) = (op.const_val, op.is_reverse, relu(op.do_relu, op.relu_limit));
    // Quotients of fractions are rounded to float32 first, like in the Top executor. Quotients of integers need no
    // rounding.
    let floor = |a: f64, b: f64| match a.fract() == 0.0 && b.fract() == 0.0 {
        true => (a / b).floor(),
        false => f64::from((a / b) as f32).floor(),
    };
    unary(op.input, RoundMode::default(), move |x| relu(if is_reverse { floor(c, x) } else { floor(x, c) }))
}

/// A function for float64 and for float32.
macro_rules! in_both {
    ($f:expr) => {
        ($f, $f)
    };
}

pub(super) fn add_const(op: AddConst<Operand>) -> OpKernel {
    let finish = PostOp::relu(op.do_relu, op.relu_limit);
    constant(op.input, op.const_val, finish, in_both!(|a, c| a + c), i64::saturating_add)
}

pub(super) fn sub_const(op: SubConst<Operand>) -> OpKernel {
    let finish = PostOp::relu(op.do_relu, op.relu_limit);
    match op.is_reverse {
        true => constant(op.input, op.const_val, finish, in_both!(|a, c| c - a), |a, c| c.saturating_sub(a)),
        false => constant(op.input, op.const_val, finish, in_both!(|a, c| a - c), i64::saturating_sub),
    }
}

pub(super) fn mul_const(op: MulConst<Operand>) -> OpKernel {
    let finish = PostOp::relu(op.do_relu, op.relu_limit);
    constant(op.input, op.const_val, finish, in_both!(|a, c| a * c), i64::saturating_mul)
}

pub(super) fn max_const(op: MaxConst<Operand>) -> OpKernel {
    constant(op.input, op.const_val, PostOp::default(), in_both!(larger), i64::max)
}

pub(super) fn min_const(op: MinConst<Operand>) -> OpKernel {
    constant(op.input, op.const_val, PostOp::default(), in_both!(smaller), i64::min)
}

/// Returns the maximum, or NaN if either is NaN. (The Top executor returns the second operand if the first is NaN.)
fn maximum<T: PartialOrd>(a: T, b: T) -> T {
    if a < b || b.partial_cmp(&b).is_none() { b } else { a }
}
/// Returns the minimum, or NaN if either is NaN.
fn minimum<T: PartialOrd>(a: T, b: T) -> T {
    if b < a || b.partial_cmp(&b).is_none() { b } else { a }
}

// Returns the first operand if the comparison fails, so a NaN in it is kept.
pub(super) fn larger<T: PartialOrd>(a: T, b: T) -> T {
    if a < b { b } else { a }
}
pub(super) fn smaller<T: PartialOrd>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

/// What is combined.
pub(super) enum Terms {
    /// Added or subtracted, each multiplied by its coefficient. An empty list stands for ones.
    OfSum(Vec<f64>),
    Other,
}

impl Terms {
    fn of_sum(coeff: Option<Vec<f64>>) -> Terms {
        Terms::OfSum(coeff.unwrap_or_default())
    }
}

/// Combines any number of tensors from left to right. The function is generic, so that each op has a vectorized loop.
pub(super) fn tensors(
    inputs: Vec<Operand>,
    terms: Terms,
    finish: PostOp,
    real: impl Fn(f32, f32) -> f32 + Copy + Send + Sync + 'static,
    int: impl Fn(i64, i64) -> i64 + Copy + Send + Sync + 'static,
) -> OpKernel {
    let (coeff, is_sum) = match terms {
        Terms::OfSum(coeff) => (coeff, true),
        Terms::Other => (Vec::new(), false),
    };
    let are_ones = coeff.iter().all(|c| *c == 1.0);
    let integer_coefficients = semantics::integer_coefficients(&coeff);
    let epilogue = if are_ones { with_another(&inputs, finish, real) } else { None };
    OpKernel::new(move |t| {
        let result = t.result(0)?;
        let are_integers = inputs.iter().map(|i| &i.ty).chain([result]).all(ValueType::is_plain_int);
        if let Some(coefficients) = integer_coefficients.as_ref().filter(|_| are_integers) {
            if are_ones && !finish.has_relu() && integer_pair(t, &inputs, int)? {
                return Ok(());
            }
            return integers(t, &inputs, coefficients, finish, &int);
        }
        let is_plain = |ty: &ValueType| ty.buffer_dtype() == Dtype::Float32;
        if let [a, b] = inputs.as_slice()
            && are_ones
            && is_plain(&a.ty)
            && is_plain(&b.ty)
        {
            let (left, right) = (t.reals(a)?, t.reals(b)?);
            let pair = Pair::new([&a.ty.shape, &b.ty.shape], &result.shape);
            return t.fill(0, 1, finish, |first, out| {
                pair.fill(first, &left, &right, out, real);
                Ok(())
            });
        }
        match bytes(&inputs, result, finish.round_mode()).filter(|_| are_ones) {
            Some((operands, rounding)) => {
                let (low, high) = finish.bounds();
                // The bound of a Relu need not be a multiple.
                let unit = ByteReals::common_unit(&operands).filter(|_| is_sum && high == f32::INFINITY);
                let rounding = unit.map_or(rounding, |unit| rounding.of_multiples(unit));
                let shape = &result.shape;
                let sources = [&t.source(&inputs[0], shape)?, &t.source(&inputs[1], shape)?];
                combine(&rounding, operands, sources, t.memory(0)?.bytes(), move |a, b| {
                    let v = real(a, b);
                    let v = if v < low { low } else { v };
                    if v > high { high } else { v }
                });
                Ok(())
            }
            None => reals(t, &inputs, &coeff, finish, real),
        }
    })
    .with_epilogue(epilogue)
}

/// Combines two tensors of plain integers that have the dtype of the result. Returns false for other numbers of tensors, and other dtypes.
fn integer_pair(t: &mut Task, inputs: &[Operand], int: impl Fn(i64, i64) -> i64 + Copy + Sync) -> Result<bool> {
    let ([a, b], result) = (inputs, t.result(0)?) else { return Ok(false) };
    let dtype = result.buffer_dtype();
    let pair = Pair::new([&a.ty.shape, &b.ty.shape], &result.shape);
    let (a, b) = (t.array(a)?, t.array(b)?);
    if [a, b].iter().any(|array| array.dtype() != dtype) {
        return Ok(false);
    }
    macro_rules! by_dtype {
        ($($d:ident: $t:ty),*) => { match dtype {
            $(Dtype::$d => {
                let (left, right) = (a.elements::<$t>()?, b.elements::<$t>()?);
                let of = move |x: $t, y: $t| int(x.into(), y.into()).clamp(<$t>::MIN.into(), <$t>::MAX.into()) as $t;
                let chunks = t.memory(0)?.elements::<$t>()?.par_chunks_mut(CHUNK).enumerate();
                chunks.for_each(|(c, out)| pair.fill(c * CHUNK, &left, &right, out, of));
            })*
            _ => return Ok(false),
        } };
    }
    by_dtype!(Int32: i32, Uint8: u8);
    Ok(true)
}

/// Returns how two tensors of bytes are read and the result is rounded, if each has one scale.
fn bytes(inputs: &[Operand], result: &ValueType, round: RoundMode) -> Option<([ByteReals; 2], Rounding)> {
    let [a, b] = inputs else { return None };
    let rounding = Rounding::new(result, round)?;
    Some(([ByteReals::new(&a.ty)?, ByteReals::new(&b.ty)?], rounding))
}

/// Combines real numbers computed by another operator with an operand.
fn with_another(
    inputs: &[Operand],
    finish: PostOp,
    real: impl Fn(f32, f32) -> f32 + Copy + Send + Sync + 'static,
) -> Option<Epilogue> {
    let [left, right] = inputs else {
        return None;
    };
    match (left.is_fused_input(), right.is_fused_input()) {
        (true, false) => Some(Epilogue::with(right, finish, real)),
        (false, true) => Some(Epilogue::with(left, finish, move |b, a| real(a, b))),
        _ => None,
    }
}

/// Computes chunk by chunk; each operand is multiplied by its coefficient.
fn reals(
    t: &mut Task,
    inputs: &[Operand],
    coeff: &[f64],
    finish: PostOp,
    f: impl Fn(f32, f32) -> f32 + Copy + Sync,
) -> Result<()> {
    let shape = &t.result(0)?.shape;
    let sources = inputs.iter().map(|i| t.source(i, shape)).collect::<Result<Vec<_>>>()?;
    let read = |i: usize, first: usize, out: &mut [f32]| {
        sources[i].reals(first, out);
        if let Some(&c) = coeff.get(i).filter(|c| **c != 1.0) {
            let c = c as f32;
            replace_each(out, move |v| v * c);
        }
    };
    t.fill(0, 1, finish, |first, out| {
        read(0, first, out);
        let mut buffer = [0.0; PIECE];
        let next = &mut buffer[..out.len()];
        for i in 1..sources.len() {
            read(i, first, next);
            replace_each_with(out, next, f);
        }
        Ok(())
    })
}

/// Combines plain integers, each times its coefficient.
fn integers(
    t: &mut Task,
    inputs: &[Operand],
    coefficients: &[i64],
    finish: PostOp,
    int: &(impl Fn(i64, i64) -> i64 + Sync),
) -> Result<()> {
    let shape = &t.result(0)?.shape;
    let sources = inputs.iter().map(|i| t.source(i, shape)).collect::<Result<Vec<_>>>()?;
    t.fill_ints(0, |first, out| {
        let scaled = |i: usize, values: &mut [i64]| {
            sources[i].ints(first, values);
            if let Some(c) = coefficients.get(i).filter(|c| **c != 1) {
                values.iter_mut().for_each(|v| *v = v.saturating_mul(*c));
            }
        };
        scaled(0, out);
        let mut next = vec![0; out.len()];
        for i in 1..sources.len() {
            scaled(i, &mut next);
            replace_each_with(out, &next, int);
        }
        finish.ints(out);
    })
}

fn constant(
    input: Operand,
    c: f64,
    finish: PostOp,
    (f, of_floats): (
        impl Fn(f64, f64) -> f64 + Copy + Send + Sync + 'static,
        impl Fn(f32, f32) -> f32 + Copy + Send + Sync + 'static,
    ),
    of_ints: impl Fn(i64, i64) -> i64 + Copy + Send + Sync + 'static,
) -> OpKernel {
    // Float64 is exact for integers of up to 32 bits, but takes several times as long.
    let int = semantics::whole_number(c);
    let ints = move |v: i64| match int {
        Some(int) => of_ints(v, int),
        None => RoundMode::default().round(f(v as f64, c)) as i64,
    };
    // In float64 if `c` is not a float32. If it is one, float32 arithmetic gives the same result.
    let float = Some(c as f32).filter(|float| f64::from(*float) == c);
    match float {
        Some(float) => with_constant(input, finish, ints, OfEach(move |v| of_floats(v, float))),
        None => with_constant(input, finish, ints, OfEach(move |v| f(f64::from(v), c) as f32)),
    }
}

/// Combines an operand with a number: stored integers by `ints`, and real numbers by `reals`.
fn with_constant(
    input: Operand,
    finish: PostOp,
    ints: impl Fn(i64) -> i64 + Copy + Send + Sync + 'static,
    reals: impl OfReals + Copy,
) -> OpKernel {
    let epilogue = Epilogue::each(move |values| {
        reals.replace(values);
        finish.reals(values);
    });
    OpKernel::new(move |t| {
        let source = t.source(&input, &input.ty.shape)?;
        if input.ty.is_plain_int() && t.result(0)?.is_plain_int() {
            return t.fill_ints(0, |first, out| {
                source.ints(first, out);
                replace_each(out, ints);
                finish.ints(out);
            });
        }
        t.fill(0, 1, finish, |first, out| {
            compute(&source, first, out, &reals);
            Ok(())
        })
    })
    .with_epilogue(epilogue)
}

#[cfg(test)]
mod tests {
    use crate::{Array, CpuBackend, Dtype, Graph, RunOptions, Scalar, Tensor, ops::Add, run};

    fn result(g: &mut Graph, y: Tensor, feeds: &[(&str, Array)]) -> Array {
        g.set_outputs(&[y]).unwrap();
        run(g, feeds, &CpuBackend::new(), &RunOptions::default()).unwrap().tensors[0].clone()
    }

    #[test]
    fn plain_integers_are_exact_and_saturate() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int32, [2]).unwrap();
        let y = g.max(x, Array::from([16777217i32, i32::MIN])).call().unwrap();
        let feeds = [("x", Array::from([16777216i32, i32::MAX]))];
        assert_eq!(result(&mut g, y, &feeds), Array::from([16777217i32, i32::MAX]));
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int8, [2]).unwrap();
        let y = g.add(x, Scalar::new(100.0, Dtype::Int8)).call().unwrap();
        assert_eq!(result(&mut g, y, &[("x", Array::from([100i8, -100]))]), Array::from([127i8, 0]));
    }

    #[test]
    fn coefficients_scale_integers() {
        for (coeff, x, y, wanted) in [
            ([2.0, -1.0], [16777217i32, i32::MIN], [-1, 1], [33554435, i32::MIN]),
            ([0.5, 1.5], [16777216, 3], [0, 1], [8388608, 3]),
        ] {
            let feeds = [("x", Array::from(x)), ("y", Array::from(y))];
            let mut g = Graph::new("g").unwrap();
            let [x, y] = ["x", "y"].map(|name| g.input(name, Dtype::Int32, [2]).unwrap());
            let added = Add { coeff: Some(coeff.to_vec()), ..Add::new(vec![x, y]) };
            let z = g.op(added).out_dtypes([Dtype::Int32]).call().unwrap()[0];
            assert_eq!(result(&mut g, z, &feeds), Array::from(wanted), "{coeff:?}");
        }
    }

    #[test]
    fn quantized_numbers_are_added_as_what_they_mean() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int8, [3]).unwrap();
        let y = g.add(x, Array::from([10i8, 10, 10])).scale([0.5, 0.25, 1.0]).zero_point([1, 2, 3]).call().unwrap();
        // (5 - 1) / 2 + (10 - 2) / 4 = 4, stored as 4 + 3; the last saturates.
        assert_eq!(result(&mut g, y, &[("x", Array::from([5i8, 6, -128]))]), Array::from([7i8, 8, -60]));
    }
}
