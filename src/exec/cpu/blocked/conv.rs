//! Direct convolution: one group, or groups with blocks of their own.
//!
//! **Loop order.** A task computes some rows of the result (a band) for some blocks of output channels. It copies the
//! input rows that they need (`band`), few enough to fit the second-level cache. The outermost loop iterates over pairs
//! of output blocks, the next one over groups of input channels whose weights fit the first-level cache, and the
//! innermost over all tiles of the band (`tile`). So weights are loaded from memory once per band, prefetched while the
//! preceding tiles are computed, and then read from the first-level cache for each tile. Partial sums are stored in the
//! result.
//!
//! **With a dilation** most of a band would be pixels that few windows see, and most windows would have padding. So elements of the
//! kernel are added one after the other, each from where it is in the input to the pixels for which it is inside.
//!
//! **The first layer** has few channels (`C` is 1; in `patches`, 4 or 16 columns): its input is plain NCHW, one plane per
//! channel, which saves the conversion and 13 multiplications by zero for every three values. The loop order is the same.
//!
//! **Volumes** are computed slice by slice. The slices of a block that the windows see are like further blocks of input
//! channels, with weights of their own; those that are padding are left out.
//!
//! **Tasks** are divided by cost: by output channels if the weights are the larger part (small planes), otherwise by
//! rows.
use super::{
    BLOCK, ConvEpilogue, ConvShape, InstructionSet, OnPart, Pixel,
    band::{Band, with_scratch, zero_pixels},
    even_parts,
    parts::{Division, OutputRows},
    task_count,
    tile::{End, Finish, HALF, NearPlanes, Neighbor, Place, Sweep, WeightVector, channel_blocks_together},
};
use crate::{array::reserve, base::Result};
use rayon::prelude::*;

/// Maximum number of input channels for which the input is plain NCHW.
pub(super) const FEW: usize = 4;

/// Bytes of input that stay in the second-level cache.
pub(super) const BAND: usize = 512 << 10;

/// A prepared convolution. The pixels of an input plane have `C` channels: [`BLOCK`], 4 or 1.
pub(super) struct Direct<const C: usize> {
    isa: InstructionSet,
    g: ConvShape,
    place: Place,
    /// Blocks of input channels per group.
    planes: usize,
    /// Number of input channels per group whose weights are stored. If the second half of the last block is padding, it has none.
    channels: usize,
    /// Output blocks per group, and how many of them are computed together.
    blocks: usize,
    together: usize,
    /// Whether elements of the kernel are added one after the other.
    by_element: bool,
    /// Ordered by group, set of output blocks computed together, slice of the kernel, input block, kernel element,
    /// channel and output block; by kernel element before input block if they are added one after the other.
    weights: Vec<WeightVector>,
    /// One pixel per output block.
    bias: Vec<Pixel>,
    relu: Option<f32>,
}

/// The layout of the input rows of a band, and the offset of the first window's pixel for each element of the kernel.
pub(super) struct BandRows {
    band: Band,
    taps: Vec<usize>,
}

impl<const C: usize> Direct<C> {
    /// Packs the weights. The result is all of its planes.
    pub fn new(isa: InstructionSet, g: ConvShape, weights: &[f32], end: ConvEpilogue) -> Result<Self> {
        Self::at(g.place(), isa, g, weights, end)
    }
    /// Packs the weights. The result is at `place` in its planes; other pixels are not written.
    pub fn at(place: Place, isa: InstructionSet, g: ConvShape, weights: &[f32], end: ConvEpilogue) -> Result<Self> {
        // Half of a vector of 16 lanes would be padding.
        let isa = if g.oc_of_group() <= HALF { isa.of_8_lanes() } else { isa };
        let (planes, blocks) = (g.ic_of_group().div_ceil(C), g.oc_of_group().div_ceil(BLOCK));
        let together = channel_blocks_together(isa, g.oc_of_group());
        let by_element = g.is_dilated() && place.step == [1; 3];
        // The kernel handles half a block as the last plane only.
        let channels = if C == BLOCK && g.slices.kernel == 1 { HALF } else { C };
        let channels = g.ic_of_group().next_multiple_of(channels);
        let weights = pack::<C>(&g, weights, channels, together, by_element)?;
        let bias = bias_pixels(end.bias, g.group, g.oc_of_group())?;
        Ok(Direct { isa, g, place, planes, channels, blocks, together, by_element, weights, bias, relu: end.relu })
    }

    pub fn run(&self, x: &[[f32; C]], residual: Option<&[Pixel]>, out: &mut [Pixel], on_part: &OnPart) -> Result<()> {
        let (bands, share) = self.cut();
        let division = Division { g: &self.g, place: self.place, blocks: self.blocks, share, bands, unit: 1 };
        if self.by_element {
            return division.try_for_each(residual, out, |part| {
                self.dilated_part(x, part, on_part);
                Ok(())
            });
        }
        let input = self.band_rows(self.g.rows.output.div_ceil(bands));
        let part = |part: OutputRows, scratch: &mut _| self.part(&input, x, part, scratch, on_part);
        division.try_for_each(residual, out, |rows| with_scratch(|scratch| part(rows, scratch)))
    }

    /// Returns the layout of the input for up to `height` rows of the result.
    pub fn band_rows(&self, height: usize) -> BandRows {
        let band = Band::new(&self.g, height);
        BandRows { taps: band.taps(), band }
    }

    /// Number of output blocks that are computed together.
    pub fn together(&self) -> usize {
        self.together
    }

    /// Bytes of workspace per thread: one band.
    pub fn workspace(&self) -> u64 {
        if self.by_element { 0 } else { self.bytes_of(&self.band_rows(self.height())) }
    }

    /// Bytes of the copy of a band.
    pub fn bytes_of(&self, BandRows { band, .. }: &BandRows) -> u64 {
        if band.direct { 0 } else { self.pixel_bytes().saturating_mul(band.plane()) as u64 }
    }

    /// Bytes of a pixel in all planes of a band.
    fn pixel_bytes(&self) -> usize {
        (self.planes * C * size_of::<f32>()).saturating_mul(self.g.slices.kernel)
    }

    /// Number of result rows whose input stays in the second-level cache.
    fn height(&self) -> usize {
        let row = if self.by_element { self.g.cols.input } else { Band::new(&self.g, 1).row() };
        // The rows of the result are in that cache too until they are complete.
        let result = self.g.cols.output * self.together * size_of::<Pixel>();
        let row = row.saturating_mul(self.pixel_bytes()).saturating_add(result);
        (BAND / row).clamp(1, self.g.rows.output)
    }

    /// Returns the number of bands and the output blocks of a task.
    fn cut(&self) -> (usize, usize) {
        let g = &self.g;
        let (rows, blocks) = (g.rows.output, self.blocks);
        let bands = rows.div_ceil(self.height());
        let slices = g.slices.output.saturating_mul(g.batch);
        let cost = g.pixels().saturating_mul(slices).saturating_mul(self.weights.len() * BLOCK);
        let tasks = task_count(cost);
        let others = slices.saturating_mul(g.group);
        let missing = tasks.div_ceil(bands.saturating_mul(others));
        let input = g.slices.input.saturating_mul(g.area()).saturating_mul(self.planes * C);
        if self.weights.len() / g.group * BLOCK <= input {
            return (even_parts(bands * missing, others).min(rows), blocks);
        }
        let sets = blocks.div_ceil(self.together);
        let share = sets.div_ceil(missing);
        // If the last task had far fewer blocks, or if there were fewer sets than tasks, a thread would be idle. Then the rows are divided,
        // too.
        let is_uneven = sets < missing || sets.div_ceil(share) * share * 8 > sets * 9;
        if !is_uneven {
            return (bands, share * self.together);
        }
        let even = even_parts(bands * missing.div_ceil(sets), sets.saturating_mul(others));
        let bands = if even > bands { even } else { bands.max(missing) };
        (bands.min(rows), self.together)
    }

    /// Returns the number of channels of an output block of a group.
    fn channels_of_block(&self, block: usize) -> usize {
        (self.g.oc_of_group() - block * BLOCK).min(BLOCK)
    }

    /// Computes a part of the result, unless elements of the kernel are added one after the other. `scratch` is for a copy of the input.
    ///
    /// # Errors
    /// Returns an error if memory runs out.
    pub fn part(
        &self,
        BandRows { band, taps }: &BandRows,
        x: &[[f32; C]],
        mut part: OutputRows,
        scratch: &mut Vec<f32>,
        on_part: &OnPart,
    ) -> Result<()> {
        let (g, seen) = (&self.g, band.seen(part.slice));
        let size = self.planes * g.slices.input * g.area();
        let x = &x[(part.image * g.group + part.group) * size..][..size];
        let x = band.of(x, (part.slice, part.row), scratch)?;
        // The weights of a block: per plane, per slice, before those in the band, and all of them.
        let (per_plane, per_slice) = (C * taps.len(), self.channels * taps.len());
        let (skipped, depth) = (seen.start * per_slice, g.slices.kernel * per_slice);
        let rows = self.place.rows(part.outs[0].len());
        // Contiguous rows are merged into one, and so are those of a column.
        let is_one_row = band.width == g.cols.output && self.place.step[1..] == [1, 1];
        let (rows, width, place) = match () {
            () if is_one_row => (1, rows * g.cols.output, self.place),
            () if band.width == 1 && self.place.size[2] == 1 => (1, rows, self.place.as_row()),
            () => (rows, g.cols.output, self.place),
        };
        let first = part.group * self.blocks + part.block;
        for b in (0..part.outs.len()).step_by(self.together) {
            let (end, block) = ((b + self.together).min(part.outs.len()), first + b);
            let outs = &mut part.outs[b..end];
            let weights = &self.weights[block * depth + outs.len() * skipped..];
            let n = outs.len();
            for near in NearPlanes::each(weights, n * seen.len() * per_slice, n * per_plane) {
                let residual = part.residual.get(b..end).unwrap_or_default();
                self.isa.run(Sweep {
                    x: &x[near.first * band.plane()..],
                    plane: band.plane(),
                    taps,
                    weights: near.weights,
                    next: near.next,
                    rows,
                    step: band.width,
                    width,
                    place,
                    channels: self.channels_of_block(part.block + end - 1),
                    neighbor: Neighbor::None,
                    begin: (near.first == 0).then(|| &self.bias[block..block + n]),
                    end: near.is_last.then_some(End { residual, relu: self.relu }),
                    outs: &mut *outs,
                });
            }
            part.complete(b..end, on_part);
        }
        part.clear_beyond(self.blocks, g.oc_of_group());
        Ok(())
    }

    /// Computes a part of a dilated convolution, element by element of the kernel.
    fn dilated_part(&self, x: &[[f32; C]], mut part: OutputRows, on_part: &OnPart) {
        let (g, depth, size) = (&self.g, self.channels * self.g.taps(), self.planes * self.g.area());
        let x = &x[(part.image * g.group + part.group) * size..][..size];
        let first = part.group * self.blocks + part.block;
        for b in (0..part.outs.len()).step_by(self.together) {
            let (end, block) = ((b + self.together).min(part.outs.len()), first + b);
            let outs = &mut part.outs[b..end];
            for (out, bias) in outs.iter_mut().zip(&self.bias[block..]) {
                out.fill(*bias);
            }
            let weights = &self.weights[block * depth..][..outs.len() * depth];
            for element in 0..g.taps() {
                self.add_element(x, weights, element, part.row, outs);
            }
            let residual = part.residual.get(b..end).unwrap_or_default();
            if self.relu.is_some() || !residual.is_empty() {
                self.isa.run(Finish { outs, end: End { residual, relu: self.relu } });
            }
            part.complete(b..end, on_part);
        }
        part.clear_beyond(self.blocks, g.oc_of_group());
    }

    /// Adds an element of the kernel to the rows from `row` on; `weights` has all elements for these output blocks.
    fn add_element(
        &self,
        x: &[[f32; C]],
        weights: &[WeightVector],
        element: usize,
        row: usize,
        outs: &mut [&mut [Pixel]],
    ) {
        let (g, width) = (&self.g, self.g.cols.output);
        let (i, j) = (element / g.cols.kernel, element % g.cols.kernel);
        let rows = g.rows.covered(i, (row, row + outs[0].len() / width));
        let cols = g.cols.covered(j, (0, width));
        if rows.is_empty() || cols.is_empty() {
            return;
        }
        let start = (rows.start + i * g.rows.dilation - g.rows.pad) * g.cols.input;
        let x = &x[start + cols.start + j * g.cols.dilation - g.cols.pad..];
        let place = Place { first: [0, rows.start - row, cols.start], ..self.place };
        let depth = self.channels * outs.len();
        for near in NearPlanes::each(&weights[element * depth..], depth, outs.len() * C) {
            self.isa.run(Sweep {
                x: &x[near.first * g.area()..],
                plane: g.area(),
                taps: &[0],
                weights: near.weights,
                next: near.next,
                rows: rows.len(),
                step: g.cols.input,
                width: cols.len(),
                place,
                channels: BLOCK,
                neighbor: Neighbor::None,
                begin: None,
                end: None,
                outs: &mut *outs,
            });
        }
    }
}

/// Packs the weights in the order of [`Direct::weights`]. Those of the channels after the last are 0.
pub(super) fn pack<const C: usize>(
    g: &ConvShape,
    weights: &[f32],
    channels: usize,
    together: usize,
    by_element: bool,
) -> Result<Vec<WeightVector>> {
    let (ic, oc, taps, slices) = (g.ic_of_group(), g.oc_of_group(), g.taps(), g.slices.kernel);
    let (blocks, per_slice) = (oc.div_ceil(BLOCK), channels.saturating_mul(taps));
    let depth = per_slice.saturating_mul(slices);
    let mut packed = Vec::new();
    let n = (g.group * blocks).saturating_mul(depth);
    reserve(&mut packed, n)?;
    packed.resize(n, WeightVector([0.0; BLOCK]));
    let group = |(group, lines): (usize, &mut [WeightVector])| {
        let size = oc * ic * slices * taps;
        let weights = &weights[group * size..][..size];
        lines.par_chunks_mut(together * depth).enumerate().for_each(|(i, lines)| {
            pack_set::<C>(g, &weights[i * together * BLOCK * ic * slices * taps..], channels, by_element, lines);
        });
    };
    packed.par_chunks_mut(blocks * depth).enumerate().for_each(group);
    Ok(packed)
}

/// Packs the weights of output blocks that are computed together, from those of the first output channel on. `lines` has `channels`
/// input channels of each kernel element and block.
pub(super) fn pack_set<const C: usize>(
    g: &ConvShape,
    weights: &[f32],
    channels: usize,
    by_element: bool,
    lines: &mut [WeightVector],
) {
    let (ic, taps, slices) = (g.ic_of_group(), g.taps(), g.slices.kernel);
    let per_slice = channels * taps;
    let width = lines.len() / (per_slice * slices);
    for (at, line) in lines.iter_mut().enumerate() {
        let block = at % width;
        let (slice, at) = (at / width / per_slice, at / width % per_slice);
        let (tap, c) = if by_element {
            (at / channels, at % channels)
        } else {
            let (before, at) = (at / (C * taps) * C, at % (C * taps));
            let of_plane = C.min(channels - before);
            (at / of_plane, before + at % of_plane)
        };
        if c < ic {
            let of = ((block * BLOCK * ic + c) * slices + slice) * taps + tap;
            let of = weights[of..].iter().step_by(ic * slices * taps);
            line.0.iter_mut().zip(of).for_each(|(l, w)| *l = *w);
        }
    }
}

/// Returns the bias of groups that have blocks of their own, with zeros if there is none and after the last channel.
pub(super) fn bias_pixels(bias: Option<&[f32]>, groups: usize, channels: usize) -> Result<Vec<Pixel>> {
    let blocks = channels.div_ceil(BLOCK);
    let mut pixels = zero_pixels::<BLOCK>(groups.saturating_mul(blocks))?;
    let by_group = pixels.chunks_exact_mut(blocks).zip(bias.into_iter().flat_map(|b| b.chunks_exact(channels)));
    by_group.for_each(|(pixels, bias)| pixels.as_flattened_mut()[..channels].copy_from_slice(bias));
    Ok(pixels)
}
