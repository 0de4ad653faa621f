//! Type rules of ops that write by index. The result has the input's type.
use super::{
    IndexPut, Insert, ScatterElements, ScatterND,
    gather::{check_beside, tuple_length},
    types::{Types, Value, axis, same, same_dtype},
};
use crate::base::{Result, argument, misfit, shape_text};

/// Checks the updates' shape (a tensor of one element may represent a scalar).
fn check_updates(updates: &Value, input: &Value, shape: &[usize]) -> Result<()> {
    same_dtype((updates.display_name, updates), (input.display_name, input))?;
    if updates.shape == shape || (shape.is_empty() && updates.shape == [1]) {
        return Ok(());
    }
    let (is, expected) = (shape_text(updates.shape), shape_text(shape));
    Err(misfit(updates.display_name, format!("is {is}; input and indices require {expected}")))
}

/// How an update changes an entry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reduction {
    /// Replaces it.
    Replace,
    /// Adds the update.
    Add,
    /// Subtracts the update.
    Sub,
    /// Keeps the larger of both.
    Max,
    /// Keeps the smaller of both.
    Min,
    /// Multiplies both.
    Mul,
}

impl Reduction {
    /// Converts the attribute `reduction`; an op supports its first `known` values.
    ///
    /// # Errors
    /// Returns an error if it is not one of these values.
    pub fn of(number: i64, known: usize) -> Result<Reduction> {
        use Reduction::*;
        let all = [Replace, Add, Sub, Max, Min, Mul];
        let found = usize::try_from(number).ok().filter(|n| *n < known).and_then(|n| all.get(n).copied());
        found.ok_or_else(|| argument("reduction", number, format!("expected 0 to {}", known - 1)))
    }
}

/// Returns the input's type.
pub(super) fn scatter_elements(op: &ScatterElements<Value>) -> Types {
    Reduction::of(op.reduction, 2)?;
    check_beside(&op.input, &op.indices, axis("axis", op.axis, op.input.shape.len())?)?;
    check_updates(&op.updates, &op.input, op.indices.shape)?;
    same(&op.input)
}

/// Returns the input's type.
pub(super) fn scatter_nd(op: &ScatterND<Value>) -> Types {
    Reduction::of(op.reduction, 6)?;
    let (input, indices) = (op.input_data.shape, op.indices.shape);
    let n = tuple_length(&op.indices, input)?;
    check_updates(&op.updates, &op.input_data, &[&indices[..indices.len() - 1], &input[n..]].concat())?;
    same(&op.input_data)
}

/// Returns the input's type.
pub(super) fn index_put(op: &IndexPut<Value>) -> Types {
    let (input, indices) = (op.input.shape, op.indices.shape);
    let &[n] = indices else {
        return Err(misfit(op.indices.display_name, format!("is {}; expected one axis", shape_text(indices))));
    };
    let Some((_, inner)) = input.split_first() else {
        return Err(misfit(op.input.display_name, "has no axis"));
    };
    check_updates(&op.values, &op.input, &[&[n], inner].concat())?;
    same(&op.input)
}

/// Returns the input's type.
pub(super) fn insert(op: &Insert<Value>) -> Types {
    let (input, rhs) = (op.input.shape, op.rhs.shape);
    let axis = axis("axis", op.axis, input.len())?;
    same_dtype((op.rhs.display_name, &op.rhs), (op.input.display_name, &op.input))?;
    if rhs.len() != input.len() || (0..rhs.len()).any(|a| a != axis && rhs[a] != input[a]) {
        let (is, expected) = (shape_text(rhs), shape_text(input));
        return Err(misfit(op.rhs.display_name, format!("is {is}; it must be {expected} except for axis {axis}")));
    }
    let end = usize::try_from(op.offset).ok().and_then(|at| at.checked_add(rhs[axis]));
    if end.is_none_or(|end| end > input[axis]) {
        let (n, dim) = (rhs[axis], input[axis]);
        return Err(argument("offset", op.offset, format!("{n} entries must fit into the {dim} of axis {axis}")));
    }
    same(&op.input)
}
