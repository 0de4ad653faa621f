//! Tensors in a GPU's memory.
use super::memory::Block;
use crate::base::{Dtype, Shape};
use std::sync::Arc;

/// A tensor's values on a GPU, row-major. Floats are stored as float32, or as float16 if the session's precision specifies
/// it. Clones share the memory, which is freed with the last of them.
#[derive(Debug, Clone)]
pub struct DeviceArray {
    pub(super) block: Arc<Block>,
    pub(super) dtype: Dtype,
    pub(super) shape: Shape,
}

impl DeviceArray {
    /// Returns the type of the elements.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }
    /// Returns the dimensions.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }
    /// The addresses of the elements.
    pub(super) fn range(&self) -> std::ops::Range<u64> {
        let bytes = self.shape.iter().fold(self.dtype.size() as u64, |n, d| n.saturating_mul(*d as u64));
        self.pointer()..self.pointer().saturating_add(bytes)
    }
    /// Returns the address of the first element in the GPU's memory. Work already submitted to the backend's stream
    /// ([`CudaBackend::stream`](super::CudaBackend::stream)) may still write to it.
    pub fn pointer(&self) -> u64 {
        self.block.address.0
    }
}
