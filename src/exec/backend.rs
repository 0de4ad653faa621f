use crate::{
    array::Array,
    base::{Dtype, Result, Shape},
    ops::{Op, Value},
    quant::Quantization,
};

/// Runs operators. Arrays move in and out; in between a backend has its own buffers.
///
/// Floats of every dtype are computed and kept in float32, as TPU-MLIR's Top executor does; integers keep their
/// dtype.
pub trait Backend: Send + Sync {
    /// Where a tensor's values are.
    type Buffer: Clone + Send + Sync;
    /// An operator, ready to run any number of times, from any thread.
    type Kernel: Send + Sync;
    /// For messages: `cpu`.
    fn name(&self) -> &str;
    /// Prepares an operator of these types, attributes and constants; none where another backend shall run it.
    ///
    /// # Errors
    /// What is constant is impossible, or the memory is not enough.
    fn prepare(&self, signature: &Signature) -> Result<Option<Self::Kernel>>;
    /// Runs a kernel on operands in the order of the signature's [`Operand::index`], none where one is constant and was
    /// not asked for, or absent. Gives the results that are there.
    ///
    /// # Errors
    /// The memory is not enough, or a value (an index) is impossible.
    fn run(&self, kernel: &Self::Kernel, operands: &[Self::Buffer]) -> Result<Vec<Self::Buffer>>;
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
    fn run(&self, kernel: &Self::Kernel, operands: &[Self::Buffer]) -> Result<Vec<Self::Buffer>> {
        (**self).run(kernel, operands)
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
}

/// What a tensor is, apart from its values.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueType {
    /// Its name in the graph.
    pub name: String,
    /// Dimensions.
    pub shape: Shape,
    /// Type of the elements in the graph.
    pub dtype: Dtype,
    /// After propagation.
    pub quantization: Option<Quantization>,
}

impl ValueType {
    /// Dtype of the buffer: float32 for every float.
    pub fn buffer_dtype(&self) -> Dtype {
        if self.dtype.is_float() { Dtype::Float32 } else { self.dtype }
    }
    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.shape.iter().product()
    }
    /// As the ops see it, in its buffer's dtype.
    pub(super) fn value(&self) -> Value<'_> {
        let (called, shape) = (self.name.as_str(), self.shape.as_slice());
        Value { called, shape, dtype: self.buffer_dtype(), coefficient: false, data: None }
    }
}

/// An operand of an operator that is prepared.
#[derive(Debug, Clone)]
pub struct Operand {
    /// What it is.
    pub ty: ValueType,
    /// Its values (float32 for every float), where they are known beforehand.
    pub constant: Option<Array>,
    index: usize,
}

impl Operand {
    pub(crate) fn new(ty: ValueType, constant: Option<Array>, index: usize) -> Self {
        Operand { ty, constant, index }
    }
    /// Its place among the operands that [`Backend::run`] gets.
    pub fn index(&self) -> usize {
        self.index
    }
}

/// An operator to be prepared: op, operands and attributes, and the types of the results, `None` where one is absent.
#[derive(Debug, Clone)]
pub struct Signature {
    /// The op.
    pub op: Op<Operand>,
    /// What the results must be.
    pub results: Vec<Option<ValueType>>,
}

impl Signature {
    /// The results that are there.
    pub fn outputs(&self) -> impl Iterator<Item = &ValueType> {
        self.results.iter().flatten()
    }
}
