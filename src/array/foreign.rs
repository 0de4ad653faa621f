//! Memory that belongs to somebody else: a caller's, or another library's.
//!
//! An owner keeps the memory alive; it is dropped with the last array on it.
#![allow(unsafe_code, reason = "slices over memory that an owner keeps alive; docs/safety.md lists each use")]
use super::{
    Array, ArrayMut, Element,
    storage::{Memory, Storage},
};
use crate::base::{Dtype, Ints, Result, argument, elements, shape_text};
use std::{any::Any, ptr::NonNull, slice, sync::Arc};

/// Bytes that an owner keeps alive.
pub(super) struct Foreign {
    pointer: NonNull<u8>,
    len: usize,
    #[expect(dead_code, reason = "it keeps the memory alive")]
    owner: Box<dyn Any + Send + Sync>,
}

// SAFETY: `new` requires that any thread may use the memory; the owner is `Send`.
unsafe impl Send for Foreign {}
// SAFETY: as above; bytes are written only through `&mut`.
unsafe impl Sync for Foreign {}

impl Foreign {
    /// # Safety
    /// Until `owner` is dropped, `pointer` must be valid for `len` bytes, from any thread, and nobody else may write to
    /// them. If [`Foreign::bytes_mut`] is called, it must be valid for writes, and nobody else may read them either.
    pub unsafe fn new(pointer: NonNull<u8>, len: usize, owner: impl Any + Send + Sync) -> Foreign {
        Foreign { pointer, len, owner: Box::new(owner) }
    }
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the caller of `new` promises that the memory is valid while `self`, which has the owner, lives.
        unsafe { slice::from_raw_parts(self.pointer.as_ptr(), self.len) }
    }
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above; `&mut self` excludes all other arrays on the memory.
        unsafe { slice::from_raw_parts_mut(self.pointer.as_ptr(), self.len) }
    }
}

impl Storage for Foreign {
    fn bytes(&self) -> Result<&[u8]> {
        Ok(Foreign::bytes(self))
    }
}

impl Memory {
    /// The elements of a vector, which it owns.
    pub fn of_vec<T: Element>(mut data: Vec<T>) -> Memory {
        let len = size_of_val(&data[..]);
        let pointer = NonNull::from(&mut data[..]).cast();
        // SAFETY: the vector is not touched any more; moving it does not move its elements.
        Memory::Foreign(unsafe { Foreign::new(pointer, len, data) })
    }
    /// Lends the first `len` bytes; the lender holds a clone of the second result.
    pub fn lend(mut self, len: usize) -> (Memory, Arc<Memory>) {
        let pointer = NonNull::from(self.bytes_mut(len)).cast();
        let owner = Arc::new(self);
        // SAFETY: moving the owner does not move its bytes. Nobody accesses them through it until it is taken out of the
        // `Arc`, which fails while the borrower has a clone.
        (Memory::Foreign(unsafe { Foreign::new(pointer, len, owner.clone()) }), owner)
    }
}

/// Returns the pointer and the number of bytes of an array in somebody else's memory.
///
/// # Errors
/// Returns an error if the pointer is null or not aligned for the elements, or the shape is invalid.
fn checked(dtype: Dtype, shape: &[usize], pointer: *mut u8) -> Result<(NonNull<u8>, usize)> {
    let count = elements(&shape.iter().map(|d| *d.max(&1)).collect::<Vec<_>>(), dtype)?;
    if shape.contains(&0) {
        return Ok((NonNull::<u64>::dangling().cast(), 0));
    }
    let of = format!("the memory of an array ({} {dtype})", shape_text(shape));
    let Some(checked) = NonNull::new(pointer) else {
        return Err(argument(of, "a null pointer", "expected the address of the first element"));
    };
    match pointer.addr() % dtype.size() {
        0 => Ok((checked, count * dtype.size())),
        _ => Err(argument(of, format!("{pointer:p}"), format!("expected a multiple of {}", dtype.size()))),
    }
}

impl Array {
    /// Creates an array on memory that belongs to somebody else, without a copy. It is only read. `owner` is dropped
    /// with the last clone of the array.
    ///
    /// ```
    /// use tpulang::{Array, Dtype};
    /// let owner = vec![1f32, 2.0, 3.0];
    /// // SAFETY: the array owns the vector, which is not changed.
    /// let a = unsafe { Array::from_raw_parts(Dtype::Float32, [3], owner.as_ptr().cast(), owner)? };
    /// assert_eq!(a.to_f32()?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the pointer is null or not aligned for the elements, or the shape is invalid.
    ///
    /// # Safety
    /// Until `owner` is dropped, the memory must have all elements, in row-major order, and nobody may write to it.
    pub unsafe fn from_raw_parts(
        dtype: Dtype,
        shape: impl Into<Ints>,
        pointer: *const u8,
        owner: impl Any + Send + Sync,
    ) -> Result<Array> {
        let shape = shape.into().to_shape()?;
        let (pointer, len) = checked(dtype, &shape, pointer.cast_mut())?;
        // SAFETY: the caller promises that the memory is valid; nobody writes to it.
        let storage = Arc::new(unsafe { Foreign::new(pointer, len, owner) });
        Ok(Array { dtype, shape: shape.into(), storage, len })
    }
}

impl ArrayMut {
    /// Creates an array on memory that belongs to somebody else, to write to it without a copy. `owner` is dropped with
    /// the array.
    ///
    /// ```
    /// use tpulang::{Dtype, array::ArrayMut};
    /// let mut memory = [0f32; 2];
    /// // SAFETY: the array is dropped before the memory is used again.
    /// let mut a = unsafe { ArrayMut::from_raw_parts(Dtype::Float32, [2], memory.as_mut_ptr().cast(), ())? };
    /// a.elements()?.copy_from_slice(&[1f32, 2.0]);
    /// drop(a);
    /// assert_eq!(memory, [1.0, 2.0]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the pointer is null or not aligned for the elements, or the shape is invalid.
    ///
    /// # Safety
    /// Until `owner` is dropped, the memory must have room for all elements, and nobody else may read or write it.
    pub unsafe fn from_raw_parts(
        dtype: Dtype,
        shape: impl Into<Ints>,
        pointer: *mut u8,
        owner: impl Any + Send + Sync,
    ) -> Result<ArrayMut> {
        let shape = shape.into().to_shape()?;
        let (pointer, len) = checked(dtype, &shape, pointer)?;
        // SAFETY: the caller promises that the memory is valid, and used by nobody else.
        Ok(ArrayMut::on(dtype, shape.into(), Memory::Foreign(unsafe { Foreign::new(pointer, len, owner) })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets a flag when it is dropped.
    struct Owner(Vec<i32>, Arc<std::sync::atomic::AtomicBool>);
    impl Drop for Owner {
        fn drop(&mut self) {
            self.1.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    }

    #[test]
    fn the_owner_lives_as_long_as_the_last_clone() {
        let dropped: Arc<std::sync::atomic::AtomicBool> = Arc::default();
        let is_dropped = || dropped.load(std::sync::atomic::Ordering::Relaxed);
        let owner = Owner(vec![1, 2, 3, 4], dropped.clone());
        let pointer = owner.0.as_ptr().cast();
        // SAFETY: the owner has the memory, which is not changed.
        let a = unsafe { Array::from_raw_parts(Dtype::Int32, [2, 2], pointer, owner).unwrap() };
        assert_eq!((a.bytes().unwrap().as_ptr(), a.to_f64().unwrap()), (pointer, vec![1.0, 2.0, 3.0, 4.0]));
        let flat = a.reshaped([4]).unwrap();
        let flat = flat.into_mut().expect_err("foreign memory is only read");
        drop(a);
        assert!(!is_dropped());
        drop(flat);
        assert!(is_dropped());
    }

    #[test]
    fn wrong_pointers_are_refused() {
        let message = |pointer: *const u8, shape: &[i64]| {
            // SAFETY: the pointer is refused.
            unsafe { Array::from_raw_parts(Dtype::Float32, shape, pointer, ()) }.unwrap_err().to_string()
        };
        let null = message(std::ptr::null(), &[3]);
        assert_eq!(
            null,
            "the memory of an array (3 float32) is a null pointer; expected the address of the first element"
        );
        let odd = message(std::ptr::without_provenance(6), &[3]);
        assert_eq!(odd, "the memory of an array (3 float32) is 0x6; expected a multiple of 4");
        message(std::ptr::without_provenance(8), &[1 << 40, 1 << 40]);
    }
}
