//! A plan in the making, which rules rewrite.
use super::network::{Network, Operation, Slot};
use crate::{
    array::Array,
    base::{Cause, Dtype, Result, shape_text},
    exec::{Operand, Signature, ValueType},
};
use std::collections::HashSet;

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
    pub fn outputs(&self) -> impl Iterator<Item = usize> {
        self.last().into_iter().flat_map(Operation::outputs)
    }
    /// What it reads, each operand of each stage, without what the stages give one another.
    pub fn operands(&self) -> Vec<usize> {
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
pub(crate) struct Draft {
    tensors: Vec<Option<Slot>>,
    /// In order of computation; none where a node was absorbed.
    nodes: Vec<Option<Node>>,
    made_by: Vec<Option<usize>>,
    /// How many operands of nodes are it.
    uses: Vec<usize>,
    /// What is fed, or shall be there at the end.
    kept: HashSet<usize>,
}

impl Draft {
    /// Of the network's operators `needed`.
    pub fn new(network: &Network, needed: &[usize], fed: &[usize], wanted: &[usize]) -> Draft {
        let mut tensors = network.tensors.clone();
        for &t in fed {
            tensors[t].as_mut().into_iter().for_each(|slot| slot.constant = None);
        }
        let nodes = needed.iter().map(|&i| Node { stages: vec![network.operators[i].clone()] });
        let kept = fed.iter().chain(wanted).copied().collect();
        let (made_by, uses) = (vec![None; tensors.len()], vec![0; tensors.len()]);
        let mut draft = Draft { tensors, nodes: Vec::new(), made_by, uses, kept };
        draft.rebuild(nodes.collect());
        draft
    }
    /// Places of nodes, also of those that were absorbed.
    pub fn places(&self) -> usize {
        self.nodes.len()
    }
    pub fn node(&self, at: usize) -> Option<&Node> {
        self.nodes.get(at)?.as_ref()
    }
    pub fn into_nodes(self) -> (Vec<Option<Slot>>, Vec<Node>) {
        (self.tensors, self.nodes.into_iter().flatten().collect())
    }
    /// # Errors
    /// There is no such tensor.
    pub fn slot(&self, tensor: usize) -> Result<&Slot> {
        let slot = self.tensors.get(tensor).and_then(Option::as_ref);
        slot.ok_or_else(|| Cause::ForeignTensor(tensor as u32).into())
    }
    /// Its values, where they are known beforehand.
    pub fn constant(&self, tensor: usize) -> Option<&Array> {
        self.slot(tensor).ok()?.constant.as_ref()
    }
    /// The node that makes a tensor of which one operand alone is made.
    pub fn only_for_one(&self, tensor: usize) -> Option<usize> {
        let alone = self.uses[tensor] == 1 && !self.kept.contains(&tensor);
        self.made_by[tensor].filter(|_| alone)
    }

    /// The node's operators as a backend is asked for them, constants as the graph has them.
    ///
    /// # Errors
    /// There is no such tensor.
    pub fn types(&self, node: &Node) -> Result<Signature> {
        signature(node, |t| self.slot(t), |t| Ok(self.constant(t).cloned()))
    }
    /// The node before does what the node at `at` does, behind what it does already; it is computed where that was.
    pub fn absorb(&mut self, before: usize, at: usize) {
        let (Some(mut node), Some(next)) = (self.nodes[before].take(), self.nodes[at].take()) else {
            return;
        };
        node.outputs().for_each(|t| (self.uses[t], self.made_by[t]) = (0, None));
        node.stages.extend(next.stages);
        node.outputs().for_each(|t| self.made_by[t] = Some(at));
        self.nodes[at] = Some(node);
    }
    /// Another node in its place.
    pub fn replace(&mut self, at: usize, node: Node) {
        self.remove(at);
        node.operands().into_iter().for_each(|t| self.uses[t] += 1);
        node.outputs().for_each(|t| self.made_by[t] = Some(at));
        self.nodes[at] = Some(node);
    }
    /// Another node does what it did, or nothing needs it.
    pub fn remove(&mut self, at: usize) {
        if let Some(old) = self.nodes[at].take() {
            old.operands().into_iter().for_each(|t| self.uses[t] -= 1);
            old.outputs().for_each(|t| self.made_by[t] = None);
        }
    }
    /// Its results are known: nothing computes them any more.
    pub fn known(&mut self, at: usize, values: Vec<Array>) {
        let outputs: Vec<usize> = self.node(at).into_iter().flat_map(Node::outputs).collect();
        self.remove(at);
        for (t, value) in outputs.into_iter().zip(values) {
            self.tensors[t].as_mut().into_iter().for_each(|slot| slot.constant = Some(value.clone()));
        }
    }
    /// A further constant, called like another tensor.
    pub fn add_constant(&mut self, like: &ValueType, array: Array) -> usize {
        let ty = ValueType { shape: array.shape().to_vec(), dtype: Dtype::Float32, ..like.clone() };
        self.add(ty, Some(array))
    }
    /// A further tensor.
    pub fn add(&mut self, ty: ValueType, constant: Option<Array>) -> usize {
        let type_text = format!("{} {}", shape_text(&ty.plain_shape()), ty.dtype);
        self.tensors.push(Some(Slot { ty, type_text, constant }));
        self.made_by.push(None);
        self.uses.push(0);
        self.tensors.len() - 1
    }
    /// No node makes it: it is fed, or a constant.
    pub fn is_there_before(&self, tensor: usize) -> bool {
        self.made_by[tensor].is_none()
    }
    /// What is fed, or shall be there at the end.
    pub fn kept(&self) -> impl Iterator<Item = usize> {
        self.kept.iter().copied()
    }
    /// All nodes are others, in order of computation.
    pub fn rebuild(&mut self, nodes: Vec<Node>) {
        self.uses.fill(0);
        self.made_by.fill(None);
        for (at, node) in nodes.iter().enumerate() {
            node.operands().into_iter().for_each(|t| self.uses[t] += 1);
            node.outputs().for_each(|t| self.made_by[t] = Some(at));
        }
        self.nodes = nodes.into_iter().map(Some).collect();
    }
}

/// A node's operators as a backend is asked for them.
pub(super) fn signature<'a>(
    node: &Node,
    slot: impl Fn(usize) -> Result<&'a Slot>,
    mut constant: impl FnMut(usize) -> Result<Option<Array>>,
) -> Result<Signature> {
    let (mut ops, mut place, mut before) = (Vec::new(), 0, None);
    for stage in &node.stages {
        let op = stage.op.try_map(&mut |t: &usize| -> Result<Operand> {
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
    let ty = |t: &Option<usize>| t.map(|t| slot(t).map(|s| s.ty.clone())).transpose();
    let results = node.last().map_or(&[][..], |last| &last.results).iter().map(ty).collect::<Result<_>>()?;
    let op = ops.pop().ok_or_else(|| crate::base::invalid("a step without an operator"))?;
    Ok(Signature { op, then, results })
}

/// Floats as float32; what lies in a file is read here, so that kernels find it in memory.
pub(crate) fn for_compute(array: &Array) -> Result<Array> {
    let array = array.in_memory()?;
    if array.dtype().is_float() { array.to_dtype(Dtype::Float32) } else { Ok(array) }
}
