// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
pub(super) const ARANGE: OpDef = OpDef {
    name: "Arange",
    summary: "start, start + step, .. up to end (exclusive)",
    description: "There must be at least one number.",
    operands: &[
        ValueDef {
            name: "start",
            description: "The first number: a coefficient of one element; 0 if absent",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "end",
            description: "The number before which to stop: a coefficient of one element",
            arity: Arity::Required,
        },
        ValueDef {
            name: "step",
            description: "The difference of consecutive numbers, may be negative: a coefficient of one element; 1 if absent",
            arity: Arity::OrNone,
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
/**`top.Arange`: start, start + step, .. up to end (exclusive).

There must be at least one number.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Arange<V> {
    /// The first number: a coefficient of one element; 0 if absent.
    pub start: Option<V>,
    /// The number before which to stop: a coefficient of one element.
    pub end: V,
    /// The difference of consecutive numbers, may be negative: a coefficient of one element; 1 if absent.
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
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The shape of the result: a coefficient of integers, of which -1 stands for 1",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "value",
            description: "The value of all elements",
            kind: AttributeKind::Float,
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
///`top.ConstantFill`: Tensor of one value.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstantFill<V> {
    /// The shape of the result: a coefficient of integers, of which -1 stands for 1.
    pub input: V,
    /// The value of all elements.
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
    description: "Result i varies as vector i does along axis i, which counts from the end with `is_reverse`, and is constant along the others.",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "The vectors",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "is_reverse",
            description: "Whether the axes are in reverse order, as NumPy's `indexing='xy'` has it for two vectors",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "outputs",
            description: "",
            arity: Arity::Variadic,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.MeshGrid`: Coordinates of a grid, from one vector for each axis.

Result i varies as vector i does along axis i, which counts from the end with `is_reverse`, and is constant along the others.*/
#[derive(Debug, Clone, PartialEq)]
pub struct MeshGrid<V> {
    /// The vectors.
    pub inputs: Vec<V>,
    /// Whether the axes are in reverse order, as NumPy's `indexing='xy'` has it for two vectors.
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
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "A tensor of the result's shape",
            arity: Arity::Required,
        },
        ValueDef {
            name: "randn_data",
            description: "The numbers, which are drawn when the model is converted",
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
///`top.RandnLike`: Normally distributed numbers in the shape of the input.
#[derive(Debug, Clone, PartialEq)]
pub struct RandnLike<V> {
    /// A tensor of the result's shape.
    pub input: V,
    /// The numbers, which are drawn when the model is converted.
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
    description: "There must be at least one number.",
    operands: &[
        ValueDef {
            name: "start",
            description: "The first number: a coefficient of one element; 0 if absent",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "limit",
            description: "The number before which to stop: a coefficient of one element",
            arity: Arity::Required,
        },
        ValueDef {
            name: "delta",
            description: "The difference of consecutive numbers, may be negative: a coefficient of one element; 1 if absent",
            arity: Arity::OrNone,
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
/**`top.Range`: start, start + delta, .. up to limit (exclusive).

There must be at least one number.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Range<V> {
    /// The first number: a coefficient of one element; 0 if absent.
    pub start: Option<V>,
    /// The number before which to stop: a coefficient of one element.
    pub limit: V,
    /// The difference of consecutive numbers, may be negative: a coefficient of one element; 1 if absent.
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
    description: "With `start` or `end`, of the axes from one to the other only, `step` apart.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor, of at least one dimension",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "end",
            description: "The axis before which to stop; a negative one counts from the end; the number of axes if absent",
            kind: AttributeKind::Int,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "start",
            description: "The first axis; a negative one counts from the end; 0 if absent",
            kind: AttributeKind::Int,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "step",
            description: "The step from one axis to the next, not 0; 1 if absent. Without `start` and `end` it changes nothing",
            kind: AttributeKind::Int,
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
    quant_transparent: false,
    structure: false,
};
/**`top.Shape`: Shape of a tensor.

With `start` or `end`, of the axes from one to the other only, `step` apart.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Shape<V> {
    /// The tensor, of at least one dimension.
    pub input: V,
    /// The axis before which to stop; a negative one counts from the end; the number of axes if absent.
    pub end: Option<i64>,
    /// The first axis; a negative one counts from the end; 0 if absent.
    pub start: Option<i64>,
    /// The step from one axis to the next, not 0; 1 if absent. Without `start` and `end` it changes nothing.
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
            description: "The tensor, of at least one dimension",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "axis",
            description: "The axis; a negative one counts from the end; all axes if absent",
            kind: AttributeKind::Si32,
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
    quant_transparent: false,
    structure: false,
};
///`top.Size`: Size of one axis, or of all.
#[derive(Debug, Clone, PartialEq)]
pub struct Size<V> {
    /// The tensor, of at least one dimension.
    pub input: V,
    /// The axis; a negative one counts from the end; all axes if absent.
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
