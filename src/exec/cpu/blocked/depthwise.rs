//! Depthwise convolution: 16 channels at once, each lane with its own weights.
//!
//! Neighboring pixels of the result are kept in registers while iterating over the elements of the kernel. Pixels whose windows
//! cross the left or right edge are computed from the elements inside the input, together with those below them, which lack the
//! same elements.
//!
//! If many windows cross two edges, as in small planes with large kernels, planes are copied into zero-padded ones instead, so that no
//! window crosses an edge.
//!
//! If a group has several output channels (a channel multiplier), the lanes of a block read other lanes of the input. Planes are then
//! copied, with their channels repeated.
//!
//! In a volume, each slice of the result is computed from the slices of the input that its windows see.
use super::{
    Axis, BLOCK, ConvEpilogue, ConvShape, InstructionSet, OnPart, Pixel,
    band::zero_pixels,
    conv::bias_pixels,
    tile::{self, OF_16, clamped, finished, with_pixels},
};
use crate::base::Result;
use rayon::prelude::*;
use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, NumOps},
};
use std::ops::Range;

/// Minimum number of vector multiply-adds per task.
const TASK: usize = 1 << 14;

/// Planes are padded if more than this part of the windows cross two edges. Such windows are computed one by one.
const CORNERS: f64 = 0.05;
/// Planes may grow by this factor at most, since products with the padding are wasted.
const GROWTH: usize = 3;

/// A prepared depthwise convolution.
pub(super) struct Depthwise {
    isa: InstructionSet,
    g: ConvShape,
    /// Ordered by block, slice of the kernel and kernel element.
    weights: Vec<Pixel>,
    bias: Vec<Pixel>,
    relu: Option<f32>,
    /// Output channels per input channel.
    multiplier: usize,
    /// The axes of the padded planes, if planes are padded.
    padded: Option<[Axis; 2]>,
}

/// Returns the number of rows of the result per task.
fn height(g: &ConvShape) -> usize {
    let kernel = g.slices.kernel.saturating_mul(g.taps());
    (TASK / g.cols.output.saturating_mul(kernel)).clamp(1, g.rows.output)
}

/// Returns the axes of the padded planes, or `None` if padding them does not pay.
fn padded_axes(g: &ConvShape) -> Option<[Axis; 2]> {
    let crossing = |axis: Axis| {
        let (from, to) = axis.whole();
        axis.output - (to - from)
    };
    let padded = [g.rows, g.cols].map(|axis| Axis { input: axis.len(), pad: 0, ..axis });
    let has_corners = (crossing(g.rows) * crossing(g.cols)) as f64 > CORNERS * g.pixels() as f64;
    let is_similar = padded[0].input.saturating_mul(padded[1].input) <= GROWTH * g.area();
    // Each task copies the planes that its windows see.
    (g.oc == g.ic && has_corners && is_similar && height(g) == g.rows.output).then_some(padded)
}

impl Depthwise {
    pub fn new(isa: InstructionSet, g: ConvShape, weights: &[f32], end: ConvEpilogue) -> Result<Self> {
        let (blocks, kernel) = (g.oc.div_ceil(BLOCK), g.slices.kernel * g.taps());
        let mut packed = zero_pixels::<BLOCK>(blocks.saturating_mul(kernel))?;
        for (c, weights) in weights.chunks_exact(kernel).enumerate() {
            let block = &mut packed[c / BLOCK * kernel..];
            block.iter_mut().zip(weights).for_each(|(p, w)| p[c % BLOCK] = *w);
        }
        Ok(Depthwise {
            isa,
            g,
            multiplier: g.oc / g.ic,
            padded: padded_axes(&g),
            weights: packed,
            bias: bias_pixels(end.bias, 1, g.oc)?,
            relu: end.relu,
        })
    }

    pub fn run(&self, x: &[Pixel], residual: Option<&[Pixel]>, out: &mut [Pixel], on_part: &OnPart) -> Result<()> {
        let (g, width, taps) = (&self.g, self.g.cols.output, self.g.taps());
        let height = if self.multiplier == 1 { height(g) } else { g.rows.output };
        let bands = g.rows.output.div_ceil(height);
        let planes = out.chunks_exact_mut(g.pixels());
        let parts: Vec<&mut [Pixel]> = planes.flat_map(|plane| plane.chunks_mut(height * width)).collect();
        parts.into_par_iter().enumerate().try_for_each_init(Vec::new, |scratch, (i, out)| {
            let (plane, row) = (i / bands, i % bands * height);
            let (block_of_all, slice) = (plane / g.slices.output, plane % g.slices.output);
            let block = block_of_all % g.oc.div_ceil(BLOCK);
            let (from, to) = g.slices.inside(slice);
            let slices = to - from;
            let first = plane * g.pixels() + row * width;
            let (x, plane_stride) = self.planes(x, block_of_all, (slice, from..to), scratch)?;
            let [rows, cols] = self.padded.unwrap_or([g.rows, g.cols]);
            Band {
                rows,
                cols,
                x,
                slices,
                plane_stride,
                weights: &self.weights[(block * g.slices.kernel + from) * taps..][..slices * taps],
                bias: &self.bias[block],
                residual: residual.map(|r| &r[first..][..out.len()]),
                relu: self.relu,
                row,
                out: &mut *out,
            }
            .run(self.isa);
            on_part(first * BLOCK, out.as_flattened_mut());
            Ok(())
        })
    }

    /// Computes some rows of a block from the input rows `x` that their windows see; `rows` is the axis of these rows. Only for images,
    /// without a channel multiplier.
    pub fn rows(&self, x: &[Pixel], rows: Axis, block: usize, out: &mut [Pixel]) {
        let taps = self.g.taps();
        Band {
            rows,
            cols: self.g.cols,
            x,
            slices: 1,
            plane_stride: 0,
            weights: &self.weights[block * taps..][..taps],
            bias: &self.bias[block],
            residual: None,
            relu: self.relu,
            row: 0,
            out,
        }
        .run(self.isa);
    }

    /// Bytes of workspace per thread: the planes that a window sees, if planes are copied.
    pub fn workspace(&self) -> u64 {
        let planes = if self.copies() { self.most_planes() } else { 0 };
        planes.saturating_mul(self.area() * size_of::<Pixel>()) as u64
    }

    /// Maximum number of planes that a window sees.
    fn most_planes(&self) -> usize {
        self.g.slices.kernel.min(self.g.slices.input)
    }

    /// Whether planes are copied.
    fn copies(&self) -> bool {
        self.padded.is_some() || self.multiplier > 1
    }

    /// Number of pixels of a plane that a task reads.
    fn area(&self) -> usize {
        self.padded.map_or(self.g.area(), |[rows, cols]| rows.input * cols.input)
    }

    /// Returns the planes that the slices `seen` of the kernel see at a slice of the result, and their stride. `block_of_all` is the index
    /// of the output block, counted over all images.
    fn planes<'a>(
        &self,
        x: &'a [Pixel],
        block_of_all: usize,
        (slice, seen): (usize, Range<usize>),
        scratch: &'a mut Vec<Pixel>,
    ) -> Result<(&'a [Pixel], usize)> {
        let (g, blocks) = (&self.g, self.g.oc.div_ceil(BLOCK));
        let (image, block) = (block_of_all / blocks, block_of_all % blocks);
        let first_plane = |block: usize| (image * g.ic.div_ceil(BLOCK) + block) * g.slices.input;
        let mut places = seen.filter_map(|k| g.slices.place(slice, k));
        if !self.copies() {
            let first = places.next().map_or(0, |place| (first_plane(block) + place) * g.area());
            return Ok((&x[first..], g.slices.dilation * g.area()));
        }
        if scratch.is_empty() {
            *scratch = zero_pixels(self.most_planes().saturating_mul(self.area()))?;
        }
        for (place, to) in places.zip(scratch.chunks_exact_mut(self.area())) {
            let plane_of = |block: usize| &x[(first_plane(block) + place) * g.area()..][..g.area()];
            match self.padded {
                Some(axes) => self.pad(plane_of(block), axes, to),
                None => self.repeat(plane_of, block, to),
            }
        }
        Ok((scratch, self.area()))
    }

    /// Copies a plane into a zero-padded one.
    fn pad(&self, plane: &[Pixel], [_, cols]: [Axis; 2], to: &mut [Pixel]) {
        let left = self.g.cols.pad.min(cols.input);
        let width = self.g.cols.input.min(cols.input - left);
        let inside = to.chunks_exact_mut(cols.input).skip(self.g.rows.pad);
        for (to, from) in inside.zip(plane.chunks_exact(self.g.cols.input)) {
            to[left..left + width].copy_from_slice(&from[..width]);
        }
    }

    /// Copies a plane, with each input channel of an output block as often as the block has channels of its group.
    fn repeat<'x>(&self, plane_of: impl Fn(usize) -> &'x [Pixel], block: usize, to: &mut [Pixel]) {
        let lanes: [Option<(&[Pixel], usize)>; BLOCK] = std::array::from_fn(|lane| {
            let channel = (block * BLOCK + lane) / self.multiplier;
            (channel < self.g.ic).then(|| (plane_of(channel / BLOCK), channel % BLOCK))
        });
        for (i, pixel) in to.iter_mut().enumerate() {
            // Lanes beyond the last channel must not hold those of the previous plane: infinite, they would not be 0 times 0.
            *pixel = lanes.map(|lane| lane.map_or(0.0, |(x, from)| x[i][from]));
        }
    }
}

/// Rows of one block, beginning at `row`.
struct Band<'a> {
    rows: Axis,
    cols: Axis,
    /// Begins at the first input plane that the windows see.
    x: &'a [Pixel],
    /// Number of planes that they see: one for each slice of the kernel that is inside the input.
    slices: usize,
    /// The distance between these planes.
    plane_stride: usize,
    /// Ordered by slice and kernel element.
    weights: &'a [Pixel],
    bias: &'a Pixel,
    residual: Option<&'a [Pixel]>,
    relu: Option<f32>,
    row: usize,
    out: &'a mut [Pixel],
}

/// Pixels of the result, next to each other or one below the other, and the ranges of kernel elements that are inside the input for
/// all of them.
#[derive(Clone, Copy)]
struct Pixels {
    /// The first one.
    row: usize,
    col: usize,
    row_taps: (usize, usize),
    col_taps: (usize, usize),
    /// Distances of the pixels in the input and in the result.
    steps: [usize; 2],
}

/// Returns the maximum number of neighboring pixels that [`Band::row_tile`] computes at once, one vector of `lanes` floats of each. They
/// are kept in registers, with the weights of a row of the kernel and the inputs that they share.
fn most_in_row(lanes: usize) -> usize {
    if lanes == 16 || cfg!(target_arch = "aarch64") { OF_16 } else { 8 }
}

impl Band<'_> {
    /// Computes the pixels whose windows are between the left and the right edge, and then the others.
    fn run(mut self, isa: InstructionSet) {
        let (from, to) = self.cols.whole();
        let most = if self.row_kernel() > 0 { most_in_row(isa.lanes()) } else { tile::most_pixels(isa.lanes()) };
        if from < to {
            let tiles = (to - from).div_ceil(most);
            with_pixels!((to - from).div_ceil(tiles), OF_16, T, self.inner::<T>(isa));
        }
        for col in (0..from).chain(to..self.cols.output) {
            self.edge(isa, col);
        }
    }
    /// Returns the number of columns of a kernel for which rows are computed by [`Band::row_tile`], 0 otherwise.
    fn row_kernel(&self) -> usize {
        match (self.cols.stride, self.cols.kernel, self.cols.dilation) {
            (1, columns @ (3 | 5 | 7), 1) | (2, columns @ (3 | 5), 1) => columns,
            _ => 0,
        }
    }
    /// The range of rows that are computed.
    fn range(&self) -> (usize, usize) {
        (self.row, self.row + self.out.len() / self.cols.output)
    }
    /// Computes each row in tiles of `T` pixels.
    fn inner<const T: usize>(&mut self, isa: InstructionSet) {
        match (self.cols.stride, self.row_kernel()) {
            (1, 3) => isa.run(Tiles::<T, 1, 3>(self)),
            (1, 5) => isa.run(Tiles::<T, 1, 5>(self)),
            (1, 7) => isa.run(Tiles::<T, 1, 7>(self)),
            (1, 0) => isa.run(Tiles::<T, 1, 0>(self)),
            (2, 3) => isa.run(Tiles::<T, 2, 3>(self)),
            (2, 5) => isa.run(Tiles::<T, 2, 5>(self)),
            (2, 0) => isa.run(Tiles::<T, 2, 0>(self)),
            _ => isa.run(Tiles::<1, 0, 0>(self)),
        }
    }
    /// Computes a column of pixels whose windows cross the left or right edge.
    fn edge(&mut self, isa: InstructionSet, col: usize) {
        let ((first, end), (from, to)) = (self.range(), self.rows.whole());
        let (from, to) = (from.clamp(first, end), to.clamp(first, end));
        for row in (first..from).chain(to.max(from)..end) {
            self.below::<1>(isa, row, col);
        }
        let most = tile::most_pixels(isa.lanes());
        for row in (from..to).step_by(most) {
            with_pixels!((to - row).min(most), OF_16, T, self.below::<T>(isa, row, col));
        }
    }
    /// Computes `T` pixels, one below the other.
    fn below<const T: usize>(&mut self, isa: InstructionSet, row: usize, col: usize) {
        let steps = [self.rows.stride * self.cols.input, self.cols.output];
        let (row_taps, col_taps) = (self.rows.inside(row), self.cols.inside(col));
        isa.run(Tile::<T> { band: self, pixels: Pixels { row, col, row_taps, col_taps, steps } });
    }
    /// Computes `T` pixels of `V` vectors. Each multiply-add loads its own input.
    #[inline(always)]
    fn tile<O: NumOps<f32>, const T: usize, const V: usize>(&mut self, ops: O, pixels: Pixels) {
        let Pixels { row, col, row_taps: (top, bottom), col_taps: (left, right), steps: [step, out_step] } = pixels;
        let (rows, cols, lanes) = (self.rows, self.cols, ops.len());
        // The compiler drops the sizes that these vectors do not use.
        if T > tile::most_pixels(lanes) {
            return;
        }
        let mut sums = [[ops.zero(); V]; T];
        for t in 0..T {
            for v in 0..V {
                sums[t][v] = ops.load(&self.bias[v * lanes..]);
            }
        }
        let rows_inside = if left < right { top..bottom } else { 0..0 };
        for slice in 0..self.slices {
            let (x, weights) =
                (&self.x[slice * self.plane_stride..], &self.weights[slice * rows.kernel * cols.kernel..]);
            for i in rows_inside.clone() {
                let line = (row * rows.stride + i * rows.dilation - rows.pad) * cols.input + col * cols.stride;
                let x = &x[line + left * cols.dilation - cols.pad..]
                    [..(right - left - 1) * cols.dilation + (T - 1) * step + 1];
                let weights = &weights[i * cols.kernel + left..][..right - left];
                for j in 0..right - left {
                    let x = &x[j * cols.dilation..][..(T - 1) * step + 1];
                    for v in 0..V {
                        let w = ops.load(&weights[j][v * lanes..]);
                        for t in 0..T {
                            sums[t][v] = ops.mul_add(ops.load(&x[t * step][v * lanes..]), w, sums[t][v]);
                        }
                    }
                }
            }
        }
        let at = (row - self.row) * cols.output + col;
        let reach = at..at + (T - 1) * out_step + 1;
        // Each loop does one thing, so that the compiler unrolls it and keeps the sums in registers.
        if let Some(residual) = self.residual {
            let residual = &residual[reach.clone()];
            for t in 0..T {
                for v in 0..V {
                    sums[t][v] = ops.add(sums[t][v], ops.load(&residual[t * out_step][v * lanes..]));
                }
            }
        }
        if let Some(bound) = self.relu {
            let (zero, bound) = (ops.zero(), ops.splat(bound));
            for t in 0..T {
                for v in 0..V {
                    sums[t][v] = clamped(ops, sums[t][v], zero, bound);
                }
            }
        }
        let out = &mut self.out[reach];
        for t in 0..T {
            for v in 0..V {
                ops.store(sums[t][v], &mut out[t * out_step][v * lanes..]);
            }
        }
    }
    /// Computes `T` pixels of a row from `col` on, whose windows are `S` pixels apart. The kernel has `K` columns without gaps, all of them
    /// inside the input, and so are its rows from `top` to `bottom`.
    ///
    /// Vectors are computed one after the other, so that the inputs that neighboring pixels share are loaded once and stay in registers.
    #[inline(always)]
    fn row_tile<O: NumOps<f32>, const T: usize, const S: usize, const K: usize>(
        &mut self,
        ops: O,
        (row, (top, bottom)): (usize, (usize, usize)),
        col: usize,
    ) {
        let (rows, cols, lanes) = (self.rows, self.cols, ops.len());
        // The compiler drops the sizes that these vectors do not use.
        if T > most_in_row(lanes) {
            return;
        }
        let at = (row - self.row) * cols.output + col;
        for first in (0..BLOCK).step_by(lanes) {
            let mut sums = [ops.load(&self.bias[first..]); T];
            for slice in 0..self.slices {
                let (x, weights) = (&self.x[slice * self.plane_stride..], &self.weights[slice * rows.kernel * K..]);
                for i in top..bottom {
                    let line = (row * rows.stride + i * rows.dilation - rows.pad) * cols.input + col * S - cols.pad;
                    let (x, weights) = (&x[line..][..(T - 1) * S + K], &weights[i * K..][..K]);
                    for t in 0..T {
                        for j in 0..K {
                            let w = ops.load(&weights[j][first..]);
                            sums[t] = ops.mul_add(ops.load(&x[t * S + j][first..]), w, sums[t]);
                        }
                    }
                }
            }
            let (out, residual) = (&mut self.out[at..at + T], self.residual.map(|r| &r[at..at + T]));
            for t in 0..T {
                let sum = finished(ops, sums[t], residual.map(|r| &r[t][first..]), self.relu);
                ops.store(sum, &mut out[t][first..]);
            }
        }
    }
}

/// Tiles of `T` pixels in each row of a band, whose windows are `S` pixels apart and between the left and the right edge. The kernel has
/// `K` columns without gaps, or any columns if `K` is 0. The last tile overlaps the one before if they do not fill the row.
///
/// Each size is a separate function. In a single one, the compiler would compute the addresses of all sizes up front, which takes longer
/// than a small plane.
struct Tiles<'t, 'a, const T: usize, const S: usize, const K: usize>(&'t mut Band<'a>);

impl<const T: usize, const S: usize, const K: usize> SimdOp for Tiles<'_, '_, T, S, K> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let Tiles(band) = self;
        let ((first, end), (from, to)) = (band.range(), band.cols.whole());
        for row in first..end {
            let (row_taps, col_taps) = (band.rows.inside(row), (0, band.cols.kernel));
            for col in (from..to).step_by(T) {
                let col = col.min(to - T);
                if K == 0 {
                    let pixels = Pixels { row, col, row_taps, col_taps, steps: [S, 1] };
                    Tile::<T> { band: &mut *band, pixels }.eval(isa);
                } else {
                    band.row_tile::<_, T, S, K>(isa.f32(), (row, row_taps), col);
                }
            }
        }
    }
}

/// A tile of `T` pixels.
struct Tile<'t, 'a, const T: usize> {
    band: &'t mut Band<'a>,
    pixels: Pixels,
}

impl<const T: usize> SimdOp for Tile<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let ops = isa.f32();
        match ops.len() {
            16 => self.band.tile::<_, T, 1>(ops, self.pixels),
            8 => self.band.tile::<_, T, 2>(ops, self.pixels),
            _ => self.band.tile::<_, T, 4>(ops, self.pixels),
        }
    }
}
