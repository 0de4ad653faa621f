//! Divides the rows and columns of a product's result among tasks.
use super::parallel::{for_each_of, for_each_part};
use crate::base::Result;
use std::ops::Range;

/// Some rows of the result, restricted to some of its columns.
pub(super) struct OutputTile<'a, T> {
    /// The first row.
    pub row: usize,
    /// The first column, counted from the first one that is written.
    pub column: usize,
    /// The columns of each row.
    pub outs: Vec<&'a mut [T]>,
}

/// Calls `compute` for tiles of at most `height` rows and `width` columns. The rows of `out` have `columns` columns, of which some are
/// `written`.
///
/// # Errors
/// Returns an error of `compute`.
pub(super) fn for_each_tile<T: Send>(
    (out, columns): (&mut [T], usize),
    written: Range<usize>,
    [height, width]: [usize; 2],
    compute: impl Fn(OutputTile<T>) -> Result<()> + Sync,
) -> Result<()> {
    let columns = columns.max(1);
    if width < written.len() {
        let rows = out.chunks_mut(columns).map(|row| &mut row[written.clone()]);
        return for_each_part(split(rows, height, width), &compute);
    }
    // Tasks that have whole rows list them themselves, at the same time.
    let size = height * columns;
    let share = out.len().div_ceil(size).div_ceil(rayon::current_num_threads()).max(1);
    let shares = out.chunks_mut(share * size).enumerate();
    let shares = shares.map(|(i, rows)| rows.chunks_mut(size).enumerate().map(move |(j, rows)| (i * share + j, rows)));
    for_each_of(shares.collect(), |(i, rows)| {
        let outs = rows.chunks_mut(columns).map(|row| &mut row[written.clone()]).collect();
        compute(OutputTile { row: i * height, column: 0, outs })
    })
}

/// Splits rows into tiles of `height` rows and `width` columns.
fn split<'a, T>(rows: impl Iterator<Item = &'a mut [T]>, height: usize, width: usize) -> Vec<OutputTile<'a, T>> {
    let mut tiles: Vec<OutputTile<T>> = Vec::new();
    let mut first = 0;
    for (i, row) in rows.enumerate() {
        for (j, out) in row.chunks_mut(width).enumerate() {
            if i % height == 0 {
                first = if j == 0 { tiles.len() } else { first };
                tiles.push(OutputTile { row: i, column: j * width, outs: Vec::with_capacity(height) });
            }
            tiles[first + j].outs.push(out);
        }
    }
    tiles
}
