// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
pub(super) const CHUNKGATEDDELTARULE: OpDef = OpDef {
    name: "ChunkGatedDeltaRule",
    summary: "Linear attention by the gated delta rule over a sequence, chunk by chunk",
    description: "The same as RecurrentGatedDeltaRule over a whole sequence. The masks and `eye` are constants, [chunk_size, chunk_size].",
    operands: &[
        ValueDef {
            name: "query",
            arity: Arity::Required,
        },
        ValueDef {
            name: "key",
            arity: Arity::Required,
        },
        ValueDef {
            name: "value",
            arity: Arity::Required,
        },
        ValueDef {
            name: "g",
            arity: Arity::Required,
        },
        ValueDef {
            name: "beta",
            arity: Arity::Required,
        },
        ValueDef {
            name: "recurrent_state",
            arity: Arity::Required,
        },
        ValueDef {
            name: "triu_mask",
            arity: Arity::Required,
        },
        ValueDef {
            name: "strict_triu_mask",
            arity: Arity::Required,
        },
        ValueDef {
            name: "tril_mask",
            arity: Arity::Required,
        },
        ValueDef {
            name: "eye",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "chunk_size",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "d",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "num_k_heads",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "num_v_heads",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "scale",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "use_qk_l2norm",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "attn_out",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.ChunkGatedDeltaRule`: Linear attention by the gated delta rule over a sequence, chunk by chunk.

The same as RecurrentGatedDeltaRule over a whole sequence. The masks and `eye` are constants, \[chunk_size, chunk_size\].*/
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkGatedDeltaRule<V> {
    /// Operand.
    pub query: V,
    /// Operand.
    pub key: V,
    /// Operand.
    pub value: V,
    /// Operand.
    pub g: V,
    /// Operand.
    pub beta: V,
    /// Operand.
    pub recurrent_state: V,
    /// Operand.
    pub triu_mask: V,
    /// Operand.
    pub strict_triu_mask: V,
    /// Operand.
    pub tril_mask: V,
    /// Operand.
    pub eye: V,
    ///Attribute.
    pub chunk_size: i64,
    ///Attribute.
    pub d: i64,
    ///Attribute.
    pub num_k_heads: i64,
    ///Attribute.
    pub num_v_heads: i64,
    ///Attribute.
    pub scale: f64,
    ///Attribute.
    pub use_qk_l2norm: bool,
}
impl<V> ChunkGatedDeltaRule<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        query: V,
        key: V,
        value: V,
        g: V,
        beta: V,
        recurrent_state: V,
        triu_mask: V,
        strict_triu_mask: V,
        tril_mask: V,
        eye: V,
        chunk_size: i64,
        d: i64,
        num_k_heads: i64,
        num_v_heads: i64,
        scale: f64,
        use_qk_l2norm: bool,
    ) -> Self {
        Self {
            query,
            key,
            value,
            g,
            beta,
            recurrent_state,
            triu_mask,
            strict_triu_mask,
            tril_mask,
            eye,
            chunk_size,
            d,
            num_k_heads,
            num_v_heads,
            scale,
            use_qk_l2norm,
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
            g: operands.required("g")?,
            beta: operands.required("beta")?,
            recurrent_state: operands.required("recurrent_state")?,
            triu_mask: operands.required("triu_mask")?,
            strict_triu_mask: operands.required("strict_triu_mask")?,
            tril_mask: operands.required("tril_mask")?,
            eye: operands.required("eye")?,
            chunk_size: attributes.take("chunk_size")?,
            d: attributes.take("d")?,
            num_k_heads: attributes.take("num_k_heads")?,
            num_v_heads: attributes.take("num_v_heads")?,
            scale: attributes.take("scale")?,
            use_qk_l2norm: attributes.take("use_qk_l2norm")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("query", OperandValue::One(& self.query)), ("key", OperandValue::One(& self
            .key)), ("value", OperandValue::One(& self.value)), ("g", OperandValue::One(&
            self.g)), ("beta", OperandValue::One(& self.beta)), ("recurrent_state",
            OperandValue::One(& self.recurrent_state)), ("triu_mask", OperandValue::One(&
            self.triu_mask)), ("strict_triu_mask", OperandValue::One(& self
            .strict_triu_mask)), ("tril_mask", OperandValue::One(& self.tril_mask)),
            ("eye", OperandValue::One(& self.eye)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("chunk_size", &self.chunk_size);
        a.put("d", &self.d);
        a.put("num_k_heads", &self.num_k_heads);
        a.put("num_v_heads", &self.num_v_heads);
        a.put("scale", &self.scale);
        a.put("use_qk_l2norm", &self.use_qk_l2norm);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<ChunkGatedDeltaRule<U>, E> {
        Ok(ChunkGatedDeltaRule {
            query: f(&self.query)?,
            key: f(&self.key)?,
            value: f(&self.value)?,
            g: f(&self.g)?,
            beta: f(&self.beta)?,
            recurrent_state: f(&self.recurrent_state)?,
            triu_mask: f(&self.triu_mask)?,
            strict_triu_mask: f(&self.strict_triu_mask)?,
            tril_mask: f(&self.tril_mask)?,
            eye: f(&self.eye)?,
            chunk_size: self.chunk_size,
            d: self.d,
            num_k_heads: self.num_k_heads,
            num_v_heads: self.num_v_heads,
            scale: self.scale,
            use_qk_l2norm: self.use_qk_l2norm,
        })
    }
}
pub(super) const GRU: OpDef = OpDef {
    name: "GRU",
    summary: "Gated recurrent unit over a sequence",
    description: "Shapes are like LSTM's, with 3 in place of 4 and 6 in place of 8, in the order update, reset, hidden. With `linear_before_reset`, the reset gate is applied after the product with `recurrence`, not before.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "filter",
            arity: Arity::Required,
        },
        ValueDef {
            name: "recurrence",
            arity: Arity::Required,
        },
        ValueDef {
            name: "bias",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "initial_h",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "batch_first",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "bidirectional",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "hidden_size",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "linear_before_reset",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "Y",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "Y_h",
            arity: Arity::OrNone,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.GRU`: Gated recurrent unit over a sequence.

Shapes are like LSTM's, with 3 in place of 4 and 6 in place of 8, in the order update, reset, hidden. With `linear_before_reset`, the reset gate is applied after the product with `recurrence`, not before.*/
#[derive(Debug, Clone, PartialEq)]
pub struct GRU<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub filter: V,
    /// Operand.
    pub recurrence: V,
    /// Operand.
    pub bias: Option<V>,
    /// Operand.
    pub initial_h: Option<V>,
    ///Attribute; `false` by default.
    pub batch_first: bool,
    ///Attribute.
    pub bidirectional: bool,
    ///Attribute.
    pub hidden_size: i64,
    ///Attribute; `true` by default.
    pub linear_before_reset: bool,
}
impl<V> GRU<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        input: V,
        filter: V,
        recurrence: V,
        bidirectional: bool,
        hidden_size: i64,
    ) -> Self {
        Self {
            input,
            filter,
            recurrence,
            bias: None,
            initial_h: None,
            batch_first: false,
            bidirectional,
            hidden_size,
            linear_before_reset: true,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            filter: operands.required("filter")?,
            recurrence: operands.required("recurrence")?,
            bias: operands.optional("bias")?,
            initial_h: operands.optional("initial_h")?,
            batch_first: attributes.take("batch_first")?,
            bidirectional: attributes.take("bidirectional")?,
            hidden_size: attributes.take("hidden_size")?,
            linear_before_reset: attributes.take("linear_before_reset")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("filter", OperandValue::One(&
            self.filter)), ("recurrence", OperandValue::One(& self.recurrence)), ("bias",
            self.bias.as_ref().map_or(OperandValue::Absent, OperandValue::One)),
            ("initial_h", self.initial_h.as_ref().map_or(OperandValue::Absent,
            OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("batch_first", &self.batch_first);
        a.put("bidirectional", &self.bidirectional);
        a.put("hidden_size", &self.hidden_size);
        a.put("linear_before_reset", &self.linear_before_reset);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<GRU<U>, E> {
        Ok(GRU {
            input: f(&self.input)?,
            filter: f(&self.filter)?,
            recurrence: f(&self.recurrence)?,
            bias: self.bias.as_ref().map(&mut *f).transpose()?,
            initial_h: self.initial_h.as_ref().map(&mut *f).transpose()?,
            batch_first: self.batch_first,
            bidirectional: self.bidirectional,
            hidden_size: self.hidden_size,
            linear_before_reset: self.linear_before_reset,
        })
    }
}
pub(super) const LSTM: OpDef = OpDef {
    name: "LSTM",
    summary: "Long short-term memory over a sequence",
    description: "`input` is [length, batch, size], or [batch, length, size] with `batch_first`. `filter` is [directions, 4 * hidden_size, size] and `recurrence` [directions, 4 * hidden_size, hidden_size], in the order input, output, forget, cell; `bias` is [directions, 8 * hidden_size]: that of `filter`, then that of `recurrence`. `Y` holds the hidden states of all steps, [length, directions, batch, hidden_size], `Y_h` and `Y_c` the last hidden and cell state, [directions, batch, hidden_size] as the initial ones; with `batch_first` the batch is the first axis. Where `cont` is 0 a sequence restarts.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "filter",
            arity: Arity::Required,
        },
        ValueDef {
            name: "recurrence",
            arity: Arity::Required,
        },
        ValueDef {
            name: "bias",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "initial_h",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "initial_c",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "cont",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "batch_first",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "bidirectional",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "hidden_size",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "Y",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "Y_h",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "Y_c",
            arity: Arity::OrNone,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.LSTM`: Long short-term memory over a sequence.

`input` is \[length, batch, size\], or \[batch, length, size\] with `batch_first`. `filter` is \[directions, 4 * hidden_size, size\] and `recurrence` \[directions, 4 * hidden_size, hidden_size\], in the order input, output, forget, cell; `bias` is \[directions, 8 * hidden_size\]: that of `filter`, then that of `recurrence`. `Y` holds the hidden states of all steps, \[length, directions, batch, hidden_size\], `Y_h` and `Y_c` the last hidden and cell state, \[directions, batch, hidden_size\] as the initial ones; with `batch_first` the batch is the first axis. Where `cont` is 0 a sequence restarts.*/
#[derive(Debug, Clone, PartialEq)]
pub struct LSTM<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub filter: V,
    /// Operand.
    pub recurrence: V,
    /// Operand.
    pub bias: Option<V>,
    /// Operand.
    pub initial_h: Option<V>,
    /// Operand.
    pub initial_c: Option<V>,
    /// Operand.
    pub cont: Option<V>,
    ///Attribute; `false` by default.
    pub batch_first: bool,
    ///Attribute.
    pub bidirectional: bool,
    ///Attribute.
    pub hidden_size: i64,
}
impl<V> LSTM<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        input: V,
        filter: V,
        recurrence: V,
        bidirectional: bool,
        hidden_size: i64,
    ) -> Self {
        Self {
            input,
            filter,
            recurrence,
            bias: None,
            initial_h: None,
            initial_c: None,
            cont: None,
            batch_first: false,
            bidirectional,
            hidden_size,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            filter: operands.required("filter")?,
            recurrence: operands.required("recurrence")?,
            bias: operands.optional("bias")?,
            initial_h: operands.optional("initial_h")?,
            initial_c: operands.optional("initial_c")?,
            cont: operands.optional("cont")?,
            batch_first: attributes.take("batch_first")?,
            bidirectional: attributes.take("bidirectional")?,
            hidden_size: attributes.take("hidden_size")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("filter", OperandValue::One(&
            self.filter)), ("recurrence", OperandValue::One(& self.recurrence)), ("bias",
            self.bias.as_ref().map_or(OperandValue::Absent, OperandValue::One)),
            ("initial_h", self.initial_h.as_ref().map_or(OperandValue::Absent,
            OperandValue::One)), ("initial_c", self.initial_c.as_ref()
            .map_or(OperandValue::Absent, OperandValue::One)), ("cont", self.cont
            .as_ref().map_or(OperandValue::Absent, OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("batch_first", &self.batch_first);
        a.put("bidirectional", &self.bidirectional);
        a.put("hidden_size", &self.hidden_size);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<LSTM<U>, E> {
        Ok(LSTM {
            input: f(&self.input)?,
            filter: f(&self.filter)?,
            recurrence: f(&self.recurrence)?,
            bias: self.bias.as_ref().map(&mut *f).transpose()?,
            initial_h: self.initial_h.as_ref().map(&mut *f).transpose()?,
            initial_c: self.initial_c.as_ref().map(&mut *f).transpose()?,
            cont: self.cont.as_ref().map(&mut *f).transpose()?,
            batch_first: self.batch_first,
            bidirectional: self.bidirectional,
            hidden_size: self.hidden_size,
        })
    }
}
pub(super) const RECURRENTGATEDDELTARULE: OpDef = OpDef {
    name: "RecurrentGatedDeltaRule",
    summary: "One step of linear attention by the gated delta rule",
    description: "The state, one matrix per head, becomes `s = exp(g) * s`, then `s = s + outer(key, beta * (value - s^T key))`; the result is `s^T (scale * query)`. `query` and `key` are [batch, 1, num_k_heads, d], `value` is [batch, 1, num_v_heads, d], `g` and `beta` are [batch, 1, num_v_heads], `recurrent_state` is [batch, num_v_heads, d, d]. `use_qk_l2norm` divides `query` and `key` by their norm first.",
    operands: &[
        ValueDef {
            name: "query",
            arity: Arity::Required,
        },
        ValueDef {
            name: "key",
            arity: Arity::Required,
        },
        ValueDef {
            name: "value",
            arity: Arity::Required,
        },
        ValueDef {
            name: "g",
            arity: Arity::Required,
        },
        ValueDef {
            name: "beta",
            arity: Arity::Required,
        },
        ValueDef {
            name: "recurrent_state",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "d",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "num_k_heads",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "num_v_heads",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "scale",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "use_qk_l2norm",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "attn_out",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.RecurrentGatedDeltaRule`: One step of linear attention by the gated delta rule.

The state, one matrix per head, becomes `s = exp(g) * s`, then `s = s + outer(key, beta * (value - s^T key))`; the result is `s^T (scale * query)`. `query` and `key` are \[batch, 1, num_k_heads, d\], `value` is \[batch, 1, num_v_heads, d\], `g` and `beta` are \[batch, 1, num_v_heads\], `recurrent_state` is \[batch, num_v_heads, d, d\]. `use_qk_l2norm` divides `query` and `key` by their norm first.*/
#[derive(Debug, Clone, PartialEq)]
pub struct RecurrentGatedDeltaRule<V> {
    /// Operand.
    pub query: V,
    /// Operand.
    pub key: V,
    /// Operand.
    pub value: V,
    /// Operand.
    pub g: V,
    /// Operand.
    pub beta: V,
    /// Operand.
    pub recurrent_state: V,
    ///Attribute.
    pub d: i64,
    ///Attribute.
    pub num_k_heads: i64,
    ///Attribute.
    pub num_v_heads: i64,
    ///Attribute.
    pub scale: f64,
    ///Attribute.
    pub use_qk_l2norm: bool,
}
impl<V> RecurrentGatedDeltaRule<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        query: V,
        key: V,
        value: V,
        g: V,
        beta: V,
        recurrent_state: V,
        d: i64,
        num_k_heads: i64,
        num_v_heads: i64,
        scale: f64,
        use_qk_l2norm: bool,
    ) -> Self {
        Self {
            query,
            key,
            value,
            g,
            beta,
            recurrent_state,
            d,
            num_k_heads,
            num_v_heads,
            scale,
            use_qk_l2norm,
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
            g: operands.required("g")?,
            beta: operands.required("beta")?,
            recurrent_state: operands.required("recurrent_state")?,
            d: attributes.take("d")?,
            num_k_heads: attributes.take("num_k_heads")?,
            num_v_heads: attributes.take("num_v_heads")?,
            scale: attributes.take("scale")?,
            use_qk_l2norm: attributes.take("use_qk_l2norm")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("query", OperandValue::One(& self.query)), ("key", OperandValue::One(& self
            .key)), ("value", OperandValue::One(& self.value)), ("g", OperandValue::One(&
            self.g)), ("beta", OperandValue::One(& self.beta)), ("recurrent_state",
            OperandValue::One(& self.recurrent_state)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("d", &self.d);
        a.put("num_k_heads", &self.num_k_heads);
        a.put("num_v_heads", &self.num_v_heads);
        a.put("scale", &self.scale);
        a.put("use_qk_l2norm", &self.use_qk_l2norm);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<RecurrentGatedDeltaRule<U>, E> {
        Ok(RecurrentGatedDeltaRule {
            query: f(&self.query)?,
            key: f(&self.key)?,
            value: f(&self.value)?,
            g: f(&self.g)?,
            beta: f(&self.beta)?,
            recurrent_state: f(&self.recurrent_state)?,
            d: self.d,
            num_k_heads: self.num_k_heads,
            num_v_heads: self.num_v_heads,
            scale: self.scale,
            use_qk_l2norm: self.use_qk_l2norm,
        })
    }
}
pub(super) const SELECTIVESCAN: OpDef = OpDef {
    name: "SelectiveScan",
    summary: "Scan of a state space model, forwards and backwards (VMamba)",
    description: "Along the sequence `h = deltaA * h + deltaB_u` and `y = Cs * h`; `us * Ds` is added if `Ds` is given. The first half of the channels is scanned forwards, the second half backwards. `Cs` is [length, channels, 1, batch], `deltaA` and `deltaB_u` are [1, channels, length, batch]; the result is [length, channels, batch].",
    operands: &[
        ValueDef {
            name: "Cs",
            arity: Arity::Required,
        },
        ValueDef {
            name: "deltaA",
            arity: Arity::Required,
        },
        ValueDef {
            name: "deltaB_u",
            arity: Arity::Required,
        },
        ValueDef {
            name: "us",
            arity: Arity::Required,
        },
        ValueDef {
            name: "Ds",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[],
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
/**`top.SelectiveScan`: Scan of a state space model, forwards and backwards (VMamba).

Along the sequence `h = deltaA * h + deltaB_u` and `y = Cs * h`; `us * Ds` is added if `Ds` is given. The first half of the channels is scanned forwards, the second half backwards. `Cs` is \[length, channels, 1, batch\], `deltaA` and `deltaB_u` are \[1, channels, length, batch\]; the result is \[length, channels, batch\].*/
#[derive(Debug, Clone, PartialEq)]
pub struct SelectiveScan<V> {
    /// Operand.
    pub Cs: V,
    /// Operand.
    pub deltaA: V,
    /// Operand.
    pub deltaB_u: V,
    /// Operand.
    pub us: V,
    /// Operand.
    pub Ds: Option<V>,
}
impl<V> SelectiveScan<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(Cs: V, deltaA: V, deltaB_u: V, us: V) -> Self {
        Self {
            Cs,
            deltaA,
            deltaB_u,
            us,
            Ds: None,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            Cs: operands.required("Cs")?,
            deltaA: operands.required("deltaA")?,
            deltaB_u: operands.required("deltaB_u")?,
            us: operands.required("us")?,
            Ds: operands.optional("Ds")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("Cs", OperandValue::One(& self.Cs)), ("deltaA", OperandValue::One(& self
            .deltaA)), ("deltaB_u", OperandValue::One(& self.deltaB_u)), ("us",
            OperandValue::One(& self.us)), ("Ds", self.Ds.as_ref()
            .map_or(OperandValue::Absent, OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes::default()
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<SelectiveScan<U>, E> {
        Ok(SelectiveScan {
            Cs: f(&self.Cs)?,
            deltaA: f(&self.deltaA)?,
            deltaB_u: f(&self.deltaB_u)?,
            us: f(&self.us)?,
            Ds: self.Ds.as_ref().map(&mut *f).transpose()?,
        })
    }
}
