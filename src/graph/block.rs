use super::{MadeBy, RecordedCall, Tensor};
use crate::ops::Op;
use std::collections::HashSet;

/// One operation of the graph: an op of the Top dialect with its operands, and what it computes.
#[derive(Debug, Clone)]
pub struct Operator {
    /// The op with its operands and attributes.
    pub op: Op<Tensor>,
    /// Results in the definition's order; `None` where one is absent.
    pub results: Vec<Option<Tensor>>,
    /// The blocks that it owns (the branches of an If, the body of a Loop), in the definition's order.
    pub blocks: Vec<Block>,
}

impl Operator {
    /// The results that are there.
    pub fn outputs(&self) -> impl Iterator<Item = Tensor> + '_ {
        self.results.iter().flatten().copied()
    }
    /// Every tensor that it or an operator in its blocks uses.
    pub(crate) fn uses(&self) -> Vec<Tensor> {
        let mut all: Vec<Tensor> = self.op.operands().map(|(_, t)| *t).collect();
        for block in &self.blocks {
            all.extend(&block.results);
            block.walk(&mut |o| all.extend(o.op.operands().map(|(_, t)| *t)));
        }
        all
    }
}

/// A sequence of operators: the body of the graph, or of an operator. Operators within see the tensors of the blocks
/// around them.
#[derive(Debug, Clone, Default)]
pub struct Block {
    #[doc(hidden)]
    pub arguments: Vec<Tensor>,
    #[doc(hidden)]
    pub operators: Vec<Operator>,
    #[doc(hidden)]
    pub calls: Vec<RecordedCall>,
    #[doc(hidden)]
    pub results: Vec<Tensor>,
}

impl Block {
    /// What it is given: the graph's inputs, or what the operator that owns it passes.
    pub fn arguments(&self) -> &[Tensor] {
        &self.arguments
    }
    /// Its operators in order, without those in the blocks that they own.
    pub fn operators(&self) -> &[Operator] {
        &self.operators
    }
    /// What it gives: the graph's outputs, or what the operator that owns it makes of them.
    pub fn results(&self) -> &[Tensor] {
        &self.results
    }
    /// For each operator the index of the call that added it, of which a function may have added several.
    pub fn call_indices(&self) -> impl Iterator<Item = usize> {
        self.calls.iter().enumerate().flat_map(|(i, call)| std::iter::repeat_n(i, call.operators))
    }
    /// Every operator in the order of computation, each before those in its blocks: the one way through a graph.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Operator)) {
        for operator in &self.operators {
            visit(operator);
            operator.blocks.iter().for_each(|b| b.walk(visit));
        }
    }
    /// Tensors that calls of ops by themselves name, while those of functions may make their coefficients again.
    pub(crate) fn named_by_ops(&self, named: &mut HashSet<Tensor>) {
        let mut operators = self.operators.iter();
        for call in &self.calls {
            for operator in operators.by_ref().take(call.operators) {
                if matches!(call.made_by, MadeBy::Op) {
                    named.extend(operator.op.operands().map(|(_, t)| *t));
                }
                operator.blocks.iter().for_each(|b| b.named_by_ops(named));
            }
        }
    }
    /// As [`Block::walk`], over the blocks: each before those of its operators.
    pub(super) fn walk_blocks_mut(&mut self, visit: &mut dyn FnMut(&mut Block)) {
        visit(self);
        for operator in &mut self.operators {
            operator.blocks.iter_mut().for_each(|b| b.walk_blocks_mut(visit));
        }
    }
    /// The calls that made an operator in one of these places become calls of each of their ops.
    pub(super) fn dissolve(&mut self, is_among: impl Fn(usize) -> bool) {
        let mut first = 0;
        for call in std::mem::take(&mut self.calls) {
            let made = first..first + call.operators;
            first = made.end;
            if made.clone().any(&is_among) {
                self.calls.extend(self.operators[made].iter().map(RecordedCall::of_operator));
            } else {
                self.calls.push(call);
            }
        }
    }
}
