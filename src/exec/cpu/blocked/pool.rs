//! Max and average pooling, 16 channels at once.
//!
//! For a row of results, the rows of its windows are combined first, into one line, whose pixels many windows share. Then the pixels of the
//! line that each window covers are combined. Windows are clipped to the input, so no padding is stored.
use super::{
    Axis, BLOCK, InstructionSet, Pixel,
    band::zero_pixels,
    clear_beyond, for_all_threads,
    tile::{relu, returns_second},
};
use crate::{
    base::Result,
    cpu::fold::{Fold, Largest, Sum},
};
use rayon::prelude::*;
use rten_simd::{
    Isa, SimdOp,
    ops::{FloatOps, NumOps},
};

/// The reduction of a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::cpu) enum PoolKind {
    /// The maximum. NaN is larger than every number; a window that is entirely padding yields the lowest number.
    Max,
    /// The sum, divided by the number of the window's elements.
    Average {
        /// Whether elements in the padding count.
        include_pad: bool,
    },
}

/// Maximum number of elements in a partial sum. Adding partial sums reduces the rounding errors of large windows.
const SECTION: usize = 512;

/// Minimum number of result pixels per task.
const TASK: usize = 1 << 9;

/// A pooling operator.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct Pool2d {
    pub isa: InstructionSet,
    pub kind: PoolKind,
    pub channels: usize,
    pub rows: Axis,
    pub cols: Axis,
    /// Upper bound of a Relu that follows.
    pub relu: Option<f32>,
}

impl Pool2d {
    /// Writes all of `out`.
    ///
    /// # Errors
    /// Returns an error if memory runs out.
    pub fn run(&self, x: &[f32], out: &mut [f32]) -> Result<()> {
        let (rows, cols, blocks) = (&self.rows, &self.cols, self.channels.div_ceil(BLOCK));
        let (area, pixels) = (rows.input * cols.input, rows.output * cols.output);
        if pixels == 0 || blocks == 0 {
            return Ok(());
        }
        let (x, out) = (x.as_chunks::<BLOCK>().0, out.as_chunks_mut::<BLOCK>().0);
        let height = (TASK / cols.output).clamp(1, rows.output);
        let bands = rows.output.div_ceil(height);
        let parts: Vec<&mut [Pixel]> =
            out.chunks_exact_mut(pixels).flat_map(|plane| plane.chunks_mut(height * cols.output)).collect();
        parts.into_par_iter().enumerate().try_for_each_init(Vec::new, |line, (i, out)| {
            let (plane, row) = (i / bands, i % bands * height);
            if line.is_empty() {
                *line = zero_pixels(cols.input)?;
            }
            let (x, results) = (&x[plane * area..][..area], &mut *out);
            match self.kind {
                PoolKind::Max => self.isa.run(Rows { pool: self, fold: Largest, x, row, line, out: results }),
                PoolKind::Average { .. } => self.isa.run(Rows { pool: self, fold: Sum, x, row, line, out: results }),
            }
            if plane % blocks == blocks - 1 {
                clear_beyond(self.channels, out);
            }
            Ok(())
        })
    }

    /// Bytes of workspace: a line per thread.
    pub fn workspace(&self) -> u64 {
        for_all_threads(self.cols.input.saturating_mul(size_of::<Pixel>()) as u64)
    }
}

/// Rows of a plane, beginning at `row`.
struct Rows<'a, F> {
    pool: &'a Pool2d,
    fold: F,
    x: &'a [Pixel],
    row: usize,
    /// Memory for a row of the input.
    line: &'a mut [Pixel],
    out: &'a mut [Pixel],
}

impl<F: Fold> SimdOp for Rows<'_, F> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(mut self, isa: I) {
        let (ops, cols) = (isa.f32(), self.pool.cols);
        for i in 0..self.out.len() / cols.output {
            let (from, to) = self.pool.rows.inside(self.row + i);
            match to - from {
                2 => self.combine_rows::<_, 2>(ops, i, (from, to)),
                3 => self.combine_rows::<_, 3>(ops, i, (from, to)),
                5 => self.combine_rows::<_, 5>(ops, i, (from, to)),
                _ => self.combine_rows::<_, 0>(ops, i, (from, to)),
            }
            match (cols.kernel, cols.dilation) {
                (2, 1) => self.combine_columns::<_, 2>(ops, i, to - from),
                (3, 1) => self.combine_columns::<_, 3>(ops, i, to - from),
                (5, 1) => self.combine_columns::<_, 5>(ops, i, to - from),
                _ => self.combine_columns::<_, 0>(ops, i, to - from),
            }
        }
    }
}

impl<F: Fold> Rows<'_, F> {
    /// Writes the line for row `i` of the results, whose windows have the rows from `from` to `to` inside the input. `N` is their number,
    /// or 0 if it is not known at compile time.
    #[inline(always)]
    fn combine_rows<O: FloatOps<f32>, const N: usize>(&mut self, ops: O, i: usize, (from, to): (usize, usize)) {
        let Pool2d { rows, cols, .. } = *self.pool;
        if from == to {
            return self.line.fill([F::EMPTY; BLOCK]);
        }
        let first = (self.row + i) * rows.stride + from * rows.dilation - rows.pad;
        let x = &self.x[first * cols.input..];
        for (c, pixel) in self.line.iter_mut().enumerate() {
            for lane in (0..BLOCK).step_by(ops.len()) {
                let found = combined::<_, N>(ops, self.fold, &x[c..], lane, to - from, rows.dilation * cols.input);
                ops.store(found, &mut pixel[lane..]);
            }
        }
    }

    /// Writes row `i` of the results, whose windows have `height` rows inside the input. `N` is the number of their columns, which then
    /// have no gaps, or 0 if it is not known at compile time.
    #[inline(always)]
    fn combine_columns<O: FloatOps<f32>, const N: usize>(&mut self, ops: O, i: usize, height: usize) {
        let cols = self.pool.cols;
        let (n, step) = if N == 0 { (cols.kernel, cols.dilation) } else { (N, 1) };
        let (first, end) = cols.whole();
        let out = &mut self.out[i * cols.output..][..cols.output];
        let elements = self.pool.elements(height, n);
        for (col, out) in (first..end).zip(&mut out[first..end]) {
            let window = &self.line[col * cols.stride - cols.pad..][..(n - 1) * step + 1];
            for lane in (0..BLOCK).step_by(ops.len()) {
                let found = combined::<_, N>(ops, self.fold, window, lane, n, step);
                self.pool.store(ops, found, elements, &mut out[lane..]);
            }
        }
        for col in (0..first).chain(end..cols.output) {
            let (from, to) = cols.inside(col);
            let elements = self.pool.elements(height, to - from);
            for lane in (0..BLOCK).step_by(ops.len()) {
                let found = if from < to {
                    let window = &self.line[col * cols.stride + from * step - cols.pad..];
                    combined::<_, 0>(ops, self.fold, window, lane, to - from, step)
                } else {
                    ops.splat(F::EMPTY)
                };
                self.pool.store(ops, found, elements, &mut out[col][lane..]);
            }
        }
    }
}

impl Pool2d {
    /// Returns the number of elements of a window that count, of which some rows and columns are inside the input.
    fn elements(&self, rows: usize, cols: usize) -> usize {
        match self.kind {
            PoolKind::Average { include_pad: true } => self.rows.kernel * self.cols.kernel,
            _ => rows * cols,
        }
    }

    /// Writes the result for the combination of a window's elements.
    #[inline(always)]
    fn store<O: FloatOps<f32>>(&self, ops: O, found: O::Simd, elements: usize, out: &mut [f32]) {
        let value = match self.kind {
            PoolKind::Max if elements == 0 => ops.splat(f32::MIN),
            PoolKind::Max => found,
            PoolKind::Average { .. } => ops.div(found, ops.splat(elements.max(1) as f32)),
        };
        ops.store(relu(ops, value, self.relu), out);
    }
}

/// Combines the lanes from `lane` on of `n` pixels, at least one, at a distance of `step`. `N` is their number, or 0 if it is not known at
/// compile time.
#[inline(always)]
fn combined<O: FloatOps<f32>, const N: usize>(
    ops: O,
    fold: impl Fold,
    x: &[Pixel],
    lane: usize,
    n: usize,
    step: usize,
) -> O::Simd {
    let mut all = ops.load(&x[0][lane..]);
    if N > 0 {
        for i in 1..N {
            all = fold.combine(ops, all, ops.load(&x[i * step][lane..]));
        }
        return all;
    }
    for first in (1..n).step_by(SECTION) {
        let mut found = ops.load(&x[first * step][lane..]);
        for i in first + 1..n.min(first + SECTION) {
            found = fold.combine(ops, found, ops.load(&x[i * step][lane..]));
        }
        all = fold.combine(ops, all, found);
    }
    all
}

/// Returns the maximum, or NaN if either is NaN: the maximum of different instruction sets treats NaN differently.
#[inline(always)]
pub(in crate::cpu) fn larger<O: NumOps<f32>>(ops: O, found: O::Simd, x: O::Simd) -> O::Simd {
    let found = if returns_second(ops) { ops.max(x, found) } else { ops.select(x, found, ops.gt(x, found)) };
    ops.select(found, x, ops.eq(x, x))
}
