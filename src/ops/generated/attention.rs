// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
/// A string attribute: one of interleaved_pairs, contiguous_halves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum RopeMode {
    InterleavedPairs,
    ContiguousHalves,
}
impl RopeMode {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            RopeMode::InterleavedPairs => "interleaved_pairs",
            RopeMode::ContiguousHalves => "contiguous_halves",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "interleaved_pairs" => RopeMode::InterleavedPairs,
                "contiguous_halves" => RopeMode::ContiguousHalves,
                _ => return None,
            },
        )
    }
}
one_of!(RopeMode);
pub(super) const ATTENTION: OpDef = OpDef {
    name: "Attention",
    summary: "Multi-head attention with its projections",
    description: "`input`, `keys` and `values` are multiplied by their weights and split into `head` heads; each head is softmax(scale * Q K^T + mask) V, and the joined heads are multiplied by `out_weight`. The columns of the weights are the elements of all heads.",
    operands: &[
        ValueDef {
            name: "input",
            description: "What the queries are made of: [batch, queries, elements]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "keys",
            description: "What the keys are made of: [batch, keys, elements]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "values",
            description: "What the values are made of: [batch, keys, elements]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "queries_weight",
            description: "The weights of the queries: [elements of `input`, columns]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "queries_bias",
            description: "Added to each query: one element per column",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "keys_weight",
            description: "The weights of the keys: [elements of `keys`, columns]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "keys_bias",
            description: "Added to each key: one element per column",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "values_weight",
            description: "The weights of the values: [elements of `values`, columns]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "values_bias",
            description: "Added to each value: one element per column",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "out_weight",
            description: "The weights of the result: [columns, elements of the result]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "out_bias",
            description: "Added to each row of the result: one element per column of `out_weight`",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "mask",
            description: "Added to the scaled products of each head; broadcast to [batch, queries, keys]",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "dim",
            description: "Number of elements of each head",
            kind: AttributeKind::Int,
            default: Some(Default::Int(0)),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "has_bias",
            description: "The sum of 1, 2, 4 and 8 for a bias of the queries, the keys, the values and the result",
            kind: AttributeKind::Int,
            default: Some(Default::Int(0)),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "head",
            description: "Number of heads; divides the columns",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "scale",
            description: "The factor of the products of queries and keys",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "scale_param",
            description: "Scales of the intermediate results of a quantized layer",
            kind: AttributeKind::Floats,
            default: Some(Default::Floats(&[1.0])),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "zp_param",
            description: "Zero points of the intermediate results of a quantized layer",
            kind: AttributeKind::Ints,
            default: Some(Default::Ints(&[0])),
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
/**`top.Attention`: Multi-head attention with its projections.

`input`, `keys` and `values` are multiplied by their weights and split into `head` heads; each head is softmax(scale * Q K^T + mask) V, and the joined heads are multiplied by `out_weight`. The columns of the weights are the elements of all heads.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Attention<V> {
    /// What the queries are made of: \[batch, queries, elements\].
    pub input: V,
    /// What the keys are made of: \[batch, keys, elements\].
    pub keys: V,
    /// What the values are made of: \[batch, keys, elements\].
    pub values: V,
    /// The weights of the queries: \[elements of `input`, columns\].
    pub queries_weight: V,
    /// Added to each query: one element per column.
    pub queries_bias: Option<V>,
    /// The weights of the keys: \[elements of `keys`, columns\].
    pub keys_weight: V,
    /// Added to each key: one element per column.
    pub keys_bias: Option<V>,
    /// The weights of the values: \[elements of `values`, columns\].
    pub values_weight: V,
    /// Added to each value: one element per column.
    pub values_bias: Option<V>,
    /// The weights of the result: \[columns, elements of the result\].
    pub out_weight: V,
    /// Added to each row of the result: one element per column of `out_weight`.
    pub out_bias: Option<V>,
    /// Added to the scaled products of each head; broadcast to \[batch, queries, keys\].
    pub mask: Option<V>,
    /// Number of elements of each head. The default is `0`. It changes no result.
    pub dim: i64,
    /// The sum of 1, 2, 4 and 8 for a bias of the queries, the keys, the values and the result. The default is `0`. It changes no result.
    pub has_bias: i64,
    /// Number of heads; divides the columns.
    pub head: i64,
    /// The factor of the products of queries and keys.
    pub scale: f64,
    /// Scales of the intermediate results of a quantized layer. The default is `vec![1.0]`. It changes no result.
    pub scale_param: Vec<f64>,
    /// Zero points of the intermediate results of a quantized layer. The default is `vec![0]`. It changes no result.
    pub zp_param: Vec<i64>,
}
impl<V> Attention<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        input: V,
        keys: V,
        values: V,
        queries_weight: V,
        keys_weight: V,
        values_weight: V,
        out_weight: V,
        head: i64,
        scale: f64,
    ) -> Self {
        Self {
            input,
            keys,
            values,
            queries_weight,
            queries_bias: None,
            keys_weight,
            keys_bias: None,
            values_weight,
            values_bias: None,
            out_weight,
            out_bias: None,
            mask: None,
            dim: 0,
            has_bias: 0,
            head,
            scale,
            scale_param: vec![1.0],
            zp_param: vec![0],
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            keys: operands.required("keys")?,
            values: operands.required("values")?,
            queries_weight: operands.required("queries_weight")?,
            queries_bias: operands.optional("queries_bias")?,
            keys_weight: operands.required("keys_weight")?,
            keys_bias: operands.optional("keys_bias")?,
            values_weight: operands.required("values_weight")?,
            values_bias: operands.optional("values_bias")?,
            out_weight: operands.required("out_weight")?,
            out_bias: operands.optional("out_bias")?,
            mask: operands.optional("mask")?,
            dim: attributes.take("dim")?,
            has_bias: attributes.take("has_bias")?,
            head: attributes.take("head")?,
            scale: attributes.take("scale")?,
            scale_param: attributes.take("scale_param")?,
            zp_param: attributes.take("zp_param")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("keys", OperandValue::One(& self
            .keys)), ("values", OperandValue::One(& self.values)), ("queries_weight",
            OperandValue::One(& self.queries_weight)), ("queries_bias", self.queries_bias
            .as_ref().map_or(OperandValue::Absent, OperandValue::One)), ("keys_weight",
            OperandValue::One(& self.keys_weight)), ("keys_bias", self.keys_bias.as_ref()
            .map_or(OperandValue::Absent, OperandValue::One)), ("values_weight",
            OperandValue::One(& self.values_weight)), ("values_bias", self.values_bias
            .as_ref().map_or(OperandValue::Absent, OperandValue::One)), ("out_weight",
            OperandValue::One(& self.out_weight)), ("out_bias", self.out_bias.as_ref()
            .map_or(OperandValue::Absent, OperandValue::One)), ("mask", self.mask
            .as_ref().map_or(OperandValue::Absent, OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("dim", &self.dim);
        a.put("has_bias", &self.has_bias);
        a.put("head", &self.head);
        a.put("scale", &self.scale);
        a.put("scale_param", &self.scale_param);
        a.put("zp_param", &self.zp_param);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Attention<U>, E> {
        Ok(Attention {
            input: f(&self.input)?,
            keys: f(&self.keys)?,
            values: f(&self.values)?,
            queries_weight: f(&self.queries_weight)?,
            queries_bias: self.queries_bias.as_ref().map(&mut *f).transpose()?,
            keys_weight: f(&self.keys_weight)?,
            keys_bias: self.keys_bias.as_ref().map(&mut *f).transpose()?,
            values_weight: f(&self.values_weight)?,
            values_bias: self.values_bias.as_ref().map(&mut *f).transpose()?,
            out_weight: f(&self.out_weight)?,
            out_bias: self.out_bias.as_ref().map(&mut *f).transpose()?,
            mask: self.mask.as_ref().map(&mut *f).transpose()?,
            dim: self.dim,
            has_bias: self.has_bias,
            head: self.head,
            scale: self.scale,
            scale_param: self.scale_param.clone(),
            zp_param: self.zp_param.clone(),
        })
    }
}
pub(super) const FATTENTION: OpDef = OpDef {
    name: "FAttention",
    summary: "softmax(scale * Q K^T + mask) V, computed by blocks (flash attention)",
    description: "`q_head` heads of queries share `kv_head` heads of keys and values. The causal mask hides keys after the query, with the last query at the last key. The result is [batch, mq, q_head, dim], or [batch, mq, q_head * dim] without `keep_dims`.",
    operands: &[
        ValueDef {
            name: "queries",
            description: "The queries: [batch, mq, q_head, dim]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "keys",
            description: "The keys: [batch, mk, kv_head, dim]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "values",
            description: "The values: [batch, mk, kv_head, dim]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "mask",
            description: "Added to the scaled products of each head: mq * mk elements, for all batches or for each",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "buffer",
            description: "Memory for the chip's own use; not read",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "batch",
            description: "The batch size",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "dim",
            description: "Number of elements of each head",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "keep_dims",
            description: "Whether heads and elements are two axes of the result, not one",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "kv_head",
            description: "Number of heads of keys and values; divides `q_head`",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "mask_size",
            description: "If not 0, `mask` is not read, but stands for the causal mask. Without `mask` it has no effect",
            kind: AttributeKind::Si32,
            default: Some(Default::Int(0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "mk",
            description: "Number of keys and values",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "mq",
            description: "Number of queries",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "q_head",
            description: "Number of heads of queries",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "scale",
            description: "The factor of the products of queries and keys",
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
/**`top.FAttention`: softmax(scale * Q K^T + mask) V, computed by blocks (flash attention).

`q_head` heads of queries share `kv_head` heads of keys and values. The causal mask hides keys after the query, with the last query at the last key. The result is \[batch, mq, q_head, dim\], or \[batch, mq, q_head * dim\] without `keep_dims`.*/
#[derive(Debug, Clone, PartialEq)]
pub struct FAttention<V> {
    /// The queries: \[batch, mq, q_head, dim\].
    pub queries: V,
    /// The keys: \[batch, mk, kv_head, dim\].
    pub keys: V,
    /// The values: \[batch, mk, kv_head, dim\].
    pub values: V,
    /// Added to the scaled products of each head: mq * mk elements, for all batches or for each.
    pub mask: Option<V>,
    /// Memory for the chip's own use; not read.
    pub buffer: Option<V>,
    /// The batch size.
    pub batch: i64,
    /// Number of elements of each head.
    pub dim: i64,
    /// Whether heads and elements are two axes of the result, not one. The default is `true`.
    pub keep_dims: bool,
    /// Number of heads of keys and values; divides `q_head`.
    pub kv_head: i64,
    /// If not 0, `mask` is not read, but stands for the causal mask. Without `mask` it has no effect. The default is `0`.
    pub mask_size: i64,
    /// Number of keys and values.
    pub mk: i64,
    /// Number of queries.
    pub mq: i64,
    /// Number of heads of queries.
    pub q_head: i64,
    /// The factor of the products of queries and keys.
    pub scale: f64,
}
impl<V> FAttention<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        queries: V,
        keys: V,
        values: V,
        batch: i64,
        dim: i64,
        kv_head: i64,
        mk: i64,
        mq: i64,
        q_head: i64,
        scale: f64,
    ) -> Self {
        Self {
            queries,
            keys,
            values,
            mask: None,
            buffer: None,
            batch,
            dim,
            keep_dims: true,
            kv_head,
            mask_size: 0,
            mk,
            mq,
            q_head,
            scale,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            queries: operands.required("queries")?,
            keys: operands.required("keys")?,
            values: operands.required("values")?,
            mask: operands.optional("mask")?,
            buffer: operands.optional("buffer")?,
            batch: attributes.take("batch")?,
            dim: attributes.take("dim")?,
            keep_dims: attributes.take("keep_dims")?,
            kv_head: attributes.take("kv_head")?,
            mask_size: attributes.take("mask_size")?,
            mk: attributes.take("mk")?,
            mq: attributes.take("mq")?,
            q_head: attributes.take("q_head")?,
            scale: attributes.take("scale")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("queries", OperandValue::One(& self.queries)), ("keys", OperandValue::One(&
            self.keys)), ("values", OperandValue::One(& self.values)), ("mask", self.mask
            .as_ref().map_or(OperandValue::Absent, OperandValue::One)), ("buffer", self
            .buffer.as_ref().map_or(OperandValue::Absent, OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("batch", &self.batch);
        a.put("dim", &self.dim);
        a.put("keep_dims", &self.keep_dims);
        a.put("kv_head", &self.kv_head);
        a.put("mask_size", &self.mask_size);
        a.put("mk", &self.mk);
        a.put("mq", &self.mq);
        a.put("q_head", &self.q_head);
        a.put("scale", &self.scale);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<FAttention<U>, E> {
        Ok(FAttention {
            queries: f(&self.queries)?,
            keys: f(&self.keys)?,
            values: f(&self.values)?,
            mask: self.mask.as_ref().map(&mut *f).transpose()?,
            buffer: self.buffer.as_ref().map(&mut *f).transpose()?,
            batch: self.batch,
            dim: self.dim,
            keep_dims: self.keep_dims,
            kv_head: self.kv_head,
            mask_size: self.mask_size,
            mk: self.mk,
            mq: self.mq,
            q_head: self.q_head,
            scale: self.scale,
        })
    }
}
pub(super) const FATTENTIONLSE: OpDef = OpDef {
    name: "FAttentionLse",
    summary: "FAttention, and the logarithm of the sum that the softmax divides by",
    description: "",
    operands: &[
        ValueDef {
            name: "queries",
            description: "The queries: [batch, mq, q_head, dim]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "keys",
            description: "The keys: [batch, mk, kv_head, dim]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "values",
            description: "The values: [batch, mk, kv_head, dim]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "mask",
            description: "Added to the scaled products of each head: mq * mk elements, for all batches or for each",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "buffer",
            description: "Memory for the chip's own use; not read",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "batch",
            description: "The batch size",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "dim",
            description: "Number of elements of each head",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "keep_dims",
            description: "Whether heads and elements are two axes of the result, not one",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "kv_head",
            description: "Number of heads of keys and values; divides `q_head`",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "mask_size",
            description: "If not 0, `mask` is not read, but stands for the causal mask. Without `mask` it has no effect",
            kind: AttributeKind::Si32,
            default: Some(Default::Int(0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "mk",
            description: "Number of keys and values",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "mq",
            description: "Number of queries",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "q_head",
            description: "Number of heads of queries",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "scale",
            description: "The factor of the products of queries and keys",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "The result of FAttention",
            arity: Arity::Required,
        },
        ValueDef {
            name: "lse",
            description: "The logarithms, in float32: [batch, mq, q_head], with a last axis of 1 if `keep_dims` is true",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
///`top.FAttentionLse`: FAttention, and the logarithm of the sum that the softmax divides by.
#[derive(Debug, Clone, PartialEq)]
pub struct FAttentionLse<V> {
    /// The queries: \[batch, mq, q_head, dim\].
    pub queries: V,
    /// The keys: \[batch, mk, kv_head, dim\].
    pub keys: V,
    /// The values: \[batch, mk, kv_head, dim\].
    pub values: V,
    /// Added to the scaled products of each head: mq * mk elements, for all batches or for each.
    pub mask: Option<V>,
    /// Memory for the chip's own use; not read.
    pub buffer: Option<V>,
    /// The batch size.
    pub batch: i64,
    /// Number of elements of each head.
    pub dim: i64,
    /// Whether heads and elements are two axes of the result, not one. The default is `true`.
    pub keep_dims: bool,
    /// Number of heads of keys and values; divides `q_head`.
    pub kv_head: i64,
    /// If not 0, `mask` is not read, but stands for the causal mask. Without `mask` it has no effect. The default is `0`.
    pub mask_size: i64,
    /// Number of keys and values.
    pub mk: i64,
    /// Number of queries.
    pub mq: i64,
    /// Number of heads of queries.
    pub q_head: i64,
    /// The factor of the products of queries and keys.
    pub scale: f64,
}
impl<V> FAttentionLse<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        queries: V,
        keys: V,
        values: V,
        batch: i64,
        dim: i64,
        kv_head: i64,
        mk: i64,
        mq: i64,
        q_head: i64,
        scale: f64,
    ) -> Self {
        Self {
            queries,
            keys,
            values,
            mask: None,
            buffer: None,
            batch,
            dim,
            keep_dims: true,
            kv_head,
            mask_size: 0,
            mk,
            mq,
            q_head,
            scale,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            queries: operands.required("queries")?,
            keys: operands.required("keys")?,
            values: operands.required("values")?,
            mask: operands.optional("mask")?,
            buffer: operands.optional("buffer")?,
            batch: attributes.take("batch")?,
            dim: attributes.take("dim")?,
            keep_dims: attributes.take("keep_dims")?,
            kv_head: attributes.take("kv_head")?,
            mask_size: attributes.take("mask_size")?,
            mk: attributes.take("mk")?,
            mq: attributes.take("mq")?,
            q_head: attributes.take("q_head")?,
            scale: attributes.take("scale")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("queries", OperandValue::One(& self.queries)), ("keys", OperandValue::One(&
            self.keys)), ("values", OperandValue::One(& self.values)), ("mask", self.mask
            .as_ref().map_or(OperandValue::Absent, OperandValue::One)), ("buffer", self
            .buffer.as_ref().map_or(OperandValue::Absent, OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("batch", &self.batch);
        a.put("dim", &self.dim);
        a.put("keep_dims", &self.keep_dims);
        a.put("kv_head", &self.kv_head);
        a.put("mask_size", &self.mask_size);
        a.put("mk", &self.mk);
        a.put("mq", &self.mq);
        a.put("q_head", &self.q_head);
        a.put("scale", &self.scale);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<FAttentionLse<U>, E> {
        Ok(FAttentionLse {
            queries: f(&self.queries)?,
            keys: f(&self.keys)?,
            values: f(&self.values)?,
            mask: self.mask.as_ref().map(&mut *f).transpose()?,
            buffer: self.buffer.as_ref().map(&mut *f).transpose()?,
            batch: self.batch,
            dim: self.dim,
            keep_dims: self.keep_dims,
            kv_head: self.kv_head,
            mask_size: self.mask_size,
            mk: self.mk,
            mq: self.mq,
            q_head: self.q_head,
            scale: self.scale,
        })
    }
}
pub(super) const FLEXATTENTION: OpDef = OpDef {
    name: "FlexAttention",
    summary: "FAttention with values of their own size and a map of hidden blocks",
    description: "A chip skips the squares whose entry of `block_bitmap` is 0, which `mask` must hide as well: the result is computed from `mask` alone.",
    operands: &[
        ValueDef {
            name: "queries",
            description: "The queries: [batch, mq, q_head, qk_d]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "keys",
            description: "The keys: [batch, mk, kv_head, qk_d]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "values",
            description: "The values: [batch, mk, kv_head, v_d]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "mask",
            description: "Added to the scaled products of each head: mq * mk elements for all batches, or [batch, mq, 1, mk]",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "block_bitmap",
            description: "One entry for each square of `flex_block` queries and keys: [mq / flex_block, mk / flex_block], rounded up",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "buffer",
            description: "Memory for the chip's own use; not read",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "batch",
            description: "The batch size",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "flex_block",
            description: "Number of queries and keys of a square of `block_bitmap`, at least 1",
            kind: AttributeKind::Si32,
            default: Some(Default::Int(128)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "has_lse",
            description: "Whether `lse` is computed",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "keep_dims",
            description: "Whether heads and elements are two axes of the result, not one",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "kv_head",
            description: "Number of heads of keys and values; divides `q_head`",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "mask_size",
            description: "If not 0, `mask` is not read, but stands for the causal mask. Without `mask` it has no effect",
            kind: AttributeKind::Si32,
            default: Some(Default::Int(0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "mk",
            description: "Number of keys and values",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "mq",
            description: "Number of queries",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "q_head",
            description: "Number of heads of queries",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "qk_d",
            description: "Number of elements of each query and key",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "scale",
            description: "The factor of the products of queries and keys",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "v_d",
            description: "Number of elements of each value",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "The attention: [batch, mq, q_head, v_d], the last two axes joined without `keep_dims`",
            arity: Arity::Required,
        },
        ValueDef {
            name: "lse",
            description: "Like that of FAttentionLse with `has_lse`; otherwise a single 0",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.FlexAttention`: FAttention with values of their own size and a map of hidden blocks.

A chip skips the squares whose entry of `block_bitmap` is 0, which `mask` must hide as well: the result is computed from `mask` alone.*/
#[derive(Debug, Clone, PartialEq)]
pub struct FlexAttention<V> {
    /// The queries: \[batch, mq, q_head, qk_d\].
    pub queries: V,
    /// The keys: \[batch, mk, kv_head, qk_d\].
    pub keys: V,
    /// The values: \[batch, mk, kv_head, v_d\].
    pub values: V,
    /// Added to the scaled products of each head: mq * mk elements for all batches, or \[batch, mq, 1, mk\].
    pub mask: Option<V>,
    /// One entry for each square of `flex_block` queries and keys: \[mq / flex_block, mk / flex_block\], rounded up.
    pub block_bitmap: Option<V>,
    /// Memory for the chip's own use; not read.
    pub buffer: Option<V>,
    /// The batch size.
    pub batch: i64,
    /// Number of queries and keys of a square of `block_bitmap`, at least 1. The default is `128`.
    pub flex_block: i64,
    /// Whether `lse` is computed. The default is `false`.
    pub has_lse: bool,
    /// Whether heads and elements are two axes of the result, not one. The default is `true`.
    pub keep_dims: bool,
    /// Number of heads of keys and values; divides `q_head`.
    pub kv_head: i64,
    /// If not 0, `mask` is not read, but stands for the causal mask. Without `mask` it has no effect. The default is `0`.
    pub mask_size: i64,
    /// Number of keys and values.
    pub mk: i64,
    /// Number of queries.
    pub mq: i64,
    /// Number of heads of queries.
    pub q_head: i64,
    /// Number of elements of each query and key.
    pub qk_d: i64,
    /// The factor of the products of queries and keys.
    pub scale: f64,
    /// Number of elements of each value.
    pub v_d: i64,
}
impl<V> FlexAttention<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        queries: V,
        keys: V,
        values: V,
        batch: i64,
        kv_head: i64,
        mk: i64,
        mq: i64,
        q_head: i64,
        qk_d: i64,
        scale: f64,
        v_d: i64,
    ) -> Self {
        Self {
            queries,
            keys,
            values,
            mask: None,
            block_bitmap: None,
            buffer: None,
            batch,
            flex_block: 128,
            has_lse: false,
            keep_dims: true,
            kv_head,
            mask_size: 0,
            mk,
            mq,
            q_head,
            qk_d,
            scale,
            v_d,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            queries: operands.required("queries")?,
            keys: operands.required("keys")?,
            values: operands.required("values")?,
            mask: operands.optional("mask")?,
            block_bitmap: operands.optional("block_bitmap")?,
            buffer: operands.optional("buffer")?,
            batch: attributes.take("batch")?,
            flex_block: attributes.take("flex_block")?,
            has_lse: attributes.take("has_lse")?,
            keep_dims: attributes.take("keep_dims")?,
            kv_head: attributes.take("kv_head")?,
            mask_size: attributes.take("mask_size")?,
            mk: attributes.take("mk")?,
            mq: attributes.take("mq")?,
            q_head: attributes.take("q_head")?,
            qk_d: attributes.take("qk_d")?,
            scale: attributes.take("scale")?,
            v_d: attributes.take("v_d")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("queries", OperandValue::One(& self.queries)), ("keys", OperandValue::One(&
            self.keys)), ("values", OperandValue::One(& self.values)), ("mask", self.mask
            .as_ref().map_or(OperandValue::Absent, OperandValue::One)), ("block_bitmap",
            self.block_bitmap.as_ref().map_or(OperandValue::Absent, OperandValue::One)),
            ("buffer", self.buffer.as_ref().map_or(OperandValue::Absent,
            OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("batch", &self.batch);
        a.put("flex_block", &self.flex_block);
        a.put("has_lse", &self.has_lse);
        a.put("keep_dims", &self.keep_dims);
        a.put("kv_head", &self.kv_head);
        a.put("mask_size", &self.mask_size);
        a.put("mk", &self.mk);
        a.put("mq", &self.mq);
        a.put("q_head", &self.q_head);
        a.put("qk_d", &self.qk_d);
        a.put("scale", &self.scale);
        a.put("v_d", &self.v_d);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<FlexAttention<U>, E> {
        Ok(FlexAttention {
            queries: f(&self.queries)?,
            keys: f(&self.keys)?,
            values: f(&self.values)?,
            mask: self.mask.as_ref().map(&mut *f).transpose()?,
            block_bitmap: self.block_bitmap.as_ref().map(&mut *f).transpose()?,
            buffer: self.buffer.as_ref().map(&mut *f).transpose()?,
            batch: self.batch,
            flex_block: self.flex_block,
            has_lse: self.has_lse,
            keep_dims: self.keep_dims,
            kv_head: self.kv_head,
            mask_size: self.mask_size,
            mk: self.mk,
            mq: self.mq,
            q_head: self.q_head,
            qk_d: self.qk_d,
            scale: self.scale,
            v_d: self.v_d,
        })
    }
}
pub(super) const ROPE: OpDef = OpDef {
    name: "Rope",
    summary: "Rotary position embedding: rotates each pair of elements by an angle",
    description: "A pair (a, b) becomes (a cos - b sin, b cos + a sin). The shifts, roundings and saturations are for integers: of the product with the sine (`mul1`), of that with the cosine (`mul2`), and of their sum. Products saturate to 16 bits for 8-bit inputs, otherwise to 32 bits.",
    operands: &[
        ValueDef {
            name: "input1",
            description: "The tensor; its last axis, of even size, consists of pairs",
            arity: Arity::Required,
        },
        ValueDef {
            name: "input2",
            description: "The sines, broadcast to `input1`; integers if that has integers",
            arity: Arity::Required,
        },
        ValueDef {
            name: "input3",
            description: "The cosines, broadcast to `input1`; integers if that has integers",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "add_round_mode",
            description: "How the shifted sum is rounded",
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
        AttributeDef {
            name: "add_saturation",
            description: "Whether the chip saturates the sum; here it always saturates",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "add_shift",
            description: "Bits by which the sum is shifted to the left, or to the right if negative",
            kind: AttributeKind::Si32,
            default: Some(Default::Int(0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "force_f32",
            description: "Whether the tool chain lowers it to float32 where others become bfloat16",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "is_permute_optimize",
            description: "Whether axis 1 of four, not axis 2, has the positions; only a chip needs to know",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "mul1_round_mode",
            description: "How the shifted product with the sine is rounded",
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
        AttributeDef {
            name: "mul1_saturation",
            description: "Whether the chip saturates the product with the sine; here it always saturates",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "mul1_shift",
            description: "Bits by which the product with the sine is shifted to the left, or to the right if negative",
            kind: AttributeKind::Si32,
            default: Some(Default::Int(0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "mul2_round_mode",
            description: "How the shifted product with the cosine is rounded",
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
        AttributeDef {
            name: "mul2_saturation",
            description: "Whether the chip saturates the product with the cosine; here it always saturates",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "mul2_shift",
            description: "Bits by which the product with the cosine is shifted to the left, or to the right if negative",
            kind: AttributeKind::Si32,
            default: Some(Default::Int(0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "rope_mode",
            description: "Which of d elements are pairs: 2i and 2i + 1 (`interleaved_pairs`), or i and i + d / 2 (`contiguous_halves`)",
            kind: AttributeKind::OneOf(&["interleaved_pairs", "contiguous_halves"]),
            default: Some(Default::Str("interleaved_pairs")),
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
/**`top.Rope`: Rotary position embedding: rotates each pair of elements by an angle.

A pair (a, b) becomes (a cos - b sin, b cos + a sin). The shifts, roundings and saturations are for integers: of the product with the sine (`mul1`), of that with the cosine (`mul2`), and of their sum. Products saturate to 16 bits for 8-bit inputs, otherwise to 32 bits.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Rope<V> {
    /// The tensor; its last axis, of even size, consists of pairs.
    pub input1: V,
    /// The sines, broadcast to `input1`; integers if that has integers.
    pub input2: V,
    /// The cosines, broadcast to `input1`; integers if that has integers.
    pub input3: V,
    /// How the shifted sum is rounded. The default is `RoundMode::HalfAwayFromZero`.
    pub add_round_mode: RoundMode,
    /// Whether the chip saturates the sum; here it always saturates. The default is `true`. It changes no result.
    pub add_saturation: bool,
    /// Bits by which the sum is shifted to the left, or to the right if negative. The default is `0`.
    pub add_shift: i64,
    /// Whether the tool chain lowers it to float32 where others become bfloat16. The default is `false`. It changes no result.
    pub force_f32: bool,
    /// Whether axis 1 of four, not axis 2, has the positions; only a chip needs to know. The default is `false`. It changes no result.
    pub is_permute_optimize: bool,
    /// How the shifted product with the sine is rounded. The default is `RoundMode::HalfAwayFromZero`.
    pub mul1_round_mode: RoundMode,
    /// Whether the chip saturates the product with the sine; here it always saturates. The default is `true`. It changes no result.
    pub mul1_saturation: bool,
    /// Bits by which the product with the sine is shifted to the left, or to the right if negative. The default is `0`.
    pub mul1_shift: i64,
    /// How the shifted product with the cosine is rounded. The default is `RoundMode::HalfAwayFromZero`.
    pub mul2_round_mode: RoundMode,
    /// Whether the chip saturates the product with the cosine; here it always saturates. The default is `true`. It changes no result.
    pub mul2_saturation: bool,
    /// Bits by which the product with the cosine is shifted to the left, or to the right if negative. The default is `0`.
    pub mul2_shift: i64,
    /// Which of d elements are pairs: 2i and 2i + 1 (`interleaved_pairs`), or i and i + d / 2 (`contiguous_halves`). The default is `RopeMode::InterleavedPairs`.
    pub rope_mode: RopeMode,
}
impl<V> Rope<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input1: V, input2: V, input3: V) -> Self {
        Self {
            input1,
            input2,
            input3,
            add_round_mode: RoundMode::HalfAwayFromZero,
            add_saturation: true,
            add_shift: 0,
            force_f32: false,
            is_permute_optimize: false,
            mul1_round_mode: RoundMode::HalfAwayFromZero,
            mul1_saturation: true,
            mul1_shift: 0,
            mul2_round_mode: RoundMode::HalfAwayFromZero,
            mul2_saturation: true,
            mul2_shift: 0,
            rope_mode: RopeMode::InterleavedPairs,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input1: operands.required("input1")?,
            input2: operands.required("input2")?,
            input3: operands.required("input3")?,
            add_round_mode: attributes.take("add_round_mode")?,
            add_saturation: attributes.take("add_saturation")?,
            add_shift: attributes.take("add_shift")?,
            force_f32: attributes.take("force_f32")?,
            is_permute_optimize: attributes.take("is_permute_optimize")?,
            mul1_round_mode: attributes.take("mul1_round_mode")?,
            mul1_saturation: attributes.take("mul1_saturation")?,
            mul1_shift: attributes.take("mul1_shift")?,
            mul2_round_mode: attributes.take("mul2_round_mode")?,
            mul2_saturation: attributes.take("mul2_saturation")?,
            mul2_shift: attributes.take("mul2_shift")?,
            rope_mode: attributes.take("rope_mode")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input1", OperandValue::One(& self.input1)), ("input2", OperandValue::One(&
            self.input2)), ("input3", OperandValue::One(& self.input3)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("add_round_mode", &self.add_round_mode);
        a.put("add_saturation", &self.add_saturation);
        a.put("add_shift", &self.add_shift);
        a.put("force_f32", &self.force_f32);
        a.put("is_permute_optimize", &self.is_permute_optimize);
        a.put("mul1_round_mode", &self.mul1_round_mode);
        a.put("mul1_saturation", &self.mul1_saturation);
        a.put("mul1_shift", &self.mul1_shift);
        a.put("mul2_round_mode", &self.mul2_round_mode);
        a.put("mul2_saturation", &self.mul2_saturation);
        a.put("mul2_shift", &self.mul2_shift);
        a.put("rope_mode", &self.rope_mode);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Rope<U>, E> {
        Ok(Rope {
            input1: f(&self.input1)?,
            input2: f(&self.input2)?,
            input3: f(&self.input3)?,
            add_round_mode: self.add_round_mode,
            add_saturation: self.add_saturation,
            add_shift: self.add_shift,
            force_f32: self.force_f32,
            is_permute_optimize: self.is_permute_optimize,
            mul1_round_mode: self.mul1_round_mode,
            mul1_saturation: self.mul1_saturation,
            mul1_shift: self.mul1_shift,
            mul2_round_mode: self.mul2_round_mode,
            mul2_saturation: self.mul2_saturation,
            mul2_shift: self.mul2_shift,
            rope_mode: self.rope_mode,
        })
    }
}
pub(super) const SCALEDOTPRODUCTATTENTION: OpDef = OpDef {
    name: "ScaleDotProductAttention",
    summary: "softmax(scale * Q K^T + mask) V",
    description: "",
    operands: &[
        ValueDef {
            name: "query",
            description: "The queries: [.., queries, elements]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "key",
            description: "The keys: [.., keys, elements]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "value",
            description: "The values: [.., keys, elements of the result]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "mask",
            description: "Added to the scaled products; broadcast to [.., queries, keys]",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "dropout_p",
            description: "The probability of dropout, in training",
            kind: AttributeKind::Float,
            default: Some(Default::Float(0.0)),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "is_causal",
            description: "Whether a query sees the keys up to its own position only",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "scale",
            description: "The factor of the products; 0 or infinity stands for 1 / sqrt(elements)",
            kind: AttributeKind::Float,
            default: Some(Default::Float(0.0)),
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
///`top.ScaleDotProductAttention`: softmax(scale * Q K^T + mask) V.
#[derive(Debug, Clone, PartialEq)]
pub struct ScaleDotProductAttention<V> {
    /// The queries: \[.., queries, elements\].
    pub query: V,
    /// The keys: \[.., keys, elements\].
    pub key: V,
    /// The values: \[.., keys, elements of the result\].
    pub value: V,
    /// Added to the scaled products; broadcast to \[.., queries, keys\].
    pub mask: Option<V>,
    /// The probability of dropout, in training. The default is `0.0f64`. It changes no result.
    pub dropout_p: f64,
    /// Whether a query sees the keys up to its own position only. The default is `false`.
    pub is_causal: bool,
    /// The factor of the products; 0 or infinity stands for 1 / sqrt(elements). The default is `0.0f64`.
    pub scale: f64,
}
impl<V> ScaleDotProductAttention<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(query: V, key: V, value: V) -> Self {
        Self {
            query,
            key,
            value,
            mask: None,
            dropout_p: 0.0f64,
            is_causal: false,
            scale: 0.0f64,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            query: operands.required("query")?,
            key: operands.required("key")?,
            value: operands.required("value")?,
            mask: operands.optional("mask")?,
            dropout_p: attributes.take("dropout_p")?,
            is_causal: attributes.take("is_causal")?,
            scale: attributes.take("scale")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("query", OperandValue::One(& self.query)), ("key", OperandValue::One(& self
            .key)), ("value", OperandValue::One(& self.value)), ("mask", self.mask
            .as_ref().map_or(OperandValue::Absent, OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("dropout_p", &self.dropout_p);
        a.put("is_causal", &self.is_causal);
        a.put("scale", &self.scale);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<ScaleDotProductAttention<U>, E> {
        Ok(ScaleDotProductAttention {
            query: f(&self.query)?,
            key: f(&self.key)?,
            value: f(&self.value)?,
            mask: self.mask.as_ref().map(&mut *f).transpose()?,
            dropout_p: self.dropout_p,
            is_causal: self.is_causal,
            scale: self.scale,
        })
    }
}
