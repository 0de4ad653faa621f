// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
/// A string attribute: one of ReduceMin, ReduceMax, ReduceMean, ReduceL2, ReduceL1, ReduceSum, ReduceProd.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ReduceMode {
    ReduceMin,
    ReduceMax,
    ReduceMean,
    ReduceL2,
    ReduceL1,
    ReduceSum,
    ReduceProd,
}
impl ReduceMode {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            ReduceMode::ReduceMin => "ReduceMin",
            ReduceMode::ReduceMax => "ReduceMax",
            ReduceMode::ReduceMean => "ReduceMean",
            ReduceMode::ReduceL2 => "ReduceL2",
            ReduceMode::ReduceL1 => "ReduceL1",
            ReduceMode::ReduceSum => "ReduceSum",
            ReduceMode::ReduceProd => "ReduceProd",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "ReduceMin" => ReduceMode::ReduceMin,
                "ReduceMax" => ReduceMode::ReduceMax,
                "ReduceMean" => ReduceMode::ReduceMean,
                "ReduceL2" => ReduceMode::ReduceL2,
                "ReduceL1" => ReduceMode::ReduceL1,
                "ReduceSum" => ReduceMode::ReduceSum,
                "ReduceProd" => ReduceMode::ReduceProd,
                _ => return None,
            },
        )
    }
}
one_of!(ReduceMode);
pub(super) const CUMSUM: OpDef = OpDef {
    name: "CumSum",
    summary: "Running sum along an axis",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
        ValueDef {
            name: "dim",
            description: "The axis once more, as a tensor. It changes no result",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "axis",
            description: "The axis; a negative one counts from the end",
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
///`top.CumSum`: Running sum along an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct CumSum<V> {
    /// The tensor.
    pub input: V,
    /// The axis once more, as a tensor. It changes no result.
    pub dim: Option<V>,
    /// The axis; a negative one counts from the end.
    pub axis: i64,
}
impl<V> CumSum<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, axis: i64) -> Self {
        Self { input, dim: None, axis }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            dim: operands.optional("dim")?,
            axis: attributes.take("axis")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("dim", self.dim.as_ref()
            .map_or(OperandValue::Absent, OperandValue::One)),
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
    ) -> Result<CumSum<U>, E> {
        Ok(CumSum {
            input: f(&self.input)?,
            dim: self.dim.as_ref().map(&mut *f).transpose()?,
            axis: self.axis,
        })
    }
}
pub(super) const REDUCE: OpDef = OpDef {
    name: "Reduce",
    summary: "Sum, mean, product, extremum or norm over axes",
    description: "If no axis is left, the result has shape [1].",
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
            description: "The axes that are reduced; negative ones count from the end. If empty, all",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "keepdims",
            description: "Whether reduced axes are kept, with size 1",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "mode",
            description: "The reduction; ReduceL1 is the sum of absolute values, ReduceL2 the root of the sum of squares",
            kind: AttributeKind::OneOf(
                &[
                    "ReduceMin",
                    "ReduceMax",
                    "ReduceMean",
                    "ReduceL2",
                    "ReduceL1",
                    "ReduceSum",
                    "ReduceProd",
                ],
            ),
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
/**`top.Reduce`: Sum, mean, product, extremum or norm over axes.

If no axis is left, the result has shape \[1\].*/
#[derive(Debug, Clone, PartialEq)]
pub struct Reduce<V> {
    /// The tensor.
    pub input: V,
    /// The axes that are reduced; negative ones count from the end. If empty, all.
    pub axes: Vec<i64>,
    /// Whether reduced axes are kept, with size 1.
    pub keepdims: bool,
    /// The reduction; ReduceL1 is the sum of absolute values, ReduceL2 the root of the sum of squares.
    pub mode: ReduceMode,
    /// Whether the tool chain treats the result, of shape \[1\], as a scalar. The default is `false`. It changes no result.
    pub is_scalar: bool,
}
impl<V> Reduce<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, axes: Vec<i64>, keepdims: bool, mode: ReduceMode) -> Self {
        Self {
            input,
            axes,
            keepdims,
            mode,
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
            keepdims: attributes.take("keepdims")?,
            mode: attributes.take("mode")?,
            is_scalar: attributes.take("is_scalar")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("axes", &self.axes);
        a.put("keepdims", &self.keepdims);
        a.put("mode", &self.mode);
        a.put("is_scalar", &self.is_scalar);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Reduce<U>, E> {
        Ok(Reduce {
            input: f(&self.input)?,
            axes: self.axes.clone(),
            keepdims: self.keepdims,
            mode: self.mode,
            is_scalar: self.is_scalar,
        })
    }
}
pub(super) const VARIANCE: OpDef = OpDef {
    name: "Variance",
    summary: "Variance over axes",
    description: "The squared differences from the mean are summed over `reduce_list` and divided by n - `correction`, or by 0 if that is negative. If no axis is left, the result has shape [1].",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "correction",
            description: "Subtracted from n: 1 for the unbiased estimate, 0 for the mean of the squares",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "keep_dims",
            description: "Whether reduced axes are kept, with size 1",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "reduce_list",
            description: "The axes that are reduced; negative ones count from the end. If empty, all",
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
    quant_transparent: false,
    structure: false,
};
/**`top.Variance`: Variance over axes.

The squared differences from the mean are summed over `reduce_list` and divided by n - `correction`, or by 0 if that is negative. If no axis is left, the result has shape \[1\].*/
#[derive(Debug, Clone, PartialEq)]
pub struct Variance<V> {
    /// The tensor.
    pub input: V,
    /// Subtracted from n: 1 for the unbiased estimate, 0 for the mean of the squares.
    pub correction: f64,
    /// Whether reduced axes are kept, with size 1. The default is `false`.
    pub keep_dims: bool,
    /// The axes that are reduced; negative ones count from the end. If empty, all.
    pub reduce_list: Vec<i64>,
}
impl<V> Variance<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, correction: f64, reduce_list: Vec<i64>) -> Self {
        Self {
            input,
            correction,
            keep_dims: false,
            reduce_list,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            correction: attributes.take("correction")?,
            keep_dims: attributes.take("keep_dims")?,
            reduce_list: attributes.take("reduce_list")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("correction", &self.correction);
        a.put("keep_dims", &self.keep_dims);
        a.put("reduce_list", &self.reduce_list);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Variance<U>, E> {
        Ok(Variance {
            input: f(&self.input)?,
            correction: self.correction,
            keep_dims: self.keep_dims,
            reduce_list: self.reduce_list.clone(),
        })
    }
}
