//! Gradients of sampling between the entries of an image: written out as reads of the neighbors of each point, times
//! weights.
use super::backward::{Backward, Output};
use crate::{
    Tensor,
    array::Array,
    base::{Dtype, Result, Shape},
    emit::Emit,
    ops::{Cast, Clip, CompareMode, Convolution, DeformConv2D, Floor, GatherND, GridSampler, Window},
    quant::RoundMode,
};

/// An entry of an axis next to each point: its number, and the weight that it has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Neighbor {
    pub at: Tensor,
    pub weight: Tensor,
}

impl Neighbor {
    /// An entry with a number outside of the axis becomes one inside that weighs 0.
    fn new(b: &mut Backward, number: Tensor, weight: Tensor, size: usize) -> Result<Neighbor> {
        let at = b.op(Clip::new(number, size as f64 - 1.0, 0.0))?;
        let is_inside = b.compare(number, CompareMode::Equal, at)?;
        Ok(Neighbor { at, weight: b.select_or(is_inside, weight, 0.0)? })
    }

    /// The two entries around positions along an axis.
    pub fn around(b: &mut Backward, position: Tensor, size: usize) -> Result<Vec<Neighbor>> {
        let low = b.op(Floor::new(position))?;
        let towards = b.sub(position, low)?;
        let rest = b.const_sub(1.0, towards)?;
        let next = b.add_const(low, 1.0)?;
        Ok(vec![Neighbor::new(b, low, rest, size)?, Neighbor::new(b, next, towards, size)?])
    }

    /// The entry nearest to positions along an axis.
    fn nearest(b: &mut Backward, position: Tensor, size: usize) -> Result<Vec<Neighbor>> {
        let rounded = b.op_as(Cast { round_mode: RoundMode::HalfToEven, ..Cast::new(position) }, Dtype::Int32)?;
        let number = b.as_dtype(rounded, Dtype::Float32)?;
        let shape = b.shape(number)?;
        let one = b.filled(1.0, Dtype::Float32, &shape)?;
        Ok(vec![Neighbor::new(b, number, one, size)?])
    }
}

/// `[n, c, spatial..] -> [n, spatial.., c]` as float32
pub(super) fn channels_last(b: &mut Backward, x: Tensor) -> Result<Tensor> {
    let x = b.as_dtype(x, Dtype::Float32)?;
    let rank = b.rank(x)?;
    let order: Vec<usize> = [0].into_iter().chain(2..rank).chain([1]).collect();
    b.permute(x, &order)
}

/// The number of its row for each point, `[rows, points]` of int32. The tool chain folds neither casts nor tiles of
/// constants.
fn row_numbers(b: &mut Backward, rows: usize, points: usize) -> Result<Tensor> {
    let numbers = (0..rows).flat_map(|i| std::iter::repeat_n(i as i32, points)).collect();
    b.coefficient(Array::from_vec([rows, points], numbers)?)
}

/// Reads images `[n, spatial.., c]` at points `[r, p]`, each given by the number of the image (`[r, 1]` or `[r, p]`)
/// and its entry along each axis: `[r, p, c]`.
pub(super) fn read(b: &mut Backward, images: Tensor, number: Tensor, entries: &[Tensor]) -> Result<Tensor> {
    let shape = b.shape(entries[0])?;
    let [r, p] = [shape[0], shape[1]];
    let mut tuple = Vec::new();
    for &part in [number].iter().chain(entries) {
        let part = b.expand_to(part, &shape)?;
        let part = b.as_dtype(part, Dtype::Int32)?;
        tuple.push(b.reshape(part, &[r, p, 1])?);
    }
    let tuple = b.concat(tuple, 2)?;
    b.op(GatherND::new(images, tuple))
}

/// Sums, at each point, the neighbors of all axes times their weights: `[r, p, c]`. Operands are those of [`read`].
pub(super) fn weighted_sum(b: &mut Backward, images: Tensor, number: Tensor, axes: &[Vec<Neighbor>]) -> Result<Tensor> {
    let mut corners: Vec<Vec<Neighbor>> = vec![Vec::new()];
    for axis in axes {
        corners = corners.iter().flat_map(|c| axis.iter().map(|n| [c.as_slice(), &[*n]].concat())).collect();
    }
    let mut sum = None;
    for corner in corners {
        let entries: Vec<Tensor> = corner.iter().map(|n| n.at).collect();
        let values = read(b, images, number, &entries)?;
        let mut weight = corner[0].weight;
        for other in &corner[1..] {
            weight = b.mul(weight, other.weight)?;
        }
        let shape = b.shape(weight)?;
        let weight = b.reshape(weight, &[shape[0], shape[1], 1])?;
        let part = b.mul(values, weight)?;
        sum = Some(match sum {
            Some(sum) => b.add(sum, part)?,
            None => part,
        });
    }
    Ok(sum.unwrap_or(images))
}

/// Keeps positions between 0 and `last`; at and beyond the ends they have no gradient.
fn clamped(b: &mut Backward, position: Tensor, last: f64) -> Result<Tensor> {
    let is_after = b.compare_const(position, CompareMode::Greater, 0.0)?;
    let position = b.select_or(is_after, position, 0.0)?;
    let is_before = b.compare_const(position, CompareMode::Less, last)?;
    b.select_or(is_before, position, last)
}

/// Reflects positions at both ends until they are between them.
fn reflected(b: &mut Backward, position: Tensor, low: f64, high: f64) -> Result<Tensor> {
    let span = high - low;
    if span <= 0.0 {
        return b.zeros_like(position);
    }
    let beyond = b.add_const(position, -low)?;
    let is_before = b.compare_const(beyond, CompareMode::Less, 0.0)?;
    let opposite = b.neg(beyond)?;
    let beyond = b.select(is_before, opposite, beyond)?;
    let turns = b.mul_const(beyond, 1.0 / span)?;
    let turns = b.op(Floor::new(turns))?;
    let whole = b.mul_const(turns, span)?;
    let rest = b.sub(beyond, whole)?;
    // The number of turns modulo 2.
    let half = b.mul_const(turns, 0.5)?;
    let pairs = b.op(Floor::new(half))?;
    let is_odd = b.compare(half, CompareMode::NotEqual, pairs)?;
    let back = b.const_sub(span, rest)?;
    let inside = b.select(is_odd, back, rest)?;
    b.add_const(inside, low)
}

/// Maps coordinates from -1 to 1 to positions along an axis.
fn place(b: &mut Backward, op: &GridSampler<Tensor>, x: Tensor, size: usize) -> Result<Tensor> {
    let (size, last) = (size as f64, size as f64 - 1.0);
    let x = b.add_const(x, 1.0)?;
    let position = match op.align_corners {
        true => b.mul_const(x, last / 2.0)?,
        false => {
            let x = b.mul_const(x, size / 2.0)?;
            b.add_const(x, -0.5)?
        }
    };
    match op.padding_mode {
        0 => Ok(position),
        1 => clamped(b, position, last),
        _ => {
            let edge = if op.align_corners { 0.0 } else { 0.5 };
            let position = reflected(b, position, -edge, last + edge)?;
            clamped(b, position, last)
        }
    }
}

pub(super) fn grid_sampler(b: &mut Backward, op: &GridSampler<Tensor>, o: Output) -> Result<()> {
    let (shape, result) = (b.shape(op.input)?, b.shape(o.y)?);
    let spatial = &shape[2..];
    let (n, p, k) = (shape[0], result[2..].iter().product(), spatial.len());
    b.expand(&[Some(o)], |b| {
        let images = channels_last(b, op.input)?;
        let grid = b.as_dtype(op.grid, Dtype::Float32)?;
        let grid = b.reshape(grid, &[n, p, k])?;
        let mut axes = Vec::new();
        for (i, &size) in spatial.iter().enumerate() {
            // Coordinates are in the order x, y, z.
            let x = b.slice(grid, 2, k - 1 - i, 1)?;
            let x = b.reshape(x, &[n, p])?;
            let position = place(b, op, x, size)?;
            axes.push(match op.mode {
                0 => Neighbor::around(b, position, size)?,
                _ => Neighbor::nearest(b, position, size)?,
            });
        }
        let number = row_numbers(b, n, p)?;
        let y = weighted_sum(b, images, number, &axes)?;
        let y = b.swap_axes(y, 1, 2)?;
        Ok(vec![b.reshape(y, &result)?])
    })
}

/// The position of each kernel element at each position of a window, without the offset: `[1, taps * positions]` for
/// each axis.
fn window_positions(b: &mut Backward, windows: &[Window], positions: &[usize]) -> Result<Vec<Tensor>> {
    let taps: Shape = windows.iter().map(|w| w.kernel as usize).collect();
    let shape = [taps[0], taps[1], positions[0], positions[1]];
    let mut all = Vec::new();
    for (axis, w) in windows.iter().enumerate() {
        let mut values = Vec::new();
        for tap in 0..taps[axis] as i64 {
            let position = |i: i64| (i * w.stride + tap * w.dilation - w.pads[0]) as f32;
            values.extend((0..positions[axis] as i64).map(position));
        }
        let mut own = [1; 4];
        (own[axis], own[axis + 2]) = (taps[axis], positions[axis]);
        let table = b.coefficient(Array::from_vec(own, values)?)?;
        let table = b.expand_to(table, &shape)?;
        all.push(b.reshape(table, &[1, shape.iter().product()])?);
    }
    Ok(all)
}

/// The samples of the kernel elements at all positions, `[n * groups, channels / groups, taps * positions]`. Each group
/// of channels counts as an image of its own.
fn deformed_columns(b: &mut Backward, op: &DeformConv2D<Tensor>, windows: &[Window]) -> Result<Tensor> {
    let shape = b.shape(op.input)?;
    let [c, h, w] = [shape[1], shape[2], shape[3]];
    let groups = op.deform_group as usize;
    let positions = [windows[0].positions()?, windows[1].positions()?];
    let (taps, p) = ((windows[0].kernel * windows[1].kernel) as usize, positions[0] * positions[1]);
    let n = shape[0] * groups;
    let x = b.reshape(op.input, &[n, c / groups, h, w])?;
    let images = channels_last(b, x)?;
    let offset = b.as_dtype(op.offset, Dtype::Float32)?;
    let offset = b.reshape(offset, &[n, taps, 2, p])?;
    let mut axes = Vec::new();
    for (axis, base) in window_positions(b, windows, &positions)?.into_iter().enumerate() {
        let shift = b.slice(offset, 2, axis, 1)?;
        let shift = b.reshape(shift, &[n, taps * p])?;
        let position = b.add(shift, base)?;
        axes.push(Neighbor::around(b, position, shape[2 + axis])?);
    }
    let number = row_numbers(b, n, taps * p)?;
    let columns = weighted_sum(b, images, number, &axes)?;
    let columns = b.swap_axes(columns, 1, 2)?;
    let Some(mask) = op.mask.filter(|_| op.use_mask) else { return Ok(columns) };
    let mask = b.as_dtype(mask, Dtype::Float32)?;
    let mask = b.reshape(mask, &[n, 1, taps * p])?;
    b.mul(columns, mask)
}

/// A product of the filter with the samples.
pub(super) fn deform_conv2d(b: &mut Backward, op: &DeformConv2D<Tensor>, o: Output) -> Result<()> {
    let windows = Convolution::from(op).windows(&b.shape(op.input)?)?;
    let (filter, result) = (b.shape(op.filter)?, b.shape(o.y)?);
    let (groups, rows) = (op.group as usize, filter[1..].iter().product());
    let p = result[2] * result[3];
    b.expand(&[Some(o)], |b| {
        let columns = deformed_columns(b, op, &windows)?;
        let columns = b.reshape(columns, &[result[0], groups, rows, p])?;
        let w = b.as_dtype(op.filter, Dtype::Float32)?;
        let w = b.reshape(w, &[1, groups, filter[0] / groups, rows])?;
        let y = b.matmul(w, columns)?;
        let y = b.reshape(y, &result)?;
        let bias = op.bias.map(|t| b.as_dtype(t, Dtype::Float32)).transpose()?;
        Ok(vec![b.affine(y, None, bias, &[1, filter[0], 1, 1])?])
    })
}
