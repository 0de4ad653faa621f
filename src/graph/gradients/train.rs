//! Gradients of the ops that the rules of others add.
use super::{
    backward::{Backward, Output},
    conv::Geometry,
};
use crate::{
    Operator, Tensor,
    base::Result,
    emit::Emit,
    ops::{ConvBwd_Weight, Convbwd, GatherElements, MaxPoolingIndicesBwd, SoftmaxBwd},
};

/// The gradients of a convolution are linear in the convolution's gradient and in the other operand.
pub(super) fn conv_bwd(b: &mut Backward, op: &Convbwd<Tensor>, operator: &Operator) -> Result<()> {
    let geometry = Geometry::of(&op.stride, &op.padding, &op.dilations, op.groups);
    let (dy, x, w) = (b.real(op.grad_out)?, b.real(op.input)?, b.real(op.kernel)?);
    if let Some(o) = b.output(operator, 0) {
        through_input(b, &geometry, [dy, o.dy, w], [op.grad_out, op.kernel])?;
    }
    if let Some(o) = b.output(operator, 1) {
        through_filter(b, &geometry, [dy, x, o.dy], [op.grad_out, op.input])?;
    }
    if let Some(o) = b.output(operator, 2) {
        let shape = b.shape(dy)?;
        let bias = b.along(o.dy, 1, shape.len())?;
        let gradient = b.expand_to(bias, &shape)?;
        b.give(op.grad_out, gradient)?;
    }
    Ok(())
}

/// For the gradient `dx` of the input, itself with a gradient: those of `dy` and of the filter.
fn through_input(b: &mut Backward, g: &Geometry, [dy, dx, w]: [Tensor; 3], to: [Tensor; 2]) -> Result<()> {
    if b.wants(to[0]) {
        let gradient = g.forward(b, dx, w)?;
        b.give(to[0], gradient)?;
    }
    if b.wants(to[1])
        && let [_, Some(gradient), _] = g.gradients(b, [dy, dx, w], [false, true, false])?
    {
        b.give(to[1], gradient)?;
    }
    Ok(())
}

/// For the gradient `dw` of the filter, itself with a gradient: those of `dy` and of the input.
fn through_filter(b: &mut Backward, g: &Geometry, [dy, x, dw]: [Tensor; 3], to: [Tensor; 2]) -> Result<()> {
    if b.wants(to[0]) {
        let gradient = g.forward(b, x, dw)?;
        b.give(to[0], gradient)?;
    }
    if b.wants(to[1])
        && let [Some(gradient), ..] = g.gradients(b, [dy, x, dw], [true, false, false])?
    {
        b.give(to[1], gradient)?;
    }
    Ok(())
}

pub(super) fn conv_bwd_weight(b: &mut Backward, op: &ConvBwd_Weight<Tensor>, o: Output) -> Result<()> {
    let geometry = Geometry::of(&op.stride, &op.padding, &op.dilations, op.groups);
    let (dy, x) = (b.real(op.gradout)?, b.real(op.input)?);
    through_filter(b, &geometry, [dy, x, o.dy], [op.gradout, op.input])
}

/// Reads the gradient at the places that were written.
pub(super) fn max_pooling_indices_bwd(b: &mut Backward, op: &MaxPoolingIndicesBwd<Tensor>, o: Output) -> Result<()> {
    let (from, to) = (b.shape(o.dy)?, b.shape(op.grad_output)?);
    let planes = b.reshape(o.dy, &[from[0], from[1], from[2] * from[3]])?;
    let places = b.reshape(op.indices, &[to[0], to[1], to[2] * to[3]])?;
    let chosen = b.op(GatherElements { axis: 2, ..GatherElements::new(planes, places) })?;
    let chosen = b.reshape(chosen, &to)?;
    b.give(op.grad_output, chosen)
}

/// `y * (dy - sum(dy * y))`
pub(super) fn softmax_bwd(b: &mut Backward, op: &SoftmaxBwd<Tensor>, o: Output) -> Result<()> {
    let rank = b.rank(op.output)?;
    let axis = [op.dim.rem_euclid(rank as i64) as usize];
    b.expand(&[Some(o)], |b| {
        let product = b.mul(op.grad_output, op.output)?;
        let sum = b.sum(product, &axis)?;
        let part = b.sub(op.grad_output, sum)?;
        Ok(vec![b.mul(op.output, part)?])
    })
}
