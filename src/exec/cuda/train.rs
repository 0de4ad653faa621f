//! Training: statistics in float64, and gradients as in PyTorch.
use super::{
    builder::{Builder, arguments},
    formula::PostOp,
    geometry,
    slot::Slot,
    source::{File, file},
};
use crate::{
    base::Result,
    exec::{
        Operand,
        semantics::{self, StatisticGroups},
        views::axis_of,
    },
    ops::{
        BatchNormBwd, BatchNormTrain, GroupNormTrain, LayerNormBwd, LayerNormTrain, MaxPoolingIndicesBwd, MeanRstd,
        SoftmaxBwd,
    },
};

const FILE: File = file!("train.cu");

/// A statistic of each part, with its operands; numbered as in the kernel.
enum Statistic<'o> {
    Mean,
    Rstd,
    RunningMean(&'o Operand),
    RunningVariance(&'o Operand),
    Scale(&'o Operand),
    Shift(&'o Operand, &'o Operand),
}

/// Mean and variance of each part.
struct Statistics {
    x: Slot,
    elements: usize,
    parts: StatisticGroups,
    means: Slot,
    variances: Slot,
}

impl Statistics {
    /// Allocates the statistics without computing them.
    fn empty(b: &mut Builder, input: &Operand, parts: StatisticGroups) -> Result<Statistics> {
        let bytes = (parts.count as u64).saturating_mul(8);
        let (means, variances) = (b.temporary(bytes), b.temporary(bytes));
        Ok(Statistics { x: b.reals(input)?, elements: input.ty.elements(), parts, means, variances })
    }
    fn new(b: &mut Builder, input: &Operand, parts: StatisticGroups) -> Result<Statistics> {
        let s = Statistics::empty(b, input, parts)?;
        let arguments = arguments![s.x, s.means, s.variances, parts.count, parts.inner, s.n()];
        b.launch(FILE, "statistics", s.rows(parts), arguments)?;
        Ok(s)
    }
    /// Returns the number of elements per part.
    fn n(&self) -> usize {
        self.elements / self.parts.count
    }
    /// Returns a geometry of one block per part.
    fn rows(&self, parts: StatisticGroups) -> geometry::Geometry {
        geometry::rows(parts.count as u64, (self.elements / parts.count) as u64)
    }
    /// Stores these statistics as the results from `first` on, if present.
    fn store(&self, b: &mut Builder, first: usize, list: &[Statistic], [eps, momentum]: [f64; 2]) -> Result<()> {
        for (i, statistic) in list.iter().enumerate().map(|(i, statistic)| (first + i, statistic)) {
            if b.result_type(i).is_err() {
                continue;
            }
            let (what, x, y) = match statistic {
                Statistic::Mean => (0i64, self.x, self.x),
                Statistic::Rstd => (1, self.x, self.x),
                Statistic::RunningMean(old) => (2, b.reals(old)?, self.x),
                Statistic::RunningVariance(old) => (3, b.reals(old)?, self.x),
                Statistic::Scale(weight) => (4, b.reals(weight)?, self.x),
                Statistic::Shift(weight, bias) => (5, b.reals(weight)?, b.reals(bias)?),
            };
            let (out, count, n) = (b.real_result(i)?, self.parts.count, self.n());
            let arguments = arguments![self.means, self.variances, x, y, out, count, n, what, eps, momentum];
            b.launch(FILE, "statistic", geometry::elements(count as u64), arguments)?;
            b.store(i, out, PostOp::default())?;
        }
        Ok(())
    }
    /// Stores the first result: the normalized elements, with weights and biases per part of `weights`.
    fn normalize(
        &self,
        b: &mut Builder,
        affine: [&Option<Operand>; 2],
        weights: StatisticGroups,
        eps: f64,
        post_op: PostOp,
    ) -> Result<()> {
        if b.result_type(0).is_err() {
            return Ok(());
        }
        let [weight, bias] = [b.reals_or(affine[0], self.x)?, b.reals_or(affine[1], self.x)?];
        let (out, [has_weight, has_bias]) = (b.real_result(0)?, affine.map(Option::is_some));
        let (x, means, variances, n) = (self.x, self.means, self.variances, self.elements);
        let [count, inner, of_weights, of_inner] = self.sizes(weights);
        let arguments = arguments![
            x, out, means, variances, weight, bias, n, count, inner, of_weights, of_inner, has_weight, has_bias, eps
        ];
        b.launch(FILE, "normalize", geometry::elements(n as u64), arguments)?;
        b.store(0, out, post_op)
    }
    /// Uses saved statistics if they are present. Standard deviations then replace variances.
    fn saved(&self, b: &mut Builder, [mean, rstd]: [Option<&Operand>; 2], eps: f64) -> Result<()> {
        let has = [mean, rstd].map(|o| o.is_some());
        let mut slot = |operand: Option<&Operand>| operand.map_or(Ok(self.x), |o| b.reals(o));
        let (mean, rstd) = (slot(mean)?, slot(rstd)?);
        let arguments = arguments![self.means, self.variances, mean, rstd, self.parts.count, has[0], has[1], eps];
        b.launch(FILE, "use_saved", geometry::elements(self.parts.count as u64), arguments)
    }
    /// Computes the gradients of input, weight and bias that are present, after [`Statistics::saved`].
    fn gradients(
        &self,
        b: &mut Builder,
        grad: &Operand,
        weight: &Option<Operand>,
        weights: StatisticGroups,
    ) -> Result<()> {
        let grad = b.reals(grad)?;
        self.weight_gradients(b, grad, weights)?;
        if b.result_type(0).is_err() {
            return Ok(());
        }
        let (out, of_weight, has_weight) = (b.real_result(0)?, b.reals_or(weight, self.x)?, weight.is_some());
        let (x, means, rstds, n) = (self.x, self.means, self.variances, self.n());
        let [count, inner, of_weights, of_inner] = self.sizes(weights);
        let arguments =
            arguments![grad, x, means, rstds, of_weight, out, n, count, inner, of_weights, of_inner, has_weight];
        b.launch(FILE, "norm_gradient", self.rows(self.parts), arguments)?;
        b.store(0, out, PostOp::default())
    }
    /// Computes both gradients if either is present.
    fn weight_gradients(&self, b: &mut Builder, grad: Slot, weights: StatisticGroups) -> Result<()> {
        let is_present = [1, 2].map(|i| b.result_type(i).is_ok());
        if is_present == [false, false] {
            return Ok(());
        }
        let mut slot = |i: usize| match is_present[i - 1] {
            true => b.real_result(i),
            false => Ok(b.temporary_reals(weights.count)),
        };
        let (of_weight, of_bias) = (slot(1)?, slot(2)?);
        let (x, means, rstds, n) = (self.x, self.means, self.variances, self.elements / weights.count);
        let [count, inner, of_weights, of_inner] = self.sizes(weights);
        let arguments = arguments![grad, x, means, rstds, of_weight, of_bias, n, count, inner, of_weights, of_inner];
        b.launch(FILE, "weight_gradients", self.rows(weights), arguments)?;
        for (i, from) in [(1, of_weight), (2, of_bias)] {
            if is_present[i - 1] {
                b.store(i, from, PostOp::default())?;
            }
        }
        Ok(())
    }
    fn sizes(&self, weights: StatisticGroups) -> [usize; 4] {
        [self.parts.count, self.parts.inner, weights.count, weights.inner]
    }
}

pub(super) fn batch_norm_train(op: &BatchNormTrain<Operand>, b: &mut Builder) -> Result<()> {
    let s = Statistics::new(b, &op.input, StatisticGroups::channels(&op.input.ty.shape))?;
    let list =
        [Statistic::Mean, Statistic::Rstd, Statistic::RunningMean(&op.mean), Statistic::RunningVariance(&op.var)];
    s.store(b, 1, &list, [op.epsilon, op.momentum])?;
    s.normalize(b, [&op.gamma, &op.beta], s.parts, op.epsilon, PostOp::relu(op.do_relu, op.relu_limit))
}

pub(super) fn mean_rstd(op: &MeanRstd<Operand>, b: &mut Builder) -> Result<()> {
    let s = Statistics::new(b, &op.input, StatisticGroups::channels(&op.input.ty.shape))?;
    let running = [Statistic::RunningMean(&op.running_mean), Statistic::RunningVariance(&op.running_var)];
    s.store(b, 4, &[Statistic::Scale(&op.weight), Statistic::Shift(&op.weight, &op.bias)], [op.eps, op.momentum])?;
    s.store(b, 2, &running, [op.eps, op.momentum])?;
    s.store(b, 0, &[Statistic::Mean, Statistic::Rstd], [op.eps, op.momentum])
}

pub(super) fn group_norm_train(op: &GroupNormTrain<Operand>, b: &mut Builder) -> Result<()> {
    let s = Statistics::new(b, &op.input, semantics::group_norm_parts(op))?;
    s.store(b, 1, &[Statistic::Mean, Statistic::Rstd], [op.eps, 0.0])?;
    let channels = StatisticGroups::channels(&op.input.ty.shape);
    s.normalize(b, [&op.weight, &op.bias], channels, op.eps, PostOp::default())
}

/// The result that td calls variance is 1 / sqrt(var + eps).
pub(super) fn layer_norm_train(op: &LayerNormTrain<Operand>, b: &mut Builder) -> Result<()> {
    let [rows, columns] = semantics::layer_norm_parts(op);
    let s = Statistics::new(b, &op.input, rows)?;
    s.store(b, 1, &[Statistic::Mean, Statistic::Rstd], [op.eps, 0.0])?;
    s.normalize(b, [&op.weight, &op.bias], columns, op.eps, PostOp::default())
}

/// Recomputes statistics that were not saved.
pub(super) fn batch_norm_bwd(op: &BatchNormBwd<Operand>, b: &mut Builder) -> Result<()> {
    let s = Statistics::new(b, &op.input, StatisticGroups::channels(&op.input.ty.shape))?;
    s.saved(b, [op.saved_mean.as_ref(), op.saved_invstd.as_ref()], op.epsilon)?;
    s.gradients(b, &op.grad_out, &op.weight_opt, s.parts)
}

/// Each weight applies to the elements with the same index in all rows.
pub(super) fn layer_norm_bwd(op: &LayerNormBwd<Operand>, b: &mut Builder) -> Result<()> {
    let [rows, columns] = semantics::layer_norm_bwd_parts(op);
    let s = Statistics::empty(b, &op.input, rows)?;
    s.saved(b, [Some(&op.mean), Some(&op.variance)], 0.0)?;
    s.gradients(b, &op.grad_out, &op.weight, columns)
}

pub(super) fn softmax_bwd(op: &SoftmaxBwd<Operand>, b: &mut Builder) -> Result<()> {
    let shape = &op.output.ty.shape;
    let axis = axis_of(op.dim, shape.len());
    let (n, inner) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
    let rows = op.output.ty.elements() / n;
    let (grad, y, out) = (b.reals(&op.grad_output)?, b.reals(&op.output)?, b.real_result(0)?);
    let arguments = arguments![grad, y, out, rows, n, inner];
    b.launch(FILE, "softmax_gradient", geometry::rows(rows as u64, n as u64), arguments)?;
    b.store(0, out, PostOp::default())
}

pub(super) fn max_pooling_indices_bwd(op: &MaxPoolingIndicesBwd<Operand>, b: &mut Builder) -> Result<()> {
    let (from, to) = (&op.grad_output.ty.shape, &b.result_type(0)?.shape);
    let (planes, windows, area) = (from[0] * from[1], from[2] * from[3], to[2] * to[3]);
    let (offsets, grad, out) = (b.ints(&op.indices)?, b.reals(&op.grad_output)?, b.real_result(0)?);
    let arguments = arguments![grad, offsets, out, planes, windows, area, b.faults()?];
    b.launch(FILE, "pool_gradient", geometry::elements(planes as u64), arguments)?;
    b.store(0, out, PostOp::default())
}
