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
    description: "",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "At least one tensor; all dimensions but that of `axis` are equal",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "axis",
            description: "The axis along which they are joined; negative values count from the end",
            kind: AttributeKind::Si32,
            default: Some(Default::Int(1)),
            optional: false,
            ignored: false,
        },
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
            name: "only_merge",
            description: "Whether the compiler places the inputs in the result's memory instead of copying them",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: true,
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
///`top.Concat`: Joins tensors along an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Concat<V> {
    /// At least one tensor; all dimensions but that of `axis` are equal.
    pub inputs: Vec<V>,
    /// The axis along which they are joined; negative values count from the end. The default is `1`.
    pub axis: i64,
    /// Whether negative results become 0. The default is `false`.
    pub do_relu: bool,
    /// With `do_relu`, the maximum of the results; 0 or a negative value means none. The default is `-1.0f64`.
    pub relu_limit: f64,
    /// Whether the compiler places the inputs in the result's memory instead of copying them. The default is `false`. It changes no result.
    pub only_merge: bool,
    /// How results are rounded to integers. The default is `RoundMode::HalfAwayFromZero`.
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
            description: "The tensor whose first entries are dropped",
            arity: Arity::Required,
        },
        ValueDef {
            name: "in1",
            description: "The tensor that is appended; all dimensions but that of `axis` are those of `in0`",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "axis",
            description: "The axis along which they are joined; negative values count from the end",
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
///`top.ConcatSlice`: The last part of in0 followed by in1 along an axis, as long as in0.
#[derive(Debug, Clone, PartialEq)]
pub struct ConcatSlice<V> {
    /// The tensor whose first entries are dropped.
    pub in0: V,
    /// The tensor that is appended; all dimensions but that of `axis` are those of `in0`.
    pub in1: V,
    /// The axis along which they are joined; negative values count from the end.
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
    description: "Strides are all 1, as TpuLang writes them, or those of a dense tensor: the compiler ignores both.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "input_stride",
            description: "The strides of the input: all 1, or dense",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "output_stride",
            description: "The strides of the result: all 1, or dense",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "shape",
            description: "The dimensions of the input",
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
    quant_transparent: true,
    structure: false,
};
/**`top.Copy`: A copy.

Strides are all 1, as TpuLang writes them, or those of a dense tensor: the compiler ignores both.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Copy<V> {
    /// The tensor.
    pub input: V,
    /// The strides of the input: all 1, or dense.
    pub input_stride: Vec<i64>,
    /// The strides of the result: all 1, or dense.
    pub output_stride: Vec<i64>,
    /// The dimensions of the input.
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
            description: "The tensor",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "end_dim",
            description: "The last folded axis, not before `start_dim`; negative values count from the end",
            kind: AttributeKind::Int,
            default: Some(Default::Int(-1)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "start_dim",
            description: "The first folded axis; negative values count from the end",
            kind: AttributeKind::Int,
            default: Some(Default::Int(0)),
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
///`top.Flatten`: Folds axes start_dim to end_dim into one.
#[derive(Debug, Clone, PartialEq)]
pub struct Flatten<V> {
    /// The tensor.
    pub input: V,
    /// The last folded axis, not before `start_dim`; negative values count from the end. The default is `-1`.
    pub end_dim: i64,
    /// The first folded axis; negative values count from the end. The default is `0`.
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
    description: "",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "At least one tensor, all of the same shape and dtype",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "axis",
            description: "Position of the new axis in the result; negative values count from its end",
            kind: AttributeKind::Si32,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "values_count",
            description: "Number of `inputs`",
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
///`top.Pack`: Stacks tensors of one shape along a new axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Pack<V> {
    /// At least one tensor, all of the same shape and dtype.
    pub inputs: Vec<V>,
    /// Position of the new axis in the result; negative values count from its end.
    pub axis: i64,
    /// Number of `inputs`.
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
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
        ValueDef {
            name: "paddingsT",
            description: "Counts instead of those in `paddings`; not supported",
            arity: Arity::Optional,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "mode",
            description: "Padding by `val` (constant), a mirror image without (reflect) or with the edge (symmetric), or the edge",
            kind: AttributeKind::OneOf(&["constant", "reflect", "symmetric", "edge"]),
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "paddings",
            description: "The counts before each axis, then after each; at least 0, and at most what `mode` can mirror",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "val",
            description: "The value of `constant` padding; for quantized tensors the stored value",
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
    quant_transparent: true,
    structure: false,
};
///`top.Pad`: Pads each axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Pad<V> {
    /// The tensor.
    pub input: V,
    /// Counts instead of those in `paddings`; not supported.
    pub paddingsT: Option<V>,
    /// Padding by `val` (constant), a mirror image without (reflect) or with the edge (symmetric), or the edge.
    pub mode: PadMode,
    /// The counts before each axis, then after each; at least 0, and at most what `mode` can mirror.
    pub paddings: Vec<i64>,
    /// The value of `constant` padding; for quantized tensors the stored value. The default is `0.0f64`.
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
            description: "The tensor",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "order",
            description: "Each axis of the input once; negative values count from the end",
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
    quant_transparent: true,
    structure: false,
};
/**`top.Permute`: Reorders axes.

Axis `i` of the result is axis `order[i]` of the input.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Permute<V> {
    /// The tensor.
    pub input: V,
    /// Each axis of the input once; negative values count from the end.
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
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
        ValueDef {
            name: "shapeT",
            description: "The new dimensions, instead of `shape`: a coefficient of integers",
            arity: Arity::Optional,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "shape",
            description: "The new dimensions: 0 keeps the input's and one -1 is inferred. Needed unless there is `shapeT`",
            kind: AttributeKind::Ints,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "flatten_start_dim",
            description: "The first axis that a Flatten of ONNX joined; -1 if the op was none",
            kind: AttributeKind::Int,
            default: Some(Default::Int(-1)),
            optional: false,
            ignored: true,
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
///`top.Reshape`: Changes the shape.
#[derive(Debug, Clone, PartialEq)]
pub struct Reshape<V> {
    /// The tensor.
    pub input: V,
    /// The new dimensions, instead of `shape`: a coefficient of integers.
    pub shapeT: Option<V>,
    /// The new dimensions: 0 keeps the input's and one -1 is inferred. Needed unless there is `shapeT`.
    pub shape: Option<Vec<i64>>,
    /// The first axis that a Flatten of ONNX joined; -1 if the op was none. The default is `-1`. It changes no result.
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
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "axis",
            description: "The axis that is divided; negative values count from the end",
            kind: AttributeKind::Si32,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "num",
            description: "Number of parts, from 1 to 4096",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "split_size",
            description: "Sizes of the `num` parts, which are at least 1; equal parts if absent or empty",
            kind: AttributeKind::Ints,
            default: None,
            optional: true,
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
    quant_transparent: true,
    structure: false,
};
///`top.Split`: Splits a tensor along an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Split<V> {
    /// The tensor.
    pub input: V,
    /// The axis that is divided; negative values count from the end.
    pub axis: i64,
    /// Number of parts, from 1 to 4096.
    pub num: i64,
    /// Sizes of the `num` parts, which are at least 1; equal parts if absent or empty.
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
    description: "If no axis is left, the shape is [1].",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "axes",
            description: "The removed axes; negative values count from the end. An empty list stands for all of size 1",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "is_scalar",
            description: "Whether the tool chain treats the result, of shape [1], as a scalar",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: true,
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
/**`top.Squeeze`: Removes axes of size 1.

If no axis is left, the shape is \[1\].*/
#[derive(Debug, Clone, PartialEq)]
pub struct Squeeze<V> {
    /// The tensor.
    pub input: V,
    /// The removed axes; negative values count from the end. An empty list stands for all of size 1.
    pub axes: Vec<i64>,
    /// Whether the tool chain treats the result, of shape \[1\], as a scalar. The default is `false`. It changes no result.
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
            description: "The tensor",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "dim0",
            description: "One of the axes; negative values count from the end",
            kind: AttributeKind::Si32,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "dim1",
            description: "The other axis; negative values count from the end",
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
///`top.Transpose`: Swaps two axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Transpose<V> {
    /// The tensor.
    pub input: V,
    /// One of the axes; negative values count from the end.
    pub dim0: i64,
    /// The other axis; negative values count from the end.
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
            description: "The tensor",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "axis",
            description: "The removed axis, of at most 4096 entries; negative values count from the end",
            kind: AttributeKind::Si32,
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
///`top.Unpack`: Splits a tensor along an axis, which is removed.
#[derive(Debug, Clone, PartialEq)]
pub struct Unpack<V> {
    /// The tensor.
    pub input: V,
    /// The removed axis, of at most 4096 entries; negative values count from the end.
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
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "axes",
            description: "Positions of the new axes in the result; negative values count from its end",
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
    quant_transparent: true,
    structure: false,
};
///`top.Unsqueeze`: Inserts axes of size 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Unsqueeze<V> {
    /// The tensor.
    pub input: V,
    /// Positions of the new axes in the result; negative values count from its end.
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
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
        ValueDef {
            name: "shape",
            description: "The new dimensions, a coefficient of integers: 0 keeps the input's and one -1 is inferred",
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
///`top.View`: Changes the shape to one given as a tensor.
#[derive(Debug, Clone, PartialEq)]
pub struct View<V> {
    /// The tensor.
    pub input: V,
    /// The new dimensions, a coefficient of integers: 0 keeps the input's and one -1 is inferred.
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
