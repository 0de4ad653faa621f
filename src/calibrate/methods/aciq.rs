//! Analytical clipping for integer quantization: thresholds for assumed distributions. A distribution is clipped at equal distances
//! from its mean; the factors are those of the paper's code, with the digits of run_calibration where it has them. Without negative numbers,
//! the factor is that of one more bit, since all integers are on one side of 0.
use super::{Histogram, Precision};
use std::f64::consts::PI;

/// For a normal distribution: a multiple of its standard deviation, which follows from the range of that many numbers.
pub(super) fn gauss(histogram: &Histogram, precision: Precision) -> f64 {
    let factor = match (precision, histogram.is_signed()) {
        (Precision::Int8, true) => 3.92403337,
        (Precision::Int8, false) => 4.2,
        (Precision::Int4, true) => 2.55913642,
        (Precision::Int4, false) => 2.93,
    };
    let range = f64::from(histogram.max()) - f64::from(histogram.min());
    let count = (histogram.count() as f64).max(2.0);
    let deviation = range * 0.175 * (1.0 + (PI * 4f64.ln()).sqrt()) / (2.0 * count.ln()).sqrt();
    mean(histogram).abs() + factor * deviation
}

/// For a Laplace distribution: a multiple of the mean deviation from the mean.
pub(super) fn laplace(histogram: &Histogram, precision: Precision) -> f64 {
    let factor = match (precision, histogram.is_signed()) {
        (Precision::Int8, true) => 9.89675982,
        (Precision::Int8, false) => 11.16,
        (Precision::Int4, true) => 5.02864014,
        (Precision::Int4, false) => 6.2,
    };
    let mean = mean(histogram);
    let deviations = histogram.bins().map(|bin| (bin.center - mean).abs() * bin.count as f64);
    mean.abs() + factor * deviations.sum::<f64>() / histogram.count().max(1) as f64
}

fn mean(histogram: &Histogram) -> f64 {
    let sum = histogram.bins().map(|bin| bin.center * bin.count as f64).sum::<f64>();
    sum / histogram.count().max(1) as f64
}
