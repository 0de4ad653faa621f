// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
pub(super) const BATCHNORMBWD: OpDef = OpDef {
    name: "BatchNormBwd",
    summary: "Gradients of a batch normalization: input, weight and bias",
    description: "Absent statistics are computed from `input`.",
    operands: &[
        ValueDef {
            name: "grad_out",
            arity: Arity::Required,
        },
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "weight_opt",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "saved_mean",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "saved_invstd",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "epsilon",
            kind: AttributeKind::Float,
            default: Some(Default::Float(1e-5)),
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "grad_in",
            arity: Arity::Required,
        },
        ValueDef {
            name: "weight_grad",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "bias_grad",
            arity: Arity::OrNone,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.BatchNormBwd`: Gradients of a batch normalization: input, weight and bias.

Absent statistics are computed from `input`.*/
#[derive(Debug, Clone, PartialEq)]
pub struct BatchNormBwd<V> {
    /// Operand.
    pub grad_out: V,
    /// Operand.
    pub input: V,
    /// Operand.
    pub weight_opt: Option<V>,
    /// Operand.
    pub saved_mean: Option<V>,
    /// Operand.
    pub saved_invstd: Option<V>,
    ///Attribute; `1e-5f64` by default.
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
    description: "`running_mean` and `running_var` are the updated running statistics, with the population variance; `saved_invstd` is 1 / sqrt(var + epsilon).",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "mean",
            arity: Arity::Required,
        },
        ValueDef {
            name: "var",
            arity: Arity::Required,
        },
        ValueDef {
            name: "gamma",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "beta",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "do_relu",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "epsilon",
            kind: AttributeKind::Float,
            default: Some(Default::Float(1e-5)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "momentum",
            kind: AttributeKind::Float,
            default: Some(Default::Float(0.1)),
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
    ],
    results: &[
        ValueDef {
            name: "output",
            arity: Arity::Required,
        },
        ValueDef {
            name: "mean_out",
            arity: Arity::Required,
        },
        ValueDef {
            name: "saved_invstd",
            arity: Arity::Required,
        },
        ValueDef {
            name: "running_mean",
            arity: Arity::Required,
        },
        ValueDef {
            name: "running_var",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.BatchNormTrain`: BatchNorm by the statistics of the batch.

`running_mean` and `running_var` are the updated running statistics, with the population variance; `saved_invstd` is 1 / sqrt(var + epsilon).*/
#[derive(Debug, Clone, PartialEq)]
pub struct BatchNormTrain<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub mean: V,
    /// Operand.
    pub var: V,
    /// Operand.
    pub gamma: Option<V>,
    /// Operand.
    pub beta: Option<V>,
    ///Attribute; `false` by default.
    pub do_relu: bool,
    ///Attribute; `1e-5f64` by default.
    pub epsilon: f64,
    ///Attribute; `0.1f64` by default.
    pub momentum: f64,
    ///Attribute; `-1.0f64` by default.
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
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "gradout",
            arity: Arity::Required,
        },
        ValueDef {
            name: "gradout_transpose",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "dilations",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "grad_bias_enable",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "grad_out_shape",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "groups",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "input_shape",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "kernel_shape",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "padding",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "stride",
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
    quant_transparent: false,
    structure: false,
};
///`top.ConvBwd_Weight`: Gradient of the filter of a convolution.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvBwd_Weight<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub gradout: V,
    /// Operand.
    pub gradout_transpose: V,
    ///Attribute.
    pub dilations: Vec<i64>,
    ///Attribute.
    pub grad_bias_enable: bool,
    ///Attribute.
    pub grad_out_shape: Vec<i64>,
    ///Attribute.
    pub groups: i64,
    ///Attribute.
    pub input_shape: Vec<i64>,
    ///Attribute.
    pub kernel_shape: Vec<i64>,
    ///Attribute.
    pub padding: Vec<i64>,
    ///Attribute.
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
    description: "The flags select which of them are computed; the others are none.",
    operands: &[
        ValueDef {
            name: "grad_out",
            arity: Arity::Required,
        },
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "kernel",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "dilations",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "grad_bias_enable",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "grad_input_enable",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "grad_out_shape",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "grad_weight_enable",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "groups",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "input_shape",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "inserts",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "kernel_shape",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "padding",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "stride",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "grad_input",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "grad_weight",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "grad_bias",
            arity: Arity::OrNone,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.Convbwd`: Gradients of a convolution: input, filter and bias.

The flags select which of them are computed; the others are none.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Convbwd<V> {
    /// Operand.
    pub grad_out: V,
    /// Operand.
    pub input: V,
    /// Operand.
    pub kernel: V,
    ///Attribute.
    pub dilations: Vec<i64>,
    ///Attribute.
    pub grad_bias_enable: bool,
    ///Attribute.
    pub grad_input_enable: bool,
    ///Attribute.
    pub grad_out_shape: Vec<i64>,
    ///Attribute.
    pub grad_weight_enable: bool,
    ///Attribute.
    pub groups: i64,
    ///Attribute.
    pub input_shape: Vec<i64>,
    ///Attribute.
    pub inserts: Vec<i64>,
    ///Attribute.
    pub kernel_shape: Vec<i64>,
    ///Attribute.
    pub padding: Vec<i64>,
    ///Attribute.
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
    description: "The result has `num_weights` rows.",
    operands: &[
        ValueDef {
            name: "grad_output",
            arity: Arity::Required,
        },
        ValueDef {
            name: "indices",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "num_weights",
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
/**`top.EmbDenseBwd`: Gradient of an embedding: rows of grad_output summed by index.

The result has `num_weights` rows.*/
#[derive(Debug, Clone, PartialEq)]
pub struct EmbDenseBwd<V> {
    /// Operand.
    pub grad_output: V,
    /// Operand.
    pub indices: V,
    ///Attribute.
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
            arity: Arity::Required,
        },
        ValueDef {
            name: "weight",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "bias",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "eps",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "num_groups",
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
        ValueDef {
            name: "mean",
            arity: Arity::Required,
        },
        ValueDef {
            name: "rstd",
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
    /// Operand.
    pub input: V,
    /// Operand.
    pub weight: Option<V>,
    /// Operand.
    pub bias: Option<V>,
    ///Attribute.
    pub eps: f64,
    ///Attribute.
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
    description: "`mean` and `variance` are those of LayerNormTrain: the latter is 1 / sqrt(var + eps).",
    operands: &[
        ValueDef {
            name: "grad_out",
            arity: Arity::Required,
        },
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "mean",
            arity: Arity::Required,
        },
        ValueDef {
            name: "variance",
            arity: Arity::Required,
        },
        ValueDef {
            name: "weight",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "bias",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "normalized_shape",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "grad_input",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "grad_weight",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "grad_bias",
            arity: Arity::OrNone,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.LayerNormBwd`: Gradients of a layer normalization: input, weight and bias.

`mean` and `variance` are those of LayerNormTrain: the latter is 1 / sqrt(var + eps).*/
#[derive(Debug, Clone, PartialEq)]
pub struct LayerNormBwd<V> {
    /// Operand.
    pub grad_out: V,
    /// Operand.
    pub input: V,
    /// Operand.
    pub mean: V,
    /// Operand.
    pub variance: V,
    /// Operand.
    pub weight: Option<V>,
    /// Operand.
    pub bias: Option<V>,
    ///Attribute.
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
    description: "`variance` is 1 / sqrt(var + eps).",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "weight",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "bias",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "normalized_shape",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "axis",
            kind: AttributeKind::Si32,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "eps",
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
        ValueDef {
            name: "mean",
            arity: Arity::Required,
        },
        ValueDef {
            name: "variance",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.LayerNormTrain`: LayerNorm, and its statistics.

`variance` is 1 / sqrt(var + eps).*/
#[derive(Debug, Clone, PartialEq)]
pub struct LayerNormTrain<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub weight: Option<V>,
    /// Operand.
    pub bias: Option<V>,
    ///Attribute.
    pub normalized_shape: Vec<i64>,
    ///Attribute.
    pub axis: i64,
    ///Attribute.
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
    description: "",
    operands: &[
        ValueDef {
            name: "grad_output",
            arity: Arity::Required,
        },
        ValueDef {
            name: "indices",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "dilations",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "input_shape",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "kernel_shape",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "pads",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "strides",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "grad_input",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
///`top.MaxPoolingIndicesBwd`: Gradient of a max pooling: grad_output put where the largest values were.
#[derive(Debug, Clone, PartialEq)]
pub struct MaxPoolingIndicesBwd<V> {
    /// Operand.
    pub grad_output: V,
    /// Operand.
    pub indices: V,
    ///Attribute.
    pub dilations: Vec<i64>,
    ///Attribute.
    pub input_shape: Vec<i64>,
    ///Attribute.
    pub kernel_shape: Vec<i64>,
    ///Attribute.
    pub pads: Vec<i64>,
    ///Attribute.
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
    description: "`rstd` is 1 / sqrt(var + eps), `scale` is weight * rstd, `bias_new` is bias - mean * scale. A running statistic becomes (1 - momentum) * running + momentum * that of the batch.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "running_mean",
            arity: Arity::Required,
        },
        ValueDef {
            name: "running_var",
            arity: Arity::Required,
        },
        ValueDef {
            name: "weight",
            arity: Arity::Required,
        },
        ValueDef {
            name: "bias",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "eps",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "momentum",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "mean",
            arity: Arity::Required,
        },
        ValueDef {
            name: "rstd",
            arity: Arity::Required,
        },
        ValueDef {
            name: "running_mean_update",
            arity: Arity::Required,
        },
        ValueDef {
            name: "running_var_update",
            arity: Arity::Required,
        },
        ValueDef {
            name: "scale",
            arity: Arity::Required,
        },
        ValueDef {
            name: "bias_new",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.MeanRstd`: Statistics of a batch, and the Scale that normalizes by them.

`rstd` is 1 / sqrt(var + eps), `scale` is weight * rstd, `bias_new` is bias - mean * scale. A running statistic becomes (1 - momentum) * running + momentum * that of the batch.*/
#[derive(Debug, Clone, PartialEq)]
pub struct MeanRstd<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub running_mean: V,
    /// Operand.
    pub running_var: V,
    /// Operand.
    pub weight: V,
    /// Operand.
    pub bias: V,
    ///Attribute.
    pub eps: f64,
    ///Attribute.
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
            arity: Arity::Required,
        },
        ValueDef {
            name: "output",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "dim",
            kind: AttributeKind::Si32,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "grad_input",
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
    /// Operand.
    pub grad_output: V,
    /// Operand.
    pub output: V,
    ///Attribute.
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
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "reorder_mode",
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
///`top.WeightReorder`: Coefficient in the order that the chip reads.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightReorder<V> {
    /// Operand.
    pub input: V,
    ///Attribute; `0` by default.
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
