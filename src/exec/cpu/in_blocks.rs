//! Operators on channel-blocked images: which are supported, and their kernels.
use super::{
    OpKernel, Operand, Signature, ValueType,
    blocked::{
        Axis, BLOCK, Conv2d, ConvEpilogue, ConvShape, Deconv2d, InstructionSet, Method, Padding, Pool2d, PoolKind,
        from_blocked, to_blocked,
    },
    expanded::Stages,
    interp,
    kernel::Epilogue,
    pad,
    reduce::is_of_pixels,
    task::PostOp,
    workspace::bytes,
};
use crate::{
    Layout,
    base::{Dtype, Result, invalid},
    ops::{AvgPool, Conv, Convolution, Deconv, MaxPool, Op, Window, pool_windows},
    signature::{is_arithmetic, is_for_all_channels},
};

/// The channels of an image in blocks.
pub(super) fn channels(ty: &ValueType) -> Option<usize> {
    if let Layout::Blocked { channels, block: BLOCK } = ty.layout { Some(channels) } else { None }
}

/// Whether an operator and those fused into it are supported with these layouts.
pub(super) fn supports(signature: &Signature) -> bool {
    if let Some(stages) = Stages::new(signature) {
        return stages.are_supported();
    }
    let [Some(result)] = signature.results.as_slice() else {
        return super::channels::supports(signature);
    };
    channels(result).is_some()
        && signature.fused_ops.iter().all(|op| is_elementwise(op, result))
        && match &signature.op {
            Op::Conv(op) => {
                let shape = geometry(op).ok().flatten();
                are_constant(&op.filter, &op.bias) && shape.is_some_and(|g| reads(&g, &op.input))
            }
            Op::Deconv(op) => {
                let shape = transposed_geometry(op).ok().flatten().filter(Deconv2d::supports);
                let is_packed = op.dynweight_reorderd && are_constant(&op.filter, &op.bias);
                is_packed && shape.is_some_and(|g| reads(&g, &op.input))
            }
            Op::MaxPool(op) => max_pool(op).is_ok(),
            Op::AvgPool(op) => op.pad_value == 0 && avg_pool(op).is_ok(),
            Op::Reduce(op) => channels(&op.input.ty) == channels(result) && is_of_pixels(op),
            Op::PixelNorm(op) => channels(&op.input.ty) == channels(result),
            Op::GroupNorm(op) => channels(&op.input.ty) == channels(result),
            Op::InstanceNorm(op) => channels(&op.input.ty) == channels(result),
            op => {
                is_elementwise(op, result)
                    || super::channels::supports(signature)
                    || interp::in_blocks(op, result).is_some()
                    || pad::in_blocks(op, result).is_some()
            }
        }
}

fn are_constant(filter: &Operand, bias: &Option<Operand>) -> bool {
    let is_constant = |o: &Operand| o.constant.is_some() && o.ty.quantization.is_none();
    is_constant(filter) && bias.as_ref().is_none_or(is_constant)
}

/// Whether a convolution reads its input in this layout.
fn reads(shape: &ConvShape, input: &Operand) -> bool {
    shape.method().is_some_and(|m| (m == Method::First) == channels(&input.ty).is_none())
}

/// Whether `op` is an elementwise operator that can be computed on channel-blocked operands: every operand is a single
/// number, a map, or has as many axes and channels as the result.
fn is_elementwise(op: &Op<Operand>, result: &ValueType) -> bool {
    let is_like_result = |o: &Operand| o.ty.shape.len() == result.shape.len() && channels(&o.ty) == channels(result);
    let is_supported = |o: &Operand| is_number(o) || is_map(op, o, result) || is_like_result(o);
    op.operands().all(|(_, o)| is_supported(o)) && super::is_elementwise(op)
}

/// Whether an operand of `op` has a number per pixel for all channels of a result in blocks, such as a mask or the map of spatial
/// attention.
fn is_map(op: &Op<Operand>, o: &Operand, result: &ValueType) -> bool {
    is_arithmetic(op)
        && o.ty.layout == Layout::Plain
        && !o.is_fused_input()
        && channels(result).is_some()
        && is_for_all_channels(&o.ty.shape, &result.plain_shape())
}

/// Returns the signature with an axis added to its maps, along which they are broadcast to the channels of a block. Returns `None` if
/// it has none.
pub(super) fn with_maps_of_pixels(signature: &Signature) -> Option<Signature> {
    let [Some(result)] = signature.results.as_slice() else { return None };
    let has_map = |op: &Op<Operand>| op.operands().any(|(_, o)| is_map(op, o, result));
    if !std::iter::once(&signature.op).chain(&signature.fused_ops).any(has_map) {
        return None;
    }
    let with_axis = |op: &Op<Operand>| {
        op.map(|o| {
            let mut o = o.clone();
            if is_map(op, &o, result) {
                o.ty.shape.push(1);
            }
            o
        })
    };
    let fused_ops = signature.fused_ops.iter().map(with_axis).collect();
    Some(Signature { op: with_axis(&signature.op), fused_ops, results: signature.results.clone() })
}

fn is_number(o: &Operand) -> bool {
    o.ty.layout == Layout::Plain && o.ty.elements() == 1 && !o.is_fused_input()
}

/// Returns the epilogue that restores the padding of the result to 0, if its operators may have changed it.
pub(super) fn clear_padding(signature: &Signature) -> Option<Epilogue> {
    if let Some(stages) = Stages::new(signature) {
        return clear_padding(stages.last());
    }
    let [Some(result)] = signature.results.as_slice() else { return None };
    let channels = channels(result).filter(|c| !c.is_multiple_of(BLOCK))?;
    let is_broadcast = |o: &Operand| o.ty.layout == Layout::Plain;
    let keep = |op: &Op<Operand>| keeps_zero(op) && !op.operands().any(|(_, o)| is_broadcast(o));
    let own = super::is_elementwise(&signature.op).then_some(&signature.op);
    let area = result.plain_shape()[2..].iter().product();
    (!own.into_iter().chain(&signature.fused_ops).all(keep)).then_some(Epilogue::Clear(Padding { channels, area }))
}

/// Whether the result is 0 where all operands are.
fn keeps_zero(op: &Op<Operand>) -> bool {
    // Zero times infinity is NaN.
    let is_finite = |c: f64| (c as f32).is_finite();
    let are_finite = |coeff: &Option<Vec<f64>>| coeff.iter().flatten().all(|c| is_finite(*c));
    match op {
        Op::Add(op) => are_finite(&op.coeff),
        Op::Sub(op) => are_finite(&op.coeff),
        Op::MulConst(op) => is_finite(op.const_val),
        Op::Clip(op) => op.min <= 0.0 && op.max >= 0.0,
        Op::LeakyRelu(op) => is_finite(op.alpha),
        Op::Elu(op) => is_finite(op.alpha),
        op => matches!(
            op,
            Op::Mul(_)
                | Op::PRelu(_)
                | Op::Relu(_)
                | Op::SiLU(_)
                | Op::Swish(_)
                | Op::GELU(_)
                | Op::HardSwish(_)
                | Op::Mish(_)
                | Op::Tanh(_)
                | Op::Abs(_)
        ),
    }
}

/// Returns the shape of a convolution of sequences, images or volumes, or `None` if it has no kernel on blocks of channels.
pub(super) fn geometry(op: &Conv<Operand>) -> Result<Option<ConvShape>> {
    let (x, w) = (op.input.ty.plain_shape(), &op.filter.ty.shape);
    let (&[batch, ic, ..], &[oc, ..]) = (x.as_slice(), w.as_slice()) else {
        return Ok(None);
    };
    let windows = Convolution::from(op).windows(&x)?;
    let group = usize::try_from(op.group).unwrap_or(0);
    Ok(shape([batch, ic, oc, group], Axis::of_windows(&windows)?))
}

/// The shape of a transposed convolution; its axes are transposed.
fn transposed_geometry(op: &Deconv<Operand>) -> Result<Option<ConvShape>> {
    let x = op.input.ty.plain_shape();
    let windows = Convolution::from(op).windows(&x)?;
    let mut more = op.output_padding.iter().flatten().copied();
    let longest = Axis::longest(&windows);
    let axis = |window: &Window| -> Result<Option<Axis>> {
        let output = window.transposed_output(more.next().unwrap_or(0))?;
        Ok(Axis::transposed(window, output, longest))
    };
    let (&[batch, ic, ..], Ok(group)) = (x.as_slice(), usize::try_from(op.group)) else { return Ok(None) };
    let oc = op.filter.ty.shape[0].saturating_mul(group);
    Ok(shape([batch, ic, oc, group], Axis::of_each(&windows, axis)?))
}

/// Returns the shape of a convolution, with sequences as [`ConvShape::oriented`] lays them out.
fn shape([batch, ic, oc, group]: [usize; 4], axes: Option<[Axis; 3]>) -> Option<ConvShape> {
    axes.map(|[slices, rows, cols]| ConvShape { batch, ic, oc, group, slices, rows, cols }.oriented())
}

/// A kernel, and the number of fused operators that it computes itself.
pub(super) struct Prepared {
    pub kernel: OpKernel,
    pub used: usize,
}

/// Returns the kernel of an operator that has its own for blocked channels, or `None` if the generic one applies.
///
/// # Errors
/// Returns an error if memory for the weights runs out.
pub(super) fn prepare(signature: &Signature) -> Result<Option<Prepared>> {
    let Some(result) = signature.outputs().next() else {
        return Ok(None);
    };
    if let Some(stages) = Stages::new(signature) {
        return stages.prepare().map(Some);
    }
    let alone = |kernel: OpKernel| Some(Prepared { kernel, used: 0 });
    Ok(match &signature.op {
        Op::Reshape(op) if channels(&op.input.ty).is_some() || channels(result).is_some() => {
            alone(converted(&op.input))
        }
        Op::Conv(op) if channels(result).is_some() => Some(conv(op, signature)?),
        Op::Deconv(op) if channels(result).is_some() => Some(deconv(op, signature)?),
        Op::MaxPool(op) if channels(result).is_some() => alone(max_pool(op)?),
        Op::AvgPool(op) if channels(result).is_some() => alone(avg_pool(op)?),
        op => {
            let by_channels = || super::channels::prepare(signature);
            interp::in_blocks(op, result).or_else(|| pad::in_blocks(op, result)).or_else(by_channels).and_then(alone)
        }
    })
}

/// Converts from one layout to the other.
fn converted(input: &Operand) -> OpKernel {
    let input = input.clone();
    OpKernel::new(move |t| {
        let x = t.reals(&input)?;
        let shape = input.ty.plain_shape();
        let (channels, area) = (shape[1], shape[2..].iter().product());
        let write = if input.ty.layout == Layout::Plain { to_blocked } else { from_blocked };
        t.write(0, PostOp::default(), |out| {
            write(&x, channels, area, out);
            Ok(())
        })
    })
}

/// The bound of a Relu, if there is one.
pub(super) fn relu(do_relu: bool, limit: f64) -> Option<f32> {
    do_relu.then_some(if limit > 0.0 { limit as f32 } else { f32::INFINITY })
}

fn conv(op: &Conv<Operand>, signature: &Signature) -> Result<Prepared> {
    let none = || invalid("no convolution on blocks of channels");
    let (mut end, mut residual, mut used) = (relu(op.do_relu, op.relu_limit), None, 0);
    // The residual comes before the Relu.
    if let (None, Some(Op::Add(add))) = (end, signature.fused_ops.first())
        && let [a, b] = add.inputs.as_slice()
        && add.has_unit_coefficients()
    {
        let other = if a.is_fused_input() { b } else { a };
        let result = signature.outputs().next();
        if result.is_some_and(|r| r.shape == other.ty.shape && r.layout == other.ty.layout) && !other.is_fused_input() {
            (residual, end, used) = (Some(other.clone()), relu(add.do_relu, add.relu_limit), 1);
        }
    }
    (end, used) = with_fused_relu(signature, end, used);
    let geometry = geometry(op)?.ok_or_else(none)?;
    let conv = with_constants(&op.filter, &op.bias, end, |weights, end| {
        Conv2d::new(InstructionSet::best(), geometry, weights, end)
    })?;
    let conv = conv.ok_or_else(none)?;
    let workspace = bytes(conv.workspace());
    let input = op.input.clone();
    let kernel = OpKernel::with_workspace(workspace, move |t| {
        let x = t.reals(&input)?;
        let residual = residual.as_ref().map(|r| t.reals(r)).transpose()?;
        let mut scratch = t.scratch(conv.scratch())?;
        let scratch = scratch.floats()?;
        t.write_in_parts(0, |out, on_part| conv.run(&x, residual.as_deref(), out, scratch, on_part))
    });
    let kernel = kernel.without([&op.filter]).without(&op.bias);
    Ok(Prepared { kernel, used })
}

fn deconv(op: &Deconv<Operand>, signature: &Signature) -> Result<Prepared> {
    let none = || invalid("no transposed convolution on blocks of channels");
    let (end, used) = with_fused_relu(signature, relu(op.do_relu, op.relu_limit), 0);
    let geometry = transposed_geometry(op)?.ok_or_else(none)?;
    let deconv = with_constants(&op.filter, &op.bias, end, |weights, end| {
        Deconv2d::new(InstructionSet::best(), geometry, weights, end)
    })?;
    let deconv = deconv.ok_or_else(none)?;
    let workspace = bytes(deconv.workspace());
    let input = op.input.clone();
    let kernel = OpKernel::with_workspace(workspace, move |t| {
        let x = t.reals(&input)?;
        let mut scratch = t.scratch(deconv.scratch())?;
        let scratch = scratch.floats()?;
        t.write(0, PostOp::default(), |out| deconv.run(&x, out, scratch))
    });
    let kernel = kernel.without([&op.filter]).without(&op.bias);
    Ok(Prepared { kernel, used })
}

/// Returns the bound of the Relu, and the number of fused operators that the kernel computes itself: the Relu may be the
/// next one after `used`, if there is none yet.
pub(super) fn with_fused_relu(signature: &Signature, end: Option<f32>, used: usize) -> (Option<f32>, usize) {
    let bound = match signature.fused_ops.get(used) {
        Some(Op::Relu(op)) => relu(true, op.relu_limit),
        // Relu6 and the like.
        Some(Op::Clip(op)) if op.min == 0.0 && op.max > 0.0 => Some(op.max as f32),
        _ => None,
    };
    if end.is_none() && bound.is_some() { (bound, used + 1) } else { (end, used) }
}

/// Calls `f` with the constant weights and the epilogue of a convolution.
pub(super) fn with_constants<T>(
    filter: &Operand,
    bias: &Option<Operand>,
    relu: Option<f32>,
    f: impl FnOnce(&[f32], ConvEpilogue) -> Result<T>,
) -> Result<T> {
    let values = |o: &Operand| o.constant.as_ref().map(|a| a.to_dtype(Dtype::Float32)).transpose();
    let filter = values(filter)?.ok_or_else(|| invalid("the weights of a convolution are not constant"))?;
    let bias = bias.as_ref().map(values).transpose()?.flatten();
    let bias = bias.as_ref().map(|b| b.elements::<f32>()).transpose()?;
    f(&filter.elements::<f32>()?, ConvEpilogue { bias: bias.as_deref(), relu })
}

fn max_pool(op: &MaxPool<Operand>) -> Result<OpKernel> {
    let windows = pool_windows(&op.input.ty.plain_shape(), &op.into())?;
    pool(&op.input, &windows, PoolKind::Max, relu(op.do_relu, op.relu_limit))
}

fn avg_pool(op: &AvgPool<Operand>) -> Result<OpKernel> {
    let windows = pool_windows(&op.input.ty.plain_shape(), &op.into())?;
    let kind = PoolKind::Average { include_pad: op.count_include_pad };
    pool(&op.input, &windows, kind, relu(op.do_relu, op.relu_limit))
}

fn pool(input: &Operand, windows: &[Window], kind: PoolKind, relu: Option<f32>) -> Result<OpKernel> {
    let none = || invalid("no pool on blocks of channels");
    let channels = channels(&input.ty).ok_or_else(none)?;
    let is_volume = windows.len() > 2;
    // Each thread copies a line, which for a sequence is all of it.
    let [_, rows, cols] = Axis::of_each(windows, Axis::new)?.filter(|_| !is_volume).ok_or_else(none)?;
    let (input, pool) = (input.clone(), Pool2d { isa: InstructionSet::best(), kind, channels, rows, cols, relu });
    Ok(OpKernel::with_workspace(bytes(pool.workspace()), move |t| {
        let x = t.reals(&input)?;
        t.write(0, PostOp::default(), |out| pool.run(&x, out))
    }))
}
