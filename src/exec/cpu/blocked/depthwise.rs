//! Depthwise convolution: 16 channels at once, each lane with its own weights.
//!
//! Neighbouring pixels of the result are kept in registers while iterating over the elements of the kernel; each
//! multiply-add loads its own input. A pixel whose window crosses an edge is computed separately, from the elements
//! inside the input. In small planes there would be many such pixels, so these planes are copied with their padding and
//! then have no edges. In large planes, or with a stride, the copy costs more than the edges.
//!
//! If a group has several output channels (a channel multiplier), the lanes of a block read other lanes of the input. Planes are then
//! always copied, with their channels repeated.
use super::{
    Axis, BLOCK, ConvEpilogue, ConvShape, InstructionSet, OnPart, Pixel, band::zero_pixels, conv::bias_pixels,
    tile::finished,
};
use crate::base::Result;
use rayon::prelude::*;
use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, NumOps},
};

/// Maximum size in bytes of a plane that is copied.
const COPIED: usize = 64 << 10;

/// Minimum number of vector multiply-adds per task.
const TASK: usize = 1 << 14;

/// A prepared depthwise convolution.
pub(super) struct Depthwise {
    isa: InstructionSet,
    g: ConvShape,
    /// Ordered by block and kernel element.
    weights: Vec<Pixel>,
    bias: Vec<Pixel>,
    relu: Option<f32>,
    /// Output channels per input channel.
    multiplier: usize,
    /// The axes of the copies of planes, if they are copied.
    copied: Option<[Axis; 2]>,
}

impl Depthwise {
    pub fn new(isa: InstructionSet, g: ConvShape, weights: &[f32], end: ConvEpilogue) -> Result<Self> {
        let blocks = g.oc.div_ceil(BLOCK);
        let mut packed = zero_pixels::<BLOCK>(blocks.saturating_mul(g.taps()))?;
        for (c, weights) in weights.chunks_exact(g.taps()).enumerate() {
            let block = &mut packed[c / BLOCK * g.taps()..];
            block.iter_mut().zip(weights).for_each(|(p, w)| p[c % BLOCK] = *w);
        }
        let padded = [g.rows, g.cols].map(|a| Axis { input: a.len().max(a.input + a.pad), pad: 0, ..a });
        let small = padded[0].input * padded[1].input * size_of::<Pixel>() <= COPIED;
        let is_padded = small && g.rows.stride * g.cols.stride == 1 && padded[1].input > g.cols.input;
        let multiplier = g.oc / g.ic;
        let copied = match is_padded {
            true => Some(padded),
            false => (multiplier > 1).then_some([g.rows, g.cols]),
        };
        Ok(Depthwise {
            isa,
            g,
            multiplier,
            weights: packed,
            bias: bias_pixels(end.bias, 1, g.oc)?,
            relu: end.relu,
            copied,
        })
    }

    pub fn run(&self, x: &[Pixel], residual: Option<&[Pixel]>, out: &mut [Pixel], on_part: &OnPart) -> Result<()> {
        let (g, cols, taps) = (&self.g, self.g.cols.output, self.g.taps());
        let height = match self.copied {
            Some(_) => g.rows.output,
            None => (TASK / cols.saturating_mul(taps)).clamp(1, g.rows.output),
        };
        let bands = g.rows.output.div_ceil(height);
        let planes = out.chunks_exact_mut(g.pixels());
        let parts: Vec<&mut [Pixel]> = planes.flat_map(|plane| plane.chunks_mut(height * cols)).collect();
        parts.into_par_iter().enumerate().try_for_each_init(Vec::new, |scratch, (i, out)| {
            let (plane, row) = (i / bands, i % bands * height);
            let blocks = g.oc.div_ceil(BLOCK);
            let (image, block) = (plane / blocks, plane % blocks);
            let first = plane * g.pixels() + row * cols;
            let residual = residual.map(|r| &r[first..][..out.len()]);
            let weights = &self.weights[block * taps..][..taps];
            let plane_of = |block: usize| &x[(image * g.ic.div_ceil(BLOCK) + block) * g.area()..][..g.area()];
            let (x, [rows, cols]) = match self.copied {
                Some(axes) if self.multiplier > 1 => (self.repeat(plane_of, block, axes, scratch)?, axes),
                Some(axes) => (self.copy(plane_of(block), axes, scratch)?, axes),
                None => (plane_of(block), [g.rows, g.cols]),
            };
            let (bias, relu) = (&self.bias[block], self.relu);
            self.isa.run(Rows { rows, cols, x, weights, bias, residual, relu, row, out: &mut *out });
            on_part(first * BLOCK, out.as_flattened_mut());
            Ok(())
        })
    }

    /// Bytes of workspace per thread: one plane.
    pub fn workspace(&self) -> u64 {
        self.copied.map_or(0, |[rows, cols]| (rows.input * cols.input * size_of::<Pixel>()) as u64)
    }

    /// Copies a plane between its padding, which is still there from the previous plane.
    fn copy<'a>(&self, x: &[Pixel], [rows, cols]: [Axis; 2], scratch: &'a mut Vec<Pixel>) -> Result<&'a [Pixel]> {
        if scratch.is_empty() {
            *scratch = zero_pixels(rows.input * cols.input)?;
        }
        let to = scratch[self.g.rows.pad * cols.input..].chunks_mut(cols.input);
        for (from, to) in x.chunks_exact(self.g.cols.input).zip(to) {
            to[self.g.cols.pad..][..from.len()].copy_from_slice(from);
        }
        Ok(scratch)
    }

    /// Like [`Depthwise::copy`], with each input channel of an output block as often as the block has channels of its group.
    fn repeat<'a, 'x>(
        &self,
        plane_of: impl Fn(usize) -> &'x [Pixel],
        block: usize,
        [rows, cols]: [Axis; 2],
        scratch: &'a mut Vec<Pixel>,
    ) -> Result<&'a [Pixel]> {
        if scratch.is_empty() {
            *scratch = zero_pixels(rows.input * cols.input)?;
        }
        let lanes: [Option<(&[Pixel], usize)>; BLOCK] = std::array::from_fn(|lane| {
            let channel = (block * BLOCK + lane) / self.multiplier;
            (channel < self.g.ic).then(|| (plane_of(channel / BLOCK), channel % BLOCK))
        });
        let (top, left) = (self.g.rows.pad - rows.pad, self.g.cols.pad - cols.pad);
        let lines = scratch[top * cols.input..].chunks_mut(cols.input).take(self.g.rows.input);
        for (row, to) in lines.enumerate() {
            let to = &mut to[left..][..self.g.cols.input];
            for (col, pixel) in to.iter_mut().enumerate() {
                // Lanes beyond the last channel must not hold those of the previous plane: infinite, they would not be 0 times 0.
                *pixel = lanes.map(|lane| lane.map_or(0.0, |(x, from)| x[row * self.g.cols.input + col][from]));
            }
        }
        Ok(scratch)
    }
}

/// Rows of one block, beginning at `row`.
struct Rows<'a> {
    rows: Axis,
    cols: Axis,
    x: &'a [Pixel],
    weights: &'a [Pixel],
    bias: &'a Pixel,
    residual: Option<&'a [Pixel]>,
    relu: Option<f32>,
    row: usize,
    out: &'a mut [Pixel],
}

/// A row of the result, the kernel rows inside the input, and the offset of the row in the part.
#[derive(Clone, Copy)]
struct Row {
    row: usize,
    taps: (usize, usize),
    at: usize,
}

impl SimdOp for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(mut self, isa: I) {
        let ops = isa.f32();
        // Enough accumulators to hide the latency of a multiply-add, but no more than the registers.
        match ops.len() {
            16 => self.rows::<_, 8, 1>(ops),
            8 => self.rows::<_, 5, 2>(ops),
            _ => self.rows::<_, 2, 4>(ops),
        }
    }
}

impl Rows<'_> {
    /// Computes tiles of at most `M` pixels, each of `V` vectors.
    #[inline(always)]
    fn rows<O: NumOps<f32>, const M: usize, const V: usize>(&mut self, ops: O) {
        match self.cols.kernel {
            3 => self.rows_of::<_, M, V, 3>(ops),
            5 => self.rows_of::<_, M, V, 5>(ops),
            _ => self.rows_of::<_, M, V, 0>(ops),
        }
    }
    /// The kernel has `K` columns, or any number of them if `K` is 0.
    #[inline(always)]
    fn rows_of<O: NumOps<f32>, const M: usize, const V: usize, const K: usize>(&mut self, ops: O) {
        let (stride, output) = (self.cols.stride, self.cols.output);
        let (from, to) = self.cols.whole();
        for at in (0..self.out.len()).step_by(output) {
            let row = self.row + at / output;
            let row = Row { row, taps: self.rows.inside(row), at };
            for col in (0..from).chain(to..output) {
                self.alone::<_, V>(ops, row, col);
            }
            let (mut col, n) = (from, (to - from).div_ceil(M));
            for i in 0..n {
                let pixels = (to - from) / n + usize::from(i < (to - from) % n);
                macro_rules! tile {
                    ($($t:literal)*) => { match (pixels, stride) {
                        $(($t, 1) if $t <= M => self.tile::<_, $t, 1, V, K>(ops, row, col),)*
                        $(($t, 2) if $t <= M => self.tile::<_, $t, 2, V, K>(ops, row, col),)*
                        _ => (col..col + pixels).for_each(|col| self.alone::<_, V>(ops, row, col)),
                    } };
                }
                tile!(1 2 3 4 5 6 7 8);
                col += pixels;
            }
        }
    }
    /// Computes `T` pixels from `col` on, whose windows are `S` pixels apart and inside the row.
    #[inline(always)]
    fn tile<O: NumOps<f32>, const T: usize, const S: usize, const V: usize, const K: usize>(
        &mut self,
        ops: O,
        Row { row, taps: (top, bottom), at }: Row,
        col: usize,
    ) {
        let (rows, cols, lanes) = (self.rows, self.cols, ops.len());
        let at = at + col;
        let kernel = if K == 0 { cols.kernel } else { K };
        let mut sums = [[ops.zero(); V]; T];
        for t in 0..T {
            for v in 0..V {
                sums[t][v] = ops.load(&self.bias[v * lanes..]);
            }
        }
        for i in top..bottom {
            let line = (row * rows.stride + i * rows.dilation - rows.pad) * cols.input;
            let x = &self.x[line + col * S - cols.pad..];
            let w = &self.weights[i * kernel..][..kernel];
            for j in 0..kernel {
                let x = &x[j * cols.dilation..][..(T - 1) * S + 1];
                for v in 0..V {
                    let w = ops.load(&w[j][v * lanes..]);
                    for t in 0..T {
                        sums[t][v] = ops.mul_add(ops.load(&x[t * S][v * lanes..]), w, sums[t][v]);
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
    /// Computes a pixel whose window may cross an edge.
    #[inline(always)]
    fn alone<O: NumOps<f32>, const V: usize>(&mut self, ops: O, row: Row, col: usize) {
        let (rows, cols, lanes) = (self.rows, self.cols, ops.len());
        let Row { row, taps: (top, bottom), at } = row;
        let (at, (left, right)) = (at + col, cols.inside(col));
        let mut sums = [ops.zero(); V];
        for v in 0..V {
            sums[v] = ops.load(&self.bias[v * lanes..]);
        }
        for i in top..bottom {
            let line = (row * rows.stride + i * rows.dilation - rows.pad) * cols.input;
            for j in left..right {
                let x = &self.x[line + col * cols.stride + j * cols.dilation - cols.pad];
                let w = &self.weights[i * cols.kernel + j];
                for v in 0..V {
                    sums[v] = ops.mul_add(ops.load(&x[v * lanes..]), ops.load(&w[v * lanes..]), sums[v]);
                }
            }
        }
        for v in 0..V {
            let sum = finished(ops, sums[v], self.residual.map(|r| &r[at][v * lanes..]), self.relu);
            ops.store(sum, &mut self.out[at][v * lanes..]);
        }
    }
}
