//! Gradients of features that are pooled in regions. The corners of regions have none.
use super::{
    backward::{Backward, Output},
    sample::{Neighbor, channels_last, read, weighted_sum},
};
use crate::{
    Operator, Tensor,
    array::Array,
    base::{Dtype, Result},
    emit::Emit,
    ops::{
        Cast, Ceil, Clip, CompareMode, Floor, Max, MaxPool, ROIPooling, ReduceMode, Relu, RoiAlign, RoiAlignMode,
        RoiExtractor,
    },
};

/// Regions as columns `[r, 1]`: the number of their image, and the corners left, top, right and bottom.
struct Regions {
    image: Tensor,
    corners: [Tensor; 4],
}

impl Regions {
    fn new(b: &mut Backward, rois: Tensor) -> Result<Regions> {
        let count = b.shape(rois)?.iter().product::<usize>() / 5;
        let rois = b.as_dtype(rois, Dtype::Float32)?;
        let rois = b.reshape(rois, &[count, 5])?;
        let image = b.slice(rois, 1, 0, 1)?;
        let mut corners = [rois; 4];
        for (i, corner) in corners.iter_mut().enumerate() {
            *corner = b.slice(rois, 1, i + 1, 1)?;
        }
        Ok(Regions { image: b.op(Floor::new(image))?, corners })
    }
    /// Start and end along an axis: 0 is height, 1 is width.
    fn ends(&self, axis: usize) -> [Tensor; 2] {
        [self.corners[1 - axis], self.corners[3 - axis]]
    }
}

/// Attributes that RoiAlign and RoiExtractor share.
struct Align {
    mode: RoiAlignMode,
    cells: [usize; 2],
    /// Samples per side of a cell.
    samples: usize,
    is_aligned: bool,
}

/// `[r, rows]` and `[r, columns]` as all pairs, `[r, rows * columns]` each.
fn pairs(b: &mut Backward, rows: Tensor, columns: Tensor) -> Result<[Tensor; 2]> {
    let (down, across) = (b.shape(rows)?, b.shape(columns)?);
    let all = [down[0], down[1], across[1]];
    let rows = b.reshape(rows, &[all[0], all[1], 1])?;
    let columns = b.reshape(columns, &[all[0], 1, all[2]])?;
    let mut made = [rows, columns];
    for t in &mut made {
        let spread = b.expand_to(*t, &all)?;
        *t = b.reshape(spread, &[all[0], all[1] * all[2]])?;
    }
    Ok(made)
}

impl Align {
    /// # Errors
    /// Returns an error for a ratio of 0: the number of samples must be known to write them out.
    fn new(
        b: &Backward,
        operator: &Operator,
        (mode, cells): (RoiAlignMode, [i64; 2]),
        ratio: i64,
        is_aligned: bool,
    ) -> Result<Align> {
        let samples = usize::try_from(ratio).ok().filter(|n| *n > 0);
        let samples = samples.ok_or_else(|| {
            b.refuse(operator, "with a sampling_ratio of 0, the number of samples depends on the regions")
        })?;
        Ok(Align { mode, cells: cells.map(|n| n as usize), samples, is_aligned })
    }
    /// The positions of all samples along an axis, `[r, cells * samples]`.
    fn positions(&self, b: &mut Backward, regions: &Regions, axis: usize, scale: f64) -> Result<Tensor> {
        let offset = if self.is_aligned { -0.5 } else { 0.0 };
        let mut ends = regions.ends(axis);
        for end in &mut ends {
            let scaled = b.mul_const(*end, scale)?;
            *end = b.add_const(scaled, offset)?;
        }
        let mut length = b.sub(ends[1], ends[0])?;
        if !self.is_aligned {
            length = b.op(crate::ops::MaxConst::new(length, 1.0))?;
        }
        let count = self.cells[axis] * self.samples;
        let parts = (0..count).map(|i| ((i as f64 + 0.5) / count as f64) as f32).collect();
        let parts = b.coefficient(Array::from_vec([1, count], parts)?)?;
        let distance = b.mul(length, parts)?;
        b.add(distance, ends[0])
    }

    /// The neighbors of positions, which are moved into the image if they are less than 1 outside, and otherwise weigh
    /// 0.
    fn neighbors(b: &mut Backward, position: Tensor, size: usize) -> Result<Vec<Neighbor>> {
        let limited = b.op(Clip::new(position, size as f64, -1.0))?;
        let is_near = b.compare(limited, CompareMode::Equal, position)?;
        let inside = b.op(Clip::new(position, size as f64 - 1.0, 0.0))?;
        let mut made = Neighbor::around(b, inside, size)?;
        for neighbor in &mut made {
            neighbor.weight = b.select_or(is_near, neighbor.weight, 0.0)?;
        }
        Ok(made)
    }

    /// The neighbors of all samples, along both axes.
    fn samples(&self, b: &mut Backward, regions: &Regions, scale: f64, features: Tensor) -> Result<[Vec<Neighbor>; 2]> {
        let shape = b.shape(features)?;
        let (rows, columns) = (self.positions(b, regions, 0, scale)?, self.positions(b, regions, 1, scale)?);
        let [rows, columns] = pairs(b, rows, columns)?;
        Ok([Align::neighbors(b, rows, shape[2])?, Align::neighbors(b, columns, shape[3])?])
    }

    /// Pools features `[n, c, h, w]` in all regions: `[r, c, cells..]`.
    fn pooled(&self, b: &mut Backward, features: Tensor, image: Tensor, axes: &[Vec<Neighbor>]) -> Result<Tensor> {
        let [rows, columns] = self.cells;
        let images = channels_last(b, features)?;
        let values = weighted_sum(b, images, image, axes)?;
        let shape = b.shape(values)?;
        let [r, c] = [shape[0], shape[2]];
        let cells = b.reshape(values, &[r, rows, self.samples, columns, self.samples, c])?;
        let mode = match self.mode {
            RoiAlignMode::Avg => ReduceMode::ReduceMean,
            RoiAlignMode::Max => ReduceMode::ReduceMax,
        };
        let pooled = b.reduce(cells, &[2, 4], mode)?;
        let pooled = b.reshape(pooled, &[r, rows, columns, c])?;
        b.permute(pooled, &[0, 3, 1, 2])
    }
}

pub(super) fn roi_align(b: &mut Backward, op: &RoiAlign<Tensor>, operator: &Operator, o: Output) -> Result<()> {
    let cells = [op.output_height, op.output_width];
    let align = Align::new(b, operator, (op.mode, cells), op.sampling_ratio, op.align_corners)?;
    // What is made here gets no gradient.
    let regions = Regions::new(b, op.rois)?;
    let axes = align.samples(b, &regions, op.spatial_scale, op.input)?;
    b.expand(&[Some(o)], |b| Ok(vec![align.pooled(b, op.input, regions.image, &axes)?]))
}

/// Regions are pooled in all levels; each gets the gradient of its own.
pub(super) fn roi_extractor(b: &mut Backward, op: &RoiExtractor<Tensor>, operator: &Operator, o: Output) -> Result<()> {
    let cells = [op.output_height, op.output_width];
    let align = Align::new(b, operator, (op.mode, cells), op.sampling_ratio, op.align_corners)?;
    let regions = Regions::new(b, op.rois)?;
    let count = b.shape(regions.image)?[0];
    let levels = b.as_dtype(op.target_lvls, Dtype::Float32)?;
    let levels = b.reshape(levels, &[count, 1, 1, 1])?;
    let levels = b.op(Floor::new(levels))?;
    for (i, (&features, &scale)) in op.inputs.iter().zip(&op.spatial_scales).enumerate() {
        if !b.wants(features) {
            continue;
        }
        let axes = align.samples(b, &regions, scale, features)?;
        let is_own = b.compare_const(levels, CompareMode::Equal, i as f64)?;
        let dy = b.select_or(is_own, o.dy, 0.0)?;
        b.expand(&[Some(Output { y: o.y, dy })], |b| Ok(vec![align.pooled(b, features, regions.image, &axes)?]))?;
    }
    Ok(())
}

/// Ranges of entries of an axis, `[r, cells]`. A range is covered by two that are as long as a power of two, the first
/// at its start, the second at its end.
struct Ranges {
    first: Tensor,
    second: Tensor,
    /// The exponents of the powers.
    exponent: Tensor,
    is_filled: Tensor,
}

/// The number of powers of two that fit into an axis.
fn powers(size: usize) -> usize {
    size.max(1).ilog2() as usize + 1
}

impl Ranges {
    /// The cells of ROIPooling.
    fn new(b: &mut Backward, regions: &Regions, axis: usize, cells: usize, scale: f64, size: usize) -> Result<Ranges> {
        let mut ends = regions.ends(axis);
        for end in &mut ends {
            let scaled = b.mul_const(*end, scale)?;
            let pixel = b.op_as(Cast::new(scaled), Dtype::Int32)?;
            *end = b.as_dtype(pixel, Dtype::Float32)?;
        }
        let length = b.sub(ends[1], ends[0])?;
        let length = b.add_const(length, 1.0)?;
        let length = b.op(crate::ops::MaxConst::new(length, 1.0))?;
        let cell = b.mul_const(length, 1.0 / cells as f64)?;
        let border = |b: &mut Backward, offset: usize, is_end: bool| -> Result<Tensor> {
            let counts = (offset..offset + cells).map(|i| i as f32).collect();
            let counts = b.coefficient(Array::from_vec([1, cells], counts)?)?;
            let way = b.mul(cell, counts)?;
            let whole = if is_end { b.op(Ceil::new(way))? } else { b.op(Floor::new(way))? };
            let at = b.add(whole, ends[0])?;
            b.op(Clip::new(at, size as f64, 0.0))
        };
        let (from, to) = (border(b, 0, false)?, border(b, 1, true)?);
        let length = b.sub(to, from)?;
        let is_filled = b.compare_const(length, CompareMode::Greater, 0.0)?;
        let mut exponent = b.zeros_like(length)?;
        let mut power = b.add_const(exponent, 1.0)?;
        for i in 1..powers(size) {
            let fits = b.compare_const(length, CompareMode::GreaterOrEqual, (1u64 << i) as f64)?;
            exponent = b.add(exponent, fits)?;
            let more = b.mul_const(fits, (1u64 << (i - 1)) as f64)?;
            power = b.add(power, more)?;
        }
        let last = size as f64 - 1.0;
        let second = b.sub(to, power)?;
        Ok(Ranges {
            first: b.op(Clip::new(from, last, 0.0))?,
            second: b.op(Clip::new(second, last, 0.0))?,
            exponent,
            is_filled,
        })
    }
}

/// The maxima of features over ranges as long as powers of two along height and width, as images: `[down * across * n,
/// h, w, c]`.
fn maxima(b: &mut Backward, features: Tensor) -> Result<Tensor> {
    let shape = b.shape(features)?;
    let mut all = Vec::new();
    for i in 0..powers(shape[2]) {
        for j in 0..powers(shape[3]) {
            let kernel = vec![1i64 << i, 1 << j];
            let pads = vec![0, 0, kernel[0] - 1, kernel[1] - 1];
            all.push(b.op(MaxPool { keepdims: true, ..MaxPool::new(features, kernel, vec![1, 1], pads) })?);
        }
    }
    let all = b.concat(all, 0)?;
    channels_last(b, all)
}

/// The largest entry of each cell, whose size depends on the region, is the largest of four entries of [`maxima`].
pub(super) fn roi_pooling(b: &mut Backward, op: &ROIPooling<Tensor>, o: Output) -> Result<()> {
    let (features, rois) = (op.inputs[0], op.inputs[1]);
    let shape = b.shape(features)?;
    let (down, across) = (op.pooled_h as usize, op.pooled_w as usize);
    let regions = Regions::new(b, rois)?;
    let r = b.shape(regions.image)?[0];
    let rows = Ranges::new(b, &regions, 0, down, op.spatial_scale, shape[2])?;
    let columns = Ranges::new(b, &regions, 1, across, op.spatial_scale, shape[3])?;
    let [row_power, column_power] = pairs(b, rows.exponent, columns.exponent)?;
    // The number of an image of `maxima`.
    let row_power = b.mul_const(row_power, powers(shape[3]) as f64)?;
    let number = b.add(row_power, column_power)?;
    let number = b.mul_const(number, shape[0] as f64)?;
    let number = b.add(number, regions.image)?;
    let [row_filled, column_filled] = pairs(b, rows.is_filled, columns.is_filled)?;
    let is_filled = b.mul(row_filled, column_filled)?;
    let is_filled = b.reshape(is_filled, &[r, down * across, 1])?;
    let mut corners = Vec::new();
    for row in [rows.first, rows.second] {
        for column in [columns.first, columns.second] {
            corners.push(pairs(b, row, column)?);
        }
    }
    b.expand(&[Some(o)], |b| {
        let images = maxima(b, features)?;
        let mut values = Vec::new();
        for corner in &corners {
            values.push(read(b, images, number, corner)?);
        }
        let largest = b.op(Max::new(values))?;
        let largest = b.select_or(is_filled, largest, 0.0)?;
        let largest = b.op(Relu::new(largest))?;
        let cells = b.reshape(largest, &[r, down, across, shape[1]])?;
        Ok(vec![b.permute(cells, &[0, 3, 1, 2])?])
    })
}
