//! Matrices of packed integers, with a scale and a zero point for each block of a row, as large language models have them.
use super::{Convert, gather::gathered, microsoft_quantized::with_bias, quantize::spread};
use crate::{
    array::{Array, PackedIntegers},
    base::{Dtype, Result, argument, invalid},
    emit::Emit,
    fold::known,
    import::Importer,
    node::{Node, count, table},
    ops::MatMul,
    tensors::Element,
    value::Value,
};

pub const OPERATORS: &[(&str, Convert)] =
    &[("GatherBlockQuantized", gather_block_quantized), ("MatMulNBits", matmul_n_bits)];

/// The product with a transposed matrix of packed integers, which has a scale and a zero point for each block of a row.
fn matmul_n_bits<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let weights = BlockWeights::new(n.int_or("bits", 4), n.size("block_size")?, [n.size("N")?, n.size("K")?])?;
    if n.optional(4).is_some() {
        return Err(invalid("its g_idx must be left out"));
    }
    let input = b.tensor(n.input(0)?)?;
    let right = b.coefficient(weights.matrix([1, 2, 3].map(|at| n.optional(at)))?)?;
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
    /// # Errors
    /// Returns an error if there are no such integers, or too many.
    fn new(bits: i64, block: usize, [rows, columns]: [usize; 2]) -> Result<BlockWeights> {
        if !matches!(bits, 2 | 4 | 8) {
            return Err(argument("bits", bits, "expected 2, 4 or 8"));
        }
        if !(block.is_power_of_two() && (16..=1 << 20).contains(&block)) {
            return Err(argument("block_size", block, "expected a power of two from 16 to 2^20"));
        }
        let bits = bits as usize;
        count(&[columns.checked_next_multiple_of(block).unwrap_or(usize::MAX), rows, bits])?;
        Ok(BlockWeights { rows, columns, block, bits })
    }

    /// The blocks of a row.
    fn blocks(&self) -> usize {
        self.columns.div_ceil(self.block)
    }

    /// Returns the numbers, without those that fill the last block of each row, given the integers, scales and zero points.
    fn matrix(&self, operands: [Option<&Value>; 3]) -> Result<Array> {
        let (blocks, few) = (self.blocks(), || invalid("its weights, scales or zero points are too few"));
        let known = |at: usize, what: &str| {
            let known =
                |v: &'_ Value| v.as_constant().cloned().ok_or_else(|| invalid(format!("its {what} must be known")));
            operands[at].map(known).transpose()
        };
        let bytes = known(0, "weights")?.ok_or_else(few)?;
        let scales = known(1, "scales")?.ok_or_else(few)?;
        let zero_points = known(2, "zero points")?;
        let of_integers = zero_points.as_ref().filter(|zeros| !zeros.dtype().is_float());
        for (array, what) in [(Some(&bytes), "weights"), (of_integers, "zero points")] {
            if let Some(array) = array.filter(|array| array.dtype() != Dtype::Uint8) {
                return Err(argument(format!("the dtype of its {what}"), array.dtype(), "expected uint8"));
            }
        }
        let [bytes, scales] = [
            self.of_rows(&bytes, blocks * self.block * self.bits / 8)?,
            self.of_rows(&scales.to_dtype(Dtype::Float32)?, blocks)?,
        ];
        let whole = match &zero_points {
            Some(zeros) if zeros.dtype().is_float() => self.with_real_zeros(&bytes, &scales, zeros)?,
            zeros => {
                let zero_points = self.zero_points(zeros.as_ref())?;
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
        let bytes =
            array.bytes()?.get(..bytes).ok_or_else(|| invalid("its weights, scales or zero points are too few"))?;
        Array::from_le_bytes(array.dtype(), shape, bytes)
    }

    /// Returns the zero point of each block. Those in the file are packed like the weights; without them, each is half of the range.
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

/// Entries of a table of integers, which are dequantized.
fn gather_block_quantized<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    let (data, indices, shape) = (n.input(0)?, n.input(1)?, n.input(0)?.shape());
    let (axis, of_blocks) = (n.axis_or("gather_axis", 0, shape.len())?, n.axis_or("quantize_axis", 1, shape.len())?);
    let block = n.int_or("block_size", 128);
    let reals = match data.element() {
        Element::Whole(Dtype::Uint8) => {
            let &[rows, bytes] = shape.as_slice() else {
                return Err(argument("the dimensions of its table", shape.len(), "expected 2"));
            };
            if (axis, of_blocks) != (0, 1) {
                return Err(invalid(
                    "a table of packed integers must have its entries along axis 0 and its blocks along axis 1",
                ));
            }
            let (bits, block) = (n.int_or("bits", 4), usize::try_from(block).unwrap_or(0));
            let columns = bytes.saturating_mul(8) / bits.max(1) as usize;
            let weights = BlockWeights::new(bits, block, [rows, columns])?;
            if !columns.is_multiple_of(block) {
                return Err(argument("block_size", block, format!("it must divide the {columns} entries of a row")));
            }
            Value::constant(weights.matrix([Some(data), n.optional(2), n.optional(3)])?)
        }
        _ => {
            let operands: Vec<&Value> = [data, n.input(2)?].into_iter().chain(n.optional(3)).collect();
            known(b, &operands, |b, values| {
                let mut tensor = b.float_tensor(&values[0])?;
                if let Some(zero) = values.get(2) {
                    let zero = spread(b, zero, &shape, of_blocks as i64, block)?;
                    tensor = b.sub(tensor, zero)?;
                }
                let scale = spread(b, &values[1], &shape, of_blocks as i64, block)?;
                let made = b.mul(tensor, scale)?;
                b.value(made, Dtype::Float32)
            })?
        }
    };
    gathered(b, &reals, indices, axis).map(|v| vec![v])
}
