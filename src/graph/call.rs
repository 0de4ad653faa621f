//! Records of the calls that built a graph, from which it is written as a spec or replayed in another graph.
use super::{Graph, Operand, Operator, Tensor};
use crate::{base::Result, quant::Quantization};
use std::fmt;

/// A recorded call, with the number of operators that it added.
#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct RecordedCall {
    pub made_by: MadeBy,
    pub outputs: Vec<Tensor>,
    pub out_quant: Vec<Option<Quantization>>,
    pub operators: usize,
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
        RecordedCall { made_by: MadeBy::Op, outputs: operator.outputs().collect(), out_quant: Vec::new(), operators: 1 }
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
