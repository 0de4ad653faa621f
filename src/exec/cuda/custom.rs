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
    exec::{Operand, Signature},
    ops::Custom,
};
use std::{any::Any, borrow::Cow, ffi::c_void, sync::Arc};

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
#[derive(Debug, Clone)]
pub struct CustomKernel {
    /// CUDA C++17 without includes.
    pub source: Cow<'static, str>,
    /// A `__global__` function of the source; a template is given with its arguments: `scaled<float>`.
    pub function: Cow<'static, str>,
    /// Blocks along x, y and z.
    pub blocks: [u32; 3],
    /// Threads per block along x, y and z.
    pub threads: [u32; 3],
    /// One argument per parameter.
    pub arguments: Vec<KernelArgument>,
}

/// Returns the kernel of a custom operator, or `None` to run it on the CPU.
pub(super) type CustomFactory = dyn Fn(&Signature, &Custom<Operand>) -> Result<Option<CustomKernel>> + Send + Sync;

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
        self.check_owner(Address(pointer))?;
        let bytes = shape.iter().fold(dtype.size() as u64, |n, d| n.saturating_mul(*d as u64));
        let block = Arc::new(self.cuda.pool.foreign(Address(pointer), bytes, owner));
        Ok(DeviceArray { block, dtype, shape: shape.to_vec() })
    }

    /// # Errors
    /// Returns an error if an address is not in this GPU's memory.
    pub(super) fn check_owner(&self, address: Address) -> Result<()> {
        let own = self.cuda.device.number();
        match self.cuda.device.owner_of(address)? {
            Some(owner) if owner == own => Ok(()),
            owner => {
                let found = owner.map_or("not memory of a GPU".to_owned(), |gpu| format!("memory of GPU {gpu}"));
                Err(argument("the pointer", found, format!("expected memory of GPU {own}")))
            }
        }
    }

    /// Adds a kernel for the custom operators (`top.Custom`) of this name: `kernel` returns it for the types and parameters of
    /// an operator, or `None` to run the operator on the CPU. Operands and results are row-major, in the dtypes of
    /// [`ValueType::buffer_dtype`](crate::exec::ValueType::buffer_dtype).
    ///
    /// Preparing the operator fails if the kernel does not compile. `examples/custom_op.rs` has an example.
    ///
    /// # Safety
    /// The kernel's parameters must have the arguments' types, and the kernel must read and write only within the dimensions
    /// of its operands and results, and write only to results.
    pub unsafe fn with_custom(
        mut self,
        name: impl Into<String>,
        kernel: impl Fn(&Signature, &Custom<Operand>) -> Result<Option<CustomKernel>> + Send + Sync + 'static,
    ) -> CudaBackend {
        self.custom.insert(name.into(), Box::new(kernel));
        self
    }

    /// Prepares a custom operator. Returns `None` if it has no kernel.
    ///
    /// # Errors
    /// Returns an error if the kernel does not compile.
    pub(super) fn prepare_custom(&self, signature: &Signature, op: &Custom<Operand>) -> Result<Option<Program>> {
        let Some(factory) = self.custom.get(&op.name) else { return Ok(None) };
        let Some(kernel) = factory(signature, op)? else { return Ok(None) };
        self.custom_program(signature, &kernel).map(Some)
    }

    fn custom_program(&self, signature: &Signature, kernel: &CustomKernel) -> Result<Program> {
        let mut builder = Builder::new(&self.cuda, signature, self.fused_formulas(signature)?);
        let own = |argument: &KernelArgument| match *argument {
            KernelArgument::Operand(i) => Argument::Slot(Slot::Operand(i)),
            KernelArgument::Result(i) => Argument::Slot(Slot::Result(i)),
            KernelArgument::Int(i) => Argument::Number(KernelValue::Int(i)),
            KernelArgument::Float(x) => Argument::Number(KernelValue::Float(x)),
            KernelArgument::Double(x) => Argument::Number(KernelValue::Double(x)),
        };
        let geometry = Geometry { blocks: kernel.blocks, threads: kernel.threads };
        let source = Source::of_user(&kernel.source, &kernel.function);
        builder.launch_source(source, geometry, kernel.arguments.iter().map(own).collect())?;
        builder.finished()
    }
}
