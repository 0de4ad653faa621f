// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
/// A string attribute: one of Add, Sub, Mul.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BinaryShiftMode {
    Add,
    Sub,
    Mul,
}
impl BinaryShiftMode {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            BinaryShiftMode::Add => "Add",
            BinaryShiftMode::Sub => "Sub",
            BinaryShiftMode::Mul => "Mul",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "Add" => BinaryShiftMode::Add,
                "Sub" => BinaryShiftMode::Sub,
                "Mul" => BinaryShiftMode::Mul,
                _ => return None,
            },
        )
    }
}
one_of!(BinaryShiftMode);
pub(super) const BINARYCONSTSHIFT: OpDef = OpDef {
    name: "BinaryConstShift",
    summary: "Sum, difference or product of an integer tensor and a constant, shifted",
    description: "The constant is `scale`. With `is_reverse`, `Sub` takes the tensor from the constant.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "is_reverse",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "mode",
            kind: AttributeKind::OneOf(&["Add", "Sub", "Mul"]),
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "round_mode",
            kind: AttributeKind::OneOf(
                &[
                    "HalfAwayFromZero",
                    "HalfUp",
                    "HalfDown",
                    "HalfToEven",
                    "HalfToOdd",
                    "HalfTowardsZero",
                    "TowardsZero",
                    "Up",
                    "Down",
                ],
            ),
            default: Some(Default::Str("HalfAwayFromZero")),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "saturation",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "scale",
            kind: AttributeKind::Si32,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "shift",
            kind: AttributeKind::Si32,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.BinaryConstShift`: Sum, difference or product of an integer tensor and a constant, shifted.

The constant is `scale`. With `is_reverse`, `Sub` takes the tensor from the constant.*/
#[derive(Debug, Clone, PartialEq)]
pub struct BinaryConstShift<V> {
    /// Operand.
    pub input: V,
    ///Attribute; `false` by default.
    pub is_reverse: bool,
    ///Attribute.
    pub mode: BinaryShiftMode,
    ///Attribute; `RoundMode::HalfAwayFromZero` by default.
    pub round_mode: RoundMode,
    ///Attribute; `true` by default.
    pub saturation: bool,
    ///Attribute.
    pub scale: i64,
    ///Attribute.
    pub shift: i64,
}
impl<V> BinaryConstShift<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, mode: BinaryShiftMode, scale: i64, shift: i64) -> Self {
        Self {
            input,
            is_reverse: false,
            mode,
            round_mode: RoundMode::HalfAwayFromZero,
            saturation: true,
            scale,
            shift,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            is_reverse: attributes.take("is_reverse")?,
            mode: attributes.take("mode")?,
            round_mode: attributes.take("round_mode")?,
            saturation: attributes.take("saturation")?,
            scale: attributes.take("scale")?,
            shift: attributes.take("shift")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("is_reverse", &self.is_reverse);
        a.put("mode", &self.mode);
        a.put("round_mode", &self.round_mode);
        a.put("saturation", &self.saturation);
        a.put("scale", &self.scale);
        a.put("shift", &self.shift);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<BinaryConstShift<U>, E> {
        Ok(BinaryConstShift {
            input: f(&self.input)?,
            is_reverse: self.is_reverse,
            mode: self.mode,
            round_mode: self.round_mode,
            saturation: self.saturation,
            scale: self.scale,
            shift: self.shift,
        })
    }
}
pub(super) const BINARYSHIFT: OpDef = OpDef {
    name: "BinaryShift",
    summary: "Sum, difference or product of two integer tensors, shifted",
    description: "With `is_reverse`, `Sub` takes the first from the second.",
    operands: &[
        ValueDef {
            name: "input1",
            arity: Arity::Required,
        },
        ValueDef {
            name: "input2",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "is_reverse",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "mode",
            kind: AttributeKind::OneOf(&["Add", "Sub", "Mul"]),
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "round_mode",
            kind: AttributeKind::OneOf(
                &[
                    "HalfAwayFromZero",
                    "HalfUp",
                    "HalfDown",
                    "HalfToEven",
                    "HalfToOdd",
                    "HalfTowardsZero",
                    "TowardsZero",
                    "Up",
                    "Down",
                ],
            ),
            default: Some(Default::Str("HalfAwayFromZero")),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "saturation",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "shift",
            kind: AttributeKind::Si32,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.BinaryShift`: Sum, difference or product of two integer tensors, shifted.

With `is_reverse`, `Sub` takes the first from the second.*/
#[derive(Debug, Clone, PartialEq)]
pub struct BinaryShift<V> {
    /// Operand.
    pub input1: V,
    /// Operand.
    pub input2: V,
    ///Attribute; `false` by default.
    pub is_reverse: bool,
    ///Attribute.
    pub mode: BinaryShiftMode,
    ///Attribute; `RoundMode::HalfAwayFromZero` by default.
    pub round_mode: RoundMode,
    ///Attribute; `true` by default.
    pub saturation: bool,
    ///Attribute.
    pub shift: i64,
}
impl<V> BinaryShift<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input1: V, input2: V, mode: BinaryShiftMode, shift: i64) -> Self {
        Self {
            input1,
            input2,
            is_reverse: false,
            mode,
            round_mode: RoundMode::HalfAwayFromZero,
            saturation: true,
            shift,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input1: operands.required("input1")?,
            input2: operands.required("input2")?,
            is_reverse: attributes.take("is_reverse")?,
            mode: attributes.take("mode")?,
            round_mode: attributes.take("round_mode")?,
            saturation: attributes.take("saturation")?,
            shift: attributes.take("shift")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input1", OperandValue::One(& self.input1)), ("input2", OperandValue::One(&
            self.input2)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("is_reverse", &self.is_reverse);
        a.put("mode", &self.mode);
        a.put("round_mode", &self.round_mode);
        a.put("saturation", &self.saturation);
        a.put("shift", &self.shift);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<BinaryShift<U>, E> {
        Ok(BinaryShift {
            input1: f(&self.input1)?,
            input2: f(&self.input2)?,
            is_reverse: self.is_reverse,
            mode: self.mode,
            round_mode: self.round_mode,
            saturation: self.saturation,
            shift: self.shift,
        })
    }
}
