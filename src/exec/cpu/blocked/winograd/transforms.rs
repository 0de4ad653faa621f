//! The transforms of tiles and weights.
use super::{FREQUENCIES, FROM, KERNEL, TO};
use crate::cpu::blocked::{BLOCK, ConvShape, Pixel, tile::finished};
use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, NumOps},
};
use std::ops::Range;

/// Returns the first position of each tile.
fn positions(range: Range<usize>, dilation: usize) -> impl Iterator<Item = usize> + Clone {
    let end = range.end;
    range.step_by(TO * dilation).flat_map(move |first| first..(first + dilation).min(end))
}

/// Returns `G w G'` of the kernels of 16 output channels.
pub(super) fn transformed(w: &[Pixel; KERNEL * KERNEL]) -> [Pixel; FREQUENCIES] {
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
pub(super) fn recovered(w: impl Fn(usize) -> f32) -> [f32; KERNEL * KERNEL] {
    let along = |w: [f32; FROM]| [w[0], w[1] - w[2], w[3]];
    let rows: [[f32; KERNEL]; FROM] = std::array::from_fn(|i| along(std::array::from_fn(|j| w(i * FROM + j))));
    let cols: [[f32; KERNEL]; KERNEL] = std::array::from_fn(|j| along(std::array::from_fn(|i| rows[i][j])));
    let error = (0..FREQUENCIES).map(|f| w(f).abs()).fold(0.0, f32::max) * 4.0 * f32::EPSILON;
    std::array::from_fn(|k| Some(cols[k % KERNEL][k / KERNEL]).filter(|w| w.abs() > error).unwrap_or(0.0))
}

/// Computes `B' x B` of the tiles of a plane.
pub(super) struct Forward<'a> {
    pub g: &'a ConvShape,
    pub x: &'a [Pixel],
    /// The rows of the result.
    pub rows: Range<usize>,
    /// The tiles of the first frequency, and the stride of frequencies.
    pub to: &'a mut [Pixel],
    pub stride: usize,
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
pub(super) struct Backward<'a> {
    /// The tiles of the first frequency, and the stride of frequencies.
    pub sums: &'a [Pixel],
    pub stride: usize,
    /// Distance between the rows and between the columns of a tile.
    pub dilation: [usize; 2],
    /// Columns of the result.
    pub cols: usize,
    pub bias: &'a Pixel,
    pub residual: Option<&'a [Pixel]>,
    pub relu: Option<f32>,
    /// Some rows of the result.
    pub out: &'a mut [Pixel],
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
