//! Type rules of ops that order entries.
use super::{
    Arg, Sort, TopK,
    types::{Choice, Inferred, NUMBERS, Types, Value, axis},
};
use crate::base::{Dtype, argument, misfit};

/// Returns the input's shape with the axis reduced to 1 or removed, for the indices and for the values.
pub(super) fn arg(op: &Arg<Value>) -> Types {
    let mut shape = op.input.shape.to_vec();
    let axis = axis("axis", op.axis, shape.len())?;
    shape[axis] = 1;
    if !op.keepdims {
        shape.remove(axis);
    }
    let indices = Inferred { shape: shape.clone(), dtype: Choice::OneOf(NUMBERS) };
    Ok(vec![indices, Inferred { shape, dtype: Choice::Is(op.input.dtype) }])
}

/// Returns the input's shape, for the values and for their indices.
pub(super) fn sort(op: &Sort<Value>) -> Types {
    let shape = op.input.shape.to_vec();
    axis("axis", op.axis, shape.len())?;
    let values = Inferred { shape: shape.clone(), dtype: Choice::Is(op.input.dtype) };
    Ok(vec![values, Inferred { shape, dtype: Choice::Is(Dtype::Int32) }])
}

/// Returns the input's shape with `K` entries along the axis, for the values and for their indices.
pub(super) fn top_k(op: &TopK<Value>) -> Types {
    if let Some(k) = &op.kT {
        return Err(misfit(
            k.display_name,
            format!("is {}; a number of entries that is a tensor is not supported", k.text()),
        ));
    }
    let mut shape = op.input.shape.to_vec();
    let axis = axis("axis", op.axis, shape.len())?;
    let count = usize::try_from(op.K).ok().filter(|k| (1..=shape[axis]).contains(k));
    shape[axis] = count
        .ok_or_else(|| argument("K", op.K, format!("expected 1 to {}, the entries of axis {axis}", shape[axis])))?;
    let values = Inferred { shape: shape.clone(), dtype: Choice::Is(op.input.dtype) };
    Ok(vec![values, Inferred { shape, dtype: Choice::Is(Dtype::Int32) }])
}
