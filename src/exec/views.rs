//! Strided views: operators that reorder, select or repeat the elements of an operand, described for all backends.
use crate::{
    base::Result,
    ops::{Depth2Space, Span, Upsample, depth_to_space},
};

/// A strided view of a row-major tensor: an offset, and the shape and strides of its axes, in elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    pub start: i64,
    pub strides: Vec<i64>,
    pub shape: Vec<usize>,
}

/// Row-major strides.
pub fn strides(shape: &[usize]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for i in (1..shape.len()).rev() {
        strides[i - 1] = strides[i] * shape[i] as i64;
    }
    strides
}

/// Resolves an axis, which counts from the end if it is negative; 0 for a tensor without axes.
pub fn axis_of(axis: i64, rank: usize) -> usize {
    axis.rem_euclid(rank.max(1) as i64) as usize
}

impl View {
    /// A permutation: axis `i` is axis `order[i]` of the tensor.
    pub fn in_order(shape: &[usize], order: &[i64]) -> View {
        let by = strides(shape);
        let axes = order.iter().map(|a| axis_of(*a, shape.len()));
        let (strides, shape) = axes.map(|a| (by[a], shape[a])).unzip();
        View { start: 0, strides, shape }
    }
    /// The tensor with two axes exchanged.
    pub fn transposed(shape: &[usize], [a, b]: [i64; 2]) -> View {
        let mut order: Vec<i64> = (0..shape.len() as i64).collect();
        if !order.is_empty() {
            order.swap(axis_of(a, shape.len()), axis_of(b, shape.len()));
        }
        View::in_order(shape, &order)
    }
    /// A slice, with one range per axis.
    pub fn of_ranges(shape: &[usize], ranges: &[Span]) -> View {
        let by = strides(shape);
        let start = ranges.iter().zip(&by).map(|(r, s)| r.start as i64 * s).sum();
        let strides = ranges.iter().zip(&by).map(|(r, s)| r.step * s).collect();
        View { start, strides, shape: ranges.iter().map(|r| r.count).collect() }
    }
    /// `count` entries of an axis, starting at `first`.
    pub fn of_axis(shape: &[usize], axis: usize, first: usize, count: usize) -> View {
        let (strides, mut shape) = (strides(shape), shape.to_vec());
        shape[axis] = count;
        View { start: first as i64 * strides[axis], strides, shape }
    }
    /// A tensor of one axis, broadcast along the other axes of `shape`.
    pub fn along(shape: &[usize], axis: usize) -> View {
        let strides = (0..shape.len()).map(|i| i64::from(i == axis)).collect();
        View { start: 0, strides, shape: shape.to_vec() }
    }
    /// The tensor with an axis reversed.
    pub fn reversed(shape: &[usize], axis: i64) -> View {
        let (axis, mut strides) = (axis_of(axis, shape.len()), strides(shape));
        let start = (shape[axis] as i64 - 1) * strides[axis];
        strides[axis] = -strides[axis];
        View { start, strides, shape: shape.to_vec() }
    }
    /// The tensor repeated along each axis up to the dimensions `wanted`, which are multiples of its own; there may be
    /// additional leading axes.
    pub fn tiled(shape: &[usize], wanted: &[usize]) -> View {
        let from = [&vec![1; wanted.len().saturating_sub(shape.len())], shape].concat();
        let mut view = View { start: 0, strides: Vec::new(), shape: Vec::new() };
        for ((dim, step), to) in from.iter().zip(strides(&from)).zip(wanted) {
            view.shape.extend([to / dim, *dim]);
            view.strides.extend([0, step]);
        }
        view
    }
    /// The tensor with each pixel repeated to a rectangle. Returns `None` without height and width.
    pub fn upsampled<V>(shape: &[usize], op: &Upsample<V>) -> Option<View> {
        let [.., h, w] = *shape else { return None };
        let images = shape.iter().product::<usize>() / (h * w);
        let shape = vec![images, h, op.scale_h as usize, w, op.scale_w as usize];
        Some(View { start: 0, strides: vec![(h * w) as i64, w as i64, 0, 1, 0], shape })
    }
    /// Channels interleaved across `groups`: the first of each group, then the second of each.
    pub fn shuffled(shape: &[usize], groups: usize) -> View {
        let (batch, channels, frame) = (shape[0], shape[1], shape[2..].iter().product::<usize>());
        let each = channels / groups;
        let by = [channels * frame, frame, each * frame, 1].map(|n| n as i64);
        View { start: 0, strides: by.to_vec(), shape: vec![batch, each, groups, frame] }
    }
    /// Moves channels to pixels, or pixels to channels.
    ///
    /// # Errors
    /// Returns an error if the dimensions do not divide.
    pub fn depth_to_space<V>(shape: &[usize], op: &Depth2Space<V>) -> Result<View> {
        let (input, output) = depth_to_space(shape, op)?;
        let (narrow, broad, from, to) = if op.is_inversed {
            (output, input, wide(op.in_is_NCHW), deep(op, op.out_is_NCHW))
        } else {
            (input, output, deep(op, op.in_is_NCHW), wide(op.out_is_NCHW))
        };
        let (bh, bw) = (op.block_h as usize, op.block_w as usize);
        let counts = [broad.count, broad.channels, bh, bw, narrow.height, narrow.width];
        let mut steps = [0; 6];
        from.iter().zip(strides(&from.map(|a| counts[a]))).for_each(|(&a, step)| steps[a] = step);
        Ok(View { start: 0, strides: to.map(|a| steps[a]).to_vec(), shape: to.map(|a| counts[a]).to_vec() })
    }
}

/// The axes of both tensors of [`View::depth_to_space`], each in its own order: images, channels of the wide one, rows and
/// columns of a block, height and width of the deep one.
const AXES: [usize; 6] = [0, 1, 2, 3, 4, 5];

/// The order of the axes in the tensor with more channels.
fn deep<V>(op: &Depth2Space<V>, is_nchw: bool) -> [usize; 6] {
    let [n, c, r, s, h, w] = AXES;
    let (a, b) = if op.swap_cr { (s, r) } else { (r, s) };
    let [x, y, z] = if op.is_CRD { [c, a, b] } else { [a, b, c] };
    if is_nchw { [n, x, y, z, h, w] } else { [n, h, w, x, y, z] }
}

/// The order of the axes in the tensor with more pixels.
fn wide(is_nchw: bool) -> [usize; 6] {
    let [n, c, r, s, h, w] = AXES;
    if is_nchw { [n, c, h, r, w, s] } else { [n, h, r, w, s, c] }
}
