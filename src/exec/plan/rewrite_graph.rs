//! A plan in the making, which rules rewrite.
use super::network::{self, Network, Operation, Slot, TensorIndex};
use crate::{
    array::Array,
    base::{Dtype, Result, shape_text},
    exec::{Operand, Signature, ValueType},
};
use std::collections::HashSet;

/// The index of a node in a [`RewriteGraph`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeIndex(pub usize);

/// Operators that one kernel does, each on the one result of that before.
#[derive(Clone)]
pub(crate) struct Node {
    pub stages: Vec<Operation>,
}

impl Node {
    /// `Conv + Add + Relu`.
    pub fn text(&self) -> String {
        let names: Vec<_> = self.stages.iter().map(|s| s.op.name()).collect();
        names.join(" + ")
    }
    /// The last operator, whose results are the node's.
    pub fn last(&self) -> Option<&Operation> {
        self.stages.last()
    }
    pub fn outputs(&self) -> impl Iterator<Item = TensorIndex> {
        self.last().into_iter().flat_map(Operation::outputs)
    }
    /// What it reads, each operand of each stage, without what the stages give one another.
    pub fn operands(&self) -> Vec<TensorIndex> {
        let mut all = Vec::new();
        let mut before = None;
        for stage in &self.stages {
            all.extend(stage.op.operands().map(|(_, t)| *t).filter(|t| Some(*t) != before));
            before = stage.outputs().next();
        }
        all
    }
}

/// Tensors and nodes, and who makes and reads what.
pub(crate) struct RewriteGraph {
    tensors: Vec<Option<Slot>>,
    /// In order of computation; none where a node was absorbed.
    nodes: Vec<Option<Node>>,
    made_by: Vec<Option<NodeIndex>>,
    /// How many operands of nodes are it.
    uses: Vec<usize>,
    /// What is fed, or shall be there at the end.
    pinned: HashSet<TensorIndex>,
}

impl RewriteGraph {
    /// Of the network's operators `needed`.
    pub fn new(network: &Network, needed: &[usize], fed: &[TensorIndex], wanted: &[TensorIndex]) -> RewriteGraph {
        let mut tensors = network.tensors.clone();
        for &t in fed {
            tensors[t.0].as_mut().into_iter().for_each(|slot| slot.constant = None);
        }
        let nodes = needed.iter().map(|&i| Node { stages: vec![network.operators[i].clone()] });
        let pinned = fed.iter().chain(wanted).copied().collect();
        let (made_by, uses) = (vec![None; tensors.len()], vec![0; tensors.len()]);
        let mut graph = RewriteGraph { tensors, nodes: Vec::new(), made_by, uses, pinned };
        graph.rebuild(nodes.collect());
        graph
    }
    /// The indices of all nodes, also of those that were absorbed.
    pub fn indices(&self) -> impl Iterator<Item = NodeIndex> + use<> {
        (0..self.nodes.len()).map(NodeIndex)
    }
    pub fn node(&self, at: NodeIndex) -> Option<&Node> {
        self.nodes.get(at.0)?.as_ref()
    }
    pub fn into_nodes(self) -> (Vec<Option<Slot>>, Vec<Node>) {
        (self.tensors, self.nodes.into_iter().flatten().collect())
    }
    /// # Errors
    /// There is no such tensor.
    pub fn slot(&self, tensor: TensorIndex) -> Result<&Slot> {
        network::slot(&self.tensors, tensor)
    }
    /// Its values, where they are known beforehand.
    pub fn constant(&self, tensor: TensorIndex) -> Option<&Array> {
        self.slot(tensor).ok()?.constant.as_ref()
    }
    /// The node that makes a tensor of which one operand alone is made.
    pub fn single_use_producer(&self, tensor: TensorIndex) -> Option<NodeIndex> {
        let alone = self.uses[tensor.0] == 1 && !self.pinned.contains(&tensor);
        self.made_by[tensor.0].filter(|_| alone)
    }

    /// The node's operators as a backend is asked for them, constants as the graph has them.
    ///
    /// # Errors
    /// There is no such tensor.
    pub fn types(&self, node: &Node) -> Result<Signature> {
        signature(node, |t| self.slot(t), |t| Ok(self.constant(t).cloned()))
    }
    /// The node before does what the node at `at` does, behind what it does already; it is computed where that was.
    pub fn absorb(&mut self, before: NodeIndex, at: NodeIndex) {
        let (Some(mut node), Some(next)) = (self.nodes[before.0].take(), self.nodes[at.0].take()) else {
            return;
        };
        node.outputs().for_each(|t| (self.uses[t.0], self.made_by[t.0]) = (0, None));
        node.stages.extend(next.stages);
        node.outputs().for_each(|t| self.made_by[t.0] = Some(at));
        self.nodes[at.0] = Some(node);
    }
    /// Another node in its place.
    pub fn replace(&mut self, at: NodeIndex, node: Node) {
        self.remove(at);
        node.operands().into_iter().for_each(|t| self.uses[t.0] += 1);
        node.outputs().for_each(|t| self.made_by[t.0] = Some(at));
        self.nodes[at.0] = Some(node);
    }
    /// Another node does what it did, or nothing needs it.
    pub fn remove(&mut self, at: NodeIndex) {
        if let Some(old) = self.nodes[at.0].take() {
            old.operands().into_iter().for_each(|t| self.uses[t.0] -= 1);
            old.outputs().for_each(|t| self.made_by[t.0] = None);
        }
    }
    /// Its results are known: nothing computes them any more.
    pub fn replace_with_constants(&mut self, at: NodeIndex, values: Vec<Array>) {
        let outputs: Vec<TensorIndex> = self.node(at).into_iter().flat_map(Node::outputs).collect();
        self.remove(at);
        for (t, value) in outputs.into_iter().zip(values) {
            self.tensors[t.0].as_mut().into_iter().for_each(|slot| slot.constant = Some(value.clone()));
        }
    }
    /// A further constant, called like another tensor.
    pub fn add_constant(&mut self, like: &ValueType, array: Array) -> TensorIndex {
        let ty = ValueType { shape: array.shape().to_vec(), dtype: Dtype::Float32, ..like.clone() };
        self.add(ty, Some(array))
    }
    /// A further tensor.
    pub fn add(&mut self, ty: ValueType, constant: Option<Array>) -> TensorIndex {
        let type_text = format!("{} {}", shape_text(&ty.plain_shape()), ty.dtype);
        self.tensors.push(Some(Slot { ty, type_text, constant }));
        self.made_by.push(None);
        self.uses.push(0);
        TensorIndex(self.tensors.len() - 1)
    }
    /// No node makes it: it is fed, or a constant.
    pub fn is_input_or_constant(&self, tensor: TensorIndex) -> bool {
        self.made_by[tensor.0].is_none()
    }
    /// What is fed, or shall be there at the end.
    pub fn pinned(&self) -> Vec<TensorIndex> {
        let mut pinned: Vec<TensorIndex> = self.pinned.iter().copied().collect();
        pinned.sort_unstable();
        pinned
    }
    /// All nodes are others, in order of computation.
    pub fn rebuild(&mut self, nodes: Vec<Node>) {
        self.uses.fill(0);
        self.made_by.fill(None);
        for (at, node) in nodes.iter().enumerate().map(|(i, node)| (NodeIndex(i), node)) {
            node.operands().into_iter().for_each(|t| self.uses[t.0] += 1);
            node.outputs().for_each(|t| self.made_by[t.0] = Some(at));
        }
        self.nodes = nodes.into_iter().map(Some).collect();
    }
}

/// A node's operators as a backend is asked for them.
pub(super) fn signature<'a>(
    node: &Node,
    slot: impl Fn(TensorIndex) -> Result<&'a Slot>,
    mut constant: impl FnMut(TensorIndex) -> Result<Option<Array>>,
) -> Result<Signature> {
    let (mut ops, mut place, mut before) = (Vec::new(), 0, None);
    for stage in &node.stages {
        let op = stage.op.try_map(&mut |t: &TensorIndex| -> Result<Operand> {
            let ty = slot(*t)?.ty.clone();
            if Some(*t) == before {
                return Ok(Operand::computed_before(ty));
            }
            place += 1;
            Ok(Operand::new(ty, constant(*t)?, place - 1))
        })?;
        ops.push(op);
        before = stage.outputs().next();
    }
    let then = ops.split_off(1);
    let ty = |t: &Option<TensorIndex>| t.map(|t| slot(t).map(|s| s.ty.clone())).transpose();
    let results = node.last().map_or(&[][..], |last| &last.results).iter().map(ty).collect::<Result<_>>()?;
    let op = ops.pop().ok_or_else(|| crate::base::invalid("a step without an operator"))?;
    Ok(Signature { op, then, results })
}

/// Floats as float32; what lies in a file is read here, so that kernels find it in memory.
pub(crate) fn for_compute(array: &Array) -> Result<Array> {
    let array = array.in_memory()?;
    if array.dtype().is_float() { array.to_dtype(Dtype::Float32) } else { Ok(array) }
}
