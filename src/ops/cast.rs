//! Type rules of conversions between number representations.
use super::{
    Cast, DequantInt, DequantizeLinear, DtypeCast, QuantizeLinear, RequantFp, RequantInt,
    types::{Choice, FLOATS, INTEGERS, NUMBERS, Types, Value, axis, one},
};
use crate::base::{Dtype, Error, Result, invalid, pluralized};

/// Dtypes of the tool chain's tensors.
const TENSORS: &[Dtype] = &[
    Dtype::Float32,
    Dtype::Float16,
    Dtype::Bfloat16,
    Dtype::Fp8e4m3,
    Dtype::Fp8e5m2,
    Dtype::Int32,
    Dtype::Uint32,
    Dtype::Int16,
    Dtype::Uint16,
    Dtype::Int8,
    Dtype::Uint8,
];

/// Dtypes of quantized tensors.
const NARROW: &[Dtype] = &[Dtype::Int8, Dtype::Uint8, Dtype::Int16, Dtype::Uint16];

/// Returns the dtype named by `to`; if it is absent, the caller chooses.
pub(super) fn cast(op: &Cast<Value>) -> Types {
    let named = Dtype::from_cast_name(&op.to);
    one(op.input.shape.to_vec(), named.map_or(Choice::OneOf(TENSORS), Choice::Is))
}

/// Returns the input's shape; lists have one element per index of the axis. A single shift applies to all multipliers. For a
/// requantization fused into a product the tool chain accepts longer lists and ignores the excess elements.
pub(super) fn requant_int(op: &RequantInt<Value>) -> Types {
    let shape = op.input.shape;
    let axis = axis("rq_axis", op.rq_axis, shape.len())?;
    let (multipliers, shifts) = (op.multiplier.len(), op.rshift.len());
    let fits = [1, shape[axis]].contains(&multipliers) || (op.fuse_rq && multipliers > shape[axis]);
    if !fits || ![1, multipliers].contains(&shifts) {
        return Err(lists_differ(shape, axis, [(multipliers, "multiplier"), (shifts, "shift")]));
    }
    one(shape.to_vec(), Choice::OneOf(INTEGERS))
}

/// Returns the input's shape; lists belong to axis 1.
pub(super) fn requant_fp(op: &RequantFp<Value>) -> Types {
    op.input.expect_dtype(NUMBERS)?;
    one_each(op.input.shape, 1, [(op.scale.len(), "scale"), (op.offset.len(), "offset")])?;
    one(op.input.shape.to_vec(), Choice::OneOf(INTEGERS))
}

/// Returns the input's shape; lists belong to axis 1.
pub(super) fn dequant_int(op: &DequantInt<Value>) -> Types {
    op.input.expect_dtype(INTEGERS)?;
    one_each(op.input.shape, 1, [(op.multiplier.len(), "multiplier"), (op.shift.len(), "shift")])?;
    one(op.input.shape.to_vec(), Choice::OneOf(INTEGERS))
}

/// Returns the input's shape in narrow integers.
pub(super) fn quantize_linear(op: &QuantizeLinear<Value>) -> Types {
    op.input.expect_dtype(NUMBERS)?;
    linear(op.input.shape, op.axis, op.y_scale.len(), op.y_zero_point.len())?;
    one(op.input.shape.to_vec(), Choice::OneOf(NARROW))
}

/// Returns the input's shape in floats.
pub(super) fn dequantize_linear(op: &DequantizeLinear<Value>) -> Types {
    op.input.expect_dtype(INTEGERS)?;
    linear(op.input.shape, op.axis, op.x_scale.len(), op.x_zero_point.len())?;
    one(op.input.shape.to_vec(), Choice::OneOf(FLOATS))
}

/// Returns the input's shape in float16.
pub(super) fn dtype_cast(op: &DtypeCast<Value>) -> Types {
    op.input.expect_dtype(&[Dtype::Float32])?;
    one(op.input.shape.to_vec(), Choice::Is(Dtype::Float16))
}

/// Checks lists of scales and zero points; single values need no axis.
fn linear(shape: &[usize], along: i64, scales: usize, zero_points: usize) -> Result<()> {
    let axis = if (scales, zero_points) == (1, 1) { 0 } else { axis("axis", along, shape.len())? };
    one_each(shape, axis, [(scales, "scale"), (zero_points, "zero point")])
}

/// Checks that two lists have one element each, or one per index of the axis.
fn one_each(shape: &[usize], axis: usize, lists: [(usize, &str); 2]) -> Result<()> {
    let [(n, _), (m, _)] = lists;
    if n == m && (n == 1 || Some(&n) == shape.get(axis)) {
        return Ok(());
    }
    Err(lists_differ(shape, axis, lists))
}

fn lists_differ(shape: &[usize], axis: usize, [(n, what), (m, of)]: [(usize, &str); 2]) -> Error {
    let dim = shape.get(axis);
    let many = dim.map(|d| format!(", or {d} each, one for each index of axis {axis}")).unwrap_or_default();
    invalid(format!("{} and {}; expected one each{many}", pluralized(n, what), pluralized(m, of)))
}
