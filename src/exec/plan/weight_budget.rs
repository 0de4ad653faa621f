//! Decides which steps keep their weights between runs if memory does not suffice for all.
use super::{Plan, TensorIndex, memory::activations};
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
}

impl WeightBudget {
    /// Creates the budget of a plan whose kernels are not prepared yet: `limit` if there is one, otherwise as much as the available
    /// memory allows, which is unlimited if all weights fit.
    pub fn new<B: Backend>(plan: &Plan<B>, limit: Option<u64>, available: impl FnOnce() -> u64) -> WeightBudget {
        if let Some(left) = limit {
            return WeightBudget { left, kept: HashSet::new() };
        }
        let (mut all, mut largest) = (HashMap::new(), 0);
        for step in &plan.steps {
            let own: HashMap<TensorIndex, u64> = weights(plan, &step.operands).collect();
            largest = largest.max(sum(own.values()));
            all.extend(own);
        }
        let total = sum(all.values());
        let mut budget = WeightBudget { left: u64::MAX, kept: HashSet::new() };
        if total <= SMALL {
            return budget;
        }
        let rest = available().saturating_sub(MARGIN).saturating_sub(activations(plan));
        if total.saturating_add((FORMS - 1).saturating_mul(largest)) > rest {
            budget.left = rest.saturating_sub(FORMS.saturating_mul(largest));
        }
        budget
    }

    /// Reserves memory for the weights among these operands; `read` are those that the kernel reads at run time, the others are
    /// repacked.
    ///
    /// # Errors
    /// Returns the bytes that a prepared kernel takes for them if the budget does not suffice.
    pub fn keep<B: Backend>(
        &mut self,
        plan: &Plan<B>,
        operands: &[TensorIndex],
        read: &HashSet<TensorIndex>,
    ) -> Result<(), u64> {
        let own: HashMap<TensorIndex, u64> = weights(plan, operands).collect();
        let more = sum(own.iter().filter(|(t, _)| !self.kept.contains(t)).map(|(_, bytes)| bytes));
        if more > self.left {
            let forms = |t: TensorIndex| 1 + u64::from(!read.contains(&t)) + u64::from(is_converted(plan, t));
            let bytes: Vec<u64> = own.iter().map(|(t, bytes)| bytes.saturating_mul(forms(*t))).collect();
            return Err(sum(bytes.iter()));
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

/// The constants among these tensors, with their size in bytes after conversion.
fn weights<B: Backend>(plan: &Plan<B>, tensors: &[TensorIndex]) -> impl Iterator<Item = (TensorIndex, u64)> {
    let entries = tensors.iter().filter_map(|t| Some((*t, plan.entry(*t).ok()?)));
    entries.filter(|(_, entry)| entry.constant.is_some()).map(|(t, entry)| (t, entry.ty.bytes()))
}

/// Whether a constant is converted to another dtype.
fn is_converted<B: Backend>(plan: &Plan<B>, tensor: TensorIndex) -> bool {
    let of = |entry: &super::TensorEntry| entry.constant.as_ref().is_some_and(|c| c.dtype() != entry.ty.buffer_dtype());
    plan.entry(tensor).is_ok_and(of)
}

fn sum<'a>(bytes: impl Iterator<Item = &'a u64>) -> u64 {
    bytes.fold(0, |a, b| a.saturating_add(*b))
}
