//! Operators on integers that are stored, which plans use instead of those on the reals that they stand for: products and sums of
//! quantized bytes, products of packed integers, and tables of them.
use super::{
    OpKernel, Operand, Signature, arithmetic, channels_last, conv, few_bits,
    int8::{ByteFilter, DepthwiseBytes, Rounding, is_byte},
    matmul,
};
use crate::{
    Layout,
    base::{Dtype, Result},
    ops::Op,
    quant::RoundMode,
};

/// Returns how results are rounded to bytes: as a fused cast does, or by default. Returns `None` if other operators are fused, and for casts
/// that do not round to nearest.
pub(super) fn rounding(signature: &Signature) -> Option<RoundMode> {
    match signature.fused_ops.as_slice() {
        [] => Some(RoundMode::default()),
        [Op::Cast(cast)] if cast.input.is_fused_input() && cast.input.ty.dtype == Dtype::Float32 => {
            Some(cast.round_mode).filter(|mode| mode.is_nearest())
        }
        _ => None,
    }
}

/// Whether a plan may use an operator instead of one on reals. These are:
///
/// - products and convolutions of bytes and constant bytes, whose results are quantized bytes or the sums themselves,
/// - sums and products of two tensors of bytes whose results are quantized bytes,
/// - products of few rows and packed integers, and tables of packed integers.
pub(super) fn supports(signature: &Signature) -> bool {
    match &signature.op {
        Op::A16MatMul(op) => return few_bits::is_for_few_rows(op),
        Op::A16Gather(op) => return op.weight.constant.is_some() && matches!(op.weight_bits, 4 | 8),
        _ => {}
    }
    let [Some(result)] = signature.results.as_slice() else { return false };
    let is_rounded = rounding(signature).is_some() && !signature.fused_ops.is_empty();
    let is_stored = match result.dtype {
        // A cast to plain integers does not divide by a scale.
        Dtype::Int8 | Dtype::Uint8 => {
            is_rounded && result.quantization.is_some() && Rounding::new(result, RoundMode::default()).is_some()
        }
        Dtype::Int32 => signature.fused_ops.is_empty() && result.quantization.is_none(),
        _ => false,
    };
    let has_scale = |o: &Operand| o.ty.per_tensor_scale().is_some();
    let is_pair = |inputs: &[Operand]| inputs.len() == 2 && inputs.iter().all(|o| is_byte(o) && has_scale(o));
    is_stored
        && match &signature.op {
            Op::MatMul(op) => has_scale(&op.input) && matmul::multiplies_constant_bytes(op),
            Op::Add(op) => is_rounded && op.has_unit_coefficients() && is_pair(&op.inputs),
            Op::Mul(op) => is_rounded && is_pair(&op.inputs),
            Op::Conv(op) => has_scale(&op.input) && (DepthwiseBytes::supports(op) || ByteFilter::supports(op)),
            _ => false,
        }
}

/// Returns the kernel of a product with a fused cast, or `None` if the operators are others.
///
/// # Errors
/// Returns an error if memory for the weights runs out.
pub(super) fn rounded(signature: &Signature) -> Result<Option<OpKernel>> {
    let [Some(result)] = signature.results.as_slice() else { return Ok(None) };
    let Some(round) = rounding(signature).filter(|_| !signature.fused_ops.is_empty()) else { return Ok(None) };
    Ok(match &signature.op {
        Op::Conv(op) if !op.input.ty.dtype.is_float() => match result.layout {
            Layout::ChannelsLast => channels_last::prepare(signature)?,
            _ => Some(conv::conv((**op).clone(), round)),
        },
        Op::Add(op) if op.inputs.iter().all(is_byte) => Some(arithmetic::add((**op).clone(), round)),
        Op::Mul(op) if op.inputs.iter().all(is_byte) => Some(arithmetic::mul((**op).clone(), round)),
        Op::MatMul(op) if !op.input.ty.dtype.is_float() => Some(matmul::matmul((**op).clone(), round)),
        _ => None,
    })
}
