//! Arrays that can be written.
use super::{
    Array, BufferRecycler, Dims, Element, check_len, check_size,
    storage::{Computed, Memory},
    zeros,
};
use crate::base::{Cause, Dtype, Ints, Result, elements, shape_text};
use std::{
    fmt,
    sync::{Arc, Weak},
};

/// An array that can be written: uniquely owned, and aligned to a cache line if its memory is its own.
///
/// ```
/// use tpulang::{Dtype, array::ArrayMut};
/// let mut a = ArrayMut::zeros(Dtype::Float32, &[2])?;
/// a.elements()?.copy_from_slice(&[1f32, 2.0]);
/// assert_eq!(a.freeze().to_f32()?, [1.0, 2.0]);
/// # Ok::<(), tpulang::Error>(())
/// ```
pub struct ArrayMut {
    dtype: Dtype,
    shape: Dims,
    memory: Memory,
}

/// Words of a cache line.
const LINE: usize = 8;

impl ArrayMut {
    /// Creates an array of zeros.
    ///
    /// # Errors
    /// Returns an error if the shape is invalid or exceeds the available memory.
    pub fn zeros(dtype: Dtype, shape: &[usize]) -> Result<ArrayMut> {
        Ok(ArrayMut::starting(dtype, shape, zeros(ArrayMut::words(dtype, shape)?)?))
    }
    /// Creates an array on the elements of a vector, in row-major order, without a copy.
    ///
    /// ```
    /// use tpulang::array::ArrayMut;
    /// let mut a = ArrayMut::from_vec([2, 2], vec![1f32, 2.0, 3.0, 4.0])?;
    /// assert_eq!(a.elements::<f32>()?[3], 4.0);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the number of elements does not match the shape.
    pub fn from_vec<T: Element>(shape: impl Into<Ints>, data: Vec<T>) -> Result<ArrayMut> {
        let shape = shape.into().to_shape()?;
        check_len(&shape, T::DTYPE, data.len())?;
        Ok(ArrayMut { dtype: T::DTYPE, shape: shape.into(), memory: Memory::of_vec(data) })
    }
    pub(super) fn on(dtype: Dtype, shape: Dims, memory: Memory) -> ArrayMut {
        ArrayMut { dtype, shape, memory }
    }
    /// Returns the number of words of memory for such an array, with its alignment.
    ///
    /// # Errors
    /// Returns an error if the shape is invalid.
    pub fn words(dtype: Dtype, shape: &[usize]) -> Result<usize> {
        Ok((elements(shape, dtype)? * dtype.size()).div_ceil(size_of::<u64>()) + LINE - 1)
    }
    fn starting(dtype: Dtype, shape: &[usize], words: Vec<u64>) -> ArrayMut {
        let start = words.as_ptr().addr() / size_of::<u64>() % LINE;
        ArrayMut { dtype, shape: shape.into(), memory: Memory::Words { words, start: (LINE - start) % LINE } }
    }
    /// Creates an array in recycled memory, with arbitrary elements. Allocates if the memory is too small.
    ///
    /// # Errors
    /// Same as for [`ArrayMut::zeros`].
    pub fn in_words(dtype: Dtype, shape: &[usize], words: Vec<u64>) -> Result<ArrayMut> {
        if words.len() < ArrayMut::words(dtype, shape)? {
            return ArrayMut::zeros(dtype, shape);
        }
        Ok(ArrayMut::starting(dtype, shape, words))
    }
    /// Returns the dtype.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }
    /// Returns the shape.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }
    /// Number of bytes of the elements.
    fn len(&self) -> usize {
        self.shape.iter().product::<usize>() * self.dtype.size()
    }
    /// Returns the elements.
    ///
    /// # Errors
    /// Returns an error if `T` is not the dtype of the array.
    pub fn elements<T: Element>(&mut self) -> Result<&mut [T]> {
        if T::DTYPE != self.dtype {
            return Err(Cause::Dtype {
                argument: "the result".into(),
                found: self.dtype,
                allowed: vec![T::DTYPE],
                remedy: None,
            }
            .into());
        }
        Ok(bytemuck::cast_slice_mut(self.bytes()))
    }
    /// Returns the elements as a `T` of the same size, whatever the dtype.
    ///
    /// # Errors
    /// Returns an error if `T` has another size.
    pub fn bits<T: Element>(&mut self) -> Result<&mut [T]> {
        check_size::<T>(self.dtype)?;
        Ok(bytemuck::cast_slice_mut(self.bytes()))
    }
    /// Returns the elements as bytes.
    pub fn bytes(&mut self) -> &mut [u8] {
        let len = self.len();
        self.memory.bytes_mut(len)
    }
    /// Returns the array in another shape.
    ///
    /// # Errors
    /// Returns an error if the number of elements differs.
    pub fn reshaped(self, shape: &[usize]) -> Result<ArrayMut> {
        check_len(shape, self.dtype, self.shape.iter().product())?;
        Ok(ArrayMut { shape: shape.into(), ..self })
    }
    /// Turns it into an [`Array`], which can be shared.
    pub fn freeze(self) -> Array {
        self.frozen(None)
    }
    /// Like [`ArrayMut::freeze`], but returns the memory to `recycler` when the last clone of the array is dropped.
    pub fn freeze_with_recycler(self, recycler: Weak<dyn BufferRecycler>) -> Array {
        self.frozen(Some(recycler))
    }
    fn frozen(self, recycler: Option<Weak<dyn BufferRecycler>>) -> Array {
        let len = self.len();
        let ArrayMut { dtype, shape, memory } = self;
        Array { dtype, shape, storage: Arc::new(Computed { memory, recycler, len }), len }
    }
    /// Lends the memory to an array that may be written, frozen and shared. [`Loan::end`] returns it once that array
    /// and its clones are dropped.
    ///
    /// ```
    /// use tpulang::{Dtype, array::ArrayMut};
    /// let (mut lent, loan) = ArrayMut::zeros(Dtype::Int32, &[2])?.lend();
    /// lent.elements()?.copy_from_slice(&[1i32, 2]);
    /// let loan = loan.end().expect_err("it is still lent");
    /// drop(lent);
    /// assert_eq!(loan.end().expect("it is free again").freeze().to_f64()?, [1.0, 2.0]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn lend(mut self) -> (ArrayMut, Loan) {
        let address = self.bytes().as_ptr().addr();
        let len = self.len();
        let (lent, memory) = self.memory.lend(len);
        let ArrayMut { dtype, shape, .. } = self;
        (ArrayMut { dtype, shape: shape.clone(), memory: lent }, Loan { dtype, shape, memory, address })
    }
}

/// An array without elements.
impl Default for ArrayMut {
    fn default() -> Self {
        ArrayMut { dtype: Dtype::Uint8, shape: Dims::from_slice(&[0]), memory: Memory::none() }
    }
}

impl fmt::Debug for ArrayMut {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "ArrayMut({} {})", shape_text(&self.shape), self.dtype)
    }
}

/// The owner of memory that is lent ([`ArrayMut::lend`]).
pub struct Loan {
    dtype: Dtype,
    shape: Dims,
    memory: Arc<Memory>,
    address: usize,
}

impl Loan {
    /// Whether an array has this memory.
    ///
    /// # Errors
    /// Returns an error if the array's elements cannot be read.
    pub fn is_of(&self, array: &Array) -> Result<bool> {
        Ok(array.bytes()?.as_ptr().addr() == self.address)
    }
    /// Ends the loan.
    ///
    /// # Errors
    /// Returns the loan if an array still has the memory.
    pub fn end(self) -> std::result::Result<ArrayMut, Loan> {
        let Loan { dtype, shape, memory, address } = self;
        match Arc::try_unwrap(memory) {
            Ok(memory) => Ok(ArrayMut { dtype, shape, memory }),
            Err(memory) => Err(Loan { dtype, shape, memory, address }),
        }
    }
}

impl fmt::Debug for Loan {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Loan({} {})", shape_text(&self.shape), self.dtype)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_lent_comes_back() {
        for array in
            [ArrayMut::zeros(Dtype::Float32, &[2, 3]).unwrap(), ArrayMut::from_vec([2, 3], vec![0f32; 6]).unwrap()]
        {
            let (mut lent, loan) = array.lend();
            lent.elements::<f32>().unwrap()[4] = 5.0;
            let frozen = lent.freeze();
            assert!(loan.is_of(&frozen).unwrap());
            assert!(!loan.is_of(&Array::from([1f32])).unwrap());
            let clone = frozen.reshaped([6]).unwrap();
            drop(frozen);
            let loan = loan.end().expect_err("a clone has the memory");
            // The memory can be taken from an array and lent on, too.
            drop(clone.into_mut().expect("nobody else has it"));
            assert_eq!(loan.end().ok().unwrap().elements::<f32>().unwrap(), [0.0, 0.0, 0.0, 0.0, 5.0, 0.0]);
        }
    }
}
