//! Sorting of entries.
use super::{
    OpKernel, Operand,
    layout::converted,
    workspace::{elements, of_threads, result_elements},
};
use crate::{
    array::{reserve, zeros},
    base::Result,
    ops::{Arg, ArgMode, Sort, TopK},
    quant::RoundMode,
};
use rayon::prelude::*;

/// Maps a number to an integer that sorts like it: NaN is larger than all numbers and equal to NaN; 0 and -0 are equal.
fn key(number: f64) -> u64 {
    // Negative numbers descend with their bits. Adding 0 replaces -0.
    let bits = if number.is_nan() { f64::NAN.abs() } else { number + 0.0 }.to_bits();
    let sign_mask = bits.cast_signed() >> 63;
    bits ^ (sign_mask.cast_unsigned() | 1 << 63)
}

/// Returns [`key`], or one in descending order.
fn ordered(descends: bool) -> impl Fn(f64) -> u64 + Copy {
    let mask = if descends { u64::MAX } else { 0 };
    move |number| key(number) ^ mask
}

/// Returns the number of entries along an axis.
fn entries_along(operand: &Operand, axis: i64) -> usize {
    let shape = &operand.ty.shape;
    shape.get(axis.rem_euclid(shape.len().max(1) as i64) as usize).copied().unwrap_or(1)
}

/// Compares stored values, whose order is that of the real numbers. Ties keep their order (stable). NaN is among the
/// largest entries, and among the smallest only if no others remain.
pub(super) fn top_k(op: TopK<Operand>) -> OpKernel {
    let entries = of_threads(entries_along(&op.input, op.axis), size_of::<(u64, usize)>());
    OpKernel::with_workspace(elements([&op.input], 8) + result_elements(8) + entries, move |t| {
        let stored = t.array(&op.input)?.to_f64()?;
        let shape = t.array(&op.input)?.shape();
        let axis = op.axis.rem_euclid(shape.len() as i64) as usize;
        let (dim, k) = (shape[axis], op.K as usize);
        let inner: usize = shape[axis + 1..].iter().product();
        // The indices of the entries of each block of k x inner.
        let mut indices: Vec<i64> = zeros(stored.len() / dim * k)?;
        let blocks = indices.par_chunks_mut(k * inner).zip(stored.par_chunks(dim * inner));
        let key = ordered(op.largest);
        blocks.try_for_each_init(Vec::new, |entries: &mut Vec<(u64, usize)>, (to, from)| -> Result<()> {
            for column in 0..inner {
                entries.clear();
                reserve(entries, dim)?;
                // Ties keep their order.
                entries.extend((0..dim).map(|i| (key(from[column + i * inner]), i)));
                if k < dim {
                    entries.select_nth_unstable(k);
                }
                let first = &mut entries[..k];
                first.sort_unstable();
                first.iter().enumerate().for_each(|(j, (_, i))| to[column + j * inner] = *i as i64);
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
    let dim = entries_along(&op.input, op.axis);
    top_k(TopK { K: dim as i64, largest: op.descending, ..TopK::new(op.input, op.axis) })
}

/// Returns the index of the entry with the largest key: of several, the first or the last one.
fn index_of_largest(entries: &[f64], key: impl Fn(f64) -> u64, select_last: bool) -> usize {
    let (mut at, mut most) = (0, key(entries[0]));
    for (i, entry) in entries.iter().enumerate().skip(1) {
        let key = key(*entry);
        if key > most || (key == most && select_last) {
            (at, most) = (i, key);
        }
    }
    at
}

/// Compares stored values. NaN is the maximum, and the minimum only if all entries are NaN.
pub(super) fn arg(op: Arg<Operand>) -> OpKernel {
    /// Number of neighbouring columns that are searched together.
    const COLUMNS: usize = 256;
    let key = ordered(op.mode == ArgMode::ArgMin);
    OpKernel::with_workspace(elements([&op.input], 8) + result_elements(8), move |t| {
        let shape = &op.input.ty.shape;
        let axis = op.axis.rem_euclid(shape.len() as i64) as usize;
        let (dim, inner) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
        let stored = t.array(&op.input)?.to_f64()?;
        let mut indices: Vec<i64> = zeros(stored.len() / dim)?;
        let select_last = op.select_last_index;
        let blocks = indices.par_chunks_mut(inner.max(1)).zip(stored.par_chunks((dim * inner).max(1)));
        blocks.with_min_len((1 << 12) / (dim * inner).max(1) + 1).for_each(|(to, from)| {
            if inner == 1 {
                to[0] = index_of_largest(from, key, select_last) as i64;
                return;
            }
            to.par_chunks_mut(COLUMNS).enumerate().for_each(|(part, to)| {
                let width = to.len();
                let row = |i: usize| &from[i * inner + part * COLUMNS..][..width];
                let mut most = [0; COLUMNS];
                most.iter_mut().zip(row(0)).for_each(|(most, v)| *most = key(*v));
                for i in 1..dim {
                    for ((at, most), v) in to.iter_mut().zip(&mut most).zip(row(i)) {
                        let key = key(*v);
                        let is_chosen = key > *most || (key == *most && select_last);
                        (*at, *most) = if is_chosen { (i as i64, key) } else { (*at, *most) };
                    }
                }
            });
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

#[cfg(test)]
mod tests {
    use crate::{
        Array, CpuBackend, Dtype, Graph, RunOptions,
        ops::{Arg, ArgMode, TopK},
        run,
    };
    use proptest::prelude::*;
    use std::cmp::Ordering;

    /// NaN is the largest number, and zeros are equal.
    fn by_size(a: f32, b: f32) -> Ordering {
        a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
    }

    proptest! {
        #[test]
        fn entries_are_selected_by_size_and_place(
            outer in 1usize..4, dim in 1usize..40, inner in prop_oneof![Just(1usize), 1usize..20, 250usize..300],
            k in any::<prop::sample::Index>(), largest: bool, last: bool, seed in 1usize..1000,
        ) {
            // Few different numbers, so that there are ties.
            let numbers = [f32::NAN, -0.0, 0.0, 1.5, -2.0, f32::INFINITY, f32::NEG_INFINITY, 1e-40];
            let n = outer * dim * inner;
            let values: Vec<f32> = (0..n).map(|i| numbers[i * seed % 101 % numbers.len()]).collect();
            let k = k.index(dim) + 1;
            let mut g = Graph::new("g").unwrap();
            let x = g.input("x", Dtype::Float32, [outer, dim, inner]).unwrap();
            let top = g.op(TopK { K: k as i64, largest, ..TopK::new(x, 1) }).call().unwrap();
            let mode = if largest { ArgMode::ArgMax } else { ArgMode::ArgMin };
            let arg = g.op(Arg { select_last_index: last, ..Arg::new(x, 1, true, mode) }).out_dtypes([Dtype::Int32, Dtype::Float32]).call();
            let arg = arg.unwrap();
            g.set_outputs(&[top[0], top[1], arg[0]]).unwrap();
            let feeds = [("x", Array::from_vec([outer, dim, inner], values.clone()).unwrap())];
            let got = run(&g, &feeds, &CpuBackend::new(), &RunOptions::default()).unwrap().tensors;
            let [top_values, top_indices, arg] = [0, 1, 2].map(|i| got[i].to_f32().unwrap());
            for (column, arg) in arg.iter().enumerate() {
                let (block, at) = (column / inner, column % inner);
                let entry = |i: usize| values[(block * dim + i) * inner + at];
                let mut order: Vec<usize> = (0..dim).collect();
                order.sort_by(|a, b| if largest { by_size(entry(*b), entry(*a)) } else { by_size(entry(*a), entry(*b)) });
                for (i, expected) in order.iter().enumerate().take(k) {
                    let place = (block * k + i) * inner + at;
                    prop_assert_eq!(top_indices[place], *expected as f32);
                    prop_assert_eq!(top_values[place].to_bits(), entry(*expected).to_bits());
                }
                let is_tied = |i: &&usize| by_size(entry(**i), entry(order[0])).is_eq();
                let expected = if last { order.iter().take_while(is_tied).last() } else { order.first() };
                prop_assert_eq!(*arg, *expected.unwrap() as f32);
            }
        }
    }
}
