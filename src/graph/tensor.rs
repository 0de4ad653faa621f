use super::Preprocess;
use crate::{
    array::Array,
    base::{Dtype, Shape, shape_text},
    quant::Quantization,
};
use std::sync::atomic::{AtomicU64, Ordering};

/// A handle of a tensor, cheap to copy. It is valid in the graph that issued it and in later clones of that graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tensor {
    index: u32,
    graph: GraphId,
}

impl Tensor {
    pub(super) fn new(index: u32, graph: GraphId) -> Self {
        Tensor { index, graph }
    }
    /// Returns the index into tables with one entry per tensor.
    #[doc(hidden)]
    pub fn index(self) -> usize {
        self.index as usize
    }
}

/// Identifies a graph within a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct GraphId(u64);

impl GraphId {
    fn unique() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        GraphId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Which graph issued which handles. A clone accepts those issued before cloning.
#[derive(Debug, Clone)]
pub(super) struct HandleProvenance(Vec<(u32, GraphId)>);

impl HandleProvenance {
    pub fn new() -> Self {
        HandleProvenance(vec![(0, GraphId::unique())])
    }
    /// Returns the provenance for a clone of a graph with `tensors` tensors.
    pub fn fork(&self, tensors: usize) -> Self {
        let mut ids = self.0.clone();
        ids.push((tensors as u32, GraphId::unique()));
        HandleProvenance(ids)
    }
    /// Makes the handles from that of `tensors` on invalid: other tensors will have their indices.
    pub fn retire(&mut self, tensors: usize) {
        self.0.retain(|(first, _)| (*first as usize) < tensors);
        self.0.push((tensors as u32, GraphId::unique()));
    }
    /// Returns the handle of the tensor at `index`.
    pub fn handle(&self, index: usize) -> Tensor {
        let index = index as u32;
        let after = self.0.partition_point(|(first, _)| *first <= index);
        Tensor::new(index, self.0[after.saturating_sub(1)].1)
    }
}

/// The origin of a tensor's values.
#[derive(Debug, Clone, PartialEq)]
pub enum TensorKind {
    /// An input of the graph.
    Input,
    /// A constant. Its data may be absent until emission or execution.
    Coefficient(Option<Array>),
    /// Computed by an operator.
    Value,
    /// An argument of a block that an operator owns.
    Argument,
}

/// Name, type and origin of a tensor.
#[derive(Debug, Clone, PartialEq)]
pub struct TensorInfo {
    /// Name, unique in the graph.
    pub name: String,
    /// Dimensions, all positive.
    pub shape: Shape,
    /// Type of the elements.
    pub dtype: Dtype,
    /// Origin of the values.
    pub kind: TensorKind,
    /// Scale and zero point, if known.
    pub quantization: Option<Quantization>,
    /// Whether the quantization, or part of it, was set by [`Graph::quantize`](crate::Graph::quantize) rather than by a call.
    #[doc(hidden)]
    pub is_quantized_separately: bool,
    /// Image preprocessing, for inputs only.
    pub preprocess: Option<Preprocess>,
    /// Whether it is a coefficient that a call created from an argument; replaying the call creates it again.
    #[doc(hidden)]
    pub of_call: bool,
    /// The coefficient that it was repacked from. Emitted under that coefficient's name, if it is free.
    #[doc(hidden)]
    pub repacked_from: Option<Tensor>,
    /// Whether it belongs to a block that is complete, outside of which it must not be used.
    #[doc(hidden)]
    pub is_local: bool,
}

impl TensorInfo {
    /// Formats shape and dtype for messages: `1x3x32x32 float32`.
    pub fn type_text(&self) -> String {
        let quant = self.quantization.as_ref().map(|q| format!(" ({q})")).unwrap_or_default();
        format!("{} {}{quant}", shape_text(&self.shape), self.dtype)
    }
    /// Returns the number of elements.
    pub fn elements(&self) -> usize {
        self.shape.iter().product()
    }
    /// Returns whether the tensor has integers without a scale, such as indices.
    pub fn is_plain_integer(&self) -> bool {
        !self.dtype.is_float() && self.quantization.is_none()
    }
    /// Returns the data of a coefficient, if known.
    pub fn data(&self) -> Option<&Array> {
        match &self.kind {
            TensorKind::Coefficient(data) => data.as_ref(),
            _ => None,
        }
    }
    /// Returns whether the tensor is a coefficient.
    pub fn is_coefficient(&self) -> bool {
        matches!(self.kind, TensorKind::Coefficient(_))
    }
}
