//! The threshold of least information loss, as in TensorRT.
use super::Histogram;
use crate::lanes::{SUMS, for_lanes};
use rayon::prelude::*;
use rten_simd::{Isa, SimdOp};
use std::{f64::consts::LN_2, iter};

/// Maximum number of thresholds that are compared, as in TensorRT.
const COMPARED: usize = 2048;

/// Differences of divergences that are rounding errors of their sums.
const ROUNDING: f64 = 1e-10;

/// Returns the threshold whose quantized distribution differs least from the distribution of sizes. Zeros are left out: they are
/// represented exactly.
pub(super) fn threshold(histogram: &Histogram, levels: u32) -> f64 {
    let bins: Vec<f64> = histogram.sizes().iter().map(|count| *count as f64).collect();
    let sums = Sums::new(&bins);
    let levels = levels as usize + 1;
    // Thresholds within a gap represent no more than one at its start.
    let ends: Vec<usize> = (levels..=bins.len()).filter(|n| bins[n - 1] > 0.0).collect();
    let step = ends.len().div_ceil(COMPARED).max(1);
    let ends: Vec<usize> = ends.into_iter().rev().step_by(step).collect();
    let compared = ends.into_par_iter().map(|n| (sums.divergence(n, levels), n));
    // Of equal ones, but for rounding errors, the largest: it clamps least.
    let rounded = |divergence: f64| (divergence.max(0.0) / ROUNDING).round();
    let least = compared
        .filter(|(divergence, _)| divergence.is_finite())
        .min_by(|a, b| rounded(a.0).total_cmp(&rounded(b.0)).then(b.1.cmp(&a.1)));
    least.map_or(bins.len(), |(_, n)| n) as f64 * histogram.width()
}

/// Prefix sums: element `n` is the sum over the first `n` bins.
struct Sums {
    counts: Vec<f64>,
    /// Of n ln(n).
    logarithms: Vec<f64>,
    /// Of bins that are not empty.
    used: Vec<f64>,
}

impl Sums {
    fn new(bins: &[f64]) -> Sums {
        let before = |term: &dyn Fn(f64) -> f64| {
            let sums = bins.iter().scan(0.0, |sum, bin| {
                *sum += term(*bin);
                Some(*sum)
            });
            iter::once(0.0).chain(sums).collect()
        };
        let is_used = |bin: f64| if bin > 0.0 { 1.0 } else { 0.0 };
        Sums { counts: before(&|bin| bin), logarithms: before(&times_logarithm), used: before(&is_used) }
    }

    /// Returns the divergence of two distributions over the first `n` bins. The first one's last bin has all numbers beyond, too. The
    /// second one has each level's numbers divided equally among the bins that are not empty. Infinite if the second lacks numbers
    /// of the first.
    fn divergence(&self, n: usize, levels: usize) -> f64 {
        let Sums { counts, logarithms, used } = self;
        let (inside, total) = (counts[n], counts[counts.len() - 1]);
        let (outside, last) = (total - inside, inside - counts[n - 1]);
        if inside == 0.0 || last == 0.0 && outside > 0.0 {
            return f64::INFINITY;
        }
        let (mut of_levels, mut quantized) = ([0.0; MAX_LEVELS], [1.0; MAX_LEVELS]);
        let mut from = 0;
        for level in 0..levels {
            let to = (level + 1) * n / levels;
            let count = counts[to] - counts[from];
            if count > 0.0 {
                quantized[level] = count / ((used[to] - used[from]) * inside);
                of_levels[level] = if to == n { count + outside } else { count };
            }
            from = to;
        }
        // The sum over the bins of p ln(p / q), with p = bin / total and q = count / used / inside.
        let of_first = logarithms[n - 1] + times_logarithm(last + outside) - total * total.ln();
        let of_second = SumOfLogarithms { factors: &of_levels[..levels], numbers: &quantized[..levels] }.dispatch();
        (of_first - of_second) / total
    }
}

/// Maximum number of levels: those of 8 bits without a sign.
const MAX_LEVELS: usize = 256;

fn times_logarithm(x: f64) -> f64 {
    if x > 0.0 { x * x.ln() } else { 0.0 }
}

/// Sums the products of factors and the natural logarithms of positive numbers, with the machine's vector instructions.
struct SumOfLogarithms<'n> {
    factors: &'n [f64],
    numbers: &'n [f64],
}

impl SimdOp for SumOfLogarithms<'_> {
    type Output = f64;
    #[inline(always)]
    fn eval<I: Isa>(self, _: I) -> f64 {
        let mut sums = [0.0; SUMS];
        // The logarithm of the zeros that follow the last numbers is finite, and its factor is 0.
        for_lanes(self.factors, self.numbers, |factors, numbers| {
            for lane in 0..SUMS {
                sums[lane] += factors[lane] * logarithm(numbers[lane]);
            }
        });
        sums.into_iter().sum()
    }
}

/// Returns the natural logarithm of a positive normal number, by the method of FreeBSD's `e_log.c`: x = 2^e (1 + f), and a polynomial
/// in s = f / (2 + f). Unlike `ln`, the compiler vectorizes this, and all machines return the same bits.
#[inline(always)]
fn logarithm(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 7] = [
        0.6666666666666735,
        0.3999999999940942,
        0.2857142874366239,
        0.22222198432149784,
        0.1818357216161805,
        0.15313837699209373,
        0.14798198605106586,
    ];
    // 1 + f lies between the square roots of 1/2 and 2.
    let (bits, half_root) = (x.to_bits(), std::f64::consts::FRAC_1_SQRT_2.to_bits());
    let above = bits.wrapping_sub(half_root);
    let exponent = ((above as i64 >> 32) as i32) >> 20;
    let f = f64::from_bits(bits.wrapping_sub(above >> 52 << 52)) - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let series = COEFFICIENTS.iter().rev().fold(0.0, |sum, coefficient| (sum + coefficient) * z);
    let half_square = 0.5 * f * f;
    f64::from(exponent) * LN_2 + (f - (half_square - s * (half_square + series)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn logarithms_are_those_of_the_standard_library(x in prop_oneof![1e-12f64..2.0, 1.0f64..1e15, f64::MIN_POSITIVE..f64::MAX]) {
            let (expected, got) = (x.ln(), logarithm(x));
            prop_assert!((got - expected).abs() <= 4.0 * f64::EPSILON * expected.abs().max(1.0), "ln {x}: {got}, expected {expected}");
        }
    }
}
