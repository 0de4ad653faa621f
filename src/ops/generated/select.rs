// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
/// A string attribute: one of ColMajor, RowMajor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum NonZeroOrder {
    ColMajor,
    RowMajor,
}
impl NonZeroOrder {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            NonZeroOrder::ColMajor => "ColMajor",
            NonZeroOrder::RowMajor => "RowMajor",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "ColMajor" => NonZeroOrder::ColMajor,
                "RowMajor" => NonZeroOrder::RowMajor,
                _ => return None,
            },
        )
    }
}
one_of!(NonZeroOrder);
pub(super) const MASKEDFILL: OpDef = OpDef {
    name: "MaskedFill",
    summary: "brn where cond is nonzero, otherwise const_val; swapped with inversed",
    description: "",
    operands: &[
        ValueDef {
            name: "cond",
            arity: Arity::Required,
        },
        ValueDef {
            name: "brn",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "const_val",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "inversed",
            kind: AttributeKind::Bool,
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
///`top.MaskedFill`: brn where cond is nonzero, otherwise const_val; swapped with inversed.
#[derive(Debug, Clone, PartialEq)]
pub struct MaskedFill<V> {
    /// Operand.
    pub cond: V,
    /// Operand.
    pub brn: V,
    ///Attribute.
    pub const_val: f64,
    ///Attribute.
    pub inversed: bool,
}
impl<V> MaskedFill<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(cond: V, brn: V, const_val: f64, inversed: bool) -> Self {
        Self {
            cond,
            brn,
            const_val,
            inversed,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            cond: operands.required("cond")?,
            brn: operands.required("brn")?,
            const_val: attributes.take("const_val")?,
            inversed: attributes.take("inversed")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("cond", OperandValue::One(& self.cond)), ("brn", OperandValue::One(& self
            .brn)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("const_val", &self.const_val);
        a.put("inversed", &self.inversed);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<MaskedFill<U>, E> {
        Ok(MaskedFill {
            cond: f(&self.cond)?,
            brn: f(&self.brn)?,
            const_val: self.const_val,
            inversed: self.inversed,
        })
    }
}
pub(super) const NONZERO: OpDef = OpDef {
    name: "NonZero",
    summary: "Indices of the input's nonzero elements",
    description: "The result is [count, rank] for `ColMajor`, [rank, count] for `RowMajor`, with room for every element: the indices come first, the rest is 0.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "order",
            kind: AttributeKind::OneOf(&["ColMajor", "RowMajor"]),
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
/**`top.NonZero`: Indices of the input's nonzero elements.

The result is \[count, rank\] for `ColMajor`, \[rank, count\] for `RowMajor`, with room for every element: the indices come first, the rest is 0.*/
#[derive(Debug, Clone, PartialEq)]
pub struct NonZero<V> {
    /// Operand.
    pub input: V,
    ///Attribute.
    pub order: NonZeroOrder,
}
impl<V> NonZero<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, order: NonZeroOrder) -> Self {
        Self { input, order }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            order: attributes.take("order")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("order", &self.order);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<NonZero<U>, E> {
        Ok(NonZero {
            input: f(&self.input)?,
            order: self.order,
        })
    }
}
pub(super) const TRILU: OpDef = OpDef {
    name: "Trilu",
    summary: "Upper or lower triangle of the last two axes; other elements are 0",
    description: "`upper` is 1 or 0. `diagonal` moves the border, to the upper right if positive.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "diagonal",
            kind: AttributeKind::Si32,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "upper",
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
/**`top.Trilu`: Upper or lower triangle of the last two axes; other elements are 0.

`upper` is 1 or 0. `diagonal` moves the border, to the upper right if positive.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Trilu<V> {
    /// Operand.
    pub input: V,
    ///Attribute.
    pub diagonal: i64,
    ///Attribute.
    pub upper: i64,
}
impl<V> Trilu<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, diagonal: i64, upper: i64) -> Self {
        Self { input, diagonal, upper }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            diagonal: attributes.take("diagonal")?,
            upper: attributes.take("upper")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("diagonal", &self.diagonal);
        a.put("upper", &self.upper);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Trilu<U>, E> {
        Ok(Trilu {
            input: f(&self.input)?,
            diagonal: self.diagonal,
            upper: self.upper,
        })
    }
}
pub(super) const WHERE: OpDef = OpDef {
    name: "Where",
    summary: "tbrn where cond is nonzero, otherwise fbrn",
    description: "A branch is a tensor or a constant. For a constant the operand is none, `x_is_const` (for tbrn) or `y_is_const` (for fbrn) is true, and the value is in `x_const_val` or `y_const_val`.",
    operands: &[
        ValueDef {
            name: "cond",
            arity: Arity::Required,
        },
        ValueDef {
            name: "tbrn",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "fbrn",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "x_is_const",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "y_is_const",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "x_const_val",
            kind: AttributeKind::Float,
            default: Some(Default::Float(0.0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "y_const_val",
            kind: AttributeKind::Float,
            default: Some(Default::Float(0.0)),
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
/**`top.Where`: tbrn where cond is nonzero, otherwise fbrn.

A branch is a tensor or a constant. For a constant the operand is none, `x_is_const` (for tbrn) or `y_is_const` (for fbrn) is true, and the value is in `x_const_val` or `y_const_val`.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Where<V> {
    /// Operand.
    pub cond: V,
    /// Operand.
    pub tbrn: Option<V>,
    /// Operand.
    pub fbrn: Option<V>,
    ///Attribute; `false` by default.
    pub x_is_const: bool,
    ///Attribute; `false` by default.
    pub y_is_const: bool,
    ///Attribute; `0.0f64` by default.
    pub x_const_val: f64,
    ///Attribute; `0.0f64` by default.
    pub y_const_val: f64,
}
impl<V> Where<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(cond: V) -> Self {
        Self {
            cond,
            tbrn: None,
            fbrn: None,
            x_is_const: false,
            y_is_const: false,
            x_const_val: 0.0f64,
            y_const_val: 0.0f64,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            cond: operands.required("cond")?,
            tbrn: operands.optional("tbrn")?,
            fbrn: operands.optional("fbrn")?,
            x_is_const: attributes.take("x_is_const")?,
            y_is_const: attributes.take("y_is_const")?,
            x_const_val: attributes.take("x_const_val")?,
            y_const_val: attributes.take("y_const_val")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("cond", OperandValue::One(& self.cond)), ("tbrn", self.tbrn.as_ref()
            .map_or(OperandValue::Absent, OperandValue::One)), ("fbrn", self.fbrn
            .as_ref().map_or(OperandValue::Absent, OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("x_is_const", &self.x_is_const);
        a.put("y_is_const", &self.y_is_const);
        a.put("x_const_val", &self.x_const_val);
        a.put("y_const_val", &self.y_const_val);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Where<U>, E> {
        Ok(Where {
            cond: f(&self.cond)?,
            tbrn: self.tbrn.as_ref().map(&mut *f).transpose()?,
            fbrn: self.fbrn.as_ref().map(&mut *f).transpose()?,
            x_is_const: self.x_is_const,
            y_is_const: self.y_is_const,
            x_const_val: self.x_const_val,
            y_const_val: self.y_const_val,
        })
    }
}
