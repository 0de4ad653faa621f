//! Data movement, on elements of any type.
use super::{Kernel, task::CpuTask};
use crate::{
    array::{Array, Element, reserve},
    exec::Typed,
    graph::{Dtype, Result, TensorInfo},
    ops::{slice_ranges, split_sizes},
    quant::Quantization,
};
use rayon::prelude::*;
use std::borrow::Cow;

pub(super) const KERNELS: &[(&str, Kernel)] = &[
    ("Reshape", reshape),
    ("Squeeze", reshape),
    ("Unsqueeze", reshape),
    ("Permute", permute),
    ("Slice", slice),
    ("Concat", concat),
    ("Split", split),
];

/// Calls a generic function with the Rust type of a dtype's buffer.
macro_rules! with_element {
    ($dtype:expr, $f:ident($($arg:expr),*)) => { match $dtype {
        Dtype::Float32 => $f::<f32>($($arg),*),
        Dtype::Int8 => $f::<i8>($($arg),*),
        Dtype::Uint8 => $f::<u8>($($arg),*),
        Dtype::Int16 => $f::<i16>($($arg),*),
        Dtype::Uint16 => $f::<u16>($($arg),*),
        Dtype::Int32 => $f::<i32>($($arg),*),
        Dtype::Uint32 => $f::<u32>($($arg),*),
        Dtype::Int64 => $f::<i64>($($arg),*),
        Dtype::Uint64 => $f::<u64>($($arg),*),
        other => Err(crate::graph::Cause::Dtype { argument: "the operand".into(), found: other, allowed: vec![Dtype::Float32, Dtype::Int8, Dtype::Uint8, Dtype::Int16, Dtype::Uint16, Dtype::Int32, Dtype::Uint32] }.into()),
    } };
}
pub(super) use with_element;

/// Row-major strides.
pub(super) fn strides(shape: &[usize]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for i in (1..shape.len()).rev() {
        strides[i - 1] = strides[i] * shape[i] as i64;
    }
    strides
}

/// Elements of `from`, `shape` many, beginning at `start` and `strides` apart along each axis.
pub(super) fn strided<T: Copy + Send + Sync>(
    from: &[T],
    start: i64,
    strides: &[i64],
    shape: &[usize],
) -> Result<Vec<T>> {
    let (row, step) = match (shape.last(), strides.last()) {
        (Some(&row), Some(&step)) => (row, step),
        _ => (1, 1),
    };
    let outer = shape.len().saturating_sub(1);
    let rows: usize = shape[..outer].iter().product();
    let mut out: Vec<T> = Vec::new();
    reserve(&mut out, rows * row)?;
    let Some(&first) = from.first() else {
        return Ok(out);
    };
    out.resize(rows * row, first);
    let copy = |(mut r, to): (usize, &mut [T])| {
        let mut at = start;
        for i in (0..outer).rev() {
            at += (r % shape[i]) as i64 * strides[i];
            r /= shape[i];
        }
        if step == 1 {
            to.copy_from_slice(&from[at as usize..at as usize + row]);
        } else {
            to.iter_mut().enumerate().for_each(|(i, v)| *v = from[(at + i as i64 * step) as usize]);
        }
    };
    if rows * row > 1 << 16 {
        out.par_chunks_mut(row).enumerate().with_min_len((1 << 12) / row + 1).for_each(copy);
    } else {
        out.chunks_mut(row).enumerate().for_each(copy);
    }
    Ok(out)
}

/// With `axis` moved to the end, so that its entries are rows.
pub(super) fn to_last<'a>(values: &'a [f32], shape: &[usize], axis: usize) -> Result<Cow<'a, [f32]>> {
    if axis + 1 == shape.len() {
        return Ok(Cow::Borrowed(values));
    }
    let mut order: Vec<usize> = (0..shape.len()).filter(|&i| i != axis).collect();
    order.push(axis);
    permuted(values, shape, &order).map(Cow::Owned)
}

/// The inverse of [`to_last`]; `shape` is the original one.
pub(super) fn from_last(values: Vec<f32>, shape: &[usize], axis: usize) -> Result<Vec<f32>> {
    if axis + 1 == shape.len() {
        return Ok(values);
    }
    let mut moved: Vec<usize> = shape.to_vec();
    moved.remove(axis);
    moved.push(shape[axis]);
    let mut order: Vec<usize> = (0..shape.len() - 1).collect();
    order.insert(axis, shape.len() - 1);
    permuted(&values, &moved, &order)
}

pub(super) fn permuted<T: Copy + Send + Sync>(values: &[T], shape: &[usize], order: &[usize]) -> Result<Vec<T>> {
    let from = strides(shape);
    let (s, d): (Vec<i64>, Vec<usize>) = order.iter().map(|&a| (from[a], shape[a])).unzip();
    strided(values, 0, &s, &d)
}

/// The operand as the result's kind of number: as it is, or through real numbers where the scale changes. A result that
/// has no scale takes the stored values.
fn converted(t: &CpuTask, i: usize) -> Result<Array> {
    let (typed, array) = t.operand(i)?;
    let result = t.result(0)?;
    let values = |q: Option<&Quantization>| q.map(Quantization::values);
    let same_scale = result.quantization.is_none() || values(typed.quantization) == values(result.quantization);
    if typed.buffer_dtype() == result.buffer_dtype() && same_scale {
        return Ok(array.clone());
    }
    let info = TensorInfo { shape: typed.info.shape.clone(), ..result.info.clone() };
    t.store_as(&Typed { info: &info, ..*result }, t.reals(i)?.into_owned())
}

fn reshape(t: &CpuTask) -> Result<Vec<Array>> {
    Ok(vec![converted(t, 0)?.reshaped(t.result_shape()?.to_vec())?])
}

fn permute(t: &CpuTask) -> Result<Vec<Array>> {
    fn go<T: Element>(from: &Array, order: &[usize], shape: &[usize]) -> Result<Array> {
        Array::from_vec(shape, permuted(&from.elements::<T>()?, from.shape(), order)?)
    }
    let input = converted(t, 0)?;
    let rank = input.shape().len() as i64;
    let order: Vec<usize> = t.attributes().ints("order").iter().map(|a| a.rem_euclid(rank) as usize).collect();
    Ok(vec![with_element!(input.dtype(), go(&input, &order, t.result_shape()?))?])
}

fn slice(t: &CpuTask) -> Result<Vec<Array>> {
    fn go<T: Element>(from: &Array, start: i64, by: &[i64], shape: &[usize]) -> Result<Array> {
        Array::from_vec(shape, strided(&from.elements::<T>()?, start, by, shape)?)
    }
    let input = converted(t, 0)?;
    let ranges = slice_ranges(input.shape(), t.attributes())?;
    let by = strides(input.shape());
    let start = ranges.iter().zip(&by).map(|(r, s)| r.start as i64 * s).sum();
    let by: Vec<i64> = ranges.iter().zip(&by).map(|(r, s)| r.step * s).collect();
    Ok(vec![with_element!(input.dtype(), go(&input, start, &by, t.result_shape()?))?])
}

fn concat(t: &CpuTask) -> Result<Vec<Array>> {
    fn go<T: Element>(parts: &[Array], axis: usize, shape: &[usize]) -> Result<Array> {
        let slices = parts.iter().map(Array::elements::<T>).collect::<Result<Vec<_>>>()?;
        let inner: usize = shape[axis + 1..].iter().product();
        let mut out = Vec::new();
        reserve(&mut out, shape.iter().product())?;
        for o in 0..shape[..axis].iter().product() {
            for (part, slice) in parts.iter().zip(&slices) {
                let n = part.shape()[axis] * inner;
                out.extend_from_slice(&slice[o * n..(o + 1) * n]);
            }
        }
        Array::from_vec(shape, out)
    }
    let parts = (0..t.operands()).map(|i| converted(t, i)).collect::<Result<Vec<_>>>()?;
    let shape = t.result_shape()?;
    let axis = t.attributes().int("axis").rem_euclid(shape.len() as i64) as usize;
    let joined = with_element!(parts[0].dtype(), go(&parts, axis, shape))?;
    if t.attributes().bool("do_relu") && joined.dtype() == Dtype::Float32 {
        return t.store(joined.to_f32()?);
    }
    Ok(vec![joined])
}

fn split(t: &CpuTask) -> Result<Vec<Array>> {
    fn go<T: Element>(from: &Array, start: i64, shape: &[usize]) -> Result<Array> {
        Array::from_vec(shape, strided(&from.elements::<T>()?, start, &strides(from.shape()), shape)?)
    }
    let (_, input) = t.operand(0)?;
    let axis = t.attributes().int("axis").rem_euclid(input.shape().len() as i64) as usize;
    let mut at = 0;
    let sizes = split_sizes(input.shape()[axis], t.attributes())?;
    let part = |(i, size): (usize, usize)| {
        let start = at as i64 * strides(input.shape())[axis];
        at += size;
        let shape = &t.result(i)?.info.shape;
        with_element!(input.dtype(), go(input, start, shape))
    };
    sizes.into_iter().enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::ArrayD;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn permutations_are_ndarrays(shape in prop::collection::vec(1usize..5, 1..5), seed in any::<u64>()) {
            let n: usize = shape.iter().product();
            let a = ArrayD::from_shape_vec(shape.clone(), (0..n as i32).collect()).unwrap();
            let mut order: Vec<usize> = (0..shape.len()).collect();
            order.sort_by_key(|&i| seed.rotate_left(11 * i as u32).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let got = permuted(a.as_slice().unwrap(), &shape, &order).unwrap();
            prop_assert_eq!(got, a.permuted_axes(order).iter().copied().collect::<Vec<_>>());
        }
    }
}
