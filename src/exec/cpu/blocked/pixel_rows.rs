//! Convolution of several images whose window is the whole image, as in squeeze-and-excitation blocks of a batch: the images are rows, and
//! their product with the matrix of weights reads each weight once for all of them.
use super::{
    BLOCK, ConvEpilogue, ConvShape, InstructionSet, OnPart, Pixel, clear_beyond,
    one_pixel::is_of_whole_images,
    product::PackedB,
    tile::{End, Finish},
};
use crate::{array::zeros, base::Result};
use rayon::prelude::*;

/// Minimum number of pixels per task of the epilogue.
const TASK: usize = 1 << 9;

/// A prepared convolution.
pub(super) struct PixelRows {
    isa: InstructionSet,
    /// Number of output channels.
    channels: usize,
    /// One row per input block, kernel element and channel, like the image; rows and columns are padded to whole blocks.
    weights: PackedB,
    bias: Vec<f32>,
    relu: Option<f32>,
}

impl PixelRows {
    /// Whether the convolution is of several images, without groups, and its window is the whole image.
    pub fn supports(g: &ConvShape) -> bool {
        g.batch > 1 && is_of_whole_images(g)
    }

    pub fn new(isa: InstructionSet, g: ConvShape, weights: &[f32], end: ConvEpilogue) -> Result<Self> {
        let taps = g.taps();
        let sizes = [g.ic.next_multiple_of(BLOCK) * taps, g.oc.next_multiple_of(BLOCK)];
        let square = |row: usize, column: usize| {
            let (first, tap) = (row / BLOCK / taps * BLOCK, row / BLOCK % taps);
            let mut square = [[0.0; BLOCK]; BLOCK];
            for (line, ic) in square.iter_mut().zip(first..g.ic) {
                for (value, oc) in line.iter_mut().zip(column..g.oc) {
                    *value = weights[(oc * g.ic + ic) * taps + tap];
                }
            }
            square
        };
        let weights = PackedB::for_rows(g.batch, isa, sizes, square)?;
        let mut bias = zeros(sizes[1])?;
        bias.iter_mut().zip(end.bias.into_iter().flatten()).for_each(|(to, from)| *to = *from);
        Ok(PixelRows { isa, channels: g.oc, weights, bias, relu: end.relu })
    }

    pub fn run(&self, x: &[f32], residual: Option<&[Pixel]>, out: &mut [Pixel], on_part: &OnPart) -> Result<()> {
        self.weights.product(x, Some(&self.bias), out.as_flattened_mut())?;
        let blocks = self.channels.div_ceil(BLOCK);
        let images = out.par_chunks_exact_mut(blocks).with_min_len(TASK.div_ceil(blocks)).enumerate();
        images.for_each(|(i, out)| {
            let residual = residual.map(|r| &r[i * blocks..][..blocks]);
            if self.relu.is_some() || residual.is_some() {
                let end = End { residual: residual.as_slice(), relu: self.relu };
                self.isa.run(Finish { outs: &mut [&mut *out], end });
            }
            // Infinity times a weight of 0 is NaN.
            clear_beyond(self.channels, &mut out[blocks - 1..]);
            on_part(i * blocks * BLOCK, out.as_flattened_mut());
        });
        Ok(())
    }
}
