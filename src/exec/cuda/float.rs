//! The storage type of floats. Kernels compute in float32 or wider.
use crate::{
    base::Dtype,
    exec::{Precision, ValueType},
};

/// The storage type of floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Float {
    Single,
    Half,
}

impl Float {
    /// Returns float16 if all of these tensors are stored as float16, otherwise float32.
    pub fn of<const N: usize>(types: [&ValueType; N]) -> Float {
        let is_half = types.iter().all(|ty| ty.buffer_dtype() == Dtype::Float16);
        if is_half { Float::Half } else { Float::Single }
    }
    pub fn dtype(self) -> Dtype {
        match self {
            Float::Single => Dtype::Float32,
            Float::Half => Dtype::Float16,
        }
    }
    /// Returns the type in CUDA C.
    pub fn c_type(self) -> &'static str {
        match self {
            Float::Single => "float",
            Float::Half => "half",
        }
    }
    /// Returns the type of a tensor converted to this float type.
    pub fn type_like(self, ty: &ValueType) -> ValueType {
        ValueType { dtype: self.dtype(), quantization: None, precision: Precision::F16, ..ty.clone() }
    }
}
