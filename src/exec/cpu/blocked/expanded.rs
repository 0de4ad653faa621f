//! A convolution and the depthwise convolution of its result, as in the inverted residuals of MobileNet: a 1x1 convolution expands the
//! channels of an image, and a depthwise one filters them. The first one may also be any convolution of an image with few channels.
//!
//! Expanded images are larger than the second-level cache. A task therefore computes a strip of expanded rows for the blocks of channels
//! that are computed together, filters it, and goes on with the next strip in the same memory. Rows that windows of both strips see are
//! kept. Then the task computes its other blocks, whose input is still in the second-level cache.
use super::{
    Axis, BLOCK, ConvEpilogue, ConvShape, InstructionSet, Method, OnPart, Pixel,
    band::{grow, with_scratch},
    conv::{BAND, BandRows, Direct},
    depthwise::Depthwise,
    for_all_threads,
    parts::{Division, OutputRows},
    patches::has_columns_of,
    task_count, without_remainder,
};
use crate::base::Result;
use std::ops::Range;

/// Bytes of expanded rows that stay in the second-level cache.
const STRIP: usize = 128 << 10;

/// Minimum number of expanded rows in a band for each row that the preceding band computes, too.
const PER_OVERLAP: usize = 8;

/// Minimum number of bytes of an expanded image. Smaller ones stay in the second-level cache as a whole.
const LARGE: usize = 1 << 20;

/// A prepared convolution with the depthwise convolution of its result.
pub(in crate::cpu) struct ExpandedDepthwise {
    expansion: Expansion,
    depthwise: Depthwise,
    expanded: ConvShape,
    /// The shape of the depthwise convolution, as if it had one group.
    filtered: ConvShape,
    strip: Strip,
    /// The input of the first strip of a band, and of the others, which compute fewer rows.
    inputs: [BandRows; 2],
}

/// The sizes of a strip.
struct Strip {
    /// Number of rows of the result.
    rows: usize,
    /// Number of expanded rows that their windows see.
    seen: usize,
}

/// The first convolution.
enum Expansion {
    /// A 1x1 convolution, which reads its input where it is.
    General(Direct<BLOCK>),
    /// The convolution of an image with few channels, which is row-major.
    First(Direct<1>),
}

/// Calls a method of either [`Direct`].
macro_rules! direct {
    ($expansion:expr, $direct:ident => $call:expr) => {
        match $expansion {
            Expansion::General($direct) => $call,
            Expansion::First($direct) => $call,
        }
    };
}

impl ExpandedDepthwise {
    /// Whether the second convolution is a depthwise one of the result of the first, and computing them together is faster.
    pub fn supports(first: &ConvShape, second: &ConvShape) -> bool {
        let is_expansion = match first.method() {
            Some(Method::General) => first.group == 1 && is_pointwise(&first.rows) && is_pointwise(&first.cols),
            Some(Method::First) => !first.is_dilated() && !has_columns_of::<4>(first),
            _ => false,
        };
        let is_depthwise = second.method() == Some(Method::Depthwise) && second.oc == second.ic;
        let is_of_first = [first.rows.output, first.cols.output] == [second.rows.input, second.cols.input];
        let is_large = first.oc.saturating_mul(first.pixels()) >= LARGE / size_of::<f32>();
        is_expansion && is_depthwise && is_of_first && is_large && first.is_flat() && second.is_flat()
    }

    /// Packs the weights of two convolutions that [`ExpandedDepthwise::supports`].
    ///
    /// # Errors
    /// Returns an error if memory runs out.
    pub fn new(
        isa: InstructionSet,
        first: (ConvShape, &[f32], ConvEpilogue),
        second: (ConvShape, &[f32], ConvEpilogue),
    ) -> Result<ExpandedDepthwise> {
        ExpandedDepthwise::with_strips(STRIP, isa, first, second)
    }

    /// Like [`ExpandedDepthwise::new`], with strips of `strip` bytes, or of one row of the result if that is larger.
    pub(super) fn with_strips(
        strip: usize,
        isa: InstructionSet,
        (first, first_weights, first_end): (ConvShape, &[f32], ConvEpilogue),
        (second, second_weights, second_end): (ConvShape, &[f32], ConvEpilogue),
    ) -> Result<ExpandedDepthwise> {
        let expansion = match first.method() {
            Some(Method::First) => Expansion::First(Direct::new(isa, first, first_weights, first_end)?),
            _ => Expansion::General(Direct::new(isa, first, first_weights, first_end)?),
        };
        let row = direct!(&expansion, c => c.together()) * second.cols.input * size_of::<Pixel>();
        let windows = |rows: usize| Axis { output: rows, ..second.rows }.len();
        let more = (strip / row).saturating_sub(windows(1)) / second.rows.stride;
        let rows = (more + 1).min(second.rows.output);
        let seen = windows(rows).min(second.rows.input);
        let heights = [seen, seen.min(rows.saturating_mul(second.rows.stride))];
        Ok(ExpandedDepthwise {
            depthwise: Depthwise::new(isa, second, second_weights, second_end)?,
            expanded: first,
            filtered: ConvShape { group: 1, ..second },
            strip: Strip { rows, seen },
            inputs: heights.map(|height| direct!(&expansion, c => c.band_rows(height))),
            expansion,
        })
    }

    /// Bytes of workspace, in addition to input and result.
    pub fn workspace(&self) -> u64 {
        let strip = self.plane().saturating_mul(self.together() * size_of::<Pixel>());
        let input = direct!(&self.expansion, c => c.bytes_of(&self.inputs[0]));
        for_all_threads(input.saturating_add(strip as u64))
    }

    /// Writes all of `out`. Calls `on_expanded` for parts of the expanded image, and `on_part` for parts that together are all of `out`.
    ///
    /// # Errors
    /// Returns an error if memory for the workspace runs out.
    pub fn run(&self, x: &[f32], out: &mut [f32], on_expanded: &OnPart, on_part: &OnPart) -> Result<()> {
        let (g, (bands, share)) = (&self.filtered, self.cut());
        let division = Division { g, place: g.place(), blocks: g.oc.div_ceil(BLOCK), share, bands, unit: 1 };
        division.try_for_each(None, out.as_chunks_mut().0, |mut part| {
            with_scratch(|strip| {
                grow(strip, self.plane().saturating_mul(self.together() * BLOCK))?;
                for first in (0..part.outs.len()).step_by(self.together()) {
                    let blocks = first..part.outs.len().min(first + self.together());
                    self.blocks(x, (&mut part, blocks), strip.as_chunks_mut().0, (on_expanded, on_part))?;
                }
                Ok(())
            })
        })
    }

    /// Number of blocks that are computed together.
    fn together(&self) -> usize {
        direct!(&self.expansion, c => c.together())
    }

    /// Number of pixels of a block in a strip.
    fn plane(&self) -> usize {
        self.strip.seen * self.filtered.cols.input
    }

    /// Returns the number of bands of rows, and the number of output blocks of a task.
    fn cut(&self) -> (usize, usize) {
        let (g, Axis { stride, output: rows, .. }) = (&self.expanded, self.filtered.rows);
        let products = g.pixels().saturating_mul(g.taps()).saturating_mul(g.ic).saturating_mul(g.oc);
        let tasks = task_count(products.saturating_mul(g.batch));
        let window = Axis { output: 1, ..self.filtered.rows }.len();
        let fewest = (window.saturating_sub(stride) * PER_OVERLAP).div_ceil(stride).max(1);
        // The input of a band is read from the second-level cache for all blocks but the first ones.
        let near = g.area().saturating_mul(g.ic * size_of::<f32>()).div_ceil(BAND);
        let bands = tasks.div_ceil(g.batch).max(near).min(rows / fewest).max(1);
        let bands = if g.batch == 1 { without_remainder(bands) } else { bands };
        let sets = g.oc.div_ceil(BLOCK).div_ceil(self.together());
        let missing = tasks.div_ceil(bands.saturating_mul(g.batch));
        (bands, sets.div_ceil(missing) * self.together())
    }

    /// The expanded rows that the windows at some rows of the result see.
    fn seen(&self, rows: &Range<usize>) -> Range<usize> {
        let axis = Axis { output: rows.len(), ..self.filtered.rows };
        let (start, inside) = (rows.start * axis.stride, |row: usize| row.saturating_sub(axis.pad).min(axis.input));
        inside(start)..inside(start + axis.len())
    }

    /// Computes some blocks of a part, as many as are computed together.
    fn blocks(
        &self,
        x: &[f32],
        (part, blocks): (&mut OutputRows, Range<usize>),
        strip: &mut [Pixel],
        (on_expanded, on_part): (&OnPart, &OnPart),
    ) -> Result<()> {
        let (width, out_width) = (self.filtered.cols.input, self.filtered.cols.output);
        let (first, end) = (part.row, part.row + part.outs[0].len() / out_width);
        let mut planes: Vec<&mut [Pixel]> = strip.chunks_exact_mut(self.plane()).take(blocks.len()).collect();
        let (mut copied, mut ready) = (Vec::new(), 0..0);
        for row in (first..end).step_by(self.strip.rows) {
            let rows = row..end.min(row + self.strip.rows);
            let seen = self.seen(&rows);
            if seen.start < ready.end {
                let kept = (seen.start - ready.start) * width..(ready.end - ready.start) * width;
                planes.iter_mut().for_each(|plane| plane.copy_within(kept.clone(), 0));
            }
            let fresh = seen.start.max(ready.end)..seen.end;
            if !fresh.is_empty() {
                let place = (fresh.start - seen.start) * width..(fresh.end - seen.start) * width;
                let outs = planes.iter_mut().map(|plane| &mut plane[place.clone()]).collect();
                self.expand(
                    x,
                    part.of_image(&self.expanded, (blocks.start, fresh.start), outs),
                    &mut copied,
                    on_expanded,
                )?;
            }
            ready = seen.clone();
            let pixels = (rows.start - first) * out_width..(rows.end - first) * out_width;
            for (b, plane) in blocks.clone().zip(&planes) {
                let axis = self.axis(&rows, seen.len());
                self.depthwise.rows(plane, axis, part.block + b, &mut part.outs[b][pixels.clone()]);
                part.complete_pixels(b, pixels.clone(), on_part);
            }
        }
        Ok(())
    }

    /// Computes expanded rows.
    fn expand(&self, x: &[f32], rows: OutputRows, copied: &mut Vec<f32>, on_expanded: &OnPart) -> Result<()> {
        let height = rows.outs[0].len() / self.expanded.cols.output;
        let [first, next] = &self.inputs;
        let input = if height <= self.strip.rows * self.filtered.rows.stride { next } else { first };
        direct!(&self.expansion, c => c.part(input, x.as_chunks().0, rows, copied, on_expanded))
    }

    /// The axis of some rows of the result, in a strip of `seen` expanded rows.
    fn axis(&self, rows: &Range<usize>, seen: usize) -> Axis {
        let axis = self.filtered.rows;
        Axis { input: seen, pad: axis.pad.saturating_sub(rows.start * axis.stride), output: rows.len(), ..axis }
    }
}

/// Whether a 1x1 convolution reads every position of an axis.
fn is_pointwise(axis: &Axis) -> bool {
    [axis.kernel, axis.stride, axis.pad] == [1, 1, 0] && axis.input == axis.output
}
