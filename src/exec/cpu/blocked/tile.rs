//! The inner loop of direct convolution: some neighboring pixels of the result times one or two blocks of output
//! channels, kept in registers while iterating over input channels and kernel elements.
//!
//! Each input value of a pixel needs one multiply-add per vector of output channels. With AVX-512, 14 pixels x 2 blocks
//! have 28 accumulators, which together with two vectors of weights and one input value occupy 31 of the 32 registers,
//! and 28 multiply-adds need only 16 loads. The tile sizes for other instruction sets follow from the same reasoning.
use super::{BLOCK, InstructionSet, Pixel};
use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, NumOps},
};

/// Evaluates a call in which the constant `$t` is a number of pixels, from 1 to `$most`, which is known at compile time: the compiler
/// drops the calls for more.
macro_rules! with_pixels {
    ($pixels:expr, $most:expr, $t:ident, $call:expr) => {
        with_pixels!($pixels, $most, $t, $call; 1 2 3 4 5 6 7 8 9 10 11 12 13 14)
    };
    ($pixels:expr, $most:expr, $t:ident, $call:expr; $($n:literal)*) => { match $pixels {
        $($n if $n <= $most => {
            const $t: usize = $n;
            $call
        })*
        pixels => unreachable!("a tile of {pixels} pixels"),
    } };
}
pub(super) use with_pixels;

/// Weights of a block of output channels, aligned to a cache line: a vector that crosses two lines takes two loads.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct WeightVector(pub Pixel);

/// Maximum number of pixels of a tile whose accumulators fit the registers, for 32 vectors of 16 floats, 16 of 8, and 32
/// (ARM) or 16 of 4.
pub(super) const OF_16: usize = 14;
pub(super) const OF_8: usize = 6;
pub(super) const OF_4: usize = if cfg!(target_arch = "aarch64") { 6 } else { 2 };

/// The same for one and a half blocks, which are 3 vectors of 8 floats. With 4 pixels, no register would be left, and the compiler
/// would spill.
const OF_8_X_3: usize = 3;

/// Channels of half a block. Input channels are packed, and output channels computed, in halves of a block.
pub(super) const HALF: usize = BLOCK / 2;

/// Returns the maximum number of pixels of a tile for vectors of `lanes` floats.
pub(super) fn most_pixels(lanes: usize) -> usize {
    match lanes {
        16 => OF_16,
        8 => OF_8,
        _ => OF_4,
    }
}

/// Returns the number of blocks of columns that a tile has.
pub(super) fn blocks_together(isa: InstructionSet) -> usize {
    if isa.lanes() == BLOCK { 2 } else { 1 }
}

/// Returns the number of blocks of output channels that a tile has: with vectors of half a block, also the one and a half blocks that
/// are all of a group.
pub(super) fn channel_blocks_together(isa: InstructionSet, channels: usize) -> usize {
    let is_half_more = isa.lanes() == HALF && (BLOCK + 1..=BLOCK + HALF).contains(&channels);
    if is_half_more { 2 } else { blocks_together(isa) }
}

/// Bytes of weights that stay in the first-level cache.
const NEAR: usize = 20 << 10;

/// Planes whose weights stay in the first-level cache while all tiles are computed.
pub(super) struct NearPlanes<'a> {
    /// The first plane.
    pub first: usize,
    pub weights: &'a [WeightVector],
    /// The weights of the next planes, which are prefetched.
    pub next: &'a [WeightVector],
    /// Whether these are the last planes.
    pub is_last: bool,
}

impl NearPlanes<'_> {
    /// Divides the planes whose weights are the first `depth` vectors, `per_plane` for each. Of the vectors after them, only the next
    /// ones are prefetched.
    pub fn each(weights: &[WeightVector], depth: usize, per_plane: usize) -> impl Iterator<Item = NearPlanes<'_>> {
        let step = (NEAR / (per_plane * size_of::<WeightVector>())).max(1) * per_plane;
        (0..depth).step_by(step).map(move |start| {
            let (now, next) = weights[start..].split_at(step.min(depth - start));
            NearPlanes {
                first: start / per_plane,
                weights: now,
                next: &next[..next.len().min(step.min(depth))],
                is_last: start + now.len() == depth,
            }
        })
    }
}

/// Rows of tiles for one or two blocks of output channels, over some of the input channels. With vectors of half a block, two blocks
/// are one and a half: the second one has only its first half, or with [`Neighbor::Before`] the first one only its last half. Weights and
/// initial values begin with the first channel that is computed.
pub(super) struct Sweep<'a, 'o, const C: usize> {
    /// Planes of pixels of `C` channels, beginning at the pixel of the first window and kernel element.
    pub x: &'a [[f32; C]],
    /// The stride of the planes.
    pub plane: usize,
    /// The offset of the pixel for each kernel element.
    pub taps: &'a [usize],
    /// Ordered by plane, kernel element, channel of the plane and block. The last plane may have only half of its channels.
    pub weights: &'a [WeightVector],
    /// The weights of the next sweep, which are prefetched.
    pub next: &'a [WeightVector],
    pub rows: usize,
    /// Number of input pixels from one row to the next.
    pub step: usize,
    /// Number of pixels of a row that are computed.
    pub width: usize,
    pub place: Place,
    /// The rows of the result, one slice per block.
    pub outs: &'a mut [&'o mut [Pixel]],
    /// Number of channels of the only or last block. The lanes after them are written as 0, or as NaN if the input is not finite. If one
    /// and a half blocks are computed, this is not read.
    pub channels: usize,
    pub neighbor: Neighbor,
    /// The initial values of the accumulators, one pixel per block; if absent, the sums are added to `outs`.
    pub begin: Option<&'a [Pixel]>,
    /// The epilogue, if this sweep completes the sums.
    pub end: Option<End<'a>>,
}

/// The group that has the other half of a block, if one and a half blocks are computed. That half is not written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Neighbor {
    /// There is none: the last half is padding, which is written as 0.
    None,
    /// It has the first half of the first block.
    Before,
    /// It has the last half of the last block.
    After,
}

/// Where the slices, rows and columns of a result are in a volume. The phases of a transposed convolution lie between one another.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The first slice, row and column.
    pub first: [usize; 3],
    /// Distance between slices, between rows and between columns.
    pub step: [usize; 3],
    /// Number of slices, rows and columns of the volume.
    pub size: [usize; 3],
}

impl Place {
    /// A volume that has only this result.
    pub fn whole(size: [usize; 3]) -> Place {
        Place { first: [0; 3], step: [1; 3], size }
    }
    /// Returns the same place in planes of one column, as a row.
    pub fn as_row(self) -> Place {
        let turned = |[slices, rows, cols]: [usize; 3]| [slices, cols, rows];
        Place { first: turned(self.first), step: turned(self.step), size: turned(self.size) }
    }
    /// Returns the number of the result's rows in the first `pixels` pixels of a plane.
    pub fn rows(&self, pixels: usize) -> usize {
        (pixels / self.size[2]).saturating_sub(self.first[1]).div_ceil(self.step[1])
    }
    /// Returns the offset of a pixel in its slice.
    #[inline(always)]
    pub fn offset(&self, row: usize, col: usize) -> usize {
        let [_, first_row, first_col] = self.first;
        (first_row + row * self.step[1]) * self.size[2] + first_col + col * self.step[2]
    }
}

/// The epilogue of a complete sum.
#[derive(Clone, Copy)]
pub(super) struct End<'a> {
    /// Laid out like `outs`.
    pub residual: &'a [&'a [Pixel]],
    pub relu: Option<f32>,
}

impl<const C: usize> SimdOp for Sweep<'_, '_, C> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(mut self, isa: I) {
        let ops = isa.f32();
        match (ops.len(), self.outs.len()) {
            (HALF, 1) if self.channels <= HALF => self.rows::<_, { 2 * OF_8 }, 1, 1, 0>(ops),
            (HALF, 2) if self.neighbor == Neighbor::Before => self.rows::<_, OF_8_X_3, 2, 3, 1>(ops),
            (HALF, 2) => self.rows::<_, OF_8_X_3, 2, 3, 0>(ops),
            (16, 2) => self.rows::<_, OF_16, 2, 2, 0>(ops),
            (16, _) => self.rows::<_, OF_16, 1, 1, 0>(ops),
            (8, _) => self.rows::<_, OF_8, 1, 2, 0>(ops),
            _ => self.rows::<_, OF_4, 1, 4, 0>(ops),
        }
    }
}

impl<const C: usize> Sweep<'_, '_, C> {
    /// Computes tiles of at most `M` pixels x `N` vectors of `B` blocks, from vector `F` on, dividing each row into tiles of nearly the
    /// same size.
    #[inline(always)]
    fn rows<O: NumOps<f32>, const M: usize, const B: usize, const N: usize, const F: usize>(&mut self, ops: O) {
        let n = self.width.div_ceil(M);
        let steps = self.rows * n * (self.weights.len() / (B * C));
        let share = self.next.len().div_ceil(steps.max(1));
        for row in 0..self.rows {
            let mut col = 0;
            for i in 0..n {
                let pixels = self.width / n + usize::from(i < self.width % n);
                let (x, at) = (row * self.step + col, self.place.offset(row, col));
                with_pixels!(pixels, M, T, self.tile::<_, T, B, N, F>(ops, x, at, share));
                col += pixels;
            }
        }
    }
    /// Computes `T` pixels x `N` vectors of `B` blocks, from vector `F` on; `x` and `at` are the offsets of the tile in the input and in
    /// the result, whose pixels are a step apart. The length of every loop except those over planes and taps is known at compile time,
    /// so that the accumulators stay in registers.
    #[inline(always)]
    fn tile<O: NumOps<f32>, const T: usize, const B: usize, const N: usize, const F: usize>(
        &mut self,
        ops: O,
        x: usize,
        at: usize,
        share: usize,
    ) {
        let (lanes, step) = (ops.len(), self.place.step[2]);
        let mut sums = [[ops.zero(); N]; T];
        // Each loop over the accumulators does one thing, so that the compiler unrolls it and keeps the sums in registers.
        if let Some(begin) = self.begin {
            let begin = begin.as_flattened();
            for n in 0..N {
                for t in 0..T {
                    sums[t][n] = ops.load(&begin[n * lanes..]);
                }
            }
        }
        let x = Planes { x: &self.x[x..], plane: self.plane, taps: self.taps };
        sums = accumulate::<_, C, T, B, N>(ops, sums, x, self.weights, share, &mut self.next);
        // Sums of parts are more accurate than a single chain of additions.
        if self.begin.is_none() {
            for n in 0..N {
                let (b, from) = block_of(F + n, lanes);
                for t in 0..T {
                    sums[t][n] = ops.add(sums[t][n], ops.load(&self.outs[b][at + t * step][from..]));
                }
            }
        }
        if let Some(end) = self.end {
            if !end.residual.is_empty() {
                for n in 0..N {
                    let (b, from) = block_of(F + n, lanes);
                    for t in 0..T {
                        sums[t][n] = ops.add(sums[t][n], ops.load(&end.residual[b][at + t * step][from..]));
                    }
                }
            }
            if let Some(bound) = end.relu {
                let (zero, bound) = (ops.zero(), ops.splat(bound));
                for t in 0..T {
                    for n in 0..N {
                        sums[t][n] = clamped(ops, sums[t][n], zero, bound);
                    }
                }
            }
        }
        for n in 0..N {
            let (b, to) = block_of(F + n, lanes);
            for t in 0..T {
                ops.store(sums[t][n], &mut self.outs[b][at + t * step][to..]);
            }
        }
        if self.neighbor == Neighbor::None {
            for n in N..B * BLOCK / lanes {
                let (b, to) = block_of(n, lanes);
                (0..T).for_each(|t| ops.store(ops.zero(), &mut self.outs[b][at + t * step][to..]));
            }
        }
    }
}

/// Returns the block of the `n`th vector of a tile, and where the vector begins in it.
#[inline(always)]
fn block_of(n: usize, lanes: usize) -> (usize, usize) {
    (n * lanes / BLOCK, n * lanes % BLOCK)
}

/// Applies the epilogue to sums that are complete in memory.
pub(super) struct Finish<'a, 'o> {
    /// One slice per block.
    pub outs: &'a mut [&'o mut [Pixel]],
    pub end: End<'a>,
}

impl SimdOp for Finish<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let (ops, lanes) = (isa.f32(), isa.f32().len());
        for (b, out) in self.outs.iter_mut().enumerate() {
            let residual = self.end.residual.get(b);
            for (i, pixel) in out.iter_mut().enumerate() {
                for at in (0..BLOCK).step_by(lanes) {
                    let residual = residual.map(|r| &r[i][at..]);
                    let sum = finished(ops, ops.load(&pixel[at..]), residual, self.end.relu);
                    ops.store(sum, &mut pixel[at..]);
                }
            }
        }
    }
}

/// Planes of pixels of `C` channels, and the offset of the first pixel for each kernel element.
pub(super) struct Planes<'a, const C: usize> {
    pub x: &'a [[f32; C]],
    /// The stride of the planes.
    pub plane: usize,
    pub taps: &'a [usize],
}

/// Adds the contribution of some planes to the accumulators of `T` pixels x `N` vectors of `B` blocks. Weights are
/// ordered by plane, kernel element, channel of the plane and block, and the last plane may have only half of its channels; `share`
/// lines of `next` are prefetched per element.
#[inline(always)]
pub(super) fn accumulate<O: NumOps<f32>, const C: usize, const T: usize, const B: usize, const N: usize>(
    ops: O,
    mut sums: [[O::Simd; N]; T],
    Planes { x, plane, taps }: Planes<C>,
    weights: &[WeightVector],
    share: usize,
    next: &mut &[WeightVector],
) -> [[O::Simd; N]; T] {
    let (mut weights, mut first) = (weights.as_chunks::<B>().0, 0);
    while !weights.is_empty() {
        let x = &x[first..];
        first += plane;
        // Whole and half planes share a loop: with two loops, the compiler spills the sums.
        let channels = if C == BLOCK && weights.len() < C * taps.len() { HALF } else { C };
        for tap in taps {
            let (of_tap, rest) = weights.split_at(channels);
            weights = rest;
            // A first layer has few weights, and its taps are short.
            if C > 1 {
                let (now, rest) = next.split_at(share.min(next.len()));
                now.iter().for_each(|line| ops.prefetch(line.0.as_ptr()));
                *next = rest;
            }
            add_channels(ops, &mut sums, &x[*tap..], of_tap);
        }
    }
    sums
}

/// Adds the first channels of `T` pixels times their weights.
#[inline(always)]
fn add_channels<O: NumOps<f32>, const C: usize, const T: usize, const B: usize, const N: usize>(
    ops: O,
    sums: &mut [[O::Simd; N]; T],
    x: &[[f32; C]],
    weights: &[[WeightVector; B]],
) {
    let (x, lanes) = (&x[..T], ops.len());
    for (c, w) in (0..C).zip(weights) {
        let mut vectors = [ops.zero(); N];
        for n in 0..N {
            let (b, from) = block_of(n, lanes);
            vectors[n] = ops.load(&w[b].0[from..]);
        }
        for t in 0..T {
            let x = ops.splat(x[t][c]);
            for n in 0..N {
                sums[t][n] = ops.mul_add(x, vectors[n], sums[t][n]);
            }
        }
    }
}

/// Applies the epilogue to a vector of sums.
#[inline(always)]
pub(super) fn finished<O: NumOps<f32>>(ops: O, sum: O::Simd, residual: Option<&[f32]>, bound: Option<f32>) -> O::Simd {
    let sum = match residual {
        Some(residual) => ops.add(sum, ops.load(residual)),
        None => sum,
    };
    relu(ops, sum, bound)
}

/// Clamps to 0 and the bound, if there is one.
#[inline(always)]
pub(super) fn relu<O: NumOps<f32>>(ops: O, v: O::Simd, bound: Option<f32>) -> O::Simd {
    let Some(bound) = bound else { return v };
    clamped(ops, v, ops.zero(), ops.splat(bound))
}

/// Clamps, and preserves NaN.
#[inline(always)]
pub(super) fn clamped<O: NumOps<f32>>(ops: O, v: O::Simd, low: O::Simd, high: O::Simd) -> O::Simd {
    let v = if returns_second(ops) { ops.max(low, v) } else { ops.select(low, v, ops.lt(v, low)) };
    at_most(ops, v, high)
}

/// Returns the minimum, and preserves NaN.
#[inline(always)]
pub(super) fn at_most<O: NumOps<f32>>(ops: O, v: O::Simd, high: O::Simd) -> O::Simd {
    if returns_second(ops) { ops.min(high, v) } else { ops.select(high, v, ops.gt(v, high)) }
}

/// Whether minimum and maximum return the second operand if one of them is NaN, as with AVX2 and AVX-512. Elsewhere, they may return the
/// number. (The latency of a comparison and a selection is longer.)
#[inline(always)]
pub(super) fn returns_second<O: NumOps<f32>>(ops: O) -> bool {
    ops.len() > 4
}
