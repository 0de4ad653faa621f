// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
pub(super) const SLICE: OpDef = OpDef {
    name: "Slice",
    summary: "A strided range of each axis",
    description: "Without `axes`, entry `i` of `offset`, `ends`, `steps` belongs to axis `i`, and an end of -1 means the end of the axis if the step is positive. Otherwise the ranges are NumPy's, and may not be empty.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
        ValueDef {
            name: "offsetT",
            description: "The tensor for `offset`: only none is supported",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "endsT",
            description: "The tensor for `ends`: only none is supported",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "stepsT",
            description: "The tensor for `steps`: only none is supported",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "offset",
            description: "The first entry of each range; negative ones count from the end",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "steps",
            description: "The step of each range, not 0; negative ones go backwards",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "ends",
            description: "The end of each range, exclusive; negative ones count from the end",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "hasparamConvert_axes",
            description: "The `axes` before TPU-MLIR extended the lists to all axes",
            kind: AttributeKind::Ints,
            default: Some(Default::Ints(&[])),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "axes",
            description: "The axes of the ranges; negative ones count from the end. If empty, the first ones",
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
/**`top.Slice`: A strided range of each axis.

Without `axes`, entry `i` of `offset`, `ends`, `steps` belongs to axis `i`, and an end of -1 means the end of the axis if the step is positive. Otherwise the ranges are NumPy's, and may not be empty.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Slice<V> {
    /// The tensor.
    pub input: V,
    /// The tensor for `offset`: only none is supported.
    pub offsetT: Option<V>,
    /// The tensor for `ends`: only none is supported.
    pub endsT: Option<V>,
    /// The tensor for `steps`: only none is supported.
    pub stepsT: Option<V>,
    /// The first entry of each range; negative ones count from the end.
    pub offset: Vec<i64>,
    /// The step of each range, not 0; negative ones go backwards.
    pub steps: Vec<i64>,
    /// The end of each range, exclusive; negative ones count from the end.
    pub ends: Vec<i64>,
    /// The `axes` before TPU-MLIR extended the lists to all axes. The default is `vec![]`. It changes no result.
    pub hasparamConvert_axes: Vec<i64>,
    /// The axes of the ranges; negative ones count from the end. If empty, the first ones. The default is `vec![]`.
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
    description: "The operands after `input` are coefficients of integers. Several axes have as many ranges.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
        ValueDef {
            name: "axis",
            description: "The axis; a negative one counts from the end",
            arity: Arity::Required,
        },
        ValueDef {
            name: "start",
            description: "The first entry; a negative one counts from the end",
            arity: Arity::Required,
        },
        ValueDef {
            name: "step",
            description: "The step, not 0; a negative one goes backwards. It is 1 if none",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "end",
            description: "The end, exclusive; a negative one counts from the end",
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
/**`top.SliceAxis`: A strided range of one axis, given as tensors.

The operands after `input` are coefficients of integers. Several axes have as many ranges.*/
#[derive(Debug, Clone, PartialEq)]
pub struct SliceAxis<V> {
    /// The tensor.
    pub input: V,
    /// The axis; a negative one counts from the end.
    pub axis: V,
    /// The first entry; a negative one counts from the end.
    pub start: V,
    /// The step, not 0; a negative one goes backwards. It is 1 if none.
    pub step: Option<V>,
    /// The end, exclusive; a negative one counts from the end.
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
    description: "`starts`, `ends` and `strides` are coefficients of integers, equally many of each. The masks are TensorFlow's: bit i belongs to entry i of the lists.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
        ValueDef {
            name: "starts",
            description: "The first entry of each range; negative ones count from the end",
            arity: Arity::Required,
        },
        ValueDef {
            name: "ends",
            description: "The end of each range, exclusive; negative ones count from the end",
            arity: Arity::Required,
        },
        ValueDef {
            name: "strides",
            description: "The step of each range, not 0; negative ones go backwards",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "begin_mask",
            description: "The ranges that begin with the first entry (going backwards, the last), whatever `starts` is",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "ellipsis_mask",
            description: "The place of all axes not named; at most one bit",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "end_mask",
            description: "The ranges that end with the last entry (going backwards, the first), whatever `ends` is",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "new_axis_mask",
            description: "The places where an axis of size 1 is inserted",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "shrink_axis_mask",
            description: "The axes of which only the entry at the start is taken, and which are removed",
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
/**`top.StridedSlice`: A strided range of each axis, given as tensors.

`starts`, `ends` and `strides` are coefficients of integers, equally many of each. The masks are TensorFlow's: bit i belongs to entry i of the lists.*/
#[derive(Debug, Clone, PartialEq)]
pub struct StridedSlice<V> {
    /// The tensor.
    pub input: V,
    /// The first entry of each range; negative ones count from the end.
    pub starts: V,
    /// The end of each range, exclusive; negative ones count from the end.
    pub ends: V,
    /// The step of each range, not 0; negative ones go backwards.
    pub strides: V,
    /// The ranges that begin with the first entry (going backwards, the last), whatever `starts` is.
    pub begin_mask: i64,
    /// The place of all axes not named; at most one bit.
    pub ellipsis_mask: i64,
    /// The ranges that end with the last entry (going backwards, the first), whatever `ends` is.
    pub end_mask: i64,
    /// The places where an axis of size 1 is inserted.
    pub new_axis_mask: i64,
    /// The axes of which only the entry at the start is taken, and which are removed.
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
