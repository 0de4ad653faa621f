// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
pub(super) const CUSTOM: OpDef = OpDef {
    name: "Custom",
    summary: "Operator that a plug-in computes",
    description: "",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "The tensors",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "name",
            description: "The operator's name, under which its type rule and its kernels are registered",
            kind: AttributeKind::Str,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "params",
            description: "The operator's parameters by name, in one or more dictionaries",
            kind: AttributeKind::Dicts,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "outputs",
            description: "",
            arity: Arity::Variadic,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
///`top.Custom`: Operator that a plug-in computes.
#[derive(Debug, Clone, PartialEq)]
pub struct Custom<V> {
    /// The tensors.
    pub inputs: Vec<V>,
    /// The operator's name, under which its type rule and its kernels are registered.
    pub name: String,
    /// The operator's parameters by name, in one or more dictionaries.
    pub params: Vec<Dict>,
}
impl<V> Custom<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(inputs: Vec<V>, name: String, params: Vec<Dict>) -> Self {
        Self { inputs, name, params }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            inputs: operands.rest("inputs")?,
            name: attributes.take("name")?,
            params: attributes.take("params")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("inputs", OperandValue::Many(& self.inputs)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("name", &self.name);
        a.put("params", &self.params);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Custom<U>, E> {
        Ok(Custom {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
            name: self.name.clone(),
            params: self.params.clone(),
        })
    }
}
