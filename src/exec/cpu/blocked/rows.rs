//! Softmax and normalisation of rows, from one memory into another.
use super::BLOCK;
use rten_simd::{
    Isa, SimdOp, SimdUnaryOp,
    ops::{BitOps, NumOps},
};
use rten_vecmath::Exp;

/// Sums that are added to in turn: one alone would wait for itself, and lose more.
const SUMS: usize = 4;

/// A vector of a row, of which `fill` stands for what is beyond its end.
#[inline(always)]
fn load<O: NumOps<f32>>(ops: O, row: &[f32], at: usize, fill: f32) -> O::Simd {
    if at + ops.len() <= row.len() {
        return ops.load(&row[at..]);
    }
    let (mut padded, rest) = ([fill; BLOCK], &row[at..]);
    padded[..rest.len()].copy_from_slice(rest);
    ops.load(&padded)
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

/// A vector of a row by `beta`, of which minus infinity stands for what is beyond its end.
#[inline(always)]
fn scaled<O: NumOps<f32>>(ops: O, row: &[f32], at: usize, beta: f32) -> O::Simd {
    if at + ops.len() <= row.len() {
        return ops.mul(ops.load(&row[at..]), ops.splat(beta));
    }
    let mut padded = [f32::NEG_INFINITY; BLOCK];
    padded.iter_mut().zip(&row[at..]).for_each(|(p, v)| *p = *v * beta);
    ops.load(&padded)
}

/// `exp(beta x) / sum(exp(beta x))` of each row of `n`, or the logarithm of that.
pub(in crate::exec::cpu) struct Softmax<'a> {
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
        let (ops, exp) = (isa.f32(), Exp::default());
        let (lanes, beta) = (ops.len(), self.beta);
        for (from, to) in self.from.chunks(self.n).zip(self.to.chunks_mut(self.n)) {
            let mut largest = [ops.splat(f32::NEG_INFINITY); SUMS];
            let whole = from.len() / (SUMS * lanes) * SUMS * lanes;
            for at in (0..whole).step_by(SUMS * lanes) {
                for j in 0..SUMS {
                    largest[j] = ops.max(largest[j], scaled(ops, from, at + j * lanes, beta));
                }
            }
            for at in (whole..from.len()).step_by(lanes) {
                largest[0] = ops.max(largest[0], scaled(ops, from, at, beta));
            }
            let [a, b, c, d] = largest;
            let mut lanes_of = [f32::NEG_INFINITY; BLOCK];
            ops.store(ops.max(ops.max(a, b), ops.max(c, d)), &mut lanes_of);
            let most = lanes_of.into_iter().fold(f32::NEG_INFINITY, f32::max);
            let (all, mut sum) = (ops.splat(most), ops.zero());
            for at in (0..from.len()).step_by(lanes) {
                let power = exp.eval(isa, ops.sub(scaled(ops, from, at, beta), all));
                sum = ops.add(sum, power);
                store(ops, power, to, at);
            }
            let sum = ops.sum(sum);
            let (factor, shift) = (ops.splat(sum.recip()), ops.splat(most + sum.ln()));
            for at in (0..from.len()).step_by(lanes) {
                let v = if self.log {
                    ops.sub(scaled(ops, from, at, beta), shift)
                } else {
                    ops.mul(load(ops, to, at, 0.0), factor)
                };
                store(ops, v, to, at);
            }
        }
    }
}

/// `(x - mean) / sqrt(variance + eps) * gamma + beta` of each row of `n`; without a mean that is 0, and the variance the mean
/// of squares.
pub(in crate::exec::cpu) struct RowNorm<'a> {
    pub from: &'a [f32],
    pub to: &'a mut [f32],
    pub n: usize,
    pub has_mean: bool,
    pub eps: f32,
    /// An entry for each element of a row.
    pub gamma: Option<&'a [f32]>,
    pub beta: Option<&'a [f32]>,
}

impl SimdOp for RowNorm<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let ops = isa.f32();
        for (from, to) in self.from.chunks(self.n).zip(self.to.chunks_mut(self.n)) {
            let mean = if self.has_mean { powers(ops, from, 0.0, false) / self.n as f32 } else { 0.0 };
            let variance = powers(ops, from, mean, true) / self.n as f32;
            let (mean, scale) = (ops.splat(mean), ops.splat((variance + self.eps).sqrt().recip()));
            for at in (0..from.len()).step_by(ops.len()) {
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

/// The sum of a row's elements less `mean`, or of the squares of these.
#[inline(always)]
fn powers<O: NumOps<f32>>(ops: O, row: &[f32], mean: f32, squared: bool) -> f32 {
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
