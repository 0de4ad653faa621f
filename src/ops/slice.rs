//! Type rules of ops that select ranges of axes.
use super::{
    Slice, SliceAxis, StridedSlice,
    types::{Types, Value, axes, known_ints, of_dtype},
};
use crate::base::{Result, Shape, argument, invalid, pluralized};

/// One axis of a slice: `count` entries from `start`, `step` apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// The first entry.
    pub start: usize,
    /// Distance between entries; negative to go backwards.
    pub step: i64,
    /// Number of entries.
    pub count: usize,
}

impl Span {
    /// Returns the span of a whole axis.
    fn whole(dim: usize) -> Span {
        Span { start: 0, step: 1, count: dim }
    }
    /// Returns the span from `start` to `end` (exclusive), with NumPy's rules. `None` is the respective end of the
    /// axis. Errors call the step `step_name`.
    fn new(
        (axis, dim): (usize, usize),
        start: Option<i64>,
        end: Option<i64>,
        (step_name, step): (&str, i64),
    ) -> Result<Span> {
        if step == 0 {
            return Err(argument(step_name, 0, "a step is at least 1, or at most -1 to go backwards"));
        }
        if dim == 0 {
            return Err(invalid(format!("axis {axis} has no entries to slice")));
        }
        let dim = dim as i64;
        let from_end = |v: i64| if v < 0 { v.saturating_add(dim) } else { v };
        // Going backwards, -1 is the end before the first entry, reached only by clamping: a given -1 is the last entry.
        let (low, high) = if step > 0 { (0, dim) } else { (-1, dim - 1) };
        let first = start.map_or(if step > 0 { 0 } else { high }, |v| from_end(v).clamp(0, high));
        let last = end.map_or(if step > 0 { high } else { low }, |v| from_end(v).clamp(low, high));
        let span = if step > 0 { last - first } else { first - last };
        if span <= 0 {
            let (from, to) = (start.unwrap_or(first), end.unwrap_or(last));
            return Err(invalid(format!(
                "the slice of axis {axis} from {from} to {to} by {step} is empty; the axis has {dim} entries"
            )));
        }
        let count = (span as u64).div_ceil(step.unsigned_abs()) as usize;
        // A single entry has no next one, so any step will do.
        Ok(Span { start: first as usize, step: if count == 1 { 1 } else { step }, count })
    }
}

/// The lists of a slice, each with its name in messages. `axes` may be empty.
pub(super) struct Lists<'a> {
    pub(super) offset: (&'a str, &'a [i64]),
    pub(super) steps: (&'a str, &'a [i64]),
    pub(super) ends: (&'a str, &'a [i64]),
    pub(super) axes: (&'a str, &'a [i64]),
}

impl Lists<'_> {
    /// Checks that there are equally many of each; without `axes`, no more than the input has axes.
    fn check(&self, rank: usize) -> Result<()> {
        let (of, offset) = self.offset;
        let axes = Some(self.axes).filter(|(_, list)| !list.is_empty());
        for (name, list) in [self.steps, self.ends].into_iter().chain(axes) {
            if list.len() != offset.len() {
                let expected = format!("expected {}, as many as {of} has", pluralized(offset.len(), "number"));
                return Err(argument(name, format!("{list:?}"), expected));
            }
        }
        if axes.is_none() && offset.len() > rank {
            let expected = format!("expected at most {}, as many as the input has axes", pluralized(rank, "number"));
            return Err(argument(of, format!("{offset:?}"), expected));
        }
        Ok(())
    }
    /// Returns the range of each axis. Without `axes`, an end of -1 means the whole axis, as in TPU-MLIR.
    pub(super) fn ranges(&self, input: &[usize]) -> Result<Vec<Span>> {
        self.check(input.len())?;
        let ((_, offset), (step, steps), (_, ends), (axis, given)) = (self.offset, self.steps, self.ends, self.axes);
        let at = if given.is_empty() { (0..offset.len()).collect() } else { axes(axis, given, input.len())? };
        let mut ranges: Vec<Span> = input.iter().map(|&d| Span::whole(d)).collect();
        for (i, a) in at.into_iter().enumerate() {
            let whole = given.is_empty() && ends[i] == -1 && steps[i] > 0;
            let end = Some(ends[i]).filter(|_| !whole);
            ranges[a] = Span::new((a, input[a]), Some(offset[i]), end, (step, steps[i]))?;
        }
        Ok(ranges)
    }
}

/// Returns the range of each axis. Without `axes`, an end of -1 means the whole axis, as in TPU-MLIR.
///
/// # Errors
/// Returns an error if the lists do not fit together or the input, or if a range is empty.
pub fn slice_ranges<V>(input: &[usize], op: &Slice<V>) -> Result<Vec<Span>> {
    let Slice { offset, steps, ends, axes, .. } = op;
    Lists { offset: ("offset", offset), steps: ("steps", steps), ends: ("ends", ends), axes: ("axes", axes) }
        .ranges(input)
}

/// Returns the number of entries along each axis.
pub(super) fn slice(op: &Slice<Value>) -> Types {
    if op.offsetT.or(op.endsT).or(op.stepsT).is_some() {
        return Err(invalid("offsets, ends or steps that are tensors are not supported"));
    }
    of_dtype(slice_ranges(op.input.shape, op)?.into_iter().map(|r| r.count).collect(), &op.input)
}

/// Returns the range of each axis from the values of the operands. The step defaults to 1.
///
/// # Errors
/// Same as for [`slice_ranges`], and if there is no axis.
pub fn axis_ranges(
    input: &[usize],
    axis: Vec<i64>,
    start: Vec<i64>,
    step: Option<Vec<i64>>,
    end: Vec<i64>,
) -> Result<Vec<Span>> {
    if axis.is_empty() {
        return Err(invalid("it names no axis"));
    }
    let steps = step.unwrap_or_else(|| vec![1; axis.len()]);
    Lists { offset: ("start", &start), steps: ("step", &steps), ends: ("end", &end), axes: ("axis", &axis) }
        .ranges(input)
}

/// Returns the number of entries along each axis.
pub(super) fn slice_axis(op: &SliceAxis<Value>) -> Types {
    let step = op.step.as_ref().map(known_ints).transpose()?;
    let (axis, start, end) = (known_ints(&op.axis)?, known_ints(&op.start)?, known_ints(&op.end)?);
    let ranges = axis_ranges(op.input.shape, axis, start, step, end)?;
    of_dtype(ranges.into_iter().map(|r| r.count).collect(), &op.input)
}

/// Returns the range of each input axis, and the shape of the result with its inserted and removed axes.
///
/// # Errors
/// Returns an error if the lists do not fit together or the input, or if a range is empty.
pub fn strided_ranges<V>(
    input: &[usize],
    op: &StridedSlice<V>,
    [starts, ends, strides]: [&[i64]; 3],
) -> Result<(Vec<Span>, Shape)> {
    let n = starts.len();
    if ends.len() != n || strides.len() != n {
        let (ends, strides) = (ends.len(), strides.len());
        return Err(invalid(format!("{n} starts, {ends} ends, {strides} strides; expected equally many")));
    }
    let bit = |mask: i64, i: usize| i < 64 && mask >> i & 1 == 1;
    let is_ellipsis = |i: usize| bit(op.ellipsis_mask, i);
    let is_new = |i: usize| !is_ellipsis(i) && bit(op.new_axis_mask, i);
    let named = (0..n).filter(|&i| !is_ellipsis(i) && !is_new(i)).count();
    let Some(rest) = input.len().checked_sub(named) else {
        return Err(invalid(format!("{named} axes are named; the input has {}", input.len())));
    };
    if (0..n).filter(|&i| is_ellipsis(i)).count() > 1 {
        return Err(argument("ellipsis_mask", op.ellipsis_mask, "only one entry can represent the unnamed axes"));
    }
    let (mut ranges, mut shape) = (Vec::new(), Shape::new());
    for i in 0..n {
        let at = ranges.len();
        if is_ellipsis(i) {
            ranges.extend(input[at..at + rest].iter().map(|&d| Span::whole(d)));
            shape.extend(&input[at..at + rest]);
        } else if is_new(i) {
            shape.push(1);
        } else if bit(op.shrink_axis_mask, i) {
            let place = if starts[i] < 0 { starts[i].saturating_add(input[at] as i64) } else { starts[i] };
            let fits = usize::try_from(place).ok().filter(|p| *p < input[at]);
            let start = fits.ok_or_else(|| {
                argument("starts", starts[i], format!("axis {at}, which is dropped, has {} entries", input[at]))
            })?;
            ranges.push(Span { start, step: 1, count: 1 });
        } else {
            let (start, end) = (Some(starts[i]), Some(ends[i]));
            let start = start.filter(|_| !bit(op.begin_mask, i));
            let end = end.filter(|_| !bit(op.end_mask, i));
            let range = Span::new((at, input[at]), start, end, ("strides", strides[i]))?;
            ranges.push(range);
            shape.push(range.count);
        }
    }
    let more = &input[ranges.len()..];
    ranges.extend(more.iter().map(|&d| Span::whole(d)));
    shape.extend(more);
    if shape.is_empty() {
        shape.push(1);
    }
    Ok((ranges, shape))
}

/// Returns the number of entries along each axis, with axes inserted and removed.
pub(super) fn strided_slice(op: &StridedSlice<Value>) -> Types {
    let [starts, ends, strides] = [known_ints(&op.starts)?, known_ints(&op.ends)?, known_ints(&op.strides)?];
    let (_, shape) = strided_ranges(op.input.shape, op, [&starts, &ends, &strides])?;
    of_dtype(shape, &op.input)
}
