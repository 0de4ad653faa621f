use super::{
    OpKernel, Operand,
    layout::permuted,
    task::PostOp,
    workspace::{Workspace, all_reals, elements, if_result, ints, reals, result_reals},
};
use crate::ops::{CumSum, Reduce, ReduceMode, Variance, reduced_axes};
use rayon::prelude::*;

/// Sums are accumulated in f64, then rounded once.
fn reducer(mode: ReduceMode) -> fn(&[f32]) -> f32 {
    match mode {
        ReduceMode::ReduceMean => |v| (v.iter().map(|&x| f64::from(x)).sum::<f64>() / v.len() as f64) as f32,
        ReduceMode::ReduceSum => |v| v.iter().map(|&x| f64::from(x)).sum::<f64>() as f32,
        ReduceMode::ReduceProd => |v| v.iter().map(|&x| f64::from(x)).product::<f64>() as f32,
        ReduceMode::ReduceL1 => |v| v.iter().map(|&x| f64::from(x.abs())).sum::<f64>() as f32,
        ReduceMode::ReduceL2 => |v| v.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt() as f32,
        ReduceMode::ReduceMax => |v| v.iter().copied().reduce(|m, x| if x > m { x } else { m }).unwrap_or(f32::NAN),
        ReduceMode::ReduceMin => |v| v.iter().copied().reduce(|m, x| if x < m { x } else { m }).unwrap_or(f32::NAN),
    }
}

pub(super) fn reduce(op: Reduce<Operand>) -> OpKernel {
    over(op.input, op.axes, reducer(op.mode))
}

pub(super) fn variance(op: Variance<Operand>) -> OpKernel {
    let correction = op.correction;
    over(op.input, op.reduce_list, move |v| {
        let n = v.len() as f64;
        let mean = v.iter().map(|&x| f64::from(x)).sum::<f64>() / n;
        let squares = v.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>();
        // Like in PyTorch, the degrees of freedom are at least 0.
        (squares / (n - correction).max(0.0)) as f32
    })
}

/// Reduces along the axes with `f`.
fn over(input: Operand, axes: Vec<i64>, f: impl Fn(&[f32]) -> f32 + Send + Sync + 'static) -> OpKernel {
    let is_reordered = reduced_axes(&axes, input.ty.shape.len())
        .is_ok_and(|reduced| !(0..input.ty.shape.len()).is_sorted_by_key(|axis| reduced.contains(&axis)));
    let reordered = if is_reordered { elements([&input], 4) } else { Workspace::none() };
    OpKernel::with_workspace(all_reals() + reordered, move |t| {
        let shape = &input.ty.shape;
        let reduced = reduced_axes(&axes, shape.len())?;
        let (mut order, last): (Vec<usize>, Vec<usize>) = (0..shape.len()).partition(|i| !reduced.contains(i));
        let row: usize = last.iter().map(|&i| shape[i]).product();
        order.extend(last);
        let values = t.reals(&input)?;
        let rows = if order.is_sorted() { values } else { permuted(&values, shape, &order)?.into() };
        t.write(0, PostOp::default(), |out| {
            out.par_iter_mut().zip(rows.par_chunks(row.max(1))).for_each(|(o, row)| *o = f(row));
            Ok(())
        })
    })
}

/// Exact for plain integers, in float32 for all others.
pub(super) fn cum_sum(op: CumSum<Operand>) -> OpKernel {
    let is_int = op.input.ty.is_plain_int();
    let reals = reals([&op.input]) + result_reals();
    let workspace = if_result(move |result| is_int && result.is_plain_int(), ints([&op.input]), reals);
    OpKernel::with_workspace(workspace, move |t| {
        let shape = &op.input.ty.shape;
        let axis = op.axis.rem_euclid(shape.len() as i64) as usize;
        let inner: usize = shape[axis + 1..].iter().product();
        let block = (shape[axis] * inner).max(1);
        if op.input.ty.is_plain_int() && t.result(0)?.is_plain_int() {
            let mut values = t.ints(&op.input)?;
            values.par_chunks_mut(block).for_each(|v| running(v, inner, i64::saturating_add));
            return t.write_ints(0, &values);
        }
        let values = t.reals(&op.input)?;
        t.write(0, PostOp::default(), |out| {
            out.copy_from_slice(&values);
            out.par_chunks_mut(block).for_each(|v| running(v, inner, |a, b| a + b));
            Ok(())
        })
    })
}

/// Adds to each element the one `inner` elements before.
fn running<T: Copy>(values: &mut [T], inner: usize, add: impl Fn(T, T) -> T) {
    for i in inner..values.len() {
        values[i] = add(values[i], values[i - inner]);
    }
}
