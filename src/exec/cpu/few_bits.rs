//! Products with weights of few bits: packed integers and fp8.
use super::{
    OpKernel, Operand,
    blocked::{FourBits, InstructionSet},
    gemm::{ConstantB, Mat, gemm_f32},
    task::{PostOp, Task},
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

/// The product with a matrix of packed integers. A constant one is repacked for few rows, and otherwise dequantized once.
pub(super) fn a16_matmul(mut op: A16MatMul<Operand>) -> OpKernel {
    let Some(matrix) = packed_integers(&op).ok().flatten() else { return unpacked_in_each_run(op) };
    let weights = [op.weight.without_values(), op.scale.without_values(), op.zp.without_values()];
    [op.weight, op.scale, op.zp] = weights.clone();
    OpKernel::with_workspace(reals([&op.input]) + result_reals(), move |t| {
        let left = t.reals(&op.input)?;
        let bias = op.bias.as_ref().map(|b| t.reals(b)).transpose()?;
        t.write(0, PostOp::default(), |out| match &matrix {
            PackedMatrix::Few(matrix) => {
                matrix.product(&left, out)?;
                add_to_rows(out, bias.as_deref());
                Ok(())
            }
            PackedMatrix::Floats(matrix) => matrix.product(&left, bias.as_deref(), out),
        })
    })
    .without(&weights)
}

/// A constant matrix that was stored as packed integers.
enum PackedMatrix {
    /// For few rows.
    Few(FourBits),
    Floats(ConstantB),
}

/// Returns the matrix of a product in the form that its kernel reads, if it is constant.
fn packed_integers(op: &A16MatMul<Operand>) -> Result<Option<PackedMatrix>> {
    let (Some(weight), Some(scale), Some(zp)) = (&op.weight.constant, &op.scale.constant, &op.zp.constant) else {
        return Ok(None);
    };
    let k = op.input.ty.shape.last().copied().unwrap_or(1);
    let (rows, group) = (op.input.ty.elements() / k.max(1), op.q_group_size as usize);
    let (bytes, scales, zero_points) = (weight.elements::<u8>()?, scale.to_f32()?, zp.elements::<u8>()?);
    let few = match is_for_few_rows(op) {
        true => FourBits::new(InstructionSet::best(), [k, group], &bytes, &scales, &zero_points)?,
        false => None,
    };
    if let Some(matrix) = few {
        return Ok(Some(PackedMatrix::Few(matrix)));
    }
    let floats = dequantized(op, &bytes, &scales, &zero_points)?;
    let cols = floats.len() / k.max(1);
    let matrix = Mat { data: &floats, rows: k, cols, transposed: op.right_transpose };
    Ok(Some(PackedMatrix::Floats(ConstantB::new(rows, matrix)?)))
}

/// Whether a matrix of packed integers is multiplied as it is stored.
pub(super) fn is_for_few_rows(op: &A16MatMul<Operand>) -> bool {
    let k = op.input.ty.shape.last().copied().unwrap_or(1);
    let (rows, group) = (op.input.ty.elements() / k.max(1), op.q_group_size as usize);
    op.right_transpose && op.weight_bits == 4 && rows <= ROWS_OF_PACKED && FourBits::supports([k, group])
}

fn add_to_rows(out: &mut [f32], bias: Option<&[f32]>) {
    let Some(bias) = bias else { return };
    out.par_chunks_mut(bias.len()).for_each(|row| row.iter_mut().zip(bias).for_each(|(y, b)| *y += b));
}

fn unpacked_in_each_run(op: A16MatMul<Operand>) -> OpKernel {
    let unpacked = op.weight.ty.elements().saturating_mul(8 / op.weight_bits as usize);
    let workspace = reals([&op.input, &op.scale]) + numbers(unpacked, 4) + result_reals();
    OpKernel::with_workspace(workspace, move |t| {
        let [bytes, zero_points] = [t.array(&op.weight)?.elements::<u8>()?, t.array(&op.zp)?.elements::<u8>()?];
        let weight = dequantized(&op, &bytes, &t.reals(&op.scale)?, &zero_points)?;
        weighed(t, &op.input, &weight, op.right_transpose, op.bias.as_ref())
    })
}

/// Returns the numbers that a matrix of packed integers stands for.
fn dequantized(op: &A16MatMul<Operand>, bytes: &[u8], scales: &[f32], zero_points: &[u8]) -> Result<Vec<f32>> {
    let (width, group) = (op.weight_bits as usize, op.q_group_size as usize);
    let (per_byte, mask) = (8 / width, u8::MAX >> (8 - width));
    let stored = op.weight.ty.shape[1];
    let columns = if op.right_transpose { stored * per_byte } else { stored };
    let mut weight: Vec<f32> = zeros(bytes.len().saturating_mul(per_byte))?;
    weight.par_chunks_mut(columns.max(1)).enumerate().for_each(|(r, row)| {
        for (c, w) in row.iter_mut().enumerate() {
            // Bytes and groups are along k.
            let (byte, part, of) = match op.right_transpose {
                true => (r * stored + c / per_byte, c % per_byte, r * (columns / group) + c / group),
                false => (r / per_byte * stored + c, r % per_byte, r / group * columns + c),
            };
            let value = bytes[byte] >> (part * width) & mask;
            *w = (f32::from(value) - f32::from(zero_points[of])) * scales[of];
        }
    });
    Ok(weight)
}

/// The product with a matrix that has one scale per square block.
pub(super) fn fp8_matmul(op: Fp8MatMul<Operand>) -> OpKernel {
    OpKernel::with_workspace(reals([&op.input]) + elements([&op.weight], 4) + result_reals(), move |t| {
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
        add_to_rows(out, bias.as_deref());
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use crate::{Array, CpuBackend, Dtype, Graph, RunOptions, ops::A16MatMul, run};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        /// Constant matrices, which are repacked or dequantized once, and computed ones.
        #[test]
        fn constant_packed_integers_are_those_of_each_run(
            rows in 1usize..12, blocks in 1usize..4, n in 1usize..20, bits in prop::sample::select(vec![4i64, 8]),
            group in prop::sample::select(vec![16usize, 32]), transposed: bool, has_bias: bool,
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
            // All sums of these integers are exact.
            prop_assert_eq!(product(true), product(false));
        }
    }
}
