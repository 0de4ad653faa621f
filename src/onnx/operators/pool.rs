//! Pools.
use super::{
    Convert,
    window::{Window, spatial},
};
use crate::{
    Tensor,
    array::Array,
    base::{Dtype, Result, argument, invalid},
    emit::{Emit, ints},
    import::Importer,
    node::{Node, table},
    ops::{Abs, AvgPool, Max, MaxPool, MaxPoolWithMask, Pad, PadMode, Pow, ReduceMode},
    value::Value,
};

pub const OPERATORS: &[(&str, Convert)] = &[
    ("AveragePool", average_pool),
    ("GlobalAveragePool", |b, n| global(b, n, ReduceMode::ReduceMean)),
    ("GlobalLpPool", global_lp_pool),
    ("GlobalMaxPool", |b, n| global(b, n, ReduceMode::ReduceMax)),
    ("LpPool", lp_pool),
    ("MaxPool", max_pool),
];

fn window(n: &Node, x: &Value) -> Result<Window> {
    let kernel = n.ints("kernel_shape").ok_or_else(|| invalid("it has no kernel_shape"))?;
    Window::of(n, kernel, &spatial(x)?)
}

fn global<'m>(b: &mut Importer<'m>, n: &Node<'m>, mode: ReduceMode) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let input = b.tensor(x)?;
    let made = pooled_whole(b, input, &spatial(x)?, mode)?;
    Ok(vec![b.value(made, x.dtype())?])
}

/// Adds the mean or maximum of each channel.
pub fn pooled_whole(b: &mut Importer, input: Tensor, spatial: &[usize], mode: ReduceMode) -> Result<Tensor> {
    if spatial.len() > 3 {
        let axes: Vec<usize> = (2..2 + spatial.len()).collect();
        return b.reduce(input, &axes, mode);
    }
    let (strides, pads) = (vec![1; spatial.len()], vec![0; 2 * spatial.len()]);
    match mode {
        ReduceMode::ReduceMax => b.op(MaxPool::new(input, ints(spatial), strides, pads)),
        _ => b.op(AvgPool::new(input, ints(spatial), strides, pads)),
    }
}

fn average_pool<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let made = pooled_average(b, n, x)?;
    Ok(vec![b.value(made, x.dtype())?])
}

/// Adds an average pool with the window of a node.
pub fn pooled_average(b: &mut Importer, n: &Node, x: &Value) -> Result<Tensor> {
    let window = window(n, x)?;
    let plain = window.dilations.iter().all(|&d| d == 1);
    let Some(ceil_mode) = rounding(n, x, &window).filter(|_| plain) else {
        return average_of_parts(b, n, x, &window);
    };
    let input = b.tensor(x)?;
    let count_include_pad = n.flag("count_include_pad");
    let (kernel, strides, pads) = (window.kernel.clone(), window.strides.clone(), window.pads.clone());
    let mean = b.op(AvgPool {
        ceil_mode: ceil_mode.then_some(true),
        count_include_pad,
        ..AvgPool::new(input, kernel, strides, pads)
    })?;
    if ceil_mode && count_include_pad { without_overhang(b, x, mean, &window) } else { Ok(mean) }
}

/// Corrects the means of windows that reach beyond the padding, where there is nothing to count.
fn without_overhang(b: &mut Importer, x: &Value, mean: Tensor, window: &Window) -> Result<Tensor> {
    let (from, to) = (x.shape(), b.shape(mean)?);
    let axes = window.kernel.len();
    let factors = by_window(&to[2..], |axis, at| {
        let end = from[2 + axis] as i64 + window.pads[axis] + window.pads[axes + axis];
        let inside = (end - at as i64 * window.strides[axis]).clamp(1, window.kernel[axis]);
        window.kernel[axis] as f64 / inside as f64
    })?;
    if factors.elements::<f32>()?.iter().all(|f| *f == 1.0) {
        return Ok(mean);
    }
    let factors = b.coefficient(factors)?;
    b.mul(mean, factors)
}

/// Returns a number for each window, 1 x 1 x `windows`: the product of the numbers that `number` returns for its place along each axis.
fn by_window(windows: &[usize], number: impl Fn(usize, usize) -> f64) -> Result<Array> {
    let mut numbers = vec![1.0];
    for (axis, count) in windows.iter().enumerate() {
        table(&windows[..=axis])?;
        let along: Vec<f64> = (0..*count).map(|at| number(axis, at)).collect();
        numbers = numbers.iter().flat_map(|n| along.iter().map(move |own| n * own)).collect();
    }
    Array::from_f64s(Dtype::Float32, [&[1, 1], windows].concat(), numbers.into_iter())
}

pub fn max_pool<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let window = window(n, x)?;
    if n.is_wanted(1) {
        return max_pool_with_indices(b, n, x, window);
    }
    let input = b.tensor(x)?;
    let made = match rounding(n, x, &window).filter(|_| window.dilations.iter().all(|&d| d == 1)) {
        Some(ceil_mode) => {
            let ceil_mode = ceil_mode.then_some(true);
            b.op(MaxPool { ceil_mode, ..MaxPool::new(input, window.kernel, window.strides, window.pads) })?
        }
        None => {
            let parts = parts(b, input, &window, n.flag("ceil_mode"), -f64::from(f32::MAX))?;
            combined(parts, |pair| b.op(Max::new(pair)))?
        }
    };
    Ok(vec![b.value(made, x.dtype())?])
}

/// Returns whether a pool of the Top dialect has ONNX's windows if it rounds their number up in all axes (true) or down (false); `None` if
/// neither. ONNX leaves out a window that begins in the padding behind. The Top dialect counts the padding before an axis twice to round up.
fn rounding(n: &Node, x: &Value, window: &Window) -> Option<bool> {
    if !n.flag("ceil_mode") {
        return Some(false);
    }
    let axes = window.kernel.len();
    let counts = (0..axes).map(|i| {
        let size = x.shape()[2 + i] as i64;
        let (before, after, stride) = (window.pads[i], window.pads[axes + i], window.strides[i]);
        let span = window.dilations[i] * (window.kernel[i] - 1) + 1;
        let free = size + before + after - span;
        let (down, up) = (free.div_euclid(stride) + 1, (free + stride - 1).div_euclid(stride) + 1);
        let more = (span - size - 2 * before).rem_euclid(stride);
        let top_up = (free + more).div_euclid(stride) + 1;
        (down, top_up, if (up - 1) * stride >= size + before { up - 1 } else { up })
    });
    let counts: Vec<_> = counts.collect();
    if counts.iter().all(|(_, top_up, own)| own == top_up) {
        Some(true)
    } else if counts.iter().all(|(down, _, own)| own == down) {
        Some(false)
    } else {
        None
    }
}

/// Indices are positions in the whole operand; those of `top.MaxPoolWithMask` are positions in a plane.
fn max_pool_with_indices<'m>(b: &mut Importer<'m>, n: &Node<'m>, x: &Value, window: Window) -> Result<Vec<Value>> {
    let plain = window.dilations.iter().all(|&d| d == 1) && !n.flag("ceil_mode") && n.int_or("storage_order", 0) == 0;
    let ([batch, channels, height, width], window) = match x.shape()[..] {
        [batch, channels, length] => ([batch, channels, 1, length], window.of_one_row()),
        [batch, channels, height, width] => ([batch, channels, height, width], window),
        _ => return Err(invalid("the indices of a pool are supported for 3 and 4 dimensions (sequences and images)")),
    };
    if !plain {
        return Err(invalid("indices are not supported together with dilations, ceil_mode or storage_order"));
    }
    let input = b.tensor(x)?;
    let input = b.reshape(input, &[batch, channels, height, width])?;
    let op = MaxPoolWithMask::new(input, window.kernel, window.strides, window.pads);
    let dtype = b.dtype(input)?;
    let made = b.graph.op(op).out_dtypes([dtype, Dtype::Int32]).call()?;
    let [values, mask] = made[..] else { return Err(invalid("it has two results")) };
    let first = (0..batch * channels).map(|plane| (plane * height * width) as f64);
    let first = b.coefficient(Array::from_f64s(Dtype::Int32, [batch, channels, 1, 1], first)?)?;
    let indices = b.add(mask, first)?;
    let mut shape = b.shape(values)?;
    if x.rank() == 3 {
        shape.remove(2);
    }
    Ok(vec![b.shaped(values, &shape, x.dtype())?, b.shaped(indices, &shape, Dtype::Int64)?])
}

/// The entries of the windows: for each position of the kernel, the elements there of all windows.
fn parts(b: &mut Importer, x: Tensor, window: &Window, ceil_mode: bool, padding: f64) -> Result<Vec<Tensor>> {
    let shape = b.shape(x)?;
    let axes = window.kernel.len();
    let mut paddings = vec![0; 2 * shape.len()];
    let mut counts = Vec::new();
    for i in 0..axes {
        let (before, mut after) = (window.pads[i], window.pads[axes + i]);
        let span = window.dilations[i] * (window.kernel[i] - 1) + 1;
        let free = shape[2 + i] as i64 + before + after - span;
        if free < 0 {
            return Err(argument(
                "kernel_shape",
                format!("{:?}", window.kernel),
                "the window is larger than its operand",
            ));
        }
        let mut count = free / window.strides[i] + 1;
        // A window that begins in the padding behind is left out.
        if ceil_mode && free % window.strides[i] != 0 && count * window.strides[i] < shape[2 + i] as i64 + before {
            after += window.strides[i] - free % window.strides[i];
            count += 1;
        }
        paddings[2 + i] = before;
        paddings[shape.len() + 2 + i] = after;
        counts.push(count as usize);
    }
    let x = match paddings.iter().any(|&p| p > 0) {
        true => b.op(Pad { val: padding, ..Pad::new(x, PadMode::Constant, paddings) })?,
        false => x,
    };
    let positions = window.positions()?;
    if positions > 1024 {
        return Err(argument(
            "kernel_shape",
            format!("{:?}", window.kernel),
            "with dilations, or with ceil_mode and unequal padding, at most 1024 positions are supported",
        ));
    }
    (0..positions)
        .map(|position| {
            let (mut rest, mut part) = (position, x);
            for i in (0..axes).rev() {
                let at = rest % window.kernel[i] * window.dilations[i];
                rest /= window.kernel[i];
                part = b.strided(part, 2 + i, at as usize, counts[i], window.strides[i] as usize)?;
            }
            Ok(part)
        })
        .collect()
}

fn combined(parts: Vec<Tensor>, mut pair: impl FnMut(Vec<Tensor>) -> Result<Tensor>) -> Result<Tensor> {
    let mut parts = parts.into_iter();
    let first = parts.next().ok_or_else(|| invalid("the kernel has no elements"))?;
    parts.try_fold(first, |sum, part| pair(vec![sum, part]))
}

/// The mean of each window where no pool of the Top dialect has these windows: a sum, divided by the number of elements that count.
fn average_of_parts(b: &mut Importer, n: &Node, x: &Value, window: &Window) -> Result<Tensor> {
    let (input, includes_pad) = (b.tensor(x)?, n.flag("count_include_pad"));
    let each = parts(b, input, window, n.flag("ceil_mode"), 0.0)?;
    let positions = each.len() as f64;
    let sum = combined(each, |pair| b.add(pair[0], pair[1]))?;
    if includes_pad && !n.flag("ceil_mode") {
        return b.mul_const(sum, 1.0 / positions);
    }
    let (from, to) = (x.shape(), b.shape(sum)?);
    let axes = window.kernel.len();
    let counts = by_window(&to[2..], |axis, at| {
        let (before, size, after) = (window.pads[axis], from[2 + axis] as i64, window.pads[axes + axis]);
        let counted = if includes_pad { 0..before + size + after } else { before..before + size };
        let place = |element: i64| at as i64 * window.strides[axis] + element * window.dilations[axis];
        (0..window.kernel[axis]).filter(|element| counted.contains(&place(*element))).count().max(1) as f64
    })?;
    let counts = b.coefficient(counts)?;
    b.div(sum, counts)
}

/// `(sum of |x|^p)^(1 / p)` of each window; padding counts as 0.
fn lp_pool<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let p = if n.version < 2 { n.float_or("p", 2.0) } else { n.int_or("p", 2) as f64 };
    let window = window(n, x)?;
    let input = b.tensor(x)?;
    let powers = powers(b, input, p)?;
    let sum = if window.dilations.iter().any(|&d| d != 1) || n.flag("ceil_mode") {
        let parts = parts(b, powers, &window, n.flag("ceil_mode"), 0.0)?;
        combined(parts, |pair| b.add(pair[0], pair[1]))?
    } else {
        let count = window.positions()?;
        let op =
            AvgPool { count_include_pad: true, ..AvgPool::new(powers, window.kernel, window.strides, window.pads) };
        let mean = b.op(op)?;
        b.mul_const(mean, count as f64)?
    };
    let made = b.op(Pow::new(sum, 1.0 / p))?;
    Ok(vec![b.value(made, x.dtype())?])
}

fn powers(b: &mut Importer, x: Tensor, p: f64) -> Result<Tensor> {
    let size = b.op(Abs::new(x))?;
    match p {
        1.0 => Ok(size),
        2.0 => b.square(x),
        _ => b.op(Pow::new(size, p)),
    }
}

fn global_lp_pool<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let p = n.int_or("p", 2) as f64;
    let input = b.tensor(x)?;
    let powers = powers(b, input, p)?;
    let axes: Vec<usize> = (2..x.rank()).collect();
    let sum = b.sum(powers, &axes)?;
    let made = b.op(Pow::new(sum, 1.0 / p))?;
    Ok(vec![b.value(made, x.dtype())?])
}
