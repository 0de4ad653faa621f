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
    description: "`(input op scale) * 2^shift` of the stored integers, rounded once.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor, of integers with at most 32 bits",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "is_reverse",
            description: "Whether `Sub` takes the tensor from the constant",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "mode",
            description: "The operation before the shift",
            kind: AttributeKind::OneOf(&["Add", "Sub", "Mul"]),
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "round_mode",
            description: "How results are rounded to integers",
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
            description: "Whether results saturate, not wrap around. Those of signed operands always do in an unsigned type",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "scale",
            description: "The constant, the second operand",
            kind: AttributeKind::Si32,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "shift",
            description: "Number of bits to shift left, or right if negative; -63 to 63",
            kind: AttributeKind::Si32,
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
/**`top.BinaryConstShift`: Sum, difference or product of an integer tensor and a constant, shifted.

`(input op scale) * 2^shift` of the stored integers, rounded once.*/
#[derive(Debug, Clone, PartialEq)]
pub struct BinaryConstShift<V> {
    /// The tensor, of integers with at most 32 bits.
    pub input: V,
    /// Whether `Sub` takes the tensor from the constant. The default is `false`.
    pub is_reverse: bool,
    /// The operation before the shift.
    pub mode: BinaryShiftMode,
    /// How results are rounded to integers. The default is `RoundMode::HalfAwayFromZero`.
    pub round_mode: RoundMode,
    /// Whether results saturate, not wrap around. Those of signed operands always do in an unsigned type. The default is `true`.
    pub saturation: bool,
    /// The constant, the second operand.
    pub scale: i64,
    /// Number of bits to shift left, or right if negative; -63 to 63.
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
    description: "`(input1 op input2) * 2^shift` of the stored integers, rounded once.",
    operands: &[
        ValueDef {
            name: "input1",
            description: "The first operand, of integers with at most 32 bits",
            arity: Arity::Required,
        },
        ValueDef {
            name: "input2",
            description: "The second operand, of integers with at most 32 bits; broadcast with `input1`",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "is_reverse",
            description: "Whether `Sub` takes `input1` from `input2`",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "mode",
            description: "The operation before the shift",
            kind: AttributeKind::OneOf(&["Add", "Sub", "Mul"]),
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "round_mode",
            description: "How results are rounded to integers",
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
            description: "Whether results saturate, not wrap around. Those of signed operands always do in an unsigned type",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "shift",
            description: "Number of bits to shift left, or right if negative; -63 to 63",
            kind: AttributeKind::Si32,
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
/**`top.BinaryShift`: Sum, difference or product of two integer tensors, shifted.

`(input1 op input2) * 2^shift` of the stored integers, rounded once.*/
#[derive(Debug, Clone, PartialEq)]
pub struct BinaryShift<V> {
    /// The first operand, of integers with at most 32 bits.
    pub input1: V,
    /// The second operand, of integers with at most 32 bits; broadcast with `input1`.
    pub input2: V,
    /// Whether `Sub` takes `input1` from `input2`. The default is `false`.
    pub is_reverse: bool,
    /// The operation before the shift.
    pub mode: BinaryShiftMode,
    /// How results are rounded to integers. The default is `RoundMode::HalfAwayFromZero`.
    pub round_mode: RoundMode,
    /// Whether results saturate, not wrap around. Those of signed operands always do in an unsigned type. The default is `true`.
    pub saturation: bool,
    /// Number of bits to shift left, or right if negative; -63 to 63.
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
