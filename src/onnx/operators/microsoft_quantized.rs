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
    array::{Array, PackedIntegers},
    base::{Dtype, Result, argument, invalid},
    emit::Emit,
    fold::known,
    import::Importer,
    node::{Node, count, table},
    ops::{Concat, Div, LeakyRelu, MatMul, ReduceMode, Softmax},
    tensors::Element,
    value::{Computed, Value},
};

pub const OPERATORS: &[(&str, Convert)] = &[
    ("DequantizeLinear", dequantize_linear),
    ("DynamicQuantizeLSTM", dynamic_quantize_lstm),
    ("DynamicQuantizeMatMul", dynamic_quantize_matmul),
    ("MatMulIntegerToFloat", matmul_integer_to_float),
    ("MatMulNBits", matmul_n_bits),
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
    let results = convert(b, &Node { proto: n.proto, inputs, version: n.version })?;
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
    super::microsoft::embed_layer_normalization(b, &Node { proto: n.proto, inputs, version: n.version })
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

fn with_bias(b: &mut Importer, x: Tensor, bias: Option<&Value>) -> Result<Value> {
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
    super::recurrent::lstm(b, &Node { proto: n.proto, inputs, version: n.version })
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

/// The weights are [N, blocks, bytes]: integers of `bits` bits, the first in the low ones, in blocks with a scale each.
/// The product with a transposed matrix of packed integers, which has a scale and a zero point for each block of a row.
fn matmul_n_bits<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let weights = BlockWeights::new(n)?;
    let input = b.tensor(n.input(0)?)?;
    let right = b.coefficient(weights.matrix(n)?)?;
    let made = b.op(MatMul { right_transpose: true, ..MatMul::new(input, right) })?;
    with_bias(b, made, n.optional(5)).map(|v| vec![v])
}

/// The sizes of a matrix of packed integers.
struct BlockWeights {
    /// Rows and columns of the matrix as it is stored.
    rows: usize,
    columns: usize,
    block: usize,
    bits: usize,
}

impl BlockWeights {
    fn new(n: &Node) -> Result<BlockWeights> {
        let (columns, rows, block) = (n.size("K")?, n.size("N")?, n.size("block_size")?);
        let bits = n.int_or("bits", 4) as usize;
        if !matches!(bits, 2 | 4 | 8) || n.optional(4).is_some() {
            return Err(argument("bits", bits, "expected 2, 4 or 8, without g_idx"));
        }
        if !(block.is_power_of_two() && (16..=1 << 20).contains(&block)) {
            return Err(argument("block_size", block, "expected a power of two from 16 to 2^20"));
        }
        let all_blocks = columns.checked_next_multiple_of(block).unwrap_or(usize::MAX);
        count(&[all_blocks, rows, bits])?;
        Ok(BlockWeights { rows, columns, block, bits })
    }

    /// The blocks of a row.
    fn blocks(&self) -> usize {
        self.columns.div_ceil(self.block)
    }

    /// Returns the numbers, without those that fill the last block of each row.
    fn matrix(&self, n: &Node) -> Result<Array> {
        let (blocks, few) = (self.blocks(), || invalid("its weights or scales are too few"));
        let known = |at: usize, what: &str| {
            let array =
                n.optional(at).map(|v| v.as_constant().ok_or_else(|| invalid(format!("its {what} must be known"))));
            array.transpose()
        };
        let bytes = known(1, "weights")?.ok_or_else(few)?;
        let scales = known(2, "scales")?.ok_or_else(few)?;
        let zero_points = known(3, "zero points")?;
        let [bytes, scales] = [
            self.of_rows(bytes, blocks * self.block * self.bits / 8)?,
            self.of_rows(&scales.to_dtype(Dtype::Float32)?, blocks)?,
        ];
        let whole = match zero_points {
            Some(zeros) if zeros.dtype().is_float() => self.with_real_zeros(&bytes, &scales, zeros)?,
            zeros => {
                let zero_points = self.zero_points(zeros)?;
                let packed = PackedIntegers { bytes, bits: self.bits, block: self.block, scales, zero_points };
                Array::unpacked(packed).ok_or_else(few)?
            }
        };
        if self.columns.is_multiple_of(self.block) {
            return Ok(whole);
        }
        table(whole.shape())?;
        let mut kept = Vec::new();
        for row in whole.to_f32()?.chunks_exact(blocks * self.block) {
            kept.extend_from_slice(&row[..self.columns]);
        }
        Array::from_vec([self.rows, self.columns], kept)
    }

    /// Returns an array with that many elements for each row as a matrix. Elements after the last row are left out.
    fn of_rows(&self, array: &Array, each: usize) -> Result<Array> {
        let shape = [self.rows, each];
        if array.len() == self.rows.saturating_mul(each) {
            return array.reshaped(shape);
        }
        let size = array.dtype().size();
        let bytes = self.rows.saturating_mul(each).saturating_mul(size);
        let bytes = array.bytes()?.get(..bytes).ok_or_else(|| invalid("its weights or scales are too few"))?;
        Array::from_le_bytes(array.dtype(), shape, bytes)
    }

    /// Returns the zero point of each block, which are packed like the weights; half of the range by default.
    fn zero_points(&self, packed: Option<&Array>) -> Result<Array> {
        let (blocks, bits) = (self.blocks(), self.bits);
        let Some(packed) = packed else {
            return Array::from_vec([self.rows, blocks], vec![1u8 << (bits - 1); self.rows * blocks]);
        };
        let of_row = (blocks * bits).div_ceil(8);
        let packed = self.of_rows(packed, of_row)?;
        let (mut all, mask) = (Vec::new(), u8::MAX >> (8 - bits));
        for row in packed.bytes()?.chunks_exact(of_row.max(1)) {
            all.extend((0..blocks).map(|i| row[i * bits / 8] >> (i * bits % 8) & mask));
        }
        Array::from_vec([self.rows, blocks], all)
    }

    /// Returns the numbers of integers whose zero points are not integers.
    fn with_real_zeros(&self, bytes: &Array, scales: &Array, zeros: &Array) -> Result<Array> {
        let (scales, bytes) = (scales.to_f64()?, bytes.bytes()?);
        let zeros = self.of_rows(zeros, self.blocks())?.to_f64()?;
        let mask = u8::MAX >> (8 - self.bits);
        let real = |i: usize| {
            let value = bytes[i * self.bits / 8] >> (i * self.bits % 8) & mask;
            ((f64::from(value) - zeros[i / self.block]) * scales[i / self.block]) as f32
        };
        let columns = self.blocks() * self.block;
        table(&[self.rows, columns])?;
        Array::from_vec([self.rows, columns], (0..self.rows * columns).map(real).collect())
    }
}
