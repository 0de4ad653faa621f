//! Sums that are stored, or become bytes, while they are in registers, with AVX-512 and VNNI.
//!
//! The method is that of `rounding`. The sums of a tile with a number near a tie are stored and rounded again by `rounding`, which applies
//! the definition there.
#![allow(unsafe_code, reason = "vectors are rounded with intrinsics; docs/safety.md lists it")]
use super::{
    dot::{self, Avx512Vnni, BLOCK, Epilogue, Panel, Sums},
    product::Panels,
    rounding::Rounding,
    sums::Requantization,
    taps::{self, Windows},
};
use std::arch::x86_64::*;

/// Rounds tiles of sums.
pub(super) struct RoundTiles<'a, 'o> {
    pub to: &'a Requantization,
    /// The column of the first block.
    pub column: usize,
    pub panels: Panels<'a, 'o, u8>,
    /// Scratch memory for the sums of a tile.
    pub sums: &'a mut [Sums],
}

/// Clamps and stores tiles of sums.
pub(super) struct StoreTiles<'a, 'o> {
    pub bounds: (i32, i32),
    pub panels: Panels<'a, 'o, i32>,
}

/// Multiplies a panel and stores the sums.
pub(super) fn multiply_ints(dot: Avx512Vnni, panel: Panel, mut epilogue: StoreTiles) {
    // SAFETY: an `Avx512Vnni` exists only where these features were found.
    unsafe { dot::with_avx512_vnni(dot, panel, &mut epilogue) }
}

/// Multiplies a panel and rounds the sums.
pub(super) fn multiply(dot: Avx512Vnni, panel: Panel, mut epilogue: RoundTiles) {
    // SAFETY: an `Avx512Vnni` exists only where these features were found.
    unsafe { dot::with_avx512_vnni(dot, panel, &mut epilogue) }
}

/// Computes and rounds the sums of windows.
pub(super) fn sum(by: Avx512Vnni, windows: &Windows, mut epilogue: RoundTiles) {
    // SAFETY: an `Avx512Vnni` exists only where these features were found.
    unsafe { taps::with_avx512_vnni(by, windows, &mut epilogue) }
}

/// Repeats a block with constants for indices. The compiler keeps sums in registers only if it knows each index, and it does
/// not unroll long loops.
macro_rules! repeat {
    ($i:ident below $end:ident of [$($n:literal)*] $body:block) => { $({
        const $i: usize = $n;
        if $i < $end $body
    })* };
}

/// Returns the memory of a tile, and how many of its columns all rows have.
#[inline(always)]
fn tile<const R: usize, T>(outs: &mut [&mut [T]], first: usize) -> ([*mut T; R], usize) {
    let (mut columns, mut to) = (usize::MAX, [std::ptr::null_mut(); R]);
    for (to, out) in to.iter_mut().zip(outs) {
        let out = &mut out[first..];
        columns = columns.min(out.len());
        *to = out.as_mut_ptr();
    }
    (to, columns)
}

impl Epilogue<Avx512Vnni> for StoreTiles<'_, '_> {
    #[inline(always)]
    fn complete<const R: usize, const B: usize>(
        &mut self,
        _: Avx512Vnni,
        sums: [[__m512i; B]; R],
        row: usize,
        block: usize,
    ) {
        const { assert!(R <= 12 && B <= 4, "more rows or blocks than are repeated below") };
        let (to, columns) = tile::<R, _>(&mut self.panels.outs[row..row + R], self.panels.first + block * BLOCK);
        // SAFETY: the argument proves that the instructions exist.
        let bounds = unsafe { [_mm512_set1_epi32(self.bounds.0), _mm512_set1_epi32(self.bounds.1)] };
        repeat!(I below B of [0 1 2 3] {
            let left = columns.saturating_sub(I * BLOCK);
            repeat!(J below R of [0 1 2 3 4 5 6 7 8 9 10 11] {
                // SAFETY: as above; every row has that many columns.
                unsafe {
                    let sums = _mm512_min_epi32(_mm512_max_epi32(sums[J][I], bounds[0]), bounds[1]);
                    match left {
                        BLOCK.. => _mm512_storeu_si512(to[J].add(I * BLOCK).cast(), sums),
                        _ => _mm512_mask_storeu_epi32(to[J].wrapping_add(I * BLOCK), (1 << left) - 1, sums),
                    }
                }
            });
        });
    }
}

impl Epilogue<Avx512Vnni> for RoundTiles<'_, '_> {
    #[inline(always)]
    fn complete<const R: usize, const B: usize>(
        &mut self,
        by: Avx512Vnni,
        sums: [[__m512i; B]; R],
        row: usize,
        block: usize,
    ) {
        const { assert!(R <= 12 && B <= 4, "more rows or blocks than are repeated below") };
        let outs = &mut self.panels.outs[row..row + R];
        let [column, first] = [self.column, self.panels.first].map(|first| first + block * BLOCK);
        let (to, columns) = tile::<R, _>(outs, first);
        let [lower, upper] = self.to.factors.each_ref().map(|bounds| bounds[column..].as_chunks::<BLOCK>().0);
        let mut rounder = Rounder::new(by, &self.to.rounding);
        repeat!(I below B of [0 1 2 3] {
            // SAFETY: `by` proves that the instructions exist; vectors are as large as blocks.
            let factors = unsafe { [_mm512_loadu_ps(lower[I].as_ptr()), _mm512_loadu_ps(upper[I].as_ptr())] };
            if (I + 1) * BLOCK <= columns {
                repeat!(J below R of [0 1 2 3 4 5 6 7 8 9 10 11] {
                    let bytes = rounder.round(sums[J][I], factors);
                    // SAFETY: every row has that many columns.
                    unsafe { _mm_storeu_si128(to[J].add(I * BLOCK).cast(), bytes) };
                });
            } else {
                let mask = (1 << columns.saturating_sub(I * BLOCK)) - 1;
                repeat!(J below R of [0 1 2 3 4 5 6 7 8 9 10 11] {
                    let bytes = rounder.round(sums[J][I], factors);
                    // SAFETY: the mask has the bits of columns that every row has.
                    unsafe { _mm_mask_storeu_epi8(to[J].wrapping_add(I * BLOCK).cast(), mask, bytes) };
                });
            }
        });
        if rounder.found_ties() {
            let stored = &mut self.sums[..R * B];
            // SAFETY: the memory is as large as the vectors.
            unsafe { stored.as_mut_ptr().cast::<[[__m512i; B]; R]>().write_unaligned(sums) };
            self.to.write(stored, column, Panels { outs, first });
        }
    }
}

/// Rounds vectors of sums.
struct Rounder {
    origin: __m512,
    low: __m512i,
    high: __m512i,
    /// Not zero after a number near a tie.
    differences: __m512i,
}

impl Rounder {
    #[inline(always)]
    fn new(_: Avx512Vnni, rounding: &Rounding) -> Rounder {
        let [low, high] = rounding.bit_range();
        // SAFETY: an `Avx512Vnni` exists only where these features were found.
        unsafe {
            Rounder {
                origin: _mm512_set1_ps(rounding.origin()),
                low: _mm512_set1_epi32(low),
                high: _mm512_set1_epi32(high),
                differences: _mm512_setzero_si512(),
            }
        }
    }
    #[inline(always)]
    fn round(&mut self, sums: __m512i, [lower, upper]: [__m512; 2]) -> __m128i {
        // SAFETY: as in `new`.
        unsafe {
            let numbers = _mm512_cvtepi32_ps(sums);
            let rounded = _mm512_castps_si512(_mm512_fmadd_ps(numbers, lower, self.origin));
            let other = _mm512_castps_si512(_mm512_fmadd_ps(numbers, upper, self.origin));
            // differences | (rounded ^ other)
            self.differences = _mm512_ternarylogic_epi32::<0xF6>(self.differences, rounded, other);
            _mm512_cvtepi32_epi8(_mm512_min_epi32(_mm512_max_epi32(rounded, self.low), self.high))
        }
    }
    #[inline(always)]
    fn found_ties(&self) -> bool {
        // SAFETY: as in `new`.
        unsafe { _mm512_test_epi32_mask(self.differences, self.differences) != 0 }
    }
}
