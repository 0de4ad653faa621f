//! Exchange of arrays on a GPU with other libraries, by DLPack.
use super::{
    CudaBackend,
    device::{Address, BLOCK_ALIGNMENT},
    device_array::DeviceArray,
};
use crate::{
    array::{
        ArrayMut, ArrayView,
        dlpack::{Description, Device, DeviceType, Form, Managed},
    },
    base::{Result, argument, invalid},
};
use std::sync::Arc;

impl CudaBackend {
    /// Exports an array without a copy, read-only; a [`Legacy`](crate::array::dlpack::Legacy) tensor, which its
    /// receiver may write to, is a copy on the GPU. Waits for work that writes to it. The memory lives until the
    /// deleter of the tensor is called.
    ///
    /// # Errors
    /// Returns an error if earlier work has failed, the array is on another GPU, or memory runs out.
    pub fn to_dlpack<M: Form>(&self, array: &DeviceArray) -> Result<Managed<M>> {
        let array = self.cuda.admitted(array)?;
        let array = if M::HAS_FLAGS { array } else { self.cuda.duplicate(&array)? };
        self.cuda.pool.synchronize()?;
        let pointer = std::ptr::without_provenance_mut(array.pointer() as usize);
        let number = self.cuda.device.number();
        let device = Device::cuda(i32::try_from(number).map_err(|_| invalid("the number of the GPU is too large"))?);
        let description = Description::row_major(pointer, device, array.dtype, &array.shape);
        // SAFETY: the array keeps its memory, which nobody else has if the receiver may write to it.
        unsafe { description.export(true, array) }
    }

    /// Imports a tensor of this GPU's memory. It is copied only if its elements are not contiguous or not aligned to 32
    /// bytes. The deleter of the tensor is called when the array is no longer used and the backend has waited for the
    /// GPU.
    ///
    /// # Errors
    /// Returns an error if the tensor is invalid or not in this GPU's memory, its dtype is unknown, or memory runs out.
    ///
    /// # Safety
    /// The tensor must be valid. Writes to its memory must be complete, and there may be no others as long as the array
    /// lives.
    pub unsafe fn from_dlpack<M: Form>(&self, tensor: Managed<M>) -> Result<DeviceArray> {
        let from = Description::of(&tensor)?;
        let own = self.cuda.device.number();
        let found = (from.device.device_type, usize::try_from(from.device.device_id));
        if found != (DeviceType::CUDA, Ok(own)) {
            let found = format!("{}, number {}", from.device.device_type.0, from.device.device_id);
            let expected = format!("expected this GPU: {}, number {own}", DeviceType::CUDA.0);
            return Err(argument("the device type of a DLPack tensor", found, expected));
        }
        let Some((count, first)) = from.span() else { return self.cuda.allocate(from.dtype, &from.shape) };
        if from.is_contiguous() && (from.pointer.addr() as u64).is_multiple_of(BLOCK_ALIGNMENT) {
            // SAFETY: the caller promises that the tensor has the elements, and keeps them.
            return unsafe { self.borrowed(from.pointer.addr() as u64, from.dtype, &from.shape, Arc::new(tensor)) };
        }
        let bytes = count as u64 * from.dtype.size() as u64;
        let address = Address((from.pointer.addr() as u64).saturating_sub(first as u64 * from.dtype.size() as u64));
        self.check_owner(address)?;
        if from.is_contiguous() {
            let copy = self.cuda.allocate(from.dtype, &from.shape)?;
            self.cuda.device.copy(address, copy.block.address, bytes)?;
            self.cuda.pool.synchronize()?;
            return Ok(copy);
        }
        let mut host = ArrayMut::zeros(from.dtype, &[count])?;
        self.cuda.device.read(address, host.bytes())?;
        self.cuda.upload(&ArrayView::new(host.freeze(), first, &from.shape, &from.strides)?.to_array()?)
    }
}
