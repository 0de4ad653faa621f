// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
/// A string attribute: one of Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual, And, Not, Xor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum CompareMode {
    Equal,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    NotEqual,
    And,
    Not,
    Xor,
}
impl CompareMode {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            CompareMode::Equal => "Equal",
            CompareMode::Greater => "Greater",
            CompareMode::GreaterOrEqual => "GreaterOrEqual",
            CompareMode::Less => "Less",
            CompareMode::LessOrEqual => "LessOrEqual",
            CompareMode::NotEqual => "NotEqual",
            CompareMode::And => "And",
            CompareMode::Not => "Not",
            CompareMode::Xor => "Xor",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "Equal" => CompareMode::Equal,
                "Greater" => CompareMode::Greater,
                "GreaterOrEqual" => CompareMode::GreaterOrEqual,
                "Less" => CompareMode::Less,
                "LessOrEqual" => CompareMode::LessOrEqual,
                "NotEqual" => CompareMode::NotEqual,
                "And" => CompareMode::And,
                "Not" => CompareMode::Not,
                "Xor" => CompareMode::Xor,
                _ => return None,
            },
        )
    }
}
one_of!(CompareMode);
pub(super) const COMPARE: OpDef = OpDef {
    name: "Compare",
    summary: "Comparison of two tensors, broadcast",
    description: "",
    operands: &[
        ValueDef {
            name: "lhs",
            description: "The left tensor, whose dtype the result has",
            arity: Arity::Required,
        },
        ValueDef {
            name: "rhs",
            description: "The right tensor; its values are not used by `Not`",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "mode",
            description: "What is compared. `And`: neither is 0. `Xor`: they differ. `Not`: the left one is 0",
            kind: AttributeKind::OneOf(
                &[
                    "Equal",
                    "Greater",
                    "GreaterOrEqual",
                    "Less",
                    "LessOrEqual",
                    "NotEqual",
                    "And",
                    "Not",
                    "Xor",
                ],
            ),
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
///`top.Compare`: Comparison of two tensors, broadcast.
#[derive(Debug, Clone, PartialEq)]
pub struct Compare<V> {
    /// The left tensor, whose dtype the result has.
    pub lhs: V,
    /// The right tensor; its values are not used by `Not`.
    pub rhs: V,
    /// What is compared. `And`: neither is 0. `Xor`: they differ. `Not`: the left one is 0.
    pub mode: CompareMode,
}
impl<V> Compare<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(lhs: V, rhs: V, mode: CompareMode) -> Self {
        Self { lhs, rhs, mode }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            lhs: operands.required("lhs")?,
            rhs: operands.required("rhs")?,
            mode: attributes.take("mode")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("lhs", OperandValue::One(& self.lhs)), ("rhs", OperandValue::One(& self
            .rhs)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("mode", &self.mode);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Compare<U>, E> {
        Ok(Compare {
            lhs: f(&self.lhs)?,
            rhs: f(&self.rhs)?,
            mode: self.mode,
        })
    }
}
pub(super) const COMPARECONST: OpDef = OpDef {
    name: "CompareConst",
    summary: "Comparison of a tensor with a constant",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor, whose dtype the result has",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "mode",
            description: "What is compared. `And`: neither is 0. `Xor`: they differ. `Not`: the left one is 0",
            kind: AttributeKind::OneOf(
                &[
                    "Equal",
                    "Greater",
                    "GreaterOrEqual",
                    "Less",
                    "LessOrEqual",
                    "NotEqual",
                    "And",
                    "Not",
                    "Xor",
                ],
            ),
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "const_val",
            description: "The constant; for an input quantized with one scale, it is first rounded to a multiple of that",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "inversed",
            description: "Whether the constant is on the left",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "is_scalar",
            description: "Whether the tool chain treats the result, of shape [1], as a scalar",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: true,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
///`top.CompareConst`: Comparison of a tensor with a constant.
#[derive(Debug, Clone, PartialEq)]
pub struct CompareConst<V> {
    /// The tensor, whose dtype the result has.
    pub input: V,
    /// What is compared. `And`: neither is 0. `Xor`: they differ. `Not`: the left one is 0.
    pub mode: CompareMode,
    /// The constant; for an input quantized with one scale, it is first rounded to a multiple of that.
    pub const_val: f64,
    /// Whether the constant is on the left.
    pub inversed: bool,
    /// Whether the tool chain treats the result, of shape \[1\], as a scalar. The default is `false`. It changes no result.
    pub is_scalar: bool,
}
impl<V> CompareConst<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, mode: CompareMode, const_val: f64, inversed: bool) -> Self {
        Self {
            input,
            mode,
            const_val,
            inversed,
            is_scalar: false,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            mode: attributes.take("mode")?,
            const_val: attributes.take("const_val")?,
            inversed: attributes.take("inversed")?,
            is_scalar: attributes.take("is_scalar")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("mode", &self.mode);
        a.put("const_val", &self.const_val);
        a.put("inversed", &self.inversed);
        a.put("is_scalar", &self.is_scalar);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<CompareConst<U>, E> {
        Ok(CompareConst {
            input: f(&self.input)?,
            mode: self.mode,
            const_val: self.const_val,
            inversed: self.inversed,
            is_scalar: self.is_scalar,
        })
    }
}
pub(super) const LOGICALAND: OpDef = OpDef {
    name: "LogicalAnd",
    summary: "1 if no tensor is 0, otherwise 0",
    description: "",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "The two tensors, broadcast; the result has the dtype of the first",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[],
    results: &[
        ValueDef {
            name: "output",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
///`top.LogicalAnd`: 1 if no tensor is 0, otherwise 0.
#[derive(Debug, Clone, PartialEq)]
pub struct LogicalAnd<V> {
    /// The two tensors, broadcast; the result has the dtype of the first.
    pub inputs: Vec<V>,
}
impl<V> LogicalAnd<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(inputs: Vec<V>) -> Self {
        Self { inputs }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            inputs: operands.rest("inputs")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("inputs", OperandValue::Many(& self.inputs)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes::default()
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<LogicalAnd<U>, E> {
        Ok(LogicalAnd {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
        })
    }
}
