//! Gradients of normalizations, written out as means, products and sums.
use super::backward::{Backward, Output};
use crate::{
    Tensor,
    base::Result,
    emit::Emit,
    ops::{
        BatchNorm, BatchNormTrain, GroupNorm, GroupNormTrain, InstanceNorm, LRN, LayerNorm, LayerNormTrain, MeanRstd,
        Normalize, PixelNorm, RMSNorm, Relu,
    },
};

/// The shape that lies along one axis of a tensor.
fn along(axis: usize, count: usize, rank: usize) -> Vec<usize> {
    let mut shape = vec![1; rank];
    shape[axis] = count;
    shape
}

pub(super) fn batch_norm(b: &mut Backward, op: &BatchNorm<Tensor>, o: Output) -> Result<()> {
    let shape = b.shape(op.input)?;
    let channels = along(1, shape[1], shape.len());
    b.expand(&[Some(o)], |b| {
        let x = b.real(op.input)?;
        let (mean, variance) = (b.reshape(op.mean, &channels)?, b.reshape(op.variance, &channels)?);
        let centered = b.sub(x, mean)?;
        let variance = b.add_const(variance, op.epsilon)?;
        let rstd = b.rsqrt(variance)?;
        let y = b.mul(centered, rstd)?;
        Ok(vec![b.affine(y, op.gamma, op.beta, &channels)?])
    })
}

/// The results are the output, the statistics of the batch, and the updated running statistics.
pub(super) fn batch_norm_train(b: &mut Backward, op: &BatchNormTrain<Tensor>, o: &[Option<Output>]) -> Result<()> {
    let (shape, statistic) = (b.shape(op.input)?, b.shape(op.mean)?);
    let channels = along(1, shape[1], shape.len());
    let axes: Vec<usize> = (0..shape.len()).filter(|&a| a != 1).collect();
    b.expand(o, |b| {
        let x = b.real(op.input)?;
        let [y, mean, rstd] = b.normalized(x, &axes, op.epsilon)?;
        let mut y = b.affine(y, op.gamma, op.beta, &channels)?;
        if op.do_relu {
            y = b.op(Relu { relu_limit: op.relu_limit, ..Relu::new(y) })?;
        }
        let variance = unbiased(b, rstd, op.epsilon, &shape)?;
        let mut results = vec![y, b.reshape(mean, &statistic)?, b.reshape(rstd, &statistic)?];
        for (running, new) in [(op.mean, mean), (op.var, variance)] {
            let new = b.reshape(new, &statistic)?;
            results.push(blended(b, running, new, op.momentum)?);
        }
        Ok(results)
    })
}

/// Returns the unbiased variance per channel from `1 / sqrt(variance + epsilon)`, that of the batch.
fn unbiased(b: &mut Backward, rstd: Tensor, epsilon: f64, shape: &[usize]) -> Result<Tensor> {
    let count = (shape.iter().product::<usize>() / shape[1]) as f64;
    let inverse = b.pow(rstd, -2.0)?;
    let variance = b.add_const(inverse, -epsilon)?;
    b.mul_const(variance, if count > 1.0 { count / (count - 1.0) } else { 1.0 })
}

/// `(1 - momentum) * running + momentum * new`
fn blended(b: &mut Backward, running: Tensor, new: Tensor, momentum: f64) -> Result<Tensor> {
    let kept = b.mul_const(running, 1.0 - momentum)?;
    let part = b.mul_const(new, momentum)?;
    b.add(kept, part)
}

/// The results are the statistics of the batch, the updated running ones, and the scale and bias that normalize.
pub(super) fn mean_rstd(b: &mut Backward, op: &MeanRstd<Tensor>, o: &[Option<Output>]) -> Result<()> {
    let shape = b.shape(op.input)?;
    let statistics = [b.shape(op.running_mean)?, b.shape(op.running_var)?];
    let channels = along(1, shape[1], 4);
    let axes: Vec<usize> = (0..shape.len()).filter(|&a| a != 1).collect();
    b.expand(o, |b| {
        let x = b.real(op.input)?;
        let [_, mean, rstd] = b.normalized(x, &axes, op.eps)?;
        let variance = unbiased(b, rstd, op.eps, &shape)?;
        let mut results = vec![b.reshape(mean, &statistics[0])?, b.reshape(rstd, &statistics[1])?];
        for ((running, new), shape) in
            [(op.running_mean, mean), (op.running_var, variance)].into_iter().zip(&statistics)
        {
            let new = b.reshape(new, shape)?;
            results.push(blended(b, running, new, op.momentum)?);
        }
        let (weight, bias) = (b.reshape(op.weight, &channels)?, b.reshape(op.bias, &channels)?);
        let (rstd, mean) = (b.reshape(rstd, &channels)?, b.reshape(mean, &channels)?);
        let scale = b.mul(weight, rstd)?;
        let moved = b.mul(mean, scale)?;
        results.extend([scale, b.sub(bias, moved)?]);
        Ok(results)
    })
}

/// Normalizes from `axis` on.
fn layer(
    b: &mut Backward,
    input: Tensor,
    axis: i64,
    epsilon: f64,
    [weight, bias]: [Option<Tensor>; 2],
) -> Result<[Tensor; 3]> {
    let shape = b.shape(input)?;
    let axis = axis.rem_euclid(shape.len() as i64) as usize;
    let axes: Vec<usize> = (axis..shape.len()).collect();
    let x = b.real(input)?;
    let [y, mean, rstd] = b.normalized(x, &axes, epsilon)?;
    Ok([b.affine(y, weight, bias, &shape[axis..])?, mean, rstd])
}

pub(super) fn layer_norm(b: &mut Backward, op: &LayerNorm<Tensor>, o: Output) -> Result<()> {
    b.expand(&[Some(o)], |b| Ok(layer(b, op.input, op.axis, op.eps, [op.weight, op.bias])?[..1].to_vec()))
}

pub(super) fn layer_norm_train(b: &mut Backward, op: &LayerNormTrain<Tensor>, o: &[Option<Output>]) -> Result<()> {
    b.expand(o, |b| Ok(layer(b, op.input, op.axis, op.eps, [op.weight, op.bias])?.to_vec()))
}

/// Normalizes each group of channels. The statistics are n x groups.
fn grouped(
    b: &mut Backward,
    input: Tensor,
    groups: usize,
    epsilon: f64,
    [weight, bias]: [Option<Tensor>; 2],
) -> Result<[Tensor; 3]> {
    let shape = b.shape(input)?;
    let x = b.real(input)?;
    let size = shape[1..].iter().product::<usize>() / groups;
    let x = b.reshape(x, &[shape[0], groups, size])?;
    let [y, mean, rstd] = b.normalized(x, &[2], epsilon)?;
    let y = b.reshape(y, &shape)?;
    let y = b.affine(y, weight, bias, &along(1, shape[1], shape.len()))?;
    let statistic = [shape[0], groups];
    Ok([y, b.reshape(mean, &statistic)?, b.reshape(rstd, &statistic)?])
}

pub(super) fn group_norm(b: &mut Backward, op: &GroupNorm<Tensor>, o: Output) -> Result<()> {
    b.expand(&[Some(o)], |b| {
        Ok(grouped(b, op.input, op.num_groups as usize, op.eps, [op.weight, op.bias])?[..1].to_vec())
    })
}

pub(super) fn group_norm_train(b: &mut Backward, op: &GroupNormTrain<Tensor>, o: &[Option<Output>]) -> Result<()> {
    b.expand(o, |b| Ok(grouped(b, op.input, op.num_groups as usize, op.eps, [op.weight, op.bias])?.to_vec()))
}

pub(super) fn instance_norm(b: &mut Backward, op: &InstanceNorm<Tensor>, o: Output) -> Result<()> {
    let channels = b.shape(op.input)?[1];
    b.expand(&[Some(o)], |b| Ok(grouped(b, op.input, channels, op.eps, [op.weight, op.bias])?[..1].to_vec()))
}

pub(super) fn pixel_norm(b: &mut Backward, op: &PixelNorm<Tensor>, o: Output) -> Result<()> {
    let shape = b.shape(op.input)?;
    b.expand(&[Some(o)], |b| {
        let x = b.real(op.input)?;
        let [y, ..] = b.normalized(x, &[1], op.eps)?;
        Ok(vec![b.affine(y, op.weight, op.bias, &along(1, shape[1], shape.len()))?])
    })
}

pub(super) fn rms_norm(b: &mut Backward, op: &RMSNorm<Tensor>, o: Output) -> Result<()> {
    let shape = b.shape(op.input)?;
    let last = shape.len() - 1;
    b.expand(&[Some(o)], |b| {
        let x = b.real(op.input)?;
        let square = b.square(x)?;
        let mean = b.mean(square, &[last])?;
        let mean = b.add_const(mean, op.eps)?;
        let factor = b.rsqrt(mean)?;
        let y = b.mul(x, factor)?;
        Ok(vec![b.affine(y, op.gamma, None, &along(last, shape[last], shape.len()))?])
    })
}

/// `x / (bias + alpha / size * sum)^beta`, the sum of squares over neighboring channels.
pub(super) fn lrn(b: &mut Backward, op: &LRN<Tensor>, o: Output) -> Result<()> {
    // For an even size, the extra neighbor comes after.
    let (before, after) = ((op.size - 1) as usize / 2, op.size as usize / 2);
    b.expand(&[Some(o)], |b| {
        let x = b.real(op.input)?;
        let square = b.square(x)?;
        let sum = b.window_sum(square, 1, before, after)?;
        let base = b.mul_const(sum, op.alpha / op.size as f64)?;
        let base = b.add_const(base, op.bias)?;
        let factor = b.pow(base, -op.beta)?;
        Ok(vec![b.mul(x, factor)?])
    })
}

pub(super) fn normalize(b: &mut Backward, op: &Normalize<Tensor>, o: Output) -> Result<()> {
    let shape = b.shape(op.input)?;
    let axes: Vec<usize> = if op.across_spatial { (1..shape.len()).collect() } else { vec![1] };
    b.expand(&[Some(o)], |b| {
        let x = b.real(op.input)?;
        let square = b.square(x)?;
        let sum = b.sum(square, &axes)?;
        let factor = b.rsqrt(sum)?;
        let y = b.mul(x, factor)?;
        Ok(vec![b.affine(y, Some(op.scale), None, &along(1, shape[1], shape.len()))?])
    })
}
