//! The type of a reduction.
use super::{
    Reduce,
    types::{Types, Value, axes, of_dtype},
};
use crate::base::{Result, Shape};

/// The reduced axes of an input with `rank` dimensions; none given means all.
pub fn reduced_axes(values: &[i64], rank: usize) -> Result<Vec<usize>> {
    if values.is_empty() { Ok((0..rank).collect()) } else { axes("axes", values, rank) }
}

/// The input's shape with the axes at 1, or without them.
pub(super) fn reduce(op: &Reduce<Value>) -> Types {
    let input = op.input.shape;
    let reduced = reduced_axes(&op.axes, input.len())?;
    let dims = input.iter().enumerate().filter_map(|(i, &d)| match reduced.contains(&i) {
        true => op.keepdims.then_some(1),
        false => Some(d),
    });
    let mut shape: Shape = dims.collect();
    if shape.is_empty() {
        shape.push(1);
    }
    of_dtype(shape, &op.input)
}
