//! Reductions of vectors.
use super::blocked::{fold_lanes, larger, load_padded};
use rten_simd::{Simd, ops::FloatOps};

/// How numbers are combined, in any order.
pub(super) trait Fold: Copy + Sync {
    /// The identity: the result for no numbers.
    const EMPTY: f32;

    fn combine<O: FloatOps<f32>>(self, ops: O, a: O::Simd, b: O::Simd) -> O::Simd;

    fn combine_two(self, a: f32, b: f32) -> f32;

    /// Combines the elements of a row with those of a vector.
    #[inline(always)]
    fn with_row<O: FloatOps<f32>>(self, ops: O, mut found: O::Simd, row: &[f32]) -> O::Simd {
        for at in (0..row.len()).step_by(ops.len()) {
            found = self.combine(ops, found, load_padded(ops, row, at, Self::EMPTY));
        }
        found
    }

    /// Combines the elements of a vector.
    #[inline(always)]
    fn of_vector<V: Simd<Elem = f32>>(self, x: V) -> f32 {
        fold_lanes(x, Self::EMPTY, |a, b| self.combine_two(a, b))
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
