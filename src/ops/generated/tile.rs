// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
pub(super) const EXPAND: OpDef = OpDef {
    name: "Expand",
    summary: "Repeats axes of size 1 to a larger shape (NumPy's broadcasting)",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
        ValueDef {
            name: "shapeT",
            description: "The new shape, in place of `shape`: a coefficient of integers",
            arity: Arity::Optional,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "shape",
            description: "The new shape; further axes come first. A dimension of 1 or -1 keeps that of `input`",
            kind: AttributeKind::Ints,
            default: Some(Default::Ints(&[])),
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
    quant_transparent: true,
    structure: false,
};
///`top.Expand`: Repeats axes of size 1 to a larger shape (NumPy's broadcasting).
#[derive(Debug, Clone, PartialEq)]
pub struct Expand<V> {
    /// The tensor.
    pub input: V,
    /// The new shape, in place of `shape`: a coefficient of integers.
    pub shapeT: Option<V>,
    /// The new shape; further axes come first. A dimension of 1 or -1 keeps that of `input`. The default is `vec![]`.
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
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
        ValueDef {
            name: "repeats",
            description: "The counts, at least 1: a coefficient. More than axes add axes in front; fewer are for the last ones",
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
    quant_transparent: true,
    structure: false,
};
///`top.Repeat`: Repeats the tensor along each axis, with the counts in a tensor.
#[derive(Debug, Clone, PartialEq)]
pub struct Repeat<V> {
    /// The tensor.
    pub input: V,
    /// The counts, at least 1: a coefficient. More than axes add axes in front; fewer are for the last ones.
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
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
        ValueDef {
            name: "tileT",
            description: "The repetitions, in place of `tile`: a coefficient of integers",
            arity: Arity::Optional,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "tile",
            description: "Number of repetitions along each axis, at least 1; absent only with `tileT`",
            kind: AttributeKind::Ints,
            default: None,
            optional: true,
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
    quant_transparent: true,
    structure: false,
};
///`top.Tile`: Repeats the tensor along each axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Tile<V> {
    /// The tensor.
    pub input: V,
    /// The repetitions, in place of `tile`: a coefficient of integers.
    pub tileT: Option<V>,
    /// Number of repetitions along each axis, at least 1; absent only with `tileT`.
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
            description: "The images: [..., h, w]",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "do_relu",
            description: "Whether negative results become 0",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "relu_limit",
            description: "With `do_relu`, the maximum of the results; 0 or a negative value means none",
            kind: AttributeKind::Float,
            default: Some(Default::Float(-1.0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "scale_h",
            description: "The factor of the height, at least 1",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "scale_w",
            description: "The factor of the width, at least 1",
            kind: AttributeKind::Int,
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
///`top.Upsample`: Repeats each pixel scale_h times along height and scale_w times along width.
#[derive(Debug, Clone, PartialEq)]
pub struct Upsample<V> {
    /// The images: \[..., h, w\].
    pub input: V,
    /// Whether negative results become 0. The default is `false`.
    pub do_relu: bool,
    /// With `do_relu`, the maximum of the results; 0 or a negative value means none. The default is `-1.0f64`.
    pub relu_limit: f64,
    /// The factor of the height, at least 1.
    pub scale_h: i64,
    /// The factor of the width, at least 1.
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
