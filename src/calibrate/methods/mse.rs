//! The threshold of least squared error.
use super::Histogram;
use crate::lanes::{SUMS, for_lanes};
use rten_simd::{Isa, SimdOp};

/// Number of thresholds that are compared.
const CANDIDATES: u32 = 256;

/// Returns the threshold, among equally spaced ones up to the largest number, that minimizes the sum of squared errors.
pub(super) fn threshold(histogram: &Histogram, levels: u32) -> f64 {
    let (sizes, width) = (histogram.sizes(), histogram.width());
    let used = || sizes.iter().enumerate().filter(|(_, count)| **count > 0);
    let bins = Bins {
        centers: used().map(|(i, _)| (i as f64 + 0.5) * width).collect(),
        counts: used().map(|(_, count)| *count as f64).collect(),
        width,
    };
    let largest = f64::from(histogram.largest());
    let candidates = (1..=CANDIDATES).map(|i| largest * f64::from(i) / f64::from(CANDIDATES));
    let errors = candidates.map(|threshold| (bins.error(threshold, levels), threshold));
    errors.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(largest, |(_, threshold)| threshold)
}

/// The bins that are not empty, by size.
struct Bins {
    centers: Vec<f64>,
    counts: Vec<f64>,
    width: f64,
}

impl Bins {
    fn error(&self, threshold: f64, levels: u32) -> f64 {
        let Bins { centers, counts, width } = self;
        let scale = threshold / f64::from(levels);
        let ((inside, beyond), (counts, clipped)) = {
            let end = centers.partition_point(|center| *center <= threshold);
            (centers.split_at(end), counts.split_at(end))
        };
        // Within a bin that is wider than a level, rounding errors are uniform, with a variance of scale^2 / 12.
        let within = match scale < *width {
            true => scale * scale / 12.0 * counts.iter().sum::<f64>(),
            false => RoundingErrors { centers: inside, counts, scale }.dispatch(),
        };
        let clipped: f64 = beyond.iter().zip(clipped).map(|(center, count)| (center - threshold).powi(2) * count).sum();
        within + clipped
    }
}

/// Sums the squared errors of rounded numbers, with the machine's vector instructions.
struct RoundingErrors<'b> {
    centers: &'b [f64],
    counts: &'b [f64],
    scale: f64,
}

impl SimdOp for RoundingErrors<'_> {
    type Output = f64;
    #[inline(always)]
    fn eval<I: Isa>(self, _: I) -> f64 {
        // Floats of this size are integers, so a sum with it is rounded to one.
        const INTEGERS: f64 = (1u64 << 52) as f64;
        let (mut sums, per_scale) = ([0.0; SUMS], 1.0 / self.scale);
        for_lanes(self.centers, self.counts, |centers, counts| {
            for lane in 0..SUMS {
                let nearest = (centers[lane] * per_scale + INTEGERS) - INTEGERS;
                let error = centers[lane] - nearest * self.scale;
                sums[lane] += error * error * counts[lane];
            }
        });
        sums.into_iter().sum()
    }
}
