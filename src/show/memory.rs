//! The memory of a network's values over time.
use crate::{
    graph::{Graph, Tensor, TensorKind},
    network::Node,
};

/// The bytes of values that are live while each operator runs: its results, and every input and result that it or a
/// later operator reads, or that is an output of the network. Coefficients are counted apart. What the blocks of an operator
/// read is live until that operator ends, and the values of all its branches are counted.
///
/// This is what the graph itself needs in its order of execution. A session may need less, since it fuses operators and
/// lets results overwrite operands, or more for workspace.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Memory {
    /// For each node.
    pub live: Vec<u64>,
    /// Bytes of all coefficients.
    pub coefficients: u64,
}

impl Memory {
    pub fn of(graph: &Graph, nodes: &[Node]) -> Memory {
        let size = |t: &crate::graph::TensorInfo| (t.elements() as u64).saturating_mul(t.dtype.size() as u64);
        let tensors = graph.tensor_table();
        let mut spans: Vec<Option<(usize, usize)>> = vec![None; tensors.len()];
        let mut extend = |tensor: Tensor, first: usize, last: usize| {
            if let Some(span) = spans.get_mut(tensor.index()) {
                let (a, b) = span.unwrap_or((first, last));
                *span = Some((a.min(first), b.max(last)));
            }
        };
        graph.inputs().iter().for_each(|t| extend(*t, 0, 0));
        for (i, node) in nodes.iter().enumerate() {
            // A value that a block uses is live until its last run, at the end of its owner.
            node.operator.uses().into_iter().for_each(|t| extend(t, i, i));
            node.operator.blocks.iter().flat_map(|b| &b.arguments).for_each(|t| extend(*t, node.first, i));
            node.operator.outputs().for_each(|t| extend(t, i, i));
        }
        let end = nodes.len().saturating_sub(1);
        graph.outputs().iter().for_each(|t| extend(*t, end, end));
        // What is added at a node, and subtracted after one.
        let mut changes = vec![(0u64, 0u64); nodes.len() + 1];
        let mut coefficients = 0u64;
        for (span, info) in spans.iter().zip(tensors) {
            let Some(info) = info else { continue };
            match (&info.kind, span) {
                (TensorKind::Coefficient(_), _) => coefficients = coefficients.saturating_add(size(info)),
                (_, Some((first, last))) if *last < nodes.len() => {
                    changes[*first].0 = changes[*first].0.saturating_add(size(info));
                    changes[last + 1].1 = changes[last + 1].1.saturating_add(size(info));
                }
                _ => {}
            }
        }
        let mut now = 0u64;
        let live = changes.iter().take(nodes.len()).map(|(added, freed)| {
            now = now.saturating_sub(*freed).saturating_add(*added);
            now
        });
        Memory { live: live.collect(), coefficients }
    }
    /// Returns the index of the node with the most live bytes, the first of several, and their number.
    pub fn peak(&self) -> Option<(usize, u64)> {
        let all = self.live.iter().copied().enumerate();
        all.max_by_key(|(i, bytes)| (*bytes, std::cmp::Reverse(*i)))
    }
}
