// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
pub(super) const ADD: OpDef = OpDef {
    name: "Add",
    summary: "Sum of tensors",
    description: "",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "The tensors, at least two; their shapes are broadcast",
            arity: Arity::Variadic,
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
        AttributeDef {
            name: "coeff",
            description: "The factor of each tensor before the addition; 1 if absent or empty",
            kind: AttributeKind::Floats,
            default: None,
            optional: true,
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
///`top.Add`: Sum of tensors.
#[derive(Debug, Clone, PartialEq)]
pub struct Add<V> {
    /// The tensors, at least two; their shapes are broadcast.
    pub inputs: Vec<V>,
    /// Whether negative results become 0. The default is `false`.
    pub do_relu: bool,
    /// With `do_relu`, the maximum of the results; 0 or a negative value means none. The default is `-1.0f64`.
    pub relu_limit: f64,
    /// The factor of each tensor before the addition; 1 if absent or empty.
    pub coeff: Option<Vec<f64>>,
    /// Whether the tool chain treats the result, of shape \[1\], as a scalar. The default is `false`. It changes no result.
    pub is_scalar: bool,
}
impl<V> Add<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(inputs: Vec<V>) -> Self {
        Self {
            inputs,
            do_relu: false,
            relu_limit: -1.0f64,
            coeff: None,
            is_scalar: false,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            inputs: operands.rest("inputs")?,
            do_relu: attributes.take("do_relu")?,
            relu_limit: attributes.take("relu_limit")?,
            coeff: attributes.take_optional("coeff")?,
            is_scalar: attributes.take("is_scalar")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("inputs", OperandValue::Many(& self.inputs)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("do_relu", &self.do_relu);
        a.put("relu_limit", &self.relu_limit);
        a.put_optional("coeff", &self.coeff);
        a.put("is_scalar", &self.is_scalar);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Add<U>, E> {
        Ok(Add {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
            do_relu: self.do_relu,
            relu_limit: self.relu_limit,
            coeff: self.coeff.clone(),
            is_scalar: self.is_scalar,
        })
    }
}
pub(super) const ADDCONST: OpDef = OpDef {
    name: "AddConst",
    summary: "x + const_val",
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
            name: "const_val",
            description: "The number that is added to each element",
            kind: AttributeKind::Float,
            default: None,
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
///`top.AddConst`: x + const_val.
#[derive(Debug, Clone, PartialEq)]
pub struct AddConst<V> {
    /// The tensor.
    pub input: V,
    /// The number that is added to each element.
    pub const_val: f64,
    /// Whether negative results become 0. The default is `false`.
    pub do_relu: bool,
    /// With `do_relu`, the maximum of the results; 0 or a negative value means none. The default is `-1.0f64`.
    pub relu_limit: f64,
    /// Whether the tool chain treats the result, of shape \[1\], as a scalar. The default is `false`. It changes no result.
    pub is_scalar: bool,
}
impl<V> AddConst<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, const_val: f64) -> Self {
        Self {
            input,
            const_val,
            do_relu: false,
            relu_limit: -1.0f64,
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
            const_val: attributes.take("const_val")?,
            do_relu: attributes.take("do_relu")?,
            relu_limit: attributes.take("relu_limit")?,
            is_scalar: attributes.take("is_scalar")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("const_val", &self.const_val);
        a.put("do_relu", &self.do_relu);
        a.put("relu_limit", &self.relu_limit);
        a.put("is_scalar", &self.is_scalar);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<AddConst<U>, E> {
        Ok(AddConst {
            input: f(&self.input)?,
            const_val: self.const_val,
            do_relu: self.do_relu,
            relu_limit: self.relu_limit,
            is_scalar: self.is_scalar,
        })
    }
}
pub(super) const DIV: OpDef = OpDef {
    name: "Div",
    summary: "Quotient of tensors, from left to right",
    description: "",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "The tensors, at least two; their shapes are broadcast",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "is_reverse",
            description: "Whether the next tensor is divided by the quotient of those so far instead",
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
///`top.Div`: Quotient of tensors, from left to right.
#[derive(Debug, Clone, PartialEq)]
pub struct Div<V> {
    /// The tensors, at least two; their shapes are broadcast.
    pub inputs: Vec<V>,
    /// Whether the next tensor is divided by the quotient of those so far instead. The default is `false`.
    pub is_reverse: bool,
    /// Whether negative results become 0. The default is `false`.
    pub do_relu: bool,
    /// With `do_relu`, the maximum of the results; 0 or a negative value means none. The default is `-1.0f64`.
    pub relu_limit: f64,
    /// Whether the tool chain treats the result, of shape \[1\], as a scalar. The default is `false`. It changes no result.
    pub is_scalar: bool,
}
impl<V> Div<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(inputs: Vec<V>) -> Self {
        Self {
            inputs,
            is_reverse: false,
            do_relu: false,
            relu_limit: -1.0f64,
            is_scalar: false,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            inputs: operands.rest("inputs")?,
            is_reverse: attributes.take("is_reverse")?,
            do_relu: attributes.take("do_relu")?,
            relu_limit: attributes.take("relu_limit")?,
            is_scalar: attributes.take("is_scalar")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("inputs", OperandValue::Many(& self.inputs)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("is_reverse", &self.is_reverse);
        a.put("do_relu", &self.do_relu);
        a.put("relu_limit", &self.relu_limit);
        a.put("is_scalar", &self.is_scalar);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Div<U>, E> {
        Ok(Div {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
            is_reverse: self.is_reverse,
            do_relu: self.do_relu,
            relu_limit: self.relu_limit,
            is_scalar: self.is_scalar,
        })
    }
}
pub(super) const DIVCONST: OpDef = OpDef {
    name: "DivConst",
    summary: "x / const_val, or const_val / x with is_reverse, rounded down",
    description: "Used to divide dimensions of shapes.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "const_val",
            description: "The right operand, or the left one with `is_reverse`",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "is_reverse",
            description: "Whether the operands change places",
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
/**`top.DivConst`: x / const_val, or const_val / x with is_reverse, rounded down.

Used to divide dimensions of shapes.*/
#[derive(Debug, Clone, PartialEq)]
pub struct DivConst<V> {
    /// The tensor.
    pub input: V,
    /// The right operand, or the left one with `is_reverse`.
    pub const_val: f64,
    /// Whether the operands change places. The default is `false`.
    pub is_reverse: bool,
    /// Whether negative results become 0. The default is `false`.
    pub do_relu: bool,
    /// With `do_relu`, the maximum of the results; 0 or a negative value means none. The default is `-1.0f64`.
    pub relu_limit: f64,
    /// Whether the tool chain treats the result, of shape \[1\], as a scalar. The default is `false`. It changes no result.
    pub is_scalar: bool,
}
impl<V> DivConst<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, const_val: f64) -> Self {
        Self {
            input,
            const_val,
            is_reverse: false,
            do_relu: false,
            relu_limit: -1.0f64,
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
            const_val: attributes.take("const_val")?,
            is_reverse: attributes.take("is_reverse")?,
            do_relu: attributes.take("do_relu")?,
            relu_limit: attributes.take("relu_limit")?,
            is_scalar: attributes.take("is_scalar")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("const_val", &self.const_val);
        a.put("is_reverse", &self.is_reverse);
        a.put("do_relu", &self.do_relu);
        a.put("relu_limit", &self.relu_limit);
        a.put("is_scalar", &self.is_scalar);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<DivConst<U>, E> {
        Ok(DivConst {
            input: f(&self.input)?,
            const_val: self.const_val,
            is_reverse: self.is_reverse,
            do_relu: self.do_relu,
            relu_limit: self.relu_limit,
            is_scalar: self.is_scalar,
        })
    }
}
pub(super) const MAX: OpDef = OpDef {
    name: "Max",
    summary: "Largest of several tensors",
    description: "",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "The tensors, at least two; their shapes are broadcast",
            arity: Arity::Variadic,
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
///`top.Max`: Largest of several tensors.
#[derive(Debug, Clone, PartialEq)]
pub struct Max<V> {
    /// The tensors, at least two; their shapes are broadcast.
    pub inputs: Vec<V>,
}
impl<V> Max<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(inputs: Vec<V>) -> Self {
        Self { inputs }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            inputs: operands.rest("inputs")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("inputs", OperandValue::Many(& self.inputs)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes::default()
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Max<U>, E> {
        Ok(Max {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
        })
    }
}
pub(super) const MAXCONST: OpDef = OpDef {
    name: "MaxConst",
    summary: "Larger of x and const_val",
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
            name: "const_val",
            description: "The number that replaces smaller elements",
            kind: AttributeKind::Float,
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
///`top.MaxConst`: Larger of x and const_val.
#[derive(Debug, Clone, PartialEq)]
pub struct MaxConst<V> {
    /// The tensor.
    pub input: V,
    /// The number that replaces smaller elements.
    pub const_val: f64,
    /// Whether the tool chain treats the result, of shape \[1\], as a scalar. The default is `false`. It changes no result.
    pub is_scalar: bool,
}
impl<V> MaxConst<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, const_val: f64) -> Self {
        Self {
            input,
            const_val,
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
            const_val: attributes.take("const_val")?,
            is_scalar: attributes.take("is_scalar")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("const_val", &self.const_val);
        a.put("is_scalar", &self.is_scalar);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<MaxConst<U>, E> {
        Ok(MaxConst {
            input: f(&self.input)?,
            const_val: self.const_val,
            is_scalar: self.is_scalar,
        })
    }
}
pub(super) const MIN: OpDef = OpDef {
    name: "Min",
    summary: "Smallest of several tensors",
    description: "",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "The tensors, at least two; their shapes are broadcast",
            arity: Arity::Variadic,
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
///`top.Min`: Smallest of several tensors.
#[derive(Debug, Clone, PartialEq)]
pub struct Min<V> {
    /// The tensors, at least two; their shapes are broadcast.
    pub inputs: Vec<V>,
}
impl<V> Min<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(inputs: Vec<V>) -> Self {
        Self { inputs }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            inputs: operands.rest("inputs")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("inputs", OperandValue::Many(& self.inputs)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes::default()
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Min<U>, E> {
        Ok(Min {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
        })
    }
}
pub(super) const MINCONST: OpDef = OpDef {
    name: "MinConst",
    summary: "Smaller of x and const_val",
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
            name: "const_val",
            description: "The number that replaces larger elements",
            kind: AttributeKind::Float,
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
///`top.MinConst`: Smaller of x and const_val.
#[derive(Debug, Clone, PartialEq)]
pub struct MinConst<V> {
    /// The tensor.
    pub input: V,
    /// The number that replaces larger elements.
    pub const_val: f64,
    /// Whether the tool chain treats the result, of shape \[1\], as a scalar. The default is `false`. It changes no result.
    pub is_scalar: bool,
}
impl<V> MinConst<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, const_val: f64) -> Self {
        Self {
            input,
            const_val,
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
            const_val: attributes.take("const_val")?,
            is_scalar: attributes.take("is_scalar")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("const_val", &self.const_val);
        a.put("is_scalar", &self.is_scalar);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<MinConst<U>, E> {
        Ok(MinConst {
            input: f(&self.input)?,
            const_val: self.const_val,
            is_scalar: self.is_scalar,
        })
    }
}
pub(super) const MOD: OpDef = OpDef {
    name: "Mod",
    summary: "Remainder of a division, with the sign of the dividend",
    description: "`a - b * trunc(a / b)`.",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "The dividend and the divisor; their shapes are broadcast",
            arity: Arity::Variadic,
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
/**`top.Mod`: Remainder of a division, with the sign of the dividend.

`a - b * trunc(a / b)`.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Mod<V> {
    /// The dividend and the divisor; their shapes are broadcast.
    pub inputs: Vec<V>,
}
impl<V> Mod<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(inputs: Vec<V>) -> Self {
        Self { inputs }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            inputs: operands.rest("inputs")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("inputs", OperandValue::Many(& self.inputs)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes::default()
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Mod<U>, E> {
        Ok(Mod {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
        })
    }
}
pub(super) const MUL: OpDef = OpDef {
    name: "Mul",
    summary: "Product of tensors",
    description: "",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "The tensors, at least two; their shapes are broadcast",
            arity: Arity::Variadic,
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
///`top.Mul`: Product of tensors.
#[derive(Debug, Clone, PartialEq)]
pub struct Mul<V> {
    /// The tensors, at least two; their shapes are broadcast.
    pub inputs: Vec<V>,
    /// Whether negative results become 0. The default is `false`.
    pub do_relu: bool,
    /// With `do_relu`, the maximum of the results; 0 or a negative value means none. The default is `-1.0f64`.
    pub relu_limit: f64,
    /// Whether the tool chain treats the result, of shape \[1\], as a scalar. The default is `false`. It changes no result.
    pub is_scalar: bool,
}
impl<V> Mul<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(inputs: Vec<V>) -> Self {
        Self {
            inputs,
            do_relu: false,
            relu_limit: -1.0f64,
            is_scalar: false,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            inputs: operands.rest("inputs")?,
            do_relu: attributes.take("do_relu")?,
            relu_limit: attributes.take("relu_limit")?,
            is_scalar: attributes.take("is_scalar")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("inputs", OperandValue::Many(& self.inputs)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("do_relu", &self.do_relu);
        a.put("relu_limit", &self.relu_limit);
        a.put("is_scalar", &self.is_scalar);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Mul<U>, E> {
        Ok(Mul {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
            do_relu: self.do_relu,
            relu_limit: self.relu_limit,
            is_scalar: self.is_scalar,
        })
    }
}
pub(super) const MULCONST: OpDef = OpDef {
    name: "MulConst",
    summary: "x * const_val",
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
            name: "const_val",
            description: "The factor of each element",
            kind: AttributeKind::Float,
            default: None,
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
///`top.MulConst`: x * const_val.
#[derive(Debug, Clone, PartialEq)]
pub struct MulConst<V> {
    /// The tensor.
    pub input: V,
    /// The factor of each element.
    pub const_val: f64,
    /// Whether negative results become 0. The default is `false`.
    pub do_relu: bool,
    /// With `do_relu`, the maximum of the results; 0 or a negative value means none. The default is `-1.0f64`.
    pub relu_limit: f64,
    /// Whether the tool chain treats the result, of shape \[1\], as a scalar. The default is `false`. It changes no result.
    pub is_scalar: bool,
}
impl<V> MulConst<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, const_val: f64) -> Self {
        Self {
            input,
            const_val,
            do_relu: false,
            relu_limit: -1.0f64,
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
            const_val: attributes.take("const_val")?,
            do_relu: attributes.take("do_relu")?,
            relu_limit: attributes.take("relu_limit")?,
            is_scalar: attributes.take("is_scalar")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("const_val", &self.const_val);
        a.put("do_relu", &self.do_relu);
        a.put("relu_limit", &self.relu_limit);
        a.put("is_scalar", &self.is_scalar);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<MulConst<U>, E> {
        Ok(MulConst {
            input: f(&self.input)?,
            const_val: self.const_val,
            do_relu: self.do_relu,
            relu_limit: self.relu_limit,
            is_scalar: self.is_scalar,
        })
    }
}
pub(super) const RECIPROCAL: OpDef = OpDef {
    name: "Reciprocal",
    summary: "const_val / x",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The divisors",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "const_val",
            description: "The dividend",
            kind: AttributeKind::Float,
            default: Some(Default::Float(1.0)),
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
///`top.Reciprocal`: const_val / x.
#[derive(Debug, Clone, PartialEq)]
pub struct Reciprocal<V> {
    /// The divisors.
    pub input: V,
    /// The dividend. The default is `1.0f64`.
    pub const_val: f64,
    /// Whether negative results become 0. The default is `false`.
    pub do_relu: bool,
    /// With `do_relu`, the maximum of the results; 0 or a negative value means none. The default is `-1.0f64`.
    pub relu_limit: f64,
}
impl<V> Reciprocal<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V) -> Self {
        Self {
            input,
            const_val: 1.0f64,
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
            const_val: attributes.take("const_val")?,
            do_relu: attributes.take("do_relu")?,
            relu_limit: attributes.take("relu_limit")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("const_val", &self.const_val);
        a.put("do_relu", &self.do_relu);
        a.put("relu_limit", &self.relu_limit);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Reciprocal<U>, E> {
        Ok(Reciprocal {
            input: f(&self.input)?,
            const_val: self.const_val,
            do_relu: self.do_relu,
            relu_limit: self.relu_limit,
        })
    }
}
pub(super) const REMAINDER: OpDef = OpDef {
    name: "Remainder",
    summary: "Remainder of a division, with the sign of the divisor",
    description: "`a - b * floor(a / b)`.",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "The dividend, and the divisor, which is broadcast to the dividend's shape",
            arity: Arity::Variadic,
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
/**`top.Remainder`: Remainder of a division, with the sign of the divisor.

`a - b * floor(a / b)`.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Remainder<V> {
    /// The dividend, and the divisor, which is broadcast to the dividend's shape.
    pub inputs: Vec<V>,
}
impl<V> Remainder<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(inputs: Vec<V>) -> Self {
        Self { inputs }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            inputs: operands.rest("inputs")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("inputs", OperandValue::Many(& self.inputs)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes::default()
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Remainder<U>, E> {
        Ok(Remainder {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
        })
    }
}
pub(super) const SUB: OpDef = OpDef {
    name: "Sub",
    summary: "Difference of tensors, from left to right",
    description: "",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "The tensors, at least two; their shapes are broadcast",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "is_reverse",
            description: "Whether the difference of the tensors so far is subtracted from the next one instead",
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
            name: "coeff",
            description: "The factor of each tensor before the subtraction; 1 if absent or empty",
            kind: AttributeKind::Floats,
            default: None,
            optional: true,
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
///`top.Sub`: Difference of tensors, from left to right.
#[derive(Debug, Clone, PartialEq)]
pub struct Sub<V> {
    /// The tensors, at least two; their shapes are broadcast.
    pub inputs: Vec<V>,
    /// Whether the difference of the tensors so far is subtracted from the next one instead. The default is `false`.
    pub is_reverse: bool,
    /// Whether negative results become 0. The default is `false`.
    pub do_relu: bool,
    /// With `do_relu`, the maximum of the results; 0 or a negative value means none. The default is `-1.0f64`.
    pub relu_limit: f64,
    /// The factor of each tensor before the subtraction; 1 if absent or empty.
    pub coeff: Option<Vec<f64>>,
    /// Whether the tool chain treats the result, of shape \[1\], as a scalar. The default is `false`. It changes no result.
    pub is_scalar: bool,
}
impl<V> Sub<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(inputs: Vec<V>) -> Self {
        Self {
            inputs,
            is_reverse: false,
            do_relu: false,
            relu_limit: -1.0f64,
            coeff: None,
            is_scalar: false,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            inputs: operands.rest("inputs")?,
            is_reverse: attributes.take("is_reverse")?,
            do_relu: attributes.take("do_relu")?,
            relu_limit: attributes.take("relu_limit")?,
            coeff: attributes.take_optional("coeff")?,
            is_scalar: attributes.take("is_scalar")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("inputs", OperandValue::Many(& self.inputs)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("is_reverse", &self.is_reverse);
        a.put("do_relu", &self.do_relu);
        a.put("relu_limit", &self.relu_limit);
        a.put_optional("coeff", &self.coeff);
        a.put("is_scalar", &self.is_scalar);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Sub<U>, E> {
        Ok(Sub {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
            is_reverse: self.is_reverse,
            do_relu: self.do_relu,
            relu_limit: self.relu_limit,
            coeff: self.coeff.clone(),
            is_scalar: self.is_scalar,
        })
    }
}
pub(super) const SUBCONST: OpDef = OpDef {
    name: "SubConst",
    summary: "x - const_val, or const_val - x with is_reverse",
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
            name: "const_val",
            description: "The right operand, or the left one with `is_reverse`",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "is_reverse",
            description: "Whether the operands change places",
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
///`top.SubConst`: x - const_val, or const_val - x with is_reverse.
#[derive(Debug, Clone, PartialEq)]
pub struct SubConst<V> {
    /// The tensor.
    pub input: V,
    /// The right operand, or the left one with `is_reverse`.
    pub const_val: f64,
    /// Whether the operands change places. The default is `false`.
    pub is_reverse: bool,
    /// Whether negative results become 0. The default is `false`.
    pub do_relu: bool,
    /// With `do_relu`, the maximum of the results; 0 or a negative value means none. The default is `-1.0f64`.
    pub relu_limit: f64,
    /// Whether the tool chain treats the result, of shape \[1\], as a scalar. The default is `false`. It changes no result.
    pub is_scalar: bool,
}
impl<V> SubConst<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, const_val: f64) -> Self {
        Self {
            input,
            const_val,
            is_reverse: false,
            do_relu: false,
            relu_limit: -1.0f64,
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
            const_val: attributes.take("const_val")?,
            is_reverse: attributes.take("is_reverse")?,
            do_relu: attributes.take("do_relu")?,
            relu_limit: attributes.take("relu_limit")?,
            is_scalar: attributes.take("is_scalar")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("const_val", &self.const_val);
        a.put("is_reverse", &self.is_reverse);
        a.put("do_relu", &self.do_relu);
        a.put("relu_limit", &self.relu_limit);
        a.put("is_scalar", &self.is_scalar);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<SubConst<U>, E> {
        Ok(SubConst {
            input: f(&self.input)?,
            const_val: self.const_val,
            is_reverse: self.is_reverse,
            do_relu: self.do_relu,
            relu_limit: self.relu_limit,
            is_scalar: self.is_scalar,
        })
    }
}
