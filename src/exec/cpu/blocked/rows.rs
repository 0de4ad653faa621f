//! Softmax and normalisation of rows, out of place.
use super::{
    BLOCK,
    exp::{powers, scaled},
};
use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, NumOps},
};

/// Number of interleaved accumulators, which hides latency and improves precision.
const SUMS: usize = 4;

/// Loads a vector of a row, padded with `fill` after the end of the row.
#[inline(always)]
fn load<O: NumOps<f32>>(ops: O, row: &[f32], at: usize, fill: f32) -> O::Simd {
    if at + ops.len() <= row.len() {
        return ops.load(&row[at..]);
    }
    let (rest, is_rest) = ops.load_pad(&row[at..]);
    ops.select(rest, ops.splat(fill), is_rest)
}

#[inline(always)]
fn store<O: NumOps<f32>>(ops: O, v: O::Simd, row: &mut [f32], at: usize) {
    if at + ops.len() <= row.len() {
        ops.store(v, &mut row[at..]);
        return;
    }
    let (mut padded, rest) = ([0.0; BLOCK], &mut row[at..]);
    ops.store(v, &mut padded);
    rest.copy_from_slice(&padded[..rest.len()]);
}

/// Computes `exp(beta x) / sum(exp(beta x))` of each row of `n` elements, or its logarithm.
pub(in crate::cpu) struct Softmax<'a> {
    pub from: &'a [f32],
    pub to: &'a mut [f32],
    pub n: usize,
    pub beta: f32,
    pub log: bool,
}

impl SimdOp for Softmax<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let beta = self.beta;
        for (from, to) in self.from.chunks(self.n).zip(self.to.chunks_mut(self.n)) {
            let most = scaled(isa.f32(), from, to, beta);
            let sum = powers(isa, to, most, self.log);
            if self.log {
                let shift = most + sum.ln();
                for v in to {
                    *v -= shift;
                }
            } else {
                let factor = sum.recip();
                for v in to {
                    *v *= factor;
                }
            }
        }
    }
}

/// Computes `(x - mean) / sqrt(variance + eps) * gamma + beta` of each row of `n` elements. Without a mean, the mean is 0
/// and the variance is the mean of the squares.
pub(in crate::cpu) struct RowNorm<'a> {
    pub from: &'a [f32],
    pub to: &'a mut [f32],
    pub n: usize,
    pub has_mean: bool,
    pub eps: f32,
    /// One entry per element of a row.
    pub gamma: Option<&'a [f32]>,
    pub beta: Option<&'a [f32]>,
}

impl SimdOp for RowNorm<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let ops = isa.f32();
        for (from, to) in self.from.chunks(self.n).zip(self.to.chunks_mut(self.n)) {
            let mean = if self.has_mean { moments(ops, from, 0.0, false) / self.n as f32 } else { 0.0 };
            let variance = moments(ops, from, mean, true) / self.n as f32;
            let (mean, scale) = (ops.splat(mean), ops.splat((variance + self.eps).sqrt().recip()));
            for at in (0..from.len()).step_by(ops.len()) {
                // The last vector ends with the row, so it may compute some elements a second time.
                let at = at.min(from.len().saturating_sub(ops.len()));
                let mut v = ops.mul(ops.sub(load(ops, from, at, 0.0), mean), scale);
                match (self.gamma, self.beta) {
                    (Some(gamma), Some(beta)) => {
                        v = ops.mul_add(v, load(ops, gamma, at, 0.0), load(ops, beta, at, 0.0));
                    }
                    (Some(gamma), None) => v = ops.mul(v, load(ops, gamma, at, 0.0)),
                    (None, Some(beta)) => v = ops.add(v, load(ops, beta, at, 0.0)),
                    (None, None) => {}
                }
                store(ops, v, to, at);
            }
        }
    }
}

/// Returns the sum of the elements less `mean`, or of their squares.
#[inline(always)]
fn moments<O: NumOps<f32>>(ops: O, row: &[f32], mean: f32, squared: bool) -> f32 {
    let (lanes, of_all) = (ops.len(), ops.splat(mean));
    let mut sums = [ops.zero(); SUMS];
    let whole = row.len() / (SUMS * lanes) * SUMS * lanes;
    for at in (0..whole).step_by(SUMS * lanes) {
        for j in 0..SUMS {
            let v = ops.sub(ops.load(&row[at + j * lanes..]), of_all);
            sums[j] = if squared { ops.mul_add(v, v, sums[j]) } else { ops.add(sums[j], v) };
        }
    }
    for at in (whole..row.len()).step_by(lanes) {
        let v = ops.sub(load(ops, row, at, mean), of_all);
        sums[0] = if squared { ops.mul_add(v, v, sums[0]) } else { ops.add(sums[0], v) };
    }
    let [a, b, c, d] = sums;
    ops.sum(ops.add(ops.add(a, b), ops.add(c, d)))
}
