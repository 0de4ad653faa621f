//! Sums of kernel elements times pixels, channel by channel: the inner loop of depthwise convolution.
//!
//! Two elements of the kernel are multiplied at a time: a pixel has a pair of uint8 for each channel, which are widened to int16,
//! and an instruction multiplies them by a pair of weights and adds the products.
#![allow(unsafe_code, reason = "functions for an instruction set are called; docs/safety.md lists it")]
use super::dot::{BLOCK, Sums};
use crate::cpu::blocked::InstructionSet;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// The weights of two kernel elements for each channel of a block, less their zero points.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct WeightPairs(pub [[i16; 2]; BLOCK]);

/// Some windows that are next to each other.
pub(super) struct Windows<'a> {
    /// Pixels of all channels, from the first window's first one on. Channels of a block beyond the last belong to the next pixel.
    pub pixels: &'a [[u8; 2]],
    /// The offset of each pair of kernel elements from the start of its window.
    pub taps: &'a [usize],
    /// The distance between windows.
    pub step: usize,
    /// Ordered by block and pair of kernel elements.
    pub weights: &'a [WeightPairs],
    /// The initial values of the sums, one for each block.
    pub begin: &'a [Sums],
}

/// The instructions that multiply pairs: the value is the proof that this machine has them.
#[derive(Clone, Copy)]
pub(super) enum MultiplyPairs {
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    Plain(Plain),
}

#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(super) struct Avx512(());
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(super) struct Avx2(());
/// The baseline of the architecture.
#[derive(Clone, Copy)]
pub(super) struct Plain;

impl MultiplyPairs {
    pub fn of(isa: InstructionSet) -> MultiplyPairs {
        match isa {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512(_) => MultiplyPairs::Avx512(Avx512(())),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2(_) => MultiplyPairs::Avx2(Avx2(())),
            _ => MultiplyPairs::Plain(Plain),
        }
    }
    /// Computes the sums of all windows, ordered by window and block.
    pub fn sum(self, windows: &Windows, sums: &mut [Sums]) {
        match self {
            // SAFETY: an `Avx512` is made of an `Avx512Isa`, which exists only where these features were found.
            #[cfg(target_arch = "x86_64")]
            MultiplyPairs::Avx512(by) => unsafe { with_avx512(by, windows, sums) },
            // SAFETY: an `Avx2` is made of an `Avx2Isa`, which exists only where this feature was found.
            #[cfg(target_arch = "x86_64")]
            MultiplyPairs::Avx2(by) => unsafe { with_avx2(by, windows, sums) },
            MultiplyPairs::Plain(by) => sum(by, windows, sums),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
fn with_avx512(by: Avx512, windows: &Windows, sums: &mut [Sums]) {
    sum(by, windows, sums);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2(by: Avx2, windows: &Windows, sums: &mut [Sums]) {
    sum(by, windows, sums);
}

#[inline(always)]
fn sum<P: Pairs>(by: P, windows: &Windows, sums: &mut [Sums]) {
    let Windows { pixels, taps, step, weights, begin } = windows;
    for (i, sums) in sums.chunks_exact_mut(begin.len().max(1)).enumerate() {
        let blocks = sums.iter_mut().zip(*begin).zip(weights.chunks_exact(taps.len()));
        for (block, ((sums, begin), weights)) in blocks.enumerate() {
            let window = &pixels[i * step + block * BLOCK..];
            let mut sum = by.load(begin);
            for (tap, weights) in taps.iter().zip(weights) {
                sum = by.add(sum, &window[*tap..].as_chunks().0[0], weights);
            }
            by.store(sum, sums);
        }
    }
}

/// The operations for one block of channels.
trait Pairs: Copy {
    /// The sums of a block, in registers.
    type Block: Copy;
    fn load(self, sums: &Sums) -> Self::Block;
    fn store(self, block: Self::Block, sums: &mut Sums);
    /// Adds the products of each channel to its sum.
    fn add(self, block: Self::Block, x: &[[u8; 2]; BLOCK], weights: &WeightPairs) -> Self::Block;
}

#[cfg(target_arch = "x86_64")]
impl Pairs for Avx512 {
    type Block = __m512i;
    #[inline(always)]
    fn load(self, sums: &Sums) -> __m512i {
        // SAFETY: `self` proves that the instruction exists; the array is as large as the vector.
        unsafe { _mm512_loadu_si512(sums.as_ptr().cast()) }
    }
    #[inline(always)]
    fn store(self, block: __m512i, sums: &mut Sums) {
        // SAFETY: as in `load`.
        unsafe { _mm512_storeu_si512(sums.as_mut_ptr().cast(), block) }
    }
    #[inline(always)]
    fn add(self, block: __m512i, x: &[[u8; 2]; BLOCK], weights: &WeightPairs) -> __m512i {
        // SAFETY: as in `load`.
        unsafe {
            let x = _mm512_cvtepu8_epi16(_mm256_loadu_si256(x.as_ptr().cast()));
            _mm512_add_epi32(block, _mm512_madd_epi16(x, _mm512_loadu_si512(weights.0.as_ptr().cast())))
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    /// Adds the products of half a block.
    #[inline(always)]
    fn add_half(self, sums: __m256i, x: &[[u8; 2]; 8], weights: &[[i16; 2]; 8]) -> __m256i {
        // SAFETY: `self` proves that the instructions exist; the arrays are as large as the vectors.
        unsafe {
            let x = _mm256_cvtepu8_epi16(_mm_loadu_si128(x.as_ptr().cast()));
            _mm256_add_epi32(sums, _mm256_madd_epi16(x, _mm256_loadu_si256(weights.as_ptr().cast())))
        }
    }
}

// No closures here: they would be compiled without the instruction set, and called.
#[cfg(target_arch = "x86_64")]
impl Pairs for Avx2 {
    type Block = [__m256i; 2];
    #[inline(always)]
    fn load(self, sums: &Sums) -> [__m256i; 2] {
        let halves = sums.as_chunks::<8>().0;
        // SAFETY: `self` proves that the instruction exists; the arrays are as large as the vectors.
        unsafe { [_mm256_loadu_si256(halves[0].as_ptr().cast()), _mm256_loadu_si256(halves[1].as_ptr().cast())] }
    }
    #[inline(always)]
    fn store(self, block: [__m256i; 2], sums: &mut Sums) {
        for (half, vector) in sums.as_chunks_mut::<8>().0.iter_mut().zip(block) {
            // SAFETY: as in `load`.
            unsafe { _mm256_storeu_si256(half.as_mut_ptr().cast(), vector) };
        }
    }
    #[inline(always)]
    fn add(self, [first, second]: [__m256i; 2], x: &[[u8; 2]; BLOCK], weights: &WeightPairs) -> [__m256i; 2] {
        let (x, weights) = (x.as_chunks().0, weights.0.as_chunks().0);
        [self.add_half(first, &x[0], &weights[0]), self.add_half(second, &x[1], &weights[1])]
    }
}

impl Pairs for Plain {
    type Block = Sums;
    #[inline(always)]
    fn load(self, sums: &Sums) -> Sums {
        *sums
    }
    #[inline(always)]
    fn store(self, block: Sums, sums: &mut Sums) {
        *sums = block;
    }
    #[inline(always)]
    fn add(self, mut block: Sums, x: &[[u8; 2]; BLOCK], weights: &WeightPairs) -> Sums {
        for ((sum, x), weights) in block.iter_mut().zip(x).zip(weights.0) {
            let products = [0, 1].map(|i| i32::from(x[i]) * i32::from(weights[i]));
            *sum = sum.wrapping_add(products[0]).wrapping_add(products[1]);
        }
        block
    }
}
