//! Decides which steps keep their weights between runs if memory does not suffice for all.
use super::{Node, Plan, RowTable, TensorEntry, TensorIndex, memory::activations, rewrite_graph::RewriteGraph};
use crate::Backend;
use std::collections::{HashMap, HashSet};

/// Bytes of weights that fit every machine: a query of the available memory takes longer than a small plan.
const SMALL: u64 = 16 << 20;

/// Bytes reserved for anything other than weights and results.
const MARGIN: u64 = 64 << 20;

/// Number of copies of a weight during preparation: original, converted, repacked.
const FORMS: u64 = 3;

/// Memory for weights that are kept.
pub(super) struct WeightBudget {
    left: u64,
    kept: HashSet<TensorIndex>,
    /// Whether not all weights fit. Tables are then read by rows, which leaves the memory to weights that are read whole.
    pub reads_rows: bool,
    /// Bytes of all weights, each counted once.
    pub total: u64,
}

impl WeightBudget {
    /// Creates the budget of a plan whose kernels are not prepared yet: `limit` if there is one, otherwise as much as the available
    /// memory allows, which is unlimited if all weights fit.
    pub fn new<B: Backend>(plan: &Plan<B>, limit: Option<u64>, available: impl FnOnce() -> u64) -> WeightBudget {
        let (mut all, mut largest, mut largest_streamed) = (HashMap::new(), 0, 0);
        for step in &plan.steps {
            let own: HashMap<TensorIndex, u64> = weights(plan, &step.operands, None).collect();
            let streamed = weights(plan, &step.operands, plan.row_table(&step.node));
            largest_streamed = largest_streamed.max(sum(streamed.map(|(_, bytes)| bytes)));
            largest = largest.max(sum(own.values().copied()));
            all.extend(own);
        }
        let total = sum(all.into_values());
        let budget = |left, reads_rows| WeightBudget { left, kept: HashSet::new(), reads_rows, total };
        if let Some(limit) = limit {
            return budget(limit, total > limit);
        }
        if total <= SMALL {
            return budget(u64::MAX, false);
        }
        let rest = available().saturating_sub(MARGIN).saturating_sub(activations(plan));
        match prepared(total, largest) <= rest {
            true => budget(u64::MAX, false),
            false => budget(rest.saturating_sub(FORMS.saturating_mul(largest_streamed)), true),
        }
    }

    /// Reserves memory for the weights among these operands; `read` are those that the kernel reads at run time, the others are
    /// repacked. Of a `table` only rows are read, and none is kept.
    ///
    /// # Errors
    /// Returns the bytes that a prepared kernel takes for them if the budget does not suffice.
    pub fn keep<B: Backend>(
        &mut self,
        plan: &Plan<B>,
        operands: &[TensorIndex],
        read: &HashSet<TensorIndex>,
        table: Option<RowTable>,
    ) -> Result<(), u64> {
        let own: HashMap<TensorIndex, u64> = weights(plan, operands, table).collect();
        let more = sum(own.iter().filter(|(t, _)| !self.kept.contains(t)).map(|(_, bytes)| *bytes));
        if table.is_some() || more > self.left {
            let forms = |t: TensorIndex| 1 + u64::from(!read.contains(&t)) + u64::from(is_converted(plan, t));
            return Err(sum(own.iter().map(|(t, bytes)| bytes.saturating_mul(forms(*t)))));
        }
        self.left -= more;
        self.kept.extend(own.keys());
        Ok(())
    }
}

impl WeightBudget {
    /// Returns the memory that is left, all of which is then reserved.
    pub fn take_rest(&mut self) -> u64 {
        std::mem::take(&mut self.left)
    }
}

/// The constants among these tensors, with their size in bytes after conversion: that of rows for a `table`.
fn weights<B: Backend>(
    plan: &Plan<B>,
    tensors: &[TensorIndex],
    table: Option<RowTable>,
) -> impl Iterator<Item = (TensorIndex, u64)> {
    let entries = tensors.iter().filter_map(|t| Some((*t, plan.entry(*t).ok()?)));
    let constants = entries.filter(|(_, entry)| entry.constant.is_some());
    constants.map(move |(t, TensorEntry { ty, .. })| match (table.filter(|of| of.table == t), ty.shape.first()) {
        (Some(of), Some(&count)) => (t, (ty.bytes() / count.max(1) as u64).saturating_mul(of.rows as u64)),
        _ => (t, ty.bytes()),
    })
}

/// Whether the weights of a graph, which no rule has changed yet, exceed `limit` if there is one, or else the available memory.
pub(super) fn is_exceeded(graph: &RewriteGraph, limit: Option<u64>, available: impl FnOnce() -> u64) -> bool {
    let nodes = graph.indices().filter_map(|at| graph.node(at));
    let operands: HashSet<TensorIndex> = nodes.flat_map(Node::operands).collect();
    let entries = operands.into_iter().filter_map(|t| graph.entry(t).ok());
    let sizes: Vec<u64> = entries.filter(|entry| entry.constant.is_some()).map(|entry| entry.ty.bytes()).collect();
    let (total, largest) = (sum(sizes.iter().copied()), sizes.iter().copied().max().unwrap_or(0));
    match limit {
        Some(limit) => total > limit,
        None => total > SMALL && prepared(total, largest) > available().saturating_sub(MARGIN),
    }
}

/// Bytes that weights take at most while they are prepared, one step after the other; the step with the most has `largest` of them.
fn prepared(total: u64, largest: u64) -> u64 {
    total.saturating_add((FORMS - 1).saturating_mul(largest))
}

/// Whether a constant is converted to another dtype.
fn is_converted<B: Backend>(plan: &Plan<B>, tensor: TensorIndex) -> bool {
    let of = |entry: &TensorEntry| entry.constant.as_ref().is_some_and(|c| c.dtype() != entry.ty.buffer_dtype());
    plan.entry(tensor).is_ok_and(of)
}

fn sum(bytes: impl Iterator<Item = u64>) -> u64 {
    bytes.fold(0, u64::saturating_add)
}
