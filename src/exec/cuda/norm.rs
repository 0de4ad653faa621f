//! Norms.
use super::{
    builder::{Builder, arguments},
    float::Float,
    formula::{Formula, Input, PostOp},
    geometry,
    slot::Slot,
    source::{File, file},
};
use crate::{
    base::Result,
    exec::{Operand, views::axis_of},
    ops::{BatchNorm, GroupNorm, InstanceNorm, LRN, LayerNorm, Normalize, PixelNorm, RMSNorm, Scale},
};

const FILE: File = file!("norm.cu");

/// One value per channel, broadcast to the input's shape.
fn by_channel(operand: &Operand, input: &Operand) -> Input {
    let axes = input.ty.shape.len().saturating_sub(2);
    Input::of(operand).in_reals().shaped([vec![operand.ty.elements()], vec![1; axes]].concat())
}

/// Folds the statistics into one multiplication and one addition. The factors are computed in float64 and rounded to
/// float32.
pub(super) fn batch_norm(op: &BatchNorm<Operand>) -> Formula {
    let mut inputs = vec![Input::of(&op.input), by_channel(&op.mean, &op.input), by_channel(&op.variance, &op.input)];
    let mut optional = |operand: &Option<Operand>, otherwise: &str| match operand {
        Some(operand) => {
            inputs.push(by_channel(operand, &op.input));
            super::formula::name(inputs.len() - 1)
        }
        None => otherwise.to_owned(),
    };
    let (gamma, beta) = (optional(&op.gamma, "1"), optional(&op.beta, "0"));
    let expression = format!("folded(x, y, z, {gamma}, {beta}, k0)");
    Formula::real(inputs, expression)
        .numbers([op.epsilon])
        .in_doubles()
        .post_op(PostOp::relu(op.do_relu, op.relu_limit))
        .with(FOLDED)
}

const FOLDED: &str = "
__device__ inline float folded(float x, float mean, float variance, float gamma, float beta, double eps) {
    const double scale = gamma / sqrt((double)variance + eps);
    return x * (float)scale + (float)(beta - mean * scale);
}
";

pub(super) fn scale(op: &Scale<Operand>) -> Formula {
    let inputs = vec![Input::of(&op.input), by_channel(&op.scale, &op.input), by_channel(&op.bias, &op.input)];
    Formula::real(inputs, "x * y + z").post_op(PostOp::relu(op.do_relu, op.relu_limit))
}

/// The operands of a norm as floats. The input replaces absent ones, as a placeholder that is not read.
struct NormOperands {
    x: Slot,
    y: Slot,
    weight: Slot,
    bias: Slot,
}

impl NormOperands {
    fn new(
        b: &mut Builder,
        input: &Operand,
        [weight, bias]: [&Option<Operand>; 2],
        [float, of_weights]: [Float; 2],
    ) -> Result<NormOperands> {
        let (x, y) = (b.floats(input, float)?, b.float_result(0, float)?);
        Ok(NormOperands { x, y, weight: b.floats_or(weight, of_weights, x)?, bias: b.floats_or(bias, of_weights, x)? })
    }
    /// In float32.
    fn single(b: &mut Builder, input: &Operand, affine: [&Option<Operand>; 2]) -> Result<NormOperands> {
        NormOperands::new(b, input, affine, [Float::Single; 2])
    }
}

fn rows(
    b: &mut Builder,
    input: &Operand,
    n: usize,
    has_mean: bool,
    eps: f64,
    affine: [&Option<Operand>; 2],
) -> Result<()> {
    let (float, rows) = (b.float(input)?, input.ty.elements() / n);
    // Weights of float32 may be beyond the range of float16.
    let are_alike = affine.into_iter().flatten().all(|o| o.ty.buffer_dtype() == float.dtype());
    let of_weights = if are_alike { float } else { Float::Single };
    let o = NormOperands::new(b, input, affine, [float, of_weights])?;
    let [has_weight, has_bias] = affine.map(Option::is_some);
    let arguments = arguments![o.x, o.y, o.weight, o.bias, rows, n, has_mean, has_weight, has_bias, eps as f32];
    let function = format!("layer_norm<{}, {}>", float.c_type(), of_weights.c_type());
    b.launch(FILE, function, geometry::kept_rows(rows as u64, n as u64), arguments)?;
    b.store_floats(0, o.y, float, PostOp::default())
}

pub(super) fn layer_norm(op: &LayerNorm<Operand>, b: &mut Builder) -> Result<()> {
    let shape = &op.input.ty.shape;
    let n = shape[axis_of(op.axis, shape.len())..].iter().product();
    rows(b, &op.input, n, true, op.eps, [&op.weight, &op.bias])
}

pub(super) fn rms_norm(op: &RMSNorm<Operand>, b: &mut Builder) -> Result<()> {
    let n = op.input.ty.shape.last().copied().unwrap_or(1);
    rows(b, &op.input, n, false, op.eps, [&op.gamma, &None])
}

fn groups(b: &mut Builder, input: &Operand, groups: usize, eps: f64, affine: [&Option<Operand>; 2]) -> Result<()> {
    let (o, shape) = (NormOperands::single(b, input, affine)?, &input.ty.shape);
    let (images, each, inner) = (shape[0], shape[1] / groups, shape[2..].iter().product::<usize>());
    let [has_weight, has_bias] = affine.map(Option::is_some);
    let arguments = arguments![o.x, o.y, o.weight, o.bias, images, groups, each, inner, has_weight, has_bias, eps];
    b.launch(FILE, "group_norm", geometry::rows((images * groups) as u64, (each * inner) as u64), arguments)?;
    b.store(0, o.y, PostOp::default())
}

pub(super) fn group_norm(op: &GroupNorm<Operand>, b: &mut Builder) -> Result<()> {
    groups(b, &op.input, op.num_groups as usize, op.eps, [&op.weight, &op.bias])
}

pub(super) fn instance_norm(op: &InstanceNorm<Operand>, b: &mut Builder) -> Result<()> {
    groups(b, &op.input, op.input.ty.shape[1], op.eps, [&op.weight, &op.bias])
}

/// Returns the numbers of images, channels, and elements per channel.
fn image(input: &Operand) -> [usize; 3] {
    let shape = &input.ty.shape;
    [shape[0], shape[1], shape[2..].iter().product()]
}

pub(super) fn pixel_norm(op: &PixelNorm<Operand>, b: &mut Builder) -> Result<()> {
    let affine = [&op.weight, &op.bias];
    let (o, [images, channels, inner]) = (NormOperands::single(b, &op.input, affine)?, image(&op.input));
    let [has_weight, has_bias] = affine.map(Option::is_some);
    let arguments = arguments![o.x, o.y, o.weight, o.bias, images, channels, inner, has_weight, has_bias, op.eps];
    b.launch(FILE, "pixel_norm", geometry::elements((images * inner) as u64), arguments)?;
    b.store(0, o.y, PostOp::default())
}

/// There is no epsilon: the result is NaN if all elements are 0.
pub(super) fn normalize(op: &Normalize<Operand>, b: &mut Builder) -> Result<()> {
    let (x, scale, y) = (b.reals(&op.input)?, b.reals(&op.scale)?, b.real_result(0)?);
    let [images, channels, inner] = image(&op.input);
    let arguments = arguments![x, y, scale, images, channels, inner, op.across_spatial];
    let (rows, n) = if op.across_spatial { (images, channels * inner) } else { (images * inner, channels) };
    b.launch(FILE, "l2_normalize", geometry::rows(rows as u64, n as u64), arguments)?;
    b.store(0, y, PostOp::default())
}

/// If the number of neighbors is even, the extra one follows the element.
pub(super) fn lrn(op: &LRN<Operand>, b: &mut Builder) -> Result<()> {
    let (x, y, [images, channels, inner]) = (b.reals(&op.input)?, b.real_result(0)?, image(&op.input));
    let (before, after) = ((op.size - 1) / 2, op.size / 2);
    let alpha = op.alpha / op.size as f64;
    let arguments = arguments![x, y, images, channels, inner, before, after, op.bias, alpha, op.beta];
    b.launch(FILE, "local_response_norm", geometry::elements(op.input.ty.elements() as u64), arguments)?;
    b.store(0, y, PostOp::default())
}
