//! Records of the calls that built a graph, from which it is written as a spec or replayed in another graph.
use super::{Graph, Operand, Operator, Tensor};
use crate::{base::Result, quant::Quantization};
use std::{fmt, num::NonZeroU32};

/// A recorded call, with the number of operators that it added.
#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct RecordedCall {
    pub made_by: MadeBy,
    pub outputs: Vec<Tensor>,
    pub out_quant: Vec<Option<Quantization>>,
    pub operators: usize,
    /// The line of the spec that it was read from.
    pub line: Option<NonZeroU32>,
}

/// The callee of a recorded call.
#[derive(Debug, Clone)]
#[doc(hidden)]
pub enum MadeBy {
    Function(Box<dyn Recorded>),
    /// An op; its operator holds operands and attributes.
    Op,
}

impl RecordedCall {
    /// Returns the record of a call of an op.
    pub fn of_operator(operator: &Operator) -> Self {
        let outputs = operator.outputs().collect();
        RecordedCall { made_by: MadeBy::Op, outputs, out_quant: Vec::new(), operators: 1, line: None }
    }
    /// Returns one call for each operator that it added.
    pub(super) fn of_each<'a>(&self, added: &'a [Operator]) -> impl Iterator<Item = RecordedCall> + use<'a> {
        let line = self.line;
        added.iter().map(move |o| RecordedCall { line, ..RecordedCall::of_operator(o) })
    }
}

impl Graph {
    /// Returns the number of calls recorded in the current block.
    #[doc(hidden)]
    pub fn recorded_calls(&mut self) -> usize {
        self.current().calls.len()
    }
    /// Sets the line of the calls of the current block from the `first`-th on that have none.
    #[doc(hidden)]
    pub fn locate_calls(&mut self, first: usize, line: usize) {
        let line = u32::try_from(line).ok().and_then(NonZeroU32::new);
        let block = self.current();
        block.calls.iter_mut().skip(first).filter(|call| call.line.is_none()).for_each(|call| call.line = line);
    }
}

/// A recorded function call with its arguments.
#[doc(hidden)]
pub trait Recorded: fmt::Debug + Send + Sync {
    fn clone_box(&self) -> Box<dyn Recorded>;
    /// Returns the function's name.
    fn function(&self) -> &'static str;
    /// Converts the arguments to JSON, with tensors by their names in `graph`.
    fn to_json(&self, graph: &Graph) -> Result<serde_json::Value>;
    /// Replays the call in `onto`, with tensors mapped by `bind`.
    fn replay(
        &self,
        onto: &mut Graph,
        bind: &mut dyn FnMut(&mut Operand) -> Result<()>,
        out: Vec<String>,
        out_quant: Vec<Option<Quantization>>,
    ) -> Result<Vec<Tensor>>;
}
impl Clone for Box<dyn Recorded> {
    fn clone(&self) -> Self {
        (**self).clone_box()
    }
}
