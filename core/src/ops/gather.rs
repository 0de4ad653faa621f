//! The types of selections by index.
use super::{
    Gather, Lut,
    types::{Types, Value, axis, of_dtype},
};
use crate::base::{Cause, Dtype};

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

/// The input's shape and the table's dtype.
pub(super) fn lut(op: &Lut<Value>) -> Types {
    let bytes = [Dtype::Int8, Dtype::Uint8];
    for v in [&op.input, &op.table] {
        if !bytes.contains(&v.dtype) {
            return Err(Cause::Dtype { argument: v.called.into(), found: v.dtype, allowed: bytes.into() }.into());
        }
    }
    op.table.expect_elements(256, "one for each value of 8 bits")?;
    of_dtype(op.input.shape.to_vec(), &op.table)
}
