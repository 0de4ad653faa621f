// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
pub(super) const SLICE: OpDef = OpDef {
    name: "Slice",
    summary: "A strided range of each axis",
    description: "Without `axes`, entry `i` of `offset`, `ends`, `steps` belongs to axis `i`; negative offsets and ends count from the end, and an end of -1 without `axes` means the whole axis.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "offsetT",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "endsT",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "stepsT",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "offset",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "steps",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "ends",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "hasparamConvert_axes",
            kind: AttributeKind::Ints,
            default: Some(Default::Ints(&[])),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "axes",
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
/**`top.Slice`: A strided range of each axis.

Without `axes`, entry `i` of `offset`, `ends`, `steps` belongs to axis `i`; negative offsets and ends count from the end, and an end of -1 without `axes` means the whole axis.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Slice<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub offsetT: Option<V>,
    /// Operand.
    pub endsT: Option<V>,
    /// Operand.
    pub stepsT: Option<V>,
    ///Attribute.
    pub offset: Vec<i64>,
    ///Attribute.
    pub steps: Vec<i64>,
    ///Attribute.
    pub ends: Vec<i64>,
    ///Attribute; `vec![]` by default.
    pub hasparamConvert_axes: Vec<i64>,
    ///Attribute; `vec![]` by default.
    pub axes: Vec<i64>,
}
impl<V> Slice<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, offset: Vec<i64>, steps: Vec<i64>, ends: Vec<i64>) -> Self {
        Self {
            input,
            offsetT: None,
            endsT: None,
            stepsT: None,
            offset,
            steps,
            ends,
            hasparamConvert_axes: vec![],
            axes: vec![],
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            offsetT: operands.optional("offsetT")?,
            endsT: operands.optional("endsT")?,
            stepsT: operands.optional("stepsT")?,
            offset: attributes.take("offset")?,
            steps: attributes.take("steps")?,
            ends: attributes.take("ends")?,
            hasparamConvert_axes: attributes.take("hasparamConvert_axes")?,
            axes: attributes.take("axes")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("offsetT", self.offsetT.as_ref()
            .map_or(OperandValue::Absent, OperandValue::One)), ("endsT", self.endsT
            .as_ref().map_or(OperandValue::Absent, OperandValue::One)), ("stepsT", self
            .stepsT.as_ref().map_or(OperandValue::Absent, OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("offset", &self.offset);
        a.put("steps", &self.steps);
        a.put("ends", &self.ends);
        a.put("hasparamConvert_axes", &self.hasparamConvert_axes);
        a.put("axes", &self.axes);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Slice<U>, E> {
        Ok(Slice {
            input: f(&self.input)?,
            offsetT: self.offsetT.as_ref().map(&mut *f).transpose()?,
            endsT: self.endsT.as_ref().map(&mut *f).transpose()?,
            stepsT: self.stepsT.as_ref().map(&mut *f).transpose()?,
            offset: self.offset.clone(),
            steps: self.steps.clone(),
            ends: self.ends.clone(),
            hasparamConvert_axes: self.hasparamConvert_axes.clone(),
            axes: self.axes.clone(),
        })
    }
}
pub(super) const SLICEAXIS: OpDef = OpDef {
    name: "SliceAxis",
    summary: "A strided range of one axis, given as tensors",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "axis",
            arity: Arity::Required,
        },
        ValueDef {
            name: "start",
            arity: Arity::Required,
        },
        ValueDef {
            name: "step",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "end",
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
///`top.SliceAxis`: A strided range of one axis, given as tensors.
#[derive(Debug, Clone, PartialEq)]
pub struct SliceAxis<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub axis: V,
    /// Operand.
    pub start: V,
    /// Operand.
    pub step: Option<V>,
    /// Operand.
    pub end: V,
}
impl<V> SliceAxis<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, axis: V, start: V, end: V) -> Self {
        Self {
            input,
            axis,
            start,
            step: None,
            end,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            axis: operands.required("axis")?,
            start: operands.required("start")?,
            step: operands.optional("step")?,
            end: operands.required("end")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("axis", OperandValue::One(& self
            .axis)), ("start", OperandValue::One(& self.start)), ("step", self.step
            .as_ref().map_or(OperandValue::Absent, OperandValue::One)), ("end",
            OperandValue::One(& self.end)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes::default()
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<SliceAxis<U>, E> {
        Ok(SliceAxis {
            input: f(&self.input)?,
            axis: f(&self.axis)?,
            start: f(&self.start)?,
            step: self.step.as_ref().map(&mut *f).transpose()?,
            end: f(&self.end)?,
        })
    }
}
pub(super) const STRIDEDSLICE: OpDef = OpDef {
    name: "StridedSlice",
    summary: "A strided range of each axis, given as tensors",
    description: "The masks are TensorFlow's. Bit i belongs to entry i of the lists: `begin_mask` and `end_mask` take the range from the first or to the last entry, `ellipsis_mask` stands for all axes not named, `new_axis_mask` inserts an axis of 1, `shrink_axis_mask` removes the axis.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "starts",
            arity: Arity::Required,
        },
        ValueDef {
            name: "ends",
            arity: Arity::Required,
        },
        ValueDef {
            name: "strides",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "begin_mask",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "ellipsis_mask",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "end_mask",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "new_axis_mask",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "shrink_axis_mask",
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
/**`top.StridedSlice`: A strided range of each axis, given as tensors.

The masks are TensorFlow's. Bit i belongs to entry i of the lists: `begin_mask` and `end_mask` take the range from the first or to the last entry, `ellipsis_mask` stands for all axes not named, `new_axis_mask` inserts an axis of 1, `shrink_axis_mask` removes the axis.*/
#[derive(Debug, Clone, PartialEq)]
pub struct StridedSlice<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub starts: V,
    /// Operand.
    pub ends: V,
    /// Operand.
    pub strides: V,
    ///Attribute.
    pub begin_mask: i64,
    ///Attribute.
    pub ellipsis_mask: i64,
    ///Attribute.
    pub end_mask: i64,
    ///Attribute.
    pub new_axis_mask: i64,
    ///Attribute.
    pub shrink_axis_mask: i64,
}
impl<V> StridedSlice<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        input: V,
        starts: V,
        ends: V,
        strides: V,
        begin_mask: i64,
        ellipsis_mask: i64,
        end_mask: i64,
        new_axis_mask: i64,
        shrink_axis_mask: i64,
    ) -> Self {
        Self {
            input,
            starts,
            ends,
            strides,
            begin_mask,
            ellipsis_mask,
            end_mask,
            new_axis_mask,
            shrink_axis_mask,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            starts: operands.required("starts")?,
            ends: operands.required("ends")?,
            strides: operands.required("strides")?,
            begin_mask: attributes.take("begin_mask")?,
            ellipsis_mask: attributes.take("ellipsis_mask")?,
            end_mask: attributes.take("end_mask")?,
            new_axis_mask: attributes.take("new_axis_mask")?,
            shrink_axis_mask: attributes.take("shrink_axis_mask")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("starts", OperandValue::One(&
            self.starts)), ("ends", OperandValue::One(& self.ends)), ("strides",
            OperandValue::One(& self.strides)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("begin_mask", &self.begin_mask);
        a.put("ellipsis_mask", &self.ellipsis_mask);
        a.put("end_mask", &self.end_mask);
        a.put("new_axis_mask", &self.new_axis_mask);
        a.put("shrink_axis_mask", &self.shrink_axis_mask);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<StridedSlice<U>, E> {
        Ok(StridedSlice {
            input: f(&self.input)?,
            starts: f(&self.starts)?,
            ends: f(&self.ends)?,
            strides: f(&self.strides)?,
            begin_mask: self.begin_mask,
            ellipsis_mask: self.ellipsis_mask,
            end_mask: self.end_mask,
            new_axis_mask: self.new_axis_mask,
            shrink_axis_mask: self.shrink_axis_mask,
        })
    }
}
