use crate::{
    array::{Array, available_memory},
    base::{Dtype, Error, Result, Shape},
    ops::{Op, Value},
    quant::Quantization,
};
use std::{fmt, str::FromStr};

/// Channels of a block.
#[doc(hidden)]
pub const BLOCK: usize = 16;

/// Executes operators. Arrays are uploaded and downloaded; intermediate values stay in backend buffers.
///
/// Floats of every dtype are computed and stored in float32, like in TPU-MLIR's Top executor, unless the session has another
/// [`Precision`]; integers keep their dtype.
pub trait Backend: Send + Sync {
    /// The values of a tensor, in the backend's memory.
    type Buffer: Clone + Send + Sync;
    /// A prepared operator, which can run any number of times, from any thread.
    type Kernel: Send + Sync;
    /// Per-plan state kept between runs; `()` if unused.
    type Memo: Default + Send + Sync;
    /// The backend's name in messages: `cpu`.
    fn name(&self) -> &str;
    /// Prepares an operator of these types, attributes and constants. Returns `None` to fall back to another backend.
    ///
    /// # Errors
    /// Returns an error if a constant is invalid or memory runs out.
    fn prepare(&self, signature: &Signature) -> Result<Option<Self::Kernel>>;
    /// Whether `next`, whose result is `result`, can be fused into the kernel of `signature`; it is then prepared as the last of
    /// [`Signature::fused_ops`]. Called only if `next` is the sole consumer.
    fn can_fuse(&self, _signature: &Signature, _next: &Op<Operand>, _result: &ValueType) -> bool {
        false
    }
    /// Whether the backend supports a storage precision.
    fn has_precision(&self, precision: Precision) -> bool {
        precision == Precision::F32
    }
    /// Whether the backend supports a rewritten signature: operands or results with a layout other than row-major, or an
    /// operator that replaces several.
    fn supports(&self, _signature: &Signature) -> bool {
        false
    }
    /// Whether a kernel reads the operand with that [`Operand::index`] at run time; `false` for repacked constants.
    fn reads(&self, _kernel: &Self::Kernel, _operand: usize) -> bool {
        true
    }
    /// Runs a kernel on operands in the order of [`Operand::index`]; a constant that is not read is `None`. Returns the
    /// operator's results, without absent ones. The buffer of a dead operand is uniquely owned and may be reused for a
    /// result.
    ///
    /// # Errors
    /// Returns an error if memory runs out or a value is invalid, such as an index that is out of range.
    fn run(&self, kernel: &Self::Kernel, operands: &mut [Option<Self::Buffer>]) -> Result<Vec<Self::Buffer>>;
    /// Peak workspace of a kernel in bytes, excluding operands and results. Size-independent overhead may be omitted.
    fn temporary(&self, _kernel: &Self::Kernel) -> u64 {
        0
    }
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
    fn synchronise(&self) -> Result<()>;
    /// Takes the error recorded by the kernel, if any. Call it after [`Backend::synchronise`].
    fn take_error(&self, _kernel: &Self::Kernel) -> Option<Error> {
        None
    }
    /// Dtype and shape of a buffer. Returns `None` if they are unknown; feeds are then not checked.
    fn type_of(&self, _buffer: &Self::Buffer) -> Option<(Dtype, Shape)> {
        None
    }
    /// A human-readable description of a kernel's parts, in execution order.
    fn explain(&self, _kernel: &Self::Kernel) -> Vec<KernelInfo> {
        Vec::new()
    }
    /// Bytes available for buffers.
    fn available(&self) -> u64 {
        available_memory()
    }
    /// Runs a plan once. The backend may record the work in `memo` and replay it later.
    ///
    /// # Errors
    /// Same as for the other methods.
    fn run_plan(&self, _memo: &Self::Memo, run: Run<Self::Buffer>) -> Result<Vec<Array>> {
        let results = (run.steps)(run.feeds.into_iter().map(|a| self.upload(&a)).collect::<Result<_>>()?)?;
        self.synchronise()?;
        (run.check)()?;
        results.iter().map(|b| self.download(b)).collect()
    }
    /// Runs a plan once on buffers, like [`Backend::run_plan`] without copies to and from the host. On a device the results are
    /// complete when its stream has reached them.
    ///
    /// # Errors
    /// Same as for the other methods.
    fn run_plan_on(&self, _memo: &Self::Memo, run: RunOn<Self::Buffer>) -> Result<Vec<Self::Buffer>> {
        (run.steps)(run.feeds)
    }
    /// Runs `compute`, a step on the CPU in the middle of a plan. A backend that records runs suspends the recording, since the
    /// threads of the CPU's kernels may take up other runs. A backend that forwards [`Backend::run_plan`] forwards this too.
    ///
    /// # Errors
    /// Returns the error of `compute`.
    fn on_host<T>(&self, compute: impl FnOnce() -> Result<T>) -> Result<T> {
        compute()
    }
    /// Whether the memory of a run is already allocated, according to `memo`.
    fn has_memory(&self, _memo: &Self::Memo) -> bool {
        false
    }
    /// Replays the recorded run on its last inputs, without copies; returns `false` if there is none.
    ///
    /// # Errors
    /// Returns an error if the device fails.
    fn replay(&self, _memo: &Self::Memo) -> Result<bool> {
        Ok(false)
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

/// One run of a plan.
pub struct Run<'r, Buffer> {
    /// The inputs, in the buffers' dtypes and in the plan's order.
    pub feeds: Vec<Array>,
    /// Whether the run may be recorded: no observer, and no step whose weights are streamed.
    pub repeatable: bool,
    /// Whether some steps run on the CPU. A recording then consists of parts, between which the steps are called again.
    pub has_host_steps: bool,
    /// Runs the plan's steps, from feeds to results.
    pub steps: &'r mut (dyn FnMut(Vec<Buffer>) -> Result<Vec<Buffer>> + 'r),
    /// Returns the errors recorded by kernels. Call it when all work is complete, before another run begins.
    pub check: &'r dyn Fn() -> Result<()>,
}

/// One run of a plan on buffers.
pub struct RunOn<'r, Buffer> {
    /// The inputs, in the plan's order.
    pub feeds: Vec<Buffer>,
    /// Whether the run may be recorded: no step whose weights are streamed.
    pub repeatable: bool,
    /// Whether some steps run on the CPU.
    pub has_host_steps: bool,
    /// Runs the plan's steps, from feeds to results.
    pub steps: &'r mut (dyn FnMut(Vec<Buffer>) -> Result<Vec<Buffer>> + 'r),
}

impl<B: Backend> Backend for &B {
    type Buffer = B::Buffer;
    type Kernel = B::Kernel;
    type Memo = B::Memo;
    fn name(&self) -> &str {
        (**self).name()
    }
    fn prepare(&self, signature: &Signature) -> Result<Option<Self::Kernel>> {
        (**self).prepare(signature)
    }
    fn run(&self, kernel: &Self::Kernel, operands: &mut [Option<Self::Buffer>]) -> Result<Vec<Self::Buffer>> {
        (**self).run(kernel, operands)
    }
    fn can_fuse(&self, signature: &Signature, next: &Op<Operand>, result: &ValueType) -> bool {
        (**self).can_fuse(signature, next, result)
    }
    fn reads(&self, kernel: &Self::Kernel, operand: usize) -> bool {
        (**self).reads(kernel, operand)
    }
    fn supports(&self, signature: &Signature) -> bool {
        (**self).supports(signature)
    }
    fn has_precision(&self, precision: Precision) -> bool {
        (**self).has_precision(precision)
    }
    fn has_memory(&self, memo: &Self::Memo) -> bool {
        (**self).has_memory(memo)
    }
    fn replay(&self, memo: &Self::Memo) -> Result<bool> {
        (**self).replay(memo)
    }
    fn temporary(&self, kernel: &Self::Kernel) -> u64 {
        (**self).temporary(kernel)
    }
    fn upload(&self, array: &Array) -> Result<Self::Buffer> {
        (**self).upload(array)
    }
    fn download(&self, buffer: &Self::Buffer) -> Result<Array> {
        (**self).download(buffer)
    }
    fn synchronise(&self) -> Result<()> {
        (**self).synchronise()
    }
    fn take_error(&self, kernel: &Self::Kernel) -> Option<Error> {
        (**self).take_error(kernel)
    }
    fn type_of(&self, buffer: &Self::Buffer) -> Option<(Dtype, Shape)> {
        (**self).type_of(buffer)
    }
    fn explain(&self, kernel: &Self::Kernel) -> Vec<KernelInfo> {
        (**self).explain(kernel)
    }
    fn available(&self) -> u64 {
        (**self).available()
    }
    fn run_plan(&self, memo: &Self::Memo, run: Run<Self::Buffer>) -> Result<Vec<Array>> {
        (**self).run_plan(memo, run)
    }
    fn on_host<T>(&self, compute: impl FnOnce() -> Result<T>) -> Result<T> {
        (**self).on_host(compute)
    }
    fn run_plan_on(&self, memo: &Self::Memo, run: RunOn<Self::Buffer>) -> Result<Vec<Self::Buffer>> {
        (**self).run_plan_on(memo, run)
    }
}

/// How a tensor's values are laid out in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// Row-major.
    #[default]
    Plain,
    /// An image or a batch of them (n x c x h x w) with blocked channels, nChw16c: n x ceil(c / 16) x h x w x 16. Padding channels
    /// are 0.
    Blocked {
        /// Number of channels, excluding padding.
        channels: usize,
    },
    /// Attention heads (b x h x s x d) stored as b x s x h x d.
    Bshd,
}

/// The description of a tensor: everything except its values.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueType {
    /// Its name in the graph.
    pub name: String,
    /// Dimensions of the buffer: those of the tensor, plus any that its layout adds.
    pub shape: Shape,
    /// The layout of the values.
    pub layout: Layout,
    /// Type of the elements in the graph.
    pub dtype: Dtype,
    /// The quantization after propagation.
    pub quantization: Option<Quantization>,
    /// The session's precision.
    pub precision: Precision,
}

/// Storage precision of floats. Accumulation is in float32 or wider in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Precision {
    /// Every float in float32.
    #[default]
    F32,
    /// float16 tensors in float16, other floats in float32.
    F16,
}

/// `f32` or `f16`.
impl FromStr for Precision {
    type Err = String;
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "f32" => Ok(Precision::F32),
            "f16" => Ok(Precision::F16),
            _ => Err("expected f32 or f16".into()),
        }
    }
}
impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(if *self == Precision::F16 { "f16" } else { "f32" })
    }
}

impl ValueType {
    /// The tensor's dimensions, whatever its layout.
    pub fn plain_shape(&self) -> Shape {
        match (self.layout, self.shape.as_slice()) {
            (Layout::Blocked { channels }, [n, _, h, w, _]) => vec![*n, channels, *h, *w],
            (Layout::Bshd, [b, s, h, d]) => vec![*b, *h, *s, *d],
            _ => self.shape.clone(),
        }
    }
    /// The same tensor with blocked channels. Returns `None` if it is not a batch of float images.
    #[doc(hidden)]
    pub fn blocked(&self) -> Option<ValueType> {
        let [n, channels, h, w] = *self.shape.as_slice() else {
            return None;
        };
        let is_float = self.dtype.is_float() && self.quantization.is_none() && self.layout == Layout::Plain;
        let shape = vec![n, channels.div_ceil(BLOCK), h, w, BLOCK];
        is_float.then(|| ValueType { shape, layout: Layout::Blocked { channels }, ..self.clone() })
    }
    /// Dtype of the buffer: float32 for every float, except float16 with [`Precision::F16`].
    pub fn buffer_dtype(&self) -> Dtype {
        match (self.dtype, self.precision) {
            (Dtype::Float16, Precision::F16) => Dtype::Float16,
            (dtype, _) if dtype.is_float() => Dtype::Float32,
            (dtype, _) => dtype,
        }
    }
    /// An array of the tensor in the buffer's dtype.
    #[doc(hidden)]
    pub fn buffered(&self, array: &Array) -> Result<Array> {
        let array = array.in_memory()?;
        if self.dtype.is_float() { array.to_dtype(self.buffer_dtype()) } else { Ok(array) }
    }
    /// A float without a scale.
    #[doc(hidden)]
    pub fn is_plain_float(&self) -> bool {
        self.dtype.is_float() && self.quantization.is_none()
    }
    /// Whether this is an integer without a scale. Those are computed exactly, quantized and float tensors as real
    /// numbers.
    #[doc(hidden)]
    pub fn is_plain_int(&self) -> bool {
        !self.dtype.is_float() && self.quantization.is_none()
    }
    /// Scale and zero point, 1 and 0 without quantization. Returns `None` if there are several.
    #[doc(hidden)]
    pub fn per_tensor_scale(&self) -> Option<(f64, i64)> {
        let Some((scales, zero_points)) = self.quantization.as_ref().map(Quantization::values) else {
            return Some((1.0, 0));
        };
        match (scales.as_slice(), zero_points.as_slice()) {
            ([scale], [zero]) => Some((*scale, *zero)),
            _ => None,
        }
    }
    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.shape.iter().product()
    }
    /// Bytes of the buffer.
    #[doc(hidden)]
    pub fn bytes(&self) -> u64 {
        self.shape.iter().fold(self.buffer_dtype().size() as u64, |n, d| n.saturating_mul(*d as u64))
    }
    /// The tensor as seen by type rules, with the dtype of its buffer.
    #[doc(hidden)]
    pub fn value(&self) -> Value<'_> {
        let (display_name, shape) = (self.name.as_str(), self.shape.as_slice());
        Value { display_name, shape, dtype: self.buffer_dtype(), coefficient: false, data: None }
    }
}

/// An operand of an operator to be prepared.
#[derive(Debug, Clone)]
pub struct Operand {
    /// Its type.
    pub ty: ValueType,
    /// Its values if they are constant, with float32 for every float.
    pub constant: Option<Array>,
    index: Option<usize>,
}

impl Operand {
    #[doc(hidden)]
    pub fn new(ty: ValueType, constant: Option<Array>, index: usize) -> Self {
        Operand { ty, constant, index: Some(index) }
    }
    #[doc(hidden)]
    pub fn fused_input(ty: ValueType) -> Self {
        Operand { ty, constant: None, index: None }
    }
    /// The operand without its values, which a kernel need not keep once it has repacked them.
    pub fn without_values(&self) -> Operand {
        Operand { constant: None, ..self.clone() }
    }
    /// The index among the operands of [`Backend::run`].
    pub fn index(&self) -> Option<usize> {
        self.index
    }
    /// Within [`Signature::fused_ops`]: whether this is the preceding fused operator's result, not a kernel operand.
    pub fn is_fused_input(&self) -> bool {
        self.index.is_none()
    }
}

/// An operator to be prepared: op, operands and attributes, and the types of the results, `None` where one is absent.
#[derive(Debug, Clone)]
pub struct Signature {
    /// The op.
    pub op: Op<Operand>,
    /// Fused operators, each consuming the single result of the previous one; only those accepted by [`Backend::can_fuse`].
    pub fused_ops: Vec<Op<Operand>>,
    /// Types of the results of the last fused operator.
    pub results: Vec<Option<ValueType>>,
}

impl Signature {
    /// Whether `next`, whose result is `result`, keeps the shape of the signature's single float result and reads only floats.
    #[doc(hidden)]
    pub fn is_fusible_float_elementwise(&self, next: &Op<Operand>, result: &ValueType) -> bool {
        let [Some(own)] = self.results.as_slice() else { return false };
        own.is_plain_float()
            && result.is_plain_float()
            && own.shape == result.shape
            && next.operands().all(|(_, o)| o.ty.is_plain_float())
    }
    /// The same signature for a backend that stores every float in float32.
    #[doc(hidden)]
    pub fn in_float32(&self) -> Signature {
        let single = |ty: &ValueType| ValueType { precision: Precision::F32, ..ty.clone() };
        let on_singles = |op: &Op<Operand>| op.map(|o| Operand { ty: single(&o.ty), ..o.clone() });
        let results = self.results.iter().map(|ty| ty.as_ref().map(single)).collect();
        Signature { op: on_singles(&self.op), fused_ops: self.fused_ops.iter().map(on_singles).collect(), results }
    }
    /// The results that are not absent.
    pub fn outputs(&self) -> impl Iterator<Item = &ValueType> {
        self.results.iter().flatten()
    }
}
