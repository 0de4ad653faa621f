//! Types of changes of number representation.
use super::{
    Cast, RequantInt,
    types::{Choice, INTEGERS, Types, Value, axis, one},
};
use crate::base::{Dtype, invalid};

/// What tensors of the tool chain can be.
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

/// The dtype that `to` names; where it names none, the caller's.
pub(super) fn cast(op: &Cast<Value>) -> Types {
    let named = Dtype::from_cast_name(&op.to);
    one(op.input.shape.to_vec(), named.map_or(Choice::OneOf(TENSORS), Choice::Is))
}

/// The input's shape; lists have one element for each index of the axis.
pub(super) fn requant_int(op: &RequantInt<Value>) -> Types {
    let shape = op.input.shape;
    let axis = axis("rq_axis", op.rq_axis, shape.len())?;
    let (mul, shift) = (op.multiplier.len(), op.rshift.len());
    if mul != shift || (mul != 1 && mul != shape[axis]) {
        return Err(invalid(format!(
            "{mul} multipliers and {shift} shifts; expected one each, or {} each, one for each index of axis {axis}",
            shape[axis]
        )));
    }
    one(shape.to_vec(), Choice::OneOf(INTEGERS))
}
