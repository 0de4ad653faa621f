//! Pools.
use super::{
    builder::{Builder, arguments},
    conv,
    formula::PostOp,
    geometry,
    slot::Slot,
    source::{File, file},
};
use crate::{
    base::{Dtype, Result},
    exec::Operand,
    ops::{AdaptiveAvgPool, AvgPool, MaxPool, MaxPoolWithMask, PoolMask, Window, pool_windows},
    quant::Quantization,
};

const FILE: File = file!("pool.cu");

/// Uploads the windows that slide over the input to the positions of the first result; an empty list means adaptive windows.
fn sliding(b: &mut Builder, input: &Operand, list: &[Window]) -> Result<Slot> {
    let positions = &b.result_type(0)?.shape[2..];
    conv::windows(b, list, &input.ty.shape[2..], positions)
}

/// Returns the number of planes in a batch of images. Kernels have one thread per position of a plane.
fn planes(input: &Operand) -> usize {
    input.ty.shape[..2].iter().product()
}

pub(super) fn max_pool(op: &MaxPool<Operand>, b: &mut Builder) -> Result<()> {
    let windows = sliding(b, &op.input, &pool_windows(&op.input.ty.shape, &op.into())?)?;
    let (float, n) = (b.float(&op.input)?, b.result_type(0)?.elements());
    let (x, y) = (b.floats(&op.input, float)?, b.float_result(0, float)?);
    let arguments = arguments![x, y, y, windows, planes(&op.input), false];
    b.launch(FILE, format!("max_pool<{}>", float.c_type()), geometry::elements(n as u64), arguments)?;
    b.store_floats(0, y, float, PostOp::relu(op.do_relu, op.relu_limit).and_round(op.round_mode))
}

pub(super) fn max_pool_with_mask(op: &MaxPoolWithMask<Operand>, b: &mut Builder) -> Result<()> {
    let windows = sliding(b, &op.input, &pool_windows(&op.input.ty.shape, &op.into())?)?;
    let (x, y, n) = (b.reals(&op.input)?, b.real_result(0)?, b.result_type(0)?.elements());
    let offsets = b.temporary_reals(n);
    let arguments = arguments![x, y, offsets, windows, planes(&op.input), true];
    b.launch(FILE, "max_pool<float>", geometry::elements(n as u64), arguments)?;
    b.store_ints(1, Dtype::Int32, offsets)?;
    b.store(0, y, PostOp::relu(op.do_relu, op.relu_limit))
}

pub(super) fn avg_pool(op: &AvgPool<Operand>, b: &mut Builder) -> Result<()> {
    let list = pool_windows(&op.input.ty.shape, &op.into())?;
    let taps = if op.count_include_pad { list.iter().map(|w| w.kernel).product() } else { 0 };
    let windows = sliding(b, &op.input, &list)?;
    let post_op = PostOp::relu(op.do_relu, op.relu_limit).and_round(op.round_mode);
    average(b, in_units(&op.input), windows, (taps, false), post_op)
}

pub(super) fn adaptive_avg_pool(op: &AdaptiveAvgPool<Operand>, b: &mut Builder) -> Result<()> {
    let windows = sliding(b, &op.input, &[])?;
    average(b, (op.input.clone(), 1.0), windows, (0, true), PostOp::default())
}

/// Returns an operand in units of its scale, and the scale. Sums of quantized integers are then whole, and exact up to 2^24. The
/// unit is 1 for floats, and for integers with several scales.
fn in_units(operand: &Operand) -> (Operand, f32) {
    let mut operand = operand.clone();
    match operand.ty.per_tensor_scale() {
        Some((scale, zero)) if !operand.ty.dtype.is_float() => {
            operand.ty.quantization = Some(Quantization::per_tensor(1.0, zero));
            (operand, scale as f32)
        }
        _ => (operand, 1.0),
    }
}

/// Averages windows of an operand that is a multiple of `scale`.
fn average(
    b: &mut Builder,
    (input, scale): (Operand, f32),
    windows: Slot,
    (taps, adaptive): (i64, bool),
    post_op: PostOp,
) -> Result<()> {
    let (float, n) = (b.float(&input)?, b.result_type(0)?.elements());
    let (x, y) = (b.floats(&input, float)?, b.float_result(0, float)?);
    let arguments = arguments![x, y, windows, planes(&input), taps, adaptive, scale];
    b.launch(FILE, format!("avg_pool<{}>", float.c_type()), geometry::elements(n as u64), arguments)?;
    b.store_floats(0, y, float, post_op)
}

pub(super) fn pool_mask(op: &PoolMask<Operand>, b: &mut Builder) -> Result<()> {
    let (h, w, scale) = (op.input.ty.shape[2], op.input.ty.shape[3], op.scale as usize);
    let (down, across) = (h.div_ceil(scale), w.div_ceil(scale));
    let (x, y, n) = (b.reals(&op.input)?, b.real_result(0)?, planes(&op.input));
    let arguments = arguments![x, y, n, h, w, down, across, scale];
    b.launch(FILE, "pool_mask", geometry::elements((n * down * across) as u64), arguments)?;
    b.store(0, y, PostOp::default())
}
