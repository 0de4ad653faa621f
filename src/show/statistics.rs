//! Statistics of coefficients.
use crate::{array::Array, base::Result};
use serde::Serialize;

/// Bins of a histogram.
const BINS: usize = 32;

/// Statistics of the finite elements of an array.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Statistics {
    pub min: f64,
    pub max: f64,
    pub mean: f64,
    /// The standard deviation of the elements themselves, not an estimate from a sample.
    pub std: f64,
    pub zeros: usize,
    /// NaN and infinite elements.
    pub not_finite: usize,
    /// The elements in equal parts of the range from the minimum to the maximum; empty if these are equal.
    pub histogram: Vec<usize>,
}

impl Statistics {
    /// Reads the array twice, in pieces. Returns `None` if no element is finite.
    pub fn of(array: &Array) -> Result<Option<Statistics>> {
        let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
        let (mut count, mut zeros, mut mean, mut squares) = (0usize, 0, 0f64, 0f64);
        array.each_f64(|v| {
            if v.is_finite() {
                (min, max) = (min.min(v), max.max(v));
                count += 1;
                zeros += usize::from(v == 0.0);
                // Welford's algorithm, which loses no digits if the mean is large.
                let delta = v - mean;
                mean += delta / count as f64;
                squares += delta * (v - mean);
            }
        })?;
        if count == 0 {
            return Ok(None);
        }
        let mut histogram = vec![0; if min < max { BINS } else { 0 }];
        if min < max {
            // Divided first, since the difference of the largest floats is infinite.
            let width = max / BINS as f64 - min / BINS as f64;
            array.each_f64(|v| {
                if v.is_finite() {
                    histogram[((v / width - min / width) as usize).min(BINS - 1)] += 1;
                }
            })?;
        }
        let std = (squares / count as f64).sqrt();
        Ok(Some(Statistics { min, max, mean, std, zeros, not_finite: array.len() - count, histogram }))
    }
}

#[cfg(test)]
mod tests {
    use super::{BINS, Statistics};
    use crate::array::Array;

    #[test]
    fn of_small_arrays() {
        let of = |array: Array| Statistics::of(&array).unwrap();
        let found = of(Array::from([0f32, 1.0, 3.0, f32::NAN, f32::INFINITY])).unwrap();
        assert_eq!((found.min, found.max, found.zeros, found.not_finite), (0.0, 3.0, 1, 2));
        assert!((found.mean - 4.0 / 3.0).abs() < 1e-12 && (found.std - (14.0f64 / 9.0).sqrt()).abs() < 1e-12);
        assert_eq!(found.histogram.iter().sum::<usize>(), 3);
        assert_eq!((found.histogram[0], found.histogram[10], found.histogram[BINS - 1]), (1, 1, 1));
        assert_eq!(of(Array::from([7i8, 7])).unwrap().histogram, [0usize; 0]);
        assert_eq!(of(Array::from([f32::NAN])), None);
        let widest = of(Array::from([f64::MIN, 0.0, f64::MAX])).unwrap();
        assert_eq!((widest.histogram[0], widest.histogram[BINS - 1]), (1, 1));
    }
}
