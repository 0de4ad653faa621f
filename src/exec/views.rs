//! Operators that show an operand's elements in another order, some of them or some often: where each element of the result is,
//! whatever backend moves them.
use crate::{
    base::Result,
    ops::{Depth2Space, Span, Upsample, depth_to_space},
};

/// Elements of a tensor, by their places in its row-major memory: from `start` on, so many along each axis, which lie `by`
/// apart. In their order they are another tensor, whatever its own axes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    pub start: i64,
    pub by: Vec<i64>,
    pub counts: Vec<usize>,
}

/// Row-major strides.
pub fn strides(shape: &[usize]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for i in (1..shape.len()).rev() {
        strides[i - 1] = strides[i] * shape[i] as i64;
    }
    strides
}

/// An axis, counted from the end where it is negative; of a tensor without axes, 0.
pub fn axis_of(axis: i64, rank: usize) -> usize {
    axis.rem_euclid(rank.max(1) as i64) as usize
}

impl View {
    /// Axis `i` is axis `order[i]` of the tensor.
    pub fn in_order(shape: &[usize], order: &[i64]) -> View {
        let by = strides(shape);
        let axes = order.iter().map(|a| axis_of(*a, shape.len()));
        let (by, counts) = axes.map(|a| (by[a], shape[a])).unzip();
        View { start: 0, by, counts }
    }
    /// With two axes exchanged.
    pub fn transposed(shape: &[usize], [a, b]: [i64; 2]) -> View {
        let mut order: Vec<i64> = (0..shape.len() as i64).collect();
        if !order.is_empty() {
            order.swap(axis_of(a, shape.len()), axis_of(b, shape.len()));
        }
        View::in_order(shape, &order)
    }
    /// Ranges, one an axis.
    pub fn of_ranges(shape: &[usize], ranges: &[Span]) -> View {
        let by = strides(shape);
        let start = ranges.iter().zip(&by).map(|(r, s)| r.start as i64 * s).sum();
        let by = ranges.iter().zip(&by).map(|(r, s)| r.step * s).collect();
        View { start, by, counts: ranges.iter().map(|r| r.count).collect() }
    }
    /// `count` entries of an axis, from the one at `first` on.
    pub fn of_axis(shape: &[usize], axis: usize, first: usize, count: usize) -> View {
        let (by, mut counts) = (strides(shape), shape.to_vec());
        counts[axis] = count;
        View { start: first as i64 * by[axis], by, counts }
    }
    /// A tensor of one axis, the same for all indices of the other axes of `shape`.
    pub fn along(shape: &[usize], axis: usize) -> View {
        let by = (0..shape.len()).map(|i| i64::from(i == axis)).collect();
        View { start: 0, by, counts: shape.to_vec() }
    }
    /// An axis from its end to its beginning.
    pub fn reversed(shape: &[usize], axis: i64) -> View {
        let (axis, mut by) = (axis_of(axis, shape.len()), strides(shape));
        let start = (shape[axis] as i64 - 1) * by[axis];
        by[axis] = -by[axis];
        View { start, by, counts: shape.to_vec() }
    }
    /// Again and again along each axis, up to the dimensions that are wanted, which are multiples of the tensor's own; there
    /// may be more axes in front.
    pub fn tiled(shape: &[usize], wanted: &[usize]) -> View {
        let from = [&vec![1; wanted.len().saturating_sub(shape.len())], shape].concat();
        let (mut by, mut counts) = (Vec::new(), Vec::new());
        for ((dim, step), to) in from.iter().zip(strides(&from)).zip(wanted) {
            counts.extend([to / dim, *dim]);
            by.extend([0, step]);
        }
        View { start: 0, by, counts }
    }
    /// Each pixel as a rectangle; none of a tensor without height and width.
    pub fn upsampled<V>(shape: &[usize], op: &Upsample<V>) -> Option<View> {
        let [.., h, w] = *shape else { return None };
        let images = shape.iter().product::<usize>() / (h * w);
        let counts = vec![images, h, op.scale_h as usize, w, op.scale_w as usize];
        Some(View { start: 0, by: vec![(h * w) as i64, w as i64, 0, 1, 0], counts })
    }
    /// Channels of so many groups, the first of each before the second of each.
    pub fn shuffled(shape: &[usize], groups: usize) -> View {
        let (batch, channels, frame) = (shape[0], shape[1], shape[2..].iter().product::<usize>());
        let each = channels / groups;
        let by = [channels * frame, frame, each * frame, 1].map(|n| n as i64);
        View { start: 0, by: by.to_vec(), counts: vec![batch, each, groups, frame] }
    }
    /// Channels as pixels, or pixels as channels.
    ///
    /// # Errors
    /// The dimensions do not divide.
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
        Ok(View { start: 0, by: to.map(|a| steps[a]).to_vec(), counts: to.map(|a| counts[a]).to_vec() })
    }
}

/// Axes that both tensors of [`View::depth_to_space`] have, in orders of their own: images, channels of the wide one, rows and
/// columns of a block, height and width of the deep one.
const AXES: [usize; 6] = [0, 1, 2, 3, 4, 5];

/// The order in the tensor of many channels.
fn deep<V>(op: &Depth2Space<V>, is_nchw: bool) -> [usize; 6] {
    let [n, c, r, s, h, w] = AXES;
    let (a, b) = if op.swap_cr { (s, r) } else { (r, s) };
    let [x, y, z] = if op.is_CRD { [c, a, b] } else { [a, b, c] };
    if is_nchw { [n, x, y, z, h, w] } else { [n, h, w, x, y, z] }
}

/// The order in the tensor of many pixels.
fn wide(is_nchw: bool) -> [usize; 6] {
    let [n, c, r, s, h, w] = AXES;
    if is_nchw { [n, c, h, r, w, s] } else { [n, h, r, w, s, c] }
}
