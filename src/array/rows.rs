//! Some rows of an array, without reading the others.
use super::{
    Array,
    storage::{Computed, Memory},
    zeros,
};
use crate::base::{Cause, Result, argument, shape_text};
use std::{ops::Range, sync::Arc};

impl Array {
    /// Returns the entries of these indices along the first axis. The indices must ascend.
    ///
    /// Of an array in a file only these entries are read, and freed with the result. They are not compared with the checksum
    /// of an archive, which is that of the whole array, and [`Array::non_finite`] does not count them. Of compressed arrays
    /// and of those in another order, more is read.
    ///
    /// ```
    /// use tpulang::Array;
    /// let table = Array::from_vec([3, 2], vec![1f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    /// assert_eq!(table.rows(&[0, 2])?, Array::from_vec([2, 2], vec![1f32, 2.0, 5.0, 6.0])?);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if there is no axis, if the indices do not ascend or one is out of range, or if the elements cannot
    /// be read (see [`Array::bytes`]).
    pub fn rows(&self, rows: &[usize]) -> Result<Array> {
        let Some((count, rest)) = self.shape.split_first() else {
            return Err(Cause::Shape(format!("{} has no rows", shape_text(&self.shape))).into());
        };
        let ascend = rows.is_sorted_by(|a, b| a < b);
        if let Some(last) = rows.last().filter(|last| !ascend || *last >= count) {
            return Err(argument("the last row", last, format!("expected rows that ascend, below {count}")));
        }
        let row = self.len / (*count).max(1);
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for at in rows.iter().map(|r| r * row) {
            match ranges.last_mut().filter(|before| before.end == at) {
                Some(before) => before.end += row,
                None => ranges.push(at..at + row),
            }
        }
        let len = rows.len() * row;
        let mut words = zeros::<u64>(len.div_ceil(size_of::<u64>()))?;
        self.storage.ranges(&ranges, &mut bytemuck::cast_slice_mut(&mut words)[..len])?;
        let memory = Memory::Words { words, start: 0 };
        let shape = [&[rows.len()], rest].concat();
        let storage = Arc::new(Computed { memory, recycler: None, len });
        Ok(Array { dtype: self.dtype, shape: shape.into(), storage, len })
    }
}

/// Copies ranges, which ascend, of the bytes that `pieces` passes on, one after the other to `to`.
pub(super) fn copy_ranges(
    ranges: &[Range<usize>],
    to: &mut [u8],
    pieces: impl FnOnce(&mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>,
) -> Result<()> {
    let (mut ranges, mut before, mut copied) = (ranges.iter().cloned().peekable(), 0, 0);
    pieces(&mut |piece| {
        let end = before + piece.len();
        while let Some(range) = ranges.peek_mut().filter(|range| range.start < end) {
            let part = &piece[range.start - before..range.end.min(end) - before];
            to[copied..copied + part.len()].copy_from_slice(part);
            copied += part.len();
            range.start += part.len();
            // The rest of the range is in the next piece.
            if range.start < range.end {
                break;
            }
            ranges.next();
        }
        before = end;
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Element, NpzFile, base::Dtype, read_arrays, storage::PIECE, write_npz};

    /// All sets of these rows, and the rows as they are read whole.
    fn check<T: Element>(array: &Array) {
        let all = array.in_memory().unwrap();
        let (count, row) = (all.shape()[0], all.len() / all.shape()[0]);
        let elements = all.elements::<T>().unwrap();
        for set in 0..1usize << count {
            let rows: Vec<usize> = (0..count).filter(|r| set >> r & 1 == 1).collect();
            let expected: Vec<T> = rows.iter().flat_map(|r| &elements[r * row..(r + 1) * row]).copied().collect();
            let read = array.rows(&rows).unwrap();
            assert_eq!(read.elements::<T>().unwrap()[..], expected);
            assert_eq!(read.shape(), [&[rows.len()], &all.shape()[1..]].concat());
        }
    }

    #[test]
    fn rows_of_every_storage() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        let matrix = ndarray::Array2::from_shape_fn((5, 3), |(i, j)| (10 * i + j) as i64);
        let array = Array::from(matrix.clone());
        check::<i64>(&array);
        check::<i32>(&array.fitted(Dtype::Int32).unwrap());
        write_npz(path("stored.npz"), [("t", &array)]).unwrap();
        let mut compressed =
            ndarray_npy::NpzWriter::new_compressed(std::fs::File::create(path("compressed.npz")).unwrap());
        compressed.add_array("t", &matrix).unwrap();
        compressed.finish().unwrap();
        ndarray_npy::write_npy(path("t.npy"), &matrix).unwrap();
        ndarray_npy::write_npy(path("turned.npy"), &matrix.t()).unwrap();
        for name in ["stored.npz", "compressed.npz", "t.npy", "turned.npy"] {
            let read = read_arrays(path(name)).unwrap().values().next().cloned().unwrap();
            check::<i64>(&read);
            let fitted = read.fitted(Dtype::Float32).unwrap();
            check::<f32>(&fitted);
            read.bytes().and_then(|_| fitted.bytes()).unwrap();
            check::<i64>(&read);
            check::<f32>(&fitted);
            check::<i64>(&read.with_last_axes_swapped_lazily().unwrap());
        }
    }

    #[test]
    fn rows_reach_into_several_pieces() {
        let dir = tempfile::tempdir().unwrap();
        let (columns, path) = (PIECE / 3, dir.path().join("x.npz"));
        let matrix = ndarray::Array2::from_shape_fn((7, columns), |(i, j)| (i * columns + j) as u32);
        let mut compressed = ndarray_npy::NpzWriter::new_compressed(std::fs::File::create(&path).unwrap());
        compressed.add_array("t", &matrix).unwrap();
        compressed.finish().unwrap();
        check::<u32>(&NpzFile::open(&path).unwrap().array("t").unwrap());
    }

    #[test]
    fn what_is_wrong_is_told() {
        let array = Array::from_vec([4, 2], vec![0i64, 0, 0, 0, 0, 1 << 40, 0, 0]).unwrap();
        for (rows, last) in [(&[0, 4][..], 4), (&[1, 1], 1), (&[2, 1], 1), (&[usize::MAX], usize::MAX)] {
            let expected = format!("the last row is {last}; expected rows that ascend, below 4");
            assert_eq!(array.rows(rows).unwrap_err().to_string(), expected);
        }
        let fitted = array.fitted(Dtype::Int32).unwrap();
        assert_eq!(fitted.rows(&[0, 1, 3]).unwrap(), Array::filled(Dtype::Int32, [3, 2], 0.0).unwrap());
        let error = fitted.rows(&[0, 2, 3]).unwrap_err().to_string();
        assert!(error.starts_with("element [2, 1] is 1099511627776"), "{error}");
        let single = Array::from_vec([0usize; 0], vec![1f32]).unwrap();
        assert!(single.rows(&[]).is_err());
        let empty = Array::filled(Dtype::Float32, [3, 0], 0.0);
        assert!(empty.is_err() || empty.unwrap().rows(&[0, 2]).unwrap().shape() == [2, 0]);
    }
}
