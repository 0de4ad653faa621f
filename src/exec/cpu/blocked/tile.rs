//! The inner loop of direct convolution: some neighbouring pixels of the result times one or two blocks of output channels,
//! kept in registers while the input's channels and the kernel's elements go by.
//!
//! For each input number of a pixel, one multiply-add a vector of output channels: with AVX-512 14 pixels x 2 blocks make
//! 28 sums, which with two vectors of weights and one input number fill the 32 registers, and 28 multiply-adds need only 16
//! loads. Other instruction sets have tiles of other sizes by the same reasoning.
use super::{BLOCK, Pixel};
use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, NumOps},
};

/// Weights of a block of output channels. They begin at a cache line: vectors that lie across two take two loads.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct WeightVector(pub Pixel);

/// Pixels of a tile at most, by what fits the registers beside its blocks: 32 vectors of 16 numbers, 16 of 8, and of 4 ARM's 32
/// or 16.
pub(super) const OF_16: usize = 14;
pub(super) const OF_8: usize = 6;
pub(super) const OF_4: usize = if cfg!(target_arch = "aarch64") { 6 } else { 2 };

/// Pixels of a tile at most with vectors of so many numbers.
pub(super) fn most_pixels(lanes: usize) -> usize {
    match lanes {
        16 => OF_16,
        8 => OF_8,
        _ => OF_4,
    }
}

/// Rows of tiles for one or two blocks of output channels, over some of the input channels.
pub(super) struct Sweep<'a, 'o, const C: usize> {
    /// Planes of pixels of `C` channels, the first one's pixel being that of the first window and kernel element.
    pub x: &'a [[f32; C]],
    /// From one plane to the next.
    pub plane: usize,
    /// Where each of the kernel's elements finds its pixel.
    pub taps: &'a [usize],
    /// By plane, kernel element, channel of the plane and block.
    pub weights: &'a [WeightVector],
    /// The weights that come after, which are fetched meanwhile.
    pub next: &'a [WeightVector],
    pub rows: usize,
    /// Pixels of the input from one row to the next.
    pub step: usize,
    /// Pixels of a row of the result.
    pub width: usize,
    /// The rows of the result, a slice a block.
    pub outs: &'a mut [&'o mut [Pixel]],
    /// What the sums begin with, a pixel a block; without it they go on from `outs`.
    pub begin: Option<&'a [Pixel]>,
    /// All has been summed with this.
    pub end: Option<End<'a>>,
}

/// What is done with a sum once it is complete.
#[derive(Clone, Copy)]
pub(super) struct End<'a> {
    /// As `outs`.
    pub residual: &'a [&'a [Pixel]],
    pub relu: Option<f32>,
}

impl<const C: usize> SimdOp for Sweep<'_, '_, C> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(mut self, isa: I) {
        let ops = isa.f32();
        match (ops.len(), self.outs.len()) {
            (16, 2) => self.rows::<_, OF_16, 2, 1>(ops),
            (16, _) => self.rows::<_, OF_16, 1, 1>(ops),
            (8, _) => self.rows::<_, OF_8, 1, 2>(ops),
            _ => self.rows::<_, OF_4, 1, 4>(ops),
        }
    }
}

impl<const C: usize> Sweep<'_, '_, C> {
    /// Tiles of at most `M` pixels, those of a row of nearly the same size.
    #[inline(always)]
    fn rows<O: NumOps<f32>, const M: usize, const B: usize, const V: usize>(&mut self, ops: O) {
        let n = self.width.div_ceil(M);
        let steps = self.rows * n * (self.weights.len() / (B * C));
        let share = self.next.len().div_ceil(steps.max(1));
        for row in 0..self.rows {
            let mut col = 0;
            for i in 0..n {
                let pixels = self.width / n + usize::from(i < self.width % n);
                let (x, at) = (row * self.step + col, row * self.width + col);
                if let Some(begin) = self.begin {
                    let outs = self.outs.iter_mut().zip(begin);
                    outs.for_each(|(out, begin)| out[at..at + pixels].fill(*begin));
                }
                macro_rules! tile {
                    ($($t:literal)*) => { match pixels {
                        $($t if $t <= M => self.tile::<_, $t, B, V>(ops, x, at, share),)*
                        _ => {}
                    } };
                }
                tile!(1 2 3 4 5 6 7 8 9 10 11 12 13 14);
                if let Some(end) = self.end {
                    for (block, out) in self.outs.iter_mut().enumerate() {
                        let residual = end.residual.get(block).map(|r| &r[at..at + pixels]);
                        finish(ops, &mut out[at..at + pixels], residual, end.relu);
                    }
                }
                col += pixels;
            }
        }
    }
    /// Adds to `T` pixels x `B` blocks, each of `V` vectors; `x` and `at` are the tile's places in the input and in the
    /// result. Every loop but those over planes and taps has a length that the compiler knows, or the sums would not be in
    /// registers.
    #[inline(always)]
    fn tile<O: NumOps<f32>, const T: usize, const B: usize, const V: usize>(
        &mut self,
        ops: O,
        x: usize,
        at: usize,
        share: usize,
    ) {
        let lanes = ops.len();
        let mut sums = [[[ops.zero(); V]; B]; T];
        for b in 0..B {
            let out = &self.outs[b][at..at + T];
            for t in 0..T {
                for v in 0..V {
                    sums[t][b][v] = ops.load(&out[t][v * lanes..]);
                }
            }
        }
        let x = Planes { x: &self.x[x..], plane: self.plane, taps: self.taps };
        sums = accumulate(ops, sums, x, self.weights, share, &mut self.next);
        for b in 0..B {
            let out = &mut self.outs[b][at..at + T];
            for t in 0..T {
                for v in 0..V {
                    ops.store(sums[t][b][v], &mut out[t][v * lanes..]);
                }
            }
        }
    }
}

/// Planes of pixels of `C` channels, and where in each of them the first pixel of each of the kernel's elements is.
pub(super) struct Planes<'a, const C: usize> {
    pub x: &'a [[f32; C]],
    /// From one plane to the next.
    pub plane: usize,
    pub taps: &'a [usize],
}

/// The sums of `T` pixels x `B` blocks, of `V` vectors each, and what some planes add to them. Weights are by plane, kernel
/// element, channel of the plane and block; `share` of the lines of `next` are fetched with each element.
#[inline(always)]
pub(super) fn accumulate<O: NumOps<f32>, const C: usize, const T: usize, const B: usize, const V: usize>(
    ops: O,
    mut sums: [[[O::Simd; V]; B]; T],
    Planes { x, plane, taps }: Planes<C>,
    weights: &[WeightVector],
    share: usize,
    next: &mut &[WeightVector],
) -> [[[O::Simd; V]; B]; T] {
    let lanes = ops.len();
    let planes = weights.as_chunks::<B>().0.chunks_exact(taps.len() * C);
    for (i, weights) in planes.enumerate() {
        let x = &x[i * plane..];
        for (tap, weights) in taps.iter().zip(weights.chunks_exact(C)) {
            let x = &x[*tap..][..T];
            // Those of a first layer are few, and its taps short.
            if C > 1 {
                let (now, rest) = next.split_at(share.min(next.len()));
                now.iter().for_each(|line| ops.prefetch(line.0.as_ptr()));
                *next = rest;
            }
            for (c, w) in (0..C).zip(weights) {
                let mut vectors = [[ops.zero(); V]; B];
                for b in 0..B {
                    for v in 0..V {
                        vectors[b][v] = ops.load(&w[b].0[v * lanes..]);
                    }
                }
                for t in 0..T {
                    let x = ops.splat(x[t][c]);
                    for b in 0..B {
                        for v in 0..V {
                            sums[t][b][v] = ops.mul_add(x, vectors[b][v], sums[t][b][v]);
                        }
                    }
                }
            }
        }
    }
    sums
}

/// What follows the sums of some pixels.
#[inline(always)]
pub(super) fn finish<O: NumOps<f32>>(ops: O, out: &mut [Pixel], residual: Option<&[Pixel]>, bound: Option<f32>) {
    let lanes = (0..BLOCK).step_by(ops.len());
    for (i, out) in out.iter_mut().enumerate() {
        for lane in lanes.clone() {
            let mut sum = ops.load(&out[lane..]);
            if let Some(residual) = residual {
                sum = ops.add(sum, ops.load(&residual[i][lane..]));
            }
            ops.store(relu(ops, sum, bound), &mut out[lane..]);
        }
    }
}

/// Between 0 and the bound. Comparisons, not a minimum and maximum: NaN passes through.
#[inline(always)]
pub(super) fn relu<O: NumOps<f32>>(ops: O, v: O::Simd, bound: Option<f32>) -> O::Simd {
    let Some(bound) = bound else { return v };
    let (zero, bound) = (ops.zero(), ops.splat(bound));
    let v = ops.select(zero, v, ops.lt(v, zero));
    ops.select(bound, v, ops.gt(v, bound))
}
