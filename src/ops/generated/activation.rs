// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
/// A string attribute: one of normal, tanh, sigm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum GeluApproxMode {
    Normal,
    Tanh,
    Sigm,
}
impl GeluApproxMode {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            GeluApproxMode::Normal => "normal",
            GeluApproxMode::Tanh => "tanh",
            GeluApproxMode::Sigm => "sigm",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "normal" => GeluApproxMode::Normal,
                "tanh" => GeluApproxMode::Tanh,
                "sigm" => GeluApproxMode::Sigm,
                _ => return None,
            },
        )
    }
}
one_of!(GeluApproxMode);
pub(super) const ABS: OpDef = OpDef {
    name: "Abs",
    summary: "Absolute value",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
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
    quant_transparent: true,
    structure: false,
};
///`top.Abs`: Absolute value.
#[derive(Debug, Clone, PartialEq)]
pub struct Abs<V> {
    /// The tensor.
    pub input: V,
}
impl<V> Abs<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V) -> Self {
        Self { input }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes::default()
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Abs<U>, E> {
        Ok(Abs { input: f(&self.input)? })
    }
}
pub(super) const ELU: OpDef = OpDef {
    name: "Elu",
    summary: "x if x > 0, otherwise alpha * (exp(x) - 1)",
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
            name: "alpha",
            description: "The factor of exp(x) - 1 where x is not positive",
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
///`top.Elu`: x if x \> 0, otherwise alpha * (exp(x) - 1).
#[derive(Debug, Clone, PartialEq)]
pub struct Elu<V> {
    /// The tensor.
    pub input: V,
    /// The factor of exp(x) - 1 where x is not positive.
    pub alpha: f64,
}
impl<V> Elu<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, alpha: f64) -> Self {
        Self { input, alpha }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            alpha: attributes.take("alpha")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("alpha", &self.alpha);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Elu<U>, E> {
        Ok(Elu {
            input: f(&self.input)?,
            alpha: self.alpha,
        })
    }
}
pub(super) const GELU: OpDef = OpDef {
    name: "GELU",
    summary: "x * Phi(x), Phi the normal distribution function",
    description: "The usual approximations are, for `tanh`, 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), and for `sigm`, x * sigmoid(1.702 x).",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "approx_mode",
            description: "The formula: `normal` uses erf, `tanh` and `sigm` are approximations",
            kind: AttributeKind::OneOf(&["normal", "tanh", "sigm"]),
            default: Some(Default::Str("normal")),
            optional: false,
            ignored: false,
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
/**`top.GELU`: x * Phi(x), Phi the normal distribution function.

The usual approximations are, for `tanh`, 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), and for `sigm`, x * sigmoid(1.702 x).*/
#[derive(Debug, Clone, PartialEq)]
pub struct GELU<V> {
    /// The tensor.
    pub input: V,
    /// The formula: `normal` uses erf, `tanh` and `sigm` are approximations. The default is `GeluApproxMode::Normal`.
    pub approx_mode: GeluApproxMode,
    /// How results are rounded to integers. The default is `RoundMode::HalfAwayFromZero`.
    pub round_mode: RoundMode,
}
impl<V> GELU<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V) -> Self {
        Self {
            input,
            approx_mode: GeluApproxMode::Normal,
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
            approx_mode: attributes.take("approx_mode")?,
            round_mode: attributes.take("round_mode")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("approx_mode", &self.approx_mode);
        a.put("round_mode", &self.round_mode);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<GELU<U>, E> {
        Ok(GELU {
            input: f(&self.input)?,
            approx_mode: self.approx_mode,
            round_mode: self.round_mode,
        })
    }
}
pub(super) const HARDSIGMOID: OpDef = OpDef {
    name: "HardSigmoid",
    summary: "alpha * x + beta, clamped to [0, 1]",
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
            name: "alpha",
            description: "The factor of each element",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "beta",
            description: "Added to each product",
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
///`top.HardSigmoid`: alpha * x + beta, clamped to \[0, 1\].
#[derive(Debug, Clone, PartialEq)]
pub struct HardSigmoid<V> {
    /// The tensor.
    pub input: V,
    /// The factor of each element.
    pub alpha: f64,
    /// Added to each product.
    pub beta: f64,
}
impl<V> HardSigmoid<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, alpha: f64, beta: f64) -> Self {
        Self { input, alpha, beta }
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
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("alpha", &self.alpha);
        a.put("beta", &self.beta);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<HardSigmoid<U>, E> {
        Ok(HardSigmoid {
            input: f(&self.input)?,
            alpha: self.alpha,
            beta: self.beta,
        })
    }
}
pub(super) const HARDSWISH: OpDef = OpDef {
    name: "HardSwish",
    summary: "x * (x / 6 + 1 / 2), the second factor clamped to [0, 1]",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
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
///`top.HardSwish`: x * (x / 6 + 1 / 2), the second factor clamped to \[0, 1\].
#[derive(Debug, Clone, PartialEq)]
pub struct HardSwish<V> {
    /// The tensor.
    pub input: V,
}
impl<V> HardSwish<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V) -> Self {
        Self { input }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes::default()
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<HardSwish<U>, E> {
        Ok(HardSwish {
            input: f(&self.input)?,
        })
    }
}
pub(super) const LEAKYRELU: OpDef = OpDef {
    name: "LeakyRelu",
    summary: "x if x >= 0, otherwise alpha * x",
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
            name: "alpha",
            description: "The factor of negative elements",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
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
    quant_transparent: true,
    structure: false,
};
///`top.LeakyRelu`: x if x \>= 0, otherwise alpha * x.
#[derive(Debug, Clone, PartialEq)]
pub struct LeakyRelu<V> {
    /// The tensor.
    pub input: V,
    /// The factor of negative elements.
    pub alpha: f64,
    /// How results are rounded to integers. The default is `RoundMode::HalfAwayFromZero`.
    pub round_mode: RoundMode,
}
impl<V> LeakyRelu<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, alpha: f64) -> Self {
        Self {
            input,
            alpha,
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
            alpha: attributes.take("alpha")?,
            round_mode: attributes.take("round_mode")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("alpha", &self.alpha);
        a.put("round_mode", &self.round_mode);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<LeakyRelu<U>, E> {
        Ok(LeakyRelu {
            input: f(&self.input)?,
            alpha: self.alpha,
            round_mode: self.round_mode,
        })
    }
}
pub(super) const MISH: OpDef = OpDef {
    name: "Mish",
    summary: "x * tanh(ln(1 + exp(x)))",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
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
///`top.Mish`: x * tanh(ln(1 + exp(x))).
#[derive(Debug, Clone, PartialEq)]
pub struct Mish<V> {
    /// The tensor.
    pub input: V,
}
impl<V> Mish<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V) -> Self {
        Self { input }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes::default()
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Mish<U>, E> {
        Ok(Mish { input: f(&self.input)? })
    }
}
pub(super) const PRELU: OpDef = OpDef {
    name: "PRelu",
    summary: "x if x >= 0, otherwise slope * x",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
        ValueDef {
            name: "slope",
            description: "The factor of negative elements: one for all, one per channel (axis 1), or a tensor that broadcasts to `input`",
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
///`top.PRelu`: x if x \>= 0, otherwise slope * x.
#[derive(Debug, Clone, PartialEq)]
pub struct PRelu<V> {
    /// The tensor.
    pub input: V,
    /// The factor of negative elements: one for all, one per channel (axis 1), or a tensor that broadcasts to `input`.
    pub slope: V,
}
impl<V> PRelu<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, slope: V) -> Self {
        Self { input, slope }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            slope: operands.required("slope")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("slope", OperandValue::One(&
            self.slope)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes::default()
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<PRelu<U>, E> {
        Ok(PRelu {
            input: f(&self.input)?,
            slope: f(&self.slope)?,
        })
    }
}
pub(super) const RELU: OpDef = OpDef {
    name: "Relu",
    summary: "max(x, 0), at most relu_limit",
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
            name: "relu_limit",
            description: "The maximum of the results; 0 or a negative value means none",
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
    quant_transparent: true,
    structure: false,
};
///`top.Relu`: max(x, 0), at most relu_limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Relu<V> {
    /// The tensor.
    pub input: V,
    /// The maximum of the results; 0 or a negative value means none. The default is `-1.0f64`.
    pub relu_limit: f64,
}
impl<V> Relu<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V) -> Self {
        Self { input, relu_limit: -1.0f64 }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            relu_limit: attributes.take("relu_limit")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("relu_limit", &self.relu_limit);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Relu<U>, E> {
        Ok(Relu {
            input: f(&self.input)?,
            relu_limit: self.relu_limit,
        })
    }
}
pub(super) const SILU: OpDef = OpDef {
    name: "SiLU",
    summary: "x / (1 + exp(-x))",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
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
///`top.SiLU`: x / (1 + exp(-x)).
#[derive(Debug, Clone, PartialEq)]
pub struct SiLU<V> {
    /// The tensor.
    pub input: V,
}
impl<V> SiLU<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V) -> Self {
        Self { input }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes::default()
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<SiLU<U>, E> {
        Ok(SiLU { input: f(&self.input)? })
    }
}
pub(super) const SIGMOID: OpDef = OpDef {
    name: "Sigmoid",
    summary: "scale / (1 + exp(-x)) + bias, or its logarithm",
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
            name: "scale",
            description: "The factor of the sigmoid",
            kind: AttributeKind::Float,
            default: Some(Default::Float(1.0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "bias",
            description: "Added to the scaled sigmoid",
            kind: AttributeKind::Float,
            default: Some(Default::Float(0.0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "log",
            description: "Whether the result is the natural logarithm of the sigmoid, without `scale` and `bias`",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
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
///`top.Sigmoid`: scale / (1 + exp(-x)) + bias, or its logarithm.
#[derive(Debug, Clone, PartialEq)]
pub struct Sigmoid<V> {
    /// The tensor.
    pub input: V,
    /// The factor of the sigmoid. The default is `1.0f64`.
    pub scale: f64,
    /// Added to the scaled sigmoid. The default is `0.0f64`.
    pub bias: f64,
    /// Whether the result is the natural logarithm of the sigmoid, without `scale` and `bias`. The default is `false`.
    pub log: bool,
    /// How results are rounded to integers. The default is `RoundMode::HalfAwayFromZero`.
    pub round_mode: RoundMode,
}
impl<V> Sigmoid<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V) -> Self {
        Self {
            input,
            scale: 1.0f64,
            bias: 0.0f64,
            log: false,
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
            scale: attributes.take("scale")?,
            bias: attributes.take("bias")?,
            log: attributes.take("log")?,
            round_mode: attributes.take("round_mode")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("scale", &self.scale);
        a.put("bias", &self.bias);
        a.put("log", &self.log);
        a.put("round_mode", &self.round_mode);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Sigmoid<U>, E> {
        Ok(Sigmoid {
            input: f(&self.input)?,
            scale: self.scale,
            bias: self.bias,
            log: self.log,
            round_mode: self.round_mode,
        })
    }
}
pub(super) const SOFTMAX: OpDef = OpDef {
    name: "Softmax",
    summary: "exp(beta * x) normalized to sum 1 along an axis",
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
            description: "The axis along which the sum is 1; negative values count from the end",
            kind: AttributeKind::Si32,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "log",
            description: "Whether the result is the natural logarithm of the softmax",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "beta",
            description: "The factor of each element in the exponent",
            kind: AttributeKind::Float,
            default: Some(Default::Float(1.0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "round_mode",
            description: "How results are rounded to integers; between quantized 8-bit tensors, without `log`, always to the nearest",
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
///`top.Softmax`: exp(beta * x) normalized to sum 1 along an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Softmax<V> {
    /// The tensor.
    pub input: V,
    /// The axis along which the sum is 1; negative values count from the end.
    pub axis: i64,
    /// Whether the result is the natural logarithm of the softmax. The default is `false`.
    pub log: bool,
    /// The factor of each element in the exponent. The default is `1.0f64`.
    pub beta: f64,
    /// How results are rounded to integers; between quantized 8-bit tensors, without `log`, always to the nearest. The default is `RoundMode::HalfAwayFromZero`.
    pub round_mode: RoundMode,
}
impl<V> Softmax<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, axis: i64) -> Self {
        Self {
            input,
            axis,
            log: false,
            beta: 1.0f64,
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
            axis: attributes.take("axis")?,
            log: attributes.take("log")?,
            beta: attributes.take("beta")?,
            round_mode: attributes.take("round_mode")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("axis", &self.axis);
        a.put("log", &self.log);
        a.put("beta", &self.beta);
        a.put("round_mode", &self.round_mode);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Softmax<U>, E> {
        Ok(Softmax {
            input: f(&self.input)?,
            axis: self.axis,
            log: self.log,
            beta: self.beta,
            round_mode: self.round_mode,
        })
    }
}
pub(super) const SOFTPLUS: OpDef = OpDef {
    name: "Softplus",
    summary: "ln(1 + exp(x))",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
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
///`top.Softplus`: ln(1 + exp(x)).
#[derive(Debug, Clone, PartialEq)]
pub struct Softplus<V> {
    /// The tensor.
    pub input: V,
}
impl<V> Softplus<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V) -> Self {
        Self { input }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes::default()
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Softplus<U>, E> {
        Ok(Softplus { input: f(&self.input)? })
    }
}
pub(super) const SOFTSIGN: OpDef = OpDef {
    name: "Softsign",
    summary: "x / (1 + |x|)",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
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
///`top.Softsign`: x / (1 + |x|).
#[derive(Debug, Clone, PartialEq)]
pub struct Softsign<V> {
    /// The tensor.
    pub input: V,
}
impl<V> Softsign<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V) -> Self {
        Self { input }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes::default()
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Softsign<U>, E> {
        Ok(Softsign { input: f(&self.input)? })
    }
}
pub(super) const SWISH: OpDef = OpDef {
    name: "Swish",
    summary: "x / (1 + exp(-beta * x))",
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
            name: "beta",
            description: "The factor of each element in the exponent",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
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
///`top.Swish`: x / (1 + exp(-beta * x)).
#[derive(Debug, Clone, PartialEq)]
pub struct Swish<V> {
    /// The tensor.
    pub input: V,
    /// The factor of each element in the exponent.
    pub beta: f64,
    /// How results are rounded to integers. The default is `RoundMode::HalfAwayFromZero`.
    pub round_mode: RoundMode,
}
impl<V> Swish<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, beta: f64) -> Self {
        Self {
            input,
            beta,
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
            beta: attributes.take("beta")?,
            round_mode: attributes.take("round_mode")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("beta", &self.beta);
        a.put("round_mode", &self.round_mode);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Swish<U>, E> {
        Ok(Swish {
            input: f(&self.input)?,
            beta: self.beta,
            round_mode: self.round_mode,
        })
    }
}
pub(super) const TANH: OpDef = OpDef {
    name: "Tanh",
    summary: "Hyperbolic tangent",
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
///`top.Tanh`: Hyperbolic tangent.
#[derive(Debug, Clone, PartialEq)]
pub struct Tanh<V> {
    /// The tensor.
    pub input: V,
    /// How results are rounded to integers. The default is `RoundMode::HalfAwayFromZero`.
    pub round_mode: RoundMode,
}
impl<V> Tanh<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V) -> Self {
        Self {
            input,
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
            round_mode: attributes.take("round_mode")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("round_mode", &self.round_mode);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Tanh<U>, E> {
        Ok(Tanh {
            input: f(&self.input)?,
            round_mode: self.round_mode,
        })
    }
}
