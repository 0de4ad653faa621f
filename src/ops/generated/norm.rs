// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
pub(super) const BATCHNORM: OpDef = OpDef {
    name: "BatchNorm",
    summary: "(x - mean) / sqrt(variance + epsilon) * gamma + beta, per channel (axis 1)",
    description: "",
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
            name: "variance",
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
            name: "epsilon",
            kind: AttributeKind::Float,
            default: Some(Default::Float(1e-5)),
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
///`top.BatchNorm`: (x - mean) / sqrt(variance + epsilon) * gamma + beta, per channel (axis 1).
#[derive(Debug, Clone, PartialEq)]
pub struct BatchNorm<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub mean: V,
    /// Operand.
    pub variance: V,
    /// Operand.
    pub gamma: Option<V>,
    /// Operand.
    pub beta: Option<V>,
    ///Attribute; `1e-5f64` by default.
    pub epsilon: f64,
    ///Attribute; `false` by default.
    pub do_relu: bool,
    ///Attribute; `-1.0f64` by default.
    pub relu_limit: f64,
}
impl<V> BatchNorm<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, mean: V, variance: V) -> Self {
        Self {
            input,
            mean,
            variance,
            gamma: None,
            beta: None,
            epsilon: 1e-5f64,
            do_relu: false,
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
            variance: operands.required("variance")?,
            gamma: operands.optional("gamma")?,
            beta: operands.optional("beta")?,
            epsilon: attributes.take("epsilon")?,
            do_relu: attributes.take("do_relu")?,
            relu_limit: attributes.take("relu_limit")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("mean", OperandValue::One(& self
            .mean)), ("variance", OperandValue::One(& self.variance)), ("gamma", self
            .gamma.as_ref().map_or(OperandValue::Absent, OperandValue::One)), ("beta",
            self.beta.as_ref().map_or(OperandValue::Absent, OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("epsilon", &self.epsilon);
        a.put("do_relu", &self.do_relu);
        a.put("relu_limit", &self.relu_limit);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<BatchNorm<U>, E> {
        Ok(BatchNorm {
            input: f(&self.input)?,
            mean: f(&self.mean)?,
            variance: f(&self.variance)?,
            gamma: self.gamma.as_ref().map(&mut *f).transpose()?,
            beta: self.beta.as_ref().map(&mut *f).transpose()?,
            epsilon: self.epsilon,
            do_relu: self.do_relu,
            relu_limit: self.relu_limit,
        })
    }
}
pub(super) const GROUPNORM: OpDef = OpDef {
    name: "GroupNorm",
    summary: "Normalization over groups of channels",
    description: "`(x - mean) / sqrt(var + eps) * weight + bias`, over `num_groups` equal groups of channels (axis 1), each with all following axes.",
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
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.GroupNorm`: Normalization over groups of channels.

`(x - mean) / sqrt(var + eps) * weight + bias`, over `num_groups` equal groups of channels (axis 1), each with all following axes.*/
#[derive(Debug, Clone, PartialEq)]
pub struct GroupNorm<V> {
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
impl<V> GroupNorm<V> {
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
    ) -> Result<GroupNorm<U>, E> {
        Ok(GroupNorm {
            input: f(&self.input)?,
            weight: self.weight.as_ref().map(&mut *f).transpose()?,
            bias: self.bias.as_ref().map(&mut *f).transpose()?,
            eps: self.eps,
            num_groups: self.num_groups,
        })
    }
}
pub(super) const INSTANCENORM: OpDef = OpDef {
    name: "InstanceNorm",
    summary: "Normalization of each channel over its spatial axes",
    description: "`(x - mean) / sqrt(var + eps) * weight + bias`.",
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
/**`top.InstanceNorm`: Normalization of each channel over its spatial axes.

`(x - mean) / sqrt(var + eps) * weight + bias`.*/
#[derive(Debug, Clone, PartialEq)]
pub struct InstanceNorm<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub weight: Option<V>,
    /// Operand.
    pub bias: Option<V>,
    ///Attribute.
    pub eps: f64,
}
impl<V> InstanceNorm<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, eps: f64) -> Self {
        Self {
            input,
            weight: None,
            bias: None,
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
        a.put("eps", &self.eps);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<InstanceNorm<U>, E> {
        Ok(InstanceNorm {
            input: f(&self.input)?,
            weight: self.weight.as_ref().map(&mut *f).transpose()?,
            bias: self.bias.as_ref().map(&mut *f).transpose()?,
            eps: self.eps,
        })
    }
}
pub(super) const LRN: OpDef = OpDef {
    name: "LRN",
    summary: "x / (bias + alpha / size * sum(x^2))^beta, the sum over size neighboring channels",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "alpha",
            kind: AttributeKind::Float,
            default: Some(Default::Float(0.0001)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "beta",
            kind: AttributeKind::Float,
            default: Some(Default::Float(0.75)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "bias",
            kind: AttributeKind::Float,
            default: Some(Default::Float(1.0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "size",
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
///`top.LRN`: x / (bias + alpha / size * sum(x^2))^beta, the sum over size neighboring channels.
#[derive(Debug, Clone, PartialEq)]
pub struct LRN<V> {
    /// Operand.
    pub input: V,
    ///Attribute; `0.0001f64` by default.
    pub alpha: f64,
    ///Attribute; `0.75f64` by default.
    pub beta: f64,
    ///Attribute; `1.0f64` by default.
    pub bias: f64,
    ///Attribute.
    pub size: i64,
}
impl<V> LRN<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, size: i64) -> Self {
        Self {
            input,
            alpha: 0.0001f64,
            beta: 0.75f64,
            bias: 1.0f64,
            size,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            alpha: attributes.take("alpha")?,
            beta: attributes.take("beta")?,
            bias: attributes.take("bias")?,
            size: attributes.take("size")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("alpha", &self.alpha);
        a.put("beta", &self.beta);
        a.put("bias", &self.bias);
        a.put("size", &self.size);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<LRN<U>, E> {
        Ok(LRN {
            input: f(&self.input)?,
            alpha: self.alpha,
            beta: self.beta,
            bias: self.bias,
            size: self.size,
        })
    }
}
pub(super) const LAYERNORM: OpDef = OpDef {
    name: "LayerNorm",
    summary: "Normalization over axis and all axes after it",
    description: "`(x - mean) / sqrt(var + eps) * weight + bias`, var the biased variance.",
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
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.LayerNorm`: Normalization over axis and all axes after it.

`(x - mean) / sqrt(var + eps) * weight + bias`, var the biased variance.*/
#[derive(Debug, Clone, PartialEq)]
pub struct LayerNorm<V> {
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
impl<V> LayerNorm<V> {
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
    ) -> Result<LayerNorm<U>, E> {
        Ok(LayerNorm {
            input: f(&self.input)?,
            weight: self.weight.as_ref().map(&mut *f).transpose()?,
            bias: self.bias.as_ref().map(&mut *f).transpose()?,
            normalized_shape: self.normalized_shape.clone(),
            axis: self.axis,
            eps: self.eps,
        })
    }
}
pub(super) const NORMALIZE: OpDef = OpDef {
    name: "Normalize",
    summary: "x divided by its Euclidean norm over the channels, times scale",
    description: "With `across_spatial` the norm is taken over the spatial axes too. `scale` has one value per channel, all of them equal with `channel_shared`. There is no epsilon: 0 / 0 is NaN.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "scale",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "across_spatial",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "channel_shared",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
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
    quant_transparent: false,
    structure: false,
};
/**`top.Normalize`: x divided by its Euclidean norm over the channels, times scale.

With `across_spatial` the norm is taken over the spatial axes too. `scale` has one value per channel, all of them equal with `channel_shared`. There is no epsilon: 0 / 0 is NaN.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Normalize<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub scale: V,
    ///Attribute; `false` by default.
    pub across_spatial: bool,
    ///Attribute; `true` by default. It changes no result.
    pub channel_shared: bool,
}
impl<V> Normalize<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, scale: V) -> Self {
        Self {
            input,
            scale,
            across_spatial: false,
            channel_shared: true,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            scale: operands.required("scale")?,
            across_spatial: attributes.take("across_spatial")?,
            channel_shared: attributes.take("channel_shared")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("scale", OperandValue::One(&
            self.scale)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("across_spatial", &self.across_spatial);
        a.put("channel_shared", &self.channel_shared);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Normalize<U>, E> {
        Ok(Normalize {
            input: f(&self.input)?,
            scale: f(&self.scale)?,
            across_spatial: self.across_spatial,
            channel_shared: self.channel_shared,
        })
    }
}
pub(super) const PIXELNORM: OpDef = OpDef {
    name: "PixelNorm",
    summary: "Normalization over the channels (axis 1) at each position",
    description: "`(x - mean) / sqrt(var + eps) * weight + bias`.",
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
/**`top.PixelNorm`: Normalization over the channels (axis 1) at each position.

`(x - mean) / sqrt(var + eps) * weight + bias`.*/
#[derive(Debug, Clone, PartialEq)]
pub struct PixelNorm<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub weight: Option<V>,
    /// Operand.
    pub bias: Option<V>,
    ///Attribute.
    pub eps: f64,
}
impl<V> PixelNorm<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, eps: f64) -> Self {
        Self {
            input,
            weight: None,
            bias: None,
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
        a.put("eps", &self.eps);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<PixelNorm<U>, E> {
        Ok(PixelNorm {
            input: f(&self.input)?,
            weight: self.weight.as_ref().map(&mut *f).transpose()?,
            bias: self.bias.as_ref().map(&mut *f).transpose()?,
            eps: self.eps,
        })
    }
}
pub(super) const RMSNORM: OpDef = OpDef {
    name: "RMSNorm",
    summary: "x / sqrt(mean(x^2) + eps) * gamma, over the last axis",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "gamma",
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
            name: "weight_keep_f32",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
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
    quant_transparent: false,
    structure: false,
};
///`top.RMSNorm`: x / sqrt(mean(x^2) + eps) * gamma, over the last axis.
#[derive(Debug, Clone, PartialEq)]
pub struct RMSNorm<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub gamma: Option<V>,
    ///Attribute.
    pub eps: f64,
    ///Attribute; `false` by default. It changes no result.
    pub weight_keep_f32: bool,
}
impl<V> RMSNorm<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, eps: f64) -> Self {
        Self {
            input,
            gamma: None,
            eps,
            weight_keep_f32: false,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            gamma: operands.optional("gamma")?,
            eps: attributes.take("eps")?,
            weight_keep_f32: attributes.take("weight_keep_f32")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("gamma", self.gamma.as_ref()
            .map_or(OperandValue::Absent, OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("eps", &self.eps);
        a.put("weight_keep_f32", &self.weight_keep_f32);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<RMSNorm<U>, E> {
        Ok(RMSNorm {
            input: f(&self.input)?,
            gamma: self.gamma.as_ref().map(&mut *f).transpose()?,
            eps: self.eps,
            weight_keep_f32: self.weight_keep_f32,
        })
    }
}
pub(super) const SCALE: OpDef = OpDef {
    name: "Scale",
    summary: "x * scale + bias, per channel (axis 1)",
    description: "The tool chain replaces batch normalizations with it.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "scale",
            arity: Arity::Required,
        },
        ValueDef {
            name: "bias",
            arity: Arity::Required,
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
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.Scale`: x * scale + bias, per channel (axis 1).

The tool chain replaces batch normalizations with it.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Scale<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub scale: V,
    /// Operand.
    pub bias: V,
    ///Attribute; `false` by default.
    pub do_relu: bool,
    ///Attribute; `-1.0f64` by default.
    pub relu_limit: f64,
}
impl<V> Scale<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, scale: V, bias: V) -> Self {
        Self {
            input,
            scale,
            bias,
            do_relu: false,
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
            scale: operands.required("scale")?,
            bias: operands.required("bias")?,
            do_relu: attributes.take("do_relu")?,
            relu_limit: attributes.take("relu_limit")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("scale", OperandValue::One(&
            self.scale)), ("bias", OperandValue::One(& self.bias)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("do_relu", &self.do_relu);
        a.put("relu_limit", &self.relu_limit);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Scale<U>, E> {
        Ok(Scale {
            input: f(&self.input)?,
            scale: f(&self.scale)?,
            bias: f(&self.bias)?,
            do_relu: self.do_relu,
            relu_limit: self.relu_limit,
        })
    }
}
