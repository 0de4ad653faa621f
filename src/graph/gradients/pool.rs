//! Gradients of pools. Mean pools are linear along each axis; the gradient of a maximum goes to its first place.
use super::backward::{Backward, Output};
use crate::{
    Tensor,
    array::Array,
    base::{Dtype, Result},
    emit::{Emit, ints},
    ops::{AdaptiveAvgPool, AvgPool, MaxPool, MaxPoolWithMask, MaxPoolingIndicesBwd, MaxUnpool, Window, pool_windows},
};

pub(super) fn avg_pool(b: &mut Backward, op: &AvgPool<Tensor>, o: Output) -> Result<()> {
    let shape = b.shape(op.input)?;
    let windows = pool_windows(&shape, &op.into())?;
    let result = b.shape(o.y)?;
    b.expand(&[Some(o)], |b| {
        let mut y = b.real(op.input)?;
        for (i, window) in windows.iter().enumerate() {
            let (before, positions) = (window.pads[0], window.positions()?);
            let range = |to: usize| {
                let first = to as i64 * window.stride - before;
                let end = (first + window.kernel).clamp(0, window.input as i64);
                first.max(0) as usize..end as usize
            };
            let count = |to: usize| match op.count_include_pad {
                true => window.kernel as usize,
                false => range(to).len(),
            };
            y = b.map_axis(y, 2 + i, positions, |to| {
                let weight = 1.0 / count(to).max(1) as f64;
                range(to).map(|from| (from, weight)).collect()
            })?;
        }
        Ok(vec![b.reshape(y, &result)?])
    })
}

pub(super) fn adaptive_avg_pool(b: &mut Backward, op: &AdaptiveAvgPool<Tensor>, o: Output) -> Result<()> {
    let (input, result) = (b.shape(op.input)?, b.shape(o.y)?);
    b.expand(&[Some(o)], |b| {
        let mut y = b.real(op.input)?;
        for axis in 2..input.len() {
            let (n, parts) = (input[axis], result[axis]);
            y = b.map_axis(y, axis, parts, |to| {
                let range = to * n / parts..((to + 1) * n).div_ceil(parts);
                let weight = 1.0 / range.len() as f64;
                range.map(|from| (from, weight)).collect()
            })?;
        }
        Ok(vec![y])
    })
}

pub(super) fn max_pool(b: &mut Backward, op: &MaxPool<Tensor>, o: Output) -> Result<()> {
    let shape = b.shape(op.input)?;
    let windows = pool_windows(&shape, &op.into())?;
    let spatial: Vec<usize> = windows.iter().map(Window::positions).collect::<Result<_>>()?;
    let dy = b.reshape(o.dy, &[&shape[..2], spatial.as_slice()].concat())?;
    match windows.as_slice() {
        [line] => {
            let whole = Window { input: 1, kernel: 1, stride: 1, dilation: 1, pads: [0, 0] };
            planes(b, op.input, &[&whole, line], dy)
        }
        [rows, columns] => planes(b, op.input, &[rows, columns], dy),
        [_, rows, columns] => volume(b, op, [rows, columns], &windows[0], o),
        _ => Ok(()),
    }
}

/// Pools height and width, then depth, which finds the first of several maxima, too.
fn volume(
    b: &mut Backward,
    op: &MaxPool<Tensor>,
    [rows, columns]: [&Window; 2],
    depth: &Window,
    o: Output,
) -> Result<()> {
    let shape = b.shape(op.input)?;
    let result = b.shape(o.y)?;
    let (n, c, d) = (shape[0], shape[1], shape[2]);
    b.expand(&[Some(o)], |b| {
        let pool = |x: Tensor, windows: [&Window; 2]| MaxPool {
            keepdims: true,
            ..MaxPool::new(
                x,
                windows.map(|w| w.kernel).to_vec(),
                windows.map(|w| w.stride).to_vec(),
                [0, 1].into_iter().flat_map(|end| windows.map(|w| w.pads[end])).collect(),
            )
        };
        let (h, w) = (rows.positions()?, columns.positions()?);
        let planes = b.reshape(op.input, &[n, c * d, shape[3], shape[4]])?;
        let planes = b.op(pool(planes, [rows, columns]))?;
        let lines = b.reshape(planes, &[n, c, d, h * w])?;
        let whole = Window { input: h * w, kernel: 1, stride: 1, dilation: 1, pads: [0, 0] };
        let pooled = b.op(pool(lines, [depth, &whole]))?;
        Ok(vec![b.reshape(pooled, &result)?])
    })
}

/// Finds the places of the maxima of planes, and puts the gradient there.
fn planes(b: &mut Backward, input: Tensor, windows: &[&Window; 2], dy: Tensor) -> Result<()> {
    let shape = b.shape(input)?;
    let images = [shape[0], shape[1], windows[0].input, windows[1].input];
    let positions = [shape[0], shape[1], windows[0].positions()?, windows[1].positions()?];
    let x = b.real(input)?;
    let x = b.reshape(x, &images)?;
    let mut dy = b.reshape(dy, &positions)?;
    for (i, window) in windows.iter().enumerate() {
        dy = without_empty_windows(b, dy, 2 + i, window, positions[2 + i])?;
    }
    let (kernel, strides) = (windows.map(|w| w.kernel).to_vec(), windows.map(|w| w.stride).to_vec());
    let pads: Vec<i64> = [0, 1].into_iter().flat_map(|end| windows.map(|w| w.pads[end])).collect();
    let pool = MaxPoolWithMask::new(x, kernel.clone(), strides.clone(), pads.clone());
    let dtype = b.dtype(x)?;
    let made = b.graph.op(pool).out_dtypes([dtype, Dtype::Int32]).call()?;
    let dx = b.op(MaxPoolingIndicesBwd::new(dy, made[1], vec![1, 1], ints(&images), kernel, pads, strides))?;
    let dx = b.reshape(dx, &shape)?;
    b.give(input, dx)
}

/// Sets the gradient to 0 at the positions where the whole window is padding: no element is its maximum.
fn without_empty_windows(
    b: &mut Backward,
    dy: Tensor,
    axis: usize,
    window: &Window,
    positions: usize,
) -> Result<Tensor> {
    let is_filled = |position: usize| {
        let first = position as i64 * window.stride - window.pads[0];
        let element = if first < 0 { first.unsigned_abs().div_ceil(window.dilation as u64) as i64 } else { 0 };
        element < window.kernel && first + element * window.dilation < window.input as i64
    };
    if (0..positions).all(is_filled) {
        return Ok(dy);
    }
    let filled = (0..positions).map(|position| f64::from(u8::from(is_filled(position))));
    let filled = b.coefficient(Array::from_f64s(Dtype::Float32, [positions], filled)?)?;
    let filled = b.along(filled, axis, 4)?;
    let shape = b.shape(dy)?;
    let filled = b.expand_to(filled, &shape)?;
    b.select_or(filled, dy, 0.0)
}

/// The mask only says where maxima are.
pub(super) fn max_pool_with_mask(b: &mut Backward, op: &MaxPoolWithMask<Tensor>, o: Output) -> Result<()> {
    let shape = b.shape(op.input)?;
    let windows = pool_windows(&shape, &op.into())?;
    match windows.as_slice() {
        [rows, columns] => {
            let positions = [shape[0], shape[1], rows.positions()?, columns.positions()?];
            let dy = b.reshape(o.dy, &positions)?;
            planes(b, op.input, &[rows, columns], dy)
        }
        _ => {
            let MaxPoolWithMask { input, kernel_shape, strides, pads, auto_pad, keepdims, .. } = op.clone();
            let pool = MaxPool { auto_pad, keepdims, ..MaxPool::new(input, kernel_shape, strides, pads) };
            max_pool(b, &pool, o)
        }
    }
}

/// Reads the gradient at the places that were written.
pub(super) fn max_unpool(b: &mut Backward, op: &MaxUnpool<Tensor>, o: Output) -> Result<()> {
    let (input, result) = (b.shape(op.input)?, b.shape(o.y)?);
    let [n, c] = [input[0], input[1]];
    let dy = b.reshape(o.dy, &[n, c, result[2] * result[3]])?;
    let places = b.reshape(op.mask, &[n, c, input[2] * input[3]])?;
    let dx = b.op(crate::ops::GatherElements { axis: 2, ..crate::ops::GatherElements::new(dy, places) })?;
    let dx = b.reshape(dx, &input)?;
    b.give(op.input, dx)
}
