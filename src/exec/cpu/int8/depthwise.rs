//! Depthwise convolution of bytes: 16 channels at a time, each with its own weights.
use super::{ByteOperand, Completion, DEPTH, is_byte, product::resize, sums::SumsEpilogue};
use crate::{
    Operand, ValueType,
    array::{ArrayMut, reserve, zeros},
    base::{Result, invalid},
    cpu::blocked::{Axis, InstructionSet},
    ops::{Conv, Convolution},
};
use rayon::prelude::*;
use rten_simd::{Isa, SimdOp};

/// Channels that are computed at a time.
const BLOCK: usize = super::dot::BLOCK;

/// A prepared depthwise convolution over one or two spatial axes.
pub(in crate::cpu) struct DepthwiseBytes {
    isa: InstructionSet,
    rows: Axis,
    cols: Axis,
    channels: usize,
    input: ByteOperand,
    /// Less their zero points; ordered by block and kernel element.
    weights: Vec<[i16; BLOCK]>,
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
        let (Some(values), true) = (&op.filter.constant, DepthwiseBytes::supports(op)) else { return Ok(None) };
        let (Some([rows, cols]), Some(input), Some(filter)) =
            (axes(op), ByteOperand::new(&op.input), ByteOperand::new(&op.filter))
        else {
            return Ok(None);
        };
        let (channels, taps, bytes) = (op.filter.ty.shape[0], rows.kernel * cols.kernel, values.bytes()?);
        let mut weights = Vec::new();
        reserve(&mut weights, channels.div_ceil(BLOCK) * taps)?;
        weights.resize(channels.div_ceil(BLOCK) * taps, [0; BLOCK]);
        for (i, byte) in bytes.iter().enumerate() {
            let (channel, tap) = (i / taps, i % taps);
            let weight = i16::from(byte ^ filter.flip) - i16::from(filter.zero);
            weights[channel / BLOCK * taps + tap][channel % BLOCK] = weight;
        }
        let isa = InstructionSet::best();
        Ok(Some(DepthwiseBytes { isa, rows, cols, channels, input, weights }))
    }

    fn taps(&self) -> usize {
        self.rows.kernel * self.cols.kernel
    }

    /// Returns the epilogue for a result of quantized bytes, or `None` for another one.
    pub fn completion(&self, op: &Conv<Operand>, result: &ValueType, end: SumsEpilogue) -> Option<Completion> {
        let scales = |o: &Operand| o.ty.quantization.as_ref().map_or(vec![1.0], |q| q.values().0);
        let (of_input, of_filter) = (scales(&op.input)[0], scales(&op.filter));
        let sum = |channel: usize| {
            let weights = &self.weights[channel / BLOCK * self.taps()..][..self.taps()];
            weights.iter().map(|w| i32::from(w[channel % BLOCK])).sum::<i32>()
        };
        let begin = (0..self.channels).map(|channel| -i32::from(self.input.zero) * sum(channel));
        let scales = of_filter.iter().cycle().map(|scale| of_input * scale);
        Completion::new(begin, scales, result, end)
    }

    /// Convolves images with channels last. The result has its channels last, too.
    ///
    /// # Errors
    /// Returns an error if memory runs out.
    pub fn run(&self, images: &[u8], completion: &Completion, out: &mut ArrayMut) -> Result<()> {
        let image = self.rows.input * self.cols.input * self.channels;
        let line = self.cols.output * self.channels;
        let mut begin = zeros::<i32>(self.channels.next_multiple_of(BLOCK))?;
        begin[..self.channels].copy_from_slice(completion.begin());
        let scratch = || (Vec::new(), Vec::new());
        out.bytes().par_chunks_mut(line.max(1)).enumerate().try_for_each_init(scratch, |(band, sums), (i, out)| {
            self.fill(band, &images[i / self.rows.output * image..][..image], i % self.rows.output)?;
            resize(sums, begin.len() / BLOCK, [0; BLOCK])?;
            let line = Line { conv: self, band, begin: begin.as_chunks().0, sums, completion, out };
            match self.isa.run(line) {
                true => Ok(()),
                false => Err(invalid("a depthwise convolution of bytes has other results than bytes")),
            }
        })
    }

    /// Number of columns of a band.
    fn width(&self) -> usize {
        self.cols.len().max(self.cols.input + self.cols.pad)
    }

    /// Copies the lines that a line of the result needs as uint8, with their padding, so that no window has an edge.
    fn fill(&self, band: &mut Vec<u8>, image: &[u8], row: usize) -> Result<()> {
        let DepthwiseBytes { rows, cols, channels, input, .. } = self;
        let (line, (from, to)) = (self.width() * channels, rows.inside(row));
        // A block of channels may extend beyond the last pixel.
        resize(band, rows.kernel * line + BLOCK, 0)?;
        for (tap, band) in band.chunks_exact_mut(line).enumerate().take(rows.kernel) {
            if !(from..to).contains(&tap) {
                band.fill(input.zero);
                continue;
            }
            let y = row * rows.stride + tap * rows.dilation - rows.pad;
            let (before, rest) = band.split_at_mut(cols.pad * channels);
            let (inside, after) = rest.split_at_mut(cols.input * channels);
            before.fill(input.zero);
            inside.iter_mut().zip(&image[y * cols.input * channels..]).for_each(|(b, v)| *b = v ^ input.flip);
            after.fill(input.zero);
        }
        Ok(())
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

/// One line of the result.
struct Line<'a> {
    conv: &'a DepthwiseBytes,
    band: &'a [u8],
    begin: &'a [[i32; BLOCK]],
    sums: &'a mut [[i32; BLOCK]],
    completion: &'a Completion,
    out: &'a mut [u8],
}

impl SimdOp for Line<'_> {
    /// Whether the results are bytes.
    type Output = bool;

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) -> bool {
        let Line { conv, band, begin, sums, completion, out } = self;
        let (channels, cols, width) = (conv.channels, &conv.cols, conv.width());
        let taps = || (0..conv.rows.kernel).flat_map(|a| (0..cols.kernel).map(move |b| a * width + b * cols.dilation));
        let offsets: Vec<usize> = taps().map(|pixel| pixel * channels).collect();
        for (col, out) in out.chunks_exact_mut(channels).enumerate() {
            let window = &band[col * cols.stride * channels..];
            let blocks = sums.iter_mut().zip(begin).zip(conv.weights.chunks_exact(offsets.len()));
            for (block, ((sums, begin), weights)) in blocks.enumerate() {
                let window = &window[block * BLOCK..];
                *sums = match (<&[usize; 9]>::try_from(offsets.as_slice()), weights.as_array::<9>()) {
                    // A loop of known length is unrolled.
                    (Ok(offsets), Some(weights)) => weighted(window, offsets, weights, *begin),
                    _ => weighted(window, &offsets, weights, *begin),
                };
            }
            if !completion.write_bytes(sums, out) {
                return false;
            }
        }
        true
    }
}

/// Adds the products of a window with weights.
#[inline(always)]
fn weighted(x: &[u8], offsets: &[usize], weights: &[[i16; BLOCK]], mut sums: [i32; BLOCK]) -> [i32; BLOCK] {
    for (offset, weights) in offsets.iter().zip(weights) {
        let x = x[*offset..].as_chunks::<BLOCK>().0[0];
        for j in 0..BLOCK {
            sums[j] = sums[j].wrapping_add(i32::from(x[j]) * i32::from(weights[j]));
        }
    }
    sums
}
