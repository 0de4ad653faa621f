//! Reductions of vectors.
use super::blocked::{BLOCK, fold_pixel, larger};
use rten_simd::ops::FloatOps;

/// Number of elements of a row that are combined with each other first.
const SECTION: usize = 1 << 13;

/// How numbers are combined, in any order.
pub(super) trait Fold: Copy + Sync {
    /// The identity: the result for no numbers.
    const EMPTY: f32;

    fn combine<O: FloatOps<f32>>(self, ops: O, a: O::Simd, b: O::Simd) -> O::Simd;

    fn combine_two(self, a: f32, b: f32) -> f32;

    /// Combines the elements of a row, in an order that does not depend on the length of vectors. Long rows are combined in sections, since
    /// a float32 that has become large loses the digits of what is added.
    #[inline(always)]
    fn of_row<O: FloatOps<f32>>(self, ops: O, row: &[f32]) -> f32 {
        row.chunks(SECTION).fold(Self::EMPTY, |found, section| self.combine_two(found, self.of_section(ops, section)))
    }

    #[inline(always)]
    fn of_section<O: FloatOps<f32>>(self, ops: O, row: &[f32]) -> f32 {
        let (pixels, rest) = row.as_chunks::<BLOCK>();
        let of_rest = rest.iter().fold(Self::EMPTY, |found, x| self.combine_two(found, *x));
        if pixels.is_empty() {
            return of_rest;
        }
        // A pixel has one, two or four vectors.
        let mut found = [ops.splat(Self::EMPTY); 4];
        for pixel in pixels {
            for (found, x) in found.iter_mut().zip(pixel.chunks_exact(ops.len())) {
                *found = self.combine(ops, *found, ops.load(x));
            }
        }
        let mut all = [Self::EMPTY; BLOCK];
        for (found, all) in found.iter().zip(all.chunks_exact_mut(ops.len())) {
            ops.store(*found, all);
        }
        self.combine_two(fold_pixel(all, |a, b| self.combine_two(a, b)), of_rest)
    }
}

/// The maximum; NaN is larger than every number.
#[derive(Clone, Copy)]
pub(super) struct Largest;

impl Fold for Largest {
    const EMPTY: f32 = f32::NEG_INFINITY;

    #[inline(always)]
    fn combine<O: FloatOps<f32>>(self, ops: O, a: O::Simd, b: O::Simd) -> O::Simd {
        larger(ops, a, b)
    }

    #[inline(always)]
    fn combine_two(self, a: f32, b: f32) -> f32 {
        if b > a || b.is_nan() { b } else { a }
    }
}

#[derive(Clone, Copy)]
pub(super) struct Sum;

impl Fold for Sum {
    const EMPTY: f32 = 0.0;

    #[inline(always)]
    fn combine<O: FloatOps<f32>>(self, ops: O, a: O::Simd, b: O::Simd) -> O::Simd {
        ops.add(a, b)
    }

    #[inline(always)]
    fn combine_two(self, a: f32, b: f32) -> f32 {
        a + b
    }
}
