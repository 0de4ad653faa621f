//! Strided views of arrays.
use super::{Array, ArrayMut, Storage};
use crate::base::{Dtype, Result, Shape, argument, elements, misfit, pluralized, shape_text};
use std::{fmt, sync::Arc};

/// A strided view of the elements of an [`Array`], whose memory it shares: a part of it, or its axes in another order.
///
/// ```
/// use tpulang::Array;
/// let a = Array::from_vec([2, 3], vec![1f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let columns = a.strided().narrow(1, 1, 2)?.permuted(&[1, 0])?;
/// assert_eq!((columns.shape(), columns.strides()), ([2, 2].as_slice(), [1, 3].as_slice()));
/// assert_eq!(columns.to_array()?.to_f32()?, [2.0, 5.0, 3.0, 6.0]);
/// # Ok::<(), tpulang::Error>(())
/// ```
#[derive(Clone)]
pub struct ArrayView {
    array: Array,
    /// The index of the first element.
    offset: usize,
    shape: Shape,
    strides: Vec<isize>,
}

/// Row-major strides, in elements.
pub(super) fn row_major(shape: &[usize]) -> Vec<isize> {
    let mut strides = vec![1isize; shape.len()];
    for i in (1..shape.len()).rev() {
        strides[i - 1] = strides[i].saturating_mul(shape[i] as isize);
    }
    strides
}

pub(super) fn is_contiguous(shape: &[usize], strides: &[isize]) -> bool {
    let mut axes = shape.iter().zip(strides).zip(row_major(shape));
    shape.contains(&0) || axes.all(|((dim, stride), expected)| *dim == 1 || *stride == expected)
}

impl Array {
    /// Returns a view of all elements.
    pub fn strided(&self) -> ArrayView {
        ArrayView { array: self.clone(), offset: 0, shape: self.shape.to_vec(), strides: row_major(&self.shape) }
    }
    /// Returns a deep copy, in memory of its own.
    ///
    /// ```
    /// use tpulang::Array;
    /// let a = Array::from([1f32, 2.0]);
    /// let b = a.copied()?;
    /// assert_eq!(a, b);
    /// assert_ne!(a.bytes()?.as_ptr(), b.bytes()?.as_ptr());
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the elements cannot be read (see [`Array::bytes`]), or memory runs out.
    pub fn copied(&self) -> Result<Array> {
        if self.is_empty() {
            return Ok(self.clone());
        }
        let mut copy = ArrayMut::zeros(self.dtype, &self.shape)?;
        let (to, mut at) = (copy.bytes(), 0);
        self.pieces(|piece| {
            to[at..at + piece.len()].copy_from_slice(piece);
            at += piece.len();
            Ok(())
        })?;
        Ok(copy.freeze())
    }
}

impl ArrayView {
    /// Creates a view from an offset and strides, in elements; strides may be 0 or negative.
    ///
    /// ```
    /// use tpulang::{Array, array::ArrayView};
    /// let reversed = ArrayView::new(Array::from([1i32, 2, 3]), 2, &[3], &[-1])?;
    /// assert_eq!(reversed.to_array()?.to_f64()?, [3.0, 2.0, 1.0]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if there are not as many strides as dimensions, or an element would be outside of the array.
    pub fn new(array: Array, offset: usize, shape: &[usize], strides: &[isize]) -> Result<ArrayView> {
        if strides.len() != shape.len() {
            let found = pluralized(strides.len(), "stride");
            return Err(misfit(
                "strides",
                format!("has {found}; the shape {} takes {}", shape_text(shape), shape.len()),
            ));
        }
        let view = ArrayView { array, offset, shape: shape.to_vec(), strides: strides.to_vec() };
        let count = view.array.len();
        let range = view.range();
        if range.is_none_or(|(first, last)| first < 0 || last >= count as i128) {
            let problem = format!("leave the array's {} ({})", pluralized(count, "element"), shape_text(shape));
            return Err(misfit(format!("the offset {offset} and strides {strides:?}"), problem));
        }
        // The number of elements may exceed the array's if strides are 0.
        let positive: Shape = shape.iter().map(|d| *d.max(&1)).collect();
        elements(&positive, view.array.dtype)?;
        Ok(view)
    }
    /// Returns the indices of the elements that come first and last in memory. An empty view has none, which fit
    /// anywhere.
    fn range(&self) -> Option<(i128, i128)> {
        if self.is_empty() {
            return (self.offset <= self.array.len()).then_some((0, -1));
        }
        let (mut first, mut last) = (self.offset as i128, self.offset as i128);
        for (dim, stride) in self.shape.iter().zip(&self.strides) {
            let by = (*dim as i128 - 1) * *stride as i128;
            if by < 0 { first = first.saturating_add(by) } else { last = last.saturating_add(by) }
        }
        Some((first, last))
    }
    /// Returns the type of the elements.
    pub fn dtype(&self) -> Dtype {
        self.array.dtype
    }
    /// Returns the dimensions.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }
    /// Returns the strides of the axes, in elements.
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }
    /// Returns the index of the first element in [`ArrayView::array`].
    pub fn offset(&self) -> usize {
        self.offset
    }
    /// Returns the array whose elements these are.
    pub fn array(&self) -> &Array {
        &self.array
    }
    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }
    /// Returns whether the elements are in row-major order, without gaps.
    pub fn is_contiguous(&self) -> bool {
        is_contiguous(&self.shape, &self.strides)
    }
    /// Returns the `count` entries of an axis from `first` on.
    ///
    /// # Errors
    /// Returns an error if there is no such axis, or it has fewer entries.
    pub fn narrow(&self, axis: usize, first: usize, count: usize) -> Result<ArrayView> {
        let (rank, dim) = (self.shape.len(), self.shape.get(axis).copied());
        let Some(dim) = dim else {
            return Err(argument("axis", axis, format!("the view has {}", pluralized(rank, "dimension"))));
        };
        if first.checked_add(count).is_none_or(|end| end > dim) {
            let found = format!("{} from {first} on", pluralized(count, "entry"));
            return Err(argument("the range", found, format!("axis {axis} has {}", pluralized(dim, "entry"))));
        }
        let mut view = self.clone();
        view.shape[axis] = count;
        if !view.is_empty() {
            view.offset = view.offset.saturating_add_signed(self.strides[axis].saturating_mul(first as isize));
        }
        Ok(view)
    }
    /// Returns the view with its axes in another order: axis `i` is axis `order[i]` of this one.
    ///
    /// # Errors
    /// Returns an error if `order` is not a permutation of the axes.
    pub fn permuted(&self, order: &[usize]) -> Result<ArrayView> {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..self.shape.len()) {
            let expected = format!("expected each of the {} axes once", self.shape.len());
            return Err(argument("order", format!("{order:?}"), expected));
        }
        let (shape, strides) = order.iter().map(|a| (self.shape[*a], self.strides[*a])).unzip();
        Ok(ArrayView { array: self.array.clone(), offset: self.offset, shape, strides })
    }
    /// Returns an array of the elements. It shares the memory if they are contiguous.
    ///
    /// # Errors
    /// Returns an error if the elements cannot be read (see [`Array::bytes`]), or memory runs out.
    pub fn to_array(&self) -> Result<Array> {
        let size = self.array.dtype.size();
        if self.is_contiguous() {
            let len = self.shape.iter().product::<usize>() * size;
            if len == self.array.len {
                return self.array.with_shape(&self.shape);
            }
            let storage = Arc::new(Part { of: self.array.clone(), start: self.offset * size, len });
            return Ok(Array { dtype: self.array.dtype, shape: self.shape.as_slice().into(), storage, len });
        }
        let mut copy = ArrayMut::zeros(self.array.dtype, &self.shape)?;
        let from = self.array.bytes()?;
        match size {
            1 => self.copy_to::<1>(from, copy.bytes()),
            2 => self.copy_to::<2>(from, copy.bytes()),
            4 => self.copy_to::<4>(from, copy.bytes()),
            _ => self.copy_to::<8>(from, copy.bytes()),
        }
        Ok(copy.freeze())
    }
    /// Copies the elements, of `SIZE` bytes, in row-major order.
    fn copy_to<const SIZE: usize>(&self, from: &[u8], to: &mut [u8]) {
        let ((from, _), (to, _)) = (from.as_chunks::<SIZE>(), to.as_chunks_mut::<SIZE>());
        let (row, step) = match (self.shape.last(), self.strides.last()) {
            (Some(dim), Some(step)) => (*dim, *step),
            _ => (1, 1),
        };
        let outer = self.shape.len().saturating_sub(1);
        let mut index = vec![0; outer];
        let mut start = self.offset;
        for to in to.chunks_mut(row.max(1)) {
            let mut at = start;
            for to in to {
                *to = from[at];
                at = at.wrapping_add_signed(step);
            }
            for axis in (0..outer).rev() {
                index[axis] += 1;
                start = start.wrapping_add_signed(self.strides[axis]);
                if index[axis] < self.shape[axis] {
                    break;
                }
                start = start.wrapping_sub((self.strides[axis] as usize).wrapping_mul(self.shape[axis]));
                index[axis] = 0;
            }
        }
    }
}

impl fmt::Debug for ArrayView {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "ArrayView({} {}, strides {:?})", shape_text(&self.shape), self.array.dtype, self.strides)
    }
}

/// Contiguous elements of another array.
struct Part {
    of: Array,
    /// The first byte.
    start: usize,
    /// Bytes of the elements.
    len: usize,
}

impl Storage for Part {
    fn bytes(&self) -> Result<&[u8]> {
        Ok(&self.of.bytes()?[self.start..self.start + self.len])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{ArrayD, Axis, IxDyn, Slice};
    use proptest::prelude::*;

    /// A step: narrow an axis, or rotate the axes.
    #[derive(Debug, Clone)]
    enum Change {
        Narrow(prop::sample::Index, prop::sample::Index, prop::sample::Index),
        Rotate(prop::sample::Index),
    }

    fn change() -> impl Strategy<Value = Change> {
        let index = any::<prop::sample::Index>;
        prop_oneof![
            (index(), index(), index()).prop_map(|(a, b, c)| Change::Narrow(a, b, c)),
            index().prop_map(Change::Rotate)
        ]
    }

    fn same<T: crate::Element>(shape: &[usize], of: impl Fn(usize) -> T, changes: &[Change]) {
        let count = shape.iter().product();
        let values: Vec<T> = (0..count).map(of).collect();
        let array = Array::from_vec(shape, values.clone()).unwrap();
        let mut expected = ArrayD::from_shape_vec(IxDyn(shape), values).unwrap();
        let mut view = array.strided();
        for change in changes {
            let mut order: Vec<usize> = (0..shape.len()).collect();
            match change {
                Change::Narrow(axis, first, end) => {
                    let axis = axis.index(shape.len());
                    let first = first.index(view.shape()[axis].max(1));
                    let count = end.index(view.shape()[axis] - first.min(view.shape()[axis]) + 1);
                    view = view.narrow(axis, first, count).unwrap();
                    let range = Slice::from(first..first + count);
                    expected = expected.slice_axis(Axis(axis), range).to_owned();
                }
                Change::Rotate(by) => {
                    order.rotate_left(by.index(shape.len()));
                    view = view.permuted(&order).unwrap();
                    expected = expected.permuted_axes(IxDyn(&order));
                }
            }
        }
        let (found, is_shared) = (view.to_array().unwrap(), view.is_contiguous());
        assert_eq!(found, Array::from(expected));
        if is_shared && !found.is_empty() {
            let range = array.bytes().unwrap().as_ptr_range();
            assert!(range.contains(&found.bytes().unwrap().as_ptr()), "contiguous elements are shared");
        }
        let again = ArrayView::new(array, view.offset(), view.shape(), view.strides()).unwrap();
        assert_eq!(again.to_array().unwrap(), found);
    }

    proptest! {
        #[test]
        fn views_are_those_of_ndarray(
            shape in prop::collection::vec(1usize..5, 1..5), changes in prop::collection::vec(change(), 0..5)
        ) {
            same(&shape, |i| i as f32, &changes);
            same(&shape, |i| i as u8, &changes);
            same(&shape, |i| i as i16, &changes);
            same(&shape, |i| i as i64, &changes);
        }

        /// Whatever the offset and strides, a view is refused or within its array.
        #[test]
        fn no_view_leaves_its_array(
            offset in 0usize..30, axes in prop::collection::vec((0usize..4, -9isize..9), 0..4)
        ) {
            let array = Array::from((0..24).collect::<Vec<i32>>());
            let (shape, strides): (Vec<_>, Vec<_>) = axes.into_iter().unzip();
            let indices: Vec<isize> = shape.iter().zip(&strides).fold(vec![offset as isize], |all, (dim, stride)| {
                all.iter().flat_map(|at| (0..*dim as isize).map(move |i| at + i * stride)).collect()
            });
            let is_within = indices.iter().all(|at| (0..24).contains(at));
            match ArrayView::new(array, offset, &shape, &strides) {
                Ok(view) => {
                    let values: Vec<f64> = indices.iter().map(|at| *at as f64).collect();
                    prop_assert_eq!(view.to_array().unwrap().to_f64().unwrap(), values);
                }
                Err(_) => prop_assert!(!is_within || indices.is_empty()),
            }
        }
    }

    #[test]
    fn what_does_not_exist_is_refused() {
        let view = Array::from_vec([2, 3], vec![0f32; 6]).unwrap().strided();
        let message = |result: Result<ArrayView>| result.unwrap_err().to_string();
        assert_eq!(message(view.narrow(2, 0, 1)), "axis is 2; the view has 2 dimensions");
        assert_eq!(message(view.narrow(1, 2, 2)), "the range is 2 entries from 2 on; axis 1 has 3 entries");
        assert_eq!(message(view.narrow(1, 2, usize::MAX)).split(" is ").next(), Some("the range"));
        assert_eq!(message(view.permuted(&[0, 0])), "order is [0, 0]; expected each of the 2 axes once");
        let new = |offset, shape: &[usize], strides: &[isize]| {
            message(ArrayView::new(Array::from([1i8, 2]), offset, shape, strides))
        };
        assert_eq!(new(0, &[2], &[]), "strides has 0 strides; the shape 2 takes 1");
        assert_eq!(new(1, &[2], &[1]), "the offset 1 and strides [1] leave the array's 2 elements (2)");
        new(0, &[usize::MAX; 3], &[isize::MAX; 3]);
        new(0, &[1 << 40, 1 << 40], &[0, 0]);
    }

    #[test]
    fn a_copy_has_memory_of_its_own() {
        for array in [Array::from_vec([2, 2], vec![1i16, 2, 3, 4]).unwrap(), Array::from(Vec::<f32>::new())] {
            let copy = array.copied().unwrap();
            assert_eq!(copy, array);
            assert!(array.is_empty() || copy.into_mut().is_ok());
        }
    }
}
