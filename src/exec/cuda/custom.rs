//! External memory and custom kernels.
use super::{
    CudaBackend,
    builder::Builder,
    device::{Address, BLOCK_ALIGNMENT, KernelValue},
    device_array::DeviceArray,
    geometry::Geometry,
    program::Program,
    slot::{Argument, Slot},
    source::Source,
};
use crate::{
    base::{Dtype, Result, argument},
    exec::Signature,
};
use std::{any::Any, ffi::c_void, sync::Arc};

/// An argument of a custom kernel, by the type of the parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KernelArgument {
    /// A pointer to the operand with this [`Operand::index`](crate::exec::Operand::index).
    Operand(usize),
    /// A pointer to the result with this index among the present results.
    Result(usize),
    /// `long long`
    Int(i64),
    /// `float`
    Float(f32),
    /// `double`
    Double(f64),
}

/// A custom kernel.
#[derive(Debug, Clone, Copy)]
pub struct CustomKernel<'a> {
    /// CUDA C++17 without includes.
    pub source: &'a str,
    /// A `__global__` function of the source; a template is given with its arguments: `scaled<float>`.
    pub function: &'a str,
    /// Blocks along x, y and z.
    pub blocks: [u32; 3],
    /// Threads per block along x, y and z.
    pub threads: [u32; 3],
    /// One argument per parameter.
    pub arguments: &'a [KernelArgument],
}

impl CudaBackend {
    /// Returns the GPU's ordinal.
    pub fn gpu_number(&self) -> usize {
        self.cuda.device.number()
    }
    /// Returns the stream (`CUstream`) for launches, which run in submission order. Query it each time, because captured
    /// runs use another stream. It lives as long as the backend.
    pub fn stream(&self) -> *mut c_void {
        self.cuda.device.stream_for_others().cast()
    }

    /// Wraps externally owned memory of the GPU as an array, without a copy. `owner` is dropped after the memory is no
    /// longer used and the backend has waited for the GPU.
    ///
    /// # Errors
    /// Returns an error if the pointer is not a multiple of 32, or does not point to memory of this backend's GPU.
    ///
    /// # Safety
    /// The pointer must be valid for all elements as long as `owner` lives, and other writes to them must be complete before
    /// the backend's stream reads them.
    pub unsafe fn borrowed(
        &self,
        pointer: u64,
        dtype: Dtype,
        shape: &[usize],
        owner: Arc<dyn Any + Send + Sync>,
    ) -> Result<DeviceArray> {
        if !pointer.is_multiple_of(BLOCK_ALIGNMENT) {
            return Err(argument(
                "the pointer",
                format!("{pointer:#x}"),
                format!("expected a multiple of {BLOCK_ALIGNMENT}"),
            ));
        }
        let own = self.cuda.device.number();
        match self.cuda.device.owner_of(Address(pointer))? {
            Some(owner) if owner == own => {}
            owner => {
                let found = owner.map_or("not memory of a GPU".to_owned(), |gpu| format!("memory of GPU {gpu}"));
                return Err(argument("the pointer", found, format!("expected memory of GPU {own}")));
            }
        }
        let bytes = shape.iter().fold(dtype.size() as u64, |n, d| n.saturating_mul(*d as u64));
        let block = Arc::new(self.cuda.pool.foreign(Address(pointer), bytes, owner));
        Ok(DeviceArray { block, dtype, shape: shape.to_vec() })
    }

    /// Builds a program of one custom kernel, for [`Backend::prepare`](crate::exec::Backend::prepare) of a backend that
    /// wraps this one. Operands and results are row-major, in the dtypes of
    /// [`ValueType::buffer_dtype`](crate::exec::ValueType::buffer_dtype).
    ///
    /// # Errors
    /// Returns an error if the kernel does not compile.
    ///
    /// # Safety
    /// The kernel's parameters must have the arguments' types, and the kernel must write only to its results, within their
    /// dimensions.
    pub unsafe fn custom(&self, signature: &Signature, kernel: &CustomKernel) -> Result<Program> {
        let mut builder = Builder::new(&self.cuda, signature, self.fused_formulas(signature)?);
        let own = |argument: &KernelArgument| match *argument {
            KernelArgument::Operand(i) => Argument::Slot(Slot::Operand(i)),
            KernelArgument::Result(i) => Argument::Slot(Slot::Result(i)),
            KernelArgument::Int(i) => Argument::Number(KernelValue::Int(i)),
            KernelArgument::Float(x) => Argument::Number(KernelValue::Float(x)),
            KernelArgument::Double(x) => Argument::Number(KernelValue::Double(x)),
        };
        let geometry = Geometry { blocks: kernel.blocks, threads: kernel.threads };
        let source = Source::of_user(kernel.source, kernel.function);
        builder.launch_source(source, geometry, kernel.arguments.iter().map(own).collect())?;
        builder.finished()
    }
}
