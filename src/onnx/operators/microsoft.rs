//! Operators of `com.microsoft` that onnxruntime's optimizer writes.
use super::{Convert, activation::flattened, attention::with_rank, conv, layout, matmul, norm, slice};
use crate::{
    Tensor,
    base::{Dtype, Result, argument, invalid},
    emit::Emit,
    import::Importer,
    node::{Node, table},
    ops::{
        Elu, GELU, Gather, GeluApproxMode, HardSigmoid, LayerNorm, LeakyRelu, MulConst, RMSNorm, Relu, Softmax, Sqrt,
        Swish, Tanh,
    },
    value::{Computed, Value},
};

pub const OPERATORS: &[(&str, Convert)] = &[
    ("BiasAdd", |b, n| sum_of(b, n, 3)),
    ("BiasGelu", |b, n| biased_gelu(b, n, GeluApproxMode::Normal)),
    ("BiasSoftmax", bias_softmax),
    ("CDist", distances),
    ("EmbedLayerNormalization", embed_layer_normalization),
    ("FastGelu", |b, n| biased_gelu(b, n, GeluApproxMode::Tanh)),
    ("FusedConv", fused_conv),
    ("FusedGemm", fused_gemm),
    ("FusedMatMul", fused_matmul),
    ("Gelu", |b, n| b.unary(n.input(0)?, |x| GELU::new(x).into())),
    ("QuickGelu", |b, n| {
        let alpha = n.float_or("alpha", 1.702);
        b.unary(n.input(0)?, |x| Swish::new(x, alpha).into())
    }),
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
    let shape = x.shape();
    let sum = added(b, &[n.optional(0), n.optional(1)])?;
    // Like ONNX's before opset 13.
    let (flat, axis) = flattened(b, n, (sum, &shape), 1)?;
    let made = b.op(Softmax::new(flat, axis as i64))?;
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
    let left = arranged(b, n.input(0)?, n.flag("transBatchA"), n.flag("transA"))?;
    let right = arranged(b, n.input(1)?, n.flag("transBatchB"), false)?;
    let made = matmul::product(b, &left, &right, n.flag("transB"))?;
    match n.float_or("alpha", 1.0) {
        1.0 => Ok(vec![made]),
        alpha => b.unary(&made, |x| MulConst::new(x, alpha).into()),
    }
}

/// Returns an operand of a product with its axes in the order of matrices. A vector has only one.
fn arranged(b: &mut Importer, x: &Value, is_batch_inside: bool, is_transposed: bool) -> Result<Value> {
    if x.rank() < 2 || !(is_batch_inside || is_transposed) {
        return Ok(x.clone());
    }
    let mut tensor = b.tensor(x)?;
    if is_batch_inside {
        tensor = batch_last(b, tensor)?;
    }
    if is_transposed {
        tensor = b.transposed(tensor)?;
    }
    b.value(tensor, x.dtype())
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
    let eps = n.float_or("epsilon", 1e-12);
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

pub fn embed_layer_normalization<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
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
    let [_, _, size] = b.shape(sum)?[..] else { return Err(invalid("its tables must have 2 dimensions")) };
    let size = size as i64;
    let (weight, bias) = (b.optional_tensor(n.optional(5))?, b.optional_tensor(n.optional(6))?);
    let made = b.op(LayerNorm { weight, bias, ..LayerNorm::new(sum, vec![size], 2, n.float_or("epsilon", 1e-12)) })?;
    let dtype = n.input(2)?.dtype();
    let mut results = vec![b.value(made, dtype)?];
    if n.outputs() > 1 {
        // The number of ids of each sample that are not masked; 0 without a mask.
        let counts = match n.optional(7) {
            Some(mask) => {
                let mask = b.tensor(mask)?;
                let counts = b.sum(mask, &[1])?;
                b.reshape(counts, &[batch])?
            }
            None => b.filled(0.0, Dtype::Int32, &[batch])?,
        };
        results.push(b.value(counts, Dtype::Int32)?);
        results.push(b.value(sum, dtype)?);
    }
    results.truncate(n.outputs());
    Ok(results)
}

/// The distance of each row of the first operand from each of the second.
fn distances<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let is_squared = n.word("metric", "sqeuclidean", &[("sqeuclidean", true), ("euclidean", false)])?;
    let (x, y) = (n.input(0)?, n.input(1)?);
    let ([rows, width], [columns, _]) = (&x.shape()[..], &y.shape()[..]) else {
        return Err(invalid("its operands must have 2 dimensions"));
    };
    table(&[*rows, *columns, *width])?;
    let (left, right) = (b.tensor(x)?, b.tensor(y)?);
    let (left, right) = (b.reshape(left, &[*rows, 1, *width])?, b.reshape(right, &[1, *columns, *width])?);
    let difference = b.sub(left, right)?;
    let squares = b.square(difference)?;
    let sum = b.sum(squares, &[2])?;
    let sum = b.reshape(sum, &[*rows, *columns])?;
    let made = if is_squared { sum } else { b.op(Sqrt::new(sum))? };
    Ok(vec![b.value(made, x.dtype())?])
}
