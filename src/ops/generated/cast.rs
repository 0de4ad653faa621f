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
    description: "Conversion to an integer saturates.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor, of any dtype",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "to",
            description: "The target dtype: `F32`, `F16`, `INT8`, `UINT8`, ...; if empty, the one that the result is declared with",
            kind: AttributeKind::Str,
            default: Some(Default::Str("")),
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
/**`top.Cast`: Conversion to another data type.

Conversion to an integer saturates.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Cast<V> {
    /// The tensor, of any dtype.
    pub input: V,
    /// The target dtype: `F32`, `F16`, `INT8`, `UINT8`, ...; if empty, the one that the result is declared with. The default is `"".to_owned()`.
    pub to: String,
    /// How results are rounded to integers. The default is `RoundMode::HalfAwayFromZero`.
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
    description: "In the mode `Normal`, `y = saturate(round((x - zero_point) * multiplier * 2^shift))`, with the zero point of the input. In the mode `TFLite`, `(x - zero_point) * multiplier * 2^lshift`, with a multiplier that is a Q31 fraction, is rounded half up to 32 bits, then multiplied by `2^shift` and rounded by `round_mode`. `multiplier` and `shift` are of equal length.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The integers; their zero point is subtracted first",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "lshift",
            description: "In the mode `TFLite`, the bits by which products are first shifted to the left",
            kind: AttributeKind::Int,
            default: Some(Default::Int(0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "multiplier",
            description: "The multiplier: one for all, or one per channel (axis 1); in the mode `TFLite` a Q31 fraction",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "quant_mode",
            description: "The formula",
            kind: AttributeKind::OneOf(&["Normal", "TFLite"]),
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
            name: "shift",
            description: "Bits of the shift to the left, to the right if negative: one for all, or one per channel (axis 1)",
            kind: AttributeKind::Ints,
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
/**`top.DequantInt`: Narrow integer to a wider one, by fixed-point multiplication.

In the mode `Normal`, `y = saturate(round((x - zero_point) * multiplier * 2^shift))`, with the zero point of the input. In the mode `TFLite`, `(x - zero_point) * multiplier * 2^lshift`, with a multiplier that is a Q31 fraction, is rounded half up to 32 bits, then multiplied by `2^shift` and rounded by `round_mode`. `multiplier` and `shift` are of equal length.*/
#[derive(Debug, Clone, PartialEq)]
pub struct DequantInt<V> {
    /// The integers; their zero point is subtracted first.
    pub input: V,
    /// In the mode `TFLite`, the bits by which products are first shifted to the left. The default is `0`.
    pub lshift: i64,
    /// The multiplier: one for all, or one per channel (axis 1); in the mode `TFLite` a Q31 fraction.
    pub multiplier: Vec<i64>,
    /// The formula.
    pub quant_mode: DequantMode,
    /// How results are rounded to integers. The default is `RoundMode::HalfAwayFromZero`.
    pub round_mode: RoundMode,
    /// Bits of the shift to the left, to the right if negative: one for all, or one per channel (axis 1).
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
    description: "`x_scale` and `x_zero_point` are of equal length.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The integers",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "axis",
            description: "The axis of lists; negative values count from the end",
            kind: AttributeKind::Int,
            default: Some(Default::Int(1)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "x_scale",
            description: "The scale of the input: one for all, or one per index along `axis`",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "x_zero_point",
            description: "The zero point of the input: one for all, or one per index along `axis`",
            kind: AttributeKind::I32s,
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
/**`top.DequantizeLinear`: (x - x_zero_point) * x_scale.

`x_scale` and `x_zero_point` are of equal length.*/
#[derive(Debug, Clone, PartialEq)]
pub struct DequantizeLinear<V> {
    /// The integers.
    pub input: V,
    /// The axis of lists; negative values count from the end. The default is `1`.
    pub axis: i64,
    /// The scale of the input: one for all, or one per index along `axis`.
    pub x_scale: Vec<f64>,
    /// The zero point of the input: one for all, or one per index along `axis`.
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
            description: "The tensor, of float32",
            arity: Arity::Required,
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
///`top.DtypeCast`: Conversion from float32 to float16.
#[derive(Debug, Clone, PartialEq)]
pub struct DtypeCast<V> {
    /// The tensor, of float32.
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
    description: "Halves are rounded to even. `y_scale` and `y_zero_point` are of equal length.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The numbers, integers or floats",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "axis",
            description: "The axis of lists; negative values count from the end",
            kind: AttributeKind::Int,
            default: Some(Default::Int(1)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "y_scale",
            description: "The scale of the result: one for all, or one per index along `axis`",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "y_zero_point",
            description: "The zero point of the result: one for all, or one per index along `axis`",
            kind: AttributeKind::I32s,
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
/**`top.QuantizeLinear`: saturate(round(x / y_scale) + y_zero_point).

Halves are rounded to even. `y_scale` and `y_zero_point` are of equal length.*/
#[derive(Debug, Clone, PartialEq)]
pub struct QuantizeLinear<V> {
    /// The numbers, integers or floats.
    pub input: V,
    /// The axis of lists; negative values count from the end. The default is `1`.
    pub axis: i64,
    /// The scale of the result: one for all, or one per index along `axis`.
    pub y_scale: Vec<f64>,
    /// The zero point of the result: one for all, or one per index along `axis`.
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
    description: "`y = saturate(round(x * scale + offset))`. The TFLite modes add no `offset`, but the zero point of the result after rounding. `scale` and `offset` are of equal length.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The numbers, integers or floats",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "first_round_mode",
            description: "How a float input is rounded before it is scaled",
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
            description: "Added to the products: one for all, or one per channel (axis 1)",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "quant_mode",
            description: "The formula. The TFLite modes are the same; `OnlyShift`, `QDM` and `OnlyScale` are not supported",
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
            name: "scale",
            description: "The factor of the elements: one for all, or one per channel (axis 1)",
            kind: AttributeKind::Floats,
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
/**`top.RequantFp`: Number to a narrow type, by a floating-point scale.

`y = saturate(round(x * scale + offset))`. The TFLite modes add no `offset`, but the zero point of the result after rounding. `scale` and `offset` are of equal length.*/
#[derive(Debug, Clone, PartialEq)]
pub struct RequantFp<V> {
    /// The numbers, integers or floats.
    pub input: V,
    /// How a float input is rounded before it is scaled. The default is `RoundMode::HalfUp`.
    pub first_round_mode: RoundMode,
    /// Added to the products: one for all, or one per channel (axis 1).
    pub offset: Vec<f64>,
    /// The formula. The TFLite modes are the same; `OnlyShift`, `QDM` and `OnlyScale` are not supported.
    pub quant_mode: RequantMode,
    /// How results are rounded to integers. The default is `RoundMode::HalfAwayFromZero`.
    pub round_mode: RoundMode,
    /// The factor of the elements: one for all, or one per channel (axis 1).
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
    description: "`y = saturate(round(x * multiplier * 2^-rshift) + zero_point)`, with the zero point of the result. In the TFLite modes the product is first rounded half up to 32 bits.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The accumulator, an integer tensor; its own zero point is subtracted first",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "multiplier",
            description: "The multiplier: one for all, or one per index along `rq_axis`; in the TFLite modes a Q31 fraction",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "rshift",
            description: "Bits of the shift to the right, to the left if negative: one for all, or one per multiplier",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "quant_mode",
            description: "The formula. The TFLite modes are the same; `OnlyShift`, `QDM` and `OnlyScale` are not supported",
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
            name: "rq_axis",
            description: "The axis of lists; negative values count from the end",
            kind: AttributeKind::Si32,
            default: Some(Default::Int(1)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "fuse_rq",
            description: "Whether the chip fuses it with the matrix product before it; lists may then be longer, and the rest is ignored",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
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
/**`top.RequantInt`: Integer accumulator to a narrow integer, by fixed-point multiplication.

`y = saturate(round(x * multiplier * 2^-rshift) + zero_point)`, with the zero point of the result. In the TFLite modes the product is first rounded half up to 32 bits.*/
#[derive(Debug, Clone, PartialEq)]
pub struct RequantInt<V> {
    /// The accumulator, an integer tensor; its own zero point is subtracted first.
    pub input: V,
    /// The multiplier: one for all, or one per index along `rq_axis`; in the TFLite modes a Q31 fraction.
    pub multiplier: Vec<i64>,
    /// Bits of the shift to the right, to the left if negative: one for all, or one per multiplier.
    pub rshift: Vec<i64>,
    /// The formula. The TFLite modes are the same; `OnlyShift`, `QDM` and `OnlyScale` are not supported.
    pub quant_mode: RequantMode,
    /// How results are rounded to integers. The default is `RoundMode::HalfAwayFromZero`.
    pub round_mode: RoundMode,
    /// The axis of lists; negative values count from the end. The default is `1`.
    pub rq_axis: i64,
    /// Whether the chip fuses it with the matrix product before it; lists may then be longer, and the rest is ignored. The default is `false`.
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
