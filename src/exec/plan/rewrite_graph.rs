//! The graph of a plan under construction, which the rules rewrite.
use super::network::{self, Network, Operation, TensorEntry, TensorIndex};
use crate::{
    Operand, Signature, ValueType,
    array::Array,
    base::{Dtype, Result, shape_text},
    compare::real_numbers,
    quant::Quantization,
};
use std::collections::{HashMap, HashSet};

/// The index of a node in a [`RewriteGraph`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeIndex(pub usize);

/// Operators that one kernel computes, each on the single result of the previous one.
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
    /// The last operator, whose results are those of the node.
    pub fn last(&self) -> Option<&Operation> {
        self.stages.last()
    }
    pub fn outputs(&self) -> impl Iterator<Item = TensorIndex> {
        self.last().into_iter().flat_map(Operation::outputs)
    }
    /// Whether the node is control flow. It then has a single stage.
    pub fn has_blocks(&self) -> bool {
        self.stages.iter().any(|stage| !stage.blocks.is_empty())
    }
    /// The operands of all stages, without the results of preceding stages; then the tensors that blocks capture.
    pub fn operands(&self) -> Vec<TensorIndex> {
        let mut all = Vec::new();
        let mut before = None;
        for stage in &self.stages {
            all.extend(stage.operands().filter(|t| Some(*t) != before));
            before = stage.outputs().next();
        }
        all
    }
}

/// The nodes that read each tensor.
pub(crate) type Consumers = HashMap<TensorIndex, Vec<NodeIndex>>;

/// A mutable graph of nodes and tensors with producers and use counts.
pub(crate) struct RewriteGraph {
    tensors: Vec<Option<TensorEntry>>,
    /// The nodes in execution order; `None` if a node was absorbed.
    nodes: Vec<Option<Node>>,
    made_by: Vec<Option<NodeIndex>>,
    /// Use count of each tensor.
    uses: Vec<usize>,
    /// Tensors that are fed or kept, and so cannot be fused away.
    pinned: HashSet<TensorIndex>,
    /// Tensors that are fed. A node may compute one of them beside other results; then the computed values are not used.
    fed: HashSet<TensorIndex>,
    /// Nodes to be inserted before others ([`RewriteGraph::insert_added`]).
    added: HashMap<NodeIndex, Vec<Node>>,
}

impl RewriteGraph {
    /// Creates the graph of the network's operators `needed`. Tensors that are `kept` are not fused away.
    pub fn new(network: &Network, needed: &[usize], fed: &[TensorIndex], kept: &[TensorIndex]) -> RewriteGraph {
        let mut tensors = network.tensors.clone();
        for &t in fed {
            tensors[t.0].as_mut().into_iter().for_each(|entry| entry.constant = None);
        }
        let nodes = needed.iter().map(|&i| Node { stages: vec![network.operators[i].clone()] });
        let pinned = fed.iter().chain(kept).copied().collect();
        let (made_by, uses) = (vec![None; tensors.len()], vec![0; tensors.len()]);
        let (fed, added) = (fed.iter().copied().collect(), HashMap::new());
        let mut graph = RewriteGraph { tensors, nodes: Vec::new(), made_by, uses, pinned, fed, added };
        graph.rebuild(nodes.collect());
        graph
    }
    /// The indices of all nodes, including absorbed ones.
    pub fn indices(&self) -> impl DoubleEndedIterator<Item = NodeIndex> + use<> {
        (0..self.nodes.len()).map(NodeIndex)
    }
    pub fn node(&self, at: NodeIndex) -> Option<&Node> {
        self.nodes.get(at.0)?.as_ref()
    }
    pub fn consumers(&self) -> Consumers {
        let mut all = Consumers::new();
        for at in self.indices() {
            for t in self.node(at).into_iter().flat_map(Node::operands) {
                all.entry(t).or_default().push(at);
            }
        }
        all
    }
    /// Returns the operation of a node that has a single one.
    pub fn only_operation(&self, at: NodeIndex) -> Option<&Operation> {
        match self.node(at)?.stages.as_slice() {
            [one] => Some(one),
            _ => None,
        }
    }
    pub fn into_nodes(self) -> (Vec<Option<TensorEntry>>, Vec<Node>) {
        (self.tensors, self.nodes.into_iter().flatten().collect())
    }
    /// # Errors
    /// Returns an error if there is no such tensor.
    pub fn entry(&self, tensor: TensorIndex) -> Result<&TensorEntry> {
        network::entry(&self.tensors, tensor)
    }
    /// The values of a constant.
    pub fn constant(&self, tensor: TensorIndex) -> Option<&Array> {
        self.entry(tensor).ok()?.constant.as_ref()
    }
    /// The values of a constant as real numbers. Returns `None` if the tensor is not constant.
    ///
    /// # Errors
    /// Returns an error if the values cannot be read.
    pub fn numbers(&self, tensor: TensorIndex) -> Result<Option<Vec<f64>>> {
        let Some(array) = self.constant(tensor) else { return Ok(None) };
        match &self.entry(tensor)?.ty.quantization {
            Some(quantization) => real_numbers(array, quantization)?.to_f64().map(Some),
            None => for_compute(array)?.to_f64().map(Some),
        }
    }
    /// Returns the producer of `tensor`, unless it is fed or a constant.
    pub fn producer(&self, tensor: TensorIndex) -> Option<NodeIndex> {
        self.made_by[tensor.0]
    }
    /// Returns the producer of `tensor` if it has exactly one use.
    pub fn single_use_producer(&self, tensor: TensorIndex) -> Option<NodeIndex> {
        let alone = self.uses[tensor.0] == 1 && !self.pinned.contains(&tensor);
        self.made_by[tensor.0].filter(|_| alone)
    }

    /// Returns how many times operators use the tensor.
    pub fn uses(&self, tensor: TensorIndex) -> usize {
        self.uses[tensor.0]
    }

    /// Builds the [`Signature`] of a node, with the constants in the dtypes of the graph.
    ///
    /// # Errors
    /// Returns an error if there is no such tensor.
    pub fn types(&self, node: &Node) -> Result<Signature> {
        signature(node, |t| self.entry(t), |t| Ok(self.constant(t).cloned()))
    }
    /// Appends the stages of node `at` to node `before`; the fused node takes position `at`.
    pub fn absorb(&mut self, before: NodeIndex, at: NodeIndex) {
        let (Some(mut node), Some(next)) = (self.nodes[before.0].take(), self.nodes[at.0].take()) else {
            return;
        };
        node.outputs().for_each(|t| (self.uses[t.0], self.made_by[t.0]) = (0, None));
        node.stages.extend(next.stages);
        self.set_maker(&node, at);
        self.nodes[at.0] = Some(node);
    }
    /// Replaces the node at `at`.
    pub fn replace(&mut self, at: NodeIndex, node: Node) {
        self.remove(at);
        node.operands().into_iter().for_each(|t| self.uses[t.0] += 1);
        self.set_maker(&node, at);
        self.nodes[at.0] = Some(node);
    }
    /// Removes a node whose results are no longer needed, or are computed by another node.
    pub fn remove(&mut self, at: NodeIndex) {
        if let Some(old) = self.nodes[at.0].take() {
            old.operands().into_iter().for_each(|t| self.uses[t.0] -= 1);
            old.outputs().for_each(|t| self.made_by[t.0] = None);
        }
    }
    /// Frees the constants that no node reads any more.
    pub fn drop_unused_constants(&mut self, among: impl IntoIterator<Item = TensorIndex>) {
        for t in among.into_iter().filter(|t| self.uses[t.0] == 0 && !self.pinned.contains(t)) {
            self.tensors[t.0].as_mut().into_iter().for_each(|entry| entry.constant = None);
        }
    }
    /// Replaces a node by its results as constants.
    pub fn replace_with_constants(&mut self, at: NodeIndex, values: Vec<Array>) {
        let outputs: Vec<TensorIndex> = self.node(at).into_iter().flat_map(Node::outputs).collect();
        self.remove(at);
        for (t, value) in outputs.into_iter().zip(values).filter(|(t, _)| !self.fed.contains(t)) {
            self.tensors[t.0].as_mut().into_iter().for_each(|entry| entry.constant = Some(value.clone()));
        }
    }
    /// Adds a constant with the name and layout of another tensor.
    pub fn add_constant(&mut self, like: &ValueType, array: Array) -> TensorIndex {
        let ty = ValueType { shape: array.shape().to_vec(), dtype: Dtype::Float32, ..like.clone() };
        self.add(ty, Some(array))
    }
    /// Adds a tensor.
    pub fn add(&mut self, ty: ValueType, constant: Option<Array>) -> TensorIndex {
        let type_text = format!("{} {}", shape_text(&ty.plain_shape()), ty.dtype);
        self.tensors.push(Some(TensorEntry { ty, type_text, constant }));
        self.made_by.push(None);
        self.uses.push(0);
        TensorIndex(self.tensors.len() - 1)
    }
    /// Gives a tensor of integers its scale and zero point.
    pub fn quantize(&mut self, tensor: TensorIndex, by: &Quantization) {
        self.tensors[tensor.0].as_mut().into_iter().for_each(|entry| entry.ty.quantization = Some(by.clone()));
    }
    /// Whether no node produces the tensor: it is fed, or a constant.
    pub fn is_input_or_constant(&self, tensor: TensorIndex) -> bool {
        self.made_by[tensor.0].is_none()
    }
    /// Whether a tensor is fed or kept.
    pub fn is_pinned(&self, tensor: TensorIndex) -> bool {
        self.pinned.contains(&tensor)
    }
    /// Tensors that are fed or kept, by index.
    pub fn pinned(&self) -> Vec<TensorIndex> {
        let mut pinned: Vec<TensorIndex> = self.pinned.iter().copied().collect();
        pinned.sort_unstable();
        pinned
    }
    /// Adds nodes that [`RewriteGraph::insert_added`] inserts before `at`. What they read counts as used from now on.
    pub fn add_before(&mut self, at: NodeIndex, nodes: Vec<Node>) {
        nodes.iter().flat_map(Node::operands).for_each(|t| self.uses[t.0] += 1);
        self.added.insert(at, nodes);
    }
    /// Inserts the nodes of [`RewriteGraph::add_before`].
    pub fn insert_added(&mut self) {
        let mut added = std::mem::take(&mut self.added);
        if added.is_empty() {
            return;
        }
        let mut nodes = Vec::new();
        for at in self.indices() {
            nodes.extend(added.remove(&at).into_iter().flatten());
            nodes.extend(self.nodes[at.0].take());
        }
        self.rebuild(nodes);
    }
    /// Replaces all nodes; `nodes` is in execution order.
    pub fn rebuild(&mut self, nodes: Vec<Node>) {
        self.uses.fill(0);
        self.made_by.fill(None);
        for (at, node) in nodes.iter().enumerate().map(|(i, node)| (NodeIndex(i), node)) {
            node.operands().into_iter().for_each(|t| self.uses[t.0] += 1);
            self.set_maker(node, at);
        }
        self.nodes = nodes.into_iter().map(Some).collect();
    }
    /// Makes the node at `at` the producer of its results.
    fn set_maker(&mut self, node: &Node, at: NodeIndex) {
        node.outputs().filter(|t| !self.fed.contains(t)).for_each(|t| self.made_by[t.0] = Some(at));
    }
    /// Whether a result of the node is fed.
    pub fn makes_fed(&self, node: &Node) -> bool {
        node.outputs().any(|t| self.fed.contains(&t))
    }
}

/// Builds the [`Signature`] of a node. Operands that are the same tensor have the index of the first of them, so that backends recognize
/// `x * f(x)`. Constants do not, as a kernel may keep each of them in a form of its own.
pub(crate) fn signature<'a>(
    node: &Node,
    entry: impl Fn(TensorIndex) -> Result<&'a TensorEntry>,
    mut constant: impl FnMut(TensorIndex) -> Result<Option<Array>>,
) -> Result<Signature> {
    let (mut ops, mut place, mut before) = (Vec::new(), 0, None);
    let mut places: HashMap<TensorIndex, usize> = HashMap::new();
    for stage in &node.stages {
        let op = stage.op.try_map(&mut |t: &TensorIndex| -> Result<Operand> {
            let ty = entry(*t)?.ty.clone();
            if Some(*t) == before {
                return Ok(Operand::fused_input(ty));
            }
            let (constant, own) = (constant(*t)?, place);
            place += 1;
            let first = *places.entry(*t).or_insert(own);
            let index = if constant.is_some() { own } else { first };
            Ok(Operand::new(ty, constant, index))
        })?;
        ops.push(op);
        before = stage.outputs().next();
    }
    let fused_ops = ops.split_off(1);
    let ty = |t: &Option<TensorIndex>| t.map(|t| entry(t).map(|s| s.ty.clone())).transpose();
    let results = node.last().map_or(&[][..], |last| &last.results).iter().map(ty).collect::<Result<_>>()?;
    let op = ops.pop().ok_or_else(|| crate::base::invalid("a step without an operator"))?;
    Ok(Signature { op, fused_ops, results })
}

/// Converts floats to float32, and loads values that are stored in a file.
pub(crate) fn for_compute(array: &Array) -> Result<Array> {
    let array = array.in_memory()?;
    if array.dtype().is_float() { array.to_dtype(Dtype::Float32) } else { Ok(array) }
}
