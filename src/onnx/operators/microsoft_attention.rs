//! Attention of `com.microsoft`: with the projections before it, with a cache of keys and values, and with grouped heads.
use super::{
    Convert,
    attention::{
        Heads, MASKED, join_heads, rotated, rotated_value, scaled_scores, soft_capped, split_heads, spread_heads,
        weighted_values, with_past,
    },
    microsoft_quantized::dequantized,
    quantize::QuantizedOperand,
};
use crate::{
    Tensor,
    array::Array,
    base::{Dtype, Result, argument, invalid},
    emit::Emit,
    fold::known,
    import::Importer,
    node::{Node, known_int, table},
    ops::{CompareMode, MatMul, Min, Softmax},
    value::Value,
};

pub const OPERATORS: &[(&str, Convert)] = &[
    ("Attention", attention),
    ("GroupQueryAttention", group_query_attention),
    ("MultiHeadAttention", multi_head_attention),
    ("QAttention", quantized_attention),
    ("RotaryEmbedding", rotary_embedding),
];

/// What happens to the scores of queries and keys before they are normalized.
#[derive(Default)]
struct Scoring {
    /// 1 / sqrt(size of a head) without it.
    scale: Option<f64>,
    /// Bounds the scores by `cap * tanh(score / cap)`.
    cap: Option<f64>,
    /// What is added to the scores.
    masks: Vec<Tensor>,
    /// The score of an additional key that has no value, [1, heads, 1, 1].
    sink: Option<Tensor>,
}

impl Scoring {
    fn of(n: &Node) -> Scoring {
        Scoring {
            scale: n.float("scale").filter(|s| *s != 0.0),
            cap: n.float("softcap").filter(|c| *c != 0.0),
            ..Scoring::default()
        }
    }
}

/// `softmax(scale * Q K^T + masks) V`, with the heads joined.
fn attended(b: &mut Importer, heads: &Heads, scoring: Scoring) -> Result<Tensor> {
    let mut scores = scaled_scores(b, heads.query, heads.key, scoring.scale)?;
    if let Some(cap) = scoring.cap {
        scores = soft_capped(b, scores, cap)?;
    }
    for mask in scoring.masks {
        scores = b.add(scores, mask)?;
    }
    let weights = match scoring.sink {
        None => b.op(Softmax::new(scores, 3))?,
        Some(sink) => {
            let mut shape = b.shape(scores)?;
            let keys = std::mem::replace(&mut shape[3], 1);
            let sink = b.expand_to(sink, &shape)?;
            let all = b.concat(vec![scores, sink], 3)?;
            let all = b.op(Softmax::new(all, 3))?;
            b.slice(all, 3, 0, keys)?
        }
    };
    let made = weighted_values(b, weights, heads.value)?;
    join_heads(b, made)
}

/// What is added to the scores so that a query sees no later key, after `past` keys of earlier runs. As in onnxruntime, the last query
/// sees all keys, also if there are more of them than queries.
fn causal_mask(b: &mut Importer, length: usize, keys: usize, past: usize) -> Result<Tensor> {
    table(&[length, keys])?;
    let is_hidden = |i: usize, j: usize| i + 1 < length && j > past + i;
    let hidden = (0..length).flat_map(|i| (0..keys).map(move |j| if is_hidden(i, j) { MASKED } else { 0.0 }));
    b.coefficient(Array::from_f64s(Dtype::Float32, [1, 1, length, keys], hidden)?)
}

/// The numbers from 0 on, along an axis of four.
fn positions(b: &mut Importer, count: usize, axis: usize) -> Result<Tensor> {
    table(&[count])?;
    let mut shape = [1; 4];
    shape[axis] = count;
    b.coefficient(Array::from_f64s(Dtype::Float32, shape, (0..count).map(|j| j as f64))?)
}

/// What is added to the scores for a mask of the keys: [batch, keys] or with more axes, 1 where a key counts; or the numbers of keys
/// that count, [batch].
fn key_mask(b: &mut Importer, mask: &Value, batch: usize, keys: usize, filter: f64) -> Result<Tensor> {
    let shape = match mask.shape()[..] {
        [count] if count == batch => [batch, 1, 1, 1],
        [batch, keys] => [batch, 1, 1, keys],
        [batch, length, keys] => [batch, 1, length, keys],
        [batch, heads, length, keys] => [batch, heads, length, keys],
        _ => {
            let expected = "expected [batch], [batch, keys], [batch, length, keys] or 4 dimensions";
            return Err(argument("the shape of the mask", format!("{:?}", mask.shape()), expected));
        }
    };
    let tensor = b.float_tensor(mask)?;
    let tensor = b.reshape(tensor, &shape)?;
    let counts = if mask.rank() == 1 {
        let j = positions(b, keys, 3)?;
        b.compare(j, CompareMode::Less, tensor)?
    } else {
        b.compare_const(tensor, CompareMode::Greater, 0.0)?
    };
    let hidden = b.const_sub(1.0, counts)?;
    b.mul_const(hidden, filter)
}

/// What the scores depend on besides queries and keys.
#[derive(Clone, Copy)]
struct Masks<'v> {
    /// The keys that count.
    keys: Option<&'v Value>,
    /// Added to the scores.
    added: Option<&'v Value>,
    /// The number of keys of earlier runs, which come first.
    past: usize,
}

/// Returns what is added to the scores for the masks that are operands, and for the one that is an attribute.
fn masks(b: &mut Importer, n: &Node, of: Masks, heads: &Heads) -> Result<Vec<Tensor>> {
    let (batch, length, keys) = (b.size(heads.query, 0)?, b.size(heads.query, 2)?, b.size(heads.key, 2)?);
    let mut masks = Vec::new();
    if let Some(mask) = of.keys {
        masks.push(key_mask(b, mask, batch, keys, n.float_or("mask_filter_value", -10000.0))?);
    }
    masks.extend(b.optional_tensor(of.added)?);
    if n.flag("unidirectional") {
        masks.push(causal_mask(b, length, keys, of.past)?);
    }
    Ok(masks)
}

/// Refuses operands and results that change what the node computes, and are not supported.
fn refuse(n: &Node, inputs: &[usize], outputs: &[usize]) -> Result<()> {
    if let Some(at) = inputs.iter().find(|at| n.optional(**at).is_some()) {
        return Err(invalid(format!("its input {at} is not supported")));
    }
    match outputs.iter().find(|at| n.is_wanted(**at)) {
        Some(at) => Err(invalid(format!("its output {at} is not supported"))),
        None => Ok(()),
    }
}

/// Attention with its projection of query, keys and values.
fn attention<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    if n.flag("past_present_share_buffer") {
        return Err(argument("past_present_share_buffer", 1, "expected 0"));
    }
    let (input, weights) = (b.tensor(n.input(0)?)?, b.tensor(n.input(1)?)?);
    let bias = b.optional_tensor(n.optional(2))?;
    let projected = b.op(MatMul { bias, ..MatMul::new(input, weights) })?;
    let masks = Masks { keys: n.optional(3), added: n.optional(5), past: 0 };
    self_attention(b, n, projected, n.input(0)?.dtype(), n.optional(4), masks)
}

/// Attention whose projection multiplies quantized operands.
fn quantized_attention<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let input = dequantized(b, QuantizedOperand { x: n.input(0)?, scale: n.input(3)?, zero: n.optional(6) }, -1)?;
    let weights = dequantized(b, QuantizedOperand { x: n.input(1)?, scale: n.input(4)?, zero: n.optional(7) }, -1)?;
    let bias = b.optional_tensor(n.optional(2))?;
    let projected = b.op(MatMul { bias, ..MatMul::new(input, weights) })?;
    let masks = Masks { keys: n.optional(5), added: None, past: 0 };
    self_attention(b, n, projected, Dtype::Float32, n.optional(8), masks)
}

/// Attention of queries, keys and values that are projected together. `past` holds keys and values of earlier runs.
fn self_attention(
    b: &mut Importer,
    n: &Node,
    projected: Tensor,
    dtype: Dtype,
    past: Option<&Value>,
    of: Masks,
) -> Result<Vec<Value>> {
    if n.flag("do_rotary") {
        return Err(argument("do_rotary", 1, "rotary embeddings in this operator are not supported"));
    }
    let count = n.size("num_heads")?;
    let [_, _, width] = b.shape(projected)?[..] else { return Err(invalid("its operand must have 3 dimensions")) };
    let sizes = match n.ints("qkv_hidden_sizes").filter(|s| s.len() == 3) {
        Some(sizes) => sizes.iter().map(|&s| usize::try_from(s).unwrap_or(0)).collect(),
        None => vec![width / 3; 3],
    };
    if sizes.contains(&0) || sizes.iter().sum::<usize>() != width {
        return Err(argument("qkv_hidden_sizes", format!("{sizes:?}"), format!("they must add up to {width}")));
    }
    let [query, key, value] = parts(b, projected, &sizes)?[..] else { return Err(invalid("it has three parts")) };
    let query = split_heads(b, query, count)?;
    let (mut key, mut value) = (split_heads(b, key, count)?, split_heads(b, value, count)?);
    let new = b.size(key, 2)?;
    if let Some(past) = past {
        if past.rank() != 5 {
            return Err(argument("the rank of its past", past.rank(), "expected 5: [2, batch, heads, length, size]"));
        }
        let past = b.tensor(past)?;
        let past = b.steps(past, 2)?;
        (key, value) = (b.concat(vec![past[0], key], 2)?, b.concat(vec![past[1], value], 2)?);
    }
    let heads = Heads { query, key, value };
    let past = b.size(key, 2)? - new;
    let scoring = Scoring { masks: masks(b, n, Masks { past, ..of }, &heads)?, ..Scoring::of(n) };
    let made = attended(b, &heads, scoring)?;
    let mut results = vec![b.value(made, dtype)?];
    if n.is_wanted(1) {
        let shape = [&[1], &b.shape(key)?[..]].concat();
        let (key, value) = (b.reshape(key, &shape)?, b.reshape(value, &shape)?);
        let present = b.concat(vec![key, value], 0)?;
        results.push(b.value(present, dtype)?);
    }
    Ok(results)
}

/// Splits the last axis into parts of these sizes.
fn parts(b: &mut Importer, x: Tensor, sizes: &[usize]) -> Result<Vec<Tensor>> {
    let axis = b.rank(x)?.saturating_sub(1);
    let mut start = 0;
    let mut part = |size: &usize| {
        start += size;
        b.slice(x, axis, start - size, *size)
    };
    sizes.iter().map(&mut part).collect()
}

/// Splits [batch, length, heads, parts, size] along its fourth axis into tensors of [batch, length, heads * size].
fn unpacked(b: &mut Importer, x: &Value, count: usize) -> Result<Vec<Tensor>> {
    let [batch, length, heads, packed, size] = x.shape()[..] else {
        return Err(argument("the shape of packed operands", format!("{:?}", x.shape()), "expected 5 dimensions"));
    };
    if packed != count {
        return Err(argument("the number of packed operands", packed, format!("expected {count}")));
    }
    let tensor = b.tensor(x)?;
    let mut all = Vec::new();
    for i in 0..count {
        let part = b.slice(tensor, 3, i, 1)?;
        all.push(b.reshape(part, &[batch, length, heads * size])?);
    }
    Ok(all)
}

/// Attention of projected operands, or of one that holds all three.
fn multi_head_attention<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    refuse(n, &[8, 9], &[3])?;
    let (q, count) = (n.input(0)?, n.size("num_heads")?);
    let [query, key, value] = match (n.optional(1), n.optional(2)) {
        (None, _) => unpacked(b, q, 3)?[..].try_into().map_err(|_| invalid("it has three operands"))?,
        (Some(k), None) => {
            let packed = unpacked(b, k, 2)?;
            [b.tensor(q)?, packed[0], packed[1]]
        }
        (Some(k), Some(v)) => [b.tensor(q)?, b.tensor(k)?, b.tensor(v)?],
    };
    let hidden = b.shape(query)?.last().copied().unwrap_or(1);
    let bias = b.optional_tensor(n.optional(3))?;
    // In cross-attention, keys and values may come with their heads already split.
    let apart = |b: &mut Importer<'m>, x: Tensor, start: usize| -> Result<Tensor> {
        if b.rank(x)? == 4 {
            return Ok(x);
        }
        let x = match bias {
            Some(bias) => {
                let width = b.shape(x)?.last().copied().unwrap_or(1);
                let own = b.slice(bias, 0, start, width)?;
                b.add(x, own)?
            }
            None => x,
        };
        split_heads(b, x, count)
    };
    let query = apart(b, query, 0)?;
    let (key, value) = (apart(b, key, hidden)?, apart(b, value, 2 * hidden)?);
    let new = b.size(key, 2)?;
    let (key, value) = (with_past(b, n.optional(6), key)?, with_past(b, n.optional(7), value)?);
    let heads = Heads { query, key, value };
    let of = Masks { keys: n.optional(4), added: n.optional(5), past: b.size(key, 2)? - new };
    let scoring = Scoring { masks: masks(b, n, of, &heads)?, ..Scoring::of(n) };
    let made = attended(b, &heads, scoring)?;
    let mut results = vec![b.value(made, q.dtype())?, b.value(key, q.dtype())?, b.value(value, q.dtype())?];
    results.truncate(n.outputs());
    Ok(results)
}

/// Attention whose queries share keys and values in groups, with a cache that may be longer than the keys it holds.
fn group_query_attention<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    refuse(n, &[12, 13], &[3])?;
    let q = n.input(0)?;
    let (count, kv_count) = (n.size("num_heads")?, n.size("kv_num_heads")?);
    let [batch, length, width] = q.shape()[..] else { return Err(invalid("its query must have 3 dimensions")) };
    let query = b.tensor(q)?;
    let [query, key, value] = match (n.optional(1), n.optional(2)) {
        (Some(k), Some(v)) => [query, b.tensor(k)?, b.tensor(v)?],
        (None, None) => {
            let heads = kv_count.saturating_mul(2).saturating_add(count);
            if !width.is_multiple_of(heads) {
                return Err(argument("the number of heads", heads, format!("it must divide {width}")));
            }
            let size = width / heads;
            let all = parts(b, query, &[count * size, kv_count * size, kv_count * size])?;
            all.try_into().map_err(|_| invalid("it has three operands"))?
        }
        _ => return Err(invalid("it has a key or a value, but not both")),
    };
    let cache = Cache::of(b, n, batch, length)?;
    let (query, key) = match n.flag("do_rotary") {
        true => {
            let at = cache.positions(b, n)?;
            (rotated_heads(b, n, query, count, at)?, rotated_heads(b, n, key, kv_count, at)?)
        }
        false => (split_heads(b, query, count)?, split_heads(b, key, kv_count)?),
    };
    let value = split_heads(b, value, kv_count)?;
    let (key, value) = (cache.extended(b, n.optional(3), key)?, cache.extended(b, n.optional(4), value)?);
    let mut scoring = Scoring::of(n);
    scoring.masks.push(cache.mask(b, n)?);
    if let Some(bias) = n.optional(10) {
        // It may be longer than there are keys.
        let tensor = b.tensor(bias)?;
        let known = b.size(tensor, 3)?.min(cache.keys);
        let bias = b.slice(tensor, 3, 0, known)?;
        scoring.masks.push(b.pad_axis(bias, 3, 0, cache.keys - known)?);
    }
    scoring.sink = match b.optional_tensor(n.optional(11))? {
        Some(sink) => Some(b.reshape(sink, &[1, count, 1, 1])?),
        None if n.int_or("smooth_softmax", 0) > 0 => Some(b.filled(0.0, Dtype::Float32, &[1, 1, 1, 1])?),
        None => None,
    };
    let made = attended(b, &Heads { query, key, value }, scoring)?;
    let mut results = vec![b.value(made, q.dtype())?, b.value(key, q.dtype())?, b.value(value, q.dtype())?];
    results.truncate(n.outputs());
    Ok(results)
}

/// Rotates queries or keys by their positions, and splits them into heads, [batch, heads, length, size].
fn rotated_heads(b: &mut Importer, n: &Node, x: Tensor, count: usize, at: Tensor) -> Result<Tensor> {
    let tables = [b.tensor(n.input(7)?)?, b.tensor(n.input(8)?)?];
    // The rest of a head is not rotated.
    let pairs = n.input(7)?.shape().last().copied().unwrap_or(1);
    let spread = spread_heads(b, x, count)?;
    let made = rotated(b, spread, tables, Some(at), 2 * pairs, n.flag("rotary_interleaved"))?;
    b.permute(made, &[0, 2, 1, 3])
}

/// A cache of keys or values, and where the new ones belong.
struct Cache {
    batch: usize,
    /// The number of new keys.
    length: usize,
    /// The length of the cache after this run, including places that hold no key yet.
    keys: usize,
    /// The position of the first new key of each sample, [batch, 1, 1, 1].
    first: Value,
}

impl Cache {
    fn of(b: &mut Importer, n: &Node, batch: usize, length: usize) -> Result<Cache> {
        let total = known_int(n.input(6)?, "total_sequence_length")?;
        let total = usize::try_from(total)
            .ok()
            .filter(|t| *t >= length)
            .ok_or_else(|| argument("total_sequence_length", total, format!("there are {length} new keys")))?;
        let past = |at: usize| n.optional(at).map_or(0, |past| past.shape().get(2).copied().unwrap_or(0));
        if past(3) != past(4) {
            return Err(argument("the length of past_value", past(4), format!("that of past_key is {}", past(3))));
        }
        let past = past(3);
        let keys = total.max(past);
        table(&[batch, length, keys])?;
        // `seqlens_k` is the position of each sample's last key. In the first run samples are padded at the end, and their keys start
        // at 0.
        let last = n.input(5)?;
        let first = match total == length {
            true => Value::constant(Array::filled(Dtype::Float32, [batch, 1, 1, 1], 0.0)?),
            false => known(b, &[last], |b, values| {
                let position = b.float_tensor(&values[0])?;
                let position = b.add_const(position, 1.0 - length as f64)?;
                let position = b.reshape(position, &[batch, 1, 1, 1])?;
                b.value(position, Dtype::Float32)
            })?,
        };
        Ok(Cache { batch, length, keys, first })
    }

    /// Returns the positions of the new keys, [batch, length].
    fn positions(&self, b: &mut Importer, n: &Node) -> Result<Tensor> {
        let at = match n.optional(9) {
            Some(given) => given.clone(),
            None => known(b, &[&self.first], |b, values| {
                let first = b.tensor(&values[0])?;
                let new = positions(b, self.length, 3)?;
                let at = b.add(first, new)?;
                let at = b.reshape(at, &[self.batch, self.length])?;
                let at = super::cast::truncated_to(b, at, Dtype::Int32)?;
                b.value(at, Dtype::Int32)
            })?,
        };
        b.tensor(&at)
    }

    /// Adds new keys or values, [batch, heads, length, size], to those of earlier runs.
    fn extended(&self, b: &mut Importer, past: Option<&Value>, new: Tensor) -> Result<Tensor> {
        if let Some(first) = self.known_first()? {
            let known = match past.filter(|_| first > 0) {
                Some(past) => {
                    let past = b.tensor(past)?;
                    let size = b.size(past, 2)?;
                    if first > size {
                        let expected = format!("there are {size} past keys, and {} new ones", self.length);
                        return Err(argument("seqlens_k", first + self.length - 1, expected));
                    }
                    let past = b.slice(past, 2, 0, first)?;
                    b.concat(vec![past, new], 2)?
                }
                None => new,
            };
            let count = b.size(known, 2)?;
            return b.pad_axis(known, 2, 0, self.keys.saturating_sub(count));
        }
        // Each sample has its own number of keys: the new ones are moved to their places by a product.
        let first = b.tensor(&self.first)?;
        let (j, i) = (positions(b, self.keys, 2)?, positions(b, self.length, 3)?);
        let target = b.add(i, first)?;
        let places = b.compare(j, CompareMode::Equal, target)?;
        let moved = b.matmul(places, new)?;
        let Some(past) = past else { return Ok(moved) };
        let past = b.tensor(past)?;
        let size = b.size(past, 2)?;
        let past = b.pad_axis(past, 2, 0, self.keys.saturating_sub(size))?;
        let is_past = b.compare(j, CompareMode::Less, first)?;
        let kept = b.mul(past, is_past)?;
        b.add(kept, moved)
    }

    /// Returns the position of the first new key, if it is known and the same for all samples.
    fn known_first(&self) -> Result<Option<usize>> {
        let Some(array) = self.first.as_constant() else { return Ok(None) };
        let all = array.to_f64()?;
        let first = all.first().copied().unwrap_or(0.0);
        let is_valid = (0.0..=(self.keys - self.length) as f64).contains(&first);
        Ok((is_valid && all.iter().all(|v| *v == first)).then_some(first as usize))
    }

    /// What is added to the scores of keys that a query does not see: later ones, and those before its window.
    fn mask(&self, b: &mut Importer, n: &Node) -> Result<Tensor> {
        let window = n.int_or("local_window_size", -1);
        let mask = known(b, &[&self.first], |b, values| {
            let first = b.tensor(&values[0])?;
            let (i, j) = (positions(b, self.length, 2)?, positions(b, self.keys, 3)?);
            let at = b.add(i, first)?;
            let mut seen = b.compare(j, CompareMode::LessOrEqual, at)?;
            if window > 0 {
                let start = b.add_const(at, -(window as f64))?;
                let is_near = b.compare(j, CompareMode::Greater, start)?;
                seen = b.op(Min::new(vec![seen, is_near]))?;
            }
            let hidden = b.const_sub(1.0, seen)?;
            let mask = b.mul_const(hidden, MASKED)?;
            b.value(mask, Dtype::Float32)
        })?;
        b.tensor(&mask)
    }
}

/// Like ONNX's, with its operands in another order.
fn rotary_embedding<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, positions) = (n.input(0)?, n.input(1)?);
    let tables = [b.tensor(n.input(2)?)?, b.tensor(n.input(3)?)?];
    let pairs = n.input(2)?.shape().last().copied().unwrap_or(1);
    let width = x.shape().last().copied().unwrap_or(1);
    let heads = usize::try_from(n.int_or("num_heads", 0)).ok().filter(|h| *h > 0);
    let heads = heads.unwrap_or(width / (2 * pairs).max(1));
    let mut at = b.tensor(positions)?;
    if positions.elements() == 1 {
        // The position of the first element.
        let length = x.shape().get(if x.rank() == 4 { 2 } else { 1 }).copied().unwrap_or(1);
        let all = b.coefficient(Array::from_f64s(Dtype::Int32, [1, length], (0..length).map(|i| i as f64))?)?;
        let first = b.reshape(at, &[1, 1])?;
        at = b.add(all, first)?;
    }
    rotated_value(b, n, heads, tables, Some(at))
}
