//! The amount of work of a step.
use super::{Node, Plan, TensorIndex};
use crate::{
    Backend, ValueType,
    base::Result,
    ops::{Value, Work},
};
use std::collections::HashMap;

impl<B: Backend> Plan<B> {
    /// Operations of all stages of a node, and the bytes that it reads and writes, without intermediate results.
    ///
    /// # Errors
    /// Returns an error if there is no such tensor.
    pub fn work(&self, node: &Node) -> Result<Work> {
        let inner = node.stages.iter().flat_map(|s| s.results.iter().flatten().copied());
        let plain = |t: TensorIndex| {
            let ty = &self.entry(t)?.ty;
            Ok((t, ValueType { shape: ty.plain_shape(), ..ty.clone() }))
        };
        let types: HashMap<TensorIndex, ValueType> =
            node.operands().into_iter().chain(inner).map(plain).collect::<Result<_>>()?;
        let mut work = Work::default();
        for (i, stage) in node.stages.iter().enumerate() {
            let results: Vec<Value> = stage.outputs().map(|t| types[&t].value()).collect();
            let mut own = Work::of(&stage.op.map(|t| types[t].value()), &results).unwrap_or_default();
            if i + 1 < node.stages.len() {
                // Counted as written here and as read by the next stage.
                let between = stage.outputs().map(|t| types[&t].elements() * types[&t].buffer_dtype().size());
                own.bytes = own.bytes.saturating_sub(2 * between.sum::<usize>() as u64);
            }
            work = [work, own].into_iter().sum();
        }
        Ok(work)
    }
}
