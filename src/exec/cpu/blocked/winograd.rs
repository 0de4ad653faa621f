//! 3x3 convolution with stride 1 by minimal filtering, F(2x2, 3x3) of A. Lavin and S. Gray, "Fast Algorithms for
//! Convolutional Neural Networks" (2015): 16 multiplications per 2 x 2 results instead of 36.
//!
//! **Tiles.** A tile is 4 x 4 input pixels and 2 x 2 pixels of the result. With `B`, `G` and `A` of the paper, it is
//! `A'((G w G') * (B' x B))A`, where `*` multiplies element by element and adds up input channels. So there are 16 products of
//! matrices (tiles x input channels by input channels x output channels), one for each element (*frequency*) of the
//! transformed tiles, and each is a 1x1 convolution whose pixels are tiles.
//!
//! **With a dilation**, the pixels of a tile are a dilation apart, so that neighboring tiles interleave.
//!
//! **Loop order.** A task transforms the input of some rows of tiles, few enough to fit the second-level cache. For each set
//! of output blocks, it computes the 16 products (`tile`) and transforms them back, with the epilogue. The weights of many channels do not
//! stay in that cache. Each task reads them again from the third level, which on some processors is slower than the products of a few
//! tiles, so then a task has as many rows as fit.
//!
//! **Precision.** Errors are relative to the largest pixel of a window times the largest weight of a kernel, even if the weight of
//! that pixel is 0. An infinity may become NaN, as the difference of two: if a sum is not finite, the convolution is computed again
//! directly, with weights recovered from the transformed ones (those below a millionth of the largest become 0).
use super::{
    Axis, BLOCK, ConvEpilogue, ConvShape, InstructionSet, OnPart, Pixel,
    band::{KEPT, with_scratch},
    conv::{Direct, bias_pixels},
    even_parts,
    parts::{Division, OutputRows},
    task_count,
    tile::{HALF, NearPlanes, Neighbor, Place, Sweep, WeightVector, blocks_together, most_pixels},
};
use crate::{
    array::{reserve, zeros},
    base::Result,
    processors::second_level_cache,
};
use rayon::prelude::*;
use std::sync::{
    OnceLock,
    atomic::{AtomicBool, Ordering},
};
use transforms::{Backward, Forward, recovered, transformed};

mod transforms;

/// Rows and columns of a tile of the input, and of the result.
const FROM: usize = 4;
const TO: usize = 2;
const FREQUENCIES: usize = FROM * FROM;
/// Rows and columns of the kernel.
const KERNEL: usize = 3;

/// Bytes of transformed tiles and of sums that stay in the second-level cache, together with weights.
const BAND: usize = 384 << 10;
/// Maximum number of bytes of transformed tiles if one row of tiles has more.
const LARGEST_BAND: usize = 4 << 20;
/// Minimum number of output blocks of a task if all threads have one, and weights are not near: fewer would not be worth transforming the
/// tiles.
const FEWEST_BLOCKS: usize = 4;
/// The estimated time for a tile, in multiply-adds: for each pair of channels, and for each output channel.
const PER_PAIR: usize = 19;
const PER_OUTPUT: usize = 200;
/// Maximum absolute value of a weight. Sums of larger ones could overflow, and could not be recovered.
const LARGEST: f32 = 1e30;

/// A convolution with transformed weights.
pub(super) struct Winograd {
    isa: InstructionSet,
    g: ConvShape,
    /// Blocks of input channels per group.
    planes: usize,
    /// Output blocks per group, and how many of them are computed together.
    blocks: usize,
    together: usize,
    /// Ordered by group, set of output blocks computed together, frequency, input channel and output block.
    weights: Vec<WeightVector>,
    /// One pixel per output block.
    bias: Vec<Pixel>,
    relu: Option<f32>,
    /// The direct convolution, once a sum was not finite.
    direct: OnceLock<Box<Direct<BLOCK>>>,
}

/// Minimum number of tiles per image. The transformed weights are 16/9 of the others: with fewer tiles, reading them takes
/// longer than is saved. With narrow vectors, products take longer, so that fewer tiles are enough.
fn fewest_tiles(isa: InstructionSet) -> usize {
    if isa.lanes() == BLOCK { 24 } else { 16 }
}

impl Winograd {
    /// Whether the convolution has this form, and is large enough to be faster.
    pub fn is_faster(isa: InstructionSet, g: &ConvShape, weights: &[f32]) -> bool {
        let covered = |a: &Axis| (0..KERNEL).map(|k| a.covered(k, (0, a.output)).len()).sum::<usize>();
        let per_row = tiles(g.cols.output, g.cols.dilation);
        let tiles = tiles(g.rows.output, g.rows.dilation) * per_row;
        let direct = if g.is_dilated() { covered(&g.rows) * covered(&g.cols) } else { g.taps() * g.pixels() };
        let (ic, oc) = (g.ic_of_group(), g.oc_of_group());
        // Direct convolution computes half a block by itself, here it is padded.
        let step = if isa.lanes() == HALF { HALF } else { BLOCK };
        let direct = direct.saturating_mul(ic).saturating_mul(oc.next_multiple_of(step));
        let per_tile = (PER_PAIR * ic + PER_OUTPUT).saturating_mul(oc.next_multiple_of(BLOCK));
        let is_large = tiles >= fewest_tiles(isa) && tiles.saturating_mul(per_tile) < direct;
        // Those of one row of tiles.
        let channels = g.rows.dilation.saturating_mul(per_row * FREQUENCIES);
        let spectrum = channels.saturating_mul(ic * size_of::<f32>());
        let scratch = channels.saturating_mul(ic.next_multiple_of(BLOCK) + blocks_together(isa) * BLOCK);
        is_large && spectrum <= LARGEST_BAND && scratch < KEPT && Winograd::supports(g, weights)
    }

    /// Whether the convolution has this form.
    pub fn supports(g: &ConvShape, weights: &[f32]) -> bool {
        let fits = [g.rows, g.cols].iter().all(|a| (a.kernel, a.stride) == (KERNEL, 1));
        fits && g.is_flat() && weights.iter().all(|w| w.abs() <= LARGEST)
    }

    /// Transforms the weights.
    pub fn new(isa: InstructionSet, g: ConvShape, weights: &[f32], end: ConvEpilogue) -> Result<Winograd> {
        let (planes, blocks) = (g.ic_of_group().div_ceil(BLOCK), g.oc_of_group().div_ceil(BLOCK));
        let together = blocks_together(isa);
        let bias = bias_pixels(end.bias, g.group, g.oc_of_group())?;
        let (weights_of_all, relu, direct) = (Vec::new(), end.relu, OnceLock::new());
        let mut all = Winograd { isa, g, planes, blocks, together, weights: weights_of_all, bias, relu, direct };
        let n = (g.group * blocks).saturating_mul(all.depth());
        reserve(&mut all.weights, n)?;
        all.weights.resize(n, WeightVector([0.0; BLOCK]));
        let (ic, oc, depth) = (g.ic_of_group(), g.oc_of_group(), all.depth());
        let write = |(set, lines): (usize, &mut [WeightVector])| {
            let (sets, width) = (blocks.div_ceil(together), lines.len() / depth);
            let (group, first) = (set / sets, set % sets * together * BLOCK);
            for (b, c) in (0..width).flat_map(|b| (0..ic).map(move |c| (b, c))) {
                let mut kernels = [[0.0; BLOCK]; KERNEL * KERNEL];
                for o in 0..BLOCK.min(oc - first - b * BLOCK) {
                    let kernel = &weights[((group * oc + first + b * BLOCK + o) * ic + c) * KERNEL * KERNEL..];
                    kernels.iter_mut().zip(kernel).for_each(|(k, w)| k[o] = *w);
                }
                for (f, w) in transformed(&kernels).into_iter().enumerate() {
                    lines[(f * planes * BLOCK + c) * width + b].0 = w;
                }
            }
        };
        let sets = all.weights.chunks_mut(blocks * depth).flat_map(|group| group.chunks_mut(together * depth));
        sets.collect::<Vec<_>>().into_par_iter().enumerate().for_each(write);
        Ok(all)
    }

    /// Number of weight vectors per output block.
    fn depth(&self) -> usize {
        (self.planes * BLOCK).saturating_mul(FREQUENCIES)
    }

    pub fn run(&self, x: &[Pixel], residual: Option<&[Pixel]>, out: &mut [Pixel], on_part: &OnPart) -> Result<()> {
        let (bands, share) = self.cut();
        let place = self.g.place();
        let division = Division { g: &self.g, place, blocks: self.blocks, share, bands, unit: self.unit() };
        let all_finite = AtomicBool::new(true);
        division.try_for_each(residual, out, |part| {
            let is_finite = with_scratch(|scratch| self.part(x, part, scratch, on_part))?;
            all_finite.fetch_and(is_finite, Ordering::Relaxed);
            Ok(())
        })?;
        if all_finite.into_inner() { Ok(()) } else { self.direct()?.run(x, residual, out, on_part) }
    }

    /// Bytes of workspace per thread: the transformed tiles of a task.
    pub fn workspace(&self) -> u64 {
        size_of::<Pixel>().saturating_mul(self.scratch(tiles(self.height(), self.g.rows.dilation))) as u64
    }

    /// Tiles per row of tiles.
    fn per_row(&self) -> usize {
        tiles(self.g.cols.output, self.g.cols.dilation)
    }

    /// Number of transformed pixels of some rows of tiles: of all input blocks, and of the output blocks computed together.
    fn scratch(&self, rows: usize) -> usize {
        (rows * self.per_row() * FREQUENCIES).saturating_mul(self.planes + self.together)
    }

    /// Rows of the result that have whole tiles.
    fn unit(&self) -> usize {
        TO * self.g.rows.dilation
    }

    /// Number of units of the result, the last of which may have fewer rows.
    fn units(&self) -> usize {
        self.g.rows.output.div_ceil(self.unit())
    }

    /// Whether the weights of a group do not stay in the second-level cache.
    fn is_far(&self) -> bool {
        self.weights.len() / self.g.group * size_of::<WeightVector>() > second_level_cache() / 2
    }

    /// Number of result rows whose tiles stay in the second-level cache.
    fn height(&self) -> usize {
        let unit = self.scratch(self.g.rows.dilation).saturating_mul(size_of::<Pixel>());
        let (band, least) = if self.is_far() {
            // The weights pass through the cache. They should at least be multiplied by as many tiles as fit the registers.
            let tiles = self.g.rows.dilation * self.per_row();
            (BAND.max(second_level_cache() / 8 * 5), most_pixels(self.isa.lanes()).div_ceil(tiles))
        } else {
            (BAND, 1)
        };
        (band / unit).max(least).min(self.units()) * self.unit()
    }

    /// Returns the number of bands and the output blocks of a task.
    fn cut(&self) -> (usize, usize) {
        let (g, units) = (&self.g, self.units());
        let bands = units.div_ceil(self.height() / self.unit());
        let tiles = (units * g.rows.dilation * self.per_row()).saturating_mul(g.batch);
        let tasks = task_count(tiles.saturating_mul(self.weights.len() / g.group * BLOCK));
        let others = g.batch * g.group;
        let all = bands.saturating_mul(others);
        let sets = self.blocks.div_ceil(self.together);
        let is_far = self.is_far();
        // Tasks for the same rows transform them each, so there are not more than necessary.
        let most = (self.blocks / FEWEST_BLOCKS).max(rayon::current_num_threads().div_ceil(all));
        let missing = if is_far { (tasks / all).clamp(1, most) } else { tasks.div_ceil(all) };
        let share = even_share(sets, missing, all);
        let shares = sets.div_ceil(share);
        // If the last task had far fewer blocks, a thread would be idle. More bands cost little if the weights are near.
        let is_uneven = !is_far && (sets < missing || shares * share * 8 > sets * 9);
        let are_enough = bands.saturating_mul(missing) <= units;
        let are_larger = self.weights.len() / g.group > g.area() * self.planes;
        if are_larger && !(is_uneven && are_enough) {
            let bands = even_parts(bands * missing.div_ceil(sets), others.saturating_mul(shares));
            return (bands.min(units), share * self.together);
        }
        (even_parts(bands * missing, others).min(units), self.blocks)
    }

    /// Computes a part. Returns whether all sums are finite.
    fn part(&self, x: &[Pixel], mut part: OutputRows, scratch: &mut Vec<f32>, on_part: &OnPart) -> Result<bool> {
        let g = &self.g;
        let height = part.outs[0].len() / g.cols.output;
        let rows = tiles(height, g.rows.dilation);
        let (tiles, size) = (rows * self.per_row(), self.scratch(rows));
        let (spectrum, sums) = pixels(scratch, size)?.split_at_mut(self.planes * FREQUENCIES * tiles);
        let x = &x[(part.image * g.group + part.group) * self.planes * g.area()..];
        for plane in 0..self.planes {
            let (x, to) = (&x[plane * g.area()..][..g.area()], &mut spectrum[plane * tiles..]);
            self.isa.run(Forward { g, x, rows: part.row..part.row + height, to, stride: self.planes * tiles });
        }
        let mut all_finite = true;
        for b in (0..part.outs.len()).step_by(self.together) {
            let (end, block) = ((b + self.together).min(part.outs.len()), part.group * self.blocks + part.block + b);
            self.products(spectrum, block, end - b, tiles, sums);
            for i in b..end {
                all_finite &= self.isa.run(Backward {
                    sums: &sums[(i - b) * tiles..],
                    stride: (end - b) * tiles,
                    dilation: [g.rows.dilation, g.cols.dilation],
                    cols: g.cols.output,
                    bias: &self.bias[block + i - b],
                    residual: part.residual.get(i).copied(),
                    relu: self.relu,
                    out: &mut *part.outs[i],
                });
            }
            part.complete(b..end, on_part);
        }
        part.clear_beyond(self.blocks, g.oc_of_group());
        Ok(all_finite)
    }

    /// Computes the products of all frequencies for `n` output blocks from `block` on: the tiles of each, by frequency.
    fn products(&self, spectrum: &[Pixel], block: usize, n: usize, tiles: usize, sums: &mut [Pixel]) {
        let weights = &self.weights[block * self.depth()..][..n * self.depth()];
        let (per_plane, planes) = (BLOCK * n, self.planes);
        let by_frequency = spectrum.chunks_exact(planes * tiles).zip(sums.chunks_exact_mut(n * tiles));
        for (f, (x, sums)) in by_frequency.enumerate() {
            let mut outs: Vec<&mut [Pixel]> = sums.chunks_exact_mut(tiles).collect();
            let depth = planes * per_plane;
            for near in NearPlanes::each(&weights[f * depth..], depth, per_plane) {
                self.isa.run(Sweep {
                    x: &x[near.first * tiles..],
                    plane: tiles,
                    taps: &[0],
                    weights: near.weights,
                    next: near.next,
                    rows: 1,
                    step: tiles,
                    width: tiles,
                    place: Place::whole([1, 1, tiles]),
                    channels: BLOCK,
                    neighbor: Neighbor::None,
                    begin: (near.first == 0).then_some(&ZEROS[..n]),
                    end: None,
                    outs: &mut outs,
                });
            }
        }
    }

    /// Returns the direct convolution, with recovered weights. It is kept, since further inputs may have an infinity, too.
    fn direct(&self) -> Result<&Direct<BLOCK>> {
        if let Some(direct) = self.direct.get() {
            return Ok(direct);
        }
        let direct = Box::new(self.recover()?);
        Ok(self.direct.get_or_init(|| direct))
    }

    /// Recovers the weights.
    fn recover(&self) -> Result<Direct<BLOCK>> {
        let (g, depth, planes) = (&self.g, self.depth(), self.planes);
        let (ic, oc) = (g.ic_of_group(), g.oc_of_group());
        let mut weights: Vec<f32> = zeros((g.oc * ic).saturating_mul(KERNEL * KERNEL))?;
        weights.par_chunks_exact_mut(ic * KERNEL * KERNEL).enumerate().for_each(|(i, kernels)| {
            let (group, o) = (i / oc, i % oc);
            let (block, within) = (o / BLOCK, o / BLOCK % self.together);
            let first = block - within;
            let width = self.together.min(self.blocks - first);
            let lines = &self.weights[(group * self.blocks + first) * depth..];
            for (c, kernel) in kernels.as_chunks_mut::<{ KERNEL * KERNEL }>().0.iter_mut().enumerate() {
                *kernel = recovered(|f| lines[(f * planes * BLOCK + c) * width + within].0[o % BLOCK]);
            }
        });
        let bias: Vec<f32> =
            self.bias.chunks(self.blocks).flat_map(|group| &group.as_flattened()[..oc]).copied().collect();
        Direct::new(self.isa, *g, &weights, ConvEpilogue { bias: Some(&bias), relu: self.relu })
    }
}

/// Returns how many of `sets` a task has if there are up to `most` tasks for each of `others`: the number for which the threads are busy
/// for the least time, and of equal ones the smallest.
fn even_share(sets: usize, most: usize, others: usize) -> usize {
    let rounds = |tasks: usize| others.saturating_mul(tasks).div_ceil(rayon::current_num_threads());
    let time = |share: &usize| rounds(sets.div_ceil(*share)).saturating_mul(*share);
    (1..=most.min(sets)).rev().map(|tasks| sets.div_ceil(tasks)).min_by_key(time).unwrap_or(sets)
}

const ZEROS: [Pixel; 2] = [[0.0; BLOCK]; 2];

/// Returns the number of tiles along `n` positions. The pixels of a tile are a dilation apart, and other tiles are between.
fn tiles(n: usize, dilation: usize) -> usize {
    n / (TO * dilation) * dilation + (n % (TO * dilation)).min(dilation)
}

/// Returns `n` pixels of the scratch memory, aligned to cache lines.
fn pixels(scratch: &mut Vec<f32>, n: usize) -> Result<&mut [Pixel]> {
    // As many floats as the alignment may skip.
    let floats = n.saturating_add(1).saturating_mul(BLOCK);
    if scratch.len() < floats {
        *scratch = Vec::new();
        *scratch = zeros(floats)?;
    }
    let skipped = scratch.as_ptr().align_offset(size_of::<Pixel>()).min(BLOCK);
    Ok(&mut scratch[skipped..].as_chunks_mut().0[..n])
}
