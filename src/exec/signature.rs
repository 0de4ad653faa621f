//! The operator that a backend prepares: its op and attributes, and the types of its operands and results.
use crate::{
    array::Array,
    base::{Dtype, Result, Shape},
    ops::{Op, Value},
    quant::{Quantization, single},
};
use std::{fmt, str::FromStr};

/// How a tensor's values are laid out in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// Row-major.
    #[default]
    Plain,
    /// A batch of sequences (n x c x w), images (n x c x h x w) or volumes (n x c x d x h x w) with blocked channels: images are
    /// n x ceil(c / block) x h x w x block, which is nChw16c for blocks of 16. Padding channels are 0.
    Blocked {
        /// Number of channels, excluding padding.
        channels: usize,
        /// Channels per block.
        block: usize,
    },
    /// Images, sequences or volumes (n x c x spatial) stored as n x spatial x c.
    ChannelsLast,
    /// Attention heads (b x h x s x d) stored as b x s x h x d.
    Bshd,
}

/// Whether the operator combines tensors that are broadcast to the result.
pub(crate) fn is_arithmetic<V>(op: &Op<V>) -> bool {
    matches!(op, Op::Add(_) | Op::Sub(_) | Op::Mul(_) | Op::Div(_) | Op::Max(_) | Op::Min(_))
}

/// Whether an operand of an element-wise operator is broadcast along the channels (axis 1) of a result that has several.
pub(crate) fn is_for_all_channels(operand: &[usize], result: &[usize]) -> bool {
    // Leading axes that the operand does not have are broadcast.
    let Some(missing) = result.len().checked_sub(operand.len()) else { return false };
    let own = 1usize.checked_sub(missing).and_then(|axis| operand.get(axis));
    result.get(1).is_some_and(|channels| *channels > 1) && own.is_none_or(|n| *n == 1)
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
            (Layout::Blocked { channels, .. }, [n, _, spatial @ .., _]) => [&[*n, channels], spatial].concat(),
            (Layout::ChannelsLast, [n, spatial @ .., c]) => [&[*n, *c], spatial].concat(),
            (Layout::Bshd, [b, s, h, d]) => vec![*b, *h, *s, *d],
            _ => self.shape.clone(),
        }
    }
    /// The same tensor in a layout of images. Returns `None` if it is not a batch of images, or of sequences or volumes where the
    /// layout has them, or not row-major.
    pub(crate) fn with_layout(&self, layout: Layout) -> Option<ValueType> {
        let shape = match (layout, self.shape.as_slice()) {
            (Layout::Blocked { block, .. }, [n, c, spatial @ ..]) if matches!(spatial.len(), 1..=3) => {
                [&[*n, c.div_ceil(block.max(1))], spatial, &[block]].concat()
            }
            (Layout::ChannelsLast, [n, c, spatial @ ..]) if matches!(spatial.len(), 1..=3) => {
                [&[*n], spatial, &[*c]].concat()
            }
            _ => return None,
        };
        (self.layout == Layout::Plain).then(|| ValueType { shape, layout, ..self.clone() })
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
    /// A float32 without a scale.
    pub(crate) fn is_plain_float32(&self) -> bool {
        self.dtype == Dtype::Float32 && self.quantization.is_none()
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
        single(&scales, &zero_points)
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
    /// The index among the operands of [`Backend::run`](super::Backend::run). Operands with one index are the same tensor.
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
    /// Fused operators, each consuming the single result of the previous one; only those accepted by
    /// [`Fusion::can_fuse`](super::Fusion::can_fuse) or [`Fusion::supports`](super::Fusion::supports).
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
    /// Whether all operands and results are row-major.
    pub(crate) fn is_row_major(&self) -> bool {
        let ops = [&self.op].into_iter().chain(&self.fused_ops);
        let operands = ops.flat_map(Op::operands).map(|(_, o)| &o.ty);
        operands.chain(self.outputs()).all(|ty| ty.layout == Layout::Plain)
    }
    /// The results that are not absent.
    pub fn outputs(&self) -> impl Iterator<Item = &ValueType> {
        self.results.iter().flatten()
    }
}
