//! Products of bytes with AVX2, for right-hand matrices whose elements are small enough.
//!
//! An instruction multiplies uint8 with int8 and sums products by twos, in int16, which saturates. Another one sums the results by
//! twos in int32. If the elements allow it, the results of two groups are added in int16 before (a *quad*), which saves a quarter of
//! the multiplications. Quads are found for each block of columns when a matrix is packed, and come before its other groups.
//! Networks that were quantized to weights of 7 bits for such processors consist of quads.
#![allow(unsafe_code, reason = "functions for an instruction set are called; docs/safety.md lists it")]
use super::{
    ByteOperand,
    panel::{Accumulate, Epilogue, GROUP, Line, Sums, Vectors256},
};
use rayon::prelude::*;
use std::arch::x86_64::*;

/// Maximum number of rows that are computed together: their sums, and some operands, occupy the 16 registers.
pub(super) const ROWS: usize = 4;

/// The largest sum of elements whose products with uint8 have a sum that fits in 16 bits.
const MAX_SUM: i16 = i16::MAX / u8::MAX as i16;

/// The order of the groups of a block of columns.
pub(super) struct Order {
    /// The first group of each quad, then the other groups.
    groups: Vec<u32>,
    quads: usize,
}

/// Groups of four bytes whose products are added by twos, or by fours, in 16 bits.
#[derive(Clone, Copy)]
pub(super) struct Pairs;

/// Multiplies rows of `lines.len()` groups by a block of columns.
#[target_feature(enable = "avx2,fma")]
pub(super) fn multiply(
    dot: Vectors256<Pairs>,
    (rows, count): (&[[u8; GROUP]], usize),
    (lines, order): (&[Line], &Order),
    begin: &Sums,
    epilogue: &mut impl Epilogue<Vectors256<Pairs>>,
) {
    let tiles = count.div_ceil(ROWS);
    let mut row = 0;
    for i in 0..tiles {
        let n = count / tiles + usize::from(i < count % tiles);
        let rows = &rows[row * lines.len()..][..n * lines.len()];
        macro_rules! tile {
            ($r:expr) => {
                complete::<{ $r }>(dot, rows, (lines, order), begin, (row, epilogue))
            };
        }
        match n {
            1 => tile!(1),
            2 => tile!(2),
            3 => tile!(3),
            _ => tile!(ROWS),
        }
        row += n;
    }
}

/// Multiplies `R` rows. It is a function of its own for each `R`, so that the compiler keeps more in registers.
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
fn complete<const R: usize>(
    dot: Vectors256<Pairs>,
    rows: &[[u8; GROUP]],
    (lines, order): (&[Line], &Order),
    begin: &Sums,
    (row, epilogue): (usize, &mut impl Epilogue<Vectors256<Pairs>>),
) {
    epilogue.complete(dot, tile::<R>(dot, rows, lines, order, begin), row, 0);
}

/// Whether sums of products of any uint8 with these elements fit in 16 bits.
fn fits(elements: impl Iterator<Item = i16> + Clone) -> bool {
    let positive: i16 = elements.clone().map(|v| v.max(0)).sum();
    let negative: i16 = elements.map(|v| (-v).max(0)).sum();
    positive.max(negative) <= MAX_SUM
}

/// Whether a right-hand matrix of `k` x `n` bytes, or n x k if it is `transposed`, can be multiplied so: its elements are int8, and
/// sums of products of any uint8 with two elements of a column that follow each other fit in 16 bits.
pub(super) fn all_fit(right: ByteOperand, bytes: &[u8], [k, n]: [usize; 2], transposed: bool) -> bool {
    let element = |byte: u8| i16::from(byte ^ right.flip) - i16::from(right.zero);
    // Weights of 7 bits fit all.
    let extremes = bytes.iter().fold((u8::MAX, 0), |(low, high), byte| {
        let byte = byte ^ right.flip;
        (byte.min(low), byte.max(high))
    });
    if [extremes.0, extremes.1].iter().all(|byte| i16::from(byte.abs_diff(right.zero)) <= MAX_SUM / 2) {
        return true;
    }
    let fit = |a: &u8, b: &u8| {
        let pair = [a, b].map(|byte| element(*byte));
        pair.iter().all(|v| i8::try_from(*v).is_ok()) && fits(pair.into_iter())
    };
    let fits_alone = |a: &u8| fit(a, &(right.zero ^ right.flip));
    // Folds, so that the compiler makes them loops of vectors.
    match transposed {
        true => bytes.par_chunks(k).all(|column| {
            let (pairs, rest) = column.as_chunks::<2>();
            pairs.iter().fold(true, |all, [a, b]| all & fit(a, b)) && rest.iter().all(fits_alone)
        }),
        false => bytes.par_chunks(2 * n).all(|rows| match rows.split_at(n) {
            (only, []) => only.iter().all(fits_alone),
            (first, second) => first.iter().zip(second).fold(true, |all, (a, b)| all & fit(a, b)),
        }),
    }
}

/// Whether two groups of all columns are a quad.
fn is_quad(first: &Line, second: &Line) -> bool {
    let mut largest = 0;
    for (a, b) in first.0.iter().zip(&second.0) {
        for i in [0, 2] {
            let all = [a[i], a[i + 1], b[i], b[i + 1]].map(|v| i16::from(v.cast_signed()));
            let (mut positive, mut negative) = (0, 0);
            for v in all {
                positive += v.max(0);
                negative -= v.min(0);
            }
            largest = largest.max(positive).max(negative);
        }
    }
    largest <= MAX_SUM
}

impl Order {
    /// Finds the quads of a block, and moves the lines to their order.
    pub fn new(lines: &mut [Line]) -> Order {
        let (mut quads, mut others, mut at) = (Vec::new(), Vec::new(), 0);
        while at < lines.len() {
            match lines.get(at + 1) {
                Some(next) if is_quad(&lines[at], next) => {
                    quads.push(at as u32);
                    at += 2;
                }
                _ => {
                    others.push(at as u32);
                    at += 1;
                }
            }
        }
        let moved = quads.iter().flat_map(|at| [*at, at + 1]).chain(others.iter().copied());
        let moved: Vec<Line> = moved.map(|at| lines[at as usize]).collect();
        lines.copy_from_slice(&moved);
        let count = quads.len();
        quads.append(&mut others);
        Order { groups: quads, quads: count }
    }
}

/// Computes `R` rows. The length of every loop except those over groups is known at compile time, so that the sums stay in registers.
#[inline(always)]
fn tile<const R: usize>(
    dot: Vectors256<Pairs>,
    rows: &[[u8; GROUP]],
    lines: &[Line],
    order: &Order,
    begin: &Sums,
) -> [[[__m256i; 2]; 1]; R] {
    let n = lines.len();
    let mut left = [rows; R];
    for r in 0..R {
        left[r] = &rows[r * n..][..n];
    }
    let mut sums = [[dot.load(begin)]; R];
    let (of_quads, of_others) = lines.split_at(2 * order.quads);
    let (quads, others) = order.groups.split_at(order.quads);
    for (at, lines) in quads.iter().zip(of_quads.as_chunks::<2>().0) {
        let at = *at as usize;
        if at + 1 >= n {
            break;
        }
        for r in 0..R {
            let (first, second) = (dot.splat(left[r][at]), dot.splat(left[r][at + 1]));
            for half in 0..2 {
                let pairs = dot.add_words(dot.pairs(first, &lines[0], half), dot.pairs(second, &lines[1], half));
                sums[r][0][half] = dot.add_pairs(sums[r][0][half], pairs);
            }
        }
    }
    for (at, line) in others.iter().zip(of_others) {
        let at = *at as usize;
        if at >= n {
            break;
        }
        for r in 0..R {
            let group = dot.splat(left[r][at]);
            for half in 0..2 {
                sums[r][0][half] = dot.add_pairs(sums[r][0][half], dot.pairs(group, line, half));
            }
        }
    }
    sums
}

// Always inlined: otherwise tiles would be returned through memory.
impl Vectors256<Pairs> {
    #[inline(always)]
    fn splat(self, group: [u8; GROUP]) -> __m256i {
        // SAFETY: a `Vectors256` exists only where AVX2 and FMA were found.
        unsafe { _mm256_set1_epi32(i32::from_le_bytes(group)) }
    }
    /// Multiplies a group by one half of a block, and adds the products by twos.
    #[inline(always)]
    fn pairs(self, group: __m256i, line: &Line, half: usize) -> __m256i {
        let halves = line.0.as_chunks::<8>().0;
        // SAFETY: as in `splat`; the array is as large as the vector.
        unsafe { _mm256_maddubs_epi16(group, _mm256_loadu_si256(halves[half].as_ptr().cast())) }
    }
    #[inline(always)]
    fn add_words(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: as in `splat`.
        unsafe { _mm256_add_epi16(a, b) }
    }
    /// Adds sums of two products each to sums of four.
    #[inline(always)]
    fn add_pairs(self, sums: __m256i, pairs: __m256i) -> __m256i {
        // SAFETY: as in `splat`.
        unsafe { _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1))) }
    }
}
