//! Percentiles of histograms, interpolated within a bin.
use super::Histogram;

/// The part of the numbers that are represented.
const PART: f64 = 0.9999;

/// Returns the size that [`PART`] of the numbers do not exceed; if those are all 0, the largest.
pub(super) fn threshold(histogram: &Histogram) -> f64 {
    let outside = histogram.count() as f64 * (1.0 - PART);
    let sizes = histogram.sizes();
    beyond(sizes.iter().copied().enumerate().rev(), outside, histogram.width())
        .unwrap_or_else(|| histogram.largest().into())
}

/// Returns the percentiles at both ends, or the end itself if its percentile is 0. The range contains 0 if the tensor's does.
pub(super) fn range(histogram: &Histogram) -> (f32, f32) {
    let outside = histogram.count() as f64 * (1.0 - PART);
    let (negative, positive) = histogram.sides();
    let width = histogram.width();
    let end = |side: &[u64]| beyond(side.iter().copied().enumerate().rev(), outside, width);
    let (min, max) = (histogram.min(), histogram.max());
    let low = end(negative).filter(|_| min < 0.0).map_or(min, |size| min.max(-size as f32));
    let high = end(positive).filter(|_| max > 0.0).map_or(max, |size| max.min(size as f32));
    (low, high)
}

/// Returns the size beyond which there are this many numbers; `None` if there are fewer. `bins` are those of the largest ones first.
fn beyond(bins: impl Iterator<Item = (usize, u64)>, mut outside: f64, width: f64) -> Option<f64> {
    for (i, count) in bins {
        let count = count as f64;
        if count > outside {
            return Some((i as f64 + 1.0 - outside / count) * width);
        }
        outside -= count;
    }
    None
}
