// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
pub(super) const ADAPTIVEAVGPOOL: OpDef = OpDef {
    name: "AdaptiveAvgPool",
    summary: "Mean of each of output_size windows that divide the spatial axes",
    description: "Along an axis of i elements window j of n is from floor(j * i / n) to ceil((j + 1) * i / n).",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor: [n, c, spatial...], with 1 to 3 spatial axes",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "output_size",
            description: "Number of windows along each spatial axis, at least 1; -1 keeps the axis",
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
/**`top.AdaptiveAvgPool`: Mean of each of output_size windows that divide the spatial axes.

Along an axis of i elements window j of n is from floor(j * i / n) to ceil((j + 1) * i / n).*/
#[derive(Debug, Clone, PartialEq)]
pub struct AdaptiveAvgPool<V> {
    /// The tensor: \[n, c, spatial...\], with 1 to 3 spatial axes.
    pub input: V,
    /// Number of windows along each spatial axis, at least 1; -1 keeps the axis.
    pub output_size: Vec<i64>,
}
impl<V> AdaptiveAvgPool<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, output_size: Vec<i64>) -> Self {
        Self { input, output_size }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            output_size: attributes.take("output_size")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("output_size", &self.output_size);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<AdaptiveAvgPool<U>, E> {
        Ok(AdaptiveAvgPool {
            input: f(&self.input)?,
            output_size: self.output_size.clone(),
        })
    }
}
pub(super) const AVGPOOL: OpDef = OpDef {
    name: "AvgPool",
    summary: "Mean of each window",
    description: "A dimension of the result is (i + pad_before + pad_after - k) / stride + 1, rounded down. With `ceil_mode`, pad_after is first increased so that the stride divides i + 2 * pad_before + increase - k: with equal pads, the quotient is rounded up.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor: [n, c, spatial...], with 1 to 3 spatial axes",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "kernel_shape",
            description: "The size of the window along each spatial axis; if empty, one unpadded window covers all",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "strides",
            description: "The step of the window along each spatial axis, at least 1",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "pads",
            description: "The padding before each spatial axis, then after each",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "ceil_mode",
            description: "Whether the number of windows is rounded up; false if absent",
            kind: AttributeKind::Bool,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "auto_pad",
            description: "SAME_UPPER and SAME_LOWER compute the padding like Conv's, in place of `pads` and `ceil_mode`",
            kind: AttributeKind::OneOf(&["SAME_UPPER", "SAME_LOWER", "NOTSET", "VALID"]),
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "is_adaptive",
            description: "Whether it stands for an adaptive pool of unequal windows. It matters only to calibration",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "keepdims",
            description: "Whether the result keeps all axes; otherwise spatial axes of size 1 are removed from its end",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "pad_value",
            description: "The value of padding on a chip; here padding is left out, or counts as 0",
            kind: AttributeKind::Int,
            default: Some(Default::Int(0)),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "count_include_pad",
            description: "Whether a mean is that of the whole window, with padding as 0. Only AvgPool uses it",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
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
            name: "first_round_mode",
            description: "How a chip rounds the sum of a window",
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
/**`top.AvgPool`: Mean of each window.

A dimension of the result is (i + pad_before + pad_after - k) / stride + 1, rounded down. With `ceil_mode`, pad_after is first increased so that the stride divides i + 2 * pad_before + increase - k: with equal pads, the quotient is rounded up.*/
#[derive(Debug, Clone, PartialEq)]
pub struct AvgPool<V> {
    /// The tensor: \[n, c, spatial...\], with 1 to 3 spatial axes.
    pub input: V,
    /// The size of the window along each spatial axis; if empty, one unpadded window covers all.
    pub kernel_shape: Vec<i64>,
    /// The step of the window along each spatial axis, at least 1.
    pub strides: Vec<i64>,
    /// The padding before each spatial axis, then after each.
    pub pads: Vec<i64>,
    /// Whether the number of windows is rounded up; false if absent.
    pub ceil_mode: Option<bool>,
    /// SAME_UPPER and SAME_LOWER compute the padding like Conv's, in place of `pads` and `ceil_mode`.
    pub auto_pad: Option<AutoPad>,
    /// Whether it stands for an adaptive pool of unequal windows. It matters only to calibration. The default is `false`.
    pub is_adaptive: bool,
    /// Whether the result keeps all axes; otherwise spatial axes of size 1 are removed from its end. The default is `true`.
    pub keepdims: bool,
    /// The value of padding on a chip; here padding is left out, or counts as 0. The default is `0`. It changes no result.
    pub pad_value: i64,
    /// Whether a mean is that of the whole window, with padding as 0. Only AvgPool uses it. The default is `false`.
    pub count_include_pad: bool,
    /// Whether negative results become 0. The default is `false`.
    pub do_relu: bool,
    /// With `do_relu`, the maximum of the results; 0 or a negative value means none. The default is `-1.0f64`.
    pub relu_limit: f64,
    /// How a chip rounds the sum of a window. The default is `RoundMode::HalfAwayFromZero`. It changes no result.
    pub first_round_mode: RoundMode,
    /// How results are rounded to integers. The default is `RoundMode::HalfAwayFromZero`.
    pub round_mode: RoundMode,
}
impl<V> AvgPool<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        input: V,
        kernel_shape: Vec<i64>,
        strides: Vec<i64>,
        pads: Vec<i64>,
    ) -> Self {
        Self {
            input,
            kernel_shape,
            strides,
            pads,
            ceil_mode: None,
            auto_pad: None,
            is_adaptive: false,
            keepdims: true,
            pad_value: 0,
            count_include_pad: false,
            do_relu: false,
            relu_limit: -1.0f64,
            first_round_mode: RoundMode::HalfAwayFromZero,
            round_mode: RoundMode::HalfAwayFromZero,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            kernel_shape: attributes.take("kernel_shape")?,
            strides: attributes.take("strides")?,
            pads: attributes.take("pads")?,
            ceil_mode: attributes.take_optional("ceil_mode")?,
            auto_pad: attributes.take_optional("auto_pad")?,
            is_adaptive: attributes.take("is_adaptive")?,
            keepdims: attributes.take("keepdims")?,
            pad_value: attributes.take("pad_value")?,
            count_include_pad: attributes.take("count_include_pad")?,
            do_relu: attributes.take("do_relu")?,
            relu_limit: attributes.take("relu_limit")?,
            first_round_mode: attributes.take("first_round_mode")?,
            round_mode: attributes.take("round_mode")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("kernel_shape", &self.kernel_shape);
        a.put("strides", &self.strides);
        a.put("pads", &self.pads);
        a.put_optional("ceil_mode", &self.ceil_mode);
        a.put_optional("auto_pad", &self.auto_pad);
        a.put("is_adaptive", &self.is_adaptive);
        a.put("keepdims", &self.keepdims);
        a.put("pad_value", &self.pad_value);
        a.put("count_include_pad", &self.count_include_pad);
        a.put("do_relu", &self.do_relu);
        a.put("relu_limit", &self.relu_limit);
        a.put("first_round_mode", &self.first_round_mode);
        a.put("round_mode", &self.round_mode);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<AvgPool<U>, E> {
        Ok(AvgPool {
            input: f(&self.input)?,
            kernel_shape: self.kernel_shape.clone(),
            strides: self.strides.clone(),
            pads: self.pads.clone(),
            ceil_mode: self.ceil_mode,
            auto_pad: self.auto_pad,
            is_adaptive: self.is_adaptive,
            keepdims: self.keepdims,
            pad_value: self.pad_value,
            count_include_pad: self.count_include_pad,
            do_relu: self.do_relu,
            relu_limit: self.relu_limit,
            first_round_mode: self.first_round_mode,
            round_mode: self.round_mode,
        })
    }
}
pub(super) const MAXPOOL: OpDef = OpDef {
    name: "MaxPool",
    summary: "Largest value of each window, ignoring padding",
    description: "A dimension of the result is (i + pad_before + pad_after - k) / stride + 1, rounded down. With `ceil_mode`, pad_after is first increased so that the stride divides i + 2 * pad_before + increase - k: with equal pads, the quotient is rounded up.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor: [n, c, spatial...], with 1 to 3 spatial axes",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "kernel_shape",
            description: "The size of the window along each spatial axis; if empty, one unpadded window covers all",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "strides",
            description: "The step of the window along each spatial axis, at least 1",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "pads",
            description: "The padding before each spatial axis, then after each",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "ceil_mode",
            description: "Whether the number of windows is rounded up; false if absent",
            kind: AttributeKind::Bool,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "auto_pad",
            description: "SAME_UPPER and SAME_LOWER compute the padding like Conv's, in place of `pads` and `ceil_mode`",
            kind: AttributeKind::OneOf(&["SAME_UPPER", "SAME_LOWER", "NOTSET", "VALID"]),
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "is_adaptive",
            description: "Whether it stands for an adaptive pool of unequal windows. It matters only to calibration",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "keepdims",
            description: "Whether the result keeps all axes; otherwise spatial axes of size 1 are removed from its end",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "pad_value",
            description: "The value of padding on a chip; here padding is left out, or counts as 0",
            kind: AttributeKind::Int,
            default: Some(Default::Int(0)),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "count_include_pad",
            description: "Whether a mean is that of the whole window, with padding as 0. Only AvgPool uses it",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
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
            name: "first_round_mode",
            description: "How a chip rounds the sum of a window",
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
/**`top.MaxPool`: Largest value of each window, ignoring padding.

A dimension of the result is (i + pad_before + pad_after - k) / stride + 1, rounded down. With `ceil_mode`, pad_after is first increased so that the stride divides i + 2 * pad_before + increase - k: with equal pads, the quotient is rounded up.*/
#[derive(Debug, Clone, PartialEq)]
pub struct MaxPool<V> {
    /// The tensor: \[n, c, spatial...\], with 1 to 3 spatial axes.
    pub input: V,
    /// The size of the window along each spatial axis; if empty, one unpadded window covers all.
    pub kernel_shape: Vec<i64>,
    /// The step of the window along each spatial axis, at least 1.
    pub strides: Vec<i64>,
    /// The padding before each spatial axis, then after each.
    pub pads: Vec<i64>,
    /// Whether the number of windows is rounded up; false if absent.
    pub ceil_mode: Option<bool>,
    /// SAME_UPPER and SAME_LOWER compute the padding like Conv's, in place of `pads` and `ceil_mode`.
    pub auto_pad: Option<AutoPad>,
    /// Whether it stands for an adaptive pool of unequal windows. It matters only to calibration. The default is `false`.
    pub is_adaptive: bool,
    /// Whether the result keeps all axes; otherwise spatial axes of size 1 are removed from its end. The default is `true`.
    pub keepdims: bool,
    /// The value of padding on a chip; here padding is left out, or counts as 0. The default is `0`. It changes no result.
    pub pad_value: i64,
    /// Whether a mean is that of the whole window, with padding as 0. Only AvgPool uses it. The default is `false`.
    pub count_include_pad: bool,
    /// Whether negative results become 0. The default is `false`.
    pub do_relu: bool,
    /// With `do_relu`, the maximum of the results; 0 or a negative value means none. The default is `-1.0f64`.
    pub relu_limit: f64,
    /// How a chip rounds the sum of a window. The default is `RoundMode::HalfAwayFromZero`. It changes no result.
    pub first_round_mode: RoundMode,
    /// How results are rounded to integers. The default is `RoundMode::HalfAwayFromZero`.
    pub round_mode: RoundMode,
}
impl<V> MaxPool<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        input: V,
        kernel_shape: Vec<i64>,
        strides: Vec<i64>,
        pads: Vec<i64>,
    ) -> Self {
        Self {
            input,
            kernel_shape,
            strides,
            pads,
            ceil_mode: None,
            auto_pad: None,
            is_adaptive: false,
            keepdims: true,
            pad_value: 0,
            count_include_pad: false,
            do_relu: false,
            relu_limit: -1.0f64,
            first_round_mode: RoundMode::HalfAwayFromZero,
            round_mode: RoundMode::HalfAwayFromZero,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            kernel_shape: attributes.take("kernel_shape")?,
            strides: attributes.take("strides")?,
            pads: attributes.take("pads")?,
            ceil_mode: attributes.take_optional("ceil_mode")?,
            auto_pad: attributes.take_optional("auto_pad")?,
            is_adaptive: attributes.take("is_adaptive")?,
            keepdims: attributes.take("keepdims")?,
            pad_value: attributes.take("pad_value")?,
            count_include_pad: attributes.take("count_include_pad")?,
            do_relu: attributes.take("do_relu")?,
            relu_limit: attributes.take("relu_limit")?,
            first_round_mode: attributes.take("first_round_mode")?,
            round_mode: attributes.take("round_mode")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("kernel_shape", &self.kernel_shape);
        a.put("strides", &self.strides);
        a.put("pads", &self.pads);
        a.put_optional("ceil_mode", &self.ceil_mode);
        a.put_optional("auto_pad", &self.auto_pad);
        a.put("is_adaptive", &self.is_adaptive);
        a.put("keepdims", &self.keepdims);
        a.put("pad_value", &self.pad_value);
        a.put("count_include_pad", &self.count_include_pad);
        a.put("do_relu", &self.do_relu);
        a.put("relu_limit", &self.relu_limit);
        a.put("first_round_mode", &self.first_round_mode);
        a.put("round_mode", &self.round_mode);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<MaxPool<U>, E> {
        Ok(MaxPool {
            input: f(&self.input)?,
            kernel_shape: self.kernel_shape.clone(),
            strides: self.strides.clone(),
            pads: self.pads.clone(),
            ceil_mode: self.ceil_mode,
            auto_pad: self.auto_pad,
            is_adaptive: self.is_adaptive,
            keepdims: self.keepdims,
            pad_value: self.pad_value,
            count_include_pad: self.count_include_pad,
            do_relu: self.do_relu,
            relu_limit: self.relu_limit,
            first_round_mode: self.first_round_mode,
            round_mode: self.round_mode,
        })
    }
}
pub(super) const MAXPOOLWITHMASK: OpDef = OpDef {
    name: "MaxPoolWithMask",
    summary: "Largest value of each window, and its index",
    description: "Like MaxPool, but the number of windows is always rounded down.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor: [n, c, spatial...], with 1 to 3 spatial axes",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "kernel_shape",
            description: "The size of the window along each spatial axis; if empty, one unpadded window covers all",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "strides",
            description: "The step of the window along each spatial axis, at least 1",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "pads",
            description: "The padding before each spatial axis, then after each",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "ceil_mode",
            description: "Whether the number of windows is rounded up; false if absent",
            kind: AttributeKind::Bool,
            default: None,
            optional: true,
            ignored: true,
        },
        AttributeDef {
            name: "auto_pad",
            description: "SAME_UPPER and SAME_LOWER compute the padding like Conv's, in place of `pads` and `ceil_mode`",
            kind: AttributeKind::OneOf(&["SAME_UPPER", "SAME_LOWER", "NOTSET", "VALID"]),
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "is_adaptive",
            description: "Whether it stands for an adaptive pool of unequal windows. It matters only to calibration",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "keepdims",
            description: "Whether the result keeps all axes; otherwise spatial axes of size 1 are removed from its end",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "pad_value",
            description: "The value of padding on a chip; here padding is left out, or counts as 0",
            kind: AttributeKind::Int,
            default: Some(Default::Int(0)),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "count_include_pad",
            description: "Whether a mean is that of the whole window, with padding as 0. Only AvgPool uses it",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
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
            name: "first_round_mode",
            description: "How a chip rounds the sum of a window",
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
            ignored: true,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "The largest values",
            arity: Arity::Required,
        },
        ValueDef {
            name: "mask",
            description: "The index of each value in its plane, h * width + w, int32 or float; of equal values the first",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.MaxPoolWithMask`: Largest value of each window, and its index.

Like MaxPool, but the number of windows is always rounded down.*/
#[derive(Debug, Clone, PartialEq)]
pub struct MaxPoolWithMask<V> {
    /// The tensor: \[n, c, spatial...\], with 1 to 3 spatial axes.
    pub input: V,
    /// The size of the window along each spatial axis; if empty, one unpadded window covers all.
    pub kernel_shape: Vec<i64>,
    /// The step of the window along each spatial axis, at least 1.
    pub strides: Vec<i64>,
    /// The padding before each spatial axis, then after each.
    pub pads: Vec<i64>,
    /// Whether the number of windows is rounded up; false if absent. It changes no result.
    pub ceil_mode: Option<bool>,
    /// SAME_UPPER and SAME_LOWER compute the padding like Conv's, in place of `pads` and `ceil_mode`.
    pub auto_pad: Option<AutoPad>,
    /// Whether it stands for an adaptive pool of unequal windows. It matters only to calibration. The default is `false`.
    pub is_adaptive: bool,
    /// Whether the result keeps all axes; otherwise spatial axes of size 1 are removed from its end. The default is `true`.
    pub keepdims: bool,
    /// The value of padding on a chip; here padding is left out, or counts as 0. The default is `0`. It changes no result.
    pub pad_value: i64,
    /// Whether a mean is that of the whole window, with padding as 0. Only AvgPool uses it. The default is `false`.
    pub count_include_pad: bool,
    /// Whether negative results become 0. The default is `false`.
    pub do_relu: bool,
    /// With `do_relu`, the maximum of the results; 0 or a negative value means none. The default is `-1.0f64`.
    pub relu_limit: f64,
    /// How a chip rounds the sum of a window. The default is `RoundMode::HalfAwayFromZero`. It changes no result.
    pub first_round_mode: RoundMode,
    /// How results are rounded to integers. The default is `RoundMode::HalfAwayFromZero`. It changes no result.
    pub round_mode: RoundMode,
}
impl<V> MaxPoolWithMask<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        input: V,
        kernel_shape: Vec<i64>,
        strides: Vec<i64>,
        pads: Vec<i64>,
    ) -> Self {
        Self {
            input,
            kernel_shape,
            strides,
            pads,
            ceil_mode: None,
            auto_pad: None,
            is_adaptive: false,
            keepdims: true,
            pad_value: 0,
            count_include_pad: false,
            do_relu: false,
            relu_limit: -1.0f64,
            first_round_mode: RoundMode::HalfAwayFromZero,
            round_mode: RoundMode::HalfAwayFromZero,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            kernel_shape: attributes.take("kernel_shape")?,
            strides: attributes.take("strides")?,
            pads: attributes.take("pads")?,
            ceil_mode: attributes.take_optional("ceil_mode")?,
            auto_pad: attributes.take_optional("auto_pad")?,
            is_adaptive: attributes.take("is_adaptive")?,
            keepdims: attributes.take("keepdims")?,
            pad_value: attributes.take("pad_value")?,
            count_include_pad: attributes.take("count_include_pad")?,
            do_relu: attributes.take("do_relu")?,
            relu_limit: attributes.take("relu_limit")?,
            first_round_mode: attributes.take("first_round_mode")?,
            round_mode: attributes.take("round_mode")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("kernel_shape", &self.kernel_shape);
        a.put("strides", &self.strides);
        a.put("pads", &self.pads);
        a.put_optional("ceil_mode", &self.ceil_mode);
        a.put_optional("auto_pad", &self.auto_pad);
        a.put("is_adaptive", &self.is_adaptive);
        a.put("keepdims", &self.keepdims);
        a.put("pad_value", &self.pad_value);
        a.put("count_include_pad", &self.count_include_pad);
        a.put("do_relu", &self.do_relu);
        a.put("relu_limit", &self.relu_limit);
        a.put("first_round_mode", &self.first_round_mode);
        a.put("round_mode", &self.round_mode);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<MaxPoolWithMask<U>, E> {
        Ok(MaxPoolWithMask {
            input: f(&self.input)?,
            kernel_shape: self.kernel_shape.clone(),
            strides: self.strides.clone(),
            pads: self.pads.clone(),
            ceil_mode: self.ceil_mode,
            auto_pad: self.auto_pad,
            is_adaptive: self.is_adaptive,
            keepdims: self.keepdims,
            pad_value: self.pad_value,
            count_include_pad: self.count_include_pad,
            do_relu: self.do_relu,
            relu_limit: self.relu_limit,
            first_round_mode: self.first_round_mode,
            round_mode: self.round_mode,
        })
    }
}
pub(super) const MAXUNPOOL: OpDef = OpDef {
    name: "MaxUnpool",
    summary: "Writes values to the positions that MaxPoolWithMask found; other elements are 0",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The values: [n, c, h, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "mask",
            description: "The index of each value in its plane of the result, from 0; of the shape of `input`",
            arity: Arity::Required,
        },
    ],
    attributes: &[
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
///`top.MaxUnpool`: Writes values to the positions that MaxPoolWithMask found; other elements are 0.
#[derive(Debug, Clone, PartialEq)]
pub struct MaxUnpool<V> {
    /// The values: \[n, c, h, w\].
    pub input: V,
    /// The index of each value in its plane of the result, from 0; of the shape of `input`.
    pub mask: V,
    /// The factor of the height, at least 1.
    pub scale_h: i64,
    /// The factor of the width, at least 1.
    pub scale_w: i64,
}
impl<V> MaxUnpool<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, mask: V, scale_h: i64, scale_w: i64) -> Self {
        Self {
            input,
            mask,
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
            mask: operands.required("mask")?,
            scale_h: attributes.take("scale_h")?,
            scale_w: attributes.take("scale_w")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("mask", OperandValue::One(& self
            .mask)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("scale_h", &self.scale_h);
        a.put("scale_w", &self.scale_w);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<MaxUnpool<U>, E> {
        Ok(MaxUnpool {
            input: f(&self.input)?,
            mask: f(&self.mask)?,
            scale_h: self.scale_h,
            scale_w: self.scale_w,
        })
    }
}
pub(super) const POOLMASK: OpDef = OpDef {
    name: "PoolMask",
    summary: "1 at the largest value of each square with side scale, otherwise 0",
    description: "Height and width are rounded up to whole squares.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The images: [n, c, h, w]",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "scale",
            description: "The side of the squares in pixels, at least 1",
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
/**`top.PoolMask`: 1 at the largest value of each square with side scale, otherwise 0.

Height and width are rounded up to whole squares.*/
#[derive(Debug, Clone, PartialEq)]
pub struct PoolMask<V> {
    /// The images: \[n, c, h, w\].
    pub input: V,
    /// The side of the squares in pixels, at least 1.
    pub scale: i64,
}
impl<V> PoolMask<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, scale: i64) -> Self {
        Self { input, scale }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            scale: attributes.take("scale")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("scale", &self.scale);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<PoolMask<U>, E> {
        Ok(PoolMask {
            input: f(&self.input)?,
            scale: self.scale,
        })
    }
}
