//! Logarithms, powers and trigonometric functions of float32, computed in float64 without branches, so that the compiler makes vectors of
//! loops over them. Results differ from the C library's by less than 1e-13 times the result before they are rounded.
//!
//! The polynomials are those of FreeBSD's msun (`e_acos.c`, `e_log.c`, `k_sin.c`, `k_cos.c`), and Taylor's for the exponential.
#![allow(clippy::excessive_precision, reason = "the coefficients are as published")]

use super::blocked::replace_each;
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, LOG2_E, PI};

/// Added to a number and subtracted again, it rounds to the nearest integer, which is in the low bits in between.
const MAGIC: f64 = 6_755_399_441_055_744.0;

/// Natural logarithm of 2 in two parts: products of the first with integers of up to 20 bits are exact.
const LN_2: [f64; 2] = [6.931_471_803_691_238_164_90e-1, 1.908_214_929_270_587_700_02e-10];
/// Half of pi in two parts, likewise.
const HALF_PI: [f64; 2] = [1.570_796_326_734_125_614_17, 6.077_100_506_506_192_249_32e-11];

/// Upper bound of the numbers whose multiples of half pi are subtracted exactly.
const LARGE_ANGLE: f32 = 262_144.0;

/// Replaces each number by its sine.
pub(super) fn sin(values: &mut [f32]) {
    each_angle(values, |x| Turned::new(x).sin(), f64::sin);
}

/// Replaces each number by its cosine.
pub(super) fn cos(values: &mut [f32]) {
    each_angle(values, |x| Turned::new(x).cos(), f64::cos);
}

/// Replaces each number by its tangent.
pub(super) fn tan(values: &mut [f32]) {
    let tan = |x| {
        let turned = Turned::new(x);
        turned.sin() / turned.cos()
    };
    each_angle(values, tan, f64::tan);
}

/// Replaces each number by its arc cosine.
pub(super) fn acos(values: &mut [f32]) {
    replace_each(values, |x| acos_of(x.into()) as f32);
}

/// Replaces each number by its logarithm, times `factor`.
pub(super) fn ln(values: &mut [f32], factor: f64) {
    replace_each(values, move |x| (ln_of(x.into()) * factor) as f32);
}

/// Replaces each `x` by `x^exponent`, for a finite exponent that is not 0. Powers that are 0 or infinite as float32 may have any value
/// before.
pub(super) fn pow(values: &mut [f32], exponent: f64) {
    let is_odd = exponent.fract() == 0.0 && exponent % 2.0 != 0.0;
    // Powers of -0 and of negative infinity are never NaN.
    let sign = if is_odd { -1.0 } else { 1.0 };
    let of_negative = if exponent.fract() == 0.0 { sign } else { f64::NAN };
    replace_each(values, move |x| {
        let power = exp_of(exponent * ln_of(f64::from(x.abs())));
        let of_others = if x.is_sign_negative() { sign } else { 1.0 };
        (power * if x < 0.0 && x > f32::NEG_INFINITY { of_negative } else { of_others }) as f32
    });
}

/// Replaces each `x` by `ln(1 + e^x)`.
pub(super) fn softplus(values: &mut [f32]) {
    replace_each(values, |x| {
        let x = f64::from(x);
        let power = exp_of(-x.abs());
        let sum = 1.0 + power;
        // The second term is what rounding the sum has lost.
        let logarithm = ln_of(sum) + (power - (sum - 1.0)) / sum;
        ((if x > 0.0 { x } else { 0.0 }) + logarithm) as f32
    });
}

/// Replaces each number by `of_small` of it, or by `of_any` if some are too large for the former.
fn each_angle(values: &mut [f32], of_small: impl Fn(f64) -> f64, of_any: impl Fn(f64) -> f64) {
    if values.iter().all(|v| v.abs() < LARGE_ANGLE) {
        replace_each(values, |v| of_small(v.into()) as f32);
    } else {
        values.iter_mut().for_each(|v| *v = of_any(f64::from(*v)) as f32);
    }
}

/// An angle less a multiple of half pi.
#[derive(Clone, Copy)]
struct Turned {
    /// The multiple, in the low bits.
    turns: u64,
    /// Sine and cosine of the rest.
    sin: f64,
    cos: f64,
}

impl Turned {
    #[inline(always)]
    fn new(angle: f64) -> Turned {
        let moved = angle * FRAC_2_PI + MAGIC;
        let turns = moved - MAGIC;
        let x = angle - turns * HALF_PI[0] - turns * HALF_PI[1];
        let z = x * x;
        let sin = polynomial(
            z,
            [
                -1.666_666_666_666_663_243_48e-1,
                8.333_333_333_322_489_461_24e-3,
                -1.984_126_982_985_794_931_34e-4,
                2.755_731_370_707_006_767_89e-6,
                -2.505_076_025_340_686_341_95e-8,
                1.589_690_995_211_550_102_21e-10,
            ],
        );
        let cos = polynomial(
            z,
            [
                4.166_666_666_666_660_190_37e-2,
                -1.388_888_888_887_410_957_49e-3,
                2.480_158_728_947_672_941_78e-5,
                -2.755_731_435_139_066_330_35e-7,
                2.087_572_321_298_174_827_90e-9,
                -1.135_964_755_778_819_482_65e-11,
            ],
        );
        Turned { turns: moved.to_bits(), sin: x * (1.0 + z * sin), cos: 1.0 - 0.5 * z + z * z * cos }
    }
    #[inline(always)]
    fn sin(self) -> f64 {
        let value = if self.turns & 1 == 0 { self.sin } else { self.cos };
        if self.turns & 2 == 0 { value } else { -value }
    }
    #[inline(always)]
    fn cos(self) -> f64 {
        Turned { turns: self.turns + 1, ..self }.sin()
    }
}

/// The arc cosine; NaN outside of -1 to 1.
#[inline(always)]
fn acos_of(x: f64) -> f64 {
    // The arc sine of a number from 0 to 1/2: beyond, half angles are computed.
    let is_small = x.abs() <= 0.5;
    let z = if is_small { x * x } else { 0.5 - 0.5 * x.abs() };
    let root = z.sqrt();
    let s = if is_small { x.abs() } else { root };
    let numerator = polynomial(
        z,
        [
            1.666_666_666_666_666_574_15e-1,
            -3.255_658_186_224_009_154_05e-1,
            2.012_125_321_348_629_258_81e-1,
            -4.005_553_450_067_941_140_27e-2,
            7.915_349_942_898_145_321_76e-4,
            3.479_331_075_960_211_675_70e-5,
        ],
    );
    let denominator = polynomial(
        z,
        [
            1.0,
            -2.403_394_911_734_414_218_78,
            2.020_945_760_233_505_694_71,
            -6.882_839_716_054_532_930_30e-1,
            7.703_815_055_590_193_527_91e-2,
        ],
    );
    let angle = s + s * z * numerator / denominator;
    let of_small = FRAC_PI_2 - if x < 0.0 { -angle } else { angle };
    let of_large = if x < 0.0 { PI - 2.0 * angle } else { 2.0 * angle };
    if is_small { of_small } else { of_large }
}

/// Returns `c[0] + c[1] x + c[2] x^2 + ..`.
#[inline(always)]
fn polynomial<const N: usize>(x: f64, coefficients: [f64; N]) -> f64 {
    let mut sum = 0.0;
    for i in (0..N).rev() {
        sum = sum * x + coefficients[i];
    }
    sum
}

/// The natural logarithm of a number that is not denormal.
#[inline(always)]
fn ln_of(x: f64) -> f64 {
    const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    const ONE: u64 = 1.0f64.to_bits();
    /// 2^52, whose low bits are those of an integer added to it.
    const WHOLE: f64 = 4_503_599_627_370_496.0;
    // x is 2^k m, with m from sqrt(1/2) to sqrt(2).
    let bits = x.to_bits().wrapping_add(ONE - ROOT_HALF);
    let k = f64::from_bits(WHOLE.to_bits() | bits >> 52) - (WHOLE + 1023.0);
    let m = f64::from_bits((bits & (u64::MAX >> 12)) + ROOT_HALF);
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let r = z * polynomial(
        z,
        [
            6.666_666_666_666_735_130e-1,
            3.999_999_999_940_941_908e-1,
            2.857_142_874_366_239_149e-1,
            2.222_219_843_214_978_396e-1,
            1.818_357_216_161_805_012e-1,
            1.531_383_769_920_937_332e-1,
            1.479_819_860_511_658_591e-1,
        ],
    );
    let half = 0.5 * f * f;
    let logarithm = s * (half + r) + k * LN_2[1] - half + f + k * LN_2[0];
    let of_positive = if x < f64::INFINITY { logarithm } else { x };
    let of_others = if x == 0.0 { f64::NEG_INFINITY } else { f64::NAN };
    if x > 0.0 { of_positive } else { of_others }
}

/// The exponential; 0 and infinity of float32 where it is very small or large.
#[inline(always)]
fn exp_of(x: f64) -> f64 {
    /// The powers of this number and of its opposite are 0 and infinite as float32.
    const MAX_EXPONENT: f64 = 200.0;
    // Comparisons preserve NaN.
    let x = if x > MAX_EXPONENT { MAX_EXPONENT } else { x };
    let x = if x < -MAX_EXPONENT { -MAX_EXPONENT } else { x };
    let moved = x * LOG2_E + MAGIC;
    let k = moved - MAGIC;
    let r = x - k * LN_2[0] - k * LN_2[1];
    let power = polynomial(
        r,
        [
            1.0,
            1.0,
            1.0 / 2.0,
            1.0 / 6.0,
            1.0 / 24.0,
            1.0 / 120.0,
            1.0 / 720.0,
            1.0 / 5040.0,
            1.0 / 40_320.0,
            1.0 / 362_880.0,
            1.0 / 3_628_800.0,
            1.0 / 39_916_800.0,
            1.0 / 479_001_600.0,
        ],
    );
    // k is shifted to the exponent of 1.
    power * f64::from_bits((moved.to_bits() << 52).wrapping_add(1.0f64.to_bits()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a function against another in float64, with the numbers of all magnitudes.
    fn check(name: &str, function: impl Fn(&mut [f32]), exact: impl Fn(f64) -> f64) {
        let all = (0..=u32::MAX).step_by(99_991).map(f32::from_bits);
        let special = [0.0, -0.0, 1.0, -1.0, 0.5, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-45, -1e-45, 88.7];
        let usual = (-5000..5000).map(|i| i as f32 * 0.037);
        let fractions = (-5000..5000).map(|i| i as f32 * 0.0002);
        for numbers in [all.collect::<Vec<_>>(), special.to_vec(), usual.collect(), fractions.collect()] {
            // Also one by one: a part with large numbers is computed in another way.
            for part in numbers.chunks(1).chain([&numbers[..]]) {
                let mut got = part.to_vec();
                function(&mut got);
                for (x, got) in part.iter().zip(got) {
                    let want = exact(f64::from(*x)) as f32;
                    let is_near = got.to_bits().abs_diff(want.to_bits()) <= 1;
                    assert!(is_near || (got.is_nan() && want.is_nan()), "{name}({x}): {got}, not {want}");
                }
            }
        }
    }

    #[test]
    fn functions_are_those_of_the_c_library() {
        check("sin", sin, f64::sin);
        check("cos", cos, f64::cos);
        check("tan", tan, f64::tan);
        check("acos", acos, f64::acos);
        check("ln", |v| ln(v, 1.0), f64::ln);
        check("softplus", softplus, |x| x.max(0.0) + (-x.abs()).exp().ln_1p() + if x.is_nan() { x } else { 0.0 });
        for exponent in [0.5, -0.5, 1.7, -2.0, 5.0, -1.0, 0.1, 40.0] {
            check(&format!("pow {exponent}"), |v| pow(v, exponent), |x| x.powf(exponent));
        }
    }
}
