//! Sorting of entries.
use super::{
    OpKernel, Operand,
    layout::converted,
    workspace::{elements, result_elements},
};
use crate::{
    array::{reserve, zeros},
    base::Result,
    ops::{Arg, ArgMode, Sort, TopK},
    quant::RoundMode,
};
use rayon::prelude::*;
use std::cmp::Ordering;

/// A total order of numbers: NaN is larger than all numbers and equal to NaN; 0 and -0 are equal.
fn by_size(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// Compares stored values, whose order is that of the real numbers. Ties keep their order (stable). NaN is among the
/// largest entries, and among the smallest only if no others remain.
pub(super) fn top_k(op: TopK<Operand>) -> OpKernel {
    OpKernel::with_workspace(elements([&op.input], 8) + result_elements(8), move |t| {
        let stored = t.array(&op.input)?.to_f64()?;
        let shape = t.array(&op.input)?.shape();
        let axis = op.axis.rem_euclid(shape.len() as i64) as usize;
        let (dim, k) = (shape[axis], op.K as usize);
        let inner: usize = shape[axis + 1..].iter().product();
        // The indices of the entries of each block of k x inner.
        let mut indices: Vec<i64> = zeros(stored.len() / dim * k)?;
        let blocks = indices.par_chunks_mut(k * inner).zip(stored.par_chunks(dim * inner));
        blocks.try_for_each_init(Vec::new, |order: &mut Vec<usize>, (to, from)| -> Result<()> {
            for column in 0..inner {
                let at = |i: usize| from[column + i * inner];
                order.clear();
                reserve(order, dim)?;
                order.extend(0..dim);
                // Ties keep their order.
                let by =
                    |&a: &usize, &b: &usize| if op.largest { by_size(at(b), at(a)) } else { by_size(at(a), at(b)) };
                order.sort_unstable_by(|a, b| by(a, b).then(a.cmp(b)));
                order.iter().take(k).enumerate().for_each(|(j, &i)| to[column + j * inner] = i as i64);
            }
            Ok(())
        })?;
        drop(stored);
        if t.result(0).is_ok() {
            let input = converted(t, &op.input, 0, RoundMode::default())?;
            let (size, stored) = (input.dtype().size(), input.bytes()?);
            let values = t.memory(0)?.bytes().chunks_exact_mut(size);
            for (at, (to, &i)) in values.zip(&indices).enumerate() {
                let from = ((at / inner / k * dim + i as usize) * inner + at % inner) * size;
                to.copy_from_slice(&stored[from..from + size]);
            }
        }
        if t.result(1).is_ok() { t.write_ints(1, &indices) } else { Ok(()) }
    })
}

/// Like [`top_k`] with all entries.
pub(super) fn sort(op: Sort<Operand>) -> OpKernel {
    let shape = &op.input.ty.shape;
    let dim = shape.get(op.axis.rem_euclid(shape.len().max(1) as i64) as usize).copied().unwrap_or(1);
    top_k(TopK { K: dim as i64, largest: op.descending, ..TopK::new(op.input, op.axis) })
}

/// Compares stored values. NaN is the maximum, and the minimum only if all entries are NaN.
pub(super) fn arg(op: Arg<Operand>) -> OpKernel {
    let best = match op.mode {
        ArgMode::ArgMax => Ordering::Greater,
        ArgMode::ArgMin => Ordering::Less,
    };
    OpKernel::with_workspace(elements([&op.input], 8) + result_elements(8), move |t| {
        let shape = &op.input.ty.shape;
        let axis = op.axis.rem_euclid(shape.len() as i64) as usize;
        let (dim, inner) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
        let stored = t.array(&op.input)?.to_f64()?;
        let mut indices: Vec<i64> = zeros(stored.len() / dim)?;
        indices.par_iter_mut().enumerate().for_each(|(n, index)| {
            let column = &stored[n / inner * dim * inner + n % inner..];
            let (mut at, mut value) = (0, column[0]);
            for i in 1..dim {
                let order = by_size(column[i * inner], value);
                if order == best || (order.is_eq() && op.select_last_index) {
                    (at, value) = (i, column[i * inner]);
                }
            }
            *index = at as i64;
        });
        drop(stored);
        if t.result(1).is_ok() {
            let input = converted(t, &op.input, 1, RoundMode::default())?;
            let (size, stored) = (input.dtype().size(), input.bytes()?);
            let values = t.memory(1)?.bytes().chunks_exact_mut(size);
            for (n, (to, &i)) in values.zip(&indices).enumerate() {
                let from = (n / inner * dim * inner + i as usize * inner + n % inner) * size;
                to.copy_from_slice(&stored[from..from + size]);
            }
        }
        if t.result(0).is_ok() { t.write_ints(0, &indices) } else { Ok(()) }
    })
}
