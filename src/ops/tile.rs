//! Type rules of ops that repeat entries.
use super::{
    Expand, Repeat, Tile, Upsample,
    types::{Types, Value, known_ints, of_dtype},
};
use crate::base::{Result, Shape, argument, check_rank, invalid, shape_text};

/// Returns the shape after each axis is repeated.
fn repeated(name: &str, input: &[usize], counts: &[i64]) -> Result<Shape> {
    let times = |(&dim, &n): (&usize, &i64)| -> Result<usize> {
        let n = usize::try_from(n).ok().filter(|n| *n > 0);
        let n = n.ok_or_else(|| argument(name, format!("{counts:?}"), "expected counts of at least 1"))?;
        dim.checked_mul(n).ok_or_else(|| invalid("the repeated axes are longer than can be addressed"))
    };
    input.iter().zip(counts).map(times).collect()
}

/// Repeats each axis.
pub(super) fn tile(op: &Tile<Value>) -> Types {
    let (name, counts) = match (&op.tileT, &op.tile) {
        (Some(t), _) => (t.display_name, known_ints(t)?),
        (None, Some(counts)) => ("tile", counts.clone()),
        (None, None) => return Err(invalid("it has neither the attribute tile nor the operand tileT")),
    };
    let input = op.input.shape;
    if counts.len() != input.len() {
        let expected = format!("expected {} counts, one for each axis of {}", input.len(), shape_text(input));
        return Err(argument(name, format!("{counts:?}"), expected));
    }
    of_dtype(repeated(name, input, &counts)?, &op.input)
}

/// Repeats each axis; the shorter of shape and counts is padded with 1 in front.
pub(super) fn repeat(op: &Repeat<Value>) -> Types {
    let counts = known_ints(&op.repeats)?;
    let rank = op.input.shape.len().max(counts.len());
    check_rank(rank)?;
    let shape = [&vec![1; rank - op.input.shape.len()], op.input.shape].concat();
    let counts = [vec![1; rank - counts.len()], counts].concat();
    of_dtype(repeated(op.repeats.display_name, &shape, &counts)?, &op.input)
}

/// Broadcasts the input's shape to `shape`; -1 keeps a dimension.
pub(super) fn expand(op: &Expand<Value>) -> Types {
    let input = op.input.shape;
    let (name, wanted) = match &op.shapeT {
        Some(t) => (t.display_name, known_ints(t)?),
        None => ("shape", op.shape.clone()),
    };
    let fail = |why: String| argument(name, format!("{wanted:?}"), why);
    let Some(new) = wanted.len().checked_sub(input.len()) else {
        return Err(fail(format!("expected at least {} dimensions, as many as the input has", input.len())));
    };
    check_rank(wanted.len())?;
    let dim = |(i, &to): (usize, &i64)| match (i.checked_sub(new).map(|at| input[at]), usize::try_from(to)) {
        (Some(1) | None, Ok(to)) if to > 0 => Ok(to),
        (Some(dim), Ok(to)) if to == dim || to == 1 => Ok(dim),
        (Some(dim), _) if to == -1 => Ok(dim),
        (Some(dim), _) => {
            Err(fail(format!("axis {} of {} is {dim}; only 1 can be repeated", i - new, shape_text(input))))
        }
        (None, _) => Err(fail("expected dimensions of at least 1".into())),
    };
    of_dtype(wanted.iter().enumerate().map(dim).collect::<Result<_>>()?, &op.input)
}

/// Repeats height and width, the last two axes.
pub(super) fn upsample(op: &Upsample<Value>) -> Types {
    let rank = op.input.shape.len();
    let Some(outer) = rank.checked_sub(2) else {
        return Err(invalid(format!("the input is {}; expected height and width", shape_text(op.input.shape))));
    };
    for (name, scale) in [("scale_h", op.scale_h), ("scale_w", op.scale_w)] {
        if scale < 1 {
            return Err(argument(name, scale, "expected at least 1"));
        }
    }
    let counts = [vec![1; outer], vec![op.scale_h, op.scale_w]].concat();
    of_dtype(repeated("scale", op.input.shape, &counts)?, &op.input)
}
