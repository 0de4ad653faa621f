//! Attention for few queries, without repacking keys and values.
use super::product::Rows;
use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, NumOps},
};

/// The product of a query with each key.
pub(super) struct Dots<'a> {
    pub query: &'a [f32],
    pub keys: Rows<'a>,
    pub scores: &'a mut [f32],
}

impl SimdOp for Dots<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let ops = isa.f32();
        let vectors = self.query.chunks_exact(ops.len());
        let rest = vectors.remainder();
        for (i, score) in self.scores.iter_mut().enumerate() {
            let key = &self.keys.data[i * self.keys.stride..][..self.query.len()];
            let mut sum = ops.zero();
            for (q, k) in vectors.clone().zip(key.chunks_exact(ops.len())) {
                sum = ops.mul_add(ops.load(q), ops.load(k), sum);
            }
            *score = ops.sum(sum);
            for (q, k) in rest.iter().zip(&key[key.len() - rest.len()..]) {
                *score += q * k;
            }
        }
    }
}

/// The weighted sum of the values.
pub(super) struct Weighed<'a, 'o> {
    pub weights: &'a [f32],
    pub values: Rows<'a>,
    pub out: &'o mut [f32],
}

/// Number of vectors of a value that are accumulated at a time.
const SUMMED: usize = 4;

impl SimdOp for Weighed<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let (ops, Rows { data, stride }) = (isa.f32(), self.values);
        let (lanes, weights) = (ops.len(), self.weights);
        let whole = self.out.len() / (SUMMED * lanes) * SUMMED * lanes;
        for first in (0..whole).step_by(SUMMED * lanes) {
            let mut sums = [ops.zero(); SUMMED];
            for (i, weight) in weights.iter().enumerate() {
                let (weight, value) = (ops.splat(*weight), &data[i * stride + first..][..SUMMED * lanes]);
                for j in 0..SUMMED {
                    sums[j] = ops.mul_add(weight, ops.load(&value[j * lanes..]), sums[j]);
                }
            }
            for j in 0..SUMMED {
                ops.store(sums[j], &mut self.out[first + j * lanes..]);
            }
        }
        self.out[whole..].fill(0.0);
        for (i, weight) in weights.iter().enumerate() {
            let value = &data[i * stride + whole..];
            for (out, v) in self.out[whole..].iter_mut().zip(value) {
                *out += weight * v;
            }
        }
    }
}
