use crate::{
    array::{Array, available_memory},
    base::{Dtype, Error, Result, Shape},
    ops::{Op, Value},
    quant::Quantization,
};
use std::{fmt, str::FromStr};

/// Channels of a block.
pub(crate) const BLOCK: usize = 16;

/// Runs operators. Arrays move in and out; in between a backend has its own buffers.
///
/// Floats of every dtype are computed in float32, as TPU-MLIR's Top executor does, and kept so, unless the session is of another
/// [`Precision`]; integers keep their dtype.
pub trait Backend: Send + Sync {
    /// Where a tensor's values are.
    type Buffer: Clone + Send + Sync;
    /// An operator, ready to run any number of times, from any thread.
    type Kernel: Send + Sync;
    /// What it remembers of a plan from one run to the next; `()` where that is nothing.
    type Memo: Default + Send + Sync;
    /// For messages: `cpu`.
    fn name(&self) -> &str;
    /// Prepares an operator of these types, attributes and constants; none where another backend shall run it.
    ///
    /// # Errors
    /// What is constant is impossible, or the memory is not enough.
    fn prepare(&self, signature: &Signature) -> Result<Option<Self::Kernel>>;
    /// Whether it can do `next`, which gives `result`, to what the signature gives, as part of the same kernel: then that is
    /// prepared with `next` behind the others in [`Signature::then`]. Never asked of what somebody else reads too.
    fn fuses(&self, _signature: &Signature, _next: &Op<Operand>, _result: &ValueType) -> bool {
        false
    }
    /// Whether tensors may lie in memory so.
    fn has_precision(&self, precision: Precision) -> bool {
        precision == Precision::F32
    }
    /// Whether it computes what a rule would make of the graph's operators: operands or results that lie otherwise than
    /// row-major, or an operator in the place of several.
    fn takes(&self, _signature: &Signature) -> bool {
        false
    }
    /// Whether a kernel reads the operand at that [`Operand::index`] when it runs: one that has laid out a constant anew need
    /// not be given it again.
    fn reads(&self, _kernel: &Self::Kernel, _operand: usize) -> bool {
        true
    }
    /// Runs a kernel on operands in the order of the signature's [`Operand::index`], none where one is constant and is not
    /// read. Gives the results that are there. Where nobody reads an operand any more, its buffer is here alone: a backend may
    /// take it for a result.
    ///
    /// # Errors
    /// The memory is not enough, or a value (an index) is impossible.
    fn run(&self, kernel: &Self::Kernel, operands: &mut [Option<Self::Buffer>]) -> Result<Vec<Self::Buffer>>;
    /// Bytes that a run of the kernel takes at most beside its operands and results, and gives back at its end. What is
    /// small whatever the tensors' sizes need not be told.
    fn temporary(&self, _kernel: &Self::Kernel) -> u64 {
        0
    }
    /// Moves an array in.
    ///
    /// # Errors
    /// The memory is not enough.
    fn upload(&self, array: &Array) -> Result<Self::Buffer>;
    /// Moves an array out.
    ///
    /// # Errors
    /// The memory is not enough.
    fn download(&self, buffer: &Self::Buffer) -> Result<Array>;
    /// Waits until everything is done.
    ///
    /// # Errors
    /// Something failed meanwhile.
    fn synchronise(&self) -> Result<()>;
    /// What a kernel has found to be impossible while it ran, since it was last asked; known when everything is done.
    fn fault(&self, _kernel: &Self::Kernel) -> Option<Error> {
        None
    }
    /// Dtype and shape of a buffer; none where the backend does not know them: then nobody checks what is fed.
    fn type_of(&self, _buffer: &Self::Buffer) -> Option<(Dtype, Shape)> {
        None
    }
    /// What a kernel does, for people: where that is several things, one after the other.
    fn explain(&self, _kernel: &Self::Kernel) -> Vec<Doing> {
        Vec::new()
    }
    /// Bytes that its buffers may still take.
    fn available(&self) -> u64 {
        available_memory()
    }
    /// One run of a plan. What its steps told the backend may be remembered in `memo`, and done again without them.
    ///
    /// # Errors
    /// As of the other methods.
    fn run_plan(&self, _memo: &Self::Memo, run: Run<Self::Buffer>) -> Result<Vec<Array>> {
        let results = (run.steps)(run.feeds.into_iter().map(|a| self.upload(&a)).collect::<Result<_>>()?)?;
        self.synchronise()?;
        (run.check)()?;
        results.iter().map(|b| self.download(b)).collect()
    }
    /// Whether the memory of a run is taken already, by what `memo` remembers.
    fn has_memory(&self, _memo: &Self::Memo) -> bool {
        false
    }
    /// Does again what `memo` remembers of the last run, where that was fed, without copies; whether there is anything.
    ///
    /// # Errors
    /// The device fails.
    fn repeat(&self, _memo: &Self::Memo) -> Result<bool> {
        Ok(false)
    }
}

/// A part of what a kernel does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doing {
    /// One line: `softmax of activation.cu, 24 blocks of 64 threads`.
    pub text: String,
    /// Its source, where that was written for this kernel.
    pub source: Option<String>,
}

/// One run of a plan.
pub struct Run<'r, Buffer> {
    /// As they lie in buffers, in the plan's order.
    pub feeds: Vec<Array>,
    /// All steps are the backend's, and nobody looks on: they may be repeated.
    pub repeatable: bool,
    /// The plan's steps, from feeds to results.
    pub steps: &'r mut (dyn FnMut(Vec<Buffer>) -> Result<Vec<Buffer>> + 'r),
    /// Is to be asked when everything is done, before another run begins: what kernels have found to be impossible.
    pub check: &'r dyn Fn() -> Result<()>,
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
    fn fuses(&self, signature: &Signature, next: &Op<Operand>, result: &ValueType) -> bool {
        (**self).fuses(signature, next, result)
    }
    fn reads(&self, kernel: &Self::Kernel, operand: usize) -> bool {
        (**self).reads(kernel, operand)
    }
    fn takes(&self, signature: &Signature) -> bool {
        (**self).takes(signature)
    }
    fn has_precision(&self, precision: Precision) -> bool {
        (**self).has_precision(precision)
    }
    fn has_memory(&self, memo: &Self::Memo) -> bool {
        (**self).has_memory(memo)
    }
    fn repeat(&self, memo: &Self::Memo) -> Result<bool> {
        (**self).repeat(memo)
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
    fn fault(&self, kernel: &Self::Kernel) -> Option<Error> {
        (**self).fault(kernel)
    }
    fn type_of(&self, buffer: &Self::Buffer) -> Option<(Dtype, Shape)> {
        (**self).type_of(buffer)
    }
    fn explain(&self, kernel: &Self::Kernel) -> Vec<Doing> {
        (**self).explain(kernel)
    }
    fn available(&self) -> u64 {
        (**self).available()
    }
    fn run_plan(&self, memo: &Self::Memo, run: Run<Self::Buffer>) -> Result<Vec<Array>> {
        (**self).run_plan(memo, run)
    }
}

/// How a tensor's values lie in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// Row-major.
    #[default]
    Plain,
    /// An image or a batch of them (n x c x h x w) whose channels stand in blocks: n x ceil(c / 16) x h x w x 16. Channels
    /// beyond the last are 0.
    Blocked {
        /// So many of them are the tensor's.
        channels: usize,
    },
    /// Rows of heads (b x h x s x d), which lie as b x s x h x d.
    HeadsInside,
}

/// What a tensor is, apart from its values.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueType {
    /// Its name in the graph.
    pub name: String,
    /// Dimensions of the buffer: the tensor's, save for those that its layout adds.
    pub shape: Shape,
    /// How the values lie.
    pub layout: Layout,
    /// Type of the elements in the graph.
    pub dtype: Dtype,
    /// After propagation.
    pub quantization: Option<Quantization>,
    /// Of the session.
    pub precision: Precision,
}

/// In which floats tensors lie in a backend's memory. Whatever it is, sums are made in float32 or wider.
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
            (Layout::HeadsInside, [b, s, h, d]) => vec![*b, *h, *s, *d],
            _ => self.shape.clone(),
        }
    }
    /// The same tensor with its channels in blocks; none where it is no batch of float images.
    pub(crate) fn blocked(&self) -> Option<ValueType> {
        let [n, channels, h, w] = *self.shape.as_slice() else {
            return None;
        };
        let is_float = self.dtype.is_float() && self.quantization.is_none() && self.layout == Layout::Plain;
        let shape = vec![n, channels.div_ceil(BLOCK), h, w, BLOCK];
        is_float.then(|| ValueType { shape, layout: Layout::Blocked { channels }, ..self.clone() })
    }
    /// Dtype of the buffer: float32 for every float, but float16 in that precision.
    pub fn buffer_dtype(&self) -> Dtype {
        match (self.dtype, self.precision) {
            (Dtype::Float16, Precision::F16) => Dtype::Float16,
            (dtype, _) if dtype.is_float() => Dtype::Float32,
            (dtype, _) => dtype,
        }
    }
    /// An array of the tensor as it lies in the buffer.
    pub(super) fn buffered(&self, array: &Array) -> Result<Array> {
        let array = array.in_memory()?;
        if self.dtype.is_float() { array.to_dtype(self.buffer_dtype()) } else { Ok(array) }
    }
    /// A float without a scale.
    pub(super) fn is_plain_float(&self) -> bool {
        self.dtype.is_float() && self.quantization.is_none()
    }
    /// Plain integers are computed exactly; what is quantized or float, as real numbers.
    pub(super) fn is_plain_int(&self) -> bool {
        !self.dtype.is_float() && self.quantization.is_none()
    }
    /// Scale and zero point of a tensor that has one of each at most.
    pub(super) fn one_scale(&self) -> Option<(f64, i64)> {
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
    pub(super) fn bytes(&self) -> u64 {
        self.shape.iter().fold(self.buffer_dtype().size() as u64, |n, d| n.saturating_mul(*d as u64))
    }
    /// As the ops see it, in its buffer's dtype.
    pub(super) fn value(&self) -> Value<'_> {
        let (display_name, shape) = (self.name.as_str(), self.shape.as_slice());
        Value { display_name, shape, dtype: self.buffer_dtype(), coefficient: false, data: None }
    }
}

/// An operand of an operator that is prepared.
#[derive(Debug, Clone)]
pub struct Operand {
    /// What it is.
    pub ty: ValueType,
    /// Its values (float32 for every float), where they are known beforehand.
    pub constant: Option<Array>,
    index: Option<usize>,
}

impl Operand {
    pub(crate) fn new(ty: ValueType, constant: Option<Array>, index: usize) -> Self {
        Operand { ty, constant, index: Some(index) }
    }
    pub(crate) fn computed_before(ty: ValueType) -> Self {
        Operand { ty, constant: None, index: None }
    }
    /// The same without its values: what a kernel has laid out anew it need not keep.
    pub fn without_values(&self) -> Operand {
        Operand { constant: None, ..self.clone() }
    }
    /// Its place among the operands that [`Backend::run`] gets.
    pub fn index(&self) -> Option<usize> {
        self.index
    }
    /// Within [`Signature::then`]: it is what the operator before gives, and has no place among the operands.
    pub fn is_computed_before(&self) -> bool {
        self.index.is_none()
    }
}

/// An operator to be prepared: op, operands and attributes, and the types of the results, `None` where one is absent.
#[derive(Debug, Clone)]
pub struct Signature {
    /// The op.
    pub op: Op<Operand>,
    /// Ops that follow within the same kernel, each on the one result of that before; only such as [`Backend::fuses`] has
    /// agreed to.
    pub then: Vec<Op<Operand>>,
    /// What the results must be, after all of them.
    pub results: Vec<Option<ValueType>>,
}

impl Signature {
    /// Whether `next`, which gives `result`, goes on with floats of the one result, element by element, and reads floats alone.
    pub(super) fn goes_on_in_floats(&self, next: &Op<Operand>, result: &ValueType) -> bool {
        let [Some(own)] = self.results.as_slice() else { return false };
        own.is_plain_float()
            && result.is_plain_float()
            && own.shape == result.shape
            && next.operands().all(|(_, o)| o.ty.is_plain_float())
    }
    /// The same for a backend that has every float in float32.
    pub(super) fn in_float32(&self) -> Signature {
        let single = |ty: &ValueType| ValueType { precision: Precision::F32, ..ty.clone() };
        let on_singles = |op: &Op<Operand>| op.map(|o| Operand { ty: single(&o.ty), ..o.clone() });
        let results = self.results.iter().map(|ty| ty.as_ref().map(single)).collect();
        Signature { op: on_singles(&self.op), then: self.then.iter().map(on_singles).collect(), results }
    }
    /// The results that are there.
    pub fn outputs(&self) -> impl Iterator<Item = &ValueType> {
        self.results.iter().flatten()
    }
}
