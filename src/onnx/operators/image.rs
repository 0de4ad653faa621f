//! Regions of images.
use super::Convert;
use crate::{
    Tensor,
    array::Array,
    base::{Dtype, Result, argument, invalid},
    emit::{Emit, ints},
    import::Importer,
    node::{Node, count, known_ints, resolved_axis, sizes, table},
    ops::{Pad, PadMode, RoiAlign, RoiAlignMode, ScatterElements},
    value::Value,
};

pub const OPERATORS: &[(&str, Convert)] = &[
    ("Col2Im", col2im),
    ("AffineGrid", affine_grid),
    ("CenterCropPad", center_crop_pad),
    ("MaxUnpool", max_unpool),
    ("RoiAlign", roi_align),
];

/// The matrices times the positions -1 to 1 of a grid.
fn affine_grid<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let theta = n.input(0)?;
    let size = sizes("size", &known_ints(n.input(1)?, "size")?)?;
    let [batch, _, spatial @ ..] = size.as_slice() else { return Err(invalid("its size must have 4 or 5 numbers")) };
    let (axes, count) = (spatial.len(), table(spatial)?);
    let corners = n.flag("align_corners");
    let place = |i: usize, size: usize| {
        let (i, size) = (i as f64, size as f64);
        if !corners {
            (2.0 * i + 1.0) / size - 1.0
        } else if size > 1.0 {
            2.0 * i / (size - 1.0) - 1.0
        } else {
            0.0
        }
    };
    // The last axis comes first: x, y, z, and 1 for the translation.
    table(&[count, axes + 1])?;
    let mut points = Vec::new();
    for flat in 0..count {
        let mut rest = flat;
        for axis in (0..axes).rev() {
            points.push(place(rest % spatial[axis], spatial[axis]));
            rest /= spatial[axis];
        }
        points.push(1.0);
    }
    let points = b.coefficient(Array::from_f64s(Dtype::Float32, [1, count, axes + 1], points.into_iter())?)?;
    let theta = b.float_tensor(theta)?;
    let matrix = b.transposed(theta)?;
    let points = b.expand_to(points, &[*batch, count, axes + 1])?;
    let made = b.matmul(points, matrix)?;
    let shape = [&[*batch], spatial, &[axes]].concat();
    Ok(vec![b.shaped(made, &shape, n.input(0)?.dtype())?])
}

/// Adds the columns of blocks to where they came from.
fn col2im<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let list = |index: usize, what: &str| sizes(what, &known_ints(n.input(index)?, what)?);
    let (size, block) = (list(1, "image_shape")?, list(2, "block_shape")?);
    let axes = size.len();
    let given = |name: &str, default: usize, count: usize| -> Result<Vec<usize>> {
        let list = sizes(name, &n.ints(name).unwrap_or_else(|| vec![default as i64; count]))?;
        if list.len() == count {
            Ok(list)
        } else {
            Err(argument(name, format!("{list:?}"), format!("expected {count} numbers")))
        }
    };
    let (dilations, strides, pads) =
        (given("dilations", 1, axes)?, given("strides", 1, axes)?, given("pads", 0, 2 * axes)?);
    let positions = count(&block)?;
    let [batch, rows, columns] = x.shape()[..] else { return Err(invalid("its operand must have 3 dimensions")) };
    if block.len() != axes
        || positions == 0
        || positions > 1024
        || !rows.is_multiple_of(positions)
        || strides.contains(&0)
    {
        return Err(argument(
            "block_shape",
            format!("{block:?}"),
            format!("its product must divide {rows}, and be at most 1024"),
        ));
    }
    let padded: Vec<usize> = (0..axes).map(|i| size[i] + pads[i] + pads[axes + i]).collect();
    let mut counts = Vec::new();
    for i in 0..axes {
        let free = padded[i].checked_sub(dilations[i] * (block[i].max(1) - 1) + 1);
        counts.push(
            free.ok_or_else(|| argument("block_shape", format!("{block:?}"), "the block is larger than the image"))?
                / strides[i]
                + 1,
        );
    }
    if count(&counts)? != columns {
        return Err(argument("the number of columns", columns, format!("there are {counts:?} blocks")));
    }
    let tensor = b.tensor(x)?;
    let blocks = Blocks { images_and_channels: [batch, rows / positions], block, counts, strides, dilations, padded };
    let mut made = if blocks.are_tiles() { blocks.tiled(b, tensor)? } else { blocks.added(b, tensor)? };
    for i in 0..axes {
        made = b.slice(made, 2 + i, pads[i], size[i])?;
    }
    Ok(vec![b.value(made, x.dtype())?])
}

/// Blocks of images, by axis.
struct Blocks {
    /// Numbers of images and of channels.
    images_and_channels: [usize; 2],
    block: Vec<usize>,
    /// Numbers of blocks.
    counts: Vec<usize>,
    strides: Vec<usize>,
    dilations: Vec<usize>,
    /// The sizes of the image with its padding.
    padded: Vec<usize>,
}

impl Blocks {
    /// Whether blocks are dense and adjacent, and cover the padded image exactly.
    fn are_tiles(&self) -> bool {
        (0..self.block.len()).all(|i| {
            let is_dense = self.block[i] == 1 || self.dilations[i] == 1;
            let are_adjacent = self.strides[i] == self.block[i] || self.counts[i] == 1;
            is_dense && are_adjacent && self.counts[i] * self.block[i] == self.padded[i]
        })
    }
    /// Moves the elements of tiles to where they came from.
    fn tiled(&self, b: &mut Importer, columns: Tensor) -> Result<Tensor> {
        let axes = self.block.len();
        let tensor = b.reshape(columns, &[&self.images_and_channels[..], &self.block, &self.counts].concat())?;
        let order: Vec<usize> = [0, 1].into_iter().chain((2..2 + axes).flat_map(|i| [i + axes, i])).collect();
        let tensor = b.permute(tensor, &order)?;
        b.reshape(tensor, &[&self.images_and_channels[..], &self.padded].concat())
    }
    /// Spreads, for each position in the blocks, the elements there among zeros, and adds the images.
    fn added(&self, b: &mut Importer, columns: Tensor) -> Result<Tensor> {
        let (axes, positions) = (self.block.len(), count(&self.block)?);
        let tensor = b.reshape(columns, &[&self.images_and_channels[..], &[positions], &self.counts].concat())?;
        let mut sum = None;
        for position in 0..positions {
            let part = b.slice(tensor, 2, position, 1)?;
            let mut part = b.reshape(part, &[&self.images_and_channels[..], &self.counts].concat())?;
            let mut rest = position;
            for i in (0..axes).rev() {
                let start = rest % self.block[i] * self.dilations[i];
                rest /= self.block[i];
                part = b.spread(part, 2 + i, start, self.strides[i], self.padded[i])?;
            }
            sum = Some(match sum {
                Some(sum) => b.add(sum, part)?,
                None => part,
            });
        }
        sum.ok_or_else(|| invalid("the block has no elements"))
    }
}

fn center_crop_pad<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let rank = x.rank();
    let wanted = sizes("shape", &known_ints(n.input(1)?, "shape")?)?;
    let axes = match n.ints("axes") {
        Some(axes) => axes.iter().map(|&a| resolved_axis("axes", a, rank)).collect::<Result<Vec<_>>>()?,
        None => (0..rank).collect(),
    };
    if axes.len() != wanted.len() {
        return Err(argument("shape", format!("{wanted:?}"), format!("expected {} sizes", axes.len())));
    }
    let mut tensor = b.tensor(x)?;
    let mut paddings = vec![0; 2 * rank];
    for (&axis, &size) in axes.iter().zip(&wanted) {
        let old = x.shape()[axis];
        if size < old {
            tensor = b.slice(tensor, axis, (old - size) / 2, size)?;
        } else {
            let before = (size - old) / 2;
            paddings[axis] = before as i64;
            paddings[rank + axis] = (size - old - before) as i64;
        }
    }
    if paddings.iter().any(|&p| p > 0) {
        tensor = b.op(Pad::new(tensor, PadMode::Constant, paddings))?;
    }
    Ok(vec![b.value(tensor, x.dtype())?])
}

/// Writes each value to its index in the whole result.
fn max_unpool<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, indices) = (n.input(0)?, n.input(1)?);
    let shape = x.shape();
    let axes = shape.len().saturating_sub(2);
    let list = |name: &str, default: Option<Vec<i64>>| {
        let given = n.ints(name).or(default).ok_or_else(|| invalid(format!("it has no {name}")))?;
        sizes(name, &given).map(|list| ints(&list))
    };
    let kernel = list("kernel_shape", None)?;
    let (strides, pads) = (list("strides", Some(vec![1; axes]))?, list("pads", Some(vec![0; 2 * axes]))?);
    if kernel.len() != axes || strides.len() != axes || pads.len() != 2 * axes {
        return Err(argument("kernel_shape", format!("{kernel:?}"), format!("the operand has {axes} spatial axes")));
    }
    // The size of the result, unless that is given: the indices are positions in it.
    let mut inner = shape.clone();
    for i in 0..axes {
        let size = (shape[2 + i].min(1 << 31) as i64 - 1) * strides[i] - pads[i] - pads[axes + i] + kernel[i];
        inner[2 + i] = usize::try_from(size).map_err(|_| invalid("its result has no elements"))?;
    }
    let given = n.optional(2).map(|v| known_ints(v, "output_shape")).transpose()?;
    let outer = given.map(|g| crate::base::Ints(g).to_shape()).transpose()?.unwrap_or_else(|| inner.clone());
    let (count, places) = (count(&shape)?, count(&outer)?);
    let (values, at) = (b.tensor(x)?, b.tensor(indices)?);
    let (values, at) = (b.reshape(values, &[count])?, b.reshape(at, &[count])?);
    let empty = b.filled(0.0, b.dtype(values)?, &[places])?;
    let made = b.op(ScatterElements::new(empty, at, values, 0))?;
    Ok(vec![b.shaped(made, &outer, x.dtype())?])
}

fn roi_align<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, rois, batch) = (n.input(0)?, n.input(1)?, n.input(2)?);
    let mode = n.word("mode", "avg", &[("avg", Some(RoiAlignMode::Avg)), ("max", None)])?;
    // ONNX's takes the largest of the four corners' weighted values, `top.RoiAlign` the largest sample.
    let mode = mode.ok_or_else(|| argument("mode", "\"max\"", "expected avg; the Top dialect's maximum is another"))?;
    let default = if n.version < 16 { "output_half_pixel" } else { "half_pixel" };
    let align_corners =
        n.word("coordinate_transformation_mode", default, &[("half_pixel", true), ("output_half_pixel", false)])?;
    let (input, rois) = (b.tensor(x)?, b.tensor(rois)?);
    let index = b.float_tensor(batch)?;
    let count = batch.elements();
    let index = b.reshape(index, &[count, 1])?;
    let rois = b.concat(vec![index, rois], 1)?;
    let (height, width) = (n.int_or("output_height", 1), n.int_or("output_width", 1));
    let (ratio, scale) = (n.int_or("sampling_ratio", 0), n.float_or("spatial_scale", 1.0));
    let made = b.op(RoiAlign::new(input, rois, align_corners, mode, height, width, ratio, scale))?;
    Ok(vec![b.value(made, x.dtype())?])
}
