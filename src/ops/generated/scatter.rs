// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
pub(super) const INDEXPUT: OpDef = OpDef {
    name: "IndexPut",
    summary: "Writes values at indices of the first axis, or adds them with accumulate",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor that is copied",
            arity: Arity::Required,
        },
        ValueDef {
            name: "indices",
            description: "The indices of the first axis: [count]. Negative ones count from the end",
            arity: Arity::Required,
        },
        ValueDef {
            name: "values",
            description: "The values, of the dtype of `input`: count entries with the axes of `input` after the first",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "accumulate",
            description: "Whether values are added to the elements they would replace",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
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
///`top.IndexPut`: Writes values at indices of the first axis, or adds them with accumulate.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexPut<V> {
    /// The tensor that is copied.
    pub input: V,
    /// The indices of the first axis: \[count\]. Negative ones count from the end.
    pub indices: V,
    /// The values, of the dtype of `input`: count entries with the axes of `input` after the first.
    pub values: V,
    /// Whether values are added to the elements they would replace. The default is `false`.
    pub accumulate: bool,
}
impl<V> IndexPut<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, indices: V, values: V) -> Self {
        Self {
            input,
            indices,
            values,
            accumulate: false,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            indices: operands.required("indices")?,
            values: operands.required("values")?,
            accumulate: attributes.take("accumulate")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("indices", OperandValue::One(&
            self.indices)), ("values", OperandValue::One(& self.values)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("accumulate", &self.accumulate);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<IndexPut<U>, E> {
        Ok(IndexPut {
            input: f(&self.input)?,
            indices: f(&self.indices)?,
            values: f(&self.values)?,
            accumulate: self.accumulate,
        })
    }
}
pub(super) const INSERT: OpDef = OpDef {
    name: "Insert",
    summary: "Overwrites the input with rhs from an offset along an axis",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor that is copied",
            arity: Arity::Required,
        },
        ValueDef {
            name: "rhs",
            description: "The new entries, of the dtype of `input` and of its shape except along the axis",
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
            name: "offset",
            description: "The first entry that is overwritten, from 0; all of `rhs` must fit",
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
///`top.Insert`: Overwrites the input with rhs from an offset along an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Insert<V> {
    /// The tensor that is copied.
    pub input: V,
    /// The new entries, of the dtype of `input` and of its shape except along the axis.
    pub rhs: V,
    /// The axis; a negative one counts from the end.
    pub axis: i64,
    /// The first entry that is overwritten, from 0; all of `rhs` must fit.
    pub offset: i64,
}
impl<V> Insert<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, rhs: V, axis: i64, offset: i64) -> Self {
        Self { input, rhs, axis, offset }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            rhs: operands.required("rhs")?,
            axis: attributes.take("axis")?,
            offset: attributes.take("offset")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("rhs", OperandValue::One(& self
            .rhs)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("axis", &self.axis);
        a.put("offset", &self.offset);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Insert<U>, E> {
        Ok(Insert {
            input: f(&self.input)?,
            rhs: f(&self.rhs)?,
            axis: self.axis,
            offset: self.offset,
        })
    }
}
pub(super) const SCATTERELEMENTS: OpDef = OpDef {
    name: "ScatterElements",
    summary: "Writes each update to its index along the axis",
    description: "The inverse of GatherElements: the position on the other axes is the index's own.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor that is copied",
            arity: Arity::Required,
        },
        ValueDef {
            name: "indices",
            description: "Positions along the axis, from the end if negative; of the rank of `input`, no other axis longer",
            arity: Arity::Required,
        },
        ValueDef {
            name: "updates",
            description: "The updates, of the shape of `indices` and the dtype of `input`",
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
            name: "nc_can_split",
            description: "Whether a chip may divide the axes before the last one",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "reduction",
            description: "What an update does: 0 replaces the element, 1 is added to it",
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
/**`top.ScatterElements`: Writes each update to its index along the axis.

The inverse of GatherElements: the position on the other axes is the index's own.*/
#[derive(Debug, Clone, PartialEq)]
pub struct ScatterElements<V> {
    /// The tensor that is copied.
    pub input: V,
    /// Positions along the axis, from the end if negative; of the rank of `input`, no other axis longer.
    pub indices: V,
    /// The updates, of the shape of `indices` and the dtype of `input`.
    pub updates: V,
    /// The axis; a negative one counts from the end.
    pub axis: i64,
    /// Whether a chip may divide the axes before the last one. The default is `false`. It changes no result.
    pub nc_can_split: bool,
    /// What an update does: 0 replaces the element, 1 is added to it. The default is `0`.
    pub reduction: i64,
}
impl<V> ScatterElements<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, indices: V, updates: V, axis: i64) -> Self {
        Self {
            input,
            indices,
            updates,
            axis,
            nc_can_split: false,
            reduction: 0,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            indices: operands.required("indices")?,
            updates: operands.required("updates")?,
            axis: attributes.take("axis")?,
            nc_can_split: attributes.take("nc_can_split")?,
            reduction: attributes.take("reduction")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("indices", OperandValue::One(&
            self.indices)), ("updates", OperandValue::One(& self.updates)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("axis", &self.axis);
        a.put("nc_can_split", &self.nc_can_split);
        a.put("reduction", &self.reduction);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<ScatterElements<U>, E> {
        Ok(ScatterElements {
            input: f(&self.input)?,
            indices: f(&self.indices)?,
            updates: f(&self.updates)?,
            axis: self.axis,
            nc_can_split: self.nc_can_split,
            reduction: self.reduction,
        })
    }
}
pub(super) const SCATTERND: OpDef = OpDef {
    name: "ScatterND",
    summary: "Writes updates at tuples of indices",
    description: "",
    operands: &[
        ValueDef {
            name: "input_data",
            description: "The tensor that is copied",
            arity: Arity::Required,
        },
        ValueDef {
            name: "indices",
            description: "The tuples, [..., n], for the first n axes of `input_data`; negative indices count from the end",
            arity: Arity::Required,
        },
        ValueDef {
            name: "updates",
            description: "The updates, of the dtype of `input_data` and the shape indices[..-1] + input_data[n..]",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "reduction",
            description: "The update: 0 replaces, 1 adds, 2 subtracts, 3 takes the maximum, 4 the minimum, 5 multiplies",
            kind: AttributeKind::I32,
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
///`top.ScatterND`: Writes updates at tuples of indices.
#[derive(Debug, Clone, PartialEq)]
pub struct ScatterND<V> {
    /// The tensor that is copied.
    pub input_data: V,
    /// The tuples, \[..., n\], for the first n axes of `input_data`; negative indices count from the end.
    pub indices: V,
    /// The updates, of the dtype of `input_data` and the shape indices\[..-1\] + input_data\[n..\].
    pub updates: V,
    /// The update: 0 replaces, 1 adds, 2 subtracts, 3 takes the maximum, 4 the minimum, 5 multiplies. The default is `0`.
    pub reduction: i64,
}
impl<V> ScatterND<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input_data: V, indices: V, updates: V) -> Self {
        Self {
            input_data,
            indices,
            updates,
            reduction: 0,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input_data: operands.required("input_data")?,
            indices: operands.required("indices")?,
            updates: operands.required("updates")?,
            reduction: attributes.take("reduction")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input_data", OperandValue::One(& self.input_data)), ("indices",
            OperandValue::One(& self.indices)), ("updates", OperandValue::One(& self
            .updates)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("reduction", &self.reduction);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<ScatterND<U>, E> {
        Ok(ScatterND {
            input_data: f(&self.input_data)?,
            indices: f(&self.indices)?,
            updates: f(&self.updates)?,
            reduction: self.reduction,
        })
    }
}
