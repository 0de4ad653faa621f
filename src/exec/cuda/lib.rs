//! The CUDA backend: CUDA C beside its launchers, one file a family, by the names of `src/ops`.
//!
//! An operator becomes a [`Program`](program::Program): launches of kernels on slots of memory, all known when it is prepared.
//! Elementwise operators are formulas, of which one kernel is generated for a whole chain; all others name a function of the
//! `.cu` beside them.
#![allow(unsafe_code, reason = "a driver's C API and kernels; docs/safety.md lists each use")]

use tpulang_array as array;
use tpulang_base as base;
use tpulang_exec as exec;
use tpulang_ops as ops;
use tpulang_quant as quant;

mod activation;
mod arithmetic;
mod attention;
mod builder;
mod cache;
mod calls;
mod cast;
mod chain;
mod compare;
mod conv;
mod conv_bwd;
mod create;
mod cublaslt;
mod cudnn;
mod custom;
mod deform;
mod detect;
mod device;
mod driver;
mod einsum;
mod faults;
mod flash;
mod float;
mod formula;
mod gather;
mod geometry;
mod image;
mod kernels;
mod layout;
mod libraries;
mod loops;
mod math;
mod matmul;
mod mean_std;
mod memory;
mod mlp;
mod norm;
mod nvrtc;
mod pool;
mod program;
mod recurrent;
mod reduce;
mod repeat;
mod resize;
mod scan;
mod scatter;
mod select;
mod shift;
mod sort;
mod source;
mod staging;
mod sums;
mod train;
mod walk;

pub use custom::{CustomKernel, KernelArgument};
pub use program::{DeviceArray, Program};
pub use repeat::Memo;

use crate::{
    array::{Array, ArrayMut},
    base::{Dtype, Error, Result, Shape},
    ops::Op,
};
use builder::Builder;
use calls::Calls;
use chain::Chain;
use driver::Gpu;
use exec::{Backend, Doing, Operand, Precision, Run, Signature, ValueType, heads};
use faults::Faults;
use formula::Formula;
use kernels::Kernel;
use memory::Pool;
use std::sync::{Arc, Mutex};

/// A device, its memory, and what went wrong on it.
struct Cuda {
    device: Arc<Gpu>,
    pool: Arc<Pool>,
    faults: Arc<Faults>,
    calls: Calls,
}

/// Runs operators on an NVIDIA GPU. The libraries of its driver and of NVRTC, which compiles kernels, are looked for when one is
/// made.
pub struct CudaBackend {
    cuda: Cuda,
    /// Held by who runs a plan.
    running: Mutex<()>,
}

/// How a GPU computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CudaOptions {
    /// cuBLASLt and cuDNN may cut the factors of float32 products to 10 bits behind the point (TF32), which is several times as
    /// fast.
    pub tf32: bool,
}

impl CudaBackend {
    /// The GPU of that number, counted from 0.
    ///
    /// # Errors
    /// There is no driver, or it is too old; there is no such GPU, or it may not be used.
    ///
    /// ```no_run
    /// use tpulang::{Array, Dtype, Graph, exec::{CudaBackend, RunOptions, Session}};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2])?;
    /// let y = g.relu(x).out_name("y").call()?;
    /// g.set_outputs(&[y])?;
    /// let session = Session::new(&g, CudaBackend::new(0)?, &RunOptions::default())?;
    /// assert_eq!(session.run(&[("x", Array::from([-1f32, 2.0]))])?["y"].to_f32()?, [0.0, 2.0]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn new(gpu: usize) -> Result<CudaBackend> {
        CudaBackend::with(gpu, &CudaOptions::default())
    }
    /// As [`CudaBackend::new`].
    ///
    /// # Errors
    /// Also where `TPULANG_LIBRARIES` names a library that is not there.
    pub fn with(gpu: usize, options: &CudaOptions) -> Result<CudaBackend> {
        let device = Arc::new(Gpu::new(gpu)?);
        let pool = Pool::new(device.clone());
        let faults = Faults::new(device.clone());
        let calls = Calls::new(device.clone(), options.tf32)?;
        Ok(CudaBackend { cuda: Cuda { device, pool, faults, calls }, running: Mutex::default() })
    }
    /// Memory for an array, without its elements.
    fn placed(&self, array: &Array) -> Result<DeviceArray> {
        let bytes = (array.len() as u64).saturating_mul(array.dtype().size() as u64);
        let block = Arc::new(self.cuda.pool.block(bytes)?);
        Ok(DeviceArray { block, dtype: array.dtype(), shape: array.shape().to_vec() })
    }
    /// Why cuBLASLt or cuDNN, which something was to be computed by, are not used: a sentence each.
    pub fn missing_libraries(&self) -> Vec<String> {
        self.cuda.calls.missing()
    }
    /// Whether cuBLASLt or cuDNN has been opened, since something was to be computed by it.
    pub fn uses_libraries(&self) -> bool {
        self.cuda.calls.is_any_open()
    }
    /// What the driver calls the GPU: `NVIDIA H200`.
    pub fn gpu(&self) -> &str {
        self.cuda.device.name()
    }
}

impl Drop for CudaBackend {
    fn drop(&mut self) {
        // Whoever has lent memory is waited for; that may be memory of this backend.
        let _ = self.cuda.pool.synchronise();
    }
}

/// An elementwise operator's formula; none of others.
fn formula_of(op: &Op<Operand>, result: &ValueType) -> Option<Formula> {
    match kernels::of(op, result).ok()? {
        Kernel::Formula(formula) => Some(formula),
        Kernel::Program(_) | Kernel::None => None,
    }
}

impl Backend for CudaBackend {
    type Buffer = DeviceArray;
    type Kernel = Program;
    type Memo = Memo;
    fn name(&self) -> &str {
        "cuda"
    }
    fn prepare(&self, signature: &Signature) -> Result<Option<Program>> {
        let Some(result) = signature.outputs().next() else { return Ok(None) };
        let mut builder = Builder::new(&self.cuda, signature);
        match kernels::of(&signature.op, result)? {
            Kernel::None => return Ok(None),
            Kernel::Formula(formula) => {
                let formulas = [vec![formula], builder.tails()?].concat();
                builder.chain(Chain::new(formulas, builder.result(0), result.clone()))?;
            }
            Kernel::Program(build) => build(&mut builder)?,
        }
        builder.finished().map(Some)
    }
    fn can_fuse(&self, signature: &Signature, next: &Op<Operand>, result: &ValueType) -> bool {
        signature.is_fusible_float_elementwise(next, result) && formula_of(next, result).is_some()
    }
    fn has_precision(&self, _: Precision) -> bool {
        true
    }
    fn supports(&self, signature: &Signature) -> bool {
        heads::supports(signature)
    }
    fn run(&self, kernel: &Program, operands: &mut [Option<DeviceArray>]) -> Result<Vec<DeviceArray>> {
        kernel.run(&self.cuda, operands)
    }
    fn temporary(&self, kernel: &Program) -> u64 {
        kernel.temporaries.iter().fold(0, |n, t| n.saturating_add(*t))
    }
    fn upload(&self, array: &Array) -> Result<DeviceArray> {
        let placed = self.placed(array)?;
        self.cuda.device.write(placed.block.address, array.bytes()?)?;
        Ok(placed)
    }
    fn download(&self, buffer: &DeviceArray) -> Result<Array> {
        let mut array = ArrayMut::zeros(buffer.dtype, &buffer.shape)?;
        self.cuda.pool.after(|| self.cuda.device.read(buffer.block.address, array.bytes()))?;
        Ok(array.freeze())
    }
    fn synchronise(&self) -> Result<()> {
        self.cuda.pool.synchronise()
    }
    fn take_error(&self, kernel: &Program) -> Option<Error> {
        kernel.faults.as_ref()?.take()
    }
    fn type_of(&self, buffer: &DeviceArray) -> Option<(Dtype, Shape)> {
        Some((buffer.dtype(), buffer.shape().to_vec()))
    }
    fn explain(&self, kernel: &Program) -> Vec<Doing> {
        kernel.launches.iter().map(program::Launch::doing).collect()
    }
    fn available(&self) -> u64 {
        self.cuda.pool.available()
    }
    fn run_plan(&self, memo: &Memo, run: Run<DeviceArray>) -> Result<Vec<Array>> {
        self.run_or_repeat(memo, run)
    }
    fn has_memory(&self, memo: &Memo) -> bool {
        self.has_recorded(memo)
    }
    fn replay(&self, memo: &Memo) -> Result<bool> {
        self.replayed(memo)
    }
}
