//! How the differences of two arrays are distributed.
use super::same;
use crate::{array::Array, base::Result};
use std::collections::BTreeMap;

/// Numbers of elements by the size of their absolute difference.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Histogram {
    /// Number of elements that are equal.
    pub equal: usize,
    /// Numbers of elements by decade: -3 for differences of at least 0.001 and less than 0.01.
    pub decades: BTreeMap<i32, usize>,
    /// Number of elements whose difference is infinite or NaN.
    pub not_finite: usize,
}

impl Histogram {
    /// Counts the differences of two arrays, element by element; further elements of the longer one are not counted.
    ///
    /// ```
    /// use tpulang::{Array, exec::Histogram};
    /// let counts = Histogram::of(&Array::from([1f32, 2.0, 3.0]), &Array::from([1f32, 2.5, 3.25]))?;
    /// assert_eq!((counts.equal, counts.decades[&-1]), (1, 2));
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if memory runs out or an array cannot be read.
    pub fn of(a: &Array, b: &Array) -> Result<Histogram> {
        let mut counts = Histogram::default();
        for (x, y) in a.to_f64()?.into_iter().zip(b.to_f64()?) {
            let difference = (x - y).abs();
            match () {
                () if same(x, y) => counts.equal += 1,
                () if !difference.is_finite() => counts.not_finite += 1,
                () => *counts.decades.entry(decade(difference)).or_default() += 1,
            }
        }
        Ok(counts)
    }
}

/// The largest `n` for which `10^n` is at most a positive number.
fn decade(x: f64) -> i32 {
    let guess = x.log10().floor() as i32;
    // The logarithm is rounded. `powi` returns 0 for powers below the normal numbers.
    let [power, next] = [guess, guess + 1].map(|n| 10f64.powi(n));
    match () {
        () if power > x => guess - 1,
        () if next > 0.0 && next <= x => guess + 1,
        () => guess,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_counted_by_decade() {
        let a = Array::from([0f64, 0.0, 0.0, f64::NAN, f64::INFINITY, 1.0, 0.0, 0.0, 0.0]);
        let b = Array::from([0.001f64, 0.0099, 1000.0, f64::NAN, 1.0, f64::NAN, 1e-300, 5e-310, 0.09999999999999999]);
        let counts = Histogram::of(&a, &b).unwrap();
        assert_eq!((counts.equal, counts.not_finite), (1, 2));
        assert_eq!(counts.decades, [(-2, 1), (-3, 2), (3, 1), (-300, 1), (-310, 1)].into());
    }
}
