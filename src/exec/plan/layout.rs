//! Which tensors lie in blocks of channels: a convolution's, where the backend has one for them, and those of what follows
//! and need not convert them.
use super::{
    network::{Operation, TensorIndex},
    rewrite_graph::{Node, RewriteGraph},
};
use crate::{
    base::Result,
    exec::Backend,
    ops::{Op, Reshape},
};
use std::collections::{HashMap, HashSet};

/// The nodes anew, some on tensors in blocks, with conversions where layouts meet; how many are so.
///
/// # Errors
/// There is no such tensor.
pub(super) fn assign<B: Backend>(graph: &mut RewriteGraph, backend: &B) -> Result<usize> {
    let mut layouts = Layouts::default();
    let mut times = 0;
    for at in graph.indices() {
        let Some(node) = graph.node(at).cloned() else { continue };
        match layouts.proposed(graph, &node, backend)? {
            Some(blocked) => {
                times += 1;
                layouts.push(blocked);
            }
            None => layouts.push(node),
        }
    }
    if let Some(last) = layouts.nodes.last().and_then(Node::last).map(|o| o.index) {
        graph.pinned().into_iter().for_each(|t| layouts.ensure(t, last));
    }
    graph.rebuild(layouts.nodes);
    Ok(times)
}

#[derive(Default)]
struct Layouts {
    /// The same tensor in the other layout, for each of both.
    other: HashMap<TensorIndex, TensorIndex>,
    /// Of these, those that are there by now. A tensor that has no other is always there.
    made: HashSet<TensorIndex>,
    /// All so far, in order of computation.
    nodes: Vec<Node>,
}

impl Layouts {
    /// The node on tensors in blocks, if the backend takes it. A convolution is worth a conversion of what it reads; of a
    /// few channels it may read a plain image.
    fn proposed<B: Backend>(&mut self, graph: &mut RewriteGraph, node: &Node, backend: &B) -> Result<Option<Node>> {
        let is_anchor = matches!(node.stages.first(), Some(Operation { op: Op::Conv(_), .. }));
        let operands: Vec<TensorIndex> = node.operands().into_iter().filter(|t| graph.constant(*t).is_none()).collect();
        let is_blocked = |t: &TensorIndex| self.other.get(t).is_some_and(|other| self.made.contains(other));
        if !is_anchor && (operands.is_empty() || !operands.iter().all(is_blocked)) {
            return Ok(None);
        }
        let plain = operands.first().filter(|t| !is_blocked(t)).copied();
        for plain in plain.map(Some).into_iter().chain([None]) {
            let in_blocks = operands.iter().copied().filter(|t| Some(*t) != plain);
            let in_blocks: Vec<TensorIndex> =
                in_blocks.chain(node.stages.iter().flat_map(Operation::outputs)).collect();
            if let Some(blocked) = self.on_blocks(graph, node, &in_blocks)?
                && backend.takes(&graph.types(&blocked)?)
            {
                return Ok(Some(blocked));
            }
        }
        Ok(None)
    }

    /// The node with these tensors in blocks.
    fn on_blocks(&mut self, graph: &mut RewriteGraph, node: &Node, tensors: &[TensorIndex]) -> Result<Option<Node>> {
        for t in tensors {
            if !self.other.contains_key(t) {
                let Some(ty) = graph.slot(*t)?.ty.blocked() else { return Ok(None) };
                let other = graph.add(ty, None);
                self.other.extend([(*t, other), (other, *t)]);
                if graph.is_input_or_constant(*t) {
                    self.made.insert(*t);
                }
            }
        }
        let twin = |t: &TensorIndex| if tensors.contains(t) { self.other[t] } else { *t };
        let stages = node.stages.iter().map(|s| Operation {
            op: s.op.map(twin),
            results: s.results.iter().map(|t| t.as_ref().map(twin)).collect(),
            index: s.index,
        });
        Ok(Some(Node { stages: stages.collect() }))
    }

    fn push(&mut self, node: Node) {
        let index = node.last().map_or(0, |o| o.index);
        node.operands().into_iter().for_each(|t| self.ensure(t, index));
        self.made.extend(node.outputs());
        self.nodes.push(node);
    }

    /// Converts what is there in the other layout alone, for the operator of that index.
    fn ensure(&mut self, tensor: TensorIndex, index: usize) {
        let Some(&other) = self.other.get(&tensor) else { return };
        if self.made.insert(tensor) && self.made.contains(&other) {
            let op = Op::from(Reshape::new(other));
            self.nodes.push(Node { stages: vec![Operation { op, results: vec![Some(tensor)], index }] });
        }
    }
}
