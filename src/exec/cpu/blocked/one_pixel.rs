//! Convolution whose window is the whole image, with a single pixel as its result: a matrix-vector product, as in
//! squeeze-and-excitation blocks. It is for one image; `pixel_rows` is for several.
//!
//! Every weight is read once, so that the time is that of reading them from memory. A block of output channels reads them as one stream,
//! which the processor prefetches, and keeps several partial sums, since each addition depends on the previous one.
use super::{
    Axis, BLOCK, ConvEpilogue, ConvShape, InstructionSet, OnPart, Pixel, clear_beyond,
    conv::{bias_pixels, pack},
    task_count,
    tile::{HALF, WeightVector, finished},
};
use crate::base::Result;
use rayon::prelude::*;
use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, NumOps},
};

/// The cost of reading one weight, in multiply-adds of other kernels.
const READ: usize = 8;
/// Number of partial sums of a block.
const SUMS: usize = 4;

/// A prepared convolution.
pub(super) struct OnePixel {
    isa: InstructionSet,
    /// Number of output channels.
    channels: usize,
    /// Inputs per output, with padding.
    depth: usize,
    /// Ordered by output block, input block, kernel element and channel, like the image.
    weights: Vec<WeightVector>,
    bias: Vec<Pixel>,
    relu: Option<f32>,
}

/// Whether the convolution is without groups, and its window is the whole image.
pub(super) fn is_of_whole_images(g: &ConvShape) -> bool {
    // Without gaps and without padding at the end, the windows' extent is that of the kernel.
    let is_whole = |axis: Axis| axis.pad == 0 && axis.output == 1 && [axis.kernel, axis.len()] == [axis.input; 2];
    g.group == 1 && g.is_flat() && is_whole(g.rows) && is_whole(g.cols)
}

impl OnePixel {
    /// Whether the convolution is of one image, without groups, and its window is the whole image.
    pub fn supports(g: &ConvShape) -> bool {
        g.batch == 1 && is_of_whole_images(g)
    }

    pub fn new(isa: InstructionSet, g: ConvShape, weights: &[f32], end: ConvEpilogue) -> Result<Self> {
        // A plane of one pixel may end after half a block.
        let channels = g.ic.next_multiple_of(if g.taps() == 1 { HALF } else { BLOCK });
        let weights = pack::<BLOCK>(&g, weights, channels, 1, false)?;
        let bias = bias_pixels(end.bias, 1, g.oc)?;
        Ok(OnePixel { isa, channels: g.oc, depth: channels * g.taps(), weights, bias, relu: end.relu })
    }

    pub fn run(&self, x: &[f32], residual: Option<&[Pixel]>, out: &mut [Pixel], on_part: &OnPart) -> Result<()> {
        let (x, tasks) = (&x[..self.depth], task_count(self.weights.len().saturating_mul(BLOCK * READ)));
        let share = out.len().div_ceil(tasks);
        let part = |i: usize, out: &mut [Pixel]| {
            let (first, end) = (i * share, i * share + out.len());
            let (weights, begin) = (&self.weights[first * self.depth..end * self.depth], &self.bias[first..end]);
            let residual = residual.map(|r| &r[first..end]);
            self.isa.run(Columns { x, weights, begin, residual, relu: self.relu, out: &mut *out });
            if end == self.bias.len() {
                clear_beyond(self.channels, &mut out[end - first - 1..]);
            }
            on_part(first * BLOCK, out.as_flattened_mut());
        };
        // Starting a task takes longer than reading a few weights.
        match tasks {
            1 => part(0, out),
            _ => out.par_chunks_mut(share).enumerate().for_each(|(i, out)| part(i, out)),
        }
        Ok(())
    }
}

/// Some blocks of output channels.
struct Columns<'a> {
    x: &'a [f32],
    weights: &'a [WeightVector],
    begin: &'a [Pixel],
    residual: Option<&'a [Pixel]>,
    relu: Option<f32>,
    out: &'a mut [Pixel],
}

impl SimdOp for Columns<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let ops = isa.f32();
        match ops.len() {
            16 => self.blocks::<_, 1>(ops),
            8 => self.blocks::<_, 2>(ops),
            _ => self.blocks::<_, 4>(ops),
        }
    }
}

impl Columns<'_> {
    /// Computes blocks of `V` vectors.
    #[inline(always)]
    fn blocks<O: NumOps<f32>, const V: usize>(self, ops: O) {
        let (Columns { x, weights, begin, residual, relu, out }, lanes) = (self, ops.len());
        for (i, (out, weights)) in out.iter_mut().zip(weights.chunks_exact(x.len())).enumerate() {
            let mut sums = [[ops.zero(); V]; SUMS];
            for (x, weights) in x.as_chunks::<SUMS>().0.iter().zip(weights.as_chunks::<SUMS>().0) {
                for j in 0..SUMS {
                    let x = ops.splat(x[j]);
                    for v in 0..V {
                        sums[j][v] = ops.mul_add(x, ops.load(&weights[j].0[v * lanes..]), sums[j][v]);
                    }
                }
            }
            for v in 0..V {
                let at = v * lanes;
                let [a, b, c, d] = [sums[0][v], sums[1][v], sums[2][v], sums[3][v]];
                let sum = ops.add(ops.load(&begin[i][at..]), ops.add(ops.add(a, b), ops.add(c, d)));
                let residual = residual.map(|residual| &residual[i][at..]);
                ops.store(finished(ops, sum, residual, relu), &mut out[at..]);
            }
        }
    }
}
