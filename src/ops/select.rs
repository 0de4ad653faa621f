//! Type rules of selection by a condition.
use super::{
    MaskedFill, NonZero, NonZeroOrder, Trilu, Where,
    types::{Choice, Inferred, NUMBERS, Types, Value, broadcast, of_dtype, one, same},
};
use crate::base::{Result, Shape, argument, invalid, misfit, shape_text};

/// Broadcasts all operands; the result has the branches' dtype.
pub(super) fn select(op: &Where<Value>) -> Types {
    let mut shape = op.cond.shape.to_vec();
    let mut branch = |operand: &Option<Value>, is_const: bool, name: &str, flag: &str| -> Result<()> {
        match operand {
            Some(v) => shape = broadcast(&shape, v.shape)?,
            None if is_const => {}
            None => return Err(misfit(name, format!("is none and {flag} is false"))),
        }
        Ok(())
    };
    branch(&op.tbrn, op.x_is_const, "tbrn", "x_is_const")?;
    branch(&op.fbrn, op.y_is_const, "fbrn", "y_is_const")?;
    let typed = op.tbrn.or(op.fbrn).map_or(Choice::OneOf(NUMBERS), |v| Choice::Is(v.dtype));
    let shape: Shape = shape;
    Ok(vec![Inferred { shape, dtype: typed }])
}

/// Broadcasts both operands; the result has the branch's dtype.
pub(super) fn masked_fill(op: &MaskedFill<Value>) -> Types {
    of_dtype(broadcast(op.cond.shape, op.brn.shape)?, &op.brn)
}

/// Returns the maximum size of the result: one position per element.
pub(super) fn non_zero(op: &NonZero<Value>) -> Types {
    let (count, rank) = (op.input.elements(), op.input.shape.len());
    if rank == 0 {
        return Err(invalid("the input has no axis"));
    }
    let shape = match op.order {
        NonZeroOrder::ColMajor => vec![count, rank],
        NonZeroOrder::RowMajor => vec![rank, count],
    };
    one(shape, Choice::OneOf(NUMBERS))
}

/// Returns the input's type.
pub(super) fn trilu(op: &Trilu<Value>) -> Types {
    if op.input.shape.len() < 2 {
        return Err(misfit(
            op.input.display_name,
            format!("is {}; expected at least two axes", shape_text(op.input.shape)),
        ));
    }
    if !(0..=1).contains(&op.upper) {
        return Err(argument("upper", op.upper, "expected 1 for the upper triangle, 0 for the lower"));
    }
    same(&op.input)
}
