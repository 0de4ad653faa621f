//! A graph as plans are made from: tensors and operators by their places in lists.
use crate::{
    array::Array,
    base::{Cause, Result},
    exec::{Layout, Precision, ValueType},
    graph::{Graph, TensorKind},
    ops::Op,
};

/// Tensors and operators of a graph, quantization propagated.
pub(crate) struct Network {
    /// By the graph's numbers, none where a number is not in use.
    pub tensors: Vec<Option<Slot>>,
    /// In the graph's order.
    pub operators: Vec<Operation>,
    /// Places of the graph's inputs.
    pub inputs: Vec<usize>,
    /// The operator that computes each tensor.
    pub made_by: Vec<Option<usize>>,
}

/// A tensor.
#[derive(Clone)]
pub(crate) struct Slot {
    pub ty: ValueType,
    pub type_text: String,
    /// A coefficient's values, as the graph has them.
    pub constant: Option<Array>,
}

/// An operator: its operands and results by their places, none where a result is absent.
#[derive(Clone)]
pub(crate) struct Operation {
    pub op: Op<usize>,
    pub results: Vec<Option<usize>>,
    /// Its place among the graph's operators.
    pub index: usize,
}

impl Operation {
    /// The results that are there.
    pub fn outputs(&self) -> impl Iterator<Item = usize> {
        self.results.iter().flatten().copied()
    }
}

impl Network {
    /// # Errors
    /// Propagated quantizations contradict each other.
    pub fn new(graph: &Graph, precision: Precision) -> Result<Network> {
        let quantization = graph.propagated_quantization()?;
        let mut tensors = Vec::new();
        tensors.resize_with(graph.slots().len(), || None);
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
            tensors[t.index()] = Some(Slot { ty, type_text: info.type_text(), constant });
        }
        let mut made_by = vec![None; tensors.len()];
        let mut operators = Vec::new();
        for (index, operator) in graph.operators().iter().enumerate() {
            let results = operator.results.iter().map(|t| t.map(|t| t.index())).collect();
            let operation = Operation { op: operator.op.map(|t| t.index()), results, index };
            operation.outputs().for_each(|t| made_by[t] = Some(index));
            operators.push(operation);
        }
        let inputs = graph.inputs().iter().map(|t| t.index()).collect();
        Ok(Network { tensors, operators, inputs, made_by })
    }
    /// # Errors
    /// There is no such tensor.
    pub fn slot(&self, tensor: usize) -> Result<&Slot> {
        let slot = self.tensors.get(tensor).and_then(Option::as_ref);
        slot.ok_or_else(|| Cause::ForeignTensor(tensor as u32).into())
    }
}
