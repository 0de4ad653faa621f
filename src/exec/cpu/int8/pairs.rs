//! Products of bytes with AVX2, for right-hand matrices whose elements are small enough.
//!
//! An instruction multiplies uint8 with int8 and sums products by twos, in int16, which saturates. Another one sums the results by
//! twos in int32. If the elements allow it, the results of two groups are added in int16 before (a *quad*), which saves a quarter of
//! the multiplications. Quads are found for each block of columns when a matrix is packed, and come before its other groups.
//! Networks that were quantized to weights of 7 bits for such processors consist of quads.
#![allow(unsafe_code, reason = "functions for an instruction set are called; docs/safety.md lists it")]
use super::{
    ByteOperand,
    panel::{Accumulate, Epilogue, GROUP, LeftRows, Line, Sums, Vectors256},
    product::Runs,
};
use rayon::prelude::*;
use std::arch::x86_64::*;

/// Maximum number of rows that are computed together: their sums, and some operands, occupy the 16 registers.
pub(super) const ROWS: usize = 4;

/// The largest sum of elements whose products with uint8 have a sum that fits in 16 bits.
const MAX_SUM: i16 = i16::MAX / u8::MAX as i16;

/// The order of the groups of a block of columns, as their offsets in bytes from the start of a row.
pub(super) struct Order {
    quads: Vec<[u32; 2]>,
    others: Vec<u32>,
    /// Number of bytes up to the end of the last one.
    bytes: usize,
}

/// Groups of four bytes whose products are added by twos, or by fours, in 16 bits.
#[derive(Clone, Copy)]
pub(super) struct Pairs;

/// Multiplies rows by a block of columns.
#[target_feature(enable = "avx2,fma")]
pub(super) fn multiply(
    dot: Vectors256<Pairs>,
    left: &LeftRows,
    (lines, order): (&[Line], &Order),
    begin: &Sums,
    epilogue: &mut impl Epilogue<Vectors256<Pairs>>,
) {
    let (count, mut row) = (left.starts.len(), 0);
    let tiles = count.div_ceil(ROWS);
    for i in 0..tiles {
        let n = count / tiles + usize::from(i < count % tiles);
        macro_rules! tile {
            ($r:expr) => {
                complete::<{ $r }>(dot, left, (lines, order), begin, (row, epilogue))
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
    left: &LeftRows,
    (lines, order): (&[Line], &Order),
    begin: &Sums,
    (row, epilogue): (usize, &mut impl Epilogue<Vectors256<Pairs>>),
) {
    epilogue.complete(dot, tile::<R>(dot, (left, row), lines, order, begin), row, 0);
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
    /// Finds the quads of a block, and moves the lines to their order. Rows are contiguous unless they consist of `runs`.
    pub fn new(lines: &mut [Line], runs: Option<Runs>) -> Order {
        let (mut quads, mut others, mut at) = (Vec::new(), Vec::new(), 0);
        while at < lines.len() {
            match lines.get(at + 1) {
                Some(next) if is_quad(&lines[at], next) => {
                    quads.push([at, at + 1]);
                    at += 2;
                }
                _ => {
                    others.push(at);
                    at += 1;
                }
            }
        }
        let moved: Vec<Line> = quads.as_flattened().iter().chain(&others).map(|at| lines[*at]).collect();
        lines.copy_from_slice(&moved);
        let place = |group: usize| match runs {
            Some(Runs { elements, distance, .. }) => {
                let groups = elements.div_ceil(GROUP);
                (group / groups * distance + group % groups * GROUP) as u32
            }
            None => (group * GROUP) as u32,
        };
        let bytes = lines.len().checked_sub(1).map_or(0, |last| place(last) as usize + GROUP);
        let quads = quads.into_iter().map(|groups| groups.map(place)).collect();
        Order { quads, others: others.into_iter().map(place).collect(), bytes }
    }
}

/// Computes `R` rows. The length of every loop except those over groups is known at compile time, so that the sums stay in registers.
#[inline(always)]
fn tile<const R: usize>(
    dot: Vectors256<Pairs>,
    (left, row): (&LeftRows, usize),
    lines: &[Line],
    order: &Order,
    begin: &Sums,
) -> [[[__m256i; 2]; 1]; R] {
    // A group that lies within these bytes begins before `end`.
    let end = order.bytes.saturating_sub(GROUP - 1);
    let mut rows = [left.bytes; R];
    for r in 0..R {
        rows[r] = &left.bytes[left.starts[row + r]..][..end + GROUP - 1];
    }
    let mut sums = [[dot.load(begin)]; R];
    let (of_quads, of_others) = lines.split_at(2 * order.quads.len());
    for (at, lines) in order.quads.iter().zip(of_quads.as_chunks::<2>().0) {
        let [first, second] = [at[0] as usize, at[1] as usize];
        if first >= end || second >= end {
            break;
        }
        for r in 0..R {
            let (first, second) = (dot.splat(group_at(rows[r], first)), dot.splat(group_at(rows[r], second)));
            for half in 0..2 {
                let pairs = dot.add_words(dot.pairs(first, &lines[0], half), dot.pairs(second, &lines[1], half));
                sums[r][0][half] = dot.add_pairs(sums[r][0][half], pairs);
            }
        }
    }
    for (at, line) in order.others.iter().zip(of_others) {
        let at = *at as usize;
        if at >= end {
            break;
        }
        for r in 0..R {
            let group = dot.splat(group_at(rows[r], at));
            for half in 0..2 {
                sums[r][0][half] = dot.add_pairs(sums[r][0][half], dot.pairs(group, line, half));
            }
        }
    }
    sums
}

/// Returns the group that begins with that byte.
#[inline(always)]
fn group_at(row: &[u8], at: usize) -> [u8; GROUP] {
    [row[at], row[at + 1], row[at + 2], row[at + 3]]
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
