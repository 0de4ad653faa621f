//! The type of a sum of products over named axes.
use super::{
    Einsum,
    types::{Types, Value, of_dtype},
};
use crate::base::{misfit, shape_text};

/// Names of the axes of each operand, and of the result, of a mode as `ab,bc->ac`.
pub fn einsum_axes(mode: &'static str) -> (Vec<&'static [u8]>, &'static [u8]) {
    let (operands, result) = mode.split_once("->").unwrap_or((mode, ""));
    (operands.split(',').map(str::as_bytes).collect(), result.as_bytes())
}

pub(super) fn einsum(op: &Einsum<Value>) -> Types {
    let (operands, result) = einsum_axes(op.mode.name());
    if operands.len() != op.inputs.len() {
        let (found, expected) = (op.inputs.len(), operands.len());
        return Err(misfit("mode", format!("is {:?}, of {expected} operands; there are {found}", op.mode.name())));
    }
    // The size of each axis, by its letter.
    let mut sizes = [None; 256];
    for (input, axes) in op.inputs.iter().zip(&operands) {
        if input.shape.len() != axes.len() {
            let problem = format!("is {}; {:?} gives it {} axes", shape_text(input.shape), op.mode.name(), axes.len());
            return Err(misfit(input.called, problem));
        }
        for (&axis, &dim) in axes.iter().zip(input.shape) {
            let known = *sizes[usize::from(axis)].get_or_insert(dim);
            if known != dim {
                let (name, mode) = (char::from(axis), op.mode.name());
                let problem = format!("is {}; axis {name} of {mode:?} has {known} before", shape_text(input.shape));
                return Err(misfit(input.called, problem));
            }
        }
    }
    of_dtype(result.iter().map(|&a| sizes[usize::from(a)].unwrap_or(1)).collect(), &op.inputs[0])
}
