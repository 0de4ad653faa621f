use super::Preprocess;
use crate::{
    array::Array,
    base::{Dtype, Shape, shape_text},
    quant::Quantization,
};
use std::sync::atomic::{AtomicU64, Ordering};

/// A handle of a tensor; cheap to copy, valid in the graph that gave it out and in that graph's clones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tensor {
    index: u32,
    graph: GraphId,
}

impl Tensor {
    pub(super) fn new(index: u32, graph: GraphId) -> Self {
        Tensor { index, graph }
    }
    /// Its place in tables with an entry a tensor.
    #[doc(hidden)]
    pub fn index(self) -> usize {
        self.index as usize
    }
}

/// Tells graphs apart, in one run of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct GraphId(u64);

impl GraphId {
    fn unique() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        GraphId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Who gave out which handles: a clone knows those that its original had given out before, and neither knows what
/// the other gives out after.
#[derive(Debug, Clone)]
pub(super) struct Lineage(Vec<(u32, GraphId)>);

impl Lineage {
    pub fn new() -> Self {
        Lineage(vec![(0, GraphId::unique())])
    }
    /// That of a clone with so many tensors.
    pub fn fork(&self, tensors: usize) -> Self {
        let mut ids = self.0.clone();
        ids.push((tensors as u32, GraphId::unique()));
        Lineage(ids)
    }
    /// The handle of the tensor in that place.
    pub fn handle(&self, index: usize) -> Tensor {
        let index = index as u32;
        let owner = self.0.iter().rev().find(|(first, _)| *first <= index).map_or(self.0[0].1, |(_, id)| *id);
        Tensor::new(index, owner)
    }
}

/// Where a tensor's values come from.
#[derive(Debug, Clone, PartialEq)]
pub enum TensorKind {
    /// Fed when the graph runs.
    Input,
    /// Known when the graph is built. The data may be absent until emission or execution asks for them.
    Coefficient(Option<Array>),
    /// Computed by an operator.
    Value,
    /// Given to a block that an operator owns.
    Argument,
}

/// What the graph knows of a tensor.
#[derive(Debug, Clone, PartialEq)]
pub struct TensorInfo {
    /// Unique in the graph.
    pub name: String,
    /// Dimensions, all positive.
    pub shape: Shape,
    /// Type of the elements.
    pub dtype: Dtype,
    /// Where the values come from.
    pub kind: TensorKind,
    /// Scale and zero point, where known.
    pub quantization: Option<Quantization>,
    /// Image preprocessing, of inputs only.
    pub preprocess: Option<Preprocess>,
    /// A coefficient that a call made of an argument, and makes again when it is made again.
    #[doc(hidden)]
    pub of_call: bool,
    /// The coefficient whose data it has in another form; emitted under that one's name, where that is free.
    #[doc(hidden)]
    pub stands_for: Option<Tensor>,
}

impl TensorInfo {
    /// Shape and dtype, as messages show them: `1x3x32x32 float32`.
    pub fn type_text(&self) -> String {
        let quant = self.quantization.as_ref().map(|q| format!(" ({q})")).unwrap_or_default();
        format!("{} {}{quant}", shape_text(&self.shape), self.dtype)
    }
    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.shape.iter().product()
    }
    /// A coefficient's data, where they are known.
    pub fn data(&self) -> Option<&Array> {
        match &self.kind {
            TensorKind::Coefficient(data) => data.as_ref(),
            _ => None,
        }
    }
    /// Whether it is a coefficient.
    pub fn is_coefficient(&self) -> bool {
        matches!(self.kind, TensorKind::Coefficient(_))
    }
}
