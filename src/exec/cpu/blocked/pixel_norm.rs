//! Normalization over the channels of each pixel.
use super::{
    super::output_tiles::for_each_tile, BLOCK, InstructionSet, Pixel, band::zero_pixels, clear_beyond, load_padded,
    store_within,
};
use crate::base::Result;
use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, FloatOps, NumOps},
};

/// Minimum number of elements per task.
const TASK: usize = 1 << 13;

/// Computes `(x - mean) / sqrt(variance + eps) * weight + bias`, with the moments of the channels of each pixel.
pub(in crate::cpu) struct PixelNorm<'a> {
    pub isa: InstructionSet,
    pub channels: usize,
    /// Number of pixels of an image.
    pub area: usize,
    pub eps: f32,
    /// One number per channel.
    pub weight: &'a [f32],
    pub bias: &'a [f32],
}

impl PixelNorm<'_> {
    /// Normalizes images in blocks of channels, and writes all of `out`.
    ///
    /// # Errors
    /// Returns an error if memory runs out.
    pub fn blocked(&self, x: &[f32], out: &mut [f32]) -> Result<()> {
        let (x, blocks, columns) = (x.as_chunks::<BLOCK>().0, self.channels.div_ceil(BLOCK), self.area * BLOCK);
        if out.is_empty() {
            return Ok(());
        }
        let [mut is_channel, mut weight, mut bias] = [zero_pixels(blocks)?, zero_pixels(blocks)?, zero_pixels(blocks)?];
        is_channel.as_flattened_mut()[..self.channels].fill(1.0);
        weight.as_flattened_mut()[..self.channels].copy_from_slice(self.weight);
        bias.as_flattened_mut()[..self.channels].copy_from_slice(self.bias);
        let (is_channel, weight, bias) = (&is_channel[..], &weight[..], &bias[..]);
        for_each_tile((out, columns), 0..columns, [blocks, self.pixels_per_task() * BLOCK], |tile| {
            let x = &x[tile.row * self.area..][..blocks * self.area];
            let mut outs: Vec<&mut [Pixel]> = tile.outs.into_iter().map(|out| out.as_chunks_mut().0).collect();
            let first = tile.column / BLOCK;
            self.isa.run(Blocks { norm: self, x, first, is_channel, weight, bias, outs: &mut outs });
            outs.last_mut().into_iter().for_each(|out| clear_beyond(self.channels, out));
            Ok(())
        })
    }

    /// Normalizes row-major images, and writes all of `out`.
    ///
    /// # Errors
    /// Never returns one; the result is that of [`for_each_tile`].
    pub fn row_major(&self, x: &[f32], out: &mut [f32]) -> Result<()> {
        if out.is_empty() {
            return Ok(());
        }
        for_each_tile((out, self.area), 0..self.area, [self.channels, self.pixels_per_task()], |mut tile| {
            let x = &x[tile.row * self.area..][..self.channels * self.area];
            self.isa.run(Lines { norm: self, x, first: tile.column, outs: &mut tile.outs });
            Ok(())
        })
    }

    fn pixels_per_task(&self) -> usize {
        let least = TASK / self.channels + 1;
        self.area.div_ceil(2 * rayon::current_num_threads()).max(least).next_multiple_of(BLOCK)
    }
}

/// Some pixels of an image in blocks, beginning with the pixel `first`. `outs` has them of each block of channels.
struct Blocks<'a, 'o> {
    norm: &'a PixelNorm<'a>,
    x: &'a [Pixel],
    first: usize,
    /// 1 for channels, 0 for those after the last.
    is_channel: &'a [Pixel],
    weight: &'a [Pixel],
    bias: &'a [Pixel],
    outs: &'a mut [&'o mut [Pixel]],
}

impl SimdOp for Blocks<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let ops = isa.f32();
        match ops.len() {
            16 => self.pixels::<_, 1>(ops),
            8 => self.pixels::<_, 2>(ops),
            _ => self.pixels::<_, 4>(ops),
        }
    }
}

impl Blocks<'_, '_> {
    /// A pixel of a block has `V` vectors.
    #[inline(always)]
    fn pixels<O: FloatOps<f32>, const V: usize>(self, ops: O) {
        let Blocks { norm: &PixelNorm { channels, area, eps, .. }, x, first, is_channel, weight, bias, outs } = self;
        for i in 0..outs[0].len() {
            let at = first + i;
            let mut sums = [ops.zero(); V];
            for b in 0..outs.len() {
                for v in 0..V {
                    sums[v] = ops.add(sums[v], ops.load(&x[b * area + at][v * ops.len()..]));
                }
            }
            let mean = ops.splat(total(ops, sums) / channels as f32);
            let mut squares = [ops.zero(); V];
            for b in 0..outs.len() {
                for v in 0..V {
                    let off = ops.sub(ops.load(&x[b * area + at][v * ops.len()..]), mean);
                    let off = ops.mul(off, ops.load(&is_channel[b][v * ops.len()..]));
                    squares[v] = ops.mul_add(off, off, squares[v]);
                }
            }
            let scale = ops.splat((total(ops, squares) / channels as f32 + eps).sqrt().recip());
            for b in 0..outs.len() {
                for v in 0..V {
                    let lanes = v * ops.len();
                    let off = ops.mul(ops.sub(ops.load(&x[b * area + at][lanes..]), mean), scale);
                    let result = ops.mul_add(off, ops.load(&weight[b][lanes..]), ops.load(&bias[b][lanes..]));
                    ops.store(result, &mut outs[b][i][lanes..]);
                }
            }
        }
    }
}

/// Returns the sum of all lanes.
#[inline(always)]
fn total<O: NumOps<f32>, const V: usize>(ops: O, sums: [O::Simd; V]) -> f32 {
    let mut sum = sums[0];
    for v in 1..V {
        sum = ops.add(sum, sums[v]);
    }
    ops.sum(sum)
}

/// Some pixels of a row-major image, beginning with the pixel `first`. `outs` has them of each channel.
struct Lines<'a, 'o> {
    norm: &'a PixelNorm<'a>,
    x: &'a [f32],
    first: usize,
    outs: &'a mut [&'o mut [f32]],
}

/// Number of vectors of pixels that are computed at once: of each channel, they are adjacent.
const ADJACENT: usize = 4;

impl SimdOp for Lines<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(mut self, isa: I) {
        let ops = isa.f32();
        let (pixels, step) = (self.outs[0].len(), ADJACENT * ops.len());
        let whole = pixels / step * step;
        for at in (0..whole).step_by(step) {
            self.pixels::<_, ADJACENT>(ops, at);
        }
        for at in (whole..pixels).step_by(ops.len()) {
            self.pixels::<_, 1>(ops, at);
        }
    }
}

impl Lines<'_, '_> {
    /// Computes `V` vectors of pixels from `at` on.
    #[inline(always)]
    fn pixels<O: FloatOps<f32>, const V: usize>(&mut self, ops: O, at: usize) {
        let PixelNorm { channels, area, eps, weight, bias, .. } = *self.norm;
        let (end, first) = (self.first + self.outs[0].len(), self.first + at);
        // The first channel is near the mean: of small differences of large numbers, the sum would lose digits.
        let (mut pivot, mut mean) = ([ops.zero(); V], [ops.zero(); V]);
        for v in 0..V {
            pivot[v] = load_padded(ops, &self.x[..end], first + v * ops.len(), 0.0);
        }
        for c in 1..channels {
            let line = &self.x[c * area..][..end];
            for v in 0..V {
                let off = ops.sub(load_padded(ops, line, first + v * ops.len(), 0.0), pivot[v]);
                mean[v] = ops.add(mean[v], off);
            }
        }
        let mut scale = [ops.zero(); V];
        for v in 0..V {
            mean[v] = ops.add(ops.div(mean[v], ops.splat(channels as f32)), pivot[v]);
        }
        for c in 0..channels {
            let line = &self.x[c * area..][..end];
            for v in 0..V {
                let off = ops.sub(load_padded(ops, line, first + v * ops.len(), 0.0), mean[v]);
                scale[v] = ops.mul_add(off, off, scale[v]);
            }
        }
        for v in 0..V {
            let mut lanes = [0.0; BLOCK];
            ops.store(scale[v], &mut lanes);
            for lane in &mut lanes[..ops.len()] {
                *lane = (*lane / channels as f32 + eps).sqrt().recip();
            }
            scale[v] = ops.load(&lanes);
        }
        for c in 0..channels {
            let line = &self.x[c * area..][..end];
            let (weight, bias) = (ops.splat(weight[c]), ops.splat(bias[c]));
            for v in 0..V {
                let off = ops.sub(load_padded(ops, line, first + v * ops.len(), 0.0), mean[v]);
                let result = ops.mul_add(ops.mul(off, scale[v]), weight, bias);
                store_within(ops, result, self.outs[c], at + v * ops.len());
            }
        }
    }
}
