//! Constants of a file as coefficients, which have at most 32 bits.
use super::{node::Node, value::stored_shape};
use crate::{
    array::{Array, coefficient_type},
    base::{Dtype, Result, invalid},
};

/// The data of a coefficient: 64-bit numbers and bools are converted, a single number gets an axis.
pub fn coefficient(array: &Array) -> Result<Array> {
    if array.is_empty() {
        return Err(invalid(format!(
            "a constant of shape {:?} has no elements; tensors have at least one",
            array.shape()
        )));
    }
    let (dtype, shape) = match array.dtype() {
        Dtype::Bfloat16 => (Dtype::Bfloat16, stored_shape(array.shape())),
        _ => coefficient_type(array),
    };
    let fitted =
        if array.dtype() == dtype { array.clone() } else { array.fitted(dtype).unwrap_or_else(|| array.clone()) };
    // Short lists of integers, such as indices, are converted now, so that a value that does not fit is reported with its node. Such a
    // conversion needs no remark.
    let fitted = match array.len() <= LONGEST_LIST {
        true if array.dtype().int_range().is_some() => Array::from_le_bytes(dtype, fitted.shape(), fitted.bytes()?)?,
        true if array.dtype() == Dtype::Float64 && fitted.bytes().is_err() => return saturated(array),
        _ => fitted,
    };
    fitted.reshaped(shape)
}

/// Maximum number of elements that are converted when a file is read.
const LONGEST_LIST: usize = 1 << 16;

/// Like [`coefficient`], but numbers that do not fit become the nearest ones that do, so that the lowest float64 still masks.
pub fn saturated(array: &Array) -> Result<Array> {
    let (dtype, shape) = coefficient_type(array);
    let range = if dtype == Dtype::Float32 { f64::from(f32::MIN)..=f64::from(f32::MAX) } else { f64::MIN..=f64::MAX };
    let nearest = |v: f64| if v.is_finite() { v.clamp(*range.start(), *range.end()) } else { v };
    Array::from_f64s(dtype, shape, array.to_f64()?.into_iter().map(nearest))
}

/// Returns whether a node's integers may saturate to 32 bits: it only moves or compares them, as it does with the ends of slices.
pub fn may_saturate(node: &Node) -> bool {
    match node.proto.op_type.as_str() {
        "Cast" => node.int("to") == Some(INT64),
        op => MOVES.contains(&op) || COMPARES.contains(&op),
    }
}

/// The number of int64 in `TensorProto.DataType`.
const INT64: i64 = 7;

/// Operators that move elements to a single result.
pub const MOVES: &[&str] = &[
    "Concat",
    "Expand",
    "Flatten",
    "Gather",
    "Identity",
    "Reshape",
    "Slice",
    "Squeeze",
    "Tile",
    "Transpose",
    "Unsqueeze",
];

/// Operators whose results depend on the order of elements, and which may negate them.
const COMPARES: &[&str] =
    &["Clip", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Max", "Min", "Neg", "Where"];
