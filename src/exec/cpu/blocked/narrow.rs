//! Convolution in groups of 2, 4 or 8 channels, 16 output channels at once.
//!
//! Each output channel sees the channels of its group only, so each lane has its own weights, as in depthwise convolution: there is one
//! multiply-add per vector for each channel of a group and each element of the kernel. If a vector belongs to one group, the channels of
//! the group are broadcast one after the other. Otherwise, the pixels of a band are first written once for each channel of a group, with
//! that channel of its own group in every lane.
use super::{
    BLOCK, ConvEpilogue, ConvShape, InstructionSet, OnPart, Pixel,
    band::{Band, zero_pixels},
    conv::bias_pixels,
    tile::{OF_4, OF_8, OF_16, finished, with_pixels},
};
use crate::base::Result;
use rayon::prelude::*;
use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, NumOps},
};

/// Bytes of a band that stay in the second-level cache.
const BAND: usize = 128 << 10;

/// A prepared convolution in narrow groups.
pub(super) struct Narrow {
    isa: InstructionSet,
    g: ConvShape,
    /// Channels of a group.
    size: usize,
    /// Ordered by block, channel of the group and kernel element.
    weights: Vec<Pixel>,
    /// One pixel per block.
    bias: Vec<Pixel>,
    relu: Option<f32>,
}

impl Narrow {
    pub fn new(isa: InstructionSet, g: ConvShape, weights: &[f32], end: ConvEpilogue) -> Result<Self> {
        let (size, taps) = (g.ic / g.group, g.taps());
        let mut packed = zero_pixels::<BLOCK>(g.oc.div_ceil(BLOCK).saturating_mul(size * taps))?;
        for (o, weights) in weights.chunks_exact(size * taps).enumerate() {
            let block = &mut packed[o / BLOCK * size * taps..];
            block.iter_mut().zip(weights).for_each(|(p, w)| p[o % BLOCK] = *w);
        }
        // With vectors of 8 lanes, all lanes are in one group, and broadcasting is faster than expanding a band 8 times.
        let isa = if size == 8 { isa.of_8_lanes() } else { isa };
        Ok(Narrow { isa, g, size, weights: packed, bias: bias_pixels(end.bias, 1, g.oc)?, relu: end.relu })
    }

    pub fn run(&self, x: &[Pixel], residual: Option<&[Pixel]>, out: &mut [Pixel], on_part: &OnPart) -> Result<()> {
        let (g, height) = (&self.g, self.height());
        let band = Band::new(g, height);
        let (taps, bands) = (band.taps(), g.rows.output.div_ceil(height));
        let planes = out.chunks_exact_mut(g.pixels());
        let parts: Vec<&mut [Pixel]> = planes.flat_map(|plane| plane.chunks_mut(height * g.cols.output)).collect();
        let scratch = || (Vec::new(), Vec::new());
        let is_one_row = band.width == g.cols.output;
        parts.into_par_iter().enumerate().try_for_each_init(scratch, |(copied, expanded), (i, out)| {
            let (plane, row) = (i / bands, i % bands * height);
            let block = plane % g.oc.div_ceil(BLOCK);
            let first = plane * g.pixels() + row * g.cols.output;
            let x = band.of(&x[plane * g.area()..][..g.area()], (0, row), copied)?;
            let reach = taps.iter().max().unwrap_or(&0) + (out.len() / g.cols.output - 1) * band.width + g.cols.output;
            let x = &x[..x.len().min(reach)];
            let inputs = if self.is_broadcast() {
                Inputs::Pixels(x)
            } else {
                if expanded.len() < self.size * x.len() {
                    *expanded = zero_pixels(self.size * band.plane())?;
                }
                let expanded = &mut expanded[..self.size * x.len()];
                self.isa.run(Expand { x, size: self.size, out: expanded });
                Inputs::Expanded(expanded)
            };
            self.isa.run(Rows {
                inputs,
                size: self.size,
                taps: &taps,
                step: band.width,
                weights: &self.weights[block * self.size * taps.len()..][..self.size * taps.len()],
                bias: &self.bias[block],
                residual: residual.map(|r| &r[first..][..out.len()]),
                relu: self.relu,
                width: if is_one_row { out.len() } else { g.cols.output },
                out: &mut *out,
            });
            on_part(first * BLOCK, out.as_flattened_mut());
            Ok(())
        })
    }

    /// Whether all lanes of a vector are in the same group.
    fn is_broadcast(&self) -> bool {
        self.size >= self.isa.lanes()
    }

    /// Number of bands in memory: one, and if it is expanded, one for each channel of a group.
    fn bands(&self) -> usize {
        if self.is_broadcast() { 1 } else { 1 + self.size }
    }

    /// Bytes of workspace per thread: the bands.
    pub fn workspace(&self) -> u64 {
        let band = Band::new(&self.g, self.height());
        band.plane().saturating_mul(self.bands() * size_of::<Pixel>()) as u64
    }

    /// Number of result rows of a band.
    fn height(&self) -> usize {
        let row = Band::new(&self.g, 1).row().saturating_mul(self.bands() * size_of::<Pixel>());
        (BAND / row).clamp(1, self.g.rows.output)
    }
}

/// Writes the pixels once for each channel of a group of `size` channels: in the i-th of the planes of `out`, each lane has channel
/// i of its group.
struct Expand<'a> {
    x: &'a [Pixel],
    size: usize,
    out: &'a mut [Pixel],
}

impl SimdOp for Expand<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        match self.size {
            2 => self.groups::<2>(),
            4 => self.groups::<4>(),
            _ => self.groups::<8>(),
        }
    }
}

impl Expand<'_> {
    #[inline(always)]
    fn groups<const G: usize>(self) {
        for (i, x) in self.x.iter().enumerate() {
            // Copies, so that the compiler keeps the pixel in registers.
            let x = *x;
            for c in 0..G {
                let mut pixel = [0.0; BLOCK];
                for j in 0..BLOCK {
                    pixel[j] = x[j / G * G + c];
                }
                self.out[c * self.x.len() + i] = pixel;
            }
        }
    }
}

/// The pixels of a band.
#[derive(Clone, Copy)]
enum Inputs<'a> {
    Pixels(&'a [Pixel]),
    /// One plane for each channel of a group.
    Expanded(&'a [Pixel]),
}

/// Rows of one block.
struct Rows<'a> {
    inputs: Inputs<'a>,
    size: usize,
    /// The offset of the first window's pixel for each kernel element.
    taps: &'a [usize],
    /// The distance between rows of the band.
    step: usize,
    /// Ordered by channel of the group and kernel element.
    weights: &'a [Pixel],
    bias: &'a Pixel,
    residual: Option<&'a [Pixel]>,
    relu: Option<f32>,
    /// Number of pixels of a row of the result.
    width: usize,
    out: &'a mut [Pixel],
}

impl SimdOp for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(mut self, isa: I) {
        let ops = isa.f32();
        match ops.len() {
            16 => self.rows::<_, OF_16, 1>(ops),
            8 => self.rows::<_, OF_8, 2>(ops),
            _ => self.rows::<_, OF_4, 4>(ops),
        }
    }
}

impl Rows<'_> {
    /// Computes tiles of at most `M` pixels, each of `V` vectors.
    #[inline(always)]
    fn rows<O: NumOps<f32>, const M: usize, const V: usize>(&mut self, ops: O) {
        let n = self.width.div_ceil(M);
        for row in 0..self.out.len() / self.width {
            let mut col = 0;
            for i in 0..n {
                let pixels = self.width / n + usize::from(i < self.width % n);
                let (x, at) = (row * self.step + col, row * self.width + col);
                with_pixels!(pixels, M, T, self.tile::<_, T, V>(ops, x, at));
                col += pixels;
            }
        }
    }
    /// Computes `T` pixels; `x` and `at` are the offsets of the tile in the band and in the result.
    #[inline(always)]
    fn tile<O: NumOps<f32>, const T: usize, const V: usize>(&mut self, ops: O, x: usize, at: usize) {
        let lanes = ops.len();
        let mut sums = [[ops.zero(); V]; T];
        for t in 0..T {
            for v in 0..V {
                sums[t][v] = ops.load(&self.bias[v * lanes..]);
            }
        }
        match (self.inputs, self.size) {
            (Inputs::Pixels(band), 8) => self.broadcast::<_, T, V, 8>(ops, &band[x..], &mut sums),
            (Inputs::Pixels(band), 4) => self.broadcast::<_, T, V, 4>(ops, &band[x..], &mut sums),
            (Inputs::Pixels(band), _) => self.broadcast::<_, T, V, 2>(ops, &band[x..], &mut sums),
            (Inputs::Expanded(planes), _) => {
                let planes = planes.chunks_exact(planes.len() / self.size);
                for (plane, weights) in planes.zip(self.weights.chunks_exact(self.taps.len())) {
                    let x = &plane[x..];
                    for (tap, w) in self.taps.iter().zip(weights) {
                        let x = &x[*tap..][..T];
                        for v in 0..V {
                            let w = ops.load(&w[v * lanes..]);
                            for t in 0..T {
                                sums[t][v] = ops.mul_add(ops.load(&x[t][v * lanes..]), w, sums[t][v]);
                            }
                        }
                    }
                }
            }
        }
        let (out, residual) = (&mut self.out[at..at + T], self.residual.map(|r| &r[at..at + T]));
        for t in 0..T {
            for v in 0..V {
                let sum = finished(ops, sums[t][v], residual.map(|r| &r[t][v * lanes..]), self.relu);
                ops.store(sum, &mut out[t][v * lanes..]);
            }
        }
    }
    /// Adds the products of `T` pixels, each of which has groups of `G` channels, with the weights.
    #[inline(always)]
    fn broadcast<O: NumOps<f32>, const T: usize, const V: usize, const G: usize>(
        &self,
        ops: O,
        x: &[Pixel],
        sums: &mut [[O::Simd; V]; T],
    ) {
        let (lanes, n) = (ops.len(), self.taps.len());
        for (k, tap) in self.taps.iter().enumerate() {
            let x = &x[*tap..][..T];
            for c in 0..G {
                let w = &self.weights[c * n + k];
                for v in 0..V {
                    let (w, channel) = (ops.load(&w[v * lanes..]), v * lanes / G * G + c);
                    for t in 0..T {
                        sums[t][v] = ops.mul_add(ops.splat(x[t][channel]), w, sums[t][v]);
                    }
                }
            }
        }
    }
}
