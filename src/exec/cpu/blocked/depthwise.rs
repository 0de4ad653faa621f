//! Convolution of each channel by itself: 16 channels at once, each lane with its own weights.
//!
//! For a row of the result, tiles of some pixels are kept in registers while the kernel's elements go by: one load of input
//! and one multiply-add a vector, so the second port for loads is left for the weights.
use super::{
    BLOCK, Epilogue, Geometry, InstructionSet, Pixel,
    band::{Band, zero_pixels},
    conv::bias_pixels,
    tile::relu,
};
use crate::base::Result;
use rayon::prelude::*;
use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, NumOps},
};

/// Bytes of input that stay in the first-level cache, or nearly.
const BAND: usize = 48 << 10;

/// A prepared depthwise convolution.
pub(super) struct Depthwise {
    isa: InstructionSet,
    g: Geometry,
    /// By block and kernel element.
    weights: Vec<Pixel>,
    bias: Vec<Pixel>,
    relu: Option<f32>,
    band: Band,
    taps: Vec<usize>,
}

impl Depthwise {
    pub fn new(isa: InstructionSet, g: Geometry, weights: &[f32], end: Epilogue) -> Result<Self> {
        let blocks = g.oc.div_ceil(BLOCK);
        let mut packed = zero_pixels::<BLOCK>(blocks.saturating_mul(g.taps()))?;
        for (c, weights) in weights.chunks_exact(g.taps()).enumerate() {
            let block = &mut packed[c / BLOCK * g.taps()..];
            block.iter_mut().zip(weights).for_each(|(p, w)| p[c % BLOCK] = *w);
        }
        let row = g.cols.input * g.rows.stride * size_of::<Pixel>();
        let band = Band::new(&g, (BAND / row.max(1)).clamp(1, g.rows.output));
        let (bias, taps) = (bias_pixels(end.bias, g.oc)?, band.taps());
        Ok(Depthwise { isa, g, weights: packed, bias, relu: end.relu, band, taps })
    }

    pub fn run(&self, x: &[Pixel], residual: Option<&[Pixel]>, out: &mut [Pixel]) -> Result<()> {
        let (g, cols, blocks) = (&self.g, self.g.cols.output, self.g.oc.div_ceil(BLOCK));
        let bands = g.rows.output.div_ceil(self.band.height);
        let size = self.band.height * cols;
        // A plane is whole bands and a shorter one.
        let planes = out.chunks_exact_mut(g.pixels()).flat_map(|plane| plane.chunks_mut(size));
        let parts: Vec<&mut [Pixel]> = planes.collect();
        parts.into_par_iter().enumerate().with_min_len(1).try_for_each_init(Vec::new, |scratch, (i, out)| {
            let (plane, row) = (i / bands, i % bands * self.band.height);
            let x = self.band.of(&x[plane * g.area()..][..g.area()], row, scratch)?;
            let block = plane % blocks;
            let residual = residual.map(|r| &r[plane * g.pixels() + row * cols..][..out.len()]);
            self.isa.run(Rows {
                x,
                step: self.band.width,
                width: cols,
                taps: &self.taps,
                weights: &self.weights[block * self.taps.len()..][..self.taps.len()],
                bias: &self.bias[block],
                residual,
                relu: self.relu,
                out,
            });
            Ok(())
        })
    }
}

/// Rows of one block.
struct Rows<'a> {
    x: &'a [Pixel],
    /// Pixels of the input from one row to the next.
    step: usize,
    /// Pixels of a row of the result.
    width: usize,
    taps: &'a [usize],
    weights: &'a [Pixel],
    bias: &'a Pixel,
    residual: Option<&'a [Pixel]>,
    relu: Option<f32>,
    out: &'a mut [Pixel],
}

impl SimdOp for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(mut self, isa: I) {
        let ops = isa.f32();
        match ops.len() {
            16 => self.rows::<_, 1>(ops),
            8 => self.rows::<_, 2>(ops),
            _ => self.rows::<_, 4>(ops),
        }
    }
}

impl Rows<'_> {
    #[inline(always)]
    fn rows<O: NumOps<f32>, const V: usize>(&mut self, ops: O) {
        for row in 0..self.out.len() / self.width {
            let (x, at, mut col) = (row * self.step, row * self.width, 0);
            // Sums enough to hide the time that a multiply-add takes, and not more than registers.
            while V <= 2 && col + 7 <= self.width {
                self.tile::<_, 7, V>(ops, x + col, at + col);
                col += 7;
            }
            while col + 3 <= self.width {
                self.tile::<_, 3, V>(ops, x + col, at + col);
                col += 3;
            }
            while col < self.width {
                self.tile::<_, 1, V>(ops, x + col, at + col);
                col += 1;
            }
        }
    }
    /// `T` pixels, each of `V` vectors; `x` and `at` are its places in the input and in the result.
    #[inline(always)]
    fn tile<O: NumOps<f32>, const T: usize, const V: usize>(&mut self, ops: O, x: usize, at: usize) {
        let lanes = ops.len();
        let mut sums = [[ops.zero(); V]; T];
        for sums in &mut sums {
            for v in 0..V {
                sums[v] = ops.load(&self.bias[v * lanes..]);
            }
        }
        for (tap, w) in self.taps.iter().zip(self.weights) {
            let x = &self.x[x + tap..][..T];
            for v in 0..V {
                let w = ops.load(&w[v * lanes..]);
                for t in 0..T {
                    sums[t][v] = ops.mul_add(ops.load(&x[t][v * lanes..]), w, sums[t][v]);
                }
            }
        }
        for t in 0..T {
            for v in 0..V {
                let mut sum = sums[t][v];
                if let Some(residual) = self.residual {
                    sum = ops.add(sum, ops.load(&residual[at + t][v * lanes..]));
                }
                ops.store(relu(ops, sum, self.relu), &mut self.out[at + t][v * lanes..]);
            }
        }
    }
}
