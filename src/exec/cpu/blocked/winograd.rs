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
//! of output blocks, it computes the 16 products (`tile`) and transforms them back, with the epilogue.
//!
//! **Precision.** Errors are relative to the largest pixel of a window times the largest weight of a kernel, even if the weight of
//! that pixel is 0. An infinity may become NaN, as the difference of two: if a sum is not finite, the convolution is computed again
//! directly, with weights recovered from the transformed ones (those below a millionth of the largest become 0).
use super::{
    Axis, BLOCK, ConvEpilogue, ConvShape, InstructionSet, OnPart, Pixel,
    band::with_scratch,
    conv::{Direct, bias_pixels},
    even_parts,
    parts::{Division, OutputRows},
    task_count,
    tile::{HALF, NearPlanes, Neighbor, Place, Sweep, WeightVector, blocks_together, finished},
};
use crate::{
    array::{reserve, zeros},
    base::Result,
};
use rayon::prelude::*;
use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, NumOps},
};
use std::{
    ops::Range,
    sync::atomic::{AtomicBool, Ordering},
};

/// Rows and columns of a tile of the input, and of the result.
const FROM: usize = 4;
const TO: usize = 2;
const FREQUENCIES: usize = FROM * FROM;
/// Rows and columns of the kernel.
const KERNEL: usize = 3;

/// Bytes of transformed tiles that stay in the second-level cache.
const BAND: usize = 384 << 10;
/// Maximum number of those bytes if one row of tiles has more.
const LARGEST_BAND: usize = 4 << 20;
/// Minimum number of tiles per image. The transformed weights are 16/9 of the others: with fewer tiles, reading them takes
/// longer than is saved.
const TILES: usize = 24;
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
        let least = g.rows.dilation.saturating_mul(per_row * FREQUENCIES * size_of::<f32>()).saturating_mul(ic);
        let is_large = tiles >= TILES && tiles.saturating_mul(per_tile) < direct;
        is_large && least <= LARGEST_BAND && Winograd::supports(g, weights)
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
        let mut all = Winograd { isa, g, planes, blocks, together, weights: Vec::new(), bias, relu: end.relu };
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
        let (height, share) = self.cut();
        let place = self.g.place();
        let parts = Division { g: &self.g, place, blocks: self.blocks, share, height }.parts(residual, out);
        let all_finite = AtomicBool::new(true);
        parts.into_par_iter().try_for_each(|part| {
            let is_finite = with_scratch(|scratch| self.part(x, part, scratch, on_part))?;
            all_finite.fetch_and(is_finite, Ordering::Relaxed);
            Ok::<(), crate::base::Error>(())
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

    /// Number of result rows whose tiles stay in the second-level cache.
    fn height(&self) -> usize {
        let unit = self.scratch(self.g.rows.dilation).saturating_mul(size_of::<Pixel>());
        (BAND / unit).clamp(1, self.g.rows.output.div_ceil(self.unit())) * self.unit()
    }

    /// Returns the rows of the result and the output blocks of a task.
    fn cut(&self) -> (usize, usize) {
        let (g, unit) = (&self.g, self.unit());
        let (height, units) = (self.height() / unit, g.rows.output.div_ceil(unit));
        let tiles = (units * g.rows.dilation * self.per_row()).saturating_mul(g.batch);
        let tasks = task_count(tiles.saturating_mul(self.weights.len() / g.group * BLOCK));
        let others = g.batch * g.group;
        let missing = tasks.div_ceil(units.div_ceil(height).saturating_mul(others));
        if self.weights.len() / g.group > g.area() * self.planes {
            (height * unit, self.blocks.div_ceil(missing).next_multiple_of(self.together))
        } else {
            let bands = even_parts(units.div_ceil(height) * missing, others);
            (units.div_ceil(bands) * unit, self.blocks)
        }
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

    /// Recovers the weights.
    fn direct(&self) -> Result<Direct<BLOCK>> {
        let (g, depth, planes) = (&self.g, self.depth(), self.planes);
        let (ic, oc) = (g.ic_of_group(), g.oc_of_group());
        let mut weights: Vec<f32> = zeros((g.oc * ic).saturating_mul(KERNEL * KERNEL))?;
        for (i, kernel) in weights.as_chunks_mut::<{ KERNEL * KERNEL }>().0.iter_mut().enumerate() {
            let (group, o, c) = (i / ic / oc, i / ic % oc, i % ic);
            let (block, within) = (o / BLOCK, o / BLOCK % self.together);
            let first = block - within;
            let width = self.together.min(self.blocks - first);
            let lines = &self.weights[(group * self.blocks + first) * depth..];
            *kernel = recovered(|f| lines[(f * planes * BLOCK + c) * width + within].0[o % BLOCK]);
        }
        let bias: Vec<f32> =
            self.bias.chunks(self.blocks).flat_map(|group| &group.as_flattened()[..oc]).copied().collect();
        Direct::new(self.isa, *g, &weights, ConvEpilogue { bias: Some(&bias), relu: self.relu })
    }
}

const ZEROS: [Pixel; 2] = [[0.0; BLOCK]; 2];

/// Returns the number of tiles along `n` positions. The pixels of a tile are a dilation apart, and other tiles are between.
fn tiles(n: usize, dilation: usize) -> usize {
    n / (TO * dilation) * dilation + (n % (TO * dilation)).min(dilation)
}

/// Returns the first position of each tile.
fn positions(range: Range<usize>, dilation: usize) -> impl Iterator<Item = usize> + Clone {
    let end = range.end;
    range.step_by(TO * dilation).flat_map(move |first| first..(first + dilation).min(end))
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

/// Returns `G w G'` of the kernels of 16 output channels.
fn transformed(w: &[Pixel; KERNEL * KERNEL]) -> [Pixel; FREQUENCIES] {
    let along = |a: Pixel, b: Pixel, c: Pixel| {
        let half = |sign: f32| std::array::from_fn(|o| (a[o] + sign * b[o] + c[o]) / 2.0);
        [a, half(1.0), half(-1.0), c]
    };
    let cols: [[Pixel; FROM]; KERNEL] = std::array::from_fn(|j| along(w[j], w[KERNEL + j], w[2 * KERNEL + j]));
    let rows: [[Pixel; FROM]; FROM] = std::array::from_fn(|i| along(cols[0][i], cols[1][i], cols[2][i]));
    std::array::from_fn(|f| rows[f / FROM][f % FROM])
}

/// Returns the kernel of transformed weights: the second of three values is the difference of the two halves. Those within the
/// error are 0, since infinity times 0 is not infinity.
fn recovered(w: impl Fn(usize) -> f32) -> [f32; KERNEL * KERNEL] {
    let along = |w: [f32; FROM]| [w[0], w[1] - w[2], w[3]];
    let rows: [[f32; KERNEL]; FROM] = std::array::from_fn(|i| along(std::array::from_fn(|j| w(i * FROM + j))));
    let cols: [[f32; KERNEL]; KERNEL] = std::array::from_fn(|j| along(std::array::from_fn(|i| rows[i][j])));
    let error = (0..FREQUENCIES).map(|f| w(f).abs()).fold(0.0, f32::max) * 4.0 * f32::EPSILON;
    std::array::from_fn(|k| Some(cols[k % KERNEL][k / KERNEL]).filter(|w| w.abs() > error).unwrap_or(0.0))
}

/// Computes `B' x B` of the tiles of a plane.
struct Forward<'a> {
    g: &'a ConvShape,
    x: &'a [Pixel],
    /// The rows of the result.
    rows: Range<usize>,
    /// The tiles of the first frequency, and the stride of frequencies.
    to: &'a mut [Pixel],
    stride: usize,
}

impl SimdOp for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let Forward { g, x, rows, to, stride } = self;
        let (height, width, between) = (g.rows.input, g.cols.input, [g.rows.dilation, g.cols.dilation]);
        let cols = positions(0..g.cols.output, between[1]);
        let tiles = positions(rows, between[0]).flat_map(|row| cols.clone().map(move |col| (row, col)));
        for (i, (row, col)) in tiles.enumerate() {
            let to = &mut to[i..];
            let (top, left) = (row.wrapping_sub(g.rows.pad), col.wrapping_sub(g.cols.pad));
            // A wrapped position is not inside either.
            let fits = |first: usize, n: usize, between: usize| first < n && n - first > (FROM - 1) * between;
            if fits(top, height, between[0]) && fits(left, width, between[1]) {
                forward(isa.f32(), &x[top * width + left..], [width * between[0], between[1]], to, stride);
                continue;
            }
            let mut patch = [[0.0; BLOCK]; FREQUENCIES];
            for (f, pixel) in patch.iter_mut().enumerate() {
                let (r, c) = (top.wrapping_add(f / FROM * between[0]), left.wrapping_add(f % FROM * between[1]));
                if r < height && c < width {
                    *pixel = x[r * width + c];
                }
            }
            forward(isa.f32(), &patch, [FROM, 1], to, stride);
        }
    }
}

/// Transforms a tile, given the strides of its rows and columns. Rows are loaded again instead of being kept, which would take more
/// registers than there are.
#[inline(always)]
fn forward<O: NumOps<f32>>(ops: O, x: &[Pixel], strides: [usize; 2], to: &mut [Pixel], stride: usize) {
    for at in (0..BLOCK).step_by(ops.len()) {
        for (i, (first, second)) in [(0, 2), (1, 2), (2, 1), (1, 3)].into_iter().enumerate() {
            let (first, second) = (&x[first * strides[0]..], &x[second * strides[0]..]);
            let mut v = [ops.zero(); FROM];
            for c in 0..FROM {
                let (a, b) = (ops.load(&first[c * strides[1]][at..]), ops.load(&second[c * strides[1]][at..]));
                v[c] = if i == 1 { ops.add(a, b) } else { ops.sub(a, b) };
            }
            let row = [ops.sub(v[0], v[2]), ops.add(v[1], v[2]), ops.sub(v[2], v[1]), ops.sub(v[1], v[3])];
            for j in 0..FROM {
                ops.store(row[j], &mut to[(i * FROM + j) * stride][at..]);
            }
        }
    }
}

/// Computes `A' sums A` and the epilogue of the tiles of an output block. Returns whether all sums are finite.
struct Backward<'a> {
    /// The tiles of the first frequency, and the stride of frequencies.
    sums: &'a [Pixel],
    stride: usize,
    /// Distance between the rows and between the columns of a tile.
    dilation: [usize; 2],
    /// Columns of the result.
    cols: usize,
    bias: &'a Pixel,
    residual: Option<&'a [Pixel]>,
    relu: Option<f32>,
    /// Some rows of the result.
    out: &'a mut [Pixel],
}

impl SimdOp for Backward<'_> {
    type Output = bool;

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) -> bool {
        let (ops, cols, between) = (isa.f32(), self.cols, self.dilation);
        let rows = self.out.len() / cols;
        // Infinity or NaN times 0 is NaN.
        let mut check = ops.zero();
        let across = positions(0..cols, between[1]);
        let tiles = positions(0..rows, between[0]).flat_map(|row| across.clone().map(move |col| (row, col)));
        for (i, (row, col)) in tiles.enumerate() {
            for at in (0..BLOCK).step_by(ops.len()) {
                let (tile, bias) = (backward(ops, &self.sums[i..], self.stride, at), ops.load(&self.bias[at..]));
                for k in 0..TO * TO {
                    let (row, col, sum) =
                        (row + k / TO * between[0], col + k % TO * between[1], ops.add(tile[k], bias));
                    check = ops.mul_add(tile[k], ops.zero(), check);
                    if row < rows && col < cols {
                        let residual = self.residual.map(|pixels| &pixels[row * cols + col][at..]);
                        ops.store(finished(ops, sum, residual, self.relu), &mut self.out[row * cols + col][at..]);
                    }
                }
            }
        }
        ops.sum(check) == 0.0
    }
}

/// Returns the 2 x 2 sums of a tile.
#[inline(always)]
fn backward<O: NumOps<f32>>(ops: O, sums: &[Pixel], stride: usize, at: usize) -> [O::Simd; TO * TO] {
    let mut rows = [[ops.zero(); TO]; FROM];
    for i in 0..FROM {
        let mut v = [ops.zero(); FROM];
        for j in 0..FROM {
            v[j] = ops.load(&sums[(i * FROM + j) * stride][at..]);
        }
        rows[i] = [ops.add(ops.add(v[0], v[1]), v[2]), ops.sub(ops.sub(v[1], v[2]), v[3])];
    }
    let [a, b, c, d] = rows;
    [
        ops.add(ops.add(a[0], b[0]), c[0]),
        ops.add(ops.add(a[1], b[1]), c[1]),
        ops.sub(ops.sub(b[0], c[0]), d[0]),
        ops.sub(ops.sub(b[1], c[1]), d[1]),
    ]
}
