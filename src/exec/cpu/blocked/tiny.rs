//! Products of pairs of tiny matrices, of which a tensor may have thousands: preparing each one on its own would take longer than
//! multiplying it.
use super::{BLOCK, InstructionSet, Pixel, task_count, tile::with_pixels};
use crate::cpu::gemm::Mat;
use rayon::prelude::*;
use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, NumOps},
};

/// Maximum number of rows and of columns of a right-hand matrix.
const ROWS: usize = 64;
const COLUMNS: usize = BLOCK;
/// Maximum number of rows of a tile.
const TILE: usize = 8;

/// Left-hand and right-hand matrices of equal sizes.
pub(in crate::cpu) struct TinyMatrices<'a> {
    /// The left-hand matrices, row by row.
    pub left: &'a [f32],
    /// The right-hand matrices, row by row, or column by column if they are `transposed`.
    pub right: &'a [f32],
    pub transposed: bool,
    /// Rows of a left-hand matrix, elements of a sum, and columns of a right-hand matrix.
    pub sizes: [usize; 3],
}

impl TinyMatrices<'_> {
    /// Whether right-hand matrices of `k` rows and `n` columns are tiny.
    pub fn are_tiny([k, n]: [usize; 2]) -> bool {
        (1..=ROWS).contains(&k) && (1..=COLUMNS).contains(&n)
    }

    /// Computes the product of each pair: the indices of its left-hand and its right-hand matrix.
    pub fn multiply(&self, isa: InstructionSet, pairs: &[(usize, usize)], out: &mut [f32]) {
        let [m, k, n] = self.sizes;
        let tasks = task_count(pairs.len().saturating_mul(m * k * COLUMNS));
        let share = pairs.len().div_ceil(tasks).max(1);
        let parts = out.par_chunks_mut((share * m * n).max(1)).zip(pairs.par_chunks(share));
        parts.for_each(|(out, pairs)| isa.run(Products { matrices: self, pairs, out }));
    }
}

/// The products of some pairs.
struct Products<'a> {
    matrices: &'a TinyMatrices<'a>,
    pairs: &'a [(usize, usize)],
    out: &'a mut [f32],
}

impl SimdOp for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let ops = isa.f32();
        match ops.len() {
            16 => self.each::<_, 1>(ops),
            8 => self.each::<_, 2>(ops),
            _ => self.each::<_, 4>(ops),
        }
    }
}

impl Products<'_> {
    /// A row of a right-hand matrix is `N` vectors.
    #[inline(always)]
    fn each<O: NumOps<f32>, const N: usize>(self, ops: O) {
        let Products { matrices: &TinyMatrices { left, right, transposed, sizes: [m, k, n] }, pairs, out } = self;
        let (mut lines, mut last) = ([[0.0; COLUMNS]; ROWS], None);
        for (&(of_left, of_right), out) in pairs.iter().zip(out.chunks_exact_mut(m * n)) {
            if last.replace(of_right) != Some(of_right) {
                let matrix = Mat { data: &right[of_right * k * n..][..k * n], rows: k, cols: n, transposed };
                copy_rows(matrix, &mut lines);
            }
            let rows = &left[of_left * m * k..][..m * k];
            for (x, out) in rows.chunks(TILE * k).zip(out.chunks_mut(TILE * n)) {
                with_pixels!(x.len() / k, TILE, T, tile::<_, T, N>(ops, x, &lines[..k], (out, n)); 1 2 3 4 5 6 7 8)
            }
        }
    }
}

/// Copies the rows of a matrix to the first columns of `lines`.
#[inline(always)]
fn copy_rows(matrix: Mat<f32>, lines: &mut [Pixel; ROWS]) {
    for (row, line) in lines.iter_mut().take(matrix.rows).enumerate() {
        if matrix.transposed {
            for (to, column) in line.iter_mut().zip(matrix.data.chunks_exact(matrix.rows)) {
                *to = column[row];
            }
        } else {
            line[..matrix.cols].copy_from_slice(&matrix.data[row * matrix.cols..][..matrix.cols]);
        }
    }
}

/// Multiplies `T` rows by all lines. Sums beyond the `n` columns are not stored.
#[inline(always)]
fn tile<O: NumOps<f32>, const T: usize, const N: usize>(
    ops: O,
    x: &[f32],
    lines: &[Pixel],
    (out, n): (&mut [f32], usize),
) {
    let (lanes, k) = (ops.len(), lines.len());
    let mut rows = [x; T];
    for t in 0..T {
        rows[t] = &x[t * k..][..k];
    }
    let mut sums = [[ops.zero(); N]; T];
    for (i, line) in lines.iter().enumerate() {
        for t in 0..T {
            let x = ops.splat(rows[t][i]);
            for v in 0..N {
                sums[t][v] = ops.mul_add(x, ops.load(&line[v * lanes..]), sums[t][v]);
            }
        }
    }
    for (sums, out) in sums.into_iter().zip(out.chunks_exact_mut(n)) {
        let mut row = [0.0; COLUMNS];
        for v in 0..N {
            ops.store(sums[v], &mut row[v * lanes..]);
        }
        out.copy_from_slice(&row[..n]);
    }
}
