//! Type rules of reductions and cumulative sums.
use super::{
    CumSum, Reduce, Variance,
    types::{Types, Value, axes, axis, of_dtype, same},
};
use crate::base::{Result, Shape};

/// Returns the reduced axes of an input with `rank` dimensions; all axes if `values` is empty.
///
/// # Errors
/// Returns an error if there is no such axis, or if one occurs twice.
pub fn reduced_axes(values: &[i64], rank: usize) -> Result<Vec<usize>> {
    named_axes("axes", values, rank)
}

fn named_axes(name: &str, values: &[i64], rank: usize) -> Result<Vec<usize>> {
    if values.is_empty() { Ok((0..rank).collect()) } else { axes(name, values, rank) }
}

pub(super) fn reduce(op: &Reduce<Value>) -> Types {
    over(&op.input, ("axes", &op.axes), op.keepdims)
}

pub(super) fn variance(op: &Variance<Value>) -> Types {
    over(&op.input, ("reduce_list", &op.reduce_list), op.keep_dims)
}

pub(super) fn cum_sum(op: &CumSum<Value>) -> Types {
    axis("axis", op.axis, op.input.shape.len())?;
    same(&op.input)
}

/// Returns the input's shape with the axes reduced to 1 or removed.
fn over(input: &Value, (name, axes): (&str, &[i64]), keep: bool) -> Types {
    let reduced = named_axes(name, axes, input.shape.len())?;
    let dims = input.shape.iter().enumerate().filter_map(|(i, &d)| match reduced.contains(&i) {
        true => keep.then_some(1),
        false => Some(d),
    });
    let mut shape: Shape = dims.collect();
    if shape.is_empty() {
        shape.push(1);
    }
    of_dtype(shape, input)
}
