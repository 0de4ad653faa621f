//! Normalizations.
use super::{Convert, reduce};
use crate::{
    Tensor,
    base::{Result, invalid},
    emit::{Emit, ints},
    import::Importer,
    node::{Node, resolved_axis},
    ops::{BatchNorm, GroupNorm, InstanceNorm, LRN, LayerNorm, RMSNorm, Reciprocal, ReduceMode, Sqrt},
    tensors::Element,
    value::Value,
};

pub const OPERATORS: &[(&str, Convert)] = &[
    ("BatchNormalization", batch_normalization),
    ("GroupNormalization", group_normalization),
    ("InstanceNormalization", instance_normalization),
    ("LRN", lrn),
    ("LayerNormalization", layer_normalization),
    ("LpNormalization", lp_normalization),
    ("MeanVarianceNormalization", mean_variance_normalization),
    ("RMSNormalization", rms_normalization),
];

/// Gives a vector of channels the rank of an operand, along axis 1. An operand of one dimension has one channel.
fn per_channel(b: &mut Importer, vector: &Value, rank: usize) -> Result<Tensor> {
    let axis = if rank == 1 && vector.elements() == 1 { 0 } else { 1 };
    let vector = b.tensor(vector)?;
    b.along(vector, axis, rank)
}

fn batch_normalization<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let epsilon = n.float_or("epsilon", 1e-5);
    let [scale, shift, mean, variance] = [1, 2, 3, 4].map(|i| n.input(i));
    let (scale, shift, mean, variance) = (scale?, shift?, mean?, variance?);
    let input = b.tensor(x)?;
    if n.flag("training_mode") || (n.version < 14 && n.is_wanted(3)) {
        return training(b, n, x, input, epsilon);
    }
    let known = [scale, shift, mean, variance].iter().all(|v| v.is_constant());
    let made = if known && x.rank() > 1 {
        let [gamma, beta, mean, variance] = b.tensors(&[scale, shift, mean, variance])?[..] else {
            return Err(invalid("it has five operands"));
        };
        b.op(BatchNorm { gamma: Some(gamma), beta: Some(beta), epsilon, ..BatchNorm::new(input, mean, variance) })?
    } else {
        let (mean, variance) = (per_channel(b, mean, x.rank())?, per_channel(b, variance, x.rank())?);
        normalized(b, input, mean, variance, epsilon, scale, shift)?
    };
    Ok(vec![b.value_like(made, x)?])
}

/// `(x - mean) / sqrt(variance + epsilon) * scale + shift`
fn normalized(
    b: &mut Importer,
    x: Tensor,
    mean: Tensor,
    variance: Tensor,
    epsilon: f64,
    scale: &Value,
    shift: &Value,
) -> Result<Tensor> {
    let rank = b.rank(x)?;
    let (scale, shift) = (per_channel(b, scale, rank)?, per_channel(b, shift, rank)?);
    let centered = b.sub(x, mean)?;
    let inverse = inverse_deviation(b, variance, epsilon)?;
    let factor = b.mul(inverse, scale)?;
    let scaled = b.mul(centered, factor)?;
    b.add(scaled, shift)
}

/// `1 / sqrt(variance + epsilon)`
fn inverse_deviation(b: &mut Importer, variance: Tensor, epsilon: f64) -> Result<Tensor> {
    let variance = b.add_const(variance, epsilon)?;
    let deviation = b.op(Sqrt::new(variance))?;
    b.op(Reciprocal::new(deviation))
}

/// Mean and variance over axes, whose sizes become 1.
fn moments(b: &mut Importer, x: Tensor, axes: &[usize]) -> Result<(Tensor, Tensor)> {
    let mean = b.mean(x, axes)?;
    let centered = b.sub(x, mean)?;
    let squared = b.square(centered)?;
    Ok((mean, b.mean(squared, axes)?))
}

/// Normalizes by the statistics of the batch, and updates the running ones.
fn training<'m>(b: &mut Importer<'m>, n: &Node<'m>, x: &Value, input: Tensor, epsilon: f64) -> Result<Vec<Value>> {
    let rank = x.rank();
    let axes: Vec<usize> = (0..rank).filter(|&a| a != 1).collect();
    let (mean, variance) = moments(b, input, &axes)?;
    let y = normalized(b, input, mean, variance, epsilon, n.input(1)?, n.input(2)?)?;
    let mut results = vec![b.value_like(y, x)?];
    let momentum = n.float_or("momentum", 0.9);
    let of_batch = [mean, variance];
    for (old, now) in [(n.input(3)?, mean), (n.input(4)?, variance)] {
        let before = b.tensor(old)?;
        let before = b.mul_const(before, momentum)?;
        let now = b.reshape(now, &old.shape())?;
        let now = b.mul_const(now, 1.0 - momentum)?;
        let made = b.add(before, now)?;
        results.push(b.value_like(made, old)?);
    }
    // Before opset 14 the statistics of the batch were results, too.
    for (now, like) in of_batch.into_iter().zip([n.input(3)?, n.input(4)?]) {
        let now = b.reshape(now, &like.shape())?;
        results.push(b.value_like(now, like)?);
    }
    results.truncate(n.outputs());
    Ok(results)
}

fn instance_normalization<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let eps = n.float_or("epsilon", 1e-5);
    let (input, weight, bias) = (b.tensor(x)?, b.optional_tensor(n.optional(1))?, b.optional_tensor(n.optional(2))?);
    let made = b.op(InstanceNorm { weight, bias, ..InstanceNorm::new(input, eps) })?;
    Ok(vec![b.value(made, x.dtype())?])
}

/// Before opset 21 scale and bias belong to groups, then to channels.
fn group_normalization<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let eps = n.float_or("epsilon", 1e-5);
    let groups = n.int("num_groups").ok_or_else(|| invalid("it has no num_groups"))?;
    let (input, scale, bias) = (b.tensor(x)?, n.input(1)?, n.input(2)?);
    let channels = x.shape().get(1).copied().unwrap_or(1);
    if scale.elements() == channels {
        let (weight, bias) = (Some(b.tensor(scale)?), Some(b.tensor(bias)?));
        let made = b.op(GroupNorm { weight, bias, ..GroupNorm::new(input, eps, groups) })?;
        return Ok(vec![b.value(made, x.dtype())?]);
    }
    let made = b.op(GroupNorm::new(input, eps, groups))?;
    let each = channels / scale.elements().max(1);
    let mut factors = Vec::new();
    for of_groups in [scale, bias] {
        let count = of_groups.elements();
        let column = b.tensor(of_groups)?;
        let column = b.reshape(column, &[count, 1])?;
        let all = b.expand_to(column, &[count, each])?;
        let all = b.reshape(all, &[channels])?;
        factors.push(b.along(all, 1, x.rank())?);
    }
    let scaled = b.mul(made, factors[0])?;
    let made = b.add(scaled, factors[1])?;
    Ok(vec![b.value(made, x.dtype())?])
}

fn layer_normalization<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let shape = x.shape();
    let axis = n.axis_or("axis", -1, shape.len())?;
    let eps = n.float_or("epsilon", 1e-5);
    let input = b.tensor(x)?;
    let over = &shape[axis..];
    let (scale, bias) = (n.input(1)?, n.optional(2));
    let is_plain = |v: &Value| is_of_shape(v, over);
    let made = if is_plain(scale) && bias.is_none_or(is_plain) {
        let (weight, bias) = (shaped_weight(b, Some(scale), over)?, shaped_weight(b, bias, over)?);
        b.op(LayerNorm { weight, bias, ..LayerNorm::new(input, ints(over), axis as i64, eps) })?
    } else {
        let plain = b.op(LayerNorm::new(input, ints(over), axis as i64, eps))?;
        let scale = b.tensor(scale)?;
        let scaled = b.mul(plain, scale)?;
        match b.optional_tensor(bias)? {
            Some(bias) => b.add(scaled, bias)?,
            None => scaled,
        }
    };
    let mut results = vec![b.value_like(made, x)?];
    if n.is_wanted(1) || n.is_wanted(2) {
        let axes: Vec<usize> = (axis..shape.len()).collect();
        let (mean, variance) = moments(b, input, &axes)?;
        let inverse = inverse_deviation(b, variance, eps)?;
        let dtype = Element::of(n.int_or("stash_type", 1) as i32)?.dtype();
        results.push(b.value(mean, dtype)?);
        results.push(b.value(inverse, dtype)?);
    }
    Ok(results)
}

/// Whether a factor has these dimensions, apart from further ones of 1 in front.
fn is_of_shape(factor: &Value, over: &[usize]) -> bool {
    let shape = factor.shape();
    let [own, other] = [&shape, over].map(|shape| shape.iter().skip_while(|d| **d == 1));
    own.eq(other)
}

/// A factor as the tensor that a norm over axes of these sizes takes.
fn shaped_weight(b: &mut Importer, weight: Option<&Value>, over: &[usize]) -> Result<Option<Tensor>> {
    let Some(weight) = weight else { return Ok(None) };
    let tensor = b.tensor(weight)?;
    b.reshape(tensor, over).map(Some)
}

pub fn rms_normalization<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let shape = x.shape();
    let axis = n.axis_or("axis", -1, shape.len())?;
    let eps = n.float_or("epsilon", 1e-5);
    let input = b.tensor(x)?;
    let scale = n.input(1)?;
    let made = if axis + 1 == shape.len() && is_of_shape(scale, &shape[axis..]) {
        let gamma = shaped_weight(b, Some(scale), &shape[axis..])?;
        b.op(RMSNorm { gamma, ..RMSNorm::new(input, eps) })?
    } else {
        let axes: Vec<usize> = (axis..shape.len()).collect();
        let squared = b.square(input)?;
        let mean = b.mean(squared, &axes)?;
        let inverse = inverse_deviation(b, mean, eps)?;
        let plain = b.mul(input, inverse)?;
        let scale = b.tensor(scale)?;
        b.mul(plain, scale)?
    };
    Ok(vec![b.value_like(made, x)?])
}

fn lrn<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let size = n.int("size").ok_or_else(|| invalid("it has no size"))?;
    let (alpha, beta, bias) = (n.float_or("alpha", 1e-4), n.float_or("beta", 0.75), n.float_or("bias", 1.0));
    b.unary(n.input(0)?, |x| LRN { alpha, beta, bias, ..LRN::new(x, size) }.into())
}

fn lp_normalization<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let axis = n.axis_or("axis", -1, x.rank())?;
    let input = b.tensor(x)?;
    let norm = match n.int_or("p", 2) {
        1 => b.reduce(input, &[axis], ReduceMode::ReduceL1)?,
        _ => reduce::norm(b, input, &[axis])?,
    };
    // A vector of zeros stays one.
    let is_zero = b.compare_const(norm, crate::ops::CompareMode::Equal, 0.0)?;
    let norm = b.add(norm, is_zero)?;
    let made = b.div(input, norm)?;
    Ok(vec![b.value_like(made, x)?])
}

/// The epsilon is that of ONNX's definition.
fn mean_variance_normalization<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let axes = n.ints("axes").unwrap_or_else(|| vec![0, 2, 3]);
    let axes = axes.iter().map(|&a| resolved_axis("axes", a, x.rank())).collect::<Result<Vec<_>>>()?;
    let input = b.tensor(x)?;
    let (mean, variance) = moments(b, input, &axes)?;
    let centered = b.sub(input, mean)?;
    let deviation = b.op(Sqrt::new(variance))?;
    let deviation = b.add_const(deviation, 1e-9)?;
    let made = b.div(centered, deviation)?;
    Ok(vec![b.value_like(made, x)?])
}
