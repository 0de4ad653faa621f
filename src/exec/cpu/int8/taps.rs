//! Sums of kernel elements times pixels, channel by channel: the inner loop of depthwise convolution.
//!
//! Four elements of a kernel's column are multiplied at a time: a pixel has a *group* of four uint8 for each channel, from as many
//! lines, and an instruction multiplies the groups of several channels by their weights and adds the products.
#![allow(unsafe_code, reason = "functions for an instruction set are called; docs/safety.md lists it")]
use super::dot::DotProduct;
use super::panel::{Accumulate, AnyEpilogue, BLOCK, Epilogue, GROUP, Line, Plain, Sums};
#[cfg(target_arch = "x86_64")]
use super::panel::{Avx512Vnni, Multiply, Vectors256, Vnni};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Some windows that are next to each other.
pub(super) struct Windows<'a> {
    /// Pixels of all channels, from the first window's first one on. Channels of a block beyond the last belong to the next pixel.
    pub pixels: &'a [[u8; GROUP]],
    /// The offset of each group of kernel elements from the start of its window.
    pub taps: &'a [usize],
    /// The distance between windows.
    pub step: usize,
    /// The weights of each channel of a block, ordered by block and tap.
    pub weights: &'a [Line],
    /// Number of windows.
    pub count: usize,
    /// The initial values of the sums, one for each block.
    pub begin: &'a [Sums],
}

/// The instructions that multiply groups: the value is the proof that this machine has them.
#[derive(Clone, Copy)]
pub(super) enum GroupProducts {
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni(Avx512Vnni),
    #[cfg(target_arch = "x86_64")]
    AvxVnni(Vectors256<Vnni>),
    #[cfg(target_arch = "x86_64")]
    Avx2(Vectors256<BytePairs>),
    Plain(Plain),
}

/// Groups of four bytes, multiplied in pairs: the sum of two products must fit in 16 bits.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(super) struct BytePairs;

impl GroupProducts {
    /// Returns the variants that use the same instruction sets as these dot products, in the same order.
    pub fn of(dots: Vec<DotProduct>) -> impl Iterator<Item = GroupProducts> {
        dots.into_iter().filter_map(|dot| match dot {
            #[cfg(target_arch = "x86_64")]
            DotProduct::Avx512Vnni(by) => Some(GroupProducts::Avx512Vnni(by)),
            #[cfg(target_arch = "x86_64")]
            DotProduct::AvxVnni(by) => Some(GroupProducts::AvxVnni(by)),
            #[cfg(target_arch = "x86_64")]
            DotProduct::Avx2(by) => Some(GroupProducts::Avx2(by.of_byte_pairs())),
            #[cfg(target_arch = "x86_64")]
            DotProduct::Amx(_) | DotProduct::Avx2Pairs(_) => None,
            DotProduct::Plain(by) => Some(GroupProducts::Plain(by)),
        })
    }
    /// Returns the range of weights that are multiplied at once. Larger weights are split into several.
    pub fn weight_range(self) -> (i16, i16) {
        match self {
            // Two products with 255 fit in 16 bits.
            #[cfg(target_arch = "x86_64")]
            GroupProducts::Avx2(_) => (-64, 64),
            _ => (i8::MIN.into(), i8::MAX.into()),
        }
    }
    /// Computes the sums of all windows.
    pub fn sum(self, windows: &Windows, epilogue: &mut impl AnyEpilogue) {
        match self {
            // SAFETY: an `Avx512Vnni` exists only where these features were found.
            #[cfg(target_arch = "x86_64")]
            GroupProducts::Avx512Vnni(by) => unsafe { with_avx512_vnni(by, windows, epilogue) },
            // SAFETY: a `Vectors256<Vnni>` exists only where these features were found.
            #[cfg(target_arch = "x86_64")]
            GroupProducts::AvxVnni(by) => unsafe { with_avx_vnni(by, windows, epilogue) },
            // SAFETY: a `Vectors256` exists only where AVX2 and FMA were found.
            #[cfg(target_arch = "x86_64")]
            GroupProducts::Avx2(by) => unsafe { with_avx2(by, windows, epilogue) },
            GroupProducts::Plain(by) => sum(by, windows, epilogue),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512vnni")]
fn with_avx512_vnni(by: Avx512Vnni, windows: &Windows, epilogue: &mut impl Epilogue<Avx512Vnni>) {
    sum(by, windows, epilogue);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,avxvnni")]
fn with_avx_vnni(by: Vectors256<Vnni>, windows: &Windows, epilogue: &mut impl Epilogue<Vectors256<Vnni>>) {
    sum(by, windows, epilogue);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn with_avx2(by: Vectors256<BytePairs>, windows: &Windows, epilogue: &mut impl Epilogue<Vectors256<BytePairs>>) {
    sum(by, windows, epilogue);
}

/// Windows that are computed together: their sums are in registers, and a load of weights serves all of them.
const TOGETHER: usize = 4;

#[inline(always)]
fn sum<D: Taps>(by: D, windows: &Windows, epilogue: &mut impl Epilogue<D>) {
    let in_groups = windows.count / TOGETHER * TOGETHER;
    for first in (0..in_groups).step_by(TOGETHER) {
        together::<D, TOGETHER>(by, windows, first, epilogue);
    }
    for window in in_groups..windows.count {
        together::<D, 1>(by, windows, window, epilogue);
    }
}

/// Computes `W` consecutive windows.
#[inline(always)]
fn together<D: Taps, const W: usize>(by: D, windows: &Windows, first: usize, epilogue: &mut impl Epilogue<D>) {
    let Windows { pixels, taps, step, weights, begin, .. } = windows;
    for (block, weights) in weights.chunks_exact(taps.len()).enumerate() {
        let window = &pixels[first * step + block * BLOCK..];
        let mut sums = [[by.load(&begin[block])]; W];
        for (tap, weights) in taps.iter().zip(weights) {
            for (w, [sum]) in sums.iter_mut().enumerate() {
                *sum = by.add(*sum, &window[tap + w * step..].as_chunks().0[0], weights);
            }
        }
        epilogue.complete(by, sums, first, block);
    }
}

/// The products of one block of channels.
trait Taps: Accumulate {
    /// Adds the dot product of each channel's groups to its sum.
    fn add(self, block: Self::Block, x: &[[u8; GROUP]; BLOCK], weights: &Line) -> Self::Block;
}

#[cfg(target_arch = "x86_64")]
impl Taps for Avx512Vnni {
    #[inline(always)]
    fn add(self, block: __m512i, x: &[[u8; GROUP]; BLOCK], weights: &Line) -> __m512i {
        // SAFETY: `self` proves that the instruction exists; the arrays are as large as the vector.
        unsafe {
            let x = _mm512_loadu_si512(x.as_ptr().cast());
            _mm512_dpbusd_epi32(block, x, _mm512_loadu_si512(weights.0.as_ptr().cast()))
        }
    }
}

/// Instructions whose groups consist of bytes.
#[cfg(target_arch = "x86_64")]
trait MultiplyBytes: Multiply {}
#[cfg(target_arch = "x86_64")]
impl MultiplyBytes for Vnni {}
#[cfg(target_arch = "x86_64")]
impl MultiplyBytes for BytePairs {}

#[cfg(target_arch = "x86_64")]
impl Multiply for BytePairs {
    #[inline(always)]
    unsafe fn multiply_add(sum: __m256i, left: __m256i, right: __m256i) -> __m256i {
        // SAFETY: as the caller promises.
        unsafe {
            let pairs = _mm256_maddubs_epi16(left, right);
            _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
        }
    }
}

// No closures here: they would be compiled without the instruction set, and called.
#[cfg(target_arch = "x86_64")]
impl<M: MultiplyBytes> Taps for Vectors256<M> {
    #[inline(always)]
    fn add(self, [first, second]: [__m256i; 2], x: &[[u8; GROUP]; BLOCK], weights: &Line) -> [__m256i; 2] {
        let (x, weights) = (x.as_chunks::<8>().0, weights.0.as_chunks::<8>().0);
        // SAFETY: `self` proves that the instructions exist; the arrays are as large as the vectors.
        unsafe {
            let [a, b] = [_mm256_loadu_si256(x[0].as_ptr().cast()), _mm256_loadu_si256(x[1].as_ptr().cast())];
            let first = M::multiply_add(first, a, _mm256_loadu_si256(weights[0].as_ptr().cast()));
            [first, M::multiply_add(second, b, _mm256_loadu_si256(weights[1].as_ptr().cast()))]
        }
    }
}

impl Taps for Plain {
    #[inline(always)]
    fn add(self, mut block: Sums, x: &[[u8; GROUP]; BLOCK], weights: &Line) -> Sums {
        for ((sum, x), weights) in block.iter_mut().zip(x).zip(&weights.0) {
            for (x, weight) in x.iter().zip(weights) {
                *sum = sum.wrapping_add(i32::from(*x) * i32::from(weight.cast_signed()));
            }
        }
        block
    }
}
