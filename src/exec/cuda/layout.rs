//! Data movement, for elements of any type.
use super::{
    builder::{Builder, arguments, bits_type},
    chain::Chain,
    formula::{Formula, Input, PostOp},
    geometry,
    slot::Slot,
    source::{File, file},
};
use crate::{
    array::Array,
    base::Result,
    exec::{
        Operand, ValueType, semantics,
        views::{View, axis_of, strides},
    },
    ops::{
        Concat, ConcatSlice, Pad, PadMode, Slice, SliceAxis, Span, Split, StridedSlice, SwapChannel, SwapDimInner,
        Unpack, Upsample, axis_ranges, pad_counts, slice_ranges, split_sizes, strided_ranges,
    },
};

const FILE: File = file!("layout.cu");

/// Converts an operand's elements to the type and scale of a result.
fn as_stored_in(result: &ValueType, operand: &Operand, input: Input, post_op: PostOp) -> Formula {
    let is_stored = semantics::stores_the_same(&operand.ty, result);
    match post_op.relu {
        None if is_stored => Formula::moved(input),
        Some(_) if is_stored && result.is_plain_int() => Formula::whole(vec![input], "x").post_op(post_op),
        _ => Formula::copy(input).post_op(post_op),
    }
}

/// Returns the same elements in the result's shape.
pub(super) fn reshape(input: &Operand, b: &mut Builder) -> Result<()> {
    let from = b.converted(input, 0)?;
    b.share(0, from)
}

/// Computes a result that is a view of the operand.
pub(super) fn copy_view(input: &Operand, i: usize, view: View, b: &mut Builder) -> Result<()> {
    copy_view_with(input, i, view, PostOp::default(), b)
}

pub(super) fn copy_view_with(input: &Operand, i: usize, view: View, post_op: PostOp, b: &mut Builder) -> Result<()> {
    let (result, counts) = (b.result_type(i)?.clone(), view.shape.clone());
    let formula = as_stored_in(&result, input, Input::of(input).viewed(view), post_op);
    b.chain(Chain::new(vec![formula], b.result(i), result).over(&counts))
}

/// Copies a view of an operand to a part of the first result.
pub(super) fn put(input: &Operand, from: View, to: View, post_op: PostOp, b: &mut Builder) -> Result<()> {
    let result = b.result_type(0)?.clone();
    let formula = as_stored_in(&result, input, Input::of(input).viewed(from), post_op);
    b.chain(Chain::new(vec![formula], b.result(0), result).into_part(to))
}

/// Concatenates the parts row by row.
fn join(parts: &[Operand], rows: usize, post_op: PostOp, b: &mut Builder) -> Result<()> {
    let row = b.result_type(0)?.elements() / rows;
    let mut at = 0;
    for part in parts {
        let n = part.ty.elements() / rows;
        let view =
            |row: usize, start: usize| View { start: start as i64, strides: vec![row as i64, 1], shape: vec![rows, n] };
        put(part, view(n, 0), view(row, at), post_op, b)?;
        at += n;
    }
    Ok(())
}

/// Concatenates the parts along an axis of the result.
pub(super) fn along(parts: &[Operand], axis: i64, post_op: PostOp, b: &mut Builder) -> Result<()> {
    let shape = &b.result_type(0)?.shape;
    let rows = shape[..axis_of(axis, shape.len())].iter().product();
    join(parts, rows, post_op, b)
}

pub(super) fn concat(op: &Concat<Operand>, b: &mut Builder) -> Result<()> {
    along(&op.inputs, op.axis, PostOp::relu(op.do_relu, op.relu_limit).and_round(op.round_mode), b)
}

pub(super) fn list(inputs: &[Operand], b: &mut Builder) -> Result<()> {
    join(inputs, 1, PostOp::default(), b)
}

/// Keeps the end of both operands concatenated, as long as the first operand.
pub(super) fn concat_slice(op: &ConcatSlice<Operand>, b: &mut Builder) -> Result<()> {
    let (first, second) = (&op.in0.ty.shape, &op.in1.ty.shape);
    let axis = axis_of(op.axis, first.len());
    let (whole, more) = (first[axis], second[axis]);
    let (old, new) = (whole.saturating_sub(more), more.min(whole));
    let from = |shape: &[usize], count: usize| View::of_axis(shape, axis, shape[axis] - count, count);
    for (input, shape, at, count) in [(&op.in0, first, 0, old), (&op.in1, second, old, new)] {
        if count > 0 {
            put(input, from(shape, count), View::of_axis(first, axis, at, count), PostOp::default(), b)?;
        }
    }
    Ok(())
}

pub(super) fn unpack(op: &Unpack<Operand>, b: &mut Builder) -> Result<()> {
    let shape = &op.input.ty.shape;
    let axis = axis_of(op.axis, shape.len());
    (0..shape[axis]).try_for_each(|i| copy_view(&op.input, i, View::of_axis(shape, axis, i, 1), b))
}

pub(super) fn split(op: &Split<Operand>, b: &mut Builder) -> Result<()> {
    let shape = &op.input.ty.shape;
    let axis = axis_of(op.axis, shape.len());
    let mut at = 0;
    for (i, size) in split_sizes(shape[axis], op)?.into_iter().enumerate() {
        copy_view(&op.input, i, View::of_axis(shape, axis, at, size), b)?;
        at += size;
    }
    Ok(())
}

pub(super) fn swap_channel(op: &SwapChannel<Operand>, b: &mut Builder) -> Result<()> {
    let shape = &op.input.ty.shape;
    let channel = |c: usize| View::of_axis(shape, 1, c, 1);
    let order = op.channel_order.iter().enumerate();
    order
        .into_iter()
        .try_for_each(|(to, from)| put(&op.input, channel(*from as usize), channel(to), PostOp::default(), b))
}

/// How [`map_axes`] handles positions beyond an axis' ends; numbered as in `layout.cu`.
#[derive(Debug, Clone, Copy)]
enum Beyond {
    Constant,
    Edge,
    Reflect,
    Symmetric,
    Wrap,
}

/// An axis of a result. Each position shows the input's entry `before` positions earlier; beyond the input's ends, `Beyond`
/// determines the entry.
struct Axis {
    positions: usize,
    before: i64,
}

/// Computes a result whose axes are indexed independently; `value` fills positions without an entry.
fn map_axes(input: &Operand, axes: &[Axis], beyond: Beyond, value: &Array, b: &mut Builder) -> Result<()> {
    let from = (b.converted(input, 0)?, &input.ty.shape[..]);
    let to = (b.result(0), b.result_type(0)?);
    launch_map_axes(from, axes, beyond, value, to, b)
}

fn launch_map_axes(
    (from, shape): (Slot, &[usize]),
    axes: &[Axis],
    beyond: Beyond,
    value: &Array,
    (to, ty): (Slot, &ValueType),
    b: &mut Builder,
) -> Result<()> {
    let each = axes.iter().zip(shape).zip(strides(shape));
    let table: Vec<i64> = each.flat_map(|((a, d), step)| [a.positions as i64, *d as i64, a.before, step]).collect();
    let (n, rank) = (ty.elements(), shape.len());
    let value = b.constant(value.bytes()?)?;
    let table = b.constant(&table)?;
    let arguments = arguments![from, to, value, table, rank, beyond as i64, n];
    let function = format!("map_axes<{}>", bits_type(ty.buffer_dtype()));
    b.launch(FILE, function, geometry::elements(n as u64), arguments)
}

/// Copies an image of floats into a zero-filled one of type `ty`, at the offsets `before`.
pub(super) fn zero_pad(
    b: &mut Builder,
    from: (Slot, &[usize]),
    before: &[usize],
    (to, ty): (Slot, &ValueType),
) -> Result<()> {
    let axes = ty.shape.iter().zip(before).map(|(n, before)| Axis { positions: *n, before: *before as i64 });
    let value = Array::filled(ty.buffer_dtype(), [1], 0.0)?;
    launch_map_axes(from, &axes.collect::<Vec<_>>(), Beyond::Constant, &value, (to, ty), b)
}

/// The padding value is a stored value, rounded and saturated to the elements' type.
pub(super) fn pad(op: &Pad<Operand>, b: &mut Builder) -> Result<()> {
    let shape = &op.input.ty.shape;
    let counts = pad_counts(shape, op)?.into_iter().zip(shape);
    let axes: Vec<Axis> =
        counts.map(|((before, after), d)| Axis { positions: before + d + after, before: before as i64 }).collect();
    let beyond = match op.mode {
        PadMode::Constant => Beyond::Constant,
        PadMode::Edge => Beyond::Edge,
        PadMode::Reflect => Beyond::Reflect,
        PadMode::Symmetric => Beyond::Symmetric,
    };
    let value = Array::filled(b.result_type(0)?.buffer_dtype(), [1], op.val)?;
    map_axes(&op.input, &axes, beyond, &value, b)
}

/// Rotates each axis by its offset.
pub(super) fn swap_dim_inner(op: &SwapDimInner<Operand>, b: &mut Builder) -> Result<()> {
    let each = op.input.ty.shape.iter().zip(&op.offset);
    let axes: Vec<Axis> = each.map(|(d, offset)| Axis { positions: *d, before: -offset }).collect();
    let value = Array::filled(b.result_type(0)?.buffer_dtype(), [1], 0.0)?;
    map_axes(&op.input, &axes, Beyond::Wrap, &value, b)
}

/// Repeats the input along each axis, up to the result's dimensions.
pub(super) fn tile(input: &Operand, b: &mut Builder) -> Result<()> {
    let view = View::tiled(&input.ty.shape, &b.result_type(0)?.shape);
    copy_view(input, 0, view, b)
}

pub(super) fn upsample(op: &Upsample<Operand>, b: &mut Builder) -> Result<()> {
    let post_op = PostOp::relu(op.do_relu, op.relu_limit);
    match View::upsampled(&op.input.ty.shape, op) {
        Some(view) => copy_view_with(&op.input, 0, view, post_op, b),
        None => Ok(()),
    }
}

fn ranges(input: &Operand, ranges: &[Span], b: &mut Builder) -> Result<()> {
    copy_view(input, 0, View::of_ranges(&input.ty.shape, ranges), b)
}

pub(super) fn slice(op: &Slice<Operand>, b: &mut Builder) -> Result<()> {
    ranges(&op.input, &slice_ranges(&op.input.ty.shape, op)?, b)
}

/// Returns the integers of an operand, if it is constant.
fn known_ints(operand: &Operand) -> Result<Option<Vec<i64>>> {
    let to_ints = |a: &Array| Ok(a.to_f64()?.into_iter().map(|v| v as i64).collect());
    operand.constant.as_ref().map(to_ints).transpose()
}

pub(super) fn slice_axis(op: &SliceAxis<Operand>) -> Result<Option<View>> {
    let step = match &op.step {
        None => None,
        Some(step) => match known_ints(step)? {
            None => return Ok(None),
            step => step,
        },
    };
    let (Some(axis), Some(start), Some(end)) = (known_ints(&op.axis)?, known_ints(&op.start)?, known_ints(&op.end)?)
    else {
        return Ok(None);
    };
    let shape = &op.input.ty.shape;
    Ok(Some(View::of_ranges(shape, &axis_ranges(shape, axis, start, step, end)?)))
}

pub(super) fn strided_slice(op: &StridedSlice<Operand>) -> Result<Option<View>> {
    let (Some(starts), Some(ends), Some(strides)) =
        (known_ints(&op.starts)?, known_ints(&op.ends)?, known_ints(&op.strides)?)
    else {
        return Ok(None);
    };
    let shape = &op.input.ty.shape;
    let (ranges, _) = strided_ranges(shape, op, [&starts, &ends, &strides])?;
    Ok(Some(View::of_ranges(shape, &ranges)))
}
