//! Exchange of arrays with other libraries, without copies: [DLPack](https://dmlc.github.io/dlpack/latest/), in its
//! legacy and its versioned form.
//!
//! ```
//! use tpulang::{Array, array::{ArrayView, dlpack::{Managed, Versioned}}};
//! let array = Array::from([1f32, 2.0, 3.0]);
//! // What another library gets, and gives back by calling the deleter.
//! let raw: *mut Versioned = array.strided().to_dlpack()?.into_raw();
//! // SAFETY: the tensor is valid, and nobody writes to its memory.
//! let view = unsafe { ArrayView::from_dlpack(Managed::from_raw(raw).unwrap())? };
//! assert_eq!(view.to_array()?.bytes()?.as_ptr(), array.bytes()?.as_ptr());
//! # Ok::<(), tpulang::Error>(())
//! ```
#![allow(unsafe_code, reason = "memory that other libraries own, or get; docs/safety.md lists each use")]
use super::{
    Array, ArrayMut, ArrayView,
    array_view::{is_contiguous, row_major},
};
use crate::base::{Dtype, Error, Result, Shape, argument, invalid};
pub use dlpark::{
    DlpackFlags, Managed, ManagedTensorBase,
    ffi::{DLDevice as Device, DLDeviceType as DeviceType},
    ffi::{DLManagedTensor as Legacy, DLManagedTensorVersioned as Versioned},
};
use dlpark::{
    ffi::{DLDataType, DLDataTypeCode as Code},
    metadata::Dynamic,
};
use std::{any::Any, ffi::c_void};

/// A form of DLPack's managed tensors: [`Legacy`] or [`Versioned`].
pub trait Form: ManagedTensorBase + 'static {
    /// Whether the form can say that memory may only be read.
    const HAS_FLAGS: bool;
}
impl Form for Legacy {
    const HAS_FLAGS: bool = false;
}
impl Form for Versioned {
    const HAS_FLAGS: bool = true;
}

/// The memory and the type of a tensor.
#[derive(Debug, Clone)]
pub struct Description {
    /// The address of the first element, on its device.
    pub pointer: *mut c_void,
    /// The device.
    pub device: Device,
    /// The type of the elements.
    pub dtype: Dtype,
    /// The dimensions.
    pub shape: Shape,
    /// The strides of the axes, in elements.
    pub strides: Vec<isize>,
}

impl Description {
    /// Describes a tensor that another library has made.
    ///
    /// # Errors
    /// Returns an error if the tensor is invalid or its dtype is unknown.
    pub fn of<M: Form>(tensor: &Managed<M>) -> Result<Description> {
        let checked = tensor.validate().map_err(wrong)?;
        let size =
            |d: &i64| usize::try_from(*d).map_err(|_| invalid(format!("a DLPack tensor has a dimension of {d}")));
        let shape = checked.shape().iter().map(size).collect::<Result<Shape>>()?;
        let strides = match checked.strides() {
            Some(strides) => strides.iter().map(|s| *s as isize).collect(),
            None => row_major(&shape),
        };
        let offset = usize::try_from(checked.byte_offset()).map_err(wrong)?;
        let pointer = checked.data_ptr().cast_mut().wrapping_byte_add(offset);
        Ok(Description { pointer, device: checked.device(), dtype: dtype(checked.dtype())?, shape, strides })
    }
    /// Describes a tensor whose elements are contiguous, in row-major order.
    pub fn row_major(pointer: *mut c_void, device: Device, dtype: Dtype, shape: &[usize]) -> Description {
        Description { pointer, device, dtype, shape: shape.to_vec(), strides: row_major(shape) }
    }
    /// Whether the elements are contiguous, in row-major order.
    pub fn is_contiguous(&self) -> bool {
        is_contiguous(&self.shape, &self.strides)
    }
    /// Number of elements from the first to the last in memory, and the index of that with index 0 among them. `None`
    /// if there are none, or they do not fit the address space.
    pub fn span(&self) -> Option<(usize, usize)> {
        let (mut before, mut after) = (0usize, 0usize);
        for (dim, stride) in self.shape.iter().zip(&self.strides) {
            let by = dim.checked_sub(1)?.checked_mul(stride.unsigned_abs())?;
            let end = if *stride < 0 { &mut before } else { &mut after };
            *end = end.checked_add(by)?;
        }
        Some((before.checked_add(after)?.checked_add(1)?, before))
    }
    /// Creates a managed tensor, whose deleter drops `owner`.
    ///
    /// # Errors
    /// Returns an error if the shape is not representable.
    ///
    /// # Safety
    /// The memory must be valid until `owner` is dropped, and may be written unless `is_read_only`, which [`Legacy`]
    /// tensors cannot say.
    pub unsafe fn export<M: Form>(&self, is_read_only: bool, owner: impl Any + Send + Sync) -> Result<Managed<M>> {
        let shape: Vec<i64> = self.shape.iter().map(|d| *d as i64).collect();
        let strides: Vec<i64> = self.strides.iter().map(|s| *s as i64).collect();
        let prepared = Dynamic::new(shape, strides).prepare_as::<M>().map_err(wrong)?;
        let mut tensor = prepared.initialize(Box::new(owner));
        tensor.set_data(self.pointer).set_device(self.device).set_dtype(code(self.dtype));
        if is_read_only && M::HAS_FLAGS {
            tensor.set_flags(DlpackFlags::READ_ONLY).map_err(wrong)?;
        }
        // SAFETY: all fields are set; the caller promises that the owner keeps the memory.
        Ok(unsafe { tensor.finish() })
    }
}

fn wrong(problem: impl std::fmt::Display) -> Error {
    invalid(format!("a DLPack tensor is invalid: {problem}"))
}

/// The dtypes that both sides know, and their codes and bits.
const DTYPES: [(Dtype, Code, u8); 15] = [
    (Dtype::Float32, Code::FLOAT, 32),
    (Dtype::Float64, Code::FLOAT, 64),
    (Dtype::Float16, Code::FLOAT, 16),
    (Dtype::Bfloat16, Code::BFLOAT, 16),
    (Dtype::Fp8e4m3, Code::FLOAT8_E4M3FN, 8),
    (Dtype::Fp8e5m2, Code::FLOAT8_E5M2, 8),
    (Dtype::Int8, Code::INT, 8),
    (Dtype::Uint8, Code::UINT, 8),
    (Dtype::Int16, Code::INT, 16),
    (Dtype::Uint16, Code::UINT, 16),
    (Dtype::Int32, Code::INT, 32),
    (Dtype::Uint32, Code::UINT, 32),
    (Dtype::Int64, Code::INT, 64),
    (Dtype::Uint64, Code::UINT, 64),
    (Dtype::Bool, Code::BOOL, 8),
];

fn code(dtype: Dtype) -> DLDataType {
    let known = DTYPES.iter().find(|(known, ..)| *known == dtype);
    let (code, bits) = known.map_or((Code::UINT, 8 * dtype.size() as u8), |(_, code, bits)| (*code, *bits));
    DLDataType { code, bits, lanes: 1 }
}

fn dtype(code: DLDataType) -> Result<Dtype> {
    let known = DTYPES.iter().find(|(_, known, bits)| (*known, *bits, 1) == (code.code, code.bits, code.lanes));
    known.map(|(dtype, ..)| *dtype).ok_or_else(|| {
        let found = format!("code {}, {} bits, {} lanes", code.code.0, code.bits, code.lanes);
        argument("the dtype of a DLPack tensor", found, "expected one of tpulang's dtypes")
    })
}

/// Checks that a tensor is in the memory of the host.
fn check_host(device: Device) -> Result<()> {
    if [DeviceType::CPU, DeviceType::CUDAHOST].contains(&device.device_type) {
        return Ok(());
    }
    let found = format!("{}, number {}", device.device_type.0, device.device_id);
    Err(argument("the device type of a DLPack tensor", found, "expected memory of the host: 1, or 3 if it is pinned"))
}

impl ArrayView {
    /// Exports the view without a copy, read-only; a [`Legacy`] tensor, which its receiver may write to, is a copy. The
    /// memory lives until the deleter of the tensor is called.
    ///
    /// # Errors
    /// Returns an error if the elements cannot be read (see [`Array::bytes`]), or memory runs out.
    pub fn to_dlpack<M: Form>(&self) -> Result<Managed<M>> {
        if !M::HAS_FLAGS && !self.is_empty() {
            let copy = self.to_array()?.copied()?;
            return copy.into_mut().map_err(|_| invalid("internal error: a copy is shared"))?.into_dlpack();
        }
        let first = self.array().bytes()?.as_ptr().wrapping_add(self.offset() * self.dtype().size());
        let (shape, strides) = (self.shape().to_vec(), self.strides().to_vec());
        let pointer = first.cast_mut().cast();
        let description = Description { pointer, device: Device::CPU, dtype: self.dtype(), shape, strides };
        // SAFETY: the array keeps the memory; it is exported as read-only, or has no elements.
        unsafe { description.export(true, self.array().clone()) }
    }
    /// Imports a tensor of the host's memory, without a copy. Its deleter is called when the last array on it is
    /// dropped.
    ///
    /// # Errors
    /// Returns an error if the tensor is invalid, on another device, or not aligned for its elements, or its dtype is
    /// unknown.
    ///
    /// # Safety
    /// The tensor must be valid, and nobody may write to its memory as long as the view and its arrays live.
    pub unsafe fn from_dlpack<M: Form>(tensor: Managed<M>) -> Result<ArrayView> {
        let from = Description::of(&tensor)?;
        check_host(from.device)?;
        let Some((count, first)) = from.span() else {
            crate::base::elements(&from.shape.iter().map(|d| *d.max(&1)).collect::<Shape>(), from.dtype)?;
            return ArrayView::new(
                Array::from_raw(from.dtype, vec![0], Vec::<u8>::new())?,
                0,
                &from.shape,
                &from.strides,
            );
        };
        let start = from.pointer.cast::<u8>().wrapping_sub(first.saturating_mul(from.dtype.size()));
        // SAFETY: the tensor has the elements from the first to the last in memory, and the caller promises the rest.
        let array = unsafe { Array::from_raw_parts(from.dtype, [count], start, tensor)? };
        ArrayView::new(array, first, &from.shape, &from.strides)
    }
}

impl ArrayMut {
    /// Exports the array without a copy, for reading and writing. The memory lives until the deleter of the tensor is
    /// called.
    ///
    /// # Errors
    /// Returns an error if the shape is not representable.
    pub fn into_dlpack<M: Form>(mut self) -> Result<Managed<M>> {
        let pointer = self.bytes().as_mut_ptr().cast();
        let description = Description::row_major(pointer, Device::CPU, self.dtype(), self.shape());
        // SAFETY: the array, which nobody else has, keeps the memory.
        unsafe { description.export(false, self) }
    }
    /// Imports a tensor of the host's memory to write to it, without a copy. Its deleter is called when the array is
    /// dropped.
    ///
    /// # Errors
    /// Returns an error if the tensor is read-only or not contiguous, and for the reasons of
    /// [`ArrayView::from_dlpack`].
    ///
    /// # Safety
    /// The tensor must be valid, and nobody else may read or write its memory as long as the array lives.
    pub unsafe fn from_dlpack<M: Form>(tensor: Managed<M>) -> Result<ArrayMut> {
        let from = Description::of(&tensor)?;
        check_host(from.device)?;
        if tensor.flags().contains(DlpackFlags::READ_ONLY) {
            return Err(invalid("a DLPack tensor for a result is read-only; expected one that may be written"));
        }
        if !from.is_contiguous() {
            let found = format!("{:?}", from.strides);
            let expected = format!("expected {:?}: results are written in row-major order", row_major(&from.shape));
            return Err(argument("the strides of a DLPack tensor for a result", found, expected));
        }
        // SAFETY: the tensor has all elements, in row-major order, and the caller promises the rest.
        unsafe { ArrayMut::from_raw_parts(from.dtype, from.shape, from.pointer.cast(), tensor) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn both_ways<M: Form>(view: &ArrayView) -> ArrayView {
        let raw = view.to_dlpack::<M>().unwrap().into_raw();
        // SAFETY: the tensor was just exported; nobody writes to its memory.
        unsafe { ArrayView::from_dlpack(Managed::from_raw(raw).unwrap()).unwrap() }
    }

    #[test]
    fn tensors_come_back_as_they_were() {
        for (dtype, ..) in DTYPES {
            let array = Array::from_f64s(dtype, [2, 3], (0..6).map(f64::from)).unwrap();
            let view = array.strided().permuted(&[1, 0]).unwrap().narrow(0, 1, 2).unwrap();
            let expected = view.to_array().unwrap();
            let again = both_ways::<Versioned>(&view);
            assert_eq!((again.strides(), again.to_array().unwrap()), (view.strides(), expected.clone()));
            let start =
                |view: &ArrayView| view.array().bytes().unwrap().as_ptr().wrapping_add(view.offset() * dtype.size());
            assert_eq!(start(&again), start(&view), "no copy");
            let copy = both_ways::<Legacy>(&view);
            assert_eq!(copy.to_array().unwrap(), expected);
            assert_ne!(start(&copy), start(&view), "the receiver may write to it");
        }
        let reversed = ArrayView::new(Array::from([1i32, 2, 3]), 2, &[2], &[-2]).unwrap();
        assert_eq!(both_ways::<Versioned>(&reversed).to_array().unwrap().to_f64().unwrap(), [3.0, 1.0]);
        for shape in [&[0, 3][..], &[]] {
            let array = Array::from_f64s(Dtype::Int16, shape.to_vec(), std::iter::repeat_n(4.0, 1 - shape.len() / 2));
            let array = array.unwrap();
            assert_eq!(both_ways::<Versioned>(&array.strided()).to_array().unwrap(), array);
            assert_eq!(both_ways::<Legacy>(&array.strided()).to_array().unwrap(), array);
        }
    }

    /// The tensor keeps the memory until its deleter is called, and so does an array on it.
    #[test]
    fn owners_live_until_the_deleter_is_called() {
        let owner = Arc::new(vec![1f32, 2.0]);
        // SAFETY: the owner keeps the memory, which nobody writes to.
        let array =
            unsafe { Array::from_raw_parts(Dtype::Float32, [2], owner.as_ptr().cast(), owner.clone()).unwrap() };
        let tensor: Managed<Versioned> = array.strided().to_dlpack().unwrap();
        assert!(tensor.flags().contains(DlpackFlags::READ_ONLY));
        drop(array);
        assert_eq!(Arc::strong_count(&owner), 2);
        // SAFETY: the tensor is valid, and nobody writes to its memory.
        let view = unsafe { ArrayView::from_dlpack(tensor).unwrap() };
        assert_eq!((view.to_array().unwrap().to_f32().unwrap(), Arc::strong_count(&owner)), (vec![1.0, 2.0], 2));
        drop(view);
        assert_eq!(Arc::strong_count(&owner), 1);
    }

    #[test]
    fn results_are_written_to_tensors() {
        let tensor: Managed<Legacy> = ArrayMut::from_vec([2], vec![1f32, 2.0]).unwrap().into_dlpack().unwrap();
        // SAFETY: nobody else has the tensor.
        let mut array = unsafe { ArrayMut::from_dlpack(tensor).unwrap() };
        array.elements::<f32>().unwrap()[1] = 5.0;
        assert_eq!(array.freeze().to_f32().unwrap(), [1.0, 5.0]);
    }

    #[test]
    fn what_cannot_be_used_is_refused() {
        let view = Array::from_vec([2, 3], vec![0f32; 6]).unwrap().strided();
        let tensor = || view.to_dlpack::<Versioned>().unwrap();
        // SAFETY: the tensors are refused.
        let error = unsafe { ArrayMut::from_dlpack(tensor()) }.unwrap_err().to_string();
        assert_eq!(error, "a DLPack tensor for a result is read-only; expected one that may be written");
        let mut array = ArrayMut::from_vec([2, 3], vec![0f32; 6]).unwrap();
        let pointer = array.bytes().as_mut_ptr().cast();
        let description =
            Description { pointer, device: Device::CPU, dtype: Dtype::Float32, shape: vec![3, 2], strides: vec![1, 3] };
        // SAFETY: the array outlives the tensors, which are refused.
        let error = |description: Description| unsafe {
            let tensor: Managed<Versioned> = description.export(false, ()).unwrap();
            ArrayMut::from_dlpack(tensor).unwrap_err().to_string()
        };
        let strides = error(description.clone());
        assert!(strides.ends_with("is [1, 3]; expected [2, 1]: results are written in row-major order"), "{strides}");
        let device = error(Description { device: Device::cuda(0), ..description });
        assert!(device.starts_with("the device type of a DLPack tensor is 2, number 0; expected"), "{device}");
        let complex = DLDataType { code: Code::COMPLEX, bits: 64, lanes: 1 };
        let error = dtype(complex).unwrap_err().to_string();
        assert!(error.starts_with("the dtype of a DLPack tensor is code 5, 64 bits, 1 lanes"), "{error}");
        assert_eq!(dtype(DLDataType { code: Code::BOOL, bits: 8, lanes: 1 }).unwrap(), Dtype::Bool);
    }
}
