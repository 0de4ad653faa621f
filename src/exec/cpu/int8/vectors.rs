//! Vectors of sums: what rounding and storing them takes, with AVX-512 and with AVX2.
#![allow(unsafe_code, reason = "vectors are rounded with intrinsics; docs/safety.md lists it")]
use super::{
    panel::{Accumulate, Avx512Vnni, BLOCK, Sums, Vectors256},
    sums::copy_short,
};
use std::{arch::x86_64::*, slice};

/// The operations on the sums of a block. The value proves that the processor has the instructions.
///
/// No method has closures, which would be compiled without the instruction set.
pub(super) trait Vectors: Accumulate {
    /// A float32 for each column of a block.
    type Floats: Copy;
    fn splat(self, integer: i32) -> Self::Block;
    fn splat_float(self, number: f32) -> Self::Floats;
    fn load_floats(self, numbers: &[f32; BLOCK]) -> Self::Floats;
    /// Returns the bits of `sums * factors + origin`.
    fn multiply_add(self, sums: Self::Block, factors: Self::Floats, origin: Self::Floats) -> Self::Block;
    fn clamp(self, block: Self::Block, bounds: [Self::Block; 2]) -> Self::Block;
    /// Returns `marks | (a ^ b)`.
    fn mark_differences(self, marks: Self::Block, a: Self::Block, b: Self::Block) -> Self::Block;
    fn is_zero(self, block: Self::Block) -> bool;
    /// Returns the lowest byte of each number.
    fn low_bytes(self, block: Self::Block) -> [u8; BLOCK];
    /// Stores the first `n` bytes, fewer than a block has.
    ///
    /// # Safety
    /// `to` is valid for that many.
    unsafe fn store_first_bytes(self, bytes: [u8; BLOCK], to: *mut u8, n: usize);
    /// Stores the first `n` numbers, fewer than a block has.
    ///
    /// # Safety
    /// `to` is valid for that many.
    unsafe fn store_first(self, block: Self::Block, to: *mut i32, n: usize);
}

impl Vectors for Avx512Vnni {
    type Floats = __m512;
    #[inline(always)]
    fn splat(self, integer: i32) -> __m512i {
        // SAFETY: an `Avx512Vnni` exists only where the instructions of all methods were found.
        unsafe { _mm512_set1_epi32(integer) }
    }
    #[inline(always)]
    fn splat_float(self, number: f32) -> __m512 {
        // SAFETY: as in `splat`.
        unsafe { _mm512_set1_ps(number) }
    }
    #[inline(always)]
    fn load_floats(self, numbers: &[f32; BLOCK]) -> __m512 {
        // SAFETY: as in `splat`; the array is as large as the vector.
        unsafe { _mm512_loadu_ps(numbers.as_ptr()) }
    }
    #[inline(always)]
    fn multiply_add(self, sums: __m512i, factors: __m512, origin: __m512) -> __m512i {
        // SAFETY: as in `splat`.
        unsafe { _mm512_castps_si512(_mm512_fmadd_ps(_mm512_cvtepi32_ps(sums), factors, origin)) }
    }
    #[inline(always)]
    fn clamp(self, block: __m512i, [low, high]: [__m512i; 2]) -> __m512i {
        // SAFETY: as in `splat`.
        unsafe { _mm512_min_epi32(_mm512_max_epi32(block, low), high) }
    }
    #[inline(always)]
    fn mark_differences(self, marks: __m512i, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: as in `splat`.
        unsafe { _mm512_ternarylogic_epi32::<0xF6>(marks, a, b) }
    }
    #[inline(always)]
    fn is_zero(self, block: __m512i) -> bool {
        // SAFETY: as in `splat`.
        unsafe { _mm512_test_epi32_mask(block, block) == 0 }
    }
    #[inline(always)]
    fn low_bytes(self, block: __m512i) -> [u8; BLOCK] {
        // SAFETY: as in `splat`.
        bytemuck::cast(unsafe { _mm512_cvtepi32_epi8(block) })
    }
    #[inline(always)]
    unsafe fn store_first_bytes(self, bytes: [u8; BLOCK], to: *mut u8, n: usize) {
        // SAFETY: as in `splat`; the mask has the bits of the first `n`.
        unsafe { _mm_mask_storeu_epi8(to.cast(), (1 << n) - 1, bytemuck::cast(bytes)) };
    }
    #[inline(always)]
    unsafe fn store_first(self, block: __m512i, to: *mut i32, n: usize) {
        // SAFETY: as in `store_first_bytes`.
        unsafe { _mm512_mask_storeu_epi32(to, (1 << n) - 1, block) };
    }
}

impl<M: Copy> Vectors for Vectors256<M> {
    type Floats = [__m256; 2];
    #[inline(always)]
    fn splat(self, integer: i32) -> [__m256i; 2] {
        // SAFETY: a `Vectors256` exists only where AVX2 and FMA were found, which all methods use.
        unsafe { [_mm256_set1_epi32(integer); 2] }
    }
    #[inline(always)]
    fn splat_float(self, number: f32) -> [__m256; 2] {
        // SAFETY: as in `splat`.
        unsafe { [_mm256_set1_ps(number); 2] }
    }
    #[inline(always)]
    fn load_floats(self, numbers: &[f32; BLOCK]) -> [__m256; 2] {
        let [a, b] = [&numbers[..8], &numbers[8..]];
        // SAFETY: as in `splat`; the halves are as large as the vectors.
        unsafe { [_mm256_loadu_ps(a.as_ptr()), _mm256_loadu_ps(b.as_ptr())] }
    }
    #[inline(always)]
    fn multiply_add(self, [a, b]: [__m256i; 2], factors: [__m256; 2], origin: [__m256; 2]) -> [__m256i; 2] {
        // SAFETY: as in `splat`.
        unsafe {
            let a = _mm256_fmadd_ps(_mm256_cvtepi32_ps(a), factors[0], origin[0]);
            let b = _mm256_fmadd_ps(_mm256_cvtepi32_ps(b), factors[1], origin[1]);
            [_mm256_castps_si256(a), _mm256_castps_si256(b)]
        }
    }
    #[inline(always)]
    fn clamp(self, [a, b]: [__m256i; 2], [low, high]: [[__m256i; 2]; 2]) -> [__m256i; 2] {
        // SAFETY: as in `splat`.
        unsafe {
            let a = _mm256_min_epi32(_mm256_max_epi32(a, low[0]), high[0]);
            [a, _mm256_min_epi32(_mm256_max_epi32(b, low[1]), high[1])]
        }
    }
    #[inline(always)]
    fn mark_differences(self, marks: [__m256i; 2], a: [__m256i; 2], b: [__m256i; 2]) -> [__m256i; 2] {
        // SAFETY: as in `splat`.
        unsafe {
            let first = _mm256_or_si256(marks[0], _mm256_xor_si256(a[0], b[0]));
            [first, _mm256_or_si256(marks[1], _mm256_xor_si256(a[1], b[1]))]
        }
    }
    #[inline(always)]
    fn is_zero(self, [a, b]: [__m256i; 2]) -> bool {
        // SAFETY: as in `splat`.
        unsafe {
            let all = _mm256_or_si256(a, b);
            _mm256_testz_si256(all, all) == 1
        }
    }
    #[inline(always)]
    fn low_bytes(self, [a, b]: [__m256i; 2]) -> [u8; BLOCK] {
        // SAFETY: as in `splat`.
        unsafe {
            // Words of a0 b0 a1 b1 .., and their low bytes in the first half of each lane: a0..a3 b0..b3, a4..a7 b4..b7.
            let words = _mm256_blend_epi16::<0b1010_1010>(a, _mm256_slli_epi32::<16>(b));
            let lane = _mm_setr_epi8(0, 4, 8, 12, 2, 6, 10, 14, -1, -1, -1, -1, -1, -1, -1, -1);
            let bytes = _mm256_shuffle_epi8(words, _mm256_broadcastsi128_si256(lane));
            bytemuck::cast(_mm_unpacklo_epi32(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256::<1>(bytes)))
        }
    }
    #[inline(always)]
    unsafe fn store_first_bytes(self, bytes: [u8; BLOCK], to: *mut u8, n: usize) {
        // SAFETY: as the caller promises.
        copy_short(&bytes, unsafe { slice::from_raw_parts_mut(to, n) });
    }
    #[inline(always)]
    unsafe fn store_first(self, block: [__m256i; 2], to: *mut i32, n: usize) {
        let mut all: Sums = [0; BLOCK];
        self.store(block, &mut all);
        // SAFETY: as the caller promises.
        copy_short(&all, unsafe { slice::from_raw_parts_mut(to, n) });
    }
}
