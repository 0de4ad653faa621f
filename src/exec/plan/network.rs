//! The graph from which plans are made: tensors and operators by index.
use crate::{
    Layout, Precision, ValueType,
    array::Array,
    base::{Cause, Result},
    graph::{Graph, TensorKind},
    ops::Op,
};

/// The index of a tensor in [`Network::tensors`], and in the lists of the plans made from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TensorIndex(pub usize);

/// Tensors and operators of a graph, with propagated quantization.
pub(crate) struct Network {
    /// Indexed like the graph's tensors; `None` if an index is unused.
    pub tensors: Vec<Option<TensorEntry>>,
    /// The operators, in the graph's order.
    pub operators: Vec<Operation>,
    /// The graph's inputs.
    pub inputs: Vec<TensorIndex>,
    /// The index of the operator that computes each tensor.
    pub made_by: Vec<Option<usize>>,
}

/// A tensor.
#[derive(Clone)]
pub(crate) struct TensorEntry {
    pub ty: ValueType,
    pub type_text: String,
    /// The values of a coefficient, in the dtype of the graph.
    pub constant: Option<Array>,
}

/// The operator of the graph to which an operation of a plan belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Origin {
    pub operator: usize,
    /// The index of the call that added the operator: that of a spec's `ops`.
    pub call: usize,
}

/// An operator with its operands and results; absent results are `None`.
#[derive(Clone)]
pub(crate) struct Operation {
    pub op: Op<TensorIndex>,
    pub results: Vec<Option<TensorIndex>>,
    pub origin: Origin,
}

impl Operation {
    /// The results that are not absent.
    pub fn outputs(&self) -> impl Iterator<Item = TensorIndex> {
        self.results.iter().flatten().copied()
    }
}

impl Network {
    /// # Errors
    /// Returns an error if propagated quantizations contradict each other.
    pub fn new(graph: &Graph, precision: Precision) -> Result<Network> {
        let quantization = graph.propagated_quantization()?;
        let mut tensors = Vec::new();
        tensors.resize_with(graph.tensor_table().len(), || None);
        for (t, info) in graph.tensors() {
            let ty = ValueType {
                name: info.name.clone(),
                shape: info.shape.clone(),
                layout: Layout::Plain,
                dtype: info.dtype,
                quantization: quantization.get(t.index()).cloned().flatten(),
                precision,
            };
            let constant = if let TensorKind::Coefficient(data) = &info.kind { data.clone() } else { None };
            tensors[t.index()] = Some(TensorEntry { ty, type_text: info.type_text(), constant });
        }
        let mut made_by = vec![None; tensors.len()];
        let mut operators = Vec::new();
        let calls: Vec<usize> = graph.body().call_indices().collect();
        for (index, operator) in graph.operators().iter().enumerate() {
            let results = operator.results.iter().map(|t| t.map(|t| TensorIndex(t.index()))).collect();
            let origin = Origin { operator: index, call: calls.get(index).copied().unwrap_or(index) };
            let operation = Operation { op: operator.op.map(|t| TensorIndex(t.index())), results, origin };
            operation.outputs().for_each(|t| made_by[t.0] = Some(index));
            operators.push(operation);
        }
        let inputs = graph.inputs().iter().map(|t| TensorIndex(t.index())).collect();
        Ok(Network { tensors, operators, inputs, made_by })
    }
    /// # Errors
    /// Returns an error if there is no such tensor.
    pub fn entry(&self, tensor: TensorIndex) -> Result<&TensorEntry> {
        entry(&self.tensors, tensor)
    }
}

/// # Errors
/// Returns an error if there is no such tensor.
pub(super) fn entry(tensors: &[Option<TensorEntry>], tensor: TensorIndex) -> Result<&TensorEntry> {
    let entry = tensors.get(tensor.0).and_then(Option::as_ref);
    entry.ok_or_else(|| Cause::ForeignTensor(tensor.0 as u32).into())
}
