//! What operators mean beyond their types and attributes, whatever backend computes them.
use super::{Operand, ValueType};
use crate::{
    array::reserve,
    base::{Dtype, Error, Result, argument, counted},
    ops::{
        ChunkGatedDeltaRule, CompareConst, ConvBwd_Weight, Convbwd, Gradients, GroupNormTrain, InterpCoordMode,
        InterpMode, LayerNormBwd, LayerNormTrain, MaskedFill, MeanStdScale, PriorBox, RecurrentGatedDeltaRule,
        SelectiveScan, Softmax, Where, Yuv2rgbFormulaMode, is_square,
    },
    quant::{Quantization, RoundMode, multiplier_and_shift},
};
use std::fmt::Display;

/// Softmax of stored values of 8 bits, as the compiler computes it: by a table of the exponentials of distances from the
/// largest, in float32, and rounded to the nearest integer whatever the round mode. With it scale and zero point of the result.
/// None where tensors are something else.
pub fn softmax_table(op: &Softmax<Operand>, result: &ValueType) -> Option<([f32; 256], f64, i64)> {
    let is_byte = |ty: &ValueType| ty.quantization.is_some() && matches!(ty.dtype, Dtype::Int8 | Dtype::Uint8);
    if op.log || !is_byte(&op.input.ty) || !is_byte(result) {
        return None;
    }
    let ((scale, _), (to, offset)) = (op.input.ty.one_scale()?, result.one_scale()?);
    Some((std::array::from_fn(|i| (-scale * op.beta * i as f64).exp() as f32), to, offset))
}

/// Stored integers are chosen as they are, where the result stores the same numbers.
pub fn chooses_stored(op: &Where<Operand>, result: &ValueType) -> bool {
    let is_int = |ty: &ValueType| !ty.dtype.is_float();
    let fits = |o: &Option<Operand>, number: f64| match o {
        Some(o) => is_int(&o.ty) && o.ty.quantization == result.quantization,
        None => result.quantization.is_none() && number.fract() == 0.0,
    };
    is_int(result) && fits(&op.tbrn, op.x_const_val) && fits(&op.fbrn, op.y_const_val)
}

/// A choice with a number in the other branch.
pub fn as_where(op: MaskedFill<Operand>) -> Where<Operand> {
    let (branch, number) = (Some(op.brn), op.const_val);
    if op.inversed {
        Where { fbrn: branch, x_is_const: true, x_const_val: number, ..Where::new(op.cond) }
    } else {
        Where { tbrn: branch, y_is_const: true, y_const_val: number, ..Where::new(op.cond) }
    }
}

/// The number that a tensor is compared with: the compiler rounds it to the tensor's scale, so that only stored values are
/// compared.
pub fn compared_number(op: &CompareConst<Operand>) -> f64 {
    match op.input.ty.quantization.as_ref().map(|q| q.values().0).as_deref() {
        Some([scale]) => (op.const_val / scale).round() * scale,
        _ => op.const_val,
    }
}

/// Whether sums, differences and products saturate: what signed operands give does so in an unsigned type, whatever was asked
/// for.
pub fn saturates(asked: bool, operands: &[&ValueType], result: Dtype) -> bool {
    asked || !result.is_signed_int() && operands.iter().all(|ty| ty.dtype.is_signed_int())
}

/// For each channel a multiplier of 16 bits, a shift to the right, and what is added before it; the zero points do not count.
pub fn fixed_point_factors(op: &MeanStdScale<Operand>) -> Vec<(i64, i64, i64)> {
    let of = |(mean, std): (&f64, &f64)| {
        let factor = op.scale[0] / (std * op.scale[1]);
        let (multiplier, shift) = multiplier_and_shift(factor as f32);
        let offset = RoundMode::HalfAwayFromZero.round(f64::from((-mean * factor * (shift as f64).exp2()) as f32));
        (multiplier, shift, offset as i64)
    };
    op.mean.iter().zip(&op.std).map(of).collect()
}

/// For floats that become stored values: what each channel is multiplied by, and the zero point.
pub fn rounded_factors(op: &MeanStdScale<Operand>) -> (Vec<f64>, i64) {
    let zero = (op.zero_points[1] as i64).saturating_sub(op.zero_points[0] as i64);
    (op.std.iter().map(|std| 1.0 / (std * op.scale[1] / op.scale[0])).collect(), zero)
}

/// The stored values that mean 0.
pub fn zero_points(ty: &ValueType) -> Vec<i64> {
    ty.quantization.as_ref().map_or_else(|| vec![0], |q| Quantization::values(q).1)
}

/// Whether stored values of one tensor are those of another: same dtype, and same scale. A tensor without a scale takes them
/// as they are.
pub fn stores_the_same(from: &ValueType, to: &ValueType) -> bool {
    let values = |ty: &ValueType| ty.quantization.as_ref().map(Quantization::values);
    from.buffer_dtype() == to.buffer_dtype() && (to.quantization.is_none() || values(from) == values(to))
}

/// What products are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factors {
    /// Real numbers.
    Real,
    /// Integers of up to 16 bits, less a zero point: the sums of their products fit 64 bits.
    Narrow,
    /// Others, whose sums saturate.
    Wide,
}

/// What the products of two tensors are made of: the left one says whether of real numbers.
pub fn factors(left: &ValueType, right: &ValueType) -> Factors {
    let is_narrow = |ty: &ValueType| ty.dtype.is_quantizable() || ty.dtype == Dtype::Bool;
    match left.dtype.is_float() {
        true => Factors::Real,
        false if is_narrow(left) && is_narrow(right) => Factors::Narrow,
        false => Factors::Wide,
    }
}

/// Of what an index names one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Indexed {
    /// Entries of this axis; a negative index counts from its end.
    Axis(usize),
    /// Places that are written.
    Places,
    /// Elements of each plane of a result.
    Plane,
    Images,
    /// Of a pyramid of features.
    Levels,
    /// Of a network, one of which a token goes through.
    Experts,
}

impl Indexed {
    /// The error that an index names none of so many.
    pub fn impossible(self, index: impl Display, count: usize) -> Error {
        let last = count as i64 - 1;
        let expected = match self {
            Indexed::Axis(axis) => {
                let entries = counted(count, "entry");
                format!("axis {axis} has {entries}, so it must be from {} to {last}", -(count as i64))
            }
            Indexed::Places => format!("there are {count} places, so it must be from 0 to {last}"),
            Indexed::Plane => format!("a plane of the result has {count} elements, so it must be from 0 to {last}"),
            Indexed::Images => format!("there are {count} images, so it must be from 0 to {last}"),
            Indexed::Levels => format!("there are {count} levels, so it must be from 0 to {last}"),
            Indexed::Experts => format!("there are {count} experts, so it must be from 0 to {last}"),
        };
        argument("an index", index, expected)
    }
    /// The one that an index names.
    ///
    /// # Errors
    /// There is none.
    pub fn one(self, index: i64, count: usize) -> Result<usize> {
        let from_end = matches!(self, Indexed::Axis(_)) && index < 0;
        let place = if from_end { index + count as i64 } else { index };
        let found = usize::try_from(place).ok().filter(|i| *i < count);
        found.ok_or_else(|| self.impossible(index, count))
    }
}

/// The gated delta rule: for each head of values a matrix, which every step lets fade and corrects by what it lacks.
pub struct Delta<'o> {
    pub query: &'o Operand,
    pub key: &'o Operand,
    pub value: &'o Operand,
    pub g: &'o Operand,
    pub beta: &'o Operand,
    pub state: &'o Operand,
    /// Elements of a head.
    pub elements: usize,
    /// Heads of queries and keys, and of values.
    pub heads: [usize; 2],
    pub scale: f64,
    /// Queries and keys are brought to length 1.
    pub normalised: bool,
}

/// Both rules have the same operands and attributes.
macro_rules! gated_delta {
    ($($op:ident)*) => {
        $(impl<'o> From<&'o $op<Operand>> for Delta<'o> {
            fn from(op: &'o $op<Operand>) -> Self {
                let (query, key, value, g, beta) = (&op.query, &op.key, &op.value, &op.g, &op.beta);
                let (state, heads) = (&op.recurrent_state, [op.num_k_heads as usize, op.num_v_heads as usize]);
                let (elements, scale, normalised) = (op.d as usize, op.scale, op.use_qk_l2norm);
                Delta { query, key, value, g, beta, state, elements, heads, scale, normalised }
            }
        })*
    };
}
// Step by step: the chunks are a chip's way to the same numbers.
gated_delta!(RecurrentGatedDeltaRule ChunkGatedDeltaRule);

/// Channels, steps and batch of a scan. How several states would be joined is nowhere defined, nor what becomes of an odd
/// channel.
pub fn scanned(op: &SelectiveScan<Operand>) -> Option<[usize; 3]> {
    match *op.deltaA.ty.shape.as_slice() {
        [1, channels, length, batch] if channels % 2 == 0 => Some([channels, length, batch]),
        _ => None,
    }
}

/// Elements that are taken together: so many parts, each of which has `inner` elements in a row, again and again.
#[derive(Debug, Clone, Copy)]
pub struct Parts {
    pub count: usize,
    pub inner: usize,
}

impl Parts {
    /// Each channel of all images.
    pub fn channels(shape: &[usize]) -> Parts {
        Parts { count: shape[1], inner: shape[2..].iter().product() }
    }
    /// Rows of n elements.
    fn rows(elements: usize, n: usize) -> Parts {
        Parts { count: elements / n, inner: n }
    }
    /// The part of an element.
    pub fn of(self, i: usize) -> usize {
        i / self.inner % self.count
    }
}

/// The groups of each image.
pub fn group_norm_parts(op: &GroupNormTrain<Operand>) -> Parts {
    let (elements, shape) = (op.input.ty.elements(), &op.input.ty.shape);
    Parts::rows(elements, elements / shape[0] / op.num_groups as usize)
}

/// The rows that are normalised, and what weights belong to: the same place of each.
pub fn layer_norm_parts(op: &LayerNormTrain<Operand>) -> [Parts; 2] {
    let shape = &op.input.ty.shape;
    let n = shape[op.axis.rem_euclid(shape.len() as i64) as usize..].iter().product();
    [Parts::rows(op.input.ty.elements(), n), Parts { count: n, inner: 1 }]
}

/// As [`layer_norm_parts`]: there is a mean for each row.
pub fn layer_norm_bwd_parts(op: &LayerNormBwd<Operand>) -> [Parts; 2] {
    let elements = op.input.ty.elements();
    let n = elements / op.mean.ty.elements();
    [Parts::rows(elements, n), Parts { count: n, inner: 1 }]
}

/// Where a convolution's elements meet.
#[derive(Debug)]
pub struct Meetings {
    /// n x c x h x w.
    pub input: [usize; 4],
    /// o x c / groups x h x w.
    pub filter: [usize; 4],
    /// Height and width of the result.
    pub output: [usize; 2],
    pub stride: [i64; 2],
    pub dilation: [i64; 2],
    /// Above, and to the left.
    pub pads: [i64; 2],
    pub groups: usize,
}

impl Meetings {
    fn new(g: &Gradients, input: &[usize], filter: &[usize], output: &[usize]) -> Meetings {
        let dims = |operand: &[usize]| std::array::from_fn(|i| operand.get(i).copied().unwrap_or(1));
        let two = |list: &[i64]| [list[0], list[1]];
        Meetings {
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

/// Whether a convolution's gradients are defined: what is inserted between elements is not.
pub fn inserts_nothing(op: &Convbwd<Operand>) -> bool {
    op.inserts.iter().all(|n| *n == 0)
}

pub fn conv_meetings(op: &Convbwd<Operand>) -> Meetings {
    let Convbwd { stride, padding, dilations, groups, .. } = op;
    let gradients = Gradients { stride, padding, dilations, groups: *groups };
    Meetings::new(&gradients, &op.input.ty.shape, &op.kernel.ty.shape, &op.grad_out.ty.shape)
}

pub fn conv_weight_meetings(op: &ConvBwd_Weight<Operand>, filter: &[usize]) -> Meetings {
    let ConvBwd_Weight { stride, padding, dilations, groups, .. } = op;
    let gradients = Gradients { stride, padding, dilations, groups: *groups };
    Meetings::new(&gradients, &op.input.ty.shape, filter, &op.gradout.ty.shape)
}

/// Where a picture's blue (U) and red (V) differences lie behind its brightness: the place of the first, and how far apart
/// they are.
pub struct ColourPlanes {
    pub blue: usize,
    pub red: usize,
    pub step: usize,
}

impl ColourPlanes {
    pub fn new(format: i64, pixels: usize) -> ColourPlanes {
        let (first, second) = (pixels, pixels + pixels / 4);
        match format {
            0 => ColourPlanes { blue: first, red: second, step: 1 },
            1 => ColourPlanes { blue: second, red: first, step: 1 },
            2 => ColourPlanes { blue: first, red: first + 1, step: 2 },
            _ => ColourPlanes { blue: first + 1, red: first, step: 2 },
        }
    }
}

/// BT.601, with TPU-MLIR's digits: the darkest brightness and what brightness is multiplied by; then how much of the red
/// difference is added for red, how much of the blue and of the red one is subtracted for green, and how much of the blue one
/// is added for blue.
pub fn colour_factors(mode: Yuv2rgbFormulaMode) -> [f64; 6] {
    match mode {
        Yuv2rgbFormulaMode::_601Limited => [16.0, 1.16438, 1.59603, 0.39176, 0.81297, 2.01723],
        Yuv2rgbFormulaMode::_601Full => [0.0, 1.0, 1.40189, 0.34581, 0.71490, 1.77098],
    }
}

/// Where an entry of a resampled axis comes from: an entry, and how far towards the next one; 0 at the last.
#[derive(Clone, Copy)]
pub struct Place {
    pub at: usize,
    pub towards: f32,
}

/// The places of all entries of an axis. In float32, as the tool chain and PyTorch have it: where a place falls between
/// two entries depends on it.
pub fn places(from: usize, to: usize, mode: InterpMode, coord: InterpCoordMode) -> Result<Vec<Place>> {
    use InterpCoordMode::*;
    let last = (from - 1) as f32;
    let step = match coord {
        AlignCorners if to <= 1 => 0.0,
        AlignCorners => last / (to - 1) as f32,
        _ => from as f32 / to as f32,
    };
    let place = |i: usize| {
        let x = match coord {
            AlignCorners | Asymmetric => i as f32 * step,
            HalfPixel | PytorchHalfPixel => (i as f32 + 0.5) * step - 0.5,
        };
        let x = x.clamp(0.0, last);
        let nearest = match coord {
            AlignCorners => x.round(),
            Asymmetric => x.floor(),
            // Halfway, the lower one: ONNX's round_prefer_floor.
            HalfPixel | PytorchHalfPixel => (x - 0.5).ceil(),
        };
        let at = if mode == InterpMode::Nearest { nearest } else { x.floor() };
        let at = (at.max(0.0) as usize).min(from - 1);
        let towards = if at + 1 == from || mode == InterpMode::Nearest { 0.0 } else { x - at as f32 };
        Place { at, towards }
    };
    let mut all = Vec::new();
    reserve(&mut all, to)?;
    all.extend((0..to).map(place));
    Ok(all)
}

/// The boxes of a single-shot detector at each place of its features, by their corners in parts of the image, then their
/// variances.
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

/// Width and height of each box of a place, in pixels.
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
