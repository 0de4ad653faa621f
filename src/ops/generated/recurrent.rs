// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
pub(super) const CHUNKGATEDDELTARULE: OpDef = OpDef {
    name: "ChunkGatedDeltaRule",
    summary: "Linear attention by the gated delta rule over a sequence, chunk by chunk",
    description: "The same as RecurrentGatedDeltaRule over a whole sequence. The masks and `eye` are constants by which a chip computes a chunk at once; they change no result.",
    operands: &[
        ValueDef {
            name: "query",
            description: "The queries: [batch, length, num_k_heads, d]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "key",
            description: "The keys: [batch, length, num_k_heads, d]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "value",
            description: "The values: [batch, length, num_v_heads, d]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "g",
            description: "The logarithm of the state's decay at each step: [batch, length, num_v_heads]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "beta",
            description: "The factor of the state's update at each step: [batch, length, num_v_heads]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "recurrent_state",
            description: "The state before the first step: [batch, num_v_heads, d, d]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "triu_mask",
            description: "Ones in the upper triangle: [chunk_size, chunk_size]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "strict_triu_mask",
            description: "Ones in the upper triangle without the diagonal: [chunk_size, chunk_size]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "tril_mask",
            description: "Ones in the lower triangle: [chunk_size, chunk_size]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "eye",
            description: "The identity matrix: [chunk_size, chunk_size]",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "chunk_size",
            description: "Number of steps that a chip computes at once",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "d",
            description: "Number of elements of a head, at least 1",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "num_k_heads",
            description: "Number of heads of `query` and `key`, which divides `num_v_heads`",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "num_v_heads",
            description: "Number of heads of `value`; consecutive ones share a head of `query` and `key`",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "scale",
            description: "The factor of `query`",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "use_qk_l2norm",
            description: "Whether `query` and `key` are first divided by their norm, sqrt(sum(x^2) + 1e-6)",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "attn_out",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.ChunkGatedDeltaRule`: Linear attention by the gated delta rule over a sequence, chunk by chunk.

The same as RecurrentGatedDeltaRule over a whole sequence. The masks and `eye` are constants by which a chip computes a chunk at once; they change no result.*/
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkGatedDeltaRule<V> {
    /// The queries: \[batch, length, num_k_heads, d\].
    pub query: V,
    /// The keys: \[batch, length, num_k_heads, d\].
    pub key: V,
    /// The values: \[batch, length, num_v_heads, d\].
    pub value: V,
    /// The logarithm of the state's decay at each step: \[batch, length, num_v_heads\].
    pub g: V,
    /// The factor of the state's update at each step: \[batch, length, num_v_heads\].
    pub beta: V,
    /// The state before the first step: \[batch, num_v_heads, d, d\].
    pub recurrent_state: V,
    /// Ones in the upper triangle: \[chunk_size, chunk_size\].
    pub triu_mask: V,
    /// Ones in the upper triangle without the diagonal: \[chunk_size, chunk_size\].
    pub strict_triu_mask: V,
    /// Ones in the lower triangle: \[chunk_size, chunk_size\].
    pub tril_mask: V,
    /// The identity matrix: \[chunk_size, chunk_size\].
    pub eye: V,
    /// Number of steps that a chip computes at once. It changes no result.
    pub chunk_size: i64,
    /// Number of elements of a head, at least 1.
    pub d: i64,
    /// Number of heads of `query` and `key`, which divides `num_v_heads`.
    pub num_k_heads: i64,
    /// Number of heads of `value`; consecutive ones share a head of `query` and `key`.
    pub num_v_heads: i64,
    /// The factor of `query`.
    pub scale: f64,
    /// Whether `query` and `key` are first divided by their norm, sqrt(sum(x^2) + 1e-6).
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
    description: "The gates are in the order update, reset, hidden; directions is 2 if `bidirectional`, else 1. The shapes are those without `batch_first`; with it, the batch is the first axis as in LSTM.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The sequences: [length, batch, size], or [batch, length, size] with `batch_first`",
            arity: Arity::Required,
        },
        ValueDef {
            name: "filter",
            description: "The weights of `input`: [directions, 3 * hidden_size, size]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "recurrence",
            description: "The weights of the hidden state: [directions, 3 * hidden_size, hidden_size]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "bias",
            description: "The bias: [directions, 6 * hidden_size], that of `filter`, then that of `recurrence`; 0 if none",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "initial_h",
            description: "The hidden state before the first step: [directions, batch, hidden_size]; 0 if none",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "batch_first",
            description: "Whether the batch is the first axis of `input`, of the initial state and of the results",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "bidirectional",
            description: "Whether a second direction reads the sequence backwards",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "hidden_size",
            description: "Number of elements of a hidden state, at least 1",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "linear_before_reset",
            description: "Whether the reset gate is applied after the product with `recurrence`, not before",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "Y",
            description: "The hidden states of all steps: [length, directions, batch, hidden_size]",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "Y_h",
            description: "The last hidden state, of the shape of `initial_h`",
            arity: Arity::OrNone,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.GRU`: Gated recurrent unit over a sequence.

The gates are in the order update, reset, hidden; directions is 2 if `bidirectional`, else 1. The shapes are those without `batch_first`; with it, the batch is the first axis as in LSTM.*/
#[derive(Debug, Clone, PartialEq)]
pub struct GRU<V> {
    /// The sequences: \[length, batch, size\], or \[batch, length, size\] with `batch_first`.
    pub input: V,
    /// The weights of `input`: \[directions, 3 * hidden_size, size\].
    pub filter: V,
    /// The weights of the hidden state: \[directions, 3 * hidden_size, hidden_size\].
    pub recurrence: V,
    /// The bias: \[directions, 6 * hidden_size\], that of `filter`, then that of `recurrence`; 0 if none.
    pub bias: Option<V>,
    /// The hidden state before the first step: \[directions, batch, hidden_size\]; 0 if none.
    pub initial_h: Option<V>,
    /// Whether the batch is the first axis of `input`, of the initial state and of the results. The default is `false`.
    pub batch_first: bool,
    /// Whether a second direction reads the sequence backwards.
    pub bidirectional: bool,
    /// Number of elements of a hidden state, at least 1.
    pub hidden_size: i64,
    /// Whether the reset gate is applied after the product with `recurrence`, not before. The default is `true`.
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
    description: "The gates are in the order input, output, forget, cell; directions is 2 if `bidirectional`, else 1. The shapes are those without `batch_first`; with it, the batch is the first axis of `input`, of the initial states and of the results.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The sequences: [length, batch, size], or [batch, length, size] with `batch_first`",
            arity: Arity::Required,
        },
        ValueDef {
            name: "filter",
            description: "The weights of `input`: [directions, 4 * hidden_size, size]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "recurrence",
            description: "The weights of the hidden state: [directions, 4 * hidden_size, hidden_size]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "bias",
            description: "The bias: [directions, 8 * hidden_size], that of `filter`, then that of `recurrence`; 0 if none",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "initial_h",
            description: "The hidden state before the first step: [directions, batch, hidden_size]; 0 if none",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "initial_c",
            description: "The cell state before the first step: [directions, batch, hidden_size]; 0 if none",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "cont",
            description: "The factors of both states before each step: [length, batch]. Where one is 0, a sequence restarts",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "batch_first",
            description: "Whether the batch is the first axis of `input`, of the initial states and of the results",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "bidirectional",
            description: "Whether a second direction reads the sequence backwards",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "hidden_size",
            description: "Number of elements of a hidden state, at least 1",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "Y",
            description: "The hidden states of all steps: [length, directions, batch, hidden_size]",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "Y_h",
            description: "The last hidden state, of the shape of `initial_h`",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "Y_c",
            description: "The last cell state, of the shape of `initial_c`",
            arity: Arity::OrNone,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.LSTM`: Long short-term memory over a sequence.

The gates are in the order input, output, forget, cell; directions is 2 if `bidirectional`, else 1. The shapes are those without `batch_first`; with it, the batch is the first axis of `input`, of the initial states and of the results.*/
#[derive(Debug, Clone, PartialEq)]
pub struct LSTM<V> {
    /// The sequences: \[length, batch, size\], or \[batch, length, size\] with `batch_first`.
    pub input: V,
    /// The weights of `input`: \[directions, 4 * hidden_size, size\].
    pub filter: V,
    /// The weights of the hidden state: \[directions, 4 * hidden_size, hidden_size\].
    pub recurrence: V,
    /// The bias: \[directions, 8 * hidden_size\], that of `filter`, then that of `recurrence`; 0 if none.
    pub bias: Option<V>,
    /// The hidden state before the first step: \[directions, batch, hidden_size\]; 0 if none.
    pub initial_h: Option<V>,
    /// The cell state before the first step: \[directions, batch, hidden_size\]; 0 if none.
    pub initial_c: Option<V>,
    /// The factors of both states before each step: \[length, batch\]. Where one is 0, a sequence restarts.
    pub cont: Option<V>,
    /// Whether the batch is the first axis of `input`, of the initial states and of the results. The default is `false`.
    pub batch_first: bool,
    /// Whether a second direction reads the sequence backwards.
    pub bidirectional: bool,
    /// Number of elements of a hidden state, at least 1.
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
    description: "The state, one matrix per head, becomes `s = exp(g) * s`, then `s = s + outer(key, beta * (value - s^T key))`; the result is `s^T (scale * query)`.",
    operands: &[
        ValueDef {
            name: "query",
            description: "The query: [batch, 1, num_k_heads, d]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "key",
            description: "The key: [batch, 1, num_k_heads, d]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "value",
            description: "The value: [batch, 1, num_v_heads, d]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "g",
            description: "The logarithm of the state's decay: [batch, 1, num_v_heads]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "beta",
            description: "The factor of the state's update: [batch, 1, num_v_heads]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "recurrent_state",
            description: "The state before the step: [batch, num_v_heads, d, d]",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "d",
            description: "Number of elements of a head, at least 1",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "num_k_heads",
            description: "Number of heads of `query` and `key`, which divides `num_v_heads`",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "num_v_heads",
            description: "Number of heads of `value`; consecutive ones share a head of `query` and `key`",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "scale",
            description: "The factor of `query`",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "use_qk_l2norm",
            description: "Whether `query` and `key` are first divided by their norm, sqrt(sum(x^2) + 1e-6)",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "attn_out",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.RecurrentGatedDeltaRule`: One step of linear attention by the gated delta rule.

The state, one matrix per head, becomes `s = exp(g) * s`, then `s = s + outer(key, beta * (value - s^T key))`; the result is `s^T (scale * query)`.*/
#[derive(Debug, Clone, PartialEq)]
pub struct RecurrentGatedDeltaRule<V> {
    /// The query: \[batch, 1, num_k_heads, d\].
    pub query: V,
    /// The key: \[batch, 1, num_k_heads, d\].
    pub key: V,
    /// The value: \[batch, 1, num_v_heads, d\].
    pub value: V,
    /// The logarithm of the state's decay: \[batch, 1, num_v_heads\].
    pub g: V,
    /// The factor of the state's update: \[batch, 1, num_v_heads\].
    pub beta: V,
    /// The state before the step: \[batch, num_v_heads, d, d\].
    pub recurrent_state: V,
    /// Number of elements of a head, at least 1.
    pub d: i64,
    /// Number of heads of `query` and `key`, which divides `num_v_heads`.
    pub num_k_heads: i64,
    /// Number of heads of `value`; consecutive ones share a head of `query` and `key`.
    pub num_v_heads: i64,
    /// The factor of `query`.
    pub scale: f64,
    /// Whether `query` and `key` are first divided by their norm, sqrt(sum(x^2) + 1e-6).
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
    description: "Along the sequence `h = deltaA * h + deltaB_u` and `y = Cs * h`; `us * Ds` is added if `Ds` is given. The first half of the channels is scanned forwards, the second half backwards; their number is even. The result is [length, channels, batch].",
    operands: &[
        ValueDef {
            name: "Cs",
            description: "The factors of the state in the result: [length, channels, 1, batch]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "deltaA",
            description: "The factors of the state at each step: [1, channels, length, batch]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "deltaB_u",
            description: "Added to the state at each step: [1, channels, length, batch]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "us",
            description: "The inputs, which only `Ds` uses: [length, channels, batch]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "Ds",
            description: "The factor of `us` in each channel: channels elements",
            arity: Arity::OrNone,
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
/**`top.SelectiveScan`: Scan of a state space model, forwards and backwards (VMamba).

Along the sequence `h = deltaA * h + deltaB_u` and `y = Cs * h`; `us * Ds` is added if `Ds` is given. The first half of the channels is scanned forwards, the second half backwards; their number is even. The result is \[length, channels, batch\].*/
#[derive(Debug, Clone, PartialEq)]
pub struct SelectiveScan<V> {
    /// The factors of the state in the result: \[length, channels, 1, batch\].
    pub Cs: V,
    /// The factors of the state at each step: \[1, channels, length, batch\].
    pub deltaA: V,
    /// Added to the state at each step: \[1, channels, length, batch\].
    pub deltaB_u: V,
    /// The inputs, which only `Ds` uses: \[length, channels, batch\].
    pub us: V,
    /// The factor of `us` in each channel: channels elements.
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
