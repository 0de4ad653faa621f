//! The tensors whose kernels write the values of wanted ones.
use super::{Plan, Step, TensorIndex};
use crate::{Backend, Layout};
use std::collections::{HashMap, HashSet};

/// Returns, for each wanted tensor, the one that it is a view of: a kernel that writes the latter to the caller's
/// memory writes the wanted one. Without views, it is the wanted tensor itself.
pub(super) fn sources<B: Backend>(plan: &Plan<B>, wanted: &[TensorIndex]) -> HashMap<TensorIndex, TensorIndex> {
    let outputs = |(at, step): (usize, &Step<B>)| step.outputs.iter().map(move |t| (*t, at)).collect::<Vec<_>>();
    let made_by: HashMap<TensorIndex, usize> = plan.steps.iter().enumerate().flat_map(outputs).collect();
    let mut taken: HashSet<TensorIndex> = wanted.iter().copied().collect();
    let mut sources = HashMap::new();
    for &tensor in wanted {
        let mut source = tensor;
        while let Some(viewed) = made_by.get(&source).and_then(|at| viewed(plan, &plan.steps[*at]))
            && made_by.contains_key(&viewed)
            && taken.insert(viewed)
        {
            source = viewed;
        }
        sources.entry(tensor).or_insert(source);
    }
    sources
}

/// Returns the operand of a step that only changes the shape.
fn viewed<B: Backend>(plan: &Plan<B>, step: &Step<B>) -> Option<TensorIndex> {
    let ([stage], [result]) = (step.node.stages.as_slice(), step.outputs.as_slice()) else { return None };
    let operand = *stage.op.viewed_from()?;
    let [from, to] = [operand, *result].map(|t| plan.entry(t).ok());
    let (from, to) = (&from?.ty, &to?.ty);
    let is_same = from.buffer_dtype() == to.buffer_dtype() && from.elements() == to.elements();
    (is_same && from.layout == Layout::Plain && to.layout == Layout::Plain).then_some(operand)
}
