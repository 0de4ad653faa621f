// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
/// A string attribute: one of ArgMin, ArgMax.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ArgMode {
    ArgMin,
    ArgMax,
}
impl ArgMode {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            ArgMode::ArgMin => "ArgMin",
            ArgMode::ArgMax => "ArgMax",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "ArgMin" => ArgMode::ArgMin,
                "ArgMax" => ArgMode::ArgMax,
                _ => return None,
            },
        )
    }
}
one_of!(ArgMode);
pub(super) const ARG: OpDef = OpDef {
    name: "Arg",
    summary: "Index and value of the smallest or the largest entry along an axis",
    description: "NaN ranks above every number.",
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
            description: "The axis; a negative one counts from the end",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "keepdims",
            description: "Whether the axis is kept, with size 1; otherwise it is removed",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "mode",
            description: "Which entry is found: the smallest or the largest",
            kind: AttributeKind::OneOf(&["ArgMin", "ArgMax"]),
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "select_last_index",
            description: "Whether the last of equal entries is found; otherwise the first",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "indices",
            description: "The index of each entry, from 0",
            arity: Arity::Required,
        },
        ValueDef {
            name: "values",
            description: "The entries, of the dtype of `input`",
            arity: Arity::OrNone,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.Arg`: Index and value of the smallest or the largest entry along an axis.

NaN ranks above every number.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Arg<V> {
    /// The tensor.
    pub input: V,
    /// The axis; a negative one counts from the end.
    pub axis: i64,
    /// Whether the axis is kept, with size 1; otherwise it is removed.
    pub keepdims: bool,
    /// Which entry is found: the smallest or the largest.
    pub mode: ArgMode,
    /// Whether the last of equal entries is found; otherwise the first. The default is `true`.
    pub select_last_index: bool,
}
impl<V> Arg<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, axis: i64, keepdims: bool, mode: ArgMode) -> Self {
        Self {
            input,
            axis,
            keepdims,
            mode,
            select_last_index: true,
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
            keepdims: attributes.take("keepdims")?,
            mode: attributes.take("mode")?,
            select_last_index: attributes.take("select_last_index")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("axis", &self.axis);
        a.put("keepdims", &self.keepdims);
        a.put("mode", &self.mode);
        a.put("select_last_index", &self.select_last_index);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Arg<U>, E> {
        Ok(Arg {
            input: f(&self.input)?,
            axis: self.axis,
            keepdims: self.keepdims,
            mode: self.mode,
            select_last_index: self.select_last_index,
        })
    }
}
pub(super) const SORT: OpDef = OpDef {
    name: "Sort",
    summary: "Entries along an axis in ascending or descending order, and their indices",
    description: "Equal entries keep their order. NaN ranks above every number.",
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
            description: "The axis; a negative one counts from the end",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "descending",
            description: "Whether the largest entry comes first",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "values",
            description: "The entries in order, of the type of `input`",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "indices",
            description: "The index of each entry in `input`, int32",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.Sort`: Entries along an axis in ascending or descending order, and their indices.

Equal entries keep their order. NaN ranks above every number.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Sort<V> {
    /// The tensor.
    pub input: V,
    /// The axis; a negative one counts from the end.
    pub axis: i64,
    /// Whether the largest entry comes first. The default is `true`.
    pub descending: bool,
}
impl<V> Sort<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, axis: i64) -> Self {
        Self {
            input,
            axis,
            descending: true,
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
            descending: attributes.take("descending")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("axis", &self.axis);
        a.put("descending", &self.descending);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Sort<U>, E> {
        Ok(Sort {
            input: f(&self.input)?,
            axis: self.axis,
            descending: self.descending,
        })
    }
}
pub(super) const TOPK: OpDef = OpDef {
    name: "TopK",
    summary: "The K largest or smallest entries along an axis, and their indices",
    description: "Equal entries keep their order. NaN ranks above every number.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
        ValueDef {
            name: "kT",
            description: "The tensor for `K`: it must be absent",
            arity: Arity::Optional,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "K",
            description: "Number of entries to find, from 1 to those of the axis",
            kind: AttributeKind::Int,
            default: Some(Default::Int(-1)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "axis",
            description: "The axis; a negative one counts from the end",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "largest",
            description: "Whether the largest entries are found; otherwise the smallest",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "replace_topk_indices",
            description: "Whether TPU-MLIR takes the indices from the source network's reference outputs",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "sorted",
            description: "Whether the entries must be in order; they always are",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "use_hau",
            description: "Whether the chip's HAU finds the entries",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: true,
        },
    ],
    results: &[
        ValueDef {
            name: "values",
            description: "The entries, the largest or the smallest first, of the dtype of `input`",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "indices",
            description: "The index of each entry in `input`, int32",
            arity: Arity::OrNone,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.TopK`: The K largest or smallest entries along an axis, and their indices.

Equal entries keep their order. NaN ranks above every number.*/
#[derive(Debug, Clone, PartialEq)]
pub struct TopK<V> {
    /// The tensor.
    pub input: V,
    /// The tensor for `K`: it must be absent.
    pub kT: Option<V>,
    /// Number of entries to find, from 1 to those of the axis. The default is `-1`.
    pub K: i64,
    /// The axis; a negative one counts from the end.
    pub axis: i64,
    /// Whether the largest entries are found; otherwise the smallest. The default is `true`.
    pub largest: bool,
    /// Whether TPU-MLIR takes the indices from the source network's reference outputs. The default is `false`. It changes no result.
    pub replace_topk_indices: bool,
    /// Whether the entries must be in order; they always are. The default is `true`. It changes no result.
    pub sorted: bool,
    /// Whether the chip's HAU finds the entries. The default is `true`. It changes no result.
    pub use_hau: bool,
}
impl<V> TopK<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, axis: i64) -> Self {
        Self {
            input,
            kT: None,
            K: -1,
            axis,
            largest: true,
            replace_topk_indices: false,
            sorted: true,
            use_hau: true,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            kT: operands.optional("kT")?,
            K: attributes.take("K")?,
            axis: attributes.take("axis")?,
            largest: attributes.take("largest")?,
            replace_topk_indices: attributes.take("replace_topk_indices")?,
            sorted: attributes.take("sorted")?,
            use_hau: attributes.take("use_hau")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("kT", self.kT.as_ref()
            .map_or(OperandValue::Absent, OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("K", &self.K);
        a.put("axis", &self.axis);
        a.put("largest", &self.largest);
        a.put("replace_topk_indices", &self.replace_topk_indices);
        a.put("sorted", &self.sorted);
        a.put("use_hau", &self.use_hau);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<TopK<U>, E> {
        Ok(TopK {
            input: f(&self.input)?,
            kT: self.kT.as_ref().map(&mut *f).transpose()?,
            K: self.K,
            axis: self.axis,
            largest: self.largest,
            replace_topk_indices: self.replace_topk_indices,
            sorted: self.sorted,
            use_hau: self.use_hau,
        })
    }
}
