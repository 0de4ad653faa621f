//! Type rules of integer arithmetic with a shift.
use super::{
    BinaryConstShift, BinaryShift,
    types::{Choice, INTEGERS, Types, Value, broadcast, one},
};
use crate::base::{Result, argument};

/// Broadcasts the operands.
pub(super) fn binary_shift(op: &BinaryShift<Value>) -> Types {
    op.input1.expect_dtype(INTEGERS)?;
    op.input2.expect_dtype(INTEGERS)?;
    bits(op.shift)?;
    one(broadcast(op.input1.shape, op.input2.shape)?, Choice::OneOf(INTEGERS))
}

/// Returns the input's shape.
pub(super) fn binary_const_shift(op: &BinaryConstShift<Value>) -> Types {
    op.input.expect_dtype(INTEGERS)?;
    bits(op.shift)?;
    one(op.input.shape.to_vec(), Choice::OneOf(INTEGERS))
}

/// Checks the shift of a 64-bit value.
fn bits(shift: i64) -> Result<()> {
    match shift {
        -63..=63 => Ok(()),
        _ => Err(argument("shift", shift, "expected -63 to 63 bits")),
    }
}
