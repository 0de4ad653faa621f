//! Operators of `com.microsoft` that onnxruntime's quantizer writes: float operators between dequantization and quantization.
use super::{
    Convert,
    activation::flattened,
    pool::{pooled_average, pooled_whole},
    quantize::{
        QuantizedOperand, centered, dequantize_linear, dynamic_scale, known_bias, quantize, quantize_linear, quantized,
        spread,
    },
    window::spatial,
};
use crate::{
    Tensor,
    base::{Dtype, Result, invalid},
    emit::Emit,
    fold::known,
    import::Importer,
    node::Node,
    ops::{Concat, Div, LeakyRelu, MatMul, ReduceMode, Softmax},
    tensors::Element,
    value::{Computed, Value},
};

pub const OPERATORS: &[(&str, Convert)] = &[
    ("DequantizeLinear", dequantize_linear),
    ("DynamicQuantizeLSTM", dynamic_quantize_lstm),
    ("DynamicQuantizeMatMul", dynamic_quantize_matmul),
    ("MatMulIntegerToFloat", matmul_integer_to_float),
    ("NhwcMaxPool", |b, n| channels_first(b, n, super::pool::max_pool)),
    ("QEmbedLayerNormalization", embed_layer_normalization),
    ("QGemm", q_gemm),
    ("QLinearAdd", |b, n| binary(b, n, |b, x, y| b.add(x, y))),
    ("QLinearAveragePool", |b, n| with_channels(b, n, average_pool)),
    ("QLinearConcat", concat),
    ("QLinearConv", |b, n| with_channels(b, n, super::quantize::qlinear_conv)),
    ("QLinearGlobalAveragePool", |b, n| with_channels(b, n, global_average_pool)),
    ("QLinearLeakyRelu", |b, n| {
        let alpha = n.float_or("alpha", 0.01);
        unary(b, n, |b, _, x| b.op(LeakyRelu::new(x, alpha)))
    }),
    ("QLinearMul", |b, n| binary(b, n, |b, x, y| b.mul(x, y))),
    ("QLinearSigmoid", |b, n| unary(b, n, |b, _, x| b.sigmoid(x))),
    ("QLinearSoftmax", |b, n| {
        unary(b, n, |b, n, x| {
            let shape = b.shape(x)?;
            let (flat, axis) = flattened(b, n, (x, &shape), n.int_or("opset", 13))?;
            let made = b.op(Softmax::new(flat, axis as i64))?;
            b.reshape(made, &shape)
        })
    }),
    ("QLinearWhere", select),
    ("QuantizeLinear", quantize_linear),
];

/// Converts a node that may have the channels of its operand and its result last.
fn with_channels<'m>(b: &mut Importer<'m>, n: &Node<'m>, convert: Convert) -> Result<Vec<Value>> {
    if n.flag("channels_last") { channels_first(b, n, convert) } else { convert(b, n) }
}

/// Converts a node that has the channels of its operand and its result last.
fn channels_first<'m>(b: &mut Importer<'m>, n: &Node<'m>, convert: Convert) -> Result<Vec<Value>> {
    let permuted = |b: &mut Importer<'m>, x: &Value, order: &[usize]| -> Result<Value> {
        let tensor = b.tensor(x)?;
        let moved = b.permute(tensor, order)?;
        b.value(moved, x.dtype())
    };
    let x = n.input(0)?;
    let last = x
        .rank()
        .checked_sub(1)
        .filter(|last| *last > 1)
        .ok_or_else(|| invalid("its operand must have at least 3 dimensions"))?;
    let mut inputs = n.inputs.clone();
    inputs[0] = Some(permuted(b, x, &[&[0, last], &(1..last).collect::<Vec<_>>()[..]].concat())?);
    let results = Node::new(n.proto, inputs, n.version).converted(|n| convert(b, n))?;
    let back = [&[0], &(2..=last).collect::<Vec<_>>()[..], &[1]].concat();
    results.iter().map(|result| permuted(b, result, &back)).collect()
}

/// `(x - zero point) * scale`, of the operands from `at` on.
fn real(b: &mut Importer, n: &Node, at: usize) -> Result<Tensor> {
    dequantized(b, QuantizedOperand::of(n, at)?, -1)
}

/// `(x - zero point) * scale`. Scales and zero points along `axis`, or one for all.
pub fn dequantized(b: &mut Importer, operand: QuantizedOperand, axis: i64) -> Result<Tensor> {
    if let Some(known) = operand.dequantized(b, axis)? {
        return b.tensor(&known);
    }
    let QuantizedOperand { x, scale, zero } = operand;
    let whole = centered(b, x, zero, axis)?;
    let value = scaled(b, &whole, scale, axis)?;
    b.tensor(&value)
}

/// Multiplies by a scale, or one for each entry of an axis. A constant stays one.
fn scaled(b: &mut Importer, x: &Value, scale: &Value, axis: i64) -> Result<Value> {
    known(b, &[x, scale], |b, values| {
        let tensor = b.tensor(&values[0])?;
        let scale = spread(b, &values[1], &values[0].shape(), axis, 0)?;
        let made = b.mul(tensor, scale)?;
        b.value_like(made, &values[0])
    })
}

/// Quantizes a result by the scale and zero point at `at`; without a zero point, to the dtype of the first operand.
fn quantized_by(b: &mut Importer, n: &Node, y: Tensor, at: usize, of: Dtype) -> Result<Value> {
    let shape = b.shape(y)?;
    let zero = n.optional(at + 1);
    let dtype = zero.map_or(of, Value::dtype);
    if let Some(known) = quantize(b, y, (n.input(at)?, zero), -1, Element::Whole(dtype))? {
        return Ok(Value::Computed(known));
    }
    let scale = spread(b, n.input(at)?, &shape, -1, 0)?;
    let scaled = b.op(Div::new(vec![y, scale]))?;
    let tensor = quantized(b, scaled, zero, (-1, 0, &shape), Element::Whole(dtype))?;
    Ok(Value::Computed(Computed { tensor, shape, dtype }))
}

fn unary<'m>(
    b: &mut Importer<'m>,
    n: &Node<'m>,
    f: impl Fn(&mut Importer<'m>, &Node<'m>, Tensor) -> Result<Tensor>,
) -> Result<Vec<Value>> {
    let x = real(b, n, 0)?;
    let y = f(b, n, x)?;
    Ok(vec![quantized_by(b, n, y, 3, n.input(0)?.dtype())?])
}

fn binary<'m>(
    b: &mut Importer<'m>,
    n: &Node<'m>,
    f: impl Fn(&mut Importer<'m>, Tensor, Tensor) -> Result<Tensor>,
) -> Result<Vec<Value>> {
    let (x, y) = (real(b, n, 0)?, real(b, n, 3)?);
    let made = f(b, x, y)?;
    Ok(vec![quantized_by(b, n, made, 6, n.input(0)?.dtype())?])
}

fn average_pool<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    unary(b, n, |b, n, x| {
        let x = b.value(x, Dtype::Float32)?;
        pooled_average(b, n, &x)
    })
}

fn global_average_pool<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let spatial = spatial(n.input(0)?)?;
    unary(b, n, |b, _, x| pooled_whole(b, x, &spatial, ReduceMode::ReduceMean))
}

fn select<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let condition = b.tensor(n.input(0)?)?;
    let (x, y) = (real(b, n, 1)?, real(b, n, 4)?);
    let made = b.select(condition, x, y)?;
    Ok(vec![quantized_by(b, n, made, 7, n.input(1)?.dtype())?])
}

/// An embedding whose tables are quantized.
fn embed_layer_normalization<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let mut inputs: Vec<Option<Value>> = n.inputs.iter().take(8).cloned().collect();
    inputs.resize(8, None);
    // The tables of words, positions and segments, the weight and the bias.
    for (i, table) in inputs[2..7].iter_mut().enumerate() {
        if let Some(x) = table {
            let made = dequantized(b, QuantizedOperand { x, scale: n.input(8 + i)?, zero: n.optional(13 + i) }, -1)?;
            *table = Some(b.value(made, Dtype::Float32)?);
        }
    }
    Node::new(n.proto, inputs, n.version).converted(|n| super::microsoft::embed_layer_normalization(b, n))
}

/// The operands after the first two are in threes: a tensor, its scale and its zero point.
fn concat<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let mut parts = Vec::new();
    for at in (2..n.inputs.len()).step_by(3) {
        parts.push(real(b, n, at)?);
    }
    let rank = parts.first().map(|p| b.rank(*p)).transpose()?.ok_or_else(|| invalid("it has no operands"))?;
    let axis = n.axis_or("axis", 0, rank)?;
    let made = b.op(Concat { axis: axis as i64, ..Concat::new(parts) })?;
    Ok(vec![quantized_by(b, n, made, 0, n.input(2)?.dtype())?])
}

/// The product of dequantized operands, quantized if there is a scale for it.
fn q_gemm<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let mut left = real(b, n, 0)?;
    let axis = if n.flag("transB") { 0 } else { 1 };
    let right = dequantized(b, QuantizedOperand::of(n, 3)?, axis)?;
    if n.flag("transA") {
        left = b.transposed(left)?;
    }
    let product = MatMul { right_transpose: n.flag("transB"), ..MatMul::new(left, right) };
    let known = n.optional(6).map(|bias| known_bias(bias, [n.input(1)?, n.input(4)?])).transpose()?.flatten();
    let bias = match known.filter(|bias| bias.rank() == 1) {
        Some(bias) => Some(b.tensor(&bias)?),
        None => None,
    };
    let mut made = b.op(MatMul { bias, ..product })?;
    if let (Some(bias), None) = (n.optional(6), bias) {
        // Its scale is the product of the operands'.
        let shape = b.shape(made)?;
        let (a_scale, w_scale) = (spread(b, n.input(1)?, &shape, -1, 0)?, spread(b, n.input(4)?, &shape, -1, 0)?);
        let scale = b.mul(a_scale, w_scale)?;
        let bias = b.float_tensor(bias)?;
        let bias = b.mul(bias, scale)?;
        made = b.add(made, bias)?;
    }
    let made = b.mul_const(made, n.float_or("alpha", 1.0))?;
    match n.optional(7) {
        Some(_) => Ok(vec![quantized_by(b, n, made, 7, n.input(0)?.dtype())?]),
        None => Ok(vec![b.value(made, Dtype::Float32)?]),
    }
}

pub fn with_bias(b: &mut Importer, x: Tensor, bias: Option<&Value>) -> Result<Value> {
    let made = match b.optional_tensor(bias)? {
        Some(bias) => b.add(x, bias)?,
        None => x,
    };
    b.value(made, Dtype::Float32)
}

fn matmul_integer_to_float<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let left = dequantized(b, QuantizedOperand { x: n.input(0)?, scale: n.input(2)?, zero: n.optional(4) }, -1)?;
    let right = dequantized(b, QuantizedOperand { x: n.input(1)?, scale: n.input(3)?, zero: n.optional(5) }, -1)?;
    let made = b.matmul(left, right)?;
    Ok(vec![with_bias(b, made, n.optional(6))?])
}

/// An LSTM in floats, with the weights that the integers stand for. onnxruntime rounds the operands of each step to 8 bits, too.
fn dynamic_quantize_lstm<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let weights = |b: &mut Importer<'m>, at: usize, scale: usize| -> Result<Value> {
        let operands = [n.input(at)?, n.input(scale)?, n.input(scale + 1)?];
        known(b, &operands, |b, values| {
            let shape = values[0].shape();
            let directions = shape.first().copied().unwrap_or(1);
            let mut weights = b.float_tensor(&values[0])?;
            for (i, subtract) in [(2, true), (1, false)] {
                // One for each direction, or for each of its columns.
                let factor = b.float_tensor(&values[i])?;
                let columns = values[i].elements() / directions.max(1);
                let factor = b.reshape(factor, &[directions, 1, columns])?;
                weights = if subtract { b.sub(weights, factor)? } else { b.mul(weights, factor)? };
            }
            let turned = b.transposed(weights)?;
            b.value(turned, Dtype::Float32)
        })
    };
    let (input, recurrence) = (weights(b, 1, 8)?, weights(b, 2, 10)?);
    let mut inputs: Vec<Option<Value>> = n.inputs.iter().take(8).cloned().collect();
    (inputs[1], inputs[2]) = (Some(input), Some(recurrence));
    Node::new(n.proto, inputs, n.version).converted(|n| super::recurrent::lstm(b, n))
}

/// The first operand is quantized while the network runs, to 8 bits; so it is rounded here, too.
fn dynamic_quantize_matmul<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (x, w) = (n.input(0)?, n.input(1)?);
    let tensor = b.tensor(x)?;
    let (rounded, scale) = dynamic_scale(b, tensor)?;
    let left = b.mul(rounded, scale)?;
    let right = dequantized(b, QuantizedOperand { x: w, scale: n.input(2)?, zero: n.optional(3) }, -1)?;
    let made = b.matmul(left, right)?;
    Ok(vec![with_bias(b, made, n.optional(4))?])
}
