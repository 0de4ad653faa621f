//! Sorting of entries.
use super::{
    OpKernel, Operand,
    blocked::InstructionSet,
    layout::converted,
    task::Task,
    workspace::{elements, of_threads, result_elements},
};
use crate::{
    array::{reserve, zeros},
    base::{Dtype, Result},
    ops::{Arg, ArgMode, Sort, TopK},
    quant::RoundMode,
};
use rayon::prelude::*;
use rten_simd::{Isa, SimdOp};

/// A stored number.
trait Number: Copy + Sync {
    /// An integer that sorts like the number: NaN is larger than all numbers and equal to NaN; 0 and -0 are equal.
    type Key: Ord + Copy + Default + Send;

    fn key(self) -> Self::Key;

    /// Returns a key in descending order.
    fn inverted(key: Self::Key) -> Self::Key;
}

macro_rules! number {
    ($float:ty, $int:ty) => {
        impl Number for $float {
            type Key = $int;

            #[inline(always)]
            fn key(self) -> $int {
                // Adding 0 replaces -0. Negative numbers descend with their bits.
                let bits = if self.is_nan() { <$float>::NAN.abs() } else { self + 0.0 }.to_bits().cast_signed();
                bits ^ ((bits >> (<$int>::BITS - 1)) & <$int>::MAX)
            }

            #[inline(always)]
            fn inverted(key: $int) -> $int {
                !key
            }
        }
    };
}

number!(f32, i32);
number!(f64, i64);

/// Returns the key of numbers, or the one in descending order.
fn ordered<T: Number>(descends: bool) -> impl Fn(T) -> T::Key + Copy + Sync {
    move |number| if descends { T::inverted(number.key()) } else { number.key() }
}

/// Returns the number of entries along an axis.
fn entries_along(operand: &Operand, axis: i64) -> usize {
    let shape = &operand.ty.shape;
    shape.get(axis.rem_euclid(shape.len().max(1) as i64) as usize).copied().unwrap_or(1)
}

/// The blocks of an array along an axis: `inner` columns of `dim` entries.
#[derive(Clone, Copy)]
struct Blocks {
    dim: usize,
    inner: usize,
}

impl Blocks {
    fn new(shape: &[usize], axis: i64) -> Blocks {
        let axis = axis.rem_euclid(shape.len() as i64) as usize;
        Blocks { dim: shape[axis], inner: shape[axis + 1..].iter().product() }
    }
    /// Copies the stored values of an operand at `indices`, `k` of each column, to a result.
    fn copy_to(self, t: &mut Task, operand: &Operand, result: usize, indices: &[i64], k: usize) -> Result<()> {
        let Blocks { dim, inner } = self;
        let input = converted(t, operand, result, RoundMode::default())?;
        let (size, stored) = (input.dtype().size(), input.bytes()?);
        let values = t.memory(result)?.bytes().chunks_exact_mut(size);
        for (at, (to, &i)) in values.zip(indices).enumerate() {
            let from = ((at / inner / k * dim + i as usize) * inner + at % inner) * size;
            to.copy_from_slice(&stored[from..from + size]);
        }
        Ok(())
    }
}

/// Compares stored values, whose order is that of the real numbers. Ties keep their order (stable). NaN is among the
/// largest entries, and among the smallest only if no others remain.
pub(super) fn top_k(op: TopK<Operand>) -> OpKernel {
    let entries = of_threads(entries_along(&op.input, op.axis), size_of::<(i64, usize)>());
    OpKernel::with_workspace(elements([&op.input], 8) + result_elements(8) + entries, move |t| {
        let array = t.array(&op.input)?;
        let (blocks, k) = (Blocks::new(array.shape(), op.axis), op.K as usize);
        let indices = if array.dtype() == Dtype::Float32 && u32::try_from(blocks.dim).is_ok() {
            let key = ordered::<f32>(op.largest);
            // Key and index share one integer, so one comparison suffices.
            let entry = |number, i: usize| (i64::from(key(number)) << 32) | i as i64;
            smallest(&array.elements::<f32>()?, blocks, k, entry, |entry| entry & i64::from(u32::MAX))
        } else {
            let key = ordered::<f64>(op.largest);
            smallest(&array.to_f64()?, blocks, k, |number, i| (key(number), i), |(_, i)| i as i64)
        }?;
        if t.result(0).is_ok() {
            blocks.copy_to(t, &op.input, 0, &indices, k)?;
        }
        if t.result(1).is_ok() { t.write_ints(1, &indices) } else { Ok(()) }
    })
}

/// Returns the indices of the `k` smallest entries of each column, in ascending order.
fn smallest<T: Copy + Sync, E: Ord + Copy + Send>(
    values: &[T],
    Blocks { dim, inner }: Blocks,
    k: usize,
    entry: impl Fn(T, usize) -> E + Sync,
    index: impl Fn(E) -> i64 + Sync,
) -> Result<Vec<i64>> {
    let mut indices: Vec<i64> = zeros(values.len() / dim * k)?;
    let blocks = indices.par_chunks_mut(k * inner).zip(values.par_chunks(dim * inner));
    blocks.try_for_each_init(Vec::new, |entries: &mut Vec<E>, (to, from)| -> Result<()> {
        entries.clear();
        reserve(entries, dim)?;
        entries.resize(dim, entry(from[0], 0));
        for column in 0..inner {
            let first =
                InstructionSet::best().run(Smallest { from: &from[column..], inner, entries, entry: &entry, k });
            first.iter().enumerate().for_each(|(j, entry)| to[column + j * inner] = index(*entry));
        }
        Ok(())
    })?;
    Ok(indices)
}

/// The `k` smallest entries of a column, in ascending order.
struct Smallest<'a, T, E, F> {
    /// Begins with the first number of the column.
    from: &'a [T],
    /// The distance between its numbers.
    inner: usize,
    /// Memory for the entries.
    entries: &'a mut [E],
    /// Creates an entry from a number and its index.
    entry: F,
    k: usize,
}

impl<'a, T: Copy, E: Ord + Copy, F: Fn(T, usize) -> E> SimdOp for Smallest<'a, T, E, F> {
    type Output = &'a [E];

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) -> &'a [E] {
        /// For `k` up to this, entries are inserted in order instead of selected.
        const FEW: usize = 32;
        /// Entries that are compared before any is inserted.
        const TOGETHER: usize = 16;
        let Smallest { from, inner, entries, entry, k } = self;
        if inner == 1 {
            entries.iter_mut().zip(from).enumerate().for_each(|(i, (e, x))| *e = entry(*x, i));
        } else {
            entries.iter_mut().zip(from.iter().step_by(inner)).enumerate().for_each(|(i, (e, x))| *e = entry(*x, i));
        }
        if k > FEW || k == 0 {
            if k < entries.len() {
                entries.select_nth_unstable(k);
            }
            entries[..k].sort_unstable();
            return &entries[..k];
        }
        let (first, rest) = entries.split_at_mut(k);
        first.sort_unstable();
        let mut largest = first[k - 1];
        for entries in rest.chunks(TOGETHER) {
            if !entries.iter().fold(false, |any, entry| any | (*entry < largest)) {
                continue;
            }
            for entry in entries {
                if *entry < largest {
                    let at = first.partition_point(|other| other < entry);
                    first.copy_within(at..k - 1, at + 1);
                    first[at] = *entry;
                    largest = first[k - 1];
                }
            }
        }
        first
    }
}

/// Like [`top_k`] with all entries.
pub(super) fn sort(op: Sort<Operand>) -> OpKernel {
    let dim = entries_along(&op.input, op.axis);
    top_k(TopK { K: dim as i64, largest: op.descending, ..TopK::new(op.input, op.axis) })
}

/// Compares stored values. NaN is the maximum, and the minimum only if all entries are NaN.
pub(super) fn arg(op: Arg<Operand>) -> OpKernel {
    OpKernel::with_workspace(elements([&op.input], 8) + result_elements(8), move |t| {
        let (array, inverts, select_last) = (t.array(&op.input)?, op.mode == ArgMode::ArgMin, op.select_last_index);
        let blocks = Blocks::new(array.shape(), op.axis);
        let indices = match array.dtype() {
            Dtype::Float32 => largest(&array.elements::<f32>()?, blocks, inverts, select_last),
            _ => largest(&array.to_f64()?, blocks, inverts, select_last),
        }?;
        if t.result(1).is_ok() {
            blocks.copy_to(t, &op.input, 1, &indices, 1)?;
        }
        if t.result(0).is_ok() { t.write_ints(0, &indices) } else { Ok(()) }
    })
}

/// Returns the index of the largest entry of each column, or the smallest one: of several, the first or the last one.
fn largest<T: Number>(
    values: &[T],
    Blocks { dim, inner }: Blocks,
    inverts: bool,
    select_last: bool,
) -> Result<Vec<i64>> {
    let (isa, key) = (InstructionSet::best(), ordered::<T>(inverts));
    let mut indices: Vec<i64> = zeros(values.len() / dim)?;
    let blocks = indices.par_chunks_mut(inner.max(1)).zip(values.par_chunks((dim * inner).max(1)));
    blocks.with_min_len((1 << 12) / (dim * inner).max(1) + 1).for_each(|(to, block)| {
        if inner == 1 {
            to[0] = isa.run(LargestOfRow { row: block, key, select_last }) as i64;
            return;
        }
        to.par_chunks_mut(COLUMNS).enumerate().for_each(|(part, indices)| {
            isa.run(LargestOfColumns { block: &block[part * COLUMNS..], inner, indices, key, select_last });
        });
    });
    Ok(indices)
}

/// The index of the largest entry of a row.
struct LargestOfRow<'a, T, F> {
    row: &'a [T],
    key: F,
    select_last: bool,
}

impl<T: Number, F: Fn(T) -> T::Key> SimdOp for LargestOfRow<'_, T, F> {
    type Output = usize;

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) -> usize {
        /// Entries that are compared at once.
        const TOGETHER: usize = 64;
        let LargestOfRow { row, key, select_last } = self;
        let most = row.iter().skip(1).fold(key(row[0]), |most, number| most.max(key(*number)));
        let is_most = |number: &T| key(*number) == most;
        let has_most = |part: &&[T]| part.iter().fold(false, |any, number| any | is_most(number));
        if select_last {
            let end =
                row.rchunks(TOGETHER).position(|part| has_most(&part)).map_or(row.len(), |i| row.len() - i * TOGETHER);
            return row[..end].iter().rposition(is_most).unwrap_or(0);
        }
        let start = row.chunks(TOGETHER).position(|part| has_most(&part)).map_or(0, |i| i * TOGETHER);
        row[start..].iter().position(is_most).map_or(0, |i| start + i)
    }
}

/// Number of neighboring columns that are searched together.
const COLUMNS: usize = 256;

/// The indices of the largest entries of at most [`COLUMNS`] neighboring columns.
struct LargestOfColumns<'a, T, F> {
    /// Begins at the first column.
    block: &'a [T],
    /// The distance between rows.
    inner: usize,
    indices: &'a mut [i64],
    key: F,
    select_last: bool,
}

impl<T: Number, F: Fn(T) -> T::Key> SimdOp for LargestOfColumns<'_, T, F> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        let LargestOfColumns { block, inner, indices, key, select_last } = self;
        let mut most = [T::Key::default(); COLUMNS];
        for (i, row) in block.chunks(inner).enumerate() {
            for ((at, most), number) in indices.iter_mut().zip(&mut most).zip(row) {
                let key = key(*number);
                let is_chosen = (i == 0) | (key > *most) | ((key == *most) & select_last);
                (*at, *most) = if is_chosen { (i as i64, key) } else { (*at, *most) };
            }
        }
    }
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
