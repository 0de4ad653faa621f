//! Training: statistics in float64, gradients like PyTorch's.
use super::{
    OpKernel, Operand,
    task::{PostOp, Task},
    workspace::{Workspace, all_reals, ints, numbers},
};
use crate::{
    array::zeros,
    base::Result,
    ops::{
        BatchNormBwd, BatchNormTrain, EmbDenseBwd, GroupNormTrain, LayerNormBwd, LayerNormTrain, MaxPoolingIndicesBwd,
        MeanRstd, SoftmaxBwd,
    },
    semantics::{self, IndexKind, StatisticGroups},
};
use std::borrow::Cow;

/// Writes a result unless it is absent.
fn write(t: &mut Task, i: usize, finish: PostOp, value: impl Fn(usize) -> f64) -> Result<()> {
    if t.result(i).is_err() {
        return Ok(());
    }
    t.write(i, finish, |out| {
        out.iter_mut().enumerate().for_each(|(i, o)| *o = value(i) as f32);
        Ok(())
    })
}

/// Returns an entry of a coefficient, or the default if there is none.
fn at(coefficient: &Option<Cow<[f32]>>, i: usize, default: f64) -> f64 {
    coefficient.as_ref().map_or(default, |c| c[i].into())
}

impl StatisticGroups {
    /// Returns the sum of `value` over each part.
    fn sums(self, elements: usize, value: impl Fn(usize) -> f64) -> Result<Vec<f64>> {
        let mut sums = zeros::<f64>(self.count)?;
        (0..elements).for_each(|i| sums[self.of(i)] += value(i));
        Ok(sums)
    }
}

/// `count` sums of 8 bytes for each part.
fn of_sums(parts: StatisticGroups, count: usize) -> Workspace {
    numbers(parts.count, 8 * count)
}

/// Mean and variance of each part.
struct Statistics {
    parts: StatisticGroups,
    means: Vec<f64>,
    variances: Vec<f64>,
    /// Number of elements of a part.
    n: f64,
}

impl Statistics {
    fn new(values: &[f32], parts: StatisticGroups) -> Result<Statistics> {
        let n = (values.len() / parts.count) as f64;
        let mut means = parts.sums(values.len(), |i| values[i].into())?;
        means.iter_mut().for_each(|m| *m /= n);
        let mut variances = parts.sums(values.len(), |i| (f64::from(values[i]) - means[parts.of(i)]).powi(2))?;
        variances.iter_mut().for_each(|v| *v /= n);
        Ok(Statistics { parts, means, variances, n })
    }
    fn rstd(&self, part: usize, eps: f64) -> f64 {
        1.0 / (self.variances[part] + eps).sqrt()
    }
    fn normalized(&self, values: &[f32], i: usize, eps: f64) -> f64 {
        let part = self.parts.of(i);
        (f64::from(values[i]) - self.means[part]) * self.rstd(part, eps)
    }
    /// Returns the updated running statistics. The variance is the unbiased estimate, like in PyTorch.
    fn running(&self, part: usize, [mean, variance]: [&[f32]; 2], momentum: f64) -> [f64; 2] {
        let estimated = self.variances[part] * self.n / (self.n - 1.0);
        let moved = |old: f32, new: f64| (1.0 - momentum) * f64::from(old) + momentum * new;
        [moved(mean[part], self.means[part]), moved(variance[part], estimated)]
    }
}

pub(super) fn batch_norm_train(op: BatchNormTrain<Operand>) -> OpKernel {
    OpKernel::with_workspace(all_reals() + of_sums(StatisticGroups::channels(&op.input.ty.shape), 2), move |t| {
        let (x, mean, var) = (t.reals(&op.input)?, t.reals(&op.mean)?, t.reals(&op.var)?);
        let (gamma, beta) = (t.optional_reals(&op.gamma)?, t.optional_reals(&op.beta)?);
        let s = Statistics::new(&x, StatisticGroups::channels(&op.input.ty.shape))?;
        write(t, 0, PostOp::relu(op.do_relu, op.relu_limit), |i| {
            let c = s.parts.of(i);
            s.normalized(&x, i, op.epsilon) * at(&gamma, c, 1.0) + at(&beta, c, 0.0)
        })?;
        write(t, 1, PostOp::default(), |c| s.means[c])?;
        write(t, 2, PostOp::default(), |c| s.rstd(c, op.epsilon))?;
        write(t, 3, PostOp::default(), |c| s.running(c, [&mean, &var], op.momentum)[0])?;
        write(t, 4, PostOp::default(), |c| s.running(c, [&mean, &var], op.momentum)[1])
    })
}

pub(super) fn mean_rstd(op: MeanRstd<Operand>) -> OpKernel {
    OpKernel::with_workspace(all_reals() + of_sums(StatisticGroups::channels(&op.input.ty.shape), 2), move |t| {
        let (x, mean, var) = (t.reals(&op.input)?, t.reals(&op.running_mean)?, t.reals(&op.running_var)?);
        let (weight, bias) = (t.reals(&op.weight)?, t.reals(&op.bias)?);
        let s = Statistics::new(&x, StatisticGroups::channels(&op.input.ty.shape))?;
        let scale = |c: usize| f64::from(weight[c]) * s.rstd(c, op.eps);
        write(t, 0, PostOp::default(), |c| s.means[c])?;
        write(t, 1, PostOp::default(), |c| s.rstd(c, op.eps))?;
        write(t, 2, PostOp::default(), |c| s.running(c, [&mean, &var], op.momentum)[0])?;
        write(t, 3, PostOp::default(), |c| s.running(c, [&mean, &var], op.momentum)[1])?;
        write(t, 4, PostOp::default(), scale)?;
        write(t, 5, PostOp::default(), |c| f64::from(bias[c]) - s.means[c] * scale(c))
    })
}

pub(super) fn group_norm_train(op: GroupNormTrain<Operand>) -> OpKernel {
    OpKernel::with_workspace(all_reals() + of_sums(semantics::group_norm_parts(&op), 2), move |t| {
        let (x, weight, bias) = (t.reals(&op.input)?, t.optional_reals(&op.weight)?, t.optional_reals(&op.bias)?);
        let s = Statistics::new(&x, semantics::group_norm_parts(&op))?;
        let channels = StatisticGroups::channels(&op.input.ty.shape);
        write(t, 0, PostOp::default(), |i| {
            s.normalized(&x, i, op.eps) * at(&weight, channels.of(i), 1.0) + at(&bias, channels.of(i), 0.0)
        })?;
        write(t, 1, PostOp::default(), |g| s.means[g])?;
        write(t, 2, PostOp::default(), |g| s.rstd(g, op.eps))
    })
}

/// The result called variance in the op's definition is 1 / sqrt(var + eps).
pub(super) fn layer_norm_train(op: LayerNormTrain<Operand>) -> OpKernel {
    OpKernel::with_workspace(all_reals() + of_sums(semantics::layer_norm_parts(&op)[0], 2), move |t| {
        let [rows, columns] = semantics::layer_norm_parts(&op);
        let (x, weight, bias) = (t.reals(&op.input)?, t.optional_reals(&op.weight)?, t.optional_reals(&op.bias)?);
        let s = Statistics::new(&x, rows)?;
        write(t, 0, PostOp::default(), |i| {
            s.normalized(&x, i, op.eps) * at(&weight, columns.of(i), 1.0) + at(&bias, columns.of(i), 0.0)
        })?;
        write(t, 1, PostOp::default(), |row| s.means[row])?;
        write(t, 2, PostOp::default(), |row| s.rstd(row, op.eps))
    })
}

/// The gradients of a normalization over parts, whose weights belong to other parts.
struct NormBackward<'a> {
    parts: StatisticGroups,
    weights: StatisticGroups,
    grad: &'a [f32],
    /// Returns a normalized element.
    x: &'a dyn Fn(usize) -> f64,
    /// Returns 1 / sqrt(var + eps) of a part.
    rstd: &'a dyn Fn(usize) -> f64,
    weight: &'a dyn Fn(usize) -> f64,
}

impl NormBackward<'_> {
    /// Writes the gradients of input, weight and bias.
    fn write(&self, t: &mut Task) -> Result<()> {
        let elements = self.grad.len();
        let n = (elements / self.parts.count) as f64;
        let grad = |i: usize| f64::from(self.grad[i]);
        let scaled = |i: usize| grad(i) * (self.weight)(self.weights.of(i));
        let (sums, along) =
            (self.parts.sums(elements, scaled)?, self.parts.sums(elements, |i| scaled(i) * (self.x)(i))?);
        write(t, 0, PostOp::default(), |i| {
            let part = self.parts.of(i);
            (self.rstd)(part) * (scaled(i) - sums[part] / n - (self.x)(i) * along[part] / n)
        })?;
        let weight = self.weights.sums(elements, |i| grad(i) * (self.x)(i))?;
        let bias = self.weights.sums(elements, grad)?;
        write(t, 1, PostOp::default(), |c| weight[c])?;
        write(t, 2, PostOp::default(), |c| bias[c])
    }
}

/// Statistics that were not saved are recomputed.
pub(super) fn batch_norm_bwd(op: BatchNormBwd<Operand>) -> OpKernel {
    OpKernel::with_workspace(all_reals() + of_sums(StatisticGroups::channels(&op.input.ty.shape), 6), move |t| {
        let (grad, x) = (t.reals(&op.grad_out)?, t.reals(&op.input)?);
        let weight = t.optional_reals(&op.weight_opt)?;
        let (mean, rstd) = (t.optional_reals(&op.saved_mean)?, t.optional_reals(&op.saved_invstd)?);
        let parts = StatisticGroups::channels(&op.input.ty.shape);
        let s = Statistics::new(&x, parts)?;
        let rstd = |c: usize| at(&rstd, c, s.rstd(c, op.epsilon));
        let normalized =
            |i: usize| (f64::from(x[i]) - at(&mean, parts.of(i), s.means[parts.of(i)])) * rstd(parts.of(i));
        let weight = |c: usize| at(&weight, c, 1.0);
        NormBackward { parts, weights: parts, grad: &grad, x: &normalized, rstd: &rstd, weight: &weight }.write(t)
    })
}

/// The elements of a weight correspond to the same positions of each row.
pub(super) fn layer_norm_bwd(op: LayerNormBwd<Operand>) -> OpKernel {
    let [rows, columns] = semantics::layer_norm_bwd_parts(&op);
    OpKernel::with_workspace(all_reals() + of_sums(rows, 2) + of_sums(columns, 2), move |t| {
        let (grad, x) = (t.reals(&op.grad_out)?, t.reals(&op.input)?);
        let (mean, rstd, weight) = (t.reals(&op.mean)?, t.reals(&op.variance)?, t.optional_reals(&op.weight)?);
        let [parts, weights] = semantics::layer_norm_bwd_parts(&op);
        let rstd = |row: usize| f64::from(rstd[row]);
        let normalized = |i: usize| (f64::from(x[i]) - f64::from(mean[parts.of(i)])) * rstd(parts.of(i));
        let weight = |i: usize| at(&weight, i, 1.0);
        NormBackward { parts, weights, grad: &grad, x: &normalized, rstd: &rstd, weight: &weight }.write(t)
    })
}

pub(super) fn softmax_bwd(op: SoftmaxBwd<Operand>) -> OpKernel {
    let shape = &op.output.ty.shape;
    let n = shape[op.dim.rem_euclid(shape.len() as i64) as usize];
    let workspace = all_reals() + numbers(op.output.ty.elements() / n, 8);
    OpKernel::with_workspace(workspace, move |t| {
        let shape = &op.output.ty.shape;
        let axis = op.dim.rem_euclid(shape.len() as i64) as usize;
        let (n, inner) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
        let (grad, y) = (t.reals(&op.grad_output)?, t.reals(&op.output)?);
        let row = |i: usize| i / (n * inner) * inner + i % inner;
        let mut sums = zeros::<f64>(y.len() / n)?;
        (0..y.len()).for_each(|i| sums[row(i)] += f64::from(grad[i]) * f64::from(y[i]));
        write(t, 0, PostOp::default(), |i| f64::from(y[i]) * (f64::from(grad[i]) - sums[row(i)]))
    })
}

pub(super) fn emb_dense_bwd(op: EmbDenseBwd<Operand>) -> OpKernel {
    OpKernel::with_workspace(all_reals() + ints([&op.indices]), move |t| {
        let (grad, indices) = (t.reals(&op.grad_output)?, t.ints(&op.indices)?);
        let shape = &t.result(0)?.shape;
        let (rows, columns) = (shape[0], shape[1]);
        t.write(0, PostOp::default(), |out| {
            out.fill(0.0);
            indices.iter().zip(grad.chunks(columns)).try_for_each(|(&index, grad)| {
                let row = &mut out[IndexKind::Places.resolve(index, rows)? * columns..][..columns];
                row.iter_mut().zip(grad).for_each(|(o, g)| *o += g);
                Ok(())
            })
        })
    })
}

pub(super) fn max_pooling_indices_bwd(op: MaxPoolingIndicesBwd<Operand>) -> OpKernel {
    OpKernel::with_workspace(all_reals() + ints([&op.indices]), move |t| {
        let (grad, indices) = (t.reals(&op.grad_output)?, t.ints(&op.indices)?);
        let (from, to) = (&op.grad_output.ty.shape, &t.result(0)?.shape);
        let (windows, plane) = (from[2] * from[3], to[2] * to[3]);
        t.write(0, PostOp::default(), |out| {
            out.fill(0.0);
            let planes = out.chunks_mut(plane).zip(grad.chunks(windows)).zip(indices.chunks(windows));
            for ((out, grad), indices) in planes {
                for (&index, grad) in indices.iter().zip(grad) {
                    out[IndexKind::Places.resolve(index, plane)?] += grad;
                }
            }
            Ok(())
        })
    })
}
