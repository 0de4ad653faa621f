//! Percentiles of histograms, interpolated within a bin.
use super::Histogram;

/// The part of the numbers that are represented.
const PART: f64 = 0.9999;

/// Returns the size that [`PART`] of the numbers do not exceed.
pub(super) fn threshold(histogram: &Histogram) -> f64 {
    let outside = histogram.count() as f64 * (1.0 - PART);
    beyond(histogram.sizes().iter().copied().enumerate().rev(), outside, histogram.width())
}

/// Returns the percentiles at both ends. The range contains 0 if the tensor's does.
pub(super) fn range(histogram: &Histogram) -> (f32, f32) {
    let outside = histogram.count() as f64 * (1.0 - PART);
    let (negative, positive) = histogram.sides();
    let width = histogram.width();
    let end = |side: &[u64]| beyond(side.iter().copied().enumerate().rev(), outside, width) as f32;
    let min = if histogram.min() < 0.0 { -end(negative) } else { histogram.min() };
    let max = if histogram.max() > 0.0 { end(positive) } else { histogram.max() };
    (min.max(histogram.min()), max.min(histogram.max()))
}

/// Returns the size beyond which there are this many numbers; `bins` are those of the largest ones first.
fn beyond(bins: impl Iterator<Item = (usize, u64)>, mut outside: f64, width: f64) -> f64 {
    for (i, count) in bins {
        let count = count as f64;
        if count > outside {
            return (i as f64 + 1.0 - outside / count) * width;
        }
        outside -= count;
    }
    0.0
}
