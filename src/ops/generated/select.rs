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
            description: "The condition, which holds where it is not 0; broadcast with `brn`",
            arity: Arity::Required,
        },
        ValueDef {
            name: "brn",
            description: "The tensor that is filled where `cond` does not hold",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "const_val",
            description: "The value that replaces elements of `brn`",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "inversed",
            description: "Whether elements are replaced where `cond` holds instead",
            kind: AttributeKind::Bool,
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
///`top.MaskedFill`: brn where cond is nonzero, otherwise const_val; swapped with inversed.
#[derive(Debug, Clone, PartialEq)]
pub struct MaskedFill<V> {
    /// The condition, which holds where it is not 0; broadcast with `brn`.
    pub cond: V,
    /// The tensor that is filled where `cond` does not hold.
    pub brn: V,
    /// The value that replaces elements of `brn`.
    pub const_val: f64,
    /// Whether elements are replaced where `cond` holds instead.
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
    description: "The result has room for every element: the indices come first, in the order of the elements, the rest is 0.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor, with at least one axis",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "order",
            description: "The result for count elements of `input`: ColMajor [count, rank], RowMajor [rank, count]",
            kind: AttributeKind::OneOf(&["ColMajor", "RowMajor"]),
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
/**`top.NonZero`: Indices of the input's nonzero elements.

The result has room for every element: the indices come first, in the order of the elements, the rest is 0.*/
#[derive(Debug, Clone, PartialEq)]
pub struct NonZero<V> {
    /// The tensor, with at least one axis.
    pub input: V,
    /// The result for count elements of `input`: ColMajor \[count, rank\], RowMajor \[rank, count\].
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
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor, with at least two axes",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "diagonal",
            description: "The diagonal at the border, which is kept: 0 is the main one, positive ones are to the upper right",
            kind: AttributeKind::Si32,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "upper",
            description: "The triangle that is kept: 1 the upper, 0 the lower",
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
///`top.Trilu`: Upper or lower triangle of the last two axes; other elements are 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Trilu<V> {
    /// The tensor, with at least two axes.
    pub input: V,
    /// The diagonal at the border, which is kept: 0 is the main one, positive ones are to the upper right.
    pub diagonal: i64,
    /// The triangle that is kept: 1 the upper, 0 the lower.
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
    description: "A branch is a tensor or a constant. For a constant the operand is none, `x_is_const` (for tbrn) or `y_is_const` (for fbrn) is true, and the value is in `x_const_val` or `y_const_val`. All shapes are broadcast.",
    operands: &[
        ValueDef {
            name: "cond",
            description: "The condition, which holds where it is not 0",
            arity: Arity::Required,
        },
        ValueDef {
            name: "tbrn",
            description: "The branch where `cond` holds; none if it is a constant",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "fbrn",
            description: "The branch where `cond` does not hold; none if it is a constant",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "x_is_const",
            description: "Whether `tbrn` is a constant",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "y_is_const",
            description: "Whether `fbrn` is a constant",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "x_const_val",
            description: "The constant for `tbrn`",
            kind: AttributeKind::Float,
            default: Some(Default::Float(0.0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "y_const_val",
            description: "The constant for `fbrn`",
            kind: AttributeKind::Float,
            default: Some(Default::Float(0.0)),
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
/**`top.Where`: tbrn where cond is nonzero, otherwise fbrn.

A branch is a tensor or a constant. For a constant the operand is none, `x_is_const` (for tbrn) or `y_is_const` (for fbrn) is true, and the value is in `x_const_val` or `y_const_val`. All shapes are broadcast.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Where<V> {
    /// The condition, which holds where it is not 0.
    pub cond: V,
    /// The branch where `cond` holds; none if it is a constant.
    pub tbrn: Option<V>,
    /// The branch where `cond` does not hold; none if it is a constant.
    pub fbrn: Option<V>,
    /// Whether `tbrn` is a constant. The default is `false`.
    pub x_is_const: bool,
    /// Whether `fbrn` is a constant. The default is `false`.
    pub y_is_const: bool,
    /// The constant for `tbrn`. The default is `0.0f64`.
    pub x_const_val: f64,
    /// The constant for `fbrn`. The default is `0.0f64`.
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
