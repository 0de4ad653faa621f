//! The inputs and outputs of a session.
use super::{
    Backend, Session, ValueType,
    plan::{TensorEntry, TensorIndex},
};
use crate::{
    base::{Dtype, Shape, shape_text},
    quant::Quantization,
};
use std::fmt;

/// The name and type of an input or output of a [`Session`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ValueInfo {
    /// Its name.
    pub name: String,
    /// The dtype of the array. For an input, that of the graph: floats may also be fed as float32. For an output, that
    /// of the result: float32 for every float.
    pub dtype: Dtype,
    /// The dimensions.
    pub shape: Shape,
    /// The quantization of the integers, if they have one.
    pub quantization: Option<Quantization>,
}

/// `x 1x3x32x32 float32`
impl fmt::Display for ValueInfo {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {} {}", self.name, shape_text(&self.shape), self.dtype)
    }
}

/// Returns the dtype in which a run returns a tensor.
pub(super) fn returned_dtype(ty: &ValueType) -> Dtype {
    if ty.dtype.is_float() { Dtype::Float32 } else { ty.dtype }
}

impl<B: Backend> Session<B> {
    /// Returns the names and types of what runs are usually fed, in order: the graph's inputs, or
    /// [`RunOptions::fed`](super::RunOptions::fed).
    ///
    /// ```
    /// use tpulang::{Dtype, Graph, exec::{CpuBackend, RunOptions, Session}};
    /// let mut g = Graph::new("net")?;
    /// let x = g.input("x", Dtype::Float16, [2, 3])?;
    /// let y = g.relu(x).out_name("y").call()?;
    /// g.set_outputs(&[y])?;
    /// let session = Session::new(&g, CpuBackend::new(), &RunOptions::default())?;
    /// assert_eq!(session.inputs()[0].to_string(), "x 2x3 float16");
    /// assert_eq!(session.outputs()[0].to_string(), "y 2x3 float32");
    /// # Ok::<(), tpulang::Error>(())
    /// ```
    pub fn inputs(&self) -> Vec<ValueInfo> {
        self.infos(&self.inputs, |ty| ty.dtype)
    }
    /// Returns the names and types of what [`Session::run`] returns, in order. See [`Session::inputs`].
    pub fn outputs(&self) -> Vec<ValueInfo> {
        self.infos(&self.wanted, returned_dtype)
    }
    fn infos(&self, tensors: &[TensorIndex], dtype: impl Fn(&ValueType) -> Dtype) -> Vec<ValueInfo> {
        let info = |TensorEntry { ty, .. }: &TensorEntry| ValueInfo {
            name: ty.name.clone(),
            dtype: dtype(ty),
            shape: ty.shape.clone(),
            quantization: ty.quantization.clone(),
        };
        tensors.iter().filter_map(|t| self.network.entry(*t).ok()).map(info).collect()
    }
}
