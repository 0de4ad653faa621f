// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
pub(super) const ARANGE: OpDef = OpDef {
    name: "Arange",
    summary: "start, start + step, .. up to end (exclusive)",
    description: "`start` defaults to 0 and `step` to 1.",
    operands: &[
        ValueDef {
            name: "start",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "end",
            arity: Arity::Required,
        },
        ValueDef {
            name: "step",
            arity: Arity::OrNone,
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
/**`top.Arange`: start, start + step, .. up to end (exclusive).

`start` defaults to 0 and `step` to 1.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Arange<V> {
    /// Operand.
    pub start: Option<V>,
    /// Operand.
    pub end: V,
    /// Operand.
    pub step: Option<V>,
}
impl<V> Arange<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(end: V) -> Self {
        Self {
            start: None,
            end,
            step: None,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            start: operands.optional("start")?,
            end: operands.required("end")?,
            step: operands.optional("step")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("start", self.start.as_ref().map_or(OperandValue::Absent,
            OperandValue::One)), ("end", OperandValue::One(& self.end)), ("step", self
            .step.as_ref().map_or(OperandValue::Absent, OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes::default()
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Arange<U>, E> {
        Ok(Arange {
            start: self.start.as_ref().map(&mut *f).transpose()?,
            end: f(&self.end)?,
            step: self.step.as_ref().map(&mut *f).transpose()?,
        })
    }
}
pub(super) const CONSTANTFILL: OpDef = OpDef {
    name: "ConstantFill",
    summary: "Tensor of one value",
    description: "`input` lists the shape.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "value",
            kind: AttributeKind::Float,
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
/**`top.ConstantFill`: Tensor of one value.

`input` lists the shape.*/
#[derive(Debug, Clone, PartialEq)]
pub struct ConstantFill<V> {
    /// Operand.
    pub input: V,
    ///Attribute.
    pub value: f64,
}
impl<V> ConstantFill<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, value: f64) -> Self {
        Self { input, value }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            value: attributes.take("value")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("value", &self.value);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<ConstantFill<U>, E> {
        Ok(ConstantFill {
            input: f(&self.input)?,
            value: self.value,
        })
    }
}
pub(super) const MESHGRID: OpDef = OpDef {
    name: "MeshGrid",
    summary: "Coordinates of a grid, from one vector for each axis",
    description: "Result i varies along axis i as vector i does and is constant along the others. `is_reverse` is the order of axes that `indexing=\"xy\"` gives.",
    operands: &[
        ValueDef {
            name: "inputs",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "is_reverse",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "outputs",
            arity: Arity::Variadic,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.MeshGrid`: Coordinates of a grid, from one vector for each axis.

Result i varies along axis i as vector i does and is constant along the others. `is_reverse` is the order of axes that `indexing="xy"` gives.*/
#[derive(Debug, Clone, PartialEq)]
pub struct MeshGrid<V> {
    /// Operand.
    pub inputs: Vec<V>,
    ///Attribute.
    pub is_reverse: bool,
}
impl<V> MeshGrid<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(inputs: Vec<V>, is_reverse: bool) -> Self {
        Self { inputs, is_reverse }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            inputs: operands.rest("inputs")?,
            is_reverse: attributes.take("is_reverse")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("inputs", OperandValue::Many(& self.inputs)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("is_reverse", &self.is_reverse);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<MeshGrid<U>, E> {
        Ok(MeshGrid {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
            is_reverse: self.is_reverse,
        })
    }
}
pub(super) const RANDNLIKE: OpDef = OpDef {
    name: "RandnLike",
    summary: "Normally distributed numbers in the shape of the input",
    description: "`randn_data` holds the numbers, which are drawn when the model is converted.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "randn_data",
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
/**`top.RandnLike`: Normally distributed numbers in the shape of the input.

`randn_data` holds the numbers, which are drawn when the model is converted.*/
#[derive(Debug, Clone, PartialEq)]
pub struct RandnLike<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub randn_data: V,
}
impl<V> RandnLike<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, randn_data: V) -> Self {
        Self { input, randn_data }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            randn_data: operands.required("randn_data")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("randn_data",
            OperandValue::One(& self.randn_data)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes::default()
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<RandnLike<U>, E> {
        Ok(RandnLike {
            input: f(&self.input)?,
            randn_data: f(&self.randn_data)?,
        })
    }
}
pub(super) const RANGE: OpDef = OpDef {
    name: "Range",
    summary: "start, start + delta, .. up to limit (exclusive)",
    description: "`start` defaults to 0 and `delta` to 1.",
    operands: &[
        ValueDef {
            name: "start",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "limit",
            arity: Arity::Required,
        },
        ValueDef {
            name: "delta",
            arity: Arity::OrNone,
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
/**`top.Range`: start, start + delta, .. up to limit (exclusive).

`start` defaults to 0 and `delta` to 1.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Range<V> {
    /// Operand.
    pub start: Option<V>,
    /// Operand.
    pub limit: V,
    /// Operand.
    pub delta: Option<V>,
}
impl<V> Range<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(limit: V) -> Self {
        Self {
            start: None,
            limit,
            delta: None,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            start: operands.optional("start")?,
            limit: operands.required("limit")?,
            delta: operands.optional("delta")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("start", self.start.as_ref().map_or(OperandValue::Absent,
            OperandValue::One)), ("limit", OperandValue::One(& self.limit)), ("delta",
            self.delta.as_ref().map_or(OperandValue::Absent, OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes::default()
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Range<U>, E> {
        Ok(Range {
            start: self.start.as_ref().map(&mut *f).transpose()?,
            limit: f(&self.limit)?,
            delta: self.delta.as_ref().map(&mut *f).transpose()?,
        })
    }
}
pub(super) const SHAPE: OpDef = OpDef {
    name: "Shape",
    summary: "Shape of a tensor",
    description: "With `start` or `end`, of those axes only, `step` apart.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "end",
            kind: AttributeKind::Int,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "start",
            kind: AttributeKind::Int,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "step",
            kind: AttributeKind::Int,
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
    quant_transparent: false,
    structure: false,
};
/**`top.Shape`: Shape of a tensor.

With `start` or `end`, of those axes only, `step` apart.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Shape<V> {
    /// Operand.
    pub input: V,
    ///Attribute; may be absent.
    pub end: Option<i64>,
    ///Attribute; may be absent.
    pub start: Option<i64>,
    ///Attribute; may be absent.
    pub step: Option<i64>,
}
impl<V> Shape<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V) -> Self {
        Self {
            input,
            end: None,
            start: None,
            step: None,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            end: attributes.take_optional("end")?,
            start: attributes.take_optional("start")?,
            step: attributes.take_optional("step")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put_optional("end", &self.end);
        a.put_optional("start", &self.start);
        a.put_optional("step", &self.step);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Shape<U>, E> {
        Ok(Shape {
            input: f(&self.input)?,
            end: self.end,
            start: self.start,
            step: self.step,
        })
    }
}
pub(super) const SIZE: OpDef = OpDef {
    name: "Size",
    summary: "Size of one axis, or of all",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "axis",
            kind: AttributeKind::Si32,
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
    quant_transparent: false,
    structure: false,
};
///`top.Size`: Size of one axis, or of all.
#[derive(Debug, Clone, PartialEq)]
pub struct Size<V> {
    /// Operand.
    pub input: V,
    ///Attribute; may be absent.
    pub axis: Option<i64>,
}
impl<V> Size<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V) -> Self {
        Self { input, axis: None }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            axis: attributes.take_optional("axis")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put_optional("axis", &self.axis);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Size<U>, E> {
        Ok(Size {
            input: f(&self.input)?,
            axis: self.axis,
        })
    }
}
