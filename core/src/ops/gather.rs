//! The type of a selection by index.
use super::{
    Gather,
    types::{Types, Value, axis, of_dtype},
};

/// `input[..axis] + indices + input[axis + 1..]`.
pub(super) fn gather(op: &Gather<Value>) -> Types {
    let (input, indices) = (op.input.shape, op.indices.shape);
    let axis = axis("axis", op.axis, input.len())?;
    let dropped = indices == [1] && !op.keepdims;
    let mut shape = input[..axis].to_vec();
    if !dropped {
        shape.extend(indices);
    }
    shape.extend(&input[axis + 1..]);
    if shape.is_empty() {
        shape.push(1);
    }
    of_dtype(shape, &op.input)
}
