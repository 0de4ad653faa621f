//! Gradients of attention and position embeddings, written out as products and softmax.
use super::backward::{Backward, Output};
use crate::{
    Tensor,
    base::Result,
    emit::Emit,
    ops::{
        Attention, FAttention, FAttentionLse, FlexAttention, ReduceMode, Rope, RopeMode, ScaleDotProductAttention,
        Trilu,
    },
};

/// Added to scores that a causal mask hides.
const HIDDEN: f64 = -1e30;

/// Hides the keys after the query, which is `offset` keys further than its own number.
fn causal(b: &mut Backward, scores: Tensor, offset: i64) -> Result<Tensor> {
    let shape = b.shape(scores)?;
    let ones = b.filled(1.0, b.dtype(scores)?, &shape[shape.len() - 2..])?;
    let visible = b.op(Trilu::new(ones, offset, 0))?;
    b.select_or(visible, scores, HIDDEN)
}

/// `softmax(scores) V`
fn weighted(b: &mut Backward, scores: Tensor, values: Tensor) -> Result<Tensor> {
    let last = b.rank(scores)? - 1;
    let weights = b.softmax(scores, last)?;
    b.matmul(weights, values)
}

/// `scale * Q K^T`
fn scores(b: &mut Backward, queries: Tensor, keys: Tensor, scale: f64) -> Result<Tensor> {
    let queries = b.mul_const(queries, scale)?;
    let keys = b.transposed(keys)?;
    b.matmul(queries, keys)
}

pub(super) fn scaled_dot_product(b: &mut Backward, op: &ScaleDotProductAttention<Tensor>, o: Output) -> Result<()> {
    let elements = b.shape(op.query)?.last().copied().unwrap_or(1);
    let is_given = op.scale != 0.0 && op.scale.is_finite();
    let scale = if is_given { op.scale } else { (elements as f64).sqrt().recip() };
    b.expand(&[Some(o)], |b| {
        let mut s = scores(b, op.query, op.key, scale)?;
        if let Some(mask) = op.mask {
            s = b.add(s, mask)?;
        }
        if op.is_causal {
            s = causal(b, s, 0)?;
        }
        Ok(vec![weighted(b, s, op.value)?])
    })
}

/// The operands of attention in the order batch, row, head, element.
struct Flash {
    operands: [Tensor; 3],
    mask: Option<Tensor>,
    is_causal: bool,
    scale: f64,
    has_logs: bool,
}

/// The results are the output and, if asked for, the logarithms of the sums that the softmax divides by.
fn flash(b: &mut Backward, op: &Flash, o: &[Option<Output>], results: &[Tensor]) -> Result<()> {
    let [q, k, v] = op.operands;
    let (queries, keys) = (b.shape(q)?, b.shape(k)?);
    let shapes = results.iter().map(|t| b.shape(*t)).collect::<Result<Vec<_>>>()?;
    b.expand(o, |b| {
        let q = b.swap_axes(q, 1, 2)?;
        let [k, v] = [shared_heads(b, k, queries[2])?, shared_heads(b, v, queries[2])?];
        let mut s = scores(b, q, k, op.scale)?;
        match op.mask {
            Some(_) if op.is_causal => s = causal(b, s, keys[1] as i64 - queries[1] as i64)?,
            Some(mask) => {
                let count: usize = b.shape(mask)?.iter().product();
                let batch = count / (queries[1] * keys[1]);
                let mask = b.reshape(mask, &[batch, 1, queries[1], keys[1]])?;
                s = b.add(s, mask)?;
            }
            None => {}
        }
        let y = weighted(b, s, v)?;
        let y = b.swap_axes(y, 1, 2)?;
        let mut made = vec![b.reshape(y, &shapes[0])?];
        if op.has_logs && shapes.len() > 1 {
            let logs = log_sum(b, s)?;
            let logs = b.swap_axes(logs, 1, 2)?;
            made.push(b.reshape(logs, &shapes[1])?);
        }
        Ok(made)
    })
}

/// `[batch, row, kv head, element] -> [batch, head, row, element]`; each head of keys or values serves several heads of queries.
fn shared_heads(b: &mut Backward, x: Tensor, heads: usize) -> Result<Tensor> {
    let x = b.swap_axes(x, 1, 2)?;
    let shape = b.shape(x)?;
    let [batch, shared, rows, elements] = [shape[0], shape[1], shape[2], shape[3]];
    let x = b.reshape(x, &[batch, shared, 1, rows, elements])?;
    let x = b.expand_to(x, &[batch, shared, heads / shared, rows, elements])?;
    b.reshape(x, &[batch, heads, rows, elements])
}

/// The logarithm of the sum of the exponentials over the last axis, whose size becomes 1.
fn log_sum(b: &mut Backward, x: Tensor) -> Result<Tensor> {
    let last = [b.rank(x)? - 1];
    let largest = b.reduce(x, &last, ReduceMode::ReduceMax)?;
    let rest = b.sub(x, largest)?;
    let powers = b.exp(rest)?;
    let sum = b.sum(powers, &last)?;
    let log = b.log(sum)?;
    b.add(log, largest)
}

pub(super) fn f_attention(b: &mut Backward, op: &FAttention<Tensor>, o: Output) -> Result<()> {
    let operands = [op.queries, op.keys, op.values];
    let is_causal = op.mask_size != 0;
    let flash_op = Flash { operands, mask: op.mask, is_causal, scale: op.scale, has_logs: false };
    flash(b, &flash_op, &[Some(o)], &[o.y])
}

pub(super) fn f_attention_lse(
    b: &mut Backward,
    op: &FAttentionLse<Tensor>,
    o: &[Option<Output>],
    results: &[Tensor],
) -> Result<()> {
    let operands = [op.queries, op.keys, op.values];
    let is_causal = op.mask_size != 0;
    flash(b, &Flash { operands, mask: op.mask, is_causal, scale: op.scale, has_logs: true }, o, results)
}

pub(super) fn flex_attention(
    b: &mut Backward,
    op: &FlexAttention<Tensor>,
    o: &[Option<Output>],
    results: &[Tensor],
) -> Result<()> {
    let operands = [op.queries, op.keys, op.values];
    let is_causal = op.mask_size != 0;
    flash(b, &Flash { operands, mask: op.mask, is_causal, scale: op.scale, has_logs: op.has_lse }, o, results)
}

/// With its projections.
pub(super) fn attention(b: &mut Backward, op: &Attention<Tensor>, o: Output) -> Result<()> {
    let heads = op.head as usize;
    let columns = b.shape(op.queries_weight)?[1];
    b.expand(&[Some(o)], |b| {
        let projected = |b: &mut Backward, x: Tensor, weight: Tensor, bias: Option<Tensor>| -> Result<Tensor> {
            let shape = b.shape(x)?;
            let y = b.matmul(x, weight)?;
            let y = b.affine(y, None, bias, &[columns])?;
            let y = b.reshape(y, &[shape[0], shape[1], heads, columns / heads])?;
            b.swap_axes(y, 1, 2)
        };
        let q = projected(b, op.input, op.queries_weight, op.queries_bias)?;
        let k = projected(b, op.keys, op.keys_weight, op.keys_bias)?;
        let v = projected(b, op.values, op.values_weight, op.values_bias)?;
        let mut s = scores(b, q, k, op.scale)?;
        if let Some(mask) = op.mask {
            // One mask for all heads.
            let mut shape = b.shape(mask)?;
            if shape.len() == 3 {
                shape.insert(1, 1);
            }
            let mask = b.reshape(mask, &shape)?;
            s = b.add(s, mask)?;
        }
        let y = weighted(b, s, v)?;
        let y = b.swap_axes(y, 1, 2)?;
        let shape = b.shape(y)?;
        let y = b.reshape(y, &[shape[0], shape[1], columns])?;
        let y = b.matmul(y, op.out_weight)?;
        let result = b.shape(y)?[2];
        Ok(vec![b.affine(y, None, op.out_bias, &[result])?])
    })
}

/// `x * cos + partner * sin`, where the partner of a pair `(a, b)` is `(-b, a)`.
pub(super) fn rope(b: &mut Backward, op: &Rope<Tensor>, o: Output) -> Result<()> {
    let shape = b.shape(op.input1)?;
    let (last, half) = (shape.len(), shape[shape.len() - 1] / 2);
    b.expand(&[Some(o)], |b| {
        let x = b.real(op.input1)?;
        let (pairs, axis) = match op.rope_mode {
            RopeMode::InterleavedPairs => ([&shape[..last - 1], &[half, 2]].concat(), last),
            RopeMode::ContiguousHalves => ([&shape[..last - 1], &[2, half]].concat(), last - 1),
        };
        let split = b.reshape(x, &pairs)?;
        let (first, second) = (b.slice(split, axis, 0, 1)?, b.slice(split, axis, 1, 1)?);
        let second = b.neg(second)?;
        let partner = b.concat(vec![second, first], axis)?;
        let partner = b.reshape(partner, &shape)?;
        let kept = b.mul(x, op.input3)?;
        let turned = b.mul(partner, op.input2)?;
        Ok(vec![b.add(kept, turned)?])
    })
}
