//! The traits of a backend: what every backend implements, and what it may offer beyond that.
use super::signature::{Layout, Operand, Precision, Signature, ValueType};
use crate::{
    array::{Array, ArrayMut, available_memory},
    base::{Dtype, Error, Result, Shape, invalid},
    ops::Op,
};

/// Executes operators. Arrays are uploaded and downloaded; intermediate values stay in backend buffers.
///
/// Floats of every dtype are computed and stored in float32, like in TPU-MLIR's Top executor, unless the session has another
/// [`Precision`]; integers keep their dtype.
///
/// Six methods are required. A backend that also fuses operators, computes on other layouts or replays runs returns an
/// implementation of [`Fusion`], [`Layouts`] or [`Recorder`]. To add a kernel of your own to a backend of this crate,
/// implement none of these: see [`CpuBackend::with_custom`](super::CpuBackend::with_custom).
pub trait Backend: Send + Sync {
    /// The values of a tensor, in the backend's memory.
    type Buffer: Clone + Send + Sync;
    /// A prepared operator.
    type Kernel: Kernel;
    /// The backend's name in messages: `cpu`.
    fn name(&self) -> &str;
    /// Prepares an operator of these types, attributes and constants. Returns `None` to fall back to the CPU.
    ///
    /// # Errors
    /// Returns an error if a constant is invalid or memory runs out.
    fn prepare(&self, signature: &Signature) -> Result<Option<Self::Kernel>>;
    /// Runs a kernel on operands in the order of [`Operand::index`]; a constant that is not read is `None`. Returns the
    /// operator's results, without absent ones. The buffer of a dead operand is uniquely owned and may be reused for a
    /// result.
    ///
    /// # Errors
    /// Returns an error if memory runs out or a value is invalid, such as an index that is out of range.
    fn run(&self, kernel: &Self::Kernel, operands: &mut [Option<Self::Buffer>]) -> Result<Vec<Self::Buffer>>;
    /// Copies an array to the backend.
    ///
    /// # Errors
    /// Returns an error if memory runs out.
    fn upload(&self, array: &Array) -> Result<Self::Buffer>;
    /// Copies an array from the backend.
    ///
    /// # Errors
    /// Returns an error if memory runs out.
    fn download(&self, buffer: &Self::Buffer) -> Result<Array>;
    /// Blocks until all submitted work completes.
    ///
    /// # Errors
    /// Returns an error if any of it failed.
    fn synchronize(&self) -> Result<()>;

    /// Dtype and shape of a buffer. Returns `None` if they are unknown; feeds are then not checked.
    fn type_of(&self, _buffer: &Self::Buffer) -> Option<(Dtype, Shape)> {
        None
    }
    /// A buffer that kernels write to memory of the host, for [`Backend::run_into`]. Default: `None`, so results are
    /// copied there.
    fn over(&self, _memory: ArrayMut) -> Option<Self::Buffer> {
        None
    }
    /// Like [`Backend::run`]. `into` has a buffer that came from [`Backend::over`] for each result that should be
    /// written there; a kernel takes those that it writes, and must not keep them longer than the result. Default: it
    /// takes none.
    ///
    /// # Errors
    /// Same as for [`Backend::run`].
    fn run_into(
        &self,
        kernel: &Self::Kernel,
        operands: &mut [Option<Self::Buffer>],
        _into: &mut [Option<Self::Buffer>],
    ) -> Result<Vec<Self::Buffer>> {
        self.run(kernel, operands)
    }
    /// Bytes available for buffers. Default: the memory available on the host.
    fn available_memory(&self) -> u64 {
        available_memory()
    }
    /// Whether the backend supports a storage precision. Default: only float32.
    fn supports_precision(&self, precision: Precision) -> bool {
        precision == Precision::F32
    }
    /// Facts that a user should know about past runs, one sentence each, such as fallbacks that slow them down.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
    /// The backend's fusion of operators. Default: every operator runs separately.
    fn fusion(&self) -> Option<&dyn Fusion> {
        None
    }
    /// Whether a kernel may serve several operators that differ only in the names of their tensors, one after the other. Default: each
    /// operator has a kernel of its own.
    fn shares_kernels(&self) -> bool {
        false
    }
    /// The layouts that the backend computes on. Default: only row-major.
    fn layouts(&self) -> Option<&dyn Layouts> {
        None
    }
    /// Creates the recorder of one plan. Default: runs are not recorded.
    fn recorder(&self) -> Option<Box<dyn Recorder<Self::Buffer>>> {
        None
    }
}

/// A prepared operator, which can run any number of times, from any thread.
pub trait Kernel: Send + Sync {
    /// Whether the kernel reads the operand with that [`Operand::index`] at run time; `false` for repacked constants.
    fn reads(&self, _operand: usize) -> bool {
        true
    }
    /// Peak workspace in bytes, excluding operands and results. Size-independent overhead may be omitted.
    fn workspace(&self) -> u64 {
        0
    }
    /// Takes the error that the kernel has recorded on the device, if any. Called after [`Backend::synchronize`].
    fn take_error(&self) -> Option<Error> {
        None
    }
    /// Describes the kernel's parts, in execution order.
    fn explain(&self) -> Vec<KernelInfo> {
        Vec::new()
    }
}

/// A part of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelInfo {
    /// One line: `softmax of activation.cu, 24 blocks of 64 threads`.
    pub text: String,
    /// The source, if it was generated for this kernel.
    pub source: Option<String>,
}

/// Fusion of operators into one kernel.
pub trait Fusion {
    /// Whether `next`, whose result is `result`, can be fused into the kernel of `signature`; it is then prepared as the last of
    /// [`Signature::fused_ops`]. Called only if `next` is the sole consumer.
    fn can_fuse(&self, signature: &Signature, next: &Op<Operand>, result: &ValueType) -> bool;
    /// Whether the backend has a kernel for an operator that replaces several others, and is faster with it:
    /// `top.ScaleDotProductAttention`, `top.PixelNorm` for a layer norm between permutations, and a `top.Conv` whose fused operators
    /// include the depthwise convolution of its result. Default: no.
    fn supports(&self, _signature: &Signature) -> bool {
        false
    }
}

/// Computation on layouts other than row-major.
pub trait Layouts {
    /// The layout in which convolutions of images of that type are faster than row-major, if there is one:
    /// [`Layout::Blocked`](super::Layout::Blocked) or [`Layout::ChannelsLast`](super::Layout::ChannelsLast). Default: there is none.
    fn of_images(&self, _ty: &ValueType) -> Option<Layout> {
        None
    }
    /// Whether the backend supports an operator whose operands or results are not all row-major.
    fn supports(&self, signature: &Signature) -> bool;
}

/// The recorded runs of one plan.
pub trait Recorder<Buffer>: Send + Sync {
    /// Runs the plan on arrays. The recorder may record the work and replay it later.
    ///
    /// # Errors
    /// Same as for the methods of [`Backend`].
    fn run(&self, feeds: Vec<Array>, run: Run<Buffer>) -> Result<Vec<Array>>;
    /// Runs the plan on buffers, without copies to and from the host. On a device the results are complete when its stream has
    /// reached them.
    ///
    /// # Errors
    /// Same as for the methods of [`Backend`].
    fn run_on(&self, feeds: Vec<Buffer>, run: Run<Buffer>) -> Result<Vec<Buffer>>;
    /// Like [`Recorder::run_on`], but writes the results to the buffers `into`, which have their types. Default: an
    /// error.
    ///
    /// # Errors
    /// Same as for [`Recorder::run_on`].
    fn run_on_into(&self, _feeds: Vec<Buffer>, _into: &[Buffer], _run: Run<Buffer>) -> Result<()> {
        Err(unsupported())
    }
    /// Runs `compute`, a step on the CPU or control flow in the middle of a plan. The recording must be suspended, since the threads of the
    /// CPU's kernels may take up other runs.
    ///
    /// # Errors
    /// Returns the error of `compute`.
    fn on_host(&self, compute: &mut dyn FnMut() -> Result<()>) -> Result<()>;
    /// Copies a result of control flow, which runs like a step on the CPU, to where the recorded work reads it. Default: leaves it
    /// where it is, for recorders without fixed addresses.
    ///
    /// # Errors
    /// Returns an error if memory runs out.
    fn place(&self, result: Buffer) -> Result<Buffer> {
        Ok(result)
    }
    /// Whether the memory of a run is already allocated.
    fn has_memory(&self) -> bool;
    /// Replays the recorded run on its last inputs, without copies; returns `false` if there is none.
    ///
    /// # Errors
    /// Returns an error if the device fails.
    fn replay(&self) -> Result<bool>;
}

/// Creates the error about a backend whose buffers cannot be written.
pub(super) fn unsupported() -> Error {
    invalid("this backend does not write to buffers of the caller's; use `run_into` or `run_on`")
}

/// One run of a plan, for a [`Recorder`].
pub struct Run<'r, Buffer> {
    /// Whether the run may be recorded: no observer, and no step whose weights are streamed.
    pub repeatable: bool,
    /// Whether some steps run on the CPU, or are control flow. A recording then consists of parts, between which the steps are called
    /// again.
    pub has_host_steps: bool,
    /// Runs the plan's steps, from feeds, in the plan's order, to results.
    pub steps: &'r mut (dyn FnMut(Vec<Buffer>) -> Result<Vec<Buffer>> + 'r),
    /// Returns the errors recorded by kernels. Call it when all work is complete, before another run begins.
    pub check: &'r dyn Fn() -> Result<()>,
}

impl<B: Backend> Backend for &B {
    type Buffer = B::Buffer;
    type Kernel = B::Kernel;
    fn name(&self) -> &str {
        (**self).name()
    }
    fn prepare(&self, signature: &Signature) -> Result<Option<Self::Kernel>> {
        (**self).prepare(signature)
    }
    fn run(&self, kernel: &Self::Kernel, operands: &mut [Option<Self::Buffer>]) -> Result<Vec<Self::Buffer>> {
        (**self).run(kernel, operands)
    }
    fn upload(&self, array: &Array) -> Result<Self::Buffer> {
        (**self).upload(array)
    }
    fn download(&self, buffer: &Self::Buffer) -> Result<Array> {
        (**self).download(buffer)
    }
    fn synchronize(&self) -> Result<()> {
        (**self).synchronize()
    }
    fn type_of(&self, buffer: &Self::Buffer) -> Option<(Dtype, Shape)> {
        (**self).type_of(buffer)
    }
    fn over(&self, memory: ArrayMut) -> Option<Self::Buffer> {
        (**self).over(memory)
    }
    fn run_into(
        &self,
        kernel: &Self::Kernel,
        operands: &mut [Option<Self::Buffer>],
        into: &mut [Option<Self::Buffer>],
    ) -> Result<Vec<Self::Buffer>> {
        (**self).run_into(kernel, operands, into)
    }
    fn available_memory(&self) -> u64 {
        (**self).available_memory()
    }
    fn supports_precision(&self, precision: Precision) -> bool {
        (**self).supports_precision(precision)
    }
    fn warnings(&self) -> Vec<String> {
        (**self).warnings()
    }
    fn fusion(&self) -> Option<&dyn Fusion> {
        (**self).fusion()
    }
    fn shares_kernels(&self) -> bool {
        (**self).shares_kernels()
    }
    fn layouts(&self) -> Option<&dyn Layouts> {
        (**self).layouts()
    }
    fn recorder(&self) -> Option<Box<dyn Recorder<Self::Buffer>>> {
        (**self).recorder()
    }
}
