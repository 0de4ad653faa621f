use super::{
    OpKernel, Operand,
    blocked::{self, Function, InstructionSet, SoftmaxOfColumns, SoftmaxOfFewColumns, replace_each, replace_each_with},
    kernel::{Epilogue, PIECE},
    math::erf,
    output_tiles::for_each_tile,
    task::{PostOp, relu_of},
    unary::{OfEach, OfReals, capped, map, of_vectors, unary, vectorized},
    workspace::{Workspace, all_reals, if_result, ints, numbers},
};
use crate::{
    ops::{
        Elu, GELU, GeluApproxMode, HardSigmoid, HardSwish, LeakyRelu, PRelu, Relu, SiLU, Sigmoid, Softmax, Swish, Tanh,
    },
    quant::RoundMode,
    semantics,
};
use rayon::prelude::*;
use std::f64::consts::{FRAC_1_SQRT_2, PI};

pub(super) fn relu(op: Relu<Operand>) -> OpKernel {
    let limit = op.relu_limit;
    vectorized(op.input, RoundMode::default(), capped(limit), OfEach(relu_of(limit)))
}

pub(super) fn leaky_relu(op: LeakyRelu<Operand>) -> OpKernel {
    let alpha = op.alpha as f32;
    map(op.input, PostOp::round(op.round_mode), OfEach(move |x| if x < 0.0 { x * alpha } else { x }))
}

pub(super) fn prelu(op: PRelu<Operand>) -> OpKernel {
    // The slope is per channel, so it is broadcast to the input's shape.
    let (input, mut slope) = (op.input, op.slope);
    let rank = input.ty.shape.len();
    if let ([n], true) = (slope.ty.shape.as_slice(), rank > 1) {
        slope.ty.shape = [vec![*n], vec![1; rank - 2]].concat();
    }
    let of_one = |x: f32, slope: f32| if x < 0.0 { x * slope } else { x };
    let is_epilogue = input.is_fused_input() && !slope.is_fused_input();
    let epilogue = is_epilogue.then(|| Epilogue::with(&slope, PostOp::default(), of_one));
    OpKernel::new(move |t| {
        let shape = &t.result(0)?.shape;
        let (input, slope) = (t.source(&input, shape)?, t.source(&slope, shape)?);
        t.fill(0, 1, PostOp::default(), |first, out| {
            input.reals(first, out);
            let mut buffer = [0.0; PIECE];
            replace_each_with(out, slope.read(first, &mut buffer[..out.len()]), of_one);
            Ok(())
        })
    })
    .with_epilogue(epilogue)
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

pub(super) fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

pub(super) fn softsign(x: f64) -> f64 {
    x / (1.0 + x.abs())
}

/// Computed in float32, like the compiler's tables: the result for 9 is 9.
pub(super) fn mish(x: f64) -> f64 {
    f64::from((x * softplus(x).tanh()) as f32)
}

pub(super) fn hard_swish(op: HardSwish<Operand>) -> OpKernel {
    let f = |x: f64| x * (x / 6.0 + 0.5).clamp(0.0, 1.0);
    of_vectors(op.input, Function::HardSwish, f)
}

/// Returns a number as float32, or `None` if it is too large.
fn float32(number: f64) -> Option<f32> {
    Some(number as f32).filter(|v| v.is_finite())
}

pub(super) fn hard_sigmoid(op: HardSigmoid<Operand>) -> OpKernel {
    let (alpha, beta) = (op.alpha, op.beta);
    let f = move |x: f64| (alpha * x + beta).clamp(0.0, 1.0);
    match (float32(alpha), float32(beta)) {
        (Some(alpha), Some(beta)) => of_vectors(op.input, Function::HardLogistic { alpha, beta }, f),
        _ => unary(op.input, RoundMode::default(), f),
    }
}

pub(super) fn elu(op: Elu<Operand>) -> OpKernel {
    let alpha = op.alpha;
    let f = move |x: f64| if x > 0.0 { x } else { alpha * x.exp_m1() };
    match float32(alpha) {
        Some(alpha) => of_vectors(op.input, Function::Elu(alpha), f),
        None => unary(op.input, RoundMode::default(), f),
    }
}

pub(super) fn tanh(op: Tanh<Operand>) -> OpKernel {
    vectorized(op.input, op.round_mode, f64::tanh, Function::Tanh)
}

pub(super) fn sigmoid(op: Sigmoid<Operand>) -> OpKernel {
    if op.log {
        return unary(op.input, op.round_mode, |x| -softplus(-x));
    }
    let (scale, bias) = (op.scale, op.bias);
    if (scale, bias) == (1.0, 0.0) {
        return vectorized(op.input, op.round_mode, logistic, Function::Logistic);
    }
    let f = move |x: f64| scale * logistic(x) + bias;
    vectorized(op.input, op.round_mode, f, move |v: &mut [f32]| {
        Function::Logistic.replace(v);
        let (scale, bias) = (scale as f32, bias as f32);
        replace_each(v, move |x| x * scale + bias);
    })
}

pub(super) fn silu(op: SiLU<Operand>) -> OpKernel {
    of_vectors(op.input, Function::SiLU, |x| x / (1.0 + (-x).exp()))
}

pub(super) fn swish(op: Swish<Operand>) -> OpKernel {
    let beta = op.beta;
    let f = move |x: f64| x / (1.0 + (-x * beta).exp());
    match float32(beta) {
        Some(beta) => vectorized(op.input, op.round_mode, f, Function::Swish(beta)),
        None => unary(op.input, op.round_mode, f),
    }
}

pub(super) fn gelu(op: GELU<Operand>) -> OpKernel {
    let mode = op.approx_mode;
    let f = move |x: f64| match mode {
        GeluApproxMode::Normal => 0.5 * x * (1.0 + erf(x * FRAC_1_SQRT_2)),
        GeluApproxMode::Tanh => 0.5 * x * (1.0 + ((2.0 / PI).sqrt() * (x + 0.044715 * x.powi(3))).tanh()),
        GeluApproxMode::Sigm => x * logistic(1.702 * x),
    };
    match mode {
        GeluApproxMode::Normal => vectorized(op.input, op.round_mode, f, Function::Gelu),
        GeluApproxMode::Tanh => vectorized(op.input, op.round_mode, f, Function::GeluTanh),
        GeluApproxMode::Sigm => vectorized(op.input, op.round_mode, f, Function::Swish(1.702)),
    }
}

/// Softmax of stored values along an axis of length `n` with stride `inner`.
fn softmax_stored(values: &mut [i64], n: usize, inner: usize, finish: impl Fn(f32, f32) -> i64, table: &[f32; 256]) {
    for first in 0..inner {
        let places = || (0..n).map(|i| first + i * inner);
        let largest = places().map(|i| values[i]).max().unwrap_or(0);
        let power = |v: i64| table[(largest - v).clamp(0, 255) as usize];
        let sum = places().map(|i| power(values[i])).fold(0.0, |a, b| a + b);
        for i in places() {
            values[i] = finish(power(values[i]), sum);
        }
    }
}

/// A row, or a matrix of columns, may be the whole tensor. Columns are listed by row.
fn softmax_workspace(op: &Softmax<Operand>) -> Workspace {
    let shape = &op.input.ty.shape;
    let columns = shape[op.axis.rem_euclid(shape.len().max(1) as i64) as usize..].iter().skip(1).product::<usize>();
    let rows = if columns < blocked::SOFTMAX_COLUMNS { 0 } else { op.input.ty.elements() / columns };
    let listed = numbers(rows, size_of::<&[f32]>());
    let table = op.clone();
    if_result(move |result| semantics::softmax_table(&table, result).is_some(), ints([&op.input]), all_reals() + listed)
}

pub(super) fn softmax(op: Softmax<Operand>) -> OpKernel {
    OpKernel::with_workspace(softmax_workspace(&op), move |t| {
        let shape = &op.input.ty.shape;
        let axis = op.axis.rem_euclid(shape.len() as i64) as usize;
        let (beta, log) = (op.beta as f32, op.log);
        let finish = PostOp::round(op.round_mode);
        if let Some((table, to, offset)) = semantics::softmax_table(&op, t.result(0)?) {
            let (n, inner) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
            let stored = |power: f32, sum: f32| {
                let real = (f64::from(power) / (f64::from(sum) * to)) as f32;
                (real.round() as i64).saturating_add(offset)
            };
            let mut values = t.ints(&op.input)?;
            values.par_chunks_mut((n * inner).max(1)).for_each(|block| softmax_stored(block, n, inner, stored, &table));
            return t.write_ints(0, &values);
        }
        let (n, isa) = (shape[axis], InstructionSet::best());
        let rows = |from: &[f32], to: &mut [f32]| isa.run(blocked::Softmax { from, to, n, beta, log });
        let columns = shape[axis + 1..].iter().product::<usize>();
        if columns == 1 {
            return t.fill_rows(0, &op.input, n, finish, rows);
        }
        let (values, matrix) = (t.reals(&op.input)?, n * columns);
        if columns < blocked::SOFTMAX_COLUMNS {
            return t.fill(0, matrix, finish, |first, out| {
                let matrices = out.chunks_mut(matrix).zip(values[first..].chunks(matrix));
                matrices.for_each(|(to, from)| isa.run(SoftmaxOfFewColumns { from, to, columns, beta, log }));
                Ok(())
            });
        }
        t.write(0, finish, |out| {
            let tasks = rayon::current_num_threads().div_ceil(out.len() / matrix);
            let width = columns.div_ceil(tasks).next_multiple_of(blocked::SOFTMAX_COLUMNS);
            out.par_chunks_mut(matrix).zip(values.par_chunks(matrix)).try_for_each(|(to, from)| {
                for_each_tile((to, columns), 0..columns, [n, width], |mut tile| {
                    let (from, to) = (&from[tile.column..], &mut tile.outs);
                    isa.run(SoftmaxOfColumns { from, stride: columns, to, beta, log });
                    Ok(())
                })
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::{Array, CpuBackend, Dtype, Graph, RunOptions, ops::Softmax, run};
    use proptest::prelude::*;

    proptest! {
        /// Rows of few and of many elements, and columns of all alignments.
        #[test]
        fn softmax_is_the_definition_along_each_axis(
            outer in 1usize..4, rows in 1usize..70, columns in prop_oneof![1usize..70, 500usize..700], axis in 0usize..3,
            log: bool, beta in -2f32..2.0, masks: bool, offset in prop_oneof![Just(0f32), Just(1e4)],
        ) {
            let shape = [outer, rows, columns];
            let n: usize = shape.iter().product();
            let mut values: Vec<f32> = (0..n).map(|i| (i * 37 % 1013) as f32 * 0.02 - 10.0 + offset).collect();
            if masks && beta > 0.0 && !log {
                values.iter_mut().step_by(7).for_each(|v| *v = -1e9);
            }
            let mut g = Graph::new("g").unwrap();
            let x = g.input("x", Dtype::Float32, shape).unwrap();
            let op = Softmax { log, beta: beta.into(), ..Softmax::new(x, axis as i64) };
            let y = g.op(op).call().unwrap()[0];
            g.set_outputs(&[y]).unwrap();
            let feeds = [("x", Array::from_vec(shape, values.clone()).unwrap())];
            let got = run(&g, &feeds, &CpuBackend::new(), &RunOptions::default()).unwrap().tensors[0].to_f64().unwrap();
            let (dim, inner) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
            let scaled = |i: usize| f64::from(values[i] * beta);
            for row in 0..n / dim {
                let start = row / inner * dim * inner + row % inner;
                let entries = (0..dim).map(|j| start + j * inner);
                let most = entries.clone().map(scaled).fold(f64::NEG_INFINITY, f64::max);
                let sum: f64 = entries.clone().map(|i| (scaled(i) - most).exp()).sum();
                for i in entries {
                    let expected = scaled(i) - most - sum.ln();
                    let (expected, tolerance) = if log { (expected, 2e-5) } else { (expected.exp(), 1e-6) };
                    prop_assert!((got[i] - expected).abs() <= tolerance, "{}: {}, not {}", i, got[i], expected);
                }
            }
        }
    }
}
