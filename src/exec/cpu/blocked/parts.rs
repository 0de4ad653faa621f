//! Divides the result of a convolution among tasks.
use super::{BLOCK, ConvShape, OnPart, Pixel, clear_beyond, tile::Place};
use std::ops::Range;

/// The sizes of the parts.
pub(super) struct Division<'g> {
    pub g: &'g ConvShape,
    pub place: Place,
    /// Output blocks per group, and how many of them a part has.
    pub blocks: usize,
    pub share: usize,
    /// Rows of the result per part.
    pub height: usize,
}

/// Rows of a slice of the result for some output blocks.
pub(super) struct OutputRows<'a, 'r> {
    pub image: usize,
    pub group: usize,
    /// The first block, within the group.
    pub block: usize,
    pub slice: usize,
    pub row: usize,
    /// The index of the first pixel, and the distance to that of the next block.
    first: usize,
    stride: usize,
    /// The rows of each block.
    pub outs: Vec<&'a mut [Pixel]>,
    /// Those of the residual, if there is one.
    pub residual: Vec<&'r [Pixel]>,
}

impl OutputRows<'_, '_> {
    /// Zeroes the channels after the last, if these rows include the last of `blocks` blocks.
    pub fn clear_beyond(&mut self, blocks: usize, channels: usize) {
        if self.block + self.outs.len() == blocks {
            self.outs.last_mut().into_iter().for_each(|out| clear_beyond(channels, out));
        }
    }
    /// Hands over the completed rows of some blocks.
    pub fn complete(&mut self, blocks: Range<usize>, on_part: &OnPart) {
        for b in blocks {
            on_part((self.first + b * self.stride) * BLOCK, self.outs[b].as_flattened_mut());
        }
    }
}

impl Division<'_> {
    /// Splits the result into parts, each with its own memory.
    pub fn parts<'a, 'r>(&self, residual: Option<&'r [Pixel]>, out: &'a mut [Pixel]) -> Vec<OutputRows<'a, 'r>> {
        let Division { g, blocks, share, height, .. } = *self;
        let Place { size: [slices, rows, cols], step, first: [first_slice, ..] } = self.place;
        let (pixels, band) = (rows * cols, height * step[1] * cols);
        // A plane may end with rows of other phases.
        let per_plane = g.rows.output.div_ceil(height);
        let mut volumes = out.chunks_exact_mut(slices * pixels);
        let mut residual = residual.into_iter().flat_map(|r| r.chunks_exact(slices * pixels));
        let mut parts: Vec<OutputRows> = Vec::new();
        for image in 0..g.batch {
            for group in 0..g.group {
                for block in (0..blocks).step_by(share) {
                    let first = parts.len();
                    let plane = ((image * g.group + group) * blocks + block) * slices + first_slice;
                    let rows = |slice| (0..g.rows.output).step_by(height).map(move |row| (slice, row));
                    parts.extend((0..g.slices.output).flat_map(rows).map(|(slice, row)| OutputRows {
                        image,
                        group,
                        block,
                        slice,
                        row,
                        first: (plane + slice * step[0]) * pixels + row * step[1] * cols,
                        stride: slices * pixels,
                        outs: vec![],
                        residual: vec![],
                    }));
                    for _ in block..(block + share).min(blocks) {
                        let bands = volumes.next().into_iter().flat_map(|volume| {
                            let planes = volume.chunks_exact_mut(pixels).skip(first_slice).step_by(step[0]);
                            planes.flat_map(|plane| plane.chunks_mut(band).take(per_plane))
                        });
                        parts[first..].iter_mut().zip(bands).for_each(|(p, out)| p.outs.push(out));
                        let bands = residual.next().into_iter().flat_map(|volume| {
                            let planes = volume.chunks_exact(pixels).skip(first_slice).step_by(step[0]);
                            planes.flat_map(|plane| plane.chunks(band).take(per_plane))
                        });
                        parts[first..].iter_mut().zip(bands).for_each(|(p, r)| p.residual.push(r));
                    }
                }
            }
        }
        parts
    }
}
