//! The class `Operator`.
use crate::tensor::Handle;
use pyo3::prelude::*;

/// An operator of a graph.
#[pyclass(frozen, module = "tpulang", get_all)]
pub struct Operator {
    /// The op: "top.Conv".
    op_name: String,
    /// The function that added it: "conv"; None for an operator that was read from a module.
    function: Option<&'static str>,
    /// The names of its operands.
    inputs: Vec<String>,
    /// The names of its results.
    outputs: Vec<String>,
    /// Its attributes as text, by name.
    attributes: Vec<(String, String)>,
    /// Shape and dtype of its first result: "1x4x8x8 float32".
    type_text: String,
}

impl Operator {
    pub fn of(
        graph: &tpulang::Graph,
        operator: &tpulang::graph::Operator,
        function: Option<&'static str>,
    ) -> tpulang::Result<Operator> {
        let name = |tensor: Handle| graph.tensor(tensor).map(|info| info.name.clone());
        let first = operator.outputs().next().map(|tensor| graph.tensor(tensor)).transpose()?;
        Ok(Operator {
            op_name: format!("top.{}", operator.op.name()),
            function,
            inputs: operator.op.operands().map(|(_, tensor)| name(*tensor)).collect::<Result<_, _>>()?,
            outputs: operator.outputs().map(name).collect::<Result<_, _>>()?,
            attributes: operator
                .op
                .attributes()
                .iter()
                .map(|(key, value)| (key.to_string(), value.to_string()))
                .collect(),
            type_text: first.map(|info| info.type_text()).unwrap_or_default(),
        })
    }
}

#[pymethods]
impl Operator {
    fn __repr__(&self) -> String {
        let (inputs, outputs) = (self.inputs.join(", "), self.outputs.join(", "));
        format!("<tpulang.Operator {outputs} = {}({inputs})>", self.op_name)
    }
}
