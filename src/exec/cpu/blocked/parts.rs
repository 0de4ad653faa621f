//! Divides the result of a convolution among tasks.
use super::{BLOCK, ConvShape, OnPart, Pixel, clear_beyond, tile::Place};
use crate::{array::reserve, base::Result, cpu::parallel::for_each_part};
use std::ops::Range;

/// Number of parts from which further images have to wait, so that a batch of many small images needs little memory for its parts.
const PARTS: usize = 1 << 12;

/// The sizes of the parts.
pub(super) struct Division<'g> {
    pub g: &'g ConvShape,
    pub place: Place,
    /// Output blocks per group, and how many of them a part has.
    pub blocks: usize,
    pub share: usize,
    /// Parts of the rows of a slice, and how many neighboring rows are not separated.
    pub bands: usize,
    pub unit: usize,
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
    /// Hands over completed pixels of a block.
    pub fn complete_pixels(&mut self, b: usize, pixels: Range<usize>, on_part: &OnPart) {
        let first = self.first + b * self.stride + pixels.start;
        on_part(first * BLOCK, self.outs[b][pixels].as_flattened_mut());
    }
    /// Returns rows of another image of these channels, from a block of this part and a row on.
    pub fn of_image<'a>(
        &self,
        g: &ConvShape,
        (b, row): (usize, usize),
        outs: Vec<&'a mut [Pixel]>,
    ) -> OutputRows<'a, 'static> {
        let (image, block) = (self.image, self.block + b);
        let first = (image * g.oc.div_ceil(BLOCK) + block) * g.pixels() + row * g.cols.output;
        OutputRows { image, group: 0, block, slice: 0, row, first, stride: g.pixels(), outs, residual: Vec::new() }
    }
}

impl Division<'_> {
    /// Calls `f` for all parts of the result, each with its own memory, on all threads. Parts of few images are in memory at a time.
    ///
    /// # Errors
    /// Returns the error of a call, or an error if memory runs out.
    pub fn try_for_each(
        &self,
        residual: Option<&[Pixel]>,
        out: &mut [Pixel],
        f: impl Fn(OutputRows) -> Result<()> + Sync,
    ) -> Result<()> {
        let size = (self.g.group * self.blocks).saturating_mul(self.place.size.iter().product());
        let images = (PARTS / self.parts_of_image()).max(1);
        for (i, out) in out.chunks_mut(size.saturating_mul(images)).enumerate() {
            let residual = residual.map(|r| &r[i * images * size..][..out.len()]);
            let parts = self.parts(i * images..i * images + out.len() / size, residual, out)?;
            for_each_part(parts, &f)?;
        }
        Ok(())
    }

    /// Number of parts of an image.
    fn parts_of_image(&self) -> usize {
        let of_slice = self.g.group.saturating_mul(self.blocks.div_ceil(self.share)).saturating_mul(self.bands);
        of_slice.saturating_mul(self.g.slices.output)
    }

    /// Returns the first row of a band. Their numbers of rows differ by at most one unit.
    fn row(&self, band: usize) -> usize {
        let rows = self.g.rows.output;
        (band * rows.div_ceil(self.unit) / self.bands * self.unit).min(rows)
    }

    /// Returns the pixels of each band in a plane, which may end with rows of other phases.
    fn pixels(&self) -> Vec<Range<usize>> {
        let Place { size: [_, rows, cols], step, .. } = self.place;
        let first = |band: usize| self.row(band) * step[1] * cols;
        let end = |band: usize| if band == self.bands { rows * cols } else { first(band) };
        (0..self.bands).map(|band| first(band)..end(band + 1)).collect()
    }

    /// Splits some images of the result into parts.
    fn parts<'a, 'r>(
        &self,
        images: Range<usize>,
        residual: Option<&'r [Pixel]>,
        out: &'a mut [Pixel],
    ) -> Result<Vec<OutputRows<'a, 'r>>> {
        let Division { g, blocks, share, .. } = *self;
        let Place { size: [slices, rows, cols], step, first: [first_slice, ..] } = self.place;
        let (pixels, bands) = (rows * cols, self.pixels());
        let mut volumes = out.chunks_exact_mut(slices * pixels);
        let mut residual = residual.into_iter().flat_map(|r| r.chunks_exact(slices * pixels));
        let mut parts: Vec<OutputRows> = Vec::new();
        reserve(&mut parts, images.len().saturating_mul(self.parts_of_image()))?;
        for (image, group) in images.flat_map(|image| (0..g.group).map(move |group| (image, group))) {
            for block in (0..blocks).step_by(share) {
                let (first, count) = (parts.len(), share.min(blocks - block));
                let plane = ((image * g.group + group) * blocks + block) * slices + first_slice;
                let places = (0..g.slices.output).flat_map(|slice| (0..self.bands).map(move |band| (slice, band)));
                parts.extend(places.map(|(slice, band)| OutputRows {
                    image,
                    group,
                    block,
                    slice,
                    row: self.row(band),
                    first: (plane + slice * step[0]) * pixels + bands[band].start,
                    stride: slices * pixels,
                    outs: Vec::with_capacity(count),
                    residual: vec![],
                }));
                for _ in 0..count {
                    let outs = volumes.next().into_iter().flat_map(|volume| {
                        let planes = volume.chunks_exact_mut(pixels).skip(first_slice).step_by(step[0]);
                        planes.flat_map(|plane| split(plane, &bands))
                    });
                    parts[first..].iter_mut().zip(outs).for_each(|(p, out)| p.outs.push(out));
                    let residuals = residual.next().into_iter().flat_map(|volume| {
                        let planes = volume.chunks_exact(pixels).skip(first_slice).step_by(step[0]);
                        planes.flat_map(|plane| bands.iter().map(|band| &plane[band.clone()]))
                    });
                    parts[first..].iter_mut().zip(residuals).for_each(|(p, r)| p.residual.push(r));
                }
            }
        }
        Ok(parts)
    }
}

/// Splits a plane into bands that together are all of it.
fn split<'a>(mut plane: &'a mut [Pixel], bands: &[Range<usize>]) -> impl Iterator<Item = &'a mut [Pixel]> {
    bands.iter().map(move |band| {
        let (now, rest) = std::mem::take(&mut plane).split_at_mut(band.len());
        plane = rest;
        now
    })
}
