//! A ScatterND that writes a range of an axis, as PyTorch exports `x[:, 1:] = y`.
use super::compare::{common_dtype, in_dtype};
use crate::{array::Array, base::Result, emit::Emit, fold::known, import::Importer, value::Value};
use std::ops::Range;

/// Returns the axis and the range that indices write, if they are known, and all positions of a range of one axis, in order.
pub fn range_of(shape: &[usize], indices: &Array) -> Result<Option<(usize, Range<usize>)>> {
    let rank = indices.shape().last().copied().unwrap_or(0);
    if rank == 0 || rank > shape.len() || indices.is_empty() {
        return Ok(None);
    }
    let from_start = |(i, at): (usize, f64)| {
        let size = shape[i % rank] as f64;
        let at = if at < 0.0 { at + size } else { at };
        (0.0..size).contains(&at).then_some(at as usize)
    };
    let Some(positions) = indices.to_f64()?.into_iter().enumerate().map(from_start).collect::<Option<Vec<usize>>>()
    else {
        return Ok(None);
    };
    let (first, last) = (&positions[..rank], &positions[positions.len() - rank..]);
    let Some(ranges) = first.iter().zip(last).map(|(a, b)| (a <= b).then(|| *a..*b + 1)).collect::<Option<Vec<_>>>()
    else {
        return Ok(None);
    };
    // The tuples in order: the last axis changes fastest.
    let mut expected = first.to_vec();
    for tuple in positions.chunks(rank) {
        if tuple != expected {
            return Ok(None);
        }
        for axis in (0..rank).rev() {
            expected[axis] += 1;
            if expected[axis] < ranges[axis].end {
                break;
            }
            expected[axis] = ranges[axis].start;
        }
    }
    let mut parts = ranges.iter().enumerate().filter(|(axis, range)| range.len() < shape[*axis]);
    let part = parts.next().map_or((0, 0..shape[0]), |(axis, range)| (axis, range.clone()));
    // After the last tuple, the first is expected again.
    Ok((expected == first && parts.next().is_none()).then_some(part))
}

/// Returns a value with another range of an axis.
pub fn with_range(
    b: &mut Importer,
    x: &Value,
    updates: &Value,
    (axis, range): (usize, Range<usize>),
) -> Result<Vec<Value>> {
    let mut shape = x.shape();
    let size = std::mem::replace(&mut shape[axis], range.len());
    let dtype = common_dtype(b, x, updates)?;
    let new = in_dtype(b, updates, dtype)?;
    let new = b.reshape(new, &shape)?;
    let mut kept = |range: Range<usize>| -> Result<Option<_>> {
        if range.is_empty() {
            return Ok(None);
        }
        let value = known(b, &[x], |b, x| {
            let tensor = b.tensor(&x[0])?;
            let part = b.slice(tensor, axis, range.start, range.len())?;
            b.value(part, x[0].dtype())
        })?;
        in_dtype(b, &value, dtype).map(Some)
    };
    let parts = [kept(0..range.start)?, Some(new), kept(range.end..size)?];
    let made = b.concat(parts.into_iter().flatten().collect(), axis)?;
    Ok(vec![b.value_like(made, x)?])
}
