//! Type rules of ops that create tensors from shapes and numbers.
use super::{
    Arange, ConstantFill, MeshGrid, Range, Shape as ShapeOp, Size,
    slice::Lists,
    types::{Choice, Inferred, NUMBERS, Types, Value, axis, known_ints, known_numbers, one},
};
use crate::base::{Result, Shape, argument, check_rank, invalid, misfit, shape_text};

/// Returns the dimensions of `shape` that [`Shape`](ShapeOp) selects. If tpuc-opt has moved start, end and step to a slice,
/// it leaves the step on the op, which then selects all dimensions.
///
/// # Errors
/// Returns an error if the shape has no dimension, or if none is selected.
pub fn selected_dimensions<V>(shape: &[usize], op: &ShapeOp<V>) -> Result<Vec<usize>> {
    if shape.is_empty() {
        return Err(invalid("a scalar has no dimensions"));
    }
    if op.start.is_none() && op.end.is_none() {
        return Ok(shape.to_vec());
    }
    let (start, end, step) = (op.start.unwrap_or(0), op.end.unwrap_or(i64::MAX), op.step.unwrap_or(1));
    let lists =
        Lists { offset: ("start", &[start]), steps: ("step", &[step]), ends: ("end", &[end]), axes: ("axes", &[0]) };
    let range = lists.ranges(&[shape.len()])?[0];
    Ok((0..range.count as i64).map(|i| shape[(range.start as i64 + i * range.step) as usize]).collect())
}

/// Returns one element per dimension.
pub(super) fn shape(op: &ShapeOp<Value>) -> Types {
    one(vec![selected_dimensions(op.input.shape, op)?.len()], Choice::OneOf(NUMBERS))
}

/// Returns one element for the given axis, or one per axis.
pub(super) fn size(op: &Size<Value>) -> Types {
    let rank = op.input.shape.len();
    let count = op.axis.map_or(Ok(rank), |a| axis("axis", a, rank).map(|_| 1))?;
    if count == 0 {
        return Err(misfit(op.input.display_name, "has no axis"));
    }
    one(vec![count], Choice::OneOf(NUMBERS))
}

/// Returns the shape listed by the operand; -1 becomes 1.
pub(super) fn constant_fill(op: &ConstantFill<Value>) -> Types {
    let dims = known_ints(&op.input)?;
    check_rank(dims.len())?;
    let dim = |&d: &i64| if d == -1 { Some(1) } else { usize::try_from(d).ok().filter(|d| *d > 0) };
    let shape: Option<Shape> = dims.iter().map(dim).collect();
    let shape =
        shape.ok_or_else(|| misfit(op.input.display_name, format!("holds {dims:?}; dimensions are at least 1")))?;
    one(shape, Choice::OneOf(NUMBERS))
}

/// Returns the single value of an operand, or `otherwise` if it is absent.
fn number(operand: &Option<Value>, otherwise: f64) -> Result<f64> {
    let Some(t) = operand else {
        return Ok(otherwise);
    };
    t.expect_elements(1, "a number")?;
    Ok(known_numbers(t)?[0])
}

/// Formats a number without its digits if there are many.
fn number_text(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 { number.to_string() } else { format!("{number:?}") }
}

fn count(start: &Option<Value>, end: &Value, step: &Option<Value>) -> Types {
    let (start, end, step) = (number(start, 0.0)?, number(&Some(*end), 0.0)?, number(step, 1.0)?);
    let count = ((end - start) / step).ceil();
    let range = || format!("from {} to {} by {}", number_text(start), number_text(end), number_text(step));
    if count > (1u64 << 50) as f64 {
        return Err(invalid(format!("{} there are more than 2^50 numbers, which are not supported", range())));
    }
    if count.is_nan() || count < 1.0 {
        return Err(invalid(format!("{} there are no numbers; expected at least 1", range())));
    }
    one(vec![count as usize], Choice::OneOf(NUMBERS))
}

/// Returns one element per value from start to limit.
pub(super) fn range(op: &Range<Value>) -> Types {
    count(&op.start, &op.limit, &op.delta)
}

/// Returns one element per value from start to end.
pub(super) fn arange(op: &Arange<Value>) -> Types {
    count(&op.start, &op.end, &op.step)
}

/// Returns one result per input vector; its shape is the vectors' lengths.
pub(super) fn mesh_grid(op: &MeshGrid<Value>) -> Types {
    let length = |(i, v): (usize, &Value)| match v.shape {
        &[n] => Ok(n),
        other => Err(argument(format!("inputs[{i}]"), shape_text(other), "expected a vector")),
    };
    check_rank(op.inputs.len())?;
    let mut shape: Shape = op.inputs.iter().enumerate().map(length).collect::<Result<_>>()?;
    if op.is_reverse {
        shape.reverse();
    }
    if shape.is_empty() {
        return Err(invalid("there are no vectors"));
    }
    Ok(op.inputs.iter().map(|v| Inferred { shape: shape.clone(), dtype: Choice::Is(v.dtype) }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scalar_has_no_dimensions_to_select() {
        for (start, end, step) in [(None, None, None), (Some(0), None, None), (None, Some(-1), Some(-1))] {
            let op = ShapeOp { start, end, step, ..ShapeOp::new(()) };
            assert_eq!(selected_dimensions(&[], &op).unwrap_err().to_string(), "a scalar has no dimensions");
        }
    }
}
