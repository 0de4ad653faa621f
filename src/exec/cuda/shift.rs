//! Sums, differences and products of integers, shifted and rounded.
use super::{
    cast::{FIXED_POINT, literal},
    formula::{Formula, Input},
};
use crate::{
    base::Dtype,
    exec::{Operand, ValueType, semantics},
    ops::{BinaryConstShift, BinaryShift, BinaryShiftMode},
    quant::RoundMode,
};

pub(super) fn binary_shift(op: &BinaryShift<Operand>, result: &ValueType) -> Formula {
    let saturates = semantics::saturates(op.saturation, &[&op.input1.ty, &op.input2.ty], result.dtype);
    let sum = combined(op.mode, op.is_reverse, "y");
    let expression = finished(&sum, saturates, op.shift, op.round_mode, result.dtype);
    Formula::whole(vec![Input::of(&op.input1), Input::of(&op.input2)], expression).with(FIXED_POINT)
}

pub(super) fn binary_const_shift(op: &BinaryConstShift<Operand>, result: &ValueType) -> Formula {
    let saturates = semantics::saturates(op.saturation, &[&op.input.ty], result.dtype);
    let sum = combined(op.mode, op.is_reverse, &literal(op.scale));
    let expression = finished(&sum, saturates, op.shift, op.round_mode, result.dtype);
    Formula::whole(vec![Input::of(&op.input)], expression).with(FIXED_POINT)
}

/// The sum, difference or product in 128 bits.
fn combined(mode: BinaryShiftMode, is_reverse: bool, other: &str) -> String {
    match mode {
        BinaryShiftMode::Add => format!("(i128)x + {other}"),
        BinaryShiftMode::Sub if is_reverse => format!("(i128){other} - x"),
        BinaryShiftMode::Sub => format!("(i128)x - {other}"),
        BinaryShiftMode::Mul => format!("(i128)x * {other}"),
    }
}

fn finished(sum: &str, saturates: bool, shift: i64, round: RoundMode, dtype: Dtype) -> String {
    let (shift, mode) = (literal(shift), round as i32);
    match saturates {
        true => format!("shift_rounding({sum}, {shift}, {mode})"),
        false => {
            let (bits, is_signed) = (dtype.size() * 8, dtype.is_signed_int());
            format!("shift_wrapping({sum}, {shift}, {mode}, {bits}, {is_signed})")
        }
    }
}
