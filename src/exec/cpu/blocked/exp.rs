//! Exponentials of rows, for softmax and attention, and the logistic function.
use super::BLOCK;
use rten_simd::{
    Isa, Simd, SimdOp,
    ops::{BitOps, FloatOps, IntOps, NumOps},
};

/// Vectors processed in an interleaved loop to hide latency.
const TOGETHER: usize = 4;

/// Returns the maximum of a row; NaN may be ignored.
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
    // Halves are compared, which takes four steps instead of sixteen.
    for half in [8, 4, 2, 1] {
        for i in 0..half {
            all[i] = all[i].max(all[i + half]);
        }
    }
    vectors.remainder().iter().copied().fold(all[0], f32::max)
}

/// Replaces each `x` of a row, whose maximum is `most`, by `e^(x - most)` and returns the sum. With `keep` the row is not
/// changed.
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

/// Replaces each `x` by `1 / (1 + e^-x)`, or by `x / (1 + e^-x)` (SiLU).
pub(in crate::cpu) struct Logistic<'a> {
    pub values: &'a mut [f32],
    pub times_x: bool,
}

impl SimdOp for Logistic<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let ops = isa.f32();
        let mut vectors = self.values.chunks_exact_mut(ops.len());
        for vector in &mut vectors {
            ops.store(logistic(isa, ops.load(vector), self.times_x), vector);
        }
        let rest = vectors.into_remainder();
        if !rest.is_empty() {
            let mut padded = [0.0; BLOCK];
            padded[..rest.len()].copy_from_slice(rest);
            ops.store(logistic(isa, ops.load(&padded), self.times_x), &mut padded);
            rest.copy_from_slice(&padded[..rest.len()]);
        }
    }
}

#[inline(always)]
fn logistic<I: Isa>(isa: I, x: I::F32, times_x: bool) -> I::F32 {
    let (ops, least) = (isa.f32(), isa.f32().splat(LEAST));
    // Below, the results are 0. Comparisons instead of a maximum preserve NaN, which is also the SiLU of minus infinity.
    let (zero, is_below) = (ops.zero(), ops.lt(x, least));
    let numerator = match times_x {
        true => ops.select(ops.mul(x, zero), x, is_below),
        false => ops.select(zero, ops.one(), is_below),
    };
    ops.div(numerator, ops.add(ops.one(), power(isa, ops.neg(ops.select(least, x, is_below)))))
}

/// Below this bound, exponentials are denormal and are replaced by 0. They are negligible next to 1, the largest of a
/// row, but arithmetic on them is many times slower, and a mask of -100 would make most scores denormal.
const LEAST: f32 = -87.0;

/// Computes `e^x` for x up to 88 as `2^k e^r`, where k is an integer and `|r| <= ln(2) / 2`. Rounds by adding and subtracting 1.5 * 2^23, and subtracts k ln(2) in two parts (Cody and Waite). `e^r`
/// is a polynomial with nearly Taylor coefficients (N. Juffa's, also used by rten-vecmath, whose own version accepts
/// numbers of any sign).
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
