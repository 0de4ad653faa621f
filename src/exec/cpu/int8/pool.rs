//! Pooling of bytes with channels last.
use super::ByteOperand;
use crate::{
    array::ArrayMut,
    cpu::blocked::{Axis, InstructionSet},
};
use rayon::prelude::*;
use rten_simd::{Isa, SimdOp};

/// A prepared max pool, whose operand and result have the same scale and zero point.
pub(in crate::cpu) struct MaxPoolBytes {
    pub input: ByteOperand,
    pub channels: usize,
    pub rows: Axis,
    pub cols: Axis,
}

impl MaxPoolBytes {
    /// Writes all of `out`. A window outside of the image has the smallest value.
    pub fn run(&self, images: &[u8], out: &mut ArrayMut) {
        let MaxPoolBytes { input, channels, rows, cols } = self;
        let size = rows.input * cols.input * channels;
        let lines = out.bytes().par_chunks_mut((cols.output * channels).max(1));
        lines.enumerate().for_each(|(i, out)| {
            let (image, row) = (&images[i / rows.output * size..][..size], i % rows.output);
            let (first, end) = rows.inside(row);
            for (col, out) in out.chunks_exact_mut(*channels).enumerate() {
                // The smallest one as uint8.
                out.fill(0);
                let (left, right) = cols.inside(col);
                for (a, b) in (first..end).flat_map(|a| (left..right).map(move |b| (a, b))) {
                    let y = row * rows.stride + a * rows.dilation - rows.pad;
                    let x = col * cols.stride + b * cols.dilation - cols.pad;
                    let from = &image[(y * cols.input + x) * channels..][..*channels];
                    out.iter_mut().zip(from).for_each(|(o, v)| *o = (*o).max(v ^ input.flip));
                }
                if input.flip != 0 {
                    out.iter_mut().for_each(|o| *o ^= input.flip);
                }
            }
        });
    }
}

/// Largest window of an average pool: sums of this many bytes, each less the zero point, are exact in float32. Larger ones are not
/// accepted, as their means would depend on the order of the elements.
pub(in crate::cpu) const LARGEST_WINDOW: usize = (1 << f32::MANTISSA_DIGITS) / 255;

/// The sums of an average pool.
pub(in crate::cpu) struct SumPoolBytes {
    pub input: ByteOperand,
    pub channels: usize,
    pub rows: Axis,
    pub cols: Axis,
}

impl SumPoolBytes {
    /// Writes the sums of bytes, less their zero point, for the pixels of the result from `first` on, and calls `finish_pixel` with those
    /// of each pixel and the number of elements in its window.
    pub fn run(&self, images: &[u8], first: usize, out: &mut [f32], finish_pixel: impl Fn(&mut [f32], usize)) {
        let (mut sums, zero) = (vec![0; self.channels], i32::from(self.input.zero));
        for (i, out) in out.chunks_exact_mut(self.channels).enumerate() {
            let n = self.sum(images, first + i, &mut sums);
            out.iter_mut().zip(&sums).for_each(|(out, sum)| *out = (sum - n as i32 * zero) as f32);
            finish_pixel(out, n);
        }
    }
    /// Sums the bytes of a window by channel, and returns their number.
    fn sum(&self, images: &[u8], pixel: usize, sums: &mut [i32]) -> usize {
        let SumPoolBytes { input, channels, rows, cols } = self;
        let (line, col) = (pixel / cols.output, pixel % cols.output);
        let (image, row) = (line / rows.output, line % rows.output);
        let ((top, bottom), (left, right)) = (rows.inside(row), cols.inside(col));
        sums.fill(0);
        for a in top..bottom {
            let y = image * rows.input + row * rows.stride + a - rows.pad;
            let x = col * cols.stride + left - cols.pad;
            let pixels = &images[(y * cols.input + x) * channels..][..(right - left) * channels];
            InstructionSet::best().run(AddPixels { pixels, flip: input.flip, sums });
        }
        (bottom - top) * (right - left)
    }
}

/// Adds the bytes of pixels to the sums of their channels.
struct AddPixels<'a> {
    pixels: &'a [u8],
    flip: u8,
    sums: &'a mut [i32],
}

impl SimdOp for AddPixels<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        let AddPixels { pixels, flip, sums } = self;
        for pixel in pixels.chunks_exact(sums.len()) {
            sums.iter_mut().zip(pixel).for_each(|(sum, byte)| *sum += i32::from(byte ^ flip));
        }
    }
}
