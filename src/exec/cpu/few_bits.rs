//! Products with weights of few bits: packed integers and fp8.
use super::{
    OpKernel, Operand,
    blocked::{FourBits, InstructionSet, product_of_strips, strip_size},
    gemm::{Mat, add_to_rows, gemm_f32, packed_strips},
    task::{PostOp, Task},
    transpose::{Strides, write_transposed},
    workspace::{elements, numbers, reals, result_reals},
};
use crate::{
    array::zeros,
    base::Result,
    ops::{A16MatMul, Fp8MatMul},
};
use rayon::prelude::*;

/// Maximum number of rows for which a constant matrix of packed integers is multiplied as it is stored.
const ROWS_OF_PACKED: usize = 8;

/// The product with a matrix of packed integers. A constant one is multiplied as it is stored by few rows, and otherwise decoded in each
/// run, as the floats of all matrices of a network would take much memory.
pub(super) fn a16_matmul(mut op: A16MatMul<Operand>) -> OpKernel {
    let Some(matrix) = four_bits(&op).ok().flatten() else { return unpacked_in_each_run(op) };
    let weights = [op.weight.without_values(), op.scale.without_values(), op.zp.without_values()];
    [op.weight, op.scale, op.zp] = weights.clone();
    OpKernel::with_workspace(reals([&op.input]) + result_reals(), move |t| {
        let left = t.reals(&op.input)?;
        let bias = op.bias.as_ref().map(|b| t.reals(b)).transpose()?;
        t.write(0, PostOp::default(), |out| {
            matrix.product(&left, out)?;
            bias.iter().for_each(|bias| add_to_rows(out, bias));
            Ok(())
        })
    })
    .without(&weights)
}

/// Returns the matrix of a product with few rows, if it is a constant of 4-bit integers.
fn four_bits(op: &A16MatMul<Operand>) -> Result<Option<FourBits>> {
    let (Some(weight), Some(scale), Some(zp)) = (&op.weight.constant, &op.scale.constant, &op.zp.constant) else {
        return Ok(None);
    };
    if !is_for_few_rows(op) {
        return Ok(None);
    }
    let sizes = [op.input.ty.shape.last().copied().unwrap_or(1), op.q_group_size as usize];
    let (bytes, scales, zero_points) = (weight.elements::<u8>()?, scale.to_f32()?, zp.elements::<u8>()?);
    FourBits::new(InstructionSet::best(), sizes, &bytes, &scales, &zero_points)
}

/// Whether a matrix of packed integers is multiplied as it is stored.
pub(super) fn is_for_few_rows(op: &A16MatMul<Operand>) -> bool {
    let k = op.input.ty.shape.last().copied().unwrap_or(1);
    let (rows, group) = (op.input.ty.elements() / k.max(1), op.q_group_size as usize);
    op.right_transpose && op.weight_bits == 4 && rows <= ROWS_OF_PACKED && FourBits::supports([k, group])
}

/// Decodes the matrix while it is packed for the product, so that it is never in memory as floats.
fn unpacked_in_each_run(op: A16MatMul<Operand>) -> OpKernel {
    let k = op.input.ty.shape.last().copied().unwrap_or(1);
    let stored = op.weight.ty.elements().saturating_mul(8 / op.weight_bits as usize);
    let strip = numbers(strip_size([k, stored / k.max(1)]), 4);
    let workspace = reals([&op.input, &op.scale]) + reals(&op.bias) + strip + result_reals();
    OpKernel::with_workspace(workspace, move |t| {
        let [bytes, zeros] = [t.array(&op.weight)?.elements::<u8>()?, t.array(&op.zp)?.elements::<u8>()?];
        let (left, scales) = (t.reals(&op.input)?, t.reals(&op.scale)?);
        let bias = op.bias.as_ref().map(|b| t.reals(b)).transpose()?;
        let n = t.result(0)?.shape.last().copied().unwrap_or(1);
        let (width, group) = (op.weight_bits as usize, op.q_group_size as usize);
        let matrix =
            IntegerMatrix { bytes: &bytes, scales: &scales, zeros: &zeros, k, n, width, group, groups: k / group };
        t.write(0, PostOp::default(), |out| {
            let isa = InstructionSet::best();
            match op.right_transpose {
                true => product_of_strips(isa, &left, [k, n], |row, column| matrix.of_columns(row, column), out)?,
                false => product_of_strips(isa, &left, [k, n], |row, column| matrix.of_rows(row, column), out)?,
            }
            bias.iter().for_each(|bias| add_to_rows(out, bias));
            Ok(())
        })
    })
}

/// A `k` x `n` matrix of packed integers, each `(integer - zero) * scale`. Bytes and groups are along `k`.
struct IntegerMatrix<'a> {
    bytes: &'a [u8],
    scales: &'a [f32],
    zeros: &'a [u8],
    k: usize,
    n: usize,
    /// Bits per integer, 4 or 8.
    width: usize,
    /// Number of elements of a column with the same scale and zero point.
    group: usize,
    /// Number of groups of a column.
    groups: usize,
}

/// Number of rows and columns that are decoded at a time.
const SIDE: usize = 16;

impl IntegerMatrix<'_> {
    /// Returns the 16 x 16 elements at a row and a column, which are multiples of 16, of a matrix stored by rows. Elements outside are 0.
    fn of_rows(&self, row: usize, column: usize) -> [[f32; SIDE]; SIDE] {
        let mut square = [[0.0; SIDE]; SIDE];
        let columns = SIDE.min(self.n.saturating_sub(column));
        let (per_byte, mask) = (8 / self.width, u8::MAX >> (8 - self.width));
        if columns == 0 {
            return square;
        }
        for (out, r) in square.iter_mut().zip(row..self.k) {
            let (at, of, shift) = (r / per_byte * self.n, r / self.group * self.n, r % per_byte * self.width);
            let bytes = &self.bytes[at + column..][..columns];
            let (scales, zeros) = (&self.scales[of + column..][..columns], &self.zeros[of + column..][..columns]);
            for (((out, byte), zero), scale) in out.iter_mut().zip(bytes).zip(zeros).zip(scales) {
                *out = (f32::from(byte >> shift & mask) - f32::from(*zero)) * scale;
            }
        }
        square
    }

    /// Like [`IntegerMatrix::of_rows`], of a matrix stored by columns.
    fn of_columns(&self, row: usize, column: usize) -> [[f32; SIDE]; SIDE] {
        let mut lines = [[0.0; SIDE]; SIDE];
        let rows = SIDE.min(self.k.saturating_sub(row));
        for (line, c) in lines.iter_mut().zip(column..self.n) {
            self.decode(row, c, &mut line[..rows]);
        }
        let mut square = [[0.0; SIDE]; SIDE];
        let by = Strides { from: SIDE, to: SIDE };
        write_transposed(lines.as_flattened(), square.as_flattened_mut(), by, SIDE, SIDE);
        square
    }

    /// Decodes elements of a column from a row on, which is a multiple of 16; the matrix is stored by columns.
    fn decode(&self, row: usize, column: usize, out: &mut [f32]) {
        let bytes = &self.bytes[(column * self.k + row) * self.width / 8..][..out.len() * self.width / 8];
        if self.width == 8 {
            out.iter_mut().zip(bytes).for_each(|(out, byte)| *out = f32::from(*byte));
        } else {
            for (out, byte) in out.as_chunks_mut::<2>().0.iter_mut().zip(bytes) {
                *out = [f32::from(byte & 15), f32::from(byte >> 4)];
            }
        }
        // The first group may begin before the row.
        let (mut rest, mut first) = (out, row);
        while !rest.is_empty() {
            let group = first / self.group;
            let end = ((group + 1) * self.group - first).min(rest.len());
            let of = column * self.groups + group;
            let (zero, scale) = (f32::from(self.zeros[of]), self.scales[of]);
            let (now, later) = rest.split_at_mut(end);
            now.iter_mut().for_each(|v| *v = (*v - zero) * scale);
            (rest, first) = (later, first + end);
        }
    }
}

/// The product with a matrix that has one scale per square block.
pub(super) fn fp8_matmul(op: Fp8MatMul<Operand>) -> OpKernel {
    let strip = packed_strips(1, [op.weight.ty.shape[0], op.weight.ty.shape[1]]);
    let turned = packed_strips(1, [op.weight.ty.shape[1], op.weight.ty.shape[0]]);
    let packed = if op.weight_transpose { turned } else { strip };
    let workspace = reals([&op.input]) + elements([&op.weight], 4) + packed + result_reals();
    OpKernel::with_workspace(workspace, move |t| {
        let (values, scales, block) = (t.reals(&op.weight)?, t.reals(&op.weight_scale)?, op.block_size as usize);
        let columns = op.weight.ty.shape[1];
        let across = columns.div_ceil(block);
        let mut weight = zeros(values.len())?;
        weight.par_chunks_mut(columns).zip(values.par_chunks(columns)).enumerate().for_each(|(r, (row, from))| {
            for (c, (w, v)) in row.iter_mut().zip(from).enumerate() {
                *w = v * scales[r / block * across + c / block];
            }
        });
        weighed(t, &op.input, &weight, op.weight_transpose, op.bias.as_ref())
    })
}

/// Multiplies an operand's rows by a matrix and adds the bias.
fn weighed(t: &mut Task, input: &Operand, weight: &[f32], transposed: bool, bias: Option<&Operand>) -> Result<()> {
    let left = t.reals(input)?;
    let bias = bias.map(|b| t.reals(b)).transpose()?;
    let (k, n) = (input.ty.shape.last().copied().unwrap_or(1), t.result(0)?.shape.last().copied().unwrap_or(1));
    t.write(0, PostOp::default(), |out| {
        let left = Mat { data: &left, rows: left.len() / k, cols: k, transposed: false };
        gemm_f32(out, left, Mat { data: weight, rows: k, cols: n, transposed })?;
        bias.iter().for_each(|bias| add_to_rows(out, bias));
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use crate::{Array, CpuBackend, Dtype, Graph, RunOptions, ops::A16MatMul, run};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        /// Constant matrices, which may be multiplied as they are stored, and computed ones.
        #[test]
        fn products_of_packed_integers_are_the_definition(
            rows in 1usize..12, blocks in 1usize..4, n in 1usize..40, bits in prop::sample::select(vec![4i64, 8]),
            group in prop::sample::select(vec![2usize, 6, 10, 16, 24, 32]), transposed: bool, has_bias: bool,
        ) {
            let (k, per_byte) = (blocks * group, 8 / bits as usize);
            let shape = |of_k: usize| if transposed { [n, of_k] } else { [of_k, n] };
            let array = |dtype, shape: [usize; 2], step: usize, of: usize| {
                let numbers = (0..shape[0] * shape[1]).map(|i| (i * step % of) as f64);
                Array::from_f64s(dtype, shape, numbers).unwrap()
            };
            let weights = [
                ("w", array(Dtype::Uint8, shape(k / per_byte), 37, 256)),
                ("scale", array(Dtype::Float32, shape(blocks), 3, 5)),
                ("zp", array(Dtype::Uint8, shape(blocks), 5, 16)),
            ];
            let x = array(Dtype::Float32, [rows, k], 7, 19);
            let product = |is_constant: bool| {
                let mut g = Graph::new("g").unwrap();
                let input = g.input("x", Dtype::Float32, [rows, k]).unwrap();
                let [weight, scale, zp] = weights.clone().map(|(name, array)| match is_constant {
                    true => g.coefficient(name, array).unwrap(),
                    false => g.input(name, array.dtype(), array.shape().to_vec()).unwrap(),
                });
                let bias = has_bias.then(|| g.coefficient("bias", (0..n).map(|i| i as f32).collect::<Vec<_>>()).unwrap());
                let op = A16MatMul {
                    bias, right_transpose: transposed, q_group_size: group as i64, weight_bits: bits, ..A16MatMul::new(input, weight, scale, zp)
                };
                let y = g.op(op).out_dtypes([Dtype::Float32]).call().unwrap()[0];
                g.set_outputs(&[y]).unwrap();
                let mut feeds = vec![("x", x.clone())];
                feeds.extend(weights.clone().into_iter().filter(|_| !is_constant));
                run(&g, &feeds[..], &CpuBackend::new(), &RunOptions::default()).unwrap().tensors[0].to_f64().unwrap()
            };
            let [bytes, scales, zeros] = weights.clone().map(|(_, array)| array.to_f64().unwrap());
            let element = |r: usize, c: usize| {
                let (byte, of) = match transposed {
                    true => (c * (k / per_byte) + r / per_byte, c * blocks + r / group),
                    false => (r / per_byte * n + c, r / group * n + c),
                };
                let integer = bytes[byte] as usize >> (r % per_byte * bits as usize) & ((1 << bits) - 1);
                (integer as f64 - zeros[of]) * scales[of]
            };
            let left = x.to_f64().unwrap();
            let sum = |i: usize, c: usize| (0..k).map(|r| left[i * k + r] * element(r, c)).sum::<f64>();
            let added = |c: usize| if has_bias { c as f64 } else { 0.0 };
            let want: Vec<f64> = (0..rows * n).map(|i| sum(i / n, i % n) + added(i % n)).collect();
            // All sums of these integers are exact.
            prop_assert_eq!(product(true), want.clone());
            prop_assert_eq!(product(false), want);
        }
    }
}
