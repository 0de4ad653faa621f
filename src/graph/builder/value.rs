use super::{GraphBuilder, Tensor};
use crate::{
    Operand, TensorInfo,
    base::{Dtype, Result, Shape, argument, shape_text},
    quant::Quantization,
};
use std::fmt;

/// A tensor together with the [`GraphBuilder`] whose graph it belongs to. It is cheap to copy.
///
/// Functions whose first argument is a tensor are methods: `x.conv(w).pad(1).call()?`. `+`, `-`, `*` and `/` of values and
/// numbers are calls of [`Value::add`], [`Value::sub`], [`Value::mul`] and [`Value::div`], and like them end in `.call()?`:
///
/// ```
/// use tpulang::{Dtype, GraphBuilder};
/// let g = GraphBuilder::new("net")?;
/// let x = g.input("x", Dtype::Float32, [2, 3])?;
/// let y = ((x - 0.5) * 2.0 + x / 3.0).out_name("y").call()?;
/// let [rows, columns] = y.dims()?;
/// assert_eq!((rows, columns), (2, 3));
/// # Ok::<(), tpulang::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Value<'g> {
    builder: &'g GraphBuilder,
    tensor: Tensor,
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.read(|info| format!("{:?} ({})", info.name, info.type_text())) {
            Ok(text) => write!(f, "Value({text})"),
            Err(_) => write!(f, "Value({:?})", self.tensor),
        }
    }
}

/// Values are equal if they are the same tensor.
impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.tensor == other.tensor
    }
}
impl Eq for Value<'_> {}

impl From<Value<'_>> for Operand {
    fn from(value: Value) -> Self {
        Operand::Tensor(value.tensor)
    }
}
impl From<&Value<'_>> for Operand {
    fn from(value: &Value) -> Self {
        Operand::Tensor(value.tensor)
    }
}

impl<'g> Value<'g> {
    pub(super) fn new(builder: &'g GraphBuilder, tensor: Tensor) -> Self {
        Value { builder, tensor }
    }
    /// Returns the builder.
    pub fn builder(&self) -> &'g GraphBuilder {
        self.builder
    }
    /// Returns the handle, which is valid in the graphs that the builder builds.
    pub fn tensor(&self) -> Tensor {
        self.tensor
    }
    fn read<R>(&self, read: impl FnOnce(&TensorInfo) -> R) -> Result<R> {
        self.builder.edit(|g| g.tensor(self.tensor).map(read))
    }
    /// Returns name, type and origin.
    ///
    /// # Errors
    /// Returns an error if the tensor no longer exists: it belonged to a branch or loop that failed, or the graph is being
    /// edited. The same goes for the other methods that read a value.
    pub fn info(&self) -> Result<TensorInfo> {
        self.read(TensorInfo::clone)
    }
    /// Returns the name.
    ///
    /// # Errors
    /// Same as for [`Value::info`].
    pub fn name(&self) -> Result<String> {
        self.read(|info| info.name.clone())
    }
    /// Returns the dimensions.
    ///
    /// # Errors
    /// Same as for [`Value::info`].
    pub fn shape(&self) -> Result<Shape> {
        self.read(|info| info.shape.clone())
    }
    /// Returns the dimensions of a tensor of `N` axes: `let [batch, tokens, width] = x.dims()?`.
    ///
    /// # Errors
    /// Returns an error if the tensor has another number of axes.
    pub fn dims<const N: usize>(&self) -> Result<[usize; N]> {
        let info = self.info()?;
        <[usize; N]>::try_from(info.shape).map_err(|shape| {
            let found = format!("{}, which has {} axes", shape_text(&shape), shape.len());
            argument(format!("the shape of {:?}", info.name), found, format!("expected {N} axes"))
        })
    }
    /// Returns the dtype.
    ///
    /// # Errors
    /// Same as for [`Value::info`].
    pub fn dtype(&self) -> Result<Dtype> {
        self.read(|info| info.dtype)
    }
    /// Returns the quantization, if it is known.
    ///
    /// # Errors
    /// Same as for [`Value::info`].
    pub fn quantization(&self) -> Result<Option<Quantization>> {
        self.read(|info| info.quantization.clone())
    }
    /// Renames the tensor, for one that a branch or a loop returns, which has no `out_name`. Returns the value.
    ///
    /// ```
    /// use tpulang::{Dtype, GraphBuilder};
    /// let g = GraphBuilder::new("net")?;
    /// let x = g.input("x", Dtype::Float32, [2])?;
    /// let y = g.for_loop(3, x, |_, v| (v * 2.0).call())?.named("y")?;
    /// assert_eq!(y.name()?, "y");
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the name is taken or invalid.
    pub fn named(self, name: &str) -> Result<Self> {
        self.builder.edit(|g| g.rename(self.tensor, name))?;
        Ok(self)
    }
    /// Sets the quantization, or checks that it agrees with the one set before. Returns the value.
    ///
    /// ```
    /// use tpulang::{Dtype, GraphBuilder, Quantization};
    /// let g = GraphBuilder::new("net")?;
    /// let x = g.input("x", Dtype::Int8, [1, 3])?.quantized(Quantization::per_tensor(0.5, 0))?;
    /// assert_eq!(x.quantization()?, Some(Quantization::per_tensor(0.5, 0)));
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as for [`Graph::quantize`](crate::Graph::quantize).
    pub fn quantized(self, quantization: Quantization) -> Result<Self> {
        self.builder.edit(|g| g.quantize(self.tensor, &quantization))?;
        Ok(self)
    }
}
