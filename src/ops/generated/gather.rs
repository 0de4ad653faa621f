// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
pub(super) const A16GATHER: OpDef = OpDef {
    name: "A16Gather",
    summary: "Rows of a table of packed integers",
    description: "The table is `(weight - zp) * scale`, with one scale and zero point for `q_group_size` entries of a row. Entries of 4 bits have no sign; of the two in a byte, the first is in the lower half. Result shape: indices + [entries], or indices + [1, entries] with `keepdims`.",
    operands: &[
        ValueDef {
            name: "weight",
            description: "The table, int8 or uint8: [rows, entries], or [rows, entries / 2] with `weight_bits` of 4",
            arity: Arity::Required,
        },
        ValueDef {
            name: "indices",
            description: "The rows; negative ones count from the end",
            arity: Arity::Required,
        },
        ValueDef {
            name: "scale",
            description: "The scales, one for each group of each row",
            arity: Arity::Required,
        },
        ValueDef {
            name: "zp",
            description: "The zero points, one for each group of each row",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "axis",
            description: "The axis: only 0 is supported",
            kind: AttributeKind::Si32,
            default: Some(Default::Int(0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "keepdims",
            description: "Whether an axis of size 1 precedes the entries",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "q_group_size",
            description: "Number of entries in a group, which divides those of a row; below 1, a group is a whole row",
            kind: AttributeKind::Int,
            default: Some(Default::Int(32)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "weight_bits",
            description: "Bits of an entry: 4 or 8",
            kind: AttributeKind::Int,
            default: Some(Default::Int(8)),
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
/**`top.A16Gather`: Rows of a table of packed integers.

The table is `(weight - zp) * scale`, with one scale and zero point for `q_group_size` entries of a row. Entries of 4 bits have no sign; of the two in a byte, the first is in the lower half. Result shape: indices + \[entries\], or indices + \[1, entries\] with `keepdims`.*/
#[derive(Debug, Clone, PartialEq)]
pub struct A16Gather<V> {
    /// The table, int8 or uint8: \[rows, entries\], or \[rows, entries / 2\] with `weight_bits` of 4.
    pub weight: V,
    /// The rows; negative ones count from the end.
    pub indices: V,
    /// The scales, one for each group of each row.
    pub scale: V,
    /// The zero points, one for each group of each row.
    pub zp: V,
    /// The axis: only 0 is supported. The default is `0`.
    pub axis: i64,
    /// Whether an axis of size 1 precedes the entries. The default is `false`.
    pub keepdims: bool,
    /// Number of entries in a group, which divides those of a row; below 1, a group is a whole row. The default is `32`.
    pub q_group_size: i64,
    /// Bits of an entry: 4 or 8. The default is `8`.
    pub weight_bits: i64,
}
impl<V> A16Gather<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(weight: V, indices: V, scale: V, zp: V) -> Self {
        Self {
            weight,
            indices,
            scale,
            zp,
            axis: 0,
            keepdims: false,
            q_group_size: 32,
            weight_bits: 8,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            weight: operands.required("weight")?,
            indices: operands.required("indices")?,
            scale: operands.required("scale")?,
            zp: operands.required("zp")?,
            axis: attributes.take("axis")?,
            keepdims: attributes.take("keepdims")?,
            q_group_size: attributes.take("q_group_size")?,
            weight_bits: attributes.take("weight_bits")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("weight", OperandValue::One(& self.weight)), ("indices", OperandValue::One(&
            self.indices)), ("scale", OperandValue::One(& self.scale)), ("zp",
            OperandValue::One(& self.zp)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("axis", &self.axis);
        a.put("keepdims", &self.keepdims);
        a.put("q_group_size", &self.q_group_size);
        a.put("weight_bits", &self.weight_bits);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<A16Gather<U>, E> {
        Ok(A16Gather {
            weight: f(&self.weight)?,
            indices: f(&self.indices)?,
            scale: f(&self.scale)?,
            zp: f(&self.zp)?,
            axis: self.axis,
            keepdims: self.keepdims,
            q_group_size: self.q_group_size,
            weight_bits: self.weight_bits,
        })
    }
}
pub(super) const GATHER: OpDef = OpDef {
    name: "Gather",
    summary: "Entries of the input along an axis, chosen by an index tensor",
    description: "Result shape: input[..axis] + indices + input[axis + 1..].",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
        ValueDef {
            name: "indices",
            description: "Positions along the axis, of any shape; negative ones count from the end, and fractions are dropped",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "keepdims",
            description: "Whether the axis remains, with size 1, if the shape of `indices` is [1]",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "axis",
            description: "The axis; a negative one counts from the end",
            kind: AttributeKind::Si32,
            default: Some(Default::Int(0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "is_lora",
            description: "Whether it belongs to a LoRA adapter",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: true,
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
/**`top.Gather`: Entries of the input along an axis, chosen by an index tensor.

Result shape: input\[..axis\] + indices + input\[axis + 1..\].*/
#[derive(Debug, Clone, PartialEq)]
pub struct Gather<V> {
    /// The tensor.
    pub input: V,
    /// Positions along the axis, of any shape; negative ones count from the end, and fractions are dropped.
    pub indices: V,
    /// Whether the axis remains, with size 1, if the shape of `indices` is \[1\]. The default is `true`.
    pub keepdims: bool,
    /// The axis; a negative one counts from the end. The default is `0`.
    pub axis: i64,
    /// Whether it belongs to a LoRA adapter. The default is `false`. It changes no result.
    pub is_lora: bool,
    /// Whether the tool chain treats the result, of shape \[1\], as a scalar. The default is `false`. It changes no result.
    pub is_scalar: bool,
}
impl<V> Gather<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, indices: V) -> Self {
        Self {
            input,
            indices,
            keepdims: true,
            axis: 0,
            is_lora: false,
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
            indices: operands.required("indices")?,
            keepdims: attributes.take("keepdims")?,
            axis: attributes.take("axis")?,
            is_lora: attributes.take("is_lora")?,
            is_scalar: attributes.take("is_scalar")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("indices", OperandValue::One(&
            self.indices)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("keepdims", &self.keepdims);
        a.put("axis", &self.axis);
        a.put("is_lora", &self.is_lora);
        a.put("is_scalar", &self.is_scalar);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Gather<U>, E> {
        Ok(Gather {
            input: f(&self.input)?,
            indices: f(&self.indices)?,
            keepdims: self.keepdims,
            axis: self.axis,
            is_lora: self.is_lora,
            is_scalar: self.is_scalar,
        })
    }
}
pub(super) const GATHERELEMENTS: OpDef = OpDef {
    name: "GatherElements",
    summary: "For each index, the entry at that position along the axis",
    description: "`out[i][j] = input[indices[i][j]][j]` for axis 0 of two: the position on the other axes is the index's own. Result shape = shape of `indices`.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
        ValueDef {
            name: "indices",
            description: "Positions along the axis, negative ones from the end. No other axis is longer than the input's",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "axis",
            description: "The axis; a negative one counts from the end",
            kind: AttributeKind::Int,
            default: Some(Default::Int(2)),
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
/**`top.GatherElements`: For each index, the entry at that position along the axis.

`out[i][j] = input[indices[i][j]][j]` for axis 0 of two: the position on the other axes is the index's own. Result shape = shape of `indices`.*/
#[derive(Debug, Clone, PartialEq)]
pub struct GatherElements<V> {
    /// The tensor.
    pub input: V,
    /// Positions along the axis, negative ones from the end. No other axis is longer than the input's.
    pub indices: V,
    /// The axis; a negative one counts from the end. The default is `2`.
    pub axis: i64,
}
impl<V> GatherElements<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, indices: V) -> Self {
        Self { input, indices, axis: 2 }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            indices: operands.required("indices")?,
            axis: attributes.take("axis")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("indices", OperandValue::One(&
            self.indices)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("axis", &self.axis);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<GatherElements<U>, E> {
        Ok(GatherElements {
            input: f(&self.input)?,
            indices: f(&self.indices)?,
            axis: self.axis,
        })
    }
}
pub(super) const GATHERND: OpDef = OpDef {
    name: "GatherND",
    summary: "Entries of the input by tuples of indices",
    description: "Result shape: indices[..-1] + input[batch_dims + n..], for tuples of n indices.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
        ValueDef {
            name: "indices",
            description: "Tuples along the last axis: positions on the axes after `batch_dims`, negative ones from the end",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "batch_dims",
            description: "Number of first axes that `input` and `indices` have in common",
            kind: AttributeKind::Int,
            default: Some(Default::Int(0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "indice_dims",
            description: "Number of dimensions of `indices`",
            kind: AttributeKind::Int,
            default: None,
            optional: true,
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
/**`top.GatherND`: Entries of the input by tuples of indices.

Result shape: indices\[..-1\] + input\[batch_dims + n..\], for tuples of n indices.*/
#[derive(Debug, Clone, PartialEq)]
pub struct GatherND<V> {
    /// The tensor.
    pub input: V,
    /// Tuples along the last axis: positions on the axes after `batch_dims`, negative ones from the end.
    pub indices: V,
    /// Number of first axes that `input` and `indices` have in common. The default is `0`.
    pub batch_dims: i64,
    /// Number of dimensions of `indices`. It changes no result.
    pub indice_dims: Option<i64>,
}
impl<V> GatherND<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, indices: V) -> Self {
        Self {
            input,
            indices,
            batch_dims: 0,
            indice_dims: None,
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
            batch_dims: attributes.take("batch_dims")?,
            indice_dims: attributes.take_optional("indice_dims")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("indices", OperandValue::One(&
            self.indices)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("batch_dims", &self.batch_dims);
        a.put_optional("indice_dims", &self.indice_dims);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<GatherND<U>, E> {
        Ok(GatherND {
            input: f(&self.input)?,
            indices: f(&self.indices)?,
            batch_dims: self.batch_dims,
            indice_dims: self.indice_dims,
        })
    }
}
pub(super) const LUT: OpDef = OpDef {
    name: "Lut",
    summary: "For each 8-bit value, its entry in a table",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor, int8 or uint8",
            arity: Arity::Required,
        },
        ValueDef {
            name: "table",
            description: "256 elements, int8 or uint8: entry `x` for values from 0, `256 + x` for negative ones",
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
///`top.Lut`: For each 8-bit value, its entry in a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Lut<V> {
    /// The tensor, int8 or uint8.
    pub input: V,
    /// 256 elements, int8 or uint8: entry `x` for values from 0, `256 + x` for negative ones.
    pub table: V,
}
impl<V> Lut<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, table: V) -> Self {
        Self { input, table }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            table: operands.required("table")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("table", OperandValue::One(&
            self.table)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes::default()
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Lut<U>, E> {
        Ok(Lut {
            input: f(&self.input)?,
            table: f(&self.table)?,
        })
    }
}
