//! Type rules of selection by index.
use super::{
    A16Gather, Gather, GatherElements, GatherND, Lut,
    types::{Choice, FLOATS, Types, Value, axis, of_dtype, one},
};
use crate::base::{Dtype, Result, Shape, argument, invalid, misfit, shape_text};

/// Returns the shape, or `[1]` if all axes were removed.
fn or_one(mut shape: Shape) -> Shape {
    if shape.is_empty() {
        shape.push(1);
    }
    shape
}

/// Returns `input[..axis] + indices + input[axis + 1..]`.
pub(super) fn gather(op: &Gather<Value>) -> Types {
    let (input, indices) = (op.input.shape, op.indices.shape);
    let axis = axis("axis", op.axis, input.len())?;
    let dropped = indices == [1] && !op.keepdims;
    let mut shape = input[..axis].to_vec();
    if !dropped {
        shape.extend(indices);
    }
    shape.extend(&input[axis + 1..]);
    of_dtype(or_one(shape), &op.input)
}

/// Checks that the indices have the input's rank, and that no axis except `along` is longer than the input's.
pub(super) fn check_beside(input: &Value, indices: &Value, along: usize) -> Result<()> {
    let fits = indices.shape.len() == input.shape.len()
        && indices.shape.iter().zip(input.shape).enumerate().all(|(a, (i, d))| a == along || i <= d);
    if fits {
        return Ok(());
    }
    let (is, input) = (shape_text(indices.shape), shape_text(input.shape));
    let problem = format!("is {is}; it must have the rank of {input}, with no axis longer except axis {along}");
    Err(misfit(indices.display_name, problem))
}

/// Returns the shape of the indices.
pub(super) fn gather_elements(op: &GatherElements<Value>) -> Types {
    let axis = axis("axis", op.axis, op.input.shape.len())?;
    check_beside(&op.input, &op.indices, axis)?;
    of_dtype(op.indices.shape.to_vec(), &op.input)
}

/// Returns the number of axes of `dims` that each tuple along the indices' last axis addresses.
pub(super) fn tuple_length(indices: &Value, dims: &[usize]) -> Result<usize> {
    let problem = || {
        let (is, axes) = (shape_text(indices.shape), dims.len());
        misfit(indices.display_name, format!("is {is}; its last axis holds tuples, for 1 to {axes} axes"))
    };
    indices.shape.last().copied().filter(|n| (1..=dims.len()).contains(n)).ok_or_else(problem)
}

/// Returns `indices[..-1] + input[batch_dims + n..]`, for tuples of n indices.
pub(super) fn gather_nd(op: &GatherND<Value>) -> Types {
    let (input, indices) = (op.input.shape, op.indices.shape);
    let most = input.len().min(indices.len()).saturating_sub(1);
    let batch = usize::try_from(op.batch_dims).ok().filter(|b| *b <= most);
    let batch = batch.ok_or_else(|| argument("batch_dims", op.batch_dims, format!("expected 0 to {most}")))?;
    if input[..batch] != indices[..batch] {
        let (is, input) = (shape_text(indices), shape_text(input));
        return Err(misfit(
            op.indices.display_name,
            format!("is {is}; its first {batch} axes must be those of {input}"),
        ));
    }
    let n = tuple_length(&op.indices, &input[batch..])?;
    of_dtype(or_one([&indices[..indices.len() - 1], &input[batch + n..]].concat()), &op.input)
}

/// Sizes of a packed table. Each group of entries in a row has its own scale.
#[derive(Debug, Clone, Copy)]
pub struct PackedTable {
    /// Number of rows.
    pub rows: usize,
    /// Number of entries per row.
    pub entries: usize,
    /// Number of entries that share a scale and zero point.
    pub group: usize,
}

/// Returns the table of an [`A16Gather`] whose weight has the given shape.
///
/// # Errors
/// Returns an error if the weight is no matrix, or if its rows cannot be unpacked into entries of the given bits and groups.
pub fn packed_table<V>(shape: &[usize], op: &A16Gather<V>) -> Result<PackedTable> {
    let &[rows, packed] = shape else {
        return Err(invalid(format!("the table is {}; expected rows of packed entries", shape_text(shape))));
    };
    let entries = match op.weight_bits {
        4 => packed.checked_mul(2).ok_or_else(|| invalid("its rows are longer than can be addressed"))?,
        8 => packed,
        bits => return Err(argument("weight_bits", bits, "expected 4 or 8")),
    };
    let group = if op.q_group_size < 1 { entries } else { usize::try_from(op.q_group_size).unwrap_or(usize::MAX) };
    if !entries.is_multiple_of(group) {
        let expected = format!("it must divide the {entries} entries of a row");
        return Err(argument("q_group_size", op.q_group_size, expected));
    }
    Ok(PackedTable { rows, entries, group })
}

/// Returns `indices + [entries]`, or `indices + [1, entries]` with `keepdims`.
pub(super) fn a16_gather(op: &A16Gather<Value>) -> Types {
    let table = packed_table(op.weight.shape, op)?;
    if op.axis != 0 {
        return Err(argument("axis", op.axis, "only rows can be chosen: expected 0"));
    }
    if !matches!(op.weight.dtype, Dtype::Uint8 | Dtype::Int8) {
        return Err(misfit(op.weight.display_name, format!("is {}; expected uint8 or int8", op.weight.dtype)));
    }
    let groups = table.rows.saturating_mul(table.entries / table.group);
    op.scale.expect_elements(groups, "one for each group of a row")?;
    op.zp.expect_elements(groups, "one for each group of a row")?;
    let mut shape = op.indices.shape.to_vec();
    if op.keepdims {
        shape.push(1);
    }
    shape.push(table.entries);
    one(shape, Choice::OneOf(FLOATS))
}

/// Returns the input's shape in the table's dtype.
pub(super) fn lut(op: &Lut<Value>) -> Types {
    [op.input, op.table].iter().try_for_each(|v| v.expect_dtype(&[Dtype::Int8, Dtype::Uint8]))?;
    op.table.expect_elements(256, "one for each value of 8 bits")?;
    of_dtype(op.input.shape.to_vec(), &op.table)
}
