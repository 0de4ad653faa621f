//! Exponentials of rows, for softmax and attention.
use super::BLOCK;
use rten_simd::{
    Isa, Simd,
    ops::{BitOps, FloatOps, IntOps, NumOps},
};

/// Vectors processed in an interleaved loop to hide latency.
const TOGETHER: usize = 4;

/// The largest number of a row; one that is not a number may be passed over.
#[inline(always)]
pub(super) fn largest<O: NumOps<f32>>(ops: O, row: &[f32]) -> f32 {
    let lanes = ops.len();
    let mut most = [ops.splat(f32::NEG_INFINITY); TOGETHER];
    let mut groups = row.chunks_exact(TOGETHER * lanes);
    for group in &mut groups {
        for j in 0..TOGETHER {
            most[j] = ops.max(most[j], ops.load(&group[j * lanes..]));
        }
    }
    let mut vectors = groups.remainder().chunks_exact(lanes);
    for vector in &mut vectors {
        most[0] = ops.max(most[0], ops.load(vector));
    }
    let [a, b, c, d] = most;
    let mut all = [f32::NEG_INFINITY; BLOCK];
    ops.store(ops.max(ops.max(a, b), ops.max(c, d)), &mut all);
    all.iter().chain(vectors.remainder()).copied().fold(f32::NEG_INFINITY, f32::max)
}

/// Each number of a row, of which `most` is the largest, becomes the power of e by what it is less than that; gives their sum.
/// With `keep` the row stays as it is.
#[inline(always)]
pub(super) fn powers<I: Isa>(isa: I, row: &mut [f32], most: f32, keep: bool) -> f32 {
    let (ops, all) = (isa.f32(), isa.f32().splat(most));
    let lanes = ops.len();
    let mut sums = [ops.zero(); TOGETHER];
    let mut groups = row.chunks_exact_mut(TOGETHER * lanes);
    for group in &mut groups {
        for j in 0..TOGETHER {
            let power = power(isa, ops.sub(ops.load(&group[j * lanes..]), all));
            sums[j] = ops.add(sums[j], power);
            if !keep {
                ops.store(power, &mut group[j * lanes..]);
            }
        }
    }
    let mut vectors = groups.into_remainder().chunks_exact_mut(lanes);
    for vector in &mut vectors {
        let power = power(isa, ops.sub(ops.load(vector), all));
        sums[0] = ops.add(sums[0], power);
        if !keep {
            ops.store(power, vector);
        }
    }
    let rest = vectors.into_remainder();
    if !rest.is_empty() {
        let mut padded = [f32::NEG_INFINITY; BLOCK];
        padded[..rest.len()].copy_from_slice(rest);
        let power = power(isa, ops.sub(ops.load(&padded), all));
        sums[0] = ops.add(sums[0], power);
        if !keep {
            ops.store(power, &mut padded);
            rest.copy_from_slice(&padded[..rest.len()]);
        }
    }
    let [a, b, c, d] = sums;
    ops.sum(ops.add(ops.add(a, b), ops.add(c, d)))
}

/// Below, powers have less than float32's precision, and are 0: beside 1, the largest of a row, they are nothing, but products
/// with them take many times as long, and a mask of -100 would make them of most scores.
const LEAST: f32 = -87.0;

/// `e^x` of numbers that are 0 or less: `2^k e^r`, where k is whole and r at most ln(2) / 2 from 0. Rounding is that of adding
/// and subtracting 1.5 * 2^23, ln(2) is taken off in two parts (Cody and Waite), and `e^r` is a polynomial whose coefficients
/// are nearly Taylor's (N. Juffa's, as in rten-vecmath, whose own takes numbers of any sign).
#[inline(always)]
fn power<I: Isa>(isa: I, x: I::F32) -> I::F32 {
    let (ops, ints, whole) = (isa.f32(), isa.i32(), isa.f32().splat(12_582_912.0));
    let k = ops.sub(ops.mul_add(x, ops.splat(std::f32::consts::LOG2_E), whole), whole);
    let r = ops.mul_add(k, ops.splat(-0.693_145_75), x);
    let r = ops.mul_add(k, ops.splat(-1.428_606_8e-6), r);
    let mut sum = ops.splat(1.378_059_4e-3);
    for coefficient in [8.373_124_5e-3, 4.166_953_6e-2, 0.166_664_72, 0.499_999_85, 1.0, 1.0] {
        sum = ops.mul_add(sum, r, ops.splat(coefficient));
    }
    let exponent = ints.shift_left::<23>(ints.add(ops.to_int_trunc(k), ints.splat(127)));
    let power = ops.mul(sum, exponent.reinterpret_cast());
    ops.select(ops.zero(), power, ops.lt(x, ops.splat(LEAST)))
}
