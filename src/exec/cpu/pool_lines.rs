//! Reductions of windows in plain layouts, by lines of results.
use super::{
    blocked::{load_padded, store_within},
    fold::Fold,
    workspace::{Workspace, of_tasks},
};
use crate::{array::reserve, base::Result, ops::Window};
use rten_simd::{
    Isa, Simd, SimdOp,
    ops::{BitOps, FloatOps},
};

/// Number of floats in a thread's buffer, unless a single line is longer: few enough for the first-level cache, and enough that vectors have
/// been written to it before loads that overlap two of them read it.
const BUFFER: usize = 1 << 11;

/// Number of float32 lanes of the longest vector.
const VECTOR: usize = 16;

/// Minimum length of windows that are combined one by one if they have no elements in common.
const APART: usize = 32;

/// Minimum length of windows with elements in common that [`combine_long`] combines.
const LONG: usize = 128;

/// Computes results from the combined elements of their windows.
pub(super) trait End: Copy + Sync {
    /// Returns the results for combined elements, and the numbers of elements.
    fn of<O: FloatOps<f32>>(self, ops: O, found: O::Simd, n: O::Simd) -> O::Simd;
}

/// Lines of the operand with their padding, one after the other in memory.
pub(super) struct LineLayout {
    kernel: usize,
    stride: usize,
    pad: usize,
    /// Number of elements of an operand's line up to the last one that a window covers.
    input: usize,
    /// The distance between lines: the elements of all windows.
    pitch: usize,
    /// Lines at a time.
    pub lines: usize,
}

impl LineLayout {
    /// Returns the layout for windows, or `None` if those along a line cannot have elements in common, or are mostly padding.
    ///
    /// # Errors
    /// Returns an error if there is no room for a window.
    pub fn new(windows: &[Window]) -> Result<Option<LineLayout>> {
        let Some(window) = windows.last().filter(|w| w.kernel < w.input as i64) else { return Ok(None) };
        let [kernel, stride, pad] = [window.kernel, window.stride, window.pads[0]].map(|n| n as usize);
        let pitch = window.positions()?.saturating_sub(1).saturating_mul(stride).saturating_add(kernel);
        if pitch > Self::longest(window.input) {
            return Ok(None);
        }
        let (pad, input) = (pad.min(pitch), window.input.min(pitch.saturating_sub(pad)));
        Ok(Some(LineLayout { kernel, stride, pad, input, pitch, lines: (BUFFER / pitch).max(1) }))
    }
    /// Returns the layout of lines of that length without padding, for windows of any ranges.
    pub fn without_padding(input: usize) -> LineLayout {
        LineLayout { kernel: 1, stride: 1, pad: 0, input, pitch: input, lines: 1 }
    }
    fn longest(input: usize) -> usize {
        input.saturating_mul(4)
    }
    /// The memory of [`LineLayout::buffer`], whatever the windows are, for each thread that has some of the `lines` of an operand.
    pub fn workspace(input: usize, lines: usize) -> Workspace {
        let buffer = BUFFER.max(Self::longest(input)).saturating_add(input + 2 * VECTOR);
        of_tasks(lines, buffer, size_of::<f32>())
    }
    /// Allocates memory for as many lines, or those of the layout if these are fewer, and for vectors that begin in the last window.
    pub fn buffer<F: Fold>(&self, _: F, lines: usize) -> Result<Vec<f32>> {
        let (mut buffer, n) = (Vec::new(), self.lines.min(lines) * self.pitch + self.kernel + 2 * VECTOR);
        reserve(&mut buffer, n)?;
        buffer.resize(n, F::EMPTY);
        Ok(buffer)
    }
}

/// The lines of the operand that the windows of a line of results share: some lines of some slices.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// The offset of the first line.
    pub first: usize,
    pub slices: usize,
    /// The distance between slices.
    pub slice: usize,
    pub lines: usize,
    /// The distance between lines.
    pub line: usize,
}

/// Some lines of results, no more than the layout has.
pub(super) struct Lines<'a, F, P, E> {
    pub layout: &'a LineLayout,
    pub fold: F,
    /// The values of the operand.
    pub values: &'a [f32],
    /// A part of the operand for each line of results.
    pub parts: P,
    /// Memory from [`LineLayout::buffer`].
    pub buffer: &'a mut [f32],
    /// For each result of a line, the number of its elements along the line that are inside the operand.
    pub widths: &'a [f32],
    pub end: E,
    pub out: &'a mut [f32],
}

impl<F: Fold, P: Iterator<Item = Part>, E: End> SimdOp for Lines<'_, F, P, E> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let Lines { layout, fold, values, parts, buffer, widths, end, out } = self;
        let (ops, pitch, lines) = (isa.f32(), layout.pitch, out.len() / widths.len());
        let mut heights = Vec::with_capacity(lines);
        for (line, part) in parts.take(lines).enumerate() {
            let out = &mut buffer[line * pitch..];
            match part {
                Part { slices: 1, lines: 2, .. } => layout.combine_lines::<_, _, 2>(ops, fold, values, part, out),
                Part { slices: 1, lines: 3, .. } => layout.combine_lines::<_, _, 3>(ops, fold, values, part, out),
                _ => layout.combine_lines::<_, _, 0>(ops, fold, values, part, out),
            }
            heights.push((part.slices * part.lines) as f32);
        }
        match layout.kernel {
            1 => {}
            2 => combine_neighbors::<_, 2>(ops, fold, 2, buffer, lines * pitch),
            3 => combine_neighbors::<_, 3>(ops, fold, 3, buffer, lines * pitch),
            n if n >= APART && layout.stride >= n => {
                for line in buffer[..lines * pitch].chunks_exact_mut(pitch) {
                    for window in line.chunks_mut(layout.stride) {
                        window[0] = fold.of_row(ops, &window[..n]);
                    }
                }
            }
            n if n >= LONG => combine_long(fold, n, buffer, lines * pitch),
            n => combine_neighbors::<_, 0>(ops, fold, n, buffer, lines * pitch),
        }
        for (i, (out, height)) in out.chunks_exact_mut(widths.len()).zip(heights).enumerate() {
            let line = &buffer[i * pitch..];
            match layout.stride {
                1 => write_results::<_, 1>(ops, 1, line, (widths, height), end, out),
                2 => write_results::<_, 2>(ops, 2, line, (widths, height), end, out),
                stride => write_results::<_, 0>(ops, stride, line, (widths, height), end, out),
            }
        }
    }
}

/// Some lines of results, of windows that each have a range of a line.
pub(super) struct Ranges<'a, F, P, E> {
    pub layout: &'a LineLayout,
    pub fold: F,
    /// The values of the operand.
    pub values: &'a [f32],
    /// A part of the operand for each line of results.
    pub parts: P,
    /// Memory from [`LineLayout::buffer`], if parts have several lines.
    pub buffer: &'a mut [f32],
    pub ranges: &'a [(usize, usize)],
    pub end: E,
    pub out: &'a mut [f32],
}

impl<F: Fold, P: Iterator<Item = Part>, E: End> SimdOp for Ranges<'_, F, P, E> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let Ranges { layout, fold, values, parts, buffer, ranges, end, out } = self;
        let ops = isa.f32();
        for (out, part) in out.chunks_exact_mut(ranges.len()).zip(parts) {
            let height = part.slices * part.lines;
            let line = match height {
                1 => &values[part.first..],
                _ => {
                    layout.combine_lines::<_, _, 0>(ops, fold, values, part, buffer);
                    &*buffer
                }
            };
            for (out, &(from, to)) in out.iter_mut().zip(ranges) {
                let (found, n) = (fold.of_row(ops, &line[from..to]), height * (to - from));
                *out = end.of(ops, ops.splat(found), ops.splat(n as f32)).to_array().as_ref()[0];
            }
        }
    }
}

/// Writes a line of results, of windows at a distance of `stride`, which is `STRIDE` unless that is 0.
#[inline(always)]
fn write_results<O: FloatOps<f32>, const STRIDE: usize>(
    ops: O,
    stride: usize,
    line: &[f32],
    (widths, height): (&[f32], f32),
    end: impl End,
    out: &mut [f32],
) {
    let (n, height) = (out.len(), ops.splat(height));
    for at in (0..n).step_by(ops.len()) {
        // The last vector ends with the line, so it may compute some results a second time.
        let at = at.min(n.saturating_sub(ops.len()));
        let first = &line[at * stride..];
        let found = if STRIDE == 1 {
            ops.load(first)
        } else {
            let mut values = [0.0; VECTOR];
            match STRIDE {
                2 => {
                    let pairs = &first.as_chunks::<2>().0[..ops.len()];
                    values.iter_mut().zip(pairs).for_each(|(v, [x, _])| *v = *x);
                }
                _ => values.iter_mut().zip(first.iter().step_by(stride)).for_each(|(v, x)| *v = *x),
            }
            ops.load(&values)
        };
        let result = end.of(ops, found, ops.mul(height, load_padded(ops, widths, at, 0.0)));
        store_within(ops, result, out, at);
    }
}

impl LineLayout {
    /// Combines lines of the operand, and writes them with their padding to the beginning of `out`. There is one slice of `LINES` lines,
    /// unless that is 0.
    #[inline(always)]
    fn combine_lines<O: FloatOps<f32>, F: Fold, const LINES: usize>(
        &self,
        ops: O,
        fold: F,
        values: &[f32],
        part: Part,
        out: &mut [f32],
    ) {
        let (padding, line) = out.split_at_mut(self.pad);
        let (padding_after, n) = (self.pitch - self.pad, ops.len());
        padding.fill(F::EMPTY);
        if part.slices * part.lines == 0 {
            return line[..padding_after].fill(F::EMPTY);
        }
        let values = &values[part.first..];
        let (slices, lines) = if LINES == 0 { (part.slices, part.lines) } else { (1, LINES) };
        let last = (slices - 1) * part.slice + (lines - 1) * part.line;
        // Vectors may go beyond the end of a line, where the padding or the next line is written afterwards.
        let rounded = self.input.next_multiple_of(n);
        let whole = if last + rounded <= values.len() { rounded } else { self.input / n * n };
        for at in (0..whole).step_by(n) {
            let mut found = ops.load(&values[at..]);
            for line in 1..lines {
                found = fold.combine(ops, found, ops.load(&values[line * part.line + at..]));
            }
            for slice in 1..slices {
                for line in 0..lines {
                    found = fold.combine(ops, found, ops.load(&values[slice * part.slice + line * part.line + at..]));
                }
            }
            ops.store(found, &mut line[at..]);
        }
        if whole < self.input {
            let mut found = ops.splat(F::EMPTY);
            for slice in 0..slices {
                for line in 0..lines {
                    let line = slice * part.slice + line * part.line;
                    found = fold.combine(ops, found, ops.load_pad(&values[line + whole..line + self.input]).0);
                }
            }
            ops.store(found, &mut line[whole..]);
        }
        line[self.input..padding_after].fill(F::EMPTY);
    }
}

/// Combines each of the first `n` elements with the following ones of its window of `kernel` elements, which is `KERNEL` unless that is 0.
#[inline(always)]
fn combine_neighbors<O: FloatOps<f32>, const KERNEL: usize>(
    ops: O,
    fold: impl Fold,
    kernel: usize,
    line: &mut [f32],
    n: usize,
) {
    let kernel = if KERNEL == 0 { kernel } else { KERNEL };
    for at in (0..n).step_by(ops.len()) {
        let window = &line[at..at + kernel - 1 + ops.len()];
        let mut found = ops.load(window);
        for i in 1..kernel {
            found = fold.combine(ops, found, ops.load(&window[i..]));
        }
        ops.store(found, &mut line[at..]);
    }
}

/// Like [`combine_neighbors`], in two steps per element. A window goes from an element to the end of one section of `kernel` elements, and
/// on from the beginning of the next (van Herk, Gil and Werman).
fn combine_long<F: Fold>(fold: F, kernel: usize, line: &mut [f32], n: usize) {
    for first in (0..n).step_by(kernel) {
        let (section, next) = line[first..].split_at_mut(kernel);
        for i in (1..kernel).rev() {
            section[i - 1] = fold.combine_two(section[i - 1], section[i]);
        }
        let mut beginning = F::EMPTY;
        for (found, x) in section[1..].iter_mut().zip(&*next) {
            beginning = fold.combine_two(beginning, *x);
            *found = fold.combine_two(*found, beginning);
        }
    }
}
