//! Operator semantics shared by all backends, beyond types and attributes.
use super::{Operand, ValueType};
use crate::{
    array::reserve,
    base::{Dtype, Error, Result, misfit, pluralized},
    ops::{
        ChunkGatedDeltaRule, CompareConst, ConvBackward, ConvBwd_Weight, Convbwd, GroupNormTrain, LayerNormBwd,
        LayerNormTrain, MaskedFill, MeanStdScale, PriorBox, RecurrentGatedDeltaRule, SelectiveScan, Softmax, Where,
        Yuv2rgbFormulaMode, is_square,
    },
    quant::{Quantization, RoundMode, multiplier_and_shift},
};
use std::fmt::Display;

/// Softmax of quantized 8-bit values as the compiler computes it: a table of the exponentials of distances from the maximum,
/// in float32, rounded to the nearest integer whatever the round mode; with the scale and zero point of the result. Returns
/// `None` for other tensors.
pub fn softmax_table(op: &Softmax<Operand>, result: &ValueType) -> Option<([f32; 256], f64, i64)> {
    let is_byte = |ty: &ValueType| ty.quantization.is_some() && matches!(ty.dtype, Dtype::Int8 | Dtype::Uint8);
    // The table has distances from the largest number, which has the smallest exponential if beta is negative.
    if op.log || op.beta < 0.0 || !is_byte(&op.input.ty) || !is_byte(result) {
        return None;
    }
    let ((scale, _), (to, offset)) = (op.input.ty.per_tensor_scale()?, result.per_tensor_scale()?);
    Some((std::array::from_fn(|i| (-scale * op.beta * i as f64).exp() as f32), to, offset))
}

/// Whether a selection copies stored integers, since the result has the same quantization as the branches.
pub fn chooses_stored(op: &Where<Operand>, result: &ValueType) -> bool {
    let is_int = |ty: &ValueType| !ty.dtype.is_float();
    let fits = |o: &Option<Operand>, number: f64| match o {
        Some(o) => is_int(&o.ty) && o.ty.quantization == result.quantization,
        None => result.quantization.is_none() && number.fract() == 0.0,
    };
    is_int(result) && fits(&op.tbrn, op.x_const_val) && fits(&op.fbrn, op.y_const_val)
}

/// Converts a masked fill to a selection with a constant branch.
pub fn as_where(op: MaskedFill<Operand>) -> Where<Operand> {
    let (branch, number) = (Some(op.brn), op.const_val);
    if op.inversed {
        Where { fbrn: branch, x_is_const: true, x_const_val: number, ..Where::new(op.cond) }
    } else {
        Where { tbrn: branch, y_is_const: true, y_const_val: number, ..Where::new(op.cond) }
    }
}

/// The number that a tensor is compared with. The compiler rounds it to the tensor's scale and compares stored values.
pub fn compared_number(op: &CompareConst<Operand>) -> f64 {
    match op.input.ty.quantization.as_ref().map(|q| q.values().0).as_deref() {
        // The real numbers of the tensor are such products in float32.
        Some([scale]) => f64::from((op.const_val / scale).round() as f32 * *scale as f32),
        _ => op.const_val,
    }
}

/// Whether sums, differences and products saturate. Results of signed operands always do in an unsigned type.
pub fn saturates(asked: bool, operands: &[&ValueType], result: Dtype) -> bool {
    asked || !result.is_signed_int() && operands.iter().all(|ty| ty.dtype.is_signed_int())
}

/// Returns a number as an integer, if it is one of 32 bits.
pub fn whole_number(x: f64) -> Option<i64> {
    Some(x as i64).filter(|n| *n as f64 == x && i32::try_from(*n).is_ok())
}

/// Returns the coefficients of a sum of plain integers as integers, or `None` if a coefficient is not a 32-bit integer: such sums are
/// computed as real numbers.
pub fn integer_coefficients(coeff: &[f64]) -> Option<Vec<i64>> {
    coeff.iter().map(|c| whole_number(*c)).collect()
}

/// Per channel: a 16-bit multiplier, a right shift, and the addend before it; zero points are ignored.
pub fn fixed_point_factors(op: &MeanStdScale<Operand>) -> Vec<(i64, i64, i64)> {
    let of = |(mean, std): (&f64, &f64)| {
        let factor = op.scale[0] / (std * op.scale[1]);
        let (multiplier, shift) = multiplier_and_shift(factor as f32);
        let offset = RoundMode::HalfAwayFromZero.round(f64::from((-mean * factor * (shift as f64).exp2()) as f32));
        (multiplier, shift, offset as i64)
    };
    op.mean.iter().zip(&op.std).map(of).collect()
}

/// For floats that are quantized: the factor of each channel, and the zero point.
pub fn rounded_factors(op: &MeanStdScale<Operand>) -> (Vec<f64>, i64) {
    let zero = (op.zero_points[1] as i64).saturating_sub(op.zero_points[0] as i64);
    (op.std.iter().map(|std| 1.0 / (std * op.scale[1] / op.scale[0])).collect(), zero)
}

/// The zero points.
pub fn zero_points(ty: &ValueType) -> Vec<i64> {
    ty.quantization.as_ref().map_or_else(|| vec![0], |q| Quantization::values(q).1)
}

/// Whether stored values can be copied from one tensor to another: the dtype and the quantization are the same, or `to` has
/// no quantization.
pub fn stores_the_same(from: &ValueType, to: &ValueType) -> bool {
    let values = |ty: &ValueType| ty.quantization.as_ref().map(Quantization::values);
    from.buffer_dtype() == to.buffer_dtype() && (to.quantization.is_none() || values(from) == values(to))
}

/// The number format in which products are accumulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccumKind {
    /// Real numbers.
    Real,
    /// Integers of up to 16 bits, less a zero point: the sums of their products fit in 64 bits.
    Narrow,
    /// Other integers, whose sums saturate.
    Wide,
}

/// How products of two tensors are accumulated; the dtype of the left one determines whether they are real numbers.
pub fn accum_kind(left: &ValueType, right: &ValueType) -> AccumKind {
    let is_narrow = |ty: &ValueType| ty.dtype.is_quantizable() || ty.dtype == Dtype::Bool;
    match left.dtype.is_float() {
        true => AccumKind::Real,
        false if is_narrow(left) && is_narrow(right) => AccumKind::Narrow,
        false => AccumKind::Wide,
    }
}

/// The kind of entity an index selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexKind {
    /// An entry of this axis; negative indices count from its end.
    Axis(usize),
    /// An entry of the result that is written.
    Places,
    /// An element of a plane of the result.
    Plane,
    /// An image of the batch.
    Images,
    /// A level of a feature pyramid.
    Levels,
    /// An expert of a mixture of experts.
    Experts,
}

impl IndexKind {
    /// The kinds that are not an axis.
    const OTHERS: [IndexKind; 5] =
        [IndexKind::Places, IndexKind::Plane, IndexKind::Images, IndexKind::Levels, IndexKind::Experts];

    /// Returns the number that denotes it on a device, defined in `index.cuh`: an axis by its own number, the others by
    /// negative ones.
    pub fn number(self) -> i64 {
        match self {
            IndexKind::Axis(axis) => axis as i64,
            other => -1 - IndexKind::OTHERS.iter().position(|o| *o == other).unwrap_or(0) as i64,
        }
    }
    /// Returns the kind that a number of [`IndexKind::number`] denotes.
    pub fn numbered(number: i64) -> IndexKind {
        let other = |back: i64| IndexKind::OTHERS[(back as usize - 1).min(IndexKind::OTHERS.len() - 1)];
        usize::try_from(number).map_or_else(|_| other(number.saturating_neg()), IndexKind::Axis)
    }

    /// Returns the error for `index` out of range of `count`.
    pub fn out_of_range(self, index: impl Display, count: usize) -> Error {
        let (first, last) = (if let IndexKind::Axis(_) = self { -(count as i64) } else { 0 }, count as i64 - 1);
        let of = match self {
            IndexKind::Axis(axis) => format!("axis {axis} ({})", pluralized(count, "entry")),
            IndexKind::Places => format!("the result ({})", pluralized(count, "entry")),
            IndexKind::Plane => format!("a plane of the result ({})", pluralized(count, "element")),
            IndexKind::Images => format!("the batch ({})", pluralized(count, "image")),
            IndexKind::Levels => format!("the feature pyramid ({})", pluralized(count, "level")),
            IndexKind::Experts => format!("the experts ({count})"),
        };
        misfit(format!("index {index}"), format!("is out of range for {of}; expected {first} to {last}"))
    }
    /// Resolves an index to an offset from 0.
    ///
    /// # Errors
    /// Returns an error if the index is out of range of `count`.
    pub fn resolve(self, index: i64, count: usize) -> Result<usize> {
        let from_end = matches!(self, IndexKind::Axis(_)) && index < 0;
        let place = if from_end { index + count as i64 } else { index };
        let found = usize::try_from(place).ok().filter(|i| *i < count);
        found.ok_or_else(|| self.out_of_range(index, count))
    }
}

/// Gated delta rule: a state matrix per value head, decayed and updated at each step.
pub struct Delta<'o> {
    pub query: &'o Operand,
    pub key: &'o Operand,
    pub value: &'o Operand,
    pub g: &'o Operand,
    pub beta: &'o Operand,
    pub state: &'o Operand,
    /// Elements per head.
    pub elements: usize,
    /// Number of heads of queries and keys, and of values.
    pub heads: [usize; 2],
    pub scale: f64,
    /// Whether queries and keys are normalized to length 1.
    pub normalized: bool,
}

/// Both rules have the same operands and attributes.
macro_rules! gated_delta {
    ($($op:ident)*) => {
        $(impl<'o> From<&'o $op<Operand>> for Delta<'o> {
            fn from(op: &'o $op<Operand>) -> Self {
                let (query, key, value, g, beta) = (&op.query, &op.key, &op.value, &op.g, &op.beta);
                let (state, heads) = (&op.recurrent_state, [op.num_k_heads as usize, op.num_v_heads as usize]);
                let (elements, scale, normalized) = (op.d as usize, op.scale, op.use_qk_l2norm);
                Delta { query, key, value, g, beta, state, elements, heads, scale, normalized }
            }
        })*
    };
}
// Computed step by step; chunks are only a chip's method for the same result.
gated_delta!(RecurrentGatedDeltaRule ChunkGatedDeltaRule);

/// Channels, steps and batch of a scan. Returns `None` for several states or an odd number of channels, which are undefined.
pub fn scanned(op: &SelectiveScan<Operand>) -> Option<[usize; 3]> {
    match *op.deltaA.ty.shape.as_slice() {
        [1, channels, length, batch] if channels % 2 == 0 => Some([channels, length, batch]),
        _ => None,
    }
}

/// `count` interleaved groups, in runs of `inner` contiguous elements.
#[derive(Debug, Clone, Copy)]
pub struct StatisticGroups {
    pub count: usize,
    pub inner: usize,
}

impl StatisticGroups {
    /// One group per channel, over all images.
    pub fn channels(shape: &[usize]) -> StatisticGroups {
        StatisticGroups { count: shape[1], inner: shape[2..].iter().product() }
    }
    /// One group per row of n elements.
    fn rows(elements: usize, n: usize) -> StatisticGroups {
        StatisticGroups { count: elements / n, inner: n }
    }
    /// The group of an element.
    pub fn of(self, i: usize) -> usize {
        i / self.inner % self.count
    }
}

/// One part per group of each image.
pub fn group_norm_parts(op: &GroupNormTrain<Operand>) -> StatisticGroups {
    let (elements, shape) = (op.input.ty.elements(), &op.input.ty.shape);
    StatisticGroups::rows(elements, elements / shape[0] / op.num_groups as usize)
}

/// The normalized rows, and the columns to which weights belong.
pub fn layer_norm_parts(op: &LayerNormTrain<Operand>) -> [StatisticGroups; 2] {
    let shape = &op.input.ty.shape;
    let n = shape[op.axis.rem_euclid(shape.len() as i64) as usize..].iter().product();
    [StatisticGroups::rows(op.input.ty.elements(), n), StatisticGroups { count: n, inner: 1 }]
}

/// Like [`layer_norm_parts`]; there is one mean per row.
pub fn layer_norm_bwd_parts(op: &LayerNormBwd<Operand>) -> [StatisticGroups; 2] {
    let elements = op.input.ty.elements();
    let n = elements / op.mean.ty.elements();
    [StatisticGroups::rows(elements, n), StatisticGroups { count: n, inner: 1 }]
}

/// Geometry of a convolution's backward pass.
#[derive(Debug)]
pub struct ConvGeometry {
    /// Shape of the input, n x c x h x w.
    pub input: [usize; 4],
    /// Shape of the filter, o x c / groups x h x w.
    pub filter: [usize; 4],
    /// Height and width of the result.
    pub output: [usize; 2],
    pub stride: [i64; 2],
    pub dilation: [i64; 2],
    /// Padding at the top and at the left.
    pub pads: [i64; 2],
    pub groups: usize,
}

impl ConvGeometry {
    fn new(g: &ConvBackward, input: &[usize], filter: &[usize], output: &[usize]) -> ConvGeometry {
        let dims = |operand: &[usize]| std::array::from_fn(|i| operand.get(i).copied().unwrap_or(1));
        let two = |list: &[i64]| [list[0], list[1]];
        ConvGeometry {
            input: dims(input),
            filter: dims(filter),
            output: [output[2], output[3]],
            stride: two(g.stride),
            dilation: two(g.dilations),
            pads: two(g.padding),
            groups: g.groups as usize,
        }
    }
}

/// Whether a convolution has no inserts between elements, for which gradients are undefined.
pub fn has_no_inserts(op: &Convbwd<Operand>) -> bool {
    op.inserts.iter().all(|n| *n == 0)
}

pub fn conv_bwd_geometry(op: &Convbwd<Operand>) -> ConvGeometry {
    let Convbwd { stride, padding, dilations, groups, .. } = op;
    let gradients = ConvBackward { stride, padding, dilations, groups: *groups };
    ConvGeometry::new(&gradients, &op.input.ty.shape, &op.kernel.ty.shape, &op.grad_out.ty.shape)
}

pub fn conv_bwd_weight_geometry(op: &ConvBwd_Weight<Operand>, filter: &[usize]) -> ConvGeometry {
    let ConvBwd_Weight { stride, padding, dilations, groups, .. } = op;
    let gradients = ConvBackward { stride, padding, dilations, groups: *groups };
    ConvGeometry::new(&gradients, &op.input.ty.shape, filter, &op.gradout.ty.shape)
}

/// Offsets and stride of the chroma planes (U and V) behind the luma plane of an image.
pub struct ChromaPlanes {
    pub blue: usize,
    pub red: usize,
    pub step: usize,
}

impl ChromaPlanes {
    pub fn new(format: i64, pixels: usize) -> ChromaPlanes {
        let (first, second) = (pixels, pixels + pixels / 4);
        match format {
            0 => ChromaPlanes { blue: first, red: second, step: 1 },
            1 => ChromaPlanes { blue: second, red: first, step: 1 },
            2 => ChromaPlanes { blue: first, red: first + 1, step: 2 },
            _ => ChromaPlanes { blue: first + 1, red: first, step: 2 },
        }
    }
}

/// BT.601 with the digits of TPU-MLIR: the luma offset and factor; then the factors of V for red, of U and V (subtracted) for
/// green, and of U for blue.
pub fn color_factors(mode: Yuv2rgbFormulaMode) -> [f64; 6] {
    match mode {
        Yuv2rgbFormulaMode::_601Limited => [16.0, 1.16438, 1.59603, 0.39176, 0.81297, 2.01723],
        Yuv2rgbFormulaMode::_601Full => [0.0, 1.0, 1.40189, 0.34581, 0.71490, 1.77098],
    }
}

/// The prior boxes of a single-shot detector at each position of its features, as corners relative to the image, followed by
/// their variances.
pub fn prior_boxes(op: &PriorBox<Operand>) -> Result<Vec<f32>> {
    let (features, image) = (&op.inputs[0].ty.shape, &op.inputs[1].ty.shape);
    let (height, width) = (features[2], features[3]);
    let own = op.img_h == 0 || op.img_w == 0;
    let size = if own { [image[3] as f64, image[2] as f64] } else { [op.img_w as f64, op.img_h as f64] };
    let own = op.step_w.abs() < 1e-6 || op.step_h.abs() < 1e-6;
    let step = if own { [size[0] / width as f64, size[1] / height as f64] } else { [op.step_w, op.step_h] };
    let shapes = box_shapes(op)?;
    let per_place = shapes.len() * 4;
    let n = height * width * per_place;
    let corner = |i: usize| {
        let (place, shape, corner) = (i / per_place, shapes[i / 4 % shapes.len()], i % 4);
        let (axis, sign) = (corner % 2, if corner < 2 { -0.5 } else { 0.5 });
        let at = [place % width, place / width][axis] as f64;
        let value = ((at + op.offset) * step[axis] + sign * shape[axis]) / size[axis];
        if op.clip { value.clamp(0.0, 1.0) as f32 } else { value as f32 }
    };
    let mut all = Vec::new();
    reserve(&mut all, n.saturating_mul(2))?;
    all.extend((0..n).map(corner));
    all.extend((0..n).map(|i| op.variance[i % 4] as f32));
    Ok(all)
}

/// Width and height in pixels of each box at a position.
fn box_shapes(op: &PriorBox<Operand>) -> Result<Vec<[f64; 2]>> {
    let mut shapes: Vec<[f64; 2]> = Vec::new();
    reserve(&mut shapes, op.num_priors as usize)?;
    for (i, &least) in op.min_size.iter().enumerate() {
        let least = least.trunc();
        if op.use_default_aspect_ratio {
            shapes.push([least; 2]);
        }
        shapes.extend(op.max_size.get(i).map(|most| [(least * most.trunc()).sqrt(); 2]));
        let ratios = op.aspect_ratios.iter().filter(|r| !is_square(**r)).map(|r| r.sqrt());
        shapes.extend(ratios.map(|r| [least * r, least / r]));
    }
    Ok(shapes)
}
