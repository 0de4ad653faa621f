// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
pub(super) const IF: OpDef = OpDef {
    name: "If",
    summary: "Runs one of two branches",
    description: "Each branch ends in a Yield.",
    operands: &[
        ValueDef {
            name: "cond",
            description: "A single number: if it is not 0, `then_branch` runs, otherwise `else_branch`",
            arity: Arity::Required,
        },
    ],
    attributes: &[],
    results: &[
        ValueDef {
            name: "output",
            description: "",
            arity: Arity::Variadic,
        },
    ],
    blocks: &["then_branch", "else_branch"],
    quant_transparent: false,
    structure: false,
};
/**`top.If`: Runs one of two branches.

Each branch ends in a Yield.*/
#[derive(Debug, Clone, PartialEq)]
pub struct If<V> {
    /// A single number: if it is not 0, `then_branch` runs, otherwise `else_branch`.
    pub cond: V,
}
impl<V> If<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(cond: V) -> Self {
        Self { cond }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            cond: operands.required("cond")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("cond", OperandValue::One(& self.cond)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes::default()
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<If<U>, E> {
        Ok(If { cond: f(&self.cond)? })
    }
}
pub(super) const LIST: OpDef = OpDef {
    name: "List",
    summary: "List of values",
    description: "The elements of all values, in one vector.",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "The values, at least one, of the same dtype",
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
/**`top.List`: List of values.

The elements of all values, in one vector.*/
#[derive(Debug, Clone, PartialEq)]
pub struct List<V> {
    /// The values, at least one, of the same dtype.
    pub inputs: Vec<V>,
}
impl<V> List<V> {
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
    ) -> Result<List<U>, E> {
        Ok(List {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
        })
    }
}
pub(super) const LOOP: OpDef = OpDef {
    name: "Loop",
    summary: "Runs a body at most M times while a condition holds",
    description: "`body` takes the iteration number, the condition and the carried values. It yields the condition, the carried values, and values that are stacked over the iterations. The results are the carried values at the end, then the stacked ones.",
    operands: &[
        ValueDef {
            name: "M",
            description: "The maximum number of iterations, a single number; none for no limit",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "cond",
            description: "The condition of the first iteration, a single number, which holds if it is not 0; none for one that holds",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "v_initial",
            description: "The carried values of the first iteration",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[],
    results: &[
        ValueDef {
            name: "v_final_and_scan_outputs",
            description: "",
            arity: Arity::Variadic,
        },
    ],
    blocks: &["body"],
    quant_transparent: false,
    structure: false,
};
/**`top.Loop`: Runs a body at most M times while a condition holds.

`body` takes the iteration number, the condition and the carried values. It yields the condition, the carried values, and values that are stacked over the iterations. The results are the carried values at the end, then the stacked ones.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Loop<V> {
    /// The maximum number of iterations, a single number; none for no limit.
    pub M: Option<V>,
    /// The condition of the first iteration, a single number, which holds if it is not 0; none for one that holds.
    pub cond: Option<V>,
    /// The carried values of the first iteration.
    pub v_initial: Vec<V>,
}
impl<V> Loop<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(v_initial: Vec<V>) -> Self {
        Self {
            M: None,
            cond: None,
            v_initial,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            M: operands.optional("M")?,
            cond: operands.optional("cond")?,
            v_initial: operands.rest("v_initial")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("M", self.M.as_ref().map_or(OperandValue::Absent, OperandValue::One)),
            ("cond", self.cond.as_ref().map_or(OperandValue::Absent, OperandValue::One)),
            ("v_initial", OperandValue::Many(& self.v_initial)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes::default()
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Loop<U>, E> {
        Ok(Loop {
            M: self.M.as_ref().map(&mut *f).transpose()?,
            cond: self.cond.as_ref().map(&mut *f).transpose()?,
            v_initial: self.v_initial.iter().map(&mut *f).collect::<Result<_, E>>()?,
        })
    }
}
pub(super) const TUPLE: OpDef = OpDef {
    name: "Tuple",
    summary: "Tuple of values",
    description: "",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "The tensors",
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
///`top.Tuple`: Tuple of values.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuple<V> {
    /// The tensors.
    pub inputs: Vec<V>,
}
impl<V> Tuple<V> {
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
    ) -> Result<Tuple<U>, E> {
        Ok(Tuple {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
        })
    }
}
pub(super) const UNTUPLE: OpDef = OpDef {
    name: "UnTuple",
    summary: "Values of a tuple",
    description: "",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "The tuple, or its values, one for each result",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[],
    results: &[
        ValueDef {
            name: "outputs",
            description: "",
            arity: Arity::Variadic,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
///`top.UnTuple`: Values of a tuple.
#[derive(Debug, Clone, PartialEq)]
pub struct UnTuple<V> {
    /// The tuple, or its values, one for each result.
    pub inputs: Vec<V>,
}
impl<V> UnTuple<V> {
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
    ) -> Result<UnTuple<U>, E> {
        Ok(UnTuple {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
        })
    }
}
pub(super) const YIELD: OpDef = OpDef {
    name: "Yield",
    summary: "Returns the values of a branch or a body",
    description: "The end of a block.",
    operands: &[
        ValueDef {
            name: "operands",
            description: "The values: the results of a branch; of a loop's body the condition, the carried and the stacked values",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[],
    results: &[],
    blocks: &[],
    quant_transparent: false,
    structure: true,
};
/**`top.Yield`: Returns the values of a branch or a body.

The end of a block.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Yield<V> {
    /// The values: the results of a branch; of a loop's body the condition, the carried and the stacked values.
    pub operands: Vec<V>,
}
impl<V> Yield<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(operands: Vec<V>) -> Self {
        Self { operands }
    }
    #[allow(dead_code, reason = "the graph creates them, and not every one is read")]
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            operands: operands.rest("operands")?,
        })
    }
}
