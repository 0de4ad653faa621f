//! Data movement, on elements of any type.
use super::{
    OpKernel, Operand, ValueType,
    task::{PostOp, Task, requantized},
    transpose::{BAND, Strides, TILE, write_transposed},
    workspace::{self, Workspace},
};
use crate::{
    array::{Array, ArrayMut, Element, reserve, zeros},
    base::Result,
    ops::{Concat, ConcatSlice, List, Pack, Permute, Split, Transpose, Unpack, split_sizes},
    quant::RoundMode,
    semantics,
    views::{View, axis_of, strides},
};
use rayon::prelude::*;

/// Calls a generic function with a Rust type of the size of a dtype: elements are copied, whatever their meaning.
macro_rules! with_element {
    ($dtype:expr, $f:ident($($arg:expr),*)) => { match $dtype.size() {
        1 => $f::<u8>($($arg),*),
        2 => $f::<u16>($($arg),*),
        4 => $f::<u32>($($arg),*),
        _ => $f::<u64>($($arg),*),
    } };
}
pub(super) use with_element;

/// Copies the elements of a strided view of `from`, which begins at `start`.
fn strided<T: Element>(from: &[T], start: i64, strides: &[i64], shape: &[usize]) -> Result<Vec<T>> {
    let mut out: Vec<T> = Vec::new();
    let n = shape.iter().product();
    reserve(&mut out, n)?;
    let Some(&first) = from.first() else {
        return Ok(out);
    };
    out.resize(n, first);
    strided_into(from, start, strides, shape, &mut out);
    Ok(out)
}

/// Like [`strided`], but writes to existing memory.
pub(super) fn strided_into<T: Element>(from: &[T], start: i64, strides: &[i64], shape: &[usize], out: &mut [T]) {
    if out.is_empty() {
        return;
    }
    let axes = merged(strides, shape);
    let contiguous = axes.iter().position(|(stride, rows)| *stride == 1 && *rows >= TILE);
    if let (Some(at), &[ref outer @ .., (step, columns)]) = (contiguous, axes.as_slice())
        && step > 1
        && columns >= TILE
    {
        let others = [&outer[..at], &outer[at + 1..]];
        return transposed_into(from, start, others, (outer[at].1, columns, step as usize), out);
    }
    match *axes.as_slice() {
        [ref outer @ .., (1, rows), (step, columns)] if step > 1 && columns < TILE && rows >= TILE => {
            interleaved_into(from, start, outer, (rows, columns, step as usize), out);
        }
        [ref outer @ .., (step, row)] => rows_into(from, start, outer, (row, step), out),
        [] => out.fill(from[start as usize]),
    }
}

/// Returns the strides and sizes of the axes; adjacent axes are merged if possible.
fn merged(strides: &[i64], shape: &[usize]) -> Vec<(i64, usize)> {
    let mut axes: Vec<(i64, usize)> = Vec::with_capacity(shape.len());
    for (&stride, &size) in strides.iter().zip(shape).filter(|(_, size)| **size != 1) {
        match axes.last_mut() {
            Some((before, n)) if *before == stride.saturating_mul(size as i64) => (*before, *n) = (stride, *n * size),
            _ => axes.push((stride, size)),
        }
    }
    axes
}

/// Returns the offset of an entry of the outer axes.
fn place(start: i64, outer: &[(i64, usize)], mut entry: usize) -> i64 {
    outer.iter().rev().fold(start, |at, (stride, size)| {
        let i = entry % size;
        entry /= size;
        at + i as i64 * stride
    })
}

/// Copies rows whose elements have a common stride.
fn rows_into<T: Element>(from: &[T], start: i64, outer: &[(i64, usize)], (row, step): (usize, i64), out: &mut [T]) {
    // Finding a row's start takes divisions, so the rows of the last outer axis are stepped through instead.
    let (&(stride, rows), outer) = outer.split_last().unwrap_or((&(0, 1), &[]));
    let block = rows * row;
    let copy = |start: i64, out: &mut [T]| {
        out.chunks_mut(row).enumerate().for_each(|(r, to)| copy_row(from, start + r as i64 * stride, step, to));
    };
    if out.len() <= 1 << 16 {
        return out.chunks_mut(block).enumerate().for_each(|(i, out)| copy(place(start, outer, i), out));
    }
    let part = (1 << 12) / row + 1;
    out.par_chunks_mut(block).enumerate().with_min_len((1 << 12) / block + 1).for_each(|(i, out)| {
        let start = place(start, outer, i);
        if rows <= 2 * part {
            return copy(start, out);
        }
        let parts = out.par_chunks_mut(part * row).enumerate();
        parts.for_each(|(i, out)| copy(start + (i * part) as i64 * stride, out));
    });
}

/// Copies a row whose elements have a common stride.
fn copy_row<T: Element>(from: &[T], start: i64, step: i64, to: &mut [T]) {
    match step {
        0 => to.fill(from[start as usize]),
        1 => to.copy_from_slice(&from[start as usize..][..to.len()]),
        _ => to.iter_mut().enumerate().for_each(|(i, v)| *v = from[(start + i as i64 * step) as usize]),
    }
}

/// Copies matrices from their transposes, whose row stride is given. Of the other axes, some come before the rows, and others between rows
/// and columns.
fn transposed_into<T: Element>(
    from: &[T],
    start: i64,
    [outer, between]: [&[(i64, usize)]; 2],
    (rows, columns, step): (usize, usize, usize),
    out: &mut [T],
) {
    let matrices: usize = between.iter().map(|(_, size)| size).product();
    let strides = Strides { from: step, to: matrices * columns };
    // Few rows are divided into more tasks.
    let height = if rows < 4 * BAND { TILE } else { BAND };
    out.par_chunks_mut(rows * strides.to).enumerate().for_each(|(i, block)| {
        let start = place(start, outer, i);
        let bands = block.par_chunks_mut(height * strides.to).enumerate();
        bands.with_min_len((1 << 12) / (height * strides.to) + 1).for_each(|(band, out)| {
            let rows = out.len() / strides.to;
            for i in 0..matrices {
                let from = &from[place(start, between, i) as usize + band * height..];
                write_transposed(from, &mut out[i * columns..], strides, rows, columns);
            }
        });
    });
}

/// Like [`transposed_into`], for few columns: they are copied one after the other.
fn interleaved_into<T: Element>(
    from: &[T],
    start: i64,
    outer: &[(i64, usize)],
    (rows, columns, step): (usize, usize, usize),
    out: &mut [T],
) {
    out.par_chunks_mut(rows * columns).enumerate().for_each(|(i, matrix)| {
        let from = &from[place(start, outer, i) as usize..];
        matrix.par_chunks_mut((1 << 12) * columns).enumerate().for_each(|(part, out)| {
            for column in 0..columns {
                let from = &from[column * step + (part << 12)..];
                out[column..].iter_mut().step_by(columns).zip(from).for_each(|(o, v)| *o = *v);
            }
        });
    });
}

/// Returns the elements with the axes in another order.
pub(super) fn permuted<T: Element>(values: &[T], shape: &[usize], order: &[usize]) -> Result<Vec<T>> {
    let from = strides(shape);
    let (s, d): (Vec<i64>, Vec<usize>) = order.iter().map(|&a| (from[a], shape[a])).unzip();
    strided(values, 0, &s, &d)
}

/// Converts an operand to the result's dtype, through real numbers if the scale changes. Stored values are copied if the
/// result has no scale.
pub(super) fn converted(t: &Task, operand: &Operand, result: usize, round: RoundMode) -> Result<Array> {
    let (array, result) = (t.array(operand)?, t.result(result)?);
    if semantics::stores_the_same(&operand.ty, result) {
        return Ok(array.clone());
    }
    requantized(array, &operand.ty, result, round)
}

/// The same elements in the result's shape.
pub(super) fn reshape(input: Operand) -> OpKernel {
    OpKernel::with_workspace(workspace::converted([&input]), move |t| {
        let values = converted(t, &input, 0, RoundMode::default())?;
        t.share(0, &values)
    })
}

/// Writes the elements of a view. The result has the same number of elements, but may have another shape.
pub(super) fn write_view(to: &mut ArrayMut, from: &Array, view: &View) -> Result<()> {
    fn go<T: Element>(to: &mut ArrayMut, from: &Array, view: &View) -> Result<()> {
        strided_into(&from.bits::<T>()?, view.start, &view.strides, &view.shape, to.bits::<T>()?);
        Ok(())
    }
    with_element!(to.dtype(), go(to, from, view))
}

/// Computes a result that is a view of the operand.
pub(super) fn shown(input: Operand, view: View) -> OpKernel {
    OpKernel::with_workspace(workspace::converted([&input]), move |t| {
        let input = converted(t, &input, 0, RoundMode::default())?;
        write_view(t.memory(0)?, &input, &view)
    })
}

pub(super) fn permute(op: Permute<Operand>) -> OpKernel {
    let view = View::in_order(&op.input.ty.shape, &op.order);
    shown(op.input, view)
}

pub(super) fn transpose(op: Transpose<Operand>) -> OpKernel {
    let view = View::transposed(&op.input.ty.shape, [op.dim0, op.dim1]);
    shown(op.input, view)
}

pub(super) fn concat(op: Concat<Operand>) -> OpKernel {
    let are_ints = op.inputs.iter().all(|part| !part.ty.dtype.is_float());
    let workspace = match op.do_relu {
        // As integers of 64 bits, or as reals.
        true if are_ints => workspace::elements(&op.inputs, 8) + workspace::result_elements(8),
        true => workspace::all_reals(),
        false => workspace::converted(&op.inputs),
    };
    OpKernel::with_workspace(workspace, move |t| {
        let result = t.result(0)?;
        let axis = op.axis.rem_euclid(result.shape.len() as i64) as usize;
        let rows = result.shape[..axis].iter().product();
        if !op.do_relu {
            return join(t, &op.inputs, rows, op.round_mode);
        }
        let post_op = PostOp::relu(true, op.relu_limit).and_round(op.round_mode);
        if result.is_plain_int() && op.inputs.iter().all(|part| semantics::stores_the_same(&part.ty, result)) {
            let parts = op.inputs.iter().map(|part| t.ints(part)).collect::<Result<Vec<_>>>()?;
            let bytes: Vec<&[u8]> = parts.iter().map(|part| bytemuck::cast_slice(part)).collect();
            let mut joined = zeros::<i64>(result.elements())?;
            joined_into(&bytes, rows, bytemuck::cast_slice_mut(&mut joined));
            post_op.ints(&mut joined);
            return t.write_ints(0, &joined);
        }
        let parts = op.inputs.iter().map(|part| t.reals(part)).collect::<Result<Vec<_>>>()?;
        let bytes: Vec<&[u8]> = parts.iter().map(|part| bytemuck::cast_slice(part)).collect();
        t.write(0, post_op, |out| {
            joined_into(&bytes, rows, bytemuck::cast_slice_mut(out));
            Ok(())
        })
    })
}

/// The last entries of both operands concatenated, as many as the first operand has.
pub(super) fn concat_slice(op: ConcatSlice<Operand>) -> OpKernel {
    OpKernel::with_workspace(workspace::converted([&op.in0, &op.in1]), move |t| {
        let shape = &op.in0.ty.shape;
        let axis = op.axis.rem_euclid(shape.len() as i64) as usize;
        let rows: usize = shape[..axis].iter().product();
        let (first, second) =
            (converted(t, &op.in0, 0, RoundMode::default())?, converted(t, &op.in1, 0, RoundMode::default())?);
        let (first, second) = (first.bytes()?, second.bytes()?);
        let (whole, more) = (first.len() / rows, second.len() / rows);
        let (old, new) = (whole.saturating_sub(more), more.saturating_sub(whole));
        let both = first.chunks_exact(whole).zip(second.chunks_exact(more));
        for (to, (first, second)) in t.memory(0)?.bytes().chunks_exact_mut(whole).zip(both) {
            to[..old].copy_from_slice(&first[whole - old..]);
            to[old..].copy_from_slice(&second[new..]);
        }
        Ok(())
    })
}

/// Concatenates the parts row by row.
fn join(t: &mut Task, parts: &[Operand], rows: usize, round: RoundMode) -> Result<()> {
    let parts = parts.iter().map(|i| converted(t, i, 0, round)).collect::<Result<Vec<_>>>()?;
    let bytes = parts.iter().map(|part| part.bytes()).collect::<Result<Vec<_>>>()?;
    joined_into(&bytes, rows, t.memory(0)?.bytes());
    Ok(())
}

/// Bytes that a task copies.
const COPIED: usize = 1 << 16;

/// Concatenates the rows of the parts.
fn joined_into(parts: &[&[u8]], rows: usize, out: &mut [u8]) {
    let width = out.len() / rows;
    let height = (COPIED / width).max(1);
    // Bands of rows, so that they are in the cache until the last part is copied.
    out.par_chunks_mut(height * width).enumerate().for_each(|(band, out)| {
        let mut at = 0;
        for part in parts {
            let n = part.len() / rows;
            let from = &part[band * height * n..][..out.len() / width * n];
            let to = out.chunks_exact_mut(width).map(|row| &mut row[at..at + n]);
            // Copies of a constant size are single instructions.
            match n {
                1 => copy_narrow::<1>(from, to),
                2 => copy_narrow::<2>(from, to),
                4 => copy_narrow::<4>(from, to),
                8 => copy_narrow::<8>(from, to),
                16 => copy_narrow::<16>(from, to),
                ..=COPIED => to.zip(from.chunks_exact(n)).for_each(|(to, from)| to.copy_from_slice(from)),
                _ => to.zip(from.chunks_exact(n)).for_each(|(to, from)| copy_wide(from, to)),
            }
            at += n;
        }
    });
}

/// Copies rows of `N` bytes.
fn copy_narrow<'t, const N: usize>(from: &[u8], to: impl Iterator<Item = &'t mut [u8]>) {
    to.zip(from.as_chunks::<N>().0).for_each(|(to, from)| to.copy_from_slice(from));
}

/// Copies a row in several tasks.
fn copy_wide(from: &[u8], to: &mut [u8]) {
    to.par_chunks_mut(COPIED).zip(from.par_chunks(COPIED)).for_each(|(to, from)| to.copy_from_slice(from));
}

pub(super) fn pack(op: Pack<Operand>) -> OpKernel {
    OpKernel::with_workspace(workspace::converted(&op.inputs), move |t| {
        let shape = &t.result(0)?.shape;
        let axis = op.axis.rem_euclid(shape.len() as i64) as usize;
        join(t, &op.inputs, shape[..axis].iter().product(), RoundMode::default())
    })
}

pub(super) fn list(op: List<Operand>) -> OpKernel {
    OpKernel::with_workspace(workspace::converted(&op.inputs), move |t| join(t, &op.inputs, 1, RoundMode::default()))
}

/// Whether a part of an operand is converted without the rest, as there may be many parts. With several scales, an element's
/// scale depends on its place in the operand.
fn is_converted_alone(operand: &ValueType, part: &ValueType) -> bool {
    let has_one_scale = |ty: &ValueType| ty.per_tensor_scale().is_some();
    !semantics::stores_the_same(operand, part) && has_one_scale(operand) && has_one_scale(part)
}

/// The workspace of [`write_part`], for parts that are written one after the other.
fn parts(operand: &Operand) -> Workspace {
    let operand = operand.ty.clone();
    workspace::largest_result(move |part| match is_converted_alone(&operand, part) {
        true => (part.elements(), operand.buffer_dtype().size()),
        false if semantics::stores_the_same(&operand, part) => (0, 0),
        false => (operand.elements(), part.buffer_dtype().size()),
    })
}

/// Writes a view of an operand as a result, in the result's dtype and scale.
fn write_part(t: &mut Task, operand: &Operand, result: usize, view: &View) -> Result<()> {
    let (array, to) = (t.array(operand)?, t.result(result)?);
    if !is_converted_alone(&operand.ty, to) {
        let whole = converted(t, operand, result, RoundMode::default())?;
        return write_view(t.memory(result)?, &whole, view);
    }
    let mut part = ArrayMut::zeros(array.dtype(), &to.shape)?;
    write_view(&mut part, array, view)?;
    let from = ValueType { shape: to.shape.clone(), ..operand.ty.clone() };
    t.share(result, &requantized(&part.freeze(), &from, to, RoundMode::default())?)
}

pub(super) fn unpack(op: Unpack<Operand>) -> OpKernel {
    OpKernel::with_workspace(parts(&op.input), move |t| {
        let shape = &op.input.ty.shape;
        let axis = axis_of(op.axis, shape.len());
        for i in 0..shape[axis] {
            write_part(t, &op.input, i, &View::of_axis(shape, axis, i, 1))?;
        }
        Ok(())
    })
}

pub(super) fn split(op: Split<Operand>) -> OpKernel {
    OpKernel::with_workspace(parts(&op.input), move |t| {
        let shape = &op.input.ty.shape;
        let axis = axis_of(op.axis, shape.len());
        let mut at = 0;
        for (i, size) in split_sizes(shape[axis], &op)?.into_iter().enumerate() {
            write_part(t, &op.input, i, &View::of_axis(shape, axis, at, size))?;
            at += size;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CpuBackend, Graph, Quantization, RunOptions, base::Dtype, run};
    use ndarray::ArrayD;
    use proptest::prelude::*;

    /// Checks that results with another scale than the operand's store the same real numbers.
    #[test]
    fn parts_of_another_scale_are_requantized() {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Int8, [1, 6]).unwrap();
        g.quantize(x, &Quantization::per_tensor(0.5, 1)).unwrap();
        let parts = g.op(Split::new(x, 1, 3)).call().unwrap();
        for (part, q) in parts.iter().zip([(0.25, 0), (0.5, 3)]) {
            g.quantize(*part, &Quantization::per_tensor(q.0, q.1)).unwrap();
        }
        g.set_outputs(&parts).unwrap();
        let feeds = [("x", Array::from_vec([1, 6], vec![3i8, 100, -1, 2, 7, 8]).unwrap())];
        let got = run(&g, &feeds, &CpuBackend::new(), &RunOptions::default()).unwrap().tensors;
        let want = [[4i8, 127], [1, 4], [7, 8]];
        assert_eq!(
            got.values().cloned().collect::<Vec<_>>(),
            want.map(|v| Array::from_vec([1, 2], v.to_vec()).unwrap())
        );
    }

    #[test]
    fn matrices_of_every_element_size_are_transposed() {
        fn check<T: Element>(shape: [usize; 3], element: impl Fn(usize) -> T) {
            let a = ArrayD::from_shape_fn(shape.to_vec(), |i| element((i[0] * shape[1] + i[1]) * shape[2] + i[2]));
            let got = permuted(a.as_slice().unwrap(), a.shape(), &[0, 2, 1]).unwrap();
            assert_eq!(got, a.permuted_axes(vec![0, 2, 1]).iter().copied().collect::<Vec<_>>());
        }
        for shape in [[1, 16, 16], [3, 17, 40], [2, 100, 33], [1, 300, 301]] {
            check(shape, |i| (i % 251) as u8);
            check(shape, |i| i as u16);
            check(shape, |i| i as f32);
            check(shape, |i| i as u64);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn joined_rows_are_those_of_the_parts(
            rows in prop_oneof![1usize..4, 1000usize..4000],
            widths in prop::collection::vec(prop_oneof![prop::sample::select(vec![1usize, 2, 4, 8, 16]), 1usize..40], 1..4),
            wide in prop_oneof![Just(1usize), (COPIED - 1)..(COPIED + 2), Just(3 * COPIED + 5)],
        ) {
            // Wide parts of few rows, or narrow ones of many.
            let width = |n: usize| if rows < 4 { n.max(wide) } else { n };
            let parts: Vec<Vec<u8>> = (0..widths.len()).map(|i| (0..rows * width(widths[i])).map(|j| (j * 7 + i) as u8).collect()).collect();
            let row = |r: usize| parts.iter().zip(&widths).flat_map(move |(part, n)| part[r * width(*n)..][..width(*n)].iter().copied());
            let want: Vec<u8> = (0..rows).flat_map(row).collect();
            let mut got = vec![0; want.len()];
            joined_into(&parts.iter().map(Vec::as_slice).collect::<Vec<_>>(), rows, &mut got);
            prop_assert!(got == want);
        }
    }

    proptest! {
        #[test]
        fn permutations_are_ndarrays(
            small in prop::collection::vec(1usize..4, 0..4), medium in 1usize..40, long in prop_oneof![1usize..40, 250usize..300],
            seed in any::<u64>(),
        ) {
            let random = |i: usize| seed.rotate_left(11 * i as u32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mut shape = [small, vec![medium, long]].concat();
            shape.sort_by_key(|&size| random(size));
            let mut order: Vec<usize> = (0..shape.len()).collect();
            order.sort_by_key(|&axis| random(axis));
            let n = shape.iter().product::<usize>();
            let a = ArrayD::from_shape_vec(shape.clone(), (0..n as i32).collect()).unwrap();
            let want: Vec<i32> = a.view().permuted_axes(order.clone()).iter().copied().collect();
            let bytes = a.map(|v| (v % 251) as u8);
            let got = permuted(bytes.as_slice().unwrap(), &shape, &order).unwrap();
            prop_assert_eq!(got, want.iter().map(|v| (v % 251) as u8).collect::<Vec<_>>());
            prop_assert_eq!(permuted(a.as_slice().unwrap(), &shape, &order).unwrap(), want);
        }
    }
}
