//! Operators of `com.microsoft` that onnxruntime's optimizer writes.
use super::{
    Convert,
    attention::{Heads, MASKED, join_heads, repeat_heads, rotated, split_heads, with_rank},
    conv, layout, matmul, norm, slice,
};
use crate::{
    Tensor,
    array::Array,
    base::{Dtype, Result, argument, invalid},
    emit::Emit,
    import::Importer,
    node::Node,
    ops::{
        CompareMode, Elu, GELU, Gather, GeluApproxMode, HardSigmoid, LayerNorm, LeakyRelu, MatMul, RMSNorm, Relu,
        Softmax, Swish, Tanh,
    },
    value::{Computed, Value},
};

pub const OPERATORS: &[(&str, Convert)] = &[
    ("Attention", attention),
    ("BiasAdd", |b, n| sum_of(b, n, 3)),
    ("BiasGelu", |b, n| biased_gelu(b, n, GeluApproxMode::Normal)),
    ("BiasSoftmax", bias_softmax),
    ("EmbedLayerNormalization", embed_layer_normalization),
    ("FastGelu", |b, n| biased_gelu(b, n, GeluApproxMode::Tanh)),
    ("FusedConv", fused_conv),
    ("FusedGemm", fused_gemm),
    ("FusedMatMul", fused_matmul),
    ("Gelu", |b, n| b.unary(n.input(0)?, |x| GELU::new(x).into())),
    ("MultiHeadAttention", multi_head_attention),
    ("QuickGelu", |b, n| {
        let alpha = n.float_or("alpha", 1.702);
        b.unary(n.input(0)?, |x| Swish::new(x, alpha).into())
    }),
    ("RotaryEmbedding", rotary_embedding),
    ("SkipLayerNormalization", |b, n| skip_norm(b, n, false)),
    ("SkipSimplifiedLayerNormalization", |b, n| skip_norm(b, n, true)),
    ("Trilu", slice::trilu),
    ("ExpandDims", |b, n| layout::unsqueezed(b, n.input(0)?, &crate::node::known_ints(n.input(1)?, "axis")?)),
];

/// Operators that onnxruntime writes into ONNX's own domain.
pub const IN_ONNX: &[(&str, Convert)] = &[("SimplifiedLayerNormalization", norm::rms_normalization)];

fn added(b: &mut Importer, values: &[Option<&Value>]) -> Result<Tensor> {
    let mut sum: Option<Tensor> = None;
    for value in values.iter().flatten() {
        let tensor = b.tensor(value)?;
        sum = Some(match sum {
            Some(sum) => b.add(sum, tensor)?,
            None => tensor,
        });
    }
    sum.ok_or_else(|| invalid("it has no operands"))
}

fn sum_of<'m>(b: &mut Importer<'m>, n: &Node<'m>, count: usize) -> Result<Vec<Value>> {
    let all: Vec<_> = (0..count).map(|i| n.optional(i)).collect();
    let sum = added(b, &all)?;
    Ok(vec![b.value(sum, n.input(0)?.dtype())?])
}

fn biased_gelu<'m>(b: &mut Importer<'m>, n: &Node<'m>, approx_mode: GeluApproxMode) -> Result<Vec<Value>> {
    let sum = added(b, &[n.optional(0), n.optional(1)])?;
    let made = b.op(GELU { approx_mode, ..GELU::new(sum) })?;
    Ok(vec![b.value(made, n.input(0)?.dtype())?])
}

fn bias_softmax<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let axis = n.axis_or("axis", 1, x.rank())?;
    let shape = x.shape();
    let sum = added(b, &[n.optional(0), n.optional(1)])?;
    let flat = b.reshape(sum, &[shape[..axis].iter().product::<usize>().max(1), shape[axis..].iter().product()])?;
    let made = b.op(Softmax::new(flat, 1))?;
    Ok(vec![b.shaped(made, &shape, x.dtype())?])
}

/// The activation that is fused into a product or a convolution.
fn activated(b: &mut Importer, n: &Node, x: Tensor, parameters: &[f64]) -> Result<Tensor> {
    let parameter = |i: usize, default: f64| parameters.get(i).copied().unwrap_or(default);
    match n.text("activation").unwrap_or("") {
        "" => Ok(x),
        "Relu" => b.op(Relu::new(x)),
        "Tanh" => b.op(Tanh::new(x)),
        "Sigmoid" => b.sigmoid(x),
        "LeakyRelu" => b.op(LeakyRelu::new(x, parameter(0, 0.01))),
        "Elu" => b.op(Elu::new(x, parameter(0, 1.0))),
        "Clip" => b.op(crate::ops::Clip::new(x, parameter(1, f64::from(f32::MAX)), parameter(0, -f64::from(f32::MAX)))),
        "HardSigmoid" => b.op(HardSigmoid::new(x, parameter(0, 0.2), parameter(1, 0.5))),
        other => Err(argument(
            "activation",
            format!("{other:?}"),
            "expected Relu, Tanh, Sigmoid, LeakyRelu, Elu, Clip or HardSigmoid",
        )),
    }
}

fn fused_conv<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let bias = b.optional_tensor(n.optional(2))?;
    let mut made = conv::convolved(b, n, x, n.input(1)?, bias)?;
    if let Some(other) = n.optional(3) {
        let other = b.tensor(other)?;
        made = b.add(made, other)?;
    }
    let made = activated(b, n, made, &n.floats("activation_params").unwrap_or_default())?;
    Ok(vec![b.value(made, x.dtype())?])
}

fn fused_gemm<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let product = matmul::gemm(b, n)?;
    let [Value::Computed(Computed { tensor, .. })] = &product[..] else { return Ok(product) };
    let parameters = [n.float_or("activation_alpha", 0.01), n.float_or("activation_beta", 0.5)];
    let made = activated(b, n, *tensor, &parameters)?;
    Ok(vec![b.value_like(made, &product[0])?])
}

fn fused_matmul<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, y) = (n.input(0)?, n.input(1)?);
    let (mut left, mut right) = (b.tensor(x)?, b.tensor(y)?);
    if n.flag("transBatchA") {
        left = batch_last(b, left)?;
    }
    if n.flag("transBatchB") {
        right = batch_last(b, right)?;
    }
    if n.flag("transA") {
        left = b.transposed(left)?;
    }
    let made = b.op(MatMul { right_transpose: n.flag("transB"), ..MatMul::new(left, right) })?;
    let made = b.mul_const(made, n.float_or("alpha", 1.0))?;
    Ok(vec![b.value(made, x.dtype())?])
}

/// Moves the first axis behind the others but the last.
fn batch_last(b: &mut Importer, x: Tensor) -> Result<Tensor> {
    let rank = b.rank(x)?;
    let mut order: Vec<usize> = (1..rank).collect();
    order.insert(rank.saturating_sub(2), 0);
    b.permute(x, &order)
}

/// Normalizes the sum of two operands and a bias, which is the last result.
fn skip_norm<'m>(b: &mut Importer<'m>, n: &Node<'m>, simplified: bool) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    let eps = n.float_or("epsilon", 1e-5);
    let bias = if simplified { n.optional(3) } else { n.optional(4) };
    let sum = added(b, &[n.optional(0), n.optional(1), bias])?;
    let size = x.shape().last().copied().unwrap_or(1) as i64;
    let gamma = b.optional_tensor(n.optional(2))?;
    let made = if simplified {
        b.op(RMSNorm { gamma, ..RMSNorm::new(sum, eps) })?
    } else {
        let bias = b.optional_tensor(n.optional(3))?;
        b.op(LayerNorm { weight: gamma, bias, ..LayerNorm::new(sum, vec![size], x.rank() as i64 - 1, eps) })?
    };
    if n.is_wanted(1) || n.is_wanted(2) {
        return Err(invalid("the mean and the deviation, which training uses, are not supported"));
    }
    let mut results = vec![b.value(made, x.dtype())?];
    if n.is_wanted(3) {
        // The results in between have no names, so nobody reads these.
        results.extend([results[0].clone(), results[0].clone(), b.value(sum, x.dtype())?]);
    }
    Ok(results)
}

fn embed_layer_normalization<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let ids = n.input(0)?;
    let [batch, length] = ids.shape()[..] else { return Err(invalid("its ids must have 2 dimensions")) };
    let embedded = |b: &mut Importer<'m>, table: &Value, ids: &Value| -> Result<Tensor> {
        let (table, ids) = (b.tensor(table)?, b.tensor(ids)?);
        b.op(Gather { axis: 0, ..Gather::new(table, ids) })
    };
    let word = embedded(b, n.input(2)?, ids)?;
    let position = match n.optional(8) {
        Some(positions) => embedded(b, n.input(3)?, positions)?,
        None => {
            let table = b.tensor(n.input(3)?)?;
            let first = b.slice(table, 0, 0, length)?;
            with_rank(b, first, 3)?
        }
    };
    let mut sum = b.add(word, position)?;
    if let (Some(segments), Some(table)) = (n.optional(1), n.optional(4)) {
        let segment = embedded(b, table, segments)?;
        sum = b.add(sum, segment)?;
    }
    let size = b.shape(sum)?[2] as i64;
    let (weight, bias) = (b.optional_tensor(n.optional(5))?, b.optional_tensor(n.optional(6))?);
    let made = b.op(LayerNorm { weight, bias, ..LayerNorm::new(sum, vec![size], 2, n.float_or("epsilon", 1e-12)) })?;
    let dtype = n.input(2)?.dtype();
    let mut results = vec![b.value(made, dtype)?];
    if n.outputs() > 1 {
        // The number of ids of each sample that are not masked.
        let counts = match n.optional(7) {
            Some(mask) => {
                let mask = b.tensor(mask)?;
                let counts = b.sum(mask, &[1])?;
                b.reshape(counts, &[batch])?
            }
            None => b.filled(length as f64, Dtype::Int32, &[batch])?,
        };
        results.push(b.value(counts, Dtype::Int32)?);
        results.push(b.value(sum, dtype)?);
    }
    results.truncate(n.outputs());
    Ok(results)
}

/// `softmax(scale * Q K^T + masks) V`, with the heads joined.
fn attended(b: &mut Importer, heads: &Heads, scale: Option<f64>, masks: &[Tensor], causal: bool) -> Result<Tensor> {
    let shape = b.shape(heads.query)?;
    let (count, length, size) = (shape[1], shape[2], shape[3]);
    let (key, value) = (repeat_heads(b, heads.key, count)?, repeat_heads(b, heads.value, count)?);
    let keys = b.shape(key)?[2];
    let scale = scale.filter(|s| *s != 0.0).unwrap_or(1.0 / (size as f64).sqrt());
    let transposed = b.transposed(key)?;
    let scores = b.matmul(heads.query, transposed)?;
    let mut scores = b.mul_const(scores, scale)?;
    for mask in masks {
        scores = b.add(scores, *mask)?;
    }
    if causal {
        let hidden = (0..length).flat_map(|i| (0..keys).map(move |j| if j + length > i + keys { MASKED } else { 0.0 }));
        let mask = b.coefficient(Array::from_f64s(Dtype::Float32, [1, 1, length, keys], hidden)?)?;
        scores = b.add(scores, mask)?;
    }
    let weights = b.op(Softmax::new(scores, 3))?;
    let made = b.matmul(weights, value)?;
    join_heads(b, made)
}

/// What is added to the scores for a mask of the keys: [batch, keys] or with more axes, 1 where a key counts; or the numbers of keys
/// that count, [batch].
fn key_mask(b: &mut Importer, mask: &Value, batch: usize, keys: usize, filter: f64) -> Result<Tensor> {
    let tensor = b.float_tensor(mask)?;
    let counts = match mask.shape()[..] {
        [count] if count == batch => {
            let lengths = b.reshape(tensor, &[batch, 1, 1, 1])?;
            let j = b.coefficient(Array::from_f64s(Dtype::Float32, [1, 1, 1, keys], (0..keys).map(|j| j as f64))?)?;
            b.compare(j, CompareMode::Less, lengths)?
        }
        [batch, keys] => b.reshape(tensor, &[batch, 1, 1, keys])?,
        [batch, length, keys] => b.reshape(tensor, &[batch, 1, length, keys])?,
        [_, _, _, _] => tensor,
        _ => return Err(argument("the shape of the mask", format!("{:?}", mask.shape()), "expected batch x keys")),
    };
    let hidden = b.const_sub(1.0, counts)?;
    b.mul_const(hidden, filter)
}

/// Adds its part of a bias of query, keys and values, [hidden], to one of them.
fn with_bias(b: &mut Importer, x: Tensor, bias: Option<Tensor>, start: usize) -> Result<Tensor> {
    let Some(bias) = bias else { return Ok(x) };
    let width = b.shape(x)?.last().copied().unwrap_or(1);
    let own = b.slice(bias, 0, start, width)?;
    b.add(x, own)
}

/// Attention with its projection of query, keys and values.
fn attention<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let x = n.input(0)?;
    if n.optional(4).is_some() || n.is_wanted(1) || n.flag("do_rotary") {
        return Err(invalid("past keys and rotary embeddings are not supported"));
    }
    let heads = n.size("num_heads")?;
    let [batch, length, _] = x.shape()[..] else { return Err(invalid("its operand must have 3 dimensions")) };
    let (input, weights, bias) = (b.tensor(x)?, b.tensor(n.input(1)?)?, b.optional_tensor(n.optional(2))?);
    let projected = b.op(MatMul { bias, ..MatMul::new(input, weights) })?;
    let width = b.shape(projected)?[2];
    let sizes = match n.ints("qkv_hidden_sizes").filter(|s| s.len() == 3) {
        Some(sizes) => sizes.iter().map(|&s| usize::try_from(s).unwrap_or(0)).collect(),
        None => vec![width / 3; 3],
    };
    if sizes.contains(&0) || sizes.iter().sum::<usize>() != width {
        return Err(argument("qkv_hidden_sizes", format!("{sizes:?}"), format!("they must add up to {width}")));
    }
    let mut parts = Vec::new();
    let mut start = 0;
    for size in sizes {
        let part = b.slice(projected, 2, start, size)?;
        parts.push(split_heads(b, part, heads)?);
        start += size;
    }
    let mut masks = Vec::new();
    if let Some(mask) = n.optional(3) {
        masks.push(key_mask(b, mask, batch, length, n.float_or("mask_filter_value", -10000.0))?);
    }
    masks.extend(b.optional_tensor(n.optional(5))?);
    let heads = Heads { query: parts[0], key: parts[1], value: parts[2] };
    let made = attended(b, &heads, n.float("scale"), &masks, n.flag("unidirectional"))?;
    Ok(vec![b.value(made, x.dtype())?])
}

/// Attention of projected operands, or of one that holds all three.
fn multi_head_attention<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let q = n.input(0)?;
    let heads = n.size("num_heads")?;
    let bias = b.optional_tensor(n.optional(3))?;
    let query = b.tensor(q)?;
    let (Some(k), Some(v), 3) = (n.optional(1), n.optional(2), q.rank()) else {
        return Err(invalid("packed queries, keys and values are not supported"));
    };
    let [batch, _, hidden] = q.shape()[..] else { return Err(invalid("its query must have 3 dimensions")) };
    let query = with_bias(b, query, bias, 0)?;
    let query = split_heads(b, query, heads)?;
    // Keys of another network come with their heads apart.
    let apart = |b: &mut Importer<'m>, x: &Value, start: usize| -> Result<Tensor> {
        let tensor = b.tensor(x)?;
        if x.rank() == 4 {
            return Ok(tensor);
        }
        let tensor = with_bias(b, tensor, bias, start)?;
        split_heads(b, tensor, heads)
    };
    let (mut key, mut value) = (apart(b, k, hidden)?, apart(b, v, 2 * hidden)?);
    for (at, tensor) in [(6, &mut key), (7, &mut value)] {
        if let Some(past) = n.optional(at) {
            let past = b.tensor(past)?;
            *tensor = b.concat(vec![past, *tensor], 2)?;
        }
    }
    let keys = b.shape(key)?[2];
    let mut masks = Vec::new();
    if let Some(mask) = n.optional(4) {
        masks.push(key_mask(b, mask, batch, keys, n.float_or("mask_filter_value", -10000.0))?);
    }
    masks.extend(b.optional_tensor(n.optional(5))?);
    let made = attended(b, &Heads { query, key, value }, n.float("scale"), &masks, n.flag("unidirectional"))?;
    let mut results = vec![b.value(made, q.dtype())?, b.value(key, q.dtype())?, b.value(value, q.dtype())?];
    results.truncate(n.outputs());
    Ok(results)
}

/// Like ONNX's, with its operands in another order.
fn rotary_embedding<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, positions) = (n.input(0)?, n.input(1)?);
    let [cos, sin] = [b.tensor(n.input(2)?)?, b.tensor(n.input(3)?)?];
    let tensor = b.tensor(x)?;
    let pairs = n.input(2)?.shape().last().copied().unwrap_or(1);
    let dim = usize::try_from(n.int_or("rotary_embedding_dim", 0)).unwrap_or(0);
    let (spread, length) = match x.shape()[..] {
        [_, _, length, _] => (b.permute(tensor, &[0, 2, 1, 3])?, length),
        [batch, length, width] => {
            let heads =
                usize::try_from(n.int_or("num_heads", 0)).ok().filter(|h| *h > 0).unwrap_or(width / (2 * pairs).max(1));
            if heads == 0 || !width.is_multiple_of(heads) {
                return Err(argument("num_heads", heads, format!("it must divide {width}")));
            }
            (b.reshape(tensor, &[batch, length, heads, width / heads])?, length)
        }
        _ => return Err(invalid("its operand must have 3 or 4 dimensions")),
    };
    let mut at = b.tensor(positions)?;
    if positions.elements() == 1 {
        // The position of the first element.
        let all = b.coefficient(Array::from_f64s(Dtype::Int32, [1, length], (0..length).map(|i| i as f64))?)?;
        let first = b.reshape(at, &[1, 1])?;
        at = b.add(all, first)?;
    }
    let made = rotated(b, spread, [cos, sin], Some(at), dim, n.flag("interleaved"))?;
    let made = match x.rank() {
        4 => b.permute(made, &[0, 2, 1, 3])?,
        _ => b.reshape(made, &x.shape())?,
    };
    Ok(vec![b.value_like(made, x)?])
}
