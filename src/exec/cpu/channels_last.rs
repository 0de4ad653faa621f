//! Operators on images of integers with channels last: which are supported, and their kernels.
use super::{
    OpKernel, Operand, Signature, ValueType,
    blocked::Axis,
    int8::{
        ByteFilter, ByteOperand, Completion, DepthwiseBytes, LARGEST_WINDOW, MaxPoolBytes, SumPoolBytes, SumsEpilogue,
    },
    layout, lookup,
    pool::{Mean, Units},
    stored_products,
    task::PostOp,
};
use crate::{
    Layout,
    base::{Dtype, Result, invalid},
    ops::{AvgPool, Conv, MaxPool, Op, Permute, Reshape, Window, pool_windows},
    quant::RoundMode,
    semantics::stores_the_same,
};

/// Whether images of a type may have their channels last: bytes with one scale, and sums of their products.
pub(super) fn has_layout(ty: &ValueType) -> bool {
    let is_byte = ty.dtype.size() == 1 && !ty.dtype.is_float();
    is_byte && ty.per_tensor_scale().is_some() || ty.dtype == Dtype::Int32 && ty.quantization.is_none()
}

fn is_last(ty: &ValueType) -> bool {
    ty.layout == Layout::ChannelsLast
}

/// Whether an operator is supported with these layouts.
pub(super) fn supports(signature: &Signature) -> bool {
    let [Some(result)] = signature.results.as_slice() else { return false };
    let is_supported = || match &signature.op {
        Op::Conv(op) => supports_conv(op, result),
        Op::MaxPool(op) => max_pool_axes(op, result).is_some(),
        Op::AvgPool(op) => sum_pool(op).is_some(),
        Op::Concat(op) => op.axis == 1 && op.inputs.iter().all(|o| is_last(&o.ty)),
        op => is_elementwise(op, result),
    };
    let has_kernel = || match &signature.op {
        Op::Conv(_) | Op::Add(_) | Op::Mul(_) => stored_products::rounding(signature).is_some(),
        _ => signature.fused_ops.is_empty(),
    };
    is_last(result) && (lookup::supports(signature) || has_kernel() && is_supported())
}

fn supports_conv(op: &Conv<Operand>, result: &ValueType) -> bool {
    let bias = bias(op);
    is_last(&op.input.ty)
        && bias.is_some() == op.bias.is_some()
        && Completion::supports(result, op.filter.ty.elements() / op.filter.ty.shape[0], bias.as_deref())
        && (DepthwiseBytes::supports(op) || ByteFilter::supports(op))
}

/// The bias, if it is constant.
fn bias(op: &Conv<Operand>) -> Option<Vec<i64>> {
    let values = op.bias.as_ref()?.constant.as_ref()?.to_f64().ok()?;
    Some(values.into_iter().map(|v| v as i64).collect())
}

/// Whether `op` is element-wise on images, which may be broadcast to the result, and single numbers.
fn is_elementwise(op: &Op<Operand>, result: &ValueType) -> bool {
    let is_number = |o: &Operand| o.ty.layout == Layout::Plain && o.ty.elements() == 1;
    let fits = |o: &Operand| is_number(o) || is_last(&o.ty) && o.ty.shape.len() == result.shape.len();
    let requantizes_all = |multipliers: usize, shifts: usize| multipliers.max(shifts) == 1;
    op.operands().all(|(_, o)| fits(o))
        && match op {
            Op::RequantInt(op) => requantizes_all(op.multiplier.len(), op.rshift.len()),
            Op::RequantFp(op) => requantizes_all(op.scale.len(), op.offset.len()),
            op => super::is_elementwise(op),
        }
}

/// Returns the axes of rows and columns of a pool that copies stored values.
fn max_pool_axes(op: &MaxPool<Operand>, result: &ValueType) -> Option<[Axis; 2]> {
    // A result without a scale has the integers that are nearest to the real numbers.
    let has_scale = result.quantization.is_some() || op.input.ty.quantization.is_none();
    let copies = is_last(&op.input.ty) && stores_the_same(&op.input.ty, result) && has_scale && !op.do_relu;
    ByteOperand::new(&op.input).filter(|_| copies)?;
    axes(&pool_windows(&op.input.ty.plain_shape(), &op.into()).ok()?)
}

/// Returns the axes of rows and columns. A sequence has one row.
fn axes(windows: &[Window]) -> Option<[Axis; 2]> {
    let [_, rows, cols] = Axis::of_each(windows, Axis::new).ok()?.filter(|_| windows.len() < 3)?;
    Some([rows, cols])
}

/// Returns the sums of an average pool of bytes.
fn sum_pool(op: &AvgPool<Operand>) -> Option<SumPoolBytes> {
    let input = ByteOperand::new(&op.input).filter(|_| is_last(&op.input.ty) && op.pad_value == 0)?;
    let [rows, cols] = axes(&pool_windows(&op.input.ty.plain_shape(), &op.into()).ok()?)?;
    let is_exact = rows.kernel.saturating_mul(cols.kernel) <= LARGEST_WINDOW;
    let has_gaps = [rows, cols].iter().any(|axis| axis.dilation > 1);
    (is_exact && !has_gaps).then_some(SumPoolBytes { input, channels: *op.input.ty.shape.last()?, rows, cols })
}

/// Returns the kernel of an operator that has its own for channels that are last, or `None` if the generic one applies.
///
/// # Errors
/// Returns an error if memory for the weights runs out.
pub(super) fn prepare(signature: &Signature) -> Result<Option<OpKernel>> {
    let Some(Some(result)) = signature.results.first() else { return Ok(None) };
    Ok(match &signature.op {
        Op::Reshape(op) => converted(op, result),
        Op::Conv(op) if is_last(result) => {
            Some(conv(op, result, stored_products::rounding(signature).unwrap_or_default())?)
        }
        Op::MaxPool(op) if is_last(result) => Some(max_pool(op, result)?),
        Op::AvgPool(op) if is_last(result) => Some(avg_pool(op)?),
        Op::Concat(op) if is_last(result) => {
            let mut op = op.clone();
            op.axis = -1;
            Some(layout::concat(*op))
        }
        _ => None,
    })
}

/// Converts from one layout to the other.
fn converted(op: &Reshape<Operand>, result: &ValueType) -> Option<OpKernel> {
    let last = result.shape.len() as i64 - 1;
    let order = match (op.input.ty.layout, result.layout) {
        (Layout::Plain, Layout::ChannelsLast) => [0].into_iter().chain(2..=last).chain([1]).collect(),
        (Layout::ChannelsLast, Layout::Plain) => [0, last].into_iter().chain(1..last).collect(),
        _ => return None,
    };
    Some(layout::permute(Permute::new(op.input.clone(), order)))
}

fn conv(op: &Conv<Operand>, result: &ValueType, round: RoundMode) -> Result<OpKernel> {
    let none = || invalid("no convolution of bytes with channels last");
    let bias = bias(op);
    let limit = if op.relu_limit > 0.0 { op.relu_limit } else { f64::INFINITY };
    let end = SumsEpilogue { bias: bias.as_deref(), relu: op.do_relu.then_some(limit), round };
    let input = op.input.clone();
    let kernel = if let Some(filter) = DepthwiseBytes::new(op)? {
        let completion = filter.completion(op, result, end).ok_or_else(none)?;
        OpKernel::new(move |t| {
            let images = t.array(&input)?.bytes()?;
            filter.run(images, &completion, t.memory(0)?)
        })
    } else {
        let filter = ByteFilter::new(op)?.ok_or_else(none)?;
        let completion = filter.completion(op, result, end).ok_or_else(none)?;
        OpKernel::with_workspace(filter.workspace(), move |t| {
            let images = t.array(&input)?.bytes()?;
            filter.run(images, &completion, t.memory(0)?)
        })
    };
    Ok(kernel.without([&op.filter]).without(&op.bias))
}

fn max_pool(op: &MaxPool<Operand>, result: &ValueType) -> Result<OpKernel> {
    let none = || invalid("no max pool of bytes with channels last");
    let [rows, cols] = max_pool_axes(op, result).ok_or_else(none)?;
    let input = ByteOperand::new(&op.input).ok_or_else(none)?;
    let pool = MaxPoolBytes { input, channels: *result.shape.last().ok_or_else(none)?, rows, cols };
    let operand = op.input.clone();
    Ok(OpKernel::new(move |t| {
        let images = t.array(&operand)?.bytes()?;
        pool.run(images, t.memory(0)?);
        Ok(())
    }))
}

/// Sums of up to [`LARGEST_WINDOW`] elements are exact, so the means are those of the generic kernel.
fn avg_pool(op: &AvgPool<Operand>) -> Result<OpKernel> {
    let pool = sum_pool(op).ok_or_else(|| invalid("no average pool of bytes with channels last"))?;
    let finish = PostOp::relu(op.do_relu, op.relu_limit).and_round(op.round_mode);
    let windows = pool_windows(&op.input.ty.plain_shape(), &op.into())?;
    let (mean, operand) = (Mean::new(op, &windows, &Units::of(&op.input)), op.input.clone());
    Ok(OpKernel::new(move |t| {
        let images = t.array(&operand)?.bytes()?;
        t.fill(0, pool.channels, finish, |first, out| {
            pool.run(images, first / pool.channels, out, |sums, n| {
                sums.iter_mut().for_each(|sum| *sum = mean.of_one(*sum, n as f32));
            });
            Ok(())
        })
    }))
}
