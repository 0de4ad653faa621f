//! Comparing arrays: by name, as numbers, and as the real numbers that quantized ones stand for.

mod histogram;
mod pairs;
mod parts;
mod real;

pub use histogram::Histogram;
pub use pairs::{Match, Pair, Rename, pair_names};
pub use parts::{Parts, Source};
pub use real::real_numbers;

use crate::{
    array::Array,
    base::{Result, misfit, shape_text},
};
use indexmap::IndexMap;
use std::{fmt, str::FromStr};

/// The difference between two arrays, of which the first is the reference. Norms are Euclidean. Equal infinities, and two
/// NaN, count as equal.
#[derive(Debug, Clone, PartialEq)]
pub enum Comparison {
    /// The arrays have the same shape.
    Values {
        /// Cosine of the angle between the arrays: 1 for equal directions.
        cosine: f64,
        /// `1 - norm(a - b) / ((norm(a) + norm(b)) / 2)`, like TPU-MLIR's npz_tool: 1 for equal arrays.
        euclidean: f64,
        /// Maximum absolute difference.
        max_abs: f64,
        /// Row-major index of that difference; 0 if there is none.
        max_at: usize,
        /// `norm(a - b) / norm(a)`.
        relative_l2: f64,
        /// Numbers of NaN in the first and in the second.
        nan: [usize; 2],
    },
    /// An array is missing, or the shapes differ.
    Failure(String),
}

/// The limits within which two arrays count as equal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// Minimum cosine similarity.
    pub cosine: f64,
    /// Minimum Euclidean similarity.
    pub euclidean: f64,
}

impl Tolerance {
    /// The tolerance for tensors that both sides compute in the same dtype.
    pub const SAME_DTYPE: Tolerance = Tolerance { cosine: 0.9999, euclidean: 0.99 };
}

impl FromStr for Tolerance {
    type Err = String;
    /// Parses `COS,EUCLID`.
    fn from_str(text: &str) -> Result<Self, String> {
        let number = |s: &str| s.trim().parse::<f64>().ok().filter(|v| (-1.0..=1.0).contains(v));
        let (a, b) = text.split_once(',').ok_or("expected COS,EUCLID, two numbers from -1 to 1")?;
        match (number(a), number(b)) {
            (Some(cosine), Some(euclidean)) => Ok(Tolerance { cosine, euclidean }),
            _ => Err("expected COS,EUCLID, two numbers from -1 to 1".into()),
        }
    }
}

/// As it is parsed: `COS,EUCLID`.
impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{},{}", self.cosine, self.euclidean)
    }
}

impl Comparison {
    /// Compares two arrays. Their shapes may differ by axes of size 1, which TPU-MLIR's tools add and remove.
    ///
    /// ```
    /// use tpulang::{Array, exec::Comparison};
    /// let (a, b) = (Array::from([1f32, 2.0]), Array::from_vec([1, 2], vec![1f64, 2.5])?);
    /// let Comparison::Values { max_abs, max_at, .. } = Comparison::of(&a, &b)? else { panic!() };
    /// assert_eq!((max_abs, max_at), (0.5, 1));
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if memory runs out or an array cannot be read.
    pub fn of(a: &Array, b: &Array) -> Result<Comparison> {
        if !same_axes(a.shape(), b.shape()) {
            let problem = format!("shapes {} and {}", shape_text(a.shape()), shape_text(b.shape()));
            return Ok(Comparison::Failure(problem));
        }
        Ok(values(&a.to_f64()?, &b.to_f64()?))
    }
    /// Whether the difference is within the tolerance.
    pub fn passes(&self, tolerance: &Tolerance) -> bool {
        match self {
            Comparison::Values { cosine, euclidean, .. } => {
                *cosine >= tolerance.cosine && *euclidean >= tolerance.euclidean
            }
            Comparison::Failure(_) => false,
        }
    }
}

/// Compares arrays by name, reference first. Names that occur in only one of them are failures.
///
/// ```
/// use tpulang::{Array, exec::{Comparison, compare}};
/// let a = [("x".to_owned(), Array::from([1f32, 2.0]))].into_iter().collect();
/// let result = compare(&a, &a)?;
/// assert!(matches!(result["x"], Comparison::Values { max_abs: 0.0, .. }));
/// # Ok::<(), tpulang::Error>(())
/// ```
///
/// # Errors
/// Returns an error if memory runs out or there is nothing to compare.
pub fn compare(
    reference: &IndexMap<String, Array>,
    other: &IndexMap<String, Array>,
) -> Result<IndexMap<String, Comparison>> {
    if reference.is_empty() && other.is_empty() {
        return Err(misfit("the archives", "are empty; there is nothing to compare"));
    }
    let mut all = IndexMap::new();
    for (name, a) in reference {
        let result = match other.get(name) {
            None => Comparison::Failure("missing in the second".into()),
            Some(b) => Comparison::of(a, b)?,
        };
        all.insert(name.clone(), result);
    }
    for name in other.keys().filter(|n| !reference.contains_key(*n)) {
        all.insert(name.clone(), Comparison::Failure("missing in the first".into()));
    }
    Ok(all)
}

/// Whether two shapes are equal but for axes of size 1.
fn same_axes(a: &[usize], b: &[usize]) -> bool {
    let axes = |shape: &[usize]| shape.iter().copied().filter(|d| *d != 1).collect::<Vec<_>>();
    axes(a) == axes(b)
}

/// Equal values compare as equal, including infinities, and so do two NaN.
fn same(x: f64, y: f64) -> bool {
    x == y || (x.is_nan() && y.is_nan())
}

fn values(a: &[f64], b: &[f64]) -> Comparison {
    let (mut dot, mut aa, mut bb, mut dd, mut max_abs, mut max_at) = (0.0, 0.0, 0.0, 0.0, 0f64, 0);
    let mut nan = [0; 2];
    for (at, (&x, &y)) in a.iter().zip(b).enumerate() {
        nan[0] += usize::from(x.is_nan());
        nan[1] += usize::from(y.is_nan());
        if same(x, y) && !x.is_finite() {
            continue;
        }
        let d = if same(x, y) { 0.0 } else { x - y };
        dot += x * y;
        aa += x * x;
        bb += y * y;
        dd += d * d;
        // The first NaN stays.
        if d.abs() > max_abs || d.is_nan() && !max_abs.is_nan() {
            (max_abs, max_at) = (d.abs(), at);
        }
    }
    let (na, nb, nd) = (aa.sqrt(), bb.sqrt(), dd.sqrt());
    let cosine = if nd == 0.0 { 1.0 } else { dot / (na * nb) };
    let euclidean = if nd == 0.0 { 1.0 } else { 1.0 - nd / ((na + nb) / 2.0) };
    let relative_l2 = if nd == 0.0 { 0.0 } else { nd / na };
    let worst = |v: f64| if v.is_nan() { -1.0 } else { v };
    Comparison::Values { cosine: worst(cosine), euclidean: worst(euclidean), max_abs, max_at, relative_l2, nan }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let Comparison::Values { cosine, euclidean, max_abs, relative_l2, .. } = values(&[3.0, 4.0], &[3.0, 4.5])
        else {
            panic!("same shape");
        };
        assert!((cosine - 27.0 / (5.0 * 29.25f64.sqrt())).abs() < 1e-12);
        assert!((euclidean - (1.0 - 0.5 / ((5.0 + 29.25f64.sqrt()) / 2.0))).abs() < 1e-12);
        assert_eq!((max_abs, relative_l2), (0.5, 0.1));
        let tolerance: Tolerance = "0.99,0.9".parse().unwrap();
        for (a, b, passes) in [
            (f64::NAN, f64::NAN, true),
            (f64::INFINITY, f64::INFINITY, true),
            (1.0, f64::NAN, false),
            (1.0, f64::INFINITY, false),
            (0.0, 0.0, true),
            (0.0, 1.0, false),
        ] {
            assert_eq!(values(&[a], &[b]).passes(&tolerance), passes, "{a} {b}");
        }
        let counted = values(&[1.0, f64::NAN, f64::NAN, 4.0], &[1.5, f64::NAN, 2.0, 9.0]);
        let Comparison::Values { nan, max_at, max_abs, .. } = counted else { panic!("same shape") };
        assert!(nan == [2, 1] && max_at == 2 && max_abs.is_nan());
        assert!("0.9".parse::<Tolerance>().is_err() && "2,1".parse::<Tolerance>().is_err());
    }

    #[test]
    fn axes_of_size_1_do_not_matter() {
        let of = |shape: &[usize]| Array::filled(crate::base::Dtype::Float32, shape, 1.0).unwrap();
        let is_equal = |a: &[usize], b: &[usize]| Comparison::of(&of(a), &of(b)).unwrap();
        assert!(matches!(is_equal(&[1, 96], &[96, 1, 1]), Comparison::Values { max_abs: 0.0, .. }));
        assert!(matches!(is_equal(&[], &[1]), Comparison::Values { .. }));
        assert_eq!(is_equal(&[2, 3], &[3, 2]), Comparison::Failure("shapes 2x3 and 3x2".into()));
    }
}
