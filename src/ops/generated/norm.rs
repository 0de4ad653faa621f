// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
pub(super) const BATCHNORM: OpDef = OpDef {
    name: "BatchNorm",
    summary: "(x - mean) / sqrt(variance + epsilon) * gamma + beta, per channel (axis 1)",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor: [n, c, ..]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "mean",
            description: "The mean of each channel: c elements",
            arity: Arity::Required,
        },
        ValueDef {
            name: "variance",
            description: "The variance of each channel: c elements, not negative",
            arity: Arity::Required,
        },
        ValueDef {
            name: "gamma",
            description: "The factor of each channel: c elements; 1 if absent",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "beta",
            description: "Added to each channel: c elements; 0 if absent",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "epsilon",
            description: "Added to the variance, so that it is not 0",
            kind: AttributeKind::Float,
            default: Some(Default::Float(1e-5)),
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
///`top.BatchNorm`: (x - mean) / sqrt(variance + epsilon) * gamma + beta, per channel (axis 1).
#[derive(Debug, Clone, PartialEq)]
pub struct BatchNorm<V> {
    /// The tensor: \[n, c, ..\].
    pub input: V,
    /// The mean of each channel: c elements.
    pub mean: V,
    /// The variance of each channel: c elements, not negative.
    pub variance: V,
    /// The factor of each channel: c elements; 1 if absent.
    pub gamma: Option<V>,
    /// Added to each channel: c elements; 0 if absent.
    pub beta: Option<V>,
    /// Added to the variance, so that it is not 0. The default is `1e-5f64`.
    pub epsilon: f64,
    /// Whether negative results become 0. The default is `false`.
    pub do_relu: bool,
    /// With `do_relu`, the maximum of the results; 0 or a negative value means none. The default is `-1.0f64`.
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
            description: "",
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
/**`top.InstanceNorm`: Normalization of each channel over its spatial axes.

`(x - mean) / sqrt(var + eps) * weight + bias`.*/
#[derive(Debug, Clone, PartialEq)]
pub struct InstanceNorm<V> {
    /// The tensor: \[n, c, ..\].
    pub input: V,
    /// The factor of each channel: c elements; 1 if absent.
    pub weight: Option<V>,
    /// Added to each channel: c elements; 0 if absent.
    pub bias: Option<V>,
    /// Added to the variance, so that it is not 0.
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
            description: "The tensor: [n, c, ..]",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "alpha",
            description: "The factor of the mean of the squares",
            kind: AttributeKind::Float,
            default: Some(Default::Float(0.0001)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "beta",
            description: "The exponent of the divisor",
            kind: AttributeKind::Float,
            default: Some(Default::Float(0.75)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "bias",
            description: "Added before the power is taken",
            kind: AttributeKind::Float,
            default: Some(Default::Float(1.0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "size",
            description: "Number of channels in a sum, at least 1; if even, one more lies after the channel than before it",
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
///`top.LRN`: x / (bias + alpha / size * sum(x^2))^beta, the sum over size neighboring channels.
#[derive(Debug, Clone, PartialEq)]
pub struct LRN<V> {
    /// The tensor: \[n, c, ..\].
    pub input: V,
    /// The factor of the mean of the squares. The default is `0.0001f64`.
    pub alpha: f64,
    /// The exponent of the divisor. The default is `0.75f64`.
    pub beta: f64,
    /// Added before the power is taken. The default is `1.0f64`.
    pub bias: f64,
    /// Number of channels in a sum, at least 1; if even, one more lies after the channel than before it.
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
            description: "",
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
    description: "There is no epsilon: 0 / 0 is NaN.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor: [n, c, ..]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "scale",
            description: "The factor of each channel: c elements",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "across_spatial",
            description: "Whether the norm is taken over the spatial axes too",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "channel_shared",
            description: "Whether all elements of `scale` are equal",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
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
/**`top.Normalize`: x divided by its Euclidean norm over the channels, times scale.

There is no epsilon: 0 / 0 is NaN.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Normalize<V> {
    /// The tensor: \[n, c, ..\].
    pub input: V,
    /// The factor of each channel: c elements.
    pub scale: V,
    /// Whether the norm is taken over the spatial axes too. The default is `false`.
    pub across_spatial: bool,
    /// Whether all elements of `scale` are equal. The default is `true`. It changes no result.
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
/**`top.PixelNorm`: Normalization over the channels (axis 1) at each position.

`(x - mean) / sqrt(var + eps) * weight + bias`.*/
#[derive(Debug, Clone, PartialEq)]
pub struct PixelNorm<V> {
    /// The tensor: \[n, c, ..\].
    pub input: V,
    /// The factor of each channel: c elements; 1 if absent.
    pub weight: Option<V>,
    /// Added to each channel: c elements; 0 if absent.
    pub bias: Option<V>,
    /// Added to the variance, so that it is not 0.
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
            description: "The tensor, of at least one axis",
            arity: Arity::Required,
        },
        ValueDef {
            name: "gamma",
            description: "Factors: as many elements as the last axis has; 1 if absent",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "eps",
            description: "Added to the mean of the squares, so that it is not 0",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "weight_keep_f32",
            description: "Whether `gamma` stays float32 on a chip that computes in 16 bits",
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
///`top.RMSNorm`: x / sqrt(mean(x^2) + eps) * gamma, over the last axis.
#[derive(Debug, Clone, PartialEq)]
pub struct RMSNorm<V> {
    /// The tensor, of at least one axis.
    pub input: V,
    /// Factors: as many elements as the last axis has; 1 if absent.
    pub gamma: Option<V>,
    /// Added to the mean of the squares, so that it is not 0.
    pub eps: f64,
    /// Whether `gamma` stays float32 on a chip that computes in 16 bits. The default is `false`. It changes no result.
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
            description: "The tensor: [n, c, ..]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "scale",
            description: "The factor of each channel: c elements",
            arity: Arity::Required,
        },
        ValueDef {
            name: "bias",
            description: "Added to each channel: c elements",
            arity: Arity::Required,
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
            description: "",
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
    /// The tensor: \[n, c, ..\].
    pub input: V,
    /// The factor of each channel: c elements.
    pub scale: V,
    /// Added to each channel: c elements.
    pub bias: V,
    /// Whether negative results become 0. The default is `false`.
    pub do_relu: bool,
    /// With `do_relu`, the maximum of the results; 0 or a negative value means none. The default is `-1.0f64`.
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
