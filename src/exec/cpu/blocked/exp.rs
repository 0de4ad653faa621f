//! Exponentials, also of whole rows for softmax and attention.
use super::{
    BLOCK, Pixel,
    rows::{load_padded, store_within},
    tile::{at_most, clamped},
};
use rten_simd::{
    Isa, Simd,
    ops::{BitOps, FloatOps, IntOps, NumOps},
};

/// Vectors processed in an interleaved loop to hide latency.
const TOGETHER: usize = 4;

/// Returns the maximum of the elements of a row times `factor`; NaN may be ignored.
#[inline(always)]
pub(super) fn largest_scaled<O: NumOps<f32>>(ops: O, row: &[f32], factor: f32) -> f32 {
    let (lanes, by) = (ops.len(), ops.splat(factor));
    let mut most = [ops.splat(f32::NEG_INFINITY); TOGETHER];
    let mut groups = row.chunks_exact(TOGETHER * lanes);
    for group in groups.by_ref() {
        for j in 0..TOGETHER {
            most[j] = ops.max(most[j], ops.mul(ops.load(&group[j * lanes..]), by));
        }
    }
    let mut vectors = groups.remainder().chunks_exact(lanes);
    for vector in vectors.by_ref() {
        most[0] = ops.max(most[0], ops.mul(ops.load(vector), by));
    }
    let mut all = largest_of(ops, most);
    for x in vectors.remainder() {
        all = all.max(x * factor);
    }
    all
}

/// Returns the maximum of some vectors.
#[inline(always)]
fn largest_of<O: NumOps<f32>>(ops: O, [a, b, c, d]: [O::Simd; TOGETHER]) -> f32 {
    largest_lane(ops.max(ops.max(a, b), ops.max(c, d)))
}

/// Returns the maximum of a vector.
#[inline(always)]
pub(super) fn largest_lane<V: Simd<Elem = f32>>(x: V) -> f32 {
    // A comparison is a single instruction, unlike `f32::max`.
    fold_lanes(x, f32::NEG_INFINITY, |a, b| if a > b { a } else { b })
}

/// Combines the elements of a vector. `empty` must not change what it is combined with.
#[inline(always)]
pub(in crate::cpu) fn fold_lanes<V: Simd<Elem = f32>>(x: V, empty: f32, combine: impl Fn(f32, f32) -> f32) -> f32 {
    let (mut all, x) = ([empty; BLOCK], x.to_array());
    all.iter_mut().zip(x.as_ref()).for_each(|(to, x)| *to = *x);
    fold_pixel(all, combine)
}

/// Combines the elements of a pixel by halves, which takes four steps instead of sixteen.
#[inline(always)]
pub(in crate::cpu) fn fold_pixel(mut all: Pixel, combine: impl Fn(f32, f32) -> f32) -> f32 {
    for i in 0..8 {
        all[i] = combine(all[i], all[i + 8]);
    }
    for i in 0..4 {
        all[i] = combine(all[i], all[i + 4]);
    }
    for i in 0..2 {
        all[i] = combine(all[i], all[i + 2]);
    }
    combine(all[0], all[1])
}

/// Replaces each `x` of a row, whose maximum is `most`, by `e^(x - most)` and returns the sum.
#[inline(always)]
pub(super) fn powers<I: Isa>(isa: I, row: &mut [f32], most: f32) -> f32 {
    let mut sum = PowerSum::new(isa, most);
    let mut groups = row.chunks_exact_mut(TOGETHER * isa.f32().len());
    for group in &mut groups {
        sum.replace_group(group);
    }
    sum.replace_rest(groups.into_remainder());
    sum.total()
}

/// Writes `e^(factor x - most)` for each `x` of a row, and returns the sum. `most` is the maximum of `factor x`.
#[inline(always)]
pub(super) fn scaled_powers<I: Isa>(isa: I, from: &[f32], to: &mut [f32], factor: f32, most: f32) -> f32 {
    let (ops, lanes, mut sum) = (isa.f32(), isa.f32().len(), PowerSum::new(isa, most));
    let (mut groups, mut from_groups) = (to.chunks_exact_mut(TOGETHER * lanes), from.chunks_exact(TOGETHER * lanes));
    for (group, from) in groups.by_ref().zip(from_groups.by_ref()) {
        for j in 0..TOGETHER {
            ops.store(ops.mul(ops.load(&from[j * lanes..]), ops.splat(factor)), &mut group[j * lanes..]);
        }
        sum.replace_group(group);
    }
    let rest = groups.into_remainder();
    rest.iter_mut().zip(from_groups.remainder()).for_each(|(to, x)| *to = x * factor);
    sum.replace_rest(rest);
    sum.total()
}

/// Replaces numbers by exponentials, and adds these up.
struct PowerSum<I: Isa> {
    isa: I,
    most: I::F32,
    sums: [I::F32; TOGETHER],
}

impl<I: Isa> PowerSum<I> {
    #[inline(always)]
    fn new(isa: I, most: f32) -> PowerSum<I> {
        PowerSum { isa, most: isa.f32().splat(most), sums: [isa.f32().zero(); TOGETHER] }
    }
    /// Replaces the elements of [`TOGETHER`] vectors.
    #[inline(always)]
    fn replace_group(&mut self, group: &mut [f32]) {
        let (ops, lanes) = (self.isa.f32(), self.isa.f32().len());
        for j in 0..TOGETHER {
            let power = power(self.isa, ops.sub(self.most, ops.load(&group[j * lanes..])));
            self.sums[j] = ops.add(self.sums[j], power);
            ops.store(power, &mut group[j * lanes..]);
        }
    }
    /// Replaces the elements of fewer vectors, the last of which may be incomplete.
    #[inline(always)]
    fn replace_rest(&mut self, rest: &mut [f32]) {
        let ops = self.isa.f32();
        for at in (0..rest.len()).step_by(ops.len()) {
            let power = power(self.isa, ops.sub(self.most, load_padded(ops, rest, at, f32::NEG_INFINITY)));
            self.sums[0] = ops.add(self.sums[0], power);
            store_within(ops, power, rest, at);
        }
    }
    #[inline(always)]
    fn total(self) -> f32 {
        let (ops, [a, b, c, d]) = (self.isa.f32(), self.sums);
        ops.sum(ops.add(ops.add(a, b), ops.add(c, d)))
    }
}

/// Replaces each x, from 0 on, by `e^-x`.
#[inline(always)]
pub(super) fn negative_powers<I: Isa>(isa: I, values: &mut [f32]) {
    let ops = isa.f32();
    let mut vectors = values.chunks_exact_mut(ops.len());
    for vector in &mut vectors {
        ops.store(power(isa, ops.load(vector)), vector);
    }
    let rest = vectors.into_remainder();
    let mut padded = [0.0; BLOCK];
    padded[..rest.len()].copy_from_slice(rest);
    for vector in padded[..rest.len().next_multiple_of(ops.len())].chunks_exact_mut(ops.len()) {
        ops.store(power(isa, ops.load(vector)), vector);
    }
    rest.copy_from_slice(&padded[..rest.len()]);
}

/// The upper bound that x is clamped to, where `e^-x` is computed as 0, as it is from 87.7 on: the power of two would be denormal, and the
/// bits computed for it are those of 0. The true result is negligible next to 1, the largest of a row, but arithmetic on denormal numbers is
/// many times slower, and a mask of -100 would make most scores denormal. They remain only between 87.3 and 87.7.
pub(super) const MAX_EXPONENT: f32 = 88.1;

/// The lower bound that x is clamped to, where `e^-x` is computed as infinity, as it is below -88.4.
pub(super) const MIN_EXPONENT: f32 = -88.9;

/// Computes `e^-x` for x from 0 on, and NaN for NaN.
#[inline(always)]
fn power<I: Isa>(isa: I, x: I::F32) -> I::F32 {
    let Parts { exponent, excess } = parts(isa, at_most(isa.f32(), x, isa.f32().splat(MAX_EXPONENT)));
    let scale = exponent.power_of_two(isa);
    isa.f32().mul_add(excess, scale, scale)
}

/// Computes `e^-x` for x from [`MIN_EXPONENT`] to [`MAX_EXPONENT`], and NaN for NaN.
#[inline(always)]
pub(super) fn power_within<I: Isa>(isa: I, x: I::F32) -> I::F32 {
    let Parts { exponent, excess } = parts(isa, x);
    // `excess * scale + scale` would be NaN where `scale` is infinite and `excess` negative.
    isa.f32().mul(isa.f32().add(excess, isa.f32().one()), exponent.power_of_two(isa))
}

/// Computes `e^-x - 1` for x from -88 to [`MAX_EXPONENT`], and NaN for NaN.
#[inline(always)]
pub(super) fn power_less_one<I: Isa>(isa: I, x: I::F32) -> I::F32 {
    let (ops, Parts { exponent, excess }) = (isa.f32(), parts(isa, x));
    let scale = exponent.power_of_two(isa);
    ops.mul_add(excess, scale, ops.sub(scale, ops.one()))
}

/// Computes `e^x`, also where it is denormal.
#[inline(always)]
pub(super) fn exponential<I: Isa>(isa: I, x: I::F32) -> I::F32 {
    let ops = isa.f32();
    // At the bounds, the result is infinite or 0.
    let x = clamped(ops, x, ops.splat(-104.5), ops.splat(89.0));
    let Parts { exponent, excess } = parts(isa, ops.neg(x));
    // No single float32 is 2^k if k is beyond the exponents of normal numbers.
    let [half, rest] = exponent.halves(isa);
    ops.mul(ops.mul(ops.add(excess, ops.one()), half.power_of_two(isa)), rest.power_of_two(isa))
}

/// Computes `2^-x` for x from 0 on, and NaN for NaN. From 126.5 on, it is 0.
#[inline(always)]
pub(super) fn power_of_half<I: Isa>(isa: I, x: I::F32) -> I::F32 {
    /// Those of [`parts`], times powers of ln(2).
    const COEFFICIENTS: [f32; 5] = [1.339_722_5e-3, 9.618_792e-3, 5.550_346e-2, 0.240_226_44, std::f32::consts::LN_2];
    let (ops, whole) = (isa.f32(), isa.f32().splat(WHOLE));
    let x = at_most(ops, x, ops.splat(127.0));
    let moved = ops.sub(whole, x);
    let r = ops.sub(ops.sub(whole, moved), x);
    let mut sum = ops.splat(1.528_342_6e-4);
    for coefficient in COEFFICIENTS {
        sum = ops.mul_add(sum, r, ops.splat(coefficient));
    }
    let scale = Exponent::<I>(moved.reinterpret_cast()).power_of_two(isa);
    ops.mul_add(ops.mul(sum, r), scale, scale)
}

/// The power `2^k e^r`.
struct Parts<I: Isa> {
    exponent: Exponent<I>,
    /// `e^r - 1`
    excess: I::F32,
}

/// The bits of [`WHOLE`], plus an integer k; or k alone.
struct Exponent<I: Isa>(I::I32);

impl<I: Isa> Exponent<I> {
    /// Returns 2^k, or another number if k is not the exponent of a normal number.
    #[inline(always)]
    fn power_of_two(self, isa: I) -> I::F32 {
        let ints = isa.i32();
        let one = ints.splat(1.0f32.to_bits().cast_signed());
        ints.add(ints.shift_left::<23>(self.0), one).reinterpret_cast()
    }
    /// Splits k, to which the bits of [`WHOLE`] are added, into two numbers.
    #[inline(always)]
    fn halves(self, isa: I) -> [Exponent<I>; 2] {
        let ints = isa.i32();
        // The second number keeps the bits of `WHOLE`, which are a multiple of 512: a power of two does not depend on them.
        let half = ints.shift_right::<1>(ints.sub(self.0, ints.splat(WHOLE.to_bits().cast_signed())));
        [Exponent(half), Exponent(ints.sub(self.0, half))]
    }
}

/// 1.5 * 2^23: the sum with a small number is rounded to an integer, which is in its low bits.
const WHOLE: f32 = 12_582_912.0;

/// Computes `e^-x` as `2^k e^r`, where k is an integer and `|r| <= ln(2) / 2`. Rounds by adding and subtracting
/// [`WHOLE`], and subtracts k ln(2) in two parts (Cody and Waite). `e^r` is a polynomial with nearly Taylor coefficients (N. Juffa's).
#[inline(always)]
fn parts<I: Isa>(isa: I, x: I::F32) -> Parts<I> {
    let (ops, whole) = (isa.f32(), isa.f32().splat(WHOLE));
    let moved = ops.mul_add(x, ops.splat(-std::f32::consts::LOG2_E), whole);
    let k = ops.sub(moved, whole);
    let r = ops.mul_add(k, ops.splat(-0.693_145_75), ops.neg(x));
    let r = ops.mul_add(k, ops.splat(-1.428_606_8e-6), r);
    let mut sum = ops.splat(1.378_059_4e-3);
    for coefficient in [8.373_124_5e-3, 4.166_953_6e-2, 0.166_664_72, 0.499_999_85, 1.0] {
        sum = ops.mul_add(sum, r, ops.splat(coefficient));
    }
    Parts { exponent: Exponent(moved.reinterpret_cast()), excess: ops.mul(sum, r) }
}
