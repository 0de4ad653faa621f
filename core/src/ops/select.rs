//! The type of a choice by condition.
use super::{
    Where,
    types::{Choice, Inferred, Types, Value, broadcast},
};
use crate::base::{Dtype, Result, Shape, misfit};

/// What constants alone may become.
const NUMBERS: &[Dtype] = &[
    Dtype::Float32,
    Dtype::Float16,
    Dtype::Int32,
    Dtype::Uint32,
    Dtype::Int16,
    Dtype::Uint16,
    Dtype::Int8,
    Dtype::Uint8,
];

/// All operands broadcast together, in the dtype of the branches.
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
