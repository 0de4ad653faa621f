//! The threshold of least squared error.
use super::Histogram;

/// Number of thresholds that are compared.
const CANDIDATES: u32 = 256;

/// Returns the threshold, among equally spaced ones up to the largest number, that minimizes the sum of squared errors.
pub(super) fn threshold(histogram: &Histogram, levels: u32) -> f64 {
    let (sizes, width) = (histogram.sizes(), histogram.width());
    let sizes: Vec<(f64, f64)> = sizes
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .map(|(i, count)| ((i as f64 + 0.5) * width, *count as f64))
        .collect();
    let largest = f64::from(histogram.largest());
    let candidates = (1..=CANDIDATES).map(|i| largest * f64::from(i) / f64::from(CANDIDATES));
    let errors = candidates.map(|threshold| (error(&sizes, threshold, levels, width), threshold));
    errors.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(largest, |(_, threshold)| threshold)
}

fn error(sizes: &[(f64, f64)], threshold: f64, levels: u32, width: f64) -> f64 {
    let (scale, per_scale) = (threshold / f64::from(levels), f64::from(levels) / threshold);
    let inside = sizes.partition_point(|(size, _)| *size <= threshold);
    // Within a bin that is wider than a level, rounding errors are uniform, with a variance of scale^2 / 12.
    let rounded = |size: f64| match scale < width {
        true => scale * scale / 12.0,
        // Sizes are positive, and there are few levels; `round` would be a call.
        false => (size - f64::from((size * per_scale + 0.5) as i32) * scale).powi(2),
    };
    let within: f64 = sizes[..inside].iter().map(|(size, count)| rounded(*size) * count).sum();
    let clipped: f64 = sizes[inside..].iter().map(|(size, count)| (size - threshold).powi(2) * count).sum();
    within + clipped
}
