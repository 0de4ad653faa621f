//! Networks in the forms that TPU-MLIR's tools run.

mod control_flow;
mod operators;

use crate::{
    Graph, Operator, Tensor,
    base::Result,
    ops::{AddConst, Op},
};
use control_flow::Seen;
use std::borrow::Cow;

impl Graph {
    /// Returns an equivalent graph that TPU-MLIR's tools run: every `If` has one result, which its branches compute, every
    /// `Loop` has a condition, operators in different blocks differ, and tpuc-opt replaces none by one that computes
    /// something else. Returns the graph itself if nothing has to change.
    ///
    /// # Errors
    /// Returns an error if the branches become too many.
    #[doc(hidden)]
    pub fn for_tool_chain(&self) -> Result<Cow<'_, Graph>> {
        let misread = self.misread_operators();
        if misread.is_empty() && self.operators().iter().all(|o| o.blocks.is_empty()) {
            return Ok(Cow::Borrowed(self));
        }
        let mut graph = self.clone();
        let mut body = std::mem::take(&mut graph.body);
        let mut rewriter = Rewriter { graph: &mut graph, made: 0, passed_on: 0 };
        rewriter.replace_misread(&mut body, &misread)?;
        rewriter.split_all(&mut body)?;
        rewriter.complete_all(&mut body)?;
        rewriter.distinguish(&mut body, &mut Seen::default())?;
        graph.body = body;
        Ok(Cow::Owned(graph))
    }
}

struct Rewriter<'g> {
    /// The graph without its body.
    graph: &'g mut Graph,
    /// Operators in the branches that splitting made.
    made: usize,
    /// Operators that pass values on.
    passed_on: usize,
}

impl Rewriter<'_> {
    /// Returns an operator whose result equals a value: it adds -0, which changes nothing, not even -0. No two of them
    /// are equal: each adds a number of its own that only becomes 0 as a float32.
    fn pass_on(&mut self, value: Tensor, name: String) -> Result<(Tensor, Operator)> {
        self.passed_on += 1;
        let number = -1e-300 * self.passed_on as f64;
        let shape = self.graph.tensor(value)?.shape.clone();
        let result = self.graph.value_like(&self.graph.freed(name), value, shape)?;
        let op = AddConst::new(value, number).into();
        Ok((result, computing(op, vec![Some(result)])))
    }
}

/// Returns an operator without blocks.
fn computing(op: Op<Tensor>, results: Vec<Option<Tensor>>) -> Operator {
    Operator { op, results, blocks: Vec::new(), is_edited: false }
}
