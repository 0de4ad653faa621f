//! Analytical clipping for integer quantization: thresholds for assumed distributions. The factors are those of the paper's code.
use super::{Histogram, Precision};
use std::f64::consts::PI;

/// For a normal distribution: a multiple of its standard deviation, which follows from the range of that many numbers.
pub(super) fn gauss(histogram: &Histogram, precision: Precision) -> f64 {
    let factor = if precision == Precision::Int8 { 3.92403337 } else { 2.55913642 };
    let range = f64::from(histogram.max()) - f64::from(histogram.min());
    let count = (histogram.count() as f64).max(2.0);
    let deviation = range * 0.175 * (1.0 + (PI * 4f64.ln()).sqrt()) / (2.0 * count.ln()).sqrt();
    factor * deviation
}

/// For a Laplace distribution: a multiple of the mean deviation from the mean.
pub(super) fn laplace(histogram: &Histogram, precision: Precision) -> f64 {
    let factor = if precision == Precision::Int8 { 9.89675982 } else { 5.02864014 };
    let count = histogram.count().max(1) as f64;
    let mean = histogram.bins().map(|bin| bin.center * bin.count as f64).sum::<f64>() / count;
    let deviation = histogram.bins().map(|bin| (bin.center - mean).abs() * bin.count as f64).sum::<f64>() / count;
    factor * deviation
}
