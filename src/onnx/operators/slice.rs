//! Ranges of axes.
use super::Convert;
use crate::{
    base::{Result, argument, invalid},
    emit::Emit,
    import::Importer,
    node::{Node, known_ints, resolved_axis},
    ops::{Reverse, Trilu},
    value::Value,
};

pub const OPERATORS: &[(&str, Convert)] = &[("Slice", slice), ("Trilu", trilu)];

/// A strided range of one axis: the first index, the number of entries, the step.
#[derive(Debug, PartialEq)]
pub struct Range {
    pub start: usize,
    pub count: usize,
    pub step: i64,
}

/// Resolves the range of an axis of `size` entries as NumPy does: what lies outside is left out.
pub fn range(start: i64, end: i64, step: i64, size: usize) -> Range {
    let size = size as i64;
    // A longer step than the axis also takes one entry.
    let step = step.clamp(-size.max(1), size.max(1));
    let from_end = |at: i64| if at < 0 { at.saturating_add(size) } else { at };
    let (start, end) = (from_end(start), from_end(end));
    let (start, end) = match step > 0 {
        true => (start.clamp(0, size), end.clamp(0, size)),
        false => (start.clamp(-1, size - 1), end.clamp(-1, size - 1)),
    };
    let distance = if step > 0 { end - start } else { start - end };
    let count = if distance <= 0 { 0 } else { (distance - 1) / step.saturating_abs() + 1 };
    Range { start: start.max(0) as usize, count: count as usize, step }
}

fn slice<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let shape = x.shape();
    let list = |name: &str, index: usize| match n.version {
        ..10 => Ok(n.ints(name)),
        _ => n.optional(index).map(|v| known_ints(v, name)).transpose(),
    };
    let (starts, ends) = (list("starts", 1)?, list("ends", 2)?);
    let (Some(starts), Some(ends)) = (starts, ends) else { return Err(invalid("it has no starts or no ends")) };
    let axes = list("axes", 3)?.unwrap_or_else(|| (0..starts.len() as i64).collect());
    let steps = list("steps", 4)?.unwrap_or_else(|| vec![1; starts.len()]);
    if [ends.len(), axes.len(), steps.len()].iter().any(|&len| len != starts.len()) {
        return Err(argument("starts", format!("{starts:?}"), "starts, ends, axes and steps must be equally long"));
    }
    let mut tensor = None;
    for (i, &axis) in axes.iter().enumerate() {
        let axis = resolved_axis("axes", axis, shape.len())?;
        let step = steps[i];
        if step == 0 {
            return Err(argument("steps", step, "expected another number"));
        }
        let range = range(starts[i], ends[i], step, shape[axis]);
        if range.count == 0 {
            return empty(x, axis, n);
        }
        if range == (Range { start: 0, count: shape[axis], step: 1 }) {
            continue;
        }
        let from = match tensor {
            Some(t) => t,
            None => b.tensor(x)?,
        };
        tensor = Some(strided(b, from, axis, &range)?);
    }
    match tensor {
        Some(tensor) => Ok(vec![b.value(tensor, x.dtype())?]),
        None => Ok(vec![x.clone()]),
    }
}

/// An empty range is a constant without elements, which a `Concat` leaves out.
fn empty(x: &Value, axis: usize, n: &Node) -> Result<Vec<Value>> {
    if !n.inputs.iter().flatten().all(Value::is_constant) {
        return Err(invalid(format!("nothing is left of axis {axis}; tensors have at least one element")));
    }
    let mut shape = x.shape();
    shape[axis] = 0;
    Ok(vec![Value::constant(crate::array::Array::from_le_bytes(x.dtype(), shape, &[])?)])
}

/// Takes a range of an axis; entries are reversed if the step is negative.
fn strided(b: &mut Importer, x: crate::Tensor, axis: usize, range: &Range) -> Result<crate::Tensor> {
    let step = range.step.unsigned_abs() as usize;
    if range.step > 0 {
        return b.strided(x, axis, range.start, range.count, step);
    }
    let reversed = b.op(Reverse::new(x, axis as i64))?;
    let size = b.shape(x)?[axis];
    b.strided(reversed, axis, size - 1 - range.start, range.count, step)
}

pub fn trilu<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let diagonal = match n.optional(1) {
        Some(k) => crate::node::known_int(k, "k")?,
        None => 0,
    };
    // Beyond the corners nothing changes.
    let most = x.shape().iter().copied().max().unwrap_or(1) as i64 + 1;
    let upper = n.int_or("upper", 1);
    let tensor = b.tensor(x)?;
    let made = b.op(Trilu::new(tensor, diagonal.clamp(-most, most), upper))?;
    Ok(vec![b.value_like(made, x)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_numpys() {
        let is = |start, count, step| Range { start, count, step };
        assert_eq!(range(0, i64::MAX, 1, 5), is(0, 5, 1));
        assert_eq!(range(-3, -1, 1, 5), is(2, 2, 1));
        assert_eq!(range(1, 100, 2, 6), is(1, 3, 2));
        assert_eq!(range(-1, i64::MIN, -1, 4), is(3, 4, -1));
        assert_eq!(range(10, 0, -2, 6), is(5, 3, -2));
        assert_eq!(range(3, 3, 1, 5).count, 0);
        assert_eq!(range(0, i64::MIN, i64::MIN, 5), is(0, 1, -5));
    }
}
