//! Gradients of a convolution.
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
        semantics::{self, ConvGeometry},
    },
    ops::{ConvBwd_Weight, Convbwd},
};

const FILE: File = file!("conv_bwd.cu");

/// Uploads the kernels' `ConvGeometry`.
fn upload_geometry(b: &mut Builder, m: &ConvGeometry) -> Result<Slot> {
    let sizes = [&m.input[..], &m.filter, &m.output].concat().into_iter().map(|n| n as i64);
    let steps = [m.stride, m.dilation, m.pads].concat();
    b.constant(&sizes.chain(steps).chain([m.groups as i64]).collect::<Vec<i64>>())
}

fn filter_gradient(b: &mut Builder, i: usize, m: &ConvGeometry, x: &Operand, grad: &Operand) -> Result<()> {
    let (conv, x, grad, out) = (upload_geometry(b, m)?, b.reals(x)?, b.reals(grad)?, b.real_result(i)?);
    let (entries, length) = (m.filter.iter().product::<usize>(), m.input[0] * m.output[0] * m.output[1]);
    let geometry = geometry::rows(entries as u64, length as u64);
    b.launch(FILE, "filter_gradient", geometry, arguments![x, grad, out, conv])?;
    b.store(i, out, PostOp::default())
}

/// Computes the results that are present.
pub(super) fn conv_bwd(op: &Convbwd<Operand>, b: &mut Builder) -> Result<()> {
    let m = semantics::conv_bwd_geometry(op);
    if b.result_type(2).is_ok() {
        let (grad, out) = (b.reals(&op.grad_out)?, b.real_result(2)?);
        let (images, channels, area) = (m.input[0], m.filter[0], m.output[0] * m.output[1]);
        let geometry = geometry::rows(channels as u64, (images * area) as u64);
        b.launch(FILE, "bias_gradient", geometry, arguments![grad, out, images, channels, area])?;
        b.store(2, out, PostOp::default())?;
    }
    if b.result_type(1).is_ok() {
        filter_gradient(b, 1, &m, &op.input, &op.grad_out)?;
    }
    if b.result_type(0).is_ok() {
        let (conv, filter, grad) = (upload_geometry(b, &m)?, b.reals(&op.kernel)?, b.reals(&op.grad_out)?);
        let (out, n) = (b.real_result(0)?, op.input.ty.elements());
        b.launch(FILE, "input_gradient", geometry::elements(n as u64), arguments![filter, grad, out, conv])?;
        b.store(0, out, PostOp::default())?;
    }
    Ok(())
}

pub(super) fn conv_bwd_weight(op: &ConvBwd_Weight<Operand>, b: &mut Builder) -> Result<()> {
    let m = semantics::conv_bwd_weight_geometry(op, &b.result_type(0)?.shape);
    filter_gradient(b, 0, &m, &op.input, &op.gradout)
}
