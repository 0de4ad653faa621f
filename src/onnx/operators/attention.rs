//! Attention, and rotary position embeddings.
use super::Convert;
use crate::{
    Tensor,
    array::Array,
    base::{Dtype, Result, Shape, argument, invalid},
    emit::Emit,
    import::{Importer, broadcast},
    node::{Node, table},
    ops::{CompareMode, Gather, Min, Softmax, Tanh},
    value::Value,
};

pub const OPERATORS: &[(&str, Convert)] = &[("Attention", attention), ("RotaryEmbedding", rotary_embedding)];

/// Operators that may still change.
pub const PREVIEW: &[(&str, Convert)] = &[("FlexAttention", flex_attention)];

/// Added to scores that are masked. It vanishes beside every other score, and keeps a row without any from becoming NaN.
pub const MASKED: f64 = -1e30;

/// Query, key and value as [batch, heads, length, size].
pub struct Heads {
    pub query: Tensor,
    pub key: Tensor,
    pub value: Tensor,
}

/// Splits the last axis of [batch, length, heads * size] into heads, which are moved to the front: [batch, heads, length, size].
pub fn split_heads(b: &mut Importer, x: Tensor, heads: usize) -> Result<Tensor> {
    let spread = spread_heads(b, x, heads)?;
    b.permute(spread, &[0, 2, 1, 3])
}

/// Splits the last axis of [batch, length, heads * size] into heads: [batch, length, heads, size].
pub fn spread_heads(b: &mut Importer, x: Tensor, heads: usize) -> Result<Tensor> {
    let shape = b.shape(x)?;
    let [batch, length, width] = shape[..] else {
        return Err(argument("the number of dimensions", shape.len(), "expected 3"));
    };
    if heads == 0 || !width.is_multiple_of(heads) {
        return Err(argument("the number of heads", heads, format!("it must divide {width}")));
    }
    b.reshape(x, &[batch, length, heads, width / heads])
}

/// Joins [batch, heads, length, size] to [batch, length, heads * size].
pub fn join_heads(b: &mut Importer, x: Tensor) -> Result<Tensor> {
    let shape = b.shape(x)?;
    let moved = b.permute(x, &[0, 2, 1, 3])?;
    b.reshape(moved, &[shape[0], shape[2], shape[1] * shape[3]])
}

/// Gives keys or values as many heads as the query has: each is used by several in a row.
pub fn repeat_heads(b: &mut Importer, x: Tensor, heads: usize) -> Result<Tensor> {
    let shape = b.shape(x)?;
    let [batch, own, length, size] = shape[..] else { return Err(invalid("keys and values must have 4 dimensions")) };
    if own == heads {
        return Ok(x);
    }
    if own == 0 || !heads.is_multiple_of(own) {
        return Err(argument("the number of heads of keys", own, format!("it must divide {heads}, that of the query")));
    }
    let each = b.reshape(x, &[batch, own, 1, length, size])?;
    let all = b.expand_to(each, &[batch, own, heads / own, length, size])?;
    b.reshape(all, &[batch, heads, length, size])
}

/// `scale * Q K^T`, where each key may be that of several heads. Without a scale it is 1 / sqrt(size of a head).
pub fn scaled_scores(b: &mut Importer, query: Tensor, key: Tensor, scale: Option<f64>) -> Result<Tensor> {
    let (count, size) = (b.size(query, 1)?, b.size(query, 3)?);
    let key = repeat_heads(b, key, count)?;
    let transposed = b.transposed(key)?;
    let scores = b.matmul(query, transposed)?;
    b.mul_const(scores, scale.unwrap_or(1.0 / (size as f64).sqrt()))
}

/// `weights V`, where each value may be that of several heads.
pub fn weighted_values(b: &mut Importer, weights: Tensor, value: Tensor) -> Result<Tensor> {
    let count = b.size(weights, 1)?;
    let value = repeat_heads(b, value, count)?;
    b.matmul(weights, value)
}

/// Puts the keys or values of earlier runs, if there are any, before new ones.
pub fn with_past(b: &mut Importer, past: Option<&Value>, new: Tensor) -> Result<Tensor> {
    let Some(past) = past else { return Ok(new) };
    let past = b.tensor(past)?;
    b.concat(vec![past, new], 2)
}

/// The operands with their heads apart, and whether they are joined in the file.
fn heads(b: &mut Importer, n: &Node) -> Result<(Heads, bool)> {
    let (q, k, v) = (n.input(0)?, n.input(1)?, n.input(2)?);
    let [query, key, value] = b.tensors(&[q, k, v])?[..] else { return Err(invalid("it has three operands")) };
    if q.rank() == 4 {
        return Ok((Heads { query, key, value }, false));
    }
    let (of_query, of_key) = (n.size("q_num_heads")?, n.size("kv_num_heads")?);
    let query = split_heads(b, query, of_query)?;
    let (key, value) = (split_heads(b, key, of_key)?, split_heads(b, value, of_key)?);
    Ok((Heads { query, key, value }, true))
}

fn attention<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let dtype = n.input(0)?.dtype();
    let (Heads { query, key: new_key, value: new_value }, are_joined) = heads(b, n)?;
    let (key, value) = (with_past(b, n.optional(4), new_key)?, with_past(b, n.optional(5), new_value)?);
    let (length, keys) = (b.size(query, 2)?, b.size(value, 2)?);
    let past = keys - b.size(new_value, 2)?;
    let raw = scaled_scores(b, query, key, n.float("scale"))?;
    let softcap = n.float_or("softcap", 0.0);
    let capped = if softcap == 0.0 { raw } else { soft_capped(b, raw, softcap)? };
    let allowed = visible(b, n, past, length, keys)?;
    let (masked, allowed) = masked(b, n, capped, allowed, keys)?;
    let mut weights = b.op(Softmax::new(masked, 3))?;
    if let Some(allowed) = allowed {
        // A query that sees no key gets zeros.
        let any = b.reduce(allowed, &[3], crate::ops::ReduceMode::ReduceMax)?;
        weights = b.mul(weights, any)?;
    }
    let y = weighted_values(b, weights, value)?;
    let y = if are_joined { join_heads(b, y)? } else { y };
    let mut results = vec![b.value(y, dtype)?];
    results.push(b.value(key, dtype)?);
    results.push(b.value(value, dtype)?);
    // Masked scores are infinite in ONNX.
    results.push(match n.int_or("qk_matmul_output_mode", 0) {
        0 => b.value(raw, dtype)?,
        1 => b.value(capped, dtype)?,
        2 => {
            let is_low = b.compare_const(masked, CompareMode::Less, MASKED / 2.0)?;
            let infinite = b.op(crate::ops::Where {
                fbrn: Some(masked),
                x_is_const: true,
                x_const_val: f64::NEG_INFINITY,
                ..crate::ops::Where::new(is_low)
            })?;
            b.value(infinite, dtype)?
        }
        _ => b.value(weights, dtype)?,
    });
    results.truncate(n.outputs());
    Ok(results)
}

/// Attention of operands with their heads apart, whose scores and weights are changed by graphs of the node.
fn flex_attention<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let dtype = n.input(0)?.dtype();
    let (Heads { query, key, value }, _) = heads(b, n)?;
    let scores = scaled_scores(b, query, key, n.float("scale"))?;
    let scores = modified(b, n, "score_mod", scores)?;
    let weights = b.op(Softmax::new(scores, 3))?;
    let weights = modified(b, n, "prob_mod", weights)?;
    let y = weighted_values(b, weights, value)?;
    Ok(vec![b.value(y, dtype)?])
}

/// Applies the graph that an attribute holds to a tensor.
fn modified<'m>(b: &mut Importer<'m>, n: &Node<'m>, name: &str, x: Tensor) -> Result<Tensor> {
    let Some(graph) = n.graph(name) else { return Ok(x) };
    let x = b.value(x, Dtype::Float32)?;
    match &b.subgraph(graph, &[x])?[..] {
        [result] => b.float_tensor(result),
        many => Err(argument(name, format!("{} results", many.len()), "expected one")),
    }
}

/// `cap * tanh(x / cap)`
pub fn soft_capped(b: &mut Importer, x: Tensor, cap: f64) -> Result<Tensor> {
    let scaled = b.mul_const(x, 1.0 / cap)?;
    let bounded = b.op(Tanh::new(scaled))?;
    b.mul_const(bounded, cap)
}

/// 1 where a query may see a key, by their positions; `None` if all may.
fn visible(b: &mut Importer, n: &Node, past: usize, length: usize, keys: usize) -> Result<Option<Tensor>> {
    let causal = n.flag("is_causal");
    let (left, right) = (n.int_or("left_window_size", -1), n.int_or("right_window_size", -1));
    let right = if causal { if right < 0 { 0 } else { right.min(0) } } else { right };
    let lengths = n.optional(6);
    if left < 0 && right < 0 && lengths.is_none() {
        return Ok(None);
    }
    table(&[length, keys])?;
    let Some(lengths) = lengths else {
        let sees = |i: i64, j: i64| {
            let at = i + past as i64;
            f64::from(u8::from((right < 0 || j <= at.saturating_add(right)) && (left < 0 || j >= at - left)))
        };
        let all = (0..length as i64).flat_map(|i| (0..keys as i64).map(move |j| (i, j))).map(|(i, j)| sees(i, j));
        let mask = Array::from_f64s(Dtype::Float32, [1, 1, length, keys], all)?;
        return b.coefficient(mask).map(Some);
    };
    // Positions depend on the number of keys of each sample.
    let batch = lengths.elements();
    let lengths = b.float_tensor(lengths)?;
    let lengths = b.reshape(lengths, &[batch, 1, 1, 1])?;
    let numbers = |count: usize| (0..count).map(|i| i as f64);
    let j = b.coefficient(Array::from_f64s(Dtype::Float32, [1, 1, 1, keys], numbers(keys))?)?;
    let mut allowed = b.compare(j, CompareMode::Less, lengths)?;
    if left >= 0 || right >= 0 {
        let i = b.coefficient(Array::from_f64s(Dtype::Float32, [1, 1, length, 1], numbers(length))?)?;
        let offset = b.add_const(lengths, -(length as f64))?;
        let at = b.add(i, offset)?;
        if right >= 0 {
            let last = b.add_const(at, right as f64)?;
            let before = b.compare(j, CompareMode::LessOrEqual, last)?;
            allowed = b.op(Min::new(vec![allowed, before]))?;
        }
        if left >= 0 {
            let first = b.add_const(at, -(left as f64))?;
            let after = b.compare(j, CompareMode::GreaterOrEqual, first)?;
            allowed = b.op(Min::new(vec![allowed, after]))?;
        }
    }
    Ok(Some(allowed))
}

/// Adds the mask of the node and that of the positions. Returns the scores, and 1 where a key is seen if some query may see none.
fn masked(
    b: &mut Importer,
    n: &Node,
    scores: Tensor,
    visible: Option<Tensor>,
    keys: usize,
) -> Result<(Tensor, Option<Tensor>)> {
    let mut scores = scores;
    let mut allowed = visible;
    if let Some(mask) = n.optional(3) {
        let tensor = b.tensor(mask)?;
        let shape = mask.shape();
        let last = shape.last().copied().unwrap_or(1);
        if mask.dtype() == Dtype::Bool {
            let tensor = b.real(tensor)?;
            let tensor =
                if last < keys && last > 1 { b.pad_axis(tensor, shape.len() - 1, 0, keys - last)? } else { tensor };
            let tensor = with_rank(b, tensor, 4)?;
            allowed = Some(match allowed {
                Some(other) => b.op(Min::new(vec![other, tensor]))?,
                None => tensor,
            });
        } else {
            let tensor = with_rank(b, tensor, 4)?;
            let tensor = if last < keys && last > 1 {
                let mut paddings = vec![0; 8];
                paddings[7] = (keys - last) as i64;
                b.op(crate::ops::Pad {
                    val: MASKED,
                    ..crate::ops::Pad::new(tensor, crate::ops::PadMode::Constant, paddings)
                })?
            } else {
                tensor
            };
            // Minus infinity would make NaN of a row that it fills.
            let finite = b.op(crate::ops::MaxConst::new(tensor, MASKED))?;
            scores = b.add(scores, finite)?;
        }
    }
    if let Some(allowed) = allowed {
        let shape = broadcast(&[b.shape(allowed)?, b.shape(scores)?])?;
        let allowed = b.expand_to(allowed, &shape)?;
        scores = b.select_or(allowed, scores, MASKED)?;
        return Ok((scores, Some(allowed)));
    }
    Ok((scores, allowed))
}

/// Adds axes of size 1 in front.
pub fn with_rank(b: &mut Importer, x: Tensor, rank: usize) -> Result<Tensor> {
    let mut shape: Shape = b.shape(x)?;
    while shape.len() < rank {
        shape.insert(0, 1);
    }
    b.reshape(x, &shape)
}

fn rotary_embedding<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let tables = [b.tensor(n.input(1)?)?, b.tensor(n.input(2)?)?];
    let positions = b.optional_tensor(n.optional(3))?;
    let heads = usize::try_from(n.int_or("num_heads", 0)).unwrap_or(0);
    rotated_value(b, n, heads, tables, positions)
}

/// Rotates the first operand of a rotary embedding: [batch, heads, length, size], or [batch, length, heads * size].
pub fn rotated_value(
    b: &mut Importer,
    n: &Node,
    heads: usize,
    tables: [Tensor; 2],
    positions: Option<Tensor>,
) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let tensor = b.tensor(x)?;
    let spread = if x.rank() == 4 { b.permute(tensor, &[0, 2, 1, 3])? } else { spread_heads(b, tensor, heads)? };
    let dim = usize::try_from(n.int_or("rotary_embedding_dim", 0)).unwrap_or(usize::MAX);
    let rotated = rotated(b, spread, tables, positions, dim, n.flag("interleaved"))?;
    let made = if x.rank() == 4 { b.permute(rotated, &[0, 2, 1, 3])? } else { b.reshape(rotated, &x.shape())? };
    Ok(vec![b.value_like(made, x)?])
}

/// Rotates pairs of elements of [batch, length, heads, size] by the angles of their positions. The tables of cosines and sines are
/// [positions, pairs], or [batch, length, pairs] without positions. Only the first `dim` elements are rotated, if that is not 0.
pub fn rotated(
    b: &mut Importer,
    x: Tensor,
    tables: [Tensor; 2],
    positions: Option<Tensor>,
    dim: usize,
    interleaved: bool,
) -> Result<Tensor> {
    let shape = b.shape(x)?;
    let (length, size) = (shape[1], shape[3]);
    let dim = if dim == 0 { size } else { dim };
    if dim > size || !dim.is_multiple_of(2) {
        return Err(argument("rotary_embedding_dim", dim, format!("expected an even number of at most {size}")));
    }
    let pairs = dim / 2;
    let mut angles = Vec::new();
    for table in tables {
        let table = match positions {
            Some(positions) => b.op(Gather { axis: 0, ..Gather::new(table, positions) })?,
            None => table,
        };
        let shape = b.shape(table)?;
        let known = shape.last().copied().unwrap_or(1);
        if known < pairs {
            return Err(argument("the number of angles", known, format!("{dim} elements have {pairs} pairs")));
        }
        let table = b.slice(table, shape.len() - 1, 0, pairs)?;
        let of = b.shape(table)?;
        let batch = of.iter().product::<usize>() / (length * pairs).max(1);
        angles.push(b.reshape(table, &[batch.max(1), length, 1, pairs])?);
    }
    let (cos, sin) = (angles[0], angles[1]);
    let turned = b.slice(x, 3, 0, dim)?;
    let (first, second) = match interleaved {
        true => (b.strided(turned, 3, 0, pairs, 2)?, b.strided(turned, 3, 1, pairs, 2)?),
        false => (b.slice(turned, 3, 0, pairs)?, b.slice(turned, 3, pairs, pairs)?),
    };
    let (first_cos, second_sin) = (b.mul(first, cos)?, b.mul(second, sin)?);
    let (first_sin, second_cos) = (b.mul(first, sin)?, b.mul(second, cos)?);
    let (left, right) = (b.sub(first_cos, second_sin)?, b.add(first_sin, second_cos)?);
    let turned = if interleaved {
        let column = [shape[0], length, shape[2], pairs, 1];
        let (left, right) = (b.reshape(left, &column)?, b.reshape(right, &column)?);
        let both = b.concat(vec![left, right], 4)?;
        b.reshape(both, &[shape[0], length, shape[2], dim])?
    } else {
        b.concat(vec![left, right], 3)?
    };
    if dim == size {
        return Ok(turned);
    }
    let rest = b.slice(x, 3, dim, size - dim)?;
    b.concat(vec![turned, rest], 3)
}
