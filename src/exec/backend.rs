use crate::{
    array::Array,
    graph::{Attributes, Dtype, OpDef, Result, TensorInfo},
    quant::Quantization,
};

/// Runs operators. Arrays move in and out; in between a backend has its own buffers.
///
/// Floats of every dtype are computed and kept in float32, as TPU-MLIR's Top executor does; integers keep their
/// dtype.
pub trait Backend {
    /// Where a tensor's values are.
    type Buffer: Clone;
    /// For messages: `cpu`.
    fn name(&self) -> &'static str;
    /// Whether there is a kernel for that op.
    fn supports(&self, op: &str) -> bool;
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
    /// Runs one operator.
    ///
    /// # Errors
    /// There is no kernel, the memory is not enough, or a value (an index) is impossible.
    fn run(&self, task: &Task<Self::Buffer>) -> Result<Vec<Self::Buffer>>;
    /// Waits until everything is done.
    ///
    /// # Errors
    /// Something failed meanwhile.
    fn synchronise(&self) -> Result<()>;
}

/// What a tensor is, apart from its values.
#[derive(Clone, Copy)]
pub struct Typed<'a> {
    /// Name, shape and dtype.
    pub info: &'a TensorInfo,
    /// Quantization after propagation.
    pub quantization: Option<&'a Quantization>,
}

impl Typed<'_> {
    /// Dtype of the buffer: float32 for every float.
    pub fn buffer_dtype(&self) -> Dtype {
        if self.info.dtype.is_float() { Dtype::Float32 } else { self.info.dtype }
    }
}

/// One operator with its operands.
pub struct Task<'a, B> {
    /// The op.
    pub op: &'static OpDef,
    /// Its attributes.
    pub attributes: &'a Attributes,
    /// Operands in order.
    pub operands: Vec<Option<(Typed<'a>, B)>>,
    /// What the results must be.
    pub results: Vec<Typed<'a>>,
}
