//! Products of rows with a matrix that is computed in each run: strips of its columns are packed one after the other, into the same memory,
//! since the whole matrix would take as much memory again.
use super::{
    BLOCK, InstructionSet, Pixel,
    product::{Lines, PackedB},
};
use crate::base::Result;

/// Number of elements of the matrix that are packed at a time.
const STRIP: usize = 1 << 20;
/// Panels have up to two blocks.
const COLUMNS: usize = 2 * BLOCK;

/// Returns the number of columns of a strip of a matrix with `k` rows.
fn width(k: usize) -> usize {
    (STRIP / k.max(1)).max(1).next_multiple_of(COLUMNS)
}

/// Number of floats that a strip of a `k` x `n` matrix takes.
pub(in crate::cpu) fn strip_size([k, n]: [usize; 2]) -> usize {
    k.next_multiple_of(BLOCK).saturating_mul(n.next_multiple_of(COLUMNS).min(width(k)))
}

/// Computes `out = rows * matrix` for a `k` x `n` matrix, of which `square` returns the 16 x 16 elements at a row and a column, with zeros
/// outside the matrix.
///
/// # Errors
/// Returns an error if memory runs out.
pub(in crate::cpu) fn product_of_strips(
    isa: InstructionSet,
    rows: &[f32],
    [k, n]: [usize; 2],
    square: impl Fn(usize, usize) -> [Pixel; BLOCK] + Sync,
    out: &mut [f32],
) -> Result<()> {
    let (width, mut lines) = (width(k), Lines::default());
    for first in (0..n).step_by(width) {
        let columns = width.min(n - first);
        let strip = PackedB::within(lines, isa, k, columns, |row, column| square(row, first + column))?;
        strip.product_from(rows, None, out, (first, n))?;
        lines = strip.lines();
    }
    Ok(())
}
