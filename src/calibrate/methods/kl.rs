//! The threshold of least information loss, as in TensorRT.
use super::Histogram;

/// Maximum number of bins that are compared: the time grows with its square.
const COMPARED: usize = 2048;

/// Returns the threshold whose quantized distribution differs least from the distribution of sizes. Zeros are left out: they are
/// represented exactly.
pub(super) fn threshold(histogram: &Histogram, levels: u32) -> f64 {
    let sizes = histogram.sizes();
    let together = sizes.len().div_ceil(COMPARED).max(1).next_power_of_two();
    let bins: Vec<f64> = sizes.chunks(together).map(|bins| bins.iter().sum::<u64>() as f64).collect();
    let levels = levels as usize + 1;
    let total: f64 = bins.iter().sum();
    let mut inside: f64 = bins.iter().take(levels.saturating_sub(1)).sum();
    let mut best = (f64::INFINITY, bins.len());
    for n in levels..=bins.len() {
        inside += bins[n - 1];
        let divergence = divergence(&bins[..n], total - inside, levels);
        if divergence < best.0 {
            best = (divergence, n);
        }
    }
    best.1 as f64 * together as f64 * histogram.width()
}

/// Returns the divergence of a distribution, whose last bin has the numbers `outside` as well, from the one that has each level's
/// numbers divided equally among the bins that are not empty. Infinite if the second lacks numbers of the first.
fn divergence(bins: &[f64], outside: f64, levels: usize) -> f64 {
    let (n, last) = (bins.len(), bins.len() - 1);
    let (inside, mut sum): (f64, f64) = (bins.iter().sum(), 0.0);
    if inside == 0.0 || bins[last] == 0.0 && outside > 0.0 {
        return f64::INFINITY;
    }
    for level in 0..levels {
        let of_level = level * n / levels..(level + 1) * n / levels;
        let count: f64 = bins[of_level.clone()].iter().sum();
        let used = bins[of_level.clone()].iter().filter(|bin| **bin > 0.0).count();
        // The sum over the bins of p ln(p / q), with p = bin / total and q = count / used / inside.
        let quantized = count / used as f64 / inside;
        for i in of_level {
            let reference = (bins[i] + if i == last { outside } else { 0.0 }) / (inside + outside);
            if reference > 0.0 {
                sum += reference * (reference / quantized).ln();
            }
        }
    }
    sum
}
