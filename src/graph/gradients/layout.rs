//! Gradients of ops that move elements: the reverse move.
use super::backward::{Backward, Output};
use crate::{
    Operator, Tensor,
    base::Result,
    emit::Emit,
    ops::{
        Concat, ConcatSlice, ConcatVolume, Correlation, Depth2Space, MeshGrid, Pack, Pad, PadMode, Permute, Reverse,
        ShuffleChannel, Slice, SliceAxis, Span, Split, StridedSlice, SwapChannel, SwapDimInner, Transpose, Unpack,
        axis_ranges, pad_counts, slice_ranges, split_sizes, strided_ranges,
    },
};

fn resolved(axis: i64, rank: usize) -> usize {
    axis.rem_euclid(rank.max(1) as i64) as usize
}

/// For ops that keep the elements in order.
pub(super) fn reshaped(b: &mut Backward, x: Tensor, o: Output) -> Result<()> {
    let shape = b.shape(x)?;
    let dx = b.reshape(o.dy, &shape)?;
    b.give(x, dx)
}

pub(super) fn permute(b: &mut Backward, op: &Permute<Tensor>, o: Output) -> Result<()> {
    let rank = op.order.len();
    let mut inverse = vec![0; rank];
    op.order.iter().enumerate().for_each(|(to, &from)| inverse[resolved(from, rank)] = to);
    let dx = b.permute(o.dy, &inverse)?;
    b.give(op.input, dx)
}

pub(super) fn transpose(b: &mut Backward, op: &Transpose<Tensor>, o: Output) -> Result<()> {
    let rank = b.rank(o.dy)?;
    let dx = b.swap_axes(o.dy, resolved(op.dim0, rank), resolved(op.dim1, rank))?;
    b.give(op.input, dx)
}

pub(super) fn concat(b: &mut Backward, op: &Concat<Tensor>, o: Output) -> Result<()> {
    let axis = resolved(op.axis, b.rank(o.dy)?);
    parts(b, &op.inputs, axis, o.dy)
}

/// Gives each of the joined tensors its part.
fn parts(b: &mut Backward, inputs: &[Tensor], axis: usize, dy: Tensor) -> Result<()> {
    let mut first = 0;
    for &x in inputs {
        let count = b.shape(x)?[axis];
        if b.wants(x) {
            let dx = b.slice(dy, axis, first, count)?;
            b.give(x, dx)?;
        }
        first += count;
    }
    Ok(())
}

/// The elements of all inputs in a row.
pub(super) fn list(b: &mut Backward, inputs: &[Tensor], o: Output) -> Result<()> {
    let mut first = 0;
    for &x in inputs {
        let shape = b.shape(x)?;
        let count = shape.iter().product();
        if b.wants(x) {
            let dx = b.slice(o.dy, 0, first, count)?;
            let dx = b.reshape(dx, &shape)?;
            b.give(x, dx)?;
        }
        first += count;
    }
    Ok(())
}

/// The last part of the first operand, then the second.
pub(super) fn concat_slice(b: &mut Backward, op: &ConcatSlice<Tensor>, o: Output) -> Result<()> {
    let axis = resolved(op.axis, b.rank(o.dy)?);
    let (whole, new) = (b.shape(op.in0)?[axis], b.shape(op.in1)?[axis]);
    let kept = whole.saturating_sub(new);
    if b.wants(op.in0) && kept > 0 {
        let part = b.slice(o.dy, axis, 0, kept)?;
        let dx = b.pad_axis(part, axis, new, 0)?;
        b.give(op.in0, dx)?;
    }
    if b.wants(op.in1) {
        let part = b.slice(o.dy, axis, kept, whole - kept)?;
        let dx = b.pad_axis(part, axis, new - (whole - kept), 0)?;
        b.give(op.in1, dx)?;
    }
    Ok(())
}

pub(super) fn pack(b: &mut Backward, op: &Pack<Tensor>, o: Output) -> Result<()> {
    let axis = resolved(op.axis, b.rank(o.dy)?);
    for (i, &x) in op.inputs.iter().enumerate() {
        if b.wants(x) {
            let (part, shape) = (b.slice(o.dy, axis, i, 1)?, b.shape(x)?);
            let dx = b.reshape(part, &shape)?;
            b.give(x, dx)?;
        }
    }
    Ok(())
}

/// Each result with a gradient gives its part of the input one.
pub(super) fn unpack(b: &mut Backward, op: &Unpack<Tensor>, operator: &Operator) -> Result<()> {
    let shape = b.shape(op.input)?;
    let axis = resolved(op.axis, shape.len());
    let mut part = shape.clone();
    part[axis] = 1;
    joined(b, op.input, axis, &vec![part; shape[axis]], operator)
}

pub(super) fn split(b: &mut Backward, op: &Split<Tensor>, operator: &Operator) -> Result<()> {
    let shape = b.shape(op.input)?;
    let axis = resolved(op.axis, shape.len());
    let part = |size: usize| {
        let mut part = shape.clone();
        part[axis] = size;
        part
    };
    let parts: Vec<_> = split_sizes(shape[axis], op)?.into_iter().map(part).collect();
    joined(b, op.input, axis, &parts, operator)
}

/// Joins the gradients of the parts; those of unused parts are zeros.
fn joined(b: &mut Backward, input: Tensor, axis: usize, parts: &[Vec<usize>], operator: &Operator) -> Result<()> {
    let dtype = b.gradient_dtype(input)?;
    let mut all = Vec::new();
    for (i, shape) in parts.iter().enumerate() {
        all.push(match b.output(operator, i) {
            Some(o) => b.reshape(o.dy, shape)?,
            None => b.filled(0.0, dtype, shape)?,
        });
    }
    let dx = b.concat(all, axis)?;
    b.give(input, dx)
}

/// Constant padding is cut off; mirrored and repeated elements are summed.
pub(super) fn pad(b: &mut Backward, op: &Pad<Tensor>, o: Output) -> Result<()> {
    let shape = b.shape(op.input)?;
    let counts = pad_counts(&shape, op)?;
    if op.mode == PadMode::Constant {
        let mut dx = o.dy;
        for (axis, (before, _)) in counts.into_iter().enumerate() {
            dx = b.slice(dx, axis, before, shape[axis])?;
        }
        return b.give(op.input, dx);
    }
    b.expand(&[Some(o)], |b| {
        let mut y = b.real(op.input)?;
        for (axis, (before, after)) in counts.into_iter().enumerate() {
            let size = shape[axis];
            y = b.map_axis(y, axis, before + size + after, |to| vec![(padded_from(to, before, size, op.mode), 1.0)])?;
        }
        Ok(vec![y])
    })
}

/// Returns the entry that an entry of a padded axis copies.
fn padded_from(to: usize, before: usize, size: usize, mode: PadMode) -> usize {
    let (at, last) = (to as i64 - before as i64, size as i64 - 1);
    let edge = i64::from(mode == PadMode::Symmetric);
    let from = match mode {
        PadMode::Edge | PadMode::Constant => at.clamp(0, last),
        _ if at < 0 => -at - edge,
        _ if at > last => 2 * last - at + edge,
        _ => at,
    };
    from as usize
}

/// Puts the gradient of a selection of ranges among zeros.
fn ranges(b: &mut Backward, input: Tensor, ranges: &[Span], dy: Tensor) -> Result<()> {
    let shape = b.shape(input)?;
    let counts: Vec<usize> = ranges.iter().map(|r| r.count).collect();
    let mut dx = b.reshape(dy, &counts)?;
    for (axis, range) in ranges.iter().enumerate() {
        let (mut start, step) = (range.start, range.step.unsigned_abs() as usize);
        if range.step < 0 {
            dx = b.reverse(dx, axis)?;
            start -= (range.count - 1) * step;
        }
        dx = b.spread(dx, axis, start, step, shape[axis])?;
    }
    b.give(input, dx)
}

pub(super) fn slice(b: &mut Backward, op: &Slice<Tensor>, o: Output) -> Result<()> {
    let spans = slice_ranges(&b.shape(op.input)?, op)?;
    ranges(b, op.input, &spans, o.dy)
}

pub(super) fn slice_axis(b: &mut Backward, op: &SliceAxis<Tensor>, o: Output) -> Result<()> {
    let step = op.step.map(|t| b.known(t)).transpose()?;
    let spans = axis_ranges(&b.shape(op.input)?, b.known(op.axis)?, b.known(op.start)?, step, b.known(op.end)?)?;
    ranges(b, op.input, &spans, o.dy)
}

pub(super) fn strided_slice(b: &mut Backward, op: &StridedSlice<Tensor>, o: Output) -> Result<()> {
    let lists = [b.known(op.starts)?, b.known(op.ends)?, b.known(op.strides)?];
    let (spans, _) = strided_ranges(&b.shape(op.input)?, op, lists.each_ref().map(Vec::as_slice))?;
    ranges(b, op.input, &spans, o.dy)
}

/// Sums over the copies, whose numbers per axis follow from the shapes.
pub(super) fn tiled(b: &mut Backward, input: Tensor, o: Output) -> Result<()> {
    let (shape, result) = (b.shape(input)?, b.shape(o.dy)?);
    let shape_in_full = [vec![1; result.len() - shape.len()], shape.clone()].concat();
    let mut blocks = Vec::new();
    for (&size, &all) in shape_in_full.iter().zip(&result) {
        blocks.extend([all / size, size]);
    }
    let dy = b.reshape(o.dy, &blocks)?;
    let axes: Vec<usize> = (0..blocks.len()).step_by(2).collect();
    let dx = b.sum(dy, &axes)?;
    let dx = b.reshape(dx, &shape)?;
    b.give(input, dx)
}
pub(super) fn reverse(b: &mut Backward, op: &Reverse<Tensor>, o: Output) -> Result<()> {
    let dx = b.op(Reverse::new(o.dy, op.axis))?;
    b.give(op.input, dx)
}

pub(super) fn shuffle_channel(b: &mut Backward, op: &ShuffleChannel<Tensor>, o: Output) -> Result<()> {
    let channels = b.shape(op.input)?[1] as i64;
    let dx = b.op(ShuffleChannel::new(o.dy, channels / op.group))?;
    b.give(op.input, dx)
}

/// An input channel that occurs several times gets the sum.
pub(super) fn swap_channel(b: &mut Backward, op: &SwapChannel<Tensor>, o: Output) -> Result<()> {
    b.expand(&[Some(o)], |b| {
        let x = b.real(op.input)?;
        let order = &op.channel_order;
        Ok(vec![b.map_axis(x, 1, order.len(), |to| vec![(order[to] as usize, 1.0)])?])
    })
}

/// Rotates back.
pub(super) fn swap_dim_inner(b: &mut Backward, op: &SwapDimInner<Tensor>, o: Output) -> Result<()> {
    let shape = b.shape(op.input)?;
    let back = |(&offset, &dim): (&i64, &usize)| if offset == 0 { 0 } else { dim as i64 - offset };
    let offset = op.offset.iter().zip(&shape).map(back).collect();
    let dx = b.op(SwapDimInner::new(o.dy, offset))?;
    b.give(op.input, dx)
}

pub(super) fn depth2space(b: &mut Backward, op: &Depth2Space<Tensor>, o: Output) -> Result<()> {
    let dx = b.op(Depth2Space {
        input: o.dy,
        in_is_NCHW: op.out_is_NCHW,
        out_is_NCHW: op.in_is_NCHW,
        is_inversed: !op.is_inversed,
        ..op.clone()
    })?;
    b.give(op.input, dx)
}

/// The features of the right image, moved by each disparity: `right[w - d]`, and 0 where `w < d`.
fn moved(b: &mut Backward, right: Tensor, disparity: usize) -> Result<Tensor> {
    let shape = b.shape(right)?;
    let (axis, width) = (shape.len() - 1, shape[shape.len() - 1]);
    if disparity >= width {
        return b.zeros_like(right);
    }
    let kept = b.slice(right, axis, 0, width - disparity)?;
    b.pad_axis(kept, axis, disparity, 0)
}

pub(super) fn concat_volume(b: &mut Backward, op: &ConcatVolume<Tensor>, o: Output) -> Result<()> {
    let shape = b.shape(op.inputs[0])?;
    b.expand(&[Some(o)], |b| {
        let (left, right) = (b.real(op.inputs[0])?, b.real(op.inputs[1])?);
        let mut volume = Vec::new();
        for d in 0..op.max_disp as usize {
            let right = moved(b, right, d)?;
            let both = b.concat(vec![left, right], 1)?;
            volume.push(b.reshape(both, &[shape[0], 2 * shape[1], 1, shape[2], shape[3]])?);
        }
        Ok(vec![b.concat(volume, 2)?])
    })
}

pub(super) fn correlation(b: &mut Backward, op: &Correlation<Tensor>, o: Output) -> Result<()> {
    let (shape, result) = (b.shape(op.inputs[0])?, b.shape(o.y)?);
    let groups = op.num_groups.max(1) as usize;
    let [n, c, h, w] = [shape[0], shape[1], shape[2], shape[3]];
    b.expand(&[Some(o)], |b| {
        let (left, right) = (b.real(op.inputs[0])?, b.real(op.inputs[1])?);
        let mut all = Vec::new();
        for d in 0..op.max_disp as usize {
            let right = moved(b, right, d)?;
            let product = b.mul(left, right)?;
            let product = b.reshape(product, &[n, groups, c / groups, h, w])?;
            all.push(b.mean(product, &[2])?);
        }
        let all = b.concat(all, 2)?;
        Ok(vec![b.reshape(all, &result)?])
    })
}

/// Each vector gets the sum over the other axes of its grid.
pub(super) fn mesh_grid(b: &mut Backward, op: &MeshGrid<Tensor>, operator: &Operator) -> Result<()> {
    for (i, &x) in op.inputs.iter().enumerate() {
        if let Some(o) = b.output(operator, i) {
            let shape = b.shape(x)?;
            let axis = if op.is_reverse { op.inputs.len() - 1 - i } else { i };
            let axes: Vec<usize> = (0..b.rank(o.dy)?).filter(|&a| a != axis).collect();
            let sum = b.sum(o.dy, &axes)?;
            let dx = b.reshape(sum, &shape)?;
            b.give(x, dx)?;
        }
    }
    Ok(())
}
