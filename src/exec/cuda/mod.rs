//! The CUDA backend: CUDA C beside its launchers, one file a family, by the names of `src/ops`.
//!
//! An operator becomes a [`Program`](program::Program): launches of kernels on slots of memory, all known when it is prepared.
//! Elementwise operators are formulas, of which one kernel is generated for a whole chain; all others name a function of the
//! `.cu` beside them. What a device does is a trait with two implementations, a GPU's driver and an emulation on the CPU.

mod activation;
mod arithmetic;
mod builder;
mod cache;
mod cast;
mod compare;
mod conv;
mod create;
mod deform;
mod detect;
mod device;
mod emulated;
mod faults;
mod formula;
mod gather;
mod geometry;
mod image;
mod kernels;
mod layout;
mod math;
mod matmul;
mod mean_std;
mod memory;
mod norm;
mod pool;
mod program;
mod reduce;
mod resize;
mod scatter;
mod select;
mod shift;
mod sort;
mod source;

pub use program::{DeviceArray, Program};

use super::{Backend, Operand, Signature, ValueType};
use crate::{
    array::{Array, ArrayMut},
    base::Result,
    ops::Op,
};
use builder::Builder;
use device::Device;
use faults::Faults;
use formula::{Chain, Formula};
use kernels::Kernel;
use memory::Pool;
use std::sync::Arc;

/// A device, its memory, and what went wrong on it.
struct Cuda {
    device: Arc<dyn Device>,
    pool: Arc<Pool>,
    faults: Faults,
}

/// Runs operators on an NVIDIA GPU, or on an emulation of one.
pub struct CudaBackend {
    name: &'static str,
    cuda: Cuda,
}

impl CudaBackend {
    /// Kernels compiled as C++ for this machine's CPU, threads and barriers emulated: to test kernels where there is no GPU. A
    /// hundred times as slow as the CPU's own. Needs `g++`, or the compiler that `CXX` names.
    ///
    /// # Errors
    /// There is no C++ compiler.
    ///
    /// ```
    /// use tpulang::{Array, Dtype, Graph, exec::{CudaBackend, RunOptions, Session}};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2])?;
    /// let y = g.relu(x).out_name("y").call()?;
    /// g.set_outputs(&[y])?;
    /// let session = Session::new(&g, CudaBackend::emulated()?, &RunOptions::default())?;
    /// assert_eq!(session.run(&[("x", Array::from([-1f32, 2.0]))])?["y"].to_f32()?, [0.0, 2.0]);
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn emulated() -> Result<CudaBackend> {
        CudaBackend::on("cuda-emulated", Arc::new(emulated::Emulated::new()?))
    }

    fn on(name: &'static str, device: Arc<dyn Device>) -> Result<CudaBackend> {
        let pool = Pool::new(device.clone());
        let faults = Faults::new(&*device, &pool)?;
        Ok(CudaBackend { name, cuda: Cuda { device, pool, faults } })
    }
}

/// An elementwise operator's formula; none of others.
fn formula_of(op: &Op<Operand>, result: &ValueType) -> Option<Formula> {
    match kernels::of(op, result).ok()? {
        Kernel::Formula(formula) => Some(formula),
        Kernel::Program(_) | Kernel::None => None,
    }
}

fn is_float(ty: &ValueType) -> bool {
    ty.dtype.is_float() && ty.quantization.is_none()
}

impl Backend for CudaBackend {
    type Buffer = DeviceArray;
    type Kernel = Program;
    fn name(&self) -> &str {
        self.name
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
    fn fuses(&self, signature: &Signature, next: &Op<Operand>, result: &ValueType) -> bool {
        let [Some(own)] = signature.results.as_slice() else {
            return false;
        };
        is_float(own)
            && is_float(result)
            && own.shape == result.shape
            && next.operands().all(|(_, o)| is_float(&o.ty))
            && formula_of(next, result).is_some()
    }
    fn run(&self, kernel: &Program, operands: &mut [Option<DeviceArray>]) -> Result<Vec<DeviceArray>> {
        kernel.run(&self.cuda, operands)
    }
    fn temporary(&self, kernel: &Program) -> u64 {
        kernel.temporaries.iter().fold(0, |n, t| n.saturating_add(*t))
    }
    fn upload(&self, array: &Array) -> Result<DeviceArray> {
        let bytes = array.bytes()?;
        let block = self.cuda.pool.block(bytes.len() as u64)?;
        self.cuda.device.write(block.address, bytes)?;
        Ok(DeviceArray { block: Arc::new(block), dtype: array.dtype(), shape: array.shape().to_vec() })
    }
    fn download(&self, buffer: &DeviceArray) -> Result<Array> {
        let mut array = ArrayMut::zeros(buffer.dtype, &buffer.shape)?;
        self.cuda.device.read(buffer.block.address, array.bytes())?;
        Ok(array.freeze())
    }
    fn synchronise(&self) -> Result<()> {
        self.cuda.device.synchronise()?;
        self.cuda.faults.check(&*self.cuda.device)
    }
}
