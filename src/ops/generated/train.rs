// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
pub(super) const BATCHNORMBWD: OpDef = OpDef {
    name: "BatchNormBwd",
    summary: "Gradients of a batch normalization: input, weight and bias",
    description: "",
    operands: &[
        ValueDef {
            name: "grad_out",
            description: "The gradient of the result, of the shape of `input`",
            arity: Arity::Required,
        },
        ValueDef {
            name: "input",
            description: "The normalization's input: [n, c, ...]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "weight_opt",
            description: "The factor of each channel: c elements; 1 if none",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "saved_mean",
            description: "The mean of each channel: c elements; computed from `input` if none",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "saved_invstd",
            description: "The scale of each channel, 1 / sqrt(var + epsilon): c elements; computed from `input` if none",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "epsilon",
            description: "Added to the variance, if `saved_invstd` is none",
            kind: AttributeKind::Float,
            default: Some(Default::Float(1e-5)),
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "grad_in",
            description: "The gradient of `input`",
            arity: Arity::Required,
        },
        ValueDef {
            name: "weight_grad",
            description: "The gradient of the weight, of the shape of `weight_opt`, or [c] if that is none",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "bias_grad",
            description: "The gradient of the bias, of the shape of `weight_grad`",
            arity: Arity::OrNone,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
///`top.BatchNormBwd`: Gradients of a batch normalization: input, weight and bias.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchNormBwd<V> {
    /// The gradient of the result, of the shape of `input`.
    pub grad_out: V,
    /// The normalization's input: \[n, c, ...\].
    pub input: V,
    /// The factor of each channel: c elements; 1 if none.
    pub weight_opt: Option<V>,
    /// The mean of each channel: c elements; computed from `input` if none.
    pub saved_mean: Option<V>,
    /// The scale of each channel, 1 / sqrt(var + epsilon): c elements; computed from `input` if none.
    pub saved_invstd: Option<V>,
    /// Added to the variance, if `saved_invstd` is none. The default is `1e-5f64`.
    pub epsilon: f64,
}
impl<V> BatchNormBwd<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(grad_out: V, input: V) -> Self {
        Self {
            grad_out,
            input,
            weight_opt: None,
            saved_mean: None,
            saved_invstd: None,
            epsilon: 1e-5f64,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            grad_out: operands.required("grad_out")?,
            input: operands.required("input")?,
            weight_opt: operands.optional("weight_opt")?,
            saved_mean: operands.optional("saved_mean")?,
            saved_invstd: operands.optional("saved_invstd")?,
            epsilon: attributes.take("epsilon")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("grad_out", OperandValue::One(& self.grad_out)), ("input",
            OperandValue::One(& self.input)), ("weight_opt", self.weight_opt.as_ref()
            .map_or(OperandValue::Absent, OperandValue::One)), ("saved_mean", self
            .saved_mean.as_ref().map_or(OperandValue::Absent, OperandValue::One)),
            ("saved_invstd", self.saved_invstd.as_ref().map_or(OperandValue::Absent,
            OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("epsilon", &self.epsilon);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<BatchNormBwd<U>, E> {
        Ok(BatchNormBwd {
            grad_out: f(&self.grad_out)?,
            input: f(&self.input)?,
            weight_opt: self.weight_opt.as_ref().map(&mut *f).transpose()?,
            saved_mean: self.saved_mean.as_ref().map(&mut *f).transpose()?,
            saved_invstd: self.saved_invstd.as_ref().map(&mut *f).transpose()?,
            epsilon: self.epsilon,
        })
    }
}
pub(super) const BATCHNORMTRAIN: OpDef = OpDef {
    name: "BatchNormTrain",
    summary: "BatchNorm by the statistics of the batch",
    description: "Each channel is normalized by its mean and its variance, the mean square of the differences. A running statistic becomes (1 - momentum) * running + momentum * that of the batch, whose variance is then the unbiased estimate. The statistics among the results have the shape of `mean`.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor: [n, c, ...]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "mean",
            description: "The running mean of each channel: c elements",
            arity: Arity::Required,
        },
        ValueDef {
            name: "var",
            description: "The running variance of each channel: c elements",
            arity: Arity::Required,
        },
        ValueDef {
            name: "gamma",
            description: "The factor of each channel after normalization: c elements; 1 if none",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "beta",
            description: "Added to each channel after that: c elements; 0 if none",
            arity: Arity::OrNone,
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
            name: "epsilon",
            description: "Added to the variance",
            kind: AttributeKind::Float,
            default: Some(Default::Float(1e-5)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "momentum",
            description: "The weight of the batch in the running statistics",
            kind: AttributeKind::Float,
            default: Some(Default::Float(0.1)),
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
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "The normalized tensor, of the type of `input`",
            arity: Arity::Required,
        },
        ValueDef {
            name: "mean_out",
            description: "The mean of the batch",
            arity: Arity::Required,
        },
        ValueDef {
            name: "saved_invstd",
            description: "The scale of the batch, 1 / sqrt(var + epsilon)",
            arity: Arity::Required,
        },
        ValueDef {
            name: "running_mean",
            description: "The updated running mean",
            arity: Arity::Required,
        },
        ValueDef {
            name: "running_var",
            description: "The updated running variance",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.BatchNormTrain`: BatchNorm by the statistics of the batch.

Each channel is normalized by its mean and its variance, the mean square of the differences. A running statistic becomes (1 - momentum) * running + momentum * that of the batch, whose variance is then the unbiased estimate. The statistics among the results have the shape of `mean`.*/
#[derive(Debug, Clone, PartialEq)]
pub struct BatchNormTrain<V> {
    /// The tensor: \[n, c, ...\].
    pub input: V,
    /// The running mean of each channel: c elements.
    pub mean: V,
    /// The running variance of each channel: c elements.
    pub var: V,
    /// The factor of each channel after normalization: c elements; 1 if none.
    pub gamma: Option<V>,
    /// Added to each channel after that: c elements; 0 if none.
    pub beta: Option<V>,
    /// Whether negative results become 0. The default is `false`.
    pub do_relu: bool,
    /// Added to the variance. The default is `1e-5f64`.
    pub epsilon: f64,
    /// The weight of the batch in the running statistics. The default is `0.1f64`.
    pub momentum: f64,
    /// With `do_relu`, the maximum of the results; 0 or a negative value means none. The default is `-1.0f64`.
    pub relu_limit: f64,
}
impl<V> BatchNormTrain<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, mean: V, var: V) -> Self {
        Self {
            input,
            mean,
            var,
            gamma: None,
            beta: None,
            do_relu: false,
            epsilon: 1e-5f64,
            momentum: 0.1f64,
            relu_limit: -1.0f64,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            mean: operands.required("mean")?,
            var: operands.required("var")?,
            gamma: operands.optional("gamma")?,
            beta: operands.optional("beta")?,
            do_relu: attributes.take("do_relu")?,
            epsilon: attributes.take("epsilon")?,
            momentum: attributes.take("momentum")?,
            relu_limit: attributes.take("relu_limit")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("mean", OperandValue::One(& self
            .mean)), ("var", OperandValue::One(& self.var)), ("gamma", self.gamma
            .as_ref().map_or(OperandValue::Absent, OperandValue::One)), ("beta", self
            .beta.as_ref().map_or(OperandValue::Absent, OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("do_relu", &self.do_relu);
        a.put("epsilon", &self.epsilon);
        a.put("momentum", &self.momentum);
        a.put("relu_limit", &self.relu_limit);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<BatchNormTrain<U>, E> {
        Ok(BatchNormTrain {
            input: f(&self.input)?,
            mean: f(&self.mean)?,
            var: f(&self.var)?,
            gamma: self.gamma.as_ref().map(&mut *f).transpose()?,
            beta: self.beta.as_ref().map(&mut *f).transpose()?,
            do_relu: self.do_relu,
            epsilon: self.epsilon,
            momentum: self.momentum,
            relu_limit: self.relu_limit,
        })
    }
}
pub(super) const CONVBWD_WEIGHT: OpDef = OpDef {
    name: "ConvBwd_Weight",
    summary: "Gradient of the filter of a convolution",
    description: "The result is [oc, ic / groups, kh, kw].",
    operands: &[
        ValueDef {
            name: "input",
            description: "The convolution's input: [n, ic, h, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "gradout",
            description: "The gradient of the result: [n, oc, oh, ow]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "gradout_transpose",
            description: "The same for the chip, as [oc, n, oh, ow]. It changes no result",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "dilations",
            description: "The vertical and the horizontal distance of the filter's elements, at least 1",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "grad_bias_enable",
            description: "Whether the chip computes the gradient of the bias, too",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "grad_out_shape",
            description: "The shape of `gradout`",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "groups",
            description: "Number of groups of channels that are convolved separately",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "input_shape",
            description: "The shape of `input`",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "kernel_shape",
            description: "The height and width of the filter",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "padding",
            description: "The padding: top, left, bottom, right",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "stride",
            description: "The vertical and the horizontal step, at least 1",
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
/**`top.ConvBwd_Weight`: Gradient of the filter of a convolution.

The result is \[oc, ic / groups, kh, kw\].*/
#[derive(Debug, Clone, PartialEq)]
pub struct ConvBwd_Weight<V> {
    /// The convolution's input: \[n, ic, h, w\].
    pub input: V,
    /// The gradient of the result: \[n, oc, oh, ow\].
    pub gradout: V,
    /// The same for the chip, as \[oc, n, oh, ow\]. It changes no result.
    pub gradout_transpose: V,
    /// The vertical and the horizontal distance of the filter's elements, at least 1.
    pub dilations: Vec<i64>,
    /// Whether the chip computes the gradient of the bias, too. It changes no result.
    pub grad_bias_enable: bool,
    /// The shape of `gradout`. It changes no result.
    pub grad_out_shape: Vec<i64>,
    /// Number of groups of channels that are convolved separately.
    pub groups: i64,
    /// The shape of `input`. It changes no result.
    pub input_shape: Vec<i64>,
    /// The height and width of the filter.
    pub kernel_shape: Vec<i64>,
    /// The padding: top, left, bottom, right.
    pub padding: Vec<i64>,
    /// The vertical and the horizontal step, at least 1.
    pub stride: Vec<i64>,
}
impl<V> ConvBwd_Weight<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        input: V,
        gradout: V,
        gradout_transpose: V,
        dilations: Vec<i64>,
        grad_bias_enable: bool,
        grad_out_shape: Vec<i64>,
        groups: i64,
        input_shape: Vec<i64>,
        kernel_shape: Vec<i64>,
        padding: Vec<i64>,
        stride: Vec<i64>,
    ) -> Self {
        Self {
            input,
            gradout,
            gradout_transpose,
            dilations,
            grad_bias_enable,
            grad_out_shape,
            groups,
            input_shape,
            kernel_shape,
            padding,
            stride,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            gradout: operands.required("gradout")?,
            gradout_transpose: operands.required("gradout_transpose")?,
            dilations: attributes.take("dilations")?,
            grad_bias_enable: attributes.take("grad_bias_enable")?,
            grad_out_shape: attributes.take("grad_out_shape")?,
            groups: attributes.take("groups")?,
            input_shape: attributes.take("input_shape")?,
            kernel_shape: attributes.take("kernel_shape")?,
            padding: attributes.take("padding")?,
            stride: attributes.take("stride")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("gradout", OperandValue::One(&
            self.gradout)), ("gradout_transpose", OperandValue::One(& self
            .gradout_transpose)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("dilations", &self.dilations);
        a.put("grad_bias_enable", &self.grad_bias_enable);
        a.put("grad_out_shape", &self.grad_out_shape);
        a.put("groups", &self.groups);
        a.put("input_shape", &self.input_shape);
        a.put("kernel_shape", &self.kernel_shape);
        a.put("padding", &self.padding);
        a.put("stride", &self.stride);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<ConvBwd_Weight<U>, E> {
        Ok(ConvBwd_Weight {
            input: f(&self.input)?,
            gradout: f(&self.gradout)?,
            gradout_transpose: f(&self.gradout_transpose)?,
            dilations: self.dilations.clone(),
            grad_bias_enable: self.grad_bias_enable,
            grad_out_shape: self.grad_out_shape.clone(),
            groups: self.groups,
            input_shape: self.input_shape.clone(),
            kernel_shape: self.kernel_shape.clone(),
            padding: self.padding.clone(),
            stride: self.stride.clone(),
        })
    }
}
pub(super) const CONVBWD: OpDef = OpDef {
    name: "Convbwd",
    summary: "Gradients of a convolution: input, filter and bias",
    description: "The flags say which of them are computed; the others are none.",
    operands: &[
        ValueDef {
            name: "grad_out",
            description: "The gradient of the result: [n, oc, oh, ow]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "input",
            description: "The convolution's input: [n, ic, h, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "kernel",
            description: "The filter: [oc, ic / groups, kh, kw]",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "dilations",
            description: "The vertical and the horizontal distance of the filter's elements, at least 1",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "grad_bias_enable",
            description: "Whether `grad_bias` is computed",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "grad_input_enable",
            description: "Whether `grad_input` is computed",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "grad_out_shape",
            description: "The shape of `grad_out`",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "grad_weight_enable",
            description: "Whether `grad_weight` is computed",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "groups",
            description: "Number of groups of channels that are convolved separately",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "input_shape",
            description: "The shape of `input`",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "inserts",
            description: "Number of zeros between input elements: only 0 is supported",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "kernel_shape",
            description: "The shape of `kernel`",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "padding",
            description: "The padding: top, left, bottom, right",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "stride",
            description: "The vertical and the horizontal step, at least 1",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "grad_input",
            description: "The gradient of `input`",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "grad_weight",
            description: "The gradient of `kernel`",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "grad_bias",
            description: "The gradient of the bias: [oc]",
            arity: Arity::OrNone,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.Convbwd`: Gradients of a convolution: input, filter and bias.

The flags say which of them are computed; the others are none.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Convbwd<V> {
    /// The gradient of the result: \[n, oc, oh, ow\].
    pub grad_out: V,
    /// The convolution's input: \[n, ic, h, w\].
    pub input: V,
    /// The filter: \[oc, ic / groups, kh, kw\].
    pub kernel: V,
    /// The vertical and the horizontal distance of the filter's elements, at least 1.
    pub dilations: Vec<i64>,
    /// Whether `grad_bias` is computed.
    pub grad_bias_enable: bool,
    /// Whether `grad_input` is computed.
    pub grad_input_enable: bool,
    /// The shape of `grad_out`. It changes no result.
    pub grad_out_shape: Vec<i64>,
    /// Whether `grad_weight` is computed.
    pub grad_weight_enable: bool,
    /// Number of groups of channels that are convolved separately.
    pub groups: i64,
    /// The shape of `input`. It changes no result.
    pub input_shape: Vec<i64>,
    /// Number of zeros between input elements: only 0 is supported.
    pub inserts: Vec<i64>,
    /// The shape of `kernel`. It changes no result.
    pub kernel_shape: Vec<i64>,
    /// The padding: top, left, bottom, right.
    pub padding: Vec<i64>,
    /// The vertical and the horizontal step, at least 1.
    pub stride: Vec<i64>,
}
impl<V> Convbwd<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        grad_out: V,
        input: V,
        kernel: V,
        dilations: Vec<i64>,
        grad_bias_enable: bool,
        grad_input_enable: bool,
        grad_out_shape: Vec<i64>,
        grad_weight_enable: bool,
        groups: i64,
        input_shape: Vec<i64>,
        inserts: Vec<i64>,
        kernel_shape: Vec<i64>,
        padding: Vec<i64>,
        stride: Vec<i64>,
    ) -> Self {
        Self {
            grad_out,
            input,
            kernel,
            dilations,
            grad_bias_enable,
            grad_input_enable,
            grad_out_shape,
            grad_weight_enable,
            groups,
            input_shape,
            inserts,
            kernel_shape,
            padding,
            stride,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            grad_out: operands.required("grad_out")?,
            input: operands.required("input")?,
            kernel: operands.required("kernel")?,
            dilations: attributes.take("dilations")?,
            grad_bias_enable: attributes.take("grad_bias_enable")?,
            grad_input_enable: attributes.take("grad_input_enable")?,
            grad_out_shape: attributes.take("grad_out_shape")?,
            grad_weight_enable: attributes.take("grad_weight_enable")?,
            groups: attributes.take("groups")?,
            input_shape: attributes.take("input_shape")?,
            inserts: attributes.take("inserts")?,
            kernel_shape: attributes.take("kernel_shape")?,
            padding: attributes.take("padding")?,
            stride: attributes.take("stride")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("grad_out", OperandValue::One(& self.grad_out)), ("input",
            OperandValue::One(& self.input)), ("kernel", OperandValue::One(& self
            .kernel)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("dilations", &self.dilations);
        a.put("grad_bias_enable", &self.grad_bias_enable);
        a.put("grad_input_enable", &self.grad_input_enable);
        a.put("grad_out_shape", &self.grad_out_shape);
        a.put("grad_weight_enable", &self.grad_weight_enable);
        a.put("groups", &self.groups);
        a.put("input_shape", &self.input_shape);
        a.put("inserts", &self.inserts);
        a.put("kernel_shape", &self.kernel_shape);
        a.put("padding", &self.padding);
        a.put("stride", &self.stride);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Convbwd<U>, E> {
        Ok(Convbwd {
            grad_out: f(&self.grad_out)?,
            input: f(&self.input)?,
            kernel: f(&self.kernel)?,
            dilations: self.dilations.clone(),
            grad_bias_enable: self.grad_bias_enable,
            grad_input_enable: self.grad_input_enable,
            grad_out_shape: self.grad_out_shape.clone(),
            grad_weight_enable: self.grad_weight_enable,
            groups: self.groups,
            input_shape: self.input_shape.clone(),
            inserts: self.inserts.clone(),
            kernel_shape: self.kernel_shape.clone(),
            padding: self.padding.clone(),
            stride: self.stride.clone(),
        })
    }
}
pub(super) const EMBDENSEBWD: OpDef = OpDef {
    name: "EmbDenseBwd",
    summary: "Gradient of an embedding: rows of grad_output summed by index",
    description: "",
    operands: &[
        ValueDef {
            name: "grad_output",
            description: "The gradient of the result: the shape of `indices`, then the elements of a row",
            arity: Arity::Required,
        },
        ValueDef {
            name: "indices",
            description: "The row of the table for each row of `grad_output`, from 0",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "num_weights",
            description: "Number of rows of the table and of the result, at least 1",
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
///`top.EmbDenseBwd`: Gradient of an embedding: rows of grad_output summed by index.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbDenseBwd<V> {
    /// The gradient of the result: the shape of `indices`, then the elements of a row.
    pub grad_output: V,
    /// The row of the table for each row of `grad_output`, from 0.
    pub indices: V,
    /// Number of rows of the table and of the result, at least 1.
    pub num_weights: i64,
}
impl<V> EmbDenseBwd<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(grad_output: V, indices: V, num_weights: i64) -> Self {
        Self {
            grad_output,
            indices,
            num_weights,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            grad_output: operands.required("grad_output")?,
            indices: operands.required("indices")?,
            num_weights: attributes.take("num_weights")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("grad_output", OperandValue::One(& self.grad_output)), ("indices",
            OperandValue::One(& self.indices)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("num_weights", &self.num_weights);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<EmbDenseBwd<U>, E> {
        Ok(EmbDenseBwd {
            grad_output: f(&self.grad_output)?,
            indices: f(&self.indices)?,
            num_weights: self.num_weights,
        })
    }
}
pub(super) const GROUPNORMTRAIN: OpDef = OpDef {
    name: "GroupNormTrain",
    summary: "GroupNorm, and mean and 1 / sqrt(var + eps) of each group",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor: [n, c, ..]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "weight",
            description: "The factor of each channel: c elements; 1 if absent",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "bias",
            description: "Added to each channel: c elements; 0 if absent",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "eps",
            description: "Added to the variance, so that it is not 0",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "num_groups",
            description: "Number of groups of channels: a divisor of c",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "The normalized tensor, of the type of `input`",
            arity: Arity::Required,
        },
        ValueDef {
            name: "mean",
            description: "The mean of each group: [n, num_groups]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "rstd",
            description: "The scale of each group, 1 / sqrt(var + eps): [n, num_groups]",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
///`top.GroupNormTrain`: GroupNorm, and mean and 1 / sqrt(var + eps) of each group.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupNormTrain<V> {
    /// The tensor: \[n, c, ..\].
    pub input: V,
    /// The factor of each channel: c elements; 1 if absent.
    pub weight: Option<V>,
    /// Added to each channel: c elements; 0 if absent.
    pub bias: Option<V>,
    /// Added to the variance, so that it is not 0.
    pub eps: f64,
    /// Number of groups of channels: a divisor of c.
    pub num_groups: i64,
}
impl<V> GroupNormTrain<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, eps: f64, num_groups: i64) -> Self {
        Self {
            input,
            weight: None,
            bias: None,
            eps,
            num_groups,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            weight: operands.optional("weight")?,
            bias: operands.optional("bias")?,
            eps: attributes.take("eps")?,
            num_groups: attributes.take("num_groups")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("weight", self.weight.as_ref()
            .map_or(OperandValue::Absent, OperandValue::One)), ("bias", self.bias
            .as_ref().map_or(OperandValue::Absent, OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("eps", &self.eps);
        a.put("num_groups", &self.num_groups);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<GroupNormTrain<U>, E> {
        Ok(GroupNormTrain {
            input: f(&self.input)?,
            weight: self.weight.as_ref().map(&mut *f).transpose()?,
            bias: self.bias.as_ref().map(&mut *f).transpose()?,
            eps: self.eps,
            num_groups: self.num_groups,
        })
    }
}
pub(super) const LAYERNORMBWD: OpDef = OpDef {
    name: "LayerNormBwd",
    summary: "Gradients of a layer normalization: input, weight and bias",
    description: "`mean` and `variance` are those of LayerNormTrain.",
    operands: &[
        ValueDef {
            name: "grad_out",
            description: "The gradient of the result, of the shape of `input`",
            arity: Arity::Required,
        },
        ValueDef {
            name: "input",
            description: "The normalization's input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "mean",
            description: "The mean of each part that is normalized",
            arity: Arity::Required,
        },
        ValueDef {
            name: "variance",
            description: "The scale of each part, 1 / sqrt(var + eps), in spite of the name",
            arity: Arity::Required,
        },
        ValueDef {
            name: "weight",
            description: "The factors, as many elements as `normalized_shape` has; 1 if none",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "bias",
            description: "The bias, as many elements as `normalized_shape` has. It changes no result",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "normalized_shape",
            description: "The last dimensions of `input`, over which it is normalized",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "grad_input",
            description: "The gradient of `input`",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "grad_weight",
            description: "The gradient of `weight`, of the shape `normalized_shape`",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "grad_bias",
            description: "The gradient of `bias`, of the shape `normalized_shape`",
            arity: Arity::OrNone,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.LayerNormBwd`: Gradients of a layer normalization: input, weight and bias.

`mean` and `variance` are those of LayerNormTrain.*/
#[derive(Debug, Clone, PartialEq)]
pub struct LayerNormBwd<V> {
    /// The gradient of the result, of the shape of `input`.
    pub grad_out: V,
    /// The normalization's input.
    pub input: V,
    /// The mean of each part that is normalized.
    pub mean: V,
    /// The scale of each part, 1 / sqrt(var + eps), in spite of the name.
    pub variance: V,
    /// The factors, as many elements as `normalized_shape` has; 1 if none.
    pub weight: Option<V>,
    /// The bias, as many elements as `normalized_shape` has. It changes no result.
    pub bias: Option<V>,
    /// The last dimensions of `input`, over which it is normalized.
    pub normalized_shape: Vec<i64>,
}
impl<V> LayerNormBwd<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        grad_out: V,
        input: V,
        mean: V,
        variance: V,
        normalized_shape: Vec<i64>,
    ) -> Self {
        Self {
            grad_out,
            input,
            mean,
            variance,
            weight: None,
            bias: None,
            normalized_shape,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            grad_out: operands.required("grad_out")?,
            input: operands.required("input")?,
            mean: operands.required("mean")?,
            variance: operands.required("variance")?,
            weight: operands.optional("weight")?,
            bias: operands.optional("bias")?,
            normalized_shape: attributes.take("normalized_shape")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("grad_out", OperandValue::One(& self.grad_out)), ("input",
            OperandValue::One(& self.input)), ("mean", OperandValue::One(& self.mean)),
            ("variance", OperandValue::One(& self.variance)), ("weight", self.weight
            .as_ref().map_or(OperandValue::Absent, OperandValue::One)), ("bias", self
            .bias.as_ref().map_or(OperandValue::Absent, OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("normalized_shape", &self.normalized_shape);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<LayerNormBwd<U>, E> {
        Ok(LayerNormBwd {
            grad_out: f(&self.grad_out)?,
            input: f(&self.input)?,
            mean: f(&self.mean)?,
            variance: f(&self.variance)?,
            weight: self.weight.as_ref().map(&mut *f).transpose()?,
            bias: self.bias.as_ref().map(&mut *f).transpose()?,
            normalized_shape: self.normalized_shape.clone(),
        })
    }
}
pub(super) const LAYERNORMTRAIN: OpDef = OpDef {
    name: "LayerNormTrain",
    summary: "LayerNorm, and its statistics",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
        ValueDef {
            name: "weight",
            description: "Factors: as many elements as the normalized axes have; 1 if absent",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "bias",
            description: "Addends: as many elements as the normalized axes have; 0 if absent",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "normalized_shape",
            description: "The dimensions of the normalized axes, or an empty list. Only `axis` counts",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "axis",
            description: "The first normalized axis; negative values count from the end",
            kind: AttributeKind::Si32,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "eps",
            description: "Added to the variance, so that it is not 0",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "The normalized tensor, of the type of `input`",
            arity: Arity::Required,
        },
        ValueDef {
            name: "mean",
            description: "The means: the shape of `input`, with 1 for the normalized axes",
            arity: Arity::Required,
        },
        ValueDef {
            name: "variance",
            description: "The scales, 1 / sqrt(var + eps), in spite of the name; of the shape of `mean`",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
///`top.LayerNormTrain`: LayerNorm, and its statistics.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerNormTrain<V> {
    /// The tensor.
    pub input: V,
    /// Factors: as many elements as the normalized axes have; 1 if absent.
    pub weight: Option<V>,
    /// Addends: as many elements as the normalized axes have; 0 if absent.
    pub bias: Option<V>,
    /// The dimensions of the normalized axes, or an empty list. Only `axis` counts. It changes no result.
    pub normalized_shape: Vec<i64>,
    /// The first normalized axis; negative values count from the end.
    pub axis: i64,
    /// Added to the variance, so that it is not 0.
    pub eps: f64,
}
impl<V> LayerNormTrain<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, normalized_shape: Vec<i64>, axis: i64, eps: f64) -> Self {
        Self {
            input,
            weight: None,
            bias: None,
            normalized_shape,
            axis,
            eps,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            weight: operands.optional("weight")?,
            bias: operands.optional("bias")?,
            normalized_shape: attributes.take("normalized_shape")?,
            axis: attributes.take("axis")?,
            eps: attributes.take("eps")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("weight", self.weight.as_ref()
            .map_or(OperandValue::Absent, OperandValue::One)), ("bias", self.bias
            .as_ref().map_or(OperandValue::Absent, OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("normalized_shape", &self.normalized_shape);
        a.put("axis", &self.axis);
        a.put("eps", &self.eps);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<LayerNormTrain<U>, E> {
        Ok(LayerNormTrain {
            input: f(&self.input)?,
            weight: self.weight.as_ref().map(&mut *f).transpose()?,
            bias: self.bias.as_ref().map(&mut *f).transpose()?,
            normalized_shape: self.normalized_shape.clone(),
            axis: self.axis,
            eps: self.eps,
        })
    }
}
pub(super) const MAXPOOLINGINDICESBWD: OpDef = OpDef {
    name: "MaxPoolingIndicesBwd",
    summary: "Gradient of a max pooling: grad_output put where the largest values were",
    description: "Gradients at one index are added. The window has no effect, since `indices` and `input_shape` determine the result.",
    operands: &[
        ValueDef {
            name: "grad_output",
            description: "The gradient of the pool's result: [n, c, oh, ow]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "indices",
            description: "The index of each value in its plane of the pool's input, h * width + w; shaped like `grad_output`",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "dilations",
            description: "The distance of the window's elements",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "input_shape",
            description: "The shape of the pool's input: [n, c, h, w]",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "kernel_shape",
            description: "The height and width of the window",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "pads",
            description: "The padding: top, left, bottom, right",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "strides",
            description: "The vertical and the horizontal step of the window",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: true,
        },
    ],
    results: &[
        ValueDef {
            name: "grad_input",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.MaxPoolingIndicesBwd`: Gradient of a max pooling: grad_output put where the largest values were.

Gradients at one index are added. The window has no effect, since `indices` and `input_shape` determine the result.*/
#[derive(Debug, Clone, PartialEq)]
pub struct MaxPoolingIndicesBwd<V> {
    /// The gradient of the pool's result: \[n, c, oh, ow\].
    pub grad_output: V,
    /// The index of each value in its plane of the pool's input, h * width + w; shaped like `grad_output`.
    pub indices: V,
    /// The distance of the window's elements. It changes no result.
    pub dilations: Vec<i64>,
    /// The shape of the pool's input: \[n, c, h, w\].
    pub input_shape: Vec<i64>,
    /// The height and width of the window. It changes no result.
    pub kernel_shape: Vec<i64>,
    /// The padding: top, left, bottom, right. It changes no result.
    pub pads: Vec<i64>,
    /// The vertical and the horizontal step of the window. It changes no result.
    pub strides: Vec<i64>,
}
impl<V> MaxPoolingIndicesBwd<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        grad_output: V,
        indices: V,
        dilations: Vec<i64>,
        input_shape: Vec<i64>,
        kernel_shape: Vec<i64>,
        pads: Vec<i64>,
        strides: Vec<i64>,
    ) -> Self {
        Self {
            grad_output,
            indices,
            dilations,
            input_shape,
            kernel_shape,
            pads,
            strides,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            grad_output: operands.required("grad_output")?,
            indices: operands.required("indices")?,
            dilations: attributes.take("dilations")?,
            input_shape: attributes.take("input_shape")?,
            kernel_shape: attributes.take("kernel_shape")?,
            pads: attributes.take("pads")?,
            strides: attributes.take("strides")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("grad_output", OperandValue::One(& self.grad_output)), ("indices",
            OperandValue::One(& self.indices)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("dilations", &self.dilations);
        a.put("input_shape", &self.input_shape);
        a.put("kernel_shape", &self.kernel_shape);
        a.put("pads", &self.pads);
        a.put("strides", &self.strides);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<MaxPoolingIndicesBwd<U>, E> {
        Ok(MaxPoolingIndicesBwd {
            grad_output: f(&self.grad_output)?,
            indices: f(&self.indices)?,
            dilations: self.dilations.clone(),
            input_shape: self.input_shape.clone(),
            kernel_shape: self.kernel_shape.clone(),
            pads: self.pads.clone(),
            strides: self.strides.clone(),
        })
    }
}
pub(super) const MEANRSTD: OpDef = OpDef {
    name: "MeanRstd",
    summary: "Statistics of a batch, and the Scale that normalizes by them",
    description: "A running statistic becomes (1 - momentum) * running + momentum * that of the batch, whose variance is then the unbiased estimate.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor: [n, c, ...]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "running_mean",
            description: "The running mean of each channel: c elements",
            arity: Arity::Required,
        },
        ValueDef {
            name: "running_var",
            description: "The running variance of each channel: c elements",
            arity: Arity::Required,
        },
        ValueDef {
            name: "weight",
            description: "The factor of each channel after normalization: c elements",
            arity: Arity::Required,
        },
        ValueDef {
            name: "bias",
            description: "Added to each channel after that: c elements",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "eps",
            description: "Added to the variance",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "momentum",
            description: "The weight of the batch in the running statistics",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "mean",
            description: "The mean of each channel, of the shape of `running_mean`",
            arity: Arity::Required,
        },
        ValueDef {
            name: "rstd",
            description: "The scale of each channel, 1 / sqrt(var + eps), of the shape of `running_var`",
            arity: Arity::Required,
        },
        ValueDef {
            name: "running_mean_update",
            description: "The updated running mean",
            arity: Arity::Required,
        },
        ValueDef {
            name: "running_var_update",
            description: "The updated running variance",
            arity: Arity::Required,
        },
        ValueDef {
            name: "scale",
            description: "The Scale's factor, weight * rstd: [1, c, 1, 1]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "bias_new",
            description: "The Scale's bias, bias - mean * scale: [1, c, 1, 1]",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.MeanRstd`: Statistics of a batch, and the Scale that normalizes by them.

A running statistic becomes (1 - momentum) * running + momentum * that of the batch, whose variance is then the unbiased estimate.*/
#[derive(Debug, Clone, PartialEq)]
pub struct MeanRstd<V> {
    /// The tensor: \[n, c, ...\].
    pub input: V,
    /// The running mean of each channel: c elements.
    pub running_mean: V,
    /// The running variance of each channel: c elements.
    pub running_var: V,
    /// The factor of each channel after normalization: c elements.
    pub weight: V,
    /// Added to each channel after that: c elements.
    pub bias: V,
    /// Added to the variance.
    pub eps: f64,
    /// The weight of the batch in the running statistics.
    pub momentum: f64,
}
impl<V> MeanRstd<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        input: V,
        running_mean: V,
        running_var: V,
        weight: V,
        bias: V,
        eps: f64,
        momentum: f64,
    ) -> Self {
        Self {
            input,
            running_mean,
            running_var,
            weight,
            bias,
            eps,
            momentum,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            running_mean: operands.required("running_mean")?,
            running_var: operands.required("running_var")?,
            weight: operands.required("weight")?,
            bias: operands.required("bias")?,
            eps: attributes.take("eps")?,
            momentum: attributes.take("momentum")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("running_mean",
            OperandValue::One(& self.running_mean)), ("running_var", OperandValue::One(&
            self.running_var)), ("weight", OperandValue::One(& self.weight)), ("bias",
            OperandValue::One(& self.bias)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("eps", &self.eps);
        a.put("momentum", &self.momentum);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<MeanRstd<U>, E> {
        Ok(MeanRstd {
            input: f(&self.input)?,
            running_mean: f(&self.running_mean)?,
            running_var: f(&self.running_var)?,
            weight: f(&self.weight)?,
            bias: f(&self.bias)?,
            eps: self.eps,
            momentum: self.momentum,
        })
    }
}
pub(super) const SOFTMAXBWD: OpDef = OpDef {
    name: "SoftmaxBwd",
    summary: "Gradient of a softmax",
    description: "`output * (grad_output - sum(grad_output * output))`, the sum along `dim`.",
    operands: &[
        ValueDef {
            name: "grad_output",
            description: "The gradient of the softmax's result",
            arity: Arity::Required,
        },
        ValueDef {
            name: "output",
            description: "The softmax's result, of the shape of `grad_output`",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "dim",
            description: "The axis of the softmax; a negative one counts from the end",
            kind: AttributeKind::Si32,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "grad_input",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.SoftmaxBwd`: Gradient of a softmax.

`output * (grad_output - sum(grad_output * output))`, the sum along `dim`.*/
#[derive(Debug, Clone, PartialEq)]
pub struct SoftmaxBwd<V> {
    /// The gradient of the softmax's result.
    pub grad_output: V,
    /// The softmax's result, of the shape of `grad_output`.
    pub output: V,
    /// The axis of the softmax; a negative one counts from the end.
    pub dim: i64,
}
impl<V> SoftmaxBwd<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(grad_output: V, output: V, dim: i64) -> Self {
        Self { grad_output, output, dim }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            grad_output: operands.required("grad_output")?,
            output: operands.required("output")?,
            dim: attributes.take("dim")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("grad_output", OperandValue::One(& self.grad_output)), ("output",
            OperandValue::One(& self.output)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("dim", &self.dim);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<SoftmaxBwd<U>, E> {
        Ok(SoftmaxBwd {
            grad_output: f(&self.grad_output)?,
            output: f(&self.output)?,
            dim: self.dim,
        })
    }
}
pub(super) const WEIGHTREORDER: OpDef = OpDef {
    name: "WeightReorder",
    summary: "Coefficient in the order that the chip reads",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The coefficient",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "reorder_mode",
            description: "The number of the order, which the chip defines",
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
///`top.WeightReorder`: Coefficient in the order that the chip reads.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightReorder<V> {
    /// The coefficient.
    pub input: V,
    /// The number of the order, which the chip defines. The default is `0`.
    pub reorder_mode: i64,
}
impl<V> WeightReorder<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V) -> Self {
        Self { input, reorder_mode: 0 }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            reorder_mode: attributes.take("reorder_mode")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("reorder_mode", &self.reorder_mode);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<WeightReorder<U>, E> {
        Ok(WeightReorder {
            input: f(&self.input)?,
            reorder_mode: self.reorder_mode,
        })
    }
}
