//! Records of the calls that made a graph, by which it can be written as a spec and made again elsewhere.
use super::{Graph, Operand, Operator, Tensor};
use crate::{base::Result, quant::Quantization};
use std::fmt;

/// A call that was made, with how many operators it added.
#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct RecordedCall {
    pub made_by: MadeBy,
    pub outputs: Vec<Tensor>,
    pub out_quant: Vec<Option<Quantization>>,
    pub operators: usize,
}

/// What was called.
#[derive(Debug, Clone)]
#[doc(hidden)]
pub enum MadeBy {
    Function(Box<dyn Recorded>),
    /// The op itself: its operator says all.
    Op,
}

impl RecordedCall {
    /// The call of an op by itself.
    pub fn of_operator(operator: &Operator) -> Self {
        RecordedCall { made_by: MadeBy::Op, outputs: operator.outputs().collect(), out_quant: Vec::new(), operators: 1 }
    }
}

/// A function with its arguments.
#[doc(hidden)]
pub trait Recorded: fmt::Debug + Send + Sync {
    fn clone_box(&self) -> Box<dyn Recorded>;
    /// The function's name.
    fn function(&self) -> &'static str;
    /// The arguments as JSON, tensors by their names in `graph`.
    fn to_json(&self, graph: &Graph) -> Result<serde_json::Value>;
    /// Makes the call again in `onto`, its tensors exchanged by `bind`.
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
