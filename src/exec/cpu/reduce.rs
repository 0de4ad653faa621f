use super::{
    OpKernel, Operand,
    arithmetic::{larger, smaller},
    blocked::{BLOCK, InstructionSet, fold_lanes, load_padded},
    in_blocks::channels,
    layout::permuted,
    task::{PostOp, Task},
    workspace::{Workspace, all_reals, elements, if_result, ints, reals, result_reals},
};
use crate::{
    ValueType,
    array::Element,
    base::Result,
    ops::{CumSum, Reduce, ReduceMode, Variance, reduced_axes},
    quant::RoundMode,
};
use rayon::prelude::*;
use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, NumOps},
};

/// Number of independent accumulators per row of a sum.
const SUMS: usize = 8;

/// Number of independent vector accumulators per row of a maximum or minimum.
const CANDIDATES: usize = 4;

/// Shorter rows are combined number by number. If rows of several parts are shorter, they are moved together first.
const SHORT: usize = 64;

/// Maximum number of results of a task if rows of the operand are combined: some cache lines of each row, which are read in order. The
/// sums stay in the first cache.
const COLUMNS: usize = 512;

/// Tasks with at most this many results keep their sums in a smaller array, which takes less time to clear.
const FEW_COLUMNS: usize = 64;

/// Minimum number: one cache line of each row.
const FEWEST_COLUMNS: usize = 16;

/// Minimum number of elements per task.
const TASK: usize = 1 << 12;

/// Whether the operator keeps the axes of an image that it reduces, and these are all but the batch and the channels.
pub(super) fn is_of_pixels(op: &Reduce<Operand>) -> bool {
    let rank = op.input.ty.plain_shape().len();
    op.keepdims
        && reduced_axes(&op.axes, rank).is_ok_and(|axes| (0..rank).all(|axis| axes.contains(&axis) == (axis > 1)))
}

/// Reduces along the axes, or all pixels of a channel-blocked image. Sums are accumulated in f64, then rounded once.
pub(super) fn reduce(op: Reduce<Operand>) -> OpKernel {
    if !op.input.ty.is_plain_int() {
        return of_reals(op);
    }
    let OpKernel { run, workspace, .. } = of_reals(op.clone());
    let workspace = if_result(ValueType::is_plain_int, ints([&op.input]) + ints([&op.input]), workspace);
    OpKernel::with_workspace(workspace, move |t| if t.result(0)?.is_plain_int() { of_integers(t, &op) } else { run(t) })
}

fn of_reals(op: Reduce<Operand>) -> OpKernel {
    let (real, add) = (|x: f32| f64::from(x), |a: f64, b: f64| a + b);
    match op.mode {
        ReduceMode::ReduceMean => in_parts::<SUMS>(op, 0.0, real, add, |sum, n| sum / n as f64),
        ReduceMode::ReduceSum => in_parts::<SUMS>(op, 0.0, real, add, |sum, _| sum),
        ReduceMode::ReduceL1 => in_parts::<SUMS>(op, 0.0, |x| f64::from(x.abs()), add, |sum, _| sum),
        ReduceMode::ReduceL2 => in_parts::<SUMS>(op, 0.0, |x| f64::from(x).powi(2), add, |sum, _| sum.sqrt()),
        // Products of parts might be infinite or 0 where that of all is not.
        ReduceMode::ReduceProd => in_parts::<1>(op, 1.0, real, |a, b| a * b, |product, _| product),
        ReduceMode::ReduceMax => combined(op, |x| x, larger, extreme::<true>, |most, _| most),
        ReduceMode::ReduceMin => combined(op, |x| x, smaller, extreme::<false>, |least, _| least),
    }
}

/// Reduces plain integers to plain integers, in f64, which is exact up to 2^53. Means and norms are rounded.
fn of_integers(t: &mut Task, op: &Reduce<Operand>) -> Result<()> {
    let shape = &op.input.ty.shape;
    let (values, Merged { count, .. }) = with_last(&t.ints(&op.input)?, shape, &reduced_axes(&op.axes, shape.len())?)?;
    t.fill_ints(0, |first, out| {
        for (i, out) in out.iter_mut().enumerate() {
            let row = values[(first + i) * count..][..count].iter().map(|v| *v as f64);
            let reduced = match op.mode {
                ReduceMode::ReduceMean => row.sum::<f64>() / count as f64,
                ReduceMode::ReduceSum => row.sum(),
                ReduceMode::ReduceL1 => row.map(f64::abs).sum(),
                ReduceMode::ReduceL2 => row.map(|v| v * v).sum::<f64>().sqrt(),
                ReduceMode::ReduceProd => row.product(),
                ReduceMode::ReduceMax => row.reduce(f64::max).unwrap_or(f64::NAN),
                ReduceMode::ReduceMin => row.reduce(f64::min).unwrap_or(f64::NAN),
            };
            *out = RoundMode::default().round(reduced) as i64;
        }
    })
}

/// Returns the sum of `of` of each number.
pub(super) fn sum_of(row: &[f32], of: impl Fn(f32) -> f64) -> f64 {
    combined_row::<SUMS>(None, row, of, |a, b| a + b).unwrap_or(0.0)
}

/// Like [`combined`], rows in `N` parts. `empty` is the combination of no numbers.
fn in_parts<const N: usize>(
    op: Reduce<Operand>,
    empty: f64,
    of: impl Fn(f32) -> f64 + Copy + Send + Sync + 'static,
    combine: impl Fn(f64, f64) -> f64 + Copy + Send + Sync + 'static,
    finish: impl Fn(f64, usize) -> f64 + Copy + Send + Sync + 'static,
) -> OpKernel {
    let of_row = move |before: Option<f64>, row: &[f32]| combined_row::<N>(before, row, of, combine).unwrap_or(empty);
    combined(op, of, combine, of_row, move |sum, count| finish(sum, count) as f32)
}

/// Combines the numbers along the axes, each after `of`, and applies `finish`, which also receives their count. `of_row` combines
/// contiguous ones, after those that have been combined before.
fn combined<A: Copy>(
    op: Reduce<Operand>,
    of: impl Fn(f32) -> A + Copy + Send + Sync + 'static,
    combine: impl Fn(A, A) -> A + Copy + Send + Sync + 'static,
    of_row: impl Fn(Option<A>, &[f32]) -> A + Copy + Send + Sync + 'static,
    finish: impl Fn(A, usize) -> f32 + Copy + Send + Sync + 'static,
) -> OpKernel {
    let Reduce { input, axes, .. } = op;
    let in_place = match channels(&input.ty) {
        Some(_) => Some(Merged::of_pixels(&input.ty)),
        None => reduced_axes(&axes, input.ty.shape.len()).ok().and_then(|axes| Merged::new(&input.ty.shape, &axes)),
    };
    let reordered = if in_place.is_none() { elements([&input], 4) } else { Workspace::none() };
    OpKernel::with_workspace(all_reals() + reordered, move |t| {
        let (shape, values) = (&input.ty.shape, t.reals(&input)?);
        let (values, sizes) = match in_place {
            Some(sizes) => (values, sizes),
            None => {
                let (values, sizes) = with_last(&values, shape, &reduced_axes(&axes, shape.len())?)?;
                (values.into(), sizes)
            }
        };
        let Merged { parts, count, inner, .. } = sizes;
        let number = parts * count;
        t.write(0, PostOp::default(), |out| {
            if inner == 1 {
                out.par_iter_mut().with_min_len(TASK / number.max(1) + 1).enumerate().for_each(|(i, out)| {
                    let rows = sizes.starts(i).map(|start| &values[start..][..count]);
                    let found = rows.fold(None, |before, row| Some(of_row(before, row)));
                    *out = finish(found.unwrap_or_else(|| of_row(None, &[])), number);
                });
                return Ok(());
            }
            let width = (out.len() / rayon::current_num_threads()).clamp(FEWEST_COLUMNS, COLUMNS);
            let matrices = out.par_chunks_mut(inner.max(1)).with_min_len(TASK / (number * inner).max(1) + 1);
            matrices.enumerate().for_each(|(i, out)| {
                out.par_chunks_mut(width).enumerate().for_each(|(j, out)| {
                    // The last columns are the last ones of the matrix, some of them computed before.
                    let first = (j * width).min(inner.saturating_sub(width));
                    let (mut few, mut many);
                    let sums = if width <= FEW_COLUMNS {
                        few = [of(f32::NAN); FEW_COLUMNS];
                        &mut few[..width]
                    } else {
                        many = [of(f32::NAN); COLUMNS];
                        &mut many[..width]
                    };
                    for (part, start) in sizes.starts(i).enumerate() {
                        let matrix = &values[start..][first..count * inner];
                        let columns = Columns { matrix, stride: inner, sums, is_first: part == 0, of, combine };
                        InstructionSet::best().run(columns);
                    }
                    let sums = &sums[j * width - first..];
                    out.iter_mut().zip(sums).for_each(|(out, sum)| *out = finish(*sum, number));
                });
            });
            Ok(())
        })
    })
}

/// Returns the combination of `before` and a row, or `None` of no numbers.
fn combined_row<const N: usize>(
    before: Option<f64>,
    row: &[f32],
    of: impl Fn(f32) -> f64,
    combine: impl Fn(f64, f64) -> f64,
) -> Option<f64> {
    InstructionSet::best().run(Row::<_, _, N> { before, row, of, combine })
}

/// A row whose elements are combined in `N` parts, each after `of`. The first part begins with `before`.
struct Row<'a, F, G, const N: usize> {
    before: Option<f64>,
    row: &'a [f32],
    of: F,
    combine: G,
}

impl<F: Fn(f32) -> f64, G: Fn(f64, f64) -> f64, const N: usize> SimdOp for Row<'_, F, G, N> {
    type Output = Option<f64>;

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) -> Option<f64> {
        let Row { before, row, of, combine } = self;
        let (parts, rest) = row.as_chunks::<N>();
        let Some((first, parts)) = parts.split_first() else {
            return before.into_iter().chain(rest.iter().map(|x| of(*x))).reduce(combine);
        };
        let mut sums = first.map(&of);
        if let Some(before) = before {
            sums[0] = combine(before, sums[0]);
        }
        for part in parts {
            for i in 0..N {
                sums[i] = combine(sums[i], of(part[i]));
            }
        }
        sums.into_iter().chain(rest.iter().map(|x| of(*x))).reduce(combine)
    }
}

/// Neighboring columns of a matrix: as many as there are sums, or all if there are fewer.
struct Columns<'a, A, F, G> {
    /// Begins at the first column.
    matrix: &'a [f32],
    /// The distance between rows.
    stride: usize,
    sums: &'a mut [A],
    /// Whether the sums are to be set. Those of the matrices before are continued otherwise.
    is_first: bool,
    of: F,
    combine: G,
}

impl<A: Copy, F: Fn(f32) -> A, G: Fn(A, A) -> A> SimdOp for Columns<'_, A, F, G> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        let Columns { matrix, stride, sums, is_first, of, combine } = self;
        let mut rows = matrix.chunks(stride);
        if is_first {
            let first = rows.next().unwrap_or_default();
            sums.iter_mut().zip(first).for_each(|(sum, x)| *sum = of(*x));
        }
        // The sums of a block of channels are kept in registers.
        if let (BLOCK, Some(sums)) = (stride, sums.first_chunk_mut::<BLOCK>()) {
            let mut kept = *sums;
            for row in rows.filter_map(|row| row.first_chunk::<BLOCK>()) {
                for i in 0..BLOCK {
                    kept[i] = combine(kept[i], of(row[i]));
                }
            }
            *sums = kept;
            return;
        }
        for row in rows {
            sums.iter_mut().zip(row).for_each(|(sum, x)| *sum = combine(*sum, of(*x)));
        }
    }
}

/// Returns the largest or smallest number of `before` and a row; NaN if there are none. A NaN is kept if it comes first.
fn extreme<const IS_LARGEST: bool>(before: Option<f32>, row: &[f32]) -> f32 {
    let Some(first) = before.or(row.first().copied()) else { return f32::NAN };
    if row.len() < SHORT {
        let choose = if IS_LARGEST { larger } else { smaller };
        return row.iter().copied().fold(first, choose);
    }
    InstructionSet::best().run(Extreme::<IS_LARGEST> { first, row })
}

/// The largest or smallest number of a row and `first`, which comes before it.
struct Extreme<'a, const IS_LARGEST: bool> {
    first: f32,
    row: &'a [f32],
}

impl<const IS_LARGEST: bool> SimdOp for Extreme<'_, IS_LARGEST> {
    type Output = f32;

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) -> f32 {
        let (Extreme { first, row }, ops) = (self, isa.f32());
        let (n, step) = (ops.len(), ops.len() * CANDIDATES);
        // Every candidate begins with the first number, so that others that are NaN are chosen in none.
        let mut found = [ops.splat(first); CANDIDATES];
        let whole = row.len() / step * step;
        for at in (0..whole).step_by(step) {
            let part = &row[at..at + step];
            for i in 0..CANDIDATES {
                found[i] = chosen::<_, IS_LARGEST>(ops, found[i], ops.load(&part[i * n..]));
            }
        }
        for at in (whole..row.len()).step_by(n) {
            found[0] = chosen::<_, IS_LARGEST>(ops, found[0], load_padded(ops, row, at, first));
        }
        for i in 1..CANDIDATES {
            found[0] = chosen::<_, IS_LARGEST>(ops, found[0], found[i]);
        }
        fold_lanes(found[0], first, |a, b| if IS_LARGEST { larger(a, b) } else { smaller(a, b) })
    }
}

/// Returns the larger or smaller numbers of two vectors, or those of the first if one is NaN.
#[inline(always)]
fn chosen<O: NumOps<f32>, const IS_LARGEST: bool>(ops: O, a: O::Simd, b: O::Simd) -> O::Simd {
    ops.select(b, a, if IS_LARGEST { ops.lt(a, b) } else { ops.lt(b, a) })
}

/// The axes of an operand, merged: outer ones, whose number is not stored, then `parts`, `between`, `count` and `inner`. `parts` and
/// `count` are reduced.
#[derive(Clone, Copy)]
struct Merged {
    parts: usize,
    between: usize,
    count: usize,
    inner: usize,
}

impl Merged {
    /// Returns `None` if the reduced axes are in three or more places, with others between them, or in two places with short rows.
    fn new(shape: &[usize], reduced: &[usize]) -> Option<Merged> {
        // Neighboring axes of which all are reduced, or none.
        let mut merged: Vec<(bool, usize)> = Vec::new();
        for (axis, n) in shape.iter().enumerate().filter(|(_, n)| **n != 1) {
            let is_reduced = reduced.contains(&axis);
            match merged.last_mut() {
                Some((last, size)) if *last == is_reduced => *size *= n,
                _ => merged.push((is_reduced, *n)),
            }
        }
        let inner = merged.pop_if(|(is_reduced, _)| !*is_reduced).map_or(1, |(_, n)| n);
        let mut sizes = merged.into_iter().rev().map(|(_, n)| n);
        let [count, between, parts] = std::array::from_fn(|_| sizes.next().unwrap_or(1));
        let is_short = parts > 1 && inner == 1 && count < SHORT;
        (sizes.count() <= 1 && !is_short).then_some(Merged { parts, between, count, inner })
    }
    /// Returns the sizes of a channel-blocked image whose pixels are combined.
    fn of_pixels(ty: &ValueType) -> Merged {
        Merged { parts: 1, between: 1, count: ty.plain_shape()[2..].iter().product(), inner: BLOCK }
    }
    /// Returns where each part of the operand begins for a row of `inner` results.
    fn starts(self, row: usize) -> impl Iterator<Item = usize> {
        let Merged { parts, between, count, inner } = self;
        (0..parts).map(move |part| ((row / between * parts + part) * between + row % between) * count * inner)
    }
}

/// Moves the reduced axes to the end.
fn with_last<T: Element>(values: &[T], shape: &[usize], reduced: &[usize]) -> Result<(Vec<T>, Merged)> {
    let (kept, last): (Vec<usize>, Vec<usize>) = (0..shape.len()).partition(|axis| !reduced.contains(axis));
    let count = last.iter().map(|axis| shape[*axis]).product();
    let sizes = Merged { parts: 1, between: 1, count, inner: 1 };
    Ok((permuted(values, shape, &[kept, last].concat())?, sizes))
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

/// Replaces rows along the axes by `f` of them.
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
    if inner == 1 {
        let mut values = values.iter_mut();
        let Some(mut sum) = values.next().map(|first| *first) else { return };
        for v in values {
            sum = add(*v, sum);
            *v = sum;
        }
        return;
    }
    let mut rest = values;
    while rest.len() > inner {
        let (row, next) = rest.split_at_mut(inner);
        next.iter_mut().zip(row).for_each(|(v, before)| *v = add(*v, *before));
        rest = next;
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Array, CpuBackend, Dtype, Graph, RunOptions,
        ops::{Reduce, ReduceMode},
        run,
    };
    use ndarray::{ArrayD, Axis, IxDyn};
    use proptest::prelude::*;

    /// Longer than the candidates of the longest vectors.
    const LONG: usize = 70;

    /// The definition, axis by axis: `of` is applied to each number first and `finish` to the result last.
    fn reduced(x: &ArrayD<f64>, axes: &[usize], of: fn(f64) -> f64, combine: fn(f64, f64) -> f64) -> ArrayD<f64> {
        axes.iter().fold(x.mapv(of), |x, axis| {
            let lanes = x.map_axis(Axis(*axis), |lane| lane.iter().copied().reduce(combine).unwrap());
            lanes.insert_axis(Axis(*axis))
        })
    }

    #[test]
    fn a_nan_is_kept_if_it_comes_first() {
        let nan = f32::NAN;
        for (numbers, most) in [([nan, 1.0, 2.0], nan), ([1.0, nan, 2.0], 2.0), ([2.0, 1.0, nan], 2.0)] {
            // In a row, in two columns, in a row of several parts, and in several rows or columns.
            let repeated = |n: usize| numbers.map(|number| vec![number; n]).concat();
            for (shape, values, axes) in [
                (vec![1, 3], numbers.to_vec(), vec![1]),
                (vec![3, 2], repeated(2), vec![0]),
                (vec![1, 3 * LONG], repeated(LONG), vec![1]),
                (vec![3, 2, 2], repeated(4), vec![0, 2]),
                (vec![3, 2, LONG], repeated(2 * LONG), vec![0, 2]),
                (vec![3, 2, 2, 2], repeated(8), vec![0, 2]),
            ] {
                let mut g = Graph::new("g").unwrap();
                let x = g.input("x", Dtype::Float32, &shape).unwrap();
                let y = g.op(Reduce::new(x, axes, false, ReduceMode::ReduceMax)).call().unwrap()[0];
                g.set_outputs(&[y]).unwrap();
                let feeds = [("x", Array::from_vec(shape, values).unwrap())];
                let y =
                    run(&g, &feeds, &CpuBackend::new(), &RunOptions::default()).unwrap().tensors[0].to_f32().unwrap();
                assert!(y.iter().all(|y| *y == most || y.is_nan() && most.is_nan()), "{numbers:?}: {y:?}");
            }
        }
    }

    #[test]
    fn plain_integers_are_exact() {
        use ReduceMode::*;
        let numbers = [16777217i32, 3, -16777219, 4];
        for (mode, wanted) in [
            (ReduceMax, [16777217, 4]),
            (ReduceMin, [-16777219, 3]),
            (ReduceSum, [-2, 7]),
            (ReduceMean, [-1, 4]),
            (ReduceL1, [33554436, 7]),
            (ReduceL2, [23726569, 5]),
            (ReduceProd, [i32::MIN, 12]),
        ] {
            let mut g = Graph::new("g").unwrap();
            let x = g.input("x", Dtype::Int32, [2, 2]).unwrap();
            let y = g.op(Reduce::new(x, vec![0], false, mode)).call().unwrap()[0];
            g.set_outputs(&[y]).unwrap();
            let feeds = [("x", Array::from_vec(vec![2, 2], numbers.to_vec()).unwrap())];
            let y = &run(&g, &feeds, &CpuBackend::new(), &RunOptions::default()).unwrap().tensors[0];
            assert_eq!(*y, Array::from(wanted), "{mode:?}");
        }
    }

    proptest! {
        #[test]
        fn reductions_are_the_definition(
            dims in prop::collection::vec((1usize..5, any::<bool>()), 1..7), wide in prop::option::of(60usize..140),
            at: prop::sample::Index, keeps: bool, mode in 0usize..7,
        ) {
            use ReduceMode::*;
            let mut shape: Vec<usize> = dims.iter().map(|d| d.0).collect();
            let axes: Vec<usize> = (0..shape.len()).filter(|axis| dims[*axis].1).collect();
            prop_assume!(!axes.is_empty());
            if let Some(wide) = wide {
                let at = at.index(shape.len());
                shape[at] = wide;
            }
            let n: usize = shape.iter().product();
            let numbers: Vec<f32> = (0..n).map(|i| ((i * 37 + 11) % 41) as f32 * 0.05 - 1.0).collect();
            let x = ArrayD::from_shape_vec(IxDyn(&shape), numbers.iter().map(|v| f64::from(*v)).collect()).unwrap();
            let count = axes.iter().map(|axis| shape[*axis]).product::<usize>() as f64;
            let (mode, want) = match mode {
                0 => (ReduceMean, reduced(&x, &axes, |v| v, |a, b| a + b) / count),
                1 => (ReduceSum, reduced(&x, &axes, |v| v, |a, b| a + b)),
                2 => (ReduceL1, reduced(&x, &axes, f64::abs, |a, b| a + b)),
                3 => (ReduceL2, reduced(&x, &axes, |v| v * v, |a, b| a + b).mapv(f64::sqrt)),
                4 => (ReduceProd, reduced(&x, &axes, |v| v, |a, b| a * b)),
                5 => (ReduceMax, reduced(&x, &axes, |v| v, f64::max)),
                _ => (ReduceMin, reduced(&x, &axes, |v| v, f64::min)),
            };
            let mut g = Graph::new("g").unwrap();
            let t = g.input("x", Dtype::Float32, &shape).unwrap();
            let y = g.op(Reduce::new(t, axes.iter().map(|axis| *axis as i64).collect(), keeps, mode)).call().unwrap()[0];
            g.set_outputs(&[y]).unwrap();
            let feeds = [("x", Array::from_vec(shape, numbers).unwrap())];
            let y = run(&g, &feeds, &CpuBackend::new(), &RunOptions::default()).unwrap().tensors[0].to_f64().unwrap();
            for (got, want) in y.iter().zip(&want) {
                prop_assert!((got - want).abs() <= 1e-6 * want.abs() + 1e-9, "{got}, not {want}");
            }
        }
    }
}
