//! Transposes matrices of elements of any type.
use crate::array::Element;
use bytemuck::{cast_slice, cast_slice_mut};
use std::array::from_fn;
use wide::i32x4;

/// Number of rows and columns of a tile: 16 elements of 4 bytes are one cache line, which is read and written at once.
pub(super) const TILE: usize = 16;

/// Maximum number of rows of the result whose tiles take turns.
pub(super) const BAND: usize = 4 * TILE;

/// Number of rows and columns that four vectors hold.
const QUAD: usize = 4;

/// Strides in elements. Both must be positive.
#[derive(Clone, Copy)]
pub(super) struct Strides {
    /// The distance between elements of the operand that become neighbors in a row of the result.
    pub from: usize,
    /// The distance between rows of the result.
    pub to: usize,
}

/// Computes `out[r * to + c] = x[c * from + r]` for all rows and columns of the result.
pub(super) fn write_transposed<T: Element>(x: &[T], out: &mut [T], strides: Strides, rows: usize, columns: usize) {
    match size_of::<T>() {
        1 => wide_tiles(cast_slice(x), cast_slice_mut(out), strides, [rows, columns]),
        4 => tiles(cast_slice(x), cast_slice_mut(out), strides, [rows, columns], words),
        _ => tiles(x, out, strides, [rows, columns], |x, out, by| partial_tile(x, out, by, [TILE; 2])),
    }
}

/// Transposes bytes, by tiles of as many columns as a cache line has. With tiles of 16 columns, the lines of 16 rows would have to stay in
/// the cache until the next tiles complete them; if the distance of rows is a power of two, they would not.
fn wide_tiles(x: &[u8], out: &mut [u8], by: Strides, [rows, columns]: [usize; 2]) {
    const WIDTH: usize = 64;
    for row in (0..rows).step_by(TILE) {
        for column in (0..columns).step_by(WIDTH) {
            let (x, out) = (&x[column * by.from + row..], &mut out[row * by.to + column..]);
            match [TILE.min(rows - row), WIDTH.min(columns - column)] {
                [TILE, WIDTH] => {
                    let mut lines = [[0; WIDTH]; TILE];
                    for at in (0..WIDTH).step_by(TILE) {
                        let tile = transposed(&x[at * by.from..], by.from);
                        lines.iter_mut().zip(&tile).for_each(|(line, part)| line[at..at + TILE].copy_from_slice(part));
                    }
                    out.chunks_mut(by.to).zip(&lines).for_each(|(out, line)| out[..WIDTH].copy_from_slice(line));
                }
                part => tiles(x, out, by, part, bytes),
            }
        }
    }
}

/// Transposes whole tiles with `whole`. Tiles that are neighbors in a row of the operand come one after the other: if its rows are far
/// apart, one of their cache lines often belongs to two tiles, and a page to all of them.
fn tiles<T: Copy>(
    x: &[T],
    out: &mut [T],
    by: Strides,
    [rows, columns]: [usize; 2],
    whole: impl Fn(&[T], &mut [T], Strides),
) {
    for band in (0..rows).step_by(BAND) {
        for column in (0..columns).step_by(TILE) {
            for row in (band..rows.min(band + BAND)).step_by(TILE) {
                let (x, out) = (&x[column * by.from + row..], &mut out[row * by.to + column..]);
                match [TILE.min(rows - row), TILE.min(columns - column)] {
                    [TILE, TILE] => whole(x, out, by),
                    part => partial_tile(x, out, by, part),
                }
            }
        }
    }
}

/// Transposes a tile at the edge, which has fewer rows or columns.
fn partial_tile<T: Copy>(x: &[T], out: &mut [T], by: Strides, [rows, columns]: [usize; 2]) {
    for (r, out) in out.chunks_mut(by.to).take(rows).enumerate() {
        out[..columns].iter_mut().zip(x[r..].iter().step_by(by.from)).for_each(|(o, v)| *o = *v);
    }
}

/// Transposes a tile of elements of 4 bytes.
fn words(x: &[i32], out: &mut [i32], by: Strides) {
    let lines: [&[[i32; QUAD]]; TILE] = from_fn(|c| line(&x[c * by.from..]).as_chunks().0);
    for r in 0..TILE / QUAD {
        let quad = |c: usize| from_fn(|i| i32x4::new(lines[c * QUAD + i][r]));
        let quads: [_; TILE / QUAD] = from_fn(|c| i32x4::transpose(quad(c)));
        for i in 0..QUAD {
            let to = out[(r * QUAD + i) * by.to..].first_chunk_mut::<TILE>().expect("a row").as_chunks_mut().0;
            to.iter_mut().zip(&quads).for_each(|(to, quad)| *to = quad[i].to_array());
        }
    }
}

/// Transposes a tile of bytes.
fn bytes(x: &[u8], out: &mut [u8], by: Strides) {
    let tile = transposed(x, by.from);
    out.chunks_mut(by.to).zip(&tile).for_each(|(out, line)| out[..TILE].copy_from_slice(line));
}

/// Returns the transpose of a tile, whose rows have the distance `stride`. Interleaving its upper and lower half four times transposes it,
/// for which there are vector instructions.
#[inline(always)]
fn transposed(x: &[u8], stride: usize) -> [[u8; TILE]; TILE] {
    const HALF: usize = TILE / 2;
    let mut tile: [[u8; TILE]; TILE] = from_fn(|c| *line(&x[c * stride..]));
    for _ in 0..TILE.ilog2() {
        let from = tile;
        for r in 0..HALF {
            for c in 0..HALF {
                [tile[2 * r][2 * c], tile[2 * r][2 * c + 1]] = [from[r][c], from[r + HALF][c]];
                [tile[2 * r + 1][2 * c], tile[2 * r + 1][2 * c + 1]] = [from[r][c + HALF], from[r + HALF][c + HALF]];
            }
        }
    }
    tile
}

/// Returns the first 16 elements: those of a tile that are contiguous in the operand.
#[inline(always)]
fn line<T>(x: &[T]) -> &[T; TILE] {
    x.first_chunk().expect("a whole tile")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;
    use proptest::prelude::*;

    /// Operand and result have `spare` more columns than the matrices. Those of the result must not change.
    fn check<T: Element>([rows, columns, spare]: [usize; 3], element: impl Fn(usize) -> T) {
        let x = Array2::from_shape_fn([columns, rows + spare], |(c, r)| element(c * (rows + spare) + r));
        let last = element((rows + spare) * columns);
        let mut want = Array2::from_elem([rows, columns + spare], last);
        let mut got = want.clone();
        want.slice_mut(ndarray::s![.., ..columns]).assign(&x.slice(ndarray::s![.., ..rows]).t());
        let strides = Strides { from: rows + spare, to: columns + spare };
        write_transposed(x.as_slice().unwrap(), got.as_slice_mut().unwrap(), strides, rows, columns);
        assert_eq!(got, want);
    }

    proptest! {
        #[test]
        fn elements_of_every_size_are_transposed(size in [1usize..150, 1..70, 0..20]) {
            check(size, |i| (i % 251) as u8);
            check(size, |i| i as u16);
            check(size, |i| i as f32);
            check(size, |i| i as u32);
            check(size, |i| i as u64);
        }
    }
}
