// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
/// A string attribute: one of constant, reflect, symmetric, edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum PadMode {
    Constant,
    Reflect,
    Symmetric,
    Edge,
}
impl PadMode {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            PadMode::Constant => "constant",
            PadMode::Reflect => "reflect",
            PadMode::Symmetric => "symmetric",
            PadMode::Edge => "edge",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "constant" => PadMode::Constant,
                "reflect" => PadMode::Reflect,
                "symmetric" => PadMode::Symmetric,
                "edge" => PadMode::Edge,
                _ => return None,
            },
        )
    }
}
one_of!(PadMode);
pub(super) const CONCAT: OpDef = OpDef {
    name: "Concat",
    summary: "Joins tensors along an axis",
    description: "All other dimensions are equal.",
    operands: &[
        ValueDef {
            name: "inputs",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "axis",
            kind: AttributeKind::Si32,
            default: Some(Default::Int(1)),
            optional: false,
            ignored: false,
        },
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
            name: "only_merge",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: true,
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
/**`top.Concat`: Joins tensors along an axis.

All other dimensions are equal.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Concat<V> {
    /// Operand.
    pub inputs: Vec<V>,
    ///Attribute; `1` by default.
    pub axis: i64,
    ///Attribute; `false` by default.
    pub do_relu: bool,
    ///Attribute; `-1.0f64` by default.
    pub relu_limit: f64,
    ///Attribute; `false` by default. It changes no result.
    pub only_merge: bool,
    ///Attribute; `RoundMode::HalfAwayFromZero` by default.
    pub round_mode: RoundMode,
}
impl<V> Concat<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(inputs: Vec<V>) -> Self {
        Self {
            inputs,
            axis: 1,
            do_relu: false,
            relu_limit: -1.0f64,
            only_merge: false,
            round_mode: RoundMode::HalfAwayFromZero,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            inputs: operands.rest("inputs")?,
            axis: attributes.take("axis")?,
            do_relu: attributes.take("do_relu")?,
            relu_limit: attributes.take("relu_limit")?,
            only_merge: attributes.take("only_merge")?,
            round_mode: attributes.take("round_mode")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("inputs", OperandValue::Many(& self.inputs)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("axis", &self.axis);
        a.put("do_relu", &self.do_relu);
        a.put("relu_limit", &self.relu_limit);
        a.put("only_merge", &self.only_merge);
        a.put("round_mode", &self.round_mode);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Concat<U>, E> {
        Ok(Concat {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
            axis: self.axis,
            do_relu: self.do_relu,
            relu_limit: self.relu_limit,
            only_merge: self.only_merge,
            round_mode: self.round_mode,
        })
    }
}
pub(super) const CONCATSLICE: OpDef = OpDef {
    name: "ConcatSlice",
    summary: "The last part of in0 followed by in1 along an axis, as long as in0",
    description: "",
    operands: &[
        ValueDef {
            name: "in0",
            arity: Arity::Required,
        },
        ValueDef {
            name: "in1",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "axis",
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
///`top.ConcatSlice`: The last part of in0 followed by in1 along an axis, as long as in0.
#[derive(Debug, Clone, PartialEq)]
pub struct ConcatSlice<V> {
    /// Operand.
    pub in0: V,
    /// Operand.
    pub in1: V,
    ///Attribute.
    pub axis: i64,
}
impl<V> ConcatSlice<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(in0: V, in1: V, axis: i64) -> Self {
        Self { in0, in1, axis }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            in0: operands.required("in0")?,
            in1: operands.required("in1")?,
            axis: attributes.take("axis")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("in0", OperandValue::One(& self.in0)), ("in1", OperandValue::One(& self
            .in1)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("axis", &self.axis);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<ConcatSlice<U>, E> {
        Ok(ConcatSlice {
            in0: f(&self.in0)?,
            in1: f(&self.in1)?,
            axis: self.axis,
        })
    }
}
pub(super) const COPY: OpDef = OpDef {
    name: "Copy",
    summary: "A copy",
    description: "`shape` is that of the input. Strides are all 1, as TpuLang writes them, or those of a dense tensor: the compiler ignores both.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "input_stride",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "output_stride",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "shape",
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
    quant_transparent: true,
    structure: false,
};
/**`top.Copy`: A copy.

`shape` is that of the input. Strides are all 1, as TpuLang writes them, or those of a dense tensor: the compiler ignores both.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Copy<V> {
    /// Operand.
    pub input: V,
    ///Attribute.
    pub input_stride: Vec<i64>,
    ///Attribute.
    pub output_stride: Vec<i64>,
    ///Attribute.
    pub shape: Vec<i64>,
}
impl<V> Copy<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        input: V,
        input_stride: Vec<i64>,
        output_stride: Vec<i64>,
        shape: Vec<i64>,
    ) -> Self {
        Self {
            input,
            input_stride,
            output_stride,
            shape,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            input_stride: attributes.take("input_stride")?,
            output_stride: attributes.take("output_stride")?,
            shape: attributes.take("shape")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("input_stride", &self.input_stride);
        a.put("output_stride", &self.output_stride);
        a.put("shape", &self.shape);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Copy<U>, E> {
        Ok(Copy {
            input: f(&self.input)?,
            input_stride: self.input_stride.clone(),
            output_stride: self.output_stride.clone(),
            shape: self.shape.clone(),
        })
    }
}
pub(super) const FLATTEN: OpDef = OpDef {
    name: "Flatten",
    summary: "Folds axes start_dim to end_dim into one",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "end_dim",
            kind: AttributeKind::Int,
            default: Some(Default::Int(-1)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "start_dim",
            kind: AttributeKind::Int,
            default: Some(Default::Int(0)),
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
///`top.Flatten`: Folds axes start_dim to end_dim into one.
#[derive(Debug, Clone, PartialEq)]
pub struct Flatten<V> {
    /// Operand.
    pub input: V,
    ///Attribute; `-1` by default.
    pub end_dim: i64,
    ///Attribute; `0` by default.
    pub start_dim: i64,
}
impl<V> Flatten<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V) -> Self {
        Self {
            input,
            end_dim: -1,
            start_dim: 0,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            end_dim: attributes.take("end_dim")?,
            start_dim: attributes.take("start_dim")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("end_dim", &self.end_dim);
        a.put("start_dim", &self.start_dim);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Flatten<U>, E> {
        Ok(Flatten {
            input: f(&self.input)?,
            end_dim: self.end_dim,
            start_dim: self.start_dim,
        })
    }
}
pub(super) const PACK: OpDef = OpDef {
    name: "Pack",
    summary: "Stacks tensors of one shape along a new axis",
    description: "`values_count` is their number.",
    operands: &[
        ValueDef {
            name: "inputs",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "axis",
            kind: AttributeKind::Si32,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "values_count",
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
/**`top.Pack`: Stacks tensors of one shape along a new axis.

`values_count` is their number.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Pack<V> {
    /// Operand.
    pub inputs: Vec<V>,
    ///Attribute.
    pub axis: i64,
    ///Attribute.
    pub values_count: i64,
}
impl<V> Pack<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(inputs: Vec<V>, axis: i64, values_count: i64) -> Self {
        Self { inputs, axis, values_count }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            inputs: operands.rest("inputs")?,
            axis: attributes.take("axis")?,
            values_count: attributes.take("values_count")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("inputs", OperandValue::Many(& self.inputs)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("axis", &self.axis);
        a.put("values_count", &self.values_count);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Pack<U>, E> {
        Ok(Pack {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
            axis: self.axis,
            values_count: self.values_count,
        })
    }
}
pub(super) const PAD: OpDef = OpDef {
    name: "Pad",
    summary: "Pads each axis",
    description: "`paddings` lists the counts before each axis, then after each; `paddingsT`, if present, replaces it. The padding holds `val` (`constant`), the mirror image without the edge (`reflect`) or with it (`symmetric`), or the edge (`edge`).",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "paddingsT",
            arity: Arity::Optional,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "mode",
            kind: AttributeKind::OneOf(&["constant", "reflect", "symmetric", "edge"]),
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "paddings",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "val",
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
    quant_transparent: true,
    structure: false,
};
/**`top.Pad`: Pads each axis.

`paddings` lists the counts before each axis, then after each; `paddingsT`, if present, replaces it. The padding holds `val` (`constant`), the mirror image without the edge (`reflect`) or with it (`symmetric`), or the edge (`edge`).*/
#[derive(Debug, Clone, PartialEq)]
pub struct Pad<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub paddingsT: Option<V>,
    ///Attribute.
    pub mode: PadMode,
    ///Attribute.
    pub paddings: Vec<i64>,
    ///Attribute; `0.0f64` by default.
    pub val: f64,
}
impl<V> Pad<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, mode: PadMode, paddings: Vec<i64>) -> Self {
        Self {
            input,
            paddingsT: None,
            mode,
            paddings,
            val: 0.0f64,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            paddingsT: operands.optional("paddingsT")?,
            mode: attributes.take("mode")?,
            paddings: attributes.take("paddings")?,
            val: attributes.take("val")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("paddingsT", self.paddingsT
            .as_ref().map_or(OperandValue::Absent, OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("mode", &self.mode);
        a.put("paddings", &self.paddings);
        a.put("val", &self.val);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Pad<U>, E> {
        Ok(Pad {
            input: f(&self.input)?,
            paddingsT: self.paddingsT.as_ref().map(&mut *f).transpose()?,
            mode: self.mode,
            paddings: self.paddings.clone(),
            val: self.val,
        })
    }
}
pub(super) const PERMUTE: OpDef = OpDef {
    name: "Permute",
    summary: "Reorders axes",
    description: "Axis `i` of the result is axis `order[i]` of the input.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "order",
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
    quant_transparent: true,
    structure: false,
};
/**`top.Permute`: Reorders axes.

Axis `i` of the result is axis `order[i]` of the input.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Permute<V> {
    /// Operand.
    pub input: V,
    ///Attribute.
    pub order: Vec<i64>,
}
impl<V> Permute<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, order: Vec<i64>) -> Self {
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
    ) -> Result<Permute<U>, E> {
        Ok(Permute {
            input: f(&self.input)?,
            order: self.order.clone(),
        })
    }
}
pub(super) const RESHAPE: OpDef = OpDef {
    name: "Reshape",
    summary: "Changes the shape",
    description: "In `shape`, 0 keeps the input's dimension and one -1 is inferred.",
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
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "flatten_start_dim",
            kind: AttributeKind::Int,
            default: Some(Default::Int(-1)),
            optional: false,
            ignored: true,
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
/**`top.Reshape`: Changes the shape.

In `shape`, 0 keeps the input's dimension and one -1 is inferred.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Reshape<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub shapeT: Option<V>,
    ///Attribute; may be absent.
    pub shape: Option<Vec<i64>>,
    ///Attribute; `-1` by default. It changes no result.
    pub flatten_start_dim: i64,
}
impl<V> Reshape<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V) -> Self {
        Self {
            input,
            shapeT: None,
            shape: None,
            flatten_start_dim: -1,
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
            shape: attributes.take_optional("shape")?,
            flatten_start_dim: attributes.take("flatten_start_dim")?,
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
        a.put_optional("shape", &self.shape);
        a.put("flatten_start_dim", &self.flatten_start_dim);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Reshape<U>, E> {
        Ok(Reshape {
            input: f(&self.input)?,
            shapeT: self.shapeT.as_ref().map(&mut *f).transpose()?,
            shape: self.shape.clone(),
            flatten_start_dim: self.flatten_start_dim,
        })
    }
}
pub(super) const SPLIT: OpDef = OpDef {
    name: "Split",
    summary: "Splits a tensor along an axis",
    description: "Into `num` equal parts, or parts of the sizes in `split_size`, which then has `num` entries.",
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
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "num",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "split_size",
            kind: AttributeKind::Ints,
            default: None,
            optional: true,
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
    quant_transparent: true,
    structure: false,
};
/**`top.Split`: Splits a tensor along an axis.

Into `num` equal parts, or parts of the sizes in `split_size`, which then has `num` entries.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Split<V> {
    /// Operand.
    pub input: V,
    ///Attribute.
    pub axis: i64,
    ///Attribute.
    pub num: i64,
    ///Attribute; may be absent.
    pub split_size: Option<Vec<i64>>,
}
impl<V> Split<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, axis: i64, num: i64) -> Self {
        Self {
            input,
            axis,
            num,
            split_size: None,
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
            num: attributes.take("num")?,
            split_size: attributes.take_optional("split_size")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("axis", &self.axis);
        a.put("num", &self.num);
        a.put_optional("split_size", &self.split_size);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Split<U>, E> {
        Ok(Split {
            input: f(&self.input)?,
            axis: self.axis,
            num: self.num,
            split_size: self.split_size.clone(),
        })
    }
}
pub(super) const SQUEEZE: OpDef = OpDef {
    name: "Squeeze",
    summary: "Removes axes of size 1",
    description: "An empty list removes all of them; if no axis is left, the shape is [1].",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "axes",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "is_scalar",
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
/**`top.Squeeze`: Removes axes of size 1.

An empty list removes all of them; if no axis is left, the shape is \[1\].*/
#[derive(Debug, Clone, PartialEq)]
pub struct Squeeze<V> {
    /// Operand.
    pub input: V,
    ///Attribute.
    pub axes: Vec<i64>,
    ///Attribute; `false` by default.
    pub is_scalar: bool,
}
impl<V> Squeeze<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, axes: Vec<i64>) -> Self {
        Self {
            input,
            axes,
            is_scalar: false,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            axes: attributes.take("axes")?,
            is_scalar: attributes.take("is_scalar")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("axes", &self.axes);
        a.put("is_scalar", &self.is_scalar);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Squeeze<U>, E> {
        Ok(Squeeze {
            input: f(&self.input)?,
            axes: self.axes.clone(),
            is_scalar: self.is_scalar,
        })
    }
}
pub(super) const TRANSPOSE: OpDef = OpDef {
    name: "Transpose",
    summary: "Swaps two axes",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "dim0",
            kind: AttributeKind::Si32,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "dim1",
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
///`top.Transpose`: Swaps two axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Transpose<V> {
    /// Operand.
    pub input: V,
    ///Attribute.
    pub dim0: i64,
    ///Attribute.
    pub dim1: i64,
}
impl<V> Transpose<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, dim0: i64, dim1: i64) -> Self {
        Self { input, dim0, dim1 }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            dim0: attributes.take("dim0")?,
            dim1: attributes.take("dim1")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("dim0", &self.dim0);
        a.put("dim1", &self.dim1);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Transpose<U>, E> {
        Ok(Transpose {
            input: f(&self.input)?,
            dim0: self.dim0,
            dim1: self.dim1,
        })
    }
}
pub(super) const UNPACK: OpDef = OpDef {
    name: "Unpack",
    summary: "Splits a tensor along an axis, which is removed",
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
///`top.Unpack`: Splits a tensor along an axis, which is removed.
#[derive(Debug, Clone, PartialEq)]
pub struct Unpack<V> {
    /// Operand.
    pub input: V,
    ///Attribute.
    pub axis: i64,
}
impl<V> Unpack<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, axis: i64) -> Self {
        Self { input, axis }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            axis: attributes.take("axis")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("axis", &self.axis);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Unpack<U>, E> {
        Ok(Unpack {
            input: f(&self.input)?,
            axis: self.axis,
        })
    }
}
pub(super) const UNSQUEEZE: OpDef = OpDef {
    name: "Unsqueeze",
    summary: "Inserts axes of size 1",
    description: "`axes` are positions in the result.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "axes",
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
    quant_transparent: true,
    structure: false,
};
/**`top.Unsqueeze`: Inserts axes of size 1.

`axes` are positions in the result.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Unsqueeze<V> {
    /// Operand.
    pub input: V,
    ///Attribute.
    pub axes: Vec<i64>,
}
impl<V> Unsqueeze<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, axes: Vec<i64>) -> Self {
        Self { input, axes }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            axes: attributes.take("axes")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("axes", &self.axes);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Unsqueeze<U>, E> {
        Ok(Unsqueeze {
            input: f(&self.input)?,
            axes: self.axes.clone(),
        })
    }
}
pub(super) const VIEW: OpDef = OpDef {
    name: "View",
    summary: "Changes the shape to one given as a tensor",
    description: "As in Reshape, 0 keeps the dimension, one -1 is inferred.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "shape",
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
/**`top.View`: Changes the shape to one given as a tensor.

As in Reshape, 0 keeps the dimension, one -1 is inferred.*/
#[derive(Debug, Clone, PartialEq)]
pub struct View<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub shape: V,
}
impl<V> View<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, shape: V) -> Self {
        Self { input, shape }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            shape: operands.required("shape")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("shape", OperandValue::One(&
            self.shape)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes::default()
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<View<U>, E> {
        Ok(View {
            input: f(&self.input)?,
            shape: f(&self.shape)?,
        })
    }
}
