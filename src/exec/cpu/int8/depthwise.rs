//! Depthwise convolution of bytes. Four lines are interleaved, since four rows of a kernel are multiplied at a time (`taps`). With
//! a kernel of three rows and a stride of 1, they serve two lines of the result: the weights of the second are moved by a row.
use super::{
    ByteOperand, Completion, DEPTH,
    dot::DotProduct,
    is_byte,
    panel::{BLOCK, GROUP, Line, Sums},
    product::{Finish, Panels, part, parts, resize},
    sums::{ResultMemory, SumsEpilogue},
    taps::{GroupProducts, Windows},
};
use crate::{
    Operand, ValueType,
    array::{ArrayMut, reserve, zeros},
    base::Result,
    cpu::blocked::{Axis, InstructionSet, task_count_of},
    ops::{Conv, Convolution},
};
use rayon::prelude::*;
use rten_simd::{Isa, SimdOp};

/// Number of sums that stay in the first-level cache.
const NEAR: usize = 4 << 10;

/// Minimum number of multiply-adds per task.
const TASK: usize = 1 << 17;
/// Minimum number of multiply-adds per task if there are more tasks than threads.
const LONG_TASK: usize = 1 << 21;

/// A prepared depthwise convolution over one or two spatial axes.
pub(in crate::cpu) struct DepthwiseBytes {
    by: GroupProducts,
    rows: Axis,
    cols: Axis,
    channels: usize,
    input: ByteOperand,
    /// The number of parts into which weights are split.
    parts: usize,
    /// Lines of the result that are computed from the same interleaved lines.
    lines_together: usize,
    /// Ordered by line of the result, block, part, group of kernel rows and kernel column.
    weights: Vec<Line>,
    /// The sum of each channel's weights.
    weight_sums: Vec<i32>,
}

impl DepthwiseBytes {
    /// Whether a convolution has one input channel and one output channel per group, a constant filter, and sums that fit in 32 bits.
    pub fn supports(op: &Conv<Operand>) -> bool {
        let (channels, filter) = (op.input.ty.plain_shape().get(1).copied().unwrap_or(0), &op.filter.ty.shape);
        let is_depthwise = channels > 1 && op.group as usize == channels && filter[0] == channels;
        let taps: usize = op.kernel_shape.iter().map(|k| *k as usize).product();
        is_depthwise
            && op.filter.constant.is_some()
            && is_byte(&op.input)
            && is_byte(&op.filter)
            && ByteOperand::new(&op.input).is_some()
            && ByteOperand::new(&op.filter).is_some()
            && taps <= DEPTH / 2
            && axes(op).is_some()
    }

    /// Returns `None` if the convolution is not supported.
    ///
    /// # Errors
    /// Returns an error if memory runs out.
    pub fn new(op: &Conv<Operand>) -> Result<Option<DepthwiseBytes>> {
        let best = GroupProducts::of(DotProduct::all(InstructionSet::best())).next();
        best.map_or(Ok(None), |by| DepthwiseBytes::computed_by(by, op))
    }

    /// Like [`DepthwiseBytes::new`], with these instructions.
    pub(super) fn computed_by(by: GroupProducts, op: &Conv<Operand>) -> Result<Option<DepthwiseBytes>> {
        let (Some(values), true) = (&op.filter.constant, DepthwiseBytes::supports(op)) else { return Ok(None) };
        let (Some([rows, cols]), Some(input), Some(filter)) =
            (axes(op), ByteOperand::new(&op.input), ByteOperand::new(&op.filter))
        else {
            return Ok(None);
        };
        let (channels, taps, bytes) = (op.filter.ty.shape[0], rows.kernel * cols.kernel, values.bytes()?);
        let element = |byte: &u8| i16::from(byte ^ filter.flip) - i16::from(filter.zero);
        let range = bytes.iter().map(element).fold((0, 0), |(low, high): (i16, i16), v| (low.min(v), high.max(v)));
        let (blocks, parts) = (channels.div_ceil(BLOCK), parts(range, by.weight_range()));
        let mut weights = Vec::new();
        let (groups, lines_together) = (rows.kernel.div_ceil(GROUP), lines_together(&rows));
        let n = (groups * cols.kernel).saturating_mul(lines_together * blocks * parts);
        reserve(&mut weights, n)?;
        weights.resize(n, Line([[0; GROUP]; BLOCK]));
        let mut weight_sums = zeros::<i32>(channels)?;
        for (i, weight) in bytes.iter().map(element).enumerate() {
            let (channel, row, col) = (i / taps, i % taps / cols.kernel, i % cols.kernel);
            weight_sums[channel] += i32::from(weight);
            for (of_line, index) in (0..lines_together).flat_map(|line| (0..parts).map(move |index| (line, index))) {
                let row = row + of_line * rows.stride;
                let before = ((of_line * blocks + channel / BLOCK) * parts + index) * groups;
                let line = &mut weights[(before + row / GROUP) * cols.kernel + col];
                line.0[channel % BLOCK][row % GROUP] = part(weight, index, by.weight_range()).cast_unsigned();
            }
        }
        Ok(Some(DepthwiseBytes { by, rows, cols, channels, input, parts, lines_together, weights, weight_sums }))
    }

    /// Returns the epilogue for a result, or `None` if sums must be completed in another way.
    pub fn completion(&self, op: &Conv<Operand>, result: &ValueType, end: SumsEpilogue) -> Option<Completion> {
        let scales = |o: &Operand| o.ty.quantization.as_ref().map_or(vec![1.0], |q| q.values().0);
        let (of_input, of_filter) = (scales(&op.input)[0], scales(&op.filter));
        let begin = self.weight_sums.iter().map(|sum| -i32::from(self.input.zero) * sum);
        let scales = of_filter.iter().cycle().map(|scale| of_input * scale);
        Completion::new(begin, scales, result, end)
    }

    /// Convolves images with channels last. The result has its channels last, too.
    ///
    /// # Errors
    /// Returns an error if memory runs out, or if `out` has elements of another size than the results.
    pub fn run(&self, images: &[u8], completion: &Completion, out: &mut ArrayMut) -> Result<()> {
        let mut begin = zeros::<i32>(self.channels.next_multiple_of(BLOCK))?;
        begin[..self.channels].copy_from_slice(completion.begin());
        let begin = begin.as_chunks().0;
        match ResultMemory::of(out)? {
            ResultMemory::Bytes(out) => self.lines(images, begin, out, &completion.bytes(0)?),
            ResultMemory::Ints(out) => self.lines(images, begin, out, &completion.ints()?),
        }
    }

    /// Computes all lines of the result.
    fn lines<T: Send>(&self, images: &[u8], begin: &[Sums], out: &mut [T], finish: &dyn Finish<T>) -> Result<()> {
        let image = self.rows.input * self.cols.input * self.channels;
        let line = self.cols.output * self.channels;
        let lines = self.lines_of_task(images.len() / image);
        let images = images.par_chunks(image).zip(out.par_chunks_mut(self.rows.output * line));
        images.try_for_each(|(image, out)| {
            let tasks = out.par_chunks_mut(lines * line).enumerate();
            tasks.try_for_each(|(task, out)| {
                let (mut outside, mut band, mut sums) = (Vec::new(), Vec::new(), Vec::new());
                for (i, out) in out.chunks_mut(self.lines_together * line).enumerate() {
                    self.fill((&mut outside, &mut band), image, task * lines + i * self.lines_together)?;
                    let weights = self.weights.chunks_exact(self.weights.len() / self.lines_together);
                    for (out, weights) in out.chunks_exact_mut(line).zip(weights) {
                        self.line((&band, weights, begin), &mut sums, out, finish)?;
                    }
                }
                Ok(())
            })
        })
    }

    /// Returns the number of lines of the result per task.
    fn lines_of_task(&self, images: usize) -> usize {
        let (rows, threads) = (self.rows.output, rayon::current_num_threads());
        let of_image = rows * self.cols.output * self.rows.kernel * self.cols.kernel * self.channels;
        let tasks = task_count_of(of_image.saturating_mul(images), [TASK, LONG_TASK]);
        let fewest = tasks.div_ceil(images).min(rows);
        let is_even = |parts: &usize| (parts * images).is_multiple_of(threads);
        let parts = (fewest..=rows.min(fewest + threads)).find(is_even).filter(|_| tasks > 1);
        rows.div_ceil(parts.unwrap_or(fewest))
    }

    /// Computes a line of the result, some pixels at a time.
    fn line<T>(
        &self,
        (band, weights, begin): (&[[u8; GROUP]], &[Line], &[Sums]),
        sums: &mut Vec<Sums>,
        out: &mut [T],
        finish: &dyn Finish<T>,
    ) -> Result<()> {
        let (channels, cols, width) = (self.channels, &self.cols, self.width());
        let pixels = |group: usize| (0..cols.kernel).map(move |b| group * width + b * cols.dilation);
        let groups = (0..self.parts).flat_map(|_| 0..self.rows.kernel.div_ceil(GROUP));
        let taps: Vec<usize> = groups.flat_map(pixels).map(|pixel| pixel * channels).collect();
        let together = (NEAR / (begin.len() * BLOCK)).clamp(1, cols.output);
        resize(sums, together * begin.len(), [0; BLOCK])?;
        let step = cols.stride * channels;
        let mut outs: Vec<&mut [T]> = out.chunks_exact_mut(channels).collect();
        for (i, outs) in outs.chunks_mut(together).enumerate() {
            let sums = &mut sums[..outs.len() * begin.len()];
            let pixels = &band[i * together * step..];
            let windows = Windows { pixels, taps: &taps, step, weights, count: outs.len(), begin };
            finish.sum(self.by, &windows, sums, Panels { outs, first: 0 });
        }
        Ok(())
    }

    /// Number of columns of a band.
    fn width(&self) -> usize {
        self.cols.len().max(self.cols.input + self.cols.pad)
    }

    /// Interleaves the lines that lines of the result from `row` on need into groups of uint8, with their padding, so that no window has
    /// an edge. `outside` is scratch memory for a line of padding.
    fn fill(&self, (outside, band): (&mut Vec<u8>, &mut Vec<[u8; GROUP]>), image: &[u8], row: usize) -> Result<()> {
        let DepthwiseBytes { rows, cols, channels, input, .. } = self;
        let length = cols.input * channels;
        resize(outside, length, input.zero ^ input.flip)?;
        let line = |tap: usize| {
            // The weights beyond the last row are zeros.
            let tap = tap.min((self.lines_together - 1) * rows.stride + rows.kernel - 1);
            let y = (row * rows.stride + tap * rows.dilation).checked_sub(rows.pad).filter(|y| *y < rows.input);
            y.map_or(&outside[..length], |y| &image[y * length..][..length])
        };
        let (size, groups) = (self.width() * channels, rows.kernel.div_ceil(GROUP));
        // A block of channels may extend beyond the last pixel.
        resize(band, groups * size + BLOCK, [0; GROUP])?;
        for (group, band) in band.chunks_exact_mut(size).enumerate().take(groups) {
            let (before, rest) = band.split_at_mut(cols.pad * channels);
            let (inside, after) = rest.split_at_mut(length);
            before.fill([input.zero; GROUP]);
            let lines = [0, 1, 2, 3].map(|i| line(GROUP * group + i));
            InstructionSet::best().run(Interleave { lines, flip: input.flip, to: inside });
            after.fill([input.zero; GROUP]);
        }
        Ok(())
    }
}

/// Returns the number of lines of a result that are computed together: the last group of kernel rows may have room for the windows of
/// further lines.
fn lines_together(rows: &Axis) -> usize {
    let room = rows.kernel.next_multiple_of(GROUP) - rows.kernel;
    match rows.dilation {
        1 => (room / rows.stride + 1).min(rows.output),
        _ => 1,
    }
}

/// Interleaves four lines into groups.
struct Interleave<'a> {
    lines: [&'a [u8]; GROUP],
    flip: u8,
    to: &'a mut [[u8; GROUP]],
}

impl SimdOp for Interleave<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        let Interleave { lines: [a, b, c, d], flip, to } = self;
        for ((to, (a, b)), (c, d)) in to.iter_mut().zip(a.iter().zip(b)).zip(c.iter().zip(d)) {
            *to = [a ^ flip, b ^ flip, c ^ flip, d ^ flip];
        }
    }
}

/// The axes of rows and columns.
fn axes(op: &Conv<Operand>) -> Option<[Axis; 2]> {
    let windows = Convolution::from(op).windows(&op.input.ty.plain_shape()).ok()?;
    let axis = |window| Axis::new(window).ok().flatten();
    match windows.as_slice() {
        [rows, cols] => Some([axis(rows)?, axis(cols)?]),
        [cols] => Some([Axis::ONE, axis(cols)?]),
        _ => None,
    }
}
