//! Max and average pooling, 16 channels at once. Windows are clipped to the input, so no padding is stored.
use super::{
    Axis, BLOCK, InstructionSet, Pixel, clear_beyond,
    tile::{relu, returns_second},
};
use rayon::prelude::*;
use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, FloatOps, NumOps},
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
    pub fn run(&self, x: &[f32], out: &mut [f32]) {
        let (rows, cols, blocks) = (&self.rows, &self.cols, self.channels.div_ceil(BLOCK));
        let (area, pixels) = (rows.input * cols.input, rows.output * cols.output);
        if pixels == 0 || blocks == 0 {
            return;
        }
        let (x, out) = (x.as_chunks::<BLOCK>().0, out.as_chunks_mut::<BLOCK>().0);
        let height = (TASK / cols.output).clamp(1, rows.output);
        let bands = rows.output.div_ceil(height);
        let parts: Vec<&mut [Pixel]> =
            out.chunks_exact_mut(pixels).flat_map(|plane| plane.chunks_mut(height * cols.output)).collect();
        parts.into_par_iter().enumerate().for_each(|(i, out)| {
            let (plane, row) = (i / bands, i % bands * height);
            self.isa.run(Rows { pool: self, x: &x[plane * area..][..area], row, out: &mut *out });
            if plane % blocks == blocks - 1 {
                clear_beyond(self.channels, out);
            }
        });
    }
}

/// Rows of a plane, beginning at `row`.
struct Rows<'a> {
    pool: &'a Pool2d,
    x: &'a [Pixel],
    row: usize,
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
    fn rows<O: FloatOps<f32>, const V: usize>(&mut self, ops: O) {
        let Pool2d { rows, cols, .. } = *self.pool;
        let (from, to) = cols.whole();
        for at in (0..self.out.len()).step_by(cols.output) {
            let row = self.row + at / cols.output;
            let inside = rows.inside(row);
            for col in 0..cols.output {
                // Divisions would take longer than the window itself.
                let taps = if (from..to).contains(&col) { (0, cols.kernel) } else { cols.inside(col) };
                self.window::<O, V>(ops, (row, inside), (col, taps), at + col);
            }
        }
    }
    /// Computes one window: its position along each axis, and the range of its elements inside the input.
    #[inline(always)]
    fn window<O: FloatOps<f32>, const V: usize>(
        &mut self,
        ops: O,
        (row, rows): (usize, (usize, usize)),
        (col, cols): (usize, (usize, usize)),
        at: usize,
    ) {
        let Pool2d { kind, rows: r, cols: c, .. } = *self.pool;
        let n = (rows.1 - rows.0) * (cols.1 - cols.0);
        let begin = match kind {
            PoolKind::Max if n == 0 => f32::MIN,
            PoolKind::Max => f32::NEG_INFINITY,
            PoolKind::Average { .. } => 0.0,
        };
        let mut found = [ops.splat(begin); V];
        for i in rows.0..rows.1 {
            let line = (row * r.stride + i * r.dilation - r.pad) * c.input;
            for first in (cols.0..cols.1).step_by(SECTION) {
                let before = found;
                if kind != PoolKind::Max {
                    found = [ops.zero(); V];
                }
                for j in first..cols.1.min(first + SECTION) {
                    let x = &self.x[line + col * c.stride + j * c.dilation - c.pad];
                    for v in 0..V {
                        let x = ops.load(&x[v * ops.len()..]);
                        found[v] = match kind {
                            PoolKind::Max => larger(ops, found[v], x),
                            PoolKind::Average { .. } => ops.add(found[v], x),
                        };
                    }
                }
                if kind != PoolKind::Max {
                    for v in 0..V {
                        found[v] = ops.add(before[v], found[v]);
                    }
                }
            }
        }
        let elements = match kind {
            PoolKind::Max => 1,
            PoolKind::Average { include_pad: true } => r.kernel * c.kernel,
            PoolKind::Average { include_pad: false } => n.max(1),
        };
        let elements = ops.splat(elements as f32);
        for v in 0..V {
            let value = if kind == PoolKind::Max { found[v] } else { ops.div(found[v], elements) };
            ops.store(relu(ops, value, self.pool.relu), &mut self.out[at][v * ops.len()..]);
        }
    }
}

/// Returns the maximum, or NaN if either is NaN: the maximum of different instruction sets treats NaN differently.
#[inline(always)]
pub(in crate::cpu) fn larger<O: NumOps<f32>>(ops: O, found: O::Simd, x: O::Simd) -> O::Simd {
    let found = if returns_second(ops) { ops.max(x, found) } else { ops.select(x, found, ops.gt(x, found)) };
    ops.select(found, x, ops.eq(x, x))
}
