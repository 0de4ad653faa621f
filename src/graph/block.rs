use super::{MadeBy, RecordedCall, Tensor};
use crate::ops::Op;
use std::{borrow::Cow, collections::HashSet};

/// Maximum depth of nested blocks. An `If` in a branch of an `If` has depth 2.
pub const MAX_NESTED_BLOCKS: usize = 32;

/// A node of the graph: an op of the Top dialect with its operands, attributes and results.
#[derive(Debug, Clone)]
pub struct Operator {
    /// The op with its operands and attributes.
    pub op: Op<Tensor>,
    /// Results in the definition's order; `None` for absent ones.
    pub results: Vec<Option<Tensor>>,
    /// The blocks that it owns (the branches of an If, the body of a Loop), in the definition's order.
    pub blocks: Vec<Block>,
    /// Whether it was edited after its call, which then no longer describes it.
    pub(super) is_edited: bool,
}

impl Operator {
    /// Returns the results that are present.
    pub fn outputs(&self) -> impl Iterator<Item = Tensor> + '_ {
        self.results.iter().flatten().copied()
    }
    /// Returns whether the operator, or one in its blocks, uses one of `tensors`.
    pub(super) fn uses_any(&self, tensors: &HashSet<Tensor>) -> bool {
        let in_block = |b: &Block| {
            b.results.iter().any(|t| tensors.contains(t)) || b.operators.iter().any(|o| o.uses_any(tensors))
        };
        self.op.operands().any(|(_, t)| tensors.contains(t)) || self.blocks.iter().any(in_block)
    }
    /// Returns every tensor that the operator, or one in its blocks, uses.
    #[doc(hidden)]
    pub fn uses(&self) -> Vec<Tensor> {
        let mut all: Vec<Tensor> = self.op.operands().map(|(_, t)| *t).collect();
        for block in &self.blocks {
            all.extend(&block.results);
            block.walk(&mut |o| {
                all.extend(o.op.operands().map(|(_, t)| *t));
                o.blocks.iter().for_each(|inner| all.extend(&inner.results));
            });
        }
        all
    }
}

/// A sequence of operators: the body of the graph, or a block of an operator. Its operators may use the tensors of
/// the enclosing blocks.
#[derive(Debug, Clone, Default)]
pub struct Block {
    #[doc(hidden)]
    pub arguments: Vec<Tensor>,
    #[doc(hidden)]
    pub operators: Vec<Operator>,
    pub(super) calls: Vec<RecordedCall>,
    #[doc(hidden)]
    pub results: Vec<Tensor>,
}

impl Block {
    /// Returns the arguments: the graph's inputs, or the values that the owning operator passes.
    pub fn arguments(&self) -> &[Tensor] {
        &self.arguments
    }
    /// Returns the operators in order, without those in the blocks that they own.
    pub fn operators(&self) -> &[Operator] {
        &self.operators
    }
    /// Returns the results: the graph's outputs, or the values yielded to the owning operator.
    pub fn results(&self) -> &[Tensor] {
        &self.results
    }
    /// Returns, for each operator, the index of the call that added it. A function may add several operators.
    pub fn call_indices(&self) -> impl Iterator<Item = usize> {
        self.calls.iter().enumerate().flat_map(|(i, call)| std::iter::repeat_n(i, call.operators))
    }
    /// Visits every operator in execution order, each before those in its blocks.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Operator)) {
        for operator in &self.operators {
            visit(operator);
            operator.blocks.iter().for_each(|b| b.walk(visit));
        }
    }
    /// Returns the depth of the blocks nested in this one, including itself.
    pub(super) fn depth(&self) -> usize {
        1 + self.operators.iter().flat_map(|o| &o.blocks).map(Block::depth).max().unwrap_or(0)
    }
    /// Returns the recorded calls, each with the operators that it added. A call with an edited operator is replaced by one
    /// call per operator.
    #[doc(hidden)]
    pub fn calls(&self) -> impl Iterator<Item = (Cow<'_, RecordedCall>, &[Operator])> {
        let mut rest = self.operators.as_slice();
        self.calls.iter().flat_map(move |call| {
            let (added, later) = rest.split_at(call.operators.min(rest.len()));
            rest = later;
            if added.iter().any(|o| o.is_edited) {
                call.of_each(added).map(Cow::Owned).zip(added.chunks(1)).collect()
            } else {
                vec![(Cow::Borrowed(call), added)]
            }
        })
    }
    /// Adds the operands of op calls to `named`, but not those of functions, which create their coefficients when replayed.
    pub(crate) fn named_by_ops(&self, named: &mut HashSet<Tensor>) {
        for (call, operators) in self.calls() {
            for operator in operators {
                if matches!(call.made_by, MadeBy::Op) {
                    named.extend(operator.op.operands().map(|(_, t)| *t));
                }
                operator.blocks.iter().for_each(|b| b.named_by_ops(named));
            }
        }
    }
    /// Returns the index of the operator that computes `tensor`, itself or in its blocks.
    pub(super) fn position_of(&self, tensor: Tensor) -> Option<usize> {
        let computes = |o: &Operator| o.outputs().any(|t| t == tensor);
        // Handles are in the order of the block's operators.
        let at = self.operators.partition_point(|o| o.outputs().last().is_some_and(|last| last < tensor));
        if self.operators.get(at).is_some_and(computes) {
            return Some(at);
        }
        let contains = |o: &Operator| computes(o) || o.blocks.iter().any(|b| b.position_of(tensor).is_some());
        self.operators.iter().position(contains)
    }
    /// Returns the operator that computes `tensor`, in this block or a nested one.
    pub(super) fn producer_mut(&mut self, tensor: Tensor) -> Option<&mut Operator> {
        let at = self.position_of(tensor)?;
        let operator = &mut self.operators[at];
        if operator.outputs().any(|t| t == tensor) {
            return Some(operator);
        }
        operator.blocks.iter_mut().find_map(|b| b.producer_mut(tensor))
    }
    /// Adds the tensors that `live` ones depend on.
    pub(super) fn mark_live(&self, live: &mut HashSet<Tensor>) {
        for operator in self.operators.iter().rev() {
            if operator.outputs().any(|t| live.contains(&t)) {
                for block in &operator.blocks {
                    live.extend(&block.results);
                    block.mark_live(live);
                }
                live.extend(operator.op.operands().map(|(_, t)| *t));
            }
        }
    }
    /// Like [`Block::walk`], but visits blocks, each before those of its operators.
    pub(super) fn walk_blocks_mut(&mut self, visit: &mut dyn FnMut(&mut Block)) {
        visit(self);
        for operator in &mut self.operators {
            operator.blocks.iter_mut().for_each(|b| b.walk_blocks_mut(visit));
        }
    }
    /// Replaces the calls that added an operator at one of the given indices by one call per operator.
    pub(super) fn ungroup_calls(&mut self, is_among: impl Fn(usize) -> bool) {
        let mut first = 0;
        for call in std::mem::take(&mut self.calls) {
            let added = first..first + call.operators;
            first = added.end;
            if added.clone().any(&is_among) {
                self.calls.extend(call.of_each(&self.operators[added]));
            } else {
                self.calls.push(call);
            }
        }
    }
    /// Removes the dead operators, each of which must have its own call. Returns the tensors that they and their blocks defined.
    pub(super) fn remove(&mut self, dead: &[bool]) -> Vec<Tensor> {
        let mut first = 0;
        self.calls.retain(|c| {
            let at = first;
            first += c.operators;
            c.operators != 1 || !dead[at]
        });
        let mut removed: Vec<Tensor> = Vec::new();
        let mut flags = dead.iter();
        self.operators.retain(|operator| {
            let is_live = flags.next() != Some(&true);
            if !is_live {
                removed.extend(operator.outputs());
                for block in &operator.blocks {
                    removed.extend(&block.arguments);
                    block.walk(&mut |o| removed.extend(o.outputs()));
                }
            }
            is_live
        });
        removed
    }
}
