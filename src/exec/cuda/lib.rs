//! The CUDA backend: CUDA C next to its launchers, one file per family of ops, named as in `src/ops`.
//!
//! An operator is lowered to a [`Program`]: launches of kernels on memory slots, all determined when it is
//! prepared. Elementwise operators are formulas; one kernel is generated for a chain of them. All other launches name a
//! function of the `.cu` file next to the launcher.
#![allow(unsafe_code, reason = "a driver's C API and kernels; docs/safety.md lists each use")]

use tpulang_array as array;
use tpulang_base as base;
use tpulang_exec as exec;
use tpulang_ops as ops;
use tpulang_quant as quant;

mod accumulation;
mod activation;
mod arithmetic;
mod attention;
mod builder;
mod cache;
mod capture;
mod cast;
mod chain;
mod compare;
mod constants;
mod context;
mod conv;
mod conv_bwd;
mod create;
mod cublaslt;
mod cuda_graph;
mod cudnn;
mod custom;
mod deform;
mod detect;
mod device;
mod device_array;
mod dlpack;
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
mod library_call;
mod loops;
mod math;
mod math_libraries;
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
mod resize;
mod scan;
mod scatter;
mod select;
mod shift;
mod slot;
mod sort;
mod source;
mod staging;
mod tape;
mod train;
mod walk;

pub use context::CudaOptions;
pub use custom::{CustomKernel, KernelArgument};
pub use device_array::DeviceArray;
pub use program::Program;

use crate::{
    array::Array,
    base::{Dtype, Error, Result, Shape, invalid},
    ops::Op,
};
use builder::Builder;
use chain::Chain;
use context::Context;
use cuda_graph::GraphCache;
use custom::CustomFactory;
use exec::{Backend, Fusion, Kernel, KernelInfo, Layouts, Operand, Precision, Recorder, Signature, ValueType, heads};
use formula::Formula;
use kernels::Lowering;
use std::{collections::HashMap, sync::Arc};

/// Runs operators on an NVIDIA GPU. The driver and NVRTC, which compiles kernels, are loaded when a backend is created.
pub struct CudaBackend {
    cuda: Arc<Context>,
    custom: HashMap<String, Box<CustomFactory>>,
}

impl CudaBackend {
    /// Opens a GPU by its ordinal, which counts from 0.
    ///
    /// # Errors
    /// Returns an error if the driver or NVRTC is missing or too old, or if the GPU does not exist or may not be used.
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
    /// Like [`CudaBackend::new`], with options.
    ///
    /// # Errors
    /// Same as for [`CudaBackend::new`]; also if `TPULANG_LIBRARIES` names a library that is not installed.
    pub fn with(gpu: usize, options: &CudaOptions) -> Result<CudaBackend> {
        Ok(CudaBackend { cuda: Arc::new(Context::new(gpu, options)?), custom: HashMap::new() })
    }
    /// Returns the formulas of the operators that are fused into `signature`.
    ///
    /// # Errors
    /// Returns an error if one of them has no formula. The backend does not agree to fuse such an operator.
    fn fused_formulas(&self, signature: &Signature) -> Result<Vec<Formula>> {
        let Some(result) = signature.outputs().next() else { return Ok(Vec::new()) };
        let formula = |op: &Op<Operand>| formula_of(op, result);
        let missing = || invalid("internal error: a fused operator has no formula");
        signature.fused_ops.iter().map(|op| formula(op).ok_or_else(missing)).collect()
    }
    /// Returns why cuBLASLt or cuDNN could not be used, one sentence per library.
    pub fn missing_libraries(&self) -> Vec<String> {
        self.cuda.libraries.missing()
    }
    /// Returns the fallbacks that slow down runs, one sentence each: calls that cuBLASLt or cuDNN declined, and plans that
    /// cannot be captured as a CUDA graph.
    pub fn fallbacks(&self) -> Vec<String> {
        self.cuda.notes.all()
    }
    /// Whether cuBLASLt or cuDNN has been opened, which an operator does on first use.
    pub fn uses_libraries(&self) -> bool {
        self.cuda.libraries.is_any_open()
    }
    /// Returns the GPU's name: `NVIDIA H200`.
    pub fn gpu(&self) -> &str {
        self.cuda.device.name()
    }
}

impl Drop for CudaBackend {
    fn drop(&mut self) {
        // Borrowed memory may belong to this backend, which must not be dropped by its own owners.
        let _ = self.cuda.pool.synchronize();
    }
}

/// Whether results are float32 until the operators that are fused into an operator have been applied. Other kernels first store
/// them in the dtype of the last fused operator.
fn is_rounded_last(op: &Op<Operand>, result: &ValueType) -> bool {
    matches!(op, Op::Conv(_) | Op::Deconv(_) | Op::MatMul(_)) || formula_of(op, result).is_some()
}

/// Returns the formula of an elementwise operator.
fn formula_of(op: &Op<Operand>, result: &ValueType) -> Option<Formula> {
    match kernels::of(op, result).ok()? {
        Lowering::Formula(formula) => Some(formula),
        Lowering::Program(_) | Lowering::Unsupported => None,
    }
}

impl Kernel for Program {
    fn workspace(&self) -> u64 {
        self.temporaries.iter().fold(0, |n, t| n.saturating_add(*t))
    }
    fn take_error(&self) -> Option<Error> {
        self.faults.as_ref()?.take()
    }
    fn explain(&self) -> Vec<KernelInfo> {
        self.launches.iter().map(program::Launch::describe).collect()
    }
}

impl Fusion for CudaBackend {
    fn can_fuse(&self, signature: &Signature, next: &Op<Operand>, result: &ValueType) -> bool {
        let keeps_dtype = signature.outputs().all(|own| own.buffer_dtype() == result.buffer_dtype());
        signature.is_fusible_float_elementwise(next, result)
            && (keeps_dtype || is_rounded_last(&signature.op, result))
            && formula_of(next, result).is_some()
    }
    fn supports(&self, signature: &Signature) -> bool {
        heads::supports(signature)
    }
}

impl Layouts for CudaBackend {
    fn supports(&self, signature: &Signature) -> bool {
        heads::supports(signature)
    }
}

impl Backend for CudaBackend {
    type Buffer = DeviceArray;
    type Kernel = Program;
    fn name(&self) -> &str {
        "cuda"
    }
    fn prepare(&self, signature: &Signature) -> Result<Option<Program>> {
        if let Op::Custom(op) = &signature.op {
            return self.prepare_custom(signature, op);
        }
        let Some(result) = signature.outputs().next() else { return Ok(None) };
        let mut builder = Builder::new(&self.cuda, signature, self.fused_formulas(signature)?);
        match kernels::of(&signature.op, result)? {
            Lowering::Unsupported => return Ok(None),
            Lowering::Formula(formula) => {
                let formulas = [vec![formula], builder.fused_formulas()].concat();
                builder.chain(Chain::new(formulas, builder.result(0), result.clone()))?;
            }
            Lowering::Program(build) => build(&mut builder)?,
        }
        builder.finished().map(Some)
    }
    fn run(&self, kernel: &Program, operands: &mut [Option<DeviceArray>]) -> Result<Vec<DeviceArray>> {
        kernel.run(&self.cuda, operands)
    }
    fn upload(&self, array: &Array) -> Result<DeviceArray> {
        self.cuda.upload(array)
    }
    fn download(&self, buffer: &DeviceArray) -> Result<Array> {
        self.cuda.download(buffer)
    }
    fn synchronize(&self) -> Result<()> {
        self.cuda.pool.synchronize()
    }
    fn type_of(&self, buffer: &DeviceArray) -> Option<(Dtype, Shape)> {
        Some((buffer.dtype(), buffer.shape().to_vec()))
    }
    fn available_memory(&self) -> u64 {
        self.cuda.pool.available()
    }
    fn supports_precision(&self, _: Precision) -> bool {
        true
    }
    /// Libraries that could not be used, `tf32` without effect, and fallbacks that slow down runs.
    fn warnings(&self) -> Vec<String> {
        let unused_tf32 = self.cuda.options.tf32 && !self.uses_libraries();
        let tf32 = unused_tf32.then(|| "tf32 has no effect: nothing runs on cuBLASLt or cuDNN".to_owned());
        let missing = self.missing_libraries().into_iter();
        let missing = missing.map(|problem| format!("{problem}; falling back to built-in kernels"));
        tf32.into_iter().chain(missing).chain(self.fallbacks()).collect()
    }
    fn fusion(&self) -> Option<&dyn Fusion> {
        Some(self)
    }
    fn layouts(&self) -> Option<&dyn Layouts> {
        Some(self)
    }
    fn recorder(&self) -> Option<Box<dyn Recorder<DeviceArray>>> {
        Some(Box::new(GraphCache::new(self.cuda.clone())))
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::{BTreeMap, BTreeSet},
        fs,
        path::Path,
    };

    /// Returns the modules that a file's `use super::..` names.
    fn used(text: &str) -> BTreeSet<String> {
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        let mut names = BTreeSet::new();
        for part in text.split("use super::").skip(1) {
            let mut depth = 0;
            let statement = part.split(';').next().unwrap_or_default().trim();
            let inner = statement.strip_prefix('{').and_then(|s| s.strip_suffix('}')).unwrap_or(statement);
            let split = inner.split(|c| {
                depth += i32::from(c == '{') - i32::from(c == '}');
                c == ',' && depth == 0
            });
            names.extend(split.map(|path| path.trim().split("::").next().unwrap_or_default().to_owned()));
        }
        names
    }

    #[test]
    fn modules_depend_in_one_direction() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let here = root.ancestors().map(|folder| folder.join(file!())).find(|path| path.exists()).unwrap();
        let files = fs::read_dir(here.parent().unwrap()).unwrap().flatten().map(|entry| entry.path());
        let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for path in files.filter(|path| path.extension().is_some_and(|e| e == "rs") && !path.ends_with("lib.rs")) {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            graph.insert(name, used(&fs::read_to_string(path).unwrap()));
        }
        assert!(graph.len() > 50 && graph["chain"].contains("constants"), "{graph:?}");
        // Remove modules without remaining dependencies until none is left; only a cycle remains.
        loop {
            let names: BTreeSet<String> = graph.keys().cloned().collect();
            let before = graph.len();
            graph.retain(|_, uses| uses.iter().any(|name| names.contains(name)));
            if graph.len() == before {
                break;
            }
        }
        assert!(graph.is_empty(), "modules in a ring, or above one: {:?}", graph.keys());
    }

    #[test]
    fn kernels_have_the_sizes_of_their_launchers() {
        use super::{
            attention::KEYS,
            conv::RESULTS,
            geometry::{MOST_OF_ROW, PRODUCT_THREADS, PRODUCT_TILE},
        };
        for (text, size) in [
            (include_str!("gemm.cuh"), format!("TILE = {PRODUCT_TILE},")),
            (include_str!("gemm.cuh"), format!("e += {PRODUCT_THREADS})")),
            (include_str!("conv.cu"), format!("RESULTS = {RESULTS},")),
            (include_str!("attention.cu"), format!("KEYS = {KEYS},")),
            (include_str!("sort.cu"), format!("values[{MOST_OF_ROW}]")),
            (include_str!("sort.cu"), format!("indices[{MOST_OF_ROW}]")),
        ] {
            assert!(text.contains(&size), "{size}");
        }
    }
}
