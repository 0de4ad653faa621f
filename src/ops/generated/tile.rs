// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
pub(super) const EXPAND: OpDef = OpDef {
    name: "Expand",
    summary: "Repeats axes of size 1 to a larger shape (NumPy's broadcasting)",
    description: "The shape is `shape`, or `shapeT` if present.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "shapeT",
            arity: Arity::Optional,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "shape",
            kind: AttributeKind::Ints,
            default: Some(Default::Ints(&[])),
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
    quant_transparent: true,
    structure: false,
};
/**`top.Expand`: Repeats axes of size 1 to a larger shape (NumPy's broadcasting).

The shape is `shape`, or `shapeT` if present.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Expand<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub shapeT: Option<V>,
    ///Attribute; `vec![]` by default.
    pub shape: Vec<i64>,
}
impl<V> Expand<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V) -> Self {
        Self {
            input,
            shapeT: None,
            shape: vec![],
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            shapeT: operands.optional("shapeT")?,
            shape: attributes.take("shape")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("shapeT", self.shapeT.as_ref()
            .map_or(OperandValue::Absent, OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("shape", &self.shape);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Expand<U>, E> {
        Ok(Expand {
            input: f(&self.input)?,
            shapeT: self.shapeT.as_ref().map(&mut *f).transpose()?,
            shape: self.shape.clone(),
        })
    }
}
pub(super) const REPEAT: OpDef = OpDef {
    name: "Repeat",
    summary: "Repeats the tensor along each axis, with the counts in a tensor",
    description: "More counts than axes add axes in front.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "repeats",
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
    quant_transparent: true,
    structure: false,
};
/**`top.Repeat`: Repeats the tensor along each axis, with the counts in a tensor.

More counts than axes add axes in front.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Repeat<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub repeats: V,
}
impl<V> Repeat<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, repeats: V) -> Self {
        Self { input, repeats }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            repeats: operands.required("repeats")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("repeats", OperandValue::One(&
            self.repeats)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes::default()
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Repeat<U>, E> {
        Ok(Repeat {
            input: f(&self.input)?,
            repeats: f(&self.repeats)?,
        })
    }
}
pub(super) const TILE: OpDef = OpDef {
    name: "Tile",
    summary: "Repeats the tensor along each axis",
    description: "The counts are `tile`, or `tileT` if present.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "tileT",
            arity: Arity::Optional,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "tile",
            kind: AttributeKind::Ints,
            default: None,
            optional: true,
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
    quant_transparent: true,
    structure: false,
};
/**`top.Tile`: Repeats the tensor along each axis.

The counts are `tile`, or `tileT` if present.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Tile<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub tileT: Option<V>,
    ///Attribute; may be absent.
    pub tile: Option<Vec<i64>>,
}
impl<V> Tile<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V) -> Self {
        Self {
            input,
            tileT: None,
            tile: None,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            tileT: operands.optional("tileT")?,
            tile: attributes.take_optional("tile")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("tileT", self.tileT.as_ref()
            .map_or(OperandValue::Absent, OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put_optional("tile", &self.tile);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Tile<U>, E> {
        Ok(Tile {
            input: f(&self.input)?,
            tileT: self.tileT.as_ref().map(&mut *f).transpose()?,
            tile: self.tile.clone(),
        })
    }
}
pub(super) const UPSAMPLE: OpDef = OpDef {
    name: "Upsample",
    summary: "Repeats each pixel scale_h times along height and scale_w times along width",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "do_relu",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "relu_limit",
            kind: AttributeKind::Float,
            default: Some(Default::Float(-1.0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "scale_h",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "scale_w",
            kind: AttributeKind::Int,
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
///`top.Upsample`: Repeats each pixel scale_h times along height and scale_w times along width.
#[derive(Debug, Clone, PartialEq)]
pub struct Upsample<V> {
    /// Operand.
    pub input: V,
    ///Attribute; `false` by default.
    pub do_relu: bool,
    ///Attribute; `-1.0f64` by default.
    pub relu_limit: f64,
    ///Attribute.
    pub scale_h: i64,
    ///Attribute.
    pub scale_w: i64,
}
impl<V> Upsample<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, scale_h: i64, scale_w: i64) -> Self {
        Self {
            input,
            do_relu: false,
            relu_limit: -1.0f64,
            scale_h,
            scale_w,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            do_relu: attributes.take("do_relu")?,
            relu_limit: attributes.take("relu_limit")?,
            scale_h: attributes.take("scale_h")?,
            scale_w: attributes.take("scale_w")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("do_relu", &self.do_relu);
        a.put("relu_limit", &self.relu_limit);
        a.put("scale_h", &self.scale_h);
        a.put("scale_w", &self.scale_w);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Upsample<U>, E> {
        Ok(Upsample {
            input: f(&self.input)?,
            do_relu: self.do_relu,
            relu_limit: self.relu_limit,
            scale_h: self.scale_h,
            scale_w: self.scale_w,
        })
    }
}
