//! Grouped convolution when groups have three, five or more half blocks of output channels, an odd number, with vectors of half a block.
//!
//! Two neighboring groups, a *pair*, have whole blocks together: the second begins with the second half of the block in which the first
//! ends. One and a half blocks of each, around that border, are computed together, and other blocks one by one. The copy of the input
//! (`band`) shifts the channels of each group to whole blocks. The loop order is that of direct convolution (`conv`).
use super::{
    BLOCK, ConvEpilogue, ConvShape, InstructionSet, OnPart, Pixel,
    band::{Band, with_scratch},
    conv::{BAND, bias_pixels, pack_set},
    even_parts,
    parts::{Division, OutputRows},
    task_count,
    tile::{End, HALF, NearPlanes, Neighbor, Sweep, WeightVector},
    winograd::Winograd,
};
use crate::{array::reserve, base::Result};
use rayon::prelude::*;
use std::ops::Range;

/// A prepared convolution of images.
pub(super) struct Halves {
    isa: InstructionSet,
    g: ConvShape,
    groups: Vec<Group>,
    relu: Option<f32>,
}

/// The output blocks of a group, in the order of its channels.
type Group = Vec<Set>;

/// Output blocks that are computed together: one block, or one and a half.
struct Set {
    /// The blocks within those of the pair.
    blocks: Range<usize>,
    neighbor: Neighbor,
    /// Ordered by input block, kernel element, channel and output block.
    weights: Vec<WeightVector>,
    /// One pixel per block.
    bias: Vec<Pixel>,
}

impl Halves {
    /// Whether the convolution has this form, and no other one is faster.
    pub fn is_faster(isa: InstructionSet, g: &ConvShape, weights: &[f32]) -> bool {
        let (ic, oc) = (g.ic_of_group(), g.oc_of_group());
        let are_halves = isa.lanes() == HALF && ic.is_multiple_of(HALF) && oc % BLOCK == HALF && oc > BLOCK;
        // Tasks are bands of a pair. If its weights were large, each band would read them from memory again.
        let is_near = 2 * oc * ic * g.taps() * size_of::<f32>() <= BAND;
        g.group > 1 && g.is_flat() && are_halves && is_near && !g.is_dilated() && !Winograd::is_faster(isa, g, weights)
    }

    /// Packs the weights.
    pub fn new(isa: InstructionSet, g: ConvShape, weights: &[f32], end: ConvEpilogue) -> Result<Halves> {
        let (oc, size) = (g.oc_of_group(), g.ic_of_group() * g.taps());
        let groups = weights.par_chunks_exact(oc * size).enumerate().map(|(group, weights)| {
            let sets = sets(oc / HALF, group, g.group).into_iter().map(|(first, blocks, neighbor)| {
                let mut packed = Vec::new();
                let n = blocks.len().saturating_mul(size);
                reserve(&mut packed, n)?;
                packed.resize(n, WeightVector([0.0; BLOCK]));
                let channel = first * HALF;
                pack_set::<BLOCK>(&g, &weights[channel * size..], g.ic_of_group(), false, &mut packed);
                let channels = (oc - channel).min(blocks.len() * BLOCK);
                let bias = end.bias.map(|bias| &bias[group * oc + channel..][..channels]);
                Ok(Set { blocks, neighbor, weights: packed, bias: bias_pixels(bias, 1, channels)? })
            });
            sets.collect()
        });
        Ok(Halves { isa, g, groups: groups.collect::<Result<_>>()?, relu: end.relu })
    }

    /// Writes all of `out`, like [`Conv2d::run`](super::Conv2d::run).
    pub fn run(&self, x: &[Pixel], residual: Option<&[Pixel]>, out: &mut [Pixel], on_part: &OnPart) -> Result<()> {
        let (g, bands) = (&self.g, self.bands());
        let image = ConvShape { group: 1, ..*g };
        let (place, blocks) = (g.place(), g.oc.div_ceil(BLOCK));
        let division = Division { g: &image, place, blocks, share: self.blocks_of_pair(), bands, unit: 1 };
        let band = Band::copied(g, g.rows.output.div_ceil(bands));
        let taps = band.taps();
        let part = |part: OutputRows, scratch: &mut _| self.part((&band, &taps), x, part, scratch, on_part);
        division.try_for_each(residual, out, |rows| with_scratch(|scratch| part(rows, scratch)))
    }

    /// Bytes of workspace per thread: one band.
    pub fn workspace(&self) -> u64 {
        Band::copied(&self.g, self.height()).plane().saturating_mul(self.pixel_bytes()) as u64
    }

    /// Number of output blocks of a pair.
    fn blocks_of_pair(&self) -> usize {
        2 * self.g.oc_of_group() / BLOCK
    }

    /// Bytes of a pixel in all planes of a band.
    fn pixel_bytes(&self) -> usize {
        self.g.ic_of_group().div_ceil(BLOCK) * size_of::<Pixel>()
    }

    /// Number of result rows whose input stays in the second-level cache.
    fn height(&self) -> usize {
        let row = Band::copied(&self.g, 1).row().saturating_mul(self.pixel_bytes());
        let result = self.g.cols.output * self.blocks_of_pair() * size_of::<Pixel>();
        (BAND / row.saturating_add(result)).clamp(1, self.g.rows.output)
    }

    /// Number of parts of the rows.
    fn bands(&self) -> usize {
        let (g, height) = (&self.g, self.height());
        let cost = (g.batch * g.oc).saturating_mul(g.pixels()).saturating_mul(g.ic_of_group() * g.taps());
        let pairs = g.group.div_ceil(2).saturating_mul(g.batch);
        let bands = g.rows.output.div_ceil(height);
        let missing = task_count(cost).div_ceil(bands.saturating_mul(pairs));
        even_parts(bands * missing, pairs).min(g.rows.output)
    }

    /// Computes rows of a pair.
    fn part(
        &self,
        (band, taps): (&Band, &[usize]),
        x: &[Pixel],
        mut part: OutputRows,
        scratch: &mut Vec<f32>,
        on_part: &OnPart,
    ) -> Result<()> {
        let size = self.g.ic.div_ceil(BLOCK) * self.g.area();
        let x = &x[part.image * size..][..size];
        let halves = self.g.ic_of_group() / HALF;
        let first = part.block / self.blocks_of_pair() * 2;
        for (group, sets) in self.groups.iter().enumerate().skip(first).take(2) {
            let x = band.of_halves(x, group * halves..(group + 1) * halves, part.row, scratch)?;
            for set in sets {
                self.compute((band, taps), x, set, &mut part);
            }
        }
        part.complete(0..part.outs.len(), on_part);
        Ok(())
    }

    /// Computes the blocks of a set.
    fn compute(&self, (band, taps): (&Band, &[usize]), x: &[Pixel], set: &Set, part: &mut OutputRows) {
        let (g, n) = (&self.g, set.blocks.len());
        let outs = &mut part.outs[set.blocks.clone()];
        let residual = part.residual.get(set.blocks.clone()).unwrap_or_default();
        let place = g.place();
        let rows = outs[0].len() / g.cols.output;
        // Contiguous rows are merged into one.
        let is_one_row = band.width == g.cols.output;
        let (rows, width) = if is_one_row { (1, rows * g.cols.output) } else { (rows, g.cols.output) };
        for near in NearPlanes::each(&set.weights, set.weights.len(), n * BLOCK * taps.len()) {
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
                channels: BLOCK,
                neighbor: set.neighbor,
                begin: (near.first == 0).then_some(&set.bias),
                end: near.is_last.then_some(End { residual, relu: self.relu }),
                outs: &mut *outs,
            });
        }
    }
}

/// Returns the sets of a group that has `halves` half blocks, an odd number of three or more: the first half block, the blocks within
/// those of the pair, and the neighbor of each.
fn sets(halves: usize, group: usize, groups: usize) -> Vec<(usize, Range<usize>, Neighbor)> {
    let alone = halves / 2 - 1;
    if group.is_multiple_of(2) {
        let neighbor = if group + 1 < groups { Neighbor::After } else { Neighbor::None };
        let blocks = (0..alone).map(|block| (2 * block, block..block + 1, Neighbor::None));
        return blocks.chain([(2 * alone, alone..alone + 2, neighbor)]).collect();
    }
    let border = halves / 2;
    let blocks = (0..alone).map(|block| (3 + 2 * block, border + 2 + block..border + 3 + block, Neighbor::None));
    [(0, border..border + 2, Neighbor::Before)].into_iter().chain(blocks).collect()
}
