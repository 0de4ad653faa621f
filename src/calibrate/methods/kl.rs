//! The threshold of least information loss, as in TensorRT.
use super::Histogram;
use rayon::prelude::*;
use std::iter;

/// Maximum number of thresholds that are compared, as in TensorRT.
const COMPARED: usize = 2048;

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
    // Of equal ones, the first.
    let least = compared
        .filter(|(divergence, _)| divergence.is_finite())
        .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
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
        // The sum over the bins of p ln(p / q), with p = bin / total and q = count / used / inside.
        let mut sum = logarithms[n - 1] + times_logarithm(last + outside) - total * total.ln();
        for level in 0..levels {
            let (from, to) = (level * n / levels, (level + 1) * n / levels);
            let count = counts[to] - counts[from];
            if count > 0.0 {
                let quantized = count / (used[to] - used[from]) / inside;
                let count = if to == n { count + outside } else { count };
                sum -= count * quantized.ln();
            }
        }
        sum / total
    }
}

fn times_logarithm(x: f64) -> f64 {
    if x > 0.0 { x * x.ln() } else { 0.0 }
}
