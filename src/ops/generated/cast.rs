// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
/// A string attribute: one of Normal, TFLite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum DequantMode {
    Normal,
    TFLite,
}
impl DequantMode {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            DequantMode::Normal => "Normal",
            DequantMode::TFLite => "TFLite",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "Normal" => DequantMode::Normal,
                "TFLite" => DequantMode::TFLite,
                _ => return None,
            },
        )
    }
}
one_of!(DequantMode);
/// A string attribute: one of TFLite_LShift, TFLite, MultiplierShift, OnlyShift, QDM, OnlyScale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum RequantMode {
    TFLiteLShift,
    TFLite,
    MultiplierShift,
    OnlyShift,
    QDM,
    OnlyScale,
}
impl RequantMode {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            RequantMode::TFLiteLShift => "TFLite_LShift",
            RequantMode::TFLite => "TFLite",
            RequantMode::MultiplierShift => "MultiplierShift",
            RequantMode::OnlyShift => "OnlyShift",
            RequantMode::QDM => "QDM",
            RequantMode::OnlyScale => "OnlyScale",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "TFLite_LShift" => RequantMode::TFLiteLShift,
                "TFLite" => RequantMode::TFLite,
                "MultiplierShift" => RequantMode::MultiplierShift,
                "OnlyShift" => RequantMode::OnlyShift,
                "QDM" => RequantMode::QDM,
                "OnlyScale" => RequantMode::OnlyScale,
                _ => return None,
            },
        )
    }
}
one_of!(RequantMode);
pub(super) const CAST: OpDef = OpDef {
    name: "Cast",
    summary: "Conversion to another data type",
    description: "`to` names the target (`F32`, `F16`, `INT8`, `UINT8`, ...). Conversion to an integer rounds by `round_mode` and saturates.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "to",
            kind: AttributeKind::Str,
            default: Some(Default::Str("")),
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
/**`top.Cast`: Conversion to another data type.

`to` names the target (`F32`, `F16`, `INT8`, `UINT8`, ...). Conversion to an integer rounds by `round_mode` and saturates.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Cast<V> {
    /// Operand.
    pub input: V,
    ///Attribute; `"".to_owned()` by default.
    pub to: String,
    ///Attribute; `RoundMode::HalfAwayFromZero` by default.
    pub round_mode: RoundMode,
}
impl<V> Cast<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V) -> Self {
        Self {
            input,
            to: "".to_owned(),
            round_mode: RoundMode::HalfAwayFromZero,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            to: attributes.take("to")?,
            round_mode: attributes.take("round_mode")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("to", &self.to);
        a.put("round_mode", &self.round_mode);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Cast<U>, E> {
        Ok(Cast {
            input: f(&self.input)?,
            to: self.to.clone(),
            round_mode: self.round_mode,
        })
    }
}
pub(super) const DEQUANTINT: OpDef = OpDef {
    name: "DequantInt",
    summary: "Narrow integer to a wider one, by fixed-point multiplication",
    description: "In the mode `Normal`, `y = saturate(round((x - zero_point) * multiplier * 2^shift))`. In the mode `TFLite` the multiplier is a Q31 fraction: `(x - zero_point) * multiplier * 2^lshift` is rounded half up to 32 bits, then multiplied by `2^shift` and rounded by `round_mode`. One multiplier and shift for all, or one per channel.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "lshift",
            kind: AttributeKind::Int,
            default: Some(Default::Int(0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "multiplier",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "quant_mode",
            kind: AttributeKind::OneOf(&["Normal", "TFLite"]),
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
            name: "shift",
            kind: AttributeKind::Ints,
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
/**`top.DequantInt`: Narrow integer to a wider one, by fixed-point multiplication.

In the mode `Normal`, `y = saturate(round((x - zero_point) * multiplier * 2^shift))`. In the mode `TFLite` the multiplier is a Q31 fraction: `(x - zero_point) * multiplier * 2^lshift` is rounded half up to 32 bits, then multiplied by `2^shift` and rounded by `round_mode`. One multiplier and shift for all, or one per channel.*/
#[derive(Debug, Clone, PartialEq)]
pub struct DequantInt<V> {
    /// Operand.
    pub input: V,
    ///Attribute; `0` by default.
    pub lshift: i64,
    ///Attribute.
    pub multiplier: Vec<i64>,
    ///Attribute.
    pub quant_mode: DequantMode,
    ///Attribute; `RoundMode::HalfAwayFromZero` by default.
    pub round_mode: RoundMode,
    ///Attribute.
    pub shift: Vec<i64>,
}
impl<V> DequantInt<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        input: V,
        multiplier: Vec<i64>,
        quant_mode: DequantMode,
        shift: Vec<i64>,
    ) -> Self {
        Self {
            input,
            lshift: 0,
            multiplier,
            quant_mode,
            round_mode: RoundMode::HalfAwayFromZero,
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
            lshift: attributes.take("lshift")?,
            multiplier: attributes.take("multiplier")?,
            quant_mode: attributes.take("quant_mode")?,
            round_mode: attributes.take("round_mode")?,
            shift: attributes.take("shift")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("lshift", &self.lshift);
        a.put("multiplier", &self.multiplier);
        a.put("quant_mode", &self.quant_mode);
        a.put("round_mode", &self.round_mode);
        a.put("shift", &self.shift);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<DequantInt<U>, E> {
        Ok(DequantInt {
            input: f(&self.input)?,
            lshift: self.lshift,
            multiplier: self.multiplier.clone(),
            quant_mode: self.quant_mode,
            round_mode: self.round_mode,
            shift: self.shift.clone(),
        })
    }
}
pub(super) const DEQUANTIZELINEAR: OpDef = OpDef {
    name: "DequantizeLinear",
    summary: "(x - x_zero_point) * x_scale",
    description: "One scale and zero point for all, or one per index along `axis`.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "axis",
            kind: AttributeKind::Int,
            default: Some(Default::Int(1)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "x_scale",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "x_zero_point",
            kind: AttributeKind::I32s,
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
/**`top.DequantizeLinear`: (x - x_zero_point) * x_scale.

One scale and zero point for all, or one per index along `axis`.*/
#[derive(Debug, Clone, PartialEq)]
pub struct DequantizeLinear<V> {
    /// Operand.
    pub input: V,
    ///Attribute; `1` by default.
    pub axis: i64,
    ///Attribute.
    pub x_scale: Vec<f64>,
    ///Attribute.
    pub x_zero_point: Vec<i64>,
}
impl<V> DequantizeLinear<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, x_scale: Vec<f64>, x_zero_point: Vec<i64>) -> Self {
        Self {
            input,
            axis: 1,
            x_scale,
            x_zero_point,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            axis: attributes.take("axis")?,
            x_scale: attributes.take("x_scale")?,
            x_zero_point: attributes.take("x_zero_point")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("axis", &self.axis);
        a.put("x_scale", &self.x_scale);
        a.put("x_zero_point", &self.x_zero_point);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<DequantizeLinear<U>, E> {
        Ok(DequantizeLinear {
            input: f(&self.input)?,
            axis: self.axis,
            x_scale: self.x_scale.clone(),
            x_zero_point: self.x_zero_point.clone(),
        })
    }
}
pub(super) const DTYPECAST: OpDef = OpDef {
    name: "DtypeCast",
    summary: "Conversion from float32 to float16",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
    ],
    attributes: &[],
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
///`top.DtypeCast`: Conversion from float32 to float16.
#[derive(Debug, Clone, PartialEq)]
pub struct DtypeCast<V> {
    /// Operand.
    pub input: V,
}
impl<V> DtypeCast<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V) -> Self {
        Self { input }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes::default()
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<DtypeCast<U>, E> {
        Ok(DtypeCast {
            input: f(&self.input)?,
        })
    }
}
pub(super) const QUANTIZELINEAR: OpDef = OpDef {
    name: "QuantizeLinear",
    summary: "saturate(round(x / y_scale) + y_zero_point)",
    description: "One scale and zero point for all, or one per index along `axis`.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "axis",
            kind: AttributeKind::Int,
            default: Some(Default::Int(1)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "y_scale",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "y_zero_point",
            kind: AttributeKind::I32s,
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
/**`top.QuantizeLinear`: saturate(round(x / y_scale) + y_zero_point).

One scale and zero point for all, or one per index along `axis`.*/
#[derive(Debug, Clone, PartialEq)]
pub struct QuantizeLinear<V> {
    /// Operand.
    pub input: V,
    ///Attribute; `1` by default.
    pub axis: i64,
    ///Attribute.
    pub y_scale: Vec<f64>,
    ///Attribute.
    pub y_zero_point: Vec<i64>,
}
impl<V> QuantizeLinear<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, y_scale: Vec<f64>, y_zero_point: Vec<i64>) -> Self {
        Self {
            input,
            axis: 1,
            y_scale,
            y_zero_point,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            axis: attributes.take("axis")?,
            y_scale: attributes.take("y_scale")?,
            y_zero_point: attributes.take("y_zero_point")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("axis", &self.axis);
        a.put("y_scale", &self.y_scale);
        a.put("y_zero_point", &self.y_zero_point);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<QuantizeLinear<U>, E> {
        Ok(QuantizeLinear {
            input: f(&self.input)?,
            axis: self.axis,
            y_scale: self.y_scale.clone(),
            y_zero_point: self.y_zero_point.clone(),
        })
    }
}
pub(super) const REQUANTFP: OpDef = OpDef {
    name: "RequantFp",
    summary: "Number to a narrow type, by a floating-point scale",
    description: "`y = saturate(round(x * scale + offset))`. The TFLite modes add no `offset`, but the zero point of the result after rounding. A float `x` is rounded by `first_round_mode` before it is scaled. One scale and offset for all, or one per channel.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "first_round_mode",
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
            default: Some(Default::Str("HalfUp")),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "offset",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "quant_mode",
            kind: AttributeKind::OneOf(
                &[
                    "TFLite_LShift",
                    "TFLite",
                    "MultiplierShift",
                    "OnlyShift",
                    "QDM",
                    "OnlyScale",
                ],
            ),
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
            name: "scale",
            kind: AttributeKind::Floats,
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
/**`top.RequantFp`: Number to a narrow type, by a floating-point scale.

`y = saturate(round(x * scale + offset))`. The TFLite modes add no `offset`, but the zero point of the result after rounding. A float `x` is rounded by `first_round_mode` before it is scaled. One scale and offset for all, or one per channel.*/
#[derive(Debug, Clone, PartialEq)]
pub struct RequantFp<V> {
    /// Operand.
    pub input: V,
    ///Attribute; `RoundMode::HalfUp` by default.
    pub first_round_mode: RoundMode,
    ///Attribute.
    pub offset: Vec<f64>,
    ///Attribute.
    pub quant_mode: RequantMode,
    ///Attribute; `RoundMode::HalfAwayFromZero` by default.
    pub round_mode: RoundMode,
    ///Attribute.
    pub scale: Vec<f64>,
}
impl<V> RequantFp<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        input: V,
        offset: Vec<f64>,
        quant_mode: RequantMode,
        scale: Vec<f64>,
    ) -> Self {
        Self {
            input,
            first_round_mode: RoundMode::HalfUp,
            offset,
            quant_mode,
            round_mode: RoundMode::HalfAwayFromZero,
            scale,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            first_round_mode: attributes.take("first_round_mode")?,
            offset: attributes.take("offset")?,
            quant_mode: attributes.take("quant_mode")?,
            round_mode: attributes.take("round_mode")?,
            scale: attributes.take("scale")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("first_round_mode", &self.first_round_mode);
        a.put("offset", &self.offset);
        a.put("quant_mode", &self.quant_mode);
        a.put("round_mode", &self.round_mode);
        a.put("scale", &self.scale);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<RequantFp<U>, E> {
        Ok(RequantFp {
            input: f(&self.input)?,
            first_round_mode: self.first_round_mode,
            offset: self.offset.clone(),
            quant_mode: self.quant_mode,
            round_mode: self.round_mode,
            scale: self.scale.clone(),
        })
    }
}
pub(super) const REQUANTINT: OpDef = OpDef {
    name: "RequantInt",
    summary: "Integer accumulator to a narrow integer, by fixed-point multiplication",
    description: "`y = saturate(round(x * multiplier * 2^-rshift) + zero_point)`. One multiplier and shift for all, or one per index along `rq_axis`. In the TFLite modes the multiplier is a Q31 fraction.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "multiplier",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "rshift",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "quant_mode",
            kind: AttributeKind::OneOf(
                &[
                    "TFLite_LShift",
                    "TFLite",
                    "MultiplierShift",
                    "OnlyShift",
                    "QDM",
                    "OnlyScale",
                ],
            ),
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
            name: "rq_axis",
            kind: AttributeKind::Si32,
            default: Some(Default::Int(1)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "fuse_rq",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
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
/**`top.RequantInt`: Integer accumulator to a narrow integer, by fixed-point multiplication.

`y = saturate(round(x * multiplier * 2^-rshift) + zero_point)`. One multiplier and shift for all, or one per index along `rq_axis`. In the TFLite modes the multiplier is a Q31 fraction.*/
#[derive(Debug, Clone, PartialEq)]
pub struct RequantInt<V> {
    /// Operand.
    pub input: V,
    ///Attribute.
    pub multiplier: Vec<i64>,
    ///Attribute.
    pub rshift: Vec<i64>,
    ///Attribute.
    pub quant_mode: RequantMode,
    ///Attribute; `RoundMode::HalfAwayFromZero` by default.
    pub round_mode: RoundMode,
    ///Attribute; `1` by default.
    pub rq_axis: i64,
    ///Attribute; `false` by default.
    pub fuse_rq: bool,
}
impl<V> RequantInt<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        input: V,
        multiplier: Vec<i64>,
        rshift: Vec<i64>,
        quant_mode: RequantMode,
    ) -> Self {
        Self {
            input,
            multiplier,
            rshift,
            quant_mode,
            round_mode: RoundMode::HalfAwayFromZero,
            rq_axis: 1,
            fuse_rq: false,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            multiplier: attributes.take("multiplier")?,
            rshift: attributes.take("rshift")?,
            quant_mode: attributes.take("quant_mode")?,
            round_mode: attributes.take("round_mode")?,
            rq_axis: attributes.take("rq_axis")?,
            fuse_rq: attributes.take("fuse_rq")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("multiplier", &self.multiplier);
        a.put("rshift", &self.rshift);
        a.put("quant_mode", &self.quant_mode);
        a.put("round_mode", &self.round_mode);
        a.put("rq_axis", &self.rq_axis);
        a.put("fuse_rq", &self.fuse_rq);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<RequantInt<U>, E> {
        Ok(RequantInt {
            input: f(&self.input)?,
            multiplier: self.multiplier.clone(),
            rshift: self.rshift.clone(),
            quant_mode: self.quant_mode,
            round_mode: self.round_mode,
            rq_axis: self.rq_axis,
            fuse_rq: self.fuse_rq,
        })
    }
}
