//! Real numbers that integers stand for, computed on use.
use super::{
    Array,
    converted::{Conversion, Converted},
    storage::PIECE,
};
use crate::base::{Dtype, Result};
use std::sync::Arc;

/// Integers that stand for real numbers: `(v - zero_point) * scale`.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredIntegers {
    /// The integers.
    pub integers: Array,
    /// The scale of all elements, or one for each entry of the axis.
    pub scales: Vec<f64>,
    /// The zero points: one, one for each entry of the axis, or none, which means 0.
    pub zero_points: Vec<i64>,
    /// The axis whose entries have scales and zero points of their own.
    pub axis: usize,
}

/// The real numbers that integers stand for.
struct Dequantized {
    stored: StoredIntegers,
    /// Number of neighboring elements that share a scale.
    inner: usize,
}

impl Array {
    /// Returns `(v - zero_point) * scale` of integers as float32, which is computed when its elements are first looked at. There
    /// is one scale, or one for each entry of `axis`, and the same for zero points, of which there may be none.
    ///
    /// ```
    /// use tpulang::Array;
    /// let stored = Array::from_vec([2, 2], vec![1i8, 2, 3, 4])?;
    /// let reals = stored.dequantized(vec![0.5, 2.0], vec![0, 1], 0).expect("two scales for two rows");
    /// assert_eq!(reals.to_f32()?, [0.5, 1.0, 4.0, 6.0]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// Returns `None` if the elements are not integers of at most 32 bits, or the numbers of scales or zero points do not fit.
    pub fn dequantized(&self, scales: Vec<f64>, zero_points: Vec<i64>, axis: usize) -> Option<Array> {
        let is_integer = self.dtype.int_range().is_some() && self.dtype.size() <= 4 && self.dtype != Dtype::Bool;
        let entries = self.shape.get(axis).copied();
        let fits = |n: usize| n == 1 || Some(n) == entries;
        if !is_integer || !fits(scales.len()) || !(zero_points.is_empty() || fits(zero_points.len())) {
            return None;
        }
        let inner = self.shape.get(axis.saturating_add(1)..).map_or(1, |rest| rest.iter().product::<usize>()).max(1);
        let len = (self.len / self.dtype.size()).checked_mul(size_of::<f32>())?;
        let stored = StoredIntegers { integers: self.clone(), scales, zero_points, axis };
        let storage = Arc::new(Converted::new(Dequantized { stored, inner }));
        Some(Array { dtype: Dtype::Float32, shape: self.shape.clone(), storage, len })
    }

    /// Returns the integers from which [`Array::dequantized`] made this array. If there are several scales or zero points, it returns
    /// `None` once the array was reshaped.
    ///
    /// ```
    /// use tpulang::Array;
    /// let stored = Array::from_vec([2, 2], vec![1i8, 2, 3, 4])?;
    /// let reals = stored.dequantized(vec![0.5, 2.0], vec![1], 0).expect("two scales for two rows");
    /// let from = reals.dequantized_from().expect("it was dequantized");
    /// assert_eq!((from.integers, from.scales, from.zero_points), (stored, vec![0.5, 2.0], vec![1]));
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn dequantized_from(&self) -> Option<StoredIntegers> {
        let stored = self.storage.dequantized_from().filter(|_| self.dtype == Dtype::Float32)?;
        let has_one = stored.scales.len() == 1 && stored.zero_points.len() <= 1;
        if !has_one && stored.integers.shape != self.shape {
            return None;
        }
        Some(StoredIntegers { integers: stored.integers.with_shape(&self.shape).ok()?, ..stored })
    }
}

impl StoredIntegers {
    /// Returns the scale and the zero point if there is one of each for all elements.
    pub fn per_tensor(&self) -> Option<(f64, i64)> {
        match (self.scales.as_slice(), self.zero_points.as_slice()) {
            ([scale], []) => Some((*scale, 0)),
            ([scale], [zero_point]) => Some((*scale, *zero_point)),
            _ => None,
        }
    }
}

impl Dequantized {
    /// Writes what some integers, which follow `before` others, stand for.
    fn write<T>(&self, before: usize, values: &[T], of: impl Fn(&T) -> f64, to: &mut [f32]) {
        let mut at = 0;
        while at < values.len() {
            let entry = (before + at) / self.inner;
            let end = values.len().min((entry + 1) * self.inner - before);
            let StoredIntegers { scales, zero_points, .. } = &self.stored;
            let scale = scales[entry % scales.len()];
            let zero = zero_points.get(entry % zero_points.len().max(1)).map_or(0.0, |zero| *zero as f64);
            // Differences of integers of up to 32 bits are exact.
            let run = to[at..end].iter_mut().zip(&values[at..end]);
            run.for_each(|(to, v)| *to = ((of(v) - zero) * scale) as f32);
            at = end;
        }
    }
}

impl Conversion for Dequantized {
    fn source(&self) -> &Array {
        &self.stored.integers
    }
    fn dtype(&self) -> Dtype {
        Dtype::Float32
    }
    fn dequantized_from(&self) -> Option<StoredIntegers> {
        Some(self.stored.clone())
    }
    fn convert(&self, mut before: usize, bytes: &[u8], to: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let mut reals = Vec::new();
        // An array in memory comes as one piece.
        for bytes in bytes.chunks(PIECE) {
            reals.resize(bytes.len() / self.source().dtype().size(), 0.0);
            macro_rules! by_dtype {
                ($($dtype:ident: $t:ty),*) => { match self.source().dtype() {
                    $(Dtype::$dtype => {
                        let of = |v: &[u8; size_of::<$t>()]| f64::from(<$t>::from_le_bytes(*v));
                        self.write(before, bytes.as_chunks().0, of, &mut reals);
                    })*
                    _ => {}
                } };
            }
            by_dtype!(Int8: i8, Uint8: u8, Int16: i16, Uint16: u16, Int32: i32, Uint32: u32);
            before += reals.len();
            to(bytemuck::cast_slice(&reals))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entry_of_an_axis_may_have_its_own_scale() {
        let stored = Array::from_vec([2, 3, 2], (0..12).collect::<Vec<i32>>()).unwrap();
        let reals = stored.dequantized(vec![1.0, 10.0, 100.0], vec![0, 1, 2], 1).unwrap();
        let want = [0.0, 1.0, 10.0, 20.0, 200.0, 300.0, 6.0, 7.0, 70.0, 80.0, 800.0, 900.0];
        assert_eq!(reals.to_f32().unwrap(), want);
        assert_eq!(stored.dequantized(vec![2.0], vec![], 7).unwrap().to_f32().unwrap()[11], 22.0);
        assert_eq!(
            stored.dequantized(vec![2.0], vec![0, 1], 0).unwrap().to_f32().unwrap()[..7],
            [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 10.0]
        );
    }

    #[test]
    fn rows_and_pieces_are_not_kept() {
        let n = PIECE + 40;
        let stored = Array::from_vec([n / 4, 4], (0..n).map(|i| (i % 251) as u8).collect::<Vec<_>>()).unwrap();
        let scales = vec![1.0, 2.0, 4.0, 8.0];
        let of = |i: usize| (i % 251) as f32 * [1.0, 2.0, 4.0, 8.0][i % 4];
        let reals = stored.dequantized(scales, vec![], 1).unwrap();
        let rows = [0, 1, 7, n / 4 - 1];
        let want: Vec<f32> = rows.iter().flat_map(|row| (row * 4..row * 4 + 4).map(of)).collect();
        assert_eq!(reals.rows(&rows).unwrap().to_f32().unwrap(), want);
        let mut all: Vec<f32> = Vec::new();
        let mut take = |bytes: &[u8]| {
            all.extend(bytes.as_chunks().0.iter().map(|v| f32::from_le_bytes(*v)));
            Ok(())
        };
        reals.pieces(&mut take).unwrap();
        assert!(all.iter().enumerate().all(|(i, v)| *v == of(i)) && all.len() == n);
        assert!(reals.storage.read_apart().unwrap().is_some(), "nothing is kept");
        reals.bytes().unwrap();
        assert_eq!(reals.rows(&rows).unwrap().to_f32().unwrap(), want);
    }

    #[test]
    fn other_numbers_are_refused() {
        let stored = Array::from_vec([2, 3], vec![0u8; 6]).unwrap();
        assert!(stored.dequantized(vec![1.0; 2], vec![], 1).is_none());
        assert!(stored.dequantized(vec![1.0; 3], vec![0; 2], 1).is_none());
        assert!(stored.dequantized(vec![1.0; 3], vec![0; 3], 2).is_none());
        assert!(Array::from([1f32]).dequantized(vec![1.0], vec![], 0).is_none());
        assert!(Array::from([1i64]).dequantized(vec![1.0], vec![], 0).is_none());
    }
}
